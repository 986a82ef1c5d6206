"""Game cards and short guides to the rules, for newcomers.

The texts are in the section `guide` of a game: `about`, then steps counted from 1. A subsection
with an edition's name has what differs there.
"""

from __future__ import annotations

import functools
import random
import re

from spielleiter import games
from spielleiter.game import Game, Option, Position
from spielleiter.text import catalogue
from spielleiter.web import models
from spielleiter.web.language import known_texts, translator
from spielleiter.web.models import Language
from spielleiter.web.serialisation import look_of, scene_of

_PLIES = 24
"""Plies after which a board looks like a game in progress."""


def cards(language: Language) -> tuple[models.CardView, ...]:
    """One card for each game: its newest edition, the running season first."""
    newest: dict[str, str] = {}
    for name in sorted(games.names(), key=season_order):
        newest[games.load(name).folder] = name
    found = sorted(newest.values(), key=season_order, reverse=True)
    return tuple(_card(name, language) for name in found)


def season_order(edition: str) -> tuple[int, int]:
    """A sort key: the year of an edition, drafts before final ones."""
    year = re.search(r"\d{4}", edition)
    return int(year[0]) if year else 0, -len(edition)


@functools.cache
def _card(edition: str, language: Language) -> models.CardView:
    game = games.load(edition)
    translate = translator(game, language)
    scene = scene_of(game.scene(_played(game), None), translate)
    return models.CardView(
        edition=edition,
        title=translate(game.title),
        about=_texts(game, language).get("about", ""),
        scene=scene.model_copy(update={"trays": (), "marks": (), "status": ()}),
        look=look_of(game, game.start()),
    )


def guide(game: Game, language: Language) -> models.GuideView:
    """The rules in a few steps, with the board at the start and in the middle of a game."""
    translate, texts = translator(game, language), _texts(game, language)
    steps = [texts[str(number)] for number in range(1, len(texts) + 1) if str(number) in texts]
    positions = (game.start(), _played(game))
    return models.GuideView(
        edition=game.name,
        title=translate(game.title),
        about=texts.get("about", ""),
        steps=tuple(steps),
        scenes=tuple(scene_of(game.scene(each, None), translate) for each in positions),
        look=look_of(game, positions[0]),
    )


def option_names(game: Game, option: Option, language: Language) -> dict[str, str]:
    """What people call the values of an option."""
    translate = translator(game, language)
    return {value: translate(option.titles(value)) for value in (option.default, *option.choices())}


def has_maps(game: Game) -> bool:
    """Whether a game can be played on custom maps."""
    return any(option.name == "map" for option in game.options)


def _texts(game: Game, language: Language) -> dict[str, str]:
    """The guide's texts for an edition."""
    book = {**catalogue(game.folder, "en"), **known_texts(game.folder, language)}
    found: dict[str, str] = {}
    for start in ("guide.", f"guide.{game.name}."):
        own = {key.removeprefix(start): text for key, text in book.items() if key.startswith(start)}
        found |= {key: text for key, text in own.items() if "." not in key}
    return found


def _played(game: Game) -> Position:
    """A position in the middle of a game, always the same."""
    position, chance = game.start(1), random.Random(5)
    for _ in range(_PLIES):
        if position.outcome() is None:
            position.play(chance.choice(list(position.legal_moves())))
    return position

"""Whatever a pupil reads in the browser is there in German too."""

from __future__ import annotations

import re

import pytest

from spielleiter import games
from spielleiter.game import Game
from spielleiter.web.language import GENERAL, Book, _texts, translator
from tests.conftest import facts, game_of
from tests.test_gestures import walks

PLIES = 120


def book(game: Game) -> Book:
    """The words of the web and of the game's own folder."""
    return Book({**GENERAL, **_texts(game.folder)})


def test_everything_in_a_scene_is_translated(game: Game) -> None:
    table = book(game)
    for position, last in walks(game, PLIES):
        scene = game.scene(position, last)
        texts = [scene.title, *scene.status, *(token.label for token in scene.tokens)]
        for tray in scene.trays:
            texts += [tray.title, *(token.label for token in tray.tokens)]
        for text in texts:
            assert table.knows(text), text


def test_the_last_scene_and_the_rule_that_decided_are_translated(game: Game) -> None:
    table = book(game)
    for seed in range(20):
        position, last = game.start(seed), None
        while moves := position.legal_moves():
            last = moves[(seed * 7919 + position.ply * 104729) % len(moves)]
            position.play(last)
        assert table.knows(position.outcome().reason)
        for text in game.scene(position, last).status:
            assert table.knows(text), text


def test_mistakes_seats_titles_options_and_buttons_are_translated(game: Game) -> None:
    table = book(game)
    texts = [game.title, *game.seat_names, *(each.explanation for each in game.native.Mistake)]
    for option in game.options:
        texts += [option.help, option.name.replace("_", " ")]
    for text in texts:
        assert table.knows(text), text


def test_every_reason_for_an_end_that_the_facts_know_is_translated() -> None:
    """Some ends are never reached by chance."""
    ends = [fact for fact in facts("positions.toml") if "outcome" in fact]
    assert ends
    for fact in ends:
        assert book(game_of(fact)).knows(fact["outcome"]["reason"]), fact


def test_a_template_translates_what_stands_in_it() -> None:
    table = Book({"{} to move": "{} ist am Zug", "red": "rot", "turn {#}: {}": "Zug {}: {}"})
    assert table.translated("turn 12: red to move") == "Zug 12: rot ist am Zug"
    assert table.translated("turn x: red") == "turn x: red"
    assert table.knows("turn 12: red to move")
    assert not table.knows("turn 12: blue to move")


def test_english_stays_as_it_is() -> None:
    assert translator(None, "en")("cancelled") == "cancelled"
    assert translator(None, "de")("cancelled") == "abgebrochen"


@pytest.mark.parametrize("text", [text for text in GENERAL if "{" in text])
def test_a_template_has_as_many_places_in_both_languages(text: str) -> None:
    assert len(re.findall(r"\{#?\}", text)) == len(re.findall(r"\{\d?\}", GENERAL[text]))


def test_the_tables_of_all_games_have_as_many_places_in_both_languages() -> None:
    for folder in {games.load(name).folder for name in games.names()}:
        for text, said in _texts(folder).items():
            assert len(re.findall(r"\{#?\}", text)) == len(re.findall(r"\{\d?\}", said)), text

"""The languages of the pages: what the program and the games say, from their folders `texts/`.

A language is a TOML file in `spielleiter/texts/` and one in `texts/` of each game's folder. Nothing
else on this side of the wire knows which languages there are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from spielleiter.game import Game
from spielleiter.text import Catalogue, Messages, catalogue, languages, translate

Translate = Callable[[str], str]

_PROGRAM = "spielleiter"
LANGUAGES = languages(_PROGRAM)
messages = Messages(_PROGRAM, "web.")
"""What the web itself says."""


def translator(game: Game | None, language: str) -> Translate:
    """What turns the texts of a game (and of the web) into a language."""
    return _translator(None if game is None else game.folder, language)


@functools.cache
def _translator(folder: str | None, language: str) -> Translate:
    return functools.partial(translate, messages=known_texts(folder, language))


@functools.cache
def known_texts(folder: str | None, language: str) -> Catalogue:
    """Everything that the program and a game can say in a language."""
    own = {} if folder is None else catalogue(folder, language)
    return {**own, **catalogue(_PROGRAM, language)}

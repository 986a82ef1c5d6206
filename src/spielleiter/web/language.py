"""The languages of the pages, from the folders `texts/` of the program and the games.

A language is a TOML file in `spielleiter/texts/` and one in `texts/` of each game's folder. Nothing
else on the server depends on the list of languages.
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
"""The messages of the web part."""


def translator(game: Game | None, language: str) -> Translate:
    """A function that translates texts of a game and of the program."""
    return _translator(None if game is None else game.folder, language)


@functools.cache
def _translator(folder: str | None, language: str) -> Translate:
    return functools.partial(translate, messages=known_texts(folder, language))


@functools.cache
def known_texts(folder: str | None, language: str) -> Catalogue:
    """All messages of the program and a game in a language."""
    own = {} if folder is None else catalogue(folder, language)
    return {**own, **catalogue(_PROGRAM, language)}

"""The languages of the pages: what the web and the games say, from their folders `texts/`.

A language is a TOML file in `web/texts/` and one in `texts/` of each game's folder. Nothing else
on this side of the wire knows which languages there are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from spielleiter.game import Game
from spielleiter.text import Catalogue, Messages, catalogue, languages, translate

Translate = Callable[[str], str]

_WEB, _PREFIX = "spielleiter.web", "web."
LANGUAGES = languages(_WEB)
messages = Messages(_WEB, _PREFIX)
"""What the web itself says."""


def translator(game: Game | None, language: str) -> Translate:
    """What turns the texts of a game (and of the web) into a language."""
    book = known_texts(None if game is None else game.folder, language)
    return functools.partial(translate, messages=book)


@functools.cache
def known_texts(folder: str | None, language: str) -> Catalogue:
    """Everything that the web and a game can say in a language."""
    own = {} if folder is None else catalogue(folder, language)
    return {**own, **{_PREFIX + key: text for key, text in catalogue(_WEB, language).items()}}

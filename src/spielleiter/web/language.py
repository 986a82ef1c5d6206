"""German for everything a pupil reads in the browser.

The programs speak English. What a game says is translated by the table in its own folder,
`texts_de.py`: `TEXTS` maps English templates to German ones. `{}` stands for anything, and what it
stood for is translated in turn and put in the same place; `{0}`, `{1}` change the order. `{#}`
stands for a number. What no template fits stays as it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec

from spielleiter.game import Game
from spielleiter.web.models import Language

Translate = Callable[[str], str]

GENERAL = {
    "person": "Mensch",
    "{} wins": "{} gewinnt",
    "{} win": "{} gewinnen",
    "a draw": "unentschieden",
    "{} and {}": "{} und {}",
    "cancelled": "abgebrochen",
    "moved out of turn": "zog außer der Reihe",
    "moved without being asked": "zog ungefragt",
    "moved too late": "zog zu spät",
    "did not answer in time": "antwortete nicht rechtzeitig",
    "made an illegal move": "machte einen ungültigen Zug",
    "left the game": "verließ das Spiel",
    "never came": "kam nicht",
    "{} is out: {}": "{} scheidet aus: {}",
    "this is a legal move": "dieser Zug ist erlaubt",
    "nothing can be laid there": "dort kann nichts liegen",
    "it is not your turn": "du bist nicht am Zug",
    "this is no move: {}": "das ist kein Zug: {}",
    "the game is over": "das Spiel ist vorbei",
    "plays any legal move": "spielt irgendeinen erlaubten Zug",
    "takes what looks best now": "nimmt, was gerade am besten aussieht",
    "searches ahead, move by move": "rechnet Zug um Zug voraus",
    "plays games in its head to the end": "spielt im Kopf Partien zu Ende",
    "the strongest for each game": "der stärkste für jedes Spiel",
    "random": "Zufall",
    "greedy": "gierig",
    "alphabeta": "Alpha-Beta",
    "mcts": "Baumsuche",
    "best": "der beste",
    "map": "Karte",
}
"""What the web itself says."""


def translator(game: Game | None, language: Language) -> Translate:
    """What turns the English texts of a game (and of the web) into a language."""
    if language == "en":
        return str
    return _german(None if game is None else game.folder)


@functools.cache
def _german(folder: str | None) -> Translate:
    return Book({**GENERAL, **({} if folder is None else _texts(folder))}).translated


def _texts(folder: str) -> Mapping[str, str]:
    if find_spec(f"{folder}.texts_de") is None:
        return {}
    module = __import__(f"{folder}.texts_de", fromlist=["TEXTS"])
    texts: Mapping[str, str] = module.TEXTS
    return texts


class Book:
    """A table of templates; of several that fit, the one that says most wins."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._plain = {text: said for text, said in texts.items() if "{" not in text}
        templates = [(_pattern(text), said) for text, said in texts.items() if "{" in text]
        self._templates = sorted(templates, key=lambda each: -len(each[0].pattern))
        self.translated = functools.lru_cache(4_096)(self._translated)

    def _translated(self, text: str) -> str:
        if text in self._plain:
            return self._plain[text]
        for pattern, said in self._templates:
            found = pattern.fullmatch(text)
            if found is not None:
                return said.format(*(self._translated(part) for part in found.groups()))
        return text

    def knows(self, text: str) -> bool:
        """Whether some entry fits a text, and all its parts."""
        if not text or text in self._plain or not re.search(r"[a-zA-Z]{2}", text):
            return True
        for pattern, _ in self._templates:
            found = pattern.fullmatch(text)
            if found is not None:
                return all(map(self.knows, found.groups()))
        return False


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{#?\})", template)
    kinds = {"{}": "(.+?)", "{#}": r"(-?\d+)"}
    return re.compile("".join(kinds.get(part, re.escape(part)) for part in parts), re.DOTALL)

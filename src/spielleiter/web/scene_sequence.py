"""A compact form of all scenes of a game: repeated tokens are sent once.

The viewer expands it again (`model/scenes.ts`). So a whole game fits into one answer or one offline
page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Generic, TypeVar

from spielleiter.game import Scene, Token, Tray
from spielleiter.web.language import Translate
from spielleiter.web.serialisation import translated_token

Thing = TypeVar("Thing", bound=Hashable)


def scene_sequence(scenes: Iterable[Scene], translate: Translate) -> dict[str, Any]:
    """The sequence of some scenes in a language, without palette and glyphs."""
    boards: _Things[Any] = _Things()
    tokens: _Things[Token] = _Things()
    trays: _Things[Tray] = _Things()
    sequence = [
        {
            "board": boards.number((scene.grid, scene.holes)),
            "tokens": tokens.numbers(scene.tokens),
            "trays": trays.numbers(scene.trays),
            "marks": scene.marks,
            "status": tuple(map(translate, scene.status)),
            "title": translate(scene.title),
        }
        for scene in scenes
    ]
    beside = [
        {
            "title": translate(each.title),
            "tokens": tokens.numbers(each.tokens),
            "colour": each.colour,
        }
        for each in trays.all
    ]
    return {
        "boards": [{"grid": grid, "holes": holes} for grid, holes in boards.all],
        "tokens": [translated_token(each, translate) for each in tokens.all],
        "trays": beside,
        "scenes": sequence,
    }


class _Things(Generic[Thing]):
    """A table of distinct values, numbered in the order of appearance.

    Games reuse the same objects for many turns, so most are found by identity.
    """

    def __init__(self) -> None:
        self.all: list[Thing] = []
        self._seen: list[Thing] = []
        self._by_object: dict[int, int] = {}
        self._numbers: dict[Thing, int] = {}

    def numbers(self, things: Iterable[Thing]) -> list[int]:
        """The numbers of several things."""
        kept = tuple(things)
        known = list(map(self._by_object.get, map(id, kept)))
        return [self.number(kept[at]) if found is None else found for at, found in enumerate(known)]

    def number(self, thing: Thing) -> int:
        """The number of a thing, which equals no other."""
        found = self._numbers.setdefault(thing, len(self.all))
        if found == len(self.all):
            self.all.append(thing)
        self._by_object[id(thing)] = found
        self._seen.append(thing)  # no other object gets its place in memory meanwhile
        return found

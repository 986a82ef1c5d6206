"""All scenes of a game in little room: what lies there for many turns is sent once.

The viewer expands it again (`model/scenes.ts`). So a whole game travels in one answer, and fits in
one page that works without a server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Plain = Mapping[str, Any]


def scene_sequence(scenes: Iterable[Plain]) -> dict[str, Any]:
    """The sequence of some scenes, each as plain data without palette and glyphs."""
    boards, tokens, trays = _Things(), _Things(), _Things()
    sequence = [
        {
            "board": boards.number({"grid": scene["grid"], "holes": scene["holes"]}),
            "tokens": [tokens.number(token) for token in scene["tokens"]],
            "trays": [
                trays.number({**tray, "tokens": [tokens.number(each) for each in tray["tokens"]]})
                for tray in scene["trays"]
            ],
            "marks": scene["marks"],
            "status": scene["status"],
            "title": scene["title"],
        }
        for scene in scenes
    ]
    return {"boards": boards.all, "tokens": tokens.all, "trays": trays.all, "scenes": sequence}


class _Things:
    """Every thing once, numbered in the order of first appearance."""

    def __init__(self) -> None:
        self.all: list[Plain] = []
        self._numbers: dict[str, int] = {}

    def number(self, thing: Plain) -> int:
        text = json.dumps(thing, sort_keys=True)
        if text not in self._numbers:
            self._numbers[text] = len(self.all)
            self.all.append(thing)
        return self._numbers[text]

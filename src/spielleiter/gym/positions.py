"""Positions with known best moves, as plain TOML files.

A file names its game and has a table `[[position]]` for each position:

    game = "nim"
    [[position]]
    name = "three heaps"
    position = "3 4 5"
    best = ["1-2"]      # any of these solves it
    nodes = 2000        # what a search is allowed here
    verified = 40000    # nodes of the search that proves it
    chance = 0.81       # of winning, with a best move
    loss = 0.4          # what the next best move gives away
    difficulty = 3      # 1 to 5
    source = "where the position comes from"
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game

FOLDER = "gym"
_LARGEST = 4 * 1024 * 1024
_KINDS = {
    "name": str,
    "position": str,
    "best": tuple,
    "nodes": int,
    "verified": int,
    "chance": float,
    "loss": float,
    "difficulty": int,
    "source": str,
}


@dataclass(frozen=True, slots=True)
class GymPosition:
    """A position, and the moves that solve it."""

    name: str
    position: str
    best: tuple[str, ...]
    """Moves as texts; any of them is right."""
    nodes: int = 0
    """The node limit of the task; 0: none given."""
    verified: int = 0
    """Nodes of the search that proves the answer."""
    chance: float = 0.5
    """Of winning, with a best move."""
    loss: float = 0.0
    """How much of that the best of the other moves gives away."""
    difficulty: int = 1
    """1 is easy, 5 is beyond our engine within the node limit."""
    source: str = ""


@dataclass(frozen=True, slots=True)
class GymSet:
    """The positions of one game."""

    game: str
    positions: tuple[GymPosition, ...]

    @classmethod
    def parse(cls, text: str) -> GymSet:
        """The set in a file; raises TextError with what is wrong."""
        if len(text) > _LARGEST:
            raise TextError(f"a set has at most {_LARGEST // 1024 // 1024} MB")
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise TextError(f"this is no TOML: {problem}") from None
        if not isinstance(data.get("game"), str) or not isinstance(data.get("position"), list):
            raise TextError("a set says which game it is of and has tables [[position]]")
        return cls(data["game"], tuple(map(_position, data["position"])))

    def text(self) -> str:
        """As a file."""
        blocks = [f"game = {json.dumps(self.game)}\n", *map(_block, self.positions)]
        return "\n".join(blocks)

    def check(self, game: Game) -> None:
        """Raise TextError if a position or a best move is none of the game."""
        for each in self.positions:
            position = game.parse(each.position)
            for move in each.best:
                if position.move(move) not in position.legal_moves():
                    raise TextError(f"{each.name}: {move} is not legal there")


def _position(data: Any) -> GymPosition:
    if not isinstance(data, dict):
        raise TextError("a position is a table")
    for name in data.keys() - _KINDS.keys():
        raise TextError(f"a position has no {name!r}; it has {', '.join(_KINDS)}")
    for name in {"name", "position", "best"} - data.keys():
        raise TextError(f"a position needs {name!r}")
    return GymPosition(**{name: _value(name, value) for name, value in data.items()})


def _value(name: str, value: Any) -> Any:
    kind = _KINDS[name]
    if kind is tuple:
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return tuple(value)
        raise TextError(f"{name!r} is a list of texts")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TextError(f"{name!r} is {value!r}, which it cannot be")
    return value


def _block(position: GymPosition) -> str:
    rows = []
    for each in fields(position):
        value = getattr(position, each.name)
        said = list(value) if isinstance(value, tuple) else value
        rows.append(f"{each.name} = {json.dumps(said, ensure_ascii=False)}")
    return "[[position]]\n" + "\n".join(rows) + "\n"


def shipped(game: Game) -> GymSet:
    """The set that comes with a game; raises UsageError if there is none."""
    file = resources.files(game.folder).joinpath(FOLDER, f"{game.name}.toml")
    if not file.is_file():
        raise UsageError(f"{game.name} has no set of its own: name a file")
    return GymSet.parse(file.read_text("utf-8"))

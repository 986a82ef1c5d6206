"""Levels 1 … 10: what a weaker player may use, set by each game in a file `levels.toml`.

The file stands in the game's folder and has a table `default`, and further ones for single editions
(`"nim"`) or an edition with so many seats (`"nim/3"`), which win over it. In a table,
`best` names the built-in player that plays the game best; every other key is the name of a player
and holds ten rows of options, from beginner to full strength:

    [default]
    best = "alphabeta"
    alphabeta = [
      {depth = 1, overlooked = 400},
      …
      {},
    ]

What a row may say is up to the player. A game without the file gets what the player's own module
sets for all games.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from spielleiter.bots._engine import number
from spielleiter.errors import UsageError
from spielleiter.game import Position

COUNT = 10
FILE = "levels.toml"

Options = Mapping[str, Any]


def checked(level: int | str) -> int:
    """A level as number between 1 and the highest."""
    chosen = number("level", level, int)
    if not 1 <= chosen <= COUNT:
        raise UsageError(f"a level lies between 1 and {COUNT}, not {level}")
    return int(chosen)


def options(position: Position, player: str, level: int, general: Sequence[Options]) -> Options:
    """What a player of a level may use in the position's game; `general` where it says nothing."""
    rows: Sequence[Options] = _table(position).get(player, general)
    if len(rows) != COUNT:
        raise UsageError(f"{FILE} of {position.edition}: {player} needs {COUNT} rows")
    return rows[level - 1]


def best(position: Position) -> str | None:
    """The name of the player that plays the position's game best, if the game says it."""
    name: str | None = _table(position).get("best")
    return name


def _table(position: Position) -> dict[str, Any]:
    package = type(position).__module__.rpartition(".")[0]
    return _for(package, position.edition, position.seats)


@functools.cache
def _for(package: str, edition: str, seats: int) -> dict[str, Any]:
    tables = _tables(package)
    chosen: dict[str, Any] = {}
    for name in ("default", edition, f"{edition}/{seats}"):
        chosen |= tables.get(name, {})
    return chosen


def _tables(package: str) -> dict[str, Any]:
    file = resources.files(package).joinpath(FILE)
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}

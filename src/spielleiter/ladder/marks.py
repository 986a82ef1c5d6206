"""The built-in levels as marks: they never change, so each has a fixed rating.

A game's `marks.toml` has the measured differences between its levels. Level 5 is 1500 Elo in every
game; the others follow from the differences.
"""

from __future__ import annotations

import functools
import itertools
import tomllib
from collections.abc import Iterable
from importlib import resources
from typing import Any

from spielleiter import games
from spielleiter.ladder.roster import LEVELS, level_of, mark

FILE = "marks.toml"
MARK_ELO = 1500.0
"""The rating of the mark in the middle."""
_MIDDLE = 5
_STEP, _TOP = 150.0, f"best:level={LEVELS[-1]}"
"""The designed differences, for a game without measured ones."""


def mark_elo(edition: str, level: int) -> float:
    """The rating of a level."""
    heights: list[float] = list(itertools.accumulate(_table(edition)["steps"], initial=0.0))
    return MARK_ELO + heights[level - 1] - heights[_MIDDLE - 1]


def mark_elos(edition: str, levels: Iterable[int]) -> dict[str, float]:
    """The ratings of all marks of a game, by id."""
    return {mark(level): mark_elo(edition, level) for level in levels}


def mark_text(player: str, edition: str) -> str:
    """The player text of a mark; the highest level gets its node limit."""
    level = level_of(player)
    return str(_table(edition)["top"]) if level == LEVELS[-1] else f"best:level={level}"


@functools.cache
def _table(edition: str) -> dict[str, Any]:
    package = type(games.load(edition).start(0)).__module__.rpartition(".")[0]
    file = resources.files(package).joinpath(FILE)
    tables: dict[str, Any] = {}
    if file.is_file():
        tables = tomllib.loads(file.read_text("utf-8"))
    plain: dict[str, Any] = {"steps": [_STEP] * (len(LEVELS) - 1), "top": _TOP}
    return {**plain, **tables.get("default", {}), **tables.get(edition, {})}

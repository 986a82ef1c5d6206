"""The built-in levels as marks: they never change, so each stands at one rating for all times.

A game says in `marks.toml` how far its levels are apart, as it was measured. Level 5 stands at 1500
in every game; the others follow from the steps.
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
"""What the levels were made for; a game that says nothing has been measured by nobody."""


def mark_elo(edition: str, level: int) -> float:
    """Where a level of a game stands."""
    heights: list[float] = list(itertools.accumulate(_table(edition)["steps"], initial=0.0))
    return MARK_ELO + heights[level - 1] - heights[_MIDDLE - 1]


def mark_elos(edition: str, levels: Iterable[int]) -> dict[str, float]:
    """Where the marks of a game stand, under their ids."""
    return {mark(level): mark_elo(edition, level) for level in levels}


def mark_text(player: str, edition: str) -> str:
    """The text of the player that stands for a mark; the highest level is held to its limit."""
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

"""What stored runs of `punctual` and `endurance` come to: one line for each kind of game and limit.

    python -m benchmarks.strength.tally FILE...

The exit code says whether anything was late, illegal or broken off.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.kinds import Kind


@dataclass(slots=True)
class Sum:
    """Of all runs of a kind."""

    games: int = 0
    answers: int = 0
    late: int = 0
    wrong: int = 0
    """Illegal moves, and games that broke off."""
    slowest: float = 0.0
    """The part of its time that the slowest answer took."""

    def add(self, line: dict[str, Any]) -> None:
        self.games += line["games"]
        self.late += line["late"]
        self.wrong += line.get("failed", 0) + line.get("illegal", 0)
        if "moves" in line:
            self.answers += line["moves"]
            self.slowest = max(self.slowest, line["longest"] / line["allowed"])
        else:
            self.answers += line["timed_moves"]
            self.slowest = max(self.slowest, line["longest_part_of_the_time"])


def name(line: dict[str, Any]) -> str:
    """What a stored line is counted as: the game, who judged, and which limit."""
    if "game" not in line:
        return "all kinds, any limit"
    edition = Kind.parse(line["game"]).edition
    if line["by"] == "course":
        return f"{edition}, course, {line['allowed']:g} s added with every request"
    each = "all moves" if line.get("account") else "a move"
    return f"{edition}, {line['by']}, {line['allowed']:g} s for {each}"


def sums(lines: Iterable[dict[str, Any]]) -> dict[str, Sum]:
    """By name, in order."""
    found: defaultdict[str, Sum] = defaultdict(Sum)
    for line in lines:
        found[name(line)].add(line)
    return dict(sorted(found.items()))


def table(found: dict[str, Sum]) -> str:
    """As Markdown. An account has no slowest answer: it is charged for all."""
    rows = ["| kind | games | answers | late | illegal or broken off | slowest |", "|---" * 6 + "|"]
    for label, each in found.items():
        slowest = "" if "all moves" in label or "request" in label else f"{each.slowest:.0%}"
        counts = f"{each.games:,} | {each.answers:,} | {each.late} | {each.wrong}"
        rows.append(f"| {label} | {counts} | {slowest} |")
    return "\n".join(rows)


@click.command(context_settings=HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def command(files: tuple[Path, ...]) -> None:
    """Add up what stored runs found."""
    found = sums(line for file in files for line in task_pool.stored(file))
    click.echo(table(found))
    click.echo(f"\n{sum(each.games for each in found.values()):,} games")
    sys.exit(any(each.late or each.wrong for each in found.values()))


if __name__ == "__main__":
    command()

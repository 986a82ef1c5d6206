"""How long it takes to solve the ends that Othello programs are compared by (FFO 40 to 49).

    python -m benchmarks.strength.ffo [--first 40] [--last 49] [--table 256] [--store FILE]

One thread, an empty table for each position, processor time; nodes are what compares machines, and
the iterations of the calibration loop C that fit into the time. A wrong answer ends the run.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import click

from benchmarks import HELP
from benchmarks.measure import calibration
from spielleiter import games, native
from spielleiter.games import reversi

CERTAIN = 30_000
"""A win by n stones has this score and n more."""
FACTS = Path(reversi.__file__).parent / "facts" / "ffo.toml"


@dataclass(frozen=True, slots=True)
class Solved:
    """One position, and what it took."""

    number: int
    empty: int
    lead: int
    move: str
    nodes: int
    seconds: float

    def line(self, c: float) -> str:
        return (
            f"{self.number:>3} {self.empty:>6} {self.lead:>+5} {self.move:>5} "
            f"{self.nodes / 1e6:>9.1f} {self.seconds:>9.2f} {self.seconds * c / 1e9:>8.2f}"
        )


def ends() -> list[dict[str, Any]]:
    """The positions, with their leads and best moves."""
    return list(tomllib.loads(FACTS.read_text("utf-8"))["end"])


def solved(end: dict[str, Any], table: int) -> Solved:
    """A position solved from nothing; raises ValueError if the answer is not the known one."""
    game = games.load("reversi")
    position = game.parse(end["text"])
    engine = game.native.Engine(table=table, threads=1)
    begin = process_time()
    report = engine.search(position)
    seconds = process_time() - begin
    lead, move = lead_of(report.score), report.best.text()
    if lead != end["lead"] or move not in end["best"]:
        raise ValueError(f"FFO {end['number']}: {lead:+} by {move}, not {end['lead']:+}")
    empty = end["text"].count("0")
    return Solved(end["number"], empty, lead, move, report.nodes, round(seconds, 3))


def lead_of(score: int) -> int:
    """The lead that a certain score stands for."""
    return score - CERTAIN if score > 0 else score + CERTAIN if score < 0 else 0


@click.command(context_settings=HELP, help=__doc__)
@click.option("--first", default=40, show_default=True)
@click.option("--last", default=49, show_default=True)
@click.option("--table", default=256, show_default=True, help="Megabytes.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def main(first: int, last: int, table: int, store: Path | None) -> None:
    c = calibration()
    print("FFO  empty  lead  move  nodes, M   seconds  time, GC")
    found = []
    for end in ends():
        if first <= end["number"] <= last:
            found.append(solved(end, table))
            print(found[-1].line(c), flush=True)
    seconds, nodes = sum(each.seconds for each in found), sum(each.nodes for each in found)
    print(f"all: {nodes / 1e6:,.0f} million nodes, {seconds:.1f} s, {seconds * c / 1e9:.1f} GC")
    if store:
        run = {"C": c, "flavour": native.wanted()[0], "table": table}
        line = json.dumps({"ffo": [asdict(each) for each in found], **run})
        with store.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()

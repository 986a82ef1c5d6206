"""`spielleiter analyse POSITION`: what the engine thinks, while it thinks."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import click

from spielleiter.cli._options import GameName, authority_option, position_of
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Report

CERTAIN, WIN = 30_000, 31_000
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}


class Duration(click.ParamType[float]):
    """A time such as `5s`, `300ms`, `2m` or plain seconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|)", value.strip())
        if found is None:
            self.fail(f"{value!r} is no time; write 5s, 300ms or 2m", param, ctx)
        return float(found[1]) * SECONDS[found[2]]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("position", metavar="POSITION")
@click.option(
    "--game", type=GameName(), help="Which game; default: the newest that understands it."
)
@click.option("--time", type=Duration(), help="How long, such as 5s or 300ms.")
@click.option("--nodes", type=click.IntRange(1), help="At most so many positions.")
@click.option("--depth", type=click.IntRange(1, 120), help="At most so many plies.")
@click.option("--lines", type=click.IntRange(1), default=1, show_default=True, help="Best moves.")
@click.option("--all", "every", is_flag=True, help="The score of every legal move.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--table", type=click.IntRange(1), default=64, show_default=True, help="MB.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each report.")
@authority_option
def command(
    position: str,
    game: str | None,
    time: float | None,
    nodes: int | None,
    depth: int | None,
    lines: int,
    every: bool,
    threads: int,
    table: int,
    as_json: bool,
    authority: Authority,
) -> None:
    """Search POSITION and print every report. Without a limit: 5 seconds."""
    edition, root = position_of(position, game, authority)
    kind = getattr(edition.native, "Engine", None) or getattr(edition.native, "Mcts", None)
    if kind is None:
        raise UsageError(f"{edition.name} has no engine")
    if not root.legal_moves():
        raise UsageError("there is nothing to analyse: no move can be made here")
    if time is None and nodes is None and depth is None:
        time = 5.0
    if every:
        lines = len(root.legal_moves())
    engine = kind(threads=threads, table=table)
    for report in engine.analyse(root, time=time, nodes=nodes, depth=depth, lines=lines):
        click.echo(as_line(report) if as_json else as_text(report))


def as_text(report: Report) -> str:
    """One line for what was done, one for each move."""
    speed = report.nodes / max(report.seconds, 1e-9)
    head = (
        f"depth {report.depth}, {report.nodes} nodes in {report.seconds:.2f} s "
        f"({speed / 1e6:.2f} million/s), table {report.fill / 10:.1f} %"
    )
    moves = [
        f"  {score_text(line.score):>9}  {' '.join(move.text() for move in line.moves)}"
        for line in report.lines
    ]
    return "\n".join([head, *moves])


def as_line(report: Report) -> str:
    """The report as JSON, moves as texts."""
    data = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    data["lines"] = [
        {"score": line.score, "moves": [move.text() for move in line.moves]}
        for line in report.lines
    ]
    return json.dumps(data)


def score_text(score: int) -> str:
    """`+35`, or how a certain end comes about: `win in 3`."""
    if score <= -WIN:
        return "unknown"
    if abs(score) < CERTAIN:
        return f"{score:+d}"
    return f"{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"

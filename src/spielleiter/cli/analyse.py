"""`spielleiter analyse POSITION`: what the engine thinks, while it thinks."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import click

from spielleiter.bots import native_of, warm_up
from spielleiter.cli._options import GameName, authority_option, position_of
from spielleiter.errors import UsageError
from spielleiter.game import UNKNOWN, Authority, Engine, Position, Report, certain_end
from spielleiter.review.evaluator import ENGINES
from spielleiter.service.analysis_worker import engines

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}


class Duration(click.ParamType[float]):
    """A time such as `5s`, `300ms`, `2m` or plain seconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Seconds from `500ms`, `2s`, `1.5` or `1m`."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|)", value.strip())
        if found is None:
            self.fail(f"{value!r} is no time; write 5s, 300ms or 2m", param, ctx)
        return float(found[1]) * SECONDS[found[2]]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("position", metavar="POSITION")
@click.option("--game", type=GameName(), help="Which game; default: the newest that can parse it.")
@click.option("--time", type=Duration(), help="How long, such as 5s or 300ms.")
@click.option("--nodes", type=click.IntRange(1), help="Most positions to search.")
@click.option("--depth", type=click.IntRange(1, 120), help="Most plies to search.")
@click.option("--lines", type=click.IntRange(1), default=1, show_default=True, help="Best moves.")
@click.option(
    "--engine",
    type=click.Choice(("best", *ENGINES)),
    default="best",
    show_default=True,
    help="The engine; best: the strongest one.",
)
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
    engine: str,
    every: bool,
    threads: int,
    table: int,
    as_json: bool,
    authority: Authority,
) -> None:
    """Search POSITION and print every report. Without a limit: 5 seconds.

    POSITION is a text, or `start` (or `start:SEED`) for the beginning of the GAME.
    """
    _, root = position_of(position, game, authority)
    if root.outcome() is not None or not root.legal_moves():
        raise UsageError("there is nothing to analyse: no move can be made here")
    thinker = engine_for(root, engine, threads=threads, table=table)
    if time is None and nodes is None and depth is None:
        time = 5.0
    if every:
        lines = len(root.legal_moves())
    for report in thinker.analyse(root, time=time, nodes=nodes, depth=depth, lines=lines):
        click.echo(as_line(report) if as_json else as_text(report))


def engine_for(root: Position, name: str, **options: int) -> Engine:
    """The engine of that name, or the best one, with its memory at hand."""
    named = engines(root)[0] if name == "best" else name
    kind = getattr(native_of(root), ENGINES.get(named, ""), None)
    if kind is None:
        raise UsageError(f"{root.edition} has no engine {named}")
    engine: Engine = kind(**options)
    warm_up(engine, root)
    return engine


def as_text(report: Report) -> str:
    """One line for what was done, one for each move."""
    head = (
        f"depth {report.depth}, {report.nodes} nodes in {report.seconds:.2f} s "
        f"({speed_text(report.speed)}), table {report.fill / 10:.1f} %"
    )
    moves = [
        f"  {score_text(line.score):>9}  {' '.join(move.text() for move in line.moves)}"
        for line in report.lines
    ]
    return "\n".join([head, *moves])


def as_line(report: Report) -> str:
    """The report as JSON, moves as texts."""
    data = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    data |= {"best": report.best.text(), "score": report.score, "speed": round(report.speed)}
    data["lines"] = [
        {"score": line.score, "moves": [move.text() for move in line.moves]}
        for line in report.lines
    ]
    return json.dumps(data)


def speed_text(speed: float) -> str:
    """`5,400/s` or `2.41 million/s`."""
    return f"{speed / 1e6:.2f} million/s" if speed >= 1e5 else f"{speed:,.0f}/s"


def score_text(score: int) -> str:
    """`+35`, or how a certain end comes about: `win in 3`, `loss by 12`, `win`."""
    if score <= UNKNOWN:
        return "unknown"
    end = certain_end(score)
    if end is None:
        return f"{score:+d}"
    how = f" in {end.plies}" if end.plies is not None else f" by {end.points}" if end.points else ""
    return ("win" if end.won else "loss") + how

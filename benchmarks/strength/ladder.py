"""How far the levels of the built-in player are apart: each plays the next, seats swapped.

    python -m benchmarks.strength.ladder piranhas-2026 --pairs 80 --write docs/lab/ladder.md
    python -m benchmarks.strength.ladder piranhas-2026 --calibrate --jobs 16

The levels are limited by nodes or games, not by time, so the same arguments give the same games on
every machine; only level 10 has no limit of its own and gets `--nodes` here. The page keeps the
tables of games that are not measured now.

`--calibrate` finds what the levels may use. A number from 0 to 1 says how much: from few nodes and
many mistakes (moves overlooked, turns without thought) to `--nodes` and none. Players along the way
play their neighbours, a curve of strength is drawn through the results, and the levels are set
where it is `--step` Elo lower each. Then these levels play each other, which makes the curve
better, as often as `--rounds` says. The rows are written to the game's `levels.toml`, under
`--table`. With `--onward` the levels that stand there play first, instead of players along the way.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import random
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.curve import Curve, Games, fit
from benchmarks.strength.kinds import Kind
from benchmarks.strength.match import Tally, elo
from spielleiter import bots
from spielleiter.bots import _levels
from spielleiter.game import Clock

HIGHEST = _levels.COUNT
PLIES, MORE_PLIES = 2, 8
"""Random moves that a game begins with; more of them where all games begin alike.

With two, Reversi has twelve beginnings, and players without mistakes play the same games again.
"""
KNOTS = 13
FLOOR = ("random", "greedy")
"""Whom level 1 is compared with."""
SPREAD = tuple(at / (KNOTS - 1) for at in range(KNOTS))
"""Where a calibration begins."""

Row = dict[str, int]


@dataclass(frozen=True, slots=True)
class Range:
    """From the weakest to the strongest that a player of a kind may use: nodes, or games."""

    limit: str
    least: int
    most: int
    table: int = 16
    """Megabytes, enough for these."""
    overlooked: int = 200
    """Of 1024 moves, by the weakest."""
    lapses: int = 1024
    """Of 1024 turns, by the weakest."""
    guesses: int = 512
    """Of 1024 turns, by the weakest; those of others are fewer much sooner."""

    def row(self, number: float) -> Row:
        """What the player of a number may use; mistakes are few long before the end."""
        limit = self.least * (self.most / self.least) ** number
        mistakes = {
            "overlooked": round(self.overlooked * (1 - number) ** 2),
            "lapses": round(self.lapses * (1 - number) ** 2),
            "guesses": round(self.guesses * (1 - number) ** 4),
        }
        made = {name: share for name, share in mistakes.items() if share}
        return {self.limit: round(limit), **made}

    def number(self, row: Row) -> float:
        """The number of the player that may use so much."""
        limit = row.get(self.limit, self.most)
        return math.log(limit / self.least) / math.log(self.most / self.least)


RANGES = {
    "alphabeta": Range("nodes", 1_000, 100_000),
    "mcts": Range("simulations", 20, 300, table=64),
}


def named(player: str, row: Row) -> str:
    """A player as text, with as much memory as so many nodes fill."""
    options = {**row, "table": RANGES[player].table}
    return f"{player}:" + ",".join(f"{key}={value}" for key, value in options.items())


# --------------------------------------------------------------------------------------- playing


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two games from the same beginning, seats swapped."""

    kind: str
    first: str
    second: str
    number: int
    label: tuple[str, float, float]
    """What it counts for."""


def play(start: Any, players: Sequence[str], seed: int) -> tuple[int, ...]:
    """The ranks of the seats."""
    position = start.copy()
    seats = [bots.load(name, seed=seed) for name in players]
    for seat, player in enumerate(seats):
        player.begin(position.copy(), seat)
    while position.outcome() is None and position.legal_moves():
        position.play(seats[position.to_move()].choose(position.copy(), Clock()))
    outcome = position.outcome()
    if outcome is not None:
        ranks: tuple[int, ...] = outcome.ranks
        return ranks
    stuck = position.to_move()  # who cannot move where no rule covers it has lost
    return tuple(2 if seat == stuck else 1 for seat in range(len(seats)))


def points(ranks: tuple[int, ...], seat: int) -> float:
    """Share of the others whom a seat left behind; equals count half."""
    others = [rank for other, rank in enumerate(ranks) if other != seat]
    return sum((rank > ranks[seat]) + (rank == ranks[seat]) / 2 for rank in others) / len(others)


def opening(text: str, lot: random.Random) -> Any:
    """Where the two games of a pairing begin."""
    kind = Kind.parse(text)
    drawn = {kind.start(random.Random(seed)).key() for seed in range(8)}
    return kind.opening(lot, PLIES if len(drawn) > 1 else MORE_PLIES)


def play_pair(pairing: Pairing) -> tuple[Pairing, float]:
    """Points of the first player, alone among others like the second one, on two seats."""
    lot = random.Random(f"{pairing.label}/{pairing.number}")
    start, total = opening(pairing.kind, lot), 0.0
    for seat in (pairing.number % start.seats, (pairing.number + 1) % start.seats):
        players = [pairing.second] * start.seats
        players[seat] = pairing.first
        total += points(play(start, players, pairing.number), seat)
    return pairing, total


@dataclass(slots=True)
class Court:
    """Plays pairings side by side, with a bar."""

    jobs: int
    label: str
    games: dict[tuple[str, float, float], Tally] = field(default_factory=dict)

    def play(self, pairings: Iterable[Pairing]) -> None:
        """Those that take longest first, so that nobody waits at the end."""
        order = sorted(pairings, key=lambda each: -max(each.label[1:]))
        with (
            multiprocessing.get_context("spawn").Pool(self.jobs) as pool,
            click.progressbar(length=len(order), label=self.label, file=sys.stderr) as bar,
        ):
            for pairing, total in pool.imap_unordered(play_pair, order):
                tally = self.games.setdefault(pairing.label, Tally())
                tally.pairs[round(2 * total)] += 1
                bar.update(1)


# ------------------------------------------------------------------------------------ calibrating


def player_of(kind: str) -> str:
    """The name of the player that has the levels."""
    start = Kind.parse(kind).start(random.Random(0))
    name = _levels.best(start)
    if name not in RANGES:
        raise click.UsageError(f"the levels of {kind} are no numbers")
    return str(name)


def numbers_of(kind: str, span: Range) -> list[float]:
    """The numbers of the levels as they are."""
    start = Kind.parse(kind).start(random.Random(0))
    levels = range(1, HIGHEST + 1)
    rows = (_levels.options(start, player_of(kind), level, ()) for level in levels)
    return [span.number(dict(row)) for row in rows]


def calibrated(
    kind: str,
    span: Range,
    numbers: Sequence[float],
    *,
    step: float,
    pairs: int,
    rounds: int,
    jobs: int,
) -> Curve:
    """The curve of strength, from neighbours among these numbers and then from levels."""
    player, court = player_of(kind), Court(jobs, kind)
    curve = Curve(())
    for turn in range(rounds):
        court.play(
            Pairing(
                kind,
                named(player, span.row(high)),
                named(player, span.row(low)),
                number,
                (f"{kind}/{turn}", high, low),
            )
            for low, high in pairwise(numbers)
            for number in range(pairs)
        )
        curve = fit([games_of(label, tally) for label, tally in court.games.items()], KNOTS)
        numbers = curve.spaced(step, HIGHEST)
        click.echo(f"{kind}: {[round(value) for value in curve.elo]}", err=True)
    return curve


def games_of(label: tuple[str, float, float], tally: Tally) -> Games:
    return Games(label[1], label[2], 2 * tally.count * tally.share, 2 * tally.count)


def rows_of(curve: Curve, span: Range, step: float) -> list[Row]:
    """What each level may use; the highest has no limit."""
    return [*(span.row(number) for number in curve.spaced(step, HIGHEST)[:-1]), {}]


def levels_file(kind: str) -> Path:
    """The file of the game's folder."""
    return Path(str(files(Kind.parse(kind).game.folder) / _levels.FILE))


def written(before: str, table: str, player: str, rows: Sequence[Row], remark: str) -> str:
    """The file with new rows in one of its tables; it holds nothing else than tables of rows."""
    tables = tomllib.loads(before)
    tables.setdefault(table, {})[player] = rows
    remarks = [line for line in before.splitlines() if line.startswith("#")]
    kept = [line for line in remarks if not line.startswith(f"# [{table}]")]
    lines = [*kept, f"# [{table}]: {remark}"]
    for name, entries in tables.items():
        lines += ["", f"[{name}]" if name.isidentifier() else f'["{name}"]']
        for key, value in entries.items():
            lines += _entry(key, value)
    return "\n".join(lines) + "\n"


def _entry(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield f'{key} = "{value}"'
        return
    yield f"{key} = ["
    for row in value:
        yield "  {" + ", ".join(f"{name} = {number:_}" for name, number in row.items()) + "},"
    yield "]"


# -------------------------------------------------------------------------------------- measuring


def rungs(kind: str, most: int) -> list[str]:
    """The players of all levels, the highest with a limit that makes games comparable."""
    player = player_of(kind)
    names = [named(player, {"level": level}) for level in range(1, HIGHEST)]
    return [*names, named(player, {RANGES[player].limit: most})]


def measured(kind: str, most: int, pairs: int, jobs: int, seed: int) -> dict[int, Tally]:
    """What each level scored against the one below, by the lower one."""
    players, court = rungs(kind, most), Court(jobs, kind)
    court.play(
        Pairing(kind, players[lower], players[lower - 1], number, (f"{kind}/{seed}", lower, 0.0))
        for lower in range(1, HIGHEST)
        for number in range(pairs)
    )
    return {int(label[1]): tally for label, tally in court.games.items()}


def floor(kind: str, pairs: int, jobs: int, seed: int) -> dict[str, Tally]:
    """What level 1 scored against players that do not look ahead, by their names."""
    court, first = Court(jobs, f"{kind}, level 1"), named(player_of(kind), {"level": 1})
    court.play(
        Pairing(kind, first, other, number, (f"{kind}/{seed}/{other}", at, 0.0))
        for at, other in enumerate(FLOOR)
        for number in range(pairs)
    )
    return {FLOOR[int(label[1])]: tally for label, tally in court.games.items()}


def table(
    kind: str, tallies: dict[int, Tally], below: dict[str, Tally], most: int
) -> Iterator[str]:
    """Markdown rows, one for each step, and what level 1 is worth."""
    pairs = min(tally.count for tally in tallies.values())
    yield f"## {kind}"
    yield ""
    unit = "simulations" if player_of(kind) == "mcts" else "nodes"
    yield f"{2 * pairs} games for each step, level 10 with {most:,} {unit} a move."
    yield ""
    yield from rows_of_table(tallies)
    yield ""
    scores = (f"{100 * below[name].share:.0f} % against `{name}`" for name in FLOOR)
    yield f"Level 1 scores {' and '.join(scores)}."
    yield ""


def rows_of_table(tallies: dict[int, Tally]) -> Iterator[str]:
    """One for each step, and how far the ends are apart."""
    yield "| step | points of the higher level | Elo | 95 % |"
    yield "|---|---|---|---|"
    for lower, tally in sorted(tallies.items()):
        low, high = interval(tally)
        yield (
            f"| {lower} → {lower + 1} | {100 * tally.share:.0f} % | {elo(tally.share):+.0f} "
            f"| {low:+.0f} … {high:+.0f} |"
        )
    yield f"| 1 → {HIGHEST} | | {sum(elo(tally.share) for tally in tallies.values()):+.0f} | |"


def interval(tally: Tally) -> tuple[float, float]:
    """Where the difference lies with 95 per cent."""
    margin = 1.96 * tally.spread() / math.sqrt(tally.count)
    return elo(tally.share - margin), elo(tally.share + margin)


HEAD = """# The levels of the built-in player

`best:level=1` is for beginners, `best:level=10` plays as well as it can. Weak levels make
human-like mistakes: they look at few positions, overlook moves, their own and the opponent's, and
play some turns without search: a lapse is greedy, whatever the reply may be (as the player `greedy`
always is), a guess is any move but the worst. In the same position they always make the same
mistake. The file `levels.toml` of each game defines the levels: nodes or simulations for each move,
how many of 1024 moves are overlooked, and how many of 1024 turns are lapses and guesses.

The aim is steps of about 150 Elo, 100 to 200, and a level 1 that a careful beginner beats. Level 10
has no limit: it uses all the available time, so the last step is measured with the stated limit,
and grows with more time. The rows are fitted to the games of one or more runs of
`python -m benchmarks.strength.ladder` (`-h` says how), and the tables come from a separate run:
random openings, seats swapped, and with the same arguments the same games on every machine.
"""


def page(before: str, made: dict[str, str]) -> str:
    """The page with the tables made now; those of other games stay as they are."""
    _, *sections = before.split("\n## ")
    kept = {section.partition("\n")[0]: f"## {section.strip()}\n" for section in sections}
    return "\n".join([HEAD, *(text for _, text in sorted((kept | made).items()))])


# -------------------------------------------------------------------------------------- the command


@click.command(context_settings=HELP)
@click.argument("kinds", metavar="GAME...", nargs=-1, required=True)
@click.option("--calibrate", is_flag=True, help="Find the rows of the levels first.")
@click.option("--onward", is_flag=True, help="Calibrate from the rows there are.")
@click.option("--pairs", type=int, default=80, show_default=True, help="For each step.")
@click.option("--nodes", type=int, help="For level 10 (nodes or simulations).")
@click.option("--step", type=float, default=150.0, show_default=True, help="Elo between levels.")
@click.option("--rounds", type=int, default=3, show_default=True, help="Of calibration.")
@click.option("--trial-pairs", type=int, default=30, show_default=True, help="Of calibration.")
@click.option("--table", "section", default="default", show_default=True, help="Of `levels.toml`.")
@click.option("--jobs", type=int, default=os.cpu_count(), show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--write", type=click.Path(path_type=Path), help="Write the page here.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the steps to this file.")
def command(
    kinds: tuple[str, ...],
    calibrate: bool,
    onward: bool,
    pairs: int,
    nodes: int | None,
    step: float,
    rounds: int,
    trial_pairs: int,
    section: str,
    jobs: int,
    seed: int,
    write: Path | None,
    store: Path | None,
) -> None:
    """Measure the steps of each GAME."""
    for kind in kinds:
        player = player_of(kind)
        span = RANGES[player]
        most = nodes or span.most
        span = replace(span, most=most)
        if calibrate or onward:
            numbers = numbers_of(kind, span) if onward else SPREAD
            trial = {"pairs": trial_pairs, "rounds": rounds, "jobs": jobs}
            curve = calibrated(kind, span, numbers, step=step, **trial)
            _save(kind, section, player, rows_of(curve, span, step), most)
        if pairs > 0:
            tallies = measured(kind, most, pairs, jobs, seed)
            below = floor(kind, pairs, jobs, seed)
            _publish(kind, "\n".join(table(kind, tallies, below, most)), write)
            task_pool.keep(store, results(kind, tallies, below, most))


def _save(kind: str, section: str, player: str, rows: list[Row], most: int) -> None:
    path = levels_file(kind)
    remark = f"set by benchmarks/strength/ladder.py with {kind}, level 10 with {most:_}"
    before = path.read_text("utf-8") if path.exists() else ""
    path.write_text(written(before, section, player, rows, remark), "utf-8")
    _levels._for.cache_clear()
    click.echo(f"{path}: {rows}", err=True)


def _publish(kind: str, text: str, write: Path | None) -> None:
    click.echo(text)
    if write is not None:
        before = write.read_text("utf-8") if write.exists() else ""
        write.write_text(page(before, {kind: text}), "utf-8")


def results(
    kind: str, tallies: dict[int, Tally], below: dict[str, Tally], most: int
) -> Iterator[dict[str, Any]]:
    """What is stored: the steps from one level to the next, and what level 1 is worth."""
    steps = ((f"level {low + 1}", f"level {low}", tally) for low, tally in sorted(tallies.items()))
    lowest = (("level 1", name, tally) for name, tally in sorted(below.items()))
    for first, second, tally in (*steps, *lowest):
        names = {"game": kind, "first": first, "second": second}
        yield {**names, "nodes": most, **summary(tally)}


def summary(tally: Tally) -> dict[str, Any]:
    """A step as data."""
    low, high = interval(tally)
    return {
        "pairs": tally.pairs,
        "share": round(tally.share, 4),
        "elo": round(elo(tally.share), 1),
        "elo_range": [round(low, 1), round(high, 1)],
    }


if __name__ == "__main__":
    command()

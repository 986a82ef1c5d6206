"""Analyses positions in a separate process that can be killed at any time.

The order is one line of JSON on standard input; every report is one line of JSON on standard
output. When the input ends, the process exits. With the argument `stay` it takes one order after
the other, for quick evaluations.
"""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.game import Game, Position, Report, Variation
from spielleiter.review.evaluator import ENGINES, MEGABYTES
from spielleiter.review.evaluator import engines as native_engines

PLAYOUTS = "playouts"
"""The engine for games without a search: random playouts."""
STAY = "stay"
_AT_ONCE = 32
_SMALL, _KEPT = 8, 6
"""Megabytes of an engine's table for quick evaluations, and how many engines are kept."""


def engines(position: Position) -> tuple[str, ...]:
    """The engines for a game, the best first."""
    return native_engines(position) or (PLAYOUTS,)


def main() -> None:
    """Read an order, execute it, write the reports."""
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_hear, args=(orders,), daemon=True).start()
    stays = sys.argv[1:] == [STAY]
    if hasattr(os, "nice"):
        os.nice(5 if stays else 10)  # games that are being played come first
    analysts = Analysts(_SMALL if stays else MEGABYTES)
    _serve(json.loads(orders.get()), analysts)
    while stays:
        _serve(json.loads(orders.get()), analysts)


def _serve(order: dict[str, Any], analysts: Analysts) -> None:
    number = {"number": order["number"]} if "number" in order else {}
    try:
        for said in reports(order, analysts):
            print(json.dumps({**number, **said}), flush=True)
    except SpielleiterError as problem:
        print(json.dumps({**number, "problem": str(problem)}), flush=True)


def reports(order: dict[str, Any], analysts: Analysts) -> Iterator[dict[str, Any]]:
    """The reports on each position; the last one of each is marked `final`."""
    game = games.load(order["edition"], order["authority"])
    analyst = analysts.of(game, order["engine"])
    for number, text in enumerate(order["positions"]):
        last: Report | None = None
        for report in analyst.reports(game.parse(text), order["seconds"], order["lines"]):
            if last is not None:
                yield {"at": number, "final": False, **_plain(last)}
            last = report
        if last is not None:
            yield {"at": number, "final": True, **_plain(last)}


class Analysts:
    """A cache of the last engines, with tables of so many megabytes."""

    def __init__(self, table: int) -> None:
        self._table = table
        self._kept: OrderedDict[tuple[str, str, str], Analyst] = OrderedDict()

    def of(self, game: Game, engine: str) -> Analyst:
        """The analyst for a game and an engine."""
        key = (game.name, game.authority, engine)
        found = self._kept.pop(key, None) or Analyst(game, engine, self._table)
        self._kept[key] = found
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found


class Analyst:
    """One engine, kept from position to position."""

    def __init__(self, game: Game, engine: str, table: int = MEGABYTES) -> None:
        kind = getattr(game.native, ENGINES.get(engine, ""), None)
        self._engine = None if kind is None else kind(table=table)

    def reports(self, position: Position, seconds: float, lines: int) -> Iterator[Report]:
        """Better and better reports, until the time is over; none if there is no move."""
        moves = len(position.legal_moves()) if position.outcome() is None else 0
        if not moves:
            return
        if self._engine is None:
            yield _played_out(position, lines)
            return
        yield from self._engine.analyse(position, time=seconds, lines=min(lines or moves, moves))


def _played_out(position: Position, lines: int) -> Report:
    """Every move, scored by random playouts."""
    seat, found = position.to_move(), []
    for at, move in enumerate(position.legal_moves()):
        after = position.copy()
        after.play(move)
        found.append(Variation(_score(_share(after, seat, at)), (move,)))
    found.sort(key=lambda each: -each.score)
    return Report(tuple(found[: lines or len(found)]), 1, len(found) * _AT_ONCE, 0.0, 0)


def _share(after: Position, seat: int, seed: int) -> float:
    outcome = after.outcome()
    if outcome is not None:
        return float(seat in outcome.winners) / len(outcome.winners)
    played = after.playouts(_AT_ONCE, seed)
    return float((played.wins[seat] + played.draws / after.seats) / played.games)


def _score(share: float) -> int:
    """The score whose chance of winning is this share, kept away from certainty."""
    kept = min(max(share, 0.5 / _AT_ONCE), 1 - 0.5 / _AT_ONCE)
    return round(400 * math.log10(kept / (1 - kept)))


def _plain(report: Report) -> dict[str, Any]:
    lines = [
        {"score": line.score, "moves": [move.text() for move in line.moves]}
        for line in report.lines
    ]
    return {
        "lines": lines,
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": round(report.seconds, 4),
    }


def _hear(orders: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        orders.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()

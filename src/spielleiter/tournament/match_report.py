"""A match as lines of text, as one line of progress and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from spielleiter.tournament.estimate import Estimate
from spielleiter.tournament.head_to_head import HeadToHead, Tally, tallies
from spielleiter.tournament.pairing import Played

_LEGEND = (
    "score: the points of a game at its end, as its rules count them, on average",
    "Elo: of the first player, with the 95 % interval; LOS: the chance that it is the stronger one",
    "blocks: an opening, played once from every seat; how many had which result, its worst first",
)
"""The names in a report; docs/organiser/contests.md says more."""


def progress_line(schedule: HeadToHead, known: Played, bar: Callable[[float], str]) -> str:
    """The progress of a match: games played, or the state of the sequential test.

    `bar` draws a share between 0 and 1.
    """
    counted, verdict = len(schedule.counted(known)), schedule.verdict(known)
    parts = [f"{counted} games"]
    if schedule.games is not None:
        parts = [f"{bar(counted / schedule.games)} {counted}/{schedule.games}"]
    elif verdict is not None:
        between = (verdict.llr - verdict.lower) / (verdict.upper - verdict.lower)
        parts = [f"H0 {bar(between)} H1  {counted} games"]
    parts.append(_elo(schedule.estimate(known)))
    if verdict is not None:
        parts.append(f"LLR {verdict.llr:+.2f} ({verdict.lower:.2f} … {verdict.upper:.2f})")
    return "  ".join(parts)


def _elo(found: Estimate) -> str:
    if math.isinf(found.low) or math.isinf(found.high):
        return f"Elo {found.elo:+.1f} ({found.low:+.1f} … {found.high:+.1f})"
    return f"Elo {found.elo:+.1f} ± {(found.high - found.low) / 2:.1f}"


def report_lines(schedule: HeadToHead, known: Played) -> Iterator[str]:
    """A table of the players, the Elo difference, the verdict of the test, sandbox and time."""
    counted = schedule.counted(known)
    tally = tallies(schedule.players, counted)
    width = max(len("player"), *map(len, schedule.players))
    yield f"{'player':{width}}  {'wins':>6} {'draws':>6} {'losses':>6}  {'score':>8}  failures"
    for player, each in tally.items():
        yield f"{player:{width}}  {_line(each)}"
    found = schedule.estimate(known)
    yield ""
    blocks = ", ".join(map(str, schedule.histogram(known)))
    count = "1 block" if found.blocks == 1 else f"{found.blocks} blocks"
    yield f"{_elo(found)}, LOS {100 * found.los:.1f} %, {count}: {blocks}"
    verdict, test = schedule.verdict(known), schedule.test
    if verdict is not None and test is not None:
        sides = {"H0": f"elo ≤ {test.elo0:g}", "H1": f"elo ≥ {test.elo1:g}"}
        said = f"{verdict.accepted} accepted" if verdict.accepted else "undecided"
        meaning = f" ({sides[verdict.accepted]})" if verdict.accepted else ""
        yield f"SPRT {test.elo0:g},{test.elo1:g}: {said}{meaning}, LLR {verdict.llr:.2f}"
    yield f"sandbox: {', '.join(sorted({each.sandbox for each in counted})) or 'none'}"
    yield "thought: " + ", ".join(f"{player} {each.spent:.1f} s" for player, each in tally.items())
    yield from ("", *_LEGEND)


def _line(tally: Tally) -> str:
    failures = ", ".join(f"{count} × {kind}" for kind, count in tally.faults) or "none"
    numbers = f"{tally.wins:6} {tally.draws:6} {tally.losses:6}  {float(tally.average):8.2f}"
    return f"{numbers}  {failures}"


def report_json(schedule: HeadToHead, known: Played) -> str:
    """The same as JSON."""
    counted, verdict = schedule.counted(known), schedule.verdict(known)
    tally = tallies(schedule.players, counted)
    data: dict[str, Any] = {
        "games": len(counted),
        "players": [
            {**asdict(each), "name": name, "average": float(each.average)}
            for name, each in tally.items()
        ],
        "estimate": _finite(asdict(schedule.estimate(known))),
        "blocks": schedule.histogram(known),
        "sprt": None if verdict is None else asdict(verdict),
        "sandbox": sorted({each.sandbox for each in counted}),
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _finite(data: dict[str, float]) -> dict[str, float | None]:
    """JSON knows no infinity."""
    return {name: value if math.isfinite(value) else None for name, value in data.items()}

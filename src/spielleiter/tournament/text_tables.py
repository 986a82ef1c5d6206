"""Standings, ratings and progress as lines of text, and as plain data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from spielleiter.tournament.definition import Definition
from spielleiter.tournament.pairing import Played
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.rulings import ContestState, Ruling
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings, Value


def contest_lines(definition: Definition, state: ContestState) -> Iterator[str]:
    """All standings of a contest, the winner if it is over, and the rulings."""
    schedule, played = definition.schedule(state), state.results
    tables = schedule.standings(played)
    if definition.notice:
        yield from ("", definition.notice)
    for each in tables:
        yield from ("", each.title + ("" if each.final else " (not finished)"))
        yield from standings_lines(each)
    if tables and tables[-1].final and schedule.finished(played):
        yield from ("", f"Winner: {tables[-1].rows[0].player}")
    if state.rulings:
        yield from ("", "Decided by jury and organisers:")
    yield from ruling_lines(state.rulings)


def ruling_lines(rulings: Sequence[Ruling]) -> Iterator[str]:
    """Every ruling in a line, the first one first."""
    for number, each in enumerate(rulings, 1):
        yield f"{number:3}. {ruling_words(each)} – {each.reason}"


def ruling_words(ruling: Ruling) -> str:
    """A ruling in words."""
    games = f"{len(ruling.games)} games" if len(ruling.games) != 1 else "1 game"
    match ruling.action:
        case "annul":
            return f"{ruling.about}: annulled ({games})"
        case "replay":
            return f"{ruling.about}: to be replayed ({games})"
        case "decide":
            won = "draw" if ruling.winner is None else f"won by {ruling.winner}"
            return f"{ruling.about}: decided, {won} ({games})"
        case "withdraw":
            annulled = f", {games} annulled" if ruling.games else ", later games are lost"
            return f"{ruling.team} withdrew{annulled}"
        case "enter":
            return f"{ruling.team} entered late, plays from match day {ruling.day} on"


def standings_lines(table: Standings) -> Iterator[str]:
    """The ranking rule, then a line for each team, with what decided a tie."""
    if table.rule:
        yield table.rule
    width = max(len("team"), *(len(row.player) for row in table.rows))
    columns = [max(13, len(name)) for name in table.criteria]
    heads = "".join(
        f"  {name:>{column}}" for name, column in zip(table.criteria, columns, strict=True)
    )
    yield f"     {'team':{width}}{heads}  decided by".rstrip()
    for row in table.rows:
        texts = zip(map(_number, row.values), columns[: len(row.values)], strict=True)
        values = "".join(f"  {text:>{column}}" for text, column in texts)
        yield f"{row.rank:3}. {row.player:{width}}{values}  {row.decided}".rstrip()


def rating_lines(played: Played) -> Iterator[str]:
    """Ratings from all games, the best first."""
    yield from ("", "ratings (Elo ± 95 %)")
    for place, each in enumerate(rate(played.values()), 1):
        yield f"{place:3}. {each.player}  {each.elo:+.0f} ± {each.margin:.0f}"


def progress_line(schedule: Schedule, played: Played) -> str:
    """How many games were played, and how many can be played now in which phase."""
    waiting = Counter(each.key.partition("/")[0] for each in schedule.waiting(played))
    phases = ", ".join(f"{name}: {count} to play" for name, count in waiting.items())
    return f"{len(played)} games played; {phases}"


def status_lines(schedule: Schedule, played: Played) -> Iterator[str]:
    """How far a contest is, phase by phase."""
    done = Counter(key.partition("/")[0] for key in played)
    waiting = Counter(each.key.partition("/")[0] for each in schedule.waiting(played))
    for phase in dict.fromkeys((*done, *waiting)):
        left = f"{waiting[phase]} to play" if waiting[phase] else "done"
        yield f"{phase}: {done[phase]} games played, {left}"
    levels = sorted({result.sandbox for result in played.values()})
    yield f"sandbox: {', '.join(levels) or 'none'}"
    yield "finished" if not waiting else "not finished"


def standings_data(table: Standings) -> dict[str, Any]:
    """The standings as plain data."""
    rows = [
        {
            "rank": row.rank,
            "team": row.player,
            "values": [float(value) for value in row.values],
            "decided": row.decided,
        }
        for row in table.rows
    ]
    return {
        "title": table.title,
        "criteria": table.criteria,
        "ranking": table.ranking,
        "final": table.final,
        "rows": rows,
    }


def _number(value: Value) -> str:
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value)

"""The report of a match or contest: its parts, and the page in HTML.

The page is self-contained: no external script, font or picture. It may link the games.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from spielleiter.game import reason_text
from spielleiter.tournament.charts import rating_chart, time_chart
from spielleiter.tournament.conduct import conduct_of
from spielleiter.tournament.crosstable import PairScore, crosstable
from spielleiter.tournament.pairing import WIN, GameResult, PlayerId
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.recorded_game import RecordedGame
from spielleiter.tournament.rulings import Ruling
from spielleiter.tournament.standings import Standings
from spielleiter.tournament.text_tables import ruling_words

TEXTS = ("team", "decided by", "failures", "ruling", "reason", "game", "players", "result", "end")
SELF = "■"
"""Columns that hold words; the cell of a team against itself."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with a title, ready to be written anywhere."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    links: tuple[str, ...] = ()
    """For each row where its first cell leads to; none: nowhere."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with a title."""

    title: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class ContestReport:
    """The content of a report."""

    title: str
    phases: tuple[ContestPhase, ...]
    results: tuple[GameResult, ...]
    notes: tuple[str, ...] = ()
    """Important notes, such as that a contest is unofficial."""
    rulings: tuple[Ruling, ...] = ()
    """What the jury and the organisers decided."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks below the title."""
        games = f"{len(self.results)} games" if len(self.results) != 1 else "1 game"
        return (games, *self.notes)

    def parts(self) -> Iterator[Sheet | Chart]:
        """Tables and drawings from top to bottom; the same for the same results in any order."""
        for phase in self.phases:
            yield from _phase(phase)
        if self.rulings:
            yield _rulings(self.rulings)
        results = sorted(self.results, key=lambda result: result.pairing.key)
        ratings = rate(results)
        if ratings:
            rated = [rating.player for rating in ratings]
            order = rated + sorted(conduct_of(results).keys() - set(rated))
            yield Chart("Ratings", Markup(rating_chart(ratings)))
            yield Chart("Time", Markup(time_chart(order, results)))
            yield _conduct(order, results)


def page(report: ContestReport, games: Sheet | None = None) -> str:
    """The whole report as HTML; `games` lists them, with links."""
    environment = Environment(
        loader=PackageLoader("spielleiter.tournament"), autoescape=True, trim_blocks=True
    )
    template = environment.get_template("report.html")
    return template.render(
        title=report.title,
        remarks=report.remarks,
        parts=[*report.parts(), *([games] if games else [])],
        texts=TEXTS,
        self_=SELF,
    )


def game_sheet(pages: Sequence[tuple[RecordedGame, str]]) -> Sheet:
    """All games by their keys, each with the address of its page."""
    heads = ("game", "players", "result", "end", "failures")
    ordered = sorted(pages, key=lambda page: _numbered(page[0].key))
    rows = tuple(_game_row(game) for game, _ in ordered)
    return Sheet("Games", heads, rows, links=tuple(address for _, address in ordered))


def _numbered(key: str) -> list[tuple[int, str]]:
    """A key to sort by: `match/9` comes before `match/10`."""
    parts = re.split(r"([0-9]+)", key)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _game_row(game: RecordedGame) -> tuple[str, ...]:
    outcome, named = game.outcome, zip(game.players, game.faults, strict=True)
    players = " – ".join(game.players)
    failures = ", ".join(f"{name}: {fault}" for name, fault in named if fault is not None)
    if outcome is None:
        return game.key, players, "not finished", "", failures or "–"
    winners = [game.players[seat] for seat in outcome.winners]
    result = f"{winners[0]} wins" if len(winners) == 1 else "drawn"
    scores = " : ".join(map(str, outcome.scores))
    return game.key, players, f"{result} ({scores})", reason_text(outcome.reason), failures or "–"


def _phase(phase: ContestPhase) -> Iterator[Sheet]:
    """The standings and, where everybody can meet everybody, the crosstable in the same order."""
    if phase.standings is not None:
        yield _standings(phase.standings)
        if phase.days and phase.results:
            yield _crosstable(phase, phase.standings.order)


def _rulings(rulings: Sequence[Ruling]) -> Sheet:
    rows = [
        (f"{at}.", ruling_words(each), each.reason, _moment(each.at))
        for at, each in enumerate(rulings, 1)
    ]
    return Sheet("Rulings", ("", "ruling", "reason", "at"), tuple(rows))


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "minutes") if at else ""


def _standings(table: Standings) -> Sheet:
    rows = tuple(
        (f"{row.rank}.", row.player, *map(_number, row.values), row.decided) for row in table.rows
    )
    heads = ("", "team", *table.criteria, "decided by")
    notes = ([] if table.final else ["not finished"]) + ([table.rule] if table.rule else [])
    return Sheet(table.title, heads, rows, "; ".join(notes))


def _crosstable(phase: ContestPhase, order: Sequence[PlayerId]) -> Sheet:
    met = crosstable(phase.results)
    rows = [
        (f"{at}.", one, *(_cell(one, other, met) for other in order))
        for at, one in enumerate(order, 1)
    ]
    heads = ("", "team", *(str(at) for at in range(1, len(order) + 1)))
    note = "wins–draws–losses of the row against the column"
    return Sheet(f"{phase.title}: crosstable", heads, tuple(rows), note)


def _cell(one: PlayerId, other: PlayerId, met: dict[tuple[PlayerId, PlayerId], PairScore]) -> str:
    if one == other:
        return SELF
    return met[one, other].text if (one, other) in met else ""


def _conduct(order: Sequence[PlayerId], results: Sequence[GameResult]) -> Sheet:
    conduct = conduct_of(results)
    rows = [
        (
            f"{at}.",
            player,
            str(each.games),
            f"{each.points / (WIN * each.games):.1%}",
            f"{1000 * each.spent / each.games:.1f}",
            f"{1000 * each.longest:.1f}",
            ", ".join(f"{count} × {kind}" for kind, count in sorted(each.kinds.items())) or "–",
        )
        for at, (player, each) in enumerate(((name, conduct[name]) for name in order), 1)
    ]
    heads = ("", "team", "games", "win points", "ms per game", "longest game (ms)", "failures")
    return Sheet("Conduct", heads, tuple(rows))


def _number(value: int | Fraction) -> str:
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value)

"""The report of a match or contest: its parts, and the page in HTML.

The page is self-contained: no external script, font or picture. It may link the games. It holds
its text in every language; the reader chooses one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from spielleiter.game import reason_text
from spielleiter.text import ENGLISH, Catalogue, Messages, Text, catalogue, languages, translate
from spielleiter.tournament.charts import rating_chart, time_chart
from spielleiter.tournament.conduct import conduct_of
from spielleiter.tournament.crosstable import PairScore, crosstable
from spielleiter.tournament.pairing import WIN, GameResult, PlayerId
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.recorded_game import RecordedGame
from spielleiter.tournament.rulings import Ruling
from spielleiter.tournament.standings import LOT, Standings
from spielleiter.tournament.text_tables import ruling_words

TEXTS = ("team", "decided by", "failures", "ruling", "reason", "game", "players", "result", "end")
messages = Messages("spielleiter", "report.")
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
    note: str = ""


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
        count = len(self.results)
        games = messages("one-game") if count == 1 else messages("games", games=count)
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
            yield Chart(
                messages("ratings"), Markup(rating_chart(ratings)), messages("ratings-help")
            )
            yield Chart(messages("time"), Markup(time_chart(order, results)), messages("time-help"))
            yield _conduct(order, results)


def page(
    report: ContestReport,
    games: Sheet | None = None,
    packages: Sequence[str] = (),
    language: str = ENGLISH,
) -> str:
    """The whole report as HTML; `games` lists them, with links.

    `packages` have further texts, such as those of the game. `language` is shown first.
    """
    environment = Environment(
        loader=PackageLoader("spielleiter.tournament"), autoescape=True, trim_blocks=True
    )
    known = {
        each: _texts((*packages, "spielleiter"), each)
        for each in (language, *languages("spielleiter"))
    }
    environment.filters["said"] = lambda text: _in_all(text, known)
    template = environment.get_template("report.html")
    return template.render(
        title=report.title,
        remarks=report.remarks,
        parts=[*report.parts(), *([games] if games else [])],
        texts=TEXTS,
        self_=SELF,
        language=language,
        languages={each: texts["report.language"] for each, texts in known.items()},
        label=messages("languages"),
    )


def _texts(packages: Sequence[str], language: str) -> Catalogue:
    return {key: text for each in packages for key, text in catalogue(each, language).items()}


def _in_all(text: str, known: Mapping[str, Catalogue]) -> Markup:
    """A text in every language, of which the page shows one; names are the same in all."""
    said = {language: translate(text, texts) for language, texts in known.items()}
    if len(set(said.values())) == 1:
        return escape(str(text))
    spans = (Markup('<span lang="{}">{}</span>').format(*each) for each in said.items())
    return Markup("").join(spans)


def _word(text: str) -> str:
    """A word of tables, ready to be translated; others stay what they are."""
    return messages(f"word.{text}") if f"word.{text}" in messages else text


def _words(*texts: str) -> tuple[str, ...]:
    return tuple(map(_word, texts))


def _joined(texts: Sequence[str], how: str = "joined") -> str:
    first, *rest = texts
    return messages(how, first=first, rest=_joined(rest, how)) if rest else first


def _decimal(value: float, places: int) -> Text:
    whole, _, part = f"{value:.{places}f}".partition(".")
    return messages("decimal", whole=whole, part=part)


def game_sheet(pages: Sequence[tuple[RecordedGame, str]]) -> Sheet:
    """All games by their keys, each with the address of its page."""
    heads = _words("game", "players", "result", "end", "failures")
    ordered = sorted(pages, key=lambda page: _numbered(page[0].key))
    rows = tuple(_game_row(game) for game, _ in ordered)
    return Sheet(messages("list"), heads, rows, links=tuple(address for _, address in ordered))


def _numbered(key: str) -> list[tuple[int, str]]:
    """A key to sort by: `match/9` comes before `match/10`."""
    parts = re.split(r"([0-9]+)", key)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _game_row(game: RecordedGame) -> tuple[str, ...]:
    outcome, named = game.outcome, zip(game.players, game.faults, strict=True)
    players = " – ".join(game.players)
    faults = [
        messages("fault", name=name, fault=_word(fault))
        for name, fault in named
        if fault is not None
    ]
    failures = _joined(faults) if faults else "–"
    if outcome is None:
        return game.key, players, messages("not-finished"), "", failures
    winners = [game.players[seat] for seat in outcome.winners]
    scores = " : ".join(map(str, outcome.scores))
    result = (
        messages("wins", name=winners[0], scores=scores)
        if len(winners) == 1
        else messages("drawn", scores=scores)
    )
    return game.key, players, result, reason_text(outcome.reason), failures


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
    return Sheet(messages("rulings"), _words("", "ruling", "reason", "at"), tuple(rows))


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "minutes") if at else ""


def _standings(table: Standings) -> Sheet:
    rows = tuple(
        (f"{row.rank}.", row.player, *map(_number, row.values), _word(row.decided))
        for row in table.rows
    )
    heads = _words("", "team", *table.criteria, "decided by")
    notes = [] if table.final else [messages("not-finished")]
    notes += [_rule(table)] if table.criteria else []
    return Sheet(_title(table.title), heads, rows, _joined(notes, "listed") if notes else "")


def _title(title: str) -> Text:
    """What a phase is called; many are called like their format."""
    return title if isinstance(title, Text) else Text(f"contest.format.{title}", title)


def _rule(table: Standings) -> Text:
    """How teams are ranked."""
    criteria = _joined(_words(*table.criteria, LOT), "then")
    key = f"ranked-{table.ranking}"
    return messages(key if key in messages else "ranked", criteria=criteria)


def _crosstable(phase: ContestPhase, order: Sequence[PlayerId]) -> Sheet:
    met = crosstable(phase.results)
    rows = [
        (f"{at}.", one, *(_cell(one, other, met) for other in order))
        for at, one in enumerate(order, 1)
    ]
    heads = _words("", "team", *(str(at) for at in range(1, len(order) + 1)))
    title = messages("crosstable", title=_title(phase.title))
    return Sheet(title, heads, tuple(rows), messages("crosstable-note"))


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
            messages("percent", value=_decimal(100 * each.points / (WIN * each.games), 1)),
            _decimal(1000 * each.spent / each.games, 1),
            _decimal(1000 * each.longest, 1),
            _kinds(each.kinds),
        )
        for at, (player, each) in enumerate(((name, conduct[name]) for name in order), 1)
    ]
    heads = ("", "team", "games", "win points", "ms per game", "longest game (ms)", "failures")
    return Sheet(messages("conduct"), _words(*heads), tuple(rows))


def _kinds(kinds: Mapping[str, int]) -> str:
    found = [
        messages("faults", count=count, fault=_word(kind)) for kind, count in sorted(kinds.items())
    ]
    return _joined(found) if found else "–"


def _number(value: int | Fraction) -> str:
    return _decimal(float(value), 3) if isinstance(value, Fraction) else str(value)

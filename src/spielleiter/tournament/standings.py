"""Standings: players ranked by one criterion after the other, and which of them decided.

Values are exact (integers and fractions), so that a table does not depend on the order of results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spielleiter.tournament.pairing import DRAW, LOSS, WIN, GameResult, PlayerId, drawn

LOT = "lot"
ENCOUNTER_POINTS, GAMES_WON = "encounter points", "games won"
WIN_POINTS, AVERAGE = "win points", "average score"
Value = int | Fraction


@dataclass(frozen=True, slots=True)
class Ranking:
    """How teams of a league are ranked: one criterion after the other, then the lot."""

    name: str
    """Where it comes from: `document` or `site`."""
    criteria: tuple[str, ...]


SITE = Ranking("site", (ENCOUNTER_POINTS, WIN_POINTS, AVERAGE))
"""The order of the contest's web site: encounters come first, whatever the document says."""


def document(criteria: Sequence[str]) -> Ranking:
    """The order that the document of an edition prescribes."""
    return Ranking("document", tuple(criteria))


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A place in the standings."""

    rank: int
    player: PlayerId
    values: tuple[Value, ...]
    """One for each criterion."""
    decided: str = ""
    """What separates the player from the one above if the first criterion does not."""


@dataclass(frozen=True, slots=True)
class Lot:
    """A tie broken by lot, and the drawn order."""

    table: str
    players: tuple[PlayerId, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """A table of ranked players."""

    title: str
    criteria: tuple[str, ...]
    rows: tuple[StandingsRow, ...]
    final: bool
    """Whether all its games have been played; before that equals share a rank, without a lot."""
    ranking: str = ""
    """The name of the ranking, if the contest could choose one."""

    @property
    def rule(self) -> str:
        """How teams are ranked, in words; nothing for a knock-out, where encounters decide."""
        if not self.criteria:
            return ""
        origin = f" ({_ORIGINS[self.ranking]})" if self.ranking in _ORIGINS else ""
        return f"ranked by {', then '.join((*self.criteria, LOT))}{origin}"

    @property
    def order(self) -> tuple[PlayerId, ...]:
        """The players, best first."""
        return tuple(row.player for row in self.rows)

    @property
    def lots(self) -> list[Lot]:
        """All ties that were broken by lot."""
        groups: list[list[PlayerId]] = []
        for row in self.rows:
            if row.decided == LOT:
                groups[-1].append(row.player)
            else:
                groups.append([row.player])
        return [Lot(self.title, tuple(group)) for group in groups if len(group) > 1]


Criterion = tuple[str, Mapping[PlayerId, Value]]
_ORIGINS = {"document": "as the document has it", "site": "as the contest's site has it"}


def ranked(
    title: str,
    players: Sequence[PlayerId],
    criteria: Sequence[Criterion],
    *,
    seed: int,
    final: bool,
    ranking: str = "",
) -> Standings:
    """The table of some players: larger values are better, the lot is drawn from the seed."""
    values = {player: tuple(by[player] for _, by in criteria) for player in players}
    lots = {player: drawn(seed, LOT, title, player) if final else 0 for player in players}
    order = sorted(players, key=lambda each: (*(-value for value in values[each]), lots[each]))
    names = tuple(name for name, _ in criteria)
    rows: list[StandingsRow] = []
    for place, player in enumerate(order, 1):
        rows.append(_row(place, player, values[player], rows[-1:], names, final))
    return Standings(title, names, tuple(rows), final, ranking)


def _row(
    place: int,
    player: PlayerId,
    values: tuple[Value, ...],
    above: Sequence[StandingsRow],
    names: tuple[str, ...],
    final: bool,
) -> StandingsRow:
    if not above:
        return StandingsRow(place, player, values)
    pairs = zip(above[0].values, values, strict=True)
    differs = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    if differs is None and not final:
        return StandingsRow(above[0].rank, player, values)
    decided = LOT if differs is None else names[differs] if differs else ""
    return StandingsRow(place, player, values, decided)


def encounter_points(
    players: Sequence[PlayerId], results: Iterable[GameResult]
) -> dict[PlayerId, int]:
    """2 for winning more games of an encounter, 1 each if equal, 0 otherwise.

    A team without a player gets none, and nobody does if all games were annulled.
    """
    results = [result for result in results if result.counts]
    if not results:
        return dict.fromkeys(players, LOSS)
    won = games_won(players, results)
    first, second = players
    if won[first] != won[second]:
        return {each: WIN if won[each] == max(won.values()) else LOSS for each in players}
    return {each: LOSS if _never_there(each, results) else DRAW for each in players}


def games_won(players: Sequence[PlayerId], results: Iterable[GameResult]) -> dict[PlayerId, int]:
    """How many games each player won alone."""
    won = dict.fromkeys(players, 0)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            won[player] += result.win_points(seat) == WIN
    return won


def win_points(players: Sequence[PlayerId], results: Iterable[GameResult]) -> dict[PlayerId, Value]:
    """The sum of the win points of all games."""
    points: dict[PlayerId, Value] = dict.fromkeys(players, 0)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            points[player] += result.win_points(seat)
    return points


def average_second(
    players: Sequence[PlayerId], results: Iterable[GameResult]
) -> dict[PlayerId, Value]:
    """The average of the second part of the score over all games that were played."""
    sums, games = dict.fromkeys(players, 0), dict.fromkeys(players, 0)
    for result in (each for each in results if each.ruled is None):
        for seat, player in enumerate(result.pairing.players):
            sums[player] += result.second_part(seat)
            games[player] += 1
    return {player: Fraction(sums[player], max(1, games[player])) for player in players}


def _never_there(player: PlayerId, results: Sequence[GameResult]) -> bool:
    faults = [
        result.faults[seat]
        for result in results
        for seat, each in enumerate(result.pairing.players)
        if each == player
    ]
    return bool(faults) and None not in faults

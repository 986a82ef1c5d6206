"""Tables: players ranked by one criterion after the other, and which of them decided.

Values are exact (integers and fractions), so that a table does not depend on the order of results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spielleiter.tournament.pairing import DRAW, LOSS, WIN, PlayerId, Result, drawn

LOT = "lot"
Value = int | Fraction


@dataclass(frozen=True, slots=True)
class Row:
    """A place in a table."""

    rank: int
    player: PlayerId
    values: tuple[Value, ...]
    """One for each criterion of the table."""
    decided: str = ""
    """What separates the player from the one above if the first criterion does not."""


@dataclass(frozen=True, slots=True)
class Lot:
    """A tie that nothing but chance could break, and the order that was drawn."""

    table: str
    players: tuple[PlayerId, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Who stands where, and why."""

    title: str
    criteria: tuple[str, ...]
    rows: tuple[Row, ...]
    final: bool
    """Whether all its games have been played; before that equals share a rank, without a lot."""

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


def ranked(
    title: str,
    players: Sequence[PlayerId],
    criteria: Sequence[Criterion],
    *,
    seed: int,
    final: bool,
) -> Table:
    """The table of some players: larger values are better, the lot is drawn from the seed."""
    values = {player: tuple(by[player] for _, by in criteria) for player in players}
    lots = {player: drawn(seed, LOT, title, player) if final else 0 for player in players}
    order = sorted(players, key=lambda each: (*(-value for value in values[each]), lots[each]))
    names = tuple(name for name, _ in criteria)
    rows: list[Row] = []
    for place, player in enumerate(order, 1):
        rows.append(_row(place, player, values[player], rows[-1:], names, final))
    return Table(title, names, tuple(rows), final)


def _row(
    place: int,
    player: PlayerId,
    values: tuple[Value, ...],
    above: Sequence[Row],
    names: tuple[str, ...],
    final: bool,
) -> Row:
    if not above:
        return Row(place, player, values)
    pairs = zip(above[0].values, values, strict=True)
    differs = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    if differs is None and not final:
        return Row(above[0].rank, player, values)
    decided = LOT if differs is None else names[differs] if differs else ""
    return Row(place, player, values, decided)


def encounter_points(players: Sequence[PlayerId], results: Iterable[Result]) -> dict[PlayerId, int]:
    """2 for whoever won more games of an encounter of two, 1 each if equal, 0 for the other.

    Who never had a player in it gets nothing.
    """
    results = list(results)
    won = games_won(players, results)
    first, second = players
    if won[first] != won[second]:
        return {each: WIN if won[each] == max(won.values()) else LOSS for each in players}
    return {each: LOSS if _never_there(each, results) else DRAW for each in players}


def games_won(players: Sequence[PlayerId], results: Iterable[Result]) -> dict[PlayerId, int]:
    """How many games each player won alone."""
    won = dict.fromkeys(players, 0)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            won[player] += result.win_points(seat) == WIN
    return won


def win_points(players: Sequence[PlayerId], results: Iterable[Result]) -> dict[PlayerId, Value]:
    """The sum of the win points of all games."""
    points: dict[PlayerId, Value] = dict.fromkeys(players, 0)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            points[player] += result.win_points(seat)
    return points


def average_second(players: Sequence[PlayerId], results: Iterable[Result]) -> dict[PlayerId, Value]:
    """The average of the second part of the score over all games."""
    sums, games = dict.fromkeys(players, 0), dict.fromkeys(players, 0)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            sums[player] += result.second_part(seat)
            games[player] += 1
    return {player: Fraction(sums[player], max(1, games[player])) for player in players}


def _never_there(player: PlayerId, results: Sequence[Result]) -> bool:
    faults = [
        result.faults[seat]
        for result in results
        for seat, each in enumerate(result.pairing.players)
        if each == player
    ]
    return bool(faults) and None not in faults

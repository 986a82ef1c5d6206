"""Ratings of thousands of versions from a million games at once, whatever their order.

The model is that of `spielleiter.tournament.ratings`: Bradley–Terry with draws after Davidson. What
differs is the size. Games are counted by pair, the equations are solved by Newton's method with
conjugate gradients, and no matrix of all pairs is ever made.

Built-in levels never change, so they anchor the scale: each keeps the rating of
`spielleiter.ladder.marks`, whatever it wins or loses. So a rating means the same all season.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spielleiter.errors import UsageError
from spielleiter.ladder.marks import MARK_ELO
from spielleiter.tournament.ratings import SCALE, Rating

PRIOR = 0.25
"""Inverse variance of the prior on strengths: a standard deviation of 2, that is 350 Elo. A player
without games is rated like the middle mark."""
DEVIATION = SCALE / math.sqrt(PRIOR)
"""The standard deviation, in Elo, of a player without games."""
REACH = 1.959964
"""Standard deviations in half a 95 % interval."""

Numbers = NDArray[np.float64]
_STEPS, _SETTLED, _ROUNDS = 100, 1e-4, 200
_SPREADING, _FEW = 10, 300
_ACCURACY = 1e-6
"""Relative tolerance of one Newton step; the next step corrects it."""


class PairCounts:
    """Results counted by pair: all that ratings need of a million games."""

    def __init__(self) -> None:
        self._players: dict[str, int] = {}
        self._pairs: dict[tuple[int, int], int] = {}
        self._columns = tuple(array("q") for _ in range(5))
        """Of each pair: the one, the other, wins of the one, of the other, draws."""

    def add(self, one: str, other: str, counts: tuple[int, int, int]) -> None:
        """Add wins, losses and draws of a pair."""
        if self._number(other) < self._number(one):
            one, other, counts = other, one, (counts[1], counts[0], counts[2])
        at = self._row(self._number(one), self._number(other))
        for column, count in zip(self._columns[2:], counts, strict=True):
            column[at] += count

    @property
    def players(self) -> tuple[str, ...]:
        """All players, by number."""
        return tuple(self._players)

    def met(self, one: str, other: str) -> int:
        """How many games these two have played."""
        if one not in self._players or other not in self._players:
            return 0
        pair = sorted((self._players[one], self._players[other]))
        at = self._pairs.get((pair[0], pair[1]))
        return 0 if at is None else sum(column[at] for column in self._columns[2:])

    def meetings(self) -> Iterator[tuple[str, str, int]]:
        """Every pair with the number of its games."""
        players = self.players
        for one, other, *games in zip(*self._columns, strict=True):
            yield players[one], players[other], sum(games)

    def copy(self) -> PairCounts:
        """The counts as they are now."""
        twin = PairCounts()
        twin._players = dict(self._players)
        twin._columns = tuple(column[:] for column in self._columns)
        return twin

    def table(self) -> PairTable:
        """The counts as they are now."""
        columns = [np.array(column, dtype=np.int64) for column in self._columns]
        return PairTable(len(self._players), *columns)

    def _number(self, player: str) -> int:
        return self._players.setdefault(player, len(self._players))

    def _row(self, one: int, other: int) -> int:
        at = self._pairs.setdefault((one, other), len(self._pairs))
        if at == len(self._columns[0]):
            for column, value in zip(self._columns, (one, other, 0, 0, 0), strict=True):
                column.append(value)
        return at


@dataclass(frozen=True, slots=True)
class PairTable:
    """Games counted by pair, as columns."""

    players: int
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    drawn: NDArray[np.int64]

    @property
    def games(self) -> NDArray[np.int64]:
        """All games of each pair."""
        return self.won + self.lost + self.drawn

    def per_player(self, one: Numbers, other: Numbers) -> Numbers:
        """The sum over each player's pairs: of `one` where it is the first, else of `other`."""
        first = np.bincount(self.one, one, self.players)
        second = np.bincount(self.other, other, self.players)
        return np.asarray(first + second, dtype=np.float64)  # counts, if there is no pair


def rate_pairs(
    counts: PairCounts, start: Mapping[str, float] | None = None, fixed: Mapping[str, float] = {}
) -> list[Rating]:
    """The ratings of all players, best first; those of the `fixed` are known.

    Initial ratings (`start`, in Elo) only speed it up.
    """
    table, players = counts.table(), counts.players
    free = np.array([player not in fixed for player in players], dtype=np.float64)
    known = {**(start or {}), **fixed}
    first = np.array([(known.get(each, MARK_ELO) - MARK_ELO) / SCALE for each in players])
    strengths, spread = fitted(table, free, first)
    games = table.per_player(*(table.games.astype(np.float64),) * 2)
    found = [
        Rating(player, _elo(float(value)), SCALE * REACH * float(width), int(count))
        for player, value, width, count in zip(players, strengths, spread, games, strict=True)
    ]
    return sorted(found, key=lambda each: (-each.elo, each.player))


def _elo(strength: float) -> float:
    """A log-strength in Elo, rounded to a hundredth so that it does not depend on the solver."""
    return round(MARK_ELO + SCALE * strength, 2)


def fitted(table: PairTable, free: Numbers, start: Numbers) -> tuple[Numbers, Numbers]:
    """Log-strengths and their standard errors; players that are not `free` keep their start."""
    at = np.append(start, 0.0 if table.drawn.sum() else -np.inf)
    for _ in range(_STEPS):
        slope = _Slope(table, free, at)
        step = _solved(slope.curve, slope.gradient, slope.diagonal)
        largest = float(np.abs(step).max(initial=0.0))
        at = at + step / max(1.0, largest)
        if largest < _SETTLED:
            return at[:-1], _spread(_Slope(table, free, at))
    raise UsageError("the ratings do not settle")


class _Slope:
    """Gradient and curvature of the log-likelihood by all strengths and log ν, at one place.

    By strengths alone the curvature is the Laplacian of a graph: each pair is an edge, and `tie`
    its weight.
    """

    def __init__(self, table: PairTable, free: Numbers, at: Numbers) -> None:
        self.table, self.free = table, free
        self.draws = bool(np.isfinite(at[-1]))
        won, drawn = _chances(at[table.one], at[table.other], float(at[-1]))
        score, games = won + drawn / 2, table.games
        self.tie = games * (score * (1 - score) - drawn / 4)
        self._bend = games * drawn * (0.5 - score)
        self._stiffness = float((games * drawn * (1 - drawn)).sum())
        surprise = table.won + table.drawn / 2 - games * score
        priors = np.append(free * at[:-1], at[-1] if self.draws else 0.0)
        more_draws = float((table.drawn - games * drawn).sum())
        self.gradient = self._whole(surprise, more_draws) - PRIOR * priors
        self.diagonal = np.append(table.per_player(self.tie, self.tie), self._stiffness) + PRIOR

    def curve(self, along: Numbers) -> Numbers:
        """The curvature (of minus the log-likelihood) times a direction."""
        apart = along[self.table.one] - along[self.table.other]
        draws = float(self._bend @ apart) + self._stiffness * float(along[-1])
        return self._whole(self.tie * apart + self._bend * along[-1], draws) + PRIOR * along

    def _whole(self, pull: Numbers, draws: float) -> Numbers:
        """Sum antisymmetric pair terms over players."""
        strengths = self.table.per_player(pull, -pull) * self.free
        return np.append(strengths, draws if self.draws else 0.0)


def _chances(one: Numbers, other: Numbers, log_nu: float) -> tuple[Numbers, Numbers]:
    """The chances that the first wins and of a draw."""
    half = np.exp(np.clip((one - other) / 2, -300, 300))
    nu = math.exp(log_nu)
    whole = half + 1 / half + nu
    return half / whole, nu / whole


def _solved(curve: Callable[[Numbers], Numbers], wanted: Numbers, diagonal: Numbers) -> Numbers:
    """Solve curvature · x = gradient by conjugate gradients with a diagonal preconditioner."""
    at, left = np.zeros_like(wanted), wanted.copy()
    scaled = left / diagonal
    along, size = scaled.copy(), float(left @ scaled)
    enough = max(_ACCURACY * size, 1e-18)
    for _ in range(_ROUNDS):
        if size <= enough:
            break
        bent = curve(along)
        length = size / float(along @ bent)
        at += length * along
        left -= length * bent
        scaled = left / diagonal
        before, size = size, float(left @ scaled)
        along = scaled + (size / before) * along
    return at


def _spread(slope: _Slope) -> Numbers:
    """Standard errors of the strengths: exact for hundreds of players, else approximate."""
    return (_exact_spread if slope.table.players <= _FEW else _close_spread)(slope)


def _exact_spread(slope: _Slope) -> Numbers:
    curvature = np.array([slope.curve(each) for each in np.eye(len(slope.diagonal))])
    held = np.append(slope.free, 1.0)
    np.fill_diagonal(curvature, np.where(held > 0, curvature.diagonal(), 1.0))
    inside = curvature * np.outer(held, held) + np.diag(1 - held)
    return np.sqrt(np.diag(np.linalg.inv(inside))[:-1] * slope.free)


def _close_spread(slope: _Slope) -> Numbers:
    """Approximate variances: a player's own, plus what it inherits from its opponents.

    Exact if the pairs form a tree, close if opponents of a player rarely meet each other. The exact
    result would need the inverse of a matrix over all players.
    """
    table, own = slope.table, slope.diagonal[:-1]
    to_one = (slope.tie / own[table.one]) ** 2
    to_other = (slope.tie / own[table.other]) ** 2
    doubt = slope.free / own
    for _ in range(_SPREADING):
        inherited = table.per_player(to_one * doubt[table.other], to_other * doubt[table.one])
        doubt = slope.free * np.minimum(1 / own + inherited, 1 / PRIOR)
    return np.sqrt(doubt)


def counted(results: Iterable[tuple[str, str, int, int]]) -> PairCounts:
    """The counts of single games: two players and their ranks."""
    counts = PairCounts()
    for one, other, first, second in results:
        counts.add(one, other, (int(first < second), int(second < first), int(first == second)))
    return counts

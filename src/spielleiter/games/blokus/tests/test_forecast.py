"""The forecast network against its plain twin in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from spielleiter import games
from spielleiter.games.blokus import Position
from spielleiter.games.blokus.tests.walks import positions

pytestmark = pytest.mark.native

SIDE, UNITS, HIDDEN, ROUNDS, STEPS, POINTS, BOARD = 20, 32, 32, 26, 5, 16.0, 64.0
Floats = NDArray[np.float64]


class Twin:
    """forecast_network.hpp, for the whole board at once."""

    def __init__(self, weights: list[float]) -> None:
        self._left = np.array(weights)
        self.seen, self.place = self._take(4 * STEPS, 9, UNITS), self._take(55, UNITS)
        self.time, self.summed = self._take(ROUNDS, UNITS), self._take(UNITS, HIDDEN)
        self.piece, self.late = self._take(84, HIDDEN), self._take(ROUNDS, HIDDEN)
        self.inner, self.inner_bias = self._take(HIDDEN, HIDDEN), self._take(HIDDEN)
        self.gain, self.gain_late = self._take(HIDDEN), self._take(ROUNDS)
        self.sure = self._take(ROUNDS)
        assert self._left.size == 0

    def _take(self, *shape: int) -> Floats:
        size = int(np.prod(shape))
        taken, self._left = self._left[:size].reshape(shape), self._left[size:]
        return taken

    def forecast(self, position: Position) -> tuple[float, float]:
        """The chance to win of the seat on turn, and its lead in points."""
        turn = min(position.ply // 4, ROUNDS - 1)
        framed = np.pad(planes(position), ((1, 1), (1, 1), (0, 0)))
        first = self.place[places()] + self.time[turn]
        for at in range(9):
            y, x = divmod(at, 3)
            first = first + framed[y : y + SIDE, x : x + SIDE] @ self.seen[:, at]
        sums = np.maximum(0, first).sum((0, 1)) / BOARD
        hidden = np.maximum(0, sums @ self.summed + pieces(position) @ self.piece + self.late[turn])
        hidden = np.maximum(0, hidden @ self.inner + self.inner_bias)
        scores, seat = position.scores(), position.to_move()
        lead = (scores[seat] - scores[1 - seat]) / POINTS
        lead += float(hidden @ self.gain + self.gain_late[turn])
        return 1 / (1 + np.exp(-lead * np.exp(self.sure[turn]))), POINTS * lead


def planes(position: Position) -> Floats:
    """Free cells, those within 19, 9 and 4 steps, and contacts, of each colour in play."""
    seen, shown = position.observe(), []
    for colour in range(4):
        in_play = bool(seen[96 + colour, 0, 0] & 1)
        contacts, free = (seen[kind + colour].astype(bool) & in_play for kind in (4, 8))
        shown += [free, *(within(contacts, free, steps) for steps in (19, 9, 4)), contacts]
    return np.stack(shown, axis=-1).astype(float)


def within(begin: NDArray[np.bool_], free: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
    near = begin
    for _ in range(steps):
        framed = np.pad(near, 1)
        sides = framed[:-2, 1:-1] | framed[2:, 1:-1] | framed[1:-1, :-2] | framed[1:-1, 2:]
        near = (near | sides) & free
    return near


def pieces(position: Position) -> Floats:
    """The pieces that are left to colours in play."""
    seen = position.observe()
    left = seen[12:96, 0, 0].astype(bool).reshape(4, 21)
    return np.asarray((left & (seen[96:100, :1, 0] & 1).astype(bool)).ravel().astype(float))


def places() -> NDArray[np.int64]:
    from_edge = np.minimum(np.arange(SIDE), SIDE - 1 - np.arange(SIDE))
    low, high = (f.outer(from_edge, from_edge) for f in (np.minimum, np.maximum))
    return np.asarray(high * (high + 1) // 2 + low)


def test_the_network_says_what_its_twin_says() -> None:
    core = games.load("blokus-2021").native
    twin = Twin(core.forecast_weights())
    for position in positions(24):
        chance, lead = core.forecast(position)
        wanted_chance, wanted_lead = twin.forecast(position)
        assert chance == pytest.approx(wanted_chance, abs=0.01)
        assert lead == pytest.approx(wanted_lead, abs=0.3)


def test_who_has_placed_much_more_is_expected_to_win() -> None:
    game = games.load("blokus-2021")
    lot, position = random.Random(2), game.start(2)
    while position.ply < 40:  # one seat places its largest pieces, the other its smallest
        placements = position.legal_moves()[:-1]
        size = [-len(cells(move.text())) for move in placements]
        wanted = min(size) if position.to_move() == 0 else max(size)
        position.play(lot.choice([m for m, s in zip(placements, size, strict=True) if s == wanted]))
    assert position.to_move() == 0
    chance, lead = game.native.forecast(position)
    assert chance > 0.95
    assert lead > 20


def test_games_are_played_out_besides_in_the_second_half_only() -> None:
    early, late = walked(8), walked(40)
    assert thought(early) == thought(early, late_forecast_weight=1.0)
    assert thought(late) != thought(late, late_forecast_weight=1.0)
    assert thought(late, forecast_weight=0.5) == thought(late, late_forecast_weight=0.5)


def test_how_much_the_favourites_of_the_policy_stand_out_can_be_set() -> None:
    position = walked(8)
    assert thought(position) == thought(position, prior_exponent=0.65)
    assert thought(position) != thought(position, prior_exponent=2.0)


def walked(plies: int) -> Any:
    """A random game that far: all place what they can."""
    lot, position = random.Random(3), games.load("blokus-2021").start(3)
    while position.ply < plies:
        position.play(lot.choice(position.legal_moves()[:-1]))
    return position


def thought(position: Position, **tuning: float) -> list[int]:
    """The scores of the best moves after a search of a few simulations, none of them by the solver
    of the end."""
    engine = games.load("blokus-2021").native.Mcts(table=16, tuning={"solver": 0.0, **tuning})
    return [line.score for line in engine.search(position, simulations=200, lines=5).lines]


def cells(move: str) -> str:
    """As many letters as a piece has squares, from its name."""
    sizes = {"MONO": 1, "DOMI": 2, "TRIO": 3, "TETR": 4, "PENT": 5}
    return "x" * sizes[move[:4]]

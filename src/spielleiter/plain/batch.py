"""A batch of games in plain Python: the contract of `Batch` without its speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from spielleiter.errors import UsageError
from spielleiter.plain.position import PlainPosition, arrays
from spielleiter.plain.splitmix import SplitMix, mix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PlainBatch:
    """Many games over NumPy buffers; the buffers are rewritten in place."""

    of_game: ClassVar[type[PlainPosition]]
    """The class of its positions."""

    def __init__(
        self,
        games: int,
        seed: int,
        set_up: str,
        edition: str,
        authority: str = "document",
        auto_reset: bool = False,
        threads: int = 1,
        seeds: Sequence[int] = (),
        positions: Sequence[PlainPosition] = (),
        masks: bool = True,
    ) -> None:
        _check_starts(games, seeds, positions)
        self._seed, self._rules = seed, (set_up, edition, authority)
        self._seeds, self._given, self._auto_reset = list(seeds), list(positions), auto_reset
        self._rounds, self._masks = [0] * games, masks
        self._positions = [self._next_start(game) for game in range(games)]
        self._make_buffers(games)
        self._write()

    def _make_buffers(self, games: int) -> None:
        numpy, kind = arrays(), self.of_game
        seats = self._positions[0].seats if games else 0
        self._mask = numpy.zeros((games if self._masks else 0, kind.actions), dtype=bool)
        self._planes = numpy.zeros((games, *kind.planes), dtype=numpy.uint8)
        self._board_planes = numpy.zeros((games, *kind.planes), dtype=numpy.uint8)
        self._plane_bits = numpy.zeros((games, *kind.planes[:2]), dtype=numpy.uint16)
        self._to_move = numpy.zeros(games, dtype=numpy.int8)
        self._done = numpy.zeros(games, dtype=bool)
        self._rewards = numpy.zeros((games, seats), dtype=numpy.float32)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, game: int) -> PlainPosition:
        if not -len(self) <= game < len(self):
            raise IndexError("there are fewer games")
        return self._positions[game].copy()

    def step(self, actions: NDArray[np.int32], where: NDArray[np.bool_] | None = None) -> None:
        """Play one action in each game, or in those where `where` is true; if one is illegal
        nothing is played."""
        chosen = self._chosen(where)
        given = [int(action) for action in actions]
        if len(given) != len(self):
            raise UsageError("one action for each game, please")
        for game in chosen:
            if not self._is_legal(game, given[game]):
                raise UsageError(f"action {given[game]} is illegal in game {game}")
        for game in chosen:
            self._advance(game, given[game])
        self._write()

    def reset(self, where: NDArray[np.bool_] | None = None) -> None:
        """Start every game anew, or those where `where` is true."""
        for game in self._chosen(where):
            self._positions[game] = self._next_start(game)
        self._write()

    def _chosen(self, where: NDArray[np.bool_] | None) -> list[int]:
        """The games that a row of truth values means; none is given: all."""
        if where is not None and len(where) != len(self):
            raise UsageError("one truth value for each game, please")
        return [game for game in range(len(self)) if where is None or where[game]]

    def legal_actions(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The legal actions of all games in a row, and where those of each game begin."""
        numpy = arrays()
        lists = [[each.action(move) for move in each.legal_moves()] for each in self._positions]
        row = numpy.array([action for each in lists for action in each], dtype=numpy.int32)
        begins = numpy.cumsum([0, *map(len, lists)], dtype=numpy.int64)
        return row, begins

    @property
    def mask(self) -> NDArray[np.bool_]:
        """games × actions: which actions are legal."""
        if not self._masks:
            raise UsageError("this batch was made without masks")
        return self._mask  # type: ignore[no-any-return]

    @property
    def planes(self) -> NDArray[np.uint8]:
        """games × planes × rows × columns."""
        for game, position in enumerate(self._positions):
            self._planes[game] = position.observe()
        return self._planes  # type: ignore[no-any-return]

    @property
    def board_planes(self) -> NDArray[np.uint8]:
        """games × planes × rows × columns of the map alone: the planes without the cells beyond
        it, where maps have several sizes; all games on maps of one size."""
        sizes = {(each.rows, each.columns) for each in self._positions}
        if len(sizes) > 1:
            raise UsageError("the maps of this batch have different sizes")
        for rows, columns in sizes:
            if self._board_planes.shape[2:] != (rows, columns):
                self._board_planes = self._planes[:, :, :rows, :columns].copy()
            self._board_planes[:] = self.planes[:, :, :rows, :columns]
        return self._board_planes  # type: ignore[no-any-return]

    @property
    def plane_bits(self) -> NDArray[np.uint16]:
        """games × planes × rows: the planes with the cells of a row as bits, column x as bit x;
        for games whose planes hold nothing but 0 and 1."""
        if not getattr(self.of_game, "has_plane_bits", False):
            raise UsageError("the planes of this game hold more than bits")
        numpy = arrays()
        bits = 1 << numpy.arange(self.of_game.planes[2], dtype=numpy.uint16)
        numpy.matmul(self.planes, bits, out=self._plane_bits)
        return self._plane_bits  # type: ignore[no-any-return]

    @property
    def to_move(self) -> NDArray[np.int8]:
        """Seat to move, −1 when over."""
        return self._to_move  # type: ignore[no-any-return]

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which games are over."""
        return self._done  # type: ignore[no-any-return]

    @property
    def rewards(self) -> NDArray[np.float32]:
        """games × seats: 0 until over, then −1 … 1 by rank."""
        return self._rewards  # type: ignore[no-any-return]

    def _next_start(self, game: int) -> PlainPosition:
        """Where a game begins for the first time (round 0) or once more, as core/batch.hpp."""
        round_, self._rounds[game] = self._rounds[game], self._rounds[game] + 1
        if self._given:
            return self._given[game].copy()
        return self.of_game.start(self._lot(game, round_), *self._rules)

    def _lot(self, game: int, round_: int) -> int:
        if not self._seeds:
            return mix(SplitMix.stream(self._seed, game).next() ^ round_)
        if round_ == 0:
            return self._seeds[game]
        return mix(SplitMix(self._seeds[game]).next() ^ round_)

    def _is_legal(self, game: int, action: int) -> bool:
        position = self._positions[game]
        if position.outcome() is not None:
            return True  # a game that is over takes any action
        within = 0 <= action < position.actions
        return within and position.why_illegal(position.move_at(action)) is None

    def _advance(self, game: int, action: int) -> None:
        position = self._positions[game]
        if position.outcome() is None:
            position.play(position.move_at(action))
        elif self._auto_reset:
            self._positions[game] = self._next_start(game)

    def _write(self) -> None:
        self._mask[:] = False
        for game, position in enumerate(self._positions):
            outcome = position.outcome()
            self._done[game] = outcome is not None
            self._to_move[game] = position.to_move() if outcome is None else -1
            if self._masks:
                self._mask[game, [position.action(move) for move in position.legal_moves()]] = True
            for seat in range(position.seats):
                self._rewards[game, seat] = 0.0 if outcome is None else outcome.worth(seat)


def _check_starts(games: int, seeds: Sequence[int], positions: Sequence[PlainPosition]) -> None:
    if seeds and len(seeds) != games:
        raise UsageError("one seed for each game, please")
    if positions and len(positions) != games:
        raise UsageError("one position for each game, please")
    if len({position.seats for position in positions}) > 1:
        raise UsageError("all positions of a batch have the same number of seats")

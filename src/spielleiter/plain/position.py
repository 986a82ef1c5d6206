"""What the contract needs beyond the rules: container, pickle, playouts, arrays."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spielleiter.errors import UsageError
from spielleiter.game import Cell, Move, Occupant, Outcome, Playouts, Seat
from spielleiter.plain.splitmix import SplitMix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHOWN = 8
_NAME = re.compile(r"([A-Za-z])(\d{1,3})")
"""The name of a cell."""


class PlainLegalMoves(tuple[Move, ...]):
    """All legal moves of a position, in a fixed order."""

    __slots__ = ()

    def __contains__(self, move: object) -> bool:
        """Whether a move, or the move of a text, is among them."""
        if isinstance(move, str):
            return any(each.text() == move for each in self)
        return super().__contains__(move)

    def __repr__(self) -> str:
        shown = "".join(f" {move.text()}" for move in self[:_SHOWN])
        return f"<{len(self)} legal moves:{shown}{' …' if len(self) > _SHOWN else ''}>"


if TYPE_CHECKING:

    class _Rules:
        """What a game's reference brings: its `Position`, the next class in line."""

        actions: ClassVar[int]
        planes: ClassVar[tuple[int, int, int]]
        edition: str
        authority: str
        seats: int

        @property
        def columns(self) -> int: ...
        @property
        def rows(self) -> int: ...

        @classmethod
        def start(
            cls, seed: int, set_up: str, edition: str, authority: str = "document"
        ) -> Self: ...
        @classmethod
        def parse(cls, text: str, edition: str, authority: str = "document") -> Self: ...
        def to_move(self) -> Seat: ...
        def legal_moves(self) -> list[Move]: ...
        def at(self, cell: Cell) -> Occupant | None: ...
        def why_illegal(self, move: Move) -> Any: ...
        def play(self, move: Move) -> None: ...
        def disqualify(self, seat: Seat) -> None: ...
        def outcome(self) -> Outcome | None: ...
        def scores(self) -> tuple[int, ...]: ...
        def key(self) -> int: ...
        def text(self) -> str: ...
        def move(self, text: str) -> Move: ...
        def action(self, move: Move) -> int: ...
        def move_at(self, action: int) -> Move: ...
        def copy(self) -> Self: ...
        def observation(self, viewer: Seat) -> list[list[int]]: ...
else:
    _Rules = object


class PlainPosition(_Rules):
    """A mixin that makes the `Position` of a game's reference fit the contract.

    Outcome and legal moves, which are slow to compute, are cached until a move is made.
    """

    of_game: ClassVar[type]
    """The class of the game's moves: those of other games are refused."""
    _kept_outcome: Outcome | None
    _kept_legal: PlainLegalMoves

    # ------------------------------------------------------------------------------ the rules

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if "_kept_outcome" not in self.__dict__:
            self._kept_outcome = super().outcome()
        return self._kept_outcome

    def legal_moves(self) -> PlainLegalMoves:  # type: ignore[override]
        """All legal moves; none when the game is over."""
        if "_kept_legal" not in self.__dict__:
            self._kept_legal = PlainLegalMoves(super().legal_moves())
        return self._kept_legal

    def why_illegal(self, move: Move | str) -> Any:
        """The named mistake of a move, or None if it is legal."""
        return super().why_illegal(self._given(move))

    def at(self, cell: Cell | str) -> Occupant | None:
        """What lies on a cell, (column, row) or its name; None: nothing."""
        if isinstance(cell, tuple) and list(map(type, cell)) == [int, int]:
            return super().at(cell)
        first = getattr(super(), "first_row", 1)
        if not isinstance(cell, str):
            raise TypeError(
                "a cell is (column, row), counted from 0, or its name such as "
                f"'c{first + 2}', which is (2, 2)"
            )
        named = _NAME.fullmatch(cell)
        if named is None:
            raise IndexError("the board has no such cell")
        return super().at((ord(named[1].lower()) - ord("a"), int(named[2]) - first))

    def play(self, move: Move | str) -> None:
        """Make a move, given as a move or its text."""
        super().play(self._given(move))
        self._changed()

    def after(self, move: Move | str) -> Self:
        """The position after a move; this one stays as it is."""
        twin = self.copy()
        twin.play(move)
        return twin

    def action(self, move: Move) -> int:
        """Number of a move in the action space."""
        return super().action(self._own(move))

    def _given(self, move: Move | str) -> Move:
        return self.move(move) if isinstance(move, str) else self._own(move)

    def _own(self, move: Move) -> Move:
        if not isinstance(move, self.of_game):
            raise TypeError(f"{move!r} is no move of {self.edition}")
        return move

    def _changed(self) -> None:
        for name in ("_kept_outcome", "_kept_legal"):
            self.__dict__.pop(name, None)

    # ------------------------------------------------------------------------------- a value

    def copy(self) -> Self:
        """An independent position of the same game."""
        twin = super().copy()
        for name in self.__dict__.keys() & {"_kept_outcome", "_kept_legal"}:
            twin.__dict__[name] = self.__dict__[name]
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return self.key() >> 1

    def __repr__(self) -> str:
        return f"<{self.edition} '{self.text()}'>"

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        """The position as a picture, for notebooks."""
        scene = import_module("spielleiter.games").scene(self)
        drawn: str = import_module("spielleiter.draw.svg").render(scene)
        return drawn

    def __reduce__(self) -> tuple[object, ...]:
        package = type(self).__module__.rpartition(".")[0]
        thaw = import_module("spielleiter.native").thaw
        return thaw, (package, type(self).__name__, self.__getstate__())

    def __getstate__(self) -> tuple[str, str, str]:
        return self.text(), self.edition, self.authority

    def __setstate__(self, state: tuple[str, str, str]) -> None:
        parsed = type(self).parse(*state)
        names = {name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())}
        for name in names | parsed.__dict__.keys():
            setattr(self, name, getattr(parsed, name))

    # -------------------------------------------------------------------- counting and chance

    def random_move(self, seed: int) -> Move | None:
        """A legal move drawn by lot, or None where there is none."""
        return self._drawn(SplitMix(seed))

    def _drawn(self, lot: SplitMix) -> Move | None:
        """What the core draws: a pass, where a game has one, only if there is nothing else."""
        if (own := getattr(self, "drawn_move", None)) is not None:
            drawn: Move | None = own(lot.below)
            return drawn
        legal = self.legal_moves()
        moves = [move for move in legal if not getattr(move, "is_pass", False)] or legal
        return moves[lot.below(len(moves))] if moves else None

    def perft(self, depth: int, threads: int = 1, passes: bool | None = None) -> int:
        """Number of move sequences of that length; `passes` as the native module has it."""
        if depth < 0:
            raise UsageError("a depth is not negative")
        counted = getattr(self, "perft_with_passes", None)
        if counted is not None and (self.seats == 2 if passes is None else passes):
            return int(counted(depth))
        return self._counted(depth)

    def _counted(self, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.legal_moves()
        return len(moves) if depth == 1 else sum(self.after(m)._counted(depth - 1) for m in moves)

    def playouts(self, games: int, seed: int, threads: int = 1) -> Playouts:
        """Random games from here to the end; game i draws from its own stream."""
        plies, draws = 0, 0
        wins, sums = [0] * self.seats, [0] * self.seats
        for game in range(games):
            last, played = self._played_out(SplitMix.stream(seed, game))
            plies += played
            winner = last.winner
            if winner is None:
                draws += 1
            else:
                wins[winner] += 1
            sums = [total + score for total, score in zip(sums, last.scores, strict=True)]
        return Playouts(games, plies, tuple(wins), draws, tuple(s / max(1, games) for s in sums))

    def _played_out(self, lot: SplitMix) -> tuple[Outcome, int]:
        position, plies = self.copy(), 0
        while (move := position._drawn(lot)) is not None:
            position.play(move)
            plies += 1
        return position.outcome() or position.forfeit(), plies

    def forfeit(self) -> Outcome:
        """A seat that is asked for a move it does not have comes last alone."""
        ranks = [1] * self.seats
        ranks[self.to_move()] = self.seats
        return Outcome(tuple(ranks), self.scores(), "no legal move")

    # ------------------------------------------------------------------------------- learning

    def observe(self, seat: Seat | None = None) -> NDArray[np.uint8]:
        """The observation planes as a seat sees them; None: the seat to move."""
        if seat is not None and not 0 <= seat < self.seats:
            raise UsageError("there is no such seat")
        numpy, viewer = arrays(), self.to_move() if seat is None else seat
        seen = numpy.array(self.observation(viewer), dtype=numpy.uint8)
        planes: NDArray[np.uint8] = seen.reshape(self.planes)
        return planes


class PlainDisqualifyingPosition(PlainPosition):
    """The same for a game that goes on without a disqualified seat."""

    def disqualify(self, seat: Seat) -> None:
        """The game goes on without that seat."""
        super().disqualify(seat)
        self._changed()


def arrays() -> Any:
    """NumPy, which only observations and batches need."""
    try:
        return sys.modules.get("numpy") or import_module("numpy")
    except ModuleNotFoundError as error:
        raise UsageError(
            "observations and batches need NumPy: install it with 'pip install numpy', and name it "
            "in the dependencies of a bot that uses them"
        ) from error

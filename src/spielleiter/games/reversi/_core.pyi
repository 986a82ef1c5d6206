from collections.abc import Iterator, Mapping, Sequence
import enum
from typing import Annotated, ClassVar, overload

import numpy
from numpy.typing import NDArray

import spielleiter.game


class Mistake(enum.Enum):
    """Why a move is illegal."""

    OFF_BOARD = 0
    """the cell is off the board"""

    HOLE = 1
    """the cell is a hole"""

    OCCUPIED = 2
    """a stone lies on the cell"""

    TAKES_NOTHING = 3
    """the stone would take no other stone"""

    GAME_OVER = 4
    """the game is over"""

    @property
    def explanation(self) -> str: ...

class Move:
    """One move: a value."""

    def text(self) -> str:
        """The move as people write it."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __getstate__(self) -> int: ...

    def __setstate__(self, arg: int, /) -> None: ...

    @property
    def cell(self) -> tuple[int, int]:
        """Where the stone is set: column, row."""

class LegalMoves:
    """All legal moves of a position, in a fixed order."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Move]: ...

    @overload
    def __getitem__(self, at: int, /) -> Move: ...

    @overload
    def __getitem__(self, at: slice, /) -> tuple[Move, ...]: ...

    def __contains__(self, move: object, /) -> bool:
        """Whether a move, or the move of a text, is among them."""

    def index(self, move: spielleiter.game.Move, /) -> int: ...

    def __repr__(self) -> str: ...

class Occupant:
    """What lies on a cell: a value."""

    @property
    def seat(self) -> int | None:
        """Whose it is; None: nobody's."""

    def text(self) -> str:
        """Its character in the text of a position."""

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __getstate__(self) -> int: ...

    def __setstate__(self, arg: int, /) -> None: ...

class Position:
    """A moment of the game; `play` changes it, `after` does not."""

    @staticmethod
    def start(seed: int, set_up: str, edition: str, authority: str = 'document') -> Position:
        """The first position of a game."""

    @staticmethod
    def parse(text: str, edition: str, authority: str = 'document') -> Position:
        """The position a text describes."""

    @property
    def edition(self) -> str: ...

    @property
    def authority(self) -> spielleiter.game.Authority: ...

    @property
    def seats(self) -> int: ...

    @property
    def ply(self) -> int: ...

    def to_move(self) -> int:
        """The seat whose turn it is."""

    def legal_moves(self) -> LegalMoves:
        """All legal moves; none when the game is over."""

    def why_illegal(self, move: spielleiter.game.Move | str) -> Mistake | None:
        """The named mistake of a move, or None if it is legal."""

    def play(self, move: spielleiter.game.Move | str) -> None:
        """Make a move, given as a move or its text."""

    def after(self, move: spielleiter.game.Move | str) -> Position:
        """The position after a move; this one stays as it is."""

    def outcome(self) -> spielleiter.game.Outcome | None: ...

    def scores(self) -> tuple[int, ...]: ...

    def disqualify(self, seat: int) -> None:
        """The game goes on without that seat."""

    @property
    def columns(self) -> int:
        """Width of the board."""

    @property
    def rows(self) -> int:
        """Height of the board."""

    def at(self, cell: tuple[int, int] | str) -> Occupant | None:
        """What lies on a cell, (column, row) or its name; None: nothing."""

    def cells(self) -> dict[tuple[int, int], Occupant | None]:
        """
        All cells of the board (column, row), row by row, and what lies on each.
        """

    def key(self) -> int:
        """64 bits that differ for different positions, as good as surely."""

    def text(self) -> str:
        """The position on one line; `parse` reads it back."""

    def move(self, text: str) -> Move:
        """The move that a text means here; it may be illegal."""

    def action(self, move: spielleiter.game.Move) -> int:
        """Number of a move in the action space."""

    def move_at(self, action: int) -> Move:
        """The move of that number."""

    def random_move(self, seed: int) -> Move | None:
        """A legal move drawn by lot as in playouts, or None where there is none."""

    def copy(self) -> Position: ...

    def __copy__(self) -> Position: ...

    def __deepcopy__(self, memo: object) -> Position: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __reduce__(self) -> tuple[object, ...]: ...

    def __getstate__(self) -> tuple[str, str, str]: ...

    def __setstate__(self, state: tuple[str, str, str], /) -> None: ...

    def perft(self, depth: int, threads: int = 1, passes: bool | None = None) -> int:
        """
        Number of move sequences of that length. Where players can be skipped, `passes` says whether a skip is a ply and a finished game counts once, as published tables of two players have it (the default for two players).
        """

    def playouts(self, games: int, seed: int, threads: int = 1) -> spielleiter.game.Playouts:
        """
        Random games from here to the end; the same sums for any number of threads.
        """

    def observe(self, seat: int | None = None) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None))]:
        """The observation planes as a seat sees them; None: the seat to move."""

    actions: ClassVar[int] = 225

    planes: ClassVar[tuple[int, int, int]] = (7, 15, 15)

    def stones(self, seat: int) -> tuple[tuple[int, int], ...]:
        """The cells of a seat's stones, row by row."""

    def stone_counts(self) -> tuple[int, ...]:
        """How many stones each seat has on the board, disqualified or not."""

    def holes(self) -> tuple[tuple[int, int], ...]:
        """The cells of the rectangle that do not exist for play."""

    def is_disqualified(self, seat: int) -> bool: ...

class Batch:
    """
    Many games stepped together over NumPy buffers; the buffers are rewritten in place, and what cannot change within a game is written once: change nothing there.
    """

    def __init__(self, games: int, seed: int, set_up: str, edition: str, authority: str = 'document', auto_reset: bool = False, threads: int = 1, seeds: Sequence[int] = [], positions: Sequence[Position] = [], masks: bool = True) -> None:
        """
        seeds: one for each game, instead of streams of `seed`; positions: where each game begins, and begins again; masks: whether `mask` is written, for `legal_actions` may do.
        """

    def __len__(self) -> int: ...

    def __getitem__(self, game: int) -> Position:
        """A copy of one of the positions."""

    def step(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], where: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Play one action in each game, or in those where `where` is true; if one is illegal nothing is played.
        """

    def reset(self, where: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Start every game anew, or those where `where` is true."""

    def legal_actions(self) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
        """
        The legal actions of all games in a row, and where those of each game begin: game i has actions[begins[i]:begins[i + 1]].
        """

    @property
    def mask(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None))]:
        """games × actions: which actions are legal."""

    @property
    def planes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None, None))]:
        """games × planes × rows × columns."""

    @property
    def board_planes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None, None))]:
        """
        games × planes × rows × columns of the map alone: the planes without the cells beyond it, where maps have several sizes; all games on maps of one size.
        """

    @property
    def plane_bits(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None, None, None))]:
        """
        games × planes × rows: the planes with the cells of a row as bits, column x as bit x; for games whose planes hold nothing but 0 and 1.
        """

    @property
    def to_move(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]:
        """Seat to move, −1 when over."""

    @property
    def done(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """Which games are over."""

    @property
    def rewards(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """games × seats: 0 until over, then −1 … 1 by rank."""

class Analysis:
    """Reports of a search that goes on."""

    def __iter__(self) -> Iterator[spielleiter.game.Report]: ...

    def __next__(self) -> spielleiter.game.Report: ...

class Engine:
    """Alpha-beta: remembers what it learnt; one search at a time."""

    def __init__(self, *, table: int = 64, threads: int = 1, seed: int = 0, overlooked: int = 0, without: Sequence[str] = [], weights: Sequence[int] = [], style: str = '', adaptive: bool = False) -> None:
        """
        table: size in MB; overlooked: of 1024 moves so many are not seen; without: pruning options to switch off; weights: instead of the fitted ones; style: of search, where a game has several; adaptive: learns from search to search how others play, where there are several, until `forget`.
        """

    def forget(self) -> None:
        """As if new."""

    def search(self, position: spielleiter.game.Position, *, time: float | None = None, deadline: float | None = None, account: float | None = None, moves_left: int | None = None, nodes: int | None = None, depth: int | None = None, simulations: int | None = None, lines: int = 1) -> spielleiter.game.Report:
        """
        The best moves within the limits: seconds to think; seconds after which an answer is too late; seconds for all moves to come, and how many of them there are; positions; plies; games played out. As many lines as there are moves give the score of every move.
        """

    def analyse(self, position: spielleiter.game.Position, *, time: float | None = None, deadline: float | None = None, account: float | None = None, moves_left: int | None = None, nodes: int | None = None, depth: int | None = None, simulations: int | None = None, lines: int = 1) -> Iterator[spielleiter.game.Report]:
        """The same, but with reports on the way."""

    def opponents(self) -> list[tuple[str, int, float, bool]]:
        """
        What an adaptive engine takes each seat for: the profile, how many nodes it seems to search, which share of its moves that foresees, and whether the engine looks at the replies that it expects. Of the own seat it knows nothing.
        """

def pruning_options() -> list[str]:
    """Names of the pruning options, which `Engine` can switch off."""

def evaluate(position: Position, weights: Sequence[int] = []) -> int:
    """The estimate without search, for the seat to move."""

def features(position: Position) -> list[float]:
    """
    What the linear part of the estimate is made of: its product with the weights, in sixteenths.
    """

def weights(position: Position) -> list[int]:
    """The fitted weights for the rules of a position."""

def feature_names() -> list[str]:
    """
    The names of the features; each has as many weights as there are knots.
    """

class Sampling:
    """Reports of a search that goes on."""

    def __iter__(self) -> Iterator[spielleiter.game.Report]: ...

    def __next__(self) -> spielleiter.game.Report: ...

class Mcts:
    """Tree search by games played out; keeps its tree from move to move."""

    def __init__(self, *, table: int = 256, threads: int = 1, seed: int = 0, overlooked: int = 0, tuning: Mapping[str, float] = {}) -> None:
        """
        table: size of the tree in MB; overlooked: of 1024 moves so many are not seen; tuning: numbers of `MctsTuning` that differ from those the game prefers.
        """

    def forget(self) -> None:
        """As if new."""

    def search(self, position: spielleiter.game.Position, *, time: float | None = None, deadline: float | None = None, account: float | None = None, moves_left: int | None = None, nodes: int | None = None, depth: int | None = None, simulations: int | None = None, lines: int = 1) -> spielleiter.game.Report:
        """
        The best moves within the limits: seconds to think; seconds after which an answer is too late; seconds for all moves to come, and how many of them there are; positions; plies; games played out. As many lines as there are moves give the score of every move.
        """

    def analyse(self, position: spielleiter.game.Position, *, time: float | None = None, deadline: float | None = None, account: float | None = None, moves_left: int | None = None, nodes: int | None = None, depth: int | None = None, simulations: int | None = None, lines: int = 1) -> Iterator[spielleiter.game.Report]:
        """The same, but with reports on the way."""

def profiles() -> list[str]:
    """What players count that an adaptive engine knows."""

def predict(position: Position, profile: int, nodes: int = 10000) -> list[str]:
    """
    The move that a player of a profile would make, when it looks one ply ahead, two plies, and so on, as far as so many nodes reach.
    """

def load_patterns(data: bytes) -> None:
    """Other tables for the evaluation of two players on the common board."""

def load_map_network(data: bytes) -> None:
    """Another network for the evaluation of two players on all other maps."""

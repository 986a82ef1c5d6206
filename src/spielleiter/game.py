"""The contract that every game, player and renderer of this project shares.

A game implements `Position`, a player implements `Bot`, and renderers draw a `Scene`. Nothing here
depends on a particular game, a socket or a clock.
"""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module, resources
from types import ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeGuard,
    get_args,
    overload,
)

from spielleiter.annotation import Listener, PackedListener, annotation, pack
from spielleiter.errors import UnknownName, UsageError
from spielleiter.text import Text

if TYPE_CHECKING:  # what a type checker knows and a program does without
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import TypeVar

    PositionT = TypeVar("PositionT", bound="Position", default="Position", contravariant=True)
else:
    from typing import TypeVar

    PositionT = TypeVar("PositionT")

Authority = Literal["document", "server"]
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)
"""Whose rules decide: the published ones, or those of the official server."""
WireForm = Literal["real", "document"]
WIRE_FORMS: tuple[WireForm, ...] = get_args(WireForm)
"""How messages look: as the real programs of a season write them, or as its document says."""

Seat = int
Cell = tuple[int, int]


# ---------------------------------------------------------------------------------------- results


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: who stands where, with which score, and by which rule."""

    ranks: tuple[int, ...]
    """Rank of each seat, 1 is best; equals share the better rank and the next one is left out."""
    scores: tuple[int, ...]
    """The score of each seat that tables are ranked by (swarm size, points, stones)."""
    reason: str
    """The rule that decided, in a few plain words."""

    @property
    def winners(self) -> tuple[Seat, ...]:
        """All seats on the first rank: one winner, or those who share a draw."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)

    @property
    def winner(self) -> Seat | None:
        """The only winner, or None if the first rank is shared."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def is_draw(self) -> bool:
        """Whether the first rank is shared."""
        return self.winner is None

    def worth(self, seat: Seat) -> float:
        """1 for a sole winner, −1 for the sole last, equal steps between; equals share theirs."""
        rank = self.ranks[seat]
        better, equal = sum(other < rank for other in self.ranks), self.ranks.count(rank)
        return 1.0 - 2.0 * (better + (equal - 1) / 2) / (len(self.ranks) - 1)


@dataclass(frozen=True, slots=True)
class Playouts:
    """What `Position.playouts` saw: random games from one position to their ends."""

    games: int
    plies: int
    wins: tuple[int, ...]
    """Games won alone, by seat."""
    draws: int
    scores: tuple[float, ...]
    """Mean score of each seat."""


def reason_text(reason: str) -> Text:
    """Why a game ended, as a message of the game's folder (section `reason` of its texts)."""
    return Text(f"reason.{reason}", reason)


# -------------------------------------------------------------------------------------- positions


class Move(Protocol):
    """One move: a value with a text people can write and read. A game's own moves say more."""

    def text(self) -> str:
        """The move as people write it; `Position.move` reads it."""
        ...

    def __hash__(self) -> int: ...


class Mistake(Protocol):
    """A named reason why a move is illegal."""

    @property
    def name(self) -> str:
        """The name of the rule, the same in every language."""
        ...

    @property
    def explanation(self) -> str:
        """The rule in an English sentence."""
        ...


def mistake_text(mistake: Mistake) -> Text:
    """Why a move is illegal, as a message of the game's folder (section `mistake` of its texts)."""
    return Text(f"mistake.{mistake.name}", mistake.explanation)


class Occupant(Protocol):
    """What lies on a cell: a value. A game's own occupants say more."""

    @property
    def seat(self) -> Seat | None:
        """Whose it is; None: nobody's, such as an obstacle."""
        ...

    def text(self) -> str:
        """Its character in the text of a position."""
        ...


class LegalMoves(Protocol):
    """All legal moves of a position, as a container in a fixed order."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Move]: ...
    def __contains__(self, move: object, /) -> bool: ...
    @overload
    def __getitem__(self, at: int, /) -> Move: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[Move]: ...
    def index(self, move: Move, /) -> int:
        """The place of a move in the list."""
        ...


class Position(Protocol):
    """A moment of a game. `play` changes it, `after` gives the next one.

    A game's own class (`from spielleiter.games.NAME import Position`) says more: its moves and
    occupants have fields, and it answers questions that only this game has. A move belongs to the
    game of its position; one of another game is refused with TypeError.
    """

    actions: ClassVar[int]
    """Size of the fixed action space: every move of the game has a number below this."""
    planes: ClassVar[tuple[int, int, int]]
    """Shape of an observation: planes, rows, columns."""

    @property
    def edition(self) -> str:
        """The edition that is played."""
        ...

    @property
    def authority(self) -> Authority:
        """Who decides doubtful points: the document or the server."""
        ...

    @property
    def seats(self) -> int:
        """How many players sit at the board."""
        ...

    @property
    def ply(self) -> int:
        """How many moves the rules have counted so far."""
        ...

    # What lies on the board

    @property
    def columns(self) -> int:
        """Width of the board."""
        ...

    @property
    def rows(self) -> int:
        """Height of the board."""
        ...

    def cells(self) -> Mapping[Cell, Occupant | None]:
        """All cells of the board, row by row, and what lies on each; holes are left out."""
        ...

    def at(self, cell: Cell | str) -> Occupant | None:
        """What lies on a cell, given as (column, row) or by its name such as `c3`.

        None: nothing. Raises IndexError off the board.
        """
        ...

    # Moves

    def to_move(self) -> Seat:
        """The seat whose turn it is."""
        ...

    def legal_moves(self) -> LegalMoves:
        """All legal moves in a fixed order; none when the game is over."""
        ...

    def why_illegal(self, move: Move | str) -> Mistake | None:
        """The first rule that a move, or that of a text, breaks; None if it is legal."""
        ...

    def play(self, move: Move | str) -> None:
        """Make a move, given as a move or its text; raises IllegalMove and then changes nothing."""
        ...

    def after(self, move: Move | str) -> Self:
        """The position after a move; this one stays as it is."""
        ...

    def random_move(self, seed: int) -> Move | None:
        """A legal move drawn by lot, or None where there is none."""
        ...

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    def scores(self) -> tuple[int, ...]:
        """The score of each seat if the game ended now."""
        ...

    # Texts, numbers and copies

    def key(self) -> int:
        """A hash of everything that matters for the rest of the game."""
        ...

    def text(self) -> str:
        """The position as text; `parse` reads it back."""
        ...

    def move(self, text: str) -> Move:
        """The move that a text means in this position (it may still be illegal)."""
        ...

    def action(self, move: Move) -> int:
        """The number of a move in the fixed action space."""
        ...

    def move_at(self, action: int) -> Move:
        """The move that has a number in the action space; raises IndexError for others."""
        ...

    def observe(self, seat: Seat | None = None) -> NDArray[np.uint8]:
        """The observation planes as a seat sees them; None: the seat to move."""
        ...

    def copy(self) -> Self:
        """An independent position of the same game."""
        ...

    def perft(self, depth: int, threads: int = 1, passes: bool | None = None) -> int:
        """The number of move sequences of a length; `passes` counts passes as moves."""
        ...

    def playouts(self, games: int, seed: int, threads: int = 1) -> Playouts:
        """Play random games from here to their ends and count the results."""
        ...


class DisqualifyingPosition(Position, Protocol):
    """A position of a game that goes on without a disqualified seat."""

    def disqualify(self, seat: Seat) -> None:
        """Take that seat out of the game."""
        ...


def quarter(position: Position, cell: Cell) -> tuple[Cell, Cell]:
    """The quarter of the board that a cell lies in: its first and its last cell."""
    first, last = zip(*map(_half, cell, (position.columns, position.rows)), strict=True)
    return (first[0], first[1]), (last[0], last[1])


def _half(at: int, size: int) -> tuple[int, int]:
    middle = (size + 1) // 2
    return (0, middle - 1) if at < middle else (middle, size - 1)


def can_disqualify(position: Position) -> TypeGuard[DisqualifyingPosition]:
    """Whether the game goes on without a seat that broke a rule."""
    return hasattr(position, "disqualify")


class Batch(Protocol):
    """Many games stepped together; the arrays are rewritten in place."""

    def __len__(self) -> int: ...
    def __getitem__(self, game: int, /) -> Position:
        """A copy of one of the positions."""
        ...

    def step(self, actions: NDArray[np.int32], where: NDArray[np.bool_] | None = None) -> None:
        """Play one action in each game, or in those where `where` is true.

        If one is illegal nothing is played.
        """
        ...

    def reset(self, where: NDArray[np.bool_] | None = None) -> None:
        """Start every game anew, or those where `where` is true."""
        ...

    def legal_actions(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The legal actions of all games in a row, and where those of each game begin: game i has
        `actions[begins[i]:begins[i + 1]]`."""
        ...

    @property
    def mask(self) -> NDArray[np.bool_]:
        """games × actions: which actions are legal."""
        ...

    @property
    def planes(self) -> NDArray[np.uint8]:
        """games × planes × rows × columns."""
        ...

    @property
    def board_planes(self) -> NDArray[np.uint8]:
        """games × planes × rows × columns of the map alone: the planes without the cells beyond
        it, where maps have several sizes; all games on maps of one size."""
        ...

    @property
    def plane_bits(self) -> NDArray[np.uint16]:
        """games × planes × rows: the planes with the cells of a row as bits, column x as bit x;
        for games whose planes hold nothing but 0 and 1."""
        ...

    @property
    def to_move(self) -> NDArray[np.int8]:
        """Seat to move, −1 when over."""
        ...

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which games are over."""
        ...

    @property
    def rewards(self) -> NDArray[np.float32]:
        """games × seats: 0 until over, then −1 … 1 by rank."""
        ...


@dataclass(frozen=True, slots=True)
class NetworkDefinition:
    """A network of an engine as functions over arrays, by the `networks.py` of the game's folder.

    That module has `NETWORKS`, the definitions by name. `spielleiter.networks` loads them.
    """

    parameters: Callable[[str], dict[str, NDArray[Any]]]
    """The trained numbers of an edition, by name."""
    inputs: Callable[[Sequence[Any]], dict[str, NDArray[Any]]]
    """What the network sees of positions."""
    forward: Callable[[ModuleType, Mapping[str, Any], Mapping[str, Any]], Any]
    """The module of arrays (NumPy or torch), parameters and inputs → what it says."""


# ----------------------------------------------------------------------------------------- scenes


@dataclass(frozen=True, slots=True)
class Grid:
    """The board of a scene: a rectangle of cells (column, row), row 0 at the top or the bottom."""

    columns: int
    rows: int
    upwards: bool = False
    """Whether rows count from the bottom, as in chess."""
    column_labels: tuple[str, ...] = ()
    row_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """Something that lies on one or several cells: a fish, a stone, a polyomino."""

    id: str
    """Stays the same while the thing lives, so that a viewer can move it smoothly."""
    cells: tuple[Cell, ...]
    glyph: str
    """What it looks like: a symbol of the game's glyphs.svg, or `square`, `disc`."""
    colour: str
    """Name in the palette: who it belongs to."""
    text: str = " "
    """One or two characters for a terminal."""
    label: str = ""
    """What it is, in words, for people who cannot see it."""


@dataclass(frozen=True, slots=True)
class Tray:
    """Things beside the board: pieces still to be placed, fish that were taken."""

    title: str
    tokens: tuple[Token, ...]
    """Their cells count from the upper left corner of each token's own little grid."""
    colour: str = "plain"


@dataclass(frozen=True, slots=True)
class Mark:
    """Cells to be seen at a glance: `last` move, `legal` targets, a connected `group`, a `hint`."""

    kind: str
    cells: tuple[Cell, ...]
    colour: str = "plain"


@dataclass(frozen=True, slots=True)
class Scene:
    """What lies where. Any renderer can draw it without knowing the game."""

    grid: Grid
    tokens: tuple[Token, ...]
    marks: tuple[Mark, ...] = ()
    trays: tuple[Tray, ...] = ()
    holes: tuple[Cell, ...] = ()
    """Cells that do not exist for play."""
    status: tuple[str, ...] = ()
    """Lines of text under the board: ply, whose turn, scores."""
    palette: Mapping[str, str] = field(default_factory=dict)
    """Colour names of this scene → `#rrggbb`."""
    glyphs: Mapping[str, str] = field(default_factory=dict)
    """Glyph names of this scene → SVG drawn in a box of 100 × 100, with `currentColor`."""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Gesture:
    """How a person makes a move on a scene, by the `gestures.py` of the game's folder.

    That module has `gestures(position)`, one for every legal move, `described(position, move)`, the
    gesture of one move with all its words, and `interpret(position, token, cells)`, the move that a
    gesture means, legal or not, or None.
    """

    move: str
    """The move as text."""
    token: str | None
    """The id of the token that is taken up, from the board or a tray; None: a new one appears."""
    cells: tuple[Cell, ...]
    """Where it then lies; nowhere, if the move has no place."""
    label: str = ""
    """What to write on a button, for a move without place; `described` has words for every move."""
    colour: str = ""
    """The colour of what appears on the board, if something does; only `described` tells it."""


# ------------------------------------------------------------------------------------------ games


@dataclass(frozen=True, slots=True)
class Option:
    """Something a set-up can choose besides the seed, such as a map."""

    name: str
    help: str
    default: str
    label: str = ""
    """What people read beside the choice; empty: the name."""
    choices: Callable[[], tuple[str, ...]] = tuple
    """Known names, for lists and completion; other values may be allowed too."""
    tests: Callable[[], tuple[str, ...]] = tuple
    """Those of them that are there to test programs with, and no fun to play."""
    titles: Callable[[str], str] = str
    """What people call a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One edition of a game: its name, its set-up and how to read, judge and draw it."""

    name: str
    title: str
    folder: str
    """The package the game lives in; its other files are found beside it by their fixed names."""
    native: ModuleType
    """The native module: its `Position`, `Move`, `Mistake` and `Batch`."""
    seat_names: tuple[str, ...]
    """What the seats are called, as many as there can be."""
    seats_are_plural: bool = False
    """Whether these names are plural: "blue and red win"."""
    min_seats: int = 2
    scene: Callable[[Position, Move | None], Scene]
    """Position and last move (or None) → what to draw."""
    set_up: Callable[..., str] = lambda: ""
    """The options by name → the set-up text handed to the native class."""
    options: tuple[Option, ...] = ()
    ranking: tuple[str, ...] = ("win points", "average score")
    """The criteria of a league's table, the most important first, as the edition's document has
    them; `tournament.standings` lists those there are."""
    authority: Authority = "document"
    wire: WireForm = "real"

    def start(self, seed: int = 0, **options: str) -> Position:
        """The first position; whatever is drawn by lot comes from the seed alone."""
        lot = self._lot(seed, options)
        first: Position = self.native.Position.start(*lot, self.name, self.authority)
        return first

    def listed(self, options: Mapping[str, str]) -> dict[str, str]:
        """Check untrusted options: only listed values, since others may be file names."""
        known = {option.name: (option.default, *option.choices()) for option in self.options}
        for name, value in options.items():
            if name not in known:
                raise UnknownName(f"option of {self.name}", name, known)
            if value not in known[name]:
                raise UnknownName(name, value[:80], known[name])
        return dict(options)

    def parse(self, text: str) -> Position:
        """The position that a text describes; raises TextError with what is wrong and where."""
        position: Position = self.native.Position.parse(text, self.name, self.authority)
        return position

    def batch(
        self,
        games: int,
        seed: int = 0,
        *,
        seeds: Sequence[int] = (),
        positions: Sequence[Position] = (),
        auto_reset: bool = False,
        threads: int = 1,
        masks: bool = True,
        **options: str,
    ) -> Batch:
        """Many games stepped together over NumPy buffers.

        Game i has its own start by lot; with `seeds` it begins as `start(seeds[i])` does, with
        `positions` it begins, and begins again, at `positions[i]`. Without `masks` there is no
        `mask`, which a game of many actions need not wait for: `legal_actions` lists the few.
        """
        batch: Batch = self.native.Batch(
            games,
            *self._lot(seed, options),
            self.name,
            self.authority,
            auto_reset=auto_reset,
            threads=threads,
            seeds=list(seeds),
            positions=list(positions),
            masks=masks,
        )
        return batch

    def under(self, authority: str) -> Game:
        """The same edition as the given authority judges it."""
        for known in AUTHORITIES:
            if known == authority:
                return replace(self, authority=known)
        raise UnknownName("authority", authority, AUTHORITIES)

    def speaking(self, wire: str) -> Game:
        """The same edition with messages of the given form."""
        for known in WIRE_FORMS:
            if known == wire:
                return replace(self, wire=known)
        raise UnknownName("wire", wire, WIRE_FORMS)

    def rules(self) -> str:
        """The rules as played, in Markdown."""
        return resources.files(self.folder).joinpath("rules.md").read_text("utf-8")

    def _lot(self, seed: int, options: dict[str, str]) -> tuple[int, str]:
        for name in options.keys() - {option.name for option in self.options}:
            raise UnknownName(f"option of {self.name}", name, [o.name for o in self.options])
        if not 0 <= seed < 2**64:
            raise UsageError(f"a seed lies between 0 and 2**64 - 1, not {seed}")
        return seed, self.set_up(**options)

    def part(self, name: str) -> ModuleType:
        """A file of the game's folder as module: `reference`, `wire`, …"""
        return import_module(f"{self.folder}.{name}")


# ---------------------------------------------------------------------------------------- players


CERTAIN, WIN = 30_000, 31_000
"""A score of CERTAIN is a win, CERTAIN + n a win by n points, WIN - n a win in n plies."""
UNKNOWN = -WIN
"""The score of a move that was not looked at."""
_POINTS = 500
"""Nobody wins by so many points, and no search sees so many plies ahead."""


@dataclass(frozen=True, slots=True)
class CertainEnd:
    """How a game ends that cannot end otherwise, as far as it is known."""

    won: bool
    plies: int | None = None
    """How soon."""
    points: int | None = None
    """By how much."""


def certain_end(score: int) -> CertainEnd | None:
    """What a score says for certain; None: it is an estimate, or `UNKNOWN`."""
    beyond = abs(score) - CERTAIN
    if beyond < 0 or score == UNKNOWN:
        return None
    if beyond >= _POINTS:
        return CertainEnd(score > 0, plies=WIN - abs(score))
    return CertainEnd(score > 0, points=beyond or None)


@dataclass(frozen=True, slots=True)
class Variation:
    """A move with what it is worth to the seat to move, and the play expected to follow."""

    score: int
    """A chance of winning of 1 / (1 + 10 ** (-score / 400)), or a `certain_end`."""
    moves: tuple[Move, ...]
    drawn: bool = False
    """Proven for two seats: a draw, which a score of 0 alone does not say."""

    @property
    def is_certain(self) -> bool:
        """Whether the result is proven."""
        return self.drawn or certain_end(self.score) is not None

    @property
    def move(self) -> Move:
        """The move itself."""
        return self.moves[0]


@dataclass(frozen=True, slots=True)
class Report:
    """What a search has found."""

    lines: tuple[Variation, ...]
    """The best moves, best first: as many as were asked for."""
    depth: int
    """Plies of the last full iteration."""
    nodes: int
    seconds: float
    fill: int
    """How full the table is, in thousandths."""

    @property
    def best(self) -> Move:
        """The best move."""
        return self.lines[0].moves[0]

    @property
    def score(self) -> int:
        """What the best move is worth."""
        return self.lines[0].score

    @property
    def speed(self) -> float:
        """Nodes a second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Clock:
    """What a player may spend on this move, in seconds; None is without limit."""

    per_move: float | None = None
    depth: int | None = None
    nodes: int | None = None
    account: float | None = None
    """For this move and all later ones together; the player divides it."""
    moves_left: int | None = None
    """How many own moves the account must last for, if that is known."""
    is_strict: bool = True
    """Whether an answer after `per_move` is lost; otherwise that is simply the time to think."""


class Engine(Protocol):
    """A native search: one search at a time; it keeps what it learnt for the next one."""

    def forget(self) -> None:
        """As if new."""
        ...

    def search(
        self,
        position: Position,
        /,
        *,
        time: float | None = None,
        deadline: float | None = None,
        account: float | None = None,
        moves_left: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        simulations: int | None = None,
        lines: int = 1,
    ) -> Report:
        """The best moves within the limits; without a limit it never ends."""
        ...

    def analyse(
        self,
        position: Position,
        /,
        *,
        time: float | None = None,
        deadline: float | None = None,
        account: float | None = None,
        moves_left: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        simulations: int | None = None,
        lines: int = 1,
    ) -> Iterator[Report]:
        """The same, with a report after every iteration."""
        ...


class Bot(abc.ABC, Generic[PositionT]):
    """A player. One instance plays one seat of one game at a time.

    `Bot` plays any game. `Bot[Position]`, with the `Position` of a game's folder, plays that game
    and gets its own types.
    """

    name: str = "bot"

    def prepare(self, position: PositionT) -> None:
        """A game like that of this position will be joined; no clock runs yet."""

    def begin(self, position: PositionT, seat: Seat) -> None:
        """A game begins; the bot plays `seat`. The clock of its first move may run already."""

    @abc.abstractmethod
    def choose(self, position: PositionT, clock: Clock) -> Move:
        """The move to make now; called only when a legal move exists."""

    def end(self, position: PositionT, outcome: Outcome) -> None:
        """The game is over. A client waits ten seconds for this to return."""

    listener: Listener | None = None
    """Who hears what is shown; None: it is printed as a line `#show …` on standard error."""

    def show(
        self,
        *,
        values: Mapping[str, float] | None = None,
        cells: Mapping[Cell | str, float | str] | None = None,
        arrows: Iterable[Sequence[Cell | str]] = (),
        text: str = "",
    ) -> None:
        """Say what you think about the present move, beside the game: docs/author/debugger.md.

        `values` are charted over the game, `cells` and `arrows` drawn on the board. It never
        reaches the opponent.
        """
        if type(self.listener) is PackedListener:
            self.listener.hear(pack(values, cells, arrows, text))
            return
        shown = annotation(values, cells, arrows, text)
        if self.listener is not None:
            self.listener(shown)
        else:
            print(shown.line(), file=sys.stderr, flush=True)

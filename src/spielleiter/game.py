"""The contract: the few words every game, player and renderer of this project agrees on.

A game answers to the verbs of `Position`; a player answers to `Bot`; what is drawn is a `Scene`.
Nothing here knows a particular game, a socket or a clock.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module, resources
from types import ModuleType
from typing import Any, ClassVar, Literal, Protocol, Self, get_args, overload

from spielleiter.errors import UnknownName, UsageError
from spielleiter.text import Text

Authority = Literal["document", "server"]
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)

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
        """Whether nobody won alone."""
        return self.winner is None


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
    """One move: a value with a text people can write and read."""

    def text(self) -> str: ...
    def __hash__(self) -> int: ...


class Mistake(Protocol):
    """A named reason why a move is illegal."""

    @property
    def name(self) -> str: ...
    @property
    def explanation(self) -> str: ...


def mistake_text(mistake: Mistake) -> Text:
    """Why a move is illegal, as a message of the game's folder (section `mistake` of its texts)."""
    return Text(f"mistake.{mistake.name}", mistake.explanation)


class LegalMoves(Protocol):
    """All legal moves of a position, as a container in a fixed order."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, move: object, /) -> bool: ...
    @overload
    def __getitem__(self, at: int, /) -> Any: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[Any]: ...
    def index(self, move: Any, /) -> int: ...


class Position(Protocol):
    """A moment of a game. `play` changes it; copy first if you want to go back."""

    actions: ClassVar[int]
    """Size of the fixed action space: every move of the game has a number below this."""
    planes: ClassVar[tuple[int, int, int]]
    """Shape of an observation: planes, rows, columns."""

    @property
    def edition(self) -> str: ...
    @property
    def authority(self) -> str: ...
    @property
    def seats(self) -> int: ...
    @property
    def ply(self) -> int:
        """How many moves the rules have counted so far."""
        ...

    def to_move(self) -> Seat: ...
    def legal_moves(self) -> LegalMoves: ...
    def why_illegal(self, move: Any, /) -> Mistake | None: ...
    def play(self, move: Any, /) -> None:
        """Make a move, given as a move or its text; raises IllegalMove and then changes nothing."""
        ...

    def outcome(self) -> Outcome | None: ...
    def scores(self) -> tuple[int, ...]: ...
    def key(self) -> int: ...
    def text(self) -> str: ...
    def move(self, text: str, /) -> Any:
        """The move that a text means in this position (it may still be illegal)."""
        ...

    def action(self, move: Any, /) -> int: ...
    def move_at(self, action: int, /) -> Any: ...
    def copy(self) -> Self: ...
    def perft(self, depth: int, threads: int = 1, passes: bool | None = None) -> int: ...
    def playouts(self, games: int, seed: int, threads: int = 1) -> Playouts: ...


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

    That module has `gestures(position)`, one for every legal move, and
    `interpret(position, token, cells)`, the move that a gesture means, legal or not, or None.
    """

    move: str
    """The move as text."""
    token: str | None
    """The id of the token that is taken up, from the board or a tray; None: a new one appears."""
    cells: tuple[Cell, ...]
    """Where it then lies; nowhere, if the move has no place."""
    label: str = ""
    """What to write on a button, for a move without place."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One edition of a game: its name, its set-up and how to read, judge and draw it."""

    name: str
    title: str
    folder: str
    """The package the game lives in; its other files are found beside it by their fixed names."""
    native: Any
    """The native module: its `Position`, `Move`, `Mistake` and `Batch`."""
    seat_names: tuple[str, ...]
    """What the seats are called, as many as there can be."""
    min_seats: int = 2
    scene: Callable[[Any, Any], Scene]
    """Position and last move (or None) → what to draw."""
    set_up: Callable[..., str] = lambda: ""
    """The options by name → the set-up text handed to the native class."""
    options: tuple[Option, ...] = ()
    ranking: tuple[str, ...] = ("win points", "average score")
    """The criteria of a league's table, the most important first, as the edition's document has
    them; `tournament.standings` lists those there are."""
    authority: Authority = "document"

    def start(self, seed: int = 0, **options: str) -> Any:
        """The first position; whatever is drawn by lot comes from the seed alone."""
        return self.native.Position.start(*self._lot(seed, options), self.name, self.authority)

    def parse(self, text: str) -> Any:
        """The position that a text describes; raises TextError with what is wrong and where."""
        return self.native.Position.parse(text, self.name, self.authority)

    def batch(
        self,
        games: int,
        seed: int = 0,
        *,
        auto_reset: bool = False,
        threads: int = 1,
        **options: str,
    ) -> Any:
        """Many games stepped together over NumPy buffers; game i has its own start by lot."""
        return self.native.Batch(
            games,
            *self._lot(seed, options),
            self.name,
            self.authority,
            auto_reset=auto_reset,
            threads=threads,
        )

    def under(self, authority: str) -> Game:
        """The same edition as the given authority judges it."""
        for known in AUTHORITIES:
            if known == authority:
                return replace(self, authority=known)
        raise UnknownName("authority", authority, AUTHORITIES)

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
    moves: tuple[Any, ...]

    @property
    def move(self) -> Any:
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
    def best(self) -> Any:
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


class Bot(abc.ABC):
    """A player. One instance plays one seat of one game at a time."""

    name: str = "bot"

    def prepare(self, position: Any) -> None:  # noqa: B027  (optional to override)
        """A game like that of this position will be joined; no clock runs yet."""

    def begin(self, position: Any, seat: Seat) -> None:  # noqa: B027  (optional to override)
        """A game begins; the bot plays `seat`. The clock of its first move may run already."""

    @abc.abstractmethod
    def choose(self, position: Any, clock: Clock) -> Any:
        """The move to make now; called only when a legal move exists."""

    def end(self, position: Any, outcome: Outcome) -> None:  # noqa: B027  (optional to override)
        """The game is over."""

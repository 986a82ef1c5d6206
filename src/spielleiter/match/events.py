"""What happened in a match: the only source for stores, observers and replays.

Events are values, numbered from 0 without gaps. `spielleiter.store.event_json` writes them as JSON.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from spielleiter.game import Outcome, Seat
from spielleiter.match.clock import MatchClock


class Kind(enum.Enum):
    """The ways to lose a game without being beaten."""

    OUT_OF_TURN = "out of turn"
    """A move while another seat had to move."""
    UNREQUESTED = "unrequested"
    """A move of the right seat that nobody had asked for."""
    LATE = "late"
    """A move after the soft limit, or on an overdrawn account."""
    SILENT = "silent"
    """No answer at all until the referee stopped waiting."""
    ILLEGAL = "illegal"
    """A move the rules refuse."""
    LEFT = "left"
    """The seat is empty, or has been left."""
    REPORTED = "reported"
    """A fault reported by the source of a record; `detail` has its text."""

    @classmethod
    def _missing_(cls, value: object) -> Kind | None:
        """Stores name a kind by its name, `OUT_OF_TURN`."""
        return cls.__members__.get(str(value))


@dataclass(frozen=True, slots=True)
class Fault:
    """What a seat did wrong."""

    kind: Kind
    detail: str = ""
    """ILLEGAL: the name of the mistake. LEFT: the cause."""
    move: str = ""
    """The move in question, as text."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """When a request and its answer passed through our hands, in seconds of the server's clock."""

    asked: float | None
    """The request was written; None: the seat's clock was not running."""
    first_byte: float
    last_byte: float
    judged: float
    lag: float
    """How long the bytes may have waited for us."""
    gap: float = 0.0
    """How long the seat could not run: we were stalled, or the processor was busy."""

    @property
    def spent(self) -> float:
        """What the seat is charged: from the request to the last byte, less our own delay."""
        if self.asked is None:
            return 0.0
        return max(0.0, self.last_byte - self.lag - self.gap - self.asked)


@dataclass(frozen=True, slots=True)
class Opened:
    """A match was set up; the seats are still empty."""

    number: int
    at: float
    edition: str
    authority: str
    position: str
    names: tuple[str, ...]
    timed: tuple[bool, ...]
    clock: MatchClock
    paused: bool
    consequence: str


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat was taken."""

    number: int
    at: float
    seat: Seat


@dataclass(frozen=True, slots=True)
class Began:
    """All seats are taken."""

    number: int
    at: float


@dataclass(frozen=True, slots=True)
class Shown:
    """Observers see the position; players too, unless the game is paused."""

    number: int
    at: float
    ply: int
    to_players: bool


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat is to be asked for a move."""

    number: int
    at: float
    seat: Seat
    ply: int
    allowed: float | None
    """What it may spend, in seconds; None is without limit."""


@dataclass(frozen=True, slots=True)
class Played:
    """A move was accepted."""

    number: int
    at: float
    seat: Seat
    move: str
    spent: float
    receipt: Receipt
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PauseChanged:
    """The game was paused or resumed."""

    number: int
    at: float
    paused: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The players agreed to take back moves: the game continues from an earlier position."""

    number: int
    at: float
    seat: Seat
    """Who asked for it."""
    turn: int
    """The turn after which the game continues."""
    position: str


@dataclass(frozen=True, slots=True)
class Violated:
    """A seat broke the rules of the game or of the match: it lost, or is out."""

    number: int
    at: float
    seat: Seat
    fault: Fault
    expected: Seat
    """Whose turn it was."""
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over."""

    number: int
    at: float
    outcome: Outcome
    faults: tuple[Fault | None, ...]
    """For each seat what it did wrong, if anything."""
    cancelled: bool = False

    @property
    def regular(self) -> bool:
        """Whether nobody did anything wrong."""
        return not any(self.faults)


@dataclass(frozen=True, slots=True)
class PositionStated:
    """The source of a record states a position that our rules do not derive; it is believed."""

    number: int
    at: float
    position: str
    seat: Seat | None = None
    """Who moved, if it was a move."""
    move: str | None = None
    hints: tuple[str, ...] = ()


Event = (
    Opened
    | Seated
    | Began
    | Shown
    | TurnBegan
    | Played
    | PauseChanged
    | TakenBack
    | Violated
    | Ended
)
"""The events of a referee."""
RecordedEvent = Event | PositionStated
"""What a record holds."""

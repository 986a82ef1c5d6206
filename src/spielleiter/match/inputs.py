"""What can happen to a match. `at` is the moment in seconds, of whatever clock the caller uses."""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Move, Position, Seat


@dataclass(frozen=True, slots=True)
class Join:
    """A player takes a seat; the game begins when the last one is taken."""

    at: float
    seat: Seat


@dataclass(frozen=True, slots=True)
class Asked:
    """The request was sent: from now on the seat's clock runs."""

    at: float
    seat: Seat


@dataclass(frozen=True, slots=True)
class MoveSent:
    """A seat sent a move. `at` is when its last byte was read."""

    at: float
    seat: Seat
    move: Move | None
    """None if no move of the game expresses it: then there are a `text` and a `mistake`."""
    first_byte: float | None = None
    """When the first byte of the message was read; None: together with the last one."""
    judged: float | None = None
    """When the referee judged it; None: at once."""
    lag: float = 0.0
    """How long the bytes may have waited for us before we read them: never charged to the seat."""
    hints: tuple[str, ...] = ()
    """Remarks of the player for people who watch."""
    text: str | None = None
    """The move as text; None: its own text. Needed if there is no `move`."""
    mistake: str | None = None
    """The name of a mistake that was already seen when the move was read."""
    gap: float = 0.0
    """How long the seat could not run through no fault of its own: never charged to it."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """Nothing had arrived by `at`; the referee decides whether that is too long."""

    at: float
    gap: float = 0.0
    """How long we were stalled since the request: that does not count."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause the game after the present move, or resume it."""

    at: float
    paused: bool


@dataclass(frozen=True, slots=True)
class Step:
    """Play one move in a paused game; `forced` also ends a match that lacks players."""

    at: float
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Proceed:
    """All clients were informed: continue a stepwise match."""

    at: float


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the match now."""

    at: float


@dataclass(frozen=True, slots=True)
class Leave:
    """A player left for good; `cause` says how."""

    at: float
    seat: Seat
    cause: str = "LOST_CONNECTION"


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The players agree that the game goes on from an earlier position."""

    at: float
    seat: Seat
    """Who asked for it."""
    turn: int
    position: Position
    """The position after that turn."""


Input = Join | Asked | MoveSent | TimeUp | Pause | Step | Proceed | Cancel | Leave | TakeBack

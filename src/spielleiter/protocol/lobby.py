"""The messages of the lobby, in both directions, as values. No spelling in here: see `xml`.

A missing attribute is None for texts, False for truth values and 0 for numbers, as the official
servers read it; their declared defaults do not hold on the wire.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from spielleiter.protocol.dialect import Dialect
from spielleiter.protocol.element import Element, Markup

Number = int | float


# ------------------------------------------------------------------------------ client → server


@dataclass(frozen=True, slots=True)
class Join:
    """Take a free seat in any open room, or open a new one."""

    game_type: str | None = None


@dataclass(frozen=True, slots=True)
class JoinRoom:
    """Take the first free unreserved seat of a room."""

    room: str | None


@dataclass(frozen=True, slots=True)
class JoinPrepared:
    """Redeem a reservation code."""

    code: str | None


@dataclass(frozen=True, slots=True)
class Authenticate:
    """Become administrator of the server."""

    password: str | None


@dataclass(frozen=True, slots=True)
class Slot:
    """One seat of a room to be prepared."""

    name: str | None
    can_timeout: bool = False
    reserved: bool = False
    paused: bool = False
    """2019 says in each slot whether the room is to be paused."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """Open a room with named, possibly reserved seats."""

    game_type: str | None
    slots: tuple[Slot, ...] = ()
    pause: bool = False

    def under(self, dialect: Dialect) -> Prepare:
        """What the request means in the game's own season: 2019 reserves all slots."""
        if not dialect.pause_in_slots:
            return replace(self, slots=tuple(replace(slot, paused=False) for slot in self.slots))
        pause = any(slot.paused for slot in self.slots)
        slots = tuple(replace(slot, reserved=True, paused=pause) for slot in self.slots)
        return Prepare(self.game_type, slots, pause)


@dataclass(frozen=True, slots=True)
class Observe:
    """Get all observable messages of a room from now on."""

    room: str | None


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause a room or let it go on."""

    room: str | None
    pause: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Ask for one move in a paused room."""

    room: str | None
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a room's game now."""

    room: str | None


@dataclass(frozen=True, slots=True)
class SetTimeout:
    """Switch the time limits of a seat on or off (2019)."""

    room: str | None
    slot: int = 0
    activate: bool = False


@dataclass(frozen=True, slots=True)
class FreeReservation:
    """Free a reserved seat (2019)."""

    code: str | None


@dataclass(frozen=True, slots=True)
class TestMode:
    """Switch the counting of scores by display name on or off (2019, 2021)."""

    __test__ = False  # not a test, whatever its name says

    on: bool = False


@dataclass(frozen=True, slots=True)
class ScoreForPlayer:
    """Ask for the scores counted in test mode (2019, 2021)."""

    name: str | None


# ---------------------------------------------------------------------------------- both directions


@dataclass(frozen=True, slots=True)
class RoomData:
    """A message inside a room with the game's payload: from a client, a move."""

    room: str | None
    data: Element


@dataclass(frozen=True, slots=True)
class Close:
    """The other side wants to end the session."""


@dataclass(frozen=True, slots=True)
class EndOfDocument:
    """The root element was closed: nothing can follow."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message a client does not know and skips; servers refuse such bytes."""

    element: Element


# ------------------------------------------------------------------------------ server → client


@dataclass(frozen=True, slots=True)
class Joined:
    """You have a seat in this room."""

    room: str | None


@dataclass(frozen=True, slots=True)
class JoinedGameRoom:
    """To administrators: somebody joined a room."""

    room: str | None
    players: int
    """Present after the join."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The room asked for, with the codes of its reserved seats in seat order."""

    room: str | None
    reservations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observed:
    """You observe this room."""

    room: str | None


@dataclass(frozen=True, slots=True)
class Left:
    """The room is gone."""

    room: str | None


@dataclass(frozen=True, slots=True)
class ErrorPacket:
    """A request could not be served; carries the request again."""

    message: str
    request: Request | Answer | Element | None = None
    """The message itself when we write it, the element `originalRequest` when we have read it."""


@dataclass(frozen=True, slots=True)
class Testing:
    """Answer to `TestMode`."""

    on: bool


@dataclass(frozen=True, slots=True)
class Fragment:
    """What one part of a score means."""

    name: str
    aggregation: str = "SUM"
    """`SUM` or `AVERAGE` over several games."""
    relevant: bool = True
    """For the ranking."""


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """Answer to `ScoreForPlayer`: the fragments with their values as the server writes them."""

    name: str
    tests: int
    values: tuple[tuple[Fragment, str], ...]


@dataclass(frozen=True, slots=True)
class Welcome:
    """The game begins; you play this colour or team."""

    room: str | None
    colour: str


@dataclass(frozen=True, slots=True)
class Memento:
    """The present state of the game."""

    room: str | None
    state: Element | Markup
    """Markup when we write it, the element `state` when we have read it."""


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """It is your turn."""

    room: str | None


@dataclass(frozen=True, slots=True)
class Paused:
    """To observers: the game was paused or goes on."""

    room: str | None
    paused: bool


@dataclass(frozen=True, slots=True)
class Error:
    """A move was refused."""

    room: str | None
    message: str
    original: Element | None = None
    """The move as it was sent; the dialect chooses its element name."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one player got."""

    parts: tuple[Number, ...]
    """One number per fragment."""
    team: str | None = None
    name: str | None = None
    cause: str | None = None
    """2019, 2021: `REGULAR LEFT RULE_VIOLATION SOFT_TIMEOUT HARD_TIMEOUT` or `UNKNOWN`."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Winner:
    """Who won. In 2026 a draw is a winner without team; in 2019 it is no winner, in 2021 two."""

    team: str | None = None
    name: str | None = None
    regular: bool = True
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The game is over."""

    room: str | None
    fragments: tuple[Fragment, ...]
    scores: tuple[Score, ...]
    """In seat order."""
    winners: tuple[Winner, ...] = ()

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat by win points, which every season has first; equals share one."""
        won = [score.parts[0] if score.parts else 0 for score in self.scores]
        return tuple(1 + sum(other > points for other in won) for points in won)

    @property
    def points(self) -> tuple[int, ...]:
        """What each seat scored in the game: the second number, rounded."""
        return tuple(round(s.parts[1]) if len(s.parts) > 1 else 0 for s in self.scores)

    @property
    def reason(self) -> str:
        """Why it ended, in the server's words; empty if it says nothing."""
        reasons = [winner.reason for winner in self.winners] + [s.reason for s in self.scores]
        return next((reason for reason in reasons if reason), "")


Request = (
    Join | JoinRoom | JoinPrepared | Authenticate | Prepare | Observe | Pause | Step | Cancel
    | SetTimeout | FreeReservation | TestMode | ScoreForPlayer | RoomData | Close
)  # fmt: skip
"""What clients send."""

Answer = (
    Joined | JoinedGameRoom | Prepared | Observed | Left | ErrorPacket | Testing | PlayerScore
    | Welcome | Memento | MoveRequest | Paused | Error | Result | RoomData | Close
)  # fmt: skip
"""What servers send."""

Message = Request | Answer | EndOfDocument | Unknown

"""What a game's `wire.py` offers, so that one lobby serves every game and one client plays it.

A game folder that speaks the Software-Challenge's XML has in its `wire.py`

    def wire(game: Game) -> Wire

which gives the payload of that edition under that authority, or raises `UsageError`. A server
asks it for states, moves, refusals and results; a client asks it for positions and moves:

    wire = game.part("wire").wire(game)
    memento = Memento(room, wire.state(position, last, names))        # render once, send many
    sent = wire.read_move(position, message.data)                     # raises XmlError, NoMove
    refusal = wire.why_refused(position, sent)                        # None, or the texts for it
    position.play(sent.move); last = sent
    result = wire.result(room, position, names, End(...))
    seen = wire.read_state(message.state); game.parse(seen.position)  # client
    RoomData(room, wire.sent(position, move).element)
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from spielleiter.game import Move, Position
from spielleiter.protocol.dialect import Dialect
from spielleiter.protocol.element import Element, Markup
from spielleiter.protocol.lobby import Result

Seat = int
STREAM_LEVEL = 3
"""How deep a state stands in a stream: in the document, a room message and its data."""
STREAM_MARGIN = "\n" + "  " * STREAM_LEVEL
"""What comes before each line of such a state."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A move as a player sent it. It may break the rules; `why_refused` says so."""

    move: Move | None
    """The game's own move, or None if it cannot be expressed as one (a piece off the board)."""
    element: Element
    """The message in its regular form, named `data`: what goes back in an `error`."""
    text: str
    """The move in the season's words, for error messages and results."""
    mistake: str | None = None
    """The name of a mistake that only the wire can see (somebody else's colour)."""
    hints: tuple[str, ...] = ()
    """What the player wants observers to read."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is refused, in the season's words."""

    mistake: str
    """Its name in our contract."""
    bare: str
    """The mistake as an `error` shows it, after the offender's name or alone."""
    reason: str
    """The mistake as the result shows it: `End.detail`."""

    def error(self, name: str) -> str:
        """The text of the `error` to the offender."""
        return f"Ungueltiger Zug von '{name}'.\n{self.bare}"

    def packet(self) -> str:
        """The text of the error packet, where the dialect has one."""
        return f"sc.api.plugins.exceptions.GameLogicException: {self.bare}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a state says."""

    position: str
    """Position text of the game's notation."""
    last: Element | None = None
    """The last move, in its regular form, named `data`."""
    names: tuple[str | None, ...] = (None, None)
    hints: tuple[str, ...] = ()


class Cause(enum.Enum):
    """Why a game ended, told apart as finely as any season does."""

    REGULAR = enum.auto()
    CANCELLED = enum.auto()
    """By an administrator."""
    LEFT = enum.auto()
    """`detail`: RECEIVED_DISCONNECT, LOST_CONNECTION, NOT_CONNECTED, PROTOCOL_ERROR or UNKNOWN."""
    RULE_VIOLATION = enum.auto()
    """`detail`: `Refusal.reason`."""
    DISORDER = enum.auto()
    """A move out of turn or not asked for; `detail`: the text of the `error`."""
    SOFT_TIMEOUT = enum.auto()
    HARD_TIMEOUT = enum.auto()


@dataclass(frozen=True, slots=True)
class End:
    """How a game ended. Offenders are empty for regular and cancelled games."""

    cause: Cause = Cause.REGULAR
    offenders: tuple[Seat, ...] = ()
    detail: str = ""
    soft: float = 2
    """The time limits in seconds, for the texts."""
    hard: float = 10


class Wire(Protocol):
    """The payload of one game in one season under one authority."""

    @property
    def game_type(self) -> str:
        """As in `join` and `prepare`."""
        ...

    @property
    def dialect(self) -> Dialect:
        """How the season's programs speak the protocol."""
        ...

    @property
    def colours(self) -> tuple[str, ...]:
        """What the welcome calls the seats."""
        ...

    @property
    def teams(self) -> tuple[str, ...]:
        """What everything else calls them, as in `expected: ONE(Alice)`."""
        ...

    def seat(self, colour: str) -> Seat:
        """The seat that a welcome means; raises XmlError if there is none."""
        ...

    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup:
        """The state element. `last` is the last move as it was sent (or `sent` before playing it).

        `result` is written where the dialect wants it (`condition_in_state`); `hints` are for
        observers only (`passes_hints`).
        """
        ...

    def streamed(
        self, position: Position, last: Sent | None = None, names: Sequence[str] = ("", "")
    ) -> str:
        """The state for players as it stands in a stream: `indented(state, 3)`, only faster."""
        ...

    def recognises(self, state: Element) -> bool:
        """Whether a state is one of this season's game (under either authority)."""
        ...

    def read_state(self, state: Element) -> Seen:
        """What a state says; tolerant as a client must be. Raises XmlError if it is none."""
        ...

    def sent(self, position: Position, move: Move, hints: Sequence[str] = ()) -> Sent:
        """A move of this position as its player sends it."""
        ...

    def read_move(self, position: Position, data: Element) -> Sent:
        """What a player's `data` says; strict as the official servers.

        Raises XmlError with cause PROTOCOL_ERROR or UNKNOWN where they drop the connection, and
        `NoMove` where the data is a lobby message instead of a move.
        """
        ...

    def last_move(self, before: Position, last: Element) -> Move | None:
        """The game's own move that a state's last move means, played in the position `before`."""
        ...

    def why_refused(self, position: Position, sent: Sent) -> Refusal | None:
        """None if the move is legal in this position."""
        ...

    def result(self, room: str, position: Position, names: Sequence[str], end: End) -> Result:
        """The result message of a game that ended in this position."""
        ...

    def disorder(self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str) -> str:
        """The error text for a move out of turn, or not asked for if nobody is on turn."""
        ...

    def disorder_packet(
        self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str
    ) -> str:
        """What the error packet says about it, where the dialect has one."""
        ...

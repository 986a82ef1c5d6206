"""An administrator: prepares rooms, pauses, cancels and observes games.

with Administrator.open("localhost", 13050, password="…", game="GAME") as admin:
    room = admin.prepare(("Alice", "Bob"))
    for observed in admin.observe(room.room):
        print(observed.position.text())
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

from spielleiter.client import seasons
from spielleiter.client.connection import HOST, PORT, LostConnection, Refused, Session
from spielleiter.client.seasons import Season
from spielleiter.game import Authority, Move, Position
from spielleiter.protocol.dialect import ANY
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    Error,
    ErrorPacket,
    JoinedGameRoom,
    Left,
    Memento,
    Message,
    Observe,
    Observed,
    Pause,
    Paused,
    Prepare,
    Prepared,
    Result,
    Slot,
    Step,
)

Wanted = TypeVar("Wanted", Prepared, Observed)

PASSWORD = "examplepassword"
"""The default password of official servers."""


@dataclass(frozen=True, slots=True)
class ObservedMessage:
    """Something an observer sees of a room."""

    message: Memento | Paused | Error | Result | Left
    season: Season | None
    position: Position | None
    """The present position, once a state has arrived."""
    last: Move | None = None
    """The move that led to it, if we saw the position before."""
    hints: tuple[str, ...] = ()


class Administrator:
    """One authenticated connection."""

    def __init__(self, session: Session, season: Season | None, authority: Authority) -> None:
        self.session = session
        self._season, self._authority = season, authority
        self._kept: list[Message] = []

    @classmethod
    def open(
        cls,
        host: str = HOST,
        port: int = PORT,
        password: str = PASSWORD,
        *,
        game: str | None = None,
        authority: Authority = "document",
    ) -> Self:
        """Connect and authenticate. Servers answer only a wrong password, with the next request."""
        season = None if game is None else seasons.named(game, authority)
        session = Session.open(host, port, ANY if season is None else season.wire.dialect)
        session.send(Authenticate(password))
        return cls(session, season, authority)

    def prepare(
        self,
        names: Sequence[str] = ("player1", "player2"),
        *,
        game: str | None = None,
        pause: bool = False,
        can_timeout: bool = True,
        reserved: bool = True,
    ) -> Prepared:
        """A new room; its reservations are in the order of the names."""
        season = self._named(game)
        slots = tuple(Slot(name, can_timeout, reserved, pause) for name in names)
        self.session.send(Prepare(season.wire.game_type, slots, pause))
        return self._await(Prepared)

    def pause(self, room: str, pause: bool = True) -> None:
        """Pause or resume a game."""
        self.session.send(Pause(room, pause))

    def step(self, room: str, forced: bool = False) -> None:
        """Request one move in a paused game."""
        self.session.send(Step(room, forced))

    def cancel(self, room: str) -> None:
        """End a game now."""
        self.session.send(Cancel(room))

    def observe(self, room: str) -> Iterator[ObservedMessage]:
        """Whatever happens in a room from now on, until the room is gone."""
        self.session.send(Observe(room))
        self._await(Observed)
        return self._observed(room)

    def next_room(self) -> str:
        """The next room that somebody joins; servers tell administrators about each."""
        for message in self._messages():
            if isinstance(message, JoinedGameRoom) and message.room is not None:
                return message.room
        raise LostConnection("the server ended the session before anybody joined")

    def settle(self, timeout: float = 0.3) -> None:
        """Wait briefly for a refusal; most requests have no other answer."""
        try:
            while (message := self.session.receive(timeout)) is not None:
                self._kept.append(self._accepted(message))
        except TimeoutError:
            return
        raise Refused("the server closed the connection")

    def close(self) -> None:
        """Send the close message and disconnect."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _observed(self, room: str) -> Iterator[ObservedMessage]:
        season = self._season
        position: Position | None = None
        for message in self._messages():
            if getattr(message, "room", room) != room:
                continue
            if isinstance(message, Memento) and isinstance(message.state, Element):
                season = season or seasons.recognised(message.state, self._authority)
                before, position = position, seasons.position(season, message.state)
                yield _observed_state(message, season, before, position)
            elif isinstance(message, Paused | Error | Result | Left):
                yield ObservedMessage(message, season, position)
            if isinstance(message, Left):
                return
        raise LostConnection("the server ended the session before the game was over")

    def _messages(self) -> Iterator[Message]:
        while self._kept:
            yield self._kept.pop(0)
        for message in self.session.messages():
            yield self._accepted(message)

    def _await(self, wanted: type[Wanted]) -> Wanted:
        for message in self.session.messages():
            said = self._accepted(message)
            if isinstance(said, wanted):
                return said
            self._kept.append(message)
        raise Refused("the server closed the connection instead of answering")

    def _accepted(self, message: Message) -> Message:
        if isinstance(message, ErrorPacket):
            raise Refused(f"the server refused: {message.message}")
        if isinstance(message, Close):
            raise Refused("the server closed the connection")
        return message

    def _named(self, game: str | None) -> Season:
        if game is not None:
            self._season = seasons.named(game, self._authority)
        if self._season is None:
            raise Refused("say which game the room is for")
        return self._season


def _observed_state(
    message: Memento, season: Season, before: Position | None, position: Position
) -> ObservedMessage:
    assert isinstance(message.state, Element)
    seen = season.wire.read_state(message.state)
    last = None
    if seen.last is not None and before is not None and before.ply < position.ply:
        last = season.wire.last_move(before, seen.last)
    return ObservedMessage(message, season, position, last, seen.hints)

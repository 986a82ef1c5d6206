"""Where clients ask for rooms, seats and codes, and administrators for everything else.

What a request leads to is the same in all seasons; how refusals are put and what they cost is the
dialect's. Texts of refusals are those of the official servers, which clients may compare.
"""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spielleiter.errors import PeerError, UsageError
from spielleiter.match import Pause as PauseInput
from spielleiter.match import PerMove
from spielleiter.match import Step as StepInput
from spielleiter.protocol.answers import lobby_class
from spielleiter.protocol.dialect import ANY, Dialect, OnCancel, OnError, OnUnknownGame
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    EndOfDocument,
    ErrorPacket,
    FreeReservation,
    Join,
    Joined,
    JoinedGameRoom,
    JoinPrepared,
    JoinRoom,
    Memento,
    Message,
    Observe,
    Observed,
    Pause,
    PlayerScore,
    Prepare,
    Prepared,
    Request,
    RoomData,
    ScoreForPlayer,
    SetTimeout,
    Slot,
    Step,
    Testing,
    TestMode,
)
from spielleiter.protocol.xml import Leaving, NoMove, XmlError, describe, encode, unhandled
from spielleiter.server.line import Line
from spielleiter.server.log import say
from spielleiter.server.room import Room, Start, Table
from spielleiter.server.scores import Scores
from spielleiter.server.seat import Seat

if TYPE_CHECKING:
    from spielleiter.server.listener import Server

_ROOM_TROUBLE = "sc.api.plugins.exceptions.GameRoomException: "
_STALE_CODES = 10_000
"""Codes of rooms that are gone are honoured with an empty `joined`, but not for ever."""


class RequestError(PeerError):
    """A request that cannot be served; the text says why."""


class Lobby:
    """All rooms, all codes, all administrators of a server."""

    def __init__(self, server: Server, tables: Sequence[Table]) -> None:
        if not tables:
            raise UsageError("a server needs at least one game")
        self._server = server
        self._tables = {table.wire.game_type: table for table in tables}
        self._default = tables[0]
        self.dialect: Dialect = self._default.wire.dialect if len(tables) == 1 else ANY
        """How to speak with somebody who has not said yet which game he wants."""
        self.rooms: dict[str, Room] = {}
        self._open: dict[str, Room] = {}
        """Rooms with a seat that anybody may take, in the order they were opened."""
        self._codes: dict[str, tuple[Room, Seat]] = {}
        self._stale: OrderedDict[str, tuple[str, Dialect]] = OrderedDict()
        self._admins: list[Line] = []
        self._scores = Scores()

    # ---------------------------------------------------------------------------------- receiving

    def receive(self, line: Line, message: Message, at: float, first: float) -> None:
        """Serve one message of a client."""
        if type(message) is RoomData:
            self._guarded(line, message, lambda: self._move(line, message, at, first))
            return
        handler = _HANDLERS.get(type(message))
        if handler is None:
            text = "sc.api.plugins.exceptions.RescuableClientException: "
            self._refuse(line, text + unhandled(message), message)  # type: ignore[arg-type]
        elif type(message) in _FOR_ADMINISTRATORS and not line.is_admin:
            self._turn_away(line, message)
        else:
            self._guarded(line, message, lambda: handler(self, line, message))

    def _guarded(self, line: Line, message: Message, serve: Callable[[], None]) -> None:
        try:
            serve()
        except RequestError as refusal:
            self._refuse(line, str(refusal), message)
        except XmlError as fault:
            say(logging.INFO, "not understood", peer=line.peer, problem=str(fault))
            self._server.metrics.count("dropped", "not understood")
            line.drop(fault.cause)
        except Exception:
            # A bug of ours must not take the other rooms with it.
            say(logging.ERROR, "our own mistake", peer=line.peer, request=repr(message)[:200])
            logging.getLogger("spielleiter.server").exception("our own mistake")
            self._server.metrics.count("dropped", "our own mistake")
            line.drop(Leaving.UNKNOWN)

    def _refuse(self, line: Line, text: str, request: Any) -> None:
        say(logging.INFO, "refused", peer=line.peer, why=text)
        self._server.metrics.count("refused", type(request).__name__)
        if line.dialect.on_error is not OnError.CLOSE:
            line.say(ErrorPacket(text, request))
        if line.dialect.on_error is not OnError.PACKET:
            line.close(Leaving.RECEIVED_DISCONNECT, announce=True)

    def _turn_away(self, line: Line, request: Any) -> None:
        if not line.dialect.ignores_strangers:
            told = describe(request, line.dialect)
            text = f"sc.server.network.UnauthenticatedException: Request {told} "
            self._refuse(line, text + "requires authentication", request)

    # ------------------------------------------------------------------------------------ joining

    def _join(self, line: Line, join: Join) -> None:
        table = self._wanted(line, join, join.game_type)
        if table is None:
            return
        room = self._free_room(table, join) or self._new_room(table, [Seat(0), Seat(1)], join)
        seat = next(seat for seat in room.seats if seat.is_free)
        self._sit_down(line, room, seat)
        players = sum(seat.line is not None for seat in room.seats)
        for admin in self._admins:
            admin.send(encode(JoinedGameRoom(room.id, players), room.dialect))

    def _wanted(self, line: Line, request: Request, game_type: str | None) -> Table | None:
        """The game asked for; None if that has already been dealt with."""
        if game_type is None and not line.dialect.names_game_type:
            return self._default
        table = self._tables.get(game_type or "")
        if table is None:
            self._unknown_game(line, request, game_type)
        return table

    def _unknown_game(self, line: Line, request: Request, game_type: str | None) -> None:
        if line.dialect.on_unknown_game is OnUnknownGame.DROP:
            say(logging.INFO, "unknown game", peer=line.peer, game=game_type)
            line.drop(Leaving.UNKNOWN)
            return
        known = ", ".join(self._tables)
        text = "sc.server.plugins.UnknownGameTypeException: Unknown GameType UUID: "
        self._refuse(line, f"{text}{game_type} (available: {known})", request)

    def _free_room(self, table: Table, join: Join) -> Room | None:
        """The oldest room with a free seat: of the game named, or of any if none was."""
        for room in self._open.values():
            if join.game_type is None or room.table is table:
                return room
        return None

    def _new_room(self, table: Table, seats: list[Seat], request: Request) -> Room:
        limit = self._server.settings.limits.rooms
        if self._server.stopping or len(self.rooms) >= limit:
            why = "The server is stopping" if self._server.stopping else "Too many rooms"
            raise RequestError(f"{_ROOM_TROUBLE}{why}, no new room can be opened")
        prepared = isinstance(request, Prepare)
        paused = request.pause if isinstance(request, Prepare) else self._server.settings.paused
        for seat in seats:
            seat.name = seat.name or table.wire.dialect.default_name
            seat.timed = seat.timed if prepared else self._server.settings.timeouts
        start = self._server.start_of(table, prepared)
        name = str(uuid.uuid4())
        room = Room(self._server, name, table, start, seats, paused=paused, prepared=prepared)
        self.rooms[room.id] = room
        self._server.metrics.rooms += 1
        self._note_open(room)
        return room

    def open(
        self,
        table: Table,
        start: Start,
        seats: list[Seat],
        *,
        name: str,
        paused: bool,
        clock: PerMove,
    ) -> Room:
        """A room that somebody of this process prepares, for any edition and position.

        Reserved seats wait for their codes; the others are for `Room.sit`.
        """
        if self._server.stopping or len(self.rooms) >= self._server.settings.limits.rooms:
            raise UsageError("the server opens no more rooms")
        room = Room(
            self._server, name, table, start, seats, paused=paused, prepared=True, clock=clock
        )
        self.rooms[room.id] = room
        self._server.metrics.rooms += 1
        for seat in seats:
            if seat.code:
                self._codes[seat.code] = (room, seat)
        return room

    def _note_open(self, room: Room) -> None:
        if any(seat.is_free for seat in room.seats):
            self._open[room.id] = room
        else:
            self._open.pop(room.id, None)

    def _join_room(self, line: Line, join: JoinRoom) -> None:
        room = self._room(join.room)
        seat = next((seat for seat in room.seats if seat.is_free), None)
        if seat is None:
            raise RequestError(f"{_ROOM_TROUBLE}Room {room.id} is already full!")
        self._sit_down(line, room, seat)

    def _join_prepared(self, line: Line, join: JoinPrepared) -> None:
        found = self._codes.get(join.code or "")
        if found is not None:
            self._sit_down(line, *found)
            del self._codes[join.code or ""]
        elif (gone := self._stale.pop(join.code or "", None)) is not None:
            room, dialect = gone
            line.speak(dialect)
            line.say(Joined(room))
        else:
            text = "sc.server.gaming.UnknownReservationException: "
            raise RequestError(text + "Couldn't find a reservation for the provided token.")

    def _sit_down(self, line: Line, room: Room, seat: Seat) -> None:
        if len(line.rooms) >= self._server.settings.limits.seats:
            raise RequestError(f"{_ROOM_TROUBLE}This connection has too many seats")
        line.speak(room.dialect)
        if not (room.dialect.joined_when_full and seat.code):
            line.say(Joined(room.id))
        room.take(seat, line)
        self._note_open(room)

    def _room(self, name: str | None) -> Room:
        if name is None:
            raise XmlError("a request without roomId", cause=Leaving.UNKNOWN)
        room = self.rooms.get(name)
        if room is None:
            raise RequestError(f"{_ROOM_TROUBLE}Couldn't find a room with id {name}")
        return room

    # ------------------------------------------------------------------------------------ playing

    def _move(self, line: Line, sent: RoomData, at: float, first: float) -> None:
        room = self._room(sent.room)
        if room not in line.rooms:
            raise RequestError(f"{_ROOM_TROUBLE}Client is not a member of game {room.id}")
        try:
            room.move(line, sent.data, at, first)
        except NoMove:
            address = f"{lobby_class(sent.data)}@{id(sent) & 0xFFFFFFFF:08x}"
            told = f"RoomPacket(roomId={room.id}, data={address})"
            raise RequestError(f"{_ROOM_TROUBLE}Received non-move packet: {told}") from None

    def _close(self, line: Line, _: Close) -> None:
        line.close(Leaving.RECEIVED_DISCONNECT)

    def _end(self, line: Line, _: EndOfDocument) -> None:
        line.drop(Leaving.LOST_CONNECTION)

    # ----------------------------------------------------------------------------- administrators

    def _authenticate(self, line: Line, said: Authenticate) -> None:
        if said.password != self._server.settings.password:
            text = "sc.server.network.AuthenticationFailedException: "
            raise RequestError(text + "Failed to authenticate as administrator")
        if not line.is_admin:
            line.is_admin = True
            self._admins.append(line)

    def _prepare(self, line: Line, prepare: Prepare) -> None:
        table = self._wanted_by_name(line, prepare)
        if table is None:
            return
        line.speak(table.wire.dialect)
        prepare = prepare.under(table.wire.dialect)
        seats = [_seat(number, slot) for number, slot in enumerate(prepare.slots)]
        if not 1 <= len(seats) <= len(table.wire.colours):
            raise XmlError(f"a room for {len(seats)} players", cause=Leaving.UNKNOWN)
        seats += [Seat(number) for number in range(len(seats), len(table.wire.colours))]
        room = self._new_room(table, seats, prepare)
        codes = tuple(seat.code for seat in seats if seat.code)
        for seat in seats:
            if seat.code:
                self._codes[seat.code] = (room, seat)
        line.say(Prepared(room.id, codes))

    def _wanted_by_name(self, line: Line, prepare: Prepare) -> Table | None:
        table = self._tables.get(prepare.game_type or "")
        if table is None:
            self._unknown_game(line, prepare, prepare.game_type)
        return table

    def _observe(self, line: Line, observe: Observe) -> None:
        room = self._room(observe.room)
        line.speak(room.dialect)
        line.say(Observed(room.id))
        if line not in room.observers:
            room.observers.append(line)
            line.watched.append(room)
        if room.dialect.observe_sends_state:
            line.say(Memento(room.id, room.state()))

    def _pause(self, line: Line, pause: Pause) -> None:
        self._room(pause.room).handle(PauseInput(self._server.time.now(), pause.pause))

    def _step(self, line: Line, step: Step) -> None:
        self._room(step.room).handle(StepInput(self._server.time.now(), step.forced))

    def _cancel(self, line: Line, cancel: Cancel) -> None:
        room = self._room(cancel.room)
        room.cancel()
        if room.dialect.on_cancel is OnCancel.NO_RESULT and not room.dialect.to_the_letter:
            line.close(Leaving.RECEIVED_DISCONNECT)

    def _set_timeout(self, line: Line, change: SetTimeout) -> None:
        room = self._room(change.room)
        if not 0 <= change.slot < len(room.seats):
            raise XmlError(f"no slot {change.slot}", cause=Leaving.UNKNOWN)
        room.seats[change.slot].timed = change.activate
        room.match.timed = tuple(seat.timed for seat in room.seats)

    def _free_reservation(self, line: Line, free: FreeReservation) -> None:
        found = self._codes.pop(free.code or "", None)
        if found is None:
            text = "sc.server.gaming.UnknownReservationException: "
            raise RequestError(text + "Couldn't find a reservation for the provided token.")
        room, seat = found
        seat.code, seat.is_open = None, True
        self._note_open(room)

    def _test_mode(self, line: Line, mode: TestMode) -> None:
        self._scores.counting = mode.on
        line.say(Testing(mode.on))

    def _score_for_player(self, line: Line, asked: ScoreForPlayer) -> None:
        score: PlayerScore | None = self._scores.of(asked.name or "")
        if score is None:
            raise XmlError(f"no scores of {asked.name}", cause=Leaving.UNKNOWN)
        line.say(score)

    # ------------------------------------------------------------------------------------- ending

    def left(self, line: Line, cause: Leaving) -> None:
        """A client is gone."""
        if line.is_admin:
            self._admins.remove(line)
        watched, line.watched = line.watched, []
        for room in watched:
            room.observers.remove(line)
        rooms, line.rooms = line.rooms, []
        for room in dict.fromkeys(rooms):
            room.leave(line, cause)

    def closed(self, room: Room) -> None:
        """A game has ended: the room is gone."""
        del self.rooms[room.id]
        self._open.pop(room.id, None)
        self._server.metrics.rooms -= 1
        for seat in room.seats:
            if seat.code and self._codes.pop(seat.code, None):
                self._stale[seat.code] = (room.id, room.dialect)
        while len(self._stale) > _STALE_CODES:
            self._stale.popitem(last=False)
        self._scores.count(room)
        self._server.ended(room)


def _seat(number: int, slot: Slot) -> Seat:
    if slot.reserved:
        return Seat.reserved(number, slot.name or "", slot.can_timeout)
    return Seat(number, slot.name or "", slot.can_timeout)


_FOR_ADMINISTRATORS = {
    Prepare, Observe, Pause, Step, Cancel, SetTimeout, FreeReservation, TestMode, ScoreForPlayer,
}  # fmt: skip

_HANDLERS: dict[type[Any], Callable[[Lobby, Line, Any], None]] = {
    Join: Lobby._join,
    JoinRoom: Lobby._join_room,
    JoinPrepared: Lobby._join_prepared,
    Authenticate: Lobby._authenticate,
    Prepare: Lobby._prepare,
    Observe: Lobby._observe,
    Pause: Lobby._pause,
    Step: Lobby._step,
    Cancel: Lobby._cancel,
    SetTimeout: Lobby._set_timeout,
    FreeReservation: Lobby._free_reservation,
    TestMode: Lobby._test_mode,
    ScoreForPlayer: Lobby._score_for_player,
    Close: Lobby._close,
    EndOfDocument: Lobby._end,
}

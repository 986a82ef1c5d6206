"""The lobby: clients ask for rooms, seats and codes, administrators for everything else.

The effect of a request is the same in all seasons; the dialect defines form and consequence of a
refusal. Texts of refusals are those of the official servers, since clients may compare them.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from spielleiter.errors import PeerError, UsageError
from spielleiter.match import PerMove
from spielleiter.protocol.answers import lobby_class
from spielleiter.protocol.dialect import ANY, Dialect, OnCancel, OnError, OnUnknownGame
from spielleiter.protocol.element import Element
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
    Unknown,
)
from spielleiter.protocol.xml import LeaveCause, NoMove, XmlError, describe, encode, unhandled
from spielleiter.server.admission import Admission
from spielleiter.server.connection import XmlConnection
from spielleiter.server.log import say
from spielleiter.server.open_files import most_connections
from spielleiter.server.password_guard import PasswordGuard
from spielleiter.server.resources import Resources
from spielleiter.server.scores import Scores
from spielleiter.server.seat import RoomSeat
from spielleiter.server.seat_quota import FULL, SeatQuota
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.speaker import XmlSpeaker

_ROOM_TROUBLE = "sc.api.plugins.exceptions.GameRoomException: "
_FULL = "The server is full: too many players without a reservation"
_ASK_AGAIN = 0.02
"""Seconds until a program that is being started is known."""
_STALE_CODES = 10_000
"""Most codes of closed rooms that are still answered with an empty `joined`."""


class RequestError(PeerError):
    """A request that cannot be served; the text says why."""


class Lobby:
    """All rooms, all codes, all administrators of a server."""

    def __init__(
        self,
        resources: Resources,
        games: Sequence[ServedGame],
        *,
        start_of: Callable[[ServedGame, bool], Start],
        ended: Callable[[XmlSpeaker], None],
    ) -> None:
        if not games:
            raise UsageError("a server needs at least one game")
        _check_types(games)
        self._resources, self._start_of, self._ended = resources, start_of, ended
        self.stopping = False
        """No new connections and no new rooms."""
        self.clients: set[XmlConnection] = set()
        settings = resources.settings
        quotas = settings.limits.quotas(most_connections())
        self.admission = Admission(quotas, resources.time.now)
        self._guard = PasswordGuard(settings.password, resources.time.now)
        self._seats = SeatQuota(settings.limits.seats_per_hour, resources.time.now)
        self._games = {served.wire.game_type: served for served in games}
        self._default = games[0]
        self.dialect: Dialect = self._default.wire.dialect if len(games) == 1 else ANY
        """How to speak with somebody who has not said yet which game he wants."""
        self.rooms: dict[str, XmlSpeaker] = {}
        self._open: dict[str, XmlSpeaker] = {}
        """Rooms with a seat that anybody may take, in the order they were opened."""
        self._codes: dict[str, tuple[XmlSpeaker, RoomSeat]] = {}
        self._stale: OrderedDict[str, tuple[str, Dialect]] = OrderedDict()
        self._admins: list[XmlConnection] = []
        self._scores = Scores()

    # -------------------------------------------------------------------------------- connections

    def admit(self, client: XmlConnection) -> bool:
        """Whether there is room for one more connection."""
        self.clients.add(client)
        self._resources.metrics.connections += 1
        if not self.stopping and self.admission.arrive(client):
            return True
        self._resources.metrics.count("dropped", "too many connections")
        return False

    def forget(self, client: XmlConnection) -> None:
        """A connection is closed."""
        if client in self.clients:
            self.clients.remove(client)
            self.admission.leave(client)
            self._resources.metrics.connections -= 1

    def receive(self, client: XmlConnection, message: Message, at: float, first: float) -> None:
        """Serve one message of a client."""
        if type(message) in _FOR_ADMINISTRATORS and not client.is_admin:
            self._turn_away(client, message)
        else:
            self._guarded(client, message, at, first)

    def _receive_again(
        self, client: XmlConnection, message: Message, at: float, first: float
    ) -> None:
        if not client.gone:
            self.receive(client, message, at, first)
            self._resources.outbox.flush()

    def play_at_once(
        self, client: XmlConnection, room: str, data: Element, at: float, first: float
    ) -> bool:
        """Fast path for an ordinary move; False: it is not ordinary, and nothing was done."""
        found = self.rooms.get(room)
        if found is None or found not in client.rooms:
            return False
        try:
            return found.play_at_once(client, data, at, first)
        except (NoMove, XmlError):  # the long way has words for that
            return False
        except Exception:
            self._our_mistake(client, RoomData(room, data))
            return True

    def _guarded(self, client: XmlConnection, message: Message, at: float, first: float) -> None:
        try:
            self._serve(client, message, at, first)
        except RequestError as refusal:
            self._refuse(client, str(refusal), message)
        except XmlError as fault:
            say(logging.INFO, "not understood", peer=client.peer, problem=str(fault))
            self._resources.metrics.count("dropped", "not understood")
            client.drop(fault.cause)
        except Exception:
            self._our_mistake(client, message)

    def _our_mistake(self, client: XmlConnection, message: Message) -> None:
        """Contain a bug of ours to one client."""
        say(logging.ERROR, "our own mistake", peer=client.peer, request=repr(message)[:200])
        logging.getLogger("spielleiter.server").exception("our own mistake")
        self._resources.metrics.count("dropped", "our own mistake")
        client.drop(LeaveCause.UNKNOWN)

    def _serve(self, client: XmlConnection, message: Message, at: float, first: float) -> None:
        match message:
            case RoomData():
                self._move(client, message, at, first)
            case Join():
                self._join(client, message)
            case JoinRoom():
                self._join_room(client, message)
            case JoinPrepared():
                self._join_prepared(client, message, at, first)
            case Authenticate():
                self._authenticate(client, message)
            case Close():
                client.close(LeaveCause.RECEIVED_DISCONNECT)
            case EndOfDocument():
                client.drop(LeaveCause.LOST_CONNECTION)
            case Prepare():
                self._prepare(client, message)
            case Observe():
                self._observe(client, message)
            case Pause():
                self._room(message.room).table.pause(message.pause)
            case Step():
                self._room(message.room).table.step(forced=message.forced)
            case Cancel():
                self._cancel(client, message)
            case SetTimeout():
                self._set_timeout(message)
            case FreeReservation():
                self._free_reservation(message)
            case TestMode():
                self._test_mode(client, message)
            case ScoreForPlayer():
                self._score_for_player(client, message)
            case Unknown():
                raise XmlError(f"unknown element <{message.element.name}>")
            case _:  # what a server says to a client
                text = "sc.api.plugins.exceptions.RescuableClientException: "
                self._refuse(client, text + unhandled(message), message)

    def _refuse(self, client: XmlConnection, text: str, request: Any) -> None:
        say(logging.INFO, "refused", peer=client.peer, why=text)
        self._resources.metrics.count("refused", type(request).__name__)
        client.refusals += 1
        if client.dialect.on_error is not OnError.CLOSE:
            client.say(ErrorPacket(text, request))
        if client.dialect.on_error is not OnError.PACKET or self._is_tiresome(client):
            client.close(LeaveCause.RECEIVED_DISCONNECT, announce=True)

    def _is_tiresome(self, client: XmlConnection) -> bool:
        """Whether a client without a seat was refused too often."""
        limit = self._resources.settings.limits.refusals
        return client.refusals >= limit and not (client.rooms or client.is_admin)

    def _turn_away(self, client: XmlConnection, request: Any) -> None:
        if not client.dialect.ignores_strangers:
            told = describe(request, client.dialect)
            text = f"sc.server.network.UnauthenticatedException: Request {told} "
            self._refuse(client, text + "requires authentication", request)

    # ------------------------------------------------------------------------------------ joining

    def _join(self, client: XmlConnection, join: Join) -> None:
        served = self._wanted(client, join, join.game_type)
        if served is None:
            return
        self._check_place(client)
        room = self._free_room(served) or self._new_room(served, [RoomSeat(0), RoomSeat(1)], join)
        seat = next(seat for seat in room.seats if seat.is_free)
        players = 1 + sum(seat.client is not None for seat in room.seats)
        self._sit_down(client, room, seat)
        for admin in self._admins:
            admin.send(encode(JoinedGameRoom(room.id, players), room.dialect))

    def _check_place(self, client: XmlConnection) -> None:
        """Refuse a client without a reservation if places are kept for others."""
        if not self.admission.may_settle(client, announced=len(self._codes)):
            raise RequestError(_ROOM_TROUBLE + _FULL)
        if not self._seats.admits(client.address):
            raise RequestError(_ROOM_TROUBLE + FULL)

    def _wanted(
        self, client: XmlConnection, request: Request, game_type: str | None
    ) -> ServedGame | None:
        """The requested game; None if the request has been answered already."""
        if game_type is None and not client.dialect.names_game_type:
            return client.first or self._default
        served = self._games.get(game_type or "")
        if served is None:
            self._unknown_game(client, request, game_type)
        return served

    def _unknown_game(self, client: XmlConnection, request: Request, game_type: str | None) -> None:
        if client.dialect.on_unknown_game is OnUnknownGame.DROP:
            say(logging.INFO, "unknown game", peer=client.peer, game=game_type)
            client.drop(LeaveCause.UNKNOWN)
            return
        known = ", ".join(self._games)
        text = "sc.server.plugins.UnknownGameTypeException: Unknown GameType UUID: "
        self._refuse(client, f"{text}{game_type} (available: {known})", request)

    def _free_room(self, served: ServedGame) -> XmlSpeaker | None:
        """The oldest room of that game with a free seat."""
        return next((room for room in self._open.values() if room.served is served), None)

    def _new_room(self, served: ServedGame, seats: list[RoomSeat], request: Request) -> XmlSpeaker:
        limit = self._resources.settings.limits.rooms
        if not isinstance(request, Prepare):
            limit -= limit // 10  # the rest is for those who announce their games
        if self.stopping or len(self.rooms) >= limit:
            why = "The server is stopping" if self.stopping else "Too many rooms"
            raise RequestError(f"{_ROOM_TROUBLE}{why}, no new room can be opened")
        prepared = isinstance(request, Prepare)
        paused = request.pause if isinstance(request, Prepare) else self._resources.settings.paused
        for seat in seats:
            seat.name = seat.name or served.wire.dialect.default_name
            seat.timed = seat.timed if prepared else self._resources.settings.timeouts
        start = self._start_of(served, prepared)
        name = str(uuid.uuid4())
        room = self._room_for(served, start, seats, name=name, paused=paused, prepared=prepared)
        self._note_open(room)
        return room

    def _room_for(
        self,
        served: ServedGame,
        start: Start,
        seats: list[RoomSeat],
        *,
        name: str,
        paused: bool,
        prepared: bool,
        clock: PerMove | None = None,
    ) -> XmlSpeaker:
        room = self.rooms[name] = XmlSpeaker(
            self._resources,
            name,
            served,
            start,
            seats,
            paused=paused,
            prepared=prepared,
            closed=self.closed,
            clock=clock,
        )
        self._resources.metrics.rooms += 1
        for seat in seats:
            if seat.code:
                self._codes[seat.code] = (room, seat)
        return room

    def open(
        self,
        served: ServedGame,
        start: Start,
        seats: list[RoomSeat],
        *,
        name: str,
        paused: bool,
        clock: PerMove | None = None,
    ) -> XmlSpeaker:
        """Open a room from this process, for any edition and position.

        Reserved seats wait for their codes; the others are for players of this process, who take
        them with `room.table.join`.
        """
        if self.stopping or len(self.rooms) >= self._resources.settings.limits.rooms:
            raise UsageError("the server opens no more rooms")
        return self._room_for(
            served, start, seats, name=name, paused=paused, prepared=True, clock=clock
        )

    def _note_open(self, room: XmlSpeaker) -> None:
        if room.id in self.rooms and any(seat.is_free for seat in room.seats):
            self._open[room.id] = room
        else:
            self._open.pop(room.id, None)

    def _join_room(self, client: XmlConnection, join: JoinRoom) -> None:
        room = self._room(join.room)
        seat = next((seat for seat in room.seats if seat.is_free), None)
        if seat is None:
            raise RequestError(f"{_ROOM_TROUBLE}Room {room.id} is already full!")
        self._check_place(client)
        self._sit_down(client, room, seat)

    def _join_prepared(
        self, client: XmlConnection, join: JoinPrepared, at: float, first: float
    ) -> None:
        found = self._codes.get(join.code or "")
        is_player = found is None or found[1].admits(client)
        if is_player is None:
            asyncio.get_running_loop().call_later(
                _ASK_AGAIN, self._receive_again, client, join, at, first
            )
        elif found is not None and is_player:
            self._sit_down(client, *found)
            del self._codes[join.code or ""]
        elif (gone := self._stale.pop(join.code or "", None)) is not None:
            room, dialect = gone
            client.speak(dialect)
            client.say(Joined(room))
        else:
            text = "sc.server.gaming.UnknownReservationException: "
            raise RequestError(text + "Couldn't find a reservation for the provided token.")

    def _sit_down(self, client: XmlConnection, room: XmlSpeaker, seat: RoomSeat) -> None:
        if len(client.rooms) >= self._resources.settings.limits.seats:
            raise RequestError(f"{_ROOM_TROUBLE}This connection has too many seats")
        self.admission.settle(client)
        client.refusals = 0
        client.speak(room.dialect)
        if not (room.dialect.joined_when_full and seat.code):
            client.say(Joined(room.id))
        room.take(seat, client)
        self._note_open(room)

    def _room(self, name: str | None) -> XmlSpeaker:
        if name is None:
            raise XmlError("a request without roomId", cause=LeaveCause.UNKNOWN)
        room = self.rooms.get(name)
        if room is None:
            raise RequestError(f"{_ROOM_TROUBLE}Couldn't find a room with id {name}")
        return room

    # ------------------------------------------------------------------------------------ playing

    def _move(self, client: XmlConnection, sent: RoomData, at: float, first: float) -> None:
        room = self._room(sent.room)
        if room not in client.rooms:
            raise RequestError(f"{_ROOM_TROUBLE}Client is not a member of game {room.id}")
        try:
            room.move(client, sent.data, at, first)
        except NoMove:
            address = f"{lobby_class(sent.data)}@{id(sent) & 0xFFFFFFFF:08x}"
            told = f"RoomPacket(roomId={room.id}, data={address})"
            raise RequestError(f"{_ROOM_TROUBLE}Received non-move packet: {told}") from None

    # ----------------------------------------------------------------------------- administrators

    def _authenticate(self, client: XmlConnection, said: Authenticate) -> None:
        if not self._guard.admits(client.address, said.password):
            text = "sc.server.network.AuthenticationFailedException: "
            raise RequestError(text + "Failed to authenticate as administrator")
        if not client.is_admin:
            client.is_admin = True
            self.admission.settle(client)
            self._admins.append(client)

    def _prepare(self, client: XmlConnection, prepare: Prepare) -> None:
        served = self._wanted_by_name(client, prepare)
        if served is None:
            return
        client.speak(served.wire.dialect)
        prepare = prepare.under(served.wire.dialect)
        seats = [_seat(number, slot) for number, slot in enumerate(prepare.slots)]
        if not 1 <= len(seats) <= len(served.wire.colours):
            raise XmlError(f"a room for {len(seats)} players", cause=LeaveCause.UNKNOWN)
        seats += [RoomSeat(number) for number in range(len(seats), len(served.wire.colours))]
        room = self._new_room(served, seats, prepare)
        codes = tuple(seat.code for seat in seats if seat.code)
        client.say(Prepared(room.id, codes))

    def _wanted_by_name(self, client: XmlConnection, prepare: Prepare) -> ServedGame | None:
        served = self._games.get(prepare.game_type or "")
        if served is None:
            self._unknown_game(client, prepare, prepare.game_type)
        return served

    def _observe(self, client: XmlConnection, observe: Observe) -> None:
        room = self._room(observe.room)
        client.speak(room.dialect)
        client.say(Observed(room.id))
        if client not in room.observers:
            room.observers.append(client)
            client.watched.append(room)
        if room.dialect.observe_sends_state:
            client.say(Memento(room.id, room.state()))

    def _cancel(self, client: XmlConnection, cancel: Cancel) -> None:
        room = self._room(cancel.room)
        room.table.cancel()
        if room.dialect.on_cancel is OnCancel.NO_RESULT and not room.dialect.to_the_letter:
            client.close(LeaveCause.RECEIVED_DISCONNECT)

    def _set_timeout(self, change: SetTimeout) -> None:
        room = self._room(change.room)
        if not 0 <= change.slot < len(room.seats):
            raise XmlError(f"no slot {change.slot}", cause=LeaveCause.UNKNOWN)
        room.seats[change.slot].timed = change.activate
        room.match.timed = tuple(seat.timed for seat in room.seats)

    def _free_reservation(self, free: FreeReservation) -> None:
        found = self._codes.pop(free.code or "", None)
        if found is None:
            text = "sc.server.gaming.UnknownReservationException: "
            raise RequestError(text + "Couldn't find a reservation for the provided token.")
        room, seat = found
        seat.code, seat.is_open = None, True
        self._note_open(room)

    def _test_mode(self, client: XmlConnection, mode: TestMode) -> None:
        self._scores.counting = mode.on
        client.say(Testing(mode.on))

    def _score_for_player(self, client: XmlConnection, asked: ScoreForPlayer) -> None:
        score: PlayerScore | None = self._scores.of(asked.name or "")
        if score is None:
            raise XmlError(f"no scores of {asked.name}", cause=LeaveCause.UNKNOWN)
        client.say(score)

    # ------------------------------------------------------------------------------------- ending

    def left(self, client: XmlConnection, cause: LeaveCause) -> None:
        """A client is gone."""
        if client.is_admin:
            self._admins.remove(client)
        watched, client.watched = client.watched, []
        for room in watched:
            room.stop_observing(client)
        rooms, client.rooms = client.rooms, []
        for room in dict.fromkeys(rooms):
            room.leave(client, cause)

    def closed(self, room: XmlSpeaker) -> None:
        """A game has ended: the room is gone."""
        del self.rooms[room.id]
        self._open.pop(room.id, None)
        self._resources.metrics.rooms -= 1
        for client in {seat.client for seat in room.seats}:
            if client is not None and not client.is_admin and set(client.rooms) == {room}:
                self.admission.unsettle(client)
        for seat in room.seats:
            if seat.code and self._codes.pop(seat.code, None):
                self._stale[seat.code] = (room.id, room.dialect)
        while len(self._stale) > _STALE_CODES:
            self._stale.popitem(last=False)
        self._scores.count(room)
        self._ended(room)


def _check_types(games: Sequence[ServedGame]) -> None:
    """Clients choose by the game type, so no two games of a port may have the same."""
    known: dict[str, str] = {}
    for served in games:
        other = known.setdefault(served.wire.game_type, served.game.name)
        if other != served.game.name:
            both = f"{other} and {served.game.name} are both {served.wire.game_type}"
            raise UsageError(f"{both}: clients cannot choose between them, serve one of the two")


def _seat(number: int, slot: Slot) -> RoomSeat:
    if slot.reserved:
        return RoomSeat.reserved(number, slot.name or "", slot.can_timeout)
    return RoomSeat(number, slot.name or "", slot.can_timeout)


_FOR_ADMINISTRATORS = frozenset((
    Prepare, Observe, Pause, Step, Cancel, SetTimeout, FreeReservation, TestMode, ScoreForPlayer,
))  # fmt: skip

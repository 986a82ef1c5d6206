"""Plays the arena's games: local tables, rooms of the servers, built-in players.

A game without external clients needs no protocol: it has a local table. With one, it is a room of
the contest's server, or a port of its own for the course's protocol. In all of them people and
built-in players are local.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import secrets
import time as clocks
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from spielleiter import bots, games
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Game, Seat
from spielleiter.match import (
    Accounts,
    Consequence,
    Ended,
    Event,
    Match,
    MatchClock,
    Opened,
    PerMove,
    TurnBegan,
)
from spielleiter.match.match import RESIGNED
from spielleiter.protocol.binary import BoardWire
from spielleiter.server import ServedGame, Server, Start, Table, Timekeeper
from spielleiter.server.binary import Arranged, Board, Host
from spielleiter.server.binary import BinarySettings as BinarySettings
from spielleiter.server.seat import RoomSeat
from spielleiter.service.engine_pool import Answer, EnginePool, Question
from spielleiter.web.game_state import GameInfo
from spielleiter.web.service import (
    GamePlan,
    NoSuchGame,
    Offer,
    OpenedGame,
    OpenedSeat,
    SeatPlan,
    ServiceFull,
    Speech,
)

GRACE = 8.0
"""Seconds the referee goes on listening after a move has become too late, as in the contest."""
PACE = 0.9
"""The share of its time that a built-in player uses."""
_log = logging.getLogger("spielleiter.arena")

Announce = Callable[[str, GameInfo], None]
RecordEvent = Callable[[str, Event], None]


@dataclass(slots=True)
class RunningGame:
    """A running game and its players."""

    order: GamePlan
    table: Table
    moved: float
    """When something last happened."""
    asked: int = -1
    """The number of the last request."""


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """How much is played at the same time, and for how long."""

    games: int = 200
    thinking: float = 2.0
    """Seconds that a built-in player may think about a move."""
    idle: float = 24 * 3600.0
    """Seconds after which a game in which nothing happens is cancelled."""


def _offers() -> dict[str, Offer]:
    """All built-in players: chance first, then those without levels, and the best one last."""
    offers = [Offer(name, bots.levels(name)) for name in bots.names()]
    offers.sort(key=lambda each: (each.name == "best", each.levels, each.name != "random"))
    return {offer.name: offer for offer in offers}


OFFERS = _offers()


class ArenaService:
    """Opens and runs games. Needs a running event loop."""

    def __init__(
        self,
        *,
        announce: Announce,
        record: RecordEvent,
        server: Server,
        thinkers: EnginePool,
        time: Timekeeper,
        host: str = "127.0.0.1",
        bounds: ServiceLimits | None = None,
    ) -> None:
        self._announce, self._record = announce, record
        self._server, self._thinkers, self._time = server, thinkers, time
        self._host = host
        self.ports: dict[str, int] = {}
        """Edition → the XML port on which clients that name no game get it."""
        self._bounds = bounds or ServiceLimits()
        self._sittings: dict[str, RunningGame] = {}
        self._ordered = ""
        """The game of ours that is being opened."""
        self._empty: dict[str, Event] = {}
        """Rooms that a client prepared and nobody has come to: nobody hears of them yet."""
        self._hosts: dict[str, Host] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------------------------------- opening

    async def open(self, order: GamePlan) -> OpenedGame:
        """Open a game; it begins as soon as everybody is there."""
        if len(self._sittings) >= self._bounds.games:
            raise ServiceFull(f"{self._bounds.games} games are running: wait until one is over")
        name = secrets.token_hex(8)
        kinds = tuple(plan.kind for plan in order.seats)
        self._announce(name, GameInfo(kinds, order.source, clocks.time(), order.guest))
        if "external" not in kinds:
            return self._open_locally(name, order)
        if speech_of(order.edition) == "xml":
            return self._open_on_server(name, order)
        return await self._open_on_port(name, order)

    def _open_locally(self, name: str, order: GamePlan) -> OpenedGame:
        position = _game(order).parse(order.position)
        may_be_out = hasattr(position, "disqualify")
        match = Match(
            position,
            at=self._time.now(),
            clock=self._clock(order, position.seats),
            names=[plan.name for plan in order.seats],
            timed=[_is_timed(plan, order) for plan in order.seats],
            paused=order.paused,
            consequence=Consequence.DISQUALIFIES if may_be_out else Consequence.ENDS_GAME,
        )
        table = Table(name, match, time=self._time, sinks=[self._note])
        self._sit(name, order, table)
        for seat, plan in enumerate(order.seats):
            if plan.kind != "person":
                table.join(seat)
        return OpenedGame(name, (OpenedSeat(),) * len(order.seats))

    def _open_on_server(self, name: str, order: GamePlan) -> OpenedGame:
        seats = [_server_seat(number, plan, order) for number, plan in enumerate(order.seats)]
        clock = self._clock(order, len(seats))
        assert isinstance(clock, PerMove)
        self._ordered = name
        room = self._server.lobby.open(
            ServedGame.of(_game(order).speaking(self._server.games[0].game.wire)),
            Start(_game(order).parse(order.position)),
            seats,
            name=name,
            paused=order.paused,
            clock=clock,
        )
        self._sit(name, order, room.table)
        for seat in seats:
            if order.seats[seat.number].kind == "built-in":
                room.table.join(seat.number)
        return OpenedGame(name, tuple(self._server_chair(order, seat) for seat in seats))

    def _server_chair(self, order: GamePlan, seat: RoomSeat) -> OpenedSeat:
        if seat.code is None:
            return OpenedSeat()
        port = self.ports.get(order.edition, self._server.port)
        command = f"spielleiter join {order.edition} --bot best -h {self._host} -p {port}"
        command += f" -r {seat.code}"
        if order.authority != "document":
            command += f" --authority {order.authority}"
        options = f"--host {self._host} --port {port} --reservation {seat.code}"
        return OpenedSeat(seat.code, self._host, port, command, options)

    async def _open_on_port(self, name: str, order: GamePlan) -> OpenedGame:
        """Open a port for one game: the course's protocol has no reservations."""
        wire: BoardWire = _game(order).part("wire")
        board = Board(f"{name}.map", wire.map_of(_game(order).parse(order.position)), wire)
        inside = tuple(n for n, plan in enumerate(order.seats) if plan.kind != "external")
        arranged = Arranged(
            tuple(plan.name for plan in order.seats),
            tuple(_is_timed(plan, order) for plan in order.seats),
            inside,
            order.paused,
        )
        settings = BinarySettings(host=self._server.settings.host, port=0, limit=order.per_move)
        host = Host(
            board,
            settings,
            sinks=[lambda _, event: self._note(name, event)],
            time=self._time,
            arranged=arranged,
        )
        await host.start()
        self._hosts[name] = host
        (room,) = host.rooms.values()
        self._sit(name, order, room.table)
        task = asyncio.get_running_loop().create_task(self._see_off(name, host))
        self._keep(task)
        command = _join_command(_game(order), self._host, host.port)
        options = f"-i {self._host} -p {host.port}"
        outside = OpenedSeat(None, self._host, host.port, command, options)
        return OpenedGame(
            name, tuple(outside if p.kind == "external" else OpenedSeat() for p in order.seats)
        )

    async def _see_off(self, name: str, host: Host) -> None:
        await host.finished()
        self._hosts.pop(name, None)

    def _sit(self, name: str, order: GamePlan, table: Table) -> None:
        self._sittings[name] = RunningGame(order, table, self._time.now())

    def _clock(self, order: GamePlan, seats: int) -> MatchClock:
        if speech_of(order.edition) == "binary":
            return (
                PerMove(None, None)
                if order.per_move is None
                else Accounts(order.per_move, (0.0,) * seats)
            )
        if order.per_move is None:
            return PerMove(None, None)
        return PerMove(order.per_move, order.per_move + GRACE)

    # ------------------------------------------------------------------------------------ going on

    async def pause(self, game: str, paused: bool) -> None:
        """Hold a game, or let it go on."""
        sitting = self._sitting(game)
        if not paused and not sitting.table.match.began:
            raise UsageError("this game still waits for players")
        sitting.table.pause(paused)

    async def step(self, game: str) -> None:
        """Let a held game go on for one move."""
        self._sitting(game).table.step()

    async def cancel(self, game: str) -> None:
        """End a game now."""
        self._sitting(game).table.cancel()

    async def join(self, game: str, seat: Seat) -> None:
        """A person takes a seat; clocks run when all seats are taken."""
        table = self._of_person(game, seat)
        if seat not in table.match.present:
            table.join(seat)

    async def resign(self, game: str, seat: Seat) -> None:
        """A person gives up."""
        self._of_person(game, seat).leave(seat, RESIGNED)

    async def play(self, game: str, seat: Seat, move: str) -> None:
        """A person's move."""
        table = self._of_person(game, seat)
        if table.match.pending != seat:
            raise UsageError("it is not your turn")
        table.play(seat, table.match.position.move(move))

    async def take_back(self, game: str, seat: Seat, turn: int, position: str) -> None:
        """A person takes back moves after a turn; external programs cannot."""
        table = self._of_person(game, seat)
        order = self._sitting(game).order
        if any(plan.kind == "external" for plan in order.seats):
            raise UsageError("a program that plays here cannot take moves back")
        table.take_back(seat, turn, _game(order).parse(position))

    def _of_person(self, game: str, seat: Seat) -> Table:
        sitting = self._sitting(game)
        if sitting.order.seats[seat].kind != "person":
            raise UsageError("this seat is not played here")
        return sitting.table

    def _sitting(self, game: str) -> RunningGame:
        if game not in self._sittings:
            raise NoSuchGame("this game is not running here")
        return self._sittings[game]

    def record(self, room: str, event: Event) -> None:
        """The sink of the contest's server, which also plays games that clients open.

        A room that is prepared and cancelled while empty is not recorded.
        """
        if isinstance(event, Opened) and room != self._ordered:
            self._empty[room] = event
            return
        opened = self._empty.pop(room, None)
        if opened is not None:
            if isinstance(event, Ended):
                return
            self._note(room, opened)
        self._note(room, event)

    def _note(self, name: str, event: Event) -> None:
        self._record(name, event)
        sitting = self._sittings.get(name)
        if sitting is None:
            return
        sitting.moved = event.at
        if isinstance(event, TurnBegan):
            sitting.asked = event.number
        if isinstance(event, TurnBegan) and sitting.order.seats[event.seat].kind == "built-in":
            task = asyncio.get_running_loop().create_task(self._think(name, sitting, event))
            self._keep(task)
        elif isinstance(event, Ended):
            del self._sittings[name]

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _think(self, name: str, sitting: RunningGame, turn: TurnBegan) -> None:
        """Make a built-in player's move; it resigns if it has none."""
        began = self._time.now()
        table, plan = sitting.table, sitting.order.seats[turn.seat]
        try:
            answer = await self._thinkers.choose(self._question(name, sitting, turn))
        except (SpielleiterError, RuntimeError) as problem:
            _log.error("%s of game %s cannot move: %s", plan.player, name, problem)
            with suppress(SpielleiterError, KeyError):
                await self.cancel(name)
            return
        await self._rest(sitting, began)
        if name in self._sittings and sitting.asked == turn.number:
            self._answer(table, turn.seat, answer, began)

    def _question(self, name: str, sitting: RunningGame, turn: TurnBegan) -> Question:
        plan, position = sitting.order.seats[turn.seat], sitting.table.match.position
        text = plan.player if plan.level is None else f"{plan.player}:level={plan.level}"
        allowed = self._bounds.thinking if turn.allowed is None else turn.allowed * PACE
        seconds = min(allowed, self._bounds.thinking)
        return Question(
            f"{name}/{turn.seat}",
            text,
            position.edition,
            position.authority,
            position.text(),
            seconds,
        )

    async def _rest(self, sitting: RunningGame, began: float) -> None:
        """Pause, so that people can follow."""
        rest = sitting.order.delay - (self._time.now() - began)
        if rest > 0:
            await asyncio.sleep(rest)

    def _answer(self, table: Table, seat: Seat, answer: Answer, began: float) -> None:
        """Play the answer, charging only the player's own time."""
        if table.match.pending != seat:
            return
        lag = max(0.0, self._time.now() - began - answer.seconds)
        table.play(seat, table.match.position.move(answer.move), lag=lag)

    # ------------------------------------------------------------------------------------- the end

    def sweep(self) -> None:
        """Cancel games that were idle for too long."""
        limit = self._time.now() - self._bounds.idle
        for name, sitting in list(self._sittings.items()):
            if sitting.moved < limit:
                _log.warning("game %s was cancelled: nothing happened for too long", name)
                sitting.table.cancel()

    async def close(self) -> None:
        """End everything now."""
        for sitting in list(self._sittings.values()):
            with suppress(SpielleiterError):
                sitting.table.cancel()
        for host in list(self._hosts.values()):
            await host.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._thinkers.close()


@functools.cache
def speech_of(edition: str) -> Speech | None:
    """The protocol that a game's `wire.py` is for."""
    game = games.load(edition)
    try:
        wire = game.part("wire")
        if hasattr(wire, "map_of"):
            return "binary"
        wire.wire(game)
    except (UsageError, ImportError, AttributeError):
        return None
    return "xml"


@functools.cache
def plays(edition: str) -> tuple[str, ...]:
    """The built-in players that can play a game, tried on its first position."""
    return tuple(name for name in OFFERS if _plays(name, games.load(edition)))


def _plays(player: str, game: Game) -> bool:
    try:
        bots.load(player).begin(game.start(), 0)
    except SpielleiterError:
        return False
    return True


def _game(order: GamePlan) -> Game:
    return games.load(order.edition, order.authority)


def _is_timed(plan: SeatPlan, order: GamePlan) -> bool:
    """Whether a seat has a clock: built-in players limit their time themselves."""
    return order.per_move is not None


def _server_seat(number: int, plan: SeatPlan, order: GamePlan) -> RoomSeat:
    timed = _is_timed(plan, order)
    if plan.kind == "external":
        return RoomSeat.reserved(number, plan.name, timed)
    return RoomSeat(number, plan.name, timed, is_open=False)


def _join_command(game: Game, host: str, port: int) -> str:
    return str(game.part("wire").join_command(host, port))


class UninvitedGames:
    """Unique names for games that clients open on a numbered port."""

    def __init__(self, record: RecordEvent) -> None:
        self._record = record
        self._names: dict[str, str] = {}

    def __call__(self, room: str, event: Event) -> None:
        """Report the events of a game that a client opened, under a unique name."""
        if isinstance(event, Opened):
            self._names[room] = uuid.uuid4().hex[:16]
        self._record(self._names[room], event)
        if isinstance(event, Ended):
            del self._names[room]

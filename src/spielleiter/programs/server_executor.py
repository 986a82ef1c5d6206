"""Plays games between programs that connect to a server in the worker.

A program is started for each game and ended after it. Built-in players that meet a program are
programs too (`spielleiter join`), so that nobody has an advantage. While a game is played, the
programs of the next one are started: they take their seats, are frozen, and begin as soon as the
table is free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from socket import gethostname

from spielleiter import bots
from spielleiter.annotation import SplitLog, split_log
from spielleiter.game import Game, Position, Seat
from spielleiter.match import Ended, Event, Kind, Played, TurnBegan, Violated
from spielleiter.programs.game_server import BookedTable, GameServer, game_server
from spielleiter.programs.processor_waits import ProcessorWaits
from spielleiter.programs.profiling import MoveUsage, UsageMeter, write_usage
from spielleiter.programs.program import is_outside, player_files, program, start_options
from spielleiter.programs.settings import ANYWHERE, Setting
from spielleiter.sandbox import RunningProgram
from spielleiter.sandbox.connections import Address
from spielleiter.tournament.executor import InterruptedGame, NoWatcher, Watcher
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.player_output import headed
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl

_OURS = 0.9  # what a player of ours uses of its time; the rest is for the way there and back
_START, _EXIT, _TICK = 30.0, 1.0, 0.05


class ServerExecutor:
    """Plays games of programs, one at a time, with the next one ready to begin."""

    def __init__(
        self,
        game: Game,
        players: dict[str, str | None],
        limits: TimeControl,
        start: Callable[[Opening], Position],
        setting: Setting | None = None,
        server: GameServer | None = None,
    ) -> None:
        """`server` is a running one; without it a new one is started for these players."""
        self._game, self._players, self._limits, self._start = game, players, limits, start
        self._setting = setting or Setting()
        held = self._setting.with_foreign(player_files(players.values()))
        self._programs = {
            name: program(text, held, start_options(game))
            for name, text in players.items()
            if text is not None and not is_outside(text)
        }
        self._server = server or game_server(
            game.speaking(self._setting.wire), limits, start, self._setting.host
        )
        self._expected: dict[str, Future[_SeatedGame]] = {}
        self.tell: Callable[[str], None] = print
        """Says something to whoever runs the match."""

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return time.monotonic

    @property
    def ahead(self) -> int:
        """How many games it wants to know in advance."""
        return int(self._setting.warm)

    def expect(self, pairing: Pairing) -> None:
        """This game comes next: let its players take their seats."""
        if self._setting.warm and self._is_complete(pairing):
            future: Future[_SeatedGame] = Future()
            self._expected[pairing.key] = future
            threading.Thread(target=self._fulfil, args=(pairing, future), daemon=True).start()

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game; the server is its referee."""
        if not self._is_complete(pairing):
            return self._forfeited(pairing, self._absent(pairing))
        seated = self._seated_game(pairing)
        try:
            seated.begin()
            seated.watch(watcher or NoWatcher())
            seated.check_supervisors()
            self._begin_next(seated)
        finally:
            if self._setting.profile is not None:  # also of a game that is broken off
                write_usage(self._setting.profile, pairing.key, seated.usage())
            printed = seated.end()
        return self._recorded(pairing, seated, printed)

    # ------------------------------------------------------------------------------------ the game

    def _recorded(
        self, pairing: Pairing, sitting: _SeatedGame, printed: dict[Seat, SplitLog]
    ) -> ContestEntry:
        level, events = self._setting.box.level.text, sitting.events
        names = pairing.players
        logs = ((names[seat], each.log) for seat, each in printed.items() if each.log)
        log = "".join(headed(name, text) for name, text in logs)
        shown = {
            (seat, move): annotation
            for seat, each in printed.items()
            for move, annotation in each.shown.items()
        }
        if any(isinstance(event, Ended) for event in events):
            return ContestEntry.of(pairing, events).with_log(log, level, shown)
        return self._forfeited(pairing, sitting.missing, log)

    def _is_complete(self, pairing: Pairing) -> bool:
        return not self._absent(pairing)

    def _absent(self, pairing: Pairing) -> set[Seat]:
        return {seat for seat, name in enumerate(pairing.players) if not self._players[name]}

    def _forfeited(self, pairing: Pairing, absent: set[Seat], log: str = "") -> ContestEntry:
        """The entry of a game with an absent player."""
        anybody = bots.factory("random")
        there = {
            name: None if seat in absent else anybody for seat, name in enumerate(pairing.players)
        }
        executor = InProcessExecutor(
            self._start, there, self._limits, time.monotonic, plays_on=False
        )
        return executor.play(pairing).with_log(log, self._setting.box.level.text)

    # --------------------------------------------------------------------------------- the players

    def _seated_game(self, pairing: Pairing) -> _SeatedGame:
        expected = self._expected.pop(pairing.key, None)
        return self._seat(pairing, warm=False) if expected is None else expected.result()

    def _fulfil(self, pairing: Pairing, future: Future[_SeatedGame]) -> None:
        try:
            future.set_result(self._seat(pairing, warm=True))
        except BaseException as problem:
            future.set_exception(problem)

    def _begin_next(self, ended: _SeatedGame) -> None:
        """Begin the next game before cleaning up this one."""
        if (following := self._following(ended)) is not None:
            following.begin_if_ready()

    def _wake_next(self, ended: _SeatedGame) -> None:
        """Unfreeze the players of the next game as soon as this one has ended, and begin it if
        they run at once."""
        if (following := self._following(ended)) is not None:
            following.wake()
            if following.is_awake:
                following.begin_if_ready()

    def _following(self, ended: _SeatedGame) -> _SeatedGame | None:
        """The game after one that has ended, if its players have their seats and it has not begun.

        The one that has ended may still be expected, if the one before it is being cleaned up.
        """
        for expected in list(self._expected.values()):  # another thread may take one away
            if not expected.done() or expected.exception() is not None:
                return None
            game = expected.result()
            if game is not ended and not game.is_over:
                return None if game.has_begun else game
        return None

    def _seat(self, pairing: Pairing, *, warm: bool) -> _SeatedGame:
        table = self._server.book(pairing)
        started: list[RunningProgram | None] = []

        def is_player(seat: Seat, peer: Address, own: Address) -> bool | None:
            if seat >= len(started):
                return None  # it is being started
            running = started[seat]
            return running is None or running.has_network or running.is_peer(peer, own)

        table.guard(is_player)
        try:
            for seat, name in enumerate(pairing.players):
                started.append(self._started(pairing, seat, name, table))
        except BaseException:
            for each in started:
                if each is not None:
                    each.end(0.0)
            table.close()
            raise
        patience = self._setting.wait if None in started else _START
        seated = _SeatedGame(table, started, patience, freeze=self._setting.freeze, warm=warm)
        seated.at_end = self._wake_next
        if self._setting.profile is not None:
            seated.measure(pairing.players)
        return seated

    def _started(
        self, pairing: Pairing, seat: Seat, name: str, table: BookedTable
    ) -> RunningProgram | None:
        places = table.address(seat)
        chosen = self._programs.get(name)
        if chosen is None:
            self._invite(pairing, name, places)
            return None
        order = chosen.order(places | self._own_places(pairing, seat))
        running = self._setting.box.start(order)
        listener = running.take_listener()
        if listener is not None:
            table.open(seat, listener)
        return running

    def _own_places(self, pairing: Pairing, seat: Seat) -> dict[str, str]:
        return {
            "{seed}": str(drawn(pairing.opening.seed, pairing.key, seat)),
            "{game}": self._game.name,
            "{authority}": self._game.authority,
            "{seconds}": str(_OURS * (self._limits.per_move or 0.0)),
        }

    def _invite(self, pairing: Pairing, name: str, places: dict[str, str]) -> None:
        code = f", reservation {places['{reservation}']}" if places["{reservation}"] else ""
        host = gethostname() if self._setting.host in ANYWHERE else places["{host}"]
        where = f"{host}:{places['{port}']}{code}"
        self.tell(f"{pairing.key}: waiting for {name} at {where}")


class _SeatedGame:
    """One game with its players, from their start to their end."""

    def __init__(
        self,
        table: BookedTable,
        programs: list[RunningProgram | None],
        patience: float,
        *,
        freeze: bool,
        warm: bool,
    ) -> None:
        self._table, self._programs, self._events = table, programs, table.events
        self._late = time.monotonic() + patience
        self.has_begun = self._halted = self._prepared = False
        self._waking: list[Callable[[], object]] = []
        """Waits for each of the players who were told to go on."""
        self.at_end: Callable[[_SeatedGame], None] = lambda ended: None
        """Called in the server's thread when the game has ended, before the players hear of it."""
        self._waits = ProcessorWaits(programs)
        self._waits.on_asking = self._note_asking
        self._table.give_credit(self._waits)
        self._freeze = freeze
        self._asked: dict[Seat, list[int]] = {seat: [] for seat in range(len(programs))}
        """How much each had printed when it was asked for its moves."""
        self._meters: dict[Seat, UsageMeter] = {}
        self._events.on_event = self._note_event
        if not freeze:
            table.let_events_wait()
        if warm:
            self._await_seats()
            self._prepare()
            self._halt()

    @property
    def events(self) -> list[Event]:
        """The referee's events so far."""
        return self._events.events

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._events.ended

    @property
    def missing(self) -> set[Seat]:
        """The seats that are still empty."""
        return set(range(len(self._programs))) - self._events.seated

    def begin(self) -> None:
        """Begin when all players are seated; stop waiting after a timeout."""
        if self.has_begun:
            return
        self.has_begun = True
        self._await_seats()
        if self._events.ended:
            return
        if self.missing:
            if not self._table.abandon():
                self._events.ended = True
            return
        self._prepare()
        self._resume()
        self._table.begin()

    @property
    def is_awake(self) -> bool:
        """Whether `begin` waits for nobody: its players were frozen and run again."""
        return self._prepared and not self._halted and not self._waking

    def begin_if_ready(self) -> None:
        """Begin if all players are seated."""
        if not self.missing and not self._events.ended:
            self.begin()

    def watch(self, watcher: Watcher) -> None:
        """Wait for the end of the game; the watcher gets every move."""
        seen = 0
        while not self._events.ended:
            self._events.wait(_TICK)
            self._check_output()
            new, seen = self.events[seen:], len(self.events)
            for event in new:
                if isinstance(event, Played):
                    watcher.played(event.move)

    def check_supervisors(self) -> None:
        """Raise SandboxFailed if a player is gone because its supervisor was killed."""
        gone = {
            event.seat
            for event in self.events
            if isinstance(event, Violated) and event.fault.kind is Kind.LEFT
        }
        for seat, each in enumerate(self._programs):
            if each is not None and seat in gone:
                each.check_supervisor()

    def measure(self, names: Sequence[str]) -> None:
        """Measure what every program uses for its moves."""
        self._table.let_events_wait(False)
        for seat, each in enumerate(self._programs):
            if each is not None:
                self._meters[seat] = UsageMeter(names[seat], each.program_pid)

    def usage(self) -> list[MoveUsage]:
        """What was measured, player by player."""
        return [move for meter in self._meters.values() for move in meter.moves]

    def end(self) -> dict[Seat, SplitLog]:
        """Release the table; returns the players' output."""
        self._events.on_event = lambda event: None
        self._resume()
        self._table.close()
        self._waits.close()
        late = time.monotonic() + _EXIT
        found = {}
        for seat, each in enumerate(self._programs):
            if each is not None:
                each.end(max(0.0, late - time.monotonic()))
                found[seat] = split_log(each.output, self._asked[seat])
        return found

    # --------------------------------------------------------------------------------------- inside

    def _prepare(self) -> None:
        if not self._prepared:
            self._waits.prepare()
            self._prepared = True

    def _await_seats(self) -> None:
        while not self._events.ended and self.missing:
            self._events.wait(_TICK)
            self._check_output()
            late = time.monotonic() > self._late
            if self.missing and (late or all(self._is_gone(seat) for seat in self.missing)):
                return

    def _is_gone(self, seat: Seat) -> bool:
        running = self._programs[seat]
        return running is not None and running.is_gone

    def _check_output(self) -> None:
        for each in self._programs:
            if each is not None:
                each.check_output()

    def _halt(self) -> None:
        """Freeze players that wait for the table."""
        self._halted = True
        for each in self._programs:
            if each is not None:
                each.freeze()

    def wake(self) -> None:
        """Unfreeze the players; `begin` waits until they run."""
        if self._halted:
            self._halted = False
            waits = [each.thaw_soon() for each in self._programs if each is not None]
            self._waking = [wait for wait in waits if wait is not None]

    def _resume(self) -> None:
        self.wake()
        for wait in self._waking:
            wait()
        self._waking = []

    def _note_event(self, event: Event) -> None:
        """Handle an event in the server's thread, before the players get it."""
        if isinstance(event, Ended):
            self.at_end(self)
            self._waits.over()
        elif isinstance(event, Played):
            self._waits.answered(event.seat)
            if event.seat in self._meters:
                self._meters[event.seat].answered(event.spent)
        elif isinstance(event, TurnBegan) and event.seat in self._meters:
            self._meters[event.seat].asked()
        if self._freeze:
            self._freeze_idle(event)

    def _note_asking(self, seat: Seat) -> None:
        if (running := self._programs[seat]) is not None:
            self._asked[seat].append(running.printed)

    def _freeze_idle(self, event: Event) -> None:
        """Freeze idle players, and unfreeze the next one before its request."""
        if isinstance(event, TurnBegan) and (running := self._programs[event.seat]) is not None:
            running.thaw()
        elif isinstance(event, Played) and (running := self._programs[event.seat]) is not None:
            running.freeze()
            self._halted = True

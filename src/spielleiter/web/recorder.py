"""Records all games of the arena: running ones in memory, all of them in the store.

The game service calls `record` with every event. A separate thread appends it to the store;
spectators get it at once. Entries never change.
"""

from __future__ import annotations

import asyncio
import json
import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from typing import Any, TypeVar

from spielleiter.annotation import Annotation, annotation
from spielleiter.errors import SpielleiterError, StoreError, TextError
from spielleiter.game import Seat
from spielleiter.match import (
    Began,
    Ended,
    Event,
    Opened,
    PauseChanged,
    Played,
    Seated,
    TakenBack,
    TurnBegan,
    Violated,
)
from spielleiter.match.record import GameRecord, Turn
from spielleiter.store import Entry, Store
from spielleiter.store.event_json import from_json, read_event, to_json
from spielleiter.store.rolling import RollingStore
from spielleiter.store.stored_games import HAPPENED, OPENED
from spielleiter.web import models
from spielleiter.web.feed import Feed, MakeMessage
from spielleiter.web.game_state import GameInfo, GameState
from spielleiter.web.guest_allowance import GuestAllowance
from spielleiter.web.models import Language
from spielleiter.web.serialisation import GameSerialiser, state_of, summary_of
from spielleiter.web.service import SeatKind

OVER, SHOWN = "arena over", "arena shown"
"""Kinds of entries besides the events of games: the end of a game, and annotations."""
_MOST_SHOWN = 4_000
"""Most annotations in a game."""
_AT_ONCE = 500
_KEPT = 64
"""Finished games that are kept in memory after a visit."""
_ANNOUNCED = 1_000
_LIVE = frozenset({"waiting", "running"})
"""States of games that are in memory."""
_log = logging.getLogger("spielleiter.web")

Read = TypeVar("Read")
Hook = Callable[[GameState, Event], None]
Downloads = Callable[[GameState], tuple[str, ...]]
Speaks = Callable[[str], models.Speech | None]


@dataclass(slots=True)
class LiveGame:
    """A game in memory, with its feed."""

    state: GameState
    feed: Feed
    size: int = 0
    """Stored characters so far."""
    visitor: str | None = None
    """The guest who opened it."""


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """The summary of a game that is not in memory."""

    state: GameState
    """Its opening only."""
    ended: Ended | None
    turn: int
    ply: int


class GameRecorder:
    """All games that were played here."""

    def __init__(
        self,
        store: Store | None = None,
        passing: RollingStore | None = None,
        *,
        wall: Callable[[], float] = time.time,
        on_failure: Callable[[StoreError], None] = lambda problem: None,
    ) -> None:
        self._store, self._wall = store, wall
        self._passing = passing
        """Keeps the games of strangers, the oldest of which go."""
        self._passes: set[str] = set()
        """Games that it keeps."""
        self._gone: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
        if passing is not None:
            passing.forget = self._gone.put
        self._lines: dict[str, ArchivedGame | None] = {}
        """All games in the order they were opened; None: it is live."""
        self._live: dict[str, LiveGame] = {}
        self._kept: OrderedDict[str, LiveGame] = OrderedDict()
        self._infos: dict[str, GameInfo] = {}
        self.allowance = GuestAllowance()
        self._hooks: list[Hook] = []
        self.downloads: Downloads = lambda state: ()
        self.speaks: Speaks = lambda edition: None
        self._writer = None if store is None else _Writer(store, on_failure)
        self._recollect()

    # ------------------------------------------------------------------------------------ hearing

    def announce(self, name: str, info: GameInfo) -> None:
        """Announce the data of a game before its opening."""
        self._infos[name] = info
        while len(self._infos) > _ANNOUNCED:  # some are never opened
            self._infos.pop(next(iter(self._infos)))

    def attribute(self, name: str, visitor: str) -> None:
        """Note that a guest opened a game, to charge its storage."""
        live = self._live.get(name) or self._kept.get(name)
        self.allowance.charge(visitor, games=1, size=0 if live is None else live.size)
        if live is not None:
            live.visitor = visitor

    def record(self, name: str, event: Event) -> None:
        """Record an event of a game, in order; ignores unknown games."""
        if isinstance(event, Opened):
            self._open(name, event)
        elif name in self._live:
            self._advance(self._live[name], event)

    def show(self, name: str, seat: Seat, shown: Annotation) -> bool:
        """Record an annotation, also shortly after the end; whether there is room."""
        live = self._live.get(name) or self._kept.get(name)
        if live is None or live.state.lines_shown >= _MOST_SHOWN:
            return False
        data = {"seat": seat, "shown": shown.plain()}
        self._keep(name, Entry(SHOWN, f"{name}/{live.state.lines_shown}", _text(data)))
        live.state.show(seat, shown)
        return True

    def subscribe(self, hook: Hook) -> None:
        """Call a hook with every event, after it was added to its game."""
        self._hooks.append(hook)

    def add(self, name: str, info: GameInfo, events: Sequence[Event]) -> GameState:
        """Add a whole game that was played elsewhere; it counts as over."""
        self.announce(name, info)
        for event in events:
            self.record(name, event)
        live = self._live.get(name) or self._kept[name]
        if name in self._live:
            self._abort(live)
        return live.state

    def _open(self, name: str, opened: Opened) -> None:
        self._forget()
        info = self._infos.pop(name, None) or self._unannounced(opened)
        if self._passing is not None and info.is_temporary:
            self._passes.add(name)
        state = GameState(name, info, opened)
        live = LiveGame(state, Feed(self._snapshot(state), 0))
        self._live[name], self._lines[name] = live, None
        data = {"facts": info.plain(), "event": to_json(opened)}
        self._keep(name, Entry(OPENED, name, _text(data)))
        self._tell_hooks(state, opened)

    def _unannounced(self, opened: Opened) -> GameInfo:
        kind: SeatKind = "external"
        return GameInfo((kind,) * len(opened.names), "server", self._wall())

    def _advance(self, live: LiveGame, event: Event) -> None:
        state = live.state
        turn = state.add(event)
        entry = Entry(HAPPENED, f"{state.id}/{event.number}", _text(to_json(event)))
        self._keep(state.id, entry)
        live.feed.publish(event.number, self._message(state, event, turn))
        if isinstance(event, Ended):
            self._finish(live)
        self._tell_hooks(state, event)

    def _finish(self, live: LiveGame) -> None:
        state = live.state
        self._keep(state.id, Entry(OVER, state.id, _text(_summed_up(state))))
        self._lines[state.id] = _line(state)
        self._remember(self._live.pop(state.id))
        live.feed.close()

    def _abort(self, live: LiveGame) -> None:
        live.state.broken = True
        live.feed.publish(live.state.last, self._snapshot(live.state))
        self._finish(live)

    def _tell_hooks(self, state: GameState, event: Event) -> None:
        for hook in self._hooks:
            hook(state, event)

    # ------------------------------------------------------------------------------------- messages

    def _snapshot(self, state: GameState) -> MakeMessage:
        return lambda language: models.SnapshotMessage(game=self.detail(state, language))

    def detail(self, state: GameState, language: Language) -> models.GameDetail:
        """All there is to know about a game."""
        speaks = self.speaks(state.opened.edition)
        return GameSerialiser(state, language).detail(self.downloads(state), speaks)

    def _message(self, state: GameState, event: Event, turn: Turn | None) -> MakeMessage | None:
        """The message of an event: its content is fixed now, translated on demand."""
        if isinstance(event, Played | Violated | TakenBack):
            return _of_turn(state, event, turn)
        if isinstance(event, TurnBegan):
            clocks = GameSerialiser(state, "en").clocks()
            said = models.TurnMessage(seat=event.seat, ply=event.ply, clocks=clocks)
            return lambda language: said
        if isinstance(event, Seated | Began):
            present = tuple(seat in state.match.present for seat in range(len(state.match.names)))
            seated = models.SeatedMessage(present=present, state=state_of(state))
            return lambda language: seated
        if isinstance(event, PauseChanged):
            paused = models.PauseMessage(paused=event.paused)
            return lambda language: paused
        if isinstance(event, Ended):
            return lambda language: self._end_message(state, language)
        return None

    def _end_message(self, state: GameState, language: Language) -> models.EndMessage:
        serialiser, match = GameSerialiser(state, language), state.match
        return models.EndMessage(
            summary=serialiser.summary(),
            scene=serialiser.scene(match.position, match.last_move),
            downloads=self.downloads(state),
        )

    # ------------------------------------------------------------------------------------- reading

    def live(self, name: str) -> GameState | None:
        """The state of a game that runs."""
        live = self._live.get(name)
        return None if live is None else live.state

    def live_games(self) -> tuple[GameState, ...]:
        """All games that are not over."""
        return tuple(live.state for live in self._live.values())

    @property
    def is_empty(self) -> bool:
        """Whether no game was ever played here."""
        return not self._lines

    @property
    def running(self) -> int:
        """How many games are not over."""
        return len(self._live)

    @property
    def spectators(self) -> int:
        """How many watch."""
        return sum(live.feed.spectators for live in (*self._live.values(), *self._kept.values()))

    async def find(self, name: str) -> LiveGame | None:
        """The game of that name, from memory or the store."""
        live = self._live.get(name) or self._kept.get(name)
        if live is not None or self._lines.get(name) is None or self._store is None:
            return live
        state = await asyncio.to_thread(self._read_now, name)
        if state is None:
            return None
        feed = Feed(self._snapshot(state), state.last)
        feed.close()
        live = LiveGame(state, feed)
        self._remember(live)
        return live

    def finished(self, most: int) -> list[tuple[str, tuple[str, ...]]]:
        """The newest finished games, and their players."""
        self._forget()
        openings = ((name, *self._opening(name)) for name in self._names(None))
        over = (
            (name, state.opened.names)
            for name, state, line in openings
            if _state(state, line) == "finished"
        )
        return list(islice(over, most))

    def finished_record(self, name: str) -> GameRecord | None:
        """The record of a finished game, for any thread; not kept in memory."""
        live = self._live.get(name) or self._kept.get(name)
        if live is not None or self._store is None:
            return None if live is None else live.state.record
        state = self._read_now(name)
        return None if state is None else state.record

    def summaries(
        self,
        language: Language,
        *,
        states: frozenset[str] | None = None,
        edition: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> tuple[tuple[models.GameSummary, ...], str | None]:
        """A page of games, newest first, and where the next one begins."""
        self._forget()
        found: list[models.GameSummary] = []
        for name in self._names(before, states):
            state, line = self._opening(name)
            if edition is not None and state.opened.edition != edition:
                continue
            if states is not None and _state(state, line) not in states:
                continue
            if len(found) == limit:
                return tuple(found), found[-1].id
            found.append(_summary(state, line, language))
        return tuple(found), None

    def _names(self, before: str | None, states: frozenset[str] | None = None) -> Iterator[str]:
        """Names of games, newest first, from a given one on; live ones only if wanted."""
        is_live = before is None or before in self._live
        known = self._live if is_live and states and states <= _LIVE else self._lines
        names = reversed(known)
        if before is not None and before in known:
            for name in names:
                if name == before:
                    break
        yield from names

    def _opening(self, name: str) -> tuple[GameState, ArchivedGame | None]:
        line = self._lines[name]
        return (self._live[name].state, None) if line is None else (line.state, line)

    def _remember(self, live: LiveGame) -> None:
        """Drop finished games from memory, unless they are watched."""
        self._kept[live.state.id] = live
        self._kept.move_to_end(live.state.id)
        idle = [name for name, each in self._kept.items() if not each.feed.spectators]
        if self._store is not None:
            for name in idle[: max(0, len(self._kept) - _KEPT)]:
                del self._kept[name]

    # -------------------------------------------------------------------------------------- keeping

    def _keep(self, name: str, entry: Entry) -> None:
        if (live := self._live.get(name)) is not None:
            live.size += len(entry.data)
            if live.visitor is not None:
                self.allowance.charge(live.visitor, size=len(entry.data))
        if self._writer is not None:
            self._writer.put(self._home(name), entry)

    def _home(self, name: str) -> Store | RollingStore:
        """The store of a game."""
        home = self._passing if name in self._passes else self._store
        assert home is not None
        return home

    def _forget(self) -> None:
        """Drop temporary games that were deleted from their store."""
        while not self._gone.empty():
            for name in self._gone.get():
                self._passes.discard(name)
                if self._lines.get(name) is not None:  # else it is still being played
                    del self._lines[name]
                    self._kept.pop(name, None)

    def _recollect(self) -> None:
        """Read all games of the store; those that were running at the last stop are aborted."""
        if self._store is None:
            return
        found: dict[str, GameState] = {}
        for entry in self._all(OPENED):
            state = _understood(entry, partial(_opened, entry.key))
            if (
                state is not None
            ):  # else: damaged, or an edition that is not on the catalogue any more
                found[entry.key] = state
        for name, state in sorted(found.items(), key=lambda each: each[1].info.created):
            self._lines[name] = ArchivedGame(state, None, 0, 0)
        told_over = set()
        for entry in self._all(OVER):
            told_over.add(entry.key)
            known = self._lines.get(entry.key)
            over = None if known is None else _understood(entry, partial(_recalled, known.state))
            if over is not None:
                self._lines[entry.key] = over
        for name, line in list(self._lines.items()):
            if line is not None and line.ended is None and not line.state.broken:
                state = self._read(name)
                assert state is not None
                self._lines[name] = _line(state)
                if name not in told_over:  # else that entry is damaged, and stays as it is
                    self._keep(name, Entry(OVER, name, _text(_summed_up(state))))

    def _all(self, kind: str) -> Iterator[Entry]:
        """The entries of a kind in both stores."""
        assert self._store is not None
        yield from self._store.read(kind)
        for entry in self._passing.read(kind) if self._passing is not None else ():
            self._passes.add(entry.key)
            yield entry

    def _read_now(self, name: str) -> GameState | None:
        if self._writer is not None:
            self._writer.flush()
        return self._read(name)

    def _read(self, name: str) -> GameState | None:
        """Read a whole game from the store, up to a damaged event."""
        home = self._home(name)
        openings = home.named(OPENED, [name])
        if not openings:  # it has just made room for others
            return None
        state = _opened(name, openings[0].data)
        for entry in home.numbered(HAPPENED, name):
            if _understood(entry, partial(_add, state)) is None:
                break
        for entry in home.numbered(SHOWN, name):
            _understood(entry, partial(_show, state))
        state.broken = state.ended is None
        return state

    def close(self) -> None:
        """Write everything to the store and close."""
        for live in list(self._live.values()):
            self._abort(live)
        if self._writer is not None:
            self._writer.close()


def _of_turn(
    state: GameState, event: Played | Violated | TakenBack, made: Turn | None
) -> MakeMessage:
    position, last = state.match.position.copy(), state.match.last_move
    clocks, text = GameSerialiser(state, "en").clocks(), position.text()

    def words(language: Language) -> models.Model:
        serialiser = GameSerialiser(state, language)
        turn = None if made is None else serialiser.turn(made)
        scene = None if made is None else serialiser.scene(position, last)
        if isinstance(event, Violated):
            return models.ViolationMessage(
                seat=event.seat,
                fault=serialiser.fault(event.fault),
                turn=turn,
                scene=scene,
                position=None if made is None else text,
            )
        assert turn is not None
        assert scene is not None
        return models.MoveMessage(turn=turn, scene=scene, clocks=clocks, position=text)

    return words


def _summed_up(state: GameState) -> dict[str, Any]:
    ended = None if state.ended is None else to_json(state.ended)
    return {"event": ended, "turn": state.turn, "ply": state.match.position.ply}


def _line(state: GameState) -> ArchivedGame:
    """A finished game, shortened to what the lobby shows."""
    short = GameState(state.id, state.info, state.opened)
    short.broken = state.broken
    return ArchivedGame(short, state.ended, state.turn, state.match.position.ply)


def _recalled(state: GameState, text: str) -> ArchivedGame:
    data = json.loads(text)
    ended = None if data["event"] is None else from_json(data["event"])
    if ended is not None and not isinstance(ended, Ended):
        raise TextError("this is no end of a game")
    state.broken = ended is None
    return ArchivedGame(state, ended, data["turn"], data["ply"])


def _state(state: GameState, line: ArchivedGame | None) -> models.State:
    if line is None:
        return state_of(state)
    return "aborted" if line.ended is None else "finished"


def _summary(state: GameState, line: ArchivedGame | None, language: Language) -> models.GameSummary:
    serialiser = GameSerialiser(state, language)
    summary = summary_of(state, serialiser)
    return summary if line is None else _completed(summary, line, serialiser)


def _completed(
    summary: models.GameSummary, line: ArchivedGame, serialiser: GameSerialiser
) -> models.GameSummary:
    """The summary of a game that is not in memory any more."""
    ended = line.ended
    changes = {
        "turn": line.turn,
        "ply": line.ply,
        "to_move": None,
        "state": _state(line.state, line),
        "ended": None if ended is None else line.state.wall(ended.at),
        "result": None if ended is None else serialiser.result(ended),
        "present": (True,) * len(summary.names),
    }
    return summary.model_copy(update=changes)


def _opened(name: str, text: str) -> GameState:
    data = json.loads(text)
    opened = from_json(data["event"])
    if not isinstance(opened, Opened):
        raise TextError("this is no opening of a game")
    return GameState(name, GameInfo.of(data["facts"]), opened)


def _add(state: GameState, text: str) -> GameState:
    state.add(read_event(text))
    return state


def _show(state: GameState, text: str) -> GameState:
    data = json.loads(text)
    state.show(int(data["seat"]), annotation(**data["shown"]))
    return state


def _understood(entry: Entry, read: Callable[[str], Read]) -> Read | None:
    """Parse an entry; a damaged one is logged and skipped."""
    try:
        return read(entry.data)
    except (SpielleiterError, ValueError, LookupError, TypeError, AttributeError) as problem:
        key = ascii(entry.key)
        _log.warning("%s %s cannot be shown: %s", entry.kind, key, ascii(str(problem))[:200])
        return None


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


_Task = tuple[Store | RollingStore, Entry] | threading.Event | None


class _Writer:
    """Appends entries in a thread, in batches."""

    def __init__(self, store: Store, on_failure: Callable[[StoreError], None]) -> None:
        self._store, self._on_failure = store, on_failure
        self._queue: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def put(self, store: Store | RollingStore, entry: Entry) -> None:
        self._queue.put((store, entry))

    def flush(self) -> None:
        """Wait until all entries are in the store."""
        done = threading.Event()
        self._queue.put(done)
        done.wait(30.0)

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join(30.0)

    def _work(self) -> None:
        going = True
        while going:
            batch = [self._queue.get()]
            while not self._queue.empty() and len(batch) < _AT_ONCE:
                batch.append(self._queue.get())
            entries = [each for each in batch if isinstance(each, tuple)]
            for store, group in groupby(entries, key=lambda each: each[0]):
                self._append(store, [entry for _, entry in group])
            for each in batch:
                if isinstance(each, threading.Event):
                    each.set()
                going = going and each is not None

    def _append(self, store: Store | RollingStore, entries: list[Entry]) -> None:
        try:
            store.append(entries)
        except StoreError as problem:
            _log.error("the arena cannot keep what happens: %s", problem)
            if store is self._store:  # strangers may lose what the organiser may not
                self._on_failure(problem)

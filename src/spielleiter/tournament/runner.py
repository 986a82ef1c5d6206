"""Runs the games of a schedule in worker processes, and never loses more than a game.

A worker plays whole games through the referee. What goes on in it is seen through a window of
shared memory: whose code runs, since when, and the moves so far. So a worker that dies or hangs
costs one player one game: the worker is replaced, and the game is judged, or goes on where the
game can do without that player.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Seat
from spielleiter.match import Fault, Kind
from spielleiter.tournament.pairing import Opening, Options, Pairing, Played, Result
from spielleiter.tournament.record import ContestEntry, to_text
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.table import CRASHED, Foresighted, Past, Place

Maker = Callable[[], Place]
"""Makes the place to play inside a worker: has to survive pickling."""

NEW = Past()
_TEXT = 1 << 18
_BATCH_SECONDS, _MOST_GAMES = 0.1, 256
_TICK, _START, _FAREWELL = 0.05, 60.0, 2.0
_LOG = 1 << 16
_GAME, _SEAT, _SINCE, _LENGTH = range(4)
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Job:
    """A game for a worker, and what is already known of it."""

    pairing: Pairing
    past: Past = NEW
    tries: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Through the pipe as plain values: values with slots are slow to pickle."""
        opening = self.pairing.opening
        past = None if self.past is NEW else self.past
        plain = (self.pairing.key, self.pairing.players, opening.seed, opening.options)
        return _job, (*plain, past, self.tries)


def _job(
    key: str, players: tuple[str, ...], seed: int, options: Options, past: Past | None, tries: int
) -> Job:
    return Job(Pairing(key, players, Opening(seed, options)), past or NEW, tries)


@dataclass(frozen=True, slots=True)
class Done:
    """A game that was played: its text for the store, and its result."""

    result: Result
    text: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker can play, and likes to know so many games before it plays them."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Note:
    """A worker has something to say to whoever looks."""

    text: str


class Window:
    """What the parent can see of a worker at any moment, even of one that hangs or is dead."""

    __slots__ = ("_numbers", "_text")

    def __init__(self) -> None:
        self.__setstate__((_SPAWN.RawArray("d", 4), _SPAWN.RawArray("B", _TEXT)))
        self.begins(0)  # nobody thinks yet: else the first seat would have been silent for ever

    def __getstate__(self) -> Any:
        return self._numbers, self._text

    def __setstate__(self, state: Any) -> None:
        self._numbers, self._text = state

    def begins(self, game: int) -> None:
        """The game of that number in the life of the worker begins."""
        self._numbers[_LENGTH] = 0
        self._numbers[_SEAT] = -1
        self._numbers[_GAME] = game

    @property
    def game(self) -> int:
        return int(self._numbers[_GAME])

    @property
    def seat(self) -> Seat:
        return int(self._numbers[_SEAT])

    @property
    def since(self) -> float:
        return float(self._numbers[_SINCE])

    @property
    def moves(self) -> tuple[str, ...]:
        written = bytes(self._text[: int(self._numbers[_LENGTH])])
        return tuple(written.decode().split("\n")[:-1])


# --------------------------------------------------------------------------------------- the worker


class _Glass:
    """The worker's side of the window: a witness."""

    __slots__ = ("_length", "_numbers", "_view")

    def __init__(self, window: Window) -> None:
        numbers, text = window.__getstate__()
        self._numbers = memoryview(numbers).cast("B").cast("d")
        self._view, self._length = memoryview(text).cast("B"), 0
        self._numbers[_LENGTH] = 0.0

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        if seat >= 0:
            self._numbers[_SINCE] = since
        self._numbers[_SEAT] = seat

    def played(self, move: str) -> None:
        """A game too long for the window is seen up to there."""
        line = move.encode() + b"\n"
        end = self._length + len(line)
        if end <= _TEXT:
            self._view[self._length : end] = line
            self._numbers[_LENGTH] = self._length = end


def work(make: Maker, pipe: Connection, window: Window) -> None:
    """The life of a worker: batches in, results out, until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whatever was started is cleaned up
    threading.Thread(target=_follow_parent, daemon=True).start()
    printed = _capture()
    try:
        place = make()
    except Exception as problem:  # a player's file may do anything while it is read
        ours = isinstance(problem, SpielleiterError)
        pipe.send(problem if ours else UsageError(f"{type(problem).__name__}: {problem}"))
        return
    try:
        _serve(place, _Post(pipe, place), window, printed)
    except (EOFError, OSError):
        return


def _serve(place: Place, post: _Post, window: Window, printed: Any) -> None:
    post.send(Ready(post.ahead))
    played = 0
    while True:
        jobs = post.receive()
        results = _played(place, jobs, window, printed, played)
        played += len(jobs)
        post.send(results)


def _played(
    place: Place, jobs: list[Job], window: Window, printed: Any, first: int
) -> list[tuple[Any, str]]:
    results = []
    for number, job in enumerate(jobs, first):
        window.begins(number)
        entry = place.play(job.pairing, _Glass(window), job.past)
        if printed.tell():
            entry = _with_log(entry, printed)
        result = entry.result()
        plain = (result.ranks, result.scores, result.faults, result.spent, result.sandbox)
        results.append((plain, to_text(entry)))
    return results


class _Post:
    """A worker's end of the pipe.

    A place that looks ahead hears of a game when it is handed over, even while it plays another.
    """

    def __init__(self, pipe: Connection, place: Place) -> None:
        self._pipe, self._place = pipe, place
        self._sending = threading.Lock()
        self._waiting: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._busy = False
        self.ahead = int(getattr(place, "ahead", 0))
        if self.ahead:
            threading.Thread(target=self._read_on, daemon=True).start()
        if hasattr(place, "tell"):
            place.tell = lambda text: self.send(Note(text))

    def send(self, message: Any) -> None:
        with self._sending:
            self._pipe.send(message)

    def receive(self) -> list[Job]:
        """The next games to play."""
        self._busy = False
        jobs: list[Job] | None = self._waiting.get() if self.ahead else self._pipe.recv()
        self._busy = True
        if jobs is None:
            raise EOFError
        return jobs

    def _read_on(self) -> None:
        try:
            while True:
                jobs: list[Job] = self._pipe.recv()
                if self._busy and isinstance(self._place, Foresighted):
                    self._place.expect(jobs[0].pairing)
                self._waiting.put(jobs)
        except (EOFError, OSError):
            self._waiting.put(None)


def _with_log(entry: ContestEntry, printed: Any) -> ContestEntry:
    """What the players printed during a game belongs to it; a flood is cut."""
    size = printed.tell()
    printed.seek(0)
    text = printed.read(_LOG).decode(errors="replace")
    printed.seek(0)
    printed.truncate()
    return replace(entry, log=entry.log + text + ("\n…" if size > _LOG else ""))


def _capture() -> Any:
    """Everything written to the standard streams goes to a file of our own."""
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (open as long as the worker)
    for stream in (1, 2):
        os.dup2(file.fileno(), stream)
    return file


def _follow_parent() -> None:
    """A worker does not outlive its parent, whatever the bot in it is doing."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_FAREWELL)
    os._exit(1)


# --------------------------------------------------------------------------------------- the parent


@dataclass(slots=True)
class _Hand:
    """A worker as the parent holds it."""

    process: Any
    pipe: Connection
    window: Window
    jobs: list[Job] = field(default_factory=list)
    sent: float = 0.0
    batch: int = 1
    ready: bool = False
    ahead: int = 0
    finished: int = 0
    """Games it has played."""

    def give(self, jobs: list[Job], now: float) -> None:
        self.jobs, self.sent = [*self.jobs, *jobs], now
        self.pipe.send(jobs)

    def take(self, count: int) -> list[Job]:
        """Its oldest games, which it has played."""
        done, self.jobs = self.jobs[:count], self.jobs[count:]
        self.finished += count
        return done

    @property
    def present(self) -> int:
        """Which of its games it is at."""
        return max(0, self.window.game - self.finished)

    def learn(self, seconds: float) -> None:
        """Short games go out in batches, so that handing them over costs little."""
        if seconds < _BATCH_SECONDS / 2:
            self.batch = min(2 * self.batch, _MOST_GAMES)
        elif seconds > _BATCH_SECONDS:
            self.batch = max(1, self.batch // 2)


class Runner:
    """Plays what a schedule asks for, several games at a time.

    `make` makes the place to play in each worker, `hands` is the number of workers, `patience` how
    long a player may be silent before its worker is ended; `now` has to be the clock of that place.
    """

    def __init__(self, make: Maker, hands: int, patience: float, now: Callable[[], float]) -> None:
        self._make, self._count, self._now = make, hands, now
        self._patience = patience
        self._hands: list[_Hand] = []
        self._queue: deque[Job] = deque()
        self.say: Callable[[str], None] = functools.partial(print, file=sys.stderr, flush=True)
        """Is told what workers have to say to whoever looks."""

    def run(
        self, schedule: Schedule, played: dict[str, Result], keep: Callable[[list[Done]], None]
    ) -> Iterator[int]:
        """Play until nothing is left; yields after every few games how many have been played.

        A game counts when `keep` has returned: only then is it added to `played`.
        """
        if schedule.finished(played):
            return
        asker = Asker(schedule, played, self._now)
        self._hands = [self._hire() for _ in range(self._count)]
        try:
            while self._feed(asker):
                done = self._collect()
                if done:
                    keep(done)
                    played.update({each.result.pairing.key: each.result for each in done})
                yield len(played)
        finally:
            self._dismiss()

    def play(self, pairings: Iterable[Pairing]) -> list[Done]:
        """Play just these games; the workers stay for those that come next."""
        if not self._hands:
            self._hands = [self._hire() for _ in range(self._count)]
        self._queue.extend(Job(each) for each in pairings)
        done: list[Done] = []
        try:
            while self._feed():
                done += self._collect()
        except BaseException:
            self._dismiss()
            raise
        return done

    def _hire(self) -> _Hand:
        ours, theirs = _SPAWN.Pipe()
        window = Window()
        process = _SPAWN.Process(target=work, args=(self._make, theirs, window), daemon=True)
        process.start()
        theirs.close()
        return _Hand(process, ours, window, sent=self._now())

    def _dismiss(self) -> None:
        for hand in self._hands:
            hand.process.terminate()
        for hand in self._hands:
            hand.process.join(_FAREWELL)
            hand.process.kill()
            hand.process.join()
            hand.pipe.close()
        self._hands, self._queue = [], deque()

    def _feed(self, asker: Asker | None = None) -> bool:
        """Give every idle worker something to do; whether anything is going on."""
        for hand in self._hands:
            if hand.ready and not hand.jobs:
                jobs = self._next(asker, hand.batch)
                if jobs:
                    hand.give(jobs, self._now())
        self._feed_ahead(asker)
        busy = any(hand.jobs for hand in self._hands)
        starting = not all(hand.ready for hand in self._hands)
        if busy or not starting:
            return busy
        return bool(self._queue) or (asker is not None and asker.more(self._running()))

    def _feed_ahead(self, asker: Asker | None) -> None:
        """What comes next for those who like to know; not the last games, which others may take."""
        if asker is None:
            return
        for hand in self._hands:
            if 0 < len(hand.jobs) <= hand.ahead and asker.more(self._running(), len(self._hands)):
                jobs = self._next(asker, 1)
                if jobs:
                    hand.give(jobs, self._now())

    def _next(self, asker: Asker | None, count: int) -> list[Job]:
        jobs = [self._queue.popleft() for _ in range(min(count, len(self._queue)))]
        if asker is None:
            return jobs
        running = self._running() | {job.pairing.key for job in jobs}
        return jobs + [Job(each) for each in asker.take(count - len(jobs), running)]

    def _running(self) -> set[str]:
        jobs = [*self._queue, *(job for hand in self._hands for job in hand.jobs)]
        return {job.pairing.key for job in jobs}

    def _collect(self) -> list[Done]:
        """What has been played by now; workers that died or hang are replaced."""
        waits = {hand.pipe: hand for hand in self._hands}
        ready = wait(list(waits), _TICK)
        done: list[Done] = []
        for pipe in ready:
            done += self._received(waits[pipe])  # type: ignore[index]
        for hand in list(self._hands):
            if hand not in [waits[pipe] for pipe in ready] and self._hangs(hand):  # type: ignore[index]
                self._replace(hand, Fault(Kind.SILENT))
        return done

    def _received(self, hand: _Hand) -> list[Done]:
        try:
            message = hand.pipe.recv()
        except (EOFError, OSError):
            self._replace(hand, Fault(Kind.LEFT, f"{CRASHED}: the process died"))
            return []
        if isinstance(message, SpielleiterError):
            raise message
        if isinstance(message, Note):
            self.say(message.text)
            return []
        if isinstance(message, Ready):
            hand.ready, hand.ahead = True, message.ahead
            return []
        if not hand.ahead:
            hand.learn(self._now() - hand.sent)
        jobs = hand.take(len(message))
        return [_done(job, *each) for job, each in zip(jobs, message, strict=True)]

    def _hangs(self, hand: _Hand) -> bool:
        """Whether a player's own code has been running for longer than anybody may be silent."""
        if not hand.ready and self._now() - hand.sent > _START + self._patience:
            raise SpielleiterError("a worker process does not start: does a player's file wait?")
        if not hand.jobs or hand.window.seat < 0:
            return False
        return self._now() - hand.window.since > self._patience

    def _replace(self, hand: _Hand, fault: Fault) -> None:
        """End a worker; its games are played by others, but one of them is short of a player."""
        hand.process.kill()
        hand.process.join()
        hand.pipe.close()
        if not hand.ready:
            raise SpielleiterError("a worker process died before its first game")
        at, seat = hand.present, hand.window.seat
        for number, job in enumerate(hand.jobs):
            if number == at:
                job = _broken_off(job, seat, hand.window.moves, fault)
            self._queue.append(job)
        self._hands[self._hands.index(hand)] = self._hire()


class Asker:
    """Asks a schedule what is next, not more often than it is worth."""

    def __init__(self, schedule: Schedule, played: Played, now: Callable[[], float]) -> None:
        self._schedule, self._played, self._now = schedule, played, now
        self._waiting: Iterator[Pairing] = iter(())
        self._asked_with, self._again = -1, 0.0

    def take(self, count: int, running: set[str]) -> list[Pairing]:
        """Up to so many games that are neither played nor running."""
        if self._now() >= self._again:
            self._ask()
        found = self._found(count, running)
        if len(found) < count and self._asked_with != len(self._played):
            self._ask()
            found += self._found(count - len(found), running | {each.key for each in found})
        return found

    def more(self, running: set[str], than: int = 0) -> bool:
        """Whether there is anything to do; or more than so many games."""
        waiting = self._schedule.waiting(self._played)
        left = (each for each in waiting if each.key not in running)
        return next(itertools.islice(left, than, None), None) is not None

    def _found(self, count: int, running: set[str]) -> list[Pairing]:
        found: list[Pairing] = []
        while len(found) < count and (each := next(self._waiting, None)) is not None:
            if each.key not in running and each.key not in self._played:
                found.append(each)
        return found

    def _ask(self) -> None:
        began = self._now()
        self._waiting = self._schedule.waiting(self._played)
        self._asked_with = len(self._played)
        first = next(self._waiting, None)
        if first is not None:
            rest = self._waiting
            self._waiting = _joined(first, rest)
        now = self._now()
        self._again = now + max(0.2, 10 * (now - began))


def _joined(first: Pairing, rest: Iterator[Pairing]) -> Iterator[Pairing]:
    yield first
    yield from rest


def _done(job: Job, plain: Any, text: str) -> Done:
    return Done(Result(job.pairing, *plain), text)


def _broken_off(job: Job, seat: Seat, moves: tuple[str, ...], fault: Fault) -> Job:
    """The rest of a game: without the seat whose code ran, or again if it was not a player's."""
    if seat >= 0:
        return Job(job.pairing, Past(moves, (*job.past.gone, (len(moves), seat, fault))), job.tries)
    if job.tries == 2:
        raise SpielleiterError(f"three workers died in our own code during {job.pairing.key}")
    return replace(job, tries=job.tries + 1)

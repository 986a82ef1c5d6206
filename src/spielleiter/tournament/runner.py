"""Runs the games of a schedule in worker processes.

A worker plays whole games through the referee. A view in shared memory shows whose code runs, since
when, and the moves so far. If a worker dies or hangs, it is replaced, and only the player whose
code ran loses that game; the others play on where the game allows it.

A game that our own machine has spoilt is noted and played again. After several spoilt games in a
row the machine is reported and the run ends.
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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from socket import gethostname
from typing import Any

from spielleiter.errors import MachineError, SpielleiterError, UsageError
from spielleiter.game import Seat
from spielleiter.match import Fault, Kind
from spielleiter.tournament.executor import Executor, InterruptedGame, Lookahead, lack_of
from spielleiter.tournament.in_process import CRASHED
from spielleiter.tournament.live_games import Progress
from spielleiter.tournament.pairing import GameResult, Opening, Options, Pairing, Played
from spielleiter.tournament.record import ContestEntry, to_text
from spielleiter.tournament.schedule import Schedule

Maker = Callable[[], Executor]
"""Makes the executor inside a worker: has to survive pickling."""

NEW = InterruptedGame()
_TEXT = 1 << 18
_BATCH_SECONDS, _MOST_GAMES = 0.1, 256
_TICK, _START, _GRACE = 0.05, 60.0, 2.0
_LOG = 1 << 16
_STALL = 5.0
"""Seconds of a stall of our own after which no player is blamed for being late."""
_RETRIES = 2
"""How often a game is replayed after its worker was killed, since a player may be the cause."""
_MOST_FAILURES = 10
"""Failed games in a row before the run ends."""
_GAME, _SEAT, _SINCE, _LENGTH = range(4)
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Job:
    """A game for a worker, with what was already played of it."""

    pairing: Pairing
    past: InterruptedGame = NEW
    tries: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as plain values, which is faster than slotted dataclasses."""
        opening = self.pairing.opening
        past = None if self.past is NEW else self.past
        plain = (self.pairing.key, self.pairing.players, opening.seed, opening.options)
        return _job, (*plain, past, self.tries)


def _job(
    key: str,
    players: tuple[str, ...],
    seed: int,
    options: Options,
    past: InterruptedGame | None,
    tries: int,
) -> Job:
    return Job(Pairing(key, players, Opening(seed, options)), past or NEW, tries)


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game: its text for the store, and its result."""

    result: GameResult
    text: str


@dataclass(frozen=True, slots=True)
class SpoiltGame:
    """A game that our machine spoilt: it is played again."""

    key: str
    machine: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker is ready, and wants to know so many games in advance."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A message of a worker for the user."""

    text: str


class WorkerView:
    """The state of a worker in shared memory, readable even if it hangs or is dead."""

    __slots__ = ("_numbers", "_text")

    def __init__(self) -> None:
        self.__setstate__((_SPAWN.RawArray("d", 4), _SPAWN.RawArray("B", _TEXT)))
        self.begins(0)  # nobody thinks yet: else the first seat would have been silent for ever

    def __getstate__(self) -> Any:
        return self._numbers, self._text

    def __setstate__(self, state: Any) -> None:
        self._numbers, self._text = state

    def begins(self, game: int) -> None:
        """The worker begins its game of that number."""
        self._numbers[_LENGTH] = 0
        self._numbers[_SEAT] = -1
        self._numbers[_GAME] = game

    @property
    def game(self) -> int:
        """The number of the game that is shown."""
        return int(self._numbers[_GAME])

    @property
    def seat(self) -> Seat:
        """The seat that is thinking."""
        return int(self._numbers[_SEAT])

    @property
    def since(self) -> float:
        """When it began to think."""
        return float(self._numbers[_SINCE])

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves so far."""
        written = bytes(self._text[: int(self._numbers[_LENGTH])])
        return tuple(written.decode().split("\n")[:-1])


# --------------------------------------------------------------------------------------- the worker


class _ViewWriter:
    """The worker's side of the view."""

    __slots__ = ("_length", "_numbers", "_view")

    def __init__(self, view: WorkerView) -> None:
        numbers, text = view.__getstate__()
        self._numbers = memoryview(numbers).cast("B").cast("d")
        self._view, self._length = memoryview(text).cast("B"), 0
        self._numbers[_LENGTH] = 0.0

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        if seat >= 0:
            self._numbers[_SINCE] = since
        self._numbers[_SEAT] = seat

    def played(self, move: str) -> None:
        """Add a move; a very long game is cut."""
        line = move.encode() + b"\n"
        end = self._length + len(line)
        if end <= _TEXT:
            self._view[self._length : end] = line
            self._numbers[_LENGTH] = self._length = end


def work(make: Maker, pipe: Connection, view: WorkerView) -> None:
    """The main loop of a worker: batches in, results out, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whatever was started is cleaned up
    threading.Thread(target=_follow_parent, daemon=True).start()
    printed = _capture()
    try:
        executor = make()
    except Exception as problem:  # a player's file may do anything while it is read
        pipe.send(_why_no_executor(problem))
        return
    try:
        _serve(executor, _Mailbox(pipe, executor), view, printed)
    except (EOFError, OSError):
        return


def _why_no_executor(problem: Exception) -> SpielleiterError:
    if isinstance(problem, SpielleiterError):
        return problem
    lacking, told = lack_of(problem), f"{type(problem).__name__}: {problem}"
    if lacking is not None:
        return MachineError(f"{gethostname()} cannot load the players, {lacking}: {told}")
    return UsageError(told)


def _serve(executor: Executor, mailbox: _Mailbox, view: WorkerView, printed: Any) -> None:
    mailbox.send(Ready(mailbox.ahead))
    played = 0
    while True:
        jobs = mailbox.receive()
        results = _played(executor, jobs, view, printed, played)
        played += len(jobs)
        mailbox.send(results)


def _played(
    executor: Executor, jobs: list[Job], view: WorkerView, printed: Any, first: int
) -> list[tuple[Any, str]]:
    results: list[tuple[Any, str]] = []
    for number, job in enumerate(jobs, first):
        view.begins(number)
        try:
            entry = executor.play(job.pairing, _ViewWriter(view), job.past)
        except Exception as problem:
            lacking = lack_of(problem)
            if lacking is None:
                raise
            results.append((None, lacking))
            continue
        if printed.tell():
            entry = _with_log(entry, printed)
        result = entry.result()
        kept = (result.ranks, result.scores, result.faults, result.spent)
        plain = (*kept, result.sandbox, result.absent)
        results.append((plain, to_text(entry)))
    return results


class _Mailbox:
    """A worker's end of the pipe.

    An executor with lookahead gets the next game as soon as it arrives, even during another.
    """

    def __init__(self, pipe: Connection, executor: Executor) -> None:
        self._pipe, self._executor = pipe, executor
        self._sending = threading.Lock()
        self._waiting: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._busy = False
        self.ahead = int(getattr(executor, "ahead", 0))
        if self.ahead:
            threading.Thread(target=self._read_on, daemon=True).start()
        if hasattr(executor, "tell"):
            executor.tell = lambda text: self.send(Notice(text))

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
                if self._busy and isinstance(self._executor, Lookahead):
                    self._executor.expect(jobs[0].pairing)
                self._waiting.put(jobs)
        except (EOFError, OSError):
            self._waiting.put(None)


def _with_log(entry: ContestEntry, printed: Any) -> ContestEntry:
    """The entry with the output of this worker during the game, cut to a length.

    It stands before the output of players under their names: it belongs to nobody in particular.
    """
    size = printed.tell()
    printed.seek(0)
    text = printed.read(_LOG).decode(errors="replace")
    printed.seek(0)
    printed.truncate()
    text += "\n…" if size > _LOG else ""
    if text and entry.log and not text.endswith("\n"):
        text += "\n"
    return replace(entry, log=text + entry.log)


def _capture() -> Any:
    """Redirect the standard streams to a file."""
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
    time.sleep(_GRACE)
    os._exit(1)


# --------------------------------------------------------------------------------------- the parent


@dataclass(slots=True)
class _Worker:
    """A worker, from the parent's side."""

    process: Any
    pipe: Connection
    view: WorkerView
    jobs: list[Job] = field(default_factory=list)
    sent: float = 0.0
    batch: int = 1
    ready: bool = False
    ahead: int = 0
    finished: int = 0
    """Games it has played."""

    def give(self, jobs: list[Job], now: float) -> None:
        self.jobs, self.sent = [*self.jobs, *jobs], now
        with suppress(OSError):  # it is gone: seen, and its games taken back, when its pipe is read
            self.pipe.send(jobs)

    def take(self, count: int) -> list[Job]:
        """Remove and return its oldest games, which it has played."""
        done, self.jobs = self.jobs[:count], self.jobs[count:]
        self.finished += count
        return done

    @property
    def present(self) -> int:
        """The game that it is playing."""
        return max(0, self.view.game - self.finished)

    def learn(self, seconds: float) -> None:
        """Short games go out in batches, so that handing them over costs little."""
        if seconds < _BATCH_SECONDS / 2:
            self.batch = min(2 * self.batch, _MOST_GAMES)
        elif seconds > _BATCH_SECONDS:
            self.batch = max(1, self.batch // 2)


class Runner:
    """Plays what a schedule asks for, several games at a time.

    `make` creates the executor in each worker, `workers` is their number, `patience` how long a
    player may be silent before its worker is killed; `now` must be the clock of that executor.
    """

    def __init__(
        self, make: Maker, workers: int, patience: float, now: Callable[[], float]
    ) -> None:
        self._make, self._count, self._now = make, workers, now
        self._patience = patience
        self._workers: list[_Worker] = []
        self._queue: deque[Job] = deque()
        self.say: Callable[[str], None] = functools.partial(print, file=sys.stderr, flush=True)
        """Is told what workers have to say to whoever looks."""
        self.spoilt: Callable[[SpoiltGame], None] = lambda game: None
        """Is told of every game that the machine spoilt, before it is played again."""
        self._failures, self._stalled = 0, float("-inf")

    def run(
        self,
        schedule: Schedule,
        played: dict[str, GameResult],
        keep: Callable[[list[FinishedGame]], None],
    ) -> Iterator[int]:
        """Play until nothing is left; yields after every few games how many have been played.

        A game counts when `keep` has returned: only then is it added to `played`.
        """
        if schedule.finished(played):
            return
        source = PairingSource(schedule, played, self._now)
        self._workers = [self._start_worker() for _ in range(self._count)]
        try:
            while self._feed(source):
                done = self._collect()
                if done:
                    keep(done)
                    played.update({each.result.pairing.key: each.result for each in done})
                yield len(played)
        finally:
            self._stop_workers()

    def play(self, pairings: Iterable[Pairing]) -> list[FinishedGame]:
        """Play just these games; the workers are kept for the next call."""
        if not self._workers:
            self._workers = [self._start_worker() for _ in range(self._count)]
        self._queue.extend(Job(each) for each in pairings)
        done: list[FinishedGame] = []
        try:
            while self._feed():
                done += self._collect()
        except BaseException:
            self._stop_workers()
            raise
        return done

    def close(self) -> None:
        """End the workers that `play` has left."""
        self._stop_workers()

    def in_progress(self) -> list[Progress]:
        """The games that are being played at this moment, with their moves so far."""
        found: list[Progress] = []
        for worker in self._workers:
            game, moves = worker.view.game, worker.view.moves
            at = game - worker.finished
            if 0 <= at < len(worker.jobs) and worker.view.game == game:
                found.append((worker.jobs[at].pairing, moves))
        return found

    def _start_worker(self) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        view = WorkerView()
        process = _SPAWN.Process(target=work, args=(self._make, theirs, view), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, view, sent=self._now())

    def _stop_workers(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_GRACE)
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
        self._workers, self._queue = [], deque()

    def _feed(self, source: PairingSource | None = None) -> bool:
        """Give every idle worker a game; whether anything is running."""
        for worker in self._workers:
            if worker.ready and not worker.jobs:
                jobs = self._next(source, worker.batch)
                if jobs:
                    worker.give(jobs, self._now())
        self._feed_ahead(source)
        busy = any(worker.jobs for worker in self._workers)
        starting = not all(worker.ready for worker in self._workers)
        if busy or not starting:
            return busy
        return bool(self._queue) or (source is not None and source.more(self._running()))

    def _feed_ahead(self, source: PairingSource | None) -> None:
        """Send next games to workers with lookahead, except the last few."""
        if source is None:
            return
        for worker in self._workers:
            if 0 < len(worker.jobs) <= worker.ahead and source.more(
                self._running(), len(self._workers)
            ):
                jobs = self._next(source, 1)
                if jobs:
                    worker.give(jobs, self._now())

    def _next(self, source: PairingSource | None, count: int) -> list[Job]:
        jobs = [self._queue.popleft() for _ in range(min(count, len(self._queue)))]
        if source is None:
            return jobs
        running = self._running() | {job.pairing.key for job in jobs}
        return jobs + [Job(each) for each in source.take(count - len(jobs), running)]

    def _running(self) -> set[str]:
        jobs = [*self._queue, *(job for worker in self._workers for job in worker.jobs)]
        return {job.pairing.key for job in jobs}

    def _collect(self) -> list[FinishedGame]:
        """Collect finished games; replace workers that died or hang."""
        waits = {worker.pipe: worker for worker in self._workers}
        looked = self._now()
        ready = wait(list(waits), _TICK)
        if self._now() - looked > _TICK + _STALL:
            self._stalled = self._now()
        done: list[FinishedGame] = []
        for pipe in ready:
            done += self._received(waits[pipe])  # type: ignore[index]
        for worker in list(self._workers):
            if worker not in [waits[pipe] for pipe in ready] and self._hangs(worker):  # type: ignore[index]
                self._replace(worker, Fault(Kind.SILENT))
        return done

    def _received(self, worker: _Worker) -> list[FinishedGame]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace_dead(worker)
            return []
        if isinstance(message, SpielleiterError):
            raise message
        if isinstance(message, Notice):
            self.say(message.text)
            return []
        if isinstance(message, Ready):
            worker.ready, worker.ahead = True, message.ahead
            return []
        if not worker.ahead:
            worker.learn(self._now() - worker.sent)
        stalled = worker.sent < self._stalled
        jobs = worker.take(len(message))
        found = [
            self._judged(job, *each, stalled=stalled)
            for job, each in zip(jobs, message, strict=True)
        ]
        return [each for each in found if each is not None]

    def _judged(self, job: Job, plain: Any, text: str, *, stalled: bool) -> FinishedGame | None:
        """The game if it counts; None if the machine spoilt it, and it is played again."""
        if plain is None:
            self._spoil(job, text)
            return None
        done = _finished(job, plain, text)
        if stalled and _TOO_LATE & set(done.result.faults):
            self._spoil(job, "a standstill")
            return None
        self._failures = 0
        return done

    def _spoil(self, job: Job, reason: str) -> None:
        """Queue a spoilt game again; raise after too many in a row."""
        self.spoilt(SpoiltGame(job.pairing.key, gethostname(), reason))
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            text = f"{gethostname()} spoilt {self._failures} games in a row ({reason})"
            raise MachineError(f"{text}: nothing more is played here. What was played is kept")
        self._queue.append(job)

    def _replace_dead(self, worker: _Worker) -> None:
        """Replace a dead worker; if it was killed, as when memory is short, nobody is blamed."""
        worker.process.join(_GRACE)
        killed = worker.process.exitcode == -signal.SIGKILL and worker.ready
        present = worker.jobs[worker.present : worker.present + 1]
        if killed and present and present[0].tries < _RETRIES:
            del worker.jobs[worker.present]
            self._replace(worker, None)
            self._spoil(replace(present[0], tries=present[0].tries + 1), "the worker was killed")
        else:
            self._replace(worker, Fault(Kind.LEFT, f"{CRASHED}: the process died"))

    def _hangs(self, worker: _Worker) -> bool:
        """Whether a player's code has been running for longer than its patience."""
        if not worker.ready and self._now() - worker.sent > _START + self._patience:
            raise SpielleiterError("a worker process does not start: does a player's file wait?")
        if not worker.jobs or worker.view.seat < 0:
            return False
        return self._now() - max(worker.view.since, self._stalled) > self._patience

    def _replace(self, worker: _Worker, fault: Fault | None) -> None:
        """Kill a worker; others play its games, one of them without the lost player.

        Without a fault nobody is to blame, and all its games are played from the start.
        """
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        if not worker.ready:
            raise SpielleiterError("a worker process died before its first game")
        at, seat = worker.present, worker.view.seat
        for number, job in enumerate(worker.jobs):
            if number == at and fault is not None:
                job = _broken_off(job, seat, worker.view.moves, fault)
            self._queue.append(job)
        self._workers[self._workers.index(worker)] = self._start_worker()


_TOO_LATE = {Kind.LATE.value, Kind.SILENT.value}


class PairingSource:
    """Asks a schedule for the next games, with caching."""

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


def _finished(job: Job, plain: Any, text: str) -> FinishedGame:
    return FinishedGame(GameResult(job.pairing, *plain), text)


def _broken_off(job: Job, seat: Seat, moves: tuple[str, ...], fault: Fault) -> Job:
    """The job to finish a game: without the seat whose code ran, or replayed if none did."""
    if seat >= 0:
        return Job(
            job.pairing,
            InterruptedGame(moves, (*job.past.gone, (len(moves), seat, fault))),
            job.tries,
        )
    if job.tries == 2:
        raise SpielleiterError(f"three workers died in our own code during {job.pairing.key}")
    return replace(job, tries=job.tries + 1)

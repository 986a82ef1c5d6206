"""Runs the games of a schedule on the machines of a Ray cluster.

Games are Ray tasks that reserve one processor each. A task plays them with the runner of one
machine, in a separate process, so bots that crash or hang are judged there as everywhere. Games
lost with a machine are played again on another one with the same key and seed. A machine with
repeated failures is reported and gets no more games.
"""

from __future__ import annotations

import functools
import io
import os
import pickle
import socket
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from spielleiter.errors import MachineError, SpielleiterError, UsageError
from spielleiter.tournament import cluster_files
from spielleiter.tournament.cluster_files import Wanted
from spielleiter.tournament.live_games import Progress
from spielleiter.tournament.pairing import GameResult, Pairing
from spielleiter.tournament.runner import FinishedGame, Maker, PairingSource, Runner, SpoiltGame
from spielleiter.tournament.schedule import Schedule

_TRIES = 5
_BATCH_SECONDS, _MOST_GAMES = 0.5, 256
_TICK, _LOOK_AGAIN = 0.05, 2.0
_OBJECTS = 100 * 2**20
_MOST_SENT = 256
"""Files that are kept in the object store at a time."""
_LOOPBACK, _PATIENCE = ("localhost", "127.0.0.1", "::1"), 5.0
_RAYS_THREAD = "ray_listen_error_messages"

Order = tuple[Pairing, ...]


class RayRunner:
    """Plays what a schedule asks for on a cluster.

    `address` is that of an existing cluster; without one Ray uses RAY_ADDRESS, or starts on this
    machine alone. `workers` limits the games at a time; without it every processor plays. `say`
    gets messages for the operator. `files` are sent along: see `cluster_files`.
    """

    def __init__(
        self,
        make: Maker,
        patience: float,
        address: str | None = None,
        workers: int | None = None,
        say: Callable[[str], None] = lambda _: None,
        files: Wanted | None = None,
    ) -> None:
        self._make, self._patience, self._address, self._bound = make, patience, address, workers
        self.say, self._files = say, files or {}
        self.spoilt: Callable[[SpoiltGame], None] = lambda game: None
        """Is told of every game that a machine spoilt, before it is played again."""
        self.machines = ClusterMachines()
        self._running: dict[Any, tuple[Order, int, float]] = {}
        self._where: dict[Any, str] = {}
        """Task → the machine it was sent to, where that was our choice."""
        self._again: deque[tuple[Order, int]] = deque()
        self._batch, self._workers, self._looked = 1, 1, -_LOOK_AGAIN

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
        with redirect_stdout(_WithoutRay(sys.stdout)):
            yield from self._run(schedule, played, keep)

    def in_progress(self) -> list[Progress]:
        """Nothing: games on other machines are seen when they are over."""
        return []

    def _run(
        self,
        schedule: Schedule,
        played: dict[str, GameResult],
        keep: Callable[[list[FinishedGame]], None],
    ) -> Iterator[int]:
        self._ray, is_ours = _connected(self._address)
        self._remote = self._ray.remote(num_cpus=1, max_retries=0)(play_remotely)
        self._made, sent = pickle.dumps(self._make), SentFiles(self._ray)
        self._taken = {name: sent.get(name, path) for name, path in self._files.items()}
        source = PairingSource(schedule, played, time.monotonic)
        try:
            while self._feed(source):
                done = self._collect()
                if done:
                    keep(done)
                    played.update({each.result.pairing.key: each.result for each in done})
                yield len(played)
        except self._ray.exceptions.RayError as problem:
            text = (
                f"the cluster is lost: {problem}. What was played is kept; the same command goes on"
            )
            raise SpielleiterError(text) from problem
        finally:
            self._running, self._where, self._again = {}, {}, deque()
            if is_ours:
                self._ray.shutdown()

    def _feed(self, source: PairingSource) -> bool:
        """Give every free processor work; whether anything is running."""
        self._look()
        while len(self._running) < self._workers:
            order, tries = self._again.popleft() if self._again else (self._next(source), 0)
            if not order:
                break
            self._running[self._sent(order)] = order, tries, time.monotonic()
        return bool(self._running)

    def _sent(self, order: Order) -> Any:
        """Submit a task for some games, avoiding excluded machines."""
        machine = self.machines.choose(Counter(self._where.values()))
        task = self._remote
        if machine is not None:
            strategies = import_module("ray.util.scheduling_strategies")
            there = strategies.NodeAffinitySchedulingStrategy(machine, soft=False)
            task = task.options(scheduling_strategy=there)
        sent = task.remote(self._made, self._patience, order, self._taken)
        if machine is not None:
            self._where[sent] = machine
        return sent

    def _look(self) -> None:
        """Update the list of machines."""
        if time.monotonic() - self._looked > _LOOK_AGAIN:
            self._looked = time.monotonic()
            self.machines.look(self._ray.nodes())
            there = max(1, sum(self.machines.processors.values()))
            self._workers = min(there, self._bound or there)

    def _next(self, source: PairingSource) -> Order:
        orders = [order for order, _, _ in self._running.values()]
        orders += [order for order, _ in self._again]
        running = {pairing.key for order in orders for pairing in order}
        return tuple(source.take(self._batch, running))

    def _collect(self) -> list[FinishedGame]:
        """Collect finished games; those of a dead machine are queued again."""
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=_TICK)
        done: list[FinishedGame] = []
        for task in ready:
            order, tries, began = self._running.pop(task)
            self._where.pop(task, None)
            found = self._received(task, order, tries)
            if found is not None:
                self._learn(time.monotonic() - began)
                done += found
        return done

    def _received(self, task: Any, order: Order, tries: int) -> list[FinishedGame] | None:
        try:
            found: list[FinishedGame] | RemoteFailure | SpielleiterError = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as problem:  # our code there, not the machine
            raise SpielleiterError(f"a machine of the cluster says: {problem}") from problem
        except self._ray.exceptions.RayError:
            self._play_again(order, tries, "a machine of the cluster", "the machine was lost")
            return None
        if isinstance(found, RemoteFailure):
            self._blame(found)
            self._play_again(order, tries, found.machine, found.reason)
            return None
        if isinstance(found, SpielleiterError):
            raise found
        return found

    def _blame(self, failed: RemoteFailure) -> None:
        """Exclude a machine with repeated failures."""
        if self.machines.blame(failed.node):
            self.say(f"{failed.machine} gets no more games: {failed.reason}")
        if not self.machines.processors:
            raise MachineError(f"no machine of the cluster can play, last: {failed.reason}")

    def _play_again(self, order: Order, tries: int, machine: str, reason: str) -> None:
        """Queue spoilt games for another machine; raise after too many tries."""
        if tries + 1 == _TRIES:
            raise MachineError(
                f"{order[0].key} was spoilt {_TRIES} times, last: {machine}: {reason}"
            )
        for pairing in order:
            self.spoilt(SpoiltGame(pairing.key, machine, reason))
        self._again.append((order, tries + 1))

    def _learn(self, seconds: float) -> None:
        """Adjust the batch size, so that short games are sent in batches."""
        if seconds < _BATCH_SECONDS / 2:
            self._batch = min(2 * self._batch, _MOST_GAMES)
        elif seconds > _BATCH_SECONDS:
            self._batch = max(1, self._batch // 2)


class RayGames:
    """Plays single games on a cluster, for several threads at once.

    A game whose machine is lost raises MachineError: nothing of it counts, and the caller plays it
    again.
    """

    def __init__(self, make: Maker, patience: float, address: str | None = None) -> None:
        self._ray, self._is_ours = _connected(address)
        self._remote = self._ray.remote(num_cpus=1, max_retries=0)(play_remotely)
        self._made, self._patience = pickle.dumps(make), patience
        self._sent = SentFiles(self._ray)

    def play(self, order: Order, files: Wanted, go_on: Callable[[], None]) -> list[FinishedGame]:
        """Play some games with the files they need; `go_on` is called often and may raise."""
        taken = {name: self._sent.get(name, path) for name, path in files.items()}
        task = self._remote.remote(self._made, self._patience, order, taken)
        try:
            while not self._ray.wait([task], timeout=_TICK)[0]:
                go_on()
            found = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as problem:  # our code there, not the machine
            raise SpielleiterError(f"a machine of the cluster says: {problem}") from problem
        except self._ray.exceptions.RayError as problem:
            raise MachineError("a machine of the cluster was lost") from problem
        if isinstance(found, RemoteFailure):
            raise MachineError(f"{found.machine}: {found.reason}")
        if isinstance(found, SpielleiterError):
            raise found
        games: list[FinishedGame] = found
        return games

    def close(self) -> None:
        """Disconnect from the cluster."""
        if self._is_ours:
            self._ray.shutdown()


class SentFiles:
    """Files in the cluster's object store, each uploaded once."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray, self._known = ray, dict[str, Any]()
        self._lock = threading.Lock()

    def get(self, name: str, path: Path) -> Any:
        """The reference by which other machines fetch the file."""
        with self._lock:
            if name not in self._known:
                if len(self._known) >= _MOST_SENT:
                    self._known.clear()  # who has them keeps them; others fetch them anew
                self._known[name] = self._ray.put(path.read_bytes())
            return self._known[name]


class ClusterMachines:
    """The machines of the cluster, and which of them are excluded."""

    def __init__(self) -> None:
        self.processors: dict[str, int] = {}
        """Of each machine that may play."""
        self._out: set[str] = set()

    def look(self, nodes: list[dict[str, Any]]) -> None:
        """Update the list of machines; Ray also lists former ones."""
        self.processors = {
            node["NodeID"]: processors
            for node in nodes
            if node["Alive"] and node["NodeID"] not in self._out
            if (processors := int(node["Resources"].get("CPU", 0)))
        }

    def blame(self, node: str) -> bool:
        """Exclude a machine that spoilt several games in a row; False if it was already."""
        if node in self._out:
            return False
        self._out.add(node)
        self.processors.pop(node, None)
        return True

    def choose(self, busy: Counter[str]) -> str | None:
        """The machine with the most free processors; None while any will do."""
        if not self._out:
            return None
        return min(self.processors, key=lambda each: busy[each] / self.processors[each])


@dataclass(frozen=True, slots=True)
class RemoteFailure:
    """A machine of the cluster could not play."""

    machine: str
    reason: str
    node: str = ""


def play_remotely(
    make: bytes, patience: float, order: Order, files: Mapping[str, Any]
) -> list[FinishedGame] | RemoteFailure | SpielleiterError:
    """Play some games on the machine where this runs, after fetching missing files."""
    try:
        for name, sent in files.items():
            cluster_files.keep(name, functools.partial(_fetched, sent))
        return _runner(make, patience).play(order)
    except MachineError as problem:
        _runner.cache_clear()
        return RemoteFailure(socket.gethostname(), str(problem), _this_node())
    except SpielleiterError as problem:
        _runner.cache_clear()
        return problem


def _fetched(sent: Any) -> bytes:
    data: bytes = import_module("ray").get(sent)
    return data


def _this_node() -> str:
    node: str = import_module("ray").get_runtime_context().get_node_id()
    return node


@functools.cache
def _runner(make: bytes, patience: float) -> Runner:
    """The runner of this process, reused so that loaded players stay loaded."""
    return Runner(pickle.loads(make), 1, patience, time.monotonic)


class _WithoutRay(io.TextIOBase):
    """Standard output without messages of Ray's thread about lost machines.

    Ray has no option for that, and programs read our tables.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread().name == _RAYS_THREAD:
            return len(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()


def _connected(address: str | None) -> tuple[ModuleType, bool]:
    """Ray, and whether we opened its connection: one process has one connection."""
    if find_spec("ray") is None:
        raise UsageError("--runner ray needs one more package: pip install 'spielleiter[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told what is played here
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")  # nor is anything kept to be printed at the end
    ray = import_module("ray")
    if ray.is_initialized():
        return ray, False
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    begins = address is None and "RAY_ADDRESS" not in os.environ
    own = {"include_dashboard": False, "object_store_memory": _OBJECTS} if begins else {}
    if address is not None:
        _check_listening(ray, address)
    try:
        ray.init(address=address, **quiet, **own)
    except (ConnectionError, ValueError, RuntimeError) as problem:
        raise UsageError(f"there is no Ray cluster at {address}: {problem}") from problem
    return ray, True


def _check_listening(ray: ModuleType, address: str) -> None:
    """Refuse an address where nobody listens at once: Ray would retry for minutes."""
    host, _, port = address.rpartition(":")
    if "//" in host or not port.isdigit():
        return  # "auto", or an address that only Ray understands
    own = [ray.util.get_node_ip_address()] if host in _LOOPBACK else []
    for name in (host, *own):
        with suppress(OSError), socket.create_connection((name, int(port)), _PATIENCE):
            return
    raise UsageError(f"no Ray cluster answers at {address}: begin one with `ray start --head`")

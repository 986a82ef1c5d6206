"""Runs built-in players in separate processes, so that no search delays a game.

Each process does one thing at a time. A seat always asks the same process, which remembers the
players of the last few seats; waiting time in the queue is not charged to a seat.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
import zlib
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from spielleiter import bots, games
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Position

_SPAWN = multiprocessing.get_context("spawn")
_REMEMBERED = 4
"""Players that a process keeps, each with its tables."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a seat asks its player."""

    seat: str
    """A key that is the same for the same seat of the same game."""
    player: str
    edition: str
    authority: str
    position: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The move as text, and how long the player thought."""

    move: str
    seconds: float


class EnginePool:
    """A fixed number of processes."""

    def __init__(self, processes: int) -> None:
        self._pools = [_pool() for _ in range(processes)]

    async def choose(self, question: Question) -> Answer:
        """The player's answer; raises UsageError if it has none."""
        at = zlib.crc32(question.seat.encode()) % len(self._pools)
        pool = self._pools[at]
        try:
            work = asyncio.get_running_loop().run_in_executor(pool, _choose, question)
            return await work
        except BrokenProcessPool as problem:
            if self._pools[at] is pool:
                self._pools[at] = _pool()
            raise UsageError(f"the player {question.player} has died") from problem

    def close(self) -> None:
        """Kill the processes; running searches are lost."""
        for pool in self._pools:
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, _SPAWN, initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service says when to stop
    if hasattr(os, "nice"):
        os.nice(5)  # whoever waits for a move of a person or a client comes first


# ------------------------------------------------------------------------------- in the processes

_bots: OrderedDict[tuple[str, str], Bot] = OrderedDict()


def _choose(question: Question) -> Answer:
    game = games.load(question.edition).under(question.authority)
    position = game.parse(question.position)
    bot = _bot(question, position)
    began = time.monotonic()  # as in any match, the player was there before the clock ran
    move = bot.choose(position, Clock(per_move=question.seconds))
    return Answer(move.text(), time.monotonic() - began)


def _bot(question: Question, position: Position) -> Bot:
    key = (question.seat, question.player)
    bot = _bots.pop(key, None)
    if bot is None:
        bot = bots.load(question.player, seed=zlib.crc32(question.seat.encode()))
        bot.begin(position, position.to_move())
    _bots[key] = bot
    while len(_bots) > _REMEMBERED:
        _bots.popitem(last=False)
    return bot

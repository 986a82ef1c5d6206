"""A ladder in a process of its own, to be killed: address of its record, number of games.

It plays friendlies whose results depend on their ids alone, in worker processes that may be killed,
too. It prints a line when it is open, and one when all are played.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from spielleiter.ladder.execution import SeatedVersion
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.ladder import LadderSettings
from spielleiter.ladder.workers import LadderWorkers
from spielleiter.tournament.executor import InterruptedGame, Watcher
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.tournament.time_control import TimeControl
from tests.ladders import EDITION, ladder_in, roster, simulated

PURPOSE = "friendly"


def wanted(count: int) -> list[QueuedGame]:
    """The games that are to be played."""
    return [
        QueuedGame(
            Pairing(f"game {number}", (f"v{number % 4}", f"v{4 + number % 3}"), Opening(number)),
            EDITION,
            PURPOSE,
            f"team{number % 3}",
        )
        for number in range(count)
    ]


class SimulatedMaker:
    """Makes players who are only numbers; they need no time to move."""

    limits = TimeControl()

    def __call__(self) -> SimulatedMaker:
        return self

    @property
    def now(self) -> Callable[[], float]:
        return time.monotonic

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        seats = tuple(SeatedVersion.unpacked(each).id for each in pairing.players)
        game = QueuedGame(Pairing(pairing.key, seats, pairing.opening), EDITION)
        return from_text(simulated(roster(7), game))


def main(where: str, count: int) -> None:
    settings = LadderSettings((EDITION,), workers=2, levels=())
    with ladder_in(where, roster(7), settings) as ladder:
        ladder.order(wanted(count))
        print("open", flush=True)
        workers = LadderWorkers(ladder, SimulatedMaker(), 2)
        workers.start()
        while ladder.queue.waiting(PURPOSE):
            assert workers.failure is None, workers.failure
            time.sleep(0.02)
        workers.stop()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if "://" in sys.argv[1] else str(Path(sys.argv[1])), int(sys.argv[2]))

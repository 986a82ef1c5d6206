"""A ladder in a process of its own, to be killed: FOLDER, number of games, address of its record.

It plays friendlies whose results depend on their ids alone, and prints a line when all are played.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from spielleiter.ladder.due import DueGame
from spielleiter.ladder.ladder import LadderSettings
from spielleiter.tournament.pairing import Opening, Pairing
from tests.ladders import EDITION, ladder_in, roster, simulated

PURPOSE = "friendly"


def wanted(count: int) -> list[DueGame]:
    """The games that are to be played."""
    return [
        DueGame(
            Pairing(f"game {number}", (f"v{number % 4}", f"v{4 + number % 3}"), Opening(number)),
            EDITION,
            PURPOSE,
            f"team{number % 3}",
        )
        for number in range(count)
    ]


def main(where: str, count: int) -> None:
    players = roster(7)
    settings = LadderSettings((EDITION,), workers=2, levels=())
    with ladder_in(where, players, settings) as ladder:
        ladder.order(wanted(count))

        def work(worker: int) -> None:
            number = 0
            while ladder.due.waiting(PURPOSE):
                game = ladder.claim(f"worker {worker} {number}")
                number += 1
                if game is not None:
                    ladder.finish(game, simulated(players, game))

        threads = [threading.Thread(target=work, args=(each,)) for each in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if "://" in sys.argv[1] else str(Path(sys.argv[1])), int(sys.argv[2]))

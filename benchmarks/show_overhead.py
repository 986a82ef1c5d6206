"""What recording debug values costs a match, as a share of the time that we take for its games.

    python -m benchmarks.show_overhead [--games N] [--out FILE]

The bots play the first legal move at once, so that all the time of their games is ours: processes,
the referee, the record. What is added for a move that shows something is measured in the same run,
step by step: made and written by the bot, read by the referee, put into the store.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import timeit
from pathlib import Path

from spielleiter.annotation import Annotation, add, annotation, read_line
from spielleiter.programs.players import Players
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import probe
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import to_text
from spielleiter.tournament.time_control import TimeControl

GAME = "reversi"
MOST = 0.05
"""Of a match's overhead."""
_BOTS = """
from spielleiter import Bot

class Quiet(Bot):
    def choose(self, position, clock):
        return position.legal_moves()[0]
"""
_VALUES = {"score": 3.25, "depth": 8, "nodes": 12345}
_TIMES = 2000


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40, help="how many")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bots.py"
        file.write_text(_BOTS)
        found = measured(file, options.games)
    print(json.dumps(found, indent=2))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def measured(file: Path, games: int) -> dict[str, float]:
    """Microseconds of a move without and for showing, and the share."""
    place = _players(file, "Quiet")()
    spent = []
    for number in range(games):
        began = time.perf_counter()
        entry = place.play(Pairing(f"quiet/{number}", ("A", "B"), Opening(number)))
        to_text(entry)
        spent.append((time.perf_counter() - began) / len(entry.events.moves))
    close = getattr(place, "close", None)
    if close is not None:
        close()
    overhead = 1e6 * statistics.median(spent)
    shown = 1e6 * min(timeit.repeat(_recorded, number=_TIMES, repeat=5)) / _TIMES
    return {
        "overhead_us_per_move": round(overhead, 1),
        "show_us_per_move": round(shown, 1),
        "share": round(shown / overhead, 4),
        "most": MOST,
    }


def _recorded() -> None:
    """One move's way from the bot into the store."""
    shown: dict[int, Annotation] = {}
    read = read_line(annotation(_VALUES, text="quiet").line())
    assert read is not None
    add(shown, read, 1)
    json.dumps(shown[1].plain())


def _players(file: Path, kind: str) -> Players:
    text = f"{file}:{kind}"
    setting = Setting(probe().box(probe().best))
    return Players(GAME, "document", {"A": text, "B": text}, TimeControl(per_move=2.0), setting)


if __name__ == "__main__":
    main()

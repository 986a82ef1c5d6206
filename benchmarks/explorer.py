"""How long the explorer takes to answer over a million positions.

    python -m benchmarks.explorer [--positions N] [--out FILE]

The generator plays random games of Reversi from the usual start until there are so many positions;
then the start, where all games meet, and positions along some games are asked for: what was played,
by everybody and by one player, and in which games, as the page asks. Besides the time on the clock
the processor's is told, which other programs hardly change. `--game` names another edition.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

from spielleiter import games
from spielleiter.explorer import ExplorerIndex
from spielleiter.game import Game, Outcome, Position

GAME = "reversi"
MOST_MS = 50
_ASKED = 200
_NAMES = ("A", "B", "C", "D")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder) / "explorer.db", options.positions, options.game)
    print(json.dumps(found, indent=2))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def measured(file: Path, positions: int, edition: str) -> dict[str, float | str | None]:
    """Milliseconds of an answer, after so many positions were added."""
    game, lot = games.load(edition), random.Random(1)
    with ExplorerIndex(file, game) as index:
        asked, began, count = [game.start(0)], time.process_time(), 0
        while count < positions:
            path, outcome = _random_game(game, lot)
            index.put(f"game {count}", _NAMES[: path[0].seats], outcome, index.keys(path))
            count += len(path)
            if len(asked) < _ASKED:
                asked.append(path[lot.randrange(len(path) // 2)])
        built = time.process_time() - began
        spent = [_answered(index, position) for position in asked]
        size, plies = index.size
    clock, processor = zip(*spent, strict=True)
    return {
        "edition": edition,
        "games": size,
        "moves": plies,
        "build_cpu_s": round(built, 1),
        "start_ms": round(clock[0], 2),
        "median_ms": round(statistics.median(clock), 2),
        "slowest_ms": round(max(clock), 2),
        "slowest_cpu_ms": round(max(processor), 2),
        "most_ms": MOST_MS,
        "other_load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def _random_game(game: Game, lot: random.Random) -> tuple[list[Position], Outcome]:
    position = game.start(0)
    path = [position.copy()]
    while (outcome := position.outcome()) is None:
        position.play(lot.choice(position.legal_moves()))
        path.append(position.copy())
    return path, outcome


def _answered(index: ExplorerIndex, position: Position) -> tuple[float, float]:
    """Milliseconds on the clock and of the processor for all that a page asks."""
    began, cpu = time.perf_counter(), time.process_time()
    index.played(position)
    index.played(position, _NAMES[0])
    index.games_with(position)
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - cpu)


if __name__ == "__main__":
    main()

"""How long the explorer takes to answer over a million positions.

    python -m benchmarks.explorer [--positions N] [--out FILE]

The generator plays random games of Reversi from the usual start until there are so many positions;
then the start, where all games meet, and positions along some games are asked for.
"""

from __future__ import annotations

import argparse
import json
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


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder) / "explorer.db", options.positions)
    print(json.dumps(found, indent=2))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def measured(file: Path, positions: int) -> dict[str, float]:
    """Milliseconds of an answer, after so many positions were added."""
    game, lot = games.load(GAME), random.Random(1)
    with ExplorerIndex(file, game) as index:
        asked, began, count = [game.start(0)], time.perf_counter(), 0
        while count < positions:
            path, outcome = _random_game(game, lot)
            index.put(f"game {count}", ("A", "B"), outcome, index.keys(path))
            count += len(path)
            if len(asked) < _ASKED:
                asked.append(path[lot.randrange(len(path) // 2)])
        built = time.perf_counter() - began
        spent = [_answered(index, position) for position in asked]
        size, plies = index.size
    return {
        "games": size,
        "moves": plies,
        "build_s": round(built, 1),
        "start_ms": round(spent[0], 2),
        "median_ms": round(statistics.median(spent), 2),
        "slowest_ms": round(max(spent), 2),
        "most_ms": MOST_MS,
    }


def _random_game(game: Game, lot: random.Random) -> tuple[list[Position], Outcome]:
    position = game.start(0)
    path = [position.copy()]
    while (outcome := position.outcome()) is None:
        position.play(lot.choice(position.legal_moves()))
        path.append(position.copy())
    return path, outcome


def _answered(index: ExplorerIndex, position: Position) -> float:
    began = time.perf_counter()
    index.played(position)
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    main()

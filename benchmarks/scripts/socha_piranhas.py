"""Runs under the official Python client `socha` 4.3.9: its legal moves and its stepped games."""

import json
import random
import statistics
import sys
import time

from socha import Board, FieldType, GameState

FIELDS = {
    ".": FieldType.Empty,
    "#": FieldType.Squid,
    "a": FieldType.OneS,
    "b": FieldType.OneM,
    "c": FieldType.OneL,
    "A": FieldType.TwoS,
    "B": FieldType.TwoM,
    "C": FieldType.TwoL,
}


def rate(work, repeats=5):
    def once():
        begin = time.process_time()
        amount = work()
        return amount / (time.process_time() - begin)

    once()
    return statistics.median(once() for _ in range(repeats))


def main():
    rows = sys.argv[1].split()[0].split("/")
    start = GameState(Board([[FIELDS[c] for c in row] for row in rows]), 0, None)

    def lists():
        for _ in range(2000):
            list(start.possible_moves())
        return 2000

    def games():
        lot = random.Random(1)
        for _ in range(20):
            state = start.deepcopy()
            for _ in range(60):
                moves = state.possible_moves()
                if not moves:
                    break
                state.perform_move_mut(lot.choice(moves))
        return 20

    print(json.dumps({"lists": rate(lists), "games": rate(games)}))


main()

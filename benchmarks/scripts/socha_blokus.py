"""Runs under the official Python client `socha` 5.1.0: its legal moves of a mid-game position.

Arguments: the start piece, then the moves that lead there, each `KIND ROTATION FLIPPED X Y`.
"""

import json
import statistics
import sys
import time

from socha import Coordinate, GameRuleLogic, GameState, Move, Piece, PieceShape, Rotation


def shape(name):
    return getattr(PieceShape, "".join(part.capitalize() for part in name.split("_")))


def main():
    state = GameState(start_piece=shape(sys.argv[1]))
    for text in sys.argv[2:]:
        kind, rotation, flipped, x, y = text.split()
        piece = Piece(
            state.current_color(),
            shape(kind),
            getattr(Rotation, rotation),
            flipped == "true",
            Coordinate(int(x), int(y)),
        )
        GameRuleLogic.perform_move(state, Move.set_move(piece))

    def once():
        begin = time.process_time()
        for _ in range(5):
            moves = state.possible_moves()
        return 5 / (time.process_time() - begin), len(moves)

    once()
    runs = [once() for _ in range(5)]
    print(json.dumps({"lists": statistics.median(r for r, _ in runs), "count": runs[0][1]}))


main()

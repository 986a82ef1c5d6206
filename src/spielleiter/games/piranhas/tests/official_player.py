# mypy: ignore-errors
"""Runs inside the environment of the official client: moves by lot, and a note of every state."""

import json
import os
import random
from pathlib import Path

from socha.api.networking.game_client import IClientHandler
from socha.starter import Starter

Starter.check_socha_version = staticmethod(lambda: None)  # it would ask the package index


TEAMS, WEIGHTS = {"O": "ONE", "T": "TWO"}, {"1": "S", "2": "M", "3": "L"}


def constant(field):
    """The client's short names as the wire says them: `O1` → `ONE_S`."""
    first, second = str(field)
    if second in WEIGHTS:
        return f"{TEAMS[first]}_{WEIGHTS[second]}"
    return {"--": "EMPTY", "SQ": "SQUID"}[str(field)]


class Logic(IClientHandler):
    def __init__(self):
        self.state = None
        self.seen = Path(os.environ["SEEN"])
        self.lot = random.Random(os.environ["SEED"])

    def calculate_move(self):
        return self.lot.choice(self.state.possible_moves())

    def on_update(self, state):
        self.state = state
        board = [[constant(field) for field in row] for row in state.board.map]
        with self.seen.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"turn": state.turn, "board": board}) + "\n")


Starter(Logic())

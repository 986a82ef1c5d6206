# mypy: ignore-errors
"""Runs inside the environment of the official client: moves by lot, and a note of every state."""

import json
import os
import random
from pathlib import Path

from socha.api.networking.game_client import IClientHandler
from socha.starter import Starter

Starter.check_socha_version = staticmethod(lambda: None)  # it would ask the package index


def content(field):
    """What lies on a field, as the wire says it; None if nothing does."""
    colour = field.content.to_team_color()
    return None if colour is None else colour.name()


class Logic(IClientHandler):
    def __init__(self):
        self.state = None
        self.seen = Path(os.environ["SEEN"])
        self.lot = random.Random(os.environ["SEED"])

    def calculate_move(self):
        return self.lot.choice(sorted(self.state.possible_moves(), key=repr))

    def on_update(self, state):
        self.state = state
        board = [[content(field) for field in row] for row in state.board.map]
        with self.seen.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"turn": state.turn, "board": board}) + "\n")


Starter(Logic())

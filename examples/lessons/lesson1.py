"""Lesson 1: any legal move will do."""

import random

from spielleiter import Bot, run


class Player(Bot):
    name = "lesson 1"

    def __init__(self, seed=0):
        self.lot = random.Random(seed)

    def choose(self, position, clock):
        return self.lot.choice(list(position.legal_moves()))


if __name__ == "__main__":
    run(Player())

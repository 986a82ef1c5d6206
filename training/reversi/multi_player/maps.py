"""Random maps for two to four players, a position to begin with in each line.

    python maps.py PLAYERS COUNT SEED [open]

Sides from 6 to 15, for two players from 4; one map in four is whole, others have holes, often in a
symmetric arrangement, and some have cut corners. The stones stand in a square in the middle, now
and then in two squares. Every player has as many as any other, and a random game lasts for 25 moves
at least, on small maps until a third of the cells is set. `open`: sides from 9, no holes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from spielleiter import games

Cell = tuple[int, int]
SHAPES = [(1, 1), (1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)]
SHORTEST_GAME = 25


def main() -> None:
    players, count, is_open = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:] == ["open"]
    lot = random.Random(f"{players}/{sys.argv[3]}")
    while count > 0:
        text = made(lot, players, is_open)
        if length(text, lot) >= min(SHORTEST_GAME, text.count("0") // 3):
            print(text)
            count -= 1


def made(lot: random.Random, players: int, is_open: bool) -> str:
    """The text of a position."""
    shortest = 9 if is_open else 4 if players == 2 else 6
    height, width = lot.randint(shortest, 15), lot.randint(shortest, 15)
    stones = stood(lot, height, width, players)
    holes = set() if is_open else set(cut(lot, height, width)) - set(stones)

    def mark(x: int, y: int) -> str:
        return "-" if (x, y) in holes else str(stones.get((x, y), 0))

    rows = ("".join(mark(x, y) for x in range(width)) for y in range(height))
    return f"{'/'.join(rows)} {players} 1 -"


def stood(lot: random.Random, height: int, width: int, players: int) -> dict[Cell, int]:
    """The stones to begin with: squares in which each row and each column has every player once."""
    places = [((width - players) // 2, (height - players) // 2)]
    if min(height, width) >= 2 * players + 2 and lot.random() < 0.25:
        across = lot.randint(0, width - players), lot.randint(0, width - players)
        places = [(across[0], lot.randint(0, height // 2 - players))]
        places += [(across[1], lot.randint(height // 2, height - players))]
    stones: dict[Cell, int] = {}
    for left, top in places:
        way = lot.choice([1, -1])
        for x in range(players):
            for y in range(players):
                stones[left + x, top + y] = (x + way * y) % players + 1
    return stones


def cut(lot: random.Random, height: int, width: int) -> Iterator[Cell]:
    """The holes."""
    kind = lot.random()
    if kind > 0.25:
        for _ in range(lot.randint(1, 8)):
            yield from mirrored(lot, height, width)
    if kind > 0.7:
        size = lot.randint(1, min(height, width) // 3)
        for x in range(width):
            for y in range(height):
                if min(x, width - 1 - x) + min(y, height - 1 - y) < size:
                    yield x, y


def mirrored(lot: random.Random, height: int, width: int) -> Iterator[Cell]:
    """A small hole and, often, its mirror images."""
    left, top = lot.randrange(width), lot.randrange(height)
    (tall, wide), symmetry = lot.choice(SHAPES), lot.randrange(4)
    for x in range(left, min(left + wide, width)):
        for y in range(top, min(top + tall, height)):
            yield x, y
            if symmetry & 1:
                yield width - 1 - x, height - 1 - y
            if symmetry & 2:
                yield width - 1 - x, y


def length(text: str, lot: random.Random) -> int:
    """How many moves a game by lot lasts."""
    position = games.load("reversi").parse(text)
    moves = 0
    while position.legal_moves():
        position.play(lot.choice(position.legal_moves()))
        moves += 1
    return moves


if __name__ == "__main__":
    main()

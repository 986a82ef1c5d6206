"""The rules of Nim in plain Python: the judge in tests (rules.md)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, Self

from spielleiter.errors import IllegalMove, TextError
from spielleiter.game import Cell, Outcome

MASK = 2**64 - 1


class Mistake(enum.Enum):
    """Why a move is illegal."""

    NOT_ENOUGH = "the heap does not hold that many"
    GAME_OVER = "the game is over"

    @property
    def explanation(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Move:
    """Take so many from a heap."""

    heap: int
    taken: int

    def text(self) -> str:
        return f"{'ABC'[self.heap]}{self.taken}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Move {self.text()}>"


@dataclass(frozen=True, slots=True)
class Occupant:
    """A stone, which belongs to nobody."""

    seat: None = None

    def text(self) -> str:
        return "o"


class Position:
    """Three heaps and how often something was taken (§1)."""

    actions: ClassVar[int] = 27
    planes: ClassVar[tuple[int, int, int]] = (1, 1, 3)
    seats: ClassVar[int] = 2
    authority = "document"

    def __init__(self, heaps: list[int], ply: int) -> None:
        self.heaps, self.ply, self.edition = heaps, ply, "nim"

    @classmethod
    def start(cls, seed: int, set_up: str, edition: str, authority: str = "document") -> Self:
        return cls([1 + (mix(seed + GOLDEN * n) >> 32) * 9 // 2**32 for n in (1, 2, 3)], 0)

    @classmethod
    def parse(cls, text: str, edition: str, authority: str = "document") -> Self:
        heaps, _, ply = text.partition(" ")
        try:
            return cls([int(heap) for heap in heaps.split("/")], int(ply))
        except ValueError:
            raise TextError("expected three heaps and the ply", text) from None

    @property
    def columns(self) -> int:
        return len(self.heaps)

    @property
    def rows(self) -> int:
        return 9

    def cells(self) -> dict[Cell, Occupant | None]:
        return {(x, y): self.at((x, y)) for y in range(self.rows) for x in range(self.columns)}

    def at(self, cell: Cell) -> Occupant | None:
        x, y = cell
        if not (0 <= x < self.columns and 0 <= y < self.rows):
            raise IndexError("the board has no such cell")
        return Occupant() if y < self.heaps[x] else None

    def after(self, move: Move | str) -> Self:
        position = self.copy()
        position.play(move)
        return position

    def copy(self) -> Self:
        return type(self)(list(self.heaps), self.ply)

    def text(self) -> str:
        return f"{'/'.join(map(str, self.heaps))} {self.ply}"

    def to_move(self) -> int:
        return self.ply % 2

    def legal_moves(self) -> list[Move]:
        return [Move(heap, n) for heap in range(3) for n in range(1, self.heaps[heap] + 1)]

    def why_illegal(self, move: Move) -> Mistake | None:
        if self.outcome() is not None:
            return Mistake.GAME_OVER
        return Mistake.NOT_ENOUGH if move.taken > self.heaps[move.heap] else None

    def play(self, move: Move | str) -> None:
        move = self.move(move) if isinstance(move, str) else move
        if mistake := self.why_illegal(move):
            raise IllegalMove(mistake.name, mistake.value, move.text())
        self.heaps[move.heap] -= move.taken
        self.ply += 1

    def outcome(self) -> Outcome | None:
        """Who has just taken the last one has won (§3)."""
        if any(self.heaps):
            return None
        return Outcome((2, 1) if self.to_move() == 0 else (1, 2), (0, 0), "took the last one")

    def scores(self) -> tuple[int, int]:
        return (0, 0)

    def key(self) -> int:
        key = mix(self.ply + 1)
        for heap in self.heaps:
            key = mix(key + heap)
        return key

    def observation(self, viewer: int) -> list[list[int]]:
        return [self.heaps]

    def move(self, text: str) -> Move:
        return Move("ABC".index(text[0]), int(text[1]))

    def action(self, move: Move) -> int:
        return move.heap * 9 + move.taken - 1

    def move_at(self, action: int) -> Move:
        return Move(action // 9, action % 9 + 1)


GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """One step of splitmix64, as in core/random.hpp."""
    z &= MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)

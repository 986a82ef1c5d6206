"""A test engine in Pentobi's dialect of the Go Text Protocol: the largest piece that fits.

It shares no code with ours. As in Pentobi, a first piece anywhere needs `accept_illegal`.
"""

import sys
from collections.abc import Iterable, Sequence

Cell = tuple[int, int]
Shape = frozenset[Cell]

PIECES = (
    "00;00 10;00 01 11;00 01 02;00 10 01 11;00 10 20 11;00 01 02 03;00 01 02 12;00 10 11 21;"
    "00 01 02 03 13;00 10 20 11 12;00 01 02 12 22;10 20 30 01 11;00 10 11 12 22;00 01 02 03 04;"
    "00 10 01 11 02;00 01 11 12 22;00 01 11 21 20;01 11 12 21 20;10 01 11 21 12;01 10 11 12 13"
)
SIDE = 20
COMMANDS = ("clear_board", "genmove", "list_commands", "param_base", "play", "quit", "set_game")


def shifted(cells: Iterable[Cell]) -> Shape:
    """The same cells in the corner."""
    cells = list(cells)
    left, bottom = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - bottom) for x, y in cells)


def turned(cells: list[Cell]) -> set[Shape]:
    """All orientations of a piece."""
    found: set[Shape] = set()
    for _ in range(4):
        cells = [(y, -x) for x, y in cells]
        found |= {shifted(cells), shifted([(-x, y) for x, y in cells])}
    return found


SHAPES = [turned([(int(c[0]), int(c[1])) for c in piece.split()]) for piece in PIECES.split(";")]


class Engine:
    """The board, and the commands."""

    def __init__(self) -> None:
        self.lawless = False
        self.clear()

    def clear(self) -> None:
        """An empty board."""
        self.owner: dict[Cell, str] = {}
        self.used: dict[str, set[int]] = {colour: set() for colour in "1234"}

    def fits(self, colour: str, cells: Sequence[Cell]) -> bool:
        """Whether a piece may be placed, corner to corner with its own colour."""
        if any(c in self.owner or not (0 <= c[0] < SIDE and 0 <= c[1] < SIDE) for c in cells):
            return False
        around = {(x + a, y + b) for x, y in cells for a, b in ((0, 1), (0, -1), (1, 0), (-1, 0))}
        if any(self.owner.get(cell) == colour for cell in around):
            return False
        corners = {(x + a, y + b) for x, y in cells for a in (-1, 1) for b in (-1, 1)}
        return any(self.owner.get(cell) == colour for cell in corners)

    def kind(self, cells: Sequence[Cell]) -> int:
        """Which piece it is."""
        return next(at for at, shapes in enumerate(SHAPES) if shifted(cells) in shapes)

    def place(self, colour: str, cells: Sequence[Cell]) -> None:
        """Put a piece on the board."""
        self.used[colour].add(self.kind(cells))
        self.owner |= dict.fromkeys(cells, colour)

    def play(self, colour: str, text: str) -> str:
        """A piece of anybody."""
        cells = [(ord(field[0]) - ord("a"), int(field[1:]) - 1) for field in text.split(",")]
        if self.kind(cells) in self.used[colour]:
            raise ValueError("piece already played")
        if not self.lawless and not self.fits(colour, cells):
            raise ValueError("illegal move")
        self.place(colour, cells)
        return ""

    def genmove(self, colour: str) -> str:
        """The largest piece that fits, and its fields."""
        own = {cell for cell, owner in self.owner.items() if owner == colour}
        ends = {(x + a, y + b) for x, y in own for a in (-1, 1) for b in (-1, 1)} - set(self.owner)
        for kind in reversed(range(len(SHAPES))):
            for shape in SHAPES[kind] if kind not in self.used[colour] else ():
                for x, y in ends:
                    for a, b in shape:
                        cells = [(x - a + c, y - b + d) for c, d in shape]
                        if self.fits(colour, cells):
                            self.place(colour, cells)
                            return ",".join(f"{chr(ord('a') + c)}{d + 1}" for c, d in cells)
        return "pass"

    def answer(self, words: list[str]) -> str:
        """What a command is answered."""
        match words:
            case ["list_commands"]:
                return "\n".join(COMMANDS)
            case ["set_game", "Blokus", "Two-Player"] | ["clear_board"]:
                self.clear()
                return ""
            case ["param_base", "accept_illegal", value]:
                self.lawless = value == "1"
                return ""
            case ["param_base", "resign", _] | ["quit"]:
                return ""
            case ["play", colour, text]:
                return self.play(colour, text)
            case ["genmove", colour]:
                return self.genmove(colour)
        raise ValueError("unknown command")


def main() -> None:
    """Read commands until `quit`."""
    engine = Engine()
    for line in sys.stdin:
        try:
            print(f"= {engine.answer(line.split())}\n", flush=True)
        except ValueError as problem:
            print(f"? {problem}\n", flush=True)
        if line.strip() == "quit":
            return


main()

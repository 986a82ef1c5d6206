"""A test engine for Othello that shares no code with ours: `gtp`, `grhino` or `nboard`."""

import sys

Cell = tuple[int, int]
Board = dict[Cell, str]

STEPS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
START: Board = {(3, 3): "W", (4, 3): "B", (3, 4): "B", (4, 4): "W"}
COMMANDS = ("clear_board", "genmove", "list_commands", "play", "quit", "set_game", "time_left")


def turned(board: Board, colour: str, cell: Cell) -> list[Cell]:
    """The stones that a move turns."""
    found: list[Cell] = []
    for a, b in STEPS if cell not in board else ():
        line: list[Cell] = []
        at = (cell[0] + a, cell[1] + b)
        while board.get(at, colour) != colour:
            line.append(at)
            at = (at[0] + a, at[1] + b)
        found += line if board.get(at) == colour else []
    return found


def place(board: Board, colour: str, cell: Cell) -> None:
    """Make a move; raises ValueError if it turns nothing."""
    line = turned(board, colour, cell)
    if not line:
        raise ValueError("illegal move")
    board |= dict.fromkeys([cell, *line], colour)


def moves(board: Board, colour: str) -> list[Cell]:
    """All legal moves."""
    return [(x, y) for y in range(8) for x in range(8) if turned(board, colour, (x, y))]


def read(text: str) -> Cell:
    """A cell such as d3."""
    return ord(text[0].lower()) - ord("a"), int(text[1:]) - 1


def write(cell: Cell) -> str:
    """The same, as text."""
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


class Gtp:
    """The Go Text Protocol."""

    def __init__(self, passes: bool) -> None:
        self.passes = passes
        """Whether it passes by itself, as GRhino does."""
        self.clear()

    def clear(self) -> None:
        """The first position."""
        self.board, self.turn = dict(START), "B"

    def play(self, colour: str, text: str) -> str:
        """A move of anybody, in turn."""
        if self.passes and not moves(self.board, self.turn):
            self.turn = "BW".replace(self.turn, "")
        if colour != self.turn:
            raise ValueError("not its turn")
        if text == "pass":
            if self.passes or moves(self.board, colour):
                raise ValueError("it can move")
        else:
            place(self.board, colour, read(text))
        self.turn = "BW".replace(colour, "")
        return ""

    def answer(self, words: list[str]) -> str:
        """What a command is answered."""
        match words:
            case ["list_commands"]:
                return "\n".join(COMMANDS)
            case ["set_game", "Othello"] | ["quit"]:
                return ""
            case ["time_left", _, seconds, stones]:
                return "" if int(seconds) > 0 and int(stones) == 1 else "?"
            case ["clear_board"]:
                self.clear()
                return ""
            case ["play", colour, text]:
                return self.play(colour, text)
            case ["genmove", colour]:
                best = write(moves(self.board, colour)[0])
                self.play(colour, best)
                return best.upper()
        raise ValueError("unknown command")

    def hear(self, line: str) -> None:
        """Answer a line."""
        try:
            print(f"= {self.answer(line.split())}\n", flush=True)
        except ValueError as problem:
            print(f"? {problem}\n", flush=True)


class NBoard:
    """The NBoard protocol."""

    def hear(self, line: str) -> None:
        """Answer a line."""
        words = line.split()
        if words[:2] == ["set", "game"]:
            size, stones, mover = line.partition("BO[")[2].partition("]")[0].split()
            marks = {at: {"*": "B", "O": "W"}.get(mark) for at, mark in enumerate(stones)}
            self.board = {(at % 8, at // 8): mark for at, mark in marks.items() if mark}
            self.turn = {"*": "B", "O": "W"}[mover]
            assert (size, len(stones)) == ("8", 64)
        elif words[0] == "ping":
            print(f"pong {words[1]}", flush=True)
        elif words[0] == "go":
            print("status thinking")
            print(f"=== {write(moves(self.board, self.turn)[0]).upper()}/0.5/1.0", flush=True)


talk: Gtp | NBoard = NBoard() if sys.argv[1] == "nboard" else Gtp(passes=sys.argv[1] == "grhino")
for each in sys.stdin:
    talk.hear(each)

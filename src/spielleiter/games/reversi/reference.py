"""The rules of Reversi in the plainest Python: the judge of the core in tests (rules.md).

A position is a dictionary from cells (x, y) to marks: `0` empty, `1` … `4` a stone, `-` a hole.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, NoReturn, Self

from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Outcome

LARGEST_SIDE = 15
DIGITS = "0123456789"
WAYS = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]

Cell = tuple[int, int]


class Mistake(enum.Enum):
    """Why a move is illegal."""

    OFF_BOARD = "the cell is off the board"
    HOLE = "the cell is a hole"
    OCCUPIED = "a stone lies on the cell"
    TAKES_NOTHING = "the stone would take no other stone"
    GAME_OVER = "the game is over"

    @property
    def explanation(self) -> str:
        """The reason in a sentence."""
        return self.value


@dataclass(frozen=True, slots=True)
class Move:
    """A stone set on column x, row y, counted from 0 at the upper left."""

    x: int
    y: int

    @property
    def cell(self) -> Cell:
        """Where the stone is set, as (column, row)."""
        return self.x, self.y

    def text(self) -> str:
        """A cell such as `c4`: column, then row from the top."""
        return f"{chr(ord('a') + self.x)}{self.y + 1}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Move {self.text()}>"


@dataclass(frozen=True, slots=True)
class Occupant:
    """A stone."""

    seat: int

    def text(self) -> str:
        """The digit of the player."""
        return str(self.seat + 1)


class Position:
    """A moment of the game."""

    actions: ClassVar[int] = LARGEST_SIDE * LARGEST_SIDE
    planes: ClassVar[tuple[int, int, int]] = (7, LARGEST_SIDE, LARGEST_SIDE)
    has_plane_bits: ClassVar[bool] = True
    """The planes hold nothing but 0 and 1."""

    def __init__(
        self,
        marks: dict[Cell, str],
        seats: int,
        turn: int,
        fallen: list[int],
        authority: str = "document",
    ) -> None:
        self.edition = "reversi"
        self.authority = authority
        self.marks = marks
        self.seats = seats
        self.fallen = fallen
        """The disqualified seats, in the order in which it happened."""
        self.targets: list[Cell] = []
        """Where the seat whose turn it is may set; nowhere when the game is over."""
        self.turn = turn
        self.first_stones = self._stones()
        self._give_turn(turn)

    @classmethod
    def start(cls, seed: int, set_up: str, edition: str, authority: str = "document") -> Self:
        """The first position: the set-up is its text, nothing is drawn by lot."""
        return cls.parse(set_up, edition, authority)

    @classmethod
    def parse(cls, text: str, edition: str, authority: str = "document") -> Self:
        """The position a text describes: rows, number of players, player to move, disqualified."""
        if edition != "reversi":
            raise UsageError(f"reversi has no edition {edition}")
        if authority not in ("document", "server"):
            raise UsageError(f"reversi knows no authority {authority}")
        return cls(*_parse_position(text), authority)

    # ------------------------------------------------------------------------------ the board

    @property
    def columns(self) -> int:
        """Columns of the board."""
        return max(x for x, _ in self.marks) + 1

    @property
    def rows(self) -> int:
        """Rows of the board."""
        return max(y for _, y in self.marks) + 1

    def cells(self) -> dict[Cell, Occupant | None]:
        """Everything that lies on the board, by its cell."""
        return {cell: self.at(cell) for cell, mark in self.marks.items() if mark != "-"}

    def at(self, cell: Cell) -> Occupant | None:
        """What lies on a cell, or None."""
        mark = self.marks.get(cell, "-")
        if mark == "-":
            raise IndexError("the board has no such cell")
        return None if mark == "0" else Occupant(int(mark) - 1)

    def stones(self, seat: int) -> tuple[Cell, ...]:
        """The cells with a stone of a seat."""
        return tuple(cell for cell, mark in self.marks.items() if mark == str(seat + 1))

    def stone_counts(self) -> tuple[int, ...]:
        """How many stones each seat has."""
        return tuple(len(self.stones(seat)) for seat in range(self.seats))

    def holes(self) -> tuple[Cell, ...]:
        """The cells that do not exist for play."""
        return tuple(cell for cell, mark in self.marks.items() if mark == "-")

    def is_disqualified(self, seat: int) -> bool:
        """Whether a seat is out of the game."""
        return seat in self.fallen

    # ------------------------------------------------------------------------------ the rules

    @property
    def ply(self) -> int:
        """Moves made since the position was set up or read: each has added one stone."""
        return self._stones() - self.first_stones

    def to_move(self) -> int:
        """The seat whose turn it is."""
        return self.turn

    def legal_moves(self) -> list[Move]:
        """All legal moves, row by row; none when the game is over."""
        return [Move(x, y) for x, y in self.targets]

    def why_illegal(self, move: Move) -> Mistake | None:
        """The first rule that a move breaks, or None if it is legal."""
        if not self.targets:
            return Mistake.GAME_OVER
        mark = self.marks.get((move.x, move.y))
        if mark is None:
            return Mistake.OFF_BOARD
        if mark == "-":
            return Mistake.HOLE
        if mark != "0":
            return Mistake.OCCUPIED
        return None if self._takes((move.x, move.y), self.turn) else Mistake.TAKES_NOTHING

    def after(self, move: Move | str) -> Self:
        """The position after a move; this one stays as it is."""
        twin = self.copy()
        twin.play(move)
        return twin

    def play(self, move: Move | str) -> None:
        """The cell and all taken stones become the mover's; then the turn goes round."""
        if isinstance(move, str):
            move = self.move(move)
        if mistake := self.why_illegal(move):
            raise IllegalMove(mistake.name, mistake.explanation, move.text())
        cell = (move.x, move.y)
        for turned in [cell, *self._taken(cell, self.turn)]:
            self.marks[turned] = str(self.turn + 1)
        self._give_turn((self.turn + 1) % self.seats)

    def disqualify(self, seat: int) -> None:
        """The game goes on without that seat; its stones stay."""
        if not 0 <= seat < self.seats:
            raise UsageError("there is no such seat")
        if seat not in self.fallen:
            self.fallen.append(seat)
            self._give_turn(self.turn)

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if self.targets:
            return None
        ranks = tuple(self._rank(seat) for seat in range(self.seats))
        return Outcome(ranks, self.scores(), self._reason(ranks))

    def scores(self) -> tuple[int, ...]:
        """Stones of each seat; none count for who is disqualified."""
        stones = list(self.marks.values())
        return tuple(
            0 if seat in self.fallen else stones.count(str(seat + 1)) for seat in range(self.seats)
        )

    def _give_turn(self, first: int) -> None:
        """From `first` on, the next seat that can move; a seat left alone does not move any more.

        If nobody can, the game is over and the turn stays with the next seat that is in the game.
        """
        order = [(first + step) % self.seats for step in range(self.seats)]
        present = [seat for seat in order if seat not in self.fallen]
        self.turn, self.targets = [*present, first][0], []
        for seat in present if len(present) > 1 else []:
            if targets := [cell for cell in self.marks if self._takes(cell, seat)]:
                self.turn, self.targets = seat, targets
                return

    def _takes(self, cell: Cell, seat: int) -> bool:
        """Whether that seat may set a stone on that cell: it is empty and something is taken."""
        own = str(seat + 1)
        return self.marks[cell] == "0" and any(self._along(cell, way, own) for way in WAYS)

    def _taken(self, cell: Cell, seat: int) -> list[Cell]:
        """The stones that a stone of that seat on that cell takes, in all eight ways."""
        return [stone for way in WAYS for stone in self._along(cell, way, str(seat + 1))]

    def _along(self, cell: Cell, way: Cell, own: str) -> list[Cell]:
        """Others' stones up to the first own one; nothing if a hole, gap or edge comes first."""
        collected: list[Cell] = []
        x, y = cell[0] + way[0], cell[1] + way[1]
        while self.marks.get((x, y), "-") not in ("-", "0", own):
            collected.append((x, y))
            x, y = x + way[0], y + way[1]
        return collected if self.marks.get((x, y)) == own else []

    def _stones(self) -> int:
        return sum(mark in "1234" for mark in self.marks.values())

    def _remaining(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.fallen]

    def _rank(self, seat: int) -> int:
        """By score; the disqualified after all others, the later ones first."""
        if seat in self.fallen:
            return self.seats - self.fallen.index(seat)
        scores = self.scores()
        return 1 + sum(scores[other] > scores[seat] for other in self._remaining())

    def _reason(self, ranks: tuple[int, ...]) -> str:
        if len(self._remaining()) < 2:
            return "last one left" if self._remaining() else "nobody left"
        return "most stones" if ranks.count(1) == 1 else "equal stones"

    # ------------------------------------------------------------------------- texts and numbers

    def text(self) -> str:
        """The position as text; `parse` reads it back."""
        marks = "".join(self.marks.values())
        rows = "/".join(marks[at : at + self.columns] for at in range(0, len(marks), self.columns))
        fallen = "".join(str(seat + 1) for seat in self.fallen) or "-"
        return f"{rows} {self.seats} {self.turn + 1} {fallen}"

    def move(self, text: str) -> Move:
        """`d3`: column d, row 3 from the top; or `3,2`: x and y from 0."""
        return _parse_move(text)

    def action(self, move: Move) -> int:
        """The number of a move in the fixed action space."""
        return move.y * LARGEST_SIDE + move.x

    def move_at(self, action: int) -> Move:
        """The move that has a number in the action space; raises IndexError for others."""
        if not 0 <= action < self.actions:
            raise IndexError("no action has that number")
        return Move(action % LARGEST_SIDE, action // LARGEST_SIDE)

    def copy(self) -> Self:
        """An independent position of the same game."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.marks, twin.fallen = dict(self.marks), list(self.fallen)
        return twin

    def perft_with_passes(self, depth: int) -> int:
        """Number of move sequences where a skip is a ply and a finished game counts once."""
        if depth <= 0 or not self.targets:
            return 1
        return sum(self._counted_after(move, depth - 1) for move in self.legal_moves())

    def _counted_after(self, move: Move, depth: int) -> int:
        after = self.after(move)
        steps = (after.turn - self.turn - 1) % self.seats if after.targets else 0
        between = [(self.turn + step) % self.seats for step in range(1, steps + 1)]
        return after.perft_with_passes(depth - sum(seat not in self.fallen for seat in between))

    def observation(self, viewer: int) -> list[list[int]]:
        """Planes, row by row on the largest board: stones of a seat and those after it; cells
        that do not exist; legal targets, if it is its turn; stones of disqualified seats."""
        seats = [str((viewer + seat) % self.seats + 1) for seat in range(self.seats)]
        fallen = {str(seat + 1) for seat in self.fallen}
        cells = [(x, y) for y in range(LARGEST_SIDE) for x in range(LARGEST_SIDE)]
        marks = [self.marks.get(cell, "-") for cell in cells]
        stones = [[int(mark == seat) for mark in marks] for seat in seats]
        nobody = [[0] * len(cells)] * (4 - len(seats))
        missing = [int(mark == "-") for mark in marks]
        its_turn = viewer == self.turn
        targets = [int(its_turn and cell in self.targets) for cell in cells]
        return [*stones, *nobody, missing, targets, [int(mark in fallen) for mark in marks]]

    def key(self) -> int:
        """Exclusive or of one number for each stone, hole, the shape, the turn, each fallen seat.

        The numbers are those of splitmix64 streams with the seeds 0x5e7e2515 1 … 5, as in the core.
        """
        key = (
            SHAPES[self.rows]
            ^ SHAPES[16 + self.columns]
            ^ SHAPES[32 + self.seats]
            ^ TURNS[self.turn]
        )
        for (x, y), mark in self.marks.items():
            at = y * LARGEST_SIDE + x
            if mark == "-":
                key ^= HOLES[at]
            elif mark != "0":
                key ^= STONES[(int(mark) - 1) * LARGEST_SIDE * LARGEST_SIDE + at]
        for order, seat in enumerate(self.fallen):
            key ^= FALLEN[4 * order + seat]
        return key


def _parse_position(text: str) -> tuple[dict[Cell, str], int, int, list[int]]:
    """Cells, number of seats, seat to move and the disqualified ones, or TextError at the first
    wrong character."""
    reader = _Reader(text)
    rows = _parse_rows(reader)
    reader.expect(" ", "a cell (0 to 4 or -), / or a blank")
    seats = int(reader.take("234", "the number of players, 2 to 4"))
    _check_stones(reader, seats)
    reader.expect(" ", "a blank before the player to move")
    turn_at, players = reader.at, "1234"[:seats]
    turn = int(reader.take(players, "the player to move, counted from 1")) - 1
    reader.expect(" ", "a blank before the disqualified players")
    fallen = _parse_fallen(reader, players)
    reader.end()
    if turn in fallen and len(fallen) < seats:
        reader.fail("the player to move is disqualified", turn_at)
    cells = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    return cells, seats, turn, fallen


def _parse_rows(reader: _Reader) -> list[str]:
    rows: list[str] = []
    while not rows or reader.accept("/"):
        begin, row = reader.at, reader.run("01234-")
        if not row:
            reader.fail("expected a cell: 0 to 4 or -")
        if len(row) > LARGEST_SIDE:
            reader.fail("a row has at most 15 cells", begin + LARGEST_SIDE)
        if len(rows) == LARGEST_SIDE:
            reader.fail("there are at most 15 rows", begin)
        if rows and len(row) != len(rows[0]):
            reader.fail("this row has another length than the first one", begin)
        rows.append(row)
    return rows


def _check_stones(reader: _Reader, seats: int) -> None:
    """Stones of players who are not in the game are found only when their number is known."""
    board = reader.text.split(" ")[0]
    for at, mark in enumerate(board):
        if mark in "1234"[seats:]:
            reader.fail("a stone of a player who is not in the game", at)


def _parse_fallen(reader: _Reader, players: str) -> list[int]:
    fallen: list[int] = []
    if reader.accept("-"):
        return fallen
    while not fallen or not reader.is_done():
        at, player = reader.at, reader.take(players, "the disqualified players, or -")
        if int(player) - 1 in fallen:
            reader.fail("this player is disqualified already", at)
        fallen.append(int(player) - 1)
    return fallen


def _parse_move(text: str) -> Move:
    reader = _Reader(text)
    if text and text[0] in DIGITS:
        x = reader.number("the column x, 0 to 14")
        reader.expect(",", "',' between x and y")
        y = reader.number("the row y, 0 to 14")
    else:
        letters = "abcdefghijklmno"
        meaning = "a column letter, a to o, or the column x"
        x = letters.index(reader.take(letters + letters.upper(), meaning).lower())
        y = reader.number("the row, 1 to 15 from the top", 1) - 1
    reader.end()
    return Move(x, y)


class _Reader:
    """Walks over a text; every refusal names the problem and the character."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        raise TextError(problem, self.text, self.at if at is None else at)

    def is_done(self) -> bool:
        return self.at == len(self.text)

    def end(self) -> None:
        if not self.is_done():
            self.fail("expected the end of the text")

    def accept(self, wanted: str) -> bool:
        found = self.text[self.at : self.at + 1] == wanted
        self.at += found
        return found

    def expect(self, wanted: str, meaning: str) -> None:
        if not self.accept(wanted):
            self.fail(f"expected {meaning}")

    def take(self, known: str, meaning: str) -> str:
        if self.is_done() or self.text[self.at] not in known:
            self.fail(f"expected {meaning}")
        self.at += 1
        return self.text[self.at - 1]

    def run(self, known: str, most: int | None = None) -> str:
        """What there is of known characters, at most so many."""
        begin = self.at
        while not self.is_done() and self.text[self.at] in known and self.at - begin != most:
            self.at += 1
        return self.text[begin : self.at]

    def number(self, meaning: str, low: int = 0) -> int:
        """A coordinate of at most nine digits, from `low` on."""
        begin, digits = self.at, self.run(DIGITS, 9)
        if not digits:
            self.fail(f"expected {meaning}")
        if digits[0] == "0" and len(digits) > 1:
            self.fail("a number is written without leading zeros", begin)
        if not low <= int(digits) < low + LARGEST_SIDE:
            self.fail(f"expected {meaning}", begin)
        return int(digits)


def splitmix64(seed: int, count: int) -> list[int]:
    """The first numbers of the stream of that seed."""
    mask, numbers = (1 << 64) - 1, []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        numbers.append(z ^ (z >> 31))
    return numbers


STONES = splitmix64(0x5E7E25151, 4 * 225)
TURNS = splitmix64(0x5E7E25152, 4)
FALLEN = splitmix64(0x5E7E25153, 16)
HOLES = splitmix64(0x5E7E25154, 225)
SHAPES = splitmix64(0x5E7E25155, 37)

"""Blokus in plain Python, written from rules.md: slow, simple, the judge of the native core.

A cell is a number 20·y + x, a placement is an orientation and the cell of its upper left corner, a
move is a number: 400·orientation + cell, or `PASS` (rules.md §3).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, NoReturn, Self

from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Outcome

SIDE = 20
CELLS = SIDE * SIDE
COLOURS = "BYRG"
COLOUR_NAMES = ("blue", "yellow", "red", "green")
LAST_TURN = 103
START_PIECE = "the start piece, a pentomino that the edition allows"

KINDS = {
    "MONO": "00",
    "DOMINO": "00 10",
    "TRIO_L": "00 01 11",
    "TRIO_I": "00 01 02",
    "TETRO_O": "00 10 01 11",
    "TETRO_T": "00 10 20 11",
    "TETRO_I": "00 01 02 03",
    "TETRO_L": "00 01 02 12",
    "TETRO_Z": "00 10 11 21",
    "PENTO_L": "00 01 02 03 13",
    "PENTO_T": "00 10 20 11 12",
    "PENTO_V": "00 01 02 12 22",
    "PENTO_S": "10 20 30 01 11",
    "PENTO_Z": "00 10 11 12 22",
    "PENTO_I": "00 01 02 03 04",
    "PENTO_P": "00 10 01 11 02",
    "PENTO_W": "00 01 11 12 22",
    "PENTO_U": "00 01 11 21 20",
    "PENTO_R": "01 11 12 21 20",
    "PENTO_X": "10 01 11 21 12",
    "PENTO_Y": "01 10 11 12 13",
}
"""Every piece and its squares, x then y, in the order of the piece index (rules.md §2)."""

NAMES = tuple(KINDS)
SIZES = tuple(len(squares.split()) for squares in KINDS.values())
ALL_PIECES = (1 << len(NAMES)) - 1
ALL_SQUARES = sum(SIZES)
ROTATIONS = ("NONE", "RIGHT", "MIRROR", "LEFT")

Square = tuple[int, int]
Shape = frozenset[Square]


# ------------------------------------------------------------------------------------ orientations


@dataclass(frozen=True, slots=True)
class Orientation:
    """One way to hold a piece; the first of the rotations and flips that look like this."""

    kind: int
    rotation: int
    flipped: bool
    shape: Shape

    def turn(self) -> str:
        """`RF`: turned right and flipped."""
        return ROTATIONS[self.rotation][0] + "F" * self.flipped

    def name(self) -> str:
        """`PENTO_Y:RF`; `:N` is left out."""
        return NAMES[self.kind] + (f":{self.turn()}" if self.turn() != "N" else "")


def turned(kind: int, rotation: int, flipped: bool) -> Shape:
    """The squares of a piece, rotated, then flipped, then moved into the upper left corner."""
    squares = [(int(text[0]), int(text[1])) for text in KINDS[NAMES[kind]].split()]
    for _ in range(rotation):
        squares = [(-y, x) for x, y in squares]
    if flipped:
        squares = [(-x, y) for x, y in squares]
    left, top = min(x for x, _ in squares), min(y for _, y in squares)
    return frozenset((x - left, y - top) for x, y in squares)


def all_orientations() -> tuple[Orientation, ...]:
    """The 91 ways to hold a piece that look different, in the order of their numbers."""
    found: dict[tuple[int, Shape], Orientation] = {}
    for kind in range(len(NAMES)):
        for flipped in (False, True):
            for rotation in range(4):
                shape = turned(kind, rotation, flipped)
                found.setdefault((kind, shape), Orientation(kind, rotation, flipped, shape))
    return tuple(found.values())


ORIENTATIONS = all_orientations()
NUMBER_OF = {(held.kind, held.shape): number for number, held in enumerate(ORIENTATIONS)}
PASS = len(ORIENTATIONS) * CELLS
ACTIONS = PASS + 1


@functools.cache
def cells_of(move: int) -> frozenset[int] | None:
    """The cells that a placement covers; None if it does not fit on the board."""
    orientation, cell = divmod(move, CELLS)
    shape = {(x + cell % SIDE, y + cell // SIDE) for x, y in ORIENTATIONS[orientation].shape}
    if any(x >= SIDE or y >= SIDE for x, y in shape):
        return None
    return frozenset(SIDE * y + x for x, y in shape)


@functools.cache
def placements_over(cell: int, kind: int) -> tuple[tuple[int, frozenset[int]], ...]:
    """All placements of a piece that cover a cell: their numbers and their cells."""
    column, row = cell % SIDE, cell // SIDE
    corners = [
        (number, column - x, row - y)
        for number, held in enumerate(ORIENTATIONS)
        for x, y in held.shape
        if held.kind == kind and column >= x and row >= y
    ]
    moves = [CELLS * number + SIDE * y + x for number, x, y in corners]
    return tuple((move, cells) for move in moves if (cells := cells_of(move)) is not None)


# -------------------------------------------------------------------------------------------- board


def _around(cell: int, steps: tuple[Square, ...]) -> frozenset[int]:
    column, row = cell % SIDE, cell // SIDE
    return frozenset(
        SIDE * (row + y) + column + x
        for x, y in steps
        if 0 <= column + x < SIDE and 0 <= row + y < SIDE
    )


BESIDE = [_around(cell, ((0, 1), (1, 0), (0, -1), (-1, 0))) for cell in range(CELLS)]
DIAGONAL = [_around(cell, ((1, 1), (1, -1), (-1, 1), (-1, -1))) for cell in range(CELLS)]
CORNERS = frozenset({0, SIDE - 1, CELLS - SIDE, CELLS - 1})
EDGE = frozenset(cell for cell in range(CELLS) if len(BESIDE[cell]) < 4)


# -------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class Rules:
    """What an edition and an authority decide (rules.md §6)."""

    edition: str
    authority: str

    @property
    def start_pieces(self) -> tuple[str, ...]:
        """The pieces that can be drawn as the first one."""
        unfit = {"PENTO_X"} if self.edition == "blokus-2021" else set()
        return tuple(name for name in NAMES if name.startswith("PENTO") and name not in unfit)

    @property
    def first_cells(self) -> frozenset[int]:
        """One of these cells must be covered by a colour's first piece."""
        return CORNERS if self.edition == "blokus-2021" else EDGE

    @property
    def turns(self) -> int:
        """The game is over when so many turns have been counted."""
        return 96 if (self.edition, self.authority) == ("blokus-2027", "server") else 100

    @property
    def finished_colour_ends_game(self) -> bool:
        """Whether the game ends with the round in which a colour has placed everything."""
        return self.authority == "document"

    @property
    def first_turn_may_pass(self) -> bool:
        """Whether a colour may pass although it has not placed its first piece."""
        return self.authority == "document"


def rules_of(edition: str, authority: str) -> Rules:
    """The rules of that name; raises UsageError if there are none."""
    if edition not in ("blokus-2021", "blokus-2027"):
        raise UsageError(f"blokus has no edition {edition!r}")
    if authority not in ("document", "server"):
        raise UsageError(f"there is no authority {authority!r}")
    return Rules(edition, authority)


class Mistake(enum.Enum):
    """Why a move is illegal, in the order of the checks (rules.md §5)."""

    GAME_OVER = "the game is over"
    COLOUR_NOT_ON_TURN = "it is another colour's turn"
    PASSES_FIRST_MOVE = "the first move of a colour has to place a piece"
    NOT_THE_START_PIECE = "the first piece of a colour has to be the drawn one"
    ALREADY_PLACED = "the piece has been placed before"
    OFF_BOARD = "the piece does not lie wholly on the board"
    OCCUPIED = "the piece would cover another one"
    TOUCHES_OWN_EDGE = "the piece lies beside a piece of its own colour"
    NOT_ON_CORNER = "the first piece of a colour has to cover a corner of the board"
    NOT_ON_EDGE = "the first piece of a colour has to cover a field on the edge of the board"
    NO_CORNER_CONTACT = "the piece touches no piece of its own colour at a corner"

    @property
    def explanation(self) -> str:
        """The reason in a sentence."""
        return self.value


@dataclass(frozen=True, slots=True)
class Move:
    """A placement or a pass, by its number in the action space."""

    number: int

    @property
    def is_pass(self) -> bool:
        """Whether nothing is placed."""
        return self.number == PASS

    @property
    def piece(self) -> str | None:
        """The piece; None: a pass."""
        return None if self.is_pass else NAMES[ORIENTATIONS[self.number // CELLS].kind]

    @property
    def orientation(self) -> str | None:
        """How the piece is held, as in the text; None: a pass."""
        return None if self.is_pass else ORIENTATIONS[self.number // CELLS].turn()

    @property
    def cells(self) -> tuple[Square, ...]:
        """The cells it covers, row by row, on the board or beyond; none: a pass."""
        if self.is_pass:
            return ()
        orientation, corner = divmod(self.number, CELLS)
        shape = sorted(ORIENTATIONS[orientation].shape, key=lambda square: square[::-1])
        return tuple((x + corner % SIDE, y + corner // SIDE) for x, y in shape)

    def text(self) -> str:
        """`PENTO_Y:R@a5`: what, how, and where its upper left corner lies; or `pass`."""
        if self.number == PASS:
            return "pass"
        orientation, cell = divmod(self.number, CELLS)
        return f"{ORIENTATIONS[orientation].name()}@{field_name(cell)}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Move {self.text()}>"


@dataclass(frozen=True, slots=True)
class Occupant:
    """A square of a colour."""

    colour: str

    @property
    def seat(self) -> int:
        """The seat that the colour belongs to."""
        return COLOUR_NAMES.index(self.colour) % 2

    def text(self) -> str:
        """The letter of the colour."""
        return self.colour[0].upper()


def field_name(cell: int) -> str:
    """`a1` is the upper left field, `t20` the lower right one."""
    return f"{chr(ord('a') + cell % SIDE)}{cell // SIDE + 1}"


# ---------------------------------------------------------------------------------------- positions


@dataclass(slots=True)
class Position:
    """A moment of the game."""

    actions: ClassVar[int] = ACTIONS
    planes: ClassVar[tuple[int, int, int]] = (101, SIDE, SIDE)

    rules: Rules
    start_piece: str
    board: dict[int, int] = field(default_factory=dict)
    """Cell → colour of what lies there."""
    turn: int = 0
    remaining: list[int] = field(default_factory=lambda: [ALL_PIECES] * 4)
    """Per colour, bit i is set while piece i has not been placed."""
    in_play: set[int] = field(default_factory=lambda: {0, 1, 2, 3})
    mono_last: set[int] = field(default_factory=set)

    @classmethod
    def start(cls, seed: int, set_up: str, edition: str, authority: str = "document") -> Self:
        """The empty board; the start piece is named by the set-up or drawn by lot."""
        rules = rules_of(edition, authority)
        if not set_up:
            return cls(rules, rules.start_pieces[below(seed, len(rules.start_pieces))])
        reader = _Reader(set_up)
        start_piece = reader.word(rules.start_pieces, START_PIECE)
        reader.end()
        return cls(rules, start_piece)

    @classmethod
    def parse(cls, text: str, edition: str, authority: str = "document") -> Self:
        """The position that a text describes; raises TextError with what is wrong."""
        return cls(*_parse_position(text, rules_of(edition, authority)))

    @property
    def edition(self) -> str:
        """The edition that is played."""
        return self.rules.edition

    @property
    def authority(self) -> str:
        """Who decides doubtful points: the document or the server."""
        return self.rules.authority

    @property
    def seats(self) -> int:
        """Two players, each with two colours."""
        return 2

    @property
    def ply(self) -> int:
        """How many turns were taken, passes included."""
        return self.turn

    @property
    def colour(self) -> int:
        """The colour on turn: blue, yellow, red, green."""
        return self.turn % 4

    def to_move(self) -> int:
        """Blue and red belong to the first seat, yellow and green to the second."""
        return self.colour % 2

    def copy(self) -> Self:
        """An independent position of the same game."""
        return replace(
            self,
            board=dict(self.board),
            remaining=list(self.remaining),
            in_play=set(self.in_play),
            mono_last=set(self.mono_last),
        )

    # What lies on the board

    @property
    def columns(self) -> int:
        """Columns of the board."""
        return SIDE

    @property
    def rows(self) -> int:
        """Rows of the board."""
        return SIDE

    def cells(self) -> dict[Square, Occupant | None]:
        """Everything that lies on the board, by its cell."""
        return {(cell % SIDE, cell // SIDE): self._occupant(cell) for cell in range(CELLS)}

    def at(self, cell: Square) -> Occupant | None:
        """What lies on a cell, or None."""
        x, y = cell
        if not (0 <= x < SIDE and 0 <= y < SIDE):
            raise IndexError("the board has no such cell")
        return self._occupant(SIDE * y + x)

    def _occupant(self, cell: int) -> Occupant | None:
        return Occupant(COLOUR_NAMES[self.board[cell]]) if cell in self.board else None

    def colour_to_move(self) -> str:
        """The colour whose turn it is."""
        return COLOUR_NAMES[self.colour]

    def colours_in_play(self) -> tuple[str, ...]:
        """The colours that have not dropped out, in the order of turns."""
        return tuple(COLOUR_NAMES[colour] for colour in sorted(self.in_play))

    def pieces_left(self, colour: str) -> tuple[str, ...]:
        """The pieces that a colour has not placed yet."""
        left = self.remaining[_colour_named(colour)]
        return tuple(name for kind, name in enumerate(NAMES) if left >> kind & 1)

    def squares(self, colour: str) -> tuple[Square, ...]:
        """The cells that a colour covers."""
        own = sorted(self.own(_colour_named(colour)))
        return tuple((cell % SIDE, cell // SIDE) for cell in own)

    # What can be played

    def is_first(self, colour: int) -> bool:
        """Whether the colour has not placed anything yet."""
        return self.remaining[colour] == ALL_PIECES

    def own(self, colour: int) -> set[int]:
        """The cells that a colour covers."""
        return {cell for cell, owner in self.board.items() if owner == colour}

    def free(self, colour: int) -> set[int]:
        """Empty cells that do not lie beside the own colour."""
        beside = {near for cell in self.own(colour) for near in BESIDE[cell]}
        return set(range(CELLS)) - self.board.keys() - beside

    def contacts(self, colour: int) -> set[int]:
        """The free cells of which a placement has to cover at least one."""
        if self.is_first(colour):
            return self.free(colour) & self.rules.first_cells
        return self.free(colour) & {near for cell in self.own(colour) for near in DIAGONAL[cell]}

    def pieces(self, colour: int) -> set[int]:
        """The pieces the colour may place now."""
        if self.is_first(colour):
            return {NAMES.index(self.start_piece)}
        return {kind for kind in range(len(NAMES)) if self.remaining[colour] >> kind & 1}

    def placements(self, colour: int) -> Iterator[int]:
        """All legal placements, by the first contact they cover and then by number."""
        free, pieces = self.free(colour), self.pieces(colour)
        for contact in sorted(self.contacts(colour)):
            yield from sorted(
                move
                for kind in pieces
                for move, cells in placements_over(contact, kind)
                if cells <= free
            )
            free.remove(contact)  # what covers it has been named

    def can_place(self, colour: int) -> bool:
        """Whether a colour has any legal placement."""
        return next(self.placements(colour), None) is not None

    def may_pass(self) -> bool:
        """Whether the colour to move may pass."""
        return self.rules.first_turn_may_pass or not self.is_first(self.colour)

    def legal_moves(self) -> list[Move]:
        """All legal moves in a fixed order; none when the game is over."""
        if self.is_over():
            return []
        passing = [Move(PASS)] if self.may_pass() else []
        return [Move(number) for number in self.placements(self.colour)] + passing

    def why_illegal(self, move: Move) -> Mistake | None:
        """The first rule that a move breaks, or None if it is legal."""
        if self.is_over():
            return Mistake.GAME_OVER
        if move.number == PASS:
            return None if self.may_pass() else Mistake.PASSES_FIRST_MOVE
        return self._wrong_piece(move) or self._wrong_place(move)

    def _wrong_piece(self, move: Move) -> Mistake | None:
        kind = ORIENTATIONS[move.number // CELLS].kind
        if kind in self.pieces(self.colour):
            return None
        first = self.is_first(self.colour)
        return Mistake.NOT_THE_START_PIECE if first else Mistake.ALREADY_PLACED

    def _wrong_place(self, move: Move) -> Mistake | None:
        cells = cells_of(move.number)
        if cells is None:
            return Mistake.OFF_BOARD
        if cells & self.board.keys():
            return Mistake.OCCUPIED
        if not cells <= self.free(self.colour):
            return Mistake.TOUCHES_OWN_EDGE
        if cells & self.contacts(self.colour):
            return None
        if not self.is_first(self.colour):
            return Mistake.NO_CORNER_CONTACT
        return Mistake.NOT_ON_CORNER if self.rules.first_cells == CORNERS else Mistake.NOT_ON_EDGE

    # What a move does

    def play(self, move: Move | str) -> None:
        """Make a move, given as a move or its text; raises IllegalMove."""
        move = self.move(move) if isinstance(move, str) else move
        mistake = self.why_illegal(move)
        if mistake is not None:
            raise IllegalMove(mistake.name, mistake.explanation, move.text())
        if move.number != PASS:
            self._place(move)
        self.turn += 1
        self._pass_over_stuck_colours()

    def after(self, move: Move | str) -> Self:
        """The position after a move; this one stays as it is."""
        position = self.copy()
        position.play(move)
        return position

    def _place(self, move: Move) -> None:
        kind = ORIENTATIONS[move.number // CELLS].kind
        for cell in cells_of(move.number) or ():
            self.board[cell] = self.colour
        self.remaining[self.colour] &= ~(1 << kind)
        if self.remaining[self.colour] == 0 and NAMES[kind] == "MONO":
            self.mono_last.add(self.colour)

    def _pass_over_stuck_colours(self) -> None:
        """Until a colour can place, or none is left (rules.md §4).

        The server does so even beyond the last round; the document's game stops at its end.
        """
        while not (self.authority == "document" and self.is_over()):
            if self.colour in self.in_play and self.can_place(self.colour):
                return
            self.in_play.discard(self.colour)
            if not self.in_play:
                return
            self.turn += 1

    # How it ends

    def is_over(self) -> bool:
        """Whether nobody is in play any more, or the last round is over."""
        return not self.in_play or self.turn >= self.rules.turns or self._finished_a_round()

    def _finished_a_round(self) -> bool:
        """Whether a colour placed its last piece in a round that has ended: its turn of the present
        round has not been yet."""
        finished = [colour for colour in range(4) if self.remaining[colour] == 0]
        return self.rules.finished_colour_ends_game and any(
            colour >= self.turn % 4 for colour in finished
        )

    def points(self, name: str) -> int:
        """The points of a colour."""
        colour = COLOUR_NAMES.index(name)
        left = sum(size for kind, size in enumerate(SIZES) if self.remaining[colour] >> kind & 1)
        if left > 0:
            return ALL_SQUARES - left
        return ALL_SQUARES + 15 + (5 if colour in self.mono_last else 0)

    def scores(self) -> tuple[int, int]:
        """The points of both colours of each seat together."""
        blue, yellow, red, green = map(self.points, COLOUR_NAMES)
        return blue + red, yellow + green

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if not self.is_over():
            return None
        first, second = self.scores()
        if first == second:
            return Outcome((1, 1), (first, second), "equal points")
        return Outcome((1, 2) if first > second else (2, 1), (first, second), "more points")

    # Texts and numbers

    def text(self) -> str:
        """The position as text; `parse` reads it back."""
        letters = [
            COLOURS[self.board[cell]] if cell in self.board else "." for cell in range(CELLS)
        ]
        rows = ["".join(letters[SIDE * row : SIDE * (row + 1)]) for row in range(SIDE)]
        masks = " ".join(f"{mask:x}" for mask in self.remaining)
        return (
            f"{'/'.join(rows)} {self.turn} {self.start_piece} {masks} "
            f"{_letters(self.in_play)} {_letters(self.mono_last)}"
        )

    def move(self, text: str) -> Move:
        """The move that a text means."""
        return parse_move(text)

    def action(self, move: Move) -> int:
        """The number of a move in the fixed action space."""
        return move.number

    def move_at(self, action: int) -> Move:
        """The move that has a number in the action space; raises IndexError for others."""
        if not 0 <= action < ACTIONS:
            raise IndexError("no action has that number")
        return Move(action)

    def key(self) -> int:
        """Exclusive or of one number of `zobrist()` for each thing that is true (rules.md §8)."""
        things = [CELLS * colour + cell for cell, colour in self.board.items()]
        things += [
            1600 + 21 * colour + kind
            for colour in range(4)
            for kind in range(21)
            if self.remaining[colour] >> kind & 1
        ]
        things += [1684 + self.turn, 1788 + NAMES.index(self.start_piece)]
        things += [1809 + colour for colour in self.in_play]
        things += [1813 + colour for colour in self.mono_last]
        return functools.reduce(lambda key, thing: key ^ zobrist()[thing], things, 0)

    def observation(self, viewer: int) -> list[list[int]]:
        """Planes, row by row, from a seat's next colour on: its squares, contacts, free cells; its
        pieces (1 left, 2 the one to begin with); whether it plays and ended with the monomino; and
        last the turn."""
        first = self.colour + (viewer != self.to_move())
        order = [(first + seen) % 4 for seen in range(4)]
        sets = [self.own(colour) for colour in order]
        sets += [self.contacts(colour) for colour in order]
        sets += [self.free(colour) for colour in order]
        numbers = [self._left(colour, kind) for colour in order for kind in range(len(NAMES))]
        numbers += [(c in self.in_play) + 2 * (c in self.mono_last) for c in order]
        flat = [[number] * CELLS for number in [*numbers, self.turn]]
        return [[int(cell in each) for cell in range(CELLS)] for each in sets] + flat

    def _left(self, colour: int, kind: int) -> int:
        must = self.is_first(colour) and NAMES[kind] == self.start_piece
        return (self.remaining[colour] >> kind & 1) + must


def _letters(colours: set[int]) -> str:
    return "".join(COLOURS[colour] for colour in sorted(colours)) or "-"


# ------------------------------------------------------------------------------------------- chance

_WORD = (1 << 64) - 1
ZOBRIST_SEED = 0x424C4F4B5553


def splitmix64(seed: int) -> Iterator[int]:
    """The numbers of core/random.hpp."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _WORD
        yield z ^ (z >> 31)


def below(seed: int, bound: int) -> int:
    """The first draw from 0 … bound − 1, as core/random.hpp makes it."""
    for number in splitmix64(seed):
        product = (number >> 32) * bound
        if product & 0xFFFFFFFF >= (1 << 32) % bound:
            return product >> 32
    raise AssertionError("the stream of numbers has no end")


@functools.cache
def zobrist() -> tuple[int, ...]:
    """One number for each thing that can be true of a position."""
    stream = splitmix64(ZOBRIST_SEED)
    return tuple(next(stream) for _ in range(1817))


# -------------------------------------------------------------------------------------------- texts


def _colour_named(name: str) -> int:
    if name not in COLOUR_NAMES:
        raise UsageError(f"the colours are blue, yellow, red and green, not {name!r}")
    return COLOUR_NAMES.index(name)


_Fields = tuple[Rules, str, dict[int, int], int, list[int], set[int], set[int]]
"""The fields of a position, in their order."""


def _parse_position(text: str, rules: Rules) -> _Fields:
    """What a position is made of, or TextError at the first wrong character."""
    reader = _Reader(text)
    board = _parse_board(reader)
    reader.expect(" ", "a blank before the turn")
    turn = reader.number("the turn", LAST_TURN, "no game lasts that long")
    reader.expect(" ", "a blank before the start piece")
    start_piece = reader.word(rules.start_pieces, START_PIECE)
    remaining = [_parse_mask(reader, colour, board) for colour in range(4)]
    reader.expect(" ", "a blank before the colours in play")
    in_play_at, in_play = reader.at, _parse_colours(reader)
    reader.expect(" ", "a blank before the colours whose last piece was the monomino")
    mono_at, mono_last = reader.at, _parse_colours(reader)
    if any(remaining[colour] != 0 for colour in mono_last):
        reader.fail("a colour that still has pieces has no last piece", mono_at)
    reader.end()
    parts: _Fields = (rules, start_piece, board, turn, remaining, in_play, mono_last)
    position = Position(*parts)
    if not position.is_over() and position.colour not in in_play:
        reader.fail("the colour on turn is not in play", in_play_at)
    return parts


def _parse_board(reader: _Reader) -> dict[int, int]:
    board = {}
    for cell in range(CELLS):
        if cell > 0 and cell % SIDE == 0:
            reader.expect("/", "'/' before the next row")
        letter = reader.take("BYRG.", "a field: one of B Y R G .")
        if letter != ".":
            board[cell] = COLOURS.index(letter)
    return board


def _parse_mask(reader: _Reader, colour: int, board: dict[int, int]) -> int:
    reader.expect(" ", "a blank before the remaining pieces")
    at = reader.at
    digits = reader.digits("0123456789abcdef", 6, "the remaining pieces in hexadecimal digits")
    mask = int(digits, 16)
    if mask > ALL_PIECES:
        reader.fail("there are only 21 pieces", at)
    placed = sum(size for kind, size in enumerate(SIZES) if not mask >> kind & 1)
    if list(board.values()).count(colour) > placed:
        reader.fail("more squares of that colour on the board than in its placed pieces", at)
    return mask


def _parse_colours(reader: _Reader) -> set[int]:
    if reader.accept("-"):
        return set()
    found = {colour for colour, letter in enumerate(COLOURS) if reader.accept(letter)}
    if not found:
        reader.fail("expected colours in the order BYRG, or '-'")
    return found


def parse_move(text: str) -> Move:
    """`pass`, `PENTO_Y:R@a5` or the official `PENTO_Y RIGHT false 0 4`, in any case."""
    reader = _Reader(text.upper() if text.isascii() else text, shown=text)
    name = reader.letters()
    if name in ("PASS", "SKIP"):
        reader.end()
        return Move(PASS)
    if name not in NAMES:
        reader.fail("expected 'pass' or the name of a piece", 0)
    kind = NAMES.index(name)
    rotation, flipped, cell = (_official if reader.accept(" ") else _short)(reader)
    reader.end()
    return Move(CELLS * NUMBER_OF[kind, turned(kind, rotation, flipped)] + cell)


def _short(reader: _Reader) -> tuple[int, bool, int]:
    """`:RF@E4`, where `:N` can be left out."""
    rotation, flipped = 0, False
    if reader.accept(":"):
        rotation = "NRML".index(reader.take("NRML", "a rotation: one of N R M L"))
        flipped = reader.accept("F")
    reader.expect("@", "'@' before the field")
    column = ord(reader.take("ABCDEFGHIJKLMNOPQRST", "a column: a to t")) - ord("A")
    row = reader.number("a row: 1 to 20", SIDE, "the board has rows 1 to 20", least=1)
    return rotation, flipped, SIDE * (row - 1) + column


def _official(reader: _Reader) -> tuple[int, bool, int]:
    """`RIGHT FALSE 0 4`: rotation, whether flipped, x and y."""
    rotation = ROTATIONS.index(reader.word(ROTATIONS, "a rotation: NONE, RIGHT, MIRROR or LEFT"))
    reader.expect(" ", "a blank before 'true' or 'false'")
    flipped = reader.word(("TRUE", "FALSE"), "whether it is flipped: 'true' or 'false'") == "TRUE"
    reader.expect(" ", "a blank before x")
    x = reader.number("x: 0 to 19", SIDE - 1, "x counts from 0 to 19")
    reader.expect(" ", "a blank before y")
    y = reader.number("y: 0 to 19", SIDE - 1, "y counts from 0 to 19")
    return rotation, flipped, SIDE * y + x


class _Reader:
    """Walks over a text; every refusal names the problem and the character."""

    def __init__(self, text: str, shown: str | None = None) -> None:
        self.text, self.at = text, 0
        self.shown = text if shown is None else shown

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        raise TextError(problem, self.shown, self.at if at is None else at)

    def letters(self) -> str:
        """What there is of A to Z and underscores."""
        at = self.at
        while (
            "A" <= self.text[self.at : self.at + 1] <= "Z"
            or self.text[self.at : self.at + 1] == "_"
        ):
            self.at += 1
        return self.text[at : self.at]

    def end(self) -> None:
        if self.at < len(self.text):
            self.fail("expected the end of the text")

    def accept(self, wanted: str) -> bool:
        found = self.text[self.at : self.at + 1] == wanted
        self.at += found
        return found

    def expect(self, wanted: str, meaning: str) -> None:
        if not self.accept(wanted):
            self.fail(f"expected {meaning}")

    def take(self, letters: str, meaning: str) -> str:
        letter = self.text[self.at : self.at + 1]
        if not letter or letter not in letters:
            self.fail(f"expected {meaning}")
        self.at += 1
        return letter

    def word(self, known: tuple[str, ...], meaning: str) -> str:
        end = self.text.find(" ", self.at)
        word = self.text[self.at : end if end >= 0 else len(self.text)]
        if word not in known:
            self.fail(f"expected {meaning}")
        self.at += len(word)
        return word

    def digits(self, known: str, most: int, meaning: str) -> str:
        """A run of digits without leading zeros."""
        at = self.at
        while self.at < len(self.text) and self.at - at < most and self.text[self.at] in known:
            self.at += 1
        digits = self.text[at : self.at]
        if not digits:
            self.fail(f"expected {meaning}")
        if len(digits) > 1 and digits[0] == "0":
            self.fail("a number has no leading zeros", at)
        return digits

    def number(self, meaning: str, most: int, problem: str, least: int = 0) -> int:
        at = self.at
        number = int(self.digits("0123456789", 9, meaning))
        if not least <= number <= most:
            self.fail(problem, at)
        return number

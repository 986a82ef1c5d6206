"""Piranhas in the plainest Python: the judge of the fast core in tests (rules.md).

Written from the rules, not from the core. Paragraph signs point to the numbers in `rules.md`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import ClassVar, Final, Self

from spielleiter.errors import IllegalMove, TextError, UnknownName, UsageError
from spielleiter.game import AUTHORITIES, Outcome, Seat

EDITIONS: Final = ("piranhas-2019-draft", "piranhas-2019", "piranhas-2026")
SIZE: Final = 10
LAST_PLY: Final = 60
PLIES: Final = tuple(str(ply) for ply in range(LAST_PLY + 1))
KEY_SEED: Final = 0x5049524E  # "PIRN"; the core uses the same

Field = tuple[int, int]
"""Column x and row y, both 0 … 9, y upwards."""

DIRECTIONS: Final = {
    "up": (0, 1),
    "up-right": (1, 1),
    "right": (1, 0),
    "down-right": (1, -1),
    "down": (0, -1),
    "down-left": (-1, -1),
    "left": (-1, 0),
    "up-left": (-1, 1),
}
NAMES: Final = tuple(DIRECTIONS)
STEPS: Final = tuple(DIRECTIONS.values())

FISH: Final = ("abc", "ABC")
"""The letters of each seat's fish: small, medium, large."""
OCTOPUS: Final = "#"
EMPTY: Final = "."
WEIGHT: Final = {"a": 1, "b": 2, "c": 3, "A": 1, "B": 2, "C": 3}
FIELDS: Final = tuple((x, y) for y in range(SIZE) for x in range(SIZE))


# ------------------------------------------------------------------------------------------ values


class Mistake(enum.Enum):
    """Why a move is illegal, in the order in which it is tested."""

    GAME_OVER = "the game is over"
    WRONG_START = "no own fish is on the start field"
    WRONG_DISTANCE = "a fish swims exactly as far as there are fish on its line"
    JUMP_OVER_OPPONENT = "an opponent's fish bars the way"
    DESTINATION_OUT_OF_BOUNDS = "the target is off the board"
    DESTINATION_BLOCKED = "the target is an octopus"
    DESTINATION_BLOCKED_BY_SELF = "the target is an own fish"

    @property
    def explanation(self) -> str:
        """The reason in a sentence."""
        return self.value


@dataclass(frozen=True, slots=True)
class Move:
    """A fish swims from its field in a direction, so many fields far."""

    start: Field
    direction: str
    distance: int

    @property
    def target(self) -> Field | None:
        """The field where it arrives; None: it would leave the board."""
        arrival = ahead(self.start, self.direction, self.distance)
        return arrival if on_board(arrival) else None

    def text(self) -> str:
        """`A4-C4`, or `A4 left` if the move leads nowhere."""
        if self.distance > 0 and self.target is not None:
            return f"{name(self.start)}-{name(self.target)}"
        return f"{name(self.start)} {self.direction}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Move {self.text()}>"


@dataclass(frozen=True, slots=True)
class Occupant:
    """What lies on a field: a fish of a seat, or an octopus."""

    letter: str

    @property
    def is_octopus(self) -> bool:
        """Whether it is an octopus, on which no fish may land."""
        return self.letter == OCTOPUS

    @property
    def seat(self) -> Seat | None:
        """Whose fish it is; None for an octopus."""
        return None if self.is_octopus else int(self.letter in FISH[1])

    @property
    def weight(self) -> int:
        """What the fish counts in a swarm."""
        return 0 if self.is_octopus else WEIGHT[self.letter]

    def text(self) -> str:
        """The letter that a position's text has for it."""
        return self.letter


def name(field: Field) -> str:
    """A4 is column 0, row 4."""
    return f"{'ABCDEFGHIJ'[field[0]]}{field[1]}"


def on_board(field: Field) -> bool:
    """Whether a field exists."""
    return 0 <= field[0] < SIZE and 0 <= field[1] < SIZE


def ahead(field: Field, direction: str, distance: int) -> Field:
    """The field that lies a distance away in a direction, on the board or not."""
    dx, dy = DIRECTIONS[direction]
    return field[0] + dx * distance, field[1] + dy * distance


@cache
def line(field: Field, direction: str) -> tuple[Field, ...]:
    """All fields of the board on the line through a field, itself included."""
    reach = (ahead(field, direction, distance) for distance in range(1 - SIZE, SIZE))
    return tuple(reached for reached in reach if on_board(reached))


@cache
def neighbours(field: Field) -> tuple[Field, ...]:
    """The up to eight fields that touch a field."""
    around = (ahead(field, direction, 1) for direction in NAMES)
    return tuple(near for near in around if on_board(near))


# ------------------------------------------------------------------------------------------ chance

MASK: Final = 2**64 - 1


class Random:
    """The splitmix64 generator, as in core/random.hpp."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> int:
        """64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """0 … bound − 1, each with the same chance: draws from an incomplete last share repeat."""
        refuse = (2**32 - bound) % bound
        share = (self.next() >> 32) * bound
        while share % 2**32 < refuse:
            share = (self.next() >> 32) * bound
        return share >> 32


@cache
def keys() -> tuple[int, ...]:
    """7 pieces × 100 fields, 61 plies, 2 seats with the first union, 3 editions × 2 authorities."""
    random = Random(KEY_SEED)
    return tuple(random.next() for _ in range(7 * 100 + 61 + 2 + 6))


# --------------------------------------------------------------------------------------- positions

Board = dict[Field, str]
"""What lies where; empty fields are left out."""


class Position:
    """A moment of the game: the board, the ply, and who is credited with the first union."""

    actions: ClassVar[int] = SIZE * SIZE * len(NAMES)
    planes: ClassVar[tuple[int, int, int]] = (9, SIZE, SIZE)
    seats: ClassVar[int] = 2
    first_row: ClassVar[int] = 0
    """The number of the first row in names of cells."""

    def __init__(
        self, board: Board, ply: int, credit: Seat | None, edition: str, authority: str
    ) -> None:
        self.board, self.ply, self.credit = board, ply, credit
        self.edition, self.authority = edition, authority

    @classmethod
    def start(cls, seed: int, set_up: str, edition: str, authority: str = "document") -> Self:
        """The first position; weights and octopuses come from the seed (§2)."""
        require_known(edition, authority)
        if set_up:
            raise TextError("this game has no set-up to choose", set_up, 0)
        random = Random(seed)
        board = weighted_fish(random) if weighs(edition) else equal_fish()
        octopuses = octopuses_2026(random) if weighs(edition) else octopuses_2019(random)
        board.update(dict.fromkeys(octopuses, OCTOPUS))
        return cls(board, 0, None, edition, authority)

    @classmethod
    def parse(cls, text: str, edition: str, authority: str = "document") -> Self:
        """The position of a text: ten rows from y = 0, the ply, the credit."""
        require_known(edition, authority)
        reader = TextReader(text)
        board = reader.board("abcABC" if weighs(edition) else "aA")
        reader.expect(" ", "a blank before the ply")
        ply = reader.ply()
        reader.expect(" ", "a blank before the credit for the first union")
        credit = reader.credit(("-", "0", "1") if weighs(edition) else ("-",))
        reader.end()
        return cls(board, ply, credit, edition, authority)

    def text(self) -> str:
        """The position as text; `parse` reads it back."""
        rows = ("".join(self.board.get((x, y), EMPTY) for x in range(SIZE)) for y in range(SIZE))
        return f"{'/'.join(rows)} {self.ply} {'-' if self.credit is None else self.credit}"

    def copy(self) -> Self:
        """An independent position of the same game."""
        return type(self)(self.board.copy(), self.ply, self.credit, self.edition, self.authority)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"<{self.edition} {self.text()!r}>"

    # ------------------------------------------------------------------------------- the board

    @property
    def columns(self) -> int:
        """Columns of the board."""
        return SIZE

    @property
    def rows(self) -> int:
        """Rows of the board."""
        return SIZE

    def cells(self) -> dict[Field, Occupant | None]:
        """Everything that lies on the board, by its cell."""
        return {field: self.at(field) for field in FIELDS}

    def at(self, field: Field) -> Occupant | None:
        """What lies on a cell, or None."""
        if not on_board(field):
            raise IndexError("the board has no such cell")
        return Occupant(self.board[field]) if field in self.board else None

    def octopuses(self) -> tuple[Field, ...]:
        """The fields with an octopus."""
        return tuple(field for field in FIELDS if self.board.get(field) == OCTOPUS)

    @property
    def first_union(self) -> Seat | None:
        """The seat that united its swarm first, where that decides; else None."""
        return self.credit

    # ------------------------------------------------------------------------------------ values

    def _identity(self) -> tuple[str, str, str]:
        return self.text(), self.edition, self.authority

    def key(self) -> int:
        """Exclusive or of one number for each thing that is true here."""
        table, key = keys(), 0
        for (x, y), piece in self.board.items():
            key ^= table["abcABC#".index(piece) * 100 + y * SIZE + x]
        key ^= table[700 + self.ply]
        if self.credit is not None:
            key ^= table[761 + self.credit]
        rules = EDITIONS.index(self.edition) * 2 + AUTHORITIES.index(self.authority)
        return key ^ table[763 + rules]

    # ------------------------------------------------------------------------------------- moves

    def to_move(self) -> Seat:
        """The seat whose turn it is."""
        return self.ply % 2

    def legal_moves(self) -> list[Move]:
        """By start field, row after row from the bottom, then by direction; none when over."""
        return [] if self.outcome() else list(self._possible_moves())

    def why_illegal(self, move: Move) -> Mistake | None:
        """The first rule that a move breaks (§3)."""
        return Mistake.GAME_OVER if self.outcome() else self._mistake(move)

    def play(self, move: Move | str) -> None:
        """Swim, eat what is there, and credit the first union."""
        if isinstance(move, str):
            move = self.move(move)
        if mistake := self.why_illegal(move):
            raise IllegalMove(mistake.name, mistake.explanation, move.text())
        mover = self.to_move()
        assert move.target is not None, "a legal move stays on the board"
        self.board[move.target] = self.board.pop(move.start)
        self.ply += 1
        if weighs(self.edition) and self.credit is None:
            self.credit = self._credited(mover)

    def after(self, move: Move | str) -> Self:
        """The position after a move; this one stays as it is."""
        position = self.copy()
        position.play(move)
        return position

    def fish_on_line(self, field: Field, direction: str) -> int:
        """Fish of both colours; an octopus is no fish."""
        return sum(self.board.get(reached, EMPTY) in WEIGHT for reached in line(field, direction))

    def _possible_moves(self) -> Iterator[Move]:
        for fish, direction in product(self.fish(self.to_move()), NAMES):
            move = Move(fish, direction, self.fish_on_line(fish, direction))
            if not self._mistake(move):
                yield move

    def _mistake(self, move: Move) -> Mistake | None:
        if not self._belongs(move.start, self.to_move()):
            return Mistake.WRONG_START
        if move.distance != self.fish_on_line(move.start, move.direction):
            return Mistake.WRONG_DISTANCE
        return self._mistake_on_the_way(move) or self._mistake_at_target(move.target)

    def _mistake_on_the_way(self, move: Move) -> Mistake | None:
        for distance in range(1, move.distance):
            passed = ahead(move.start, move.direction, distance)
            if not on_board(passed):
                return Mistake.DESTINATION_OUT_OF_BOUNDS
            if self._belongs(passed, 1 - self.to_move()):
                return Mistake.JUMP_OVER_OPPONENT
        return None

    def _mistake_at_target(self, target: Field | None) -> Mistake | None:
        if target is None:
            return Mistake.DESTINATION_OUT_OF_BOUNDS
        if self.board.get(target) == OCTOPUS:
            return Mistake.DESTINATION_BLOCKED
        if self._belongs(target, self.to_move()):
            return Mistake.DESTINATION_BLOCKED_BY_SELF
        return None

    def _belongs(self, field: Field, seat: Seat) -> bool:
        return self.board.get(field, EMPTY) in FISH[seat]

    def move(self, text: str) -> Move:
        """The move of a text: `A4-C4`, `a4c4`, `A4 C4`, `A4 right`, `A4 up-right`, `A4 UP_RIGHT`.

        Two fields say how far, right or wrong; with a direction the fish on the line say it.
        """
        reader = TextReader(text)
        start = reader.field()
        if target := reader.target():
            return between(start, target, reader)
        direction = reader.direction()
        return Move(start, direction, self.fish_on_line(start, direction))

    def action(self, move: Move) -> int:
        """The number of a move in the fixed action space."""
        x, y = move.start
        return (y * SIZE + x) * len(NAMES) + NAMES.index(move.direction)

    def move_at(self, action: int) -> Move:
        """The move that has a number in the action space; raises IndexError for others."""
        if not 0 <= action < self.actions:
            raise IndexError("no action has that number")
        field, direction = FIELDS[action // len(NAMES)], NAMES[action % len(NAMES)]
        return Move(field, direction, self.fish_on_line(field, direction))

    # ------------------------------------------------------------------------------------ swarms

    def fish(self, seat: Seat) -> dict[Field, int]:
        """The fields of a seat's fish, row after row from the bottom, and their weights."""
        if seat not in (0, 1):
            raise UsageError("there is no such seat")
        own = [field for field in FIELDS if self.board.get(field, EMPTY) in FISH[seat]]
        return {field: WEIGHT[self.board[field]] for field in own}

    def swarms(self, seat: Seat) -> list[dict[Field, int]]:
        """The fish of a seat in groups that touch, also diagonally (§4); fields and weights."""
        fish = self.fish(seat)
        left, swarms = set(fish), []
        while left:
            swarm = connected(left)
            swarms.append({field: fish[field] for field in sorted(swarm)})
            left -= swarm
        return swarms

    def is_whole(self, seat: Seat) -> bool:
        """Whether all fish of a seat are one swarm; no fish are so by the server of 2019 (§7)."""
        swarms = len(self.swarms(seat))
        return swarms == 1 or (swarms == 0 and self._judged_by_server_2019())

    def scores(self) -> tuple[int, int]:
        """The largest swarm of each seat (2026: the heaviest, by weight)."""
        return self._score(0), self._score(1)

    def _score(self, seat: Seat) -> int:
        nothing = -1 if self._judged_by_server_2026() else 0
        return max((sum(swarm.values()) for swarm in self.swarms(seat)), default=nothing)

    def _credited(self, mover: Seat) -> Seat | None:
        """Who gets the first union: as written the mover, by the server the owner (§6)."""
        whole = [seat for seat in (0, 1) if self.is_whole(seat)]
        if not whole:
            return None
        return whole[0] if self.authority == "server" else mover

    # ------------------------------------------------------------------------------------ endings

    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it goes on (§5)."""
        if self._judged_by_server_2019():
            return self._outcome_by_server_2019()
        if self._judged_by_server_2026():
            return self._outcome_by_server_2026()
        return self._outcome_as_written()

    def _outcome_as_written(self) -> Outcome | None:
        if (self.ply % 2 == 0 and self._somebody_is_whole()) or self.ply >= LAST_PLY:
            return self._by_weight(self.credit) if weighs(self.edition) else self._by_size()
        return None if self._can_move() else self._blocked()

    def _outcome_by_server_2026(self) -> Outcome | None:
        somebody, blocked = self._somebody_is_whole(), not self._can_move()
        if not ((somebody and self.ply % 2 == 0) or blocked or self.ply >= LAST_PLY):
            return None
        if somebody:
            return self._by_weight(self.credit)
        return self._blocked() if blocked else self._by_weight(None)

    def _outcome_by_server_2019(self) -> Outcome | None:
        if self.ply % 2 == 1:
            return None
        outcome = self._by_size()
        if self.ply >= LAST_PLY or (self._somebody_is_whole() and not outcome.is_draw):
            return outcome
        return None

    def _by_size(self) -> Outcome:
        """2019: the only whole swarm wins, otherwise the larger one."""
        whole = [seat for seat in (0, 1) if self.is_whole(seat)]
        if len(whole) == 1:
            return self._won_by(whole[0], "only whole swarm")
        return self._won_by(self._ahead_in_score(), "larger swarm")

    def _by_weight(self, credit: Seat | None) -> Outcome:
        """2026: the heavier swarm wins, otherwise who is credited with the first union."""
        if (heavier := self._ahead_in_score()) is not None:
            return self._won_by(heavier, "heavier swarm")
        return self._won_by(credit, "first union")

    def _blocked(self) -> Outcome:
        return self._won_by(1 - self.to_move(), "blocked")

    def _ahead_in_score(self) -> Seat | None:
        first, second = self.scores()
        return None if first == second else int(first < second)

    def _won_by(self, winner: Seat | None, reason: str) -> Outcome:
        if winner is None:
            return Outcome((1, 1), self.scores(), "equal swarms")
        return Outcome((1 + winner, 2 - winner), self.scores(), reason)

    def _somebody_is_whole(self) -> bool:
        return self.is_whole(0) or self.is_whole(1)

    def _can_move(self) -> bool:
        return any(True for _ in self._possible_moves())

    def _judged_by_server_2019(self) -> bool:
        return self.authority == "server" and not weighs(self.edition)

    def _judged_by_server_2026(self) -> bool:
        return self.authority == "server" and weighs(self.edition)

    # ----------------------------------------------------------------------------------- learning

    def observation(self, viewer: int) -> list[list[int]]:
        """Planes, row by row: own small, medium, large fish; the opponent's; octopuses; the ply;
        the credit for the first union (0 nobody, 1 own, 2 the opponent's)."""
        pieces = FISH[viewer] + FISH[1 - viewer] + OCTOPUS
        seen = [[int(self.board.get(field) == piece) for field in FIELDS] for piece in pieces]
        credit = 0 if self.credit is None else 1 if self.credit == viewer else 2
        return [*seen, [self.ply] * len(FIELDS), [credit] * len(FIELDS)]

    # -------------------------------------------------------------------------------------- count

    def perft(self, depth: int) -> int:
        """Number of move sequences of that length; the last ply is counted, not played."""
        if depth == 0:
            return 1
        moves = self.legal_moves()
        return len(moves) if depth == 1 else sum(self.after(m).perft(depth - 1) for m in moves)


def connected(fields: set[Field]) -> set[Field]:
    """All fields that hang together with one of them."""
    swarm: set[Field] = set()
    found = {min(fields)}
    while found:
        swarm |= found
        found = {near for field in found for near in neighbours(field)} & (fields - swarm)
    return swarm


def weighs(edition: str) -> bool:
    """Whether fish have weights, and the first union counts."""
    return edition == "piranhas-2026"


def require_known(edition: str, authority: str) -> None:
    """Refuse an edition or an authority that does not exist."""
    if edition not in EDITIONS:
        raise UnknownName("edition", edition, EDITIONS)
    if authority not in AUTHORITIES:
        raise UnknownName("authority", authority, AUTHORITIES)


# ------------------------------------------------------------------------------------------ set-up


def equal_fish() -> Board:
    """The first player's fish on columns A and J, the second player's on rows 0 and 9."""
    board: Board = {}
    for i in range(1, SIZE - 1):
        board |= {(0, i): "a", (9, i): "a", (i, 0): "A", (i, 9): "A"}
    return board


def weighted_fish(random: Random) -> Board:
    """The same with weights, equal for fields that mirror each other: one draw for both."""
    board: Board = {}
    for i in range(1, SIZE - 1):
        lower, upper = drawn_weight(random), drawn_weight(random)
        board |= {(0, i): FISH[0][lower], (i, 0): FISH[1][lower]}
        board |= {(9, i): FISH[0][upper], (i, 9): FISH[1][upper]}
    return board


def drawn_weight(random: Random) -> int:
    """0 small, 1 medium, 2 large with chances 4 : 3 : 2."""
    return (0, 0, 0, 0, 1, 1, 1, 2, 2)[random.below(9)]


def octopuses_2026(random: Random) -> tuple[Field, Field]:
    """Both drawn from the inner 6 × 6 fields until they are apart."""
    while True:
        x1, y1, x2, y2 = (2 + random.below(6) for _ in range(4))
        if apart((x1, y1), (x2, y2)):
            return (x1, y1), (x2, y2)


def octopuses_2019(random: Random) -> tuple[Field, Field]:
    """The first drawn from the inner 6 × 6 fields, the second from those apart from it."""
    inner = [(2 + k % 6, 2 + k // 6) for k in range(36)]
    first = inner[random.below(36)]
    rest = [field for field in inner if apart(first, field)]
    return first, rest[random.below(len(rest))]


def apart(one: Field, other: Field) -> bool:
    """Neither row, column nor diagonal in common."""
    dx, dy = abs(one[0] - other[0]), abs(one[1] - other[1])
    return dx != 0 and dy != 0 and dx != dy


# ----------------------------------------------------------------------------------------- reading


class TextReader:
    """Walks over a text; every refusal names the problem and the first wrong character."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, problem: str, at: int | None = None) -> TextError:
        """The error for a problem at a place, by default the present one."""
        return TextError(problem, self.text, self.at if at is None else at)

    def one_of(self, characters: str, meaning: str) -> str:
        """Read one of these characters; `meaning` says what was expected."""
        found = self.text[self.at : self.at + 1]
        if not found or found not in characters:
            raise self.fail(f"expected {meaning}")
        self.at += 1
        return found

    def expect(self, wanted: str, meaning: str) -> None:
        """Read exactly this."""
        self.one_of(wanted, meaning)

    def end(self) -> None:
        """Refuse anything that follows."""
        if self.at < len(self.text):
            raise self.fail("expected the end of the text")

    def board(self, fish: str) -> Board:
        """Read ten rows of ten fields."""
        board: Board = {}
        for x, y in FIELDS:
            if x == 0 and y > 0:
                self.expect("/", "'/' before the next row")
            piece = self.one_of(fish + OCTOPUS + EMPTY, f"one of {fish}{OCTOPUS}{EMPTY}")
            if piece != EMPTY:
                board[x, y] = piece
        return board

    def ply(self) -> int:
        """A number without leading zeros; what is wrong with it is wrong where it begins."""
        digits = ""
        while self.text[self.at + len(digits) :][:1] in tuple("0123456789"):
            digits += self.text[self.at + len(digits)]
        if digits not in PLIES:
            raise self.fail(f"expected the ply, 0 to {LAST_PLY}, without leading zeros")
        self.at += len(digits)
        return int(digits)

    def credit(self, allowed: tuple[str, ...]) -> Seat | None:
        """Read who united the swarm first, or `-`."""
        found = self.one_of("".join(allowed), f"{' or '.join(allowed)} for the first union")
        return None if found == "-" else int(found)

    def field(self) -> Field:
        """Read a field such as `A4`."""
        column = self.one_of("ABCDEFGHIJabcdefghij", "a column, A to J")
        row = self.one_of("0123456789", "a row, 0 to 9")
        return "ABCDEFGHIJ".index(column.upper()), int(row)

    def target(self) -> Field | None:
        """The target field, if the second character is a digit; otherwise a direction follows."""
        self.at += self.text[self.at : self.at + 1] in ("-", " ")
        if self.text[self.at + 1 : self.at + 2] not in tuple("0123456789"):
            return None
        target = self.field()
        self.end()
        return target

    def direction(self) -> str:
        """Read a direction such as `up-left` to the end of the text."""
        word = self.text[self.at :].lower().replace("_", "-")
        if word not in NAMES:
            raise self.fail(f"expected a field or a direction: {', '.join(NAMES)}")
        return word


def between(start: Field, target: Field, reader: TextReader) -> Move:
    """The move that leads from one field to the other, on a straight line."""
    dx, dy = target[0] - start[0], target[1] - start[1]
    distance = max(abs(dx), abs(dy))
    if distance == 0:
        raise reader.fail("start and target are the same field", reader.at - 2)
    step = (dx / distance, dy / distance)
    if step not in STEPS:
        raise reader.fail("start and target are not on one straight line", reader.at - 2)
    return Move(start, NAMES[STEPS.index(step)], distance)

"""What a move does wrong, in words of the game: each is decided by counting corners and squares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from spielleiter.game import Cell, quarter
from spielleiter.text import Messages, Text, listed

if TYPE_CHECKING:
    from spielleiter.games.blokus._core import Move, Position

messages: Final = Messages(__package__, "motif.")
_traits: Final = Messages(__package__, "trait.")
_words: Final = Messages(__package__)
_OPENING, _END = 20, 52
"""Plies at which phases change; a game has at most 84 placements."""
_CORNERS, _REGION = 3, 12
"""From so many corners or squares on a difference is worth a word. Guessed."""
_ROOM, _THEIR_ROOM, _PARTNER_ROOM = 8, 6, 6
"""The same for squares in reach of the next piece. Of 33 moves that gave away a tenth of the chance
two thirds differ by ten squares, of 22 that gave away less than 0.03 none does."""
_LISTED = 3
"""So many pieces are named."""
_SIZES = {"MONO": 1, "DOMINO": 2, "TRIO": 3, "TETRO": 4, "PENTO": 5}
"""How many squares a piece has, by the beginning of its name."""
_COLOURS = ("blue", "yellow", "red", "green")
"""In the order of their turns: every second one is the opponent's."""
_MIDDLE = 3
"""Squares of the middle of the board, from its centre to each side."""
_BESIDE = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def phase(position: Position) -> str:
    """`opening`, `middle` or `end`."""
    if position.ply < _OPENING:
        return "opening"
    return "middle" if position.ply < _END else "end"


def motifs(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the move did that the better one would not have done, the gravest first."""
    if move.is_pass and not better.is_pass:
        yield messages("passed")
        return
    if better.is_pass:
        return
    colour = before.colour_to_move()
    after, instead = before.after(move), before.after(better)
    if len(move.cells) < len(better.cells):
        values = {"squares": len(move.cells), "possible": len(better.cells)}
        yield messages("small-piece", **values)
    if phase(before) == "end":
        yield from _fitting(after, instead, colour)
    yield from _region(after, instead, colour)
    yield from _room(after, instead, colour)
    own, possible = len(_corners(after, colour)), len(_corners(instead, colour))
    if possible - own >= _CORNERS:
        yield messages("few-corners", corners=own, possible=possible)
    opened, closed = _others(after, colour), _others(instead, colour)
    if opened - closed >= _CORNERS:
        yield messages("corners-left", corners=opened, possible=closed)
    if before.ply < _OPENING and _to_middle(after, colour) > _to_middle(instead, colour):
        yield messages("not-to-the-middle")


def traits(before: Position, move: Move) -> Iterator[Text]:
    """What can be said of a move: which piece of which colour lies where."""
    yield _traits("colour", colour=_words(f"colour.{before.colour_to_move()}"))
    if move.is_pass:
        yield _traits("pass")
        return
    yield _traits("piece", piece=_words(f"piece.{move.piece}"))
    yield _traits("size", squares=len(move.cells))
    for first, last in sorted({quarter(before, cell) for cell in move.cells}):
        yield _traits("quarter", first=_square(first), last=_square(last))
    side = before.columns
    if any({0, side - 1} & set(cell) for cell in move.cells):
        yield _traits("edge")
    if any(max(abs(2 * at + 1 - side) for at in cell) < 2 * _MIDDLE for cell in move.cells):
        yield _traits("middle")
    colour = before.colour_to_move()
    if len(_corners(before.after(move), colour)) < len(_corners(before, colour)):
        yield _traits("fewer-corners")


def _square(cell: Cell) -> str:
    """A square as moves write it: `d13`."""
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


def move_words(before: Position, move: Move) -> Text:
    """A move as people say it: which piece of which colour covers which squares."""
    if move.is_pass:
        return _words("pass")
    cells = sorted(move.cells, key=lambda cell: (cell[1], cell[0]))
    squares = " ".join(map(_square, cells))
    colour, piece = _words(f"of.{before.colour_to_move()}"), _words(f"piece.{move.piece}")
    return _words("covers", piece=_words("piece-of", colour=colour, piece=piece), cells=squares)


def _fitting(after: Position, instead: Position, colour: str) -> Iterator[Text]:
    """Pieces that the own colours can no longer place, and those that the opponent still can."""
    own = [each for each in _COLOURS if each not in _opponents(colour)]
    if lost := list(_only_in(instead, after, own)):
        yield messages("no-longer-fits", pieces=_listed(lost))
    if left := list(_only_in(after, instead, _opponents(colour))):
        yield messages("still-fits", pieces=_listed(left))


def _only_in(here: Position, there: Position, colours: Iterable[str]) -> Iterator[Text]:
    """Pieces that fit here, and are left there but fit nowhere; the largest of a colour first."""
    for colour in colours:
        missing = fitting(here, colour) - fitting(there, colour) & set(there.pieces_left(colour))
        for piece in sorted(missing, key=lambda each: (-_size(each), each)):
            named = _words(f"of.{colour}"), _words(f"piece.{piece}")
            yield _words("piece-of", colour=named[0], piece=named[1])


def _listed(pieces: Sequence[Text]) -> Text:
    """The first pieces in words, and how many more there are."""
    told = listed(_words, pieces[:_LISTED])
    more = len(pieces) - _LISTED
    return messages("and-more", pieces=told, more=more) if more > 0 else told


def fitting(position: Position, colour: str) -> set[str]:
    """The pieces that a colour could place if it were its turn."""
    if colour not in position.colours_in_play():
        return set()
    board, turn, *rest = position.text().split(" ")
    wait = (_COLOURS.index(colour) - int(turn)) % 4
    text = " ".join([board, str(int(turn) + wait), *rest])
    its_turn = type(position).parse(text, position.edition, position.authority)
    return {move.piece for move in its_turn.legal_moves() if move.piece is not None}


def _room(after: Position, instead: Position, colour: str) -> Iterator[Text]:
    """Squares that the next pieces can reach: one's own, the opponent's, the other own colour's."""
    own, possible = len(in_reach(after, colour)), len(in_reach(instead, colour))
    is_all = (own, possible) == (_reached(after, colour), _reached(instead, colour))
    if possible - own >= _ROOM and not (is_all and possible - own >= _REGION):  # `_region` said it
        yield messages("little-room", squares=own, possible=possible)
    theirs, least = (
        sum(len(in_reach(position, each)) for each in _opponents(colour))
        for position in (after, instead)
    )
    if theirs - least >= _THEIR_ROOM:
        yield messages("room-left", squares=theirs, possible=least)
    partner = _COLOURS[(_COLOURS.index(colour) + 2) % 4]
    left, there = len(in_reach(after, partner)), len(in_reach(instead, partner))
    if there - left >= _PARTNER_ROOM:
        yield messages("own-room-taken", squares=left, possible=there)


def _region(after: Position, instead: Position, colour: str) -> Iterator[Text]:
    reached, possible = _reached(after, colour), _reached(instead, colour)
    if possible - reached >= _REGION:
        yield messages("region-closed", squares=reached, possible=possible)


def _opponents(colour: str) -> tuple[str, ...]:
    own = _COLOURS.index(colour) % 2
    return tuple(each for at, each in enumerate(_COLOURS) if at % 2 != own)


def _others(position: Position, colour: str) -> int:
    """Corners of the opponent's colours."""
    return sum(len(_corners(position, each)) for each in _opponents(colour))


def _to_middle(position: Position, colour: str) -> int:
    """How far the nearest square of a colour is from the middle of the board, in half squares."""
    middle = position.columns - 1
    return min(
        (
            max(abs(2 * column - middle), abs(2 * row - middle))
            for column, row in position.squares(colour)
        ),
        default=middle,
    )


def _free(position: Position, colour: str) -> set[Cell]:
    """Empty squares that do not lie beside the colour."""
    beside = set(_around(position.squares(colour), _BESIDE))
    return {cell for cell, there in position.cells().items() if there is None} - beside


def _corners(position: Position, colour: str) -> set[Cell]:
    """Where the next piece of a colour can begin; nowhere if no piece of it can follow."""
    if not _largest(position, colour):
        return set()
    return _free(position, colour) & set(_around(position.squares(colour), _DIAGONAL))


def _reached(position: Position, colour: str) -> int:
    """How many free squares are connected with a corner of the colour."""
    return len(_grown(position, colour, position.columns * position.rows))


def in_reach(position: Position, colour: str) -> set[Cell]:
    """The free squares that the next piece of a colour could cover, if it had every shape.

    A piece of n squares lies with one of them on a corner; the others are at most n − 1 steps away.
    """
    return _grown(position, colour, _largest(position, colour) - 1)


def _largest(position: Position, colour: str) -> int:
    """How many squares the largest piece has that a colour can still place; 0: it is out."""
    if colour not in position.colours_in_play():
        return 0
    return max(map(_size, position.pieces_left(colour)), default=0)


def _size(piece: str) -> int:
    return _SIZES[piece.partition("_")[0]]


def _grown(position: Position, colour: str, steps: int) -> set[Cell]:
    """What lies within so many steps of the corners of a colour, over free squares."""
    free = _free(position, colour)
    found = edge = _corners(position, colour)
    for _ in range(steps):
        edge = free & set(_around(edge, _BESIDE)) - found
        if not edge:
            break
        found = found | edge
    return found


def _around(cells: Iterable[Cell], steps: Iterable[Cell]) -> Iterator[Cell]:
    for column, row in cells:
        for right, down in steps:
            yield column + right, row + down

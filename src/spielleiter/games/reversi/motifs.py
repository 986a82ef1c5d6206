"""What was wrong with a move, in the words of the game, decided by cells and moves alone.

A corner is a cell whose stone can never be turned, since no line passes through it; on a map with
holes there are more of them than four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

from spielleiter.game import Cell, Seat, quarter
from spielleiter.text import Messages, Text

if TYPE_CHECKING:
    from spielleiter.games.reversi._core import Move, Position

messages: Final = Messages(__package__, "motif.")
_traits: Final = Messages(__package__, "trait.")
_words: Final = Messages(__package__)
_AXES = ((1, 0), (0, 1), (1, 1), (1, -1))
_MANY = 5
"""Stones that a move turns, from which on it is said that they are many."""
_MOBILITY, _OWN_MOVES, _EDGE, _FRONTIER = 2, 4, 2, 3
"""From so many moves or stones on a difference is worth a word; in the opening a move less will
do. Of 38 moves that gave away a tenth of the chance 42 % leave the
opponent another move and 71 % another stone to turn; of 11 that gave away little, none and two."""
_LARGE = 4
"""Of the stones at empty cells a difference must be this part: one or two more mean little."""
_SHARE = 8
"""Of many moves or stones a difference must be this part of them: 16 or 17 moves are the same."""
_TURNED = 3
"""From so many stones on that somebody turns a difference is worth a word. Guessed."""
_LAST_CELLS, _LAST_STONES = 12, 2
"""With at most so many empty cells so many stones are worth a word. Guessed."""
_PARITY = 16
"""With at most so many empty cells it matters who has the last move in a region. Guessed."""
_ALL = 15 * 15
"""No lead is larger."""
_SOLVED = 7
"""With at most so many empty cells the rest of the game is played out, by the best play of both."""
_EARLY = 3
"""So many more stones turned in the opening are worth a word. Guessed."""
WEAK: Final = {"motif.frontier": 0.2}
"""Motifs that are told only of moves that give away at least so much: they are true of many."""


def phase(position: Position) -> str:
    """`opening`, `middle` or `end`, by thirds of the cells that are filled."""
    cells = position.cells()
    filled = sum(there is not None for there in cells.values())
    return ("opening", "middle", "end")[min(2, 3 * filled // max(1, len(cells)))]


def motifs(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the move did that the better one would not have done, the gravest first."""
    seat, corners = before.to_move(), corner_cells(before)
    after, instead = before.after(move), before.after(better)
    if _is_wiped_out(after, seat) and not _is_wiped_out(instead, seat):
        yield _message(after, "wiped-out")
    yield from _missed_wipe_out(after, instead, seat)
    if better.cell in corners and move.cell not in corners:
        yield messages("missed-corner", cell=better.text())
    given = _targets(after, seat) & corners - _targets(instead, seat) - {better.cell}
    if given:
        yield messages("corner-given", cell=_cell_name(min(given)))
    elif (stones := _edge(after, seat, corners)) - _edge(instead, seat, corners) >= _EDGE:
        yield _message(after, "edge-given", stones=stones)
    elif beside := _free_corners_beside(before, move, better, corners - {better.cell}):
        yield messages("beside-corner", move=move.text(), cell=_cell_name(min(beside)))
    yield from _skipped(after, instead, seat)
    yield from _must_pass(after, instead, seat)
    yield from _mobility(after, instead, seat)
    yield from (_own_moves if before.seats == 2 else _own_moves_of_several)(after, instead, seat)
    yield from _ending(before, move, better) if before.seats == 2 else ()
    yield from _many_early(before, after, instead)
    yield from _frontier(after, instead, seat)
    if before.seats > 2:
        yield from _among_several(before, after, instead, corners - {better.cell} - given)


def traits(before: Position, move: Move) -> Iterator[Text]:
    """What can be said of a move: where the stone is set, and what it turns."""
    corners, cell = corner_cells(before), move.cell
    if cell in corners:
        yield _traits("corner", cell=_cell_name(cell))
        yield _traits("corners")
    for beside in sorted(corners & _empty(before) & set(_neighbours(cell))):
        yield _traits("beside", cell=_cell_name(beside))
    if len(list(_around(before, cell))) < 8:
        yield _traits("edge")
    yield _traits("column", column=_cell_name(cell)[0])
    yield _traits("row", row=cell[1] + 1)
    first, last = map(_cell_name, quarter(before, cell))
    yield _traits("quarter", first=first, last=last)
    yield from _turning_traits(before, move)


def _around(position: Position, cell: Cell) -> Iterator[Cell]:
    """The cells beside one."""
    cells = _cells(position)
    return (each for each in _neighbours(cell) if each in cells)


def _turning_traits(before: Position, move: Move) -> Iterator[Text]:
    """How many stones a move turns, and in which directions."""
    seat, (column, row) = before.to_move(), move.cell
    turned = set(before.after(move).stones(seat)) - set(before.stones(seat)) - {move.cell}
    if len(turned) >= _MANY:
        yield _traits("many", stones=_MANY)
    steps = {(there[0] - column, there[1] - row) for there in turned}
    ways = {"along-row": 0, "along-column": 0, "falling": 0, "rising": 0}
    for right, down in steps:
        straight = "along-row" if down == 0 else "along-column"
        ways["falling" if right == down else "rising" if right == -down else straight] += 1
    yield from (_traits(way) for way, stones in ways.items() if stones)


def _message(position: Position, key: str, **values: int) -> Text:
    """The form of a text for two players, or for more, where the next one is named."""
    if position.seats == 2:
        return messages(key, **values)
    return messages(f"{key}-several", player=_name(position.to_move()), **values)


def _name(seat: Seat) -> Text:
    return _words("seat", number=seat + 1)


def _free_corners_beside(
    before: Position, move: Move, better: Move, corners: set[Cell]
) -> set[Cell]:
    """The empty corners beside the stone that is set; none if the better move has some, too."""
    free = corners & _empty(before)
    moved, instead = (free & set(_neighbours(each.cell)) for each in (move, better))
    return set() if instead else moved


def _differ(more: int, fewer: int, least: int) -> bool:
    """Whether a difference is worth a word."""
    return more - fewer >= max(least, fewer / _SHARE)


def _frontier(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """Stones beside empty cells give the opponents moves, as long as there are many of these."""
    mine, possible = _open_stones(after, seat), _open_stones(instead, seat)
    if phase(after) != "end" and mine - possible >= max(_FRONTIER, possible / _LARGE):
        yield messages("frontier", stones=mine, possible=possible)


def _open_stones(position: Position, seat: Seat) -> int:
    """How many stones of a seat touch an empty cell."""
    empty = _empty(position)
    return sum(not empty.isdisjoint(_neighbours(cell)) for cell in position.stones(seat))


def _empty(position: Position) -> set[Cell]:
    return {cell for cell, there in position.cells().items() if there is None} - set(
        position.holes()
    )


def _neighbours(cell: Cell) -> Iterator[Cell]:
    column, row = cell
    return ((column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


def corner_cells(position: Position) -> set[Cell]:
    """The cells of the board through which no line passes."""
    cells = _cells(position)
    return {cell for cell in cells if not any(_passes(cells, cell, axis) for axis in _AXES)}


def _cells(position: Position) -> set[Cell]:
    """The cells that stones can lie on."""
    return set(position.cells()) - set(position.holes())


def _passes(cells: set[Cell], cell: Cell, axis: Cell) -> bool:
    (column, row), (right, down) = cell, axis
    return (column + right, row + down) in cells and (column - right, row - down) in cells


def _targets(position: Position, seat: Seat) -> set[Cell]:
    """The moves of the next player, unless that is the seat itself."""
    if position.outcome() is not None or position.to_move() == seat:
        return set()
    return {move.cell for move in position.legal_moves()}


def _replies(position: Position, seat: Seat) -> Iterator[Position]:
    """What the next move can lead to, unless it is the seat's own."""
    if position.outcome() is None and position.to_move() != seat:
        yield from (position.after(move) for move in position.legal_moves())


def _is_wiped_out(position: Position, seat: Seat) -> bool:
    """Whether the next move can turn every stone of a seat."""
    return any(not reply.stones(seat) for reply in _replies(position, seat))


def _missed_wipe_out(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """A player whose stones are all turned is out, and in a duel the game is won."""
    for other in range(after.seats):
        if other != seat and after.stones(other) and not instead.stones(other):
            key = "missed-wipe-out" if after.seats == 2 else "missed-wipe-out-several"
            yield messages(key, player=_name(other))


def _own_moves(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """A player with few moves left must soon make a bad one."""
    mine, possible = _fewest_moves(after, seat), _fewest_moves(instead, seat)
    if mine is not None and possible is not None and possible - mine >= _OWN_MOVES:
        yield messages("own-moves", moves=mine, possible=possible)


def _fewest_moves(position: Position, seat: Seat) -> int | None:
    """The fewest moves that a seat can have after the next move; None if it moves itself."""
    going_on = (each for each in _replies(position, seat) if each.outcome() is None)
    return min((len(_moves_of(each, seat)) for each in going_on), default=None)


def _own_moves_of_several(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """With more players nobody knows what two of them will leave; the board as it is must do."""
    mine, possible = len(_moves_of(after, seat)), len(_moves_of(instead, seat))
    if possible - mine >= _OWN_MOVES:
        yield messages("own-moves-several", moves=mine, possible=possible)


def _moves_of(position: Position, seat: Seat) -> set[Cell]:
    """Where a seat could set a stone if it were its turn."""
    turned = _turn_of(position, seat)
    return set() if turned is None else {move.cell for move in turned.legal_moves()}


def _turn_of(position: Position, seat: Seat) -> Position | None:
    """The same board with a seat to move; None if it cannot."""
    if position.outcome() is not None:
        return None
    rows, seats, _, out = position.text().split()
    text = f"{rows} {seats} {seat + 1} {out}"
    turned = position.parse(text, position.edition, position.authority)
    return turned if turned.to_move() == seat else None


def _skipped(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """A player who cannot move loses a turn."""
    if after.outcome() is not None or instead.outcome() is not None:
        return
    following = after.to_move()
    if following != seat and not _moves_of(instead, following):
        yield _message(after, "not-skipped")


def _mobility(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """How many moves the next player has; with more than two it may be another one instead."""
    if after.seats > 2 and after.to_move() != instead.to_move():
        return
    theirs, possible = len(_targets(after, seat)), len(_targets(instead, seat))
    if _differ(theirs, possible, 1 if phase(after) == "opening" else _MOBILITY):
        yield _message(after, "mobility", moves=theirs, possible=possible)


def _edge(position: Position, seat: Seat, corners: set[Cell]) -> int:
    """The most stones in rows from corners that an opponent gains with the next move."""
    mover = position.to_move()
    later = (len(edge_stones(reply, mover, corners)) for reply in _replies(position, seat))
    return max(0, max(later, default=0) - len(edge_stones(position, mover, corners)))


def edge_stones(position: Position, seat: Seat, corners: set[Cell]) -> set[Cell]:
    """Stones of a seat in unbroken rows from a corner along an edge: nobody can turn them."""
    stones, cells = set(position.stones(seat)), _cells(position)
    found = corners & stones
    for column, row in corners & stones:
        for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            there = column + right, row + down
            while there in stones and _is_edge(cells, there, (abs(right), abs(down))):
                found = found | {there}
                there = there[0] + right, there[1] + down
    return found


def _is_edge(cells: set[Cell], cell: Cell, along: Cell) -> bool:
    """Whether a stone can be turned along one axis at most."""
    return not any(_passes(cells, cell, axis) for axis in _AXES if axis != along)


def _among_several(
    before: Position, after: Position, instead: Position, corners: set[Cell]
) -> Iterator[Text]:
    """What matters with three and four players only: whose stones are turned, who comes later."""
    seat = before.to_move()
    yield from _turned(after, instead, seat)
    yield from _leader(before, after, instead)
    yield from _corner_later(after, instead, seat, corners)
    gained, possible = (len(each.stones(seat)) for each in (after, instead))
    if len(_empty(before)) <= _LAST_CELLS and possible - gained >= _LAST_STONES:
        yield messages("fewer-stones", stones=gained, possible=possible)


def _turned(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """The others choose whose stones to turn."""
    most, least = _most_turned(after, seat), _most_turned(instead, seat)
    exposed, possible = len(_exposed(after, seat)), len(_exposed(instead, seat))
    if most - least >= _TURNED:
        yield _message(after, "turned", stones=most, possible=least)
    elif exposed - possible >= _TURNED:
        yield messages("exposed-several", stones=exposed, possible=possible)


def _exposed(position: Position, seat: Seat) -> set[Cell]:
    """The stones of a seat that anybody else could turn if it were his turn."""
    own, found = set(position.stones(seat)), set[Cell]()
    for other in range(position.seats):
        if other != seat and (turned := _turn_of(position, other)) is not None:
            for move in turned.legal_moves():
                found |= own - set(turned.after(move).stones(seat))
    return found


def _leader(before: Position, after: Position, instead: Position) -> Iterator[Text]:
    """Who turns stones of the weak helps the one who leads."""
    seat = before.to_move()
    others = [each for each in range(before.seats) if each != seat]
    leader = max(others, key=lambda each: len(before.stones(each)))
    had = len(before.stones(leader))
    if sum(len(before.stones(each)) == had for each in others) > 1 or phase(before) == "opening":
        return
    taken, possible = (had - len(each.stones(leader)) for each in (after, instead))
    if possible - taken >= _TURNED:
        key = "leader-spared" if taken else "leader-untouched"
        yield messages(key, player=_name(leader), stones=taken, possible=possible)


def _corner_later(
    after: Position, instead: Position, seat: Seat, corners: set[Cell]
) -> Iterator[Text]:
    """A corner that somebody takes who moves after the next player but before the seat itself."""
    if after.outcome() is not None or instead.outcome() is not None:
        return
    for step in range(2, after.seats):
        later = (seat + step) % after.seats
        given = corners & _moves_of(after, later) - _moves_of(instead, later)
        if given and later != after.to_move():
            cell = _cell_name(min(given))
            yield messages("corner-later", player=_name(later), cell=cell)
            return


def _cell_name(cell: Cell) -> str:
    """A cell as moves write it: `d3`."""
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


def _most_turned(position: Position, seat: Seat) -> int:
    """The most stones of a seat that the next move can turn."""
    own = len(position.stones(seat))
    return max((own - len(reply.stones(seat)) for reply in _replies(position, seat)), default=0)


def _ending(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """The end of a duel: who gets the last move in a region, whose stones are turned."""
    empty, seat = _empty(before), before.to_move()
    if len(empty) <= _SOLVED:
        yield from _played_out(before, move, better)
    elif len(empty) <= _PARITY:
        left, possible = (len(_region(empty, each.cell)) - 1 for each in (move, better))
        if left % 2 == 1 and possible % 2 == 0:
            yield messages("parity", cells=left)
    if len(empty) <= _PARITY:
        most, least = (_most_turned(before.after(each), seat) for each in (move, better))
        if most - least >= _TURNED:
            yield messages("turned", stones=most, possible=least)


def _played_out(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the best play of both leads to after each of the two moves."""
    seat, empty = before.to_move(), _empty(before)
    lines = [((seat, each), *best_line(before.after(each))) for each in (move, better)]
    mine, possible = (_final(before, line) for line in lines)
    for region in sorted({min(_region(empty, each.cell)): each.cell for each in (move, better)}):
        cells = _region(empty, region)
        theirs, own = (_last_in(cells, line) for line in lines)
        if len(cells) > 1 and own == seat and theirs == 1 - seat:
            yield messages("last-move", cell=_cell_name(region), cells=len(cells))
    if mine[seat] - mine[1 - seat] < possible[seat] - possible[1 - seat]:
        values = {"stones": mine[seat], "theirs": mine[1 - seat]}
        values |= {"possible": possible[seat], "less": possible[1 - seat]}
        yield messages("final-count", **values)


def best_line(position: Position) -> tuple[tuple[Seat, Move], ...]:
    """The best play of both in a duel to its end, for few empty cells."""
    return _searched(position, -_ALL, _ALL)[1]


def _searched(
    position: Position, least: int, most: int
) -> tuple[int, tuple[tuple[Seat, Move], ...]]:
    """The lead of the seat to move at the end, between two bounds, and how it is reached."""
    seat = position.to_move()
    line: tuple[tuple[Seat, Move], ...] = ()
    for move in position.legal_moves():
        after, rest = position.after(move), line[:0]
        if after.outcome() is not None:
            lead = after.scores()[seat] - after.scores()[1 - seat]
        elif after.to_move() == seat:
            lead, rest = _searched(after, least, most)
        else:
            lead, rest = _searched(after, -most, -least)
            lead = -lead
        if lead > least or not line:
            least, line = max(least, lead), ((seat, move), *rest)
        if least >= most:
            break
    return least, line


def _final(before: Position, line: Sequence[tuple[Seat, Move]]) -> tuple[int, ...]:
    """The stones of the seats after a line."""
    for _, move in line:
        before = before.after(move)
    return tuple(before.scores())


def _last_in(cells: Set[Cell], line: Sequence[tuple[Seat, Move]]) -> Seat | None:
    """Who makes the last move in a region."""
    return next((seat for seat, move in reversed(line) if move.cell in cells), None)


def _must_pass(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """A player without a move gives the opponent two in a row."""
    if after.seats == 2 and _fewest_moves(after, seat) == 0 and (_fewest_moves(instead, seat) or 0):
        yield messages("must-pass")


def _many_early(before: Position, after: Position, instead: Position) -> Iterator[Text]:
    """Many stones early in the game give the opponent many moves."""
    if phase(before) != "opening":
        return
    seat, had = before.to_move(), len(before.stones(before.to_move())) + 1
    turned, possible = (len(each.stones(seat)) - had for each in (after, instead))
    if turned - possible >= _EARLY:
        yield messages("many-early", stones=turned, possible=possible)


def _region(empty: Set[Cell], cell: Cell) -> set[Cell]:
    """The empty cells that are connected with this one, itself included."""
    found, waiting = {cell}, [cell]
    while waiting:
        for there in _neighbours(waiting.pop()):
            if there in empty and there not in found:
                found.add(there)
                waiting.append(there)
    return found

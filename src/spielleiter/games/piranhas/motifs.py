"""What a move does wrong, in words of the game: each is decided by counting groups and points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from spielleiter.game import Cell, Seat, quarter
from spielleiter.games.piranhas.scene import SIZES, WEIGHTED
from spielleiter.text import Messages, Text

if TYPE_CHECKING:
    from spielleiter.games.piranhas._core import Move, Position

messages: Final = Messages(__package__, "motif.")
_traits: Final = Messages(__package__, "trait.")
_WAYS: Final = {
    "up": "column",
    "down": "column",
    "left": "row",
    "right": "row",
    "up-right": "rising",
    "down-left": "rising",
    "up-left": "falling",
    "down-right": "falling",
}
"""The direction of a move → the kind of line it swims along."""
_OPENING, _END = 16, 44
"""Plies at which phases change; a game has at most 60."""
_MOVES, _CAPTURES = 4, 2
"""From so many moves on a difference is worth a word. Guessed."""
_NEARER = 0.5
"""From so many fields on average on it is worth a word how near a fish comes. Of 28 costly moves
without a motif ten differ by that much."""
_LAST = 50
"""From this ply on the largest group is about to decide."""


def phase(position: Position) -> str:
    """`opening`, `middle` or `end`."""
    if position.ply < _OPENING:
        return "opening"
    return "middle" if position.ply < _END else "end"


def motifs(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the move did that the better one would not have done, the gravest first."""
    found = tuple(_grave(before, move, better))
    yield from found or _mobility(before, move, better)


def traits(before: Position, move: Move) -> Iterator[Text]:
    """What can be said of a move: where the fish swims, and what becomes of the groups."""
    seat, other, after = before.to_move(), 1 - before.to_move(), before.after(move)
    target, way = _target(move), _WAYS[move.direction]
    yield _traits(f"along-{way}")
    if _fish(after, other) < _fish(before, other):
        yield _traits("eats")
        yield _traits(f"eats-{way}")
    fish = before.at(move.start)
    if fish is not None and before.edition == WEIGHTED:
        yield _traits(SIZES[fish.text().lower()])
    if not 0 < target[0] < before.columns - 1 or not 0 < target[1] < before.rows - 1:
        yield _traits("edge")
    yield _traits("column", column=_name(target)[0])
    yield _traits("row", row=target[1])
    yield _traits("from-column", column=_name(move.start)[0])
    yield _traits("from-row", row=move.start[1])
    first, last = map(_name, quarter(before, target))
    yield _traits("quarter", first=first, last=last)
    groups, left = len(before.swarms(seat)), len(after.swarms(seat))
    if groups != left:
        yield _traits("joins" if left < groups else "splits")


def _grave(before: Position, move: Move, better: Move) -> Iterator[Text]:
    seat, other = before.to_move(), 1 - before.to_move()
    after, instead = before.after(move), before.after(better)
    if instead.is_whole(seat) and not after.is_whole(seat):
        yield messages("missed-union", move=better.text())
    yield from _union(after, instead, other)
    yield from _split(before, move, better)
    if len(after.swarms(other)) < min(len(before.swarms(other)), len(instead.swarms(other))):
        key = "helped-whole" if after.is_whole(other) else "helped"
        yield messages(key, groups=len(after.swarms(other)))
    if before.ply >= _LAST:
        yield from _swarms(after, instead, seat)
    yield from _threats(after, instead, seat)
    if _fish(instead, other) < min(_fish(before, other), _fish(after, other)):
        yield messages("missed-capture", move=better.text())
    yield from _strayed(before, move, better, seat)


def _union(after: Position, instead: Position, other: Seat) -> Iterator[Text]:
    """A union of the opponent that the better move prevents, or could break up again."""
    if after.is_whole(other):
        return
    if _can_unite(after, other) and not _can_unite(instead, other):
        yield messages("allowed-union")
    elif (lasting := _lasting_union(after, other)) and not _lasting_union(instead, other):
        yield messages("lasting-union", move=lasting.text())


def _lasting_union(position: Position, seat: Seat) -> Move | None:
    """A move of the seat that makes all its fish one group, which no answer breaks up."""
    if position.outcome() is not None or position.to_move() != seat:
        return None
    united = ((move, position.after(move)) for move in position.legal_moves())
    return next((move for move, after in united if _stays_whole(after, seat)), None)


def _stays_whole(position: Position, seat: Seat) -> bool:
    """Whether the fish of a seat are one group, and still are after every answer."""
    return position.is_whole(seat) and (
        position.outcome() is not None
        or all(position.after(move).is_whole(seat) for move in position.legal_moves())
    )


def _swarms(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """The largest swarms shortly before the end, which they decide."""
    own, possible = after.scores()[seat], instead.scores()[seat]
    if own < possible:
        yield messages("lighter-swarm", score=own, possible=possible)
    theirs, least = (_largest_next(each, 1 - seat) for each in (after, instead))
    over, over_instead = (each.outcome() is not None for each in (after, instead))
    if theirs > least and over == over_instead:
        yield messages("swarm-left" if over else "swarm-grows", score=theirs, possible=least)


def _largest_next(position: Position, seat: Seat) -> int:
    """What the largest swarm of a seat can be worth after its next move; at the end, what it is."""
    moves = () if position.outcome() is not None else position.legal_moves()
    following = (position.after(move).scores()[seat] for move in moves)
    return max(following, default=position.scores()[seat])


def _mobility(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """How many moves the opponent has: a weak reason, told if there is no other."""
    seat = before.to_move()
    theirs, least = (_moves(before.after(each), seat) for each in (move, better))
    if theirs - least >= _MOVES:
        yield messages("mobility", moves=theirs, possible=least)


def _strayed(before: Position, move: Move, better: Move, seat: Seat) -> Iterator[Text]:
    """A fish that swims away from the others, or none that comes as near to them as it could.

    Of a fish that touches some of them it is only said that the rest is farther away.
    """
    fish = [cell for swarm in before.swarms(seat) for cell in swarm]
    approach, possible = _approach(fish, move), _approach(fish, better)
    if approach > 0 and possible < approach:
        alone = _target(move) in _alone(before.after(move), seat)
        if not _left_a_group(before, move, better):
            yield messages("strayed" if alone else "farther", cell=_name(_target(move)))
    elif possible < 0 and approach - possible >= _NEARER:
        yield messages("not-nearer", move=better.text())


def _approach(fish: Sequence[Cell], move: Move) -> float:
    """By how many fields a fish comes nearer to the others on average; less than 0: nearer."""
    others = [cell for cell in fish if cell != move.start]
    return _distance(_target(move), others) - _distance(move.start, others)


def _target(move: Move) -> Cell:
    """Where a fish ends; only illegal moves end nowhere."""
    return move.target or move.start


def _distance(cell: Cell, fish: Sequence[Cell]) -> float:
    """How many fields the fish are away on average."""
    steps = [max(abs(cell[0] - x), abs(cell[1] - y)) for x, y in fish]
    return sum(steps) / max(1, len(steps))


def _threats(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """Fish that the opponent can eat next."""
    eaten, possible = _captures(after, seat), _captures(instead, seat)
    threat = next((each for each in eaten if each not in possible), "")
    if eaten and not possible:
        yield messages("exposed-first", threat=threat)
    elif len(eaten) - len(possible) >= _CAPTURES:
        yield messages("exposed", moves=len(eaten), threat=threat, possible=len(possible))


def _moves(position: Position, seat: Seat) -> int:
    """How many moves the opponent of a seat has."""
    asked = position.outcome() is None and position.to_move() != seat
    return len(position.legal_moves()) if asked else 0


def _captures(position: Position, seat: Seat) -> list[str]:
    """The moves of the opponent that eat a fish of the seat."""
    if not _moves(position, seat):
        return []
    fish = {cell for swarm in position.swarms(seat) for cell in swarm}
    return [move.text() for move in position.legal_moves() if move.target in fish]


def _fish(position: Position, seat: Seat) -> int:
    """How many fish a seat has."""
    return sum(map(len, position.swarms(seat)))


def _split(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """More groups than before and than with the better move, or as many but not fewer."""
    seat, after, instead = before.to_move(), before.after(move), before.after(better)
    groups, possible = len(after.swarms(seat)), len(instead.swarms(seat))
    if groups <= possible:
        return
    alone = sorted(_alone(after, seat) - _alone(before, seat) - _alone(instead, seat))
    if _left_a_group(before, move, better):
        yield messages("left-alone", cell=_name(_target(move)), groups=groups)
    elif groups > len(before.swarms(seat)) and alone:
        yield messages("cut-off", cell=_name(alone[0]), groups=groups)
    elif groups > len(before.swarms(seat)):
        yield messages("split", groups=groups, possible=possible)
    else:
        yield messages("not-joined", groups=groups, possible=possible)


def _left_a_group(before: Position, move: Move, better: Move) -> bool:
    """Whether the fish that moved makes one more group, standing alone."""
    seat, after = before.to_move(), before.after(move)
    groups = len(after.swarms(seat))
    is_more = groups > max(len(before.swarms(seat)), len(before.after(better).swarms(seat)))
    others = _alone(before, seat) | _alone(before.after(better), seat)
    return is_more and _target(move) in _alone(after, seat) - others


def _alone(position: Position, seat: Seat) -> set[Cell]:
    """The fields of fish that touch no other fish of their colour."""
    return {next(iter(group)) for group in position.swarms(seat) if len(group) == 1}


def _can_unite(position: Position, seat: Seat) -> bool:
    """Whether the seat to move can make all its fish one group, or they already are."""
    if position.outcome() is not None or position.to_move() != seat:
        return position.is_whole(seat)
    return any(position.after(move).is_whole(seat) for move in position.legal_moves())


def _name(cell: Cell) -> str:
    """A field as moves write it: `C4`."""
    return f"{chr(ord('A') + cell[0])}{cell[1]}"

"""Blokus as a scene: polyominoes on the grid, trays with what is still to be placed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache

from spielleiter.game import (
    Cell,
    Grid,
    Mark,
    Move,
    Outcome,
    Position,
    Scene,
    Token,
    Tray,
    reason_text,
)
from spielleiter.games.blokus.reference import NAMES, NUMBER_OF, PASS, SIDE, cells_of, turned
from spielleiter.text import Messages, Text, listed

COLOURS = {"B": "blue", "Y": "yellow", "R": "red", "G": "green"}
PALETTE = {"blue": "#2f6fd0", "yellow": "#f0b92a", "red": "#d6402f", "green": "#3a9d4e"}
KIND_OF = {shape: kind for kind, shape in NUMBER_OF}
messages = Messages(__package__)
GRID = Grid(
    SIDE,
    SIDE,
    column_labels=tuple("abcdefghijklmnopqrst"),
    row_labels=tuple(str(row) for row in range(1, SIDE + 1)),
)
_FRAME, _WIDTH = " ", SIDE + 1
"""Rows are looked at as one line, with a column between them where nothing lies."""


def scene(position: Position, last_move: Move | None) -> Scene:
    """What lies where, what is left, who is on turn."""
    board, turn, start_piece, *masks, in_play, _ = position.text().split()
    remaining = [int(mask, 16) for mask in masks]
    tokens = tuple(_pieces(board.split("/")))
    return Scene(
        grid=GRID,
        tokens=tokens,
        marks=_marks(position, last_move, tokens),
        trays=tuple(_tray(colour, mask) for colour, mask in zip(COLOURS, remaining, strict=True)),
        status=tuple(_status(position, int(turn), start_piece, in_play)),
        palette=PALETTE,
        title=messages("scene"),
    )


# ---------------------------------------------------------------------------------------- the board


def _pieces(rows: list[str]) -> Iterator[Token]:
    """One token per piece. Pieces of one colour never touch along an edge, so a piece is what hangs
    together; only a position made by hand may hold other shapes."""
    left = list(_FRAME.join(rows) + _FRAME * _WIDTH)
    ids: set[str] = set()
    for start, letter in enumerate(left):
        if letter in COLOURS:
            token = _token(letter, _taken_together(left, start))
            if token.id in ids:
                token = replace(token, id="{}-{}-{}".format(token.id, *token.cells[0]))
            ids.add(token.id)
            yield token


def _taken_together(left: list[str], start: int) -> tuple[Cell, ...]:
    """The cells that hang together with one, which are not left afterwards."""
    letter, edge, found = left[start], [start], [start]
    left[start] = _FRAME
    while edge:
        at = edge.pop()
        for near in (at + 1, at - 1, at + _WIDTH, at - _WIDTH):
            if left[near] == letter:
                left[near] = _FRAME
                found.append(near)
                edge.append(near)
    return tuple((at % _WIDTH, at // _WIDTH) for at in sorted(found))


def piece_id(colour: str, name: str) -> str:
    """What a piece is called, in the tray and on the board."""
    return f"{colour}-{name}"


@lru_cache(maxsize=8_192)
def _token(letter: str, cells: tuple[Cell, ...]) -> Token:
    """A piece keeps its id on the way from the tray to the board."""
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    kind = KIND_OF.get(frozenset((x - left, y - top) for x, y in cells))
    name = None if kind is None else NAMES[kind]
    token_id = piece_id(COLOURS[letter], name or "squares")
    if kind is None:
        token_id += "-{}-{}".format(*cells[0])
    return Token(
        id=token_id,
        cells=cells,
        glyph="square",
        colour=COLOURS[letter],
        text=letter,
        label=_label(COLOURS[letter], name),
    )


@cache
def _label(colour: str, name: str | None) -> Text:
    of = messages(f"of.{colour}")
    if name is None:
        return messages("squares-of", colour=of)
    return messages("piece-of", colour=of, piece=messages(f"piece.{name}"))


def _marks(
    position: Position, last_move: Move | None, tokens: tuple[Token, ...]
) -> tuple[Mark, ...]:
    if last_move is None:
        return ()
    number = position.action(last_move)
    if number == PASS:
        return ()
    cells = tuple((cell % SIDE, cell // SIDE) for cell in sorted(cells_of(number) or ()))
    owners = [token.colour for token in tokens if set(cells) <= set(token.cells)]
    return (Mark("last", cells, owners[0] if owners else "plain"),)


# ---------------------------------------------------------------------------------------- the trays


@lru_cache(maxsize=8_192)
def _tray(letter: str, remaining: int) -> Tray:
    kinds = [kind for kind in range(len(NAMES)) if remaining >> kind & 1]
    return Tray(
        title=messages("tray", colour=_colour(letter), left=len(kinds)),
        tokens=tuple(_lying_ready(letter, kind) for kind in kinds),
        colour=COLOURS[letter],
    )


@cache
def _lying_ready(letter: str, kind: int) -> Token:
    colour = COLOURS[letter]
    return Token(
        id=piece_id(colour, NAMES[kind]),
        cells=tuple(sorted(turned(kind, 0, False), key=lambda cell: (cell[1], cell[0]))),
        glyph="square",
        colour=colour,
        text=letter,
        label=_label(colour, NAMES[kind]),
    )


# --------------------------------------------------------------------------------------- the status


def _status(position: Position, turn: int, start_piece: str, in_play: str) -> Iterator[Text]:
    yield _turn(turn, position.outcome())
    first, second = position.scores()
    yield messages("points", first=first, second=second)
    piece = messages(f"piece.{start_piece}")
    out = [_colour(letter) for letter in COLOURS if letter not in in_play]
    if out:
        yield messages("start-piece-and-out", piece=piece, colours=listed(messages, out))
    else:
        yield messages("start-piece", piece=piece)


def _turn(turn: int, outcome: Outcome | None) -> Text:
    """Whose turn it is in which round. `turn` counts colours that are out too, unlike records."""
    if outcome is None:
        colour = _colour(list(COLOURS)[turn % 4])
        return messages("to-move", round=turn // 4 + 1, colour=colour)
    winner = "nobody" if outcome.winner is None else ("first", "second")[outcome.winner]
    reason = reason_text(outcome.reason)
    return messages("over", winner=messages(f"winner.{winner}"), reason=reason)


def _colour(letter: str) -> Text:
    return messages(f"colour.{COLOURS[letter]}")

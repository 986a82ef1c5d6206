"""Blokus on the contest's wire: `swc_2021_blokus` and `swc_2027_blokus`.

No document defines an XML form for Blokus: under either authority both seasons speak as their
servers did (21.4.0, 27.0.4).
"""

from __future__ import annotations

import abc
import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Move, Position
from spielleiter.protocol.answers import lobby_class
from spielleiter.protocol.dialect import Y2021, Y2026, Dialect
from spielleiter.protocol.element import Element, Markup, attribute, markup
from spielleiter.protocol.fault import LeaveCause, NoMove, XmlError
from spielleiter.protocol.lobby import Fragment, Result
from spielleiter.protocol.requests import number, only, truth
from spielleiter.protocol.substitution import substitution
from spielleiter.protocol.verdict import Judge, Standing
from spielleiter.protocol.wire import STREAM_MARGIN, End, Refusal, Seat, Seen, Sent, Wire

SIDE = 20
TEAMS = ("ONE", "TWO")
COLOURS = ("BLUE", "YELLOW", "RED", "GREEN")
GERMAN = ("Blau", "Gelb", "Rot", "Grün")
LETTERS = "BYRG"
KINDS = (
    "MONO", "DOMINO", "TRIO_L", "TRIO_I", "TETRO_O", "TETRO_T", "TETRO_I", "TETRO_L", "TETRO_Z",
    "PENTO_L", "PENTO_T", "PENTO_V", "PENTO_S", "PENTO_Z", "PENTO_I",
    "PENTO_P", "PENTO_W", "PENTO_U", "PENTO_R", "PENTO_X", "PENTO_Y",
)  # fmt: skip
ALL_PIECES = (1 << len(KINDS)) - 1
ROTATIONS = ("NONE", "RIGHT", "MIRROR", "LEFT")

_MISTAKES = {
    "PASSES_FIRST_MOVE": "Der erste Zug muss einen Stein setzen",
    "NOT_THE_START_PIECE": "Der erste Zug muss den festgelegten Spielstein setzen",
    "ALREADY_PLACED": "Der gewählte Stein wurde bereits gesetzt",
    "OFF_BOARD": "Der Spielstein passt nicht vollständig auf das Spielfeld",
    "OCCUPIED": "Der Spielstein würde eine andere Farbe überlagern",
    "TOUCHES_OWN_EDGE": "Der Spielstein berührt ein Feld gleicher Farbe",
    "NOT_ON_CORNER": "Der erste Zug muss auf eine freie Ecke gesetzt werden",
    "NOT_ON_EDGE": "Der erste Zug muss an den Rand gesetzt werden",
    "NO_CORNER_CONTACT": "Alle Teile müssen ein vorheriges Teil gleicher Farbe über mindestens"
    " eine Ecke berühren",
    "GAME_OVER": "Das Spiel ist bereits zu Ende",
}
_WITHOUT_MOVE = {"NOT_THE_START_PIECE", "ALREADY_PLACED"}
_NOT_ON_TURN = "COLOUR_NOT_ON_TURN"


def wire(game: Game) -> Wire:
    """The payload of that edition."""
    if game.name == "blokus-2021":
        return _Season2021(game, Y2021, _judge(Y2021, "Gewinner", "∅ Punkte"), 2021)
    if game.name == "blokus-2027":
        return _Season2027(game, Y2026, _judge(Y2026, "Siegpunkte", "Punkte"), 2027)
    raise UsageError(f"{game.name} has no XML protocol")


def _judge(dialect: Dialect, won: str, points: str) -> Judge:
    printed = ("Team 1", "Team 2") if dialect is Y2021 else TEAMS
    return Judge(dialect, (Fragment(won), Fragment(points, "AVERAGE")), TEAMS, printed)


@dataclass(frozen=True, slots=True)
class _Placement:
    """What a `SetMove` says."""

    colour: int
    kind: str
    rotation: int
    flipped: bool
    x: int
    y: int

    def notation(self) -> str:
        """As the game's own notation takes it."""
        flipped = "true" if self.flipped else "false"
        return f"{self.kind} {ROTATIONS[self.rotation]} {flipped} {self.x} {self.y}"

    def text(self) -> str:
        """As the official servers print it."""
        turned = f", gedreht um {90 * self.rotation}°" if self.rotation else ""
        flipped = ", gespiegelt" if self.flipped else ""
        held = f"{self.kind}(Farbe {GERMAN[self.colour]}{turned}{flipped})"
        return f"Setze {held}[{self.x},{self.y}]"

    def piece(self) -> Element:
        """As it stands in the stream."""
        said = {
            "color": COLOURS[self.colour],
            "kind": self.kind,
            "rotation": ROTATIONS[self.rotation],
            "isFlipped": "true" if self.flipped else "false",
        }
        return Element("piece", said, (Element("position", {"x": str(self.x), "y": str(self.y)}),))


@dataclass(frozen=True, slots=True)
class _Blokus(abc.ABC):
    """What the seasons share."""

    game: Game
    dialect: Dialect
    judge: Judge
    year: int

    @property
    def game_type(self) -> str:
        return f"swc_{self.year}_blokus"

    @property
    def colours(self) -> tuple[str, ...]:
        return TEAMS

    @property
    def teams(self) -> tuple[str, ...]:
        return TEAMS

    def seat(self, colour: str) -> Seat:
        if colour.upper() in TEAMS:
            return TEAMS.index(colour.upper())
        raise XmlError(f"a welcome with an unknown team: {colour[:40]!r}")

    # ---------------------------------------------------------------------------------------- moves

    def sent(self, position: Position, move: Move, hints: Sequence[str] = ()) -> Sent:
        colour = position.ply % len(COLOURS)
        if (text := move.text()) == "pass":
            return self._skipped(move, colour)
        return self._placed(move, _read_notation(text, colour))

    def read_move(self, position: Position, data: Element) -> Sent:
        """Strict, and the colour is looked at here: the game's own moves have none."""
        said = data.attributes.get("class", "")
        if (lobby := lobby_class(data)) is not None:
            raise NoMove(f"{lobby} is no move")
        on_turn = position.ply % len(COLOURS)
        if said == self._java("SetMove"):
            return self._read_set(position, only(data, children=("piece",)), on_turn)
        if said == self._java("SkipMove"):
            return self._read_skip(position, only(data, children=("color",)), on_turn)
        raise XmlError(f"unknown class {said[:80]!r}")

    def last_move(self, before: Position, last: Element) -> Move | None:
        try:
            return self.read_move(before, last).move
        except XmlError:
            return None

    def _read_set(self, position: Position, data: Element, on_turn: int) -> Sent:
        if (piece := data.child("piece")) is None:
            raise XmlError("a SetMove without piece", cause=LeaveCause.UNKNOWN)
        placement = _read_piece(piece)
        move: Move | None = None
        with contextlib.suppress(TextError):
            move = position.move(placement.notation())
        if placement.colour != on_turn:
            return self._placed(move, placement, _NOT_ON_TURN)
        return self._placed(
            move, placement, None if move is not None else _off_board(position, placement)
        )

    def _read_skip(self, position: Position, data: Element, on_turn: int) -> Sent:
        if (said := data.child("color")) is None:
            raise XmlError("a SkipMove without color", cause=LeaveCause.UNKNOWN)
        colour = _constant(said.text, COLOURS, "color")
        mistake = None if colour == on_turn else _NOT_ON_TURN
        return self._skipped(position.move("pass"), colour, mistake)

    def _placed(self, move: Move | None, placement: _Placement, mistake: str | None = None) -> Sent:
        element = Element("data", {"class": self._java("SetMove")}, (placement.piece(),))
        return Sent(move, element, placement.text(), mistake)

    def _skipped(self, move: Move, colour: int, mistake: str | None = None) -> Sent:
        said = (Element("color", text=COLOURS[colour]),)
        element = Element("data", {"class": self._java("SkipMove")}, said)
        return Sent(move, element, f"Farbe {GERMAN[colour]} setzt aus", mistake)

    def _java(self, name: str) -> str:
        return f"sc.plugin{self.year}.{name}"

    # ---------------------------------------------------------------------------------------- texts

    def why_refused(self, position: Position, sent: Sent) -> Refusal | None:
        if (mistake := sent.mistake) is None:
            assert sent.move is not None, "only a mistake of the wire is no move"
            found = position.why_illegal(sent.move)
            if found is None:
                return None
            mistake = found.name
        text = self._mistake_text(mistake)
        if mistake in _WITHOUT_MOVE:
            return Refusal(mistake, _shown(text, "null"), text)
        return Refusal(mistake, _shown(text, sent.text), self._reason(text, sent.text))

    def result(self, room: str, position: Position, names: Sequence[str], end: End) -> Result:
        first, second = points = position.scores()
        winner = None if first == second else int(second > first)
        return self.judge.result(room, names, Standing(points, winner, self._most_points()), end)

    def disorder(self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str) -> str:
        return self.judge.disorder(seat, on_turn, names, text)

    def disorder_packet(
        self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str
    ) -> str:
        return self.judge.disorder_packet(seat, on_turn, names, text)

    def _mistake_text(self, mistake: str) -> str:
        if mistake == _NOT_ON_TURN:
            return "Nur eigene Spielfiguren können gezogen werden"
        return _MISTAKES[mistake]

    def _reason(self, mistake: str, move: str) -> str:
        return f"{mistake} bei '{move}'"

    def _most_points(self) -> str:
        return "%s hat am meisten Punkte erzielt."

    # --------------------------------------------------------------------------------------- states

    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup:
        return Markup(self._written(_Told(position.text(), "\n"), last, names)[1:])

    def streamed(
        self, position: Position, last: Sent | None = None, names: Sequence[str] = ("", "")
    ) -> str:
        return self._written(_Told(position.text(), STREAM_MARGIN), last, names)

    @abc.abstractmethod
    def _written(self, told: _Told, last: Sent | None, names: Sequence[str]) -> str:
        """The state, each line behind the margin."""

    def read_state(self, state: Element) -> Seen:
        start_piece = state.get("startPiece")
        _constant(start_piece, KINDS, "startPiece")
        words = [
            _read_board(_part(state, "board")),
            str(number(state.get("turn"), "turn")),
            str(start_piece),
            *(f"{_read_mask(_part(state, f'{c.lower()}Shapes')):x}" for c in COLOURS),
            _read_colours(_part(state, "validColors")),
            _read_mono(state.child("lastMoveMono")),
        ]
        last = state.child("lastMove")
        names = tuple(_read_name(state.child(player)) for player in ("first", "second"))
        return Seen(" ".join(words), last and last.named("data"), names)


class _Season2027(_Blokus):
    """The colours' team stands in an attribute, the last move before the board, no names."""

    __slots__ = ()

    def _written(self, told: _Told, last: Sent | None, names: Sequence[str]) -> str:
        margin = told.margin
        return (
            f'{margin}<state class="state" startTeam="ONE" turn="{told.turn}"'
            f' startPiece="{told.start_piece}" round="{told.round}">'
            f"{_last(last, margin)}{told.board()}{told.rest()}{margin}</state>"
        )

    def recognises(self, state: Element) -> bool:
        return "startPiece" in state.attributes and "startTeam" in state.attributes


class _Season2021(_Blokus):
    """Team and players stand in elements, the last move after the board."""

    __slots__ = ()

    def _written(self, told: _Told, last: Sent | None, names: Sequence[str]) -> str:
        margin = told.margin
        first, second = names
        return (
            f'{margin}<state class="state" startPiece="{told.start_piece}" turn="{told.turn}"'
            f' round="{told.round}">{margin}  <startTeam class="team">ONE</startTeam>'
            f"{_player('first', first, 'ONE', margin)}{_player('second', second, 'TWO', margin)}"
            f"{told.board()}{_last(last, margin)}{told.rest()}{margin}</state>"
        )

    def recognises(self, state: Element) -> bool:
        return "startPiece" in state.attributes and "startTeam" not in state.attributes

    def _mistake_text(self, mistake: str) -> str:
        if mistake == _NOT_ON_TURN:
            return "Die Farbe des Zuges ist nicht an der Reihe"
        return _MISTAKES[mistake]

    def _reason(self, mistake: str, move: str) -> str:
        return f"{mistake} bei Zug '{move}'"

    def _most_points(self) -> str:
        return ""


def _shown(mistake: str, move: str) -> str:
    return f"InvalidMoveException(mistake={mistake}, move={move})"


# ---------------------------------------------------------------------------------- writing a state


class _Told:
    """A position text, taken apart into what a state tells, each line behind a margin."""

    __slots__ = ("_masks", "_mono", "_rows", "_valid", "margin", "round", "start_piece", "turn")

    def __init__(self, text: str, margin: str) -> None:
        self._rows, turn, self.start_piece, *self._masks, self._valid, self._mono = text.split(" ")
        self.turn, self.margin = int(turn), margin
        self.round = 1 + self.turn // len(COLOURS)

    def board(self) -> str:
        """The occupied fields by y, then x."""
        margin, fields = self.margin, _BOARDS[self.margin](self._rows)
        return f"{margin}  <board>{fields}{margin}  </board>" if fields else f"{margin}  <board/>"

    def rest(self) -> str:
        """What stands behind the board in both seasons."""
        masks = zip(COLOURS, self._masks, strict=True)
        shapes = "".join([_shapes(colour, mask, self.margin) for colour, mask in masks])
        return f"{self._last_mono()}{shapes}{_valid_colours(self._valid, self.margin)}"

    def _last_mono(self) -> str:
        margin = self.margin
        if "0" not in self._masks:
            return f"{margin}  <lastMoveMono/>"
        done = [colour for colour, mask in enumerate(self._masks) if mask == "0"]
        entries = [_mono_entry(colour, LETTERS[colour] in self._mono, margin) for colour in done]
        return f"{margin}  <lastMoveMono>{''.join(entries)}{margin}  </lastMoveMono>"


def _board(margin: str) -> Callable[[str], str]:
    """Writes the occupied fields of a board: rows with a stroke between them."""
    field = f'{margin}    <field x="%d" y="%d" content="%s"/>'
    coloured = list(zip(LETTERS, COLOURS, strict=True))
    return substitution(
        [
            {".": "", **{letter: field % (x, y, colour) for letter, colour in coloured}}
            if x < SIDE
            else {"/": ""}
            for y in range(SIDE)
            for x in range(SIDE + 1)
        ]
    )


_BOARDS = {margin: _board(margin) for margin in ("\n", STREAM_MARGIN)}


def _pieces(margin: str) -> Callable[[str], str]:
    """Writes the pieces that are left, from a bit for each."""
    words = [f"{margin}    <shape>{kind}</shape>" for kind in KINDS]
    return substitution([{"0": "", "1": each} for each in words])


_PIECES = {margin: _pieces(margin) for margin in _BOARDS}


@functools.lru_cache(maxsize=2048)  # a move changes one of four
def _shapes(colour: str, mask: str, margin: str) -> str:
    name, bits = f"{colour.lower()}Shapes", f"{int(mask, 16):0{len(KINDS)}b}"
    shapes = _PIECES[margin](bits[::-1])
    return f"{margin}  <{name}>{shapes}{margin}  </{name}>" if shapes else f"{margin}  <{name}/>"


@functools.lru_cache(maxsize=64)
def _valid_colours(letters: str, margin: str) -> str:
    named = (colour for colour, letter in zip(COLOURS, LETTERS, strict=True) if letter in letters)
    return _list("validColors", "color", named, margin)


def _list(name: str, item: str, texts: Iterator[str], margin: str) -> str:
    items = "".join(f"{margin}    <{item}>{text}</{item}>" for text in texts)
    return f"{margin}  <{name}>{items}{margin}  </{name}>" if items else f"{margin}  <{name}/>"


def _mono_entry(colour: int, was_mono: bool, margin: str) -> str:
    said = "true" if was_mono else "false"
    return (
        f"{margin}    <entry>{margin}      <color>{COLOURS[colour]}</color>"
        f"{margin}      <boolean>{said}</boolean>{margin}    </entry>"
    )


def _last(last: Sent | None, margin: str) -> str:
    if last is None:
        return ""
    element = last.element
    if element.child("piece") is None:
        return ("\n" + markup(element.named("lastMove"))).replace("\n", margin + "  ")
    (piece,) = element.children  # as `_Placement.piece` made it: nothing in it has to be escaped
    (place,) = piece.children
    said, at = piece.attributes, place.attributes
    return (
        f'{margin}  <lastMove class="{element.attributes["class"]}">'
        f'{margin}    <piece color="{said["color"]}" kind="{said["kind"]}"'
        f' rotation="{said["rotation"]}" isFlipped="{said["isFlipped"]}">'
        f'{margin}      <position x="{at["x"]}" y="{at["y"]}"/>'
        f"{margin}    </piece>{margin}  </lastMove>"
    )


def _player(element: str, name: str, team: str, margin: str) -> str:
    return (
        f'{margin}  <{element} displayName="{attribute(name)}">'
        f'{margin}    <color class="team">{team}</color>{margin}  </{element}>'
    )


# ----------------------------------------------------------------------------------------- reading


def _read_piece(piece: Element) -> _Placement:
    only(piece, "color", "kind", "rotation", "isFlipped", children=("position",))
    colour, kind = piece.get("color"), piece.get("kind")
    rotation, flipped = piece.get("rotation"), piece.get("isFlipped")
    for text, known in ((colour, COLOURS), (kind, KINDS), (rotation, ROTATIONS)):
        if text is not None:
            _constant(text, known, "constant")
    x, y = _read_position(piece.child("position"))
    if colour is None or kind is None or rotation is None or flipped is None or x is None:
        raise XmlError("a piece of which something is missing", cause=LeaveCause.UNKNOWN)
    turns = ROTATIONS.index(rotation)
    return _Placement(COLOURS.index(colour), kind, turns, truth(flipped), x, y)


def _read_position(position: Element | None) -> tuple[int | None, int]:
    if position is None:
        return None, 0
    only(position, "x", "y")
    return number(position.get("x"), "x"), number(position.get("y"), "y")


def _constant(text: str | None, known: Sequence[str], what: str) -> int:
    if text not in known:
        raise XmlError(f"unknown {what} {(text or '')[:40]!r}")
    return known.index(text)


def _off_board(position: Position, placement: _Placement) -> str:
    """The mistake of a piece so far off the board that no move of the game says it."""
    _, turn, start_piece, *masks, _, _ = position.text().split(" ")
    mask = int(masks[int(turn) % len(COLOURS)], 16)
    if mask == ALL_PIECES and placement.kind != start_piece:
        return "NOT_THE_START_PIECE"
    if not mask >> KINDS.index(placement.kind) & 1:
        return "ALREADY_PLACED"
    return "OFF_BOARD"


_NOTATION = re.compile(r"([A-Z_]+)(?::([NRML])(F?))?@([a-t])([0-9]+)")


def _read_notation(text: str, colour: int) -> _Placement:
    """A placement in the game's own notation, `PENTO_Y:RF@a5`."""
    if not (found := _NOTATION.fullmatch(text)):
        raise UsageError(f"{text!r} is no placement")
    kind, turn, flip, column, row = found.groups()
    rotation = "NRML".index(turn or "N")
    return _Placement(colour, kind, rotation, bool(flip), ord(column) - ord("a"), int(row) - 1)


def _read_board(board: Element) -> str:
    rows = [["."] * SIDE for _ in range(SIDE)]
    for field in _fields(board):
        x, y = number(field.get("x"), "x"), number(field.get("y"), "y")
        content = field.get("content")
        if content == "EMPTY":
            continue
        if not (0 <= x < SIDE and 0 <= y < SIDE):
            raise XmlError(f"a field off the board: {x},{y}")
        rows[y][x] = LETTERS[_constant(content, COLOURS, "content of a field")]
    return "/".join("".join(row) for row in rows)


def _fields(board: Element) -> Iterator[Element]:
    """The fields, also in the wrappers that the documentation of 2021 shows."""
    for child in board.children:
        if child.name == "field":
            yield child
        else:
            yield from child.all("field")


def _part(state: Element, name: str) -> Element:
    if (part := state.child(name)) is None:
        raise XmlError(f"a state without <{name}>")
    return part


def _read_mask(shapes: Element) -> int:
    listed = shapes.all("shape")
    return sum({1 << _constant(shape.text.strip(), KINDS, "shape") for shape in listed})


def _read_colours(colours: Element) -> str:
    found = {_constant(each.text.strip(), COLOURS, "color") for each in colours.all("color")}
    return "".join(LETTERS[colour] for colour in sorted(found)) or "-"


def _read_mono(last_mono: Element | None) -> str:
    entries = last_mono.all("entry") if last_mono is not None else iter(())
    found = {
        _constant(entry.get("color"), COLOURS, "color")
        for entry in entries
        if truth(entry.get("boolean"))
    }
    return "".join(LETTERS[colour] for colour in sorted(found)) or "-"


def _read_name(player: Element | None) -> str | None:
    return None if player is None else player.get("displayName")

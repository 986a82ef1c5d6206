"""Piranhas on the contest's wire: `swc_2019_piranhas` and `swc_2026_piranhas`.

2019 has two forms, as its server wrote (19.2.1) or to the letter of its document; both are read.
The draft edition had no protocol and speaks as 2019.
"""

from __future__ import annotations

import abc
import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.game import Game, Move, Position
from spielleiter.protocol.answers import lobby_class, result_children
from spielleiter.protocol.dialect import Y2019, Y2019_DOCUMENT, Y2026, Dialect
from spielleiter.protocol.element import Element, Markup, attribute, indented, markup
from spielleiter.protocol.fault import LeaveCause, NoMove, XmlError
from spielleiter.protocol.lobby import Fragment, Result
from spielleiter.protocol.requests import number, only
from spielleiter.protocol.substitution import substitution
from spielleiter.protocol.verdict import Judge, Standing
from spielleiter.protocol.wire import (
    STREAM_LEVEL,
    STREAM_MARGIN,
    End,
    Refusal,
    Seat,
    Seen,
    Sent,
    Wire,
)

SIDE = 10
_SEATS = 2
_MARGINS = ("\n", STREAM_MARGIN)
"""Before each line of a state: by itself, and in a stream."""
LAST_TURN = 60
DIRECTIONS = {
    "UP": (0, 1),
    "UP_RIGHT": (1, 1),
    "RIGHT": (1, 0),
    "DOWN_RIGHT": (1, -1),
    "DOWN": (0, -1),
    "DOWN_LEFT": (-1, -1),
    "LEFT": (-1, 0),
    "UP_LEFT": (-1, 1),
}
_NAMES = tuple(DIRECTIONS)
_FIRST, _SECOND = frozenset("abc"), frozenset("ABC")


def wire(game: Game) -> Wire:
    """The payload of that edition."""
    if game.name == "piranhas-2026":
        return _Season2026(game, Y2026, _judge(Y2026, ("Siegpunkte", "Schwarmgröße"), _TEAMS))
    if not game.name.startswith("piranhas-2019"):
        raise UsageError(f"{game.name} has no XML protocol")
    if game.wire == "document":
        judge = _judge(Y2019_DOCUMENT, ("Gewinner", "Ø Schwarm"), _COLOURS)
        return _Document2019(game, Y2019_DOCUMENT, judge)
    return _Season2019(game, Y2019, _judge(Y2019, ("Gewinner", "∅ Schwarm"), _COLOURS))


_TEAMS = ("ONE", "TWO")
_COLOURS = ("RED", "BLUE")


def _judge(dialect: Dialect, fragments: tuple[str, str], teams: tuple[str, str]) -> Judge:
    won, swarm = fragments
    return Judge(dialect, (Fragment(won), Fragment(swarm, "AVERAGE")), teams, teams)


@dataclass(frozen=True, slots=True)
class _Piranhas(abc.ABC):
    """What the seasons share: a fish, a direction, and who has the larger swarm."""

    game: Game
    dialect: Dialect
    judge: Judge

    @property
    def teams(self) -> tuple[str, ...]:
        return self.judge.teams

    def seat(self, colour: str) -> Seat:
        for seat, names in enumerate((("ONE", "RED"), ("TWO", "BLUE"))):
            if colour.upper() in names:
                return seat
        raise XmlError(f"a welcome with an unknown colour: {colour[:40]!r}")

    def sent(self, position: Position, move: Move, hints: Sequence[str] = ()) -> Sent:
        square, direction = divmod(position.action(move), len(_NAMES))
        return self._sent(move, square % SIDE, square // SIDE, _NAMES[direction], tuple(hints))

    def last_move(self, before: Position, last: Element) -> Move | None:
        try:
            return self.read_move(before, last).move
        except XmlError:
            return None

    def why_refused(self, position: Position, sent: Sent) -> Refusal | None:
        if sent.mistake is not None:
            return self._refusal(position, sent, sent.mistake)
        assert sent.move is not None, "only a mistake of the wire is no move"
        mistake = position.why_illegal(sent.move)
        return None if mistake is None else self._refusal(position, sent, mistake.name)

    def result(self, room: str, position: Position, names: Sequence[str], end: End) -> Result:
        return self.judge.result(room, names, self._standing(position, end), end)

    def disorder(self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str) -> str:
        return self.judge.disorder(seat, on_turn, names, text)

    def disorder_packet(
        self, seat: Seat, on_turn: Seat | None, names: Sequence[str], text: str
    ) -> str:
        return self.judge.disorder_packet(seat, on_turn, names, text)

    def _standing(self, position: Position, end: End) -> Standing:
        outcome = position.outcome()
        if outcome is None:
            winner = self._leader(position)
            return Standing(position.scores(), winner, self._lead(position))
        reason = self._ending(position, outcome.reason)
        return Standing(outcome.scores, outcome.winner, reason)

    def _leader(self, position: Position) -> Seat | None:
        """Who would win if the present board were the last."""
        first, second = position.scores()
        return None if first == second else int(second > first)

    def _sent(
        self, move: Move | None, x: int, y: int, direction: str, hints: tuple[str, ...]
    ) -> Sent:
        element = self._element(x, y, direction, hints) if hints else self._plain(x, y, direction)
        return Sent(move, element, _told(x, y, direction), hints=hints)

    def _plain(self, x: int, y: int, direction: str) -> Element:
        """A move without hints; players move the same fish in the same ways."""
        key = (type(self), x, y, direction)
        if (known := _PLAIN.get(key)) is None:
            if len(_PLAIN) >= _MOST_PLAIN:
                _PLAIN.clear()
            known = _PLAIN[key] = self._element(x, y, direction, ())
        return known

    def streamed(
        self, position: Position, last: Sent | None = None, names: Sequence[str] = ("", "")
    ) -> str:
        return indented(self.state(position, last, names), STREAM_LEVEL)

    @abc.abstractmethod
    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup: ...

    @abc.abstractmethod
    def read_move(self, position: Position, data: Element) -> Sent: ...

    @abc.abstractmethod
    def _element(self, x: int, y: int, direction: str, hints: tuple[str, ...]) -> Element: ...

    @abc.abstractmethod
    def _refusal(self, position: Position, sent: Sent, mistake: str) -> Refusal: ...

    @abc.abstractmethod
    def _lead(self, position: Position) -> str:
        """The reason for `_leader`."""

    @abc.abstractmethod
    def _ending(self, position: Position, reason: str) -> str:
        """The season's text for a regular end."""


_PLAIN: dict[tuple[type, int, int, str], Element] = {}
_MOST_PLAIN = 4_096


@functools.lru_cache(maxsize=4096)
def _told(x: int, y: int, direction: str) -> str:
    return f"Schwimme von [{x}|{y}] in Richtung {direction}"


# ------------------------------------------------------------------------------------------- 2026

_CONTENTS_2026 = {
    ".": "EMPTY",
    "#": "SQUID",
    "a": "ONE_S",
    "b": "ONE_M",
    "c": "ONE_L",
    "A": "TWO_S",
    "B": "TWO_M",
    "C": "TWO_L",
}
_LETTERS_2026 = {name: letter for letter, name in _CONTENTS_2026.items()}

_MISTAKES_2026 = {
    "WRONG_START": "Das Startfeld ist kein Piranha des eigenen Teams",
    "DESTINATION_OUT_OF_BOUNDS": "Das Zielfeld liegt außerhalb des Spielfelds",
    "JUMP_OVER_OPPONENT": "Gegnerische Piranhas können nicht übersprungen werden",
    "DESTINATION_BLOCKED": "Zielfeld ist besetzt",
    "DESTINATION_BLOCKED_BY_SELF": "Kann nicht auf ein Feld des eigenen Teams ziehen",
    "GAME_OVER": "Das Spiel ist bereits zu Ende",
}
_SHOWN_BY_NAME = {"WRONG_START", "JUMP_OVER_OPPONENT"}

_HEAVIER = "%s hat den größeren zusammenhängenden Schwarm"
_FIRST_UNION = "%s hat zuerst alle Fische einer Farbe vereinigt"
_BLOCKED = "%s hat den Gegner blockiert, sodass er keinen Zug mehr machen kann"


class _Season2026(_Piranhas):
    """Rows of fields from y = 0, weights, `firstUnion`."""

    __slots__ = ()

    game_type = "swc_2026_piranhas"
    colours = _TEAMS

    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup:
        return Markup(self._written(position, last, "\n")[1:])

    def streamed(
        self, position: Position, last: Sent | None = None, names: Sequence[str] = ("", "")
    ) -> str:
        return self._written(position, last, STREAM_MARGIN)

    def _written(self, position: Position, last: Sent | None, margin: str) -> str:
        board, turn, credit = position.text().split(" ")
        union = "" if credit == "-" else f' firstUnion="{_TEAMS[int(credit)]}"'
        moved = "" if last is None else _last_2026(last.element, margin)
        return (
            f'{margin}<state class="state" startTeam="ONE" turn="{turn}"{union}>{moved}'
            f"{margin}  <board>{margin}    <row>{_BOARD_2026[margin](board)}{margin}    </row>"
            f"{margin}  </board>{margin}</state>"
        )

    def recognises(self, state: Element) -> bool:
        board = state.child("board")
        return board is not None and board.child("row") is not None

    def read_state(self, state: Element) -> Seen:
        board = state.child("board") or Element("board")
        rows = [_read_row_2026(row) for row in board.all("row")]
        if [len(row) for row in rows] != [SIDE] * SIDE:
            raise XmlError("a state whose board is not 10 × 10")
        turn = number(state.get("turn"), "turn")
        last = state.child("lastMove")
        return Seen(
            f"{'/'.join(rows)} {turn} {_credit(state.get('firstUnion'))}",
            None if last is None else Element("data", {"class": "move"}, last.children),
        )

    def read_move(self, position: Position, data: Element) -> Sent:
        known = _READ_2026.get(id(data))
        if known is not None and known[0] is data:
            move, sent = position.move_at(known[1]), known[2]
            return sent if sent.move is move else Sent(move, sent.element, sent.text)
        x, y, direction = self._read(data)
        sent = self._sent(_move(position, x, y, direction), x, y, direction, ())
        if data == sent.element:  # the usual form, which comes again
            if len(_READ_2026) >= _MOST_PLAIN:
                _READ_2026.clear()
            _READ_2026[id(data)] = data, _action(x, y, direction), sent
        return sent

    def _read(self, data: Element) -> tuple[int, int, str]:
        """A fish and where it swims."""
        _check_class(data, "sc.plugin2026.Move")
        only(data, children=("from", "direction"))
        start, direction = data.child("from"), data.child("direction")
        x, y = _read_field(start) if start is not None else (-1, -1)
        if direction is not None and direction.text not in DIRECTIONS:
            raise XmlError(f"unknown direction {direction.text[:40]!r}")
        if start is None or direction is None:
            raise XmlError("a move without from or direction", cause=LeaveCause.UNKNOWN)
        if not _on_board(x, y):
            raise XmlError(f"the start field {x},{y} is off the board", cause=LeaveCause.UNKNOWN)
        return x, y, direction.text

    def _element(self, x: int, y: int, direction: str, hints: tuple[str, ...]) -> Element:
        start = Element("from", {"x": str(x), "y": str(y)})
        return Element("data", {"class": "move"}, (start, Element("direction", text=direction)))

    def _refusal(self, position: Position, sent: Sent, mistake: str) -> Refusal:
        text = _MISTAKES_2026[mistake]
        shown = mistake if mistake in _SHOWN_BY_NAME else text
        bare = f"InvalidMoveException(mistake={shown}, move={sent.text})"
        return Refusal(mistake, bare, f"{text} bei '{sent.text}'")

    def _leader(self, position: Position) -> Seat | None:
        """Equal weights: the first union, in the server's eyes only while somebody is whole."""
        leader = super()._leader(position)
        board, _, credit = position.text().split(" ")
        if leader is not None or credit == "-":
            return leader
        counts = self.game.authority == "document" or any(_are_whole(board))
        return int(credit) if counts else None

    def _lead(self, position: Position) -> str:
        first, second = position.scores()
        return _FIRST_UNION if first == second else _HEAVIER

    def _ending(self, position: Position, reason: str) -> str:
        return {"first union": _FIRST_UNION, "blocked": _BLOCKED}.get(reason, _HEAVIER)


_READ_2026: dict[int, tuple[Element, int, Sent]] = {}
"""By the identity of an element: the element, its action and the move as it was sent."""
_LAST_2026: dict[tuple[int, str], tuple[Element, str]] = {}
"""By the identity of an element and the margin: the move, and how a state tells it."""


def _last_2026(moved: Element, margin: str) -> str:
    known = _LAST_2026.get((id(moved), margin))
    if known is not None and known[0] is moved:
        return known[1]
    text = ("\n" + markup(moved)).replace("\n", margin + "  ")
    text = text.replace('<data class="move">', "<lastMove>").replace("</data>", "</lastMove>")
    if len(_LAST_2026) >= _MOST_PLAIN:
        _LAST_2026.clear()
    _LAST_2026[id(moved), margin] = (moved, text)
    return text


def _board_2026(margin: str) -> Callable[[str], str]:
    """Writes the fields of a board, row by row, at a margin."""
    field = f"{margin}      <field>%s</field>"
    words = {letter: field % content for letter, content in _CONTENTS_2026.items()}
    return substitution([{**words, "/": f"{margin}    </row>{margin}    <row>"}])


_BOARD_2026 = {margin: _board_2026(margin) for margin in _MARGINS}


def _read_row_2026(row: Element) -> str:
    try:
        return "".join(_LETTERS_2026[field.text.strip()] for field in row.all("field"))
    except KeyError as unknown:
        raise XmlError(f"a field with unknown content {unknown}") from None


def _credit(team: str | None) -> str:
    if team is None:
        return "-"
    if team not in _TEAMS:
        raise XmlError(f"firstUnion of an unknown team {team[:40]!r}")
    return str(_TEAMS.index(team))


def _read_field(start: Element) -> tuple[int, int]:
    only(start, "x", "y")
    return number(start.get("x"), "x"), number(start.get("y"), "y")


# ------------------------------------------------------------------------------------------- 2019

_CONTENTS_2019 = {".": "EMPTY", "#": "OBSTRUCTED", "a": "RED", "A": "BLUE"}
_LETTERS_2019 = {name: letter for letter, name in _CONTENTS_2019.items()}

_OFF_BOARD = "START_OFF_BOARD"
_NO_COORDINATE, _NO_DIRECTION = "NO_COORDINATE", "NO_DIRECTION"
_COORDINATE = re.compile(r"[+-]?[0-9]{1,9}")
_MISTAKES_2019 = {
    _NO_COORDINATE: "x or y is missing or no number",
    _NO_DIRECTION: "direction is missing or unknown",
    _OFF_BOARD: "x or y are not within the field range",
    "WRONG_START": "Field does not belong to the current player",
    "DESTINATION_OUT_OF_BOUNDS": "Move in that direction would not be on the board",
    "JUMP_OVER_OPPONENT": "Path to the new position is not clear",
    "DESTINATION_BLOCKED_BY_SELF": "Field obstructed with own piranha",
    "DESTINATION_BLOCKED": "Field is obstructed",
    "GAME_OVER": "Game is already over",
}

_UNITED = "Das Spiel ist beendet.\nEin Spieler hat seinen Schwarm vereint."
_ROUND_LIMIT = "Das Rundenlimit wurde erreicht."
_STUCK = "Das Spiel ist beendet.\nEin Spieler kann keinen Zug mehr machen."


class _Season2019(_Piranhas):
    """Columns of fields from x = 0, moves as attributes, hints."""

    __slots__ = ()

    game_type = "swc_2019_piranhas"
    colours = ("red", "blue")

    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup:
        board, turn, _ = position.text().split(" ")
        moved = "" if last is None else _last_2019(last)
        red, blue = (attribute(name or self.dialect.default_name) for name in names)
        return Markup(
            f'<state class="sc.plugin2019.GameState" startPlayerColor="RED"'
            f' currentPlayerColor="{_COLOURS[int(turn) % 2]}" turn="{turn}">{moved}'
            f'\n  <red color="RED" displayName="{red}"/>'
            f'\n  <blue color="BLUE" displayName="{blue}"/>'
            f"\n  <board>{_columns(board)}\n    <line>------------</line>\n  </board>\n</state>"
        )

    def recognises(self, state: Element) -> bool:
        board = state.child("board")
        return board is not None and board.child("fields") is not None

    def read_state(self, state: Element) -> Seen:
        board = state.child("board") or Element("board")
        letters = dict(
            _read_field_2019(field) for column in board.all("fields") for field in column.children
        )
        if len(letters) != SIDE * SIDE:
            raise XmlError("a state whose board is not 10 × 10")
        rows = ("".join(letters[x, y] for x in range(SIDE)) for y in range(SIDE))
        last = _read_last_2019(state)
        return Seen(
            f"{'/'.join(rows)} {number(state.get('turn'), 'turn')} -",
            last,
            tuple(_read_name(state.child(colour)) for colour in ("red", "blue")),
            () if last is None else tuple(hint.get("content") or "" for hint in last.all("hint")),
        )

    def read_move(self, position: Position, data: Element) -> Sent:
        _check_class(data, "sc.plugin2019.Move")
        hints = tuple(only(hint, "content").get("content") or "" for hint in data.all("hint"))
        moved = Element(data.name, data.attributes, _other_than_hints(data))
        only(moved, "x", "y", "direction")
        x, y = (number(moved.get(axis), axis) for axis in ("x", "y"))
        direction = moved.get("direction")
        if direction is None:
            raise XmlError("a move without direction", cause=LeaveCause.UNKNOWN)
        if direction not in DIRECTIONS:
            raise XmlError(f"unknown direction {direction[:40]!r}")
        if _on_board(x, y):
            return self._sent(_move(position, x, y, direction), x, y, direction, hints)
        sent = self._sent(None, x, y, direction, hints)
        return Sent(None, sent.element, sent.text, _OFF_BOARD, hints)

    def _element(self, x: int, y: int, direction: str, hints: tuple[str, ...]) -> Element:
        said = {"class": "move", "x": str(x), "y": str(y), "direction": direction}
        return Element("data", said, _hints(hints))

    def _refusal(self, position: Position, sent: Sent, mistake: str) -> Refusal:
        if mistake == "JUMP_OVER_OPPONENT" and _leaves_board(position, sent):
            mistake = "DESTINATION_OUT_OF_BOUNDS"  # this season looks at the target first
        text = _MISTAKES_2019[mistake]
        return Refusal(mistake, text, text)

    def _lead(self, position: Position) -> str:
        return ""

    def _ending(self, position: Position, reason: str) -> str:
        board, turn, _ = position.text().split(" ")
        if reason == "blocked":
            return _STUCK
        if int(turn) < LAST_TURN or reason == "only whole swarm":
            return _UNITED
        return _UNITED if reason == "larger swarm" and all(_are_whole(board)) else _ROUND_LIMIT


class _Document2019(_Season2019):
    """The same season to the letter of its document."""

    __slots__ = ()

    def state(
        self,
        position: Position,
        last: Sent | None = None,
        names: Sequence[str] = ("", ""),
        *,
        result: Result | None = None,
        hints: Sequence[str] = (),
    ) -> Markup:
        board, turn, _ = position.text().split(" ")
        if int(turn) < _SEATS:  # "not in the first round"
            last = None
        red, blue = (attribute(name or self.dialect.default_name) for name in names)
        return Markup(
            f'<state class="state" turn="{turn}" startPlayer="RED"'
            f' currentPlayer="{_COLOURS[int(turn) % 2]}">'
            f'\n  <red displayName="{red}" color="RED"/>'
            f'\n  <blue displayName="{blue}" color="BLUE"/>'
            f"\n  <board>{_columns(board)}\n  </board>"
            f"{self._last(last, hints)}{self._condition(result)}\n</state>"
        )

    def read_move(self, position: Position, data: Element) -> Sent:
        """A faulty move ends the game, it does not end the connection."""
        _check_class(data, "sc.plugin2019.Move")
        mistake = _fault_2019(data)
        if mistake is None:
            return super().read_move(position, data)
        x, y, direction = (data.get(name) or "?" for name in ("x", "y", "direction"))
        return Sent(None, data, f"Schwimme von [{x}|{y}] in Richtung {direction}", mistake)

    def _last(self, last: Sent | None, hints: Sequence[str]) -> str:
        if last is None:
            return ""
        said = Element("data", last.element.attributes, _hints(tuple(hints)))
        return indented(markup(Element("lastMove", children=(said,))), 1)

    def _condition(self, result: Result | None) -> str:
        if result is None:
            return ""
        children = result_children(result, self.dialect)
        return indented(markup(Element("condition", children=children)), 1)


def _fault_2019(data: Element) -> str | None:
    """What keeps a move from being one: a name of `_MISTAKES_2019`."""
    if not all(_COORDINATE.fullmatch(data.get(axis) or "") for axis in ("x", "y")):
        return _NO_COORDINATE
    return None if data.get("direction") in DIRECTIONS else _NO_DIRECTION


def _board_2019() -> Callable[[str], str]:
    """Writes the fields of a board, column by column with a stroke between them."""
    field = '\n      <field x="%d" y="%d" state="%s"/>'
    between = {"/": "\n    </fields>\n    <fields>"}
    return substitution(
        [
            {letter: field % (x, y, content) for letter, content in _CONTENTS_2019.items()}
            if y < SIDE
            else between
            for x in range(SIDE)
            for y in range(SIDE + 1)
        ]
    )


_FIELDS_2019 = _board_2019()


def _columns(board: str) -> str:
    columns = "/".join([board[x :: SIDE + 1] for x in range(SIDE)])
    return f"\n    <fields>{_FIELDS_2019(columns)}\n    </fields>"


def _read_field_2019(field: Element) -> tuple[tuple[int, int], str]:
    at = number(field.get("x"), "x"), number(field.get("y"), "y")
    content = field.get("state")
    if content not in _LETTERS_2019 or not _on_board(*at):
        raise XmlError(f"a field that cannot be: {at[0]},{at[1]} {(content or '')[:40]!r}")
    return at, _LETTERS_2019[content]


def _read_last_2019(state: Element) -> Element | None:
    """The last move stands in `lastMove` itself or, to the letter, in a `data` inside it."""
    if (last := state.child("lastMove")) is None:
        return None
    said = last.child("data") or last
    return Element("data", {**said.attributes, "class": "move"}, said.children)


def _read_name(player: Element | None) -> str | None:
    return None if player is None else player.get("displayName")


def _last_2019(last: Sent) -> str:
    return indented(markup(Element("lastMove", last.element.attributes)), 1)


def _hints(hints: tuple[str, ...]) -> tuple[Element, ...]:
    return tuple(Element("hint", {"content": hint}) for hint in hints)


def _other_than_hints(data: Element) -> tuple[Element, ...]:
    return tuple(child for child in data.children if child.name != "hint")


# ------------------------------------------------------------------------------------------- board


def _check_class(data: Element, java_name: str) -> None:
    said = data.attributes.get("class", "")
    if (lobby := lobby_class(data)) is not None:
        raise NoMove(f"{lobby} is no move")
    if said not in ("move", java_name):
        raise XmlError(f"unknown class {said[:80]!r}")


def _on_board(x: int, y: int) -> bool:
    return 0 <= x < SIDE and 0 <= y < SIDE


def _move(position: Position, x: int, y: int, direction: str) -> Move:
    return position.move_at(_action(x, y, direction))


def _action(x: int, y: int, direction: str) -> int:
    return (y * SIDE + x) * len(_NAMES) + _NAMES.index(direction)


def _leaves_board(position: Position, sent: Sent) -> bool:
    """Whether a fish would swim off the board, whatever bars its way."""
    rows = position.text().split(" ")[0].split("/")
    said = sent.element.attributes
    (dx, dy), x, y = DIRECTIONS[said["direction"]], int(said["x"]), int(said["y"])
    line = ((x + i * dx, y + i * dy) for i in range(-SIDE, SIDE + 1))
    fish = sum(rows[at_y][at_x] not in ".#" for at_x, at_y in line if _on_board(at_x, at_y))
    return not _on_board(x + fish * dx, y + fish * dy)


def _are_whole(board: str) -> tuple[bool, bool]:
    """For each side, whether all its fish form one swarm (also if it has none)."""
    rows = board.split("/")
    fields = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    first, second = (
        {(x, y) for x, y in fields if rows[y][x] in letters} for letters in (_FIRST, _SECOND)
    )
    return _is_whole(first), _is_whole(second)


def _is_whole(fish: set[tuple[int, int]]) -> bool:
    left, border = set(fish), list(fish)[:1]
    while border:
        x, y = border.pop()
        near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & left
        left -= near
        border.extend(near)
    return not left

"""Annotations: what a bot shows about its thinking: values, marked cells, arrows and a text.

They travel as lines `#show {json}` on standard error, never in a protocol. A line that is too long,
or not as `docs/author/debugger.md` allows, stays in the log.
"""

from __future__ import annotations

import functools
import json
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from spielleiter.errors import UsageError

PREFIX = "#show "
LONGEST_LINE = 1 << 14
"""Characters of a line, with its prefix."""
LONGEST_PACKED = LONGEST_LINE - len(PREFIX)
"""Bytes of all that is shown before one move."""
LONGEST_LOG = 1 << 16
"""Characters kept of a player's other output in a game."""
MOST_VALUES, MOST_CELLS, MOST_ARROWS = 32, 400, 64
_LONGEST_NAME, _LONGEST_LABEL, _LONGEST_TEXT = 40, 12, 1000
_MOST_MOVES = 10_000
_EXACT = 2**53
"""Whole numbers below this are written without a fraction."""
_FIELDS = {"values", "cells", "arrows", "text", "move"}

SEPARATOR = b"\t"
"""Between packed annotations of one move; JSON always escapes a tab."""
_UNMERGED = 32
"""Packed annotations of one move that are kept side by side."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_quoted = json.encoder.encode_basestring
_PLAIN = {int, float}
"""Numbers that JSON writes as Python does; no annotation has one that is not finite."""

CellName = str
"""`3,4`: column and row of the board, from 0; or `d5`, as the labels on the board's edges."""
_Items = TypeVar("_Items", bound=Sized)
Listener = Callable[["Annotation"], None]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a bot showed while it thought about one move."""

    values: Mapping[str, float] = field(default_factory=dict)
    """Numbers by name, such as `score` or `depth`; each is charted over the game."""
    cells: Mapping[CellName, float | str] = field(default_factory=dict)
    """A cell's number or a short label."""
    arrows: tuple[tuple[CellName, CellName], ...] = ()
    text: str = ""
    move: int | None = None
    """Which move of this player it belongs to, from 1; None: the one that comes next."""

    def line(self) -> str:
        """The line that is printed."""
        return PREFIX + self.packed()

    def packed(self) -> str:
        """As a line of JSON; written by hand, since a bot may show something at every move."""
        told = []
        if self.values:
            told.append(f'"values":{{{_pairs(self.values)}}}')
        if self.cells:
            told.append(f'"cells":{{{_pairs(self.cells)}}}')
        if self.arrows:
            told.append(f'"arrows":{_JSON.encode(self.arrows)}')
        if self.text:
            told.append(f'"text":{_quoted(self.text)}')
        if self.move:
            told.append(f'"move":{self.move}')
        return f"{{{','.join(told)}}}"

    def plain(self) -> dict[str, Any]:
        """The fields that are not empty, as plain values."""
        told: dict[str, Any] = {
            "values": dict(self.values),
            "cells": dict(self.cells),
            "arrows": [list(each) for each in self.arrows],
            "text": self.text,
            "move": self.move,
        }
        return {name: value for name, value in told.items() if value}

    def hints(self) -> tuple[str, ...]:
        """The values and the text as short sentences, for protocols that know such."""
        told = [f"{name}: {value:g}" for name, value in self.values.items()]
        text = " ".join(self.text.split())
        return tuple(_printable(each) for each in (*told, text) if each)

    def merged(self, later: Annotation) -> Annotation:
        """Both annotations; the later one wins, and what exceeds the limits is left out."""
        texts = "\n".join(each for each in (self.text, later.text) if each)
        return replace(
            later,
            values=_last({**self.values, **later.values}, MOST_VALUES),
            cells=_last({**self.cells, **later.cells}, MOST_CELLS),
            arrows=(*self.arrows, *later.arrows)[-MOST_ARROWS:],
            text=texts[:_LONGEST_TEXT],
        )


@dataclass(frozen=True, slots=True)
class PackedAnnotation:
    """Annotations of one move as the text that came from the bot's process; parsed on demand.

    So games do not wait for the parser; an invalid text shows nothing. Several annotations are
    separated by tabs.
    """

    text: str

    def unpacked(self) -> Annotation | None:
        """All of them merged; None if the text is invalid."""
        found = [read_line(PREFIX + each) for each in self.text.split(SEPARATOR.decode())]
        shown = [each for each in found if each is not None]
        return functools.reduce(Annotation.merged, shown) if len(shown) == len(found) else None


class PackedListener:
    """Collects what a bot shows before one move as text, for another process."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []

    def __call__(self, shown: Annotation) -> None:
        """Hear an annotation."""
        self.hear(shown.packed().encode(errors="replace"))

    def hear(self, text: bytes) -> None:
        """Hear an annotation that is packed already; what is too long shows nothing."""
        if len(text) <= LONGEST_PACKED:
            self.texts.append(text)
        if len(self.texts) > _UNMERGED:
            self._merge()

    def taken(self) -> bytes:
        """What was heard since the last time; empty if it is more than a line may have."""
        if len(self.texts) > 1 and sum(map(len, self.texts)) > LONGEST_PACKED - _UNMERGED:
            self._merge()
        text, self.texts = SEPARATOR.join(self.texts), []
        return text

    def _merge(self) -> None:
        shown = PackedAnnotation(SEPARATOR.join(self.texts).decode()).unpacked()
        self.texts = []
        if shown is not None:
            self(shown)


def _pairs(items: Mapping[str, float | str]) -> str:
    """The inside of a JSON object."""
    return ",".join(
        [
            f"{_quoted(name)}:{value if type(value) in _PLAIN else _JSON.encode(value)}"
            for name, value in items.items()
        ]
    )


def unpacked(shown: Annotation | PackedAnnotation) -> Annotation | None:
    """The annotation, whether packed or not."""
    return shown.unpacked() if isinstance(shown, PackedAnnotation) else shown


def storable(text: str) -> str:
    """The text without halves of characters (lone surrogates), which no file can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _printable(text: str) -> str:
    """The text without characters that XML cannot carry."""
    return "".join(letter for letter in text if letter.isprintable())


def _last(items: Mapping[str, Any], most: int) -> dict[str, Any]:
    return dict(list(items.items())[-most:])


# ----------------------------------------------------------------------------------------- reading


def annotation(
    values: Mapping[str, float] | None = None,
    cells: Mapping[Any, float | str] | None = None,
    arrows: Iterable[Sequence[Any]] = (),
    text: str = "",
    move: int | None = None,
) -> Annotation:
    """An annotation of plain values, checked; raises UsageError with what is wrong."""
    return Annotation(
        _few(_values(values), MOST_VALUES) if values else {},
        _few({_cell(name): _label(each) for name, each in cells.items()}, MOST_CELLS)
        if cells
        else {},
        _few(tuple(map(_arrow, arrows)), MOST_ARROWS),
        _text(text),
        None if move is None else _move(move),
    )


def pack(
    values: Mapping[str, float] | None,
    cells: Mapping[Any, float | str] | None,
    arrows: Iterable[Sequence[Any]],
    text: str,
) -> bytes:
    """As `annotation` and `packed`, but quick for plain values and a text, the usual case."""
    if _pack_plain is not None and not cells and type(arrows) is tuple and not arrows:
        packed: bytes | None = _pack_plain(values, text)
        if packed is not None:
            return packed
    return annotation(values, cells, arrows, text).packed().encode(errors="replace")


def _native() -> Callable[[Mapping[str, float] | None, str], bytes | None] | None:
    """Packs plain values and a text, None if they are not plain; missing where nothing is built."""
    try:
        return import_module("spielleiter._annotation").pack_plain  # type: ignore[no-any-return]
    except ImportError:
        return None


_pack_plain = _native()


def read(said: object) -> Annotation | None:
    """The annotation in plain values of another process; None if they are invalid."""
    if not isinstance(said, dict) or not said.keys() <= _FIELDS:
        return None
    try:
        return annotation(**said)
    except (ValueError, TypeError, AttributeError, UsageError):
        return None


def read_line(line: str) -> Annotation | None:
    """The annotation in a line; None if it is a line of the log."""
    if not line.startswith(PREFIX) or len(line) > LONGEST_LINE:
        return None
    try:
        return read(json.loads(line[len(PREFIX) :]))
    except (ValueError, RecursionError):
        return None


def _few(items: _Items, most: int) -> _Items:
    if len(items) > most:
        raise UsageError(f"at most {most} of a kind can be shown at once, not {len(items)}")
    return items


def _values(values: Mapping[str, float]) -> dict[str, float]:
    """Numbers by name; with a fast path for plain ones, since this runs in every move."""
    found = {}
    for name, value in values.items():
        kind = type(value)
        whole = kind is int and -_EXACT < value < _EXACT
        plain = whole or (kind is float and value % 1 != 0)
        known = type(name) is str and 0 < len(name) <= _LONGEST_NAME and name.isascii()
        if plain and known and math.isfinite(value):
            found[name] = value
        else:
            found[_short(name, "a value's name")] = _number(value)
    return found


def _short(name: object, what: str, longest: int = _LONGEST_NAME) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= longest:
        raise UsageError(f"{what} is a text of 1 to {longest} letters, not {str(name)[:99]!r}")
    return storable(name)


def _number(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # NumPy's numbers too
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"a value is a number, not {str(value)[:99]!r}") from None
    if isinstance(value, str) or not math.isfinite(number):
        raise UsageError(f"a value is a number, not {str(value)[:99]!r}")
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def _label(value: object) -> float | str:
    if isinstance(value, str):
        return _short(value, "a cell's label", _LONGEST_LABEL)
    return _number(value)


def _cell(cell: object) -> CellName:
    """A name, or column and row."""
    if isinstance(cell, str):
        return _short(cell, "a cell's name", _LONGEST_LABEL)
    if not isinstance(cell, Sequence) or len(cell) != 2:
        raise UsageError(f"a cell is its name, or column and row, not {str(cell)[:99]!r}")
    return f"{int(cell[0])},{int(cell[1])}"


def _arrow(arrow: object) -> tuple[CellName, CellName]:
    if isinstance(arrow, str) or not isinstance(arrow, Sequence) or len(arrow) != 2:
        raise UsageError(f"an arrow is two cells, not {str(arrow)[:99]!r}")
    return _cell(arrow[0]), _cell(arrow[1])


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise UsageError(f"a text is shown, not {str(text)[:99]!r}")
    return storable(text[:_LONGEST_TEXT])


def _move(move: object) -> int:
    if isinstance(move, bool) or not isinstance(move, int) or not 1 <= move <= _MOST_MOVES:
        raise UsageError(f"moves are counted from 1, not {str(move)[:99]!r}")
    return move


# -------------------------------------------------------------------------------------------- logs


@dataclass(frozen=True, slots=True)
class SplitLog:
    """The output of a player in a game, split into annotations and log."""

    shown: dict[int, Annotation]
    """By the player's own moves, from 1."""
    log: str
    """All other lines."""


def split_log(printed: bytes, asked: Sequence[int]) -> SplitLog:
    """Separate annotations from the rest of a player's output.

    `asked` has the number of bytes printed before each request for a move. A line without a move
    number belongs to the last request before it.
    """
    if PREFIX.encode() not in printed:
        return SplitLog({}, _cut(printed.decode(errors="replace")))
    shown: dict[int, Annotation] = {}
    rest: list[str] = []
    at = 0
    for raw in printed.splitlines(keepends=True):
        line = raw.decode(errors="replace")
        found = read_line(line.strip())
        if found is None:
            rest.append(line)
        else:
            add(shown, found, max(1, bisect_right(asked, at)))
        at += len(raw)
    return SplitLog(shown, _cut("".join(rest)))


def _cut(log: str) -> str:
    return log if len(log) <= LONGEST_LOG else log[:LONGEST_LOG] + "\n…"


def add(shown: dict[int, Annotation], found: Annotation, move: int) -> None:
    """Add an annotation to a move, or to the one it names itself."""
    at = found.move or move
    if at <= _MOST_MOVES:
        found = found if found.move is None else replace(found, move=None)
        shown[at] = shown[at].merged(found) if at in shown else found

"""Map files: read tolerantly, written in one form, and the catalogue of those we ship.

A map file consists of words: the number of players; a zero; two zeros; height and width; the cells
row by row, `0` empty, `1` … `4` a stone, `-` a hole. Where lines end does not matter (rules.md §7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from spielleiter.errors import TextError, UnknownName, UsageError

DEFAULT = "p2_08x08_classic"
LARGEST_SIDE = 15
LARGEST_TEXT = 1 << 20
"""No map is longer than this, in bytes: 1 MiB, as much as clients take over the wire."""


class MapError(TextError):
    """The text is no map: what is wrong, at which line and column (from 1) and cell (from 0)."""

    def __init__(
        self, problem: str, text: str, at: int, cell: tuple[int, int] | None = None
    ) -> None:
        super().__init__(problem, text, at)
        self.args = (problem, text, at, cell)
        self.cell = cell
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}"
        if self.cell is not None:
            where += f", cell ({self.cell[0]},{self.cell[1]})"
        return f"{where}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Map:
    """A start position: rows from the top, one character per cell."""

    players: int
    rows: tuple[str, ...]

    @property
    def height(self) -> int:
        """Rows of the board."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Columns of the board."""
        return len(self.rows[0])

    def text(self) -> str:
        """The map as a file: one blank between words, LF at every line's end."""
        head = f"{self.players}\n0\n0 0\n{self.height} {self.width}\n"
        return head + "".join(" ".join(row) + "\n" for row in self.rows)

    def position(self) -> str:
        """The text of the position that this map sets up: player 1 is to move, all are in."""
        return f"{'/'.join(self.rows)} {self.players} 1 -"


# ---------------------------------------------------------------------------------------- reading


def read(source: str | bytes) -> Map:
    """The map that a text (or the bytes of a file) describes; raises MapError.

    Bytes are taken one for one as characters, so that positions in messages count bytes.
    """
    text = source if isinstance(source, str) else source.decode("latin-1")
    if len(text) > LARGEST_TEXT:
        raise MapError("longer than any map (1 MiB)", text[: LARGEST_TEXT + 1], LARGEST_TEXT)
    words = _Words(text)
    players = words.number("the number of players", 2, 4)
    for _ in range(3):
        words.number("a 0 (only the full game has overrides and bombs)", 0, 0)
    height = words.number("the height", 1, LARGEST_SIDE)
    width = words.number("the width", 1, LARGEST_SIDE)
    words.check_rows(height, width)
    rows = tuple("".join(words.cell(players, x, y) for x in range(width)) for y in range(height))
    words.end(height, width)
    return Map(players, rows)


class _Words:
    """Reads the words of a text one by one, with the line and column of each."""

    _WORD = re.compile(r"[^ \t\r\n]+")

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: Iterator[re.Match[str]] = self._WORD.finditer(text)
        self._at = 0  # where the last word ended

    def number(self, meaning: str, least: int, most: int) -> int:
        """The next word of the header: decimal digits, within bounds."""
        word = self._next(f"the text ends before {meaning}")
        if not re.fullmatch("[0-9]+", word[0]):
            raise self._no_number(word, meaning)
        self._refuse_lone_return(word)
        digits = word[0].lstrip("0") or "0"
        if len(digits) > 4 or not least <= int(digits) <= most:
            bounds = f"{least} to {most}" if least < most else str(least)
            raise self._error(f"expected {meaning}, {bounds}, not {_short(word[0])}", word)
        return int(digits)

    def cell(self, players: int, x: int, y: int) -> str:
        """The next cell: one character."""
        word = self._next("the text ends before the last cell", (x, y))
        mark = word[0]
        if len(mark) > 1:
            problem = f"{_short(mark)} is longer than a cell; blanks stand between cells"
        elif mark in "12345678" and int(mark) > players:
            problem = f"a stone of player {mark}, but there are {players} players"
        elif mark in "cibx":
            problem = f"the special cell {mark!r} belongs to the full game"
        elif mark not in "01234-":
            problem = f"{mark!r} is no cell: expected 0, a player or -"
        else:
            return mark
        raise self._error(problem, word, (x, y))

    def check_rows(self, height: int, width: int) -> None:
        """Report the first row of a different length, if every row has a line of its own.

        Rows may be wrapped, so lengths matter only if the number of cells is wrong.
        """
        lines = [*self._lines_of_cells()]
        lengths = [len(line) for line in lines]
        if len(lines) != height or sum(lengths) == height * width or any(map(_is_long, lines)):
            return
        row = next(row for row, length in enumerate(lengths) if length != width)
        fits = f"; width {lengths[0]} would fit" if len(set(lengths)) == 1 else ""
        at = lines[row][width].start() if lengths[row] > width else lines[row][-1].end()
        problem = f"row {row + 1} has {lengths[row]} cells, expected {width}, the width{fits}"
        raise MapError(problem, self._text, at)

    def _lines_of_cells(self) -> Iterator[list[re.Match[str]]]:
        """The words of every line behind the header, blank lines left out."""
        end = self._text.find("\n", self._at)
        while 0 <= end < len(self._text):
            begin, end = end + 1, self._text.find("\n", end + 1)
            words = [*self._WORD.finditer(self._text, begin, len(self._text) if end < 0 else end)]
            if words:
                yield words

    def end(self, height: int, width: int) -> None:
        """Raise MapError if a word is left."""
        for word in self._words:
            rest = [word[0], *(other[0] for other, _ in zip(self._words, range(6), strict=False))]
            if len(rest) == 7 and rest[3] == "<->":
                raise self._error("transitions belong to the full game", word)
            surplus = f"{_short(word[0])} stands behind the last cell of {height} x {width}"
            raise self._error(surplus, word)

    def _next(self, problem: str, cell: tuple[int, int] | None = None) -> re.Match[str]:
        word = next(self._words, None)
        if word is None:
            raise MapError(problem, self._text, len(self._text), cell)
        self._at = word.end()
        return word

    def _refuse_lone_return(self, word: re.Match[str]) -> None:
        """Nothing but carriage returns behind a header word is no gap: the real reader reads on."""
        gap = re.compile(r"\r+(?=[^ \t\r\n])").match(self._text, word.end())
        if gap:
            problem = "a carriage return alone does not end a line of the header"
            raise MapError(problem, self._text, gap.start())

    def _no_number(self, word: re.Match[str], meaning: str) -> MapError:
        if word.start() == 0 and word[0].startswith(("\ufeff", "\xef\xbb\xbf")):
            return self._error("a map begins without a byte order mark", word)
        return self._error(f"expected {meaning} in digits, not {_short(word[0])}", word)

    def _error(
        self, problem: str, word: re.Match[str], cell: tuple[int, int] | None = None
    ) -> MapError:
        return MapError(problem, self._text, word.start(), cell)


def _is_long(words: list[re.Match[str]]) -> bool:
    """Whether a line holds a word that is longer than a cell."""
    return any(len(word[0]) > 1 for word in words)


def _short(word: str) -> str:
    return repr(word if len(word) <= 20 else word[:20] + "…")


# -------------------------------------------------------------------------------------- catalogue


@cache
def names() -> tuple[str, ...]:
    """The maps we ship, sorted."""
    folder = resources.files(__package__).joinpath("maps")
    files = [entry.name for entry in folder.iterdir()]
    return tuple(sorted(name.removesuffix(".map") for name in files if name.endswith(".map")))


_SIZED = re.compile(r"p([2-4])_([0-9]+)x([0-9]+)_(?!.*(?:crlf|noeol|seed_sample)$)(.+)")


def size_in(name: str) -> tuple[int, int, int, str] | None:
    """Players, height, width and title, if the name contains them: then it is a map for play."""
    found = _SIZED.fullmatch(name)
    if found is None:
        return None
    players, height, width = map(int, found.groups()[:3])
    return players, height, width, found[4].replace("_", " ")


def tests() -> tuple[str, ...]:
    """The maps that test how programs deal with unusual boards and files."""
    return tuple(name for name in names() if size_in(name) is None)


def load(name: str) -> bytes:
    """The bytes of a map: one that we ship, by name, or a file of the user's, by path."""
    if name in names():
        return resources.files(__package__).joinpath("maps", f"{name}.map").read_bytes()
    path = Path(name)
    if not path.is_file():
        raise UnknownName("map (and no such file)", name, names())
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise UsageError(f"the map {name!r} cannot be read: {error.strerror}") from error


def find(name: str) -> Map:
    """The map of that name or path."""
    return read(load(name))

"""Runs of more than eight equal lines in src/ and core/: each should stand in one place.

Comments, docstrings, imports, parameters (an interface prescribes them) and lines of bare
punctuation do not count, nor does white space. Generated files are left out. `python
tests/duplicates.py` lists what it finds and fails if there is anything; `make check` runs it.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "core")
SUFFIXES = (".py", ".hpp", ".cpp")
ALLOWED = 8  # so many equal lines in a row are no copy yet

_PUNCTUATION = re.compile(r"[\W_]*")
_IMPORT = re.compile(r"#include\b|#pragma\b|import\b|from \S+ import\b|namespace \S+ \{")
_CPP_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line that counts: where it stands, and its text without comment and white space."""

    path: Path
    number: int
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Copy:
    """Two places with the same lines."""

    first: Line
    second: Line
    length: int

    def __str__(self) -> str:
        places = (f"{line.path}:{line.number}" for line in (self.first, self.second))
        return " = ".join(places) + f" ({self.length} lines)"


def sources(root: Path = ROOT, folders: Iterable[str] = FOLDERS) -> Iterator[Path]:
    """The files that are written by hand."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and "pages" not in path.parts:
                yield path


def lines_of(path: Path, text: str) -> list[Line]:
    """The lines of a file that count."""
    bare = _bare_python(text) if path.suffix == ".py" else _bare_cpp(text)
    found = (Line(path, number, "".join(line.split())) for number, line in bare)
    return [line for line in found if not _PUNCTUATION.fullmatch(line.text)]


def copies(files: Iterable[tuple[Path, str]], allowed: int = ALLOWED) -> list[Copy]:
    """All pairs of places that share more than `allowed` lines in a row."""
    runs: dict[tuple[str, ...], list[tuple[list[Line], int]]] = defaultdict(list)
    for path, text in files:
        lines = lines_of(path, text)
        for at in range(len(lines) - allowed):
            runs[tuple(line.text for line in lines[at : at + allowed + 1])].append((lines, at))
    pairs = (pair for places in runs.values() for pair in combinations(places, 2))
    found = (_whole(*first, *second) for first, second in pairs)
    return sorted({copy for copy in found if copy is not None and copy.length > allowed})


def _whole(first: list[Line], one: int, second: list[Line], other: int) -> Copy | None:
    """The longest run that begins here, or nothing where an earlier line begins it."""
    if one > 0 and other > 0 and first[one - 1].text == second[other - 1].text:
        return None
    most = min(len(first) - one, len(second) - other)
    if first is second:
        most = min(most, other - one)
    length = 0
    while length < most and first[one + length].text == second[other + length].text:
        length += 1
    return Copy(first[one], second[other], length)


def _bare_cpp(text: str) -> Iterator[tuple[int, str]]:
    """The lines of C++ without comments."""

    def blank(match: re.Match[str]) -> str:
        return match[1] or "\n" * match[0].count("\n")

    for number, line in enumerate(_CPP_COMMENT.sub(blank, text).split("\n"), start=1):
        if not _IMPORT.match(line):
            yield number, line


def _bare_python(text: str) -> Iterator[tuple[int, str]]:
    """The lines of Python without comments, docstrings and imports."""
    dropped = set(_dropped_lines(ast.parse(text)))
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for number, line in enumerate(lines, start=1):
        if number not in dropped:
            yield number, line


def _dropped_lines(tree: ast.AST) -> Iterator[int]:
    """The lines of docstrings, imports and parameters: an interface prescribes those."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from range(node.lineno + 1, node.body[0].lineno)
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_text(node):
            assert isinstance(node, ast.stmt)
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def main() -> int:
    """Print all copies; the exit code says whether there are any."""
    files = [(path.relative_to(ROOT), path.read_text("utf-8")) for path in sources()]
    found = copies(files)
    for copy in found:
        print(copy)
    print(f"duplicates: {len(found) or 'none'} in {len(files)} files")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

"""Checks that the ZIP has everything the bot imports: the contest has only plain Python."""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

NUMPY = "numpy"
_ARRAYS = {"observe", "batch"}
"""Methods of ours that answer with NumPy arrays."""


def missing(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Top-level files that import a module which is neither Python's nor in the ZIP.

    Only a ZIP that brings a `lib` is judged: others may find their packages elsewhere.
    """
    names = archive.namelist()
    if not any(name.startswith("lib/") for name in names):
        return
    there = {_top(name) for name in names} | set(sys.stdlib_module_names)
    for name in names:
        if "/" not in name and name.endswith(".py"):
            source = archive.read(name).decode("utf-8", "replace")
            for module in sorted(needed(source) - there):
                yield name, module


def needed(source: str) -> set[str]:
    """The packages that a program needs; optional imports do not count."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in _unguarded(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= {NUMPY} if node.func.attr in _ARRAYS and "spielleiter" in source else set()
    return found


def _unguarded(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those within a `try` or an `if`, where a missing module may be expected."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Try | ast.If):
            yield child
            yield from _unguarded(child)


def _top(name: str) -> str:
    """The top-level module name of a file in the ZIP."""
    inner = PurePosixPath(name.removeprefix("lib/"))
    return inner.parts[0].partition(".")[0]

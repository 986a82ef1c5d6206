"""The glossary names places that exist, and each term once."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "glossary.md"
SOURCE = ROOT / "src" / "spielleiter"
TERM = re.compile(r"^\| ([^|`]+) \| ([^|]+) \| `([^`|]+)` \|$", re.MULTILINE)
TERMS = TERM.findall(PAGE.read_text("utf-8"))
DEFINITION = r"(?m)^(?:.*\b(?:class|def|struct|concept) )?{0}\b"


def is_defined(place: str) -> bool:
    """Whether `path` or `path:Name` exists."""
    path, _, name = place.partition(":")
    if not (ROOT / path).exists():
        return False
    if not name:
        return True
    return re.search(DEFINITION.format(name), (ROOT / path).read_text("utf-8")) is not None


@pytest.mark.parametrize(("term", "place"), [(term, place) for term, _, place in TERMS])
def test_a_term_is_defined_where_the_glossary_says(term: str, place: str) -> None:
    assert is_defined(place), f"{term}: {place}"


def test_no_term_stands_twice() -> None:
    terms = [term.lower() for term, _, _ in TERMS]
    assert len(terms) == len(set(terms)) > 40


def test_a_meaning_is_one_sentence() -> None:
    for term, meaning, _ in TERMS:
        assert re.fullmatch(r"[^.]*(?:\.[^ ][^.]*)*\.", meaning), (term, meaning)


# ---------------------------------------------------------------------------- one name, one class


CLASS = "class at "
"""How the meaning of a class begins; no alias of a type says so."""
REPEATED = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| `([^`]+)` \| [^|]+ \|$", re.MULTILINE)


def exceptions() -> set[tuple[str, str]]:
    """Name and place of classes that may share it with others."""
    found = REPEATED.findall(PAGE.read_text("utf-8"))
    return {(name, place) for names, place in found for name in re.findall(r"\w+", names)}


def public_classes() -> dict[str, list[str]]:
    """Class name → the modules that define one of that name."""
    return {
        name: classes
        for name, places in meanings().items()
        if not name.startswith("_")
        and (classes := [place for place, said in places.items() if said.startswith(CLASS)])
    }


def test_two_public_classes_do_not_share_a_name() -> None:
    allowed = exceptions()

    def is_excepted(name: str, place: str) -> bool:
        return any(name == each and fnmatch(place, where) for each, where in allowed)

    for name, places in public_classes().items():
        others = [place for place in places if not is_excepted(name, place)]
        assert len(others) < 2, f"{name}: {', '.join(others)}"


def test_every_exception_is_needed() -> None:
    known = public_classes()
    for name, where in exceptions():
        places = known.get(name, [])
        assert len(places) > 1, f"{name} is unique"
        assert any(fnmatch(place, where) for place in places), f"{name} is not in {where}"


@cache
def meanings() -> dict[str, dict[str, str]]:
    """Name → the modules that define a class or an alias of a type so called, and how."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(SOURCE.rglob("*.py")):
        if "tests" not in path.relative_to(SOURCE).parts:
            for name, meaning in defined(ast.parse(path.read_text("utf-8"))):
                found[name][path.relative_to(SOURCE).as_posix()] = meaning
    return found


def defined(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The classes of a module, each its own meaning, and its aliases of types by what they say."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=name):
                yield name, f"{CLASS}{node.lineno}"
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.isupper():
                yield name, ast.unparse(value)


def test_a_name_of_the_glossary_is_used_for_nothing_else() -> None:
    known, allowed = meanings(), exceptions()
    named = re.findall(r"`src/spielleiter/([\w/]+\.py):([A-Z]\w+)`", PAGE.read_text("utf-8"))
    assert len(named) > 40
    for place, name in named:
        meaning = known[name][place]
        for other, said in known[name].items():
            excepted = any(name == each and fnmatch(other, where) for each, where in allowed)
            assert other == place or said == meaning or excepted, f"{name}: {place}, {other}"

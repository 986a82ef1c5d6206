"""The architecture, enforced: who may import whom, and that games stay in their folders."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from spielleiter import games
from tests.conftest import facts

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "spielleiter"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "text": {"errors"},
    "annotation": {"errors", "_annotation"},
    "_annotation": set(),
    "_substitution": set(),
    "game": {"errors", "text", "annotation"},
    "_cpu": set(),
    "stalls": set(),
    "arrival": set(),
    "slices": set(),
    "plain": {"game", "errors"},
    "native": {"errors", "plain", "_cpu"},
    "games": {"game", "errors", "text", "native", "protocol", "match"},
    "draw": {"game", "errors"},
    "protocol": {"game", "errors", "_substitution"},
    "match": {"game", "errors", "annotation"},
    "engines": {"game", "errors"},
    "bots": {"game", "errors", "engines"},
    "envs": {"game", "games", "bots", "errors"},
    "networks": {"game", "games", "native", "errors"},
    "datasets": {"game", "match", "errors"},
    "tournament": {"game", "match", "text", "errors", "annotation"},
    "store": {"match", "errors"},
    "sandbox": {"errors", "slices"},
    "accounts": {"game", "games", "store", "text", "errors"},
    "server": {"game", "match", "protocol", "text", "errors", "stalls", "arrival"},
    "client": {
        "game",
        "games",
        "protocol",
        "text",
        "errors",
        "bots",
        "draw",
        "annotation",
        "arrival",
        "slices",
    },
    "tuning": {"game", "errors"},
    "explorer": {"game", "match", "errors"},
    "gym": {"annotation", "game", "match", "review", "tournament", "errors"},
    "review": {"game", "games", "match", "bots", "draw", "text", "errors"},
    "web": {
        "gym",
        "explorer",
        "accounts",
        "annotation",
        "ladder",
        "season",
        "game",
        "games",
        "match",
        "store",
        "review",
        "text",
        "tournament",
        "errors",
    },
    "programs": {
        "annotation",
        "game",
        "games",
        "match",
        "bots",
        "engines",
        "protocol",
        "server",
        "client",
        "sandbox",
        "stalls",
        "store",
        "tournament",
        "errors",
    },
    "ladder": {
        "accounts",
        "game",
        "games",
        "match",
        "sandbox",
        "store",
        "tournament",
        "programs",
        "errors",
    },
    "season": {
        "accounts",
        "game",
        "games",
        "ladder",
        "sandbox",
        "store",
        "text",
        "tournament",
        "programs",
        "errors",
    },
    "handin": {
        "game",
        "games",
        "match",
        "bots",
        "protocol",
        "server",
        "client",
        "programs",
        "sandbox",
        "text",
        "errors",
    },
    "service": {
        "accounts",
        "annotation",
        "ladder",
        "season",
        "game",
        "games",
        "match",
        "bots",
        "draw",
        "protocol",
        "review",
        "server",
        "web",
        "store",
        "tournament",
        "errors",
    },
}
"""Part → the parts it may import besides itself; `cli` and the package itself may import all."""
WIRING = {"cli", "__init__", "__main__"}
COMMANDS = "commands"
"""The folder of a game's folder that holds commands of its own: part of `cli` in all but place."""


@cache
def modules() -> tuple[tuple[str, Path], ...]:
    """Every Python file of the package with the part it belongs to."""
    return tuple(_modules())


def _modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        if "tests" in relative.parts:
            continue
        is_command = relative.parts[0] == "games" and COMMANDS in relative.parts[2:-1]
        yield "cli" if is_command else relative.parts[0].removesuffix(".py"), path


def statements(path: Path) -> Iterator[ast.AST]:
    """Every statement of a file; what they are made of, most of a tree, is left out."""
    return _statements(ast.parse(path.read_text("utf-8")).body)


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _statements(getattr(node, block, ()))


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Full names of what a file imports from our package."""
    names: list[str] = []
    for node in statements(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return tuple(name for name in names if name.split(".")[0] == "spielleiter")


@pytest.mark.parametrize("part", sorted({part for part, _ in modules()} - WIRING))
def test_a_part_imports_only_what_the_table_allows(part: str) -> None:
    assert part in ALLOWED, (
        f"{part} is no part of the architecture: add it to the table, and say why"
    )
    for path in (path for each, path in modules() if each == part):
        for name in imported(path):
            target = name.split(".")[1]
            assert target == part or target in ALLOWED[part], f"{path} must not import {name}"


LONGEST_COMMAND = 150
"""Lines of a command's module: options, printing and one call."""


@pytest.mark.parametrize("path", sorted((SOURCE / "cli").glob("*.py")), ids=lambda path: path.name)
def test_a_command_is_short_because_its_work_is_done_elsewhere(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_COMMAND


def dotted(path: Path) -> str:
    """The name a file is imported by."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports for type checkers and within functions count too.

    A package that Python loads on the way to one of its modules does not: `spielleiter.server` may
    import the modules that import each other by their full names.
    """
    paths = {dotted(path): path for _, path in modules()}
    graph = {
        name: {
            target if target in paths else target.rpartition(".")[0] for target in imported(path)
        }
        for name, path in paths.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_games_know_neither_each_other_nor_sockets_nor_clocks() -> None:
    for part, path in modules():
        if path.parent == SOURCE / "games" or not path.is_relative_to(SOURCE / "games"):
            continue
        own = path.relative_to(SOURCE / "games").parts[0]
        for name in imported(path):
            parts = name.split(".")
            if parts[1] == "games" and len(parts) > 2:
                assert parts[2] == own, f"{path} must not import {name}"
        for banned in () if part in WIRING else ("socket", "asyncio", "time"):
            assert not re.search(rf"^\s*(import|from) {banned}\b", path.read_text("utf-8"), re.M), (
                path
            )


def viewer_sources() -> Iterator[Path]:
    """Our own files of the viewer, not those of the packages it is built with."""
    for folder in ("src", "tests"):
        for path in (ROOT / "viewer" / folder).rglob("*"):
            if path.suffix in {".ts", ".svelte", ".css"}:
                yield path


def test_no_game_is_named_outside_its_folder() -> None:
    folders = {
        path.name for path in (SOURCE / "games").iterdir() if (path / "__init__.py").exists()
    }
    examples = {path.name for path in (ROOT / "examples").iterdir()}  # the core is tested with one
    words = (folders | set(games.names())) - examples
    if not words:
        return
    named = re.compile(
        "|".join(sorted(map(re.escape, words), key=len, reverse=True)), re.IGNORECASE
    )
    places = [
        *(ROOT / "core").rglob("*.[hc]pp"),
        *(path for _, path in modules() if "games" not in path.relative_to(SOURCE).parts[:1]),
        *viewer_sources(),
        *(ROOT / "tests").rglob("*.py"),
        SOURCE / "games" / "__init__.py",
        ROOT / "CMakeLists.txt",
        ROOT / "pyproject.toml",
    ]
    for path in places:
        found = named.search(path.read_text("utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} names {found and found.group()!r}"


OWN_WORDS = re.compile(r"\b(fish|swarm|piranha|octopus|pentomino|polyomino)s?\b", re.IGNORECASE)
"""Things of single games: who draws any scene has no word for them."""


def test_who_draws_scenes_knows_no_thing_of_a_game() -> None:
    for path in [*(SOURCE / "draw").rglob("*.py"), *viewer_sources()]:
        if path.name == "schema.d.ts":  # made from the server's docstrings
            continue
        found = OWN_WORDS.search(path.read_text("utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} knows a {found and found.group()!r}"


def test_the_core_knows_no_game_and_only_bindings_know_python() -> None:
    for path in [*(ROOT / "core").rglob("*.hpp"), *(SOURCE / "games").rglob("*.[hc]pp")]:
        text = path.read_text("utf-8")
        includes = re.findall(r'#include [<"]([^>"]+)', text)
        if path.is_relative_to(ROOT / "core") and "tests" not in path.parts:
            assert not [name for name in includes if "games/" in name], path
        if not path.name.startswith("bind."):
            assert not [name for name in includes if "nanobind" in name], path


def test_every_game_folder_has_the_fixed_files() -> None:
    wanted = [
        "rules.md",
        "reference.py",
        "position.hpp",
        "bind.cpp",
        "scene.py",
        "gestures.py",
        "texts/en.toml",
        "texts/de.toml",
        "facts/perft.toml",
    ]
    for folder in {games.load(name).folder for name in games.names()}:
        for file in wanted:
            assert (SOURCE / "games" / folder.split(".")[-1] / file).exists(), (folder, file)


def test_the_facts_of_every_game_are_found_by_the_suite() -> None:
    """Without this, facts that nobody finds would be facts that nobody checks."""
    for file in ("perft.toml", "positions.toml"):
        found = {games.load(fact["edition"]).folder for fact in facts(file)}
        assert found == {games.load(name).folder for name in games.names()}, file


CONTRACT = re.compile(
    "_?(first_|last_)?(positions?|moves?|last|root|mistakes?|engines?|reports?|batch|bot)"
    "|_?(start|starter|parse|choose|chosen|legal|interpret|native_of|engine_for)"
)
"""Names of parameters, attributes and functions that hold or return what the contract types."""
PLAIN = re.compile(r"(dict|Mapping)\[str, Any\]")
"""What came from JSON, or goes there."""


def annotated(path: Path) -> Iterator[tuple[str, int, ast.expr]]:
    """Every annotation of a file, with the name and the line of what it belongs to."""
    for node in statements(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns is not None:
                yield node.name, node.lineno, node.returns
            for each in ast.walk(node.args):
                if isinstance(each, ast.arg) and each.annotation is not None:
                    yield each.arg, each.lineno, each.annotation
        elif isinstance(node, ast.AnnAssign):
            target = node.target
            name = target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)
            yield name, node.lineno, node.annotation


def test_positions_moves_and_engines_are_never_any() -> None:
    untyped = [
        f"{path.relative_to(ROOT)}:{line}: {name}: {ast.unparse(annotation)}"
        for _, path in modules()
        for name, line, annotation in annotated(path)
        if CONTRACT.fullmatch(name) and "Any" in PLAIN.sub("", ast.unparse(annotation))
    ]
    assert untyped == []


# ------------------------------------------------------------------------- docs/architecture.md


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
STATION = re.compile(r"^\| `([^`]+)` \| [^|]*[^| ] \| ([^|]*)\|$", re.MULTILINE)


def layer(path: str) -> str:
    """The layer that a file belongs to."""
    return "viewer" if path.startswith("viewer/") else path.split("/")[2].removesuffix(".py")


def journeys() -> list[list[str]]:
    """The stations of each journey, in order."""
    sections = re.split(r"^## ", ARCHITECTURE, flags=re.MULTILINE)
    return [
        [station for station, _ in STATION.findall(section)]
        for section in sections
        if section.startswith("The path of")
    ]


def test_every_file_named_in_the_architecture_exists() -> None:
    named = set(re.findall(r"`((?:src|core|viewer|tests)/[^`]*)`", ARCHITECTURE))
    assert len(named) > 25
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_neither_journey_returns_to_a_layer_it_has_left() -> None:
    assert len(journeys()) == 2
    for stations in journeys():
        layers = [layer(station) for station in stations]
        visited = [each for each, _ in itertools.groupby(layers)]
        assert len(visited) == len(set(visited)) > 2, visited

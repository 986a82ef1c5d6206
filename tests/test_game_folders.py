"""A game is a folder: adding one, or deleting one, touches nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nanobind
import pytest

import spielleiter
from spielleiter import games, native
from tests.conftest import IS_PLAIN

ROOT = Path(__file__).parents[1]
FOLDERS = sorted({games.load(name).folder.split(".")[-1] for name in games.names()})
FLAVOURS = ("_core", "_core_v3")
NEWCOMER = ROOT / "examples" / "nim"

_QUICKLY = ("-DHAS_V3=OFF", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
"""One flavour takes half the time, and no information for debuggers an eighth less."""

# The project is installed in place, by a finder that would win over a scratch copy.
FORGET_THE_INSTALLED_PACKAGE = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
"""


def copy_package(target: Path) -> None:
    """The package as it is installed, without its tests, its C++ and what belongs to its pages."""
    unused = shutil.ignore_patterns("tests", "*.cpp", "*.hpp", "*.map", "*.gz")
    for source in reversed(spielleiter.__path__):
        shutil.copytree(source, target, ignore=unused, dirs_exist_ok=True)


def scratch_copy(folder: Path) -> Path:
    """The project as git knows it, without what was built."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for file in filter(None, files):
        if (ROOT / file).is_file():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, folder / file)
    (folder / "hook").mkdir()
    (folder / "hook" / "sitecustomize.py").write_text(FORGET_THE_INSTALLED_PACKAGE)
    return folder


def build(copy: Path, only: str, kind: str = "Release") -> None:
    """Configure the copy and build one game folder of it (all if empty)."""
    tree = copy / "build"
    options = [
        f"-DCMAKE_BUILD_TYPE={kind}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={nanobind.cmake_dir()}",
        f"-DSPIELLEITER_ONLY={only}",
        *(_QUICKLY if kind == "Debug" else []),
    ]
    targets = ["--target", f"{only}_core", "_cpu"] if only else []
    commands = [
        ["cmake", "-S", copy, "-B", tree, "-G", "Ninja", *options],
        ["cmake", "--build", tree, *targets],
    ]
    for command in commands:
        run(command, copy)
    package = copy / "src" / "spielleiter"
    for module in tree.glob("_cpu*"):
        shutil.copy2(module, package)
    for module in tree.glob("games/*/_core*"):
        shutil.copy2(module, package / "games" / module.parent.name)


def run(command: list[object], copy: Path, flavour: str = "") -> str:
    """Run a command in the copy; its output is the message if it fails."""
    chosen = {"SPIELLEITER_FLAVOUR": flavour} if flavour else {}
    search = os.pathsep.join([str(copy / "hook"), str(copy / "src")])
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    result = subprocess.run(
        [str(word) for word in command],
        cwd=copy,
        env={
            **os.environ,
            **chosen,
            "PYTHONPATH": search,
            "PATH": path,
            "PYTHONDONTWRITEBYTECODE": "",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return result.stdout


def borrow_built(copy: Path, folders: list[str]) -> None:
    """Native modules of unchanged folders, as they were built for this test run."""
    modules = [f"games.{folder}.{flavour}" for folder in folders for flavour in FLAVOURS]
    for module in ("_cpu", *modules):
        spec = find_spec(f"spielleiter.{module}")
        if spec is not None and spec.origin is not None:
            shutil.copy2(spec.origin, Path(copy, "src", "spielleiter", *module.split(".")[:-1]))


def suite(copy: Path, only: str = "", flavour: str = "") -> str:
    """The shared suite and the architecture, over what is in the copy."""
    quick = "not deep and not many_random and not flavour and not game_folders and not random_games"
    quick += " and not file_named"  # the drawing of the architecture names a game that may be gone
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=short"]
    own = sorted(copy.glob("src/spielleiter/games/*/tests/test_nim.py"))
    parts = ("games", "gestures", "language", "stubs", "architecture")
    suites = [*(f"tests/test_{part}.py" for part in parts), *own]
    chosen = f"{quick} and ({only})" if only else quick
    marked = ["-m", "not native"] if IS_PLAIN or flavour == native.PLAIN else []
    words = [*command, "-p", "no:cacheprovider", "-k", chosen, *marked, *suites]
    return run(words, copy, flavour)


@pytest.mark.long
@pytest.mark.parametrize(
    "flavour",
    [native.PLAIN, pytest.param("", marks=pytest.mark.deep)],
    ids=["in Python", "compiled"],
)
def test_a_newcomer_is_found_and_a_deleted_game_is_not_missed(flavour: str, tmp_path: Path) -> None:
    copy = scratch_copy(tmp_path)
    folder_of_games = copy / "src" / "spielleiter" / "games"
    gone, kept = FOLDERS[-2:-1] or FOLDERS, FOLDERS[:-2] + FOLDERS[-1:]
    before = {path: path.read_bytes() for path in copy.rglob("*.py")}
    for folder in gone:
        shutil.rmtree(folder_of_games / folder)
    shutil.copytree(NEWCOMER, folder_of_games / "nim")
    if flavour != native.PLAIN:
        build(copy, only="nim", kind="Debug")
    borrow_built(copy, [folder for folder in kept if folder not in gone])
    listed = run([sys.executable, "-m", "spielleiter", "games"], copy, flavour)
    assert "Nim with three heaps" in listed
    assert not any(folder in listed for folder in gone)
    # What a part imports is checked file by file: those of the others are as they were.
    assert "passed" in suite(copy, "nim or architecture and not a_part_imports", flavour)
    shutil.rmtree(folder_of_games / "nim")
    assert "nim" not in run([sys.executable, "-m", "spielleiter", "games"], copy, flavour)
    assert all(path.read_bytes() == text for path, text in before.items() if path.exists())


@pytest.mark.deep
@pytest.mark.parametrize("folder", FOLDERS)
def test_without_one_game_everything_else_builds_and_passes(folder: str, tmp_path: Path) -> None:
    copy = scratch_copy(tmp_path)
    shutil.rmtree(copy / "src" / "spielleiter" / "games" / folder)
    build(copy, only="")
    assert "passed" in suite(copy)


# Compiling all searches takes 9 s of a processor; tests/test_search.py asks them in every game.
@pytest.mark.parametrize("suite", ["templates", pytest.param("search", marks=pytest.mark.deep)])
def test_the_core_holds_for_the_smallest_game(suite: str, tmp_path: Path) -> None:
    program = tmp_path / suite
    compiler = os.environ.get("CXX", "c++")
    sources = [ROOT / f"core/tests/{suite}.cpp", NEWCOMER / "position.cpp"]
    command = [compiler, "-std=c++20", "-O0", "-pthread", f"-I{ROOT}", *map(str, sources)]
    subprocess.run([*command, "-o", str(program)], check=True)
    assert subprocess.run([str(program)]).returncode == 0

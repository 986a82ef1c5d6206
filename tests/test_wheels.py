"""The files of a release: built, and tried where there is nothing but Python (RELEASE.md)."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
WORKFLOW = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")


def test_a_release_has_wheels_for_three_systems_and_every_python() -> None:
    wanted = SETTINGS["cibuildwheel"]
    assert wanted["build"] == ["cp311-*", "cp312-*"]
    assert SETTINGS["scikit-build"]["wheel"]["py-api"] == "cp312", "serves all later ones too"
    assert {"linux", "macos", "windows"} <= wanted.keys()
    assert wanted["linux"]["manylinux-x86_64-image"] == "manylinux_2_28"
    assert "tests/wheel.py --native" in wanted["test-command"]
    for system in ("ubuntu", "windows", "macos"):
        assert f"{system}-latest" in WORKFLOW
    assert "SPIELLEITER_PURE" in WORKFLOW


def test_one_command_builds_the_wheels_of_a_release(tmp_path: Path) -> None:
    """Said by make itself, as on a fresh clone: nothing is built yet, so everything is named."""
    words = [
        "make",
        "--dry-run",
        "wheels",
        f"VENV={tmp_path}/venv",
        "PYTHONS=python3.11 python3.13",
    ]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert "core/wheels.py python3.11 python3.13" in said
    assert "--group wheels" in said
    assert "SPIELLEITER_PURE=1" in said


@pytest.mark.parametrize(
    ("goal", "before", "flavours"),
    [
        ("run", None, {"here"}),
        ("build", None, {"all"}),
        ("test", None, {"twins"}),
        ("test", "flavours", {"all"}),  # what was built for good is not built for less
        ("build", "twins", {"all"}),
        ("bench", "twins", {"all"}),
    ],
)
def test_the_first_page_waits_for_one_flavour_only_and_tests_for_slow_twins(
    goal: str, before: str | None, flavours: set[str], tmp_path: Path
) -> None:
    if before is not None:
        (tmp_path / "venv").mkdir()
        (tmp_path / "venv" / f"{before}.ready").touch()
    words = ["make", "--dry-run", goal, f"VENV={tmp_path}/venv"]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert set(re.findall(r"SPIELLEITER_FLAVOURS=(\w+)", said)) == flavours


def test_a_game_is_compiled_from_its_own_folder_and_the_core() -> None:
    """So a change in one game builds that game anew and no other."""
    folders = sorted({bind.parent for bind in ROOT.glob("src/spielleiter/games/*/bind.cpp")})
    assert folders
    for folder in folders:
        for source in [*folder.glob("*.cpp"), *folder.glob("*.hpp")]:
            for name in re.findall(r'#include "([^"]+)"', source.read_text("utf-8")):
                own = folder.relative_to(ROOT).as_posix()
                assert (folder / name).is_file() or name.startswith(("core/", own)), (source, name)


def built(folder: Path, environment: Mapping[str, str], *more: str) -> Path:
    """The wheel that the project builds in that environment."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*words, *more, "--wheel-dir", str(folder), str(ROOT)],
        env={**os.environ, **environment},
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def tried(wheel: Path, room: Path, kind: str, python: str = sys.executable) -> str:
    """What tests/wheel.py says in an environment with the wheel, and no tool on its path."""
    subprocess.run([python, "-m", "venv", str(room)], check=True)
    python = str(room / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    words = [python, "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*words, str(wheel)], check=True)
    bare = {"PATH": str(Path(python).parent), "HOME": str(room)}
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
    done = subprocess.run(
        [python, str(ROOT / "tests" / "wheel.py"), kind],
        env={**kept, **bare},
        cwd=room,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stderr + done.stdout  # the notice about plain Python, then the verdict


@pytest.mark.skipif(os.name == "nt", reason="CMake looks for other compilers there")
def test_a_wheel_whose_compiler_failed_says_so_at_every_start(tmp_path: Path) -> None:
    refusing = shutil.which("false")
    assert refusing is not None
    wheel = built(tmp_path, {"CXX": refusing}, f"-Cbuild-dir={tmp_path}/build")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    code = "from spielleiter import games, native; games.names(); print(native.notice())"
    here = "import sys; sys.meta_path[:] = sys.meta_path[-3:]\n"  # not the editable installation
    inherited = {name: each for name, each in os.environ.items() if name != "SPIELLEITER_FLAVOUR"}
    said = subprocess.run(
        [sys.executable, "-c", here + code],
        env={**inherited, "PYTHONPATH": str(tmp_path / "installed")},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert "did not compile when it was installed" in said, said


@pytest.mark.deep
def test_the_plain_wheel_works_without_compiler_node_and_make(tmp_path: Path) -> None:
    wheel = built(tmp_path, {"SPIELLEITER_PURE": "1"})
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert not [name for name in names if name.endswith((".so", ".pyd", ".cpp", ".hpp"))]
        assert [name for name in names if name.endswith("/reference.py")]
    said = tried(wheel, tmp_path / "room", "--plain")
    assert "plain Python, because" in said, "said once at the start"
    assert said.endswith("this wheel works\n"), said


LINUX = pytest.mark.skipif(
    sys.platform != "linux" or find_spec("ziglang") is None,
    reason="the tools of `make wheels` are not installed",
)


@pytest.mark.deep
@LINUX
@pytest.mark.parametrize(
    ("builder", "users"),
    [("python3.11", ["python3.11"]), ("python3.12", ["python3.12", "python3.13", "python3.14"])],
)
def test_a_native_wheel_works_without_compiler_node_and_make(
    builder: str, users: list[str], tmp_path: Path
) -> None:
    if not runs(builder):
        pytest.skip(f"{builder} is not installed")
    words = [sys.executable, str(ROOT / "core" / "wheels.py"), builder, "--out", str(tmp_path)]
    subprocess.run(words, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert re.search(r"manylinux_2_(\d+)_", wheel.name), "auditwheel names what it needs"
    assert flavours_of(wheel) == {"_core", "_core_v3"} or platform.machine() != "x86_64"
    for user in filter(runs, users):
        said = tried(wheel, tmp_path / user, "--native", user)
        assert said.endswith("this wheel works\n"), said


def runs(python: str) -> bool:
    """Whether there is such a Python; a name may stand for a version that is not chosen here."""
    return shutil.which(python) is not None and not subprocess.call(
        [python, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def flavours_of(wheel: Path) -> set[str]:
    """The native modules that every game of a wheel has."""
    modules: dict[str, set[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if found := re.fullmatch(r"spielleiter/games/(\w+)/(_core\w*)\.[^/]*so", name):
                modules.setdefault(found[1], set()).add(found[2])
    return set.intersection(*modules.values())

"""The files of a release: built, and tried where there is nothing but Python (RELEASE.md)."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
WORKFLOW = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")


def test_a_release_has_wheels_for_three_systems_and_every_python() -> None:
    wanted = SETTINGS["cibuildwheel"]
    assert wanted["build"] == ["cp311-*", "cp312-*", "cp313-*"]
    assert {"linux", "macos", "windows"} <= wanted.keys()
    assert wanted["linux"]["manylinux-x86_64-image"] == "manylinux_2_28"
    assert "tests/wheel.py --native" in wanted["test-command"]
    for system in ("ubuntu", "windows", "macos"):
        assert f"{system}-latest" in WORKFLOW
    assert "SPIELLEITER_PURE" in WORKFLOW


def built(folder: Path, environment: Mapping[str, str]) -> Path:
    """The wheel that the project builds in that environment."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*words, "--wheel-dir", str(folder), str(ROOT)],
        env={**os.environ, **environment},
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def tried(wheel: Path, room: Path, kind: str) -> str:
    """What tests/wheel.py says in an environment with the wheel, and no tool on its path."""
    venv.create(room, with_pip=True)
    python = room / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    words = [str(python), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*words, str(wheel)], check=True)
    bare = {"PATH": str(python.parent), "HOME": str(room)}
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
    done = subprocess.run(
        [str(python), str(ROOT / "tests" / "wheel.py"), kind],
        env={**kept, **bare},
        cwd=room,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout + done.stderr


@pytest.mark.deep
def test_the_plain_wheel_works_without_compiler_node_and_make(tmp_path: Path) -> None:
    wheel = built(tmp_path, {"SPIELLEITER_PURE": "1"})
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert not [name for name in names if name.endswith((".so", ".pyd", ".cpp", ".hpp"))]
        assert [name for name in names if name.endswith("/reference.py")]
    assert tried(wheel, tmp_path / "room", "--plain").endswith("this wheel works\n")


@pytest.mark.deep
def test_a_native_wheel_works_without_compiler_node_and_make(tmp_path: Path) -> None:
    wheel = built(tmp_path, {})
    assert tried(wheel, tmp_path / "room", "--native").endswith("this wheel works\n")

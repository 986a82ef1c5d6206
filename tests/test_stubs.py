"""What type checkers are told about native modules is what the modules offer.

`python tests/test_stubs.py` writes the stubs anew. All flavours of a game offer the same, so one
stub beside the portable module speaks for all of them.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
from nanobind.stubgen import StubGen

from spielleiter import _cpu, games, native

pytestmark = pytest.mark.native

ROOT = Path(__file__).parents[1]
FOLDERS = sorted({games.load(name).folder for name in games.names()})
CLASS_VARIABLES = {"actions": "int", "planes": "tuple[int, int, int]"}


def stub(folder: str, flavour: str) -> str:
    """The generated stub of a game's native module, with the types nanobind cannot know."""
    module = import_module(f"{folder}.{native.module_name(flavour)}")
    generator = StubGen(module)
    generator.put(module)
    text: str = generator.get()
    for attribute, kind in CLASS_VARIABLES.items():
        text = re.sub(rf"    {attribute}: \w+ =", f"    {attribute}: ClassVar[{kind}] =", text)
    return text.replace("from typing import Annotated,", "from typing import Annotated, ClassVar,")


def path_of(folder: str) -> Path:
    """Where the stub lies in the tree."""
    return ROOT / "src" / Path(*folder.split(".")) / "_core.pyi"


@pytest.mark.parametrize("flavour", _cpu.flavours())
@pytest.mark.parametrize("folder", FOLDERS)
def test_stubs_say_what_the_modules_offer(folder: str, flavour: str) -> None:
    if find_spec(f"{folder}.{native.module_name(flavour)}") is None:
        pytest.skip("the compiler could not build this one")
    assert path_of(folder).read_text("utf-8") == stub(folder, flavour), (
        "run 'python tests/test_stubs.py'"
    )


def test_stubs_are_installed_with_the_package() -> None:
    for folder in FOLDERS:
        assert files(folder).joinpath("_core.pyi").is_file(), folder


if __name__ == "__main__":
    for name in FOLDERS:
        path_of(name).write_text(stub(name, "portable"), "utf-8")

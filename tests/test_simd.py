"""Vector code gives the same bits on every processor: each type against its portable twin."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from spielleiter import _cpu
from tests.system import missing

pytestmark = pytest.mark.native

ROOT = Path(__file__).parents[1]
FLAGS = {"portable": [], "v3": ["-march=x86-64-v3"]}


@pytest.mark.skipif(platform.system() == "Windows", reason="the options are those of g++ and clang")
@pytest.mark.parametrize("flavour", FLAGS)
def test_vectors_give_the_bits_of_their_portable_twin(flavour: str, tmp_path: Path) -> None:
    if flavour not in _cpu.flavours():
        pytest.skip("this processor does not run that flavour")
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        missing("a C++ compiler: apt-get install g++")
    program = tmp_path / "simd"
    options = ["-std=c++20", "-O2", "-ffp-contract=off", *FLAGS[flavour], f"-I{ROOT}"]
    source = ROOT / "core" / "tests" / "simd.cpp"
    subprocess.run([compiler, *options, str(source), "-o", str(program)], check=True)
    subprocess.run([str(program)], check=True)

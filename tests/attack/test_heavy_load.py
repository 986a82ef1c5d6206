"""Many other processes want the processor: nobody loses a game because of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spielleiter.sandbox import Level, probe
from tests.contests import QUICK, start

OURS = """
from spielleiter import Bot
from spielleiter import bots

class Player(Bot):
    name = "ours"
    def __init__(self):
        self.bot = bots.load("greedy")
    def choose(self, position, clock):
        return self.bot.choose(position, clock)
"""


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that never rest."""
    words = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def played(folder: Path, games: int) -> list[list[str]]:
    """The faults of two players who are frozen while the other one thinks, with half a second."""
    if probe().best < Level.ISOLATED:
        pytest.skip(f"sandbox level isolated: {dict(probe().missing)[Level.ISOLATED]}")
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(OURS)
    words = ["match", "one/bot.py", "two/bot.py", "--game", QUICK, "--games", str(games)]
    words += ["--freeze", "--time", "500ms", "--patience", "60s", "--json"]
    process = start(folder, *words)
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, out + err
    return [each["faults"] for each in json.loads(out)["players"]]


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="other systems freeze nobody")
@pytest.mark.parametrize("processes", [30, 50])
def test_under_heavy_load_nobody_loses_on_the_first_move(tmp_path: Path, processes: int) -> None:
    with busy(processes):
        assert played(tmp_path, games=4) == [[], []]

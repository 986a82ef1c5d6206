"""A program ends in silence: nothing of ours leaks, and nobody is told of what others keep."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spielleiter import games
from spielleiter.game import Game

SAMPLES = list({game.folder: game for game in map(games.load, games.names())}.values())
"""One edition of each native module."""
LEAK = "nanobind"
REPORT = {"SPIELLEITER_REPORT_LEAKS": "1"}

ORDINARY = """
import gc
from spielleiter import games

game = games.load({name!r})
position = game.start(1)
batch = game.batch(2)
views = batch.mask, batch.planes, position.observe()
kept = position.cells(), list(position.legal_moves()), position.after(position.legal_moves()[0])
kinds = [getattr(game.native, kind, None) for kind in ("Engine", "Mcts")]
engines = [kind(table=1) for kind in kinds if kind is not None]
reports = [engine.search(position, nodes=50) for engine in engines]
analyses = [engine.analyse(position, nodes=50) for engine in engines]
heads = [next(analysis) for analysis in analyses]


def suspended():
    yield position.copy()


unfinished = suspended()
next(unfinished)
ring = [position.copy()]
ring.append(ring)
del ring
gc.disable()
errors = []
for nonsense in ("nonsense", 3, position):
    try:
        position.play(nonsense)
    except Exception as error:
        errors.append(error)


def fail(held):
    raise RuntimeError("the program breaks off", held)


fail(position.copy())
"""

STUBBORN = {
    "a reference that is never given back": """
import ctypes
ctypes.pythonapi.Py_IncRef(ctypes.py_object(position))
""",
    "a thread that nobody waits for": """
import _thread, threading
begun = threading.Event()
def wait(held):
    begun.set()
    threading.Event().wait()
_thread.start_new_thread(wait, (position.copy(),))
begun.wait()
""",
    "a thread that begins while the program ends": """
import atexit, threading
begun = threading.Event()
def wait(held):
    begun.set()
    threading.Event().wait()
def begin():
    threading.Thread(target=wait, args=(position.copy(),), daemon=True).start()
    begun.wait()
atexit.register(begin)
""",
    "a forked child whose parent has threads": """
import os, sys, threading
begun, over = threading.Event(), threading.Event()
def wait(held):
    begun.set()
    over.wait()
threading.Thread(target=wait, args=(position.copy(),)).start()
begun.wait()
if hasattr(os, "fork"):
    if os.fork() == 0:
        sys.exit()
    os.wait()
over.set()
""",
}
START = "from spielleiter import games\nposition = games.load({name!r}).start(1)\n"


def said(program: str, game: Game, **variables: str) -> str:
    """What a program writes to its standard error."""
    command = [sys.executable, "-W", "ignore", "-c", program.replace("{name!r}", repr(game.name))]
    environment = {**os.environ, **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True).stderr


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda game: game.name)
def test_an_ordinary_program_leaks_nothing_even_if_it_breaks_off(sample: Game) -> None:
    error = said(ORDINARY, sample, **REPORT)
    assert "the program breaks off" in error
    assert LEAK not in error


@pytest.mark.parametrize("program", STUBBORN.values(), ids=STUBBORN)
def test_what_a_program_keeps_beyond_its_end_is_not_reported_to_its_user(program: str) -> None:
    for sample in SAMPLES[:1]:
        assert said(START + program, sample) == ""


@pytest.mark.native
def test_our_tests_would_see_a_leak() -> None:
    for sample in SAMPLES[:1]:
        program = START + STUBBORN["a reference that is never given back"]
        assert LEAK in said(program, sample, **REPORT)

"""Python threads that share what is native: nobody gets in another's way, nobody crashes."""

from __future__ import annotations

import _thread
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Game
from tests.disturbance import disturbed_by, press_control_c

pytestmark = pytest.mark.native

SAMPLES = list({game.folder: game for game in map(games.load, games.names())}.values())
"""One edition of each native module."""
ENGINES = [
    pytest.param(game, kind, id=f"{game.name}-{kind}")
    for game in SAMPLES
    for kind in ("Engine", "Mcts")
    if hasattr(game.native, kind)
]


def is_refused(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except UsageError:
        return True
    return False


@pytest.mark.parametrize(("sample", "kind"), ENGINES)
def test_an_engine_serves_one_thread_at_a_time(sample: Game, kind: str) -> None:
    engine, position = getattr(sample.native, kind)(table=1), sample.start(seed=1)
    refused: list[bool] = []

    def disturb() -> None:
        deeds = (engine.forget, lambda: engine.search(position, nodes=1))
        refused.extend(map(is_refused, deeds))
        _thread.interrupt_main()

    with disturbed_by(disturb), pytest.raises(KeyboardInterrupt):
        engine.search(position)
    assert refused == [True, True]
    assert engine.search(position, nodes=100).best in position.legal_moves()


@pytest.mark.parametrize(("sample", "kind"), ENGINES)
def test_others_go_on_while_an_engine_is_made_and_begins(sample: Game, kind: str) -> None:
    make, position = getattr(sample.native, kind), sample.start(seed=1)

    def is_alone(deed: Callable[[], object], times: int) -> bool:
        """Whether nobody else gets a turn, however often that is done."""
        others = list[str]()
        with disturbed_by(lambda: others.append("was here")):
            return not any((deed(), others)[1] for _ in range(times))

    engine = make(table=1)
    assert not is_alone(partial(make, table=1), 100_000)
    assert not is_alone(lambda: engine.analyse(position, nodes=1), 1_000_000)


@pytest.mark.parametrize(("sample", "kind"), ENGINES)
def test_an_analysis_ends_when_its_engine_does_something_else(sample: Game, kind: str) -> None:
    engine, position = getattr(sample.native, kind)(table=1), sample.start(seed=1)
    for deed in (
        engine.forget,
        lambda: engine.search(position, nodes=1),
        lambda: engine.analyse(position, nodes=1),
    ):
        analysis = engine.analyse(position, nodes=1_000)
        next(analysis)
        deed()
        with pytest.raises(UsageError, match="this search is over"):
            next(analysis)


def play_to_the_end(position: Any) -> None:
    while position.outcome() is None and position.legal_moves():
        position.play(position.random_move(1))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("work", ["perft", "playouts"])
def test_a_position_counts_as_it_was_when_asked(sample: Game, threads: int, work: str) -> None:
    numbers = (2, threads) if work == "perft" else (50, 7, threads)
    position = sample.start(seed=1)
    with disturbed_by(partial(play_to_the_end, position)):
        counted = getattr(position, work)(*numbers)
    assert position.outcome() is not None or not position.legal_moves()
    assert counted == getattr(sample.start(seed=1), work)(*numbers)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_batch_is_stepped_by_one_thread_at_a_time(sample: Game) -> None:
    batch = sample.native.Batch(512, 1, sample.set_up(), sample.name)
    none = np.full(512, -1, np.int32)  # refused wherever a game is not over, but only after a look
    over = threading.Event()

    def step() -> None:
        while not over.is_set():
            is_refused(lambda: batch.step(none))

    thread = threading.Thread(target=step)
    thread.start()
    looks = (batch.reset, lambda: batch[0], lambda: batch.planes)
    late = time.monotonic() + 60

    def is_ever_refused(look: Callable[[], object]) -> bool:
        while time.monotonic() < late:
            time.sleep(0)  # or who looks holds Python from look to look, and nobody steps
            if is_refused(look):
                return True
        return False

    refused = [is_ever_refused(look) for look in looks]
    over.set()
    thread.join()
    assert refused == [True, True, True]
    assert not is_refused(batch.reset)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_batch_plays_the_actions_that_it_was_given(sample: Game) -> None:
    batch = sample.native.Batch(64, 1, sample.set_up(), sample.name)
    actions = batch.mask.argmax(axis=1).astype(np.int32)
    with disturbed_by(lambda: actions.fill(-1)):
        batch.step(actions)
    assert actions.max() == -1
    assert {batch[at].ply for at in range(64)} == {1}


@pytest.mark.parametrize(
    "work",
    [
        lambda position: position.perft(30),
        lambda position: position.perft(30, threads=2),
        lambda position: position.playouts(10**12, 1),
        lambda position: position.playouts(10**12, 1, threads=2),
    ],
    ids=["perft", "perft-2", "playouts", "playouts-2"],
)
def test_control_c_ends_long_work(work: Callable[[Any], object]) -> None:
    position = SAMPLES[0].start(seed=1)
    with disturbed_by(press_control_c), pytest.raises(KeyboardInterrupt):
        work(position)


LEAVING = """
import sys, threading
from spielleiter import games

game = games.load(sys.argv[1])
position, begun = game.start(seed=1), threading.Barrier(4)

def work(deed):
    begun.wait()
    while True:
        deed()

engine = getattr(game.native, "Engine", getattr(game.native, "Mcts", None))(table=1)
deeds = (lambda: engine.search(position), lambda: position.playouts(1, 1), position.legal_moves)
for deed in deeds:
    threading.Thread(target=work, args=(deed,), daemon=True).start()
begun.wait()
"""


def test_a_program_may_end_while_threads_still_think() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVING, SAMPLES[0].name], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

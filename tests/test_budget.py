"""Time on an account: never overdrawn, never wasted. And bots that must be given up."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter import games
from spielleiter.client import thinking
from spielleiter.client.budget import RESERVE, Budget
from spielleiter.client.thinking import Thinker, TooSlow
from spielleiter.game import Bot, Clock, Position

PATIENCE = 60.0
"""Seconds for what takes none on a machine that has time."""
FIRST, SECOND = (games.load(games.names()[0]).start(seed) for seed in (1, 2))


@given(
    limit=st.floats(0.2, 60),
    moves=st.integers(1, 120),
    delays=st.lists(st.floats(0, 0.04), min_size=1, max_size=120),
    crowd=st.floats(0, 0.5),
)
def test_an_account_is_never_overdrawn_by_planning(
    limit: float, moves: int, delays: list[float], crowd: float
) -> None:
    budget, account = Budget(), 0.0
    for left, delay in zip(range(moves, 0, -1), delays, strict=False):
        account += limit
        clock = budget.clock(account, 1, left, crowd)
        assert clock.per_move is not None
        assert clock.per_move <= budget.last_moment(account, crowd) <= account - RESERVE
        account -= clock.per_move + delay
        assert account > 0


def test_the_last_moment_comes_earlier_where_others_have_the_processor() -> None:
    moments = [Budget().last_moment(0.2, delay) for delay in (0.0, 0.01, 0.02, 0.03, 0.09)]
    assert moments == pytest.approx([0.15, 0.15, 0.14, 0.11, 0.1])


def test_a_delay_is_measured_from_when_the_answer_was_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter([10.0, 10.1, 10.2, 10.7])  # asked, taken up, answered, received
    monkeypatch.setattr(thinking, "expected_delay", lambda: 0.02)
    monkeypatch.setattr(thinking, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    thinker = Thinker(Quick(), print)
    assert thinker.delay == 0.02
    thinker.choose(FIRST, Clock(), PATIENCE)
    assert thinker.delay == pytest.approx(0.5)
    thinker.close()


@pytest.mark.parametrize(("announced", "searched"), [(0, 1), (1, 1), (7, 7)])
def test_without_a_limit_the_depth_binds(announced: int, searched: int) -> None:
    assert Budget().clock(0.0, announced, 30) == Clock(depth=searched)


class Slow(Bot):
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def choose(self, position: Any, clock: Clock) -> Any:
        assert self.may_answer.wait(PATIENCE)
        return position


class Quick(Bot):
    def choose(self, position: Any, clock: Clock) -> Any:
        return position


class Failing(Bot):
    def choose(self, position: Any, clock: Clock) -> Any:
        raise LookupError("no idea")


def test_a_bot_that_does_not_answer_is_given_up_until_it_does() -> None:
    bot = Slow()
    thinker = Thinker(bot, print)
    for _ in range(2):
        with pytest.raises(TooSlow):
            thinker.choose(FIRST, Clock(), 0.01)
    bot.may_answer.set()
    assert answer_in_the_end(thinker, SECOND) is SECOND
    thinker.close()


def answer_in_the_end(thinker: Thinker, position: Position) -> Any:
    """Ask until the late answer to an earlier question has been put down."""
    late = time.monotonic() + PATIENCE
    while True:
        try:
            return thinker.choose(position, Clock(), PATIENCE)
        except TooSlow:
            assert time.monotonic() < late
            time.sleep(0.005)


class Watch:
    """Stands still until it is put forward; says when somebody has looked at it."""

    def __init__(self) -> None:
        self.now, self.seen = 0.0, threading.Event()

    def perf_counter(self) -> float:
        now = self.now
        self.seen.set()
        return now


def test_what_a_bot_waits_for_its_beginning_is_taken_off_its_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch = Watch()

    class Late(Bot):
        def begin(self, position: Any, seat: int) -> None:
            assert watch.seen.wait(PATIENCE), "it is asked while it still begins"
            watch.now += 0.5

        def choose(self, position: Any, clock: Clock) -> Any:
            return clock.per_move

    monkeypatch.setattr(thinking, "time", watch)
    thinker = Thinker(Late(), print)
    thinker.tell("begin", FIRST, 0)
    answers: list[Any] = [
        thinker.choose(FIRST, clock, PATIENCE) for clock in (Clock(per_move=2.0), Clock(depth=3))
    ]
    assert answers == [1.5, None]
    thinker.close()


def test_what_a_bot_raises_is_raised() -> None:
    thinker = Thinker(Failing(), print)
    for patience in (None, PATIENCE):
        with pytest.raises(LookupError, match="no idea"):
            thinker.choose(FIRST, Clock(), patience)
    thinker.close()


def test_what_nobody_waits_for_is_told_when_it_fails() -> None:
    class Unready(Failing):
        name = "unready"

        def begin(self, position: Any, seat: int) -> None:
            raise OSError("no network")

    warnings: list[str] = []
    thinker = Thinker(Unready(), warnings.append)
    thinker.tell("begin", "position", 0)
    thinker.close()
    assert warnings == ["unready.begin failed: OSError('no network')"]

"""Time on an account: never overdrawn, never wasted. And bots that must be given up."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter import arrival
from spielleiter.client import incoming, promptness, thinking
from spielleiter.client.budget import (
    RESERVE,
    WAY,
    Budget,
    last_moment_beyond,
    last_moment_of_move,
)
from spielleiter.client.thinking import BotCall, Thinker, TooSlow
from spielleiter.game import Clock

PATIENCE = 60.0
"""Seconds for what takes none on a machine that has time."""


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


@given(limit=st.floats(0.2, 60), delay=st.floats(0, 2))
def test_a_move_of_a_fixed_time_is_covered_on_its_way(limit: float, delay: float) -> None:
    moment = last_moment_of_move(limit, delay)
    assert limit - WAY / 2 - 1e-9 <= moment <= limit - RESERVE
    assert moment <= last_moment_of_move(limit, 0.0)


@given(seconds=st.floats(0.01, 60), delay=st.floats(0, 2))
def test_a_bot_has_its_time_before_it_is_covered(seconds: float, delay: float) -> None:
    moment = last_moment_beyond(seconds, delay)
    assert seconds < moment <= last_moment_beyond(seconds, 0.0) < seconds + WAY


def test_a_client_told_little_time_expects_a_quick_server() -> None:
    assert last_moment_beyond(2.0 - WAY, 0.0) == pytest.approx(2.0 - RESERVE)
    assert last_moment_beyond(0.15, 0.09) < 0.2 - WAY / 8


def test_delays_fade() -> None:
    thinker = Thinker()
    thinker.learn(0.5)
    assert thinker.delay == 0.5
    thinker.learn(0.1)
    assert thinker.delay == pytest.approx(0.5 * thinking.FADING)


@pytest.mark.parametrize(("announced", "searched"), [(0, 1), (1, 1), (7, 7)])
def test_without_a_limit_the_depth_binds(announced: int, searched: int) -> None:
    assert Budget().clock(0.0, announced, 30) == Clock(depth=searched)


# ------------------------------------------------------------------------------ bots that are slow


class Asking:
    """A game that consists of steps, most of them questions, and what followed from each."""

    def __init__(self, *questions: Callable[[], Any], patience: float | None = PATIENCE) -> None:
        self.thinker, self.told = Thinker(), list[Any]()
        self.threads: list[threading.Thread] = []
        self.steps: list[Callable[[], None]] = [
            partial(self.ask, question, patience) for question in questions
        ]

    def play(self) -> list[Any]:
        return self.thinker.play(self._go_on)

    def _go_on(self) -> list[Any]:
        while self.steps:
            self.steps.pop(0)()
        return self.told

    def ask(self, call: Callable[[], Any], patience: float | None, **how: Any) -> None:
        def noted() -> Any:
            self.threads.append(threading.current_thread())
            return call()

        self.thinker.ask(BotCall(noted, patience, self.finish, self.told.append, **how))

    def finish(self, answer: Callable[[], Any]) -> None:
        try:
            self.told.append(answer())
        except (Exception, SystemExit) as problem:
            self.told.append(problem)


def raising(problem: BaseException) -> Callable[[], Any]:
    def question() -> Any:
        raise problem

    return question


def test_who_reads_the_request_calls_the_bot_and_sends_its_answer() -> None:
    """Where others have the processors, every change of threads takes long."""
    readers: list[threading.Thread] = []
    asking = Asking(lambda: 1, lambda: readers.append(threading.current_thread()), lambda: 3)
    assert asking.play() == [1, None, 3]
    assert set(asking.threads) == set(readers)
    assert len(set(asking.threads)) == 1


@pytest.mark.parametrize("problem", [LookupError("no idea"), SystemExit(3)])
@pytest.mark.parametrize("patience", [None, PATIENCE])
def test_what_a_bot_raises_is_raised(problem: BaseException, patience: float | None) -> None:
    assert Asking(raising(problem), patience=patience).play() == [problem]


def test_what_a_game_raises_is_raised() -> None:
    with pytest.raises(LookupError, match="no server"):
        Thinker().play(raising(LookupError("no server")))


def test_a_bot_that_does_not_answer_is_given_up_until_it_does() -> None:
    may_answer, asking = threading.Event(), Asking()
    readers: list[threading.Thread] = []

    def slow() -> str:
        assert may_answer.wait(PATIENCE)
        return "too late"

    def ask_until_it_answers() -> None:
        readers.append(threading.current_thread())
        if isinstance(asking.told[-1], TooSlow):
            asking.steps.insert(0, ask_until_it_answers)
            asking.ask(lambda: "at last", PATIENCE)

    asking.steps = [
        partial(asking.ask, slow, 0.01),
        partial(asking.ask, slow, PATIENCE),
        may_answer.set,
        ask_until_it_answers,
        partial(asking.ask, lambda: "and again", PATIENCE),
    ]
    first, *others, answer, last = asking.play()
    assert str(first) == "no answer after 0.010 s"
    assert {str(each) for each in others} == {"it still thinks about an earlier move"}
    assert (answer, last) == ("at last", "and again")
    (bots_thread,) = set(asking.threads)
    assert (readers[0], readers[-1]) == (threading.current_thread(), bots_thread), "handed back"


def test_requests_are_read_while_a_bot_still_begins() -> None:
    may_begin, asking = threading.Event(), Asking()

    def begin() -> None:
        assert may_begin.wait(PATIENCE)
        raise LookupError("no book")

    asking.steps = [
        partial(asking.ask, begin, 0.01, binding=False),
        may_begin.set,  # only who took over comes here
        partial(asking.ask, lambda: "a move", PATIENCE),
        partial(asking.ask, lambda: "another", PATIENCE),
    ]
    late, failure, *answers = asking.play()
    assert isinstance(late, TooSlow)
    assert str(failure) == "no book"
    assert answers == ["a move", "another"]


def test_a_beginning_that_fails_too_late_ends_a_game_that_wants_it() -> None:
    may_begin, has_failed, asking = threading.Event(), threading.Event(), Asking()

    def begin() -> None:
        assert may_begin.wait(PATIENCE)

    def finish(answer: Callable[[], Any]) -> None:
        has_failed.set()
        raise LookupError("no book")

    def move() -> None:
        asking.ask(lambda: "a move", PATIENCE)

    asking.steps = [
        lambda: asking.thinker.ask(BotCall(begin, 0.01, finish, lambda _: None, binding=False)),
        may_begin.set,
        lambda: check(has_failed.wait(PATIENCE)),
        move,
        move,
    ]
    with pytest.raises(LookupError, match="no book"):
        asking.play()


def check(is_true: bool) -> None:
    assert is_true


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_bot_is_asked_at_the_end_in_its_thread_unless_it_still_thinks(is_slow: bool) -> None:
    may_answer, asking, ends = threading.Event(), Asking(), list[threading.Thread]()
    end = BotCall(
        lambda: ends.append(threading.current_thread()), PATIENCE,
        lambda get: get(), asking.told.append, binding=False,
    )  # fmt: skip
    last = partial(asking.thinker.ask_last, end)
    pause = partial(may_answer.wait, PATIENCE)
    asking.steps = [partial(asking.ask, pause, 0.01 if is_slow else PATIENCE), last]
    if not is_slow:
        may_answer.set()
    asking.play()
    may_answer.set()
    assert ends == ([] if is_slow else asking.threads)


@pytest.mark.parametrize("is_taken_over", [False, True])
def test_a_game_does_not_wait_for_ever_for_a_bot_that_does_not_end(is_taken_over: bool) -> None:
    may_go, asking, ends = threading.Event(), Asking(), list[int]()

    def end() -> None:
        ends.append(1)
        assert may_go.wait(PATIENCE)

    def last() -> None:
        asking.steps = [last]  # a game comes to its end again when the thread changes
        asking.thinker.ask_last(
            BotCall(end, 0.01, lambda get: get(), asking.told.append, binding=False)
        )
        asking.steps = []

    slow, has_returned = threading.Event(), threading.Event()

    def move() -> None:
        assert slow.wait(PATIENCE)

    if is_taken_over:
        asking.steps = [
            lambda: asking.thinker.ask(
                BotCall(move, 0.01, lambda get: has_returned.set(), lambda _: None, binding=False)
            ),
            slow.set,
            lambda: check(has_returned.wait(PATIENCE)),
        ]
    asking.steps.append(last)
    told = asking.play()
    may_go.set()
    assert [str(each) for each in told] == ["no answer after 0.010 s"]
    assert ends == [1]


def test_every_question_has_one_end_however_close_the_call() -> None:
    lot = random.Random(5)

    def question(number: int) -> Callable[[], int]:
        pause = lot.choice([0.0, 0.0, 0.001, 0.002])

        def asked() -> int:
            if pause:
                time.sleep(pause)
            return number

        return asked

    for _ in range(20):
        told = Asking(*map(question, range(30)), patience=0.001).play()
        assert len(told) == 30
        assert all(isinstance(each, TooSlow) or each == at for at, each in enumerate(told))


def test_a_caller_that_is_interrupted_leaves_a_game_that_ends_by_itself() -> None:
    asking, interrupted = Asking(), threading.Event()

    def interrupt(late: TooSlow) -> None:
        raise KeyboardInterrupt

    def game() -> None:
        asking.threads.append(threading.current_thread())
        call = partial(interrupted.wait, PATIENCE)
        asking.thinker.ask(BotCall(call, 0.01, asking.finish, interrupt))

    with pytest.raises(KeyboardInterrupt):
        asking.thinker.play(game)
    interrupted.set()
    (bots_thread,) = asking.threads
    bots_thread.join(PATIENCE)
    assert not bots_thread.is_alive()
    assert asking.told == []


# --------------------------------------------------------------------------------------- the clock


def test_what_is_gone_is_taken_off_a_fixed_time_only() -> None:
    assert thinking.after(Clock(per_move=2.0), 0.5) == Clock(per_move=1.5)
    assert thinking.after(Clock(per_move=2.0), 5.0) == Clock(per_move=0.0)
    assert thinking.after(Clock(depth=3), 0.5) == Clock(depth=3)


def test_what_a_request_waited_for_us_is_on_our_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's clock runs from the request on, not from when we had a processor."""
    ages: list[float] = []

    def age(sock: Any) -> float:
        ages.append(7.0)
        return 7.0

    monkeypatch.setattr(arrival, "age", age)
    here, there = socket.socketpair()
    with here, there:
        stream = incoming.Incoming(here)
        there.sendall(b"at hand")
        assert stream.receive() == b"at hand"
        assert ages == []
        monkeypatch.setattr(stream, "_at_hand", lambda: None)
        there.sendall(b"waited for")
        assert stream.receive() == b"waited for"
        assert ages == [7.0]
        assert stream.delay == 7.0
        assert stream.awake() >= 7.0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls differ")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="offered by Linux only")
def test_short_slices_are_asked_for_and_given_back() -> None:
    before, policy = slice_now(), os.sched_getscheduler(0)
    with promptness.short_slices() as is_granted:
        if is_granted and before:  # older systems accept the wish and ignore it
            assert slice_now() in (promptness.SHORT, before)
    assert (slice_now(), os.sched_getscheduler(0)) == (before, policy)


@pytest.fixture
def thawed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No object is frozen, as in most programs; those of the whole run are again afterwards."""
    monkeypatch.setattr(promptness, "_games", 0)
    monkeypatch.setattr(promptness, "_is_ours", False)
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_the_collector_leaves_what_was_there_before_a_game_alone() -> None:
    with promptness.prompt_answers():
        assert gc.get_freeze_count()
        with promptness.prompt_answers():  # another game in the same process
            assert gc.get_freeze_count()
        assert gc.get_freeze_count()
    assert not gc.get_freeze_count()


@pytest.mark.usefixtures("thawed")
def test_what_somebody_else_froze_stays_frozen() -> None:
    gc.freeze()
    with promptness.prompt_answers():
        assert gc.get_freeze_count()
    assert gc.get_freeze_count()


def slice_now() -> int:
    told = ctypes.create_string_buffer(48)
    ctypes.CDLL(None).syscall(315, 0, told, len(told), 0)
    return int.from_bytes(told.raw[24:32], "little")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have one on Linux only")
def test_only_what_passes_messages_on_has_a_higher_priority() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, 0)

    usual, thinker, asked = niceness(), thinking.Thinker(), list[int]()
    with promptness.Priority().raised() as is_granted:
        expected = max(-20, usual - promptness.HIGHER) if is_granted else usual
        assert niceness() == expected

    def game() -> int:
        reading = niceness()
        call: thinking.BotCall[int] = thinking.BotCall(
            niceness, None, lambda answer: asked.append(answer()), lambda _: None
        )
        thinker.ask(call)
        asked.append(niceness())
        return reading

    raised = thinker.play(game)
    assert raised == expected
    assert asked == [usual, raised]
    assert niceness() == usual

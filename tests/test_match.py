"""The referee, with a clock that is only a number: nothing here waits."""

from __future__ import annotations

import enum
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Game, Outcome, Seat
from spielleiter.match import (
    Accounts,
    Asked,
    Began,
    Cancel,
    Consequence,
    Ended,
    Event,
    Fault,
    Input,
    Join,
    Kind,
    Leave,
    Match,
    MatchClock,
    MoveSent,
    Opened,
    Pause,
    PauseChanged,
    PerMove,
    Played,
    Proceed,
    Seated,
    Shown,
    Step,
    TimeUp,
    TurnBegan,
    Violated,
)
from spielleiter.store.event_json import from_json, read_event, to_json

# ------------------------------------------------- the smallest game for any number of seats


@dataclass(frozen=True)
class Take:
    count: int

    def text(self) -> str:
        return f"take {self.count}"


class Mistake(enum.Enum):
    TOO_MANY = "the pile does not hold that many"
    GAME_OVER = "the game is over"

    @property
    def explanation(self) -> str:
        return self.value


class Pile:
    """Take one to three from a pile; whoever takes the last one wins, the others rank by what they
    took. A disqualified seat is skipped and comes last."""

    edition = "pile"
    authority = "document"

    def __init__(self, size: int, seats: int = 2) -> None:
        self.size = size
        self.taken = [0] * seats
        self.out = [False] * seats
        self.turn = 0
        self.ply = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        size, _, seats = text.partition(" for ")
        return cls(int(size), int(seats))

    @property
    def seats(self) -> int:
        return len(self.taken)

    def text(self) -> str:
        return f"{self.size} for {self.seats}"

    def to_move(self) -> Seat:
        return self.turn

    def legal_moves(self) -> list[Take]:
        return [] if self.outcome() else [Take(n) for n in (1, 2, 3) if n <= self.size]

    def why_illegal(self, move: Take) -> Mistake | None:
        if self.outcome():
            return Mistake.GAME_OVER
        return None if 1 <= move.count <= min(3, self.size) else Mistake.TOO_MANY

    def play(self, move: Take) -> None:
        if mistake := self.why_illegal(move):
            raise IllegalMove(mistake.name, mistake.explanation, move.text())
        self.size -= move.count
        self.taken[self.turn] += move.count
        self.ply += 1
        if self.size:
            self._pass_on()

    def move(self, text: str) -> Take:
        if not text.startswith("take "):
            raise TextError("expected 'take'", text)
        return Take(int(text[5:]))

    def disqualify(self, seat: Seat) -> None:
        self.out[seat] = True
        if seat == self.turn and not all(self.out):
            self._pass_on()

    def scores(self) -> tuple[int, ...]:
        return tuple(self.taken)

    def outcome(self) -> Outcome | None:
        if self.size and self.out.count(False) > 1:
            return None
        order = [
            (out, self.size > 0 or seat != self.turn, -taken)
            for seat, (out, taken) in enumerate(zip(self.out, self.taken, strict=True))
        ]
        ranks = tuple(1 + sum(other < each for other in order) for each in order)
        return Outcome(ranks, self.scores(), "took the last one" if not self.size else "all alone")

    def state(self) -> tuple[object, ...]:
        return (self.size, tuple(self.taken), tuple(self.out), self.turn, self.ply)

    def _pass_on(self) -> None:
        self.turn = (self.turn + 1) % self.seats
        while self.out[self.turn]:
            self.turn = (self.turn + 1) % self.seats


def pile(size: int, seats: int = 2) -> Any:
    """A pile in place of a whole position: a match asks for no more than it has."""
    return Pile(size, seats)


def parse(text: str) -> Any:
    return Pile.parse(text)


def pile_of(match: Match) -> Any:
    return match.position


# -------------------------------------------------------------------------------------- shorthands


def new(size: int = 9, seats: int = 2, **options: Any) -> Match:
    return Match(pile(size, seats), **options)


def seated(match: Match, at: float = 0.0) -> list[Event]:
    return [event for seat in range(len(match.names)) for event in match.handle(Join(at, seat))]


def asked(match: Match, at: float = 0.0) -> Match:
    """All seats taken, and the first request written at that time."""
    seated(match, at)
    assert match.pending is not None
    match.handle(Asked(at, match.pending))
    return match


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def only(events: list[Event], kind: type[Any]) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, events
    return found[0]


# ---------------------------------------------------------------------------------------- course


def test_the_game_begins_when_the_last_seat_is_taken() -> None:
    match = new()
    assert kinds(match.handle(Join(0, 1))) == [Seated]
    assert kinds(match.handle(Join(1, 0))) == [Seated, Began, Shown, TurnBegan]
    assert match.pending == 0


def test_a_taken_seat_cannot_be_taken_again() -> None:
    match = new()
    match.handle(Join(0, 1))
    with pytest.raises(UsageError):
        match.handle(Join(1, 1))


def test_a_legal_move_is_played_shown_and_the_next_seat_asked() -> None:
    match = asked(new(), at=10.0)
    played, shown, turn = match.handle(MoveSent(10.75, 0, Take(2)))
    assert isinstance(played, Played)
    assert (played.seat, played.move, played.spent) == (0, "take 2", 0.75)
    assert isinstance(shown, Shown)
    assert (shown.ply, shown.to_players) == (1, True)
    assert isinstance(turn, TurnBegan)
    assert (turn.seat, turn.ply, turn.allowed) == (1, 1, 2.0)


def test_the_last_position_is_shown_before_the_end() -> None:
    match = asked(new(size=2))
    events = match.handle(MoveSent(1, 0, Take(2)))
    assert kinds(events) == [Played, Shown, Ended]
    ended = only(events, Ended)
    assert ended.outcome == Outcome((1, 2), (2, 0), "took the last one")
    assert ended.regular
    assert not ended.cancelled


def test_a_position_that_is_over_at_the_start_ends_the_match_at_once() -> None:
    assert kinds(seated(new(size=0)))[-3:] == [Began, Shown, Ended]


def test_nothing_follows_from_anything_after_the_end() -> None:
    match = asked(new())
    match.handle(Cancel(1))
    late: list[Input] = [
        MoveSent(2, 0, Take(1)), TimeUp(99), Pause(3, True), Step(3, True), Leave(3, 0), Cancel(4),
    ]  # fmt: skip
    assert [match.handle(happened) for happened in late] == [[]] * len(late)


def test_events_are_numbered_without_gaps_from_the_opening_on() -> None:
    match = new(size=3)
    events = [match.opened, *seated(match), *match.handle(MoveSent(1, 0, Take(3)))]
    assert [event.number for event in events] == list(range(len(events)))


def test_hints_travel_with_the_move() -> None:
    match = asked(new())
    events = match.handle(MoveSent(1, 0, Take(1), hints=("winning", "depth 9")))
    assert only(events, Played).hints == ("winning", "depth 9")


def test_every_seat_needs_a_name_and_a_clock() -> None:
    with pytest.raises(UsageError):
        new(names=("only one",))


# ------------------------------------------------------------------------------------------ time


@pytest.mark.parametrize(("spent", "in_time"), [(1.9, True), (2.0, True), (2.001, False)])
def test_exactly_the_soft_limit_is_in_time(spent: float, in_time: bool) -> None:
    match = asked(new(), at=10.1)
    events = match.handle(MoveSent(10.1 + spent, 0, Take(1)))
    assert (kinds(events)[0] is Played) == in_time
    if not in_time:
        assert only(events, Violated).fault == Fault(Kind.LATE, move="take 1")
        assert only(events, Ended).outcome.ranks == (2, 1)


def test_a_late_move_is_not_applied() -> None:
    match = asked(new(size=9))
    match.handle(MoveSent(3, 0, Take(3)))
    assert pile_of(match).size == 9


def test_the_clock_starts_when_the_request_has_left_not_when_the_turn_began() -> None:
    match = new()
    seated(match, at=0.0)
    match.handle(Asked(5.0, 0))
    assert only(match.handle(MoveSent(6.9, 0, Take(1))), Played).spent == pytest.approx(1.9)


def test_our_own_delay_is_never_charged_to_the_player() -> None:
    match = asked(new(), at=0.0)
    events = match.handle(MoveSent(2.5, 0, Take(1), lag=0.6, judged=2.7, first_byte=2.4))
    played = only(events, Played)
    assert played.spent == pytest.approx(1.9)
    receipt = played.receipt
    assert (receipt.asked, receipt.first_byte, receipt.last_byte) == (0.0, 2.4, 2.5)
    assert (receipt.judged, receipt.lag) == (2.7, 0.6)


def test_a_lag_that_does_not_explain_the_delay_does_not_save_the_player() -> None:
    match = asked(new(), at=0.0)
    assert kinds(match.handle(MoveSent(2.8, 0, Take(1), lag=0.5)))[0] is Violated


def test_turn_is_judged_before_time_and_time_before_legality() -> None:
    wrong_seat_late_and_illegal = asked(new()).handle(MoveSent(5, 1, Take(99)))
    assert only(wrong_seat_late_and_illegal, Violated).fault.kind is Kind.OUT_OF_TURN
    late_and_illegal = asked(new()).handle(MoveSent(5, 0, Take(99)))
    assert only(late_and_illegal, Violated).fault.kind is Kind.LATE


@pytest.mark.parametrize(("at", "ends"), [(9.99, False), (10.0, True), (12.0, True)])
def test_a_silent_player_loses_at_the_hard_limit(at: float, ends: bool) -> None:
    match = asked(new())
    assert match.deadline == 10.0
    events = match.handle(TimeUp(at))
    assert bool(events) == ends
    if ends:
        assert only(events, Violated).fault == Fault(Kind.SILENT)
        assert only(events, Ended).outcome.winner == 1


def test_a_timer_that_fires_after_the_answer_does_nothing() -> None:
    match = asked(new())
    match.handle(MoveSent(1, 0, Take(1)))
    assert match.handle(TimeUp(10.0)) == []


def test_a_seat_without_time_limit_may_take_for_ever() -> None:
    match = asked(new(timed=(False, True)))
    assert match.deadline is None
    assert match.handle(TimeUp(1e6)) == []
    events = match.handle(MoveSent(1e6, 0, Take(1)))
    assert kinds(events) == [Played, Shown, TurnBegan]
    assert only(events, TurnBegan).allowed == 2.0


def test_a_request_nobody_wrote_has_no_clock() -> None:
    match = new()
    seated(match)
    assert match.deadline is None
    assert kinds(match.handle(MoveSent(99, 0, Take(1))))[0] is Played


def test_limits_can_be_switched_off() -> None:
    match = asked(new(clock=PerMove(None, None)))
    assert match.deadline is None
    assert kinds(match.handle(MoveSent(99, 0, Take(1))))[0] is Played


# ------------------------------------------------------------------------------------ violations


def test_an_illegal_move_ends_the_game_and_names_the_mistake() -> None:
    match = asked(new())
    violated, ended = match.handle(MoveSent(1, 0, Take(4)))
    assert isinstance(violated, Violated)
    assert violated.fault == Fault(Kind.ILLEGAL, "TOO_MANY", "take 4")
    assert isinstance(ended, Ended)
    assert ended.outcome.ranks == (2, 1)
    assert ended.faults == (violated.fault, None)
    assert not ended.regular


def test_a_mistake_seen_by_the_reader_counts_like_one_of_the_rules() -> None:
    sent = MoveSent(1, 0, None, text="take minus one", mistake="NO_SUCH_MOVE")
    violated, _ = asked(new()).handle(sent)
    assert isinstance(violated, Violated)
    assert violated.fault == Fault(Kind.ILLEGAL, "NO_SUCH_MOVE", "take minus one")


def test_a_move_out_of_turn_says_who_was_expected() -> None:
    violated, _ = asked(new()).handle(MoveSent(1, 1, Take(1)))
    assert isinstance(violated, Violated)
    assert (violated.seat, violated.expected) == (1, 0)
    assert violated.fault.kind is Kind.OUT_OF_TURN


def test_a_second_answer_to_one_request_is_out_of_turn() -> None:
    match = asked(new())
    match.handle(MoveSent(1, 0, Take(1)))
    assert only(match.handle(MoveSent(1, 0, Take(1))), Violated).fault.kind is Kind.OUT_OF_TURN


def test_a_move_nobody_asked_for_loses() -> None:
    match = new(paused=True)
    seated(match)
    assert only(match.handle(MoveSent(1, 0, Take(1))), Violated).fault.kind is Kind.UNREQUESTED


def test_a_move_before_the_game_began_loses() -> None:
    match = new()
    match.handle(Join(0, 1))
    events = match.handle(MoveSent(1, 1, Take(1)))
    assert only(events, Violated).fault.kind is Kind.UNREQUESTED


def test_leaving_at_any_time_ends_the_game() -> None:
    for seat in (0, 1):
        ended = only(asked(new()).handle(Leave(1, seat, "PROTOCOL_ERROR")), Ended)
        assert ended.outcome.winner == 1 - seat
        assert ended.faults[seat] == Fault(Kind.LEFT, "PROTOCOL_ERROR")


def test_a_match_left_before_it_began_has_no_winner() -> None:
    match = new()
    match.handle(Join(0, 0))
    ended = only(match.handle(Leave(1, 0, "RECEIVED_DISCONNECT")), Ended)
    assert ended.outcome.winner is None
    assert ended.faults[0] == Fault(Kind.LEFT, "RECEIVED_DISCONNECT")
    assert ended.faults[1] == Fault(Kind.LEFT, "NOT_CONNECTED")


def test_an_offender_ranks_last_even_if_the_board_says_otherwise() -> None:
    match = asked(new())
    match.handle(MoveSent(1, 0, Take(3)))
    ended = only(match.handle(Leave(2, 0)), Ended)
    assert ended.outcome == Outcome((2, 1), (3, 0), "")


def test_three_seats_behind_one_offender_rank_by_score() -> None:
    match = asked(new(seats=3))
    match.handle(MoveSent(1, 0, Take(1)))
    match.handle(MoveSent(1, 1, Take(3)))
    ended = only(match.handle(MoveSent(1, 2, Take(9))), Ended)
    assert ended.outcome.ranks == (2, 1, 3)


# ------------------------------------------------------------------------------ pause, step, end


def test_a_game_started_paused_is_shown_to_observers_only() -> None:
    events = seated(new(paused=True))
    assert kinds(events)[-2:] == [Began, Shown]
    assert not only(events, Shown).to_players


def test_a_step_shows_the_position_to_all_and_asks_once() -> None:
    match = new(paused=True)
    seated(match)
    shown, turn = match.handle(Step(1))
    assert isinstance(shown, Shown)
    assert shown.to_players
    assert isinstance(turn, TurnBegan)
    played, held = match.handle(MoveSent(2, 0, Take(1)))
    assert isinstance(played, Played)
    assert isinstance(held, Shown)
    assert not held.to_players
    assert match.pending is None


def test_a_second_step_asks_again_and_restarts_the_clock() -> None:
    match = new(paused=True)
    seated(match)
    match.handle(Step(1))
    match.handle(Asked(1, 0))
    assert kinds(match.handle(Step(5))) == [Shown, TurnBegan]
    match.handle(Asked(5, 0))
    assert only(match.handle(MoveSent(6, 0, Take(1))), Played).spent == 1.0
    assert match.handle(TimeUp(11)) == []


def test_a_step_is_ignored_while_the_game_runs() -> None:
    assert asked(new()).handle(Step(1)) == []


def test_a_pause_leaves_the_pending_request_valid() -> None:
    match = asked(new())
    assert kinds(match.handle(Pause(1, True))) == [PauseChanged]
    assert match.deadline == 10.0
    assert kinds(match.handle(MoveSent(1.5, 0, Take(1)))) == [Played, Shown]


def test_the_same_pause_again_is_ignored() -> None:
    match = asked(new())
    assert match.handle(Pause(1, False)) == []


def test_unpausing_goes_on_as_a_step_does() -> None:
    match = new(paused=True)
    seated(match)
    assert kinds(match.handle(Pause(1, False))) == [PauseChanged, Shown, TurnBegan]


def test_unpausing_while_a_request_is_pending_asks_nobody_again() -> None:
    match = asked(new())
    match.handle(Pause(1, True))
    assert kinds(match.handle(Pause(2, False))) == [PauseChanged]


def test_a_game_that_ends_while_held_shows_the_last_position_to_observers_only() -> None:
    match = asked(new(size=1))
    match.handle(Pause(0.5, True))
    played, shown, ended = match.handle(MoveSent(1, 0, Take(1)))
    assert isinstance(played, Played)
    assert isinstance(shown, Shown)
    assert not shown.to_players
    assert isinstance(ended, Ended)


def test_a_step_before_all_seats_are_taken_is_ignored_unless_forced() -> None:
    match = new(paused=True)
    match.handle(Join(0, 0))
    assert match.handle(Step(1)) == []
    (ended,) = match.handle(Step(2, forced=True))
    assert isinstance(ended, Ended)
    assert ended.outcome.winner == 0
    assert ended.faults == (None, Fault(Kind.LEFT, "NOT_CONNECTED"))


def test_unpausing_before_all_seats_are_taken_ends_the_match() -> None:
    match = new(paused=True)
    events = match.handle(Pause(1, False))
    assert kinds(events) == [PauseChanged, Shown, Ended]
    assert only(events, Ended).outcome.winner is None


def test_a_cancelled_game_is_ranked_by_the_present_scores() -> None:
    match = asked(new())
    match.handle(MoveSent(1, 0, Take(1)))
    match.handle(MoveSent(1, 1, Take(2)))
    (ended,) = match.handle(Cancel(2))
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome((2, 1), (1, 2), "")
    assert ended.cancelled
    assert ended.regular


def test_a_match_cancelled_before_it_began_blames_the_empty_seats() -> None:
    match = new()
    match.handle(Join(0, 1))
    (ended,) = match.handle(Cancel(1))
    assert isinstance(ended, Ended)
    assert ended.outcome.winner == 1


# ------------------------------------------------------------------------------ disqualification


def with_accounts(limit: float = 2.0, seats: int = 3, size: int = 20) -> Match:
    clock = Accounts(limit, (0.0,) * seats)
    return new(size, seats, clock=clock, consequence=Consequence.DISQUALIFIES)


def answer(match: Match, at: float, spent: float, move: Take) -> list[Event]:
    assert match.pending is not None
    match.handle(Asked(at, match.pending))
    return match.handle(MoveSent(at + spent, match.pending, move))


def test_an_account_grows_with_every_request_and_shrinks_with_every_answer() -> None:
    match = with_accounts(seats=2)
    assert only(seated(match), TurnBegan).allowed == 2.0
    answer(match, 0, 0.5, Take(1))
    events = answer(match, 1, 2.0, Take(1))
    assert only(events, TurnBegan).allowed == pytest.approx(3.5)
    events = answer(match, 4, 0.0, Take(1))
    assert only(events, TurnBegan).allowed == pytest.approx(2.0)


def test_an_overdrawn_account_disqualifies_and_the_game_goes_on() -> None:
    match = with_accounts()
    seated(match)
    events = answer(match, 0, 2.02, Take(1))
    assert kinds(events) == [Violated, Shown, TurnBegan]
    assert only(events, TurnBegan).seat == 1
    assert pile_of(match).out == [True, False, False]


def test_an_account_is_charged_in_whole_milliseconds() -> None:
    match = with_accounts(seats=2)
    seated(match)
    answer(match, 0, 0.0009, Take(1))
    answer(match, 1, 0.0021, Take(1))
    assert match.clock == Accounts(2.0, (4.0, 1.998))


def test_the_referee_listens_a_little_longer_than_the_account_lasts() -> None:
    match = with_accounts()
    seated(match)
    match.handle(Asked(10.0, 0))
    assert match.deadline == pytest.approx(12.1)


def test_a_seat_that_leaves_out_of_turn_is_skipped_and_the_request_stays() -> None:
    match = with_accounts()
    seated(match)
    assert kinds(match.handle(Leave(1, 2))) == [Violated]
    assert match.pending == 0
    answer(match, 1, 0, Take(1))
    assert only(answer(match, 2, 0, Take(1)), TurnBegan).seat == 0


def test_the_last_seat_left_wins() -> None:
    match = with_accounts()
    seated(match)
    match.handle(Leave(1, 1))
    events = match.handle(MoveSent(2, 0, Take(4)))
    assert kinds(events) == [Violated, Shown, Ended]
    ended = only(events, Ended)
    assert ended.outcome.winner == 2
    assert [bool(fault) for fault in ended.faults] == [True, True, False]


def test_a_disqualified_seat_cannot_be_disqualified_again() -> None:
    match = with_accounts()
    seated(match)
    match.handle(Leave(1, 2))
    assert match.handle(Leave(2, 2)) == []
    assert match.handle(MoveSent(2, 2, Take(1))) == []


# --------------------------------------------------------------------------------- step by step


def stepwise(seats: int = 3) -> Match:
    return new(
        20,
        seats,
        clock=Accounts(2.0, (0.0,) * seats),
        consequence=Consequence.DISQUALIFIES,
        stepwise=True,
    )


def test_a_stepwise_match_waits_before_every_request() -> None:
    match = stepwise(2)
    assert kinds(seated(match))[-1] is Began
    assert kinds(match.handle(Proceed(1))) == [Shown, TurnBegan]
    assert kinds(answer(match, 1, 0.5, Take(1))) == [Played]
    assert match.pending is None
    assert kinds(match.handle(Proceed(2))) == [Shown, TurnBegan]
    assert match.handle(Proceed(3)) == []


def test_who_is_gone_when_a_move_is_told_is_out_before_anything_follows_from_it() -> None:
    match = stepwise(2)
    seated(match)
    match.handle(Proceed(1))
    answer(match, 1, 0.5, Take(1))
    assert kinds(match.handle(Leave(2, 0))) == [Violated]
    events = match.handle(Proceed(2))
    assert kinds(events) == [Shown, Ended]
    assert only(events, Ended).outcome.winner == 1


# ---------------------------------------------------------------------------------------- replay


def inputs(seats: int) -> st.SearchStrategy[list[Input]]:
    at = st.floats(0, 30, allow_nan=False)
    seat = st.integers(0, seats - 1)
    move = st.builds(Take, st.integers(1, 4))
    return st.lists(
        st.one_of(
            st.builds(Asked, at, seat),
            st.builds(MoveSent, at, seat, move, lag=st.floats(0, 0.5)),
            st.builds(TimeUp, at),
            st.builds(Pause, at, st.booleans()),
            st.builds(Step, at, st.booleans()),
            st.builds(Leave, at, seat),
            st.builds(Cancel, at),
        ),
        max_size=12,
    )


def played_through(match: Match, happened: list[Input]) -> list[Event]:
    events: list[Event] = [match.opened, *seated(match)]
    for each in happened:
        events += match.handle(each)
        if match.pending is not None and match.deadline is None:
            match.handle(Asked(each.at, match.pending))
    return events


def summary(match: Match) -> tuple[object, ...]:
    return (
        pile_of(match).state(), match.last_move, match.pending, match.paused, match.faults,
        match.clock, match.ended, match.present,
    )  # fmt: skip


@given(happened=inputs(3), disqualifies=st.booleans(), paused=st.booleans())
def test_stored_events_tell_the_whole_match(
    happened: list[Input], disqualifies: bool, paused: bool
) -> None:
    options: dict[str, Any] = {"paused": paused, "timed": (True, False, True)}
    if disqualifies:
        options["clock"] = Accounts(2.0, (0.0, 0.0, 0.0))
        options["consequence"] = Consequence.DISQUALIFIES
    match = new(8, 3, **options)
    events = played_through(match, happened)
    stored = json.loads(json.dumps([to_json(event) for event in events]))
    assert [from_json(data) for data in stored] == events
    assert [read_event(json.dumps(data)) for data in stored] == events
    compact = [json.dumps(data, separators=(",", ":"), ensure_ascii=False) for data in stored]
    assert [read_event(text) for text in compact] == events
    again = Match.restored((from_json(data) for data in stored), parse)
    assert summary(again) == summary(match)
    if match.pending is not None:
        for each in (match, again):
            each.handle(Asked(40, match.pending))
    assert again.handle(MoveSent(41, 0, Take(1))) == match.handle(MoveSent(41, 0, Take(1)))


@given(happened=inputs(2))
def test_a_match_ends_at_most_once_and_then_says_nothing(happened: list[Input]) -> None:
    events = played_through(new(6), happened)
    ends = [number for number, event in enumerate(events) if isinstance(event, Ended)]
    assert ends in ([], [len(events) - 1])


def test_every_game_on_the_shelf_can_be_refereed(game: Game) -> None:
    """Random moves, a seat that leaves where the game can go on without it, and the same again."""
    chance = random.Random(game.name)
    position = game.start(chance.getrandbits(32))
    goes_on = hasattr(position, "disqualify") and position.seats > 2
    consequence = Consequence.DISQUALIFIES if goes_on else Consequence.ENDS_GAME
    match = Match(position.copy(), consequence=consequence)
    events = [match.opened, *seated(match)]
    while match.ended is None:
        seat = match.position.to_move()
        if match.position.ply == 7 and goes_on and not any(match.faults):
            events += match.handle(Leave(1.0, seat))
            continue
        moves = list(match.position.legal_moves())
        if not moves:  # some editions ask a blocked player all the same
            events += match.handle(Cancel(1.0))
            break
        match.handle(Asked(1.0, seat))
        events += match.handle(MoveSent(1.5, seat, chance.choice(moves)))
    stored = [from_json(json.loads(json.dumps(to_json(event)))) for event in events]
    again = Match.restored(stored, game.parse)
    assert again.position.text() == match.position.text()
    assert again.ended == match.ended


def test_a_gap_in_the_stored_events_is_noticed() -> None:
    match = new()
    events = [match.opened, *seated(match)]
    with pytest.raises(UsageError, match="missing"):
        Match.restored([events[0], *events[2:]], parse)
    with pytest.raises(UsageError, match="opening"):
        Match.restored(events[1:], parse)


@pytest.mark.parametrize("data", [{}, {"kind": "nonsense"}, {"kind": "seated", "number": 1}])
def test_data_that_is_no_event_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(TextError):
        from_json(data)
    with pytest.raises(TextError):
        read_event(json.dumps(data))


@pytest.mark.parametrize("text", ["", "[]", "null", '{"kind":"played"', '{"kind":"ended",}', "{"])
def test_a_text_that_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(TextError):
        read_event(text)


def test_the_opening_survives_json_with_either_clock() -> None:
    for clock in (PerMove(1.5, None), Accounts(0.2, (0.0, 0.0))):
        opened = new(clock=clock).opened
        assert isinstance(opened, Opened)
        assert from_json(json.loads(json.dumps(to_json(opened)))) == opened


# ------------------------------------------------------------------------------------ the short way


def by_both_ways(
    takes: Sequence[tuple[int, float]], clock: MatchClock | None = None
) -> tuple[Match, Match]:
    """Two matches with the same answers: step by step, and by the short way."""
    long, short = (Match(pile(9), clock=clock) for _ in range(2))
    for each in (long, short):
        for seat in range(2):
            each.handle(Join(0.0, seat))
    for number, (count, spent) in enumerate(takes):
        asked, seat = 10.0 * number, number % 2
        long.handle(Asked(asked, seat))
        told = long.handle(MoveSent(asked + spent, seat, Take(count)))
        brief = short.answer(seat, Take(count), asked, asked + spent)
        ends = [event for event in told if isinstance(event, Violated | Ended)]
        assert [event for event in brief if isinstance(event, Violated | Ended)] == ends
    return long, short


@pytest.mark.parametrize(
    "takes",
    [
        [(3, 1.0), (3, 2.0), (3, 0.5)],  # the last one wins
        [(1, 0.1), (2, 0.1), (1, 0.1)],  # it goes on
        [(3, 1.0), (4, 1.0), (1, 1.0)],  # illegal
        [(3, 1.0), (3, 2.1), (1, 1.0)],  # late
    ],
)
@pytest.mark.parametrize("clock", [None, Accounts(1.5, (0.0, 0.5))])
def test_the_short_way_leads_to_the_same_place(
    takes: list[tuple[int, float]], clock: MatchClock | None
) -> None:
    long, short = by_both_ways(takes, clock)
    assert short.ended == long.ended
    assert (short.clock, short.faults, short.pending) == (long.clock, long.faults, long.pending)
    assert short.position.text() == long.position.text()
    assert short.handle(Cancel(99.0)) == long.handle(Cancel(99.0))  # and goes on with like numbers


def test_the_short_way_is_closed_to_who_is_not_asked() -> None:
    match = Match(pile(9))
    match.handle(Join(0.0, 0))
    match.handle(Join(0.0, 1))
    violated, ended = match.answer(1, Take(1), 0.0, 0.1)
    assert isinstance(violated, Violated)
    assert violated.fault.kind is Kind.OUT_OF_TURN
    assert isinstance(ended, Ended)

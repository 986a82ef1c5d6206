"""Replays of official servers, and what their observers saw, become records."""

from __future__ import annotations

import functools

import pytest

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.match import Began, Event, Frame, GameRecord
from spielleiter.server.replay_reader import ReplayLimits, read_replay
from spielleiter.server.served_game import ServedGame
from tests import talks
from tests.talks import Stream

LONG = [each for each in talks.streams(by_client=False) if each.data.count(b'"memento"') > 20]


@functools.cache
def tables() -> tuple[ServedGame, ...]:
    """Every edition that speaks the protocol."""
    found = []
    for name in games.names():
        try:
            found.append(ServedGame.of(games.load(name)))
        except (UsageError, AttributeError):
            continue
    return tuple(found)


def told(data: bytes) -> GameRecord:
    """By a clock that stands still: how fast we read is not what is tested here."""
    return read_replay(data, tables(), now=lambda: 0.0)


def frames_of(record: GameRecord) -> list[Frame]:
    return list(record.frames(record.game(games.load_recorded)))


def moves_of(record: GameRecord) -> list[str | None]:
    return [frame.turn.move for frame in frames_of(record)[1:]]


@pytest.mark.parametrize("data", talks.replays())
def test_an_official_replay_is_read_turn_by_turn(data: bytes) -> None:
    record = told(data)
    frames = frames_of(record)
    assert len(frames) == data.count(b'"memento"')
    assert record.ended is not None
    outcome = frames[-1].position.outcome()
    assert outcome is not None
    assert outcome.ranks == record.ended.outcome.ranks
    assert all(moves_of(record))
    assert record.notes == ()
    assert record.opened.authority == "server"


@pytest.mark.parametrize("stream", LONG, ids=lambda stream: stream.name)
def test_what_an_observer_of_any_season_saw_can_be_read_and_played_again(stream: Stream) -> None:
    record = told(stream.data)
    first, *frames = frames_of(record)
    position = first.position
    for frame in frames:
        assert frame.turn.seat == position.to_move()
        assert frame.turn.move is not None
        position.play(frame.turn.move)
    assert position.text() == frames[-1].position.text()
    assert record.ended is not None


@pytest.mark.parametrize("data", talks.replays())
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(data: bytes) -> None:
    whole, half = told(data), told(data[: len(data) // 2])
    assert 0 < len(frames_of(half)) < len(frames_of(whole))
    assert half.ended is None
    assert half.notes == ("the file ends before the game does",)
    assert moves_of(half) == moves_of(whole)[: len(frames_of(half)) - 1]


@pytest.mark.parametrize("data", talks.replays())
def test_a_state_that_does_not_follow_is_shown_with_a_note(data: bytes) -> None:
    """The file is believed: it may come from rules that we do not know."""
    parts = data.split(b"<room ")
    whole, record = told(data), told(b"<room ".join(parts[:5] + parts[6:]))
    positions = [frame.position.text() for frame in frames_of(whole)]
    assert [frame.position.text() for frame in frames_of(record)] == positions[:4] + positions[5:]
    assert record.notes == ("not what our rules make of the move before: turn 4",)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "holds no state"),
        (b"<protocol></protocol>", "holds no state"),
        (b"<protocol>\n<room>\n</rom>", "line 3"),
        (b"<a>" * 100, "this is not a replay"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "this is not a replay"),
        (b'<p><room><data class="memento"><state x="1"><y/></state></data></room></p>', "state x"),
    ],
)
def test_what_is_no_replay_is_refused_with_the_reason(data: bytes, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        told(data)


@pytest.mark.parametrize("data", talks.replays())
def test_a_file_can_ask_for_no_more_than_its_bounds(data: bytes) -> None:
    with pytest.raises(TextError, match="more than 3 states"):
        read_replay(data, tables(), ReplayLimits(turns=3))
    clock = iter(range(1_000_000))
    with pytest.raises(TextError, match="longer than 1 seconds"):
        read_replay(data, tables(), ReplayLimits(seconds=1), lambda: next(clock))


@pytest.mark.parametrize("events", [[], [Began(0, 0.0)]])
def test_events_without_a_beginning_are_no_record(events: list[Event]) -> None:
    with pytest.raises(TextError, match="no beginning"):
        GameRecord(events).game(games.load_recorded)

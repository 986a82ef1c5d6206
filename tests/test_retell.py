"""Replays of official servers, and what their observers saw, told again."""

from __future__ import annotations

import functools

import pytest

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.match.tale import Tale, of_events
from spielleiter.server.retell import Bounds, retell
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


def told(data: bytes) -> Tale:
    """By a clock that stands still: how fast we read is not what is tested here."""
    return retell(data, tables(), now=lambda: 0.0)


def moves_of(tale: Tale) -> list[str]:
    return [turn.words for turn in tale.turns[1:]]


@pytest.mark.parametrize("data", talks.replays())
def test_an_official_replay_is_told_turn_by_turn(data: bytes) -> None:
    tale = told(data)
    assert len(tale.turns) == data.count(b'"memento"')
    assert tale.outcome is not None
    assert tale.turns[-1].position.outcome().ranks == tale.outcome.ranks
    assert all(moves_of(tale))
    assert tale.notes == ()
    assert tale.game.authority == "server"


@pytest.mark.parametrize("stream", LONG, ids=lambda stream: stream.name)
def test_what_an_observer_of_any_season_saw_can_be_told_and_played_again(stream: Stream) -> None:
    tale = told(stream.data)
    position = tale.turns[0].position.copy()
    for turn in tale.turns[1:]:
        assert turn.seat == position.to_move()
        position.play(turn.words)
    assert position.text() == tale.turns[-1].position.text()
    assert tale.outcome is not None


@pytest.mark.parametrize("data", talks.replays())
def test_a_file_that_is_cut_off_is_told_as_far_as_it_goes(data: bytes) -> None:
    whole, half = told(data), told(data[: len(data) // 2])
    assert 0 < len(half.turns) < len(whole.turns)
    assert half.outcome is None
    assert half.notes == ("the file ends before the game does",)
    assert moves_of(half) == moves_of(whole)[: len(half.turns) - 1]


@pytest.mark.parametrize("data", talks.replays())
def test_a_state_that_does_not_follow_is_shown_with_a_note(data: bytes) -> None:
    """The file is believed: it may come from rules that we do not know."""
    parts = data.split(b"<room ")
    tale = told(b"<room ".join(parts[:5] + parts[6:]))
    assert len(tale.turns) == data.count(b'"memento"') - 1
    assert tale.notes == ("not what our rules make of the move before: turn 4",)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "holds no state"),
        (b"<protocol></protocol>", "holds no state"),
        (b"<protocol>\n<room>\n</rom>", "line 3"),
        (b"<a>" * 100, "this is no replay"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "this is no replay"),
        (b'<p><room><data class="memento"><state x="1"><y/></state></data></room></p>', "state x"),
    ],
)
def test_what_is_no_replay_is_refused_with_the_reason(data: bytes, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        told(data)


@pytest.mark.parametrize("data", talks.replays())
def test_a_file_can_ask_for_no_more_than_its_bounds(data: bytes) -> None:
    with pytest.raises(TextError, match="more than 3 states"):
        retell(data, tables(), Bounds(turns=3))
    clock = iter(range(1_000_000))
    with pytest.raises(TextError, match="longer than 1 seconds"):
        retell(data, tables(), Bounds(seconds=1), lambda: next(clock))


def test_events_without_a_beginning_tell_nothing() -> None:
    def load(edition: str, authority: str) -> object:
        raise AssertionError("nothing to load")

    with pytest.raises(TextError, match="no beginning"):
        of_events([], load)  # type: ignore[arg-type]

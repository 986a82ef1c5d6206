"""Moves that are taken back: the referee goes back, the record keeps all of it, files do not."""

from __future__ import annotations

from spielleiter import games
from spielleiter.match import Event, GameRecord, Join, Match, MoveSent, TakeBack, TakenBack
from spielleiter.store.event_json import from_json, to_json

GAME = games.load(games.names()[0])


def played(moves: int) -> tuple[Match, list[Event]]:
    """A match after so many first moves, and its events."""
    match = Match(GAME.start(1))
    events: list[Event] = [match.opened]
    for seat in range(2):
        events += match.handle(Join(0.0, seat))
    for _ in range(moves):
        move = next(iter(match.position.legal_moves()))
        events += match.handle(MoveSent(0.0, match.position.to_move(), move))
    return match, events


def test_after_a_move_is_taken_back_the_same_seat_is_asked_again() -> None:
    match, events = played(2)
    first = GameRecord(tuple(events)).frame(GAME, 0).position
    taken = match.handle(TakeBack(1.0, 0, 0, first))
    assert isinstance(taken[0], TakenBack)
    assert match.position.text() == first.text()
    assert match.pending == first.to_move()


def test_a_record_keeps_what_was_taken_back_and_tells_what_counts() -> None:
    match, events = played(2)
    first = GameRecord(tuple(events)).frame(GAME, 0).position
    events += match.handle(TakeBack(1.0, 0, 0, first))
    other = list(match.position.legal_moves())[-1]
    events += match.handle(MoveSent(2.0, match.position.to_move(), other))
    record = GameRecord(tuple(events))
    assert [frame.turn.number for frame in record.frames(GAME)] == [0, 1, 2, 3, 4]
    counted = list(record.counted.frames(GAME))
    assert [frame.turn.move for frame in counted] == [None, other.text()]
    assert counted[-1].position.text() == match.position.text()
    restored = Match.restored(events, GAME.parse)
    assert restored.position.text() == match.position.text()


def test_a_move_taken_back_is_stored_and_read_again() -> None:
    taken = TakenBack(7, 1.5, 0, 3, GAME.start(1).text())
    assert from_json(to_json(taken)) == taken

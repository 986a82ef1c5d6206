"""Records of games as files: what is written is read again, whatever the game."""

from __future__ import annotations

import gzip
import random

import pytest

from spielleiter import games
from spielleiter.errors import TextError
from spielleiter.game import Game, can_disqualify
from spielleiter.match import Consequence, Fault, Frame, GameRecord, Kind
from spielleiter.match.record import RecordBuilder
from spielleiter.service.record_files import formats, read, write
from tests import talks

DISQUALIFIES, ENDS_GAME = Consequence.DISQUALIFIES, Consequence.ENDS_GAME
EDITIONS = [games.load(name) for name in games.names()]


def random_record(game: Game, seed: int, out_at: int | None = None) -> GameRecord:
    """A game by chance; where a game can go on without a seat, one may be disqualified."""
    position, dice = game.start(seed), random.Random(seed)
    goes_on = hasattr(position, "disqualify")
    names = [f"player {seat}" for seat in range(position.seats)]
    builder = RecordBuilder(position, names, DISQUALIFIES if goes_on else ENDS_GAME)
    ply = 0
    while (outcome := position.outcome()) is None:
        ply, seat = ply + 1, position.to_move()
        if goes_on and ply == out_at:
            builder.violated(seat, Fault(Kind.LATE))
            assert can_disqualify(position)
            position.disqualify(seat)
        else:
            move = dice.choice(list(position.legal_moves())).text()
            builder.played(seat, move)
            position.play(move)
    builder.ended(outcome)
    return builder.record()


def frames_of(record: GameRecord) -> list[Frame]:
    return list(record.frames(record.game(games.load_recorded)))


@pytest.mark.parametrize("judged", EDITIONS, ids=lambda game: game.name)
@pytest.mark.parametrize("out_at", [None, 7])
def test_the_record_of_a_game_is_read_again_turn_by_turn(judged: Game, out_at: int | None) -> None:
    record = random_record(judged, 3, out_at)
    file = write(record)
    assert file is not None
    content = gzip.decompress(file.content) if file.suffix.endswith(".gz") else file.content
    again = read(content)
    ours, theirs = frames_of(record), frames_of(again)
    assert [each.position.text() for each in theirs] == [each.position.text() for each in ours]
    assert [each.turn.move for each in theirs] == [each.turn.move for each in ours]
    assert [each.turn.seat for each in theirs] == [each.turn.seat for each in ours]
    assert again.ended is not None
    assert record.ended is not None
    assert again.ended.outcome.ranks == record.ended.outcome.ranks
    assert again.notes == ()


@pytest.mark.parametrize("data", talks.replays())
def test_an_official_replay_is_written_again_as_it_was(data: bytes) -> None:
    file = write(read(data))
    assert file is not None
    ours = gzip.decompress(file.content)
    room = data.split(b'roomId="')[1].split(b'"')[0]
    assert ours == data.replace(room, b"arena")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "neither XML nor a log"),
        (b"hello", "neither XML nor a log"),
        (b"\x00\xff\xfe" * 100, "neither XML nor a log"),
        (b"  <html></html>", "holds no state"),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        read(content)


def test_every_scene_can_be_drawn_and_painted() -> None:
    made = formats()
    scene = games.scene(EDITIONS[0].start(1))
    assert made.svg is not None
    assert made.png is not None
    assert made.svg(scene).startswith("<svg")
    assert made.png(scene).startswith(b"\x89PNG")

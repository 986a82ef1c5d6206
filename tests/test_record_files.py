"""Records of games as files: what is written is read again, whatever the game."""

from __future__ import annotations

import gzip
import random

import pytest

from spielleiter import games
from spielleiter.errors import TextError
from spielleiter.game import Game
from spielleiter.match import Fault, Kind
from spielleiter.match.tale import Tale, Teller
from spielleiter.service.record_files import crafts, read, write
from tests import talks

EDITIONS = [games.load(name) for name in games.names()]


def random_tale(game: Game, seed: int, out_at: int | None = None) -> Tale:
    """A game by chance; where a game can go on without a seat, one may be put out."""
    position, dice = game.start(seed), random.Random(seed)
    goes_on = hasattr(position, "disqualify")
    teller = Teller(
        game,
        [f"player {seat}" for seat in range(position.seats)],
        position,
        "DISQUALIFIES" if goes_on else "ENDS_GAME",
    )
    ply = 0
    while position.outcome() is None:
        ply += 1
        if goes_on and ply == out_at:
            seat = position.to_move()
            teller.violated(seat, Fault(Kind.LATE))
            position.disqualify(seat)
        else:
            move = dice.choice(list(position.legal_moves())).text()
            teller.played(move)
            position.play(move)
    teller.ended(position.outcome(), [None] * position.seats)
    return teller.tale()


def positions(tale: Tale) -> list[str]:
    return [turn.position.text() for turn in tale.turns]


@pytest.mark.parametrize("judged", EDITIONS, ids=lambda game: game.name)
@pytest.mark.parametrize("out_at", [None, 7])
def test_the_record_of_a_game_is_read_again_turn_by_turn(judged: Game, out_at: int | None) -> None:
    tale = random_tale(judged, 3, out_at)
    file = write(tale)
    assert file is not None
    content = gzip.decompress(file.content) if file.suffix.endswith(".gz") else file.content
    again = read(content)
    assert positions(again) == positions(tale)
    assert [turn.words for turn in again.turns if turn.last] == [
        turn.words for turn in tale.turns if turn.last
    ]
    assert again.outcome is not None
    assert tale.outcome is not None
    assert again.outcome.ranks == tale.outcome.ranks
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
    made = crafts()
    scene = games.scene(EDITIONS[0].start(1))
    assert made.svg is not None
    assert made.png is not None
    assert made.svg(scene).startswith("<svg")
    assert made.png(scene).startswith(b"\x89PNG")

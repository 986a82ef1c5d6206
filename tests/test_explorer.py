"""The explorer counts what was played, and takes symmetric positions for one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.explorer import BoardSymmetries, ExplorerIndex
from spielleiter.game import Game
from spielleiter.match.record import RecordBuilder
from tests.conftest import EDITIONS
from tests.contests import QUICK, said


def test_the_rules_are_the_same_on_a_turned_board(game: Game) -> None:
    symmetries, lot = BoardSymmetries(game), random.Random(3)
    position = game.start(5)
    for _ in range(5):
        turned = [game.parse(text) for text in symmetries.texts(position.text())]
        assert len({symmetries.key(each) for each in turned}) == 1
        assert len({len(each.legal_moves()) for each in turned}) == 1
        some = position.legal_moves()[lot.randrange(len(position.legal_moves()))]
        child = symmetries.key(position.after(some))
        for each in turned[-1:]:
            assert child in {symmetries.key(each.after(move)) for move in each.legal_moves()}
        position.play(some)
        if position.outcome() is not None:
            break


def symmetric_start() -> Game:
    """An edition whose first moves are all the same but for the turn of the board."""
    for game in EDITIONS:
        start, key = game.start(0), BoardSymmetries(game).key
        if len({key(start.after(move)) for move in start.legal_moves()}) == 1:
            return game
    raise AssertionError("there is none")


def played(game: Game, first: str, seed: int) -> RecordBuilder:
    """A random game after a first move."""
    position, lot = game.start(0), random.Random(seed)
    builder, text = RecordBuilder(position.copy(), ("A", "B")), first
    while True:
        builder.played(position.to_move(), text)
        position.play(text)
        if (outcome := position.outcome()) is not None:
            builder.ended(outcome)
            return builder
        text = lot.choice(position.legal_moves()).text()


def test_symmetric_openings_are_one_and_games_count_once() -> None:
    game = symmetric_start()
    first = [move.text() for move in game.start(0).legal_moves()]
    records = [(f"{move} {n}", played(game, move, n).record()) for n, move in enumerate(first)]
    with ExplorerIndex(None, game) as index:
        assert index.add(records) == len(first)
        assert index.add(records) == 0
        (opening,) = index.played(game.start(0))
        assert {move.text() for move in opening.moves} == set(first)
        assert opening.games == len(first)
        assert 0 <= opening.share <= 1
        assert sum(each.games for each in index.played(game.start(0).after(first[0]))) == len(first)
        assert index.played(game.start(0), "A")[0].games == len(first)
        assert index.played(game.start(0), "C") == []
        assert len(index.games_with(game.start(0))) == len(first)


def test_an_index_of_another_game_is_refused(tmp_path: Path) -> None:
    one, other = (games.load(name) for name in games.names()[:2])
    ExplorerIndex(tmp_path / "index.db", one).close()
    with pytest.raises(UsageError, match=f"index of {one.name}"):
        ExplorerIndex(tmp_path / "index.db", other)


def test_the_command_explores_a_store(tmp_path: Path) -> None:
    words = ("random", "random", "--game", QUICK, "--games", "2", "--nodes", "1", "--store", "m.db")
    said(tmp_path, "match", *words)
    options = ("explore", "m.db", "--index", "i.db", "--nodes", "50", "--json")
    found = json.loads(said(tmp_path, *options))
    assert sum(each["games"] for each in found["moves"]) == 2
    assert len(found["games"]) == 2
    assert json.loads(said(tmp_path, *options)) == found

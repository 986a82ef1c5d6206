"""Recorded games are listed, filtered, shown and exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spielleiter.errors import UnknownName
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.tournament.recorded_game import RecordFilter
from tests.contests import QUICK, said

BOTS = """
from spielleiter import Bot

class Dies(Bot):
    def choose(self, position, clock):
        if position.ply > 3:
            raise RuntimeError("no more")
        return next(iter(position.legal_moves()))
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of four games; one player always crashes."""
    folder = tmp_path_factory.mktemp("match")
    (folder / "bots.py").write_text(BOTS)
    words = ("bots.py:Dies", "random", "--game", QUICK, "--games", "4", "--nodes", "1")
    said(folder, "match", *words, "--store", "m.db", "--ignore-failures")
    return folder / "m.db"


def test_games_are_filtered_by_player_result_fault_seat_and_opening(store: Path) -> None:
    games = list(recorded_games(str(store)))
    assert len(games) == 4

    def count(**wanted: object) -> int:
        return sum(map(RecordFilter(**wanted).takes, games))  # type: ignore[arg-type]

    dies = "bots.py:Dies"
    assert count() == 4
    assert count(player=dies, result="lost") == 4
    assert count(player="random", result="won") == 4
    assert count(player="random", result="lost") == 0
    assert count(player=dies, opponent="random") == 4
    assert count(player=dies, opponent=dies) == 0
    assert count(player=dies, seat=0) == 2
    assert count(fault="crashed") == 4
    assert count(player="random", fault="") == 0
    assert count(fault="late") == 0
    assert count(opening=games[0].opening) == 2
    assert count(player="nobody") == 0


def test_a_key_that_is_unknown_is_named_with_the_nearest(store: Path) -> None:
    assert chosen_game(str(store), "match/0").players[0] == "bots.py:Dies"
    with pytest.raises(UnknownName, match="match/3"):
        chosen_game(str(store), "match/33")


def test_the_program_lists_shows_and_exports_games(store: Path) -> None:
    words = ("records", store.name, "--player", "bots.py:Dies", "--lost")
    listed = said(store.parent, *words)
    assert listed.count("crashed") == 4
    told = json.loads(said(store.parent, *words, "--json", "--seat", "1", "--log").splitlines()[0])
    assert told["players"][0] == "bots.py:Dies"
    assert "no more" in told["log"]
    assert said(store.parent, "show", store.name, told["key"], "--step", "0")
    said(store.parent, "records", store.name, "--export", "out")
    files = sorted((store.parent / "out").iterdir())
    assert len(files) == 4
    again = list(recorded_games(str(files[0])))
    assert len(again) == 1


def test_a_lost_game_is_lost_by_somebody(store: Path) -> None:
    assert "--player" in said(store.parent, "records", store.name, "--lost", status=2)

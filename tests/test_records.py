"""Recorded games are listed, filtered, shown and exported."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.cli import cli
from spielleiter.errors import UnknownName
from spielleiter.handin import trial
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.roster import mark
from spielleiter.server import strict
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.store import Entry, open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.recorded_game import RecordFilter
from tests.arenas import arena, built_in
from tests.contests import QUICK, SPOKEN, ran, said
from tests.ladders import EDITION, entry_text
from tests.people import accounts_in, add_released, add_team

BOTS = """
from spielleiter import Bot

class Dies(Bot):
    def begin(self, position, seat):
        self.moves = 0

    def choose(self, position, clock):
        self.moves += 1
        if self.moves > 2:
            raise RuntimeError("no more")
        return next(iter(position.legal_moves()))
"""


SHOWS = """
from spielleiter import Bot

class Player(Bot):
    def choose(self, position, clock):
        self.show(text="thinking")
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
    assert [line.split()[:2] for line in listed.splitlines() if line.startswith("match/")] == [
        [f"match/{number}", "lost"] for number in range(4)
    ]
    assert f"spielleiter review {store.name} match/0 --player bots.py:Dies" in listed
    told = json.loads(said(store.parent, *words, "--json", "--seat", "1", "--log").splitlines()[0])
    assert told["players"][0] == "bots.py:Dies"
    assert "no more" in told["log"]
    assert "bots.py:Dies (" in said(store.parent, "show", store.name, told["key"], "--turn", "0")
    said(store.parent, "records", store.name, "--export", "out")
    files = sorted((store.parent / "out").iterdir())
    assert len(files) == 4
    again = list(recorded_games(str(files[0])))
    assert len(again) == 1


def test_all_games_are_listed_as_people_count_with_the_scores(tmp_path: Path) -> None:
    words = ("match", "random", "greedy", "--game", QUICK, "--games", "12", "--nodes", "1")
    said(tmp_path, *words, "--store", "m.db")
    listed = said(tmp_path, "records", "m.db").splitlines()
    assert [line.split()[0] for line in listed] == [f"match/{number}" for number in range(12)]
    scores = {each.key: each.outcome for each in recorded_games(str(tmp_path / "m.db"))}
    for line in listed:
        outcome = scores[line.split()[0]]
        assert outcome is not None
        told = re.findall(r"[12]\. (?:random|greedy) \((-?\d+)\)", line)
        assert tuple(map(int, told)) == outcome.scores
    mine = said(tmp_path, "records", "m.db", "--player", "random").splitlines()
    own = [line.split()[1] for line in mine if line.startswith("match/")]
    assert own == sorted(own, key=["lost", "drawn", "won"].index)


def test_a_list_of_games_needs_no_page_and_no_validator(store: Path) -> None:
    heavy = ("fastapi", "pydantic", "jinja2", "prometheus_client")
    script = (
        "import sys; from spielleiter.cli import main\n"
        f"try: main(['records', {str(store)!r}])\n"
        f"finally: print(*({{*{heavy!r}}} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.split() == []


def test_a_lost_game_is_lost_by_somebody(store: Path) -> None:
    assert "--player" in said(store.parent, "records", store.name, "--lost", status=2)


# ------------------------------------------------------------------- games of check, tune, an arena


def test_the_games_of_a_check_are_kept_and_listed_with_what_the_bot_showed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tuple(each for each in strict.ALL if each.name == "bytes")  # all others: test_handin
    monkeypatch.setattr(trial, "ALL", few)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(SHOWS)
    words = ["check", "bot.py", "--game", SPOKEN]
    told = CliRunner().invoke(cli, words, catch_exceptions=False).output
    assert "spielleiter records matches/check-bot.db" in told.replace("\\", "/")
    found = {each.key: each for each in recorded_games(str(tmp_path / "matches/check-bot.db"))}
    first = found["check/first"]
    assert first.players == ("bot.py", "opponent")
    assert first.record.shown()[1].text == "thinking"
    assert found["check/second"].players == ("opponent", "bot.py")
    assert "check/bytes" not in found  # it was broken off
    shown = said(tmp_path, "show", "matches/check-bot.db", "check/first")
    assert "played" in shown
    said(tmp_path, "check", "bot.py", "--game", SPOKEN, "--store", "matches/check-bot.db", status=2)


@pytest.mark.native
def test_the_games_of_a_tuning_are_kept_if_that_is_wanted(tmp_path: Path) -> None:
    game = next(each for each in games.names() if hasattr(games.load(each).native, "features"))
    words = ("--games", "10", "--nodes", "30", "--write", "w.txt")
    said(tmp_path, "tune", game, *words, "--store", "t.db")
    found = list(recorded_games(str(tmp_path / "t.db")))
    assert [each.key for each in found] == [f"tune/1/{number}" for number in range(10)]
    assert all(each.outcome is not None for each in found)
    assert list(found[0].record.frames(games.load(game)))[-1].position.outcome() == found[0].outcome
    said(tmp_path, "tune", game, *words)
    assert "exists already" in said(tmp_path, "tune", game, *words, "--store", "t.db", status=2)


def test_the_games_of_an_arena_are_listed_with_the_names_of_the_ladder(
    store: Path, tmp_path: Path
) -> None:
    with accounts_in(tmp_path) as accounts:
        version = add_released(accounts, add_team(accounts, "Rot"), "mybot", edition=EDITION)
    due = QueuedGame(Pairing("one", (version.id, mark(3)), Opening(1)), EDITION)
    with closing(open_store(tmp_path / "ladder.db")) as record:
        record.append([Entry("game", "one", entry_text(due, (2, 1), ("ValueError", None)))])
    season = tmp_path / "seasons" / "cup"
    season.mkdir(parents=True)
    shutil.copy(store, season / "contest.db")
    found = {each.key: each for each in recorded_games(str(tmp_path))}
    assert len(found) == 5
    assert "season/cup/match/0" in found
    players = found["ladder/one"].players
    assert "Rot" in players[0]
    assert "3" in players[1]
    assert found["ladder/one"].record.names == players
    lost = said(tmp_path, "records", ".", "--player", players[0], "--lost", "--crashed")
    assert lost.startswith("ladder/one")
    said(tmp_path, "show", ".", "ladder/one", "--turn", "1")
    printed = ran(tmp_path, "review", ".", "ladder/one", "--json", "--nodes", "50").stdout
    review = json.loads(printed)  # what it says beside it while it takes long is no JSON
    assert review["names"] == list(players)
    (tmp_path / "empty").mkdir()
    assert "no data folder" in said(tmp_path, "records", "empty", status=2)


def test_games_of_an_arena_are_reviewed_those_of_guests_too(tmp_path: Path) -> None:
    with arena(tmp_path / "data") as visitor:
        game = visitor.order(QUICK, built_in("random"), built_in("random"))["id"]
        visitor.watch_to_the_end(game)
    (stored,) = (tmp_path / "data" / "strangers").glob("*.db")
    for source in ("data", str(stored.relative_to(tmp_path))):
        words = ("review", source, f"game/{game}", "--json", "--nodes", "2")
        review = json.loads(ran(tmp_path, *words).stdout)
        assert [each["turn"] for each in review["turns"]] == list(
            range(1, len(review["turns"]) + 1)
        )
        assert len(review["accuracy"]) == 2

"""Stores that an arena was opened with: their games are listed, filtered and found."""

from __future__ import annotations

import io
import shutil
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from spielleiter.cli._kept_games import StorePlace
from spielleiter.service.recorded_games import recorded_games
from spielleiter.store import Store, StoreAddress, open_store
from spielleiter.web.game_explorer import ExplorableGame, GameExplorer
from spielleiter.web.match_stores import MatchStores
from tests.arenas import arena, built_in
from tests.contests import QUICK, said


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a match of two games."""
    folder = tmp_path_factory.mktemp("match")
    words = ("random", "greedy", "--game", QUICK, "--games", "2", "--nodes", "1")
    said(folder, "match", *words, "--store", "m.db")
    return folder / "m.db"


@pytest.fixture
def store(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(played, tmp_path / "m.db"))


def test_an_arena_lists_and_opens_the_games_of_its_stores(store: Path, tmp_path: Path) -> None:
    with arena(tmp_path / "data", stores=(store,)) as visitor:
        assert visitor.get("/api/stores") == [{"id": "m", "title": "m.db"}]
        listed = visitor.get("/api/stores/m")
        assert listed["found"] == len(listed["games"]) == 2
        assert listed["players"] == ["greedy", "random"]
        first = visitor.get("/api/stores/m", player="greedy", seat=1)["games"]
        assert [game["players"][0] for game in first] == ["greedy"]
        assert visitor.get("/api/stores/m", fault="crashed")["found"] == 0
        assert visitor.get("/api/stores/m", first=1)["games"] == listed["games"][1:]
        replay = visitor.get(f"/api/replays/store/{first[0]['id']}")
        assert replay["names"] == first[0]["players"]
        assert visitor.get(f"/api/annotations/store/{first[0]['id']}") == []
        for wrong in ("stores/other", "replays/store/m~9999", "replays/store/m~x"):
            assert visitor.http.get(f"/api/{wrong}").status_code == 404


def test_the_games_of_a_filtered_list_are_downloaded_as_one_archive(
    store: Path, tmp_path: Path
) -> None:
    with arena(tmp_path / "data", stores=(store,)) as visitor:
        asked: list[tuple[dict[str, str], int]] = [
            ({}, 2),
            ({"player": "greedy", "seat": "1"}, 1),
            ({"fault": "late"}, 0),
        ]
        for words, count in asked:
            answer = visitor.http.get("/api/stores/m/games.zip", params=words)
            assert answer.headers["content-type"] == "application/zip"
            files = zipfile.ZipFile(io.BytesIO(answer.content))
            listed = visitor.get("/api/stores/m", **words)["games"]
            names = [each["key"].replace("/", "-") for each in listed]
            assert [name.partition(".")[0] for name in files.namelist()] == names
            assert len(names) == count
            for name, game in zip(files.namelist(), listed, strict=True):
                (tmp_path / name).write_bytes(files.read(name))
                (read,) = recorded_games(str(tmp_path / name))
                assert read.record.events
                if name.endswith((".xml", ".xml.gz")):  # others have no names
                    assert list(read.record.names) == game["players"]
        assert visitor.http.get("/api/stores/other/games.zip").status_code == 404


def test_stores_of_the_same_name_are_told_apart(store: Path, tmp_path: Path) -> None:
    paths = [tmp_path / name / "m.db" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        shutil.copy(store, path)
    further = shutil.copy(store, tmp_path / "m-2.db")
    stores = MatchStores([Path(further), store, *paths])
    assert list(stores.all) == ["m-2", "m", "m-3", "m-4"]
    stores.close()


def test_the_explorer_says_what_was_played_in_the_games_of_a_store(
    store: Path, tmp_path: Path
) -> None:
    with arena(tmp_path / "data", stores=(store,)) as visitor:
        found = visitor.get("/api/explorer", store="m")
        while found["read"] < found["total"]:
            found = visitor.get("/api/explorer", store="m")
        assert (found["edition"], found["read"], found["total"]) == (QUICK, 2, 2)
        assert sum(each["games"] for each in found["moves"]) >= 1
        assert all(0 <= each["share"] <= 1 for each in found["moves"])
        first = found["moves"][0]
        further = visitor.get("/api/explorer", store="m", position=first["position"])
        assert sum(each["games"] for each in further["moves"]) == first["games"]
        assert {each["source"] for each in found["games"]} == {"store"}
        nobody = visitor.get("/api/explorer", store="m", player="nobody")
        assert nobody["moves"] == []
        drawn = visitor.http.get(
            "/api/explorer/picture.svg",
            params={"edition": QUICK, "position": found["position"]},
        )
        assert drawn.text.startswith("<svg")
        for wrong in ("store=other", "store=m&position=x", "store=m&edition=x"):
            assert visitor.http.get(f"/api/explorer?{wrong}").status_code in (404, 422)


def test_the_explorer_knows_the_games_of_the_arena_itself(tmp_path: Path) -> None:
    with arena(tmp_path) as visitor:
        assert visitor.get("/api/explorer")["moves"] == []
        game = visitor.order(QUICK, built_in("random"), built_in("random"))["id"]
        visitor.watch_to_the_end(game)
        found = visitor.get("/api/explorer")
        assert [each["games"] for each in found["moves"]] == [1]
        assert found["games"] == [{"source": "game", "id": game}]
    with arena(tmp_path) as visitor:  # opened again, it reads the game from its store
        assert visitor.get("/api/explorer")["games"] == found["games"]


def test_games_are_read_for_a_moment_and_the_next_answer_knows_more(store: Path) -> None:
    stores = MatchStores([store])
    [kept] = stores.all.values()
    known = [
        ExplorableGame(str(each.number), each.players, partial(kept.record, each.number))
        for each in kept.games()
    ]
    times = iter([0.0, 0.0, 9.0, 10.0, 10.0])
    explorer = GameExplorer(lambda: next(times))
    assert [each.total() for each in explorer.read("m", known).values()] == [1]
    assert [each.total() for each in explorer.read("m", known).values()] == [2]
    explorer.close()
    stores.close()


def test_a_game_without_a_move_begins_no_opening(store: Path) -> None:
    stores = MatchStores([store])
    [kept] = stores.all.values()
    record = kept.record(kept.games()[0].number)
    assert record is not None
    assert record.ended is not None
    walkover = replace(record, events=(record.opened, replace(record.ended, number=1)))
    explorer = GameExplorer()
    game = ExplorableGame("m", record.names, lambda: walkover)
    assert explorer.read("m", [game]) == {}
    assert explorer.read("m", [replace(game, name="n", load=lambda: record)]) != {}
    explorer.close()
    stores.close()


def test_a_database_is_told_by_its_name_alone(store: Path) -> None:
    url = StoreAddress.of("postgresql://anna:secret@host.example/games_2026?sslmode=require")
    asked = []

    def opened(address: StoreAddress) -> Store:
        asked.append(address.where)
        return open_store(store)

    stores = MatchStores([url], opened)
    assert asked == [url.where]
    assert [(name, each.title) for name, each in stores.all.items()] == [
        ("games-2026", "games_2026")
    ]
    stores.close()
    assert StorePlace().convert(url.where, None, None) == url
    assert StorePlace().convert(str(store), None, None) == store

"""Stores that an arena was opened with: their games are listed, filtered and found."""

from __future__ import annotations

import shutil
from pathlib import Path

from spielleiter.web.match_stores import MatchStores
from tests.arenas import arena
from tests.contests import QUICK, said


def match(folder: Path) -> Path:
    """A match of two games."""
    words = ("random", "greedy", "--game", QUICK, "--games", "2", "--nodes", "1")
    said(folder, "match", *words, "--store", "m.db")
    return folder / "m.db"


def test_an_arena_lists_and_opens_the_games_of_its_stores(tmp_path: Path) -> None:
    store = match(tmp_path)
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


def test_stores_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    store = match(tmp_path)
    paths = [tmp_path / name / "m.db" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        shutil.copy(store, path)
    further = shutil.copy(store, tmp_path / "m-2.db")
    stores = MatchStores([Path(further), store, *paths])
    assert list(stores.all) == ["m-2", "m", "m-3", "m-4"]
    stores.close()

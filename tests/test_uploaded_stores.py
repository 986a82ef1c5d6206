"""A store that a visitor drops onto a page opens like one that was named, and can harm nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from operator import methodcaller
from pathlib import Path

import pytest

from spielleiter.errors import TextError
from spielleiter.service.archive import STORE_READER
from spielleiter.store import open_store
from spielleiter.web import uploaded_stores
from spielleiter.web.uploaded_stores import UploadedStores, checked_entry
from tests.arenas import Visitor, arena
from tests.contests import QUICK, said


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a match of two games."""
    folder = tmp_path_factory.mktemp("match")
    words = ("random", "greedy", "--game", QUICK, "--games", "2", "--nodes", "1")
    said(folder, "match", *words, "--store", "m.db")
    return folder / "m.db"


def sent(visitor: Visitor, content: bytes, name: str = "m.db") -> dict[str, str]:
    """What the arena says to a file, with the status of its answer."""
    answer = visitor.http.post("/api/stores", params={"name": name}, content=content)
    told: dict[str, str] = answer.json().get("detail") or answer.json()
    return {"status": str(answer.status_code), **told}


def test_a_dropped_store_is_listed_filtered_replayed_and_explored(
    played: Path, tmp_path: Path
) -> None:
    with arena(tmp_path) as visitor:
        kept = sent(visitor, played.read_bytes())
        assert kept["status"] == "201"
        assert kept["title"] == "m.db"
        listed = visitor.get(f"/api/stores/{kept['id']}")
        assert (listed["title"], listed["found"]) == ("m.db", 2)
        assert visitor.get(f"/api/stores/{kept['id']}", player="greedy", seat=1)["found"] == 1
        replay = visitor.get(f"/api/replays/store/{listed['games'][0]['id']}")
        assert replay["names"] == listed["games"][0]["players"]
        assert visitor.get("/api/explorer", store=kept["id"])["total"] == 2
        assert visitor.get("/api/stores") == []  # nobody else finds it
        assert sent(visitor, played.read_bytes())["id"] == kept["id"]
    files = sorted(path.name for path in (tmp_path / "stores").iterdir())
    assert files == [f"{kept['id']}.db"]
    with arena(tmp_path) as visitor:
        assert visitor.get(f"/api/stores/{kept['id']}")["found"] == 2


def test_what_is_no_store_or_too_much_is_refused_with_a_reason(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_stores, "LARGEST", 100_000)
    with arena(tmp_path) as visitor:
        for content in (b"", b"SQLite format 3\0" + bytes(5000), played.read_bytes()[:8192]):
            told = sent(visitor, content)
            assert (told["status"], told["code"]) == ("422", "no-store")
        for large in (bytes(100_001), iter([bytes(50_000)] * 3)):
            answer = visitor.http.post("/api/stores", content=large)
            assert answer.status_code == 413
        assert visitor.http.post("/api/stores", content=b"x").status_code == 429
    assert list((tmp_path / "stores").iterdir()) == []


HOSTILE = {
    "a view": "create view event as select 1 number, 'game' kind, 'k' key, 'd' data, x'' hash",
    "an endless view": (
        "create view event as with recursive n(number) as (select 1 union all select number + 1"
        " from n) select number, 'game' kind, number key, 'd' data, x'' hash from n"
    ),
    "a view of a large blob": (
        "create view event as select 1 number, 'game' kind, 'k' key,"
        " cast(zeroblob(900000000) as text) data, x'' hash"
    ),
    "a virtual table": "create virtual table event using fts5(number, kind, key, data, hash)",
    "a computed column": (
        "create table event (number integer, kind text, key text, hash blob,"
        " data text generated always as (hex(randomblob(100000000))) virtual);"
        "insert into event (number, kind, key) values (1, 'game', 'k')"
    ),
    "another table": "create table other (number integer)",
    "no games": "create table event (number integer, kind text, key text, data text, hash blob)",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_schema_is_refused(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.db"
    with closing(sqlite3.connect(file)) as database:
        try:
            database.executescript(HOSTILE[kind])
        except sqlite3.OperationalError as problem:
            pytest.skip(f"this SQLite cannot make it: {problem}")
    stores = UploadedStores(tmp_path / "stores", STORE_READER)
    (tmp_path / "stores").mkdir()
    with pytest.raises(TextError):
        stores.keep(file, "x")
    assert list((tmp_path / "stores").iterdir()) == []


def test_a_reader_that_dies_takes_nothing_with_it(tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    stores = UploadedStores(tmp_path / "stores", ("false",))
    file = tmp_path / "m.db"
    file.write_bytes(b"x")
    with pytest.raises(TextError, match="cannot be opened"):
        stores.keep(file, "x")


def game_line(played: Path, change: Callable[[dict[str, object]], object]) -> bytes:
    """A line of the reader, with a game that was changed."""
    with closing(open_store(played)) as store:
        data = json.loads(next(entry.data for entry in store.read("game")))
    change(data)
    return json.dumps(["game", "match/0", json.dumps(data)]).encode()


def test_only_whole_games_are_taken(played: Path) -> None:
    assert checked_entry(game_line(played, lambda data: None)) is not None
    changes: list[dict[str, object]] = [
        {"players": [1, 2]},
        {"players": ["x" * 400, "y"]},
        {"edition": "no-such-game"},
        {"moves": [["a"]]},
        {"spent": [float("nan")]},
        {"seats": [99]},
        {"ranks": ["first"]},
        {"scores": [2**80, 1]},
        {"start": "x" * 50_000},
        {"log": {}},
        {"clock": {"kind": "none"}},
        {"annotations": [[0, 1, {"values": {"x": [[[]]]}}]]},
    ]
    for change in changes:
        changed = game_line(played, methodcaller("update", change))
        assert checked_entry(changed) is None
    for line in (b"", b"[]", b'["game","k","{}"]', b'["game","k","' + b"[" * 100_000 + b'"]'):
        assert checked_entry(line) is None


def test_beyond_the_bounds_the_oldest_store_goes(played: Path, tmp_path: Path) -> None:
    (tmp_path / "stores").mkdir()
    stores = UploadedStores(tmp_path / "stores", STORE_READER, stores=2)
    names = [stores.keep(played, title) for title in ("a", "b", "c")]
    assert [stores.get(name) is None for name in names] == [True, False, False]
    stores.close()

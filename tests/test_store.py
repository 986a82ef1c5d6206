"""The store keeps what was acknowledged, once, and notices every changed byte."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from spielleiter.errors import StoreError
from spielleiter.store import Entry, StoreAddress, open_store
from tests.contests import environment
from tests.databases import postgres_server

ROOT = Path(__file__).parents[1]
ENTRIES = [Entry("game", f"match/{number}", f"moves of game {number} …") for number in range(50)]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A PostgreSQL server of our own."""
    with postgres_server() as server:
        yield server.url


@pytest.fixture
def empty_postgres(postgres: str) -> Iterator[str]:
    """Our server without a table of ours."""
    yield postgres
    engine = create_engine(postgres.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("drop table if exists event, alembic_version"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    return str(request.getfixturevalue("empty_postgres"))


def test_what_was_appended_is_read_again_in_order(where: str) -> None:
    with closing(open_store(where)) as store:
        store.append(ENTRIES[:20])
        store.append([])
        store.append([Entry("lot", "one", "drawn")])
    with closing(open_store(where)) as store:
        store.append(ENTRIES[20:])
        assert list(store.read("game")) == ENTRIES
        assert [entry.key for entry in store.read("lot")] == ["one"]
        assert len(list(store.read("lot", "game"))) == 51
        assert list(store.check()) == []


def test_the_numbered_entries_of_one_thing_are_found_all_and_alone(where: str) -> None:
    kept = [Entry("event", f"game/{number}", f"{number}") for number in range(1, 2_100)]
    others = [Entry("event", f"{name}/1", "-") for name in ("gam", "game0", "game1", "Game", "g")]
    store = open_store(where)
    store.append([others[0], *kept[:50], *others[1:], *kept[50:], Entry("over", "game/0", "-")])
    assert store.numbered("event", "game") == kept
    assert store.numbered("over", "game") == [Entry("over", "game/0", "-")]
    assert store.numbered("event", "game2") == []
    store.close()


def test_the_same_game_is_not_kept_twice_and_nothing_of_that_batch(where: str) -> None:
    with closing(open_store(where)) as store:
        store.append(ENTRIES[:3])
        with pytest.raises(StoreError, match="somebody else"):
            store.append(ENTRIES[3:5] + ENTRIES[:1])
        assert list(store.read("game")) == ENTRIES[:3]
        store.append(ENTRIES[3:])
        assert list(store.check()) == []


def test_a_second_writer_fails_instead_of_mixing_in(where: str) -> None:
    with closing(open_store(where)) as one, closing(open_store(where)) as other:
        one.append(ENTRIES[:3])
        with pytest.raises(StoreError, match="somebody else"):
            other.append(ENTRIES[3:4])
        assert list(one.check()) == []


@pytest.mark.parametrize("column", ["kind", "key", "data", "hash", "number"])
def test_any_changed_value_is_found(where: str, column: str) -> None:
    with closing(open_store(where)) as store:
        store.append(ENTRIES)
    url = where.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    new = {"number": "1000", "hash": "substr(hash, 1, 31)"}.get(column, f"{column} || ' '")
    with engine.begin() as connection:
        connection.execute(text(f"update event set {column} = {new} where number = 17"))
    engine.dispose()
    with closing(open_store(where)) as store:
        wrong = list(store.check())
        assert len(wrong) == 1
        assert wrong[0].startswith("entry 17")


def test_a_missing_entry_is_found(where: str) -> None:
    with closing(open_store(where)) as store:
        store.append(ENTRIES)
        seal = store.seal
    url = where.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    with engine.begin() as connection:
        connection.execute(text("delete from event where number = 9"))
    engine.dispose()
    with closing(open_store(where)) as store:
        assert list(store.check()) == ["entry 9 is missing: the next one is 10"]
        assert store.seal == seal


def test_every_changed_byte_of_a_game_is_found(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(open_store(path)) as store:
        store.append(ENTRIES[:3])
    with closing(sqlite3.connect(path)) as raw:
        fine = raw.execute("select data from event where number = 2").fetchone()[0]
        for at in range(len(fine)):
            changed = fine[:at] + chr(ord(fine[at]) ^ 1) + fine[at + 1 :]
            raw.execute("update event set data = ? where number = 2", (changed,))
            raw.commit()
            with closing(open_store(path)) as store:
                assert len(list(store.check())) == 1


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of nine entries."""
    path = tmp_path_factory.mktemp("few") / "bytes.db"
    with closing(open_store(path)) as store:
        store.append([*ENTRIES[:8], Entry("lot", "äöü", "…")])
    return path


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_changed_byte_of_any_value_is_found(few: Path, data: st.DataObject) -> None:
    change_a_byte(few, data)


@pytest.mark.deep
@settings(max_examples=500, deadline=None)
@given(st.data())
def test_any_of_many_changed_bytes_is_found(few: Path, data: st.DataObject) -> None:
    change_a_byte(few, data)


def change_a_byte(path: Path, data: st.DataObject) -> None:
    """Any byte of any value: also such that the text is no text any more, or of another type."""
    column = data.draw(st.sampled_from(["kind", "key", "data", "hash"]))
    number = data.draw(st.integers(1, 9))
    with closing(sqlite3.connect(path)) as raw:
        where = f"from event where number = {number}"
        fine = raw.execute(f"select cast({column} as blob) {where}").fetchone()[0]
        at = data.draw(st.integers(0, len(fine) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda value: value != fine[at]))
        as_text = column != "hash" and data.draw(st.booleans())
        change = f"update event set {column} = {'cast(? as text)' if as_text else '?'}"
        changed = fine[:at] + bytes([byte]) + fine[at + 1 :]
        try:
            raw.execute(f"{change} where number = {number}", (changed,))
        except sqlite3.IntegrityError:  # the key of another entry: that cannot even be written
            return
        raw.commit()
        try:
            with closing(open_store(path)) as store:
                assert len(list(store.check())) == 1
        finally:
            back = "?" if column == "hash" else "cast(? as text)"
            raw.execute(f"update event set {column} = {back} where number = {number}", (fine,))
            raw.commit()
    with closing(open_store(path)) as store:
        assert list(store.check()) == []


def test_what_is_no_store_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and rather long ones, so that they look like a file " * 20)
    with pytest.raises(StoreError, match=r"notes\.txt"):
        open_store(path)
    with pytest.raises(StoreError, match="nowhere"):
        open_store(tmp_path / "nowhere" / "store.db")
    with pytest.raises(StoreError):
        open_store("oracle://somewhere/else")


@pytest.mark.skipif(os.name != "posix", reason="the writer is forked, so that kills are cheap")
@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.deep)])
def test_nothing_acknowledged_is_lost_by_many_kills(tmp_path: Path, kills: int) -> None:
    words = [sys.executable, "-m", "tests.kills", str(tmp_path / "store.db"), str(kills)]
    done = subprocess.run(
        words, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    busy = re.fullmatch(rf"{kills} kills, (\d+) of them while writing, \d+ games .*\n", done.stdout)
    assert busy is not None, done.stdout
    assert int(busy[1]) >= kills // 4


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:s3cret@127.0.0.1:1/games",
        "postgresql://ada:s3cr%40et@127.0.0.1:1/games",
        "postgresql://ada:s3@c/r:et@127.0.0.1:1/games",
        "postgresql://127.0.0.1:1/games?user=ada&password=s3cret",
        "postgresql://ada:s3cret@127.0.0.1:port/games",
        "nonsense://ada:s3cret@x",
    ],
)
def test_a_password_is_neither_shown_nor_told_when_the_database_fails(url: str) -> None:
    address = StoreAddress.of(url)
    with pytest.raises(StoreError) as failed:
        open_store(url)
    for shown in (str(address), repr(address), f"{address}", str(failed.value)):
        assert "s3c" not in shown
        assert "s3@" not in shown
    assert "***" in str(address)
    assert str(address) in str(failed.value)


def test_the_address_of_a_file_is_shown_as_it_is(tmp_path: Path) -> None:
    address = StoreAddress.of(tmp_path / "a:b@c.db")
    assert str(address) == str(tmp_path / "a:b@c.db")
    assert not address.exists


def open_at_once(where: str) -> None:
    """Several open a store that is not there yet, at the same moment: all find its tables."""
    together = threading.Barrier(6)

    def opens() -> None:
        together.wait(60)
        with closing(open_store(where)) as store:
            assert store.is_empty

    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(opens) for _ in range(6)]:
            done.result(120)


def test_a_new_store_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    for number in range(5):
        open_at_once(str(tmp_path / f"{number}.db"))


def test_a_new_store_in_postgresql_can_be_opened_by_several_at_once(empty_postgres: str) -> None:
    open_at_once(empty_postgres)

"""A store that somebody damaged, cut short, took away or opened twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy.exc import OperationalError

from spielleiter.cli import cli
from spielleiter.errors import StoreError, TextError
from spielleiter.store import Entry, Store, StoreAddress, open_store
from spielleiter.store.address import STORE
from spielleiter.store.lock import FolderLock
from spielleiter.store.repair import REPAIR, repair
from spielleiter.store.stored_games import HAPPENED, OPENED
from spielleiter.web.recorder import OVER, GameRecorder
from tests.arenas import arena
from tests.databases import postgres_server
from tests.test_arena_restart import played

ENTRIES = [Entry("game", f"match/{number}", f"moves of game {number} …") for number in range(50)]


def filled(path: Path, entries: list[Entry] = ENTRIES) -> str:
    """A store with entries; its seal."""
    with closing(open_store(path)) as store:
        store.append(entries)
        return store.seal


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(statement, values)


def kept(path: Path, kind: str = "game") -> list[Entry]:
    with closing(open_store(path)) as store:
        assert list(store.check()) == []
        return list(store.read(kind))


# -------------------------------------------------------------------------------------------- locks


HOLDER = """
import sys
from pathlib import Path
from spielleiter.store.lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGKILL")
def test_a_folder_has_one_holder_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match=f"process {holder.pid}"), FolderLock(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait(60)
        with FolderLock(tmp_path), pytest.raises(StoreError, match="in use"):
            FolderLock(tmp_path).__enter__()
        with FolderLock(tmp_path):
            pass


def test_a_second_arena_on_the_same_folder_is_refused_and_nobody_else_reads_there(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "data"
    folder.mkdir(0o755)
    with arena(folder) as visitor:
        visitor.log_in()
        with pytest.raises(StoreError, match="in use by another arena"), arena(folder):
            pass
        assert visitor.get("/api/games")["games"] == []
        if os.name == "posix":
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
            assert {STORE, f"{STORE}-wal", "access.json", "arena.lock"} <= modes.keys()
            assert set(modes.values()) <= {0o600, 0o700}, modes
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700


# --------------------------------------------------------------------------------------- one damage


DAMAGES: dict[str, str] = {
    "no JSON": "update event set data = 'x' || data where {0}",
    "no text": "update event set data = cast(x'ff00fe' as text) where {0}",
    "no event": """update event set data = '{{"event": {{"kind": "?"}}, "facts": 3}}' where {0}""",
    "another type": "update event set data = 17 where {0}",
    "gone": "delete from event where {0}",
    "no hash": "update event set hash = 'text' where {0}",
}


@pytest.mark.parametrize("kind", [OPENED, HAPPENED, OVER])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_row_hides_at_most_its_own_game(tmp_path: Path, kind: str, damage: str) -> None:
    path = tmp_path / STORE

    async def fill() -> None:
        with closing(open_store(path)) as store:
            recorder = GameRecorder(store)
            for number in range(3):
                played(recorder, f"game-{number}", plies=4)
            recorder.close()

    asyncio.run(fill())
    chosen = f"kind = '{kind}' and key like 'game-1%' and (kind != '{HAPPENED}' or key like '%/5')"
    change(path, DAMAGES[damage].format(chosen))

    async def look() -> None:
        with closing(open_store(path)) as store:
            recorder = GameRecorder(store, on_failure=lambda problem: pytest.fail(str(problem)))
            found, _ = recorder.summaries("en")
            assert {each.id for each in found} >= {"game-0", "game-2"}
            for each in found:
                live = await recorder.find(each.id)
                assert live is not None
                assert live.state.is_over
                if each.id != "game-1":
                    assert live.state.turn == 4
            played(recorder, "game-3", plies=1)  # and it goes on
            recorder.close()
            assert len(list(store.read(OVER))) >= 3

    asyncio.run(look())


# ------------------------------------------------------------------------------------------- repair


@pytest.mark.parametrize(
    ("damage", "lost", "doubtful"),
    [
        ("update event set data = data || '!' where number = 9", ["entry 9"], []),
        ("update event set key = 'match/99' where number = 9", ["entry 9"], []),
        ("update event set data = cast(x'ff' as text) where number = 9", ["entry 9"], []),
        ("update event set data = 5 where number in (9, 11)", ["entry 9", "entry 11"], []),
        ("delete from event where number = 9", ["entry 9"], ["entry 10"]),
        ("update event set hash = x'00' where number = 9", [], ["entry 9"]),
        ("update event set hash = x'00', data = '' where number = 9", ["entry 9"], ["entry 10"]),
        ("update event set data = '' where number = 50", ["entry 50"], []),
        ("update event set data = '' where number = 1", ["entry 1"], []),
    ],
)
def test_a_repair_says_what_was_lost_and_keeps_the_rest(
    tmp_path: Path, damage: str, lost: list[str], doubtful: list[str]
) -> None:
    path = tmp_path / "store.db"
    filled(path)
    change(path, damage)
    report = repair(StoreAddress.of(path))
    assert [each.split(" (")[0].removesuffix(" cannot be read") for each in report.lost] == lost
    assert [each.split(" (")[0] for each in report.doubtful] == doubtful
    gone = {int(each.removeprefix("entry ")) - 1 for each in lost}
    assert kept(path) == [entry for at, entry in enumerate(ENTRIES) if at not in gone]
    assert report.kept == 50 - len(gone)
    assert len(kept(path, REPAIR)) == 1
    assert path.with_name("store.db.damaged").exists()


def test_a_store_without_damage_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    seal = filled(path)
    assert repair(StoreAddress.of(path)).is_whole
    assert [each.name for each in tmp_path.iterdir()] == ["store.db"]
    with closing(open_store(path)) as store:
        assert store.seal == seal


def test_what_can_be_read_of_a_file_with_broken_pages_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    entries = [Entry("game", f"match/{number}", "x" * 400) for number in range(2_000)]
    filled(path, entries)
    data = bytearray(path.read_bytes())
    draw = random.Random(5)
    for page in draw.sample(range(20, len(data) // 4096), 5):
        data[page * 4096 : (page + 1) * 4096] = draw.randbytes(4096)
    path.write_bytes(data)
    report = repair(StoreAddress.of(path))
    assert report.lost
    assert report.kept + len(report.lost) == 2_000
    assert report.kept > 1_800
    assert set(kept(path)) <= set(entries)
    assert len(kept(path)) == report.kept


def test_the_commands_verify_a_store_and_repair_it(tmp_path: Path) -> None:
    path = tmp_path / STORE
    seal = filled(path)
    run = CliRunner().invoke
    assert seal in run(cli, ["store", "verify", str(tmp_path), "--seal", seal]).output
    change(path, "update event set data = '' where number = 3")
    failed = run(cli, ["store", "verify", str(path)])
    assert isinstance(failed.exception, StoreError)
    assert "store repair" in str(failed.exception)
    told = run(cli, ["store", "repair", str(tmp_path)], catch_exceptions=False).output
    assert told.splitlines() == [
        "lost: entry 3 (game match/2) is not what was written",
        "49 entries kept, 1 lost.",
    ]
    assert run(cli, ["store", "verify", str(path)]).exit_code == 0


# --------------------------------------------------------------------------------------------- seal


def cut(path: Path) -> None:
    change(path, "delete from event where number > 40")


def rewrite(path: Path) -> None:
    path.unlink()
    filled(path, [*ENTRIES[:30], *reversed(ENTRIES[30:])])


@pytest.mark.parametrize(
    ("tamper", "told"),
    [(cut, "10 entries were cut off the end"), (rewrite, "entry 50 is not the one")],
)
def test_a_noted_seal_shows_what_the_chain_cannot(
    tmp_path: Path, tamper: Callable[[Path], None], told: str
) -> None:
    path = tmp_path / "store.db"
    seal = filled(path)
    tamper(path)
    with closing(open_store(path)) as store:
        assert list(store.check()) == []
        (wrong,) = store.check_seal(seal)
        assert wrong.startswith(told)


def test_a_seal_holds_although_entries_follow(tmp_path: Path) -> None:
    seal = filled(tmp_path / "store.db", ENTRIES[:20])
    with closing(open_store(tmp_path / "store.db")) as store:
        store.append(ENTRIES[20:])
        assert list(store.check_seal(seal)) == []
        assert list(store.check_seal("0:" + "00" * 32)) == []
        with pytest.raises(TextError, match="64 hexadecimal digits"):
            list(store.check_seal("20:abc"))


# ------------------------------------------------------------------------------ a database is away


class AnswerLost(Store):
    """Its database keeps what it is given and goes away before it says so."""

    def _insert(self, rows: list[dict[str, Any]], again: bool) -> None:
        super()._insert(rows, again)
        if not again:
            raise OperationalError("commit", {}, Exception("the connection was closed"))


@pytest.mark.skipif(os.name == "nt", reason="stops a server by a signal")
def test_a_database_that_was_away_for_a_while_is_written_to_again() -> None:
    with postgres_server() as server:
        pauses = []

        def come_back(pause: float) -> None:
            pauses.append(pause)
            if len(pauses) == 4:
                server.start()

        with closing(open_store(server.url, wait=come_back)) as store:
            store.append(ENTRIES[:10])
            server.stop()
            store.append(ENTRIES[10:20])
            assert pauses == [0.0, 0.1, 0.2, 0.4]
            server.stop()
            server.start()
            assert len(list(store.read("game"))) == 20  # its old connections are replaced
            engine, address = store._engine, StoreAddress.of(server.url)
            lossy = AnswerLost(engine, address, wait=lambda pause: None)
            lossy.append(ENTRIES[20:])
            assert list(store.read("game")) == ENTRIES
            assert list(lossy.check()) == []
        with closing(open_store(server.url, patience=0.3, wait=pauses.append)) as store:
            server.stop()
            with pytest.raises(StoreError):
                list(store.read("game"))

"""Backups of an arena: made while it runs, verified, restored; and data that was erased."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.accounts import webhooks as webhooks_module
from spielleiter.accounts.notices import SentNotice, TeamNotice
from spielleiter.accounts.webhooks import (
    Webhooks,
    body_of,
    checked_url,
    is_public,
    post,
    public_address,
)
from spielleiter.cli import cli
from spielleiter.errors import StoreError, UsageError
from spielleiter.service.backup import back_up, check_backup, restore
from spielleiter.store import Entry, open_store
from tests.people import accounts_in, add_released, add_team
from tests.serving import scripted

EDITION = games.names()[0]


def filled(data: Path) -> str:
    """A data folder with a record of games, a team and its bot; the version's id."""
    data.mkdir()
    (data / "access.json").write_text('{"password": null, "sessions": {}}')
    with accounts_in(data) as accounts:
        team = add_team(accounts, "Rays")
        made = add_released(accounts, team, "Manta", edition=EDITION)
        accounts.notices.tell(team, TeamNotice("played", "your first game"))
    store = open_store(data / "arena.db")
    store.append([Entry("game", str(number), f'{{"seats": ["{made.id}"]}}') for number in range(9)])
    store.close()
    return made.id


def test_a_backup_of_a_running_arena_is_verified_and_restored(tmp_path: Path) -> None:
    version = filled(tmp_path / "old")
    writer = open_store(tmp_path / "old" / "arena.db")  # somebody still writes to it
    made = back_up(tmp_path / "old", tmp_path / "copy.zip")
    writer.close()
    assert made.files == 3
    assert restore(tmp_path / "copy.zip", tmp_path / "new") == 3
    with accounts_in(tmp_path / "new") as accounts:
        found = accounts.bots.version(version)
        assert found.path.read_bytes() == b"print('a bot')\n"
        assert [told.notice.text for told in accounts.notices.of_team(found.team)] == [
            "your first game"
        ]
        accounts.notices.tell(found.team, TeamNotice("played", "another one"))
    store = open_store(tmp_path / "new" / "arena.db")
    assert list(store.check()) == []
    assert len(list(store.read("game"))) == 9
    store.close()


def test_a_backup_that_was_touched_is_not_restored(tmp_path: Path) -> None:
    filled(tmp_path / "old")
    back_up(tmp_path / "old", tmp_path / "copy.zip")
    with (
        zipfile.ZipFile(tmp_path / "copy.zip") as sound,
        zipfile.ZipFile(tmp_path / "touched.zip", "w") as touched,
    ):
        for name in sound.namelist():
            data = sound.read(name)
            touched.writestr(name, data + b" " if name == "access.json" else data)
    assert list(check_backup(tmp_path / "touched.zip")) == ["access.json is not what was written"]
    with pytest.raises(StoreError, match="nothing was restored"):
        restore(tmp_path / "touched.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_backup_without_a_bots_file_is_not_called_sound(tmp_path: Path) -> None:
    version = filled(tmp_path / "old")
    with accounts_in(tmp_path / "old") as accounts:
        accounts.bots.version(version).path.unlink()
    with pytest.raises(StoreError, match="is missing"):
        back_up(tmp_path / "old", tmp_path / "copy.zip")
    assert not (tmp_path / "copy.zip").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    filled(tmp_path / "old")
    back_up(tmp_path / "old", tmp_path / "copy.zip")
    with pytest.raises(UsageError, match="exists already"):
        back_up(tmp_path / "old", tmp_path / "copy.zip")
    with pytest.raises(UsageError, match="not empty"):
        restore(tmp_path / "copy.zip", tmp_path / "old")


def test_the_command_line_backs_up_and_restores(tmp_path: Path) -> None:
    filled(tmp_path / "old")
    file = str(tmp_path / "copy.zip")
    made = CliRunner().invoke(cli, ["arena", "backup", file, "--data", str(tmp_path / "old")])
    assert "verified" in made.output, made.output
    back = CliRunner().invoke(cli, ["arena", "restore", file, "--data", str(tmp_path / "new")])
    assert (back.exit_code, "3 files restored" in back.output) == (0, True), back.output


def test_the_record_stays_valid_when_people_are_erased(tmp_path: Path) -> None:
    version = filled(tmp_path / "old")
    with accounts_in(tmp_path / "old") as accounts:
        accounts.privacy.erase_team(accounts.bots.version(version).team)
        assert accounts.bots.version(version).name == ""
    store = open_store(tmp_path / "old" / "arena.db")
    assert list(store.check()) == []
    assert version in next(store.read("game")).data
    store.close()
    files = [each for each in (tmp_path / "old").rglob("*") if each.is_file()]
    for secret in (b"Rays", b"Manta", b"print('a bot')"):
        assert not [each.name for each in files if secret in each.read_bytes()]


def rebuilt(backup: Path, target: Path, change: Callable[[dict[str, Any], Any], None]) -> Path:
    """A backup in which somebody changed something, with right sums."""
    with zipfile.ZipFile(backup) as archive:
        files: dict[str, Any] = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("backup.json"))
    change(files, manifest)
    if isinstance(manifest.get("files"), dict):
        manifest["files"] = {name: sha256(each).hexdigest() for name, each in files.items()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in files.items():
            archive.writestr(name, each)
        archive.writestr("backup.json", json.dumps(manifest))
    return target


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    filled(folder / "data")
    back_up(folder / "data", folder / "backup.zip")
    return folder / "backup.zip"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("../evil", b"x"),
        ("/evil", b"x"),
        ("games.db", b"SQLite format 3\x00" + b"junk" * 100),
        ("other.db", b"nothing"),
        ("accounts.db", b"hello"),
        ("arena.lock", b"x"),
        ("x" * 300, b"x"),
        ("bots", b"x"),
        ("accounts.json", b"[" * 100_000),
        ("accounts.json", b'{"version": 5}'),
        ("accounts.json", b'{"version": [{"id": 1}]}'),
        ("accounts.json", b"{}"),
    ],
)
def test_a_hostile_backup_is_refused_and_reaches_nothing_else(
    sound: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    made = rebuilt(sound, tmp_path / "hostile.zip", lambda files, _: files.update({name: content}))
    with pytest.raises((StoreError, UsageError)):
        restore(made, tmp_path / "inside" / "data")
    assert not (tmp_path / "inside" / "evil").exists()


@pytest.mark.parametrize("strange", [["a"], 5, None])
def test_a_backup_with_a_strange_list_of_files_is_refused(
    sound: Path, tmp_path: Path, strange: Any
) -> None:
    made = rebuilt(sound, tmp_path / "b.zip", lambda _, found: found.update(files=strange))
    with pytest.raises(StoreError, match="no backup that can be read"):
        restore(made, tmp_path / "data")


def test_a_backup_that_the_disk_has_no_room_for_is_refused(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=10_000))
    with pytest.raises((StoreError, UsageError), match="the disk"):
        restore(sound, tmp_path / "data")


# --------------------------------------------------------------------------------------- webhooks


TOLD = SentNotice(7, 1.5, "team", TeamNotice("parked", "Manta v1: it fell asleep", "/bots/1"))


def test_a_webhook_is_sent_what_the_team_was_told_and_once_more_if_it_fails(
    tmp_path: Path,
) -> None:
    sent: list[tuple[str, bytes]] = []
    done = threading.Event()

    def send(url: str, body: bytes) -> None:
        sent.append((url, body))
        if len(sent) == 1:
            raise OSError("it answered 503")
        done.set()

    with accounts_in(tmp_path) as accounts:
        team = add_team(accounts, "Rays")
        accounts.teams.set_webhook(team, "https://chat.example/hook")
        webhooks = Webhooks(accounts.teams, send)
        accounts.notices.listen(webhooks.hear)
        webhooks.start()
        accounts.notices.tell(team, TOLD.notice)
        assert done.wait(60)
        webhooks.close(60)
    assert [url for url, _ in sent] == ["https://chat.example/hook"] * 2
    assert b'"text": "Manta v1: it fell asleep"' in sent[1][1]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://[::1]/",
        "http://10.0.0.7/",
        "http://169.254.169.254/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:a00:1::1]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://0x7f.1/",
        "ftp://x",
        "http://",
        "http://chat.example:99999/",
        "http://chat.example:0/",
        "http://chat.example/ä",
        "http://chat.example/a b",
        "http://chat.example/\r\nx: y",
        f"http://{'x' * 64}.example/",
    ],
)
def test_a_webhook_does_not_reach_our_own_ports(url: str) -> None:
    with pytest.raises(UsageError):
        public_address(urlsplit(url))


def test_a_webhook_that_names_us_is_not_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as ours:
        ours.settimeout(0.0)
        with pytest.raises(UsageError):
            post(f"http://127.0.0.1:{ours.getsockname()[1]}/", body_of(TOLD))
        with pytest.raises(BlockingIOError):
            ours.accept()


def test_an_address_that_stands_for_a_public_one_is_public() -> None:
    for each in ("8.8.8.8", "2606:4700::1", "64:ff9b::808:808", "2002:808:808::1"):
        assert is_public(each)


def test_nothing_that_a_webhook_does_keeps_others_from_being_told(tmp_path: Path) -> None:
    """Whatever it raises, it is asked twice and then left alone for a while."""
    asked: list[str] = []
    done = threading.Event()
    clock = [0.0]

    def send(url: str, body: bytes) -> None:
        asked.append(url)
        if "good" in url:
            done.set()
        else:
            raise UnicodeError("label too long") if len(asked) < 2 else OSError("no answer")

    with accounts_in(tmp_path) as accounts:
        bad, good = (add_team(accounts, name) for name in ("Bad ones", "Good ones"))
        accounts.teams.set_webhook(bad, "https://bad.example/")
        accounts.teams.set_webhook(good, "https://good.example/")
        webhooks = Webhooks(accounts.teams, send, lambda: clock[0])
        accounts.notices.listen(webhooks.hear)
        webhooks.start()
        for _ in range(5):
            accounts.notices.tell(bad, TOLD.notice)
        accounts.notices.tell(good, TOLD.notice)
        assert done.wait(60)
        assert asked == ["https://bad.example/"] * 2 + ["https://good.example/"]
        clock[0], done = 301.0, threading.Event()
        accounts.notices.tell(bad, TOLD.notice)
        accounts.notices.tell(good, TOLD.notice)
        assert done.wait(60)
        webhooks.close(60)
    assert asked[3:5] == ["https://bad.example/"] * 2


def test_a_webhook_that_answers_byte_by_byte_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks_module, "PATIENCE", 0.5)
    monkeypatch.setattr(webhooks_module, "is_public", lambda address: True)
    over = threading.Event()

    def drip(link: socket.socket) -> None:
        link.sendall(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.1):
            link.sendall(b"x")

    with scripted(drip) as port:
        with pytest.raises(TimeoutError, match="too long"):
            post(f"http://127.0.0.1:{port}/", body_of(TOLD))
        over.set()


def test_what_is_no_address_is_refused_and_not_kept() -> None:
    for url in ("http://[", "http://x:y/", "//chat.example/", "javascript:alert(1)"):
        with pytest.raises(UsageError):
            checked_url(url)

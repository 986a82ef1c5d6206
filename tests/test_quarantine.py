"""Uploads before they meet anybody: hostile ones harm only themselves, and say why."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import stat
import struct
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.quarantine import SLOW, TRIES, Quarantine
from spielleiter.cli import _uploads, main
from spielleiter.client.finding import Severity
from spielleiter.errors import MachineError
from spielleiter.handin import pitfalls, single_file
from spielleiter.handin.project import is_binary
from spielleiter.handin.upload_check import UploadCheck, without_places
from spielleiter.programs.program import program, start_options
from spielleiter.sandbox import probe
from tests.people import accounts_in, add_team, add_version

EDITION, OTHER = [name for name in games.names() if not is_binary(games.load(name))][:2]
LINE = {"kind": "problem", "about": "game", "text": "it fell asleep", "advice": "wake it"}
GOOD = {"kind": "fine", "about": "game", "text": "won", "advice": ""}


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[ArenaAccounts]:
    with accounts_in(tmp_path) as opened:
        yield opened


def checked(accounts: ArenaAccounts, *answers: object) -> None:
    """Let everything that waits be checked with these answers, one after the other."""
    left = list(answers)

    def check(file: Path, edition: str) -> str:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return json.dumps(answer)

    Quarantine(accounts.bots, accounts.notices, check).check_all()


# ------------------------------------------------------------------------------------- the verdict


def test_a_version_that_passes_plays_and_its_team_is_told(accounts: ArenaAccounts) -> None:
    team = add_team(accounts, "Rays")
    made = add_version(accounts, team, "Manta", edition=EDITION)
    checked(accounts, {"ready": True, "findings": [GOOD]})
    assert accounts.bots.version(made.id).state == "released"
    assert accounts.bots.bot(made.bot).active == made.id
    (told,) = accounts.notices.of_team(team)
    assert (told.notice.kind, told.notice.link) == ("released", f"/bots/{made.bot}")


def test_a_version_that_fails_never_plays_and_its_findings_are_kept(
    accounts: ArenaAccounts,
) -> None:
    made = add_version(accounts, add_team(accounts, "Rays"), "Manta", edition=EDITION)
    checked(accounts, {"ready": False, "findings": [GOOD, LINE]})
    found = accounts.bots.version(made.id)
    assert (found.state, found.reason, found.active) == ("rejected", "it fell asleep", False)
    lines = json.loads(accounts.bots.findings(made.id))
    assert [each["severity"] for each in lines] == ["fine", "problem"]
    assert lines[1]["advice"] == "wake it"


def test_a_check_that_cannot_be_made_is_made_again_and_does_not_hold_up_for_ever(
    accounts: ArenaAccounts,
) -> None:
    made = add_version(accounts, add_team(accounts, "Rays"), "Manta", edition=EDITION)
    down = MachineError("no memory left")

    def check(file: Path, edition: str) -> str:
        raise down

    quarantine = Quarantine(accounts.bots, accounts.notices, check)
    for _ in range(TRIES - 1):
        quarantine.check_all()
        assert accounts.bots.version(made.id).state == "waiting"
    quarantine.check_all()
    assert "a problem on our side" in accounts.bots.version(made.id).reason


def test_a_version_that_is_erased_while_it_is_checked_holds_up_nobody(
    accounts: ArenaAccounts,
) -> None:
    team = add_team(accounts, "Rays")
    first = add_version(accounts, team, "Manta", edition=EDITION)
    second = add_version(accounts, team, "Ray", edition=EDITION)

    def check(file: Path, edition: str) -> str:
        accounts.privacy.erase_bot(first.bot)
        return json.dumps({"ready": True, "findings": []})

    Quarantine(accounts.bots, accounts.notices, check).check_all()
    assert accounts.bots.version(first.id).state == "erased"
    assert accounts.bots.version(second.id).state == "released"


def test_the_thread_checks_what_comes_while_it_runs(accounts: ArenaAccounts) -> None:
    done = threading.Event()

    def check(file: Path, edition: str) -> str:
        return json.dumps({"ready": True, "findings": []})

    accounts.notices.listen(lambda told: done.set())
    quarantine = Quarantine(accounts.bots, accounts.notices, check)
    quarantine.start()
    try:
        add_version(accounts, add_team(accounts, "Rays"), "Manta", edition=EDITION)
        quarantine.wake()
        assert done.wait(60)
    finally:
        quarantine.close(60)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_check_that_hangs_holds_up_its_own_team_only(
    accounts: ArenaAccounts, workers: int
) -> None:
    """Where one check is made at a time, others go on when it has taken a minute."""
    hostile, other = add_team(accounts, "Hostile"), add_team(accounts, "Other")
    released, hanging, finish = threading.Event(), threading.Event(), threading.Event()
    started: list[str] = []

    def check(file: Path, edition: str) -> str:
        started.append(file.read_text())
        if file.read_text() == "hangs":
            hanging.set()
            assert finish.wait(60)
        return json.dumps({"ready": True, "findings": []})

    for content in (b"hangs", b"waits"):
        add_version(accounts, hostile, "Bad", edition=EDITION, content=content)
    good = add_version(accounts, other, "Good", edition=EDITION, content=b"plays")
    accounts.notices.listen(lambda told: released.set() if told.team == other else None)
    clock = [0.0]
    quarantine = Quarantine(accounts.bots, accounts.notices, check, workers, lambda: clock[0])
    quarantine.start()
    try:
        if workers == 1:
            assert hanging.wait(60)
            quarantine.relieve()
            assert not released.is_set()
            clock[0] += SLOW + 1
            quarantine.relieve()
        assert released.wait(60)
        assert accounts.bots.version(good.id).state == "released"
        assert sorted(started) == ["hangs", "plays"]
    finally:
        finish.set()
        quarantine.close(60)


# ----------------------------------------------------------------- archives, looked at, not started


def zipped(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def entry(name: str, content: bytes, mode: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, mode << 16
        archive.writestr(info, content)
    return target.getvalue()


def problems(data: bytes) -> list[str]:
    return [each.text for each in pitfalls.look(data) if each.severity.name == "PROBLEM"]


def test_a_path_that_leads_out_of_its_folder_is_named() -> None:
    assert "leads out of its folder" in problems(zipped(**{"../../evil.sh": b"#!/bin/sh"}))[0]


def test_a_link_is_named() -> None:
    data = entry("start.sh", b"/etc/passwd", stat.S_IFLNK | 0o777)
    assert any("is a link" in each for each in problems(data))


def test_a_bomb_is_not_unpacked() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.bin", bytes(1_000))
        archive.infolist()[0].file_size = 2**31
    assert problems(target.getvalue()) == ["unpacked it has more than 1 GB"]


def test_a_list_of_a_million_files_is_not_even_read() -> None:
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 65535, 65535, 80_000_000, 0, 0)
    assert problems(b"PK" + bytes(100) + end) == ["it holds more than 20000 files"]


# --------------------------------------------------------------------------- the real check, boxed


needs_box = pytest.mark.usefixtures("box")
HEAD = "from spielleiter.game import Bot\nimport os, socket, sys, time\n"
BODY = "class Player(Bot):\n    def choose(self, position, clock):\n"


def verdict(folder: Path, code: str, edition: str = EDITION, patience: float = 120.0) -> str:
    """The problems that the check in the sandbox finds in a Python file."""
    file = folder / "own" / "bot.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(code)
    found = json.loads(UploadCheck(patience=patience)(file, edition))
    lines = [each for each in found["findings"] if each["kind"] == "problem"]
    assert found["ready"] == (not lines)
    return "\n".join(each["text"] for each in lines)


ATTEMPTS = """
def steal():
    return open({secret!r}).read()
def knock():
    socket.create_connection(("127.0.0.1", {port}), 5).sendall(b"knock")
told = []
for attempt in (steal, knock):
    try:
        told.append(f"{{attempt.__name__}}: {{attempt()}}")
    except OSError as problem:
        told.append(f"{{attempt.__name__}}: {{problem.strerror}}")
raise SystemExit(", ".join(told))
"""


@needs_box
def test_a_bot_finds_no_files_of_others_and_our_own_ports_closed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as ours:
        ours.settimeout(0.0)
        attempts = ATTEMPTS.format(secret=str(secret), port=ours.getsockname()[1])
        found = verdict(tmp_path, HEAD + attempts)
        assert b"knock" not in said_by_visitors(ours)
    assert "steal: No such file" in found
    assert "knock: connection refused" in found.lower()
    assert "a secret" not in found


def said_by_visitors(listener: socket.socket) -> bytes:
    """What whoever has come so far says: other tests may have come to this port by mistake."""
    said = b""
    while True:
        try:
            visitor, _ = listener.accept()
        except BlockingIOError:
            return said
        with visitor, contextlib.suppress(TimeoutError, ConnectionError):
            visitor.settimeout(1.0)
            said += visitor.recv(100)


@needs_box
def test_a_bot_that_takes_all_memory_is_ended(tmp_path: Path) -> None:
    found = verdict(tmp_path, HEAD + "hog = [b'1' * 10**9 for _ in range(10)]\n")
    assert "MemoryError" in found or "before it took its seat" in found


@needs_box
def test_a_bot_that_forks_without_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    bomb = "try:\n    while True:\n        if os.fork() == 0:\n            time.sleep(600)\n"
    found = verdict(tmp_path, HEAD + bomb + "finally:\n    sys.exit('no more processes')\n")
    assert "seat" in found or "processes" in found


@needs_box
def test_a_bot_that_fills_the_disk_is_stopped(tmp_path: Path) -> None:
    fill = "with open('/tmp/full', 'wb') as file:\n    for _ in range(2_000):\n"
    found = verdict(tmp_path, HEAD + fill + "        file.write(bytes(1 << 20))\n")
    assert found


@needs_box
def test_a_zip_for_another_game_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "bot.zip"
    settings = f'[tool.spielleiter]\ngame = "{OTHER}"\n'.encode()
    script = zipfile.ZipInfo("start.sh")
    script.create_system, script.external_attr = 3, 0o100755 << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(script, "#!/bin/sh\nexit 1\n")
        archive.writestr("pyproject.toml", settings)
    found = json.loads(UploadCheck()(file, EDITION))
    assert any(f"it is a bot for {OTHER}" in each["text"] for each in found["findings"])


@pytest.mark.parametrize("ascii_only", [False, True])
def test_findings_name_files_and_no_folders_of_the_server(ascii_only: bool, tmp_path: Path) -> None:
    place = tmp_path / "Schüler"
    text = f"{place / 'bot.py'} line 3: no module; {place} is full; a/b stays"
    told = json.dumps({"findings": [{"text": text}]}, ensure_ascii=ascii_only)
    found = json.loads(without_places(told, (tmp_path, place, Path(tmp_path.anchor))))
    assert found["findings"][0]["text"] == "bot.py line 3: no module; … is full; a/b stays"


SYSTEM = Path("/bin/sh").resolve().read_bytes() if Path("/bin/sh").exists() else b""
OTHER_PROCESSOR = b"\x7fELF\x01\x01" + bytes(12) + (8).to_bytes(2, "little") + bytes(40)  # MIPS


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("bot.jar", b"this is no jar", "bot.jar is not a jar with a manifest"),
        ("bot", b"MZ" + bytes(100), "this is a program for Windows"),
        ("bot", bytes.fromhex("cffaedfe") + bytes(100), "this is a program for the Mac"),
        ("bot", OTHER_PROCESSOR, "this is a program for another processor"),
        ("bot", b"#!/bin/sh\r\nexit\r\n", "the script has Windows line endings"),
        ("bot", "nothing at all".encode("utf-16"), "this is neither a program for Linux nor"),
    ],
)
def test_a_file_that_cannot_be_started_here_is_refused_with_the_reason(
    name: str, content: bytes, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    (found,) = single_file.look(tmp_path / name)
    assert found.severity is Severity.PROBLEM
    assert found.text.startswith(text)
    assert found.advice


@pytest.mark.parametrize(
    ("name", "content"),
    [("bot.py", b"print(1)"), ("bot", b"#!/bin/sh\nexit\n"), ("bot", SYSTEM or b"#!/bin/sh\n")],
)
def test_what_can_be_started_is_tried_out(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert single_file.look(tmp_path / name) == []


@pytest.mark.deep  # the reason is tested above, what becomes of it by the ZIP
@needs_box
def test_a_program_for_another_system_is_not_even_started(tmp_path: Path) -> None:
    (tmp_path / "bot").write_bytes(b"MZ" + bytes(100))
    found = json.loads(UploadCheck()(tmp_path / "bot", EDITION))
    assert [each["text"] for each in found["findings"]] == [
        "this is a program for Windows, and this is Linux"
    ]
    assert not found["ready"]


@pytest.mark.parametrize("edition", games.names())
def test_a_program_is_told_where_to_connect_in_the_words_of_its_game(
    edition: str, tmp_path: Path
) -> None:
    file = tmp_path / "bot"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o700)
    game = games.load(edition)
    words = program(str(file), told=start_options(game)).words
    wanted = ("-i", "{host}", "-p", "{port}") if is_binary(game) else ("--host", "{host}")
    assert words[1 : 1 + len(wanted)] == wanted


def test_a_data_folder_that_every_bot_may_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = Path(sys.prefix) / "arena-data"
    with pytest.raises(SystemExit) as ended:
        main(["arena", "--data", str(inside)])
    assert ended.value.code == 2
    assert "which every bot may read: choose another with --data" in capsys.readouterr().err
    assert not inside.exists()
    _uploads.refuse_readable(tmp_path)


def test_where_nothing_holds_a_program_only_trust_lets_uploads_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_uploads, "why_no_uploads", lambda: "only Linux has namespaces")
    careful, trusting = _uploads.upload_settings(7, False), _uploads.upload_settings(7, True)
    assert careful["check_upload"] is None
    assert careful["uploads_refused"].startswith("only Linux has namespaces; ")
    assert not careful["trusts_uploads"]
    assert trusting["trusts_uploads"]
    assert trusting["check_upload"].level == probe().best.text
    monkeypatch.setattr(_uploads, "why_no_uploads", lambda: None)
    assert not _uploads.upload_settings(7, True)["trusts_uploads"]


@needs_box
def test_a_check_that_never_ends_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(HEAD + "time.sleep(600)\n")
    found = json.loads(UploadCheck(patience=3.0)(file, EDITION))
    assert "had not ended" in found["findings"][0]["text"]

"""From `new` to READY: good bots pass, every pitfall and every bad habit is named."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielleiter import games, native
from spielleiter.client.finding import Finding, Severity
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.handin import package, pitfalls, project, target, trial
from spielleiter.handin.candidate import Candidate
from spielleiter.server import strict
from tests.contests import SPOKEN, environment, said

FOLDERS = {games.load(name).folder: name for name in games.names()}
BINARY = [name for name in FOLDERS.values() if project.is_binary(games.load(name))]
NATIVE = [f".cpython-{version}-x86_64-linux-gnu.so" for version in ("311", "312")]
SCRIPT = b"#!/bin/sh\nexec python3 bot.py\n"


def only_one(chosen: str) -> list[Any]:
    """An edition of each game; those that were not chosen are for make test-deep."""
    deep = pytest.mark.deep
    wanted = {games.load(chosen).folder: chosen}
    return [
        wanted[folder] if folder in wanted else pytest.param(name, marks=deep)
        for folder, name in FOLDERS.items()
    ]


def made(folder: Path, name: str = SPOKEN) -> project.Project:
    """A new bot for a game."""
    project.create(folder, games.load(name))
    return project.read(folder)


# --------------------------------------------------------------------------------------------- new


@pytest.mark.parametrize("name", only_one(SPOKEN))
def test_a_new_bot_passes_its_own_tests(name: str, tmp_path: Path) -> None:
    text = said(tmp_path, "new", "my-bot", "--game", name)
    assert "start.sh" in text
    give_time(tmp_path / "my-bot" / "tests" / "test_bot.py")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        words, cwd=tmp_path / "my-bot", env=environment(), capture_output=True, text=True
    )
    assert "2 passed" in done.stdout, done.stdout
    assert (tmp_path / "my-bot" / "start.sh").stat().st_mode & stat.S_IXUSR
    assert b"\r" not in (tmp_path / "my-bot" / "start.sh").read_bytes()
    assert "exists already" in said(tmp_path, "new", "my-bot", "--game", name, status=2)


def give_time(test: Path) -> None:
    """Whether every move takes less than a moment is for a machine that has nothing else to do."""
    text = test.read_text("utf-8")
    assert "slowest < CLOCK.per_move" in text
    test.write_text(text.replace("slowest < CLOCK.per_move", "slowest < 60"), "utf-8")


@pytest.mark.parametrize("name", ["1st", "my bot", "böt", "-x", "a/../.."])
def test_a_bot_needs_a_name_that_works_everywhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no name"):
        project.create(tmp_path / name, games.load(SPOKEN))


# -------------------------------------------------------------------------------------------- pack


def test_a_zip_depends_on_its_files_alone_and_has_no_junk(tmp_path: Path) -> None:
    own = made(tmp_path / "bot")
    first = package.pack(own, tmp_path / "one.zip")
    for junk in (
        ".git/config",
        "__pycache__/bot.pyc",
        "venv/pyvenv.cfg",
        "env2/pyvenv.cfg",
        "x.db",
    ):
        (own.folder / junk).parent.mkdir(exist_ok=True)
        (own.folder / junk).write_text("junk")
    script = own.folder / "start.sh"
    script.write_bytes(b"\xef\xbb\xbf" + script.read_bytes().replace(b"\n", b"\r\n"))
    script.chmod(0o644)
    again = package.pack(own, tmp_path / "two.zip")
    assert again.digest == first.digest
    assert any("line ends" in line for line in again.notes)
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert {"start.sh", "bot.py", "lib/spielleiter/__init__.py"} < set(names)
        assert not [name for name in names if "tests/" in name or "/cli/" in name]
        assert "lib/spielleiter/tuning.py" not in names
        folders = {
            name.split("/")[3] for name in names if name.count("/games/") and name[-1] != "/"
        }
        kept = games.load(SPOKEN).folder.rpartition(".")[2]
        assert {each for each in folders if "." not in each} == {kept}
        assert archive.getinfo("start.sh").external_attr >> 16 == 0o100755
        assert archive.getinfo("bot.py").external_attr >> 16 == 0o100644
    assert not [
        each for each in pitfalls.look(first.file.read_bytes()) if each.severity is Severity.PROBLEM
    ]


HEAVY = {"click", "pydantic", "pydantic_core", "jinja2", "rich", "fastapi", "starlette", "uvicorn",
         "sqlalchemy", "alembic", "prometheus_client", "argon2", "websockets"}  # fmt: skip
ALONE = """
import importlib, pkgutil, sys
sys.path[:0] = sys.argv[1:]
import bot
import spielleiter
for name in ("bots", "client", "match", "protocol"):
    package = importlib.import_module(f"spielleiter.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("name", only_one(SPOKEN))
def test_a_packed_bot_imports_the_standard_library_and_itself_alone(
    name: str, tmp_path: Path
) -> None:
    packed = package.pack(made(tmp_path / "bot", name), tmp_path / "bot.zip")
    with zipfile.ZipFile(packed.file) as archive:
        top = {each.split("/")[1] for each in archive.namelist() if each.startswith("lib/")}
        archive.extractall(tmp_path / "unpacked")
    assert not top & HEAVY
    alone = [sys.executable, "-I", "-S", "-c", ALONE]  # without site-packages
    places = [str(tmp_path / "unpacked"), str(tmp_path / "unpacked" / "lib")]
    done = subprocess.run([*alone, *places], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {"bot", "spielleiter"} < set(done.stdout.split())
    assert not set(done.stdout.split()) & HEAVY


def test_what_a_bot_imports_is_put_in_from_wheels_without_a_network(tmp_path: Path) -> None:
    wheel = {
        "tiny/__init__.py": b"ANSWER = 42\n",
        "tiny-1.0.data/purelib/more.py": b"",
        "tiny-1.0.data/scripts/run": b"",
        "tiny-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
        "tiny-1.0.dist-info/RECORD": b"",
    }
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "tiny-1.0-py3-none-any.whl").write_bytes(package.zipped(wheel, set()))
    own = replace(made(tmp_path / "bot"), dependencies=("tiny>=1",))
    packed = package.pack(own, tmp_path / "bot.zip", tmp_path / "wheels")
    assert any("tiny-1.0" in line for line in packed.notes)
    with zipfile.ZipFile(packed.file) as archive:
        assert {"lib/tiny/__init__.py", "lib/more.py"} < set(archive.namelist())
        assert not [name for name in archive.namelist() if name.endswith("run")]
    own = replace(own, dependencies=("no-such-package",))
    with pytest.raises(UsageError, match="no wheels of no-such-package"):
        package.pack(own, tmp_path / "bot.zip", tmp_path / "wheels")


def test_a_zip_that_is_too_large_a_link_or_a_missing_script_is_refused(tmp_path: Path) -> None:
    own = made(tmp_path / "bot")
    with pytest.raises(UsageError, match=r"allowed; the largest: lib/.*MB"):
        package.pack(own, tmp_path / "bot.zip", largest=1000)
    (own.folder / "data").symlink_to(own.folder / "bot.py")
    with pytest.raises(UsageError, match="is a link"):
        package.pack(own, tmp_path / "bot.zip")
    (own.folder / "data").unlink()
    (own.folder / "start.sh").unlink()
    with pytest.raises(UsageError, match=r"no start\.sh"):
        package.pack(own, tmp_path / "bot.zip")


# ------------------------------------------------------------------------------------ where it runs


def wheel_of_ours(folder: Path, tags: str, **files: bytes) -> Path:
    """A wheel of the package as far as `pack` looks at it."""
    wheel = {"spielleiter/__init__.py": b"", **files}
    path = folder / f"spielleiter-0.1.0-{tags}.whl"
    path.write_bytes(package.zipped(wheel, set()))
    return path


@pytest.mark.parametrize(
    ("wheel", "version", "fits"),
    [
        ("x-1-cp311-cp311-manylinux_2_28_x86_64.whl", "3.11", True),
        ("x-1-cp311-cp311-manylinux_2_28_x86_64.whl", "3.12", False),
        ("x-1-cp312-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "3.12", True),
        ("x-1-cp312-abi3-linux_x86_64.whl", "3.14", True),
        ("x-1-cp312-abi3-linux_x86_64.whl", "3.11", False),
        ("x-1-cp312-abi3-macosx_11_0_arm64.whl", "3.12", False),
        ("x-1-cp312-abi3-manylinux_2_28_aarch64.whl", "3.12", False),
        ("x-1-cp312-abi3-win_amd64.whl", "3.12", False),
        ("x-1-1-py3-none-any.whl", "3.12", True),
        ("x-1-py2.py3-none-any.whl", "3.11", True),
        ("x.whl", "3.11", False),
    ],
)
def test_a_wheel_fits_its_python_and_system(wheel: str, version: str, fits: bool) -> None:
    assert target.named(version).accepts(wheel) == fits


def test_a_target_has_a_python() -> None:
    assert target.named("software-challenge").version == "3.12"
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert {target.named(each).version for each in ("here", "arena", "ladder")} == {here}
    with pytest.raises(UsageError, match=r"software-challenge, here, arena, ladder, or a version"):
        target.named("sofware-challenge")


def test_modules_that_were_compiled_for_tests_are_not_packed_without_a_word() -> None:
    ending = ".cpython-311-x86_64-linux-gnu.so"
    core, v3 = (f"spielleiter/games/nim/{name}{ending}" for name in ("_core", "_core_v3"))
    marked = b"\x7fELF" + package.TWIN + b"\0"
    assert package.narrow({core: b"\x7fELF", v3: b"\x7fELF"}) == ""
    assert "without AVX2: `make build`" in package.narrow({core: marked, v3: b"\x7fELF"})
    assert "such as this one: `make build`" in package.narrow({v3: b"\x7fELF"})
    root = Path(__file__).parents[1]
    assert package.TWIN.hex() in (root / "CMakeLists.txt").read_text("utf-8")


def test_a_bot_is_packed_for_the_python_of_its_target(tmp_path: Path) -> None:
    own = made(tmp_path / "bot")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    native_module = {"spielleiter/games/_core.abi3.so": b"native"}
    wheel_of_ours(wheels, "cp312-abi3-manylinux_2_28_x86_64", **native_module)
    wheel_of_ours(wheels, "cp311-cp311-manylinux_2_28_x86_64")
    wheel_of_ours(wheels, "py3-none-any")
    for version, chosen in {
        "3.12": "cp312-abi3",
        "3.11": "cp311-cp311",
        "3.10": "py3-none",
    }.items():
        packed = package.pack(own, tmp_path / "bot.zip", wheels, target=target.named(version))
        assert any(f"spielleiter-0.1.0-{chosen}" in line for line in packed.notes), packed.notes
        assert any(f"choose Python {version}" in line for line in packed.notes)
        with zipfile.ZipFile(packed.file) as archive:
            told = target.of_zip(archive)
            assert told is not None
            assert told.version == version
    (wheels / "spielleiter-0.1.0-py3-none-any.whl").unlink()
    with pytest.raises(UsageError, match="no wheel fits"):
        package.pack(own, tmp_path / "bot.zip", wheels, target=target.named("3.10"))


def test_without_a_fitting_wheel_the_rules_go_along_in_plain_python(tmp_path: Path) -> None:
    own = made(tmp_path / "bot")
    packed = package.pack(own, tmp_path / "bot.zip", target=target.named("3.99"))
    assert any("plain Python" in line and "--wheels" in line for line in packed.notes)
    with zipfile.ZipFile(packed.file) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]
        archive.extractall(tmp_path / "there")
    code = f"from spielleiter import games; print(games.load({SPOKEN!r}).start(1).legal_moves())"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "there" / "lib")},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert "legal moves" in done.stdout, done.stderr


def test_a_zip_that_does_not_fit_its_target_is_a_problem(tmp_path: Path) -> None:
    for_311 = {"start.sh": SCRIPT, f"lib/x{NATIVE[0]}": b""}
    contest = target.named("software-challenge")
    packed = {**for_311, target.FILE: target.described(contest, True)}
    for files, asked in ((packed, None), (for_311, contest)):
        found = pitfalls.look(package.zipped(files, set()), target=asked)
        (wrong,) = [each for each in found if each.severity is Severity.PROBLEM]
        assert wrong.text == "built for Python 3.11, and software-challenge runs Python 3.12"
    assert problems(package.zipped({"start.sh": SCRIPT, "lib/x.abi3.so": b""}, set())) == []
    stable = {"start.sh": SCRIPT, "lib/x.abi3.so": b"", f"lib/y{NATIVE[1]}": b""}
    assert not [
        each
        for each in pitfalls.look(package.zipped(stable, set()), target=contest)
        if each.severity is Severity.PROBLEM
    ]


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("import numpy as np", "numpy"),
        ("from torch.nn import Linear", "torch"),
        ("import spielleiter\ndef f(p):\n    return p.observe()", "numpy"),
        ("try:\n    import numba\nexcept ImportError:\n    pass", None),
        ("import json, helper, tiny", None),
        ("def broken(:", None),
    ],
)
def test_what_a_bot_imports_and_the_zip_lacks_is_named(source: str, needs: str | None) -> None:
    files = {"start.sh": SCRIPT, "bot.py": source.encode(), "helper.py": b""}
    files |= {"lib/tiny/__init__.py": b"", "lib/spielleiter/__init__.py": b""}
    found = problems(package.zipped(files, set()))
    assert found == ([] if needs is None else [f"bot.py needs {needs}, which is not in the ZIP"])


def test_new_names_pytest_where_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert project.first_steps() == "python -m pytest, change bot.py"
    monkeypatch.setattr(project, "find_spec", lambda name: None)
    assert "python -m pip install pytest, python -m pytest" in project.first_steps()


# ---------------------------------------------------------------------------------------- pitfalls


def problems(data: bytes, main: str | None = None) -> list[str]:
    return [each.text for each in pitfalls.look(data, main) if each.severity is Severity.PROBLEM]


def by_windows(name: str, data: bytes) -> bytes:
    """A ZIP as Windows makes it: without rights."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system = 0
        archive.writestr(info, data)
    return out.getvalue()


def jar(manifest: bytes) -> bytes:
    return package.zipped({"META-INF/MANIFEST.MF": manifest}, set())


@pytest.mark.parametrize(
    ("files", "pitfall"),
    [
        ({"start.sh": SCRIPT}, None),
        ({"start.sh": b"\xef\xbb\xbf" + SCRIPT}, "byte order mark"),
        ({"start.sh": SCRIPT.replace(b"\n", b"\r\n")}, "Windows line endings"),
        ({"start.sh": b"python3 bot.py\n"}, "no interpreter line"),
        ({"start.sh": SCRIPT + b"# \xff\n"}, "not UTF-8"),
        ({"start.sh": SCRIPT + b"pip install numpy\n"}, "needs a network"),
        ({"start.sh": SCRIPT + b"# pip install numpy\n"}, None),
        ({"start.sh": SCRIPT + b"pip install --no-index -f wheels numpy\n"}, None),
        ({"start.sh": SCRIPT + b"cd /home/anna/bot\n"}, "/home/anna/bot"),
        (
            {"start.sh": SCRIPT, "bot.py": b"open('C:\\\\bots\\\\net.bin')\n"},
            "path of your machine",
        ),
        ({"start.sh": SCRIPT, "bot.py": b"url = 'http://x/home/y'\n"}, None),
        ({"mybot/start.sh": SCRIPT, "mybot/bot.py": b""}, "one level too deep"),
        ({"bot.py": b""}, "no start script"),
        ({"a.sh": SCRIPT, "b.sh": SCRIPT}, "which one"),
        ({"a.sh": SCRIPT}, None),
        ({"start.sh": SCRIPT, "lib\\x.py": b""}, "backslashes"),
        ({"start.sh": SCRIPT, "../x.py": b""}, "leads out"),
        ({"start.sh": SCRIPT, "x\x07.py": b""}, "invisible characters"),
        ({"start.sh": SCRIPT, "Bot.py": b"", "bot.py": b""}, "there twice"),
        ({"start.sh": SCRIPT, "lib/x.cp311-win_amd64.pyd": b""}, "for another system"),
        ({"start.sh": SCRIPT, "lib/x.cpython-311-darwin.so": b""}, "for another system"),
        ({"start.sh": SCRIPT, f"lib/x{NATIVE[0]}": b"", f"lib/y{NATIVE[1]}": b""}, "has all of"),
        ({"start.sh": SCRIPT, f"lib/x{NATIVE[0]}": b"", f"lib/x{NATIVE[1]}": b""}, None),
        ({"bot.jar": jar(b"Main-Class: bot.Main\n")}, None),
        ({"bot.jar": jar(b"Created-By: us\n")}, "no main class"),
        ({"bot.jar": b"no jar"}, "not a jar with a manifest"),
    ],
)
def test_every_pitfall_is_found_and_nothing_else(
    files: dict[str, bytes], pitfall: str | None
) -> None:
    found = problems(package.zipped(files, {"start.sh", "a.sh"}))
    assert len(found) == (0 if pitfall is None else 1), found
    assert pitfall is None or pitfall in found[0]


def test_a_zip_without_rights_a_broken_one_and_a_large_one_are_found() -> None:
    assert "is not executable" in problems(by_windows("start.sh", SCRIPT))[0]
    assert "cannot be read" in problems(b"PK nonsense")[0]
    whole = package.zipped({"start.sh": SCRIPT * 100}, set())
    assert problems(whole[:60] + b"\x00\xff\x00" + whole[63:])
    large = pitfalls.look(whole, largest=10)
    assert [each.about for each in large if each.severity is Severity.PROBLEM] == ["size"]
    assert "there is no main.sh" in problems(whole, "main.sh")[0]


def test_the_version_of_python_to_choose_is_said() -> None:
    files = {"start.sh": SCRIPT, f"x{NATIVE[0]}": b"", f"x{NATIVE[1]}": b"", f"y{NATIVE[1]}": b""}
    found = pitfalls.look(package.zipped(files, set()))
    (version,) = [each for each in found if each.about == "native modules"]
    assert (version.severity, version.text) == (Severity.NOTE, "for Python 3.12")


def test_junk_and_odd_names_are_mentioned() -> None:
    files = {"start.sh": SCRIPT, "__pycache__/bot.pyc": b"x", ".git/config": b"x", "grün.py": b""}
    notes = [each.about for each in pitfalls.look(package.zipped(files, set()))]
    assert notes.count("junk") == 2
    assert "file names" in notes


# ------------------------------------------------------------------------------------------- check


UNHURRIED = """
from spielleiter.cli import main
from spielleiter.handin import trial
from spielleiter.server import strict
trial.MOVE_SECONDS, trial.SILENCE, strict._PATIENCE = 60.0, 90.0, 60.0
main()
"""
"""The program on a machine that may be busy: how long anything takes is not what is tested."""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the contest's start script needs Linux")
@pytest.mark.parametrize(
    "name",
    # The checks of uploads, too, find such a bot ready: those of the binary protocol do not.
    [*BINARY, pytest.param(SPOKEN, marks=[pytest.mark.deep] if BINARY else [])],
)
def test_a_new_bot_is_ready(name: str, tmp_path: Path) -> None:
    said(tmp_path, "new", "bot", "--game", name)
    words = [sys.executable, "-c", UNHURRIED, "check", "bot", "--for", "here", "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment(), capture_output=True, encoding="utf-8", timeout=600
    )
    found = json.loads(done.stdout)
    assert [each for each in found["findings"] if each["kind"] == "problem"] == []
    assert (found["ready"], done.returncode) == (True, 0)
    about = [each["about"] for each in found["findings"] if each["kind"] == "fine"]
    assert {"size", "main file", "start script", "memory"} < set(about)
    assert about.count("game") == 2
    assert about.count("strict server") >= 3


BAD = """
import os, sys, time
from spielleiter import Bot, run

class Bad(Bot):
    moves = 0
    def choose(self, position, clock):
        self.moves += 1
        if self.moves == 2:
            self.trouble(position)
        return position.legal_moves()[0]

class Dies(Bad):
    def trouble(self, position):
        sys.exit("I am off")

class Thinks(Bad):
    def trouble(self, position):
        time.sleep(1.1)

class Eats(Bad):
    def trouble(self, position):
        self.memory = bytearray(os.urandom(1)) * 120_000_000

class Stays(Bad):
    def trouble(self, position):
        pass

if __name__ == "__main__":
    run(globals()[sys.argv.pop(1)]())
"""


def findings(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch, game: Game | None = None
) -> list[Finding]:
    """What two games of a bad bot lead to; the strict server has its own tests."""
    (folder / "bad.py").write_text(BAD)
    monkeypatch.setattr(trial, "ALL", ())
    monkeypatch.setattr(trial, "MOVE_SECONDS", 1.0 if kind == "Thinks" else 60.0)
    monkeypatch.setattr(trial, "SILENCE", 90.0)
    monkeypatch.setattr(trial, "MEMORY", 100 * 10**6)
    words = (sys.executable, "bad.py", kind, "-h", "{host}", "-p", "{port}", "-r", "{reservation}")
    found: list[Finding] = []
    candidate = Candidate(words, folder, environment())
    trial.try_out(candidate, game or games.load(SPOKEN), found.append)
    return found


@pytest.mark.parametrize(
    ("kind", "trouble"),
    [
        ("Stays", None),
        ("Dies", "disconnected in the middle"),
        ("Thinks", r"slowest move [1-9]|answered a request too late"),
        ("Eats", "of 100 MB"),
        ("Nobody", "ended with status 1 before it took its seat; the last it printed: KeyError"),
    ],
)
def test_a_bad_habit_is_named(
    kind: str, trouble: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "Eats" and sys.platform != "linux":
        pytest.skip("only Linux tells how much memory others have")
    found = findings(tmp_path, kind, monkeypatch)
    bad = [each for each in found if each.severity is Severity.PROBLEM]
    assert bool(bad) == (trouble is not None), found
    assert trouble is None or any(re.search(trouble, each.text) for each in bad), bad
    assert all(each.advice for each in bad)


CARELESS = """
import re, socket, sys
host, port, code = sys.argv[1:]
sock = socket.create_connection((host, int(port)))
sock.settimeout(2)
sock.sendall(f'<protocol><joinPrepared reservationCode="{code}"/>'.encode())
data = sock.recv(100_000)
while data and b"<room" not in data:
    data = sock.recv(100_000)
"""


def test_a_client_that_takes_packets_for_messages_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "careless.py").write_text(CARELESS)
    chosen = tuple(each for each in strict.ALL if each.name in ("bytes", "layout"))
    monkeypatch.setattr(trial, "ALL", chosen)
    monkeypatch.setattr(trial, "MOVE_SECONDS", 60.0)
    monkeypatch.setattr(trial, "SILENCE", 90.0)
    words = (sys.executable, "careless.py", "{host}", "{port}", "{reservation}")
    found: list[Finding] = []
    trial.try_out(Candidate(words, tmp_path), games.load(SPOKEN), found.append)
    bad = [each for each in found if each.severity is Severity.PROBLEM]
    assert [each.about for each in bad] == ["game", "game", "strict server"]
    assert "first seat: it disconnected in the middle" in bad[0].text
    assert "second seat" in bad[1].text
    assert "every byte in a packet of its own: it disconnected in the middle" in bad[2].text
    rare = [each for each in found if each.severity is Severity.NOTE and "comments" in each.text]
    assert len(rare) == 1, "what no contest does is no reason to refuse a bot"


def test_the_game_of_a_zip_is_read_from_the_zip(tmp_path: Path) -> None:
    settings_ = f'[tool.spielleiter]\ngame = "{SPOKEN}"\n'.encode()
    whole = package.zipped({"start.sh": SCRIPT, "pyproject.toml": settings_}, set())
    (tmp_path / "bot.zip").write_bytes(whole)
    assert project.game_of_zip(tmp_path / "bot.zip") == SPOKEN
    (tmp_path / "bare.zip").write_bytes(package.zipped({"start.sh": SCRIPT}, set()))
    assert project.game_of_zip(tmp_path / "bare.zip") is None


@pytest.mark.skipif(os.name != "posix", reason="other systems know programs by their names")
def test_any_program_that_match_takes_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"#!/bin/sh\nexit 7\n")
    (tmp_path / "mine").chmod(0o755)
    text = said(tmp_path, "check", "./mine", "--game", SPOKEN, status=1)
    assert "ended with status 7 before it took its seat" in text


@pytest.mark.parametrize(
    ("file", "there"),
    [
        ("_core.cpython-399-x86_64-linux-gnu.so", "cpython-399-x86_64-linux-gnu"),
        ("_core.abi3.so", "Python 3.12 and later"),
    ],
)
def test_a_bot_packed_for_another_python_says_so_in_one_sentence(
    file: str, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"packed_{len(file)}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / name / file).write_bytes(b"")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(native, "_FIRST_STABLE", (3, 99))  # as on Python 3.11
    with pytest.raises(UsageError, match=f"built for {there}, and this is Py"):
        native.core(name)


def test_a_packed_bot_started_with_an_old_python_says_so_in_one_sentence() -> None:
    code = "import sys; sys.version_info = (3, 10, 13); import spielleiter"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert re.fullmatch(r"Spielleiter needs Python 3\.11 or newer, and this is \S+\n", done.stderr)


def test_check_says_what_it_cannot_check(tmp_path: Path) -> None:
    assert "which game" in said(tmp_path, "check", "greedy", status=2)
    assert "did you mean" in said(tmp_path, "check", "gredy", "--game", SPOKEN, status=2)
    assert "no file" in said(tmp_path, "check", "x.jar", "--game", SPOKEN, status=2)
    (tmp_path / "x.zip").write_bytes(b"nothing")
    text = said(tmp_path, "check", "x.zip", "--game", SPOKEN, status=1)
    assert "NOT READY: one problem" in text
    assert "→ build it again" in text


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_damage_to_a_zip_breaks_the_check(data: st.DataObject) -> None:
    whole = bytearray(package.zipped({"start.sh": SCRIPT, "bot.py": b"print()\n" * 50}, set()))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    pitfalls.look(bytes(whole[:cut] if data.draw(st.booleans()) else whole))

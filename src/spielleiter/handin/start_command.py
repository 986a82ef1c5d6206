"""The start command of a bot under test: a ZIP, a file, a command or a built-in player."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import zipfile
from pathlib import Path

from spielleiter import bots
from spielleiter.client.finding import Severity, found
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.handin import pitfalls
from spielleiter.handin.candidate import Candidate
from spielleiter.handin.project import is_binary
from spielleiter.handin.trial import OnFinding
from spielleiter.programs.program import is_file

_XML = ("--host", "{host}", "--port", "{port}", "--reservation", "{reservation}")
_BINARY = ("-i", "{host}", "-p", "{port}")
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMP", "JAVA_HOME")


def candidate_of(
    bot: str, game: Game, main: str | None, room: Path, report: OnFinding
) -> Candidate | None:
    """The command that starts a bot and its folder; None if it cannot be started on this system.

    `main` names the main file of a ZIP, which is unpacked into the folder `room`.
    """
    places = _BINARY if is_binary(game) else _XML
    if "{port}" in bot:
        return Candidate(tuple(shlex.split(bot, posix=os.name == "posix")), Path.cwd())
    if bot.endswith(".zip"):
        return _from_zip(Path(bot), main, room, places, report)
    path = Path(bot)
    if is_file(bot):
        if not path.is_file():
            raise UsageError(f"there is no file {bot!r}")
        return Candidate((*_started(path.resolve()), *places), path.resolve().parent)
    if bot.endswith(".py") and path.is_file() and "__main__" in path.read_text("utf-8", "replace"):
        return Candidate((sys.executable, str(path.resolve()), *places), path.resolve().parent)
    bots.load(bot)  # says what is wrong with it
    return Candidate(tuple(_ours(bot, game)), Path.cwd())


def _ours(bot: str, game: Game) -> list[str]:
    """The command that starts a built-in player or Python file with `spielleiter join`."""
    words = [sys.executable, "-m", "spielleiter"]
    if is_binary(game):
        return [*words, f"{game.name}-join", "--bot", bot, *_BINARY]
    return [*words, "join", game.name, "--bot", bot, *_XML]


def _from_zip(
    file: Path, main: str | None, room: Path, places: tuple[str, ...], report: OnFinding
) -> Candidate | None:
    """Unpack a ZIP as the contest does, with a clean environment."""
    inside = room / "unpacked"
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        start = pitfalls.main_file(archive, main)
        assert start is not None, "a ZIP without a main file is not started"
        archive.extractall(inside)
        for info in archive.infolist():
            if (info.external_attr >> 16) & 0o100 and not info.is_dir():
                (inside / info.filename).chmod(0o755)
    path = inside / start
    if os.name != "posix" and path.suffix == ".sh":
        report(found(Severity.NOTE, "start", "start.shell"))
        return None
    (room / "home").mkdir()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return Candidate((*_started(path), *places), inside, {**kept, "HOME": str(room / "home")})


def _started(path: Path) -> list[str]:
    if path.suffix == ".jar":
        if shutil.which("java") is None:
            raise UsageError("there is no java on this machine to start a .jar with")
        return ["java", "-jar", "-mx1500m", str(path)]
    return [str(path)]

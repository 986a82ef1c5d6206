"""`spielleiter check BOT`: is it ready for the contest?"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import click

from spielleiter import bots, games
from spielleiter.cli._options import GameName
from spielleiter.client.finding import Finding, Severity, note
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.handin import package, pitfalls, project
from spielleiter.handin.candidate import Candidate
from spielleiter.handin.project import is_binary
from spielleiter.handin.trial import Report, try_out
from spielleiter.programs.program import is_file

_COLOURS = {Severity.FINE: "green", Severity.NOTE: "yellow", Severity.PROBLEM: "red"}
_XML = ("--host", "{host}", "--port", "{port}", "--reservation", "{reservation}")
_BINARY = ("-i", "{host}", "-p", "{port}")
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TEMP", "TMP", "JAVA_HOME")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("bot", metavar="BOT")
@click.option("--game", type=GameName(), help="The edition; a project says it itself.")
@click.option("--main", metavar="FILE", help="The main file of a ZIP, if that is not start.sh.")
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Pack a project with packages from the wheels in this folder, as `pack` does.",
)
@click.option("--static", is_flag=True, help="Only look; start nothing.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def command(
    bot: str,
    game: str | None,
    main: str | None,
    wheels: Path | None,
    static: bool,
    as_json: bool,
) -> None:
    """Say whether BOT is ready to be handed in, and what to do if not.

    BOT is a project's folder, a contest ZIP, a .py, a .jar, a start script or another program, a
    built-in player, or a command with {host}, {port} and {reservation} in it. It is looked through
    for what goes wrong with ZIPs, plays two games against random moves, and meets the strict
    server; its start, time and memory are measured. Exit status 0 if it is ready, 1 if not.
    """
    found: list[Finding] = []

    def report(finding: Finding) -> None:
        found.append(finding)
        if not as_json:
            _show(finding)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if Path(bot).is_dir():
            bot, game, main = _packed(Path(bot), game, Path(folder), wheels, report)
        _check(bot, game, main, static, Path(folder), report)
    ready = not any(each.severity is Severity.PROBLEM for each in found)
    click.echo(_as_json(bot, ready, found) if as_json else _verdict(found))
    raise SystemExit(0 if ready else 1)


def _check(
    bot: str, game: str | None, main: str | None, static: bool, room: Path, report: Report
) -> None:
    if bot.endswith(".zip"):
        if not _looked_through(Path(bot), main, report):
            return
        game = game or project.game_of_zip(Path(bot))
    if static:
        return
    if game is None:
        raise UsageError("which game does it play? Say it with --game")
    edition = games.load(game)
    candidate = _candidate(bot, edition, main, room, report)
    if candidate is not None:
        try_out(candidate, edition, report)


def _packed(
    folder: Path, game: str | None, room: Path, wheels: Path | None, report: Report
) -> tuple[str, str | None, str]:
    """A project is packed first: what is handed in is what is checked."""
    own = project.read(folder)
    packed = package.pack(own, room / f"{own.name}.zip", wheels)
    for line in packed.notes:
        report(note("pack", line))
    return str(packed.file), game or own.game, own.start


def _looked_through(file: Path, main: str | None, report: Report) -> bool:
    """Look for pitfalls; whether it makes sense to start it."""
    try:
        found = pitfalls.look(file.read_bytes(), main)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    for each in found:
        report(each)
    return any(each.about == "main file" and each.severity is Severity.FINE for each in found)


# -------------------------------------------------------------------------------- how it is started


def _candidate(
    bot: str, game: Game, main: str | None, room: Path, report: Report
) -> Candidate | None:
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
    """A player that is no program of its own is started by ours."""
    words = [sys.executable, "-m", "spielleiter"]
    if is_binary(game):
        return [*words, f"{game.name}-join", "--bot", bot, *_BINARY]
    return [*words, "join", game.name, "--bot", bot, *_XML]


def _from_zip(
    file: Path, main: str | None, room: Path, places: tuple[str, ...], report: Report
) -> Candidate | None:
    """Unpacked as the contest does, without anything of this machine that could help it."""
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
        advice = "run `spielleiter check` on Linux, for instance in WSL"
        report(note("start", "a shell script cannot be started on this system", advice))
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


# ------------------------------------------------------------------------------------------ showing


def _show(finding: Finding) -> None:
    kind = click.style(f"{finding.severity.value:8}", fg=_COLOURS[finding.severity])
    click.echo(f"{kind}{finding.about}: {finding.text}")
    if finding.advice:
        click.echo(f"{'':8}→ {finding.advice}")


def _verdict(found: list[Finding]) -> str:
    problems = sum(each.severity is Severity.PROBLEM for each in found)
    if not problems:
        return click.style("\nREADY", fg="green", bold=True)
    count = "one problem" if problems == 1 else f"{problems} problems"
    return click.style(f"\nNOT READY: {count}", fg="red", bold=True)


def _as_json(bot: str, ready: bool, found: list[Finding]) -> str:
    findings = [
        {"kind": each.severity.name.lower(), "about": each.about, "text": each.text,
         "advice": each.advice}
        for each in found
    ]  # fmt: skip
    data = {"bot": bot, "ready": ready, "findings": findings}
    return json.dumps(data, indent=2, ensure_ascii=False)

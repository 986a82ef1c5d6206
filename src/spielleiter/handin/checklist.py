"""Whether a bot is ready to be handed in: pitfalls of its ZIP, two games, the strict server."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from spielleiter import games
from spielleiter.client.finding import Severity, found, note
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.handin import package, pitfalls, project, single_file
from spielleiter.handin.candidate import StartableBot
from spielleiter.handin.sandboxed import sandboxed_candidate
from spielleiter.handin.start_command import candidate_of
from spielleiter.handin.target import Target
from spielleiter.handin.trial import KeepGame, OnFinding, try_out
from spielleiter.sandbox import Box


@dataclass(frozen=True, slots=True)
class HandIn:
    """What is to be handed in."""

    bot: str
    """A project's folder, a ZIP, a file, a command or a built-in player."""
    game: str | None = None
    """The edition; a project and its ZIP name it themselves."""
    main: str | None = None
    """The main file of a ZIP; None: found as the contest finds it."""
    target: Target | None = None
    """The target platform; None: as the bot says itself."""
    box: Box | None = None
    """The sandbox; None: no sandbox, for one's own bot."""


def check(
    handed: HandIn,
    report: OnFinding,
    *,
    wheels: Path | None = None,
    static: bool,
    keep: KeepGame | None = None,
) -> str:
    """Report every finding; returns the file or command that was checked.

    A project is packed first, with the packages in `wheels`. A static check starts nothing. `keep`
    is called with each game.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        room = Path(folder)
        if Path(handed.bot).is_dir():
            handed = _packed(handed, room, wheels, report)
        _check(handed, static, room, report, keep)
    return handed.bot


@contextmanager
def profiled_player(handed: HandIn, wheels: Path | None = None) -> Iterator[tuple[str, str]]:
    """The edition, and the player as `match` takes it: of a project in Python its own file.

    A project in another language is packed first: its folder alone cannot play.
    """
    path, game = Path(handed.bot), handed.game
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if path.is_dir() and (path / "bot.py").is_file():
            game, player = game or project.read(path).game, str(path / "bot.py")
        else:
            if path.is_dir():
                handed = _packed(handed, Path(folder), wheels, lambda finding: None)
                path, game = Path(handed.bot), handed.game
            zipped = handed.bot.endswith(".zip")
            game = game or (project.game_of_zip(path) if zipped else None)
            player = f"{handed.bot}:{handed.main}" if zipped and handed.main else handed.bot
        if game is None:
            raise UsageError("which game does it play? Choose it with --game")
        yield game, player


def _check(
    handed: HandIn, static: bool, room: Path, report: OnFinding, keep: KeepGame | None
) -> None:
    bot, game = handed.bot, handed.game
    if bot.endswith(".zip"):
        if not _looked_through(Path(bot), handed, report):
            return
        game = game or project.game_of_zip(Path(bot))
        if not _is_for(game, project.game_of_zip(Path(bot)), report):
            return
    elif handed.box is not None and not _is_startable(Path(bot), report):
        return
    if static:
        return
    if game is None:
        raise UsageError("which game does it play? Choose it with --game")
    edition = games.load(game)
    candidate = _candidate(handed, edition, room, report)
    if candidate is not None:
        try_out(candidate, edition, report, keep)


def _is_startable(file: Path, report: OnFinding) -> bool:
    """Whether an upload that is a single file can be started on this machine."""
    findings = single_file.look(file) if file.is_file() else []
    for each in findings:
        report(each)
    return all(each.severity is not Severity.PROBLEM for each in findings)


def _is_for(game: str | None, own: str | None, report: OnFinding) -> bool:
    """Whether a ZIP that names its game is for this one."""
    if own is None or own == game:
        return True
    report(found(Severity.PROBLEM, "game", "other-game", own=own, game=str(game)))
    return False


def _candidate(handed: HandIn, game: Game, room: Path, report: OnFinding) -> StartableBot | None:
    if handed.box is None:
        return candidate_of(handed.bot, game, handed.main, room, report)
    main = f":{handed.main}" if handed.main else ""
    try:
        return sandboxed_candidate(handed.bot + main, game, handed.box)
    except UsageError as refused:  # a stranger learns nothing of where its file lies
        text = str(refused).replace(f"{Path(handed.bot).parent}{os.sep}", "")
        report(found(Severity.PROBLEM, "start", "start.refused", reason=text))
        return None


def _packed(handed: HandIn, room: Path, wheels: Path | None, report: OnFinding) -> HandIn:
    """Pack a project: the check runs on what is handed in."""
    own = project.read(Path(handed.bot))
    packed = package.pack(own, room / f"{own.name}.zip", wheels, target=handed.target)
    for line in packed.notes:
        report(note("pack", line))
    return replace(handed, bot=str(packed.file), game=handed.game or own.game, main=own.start)


def _looked_through(file: Path, handed: HandIn, report: OnFinding) -> bool:
    """Look for pitfalls; whether the bot can be started."""
    try:
        findings = pitfalls.look(file.read_bytes(), handed.main, target=handed.target)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    for each in findings:
        report(each)
    return any(each.about == "main file" and each.severity is Severity.FINE for each in findings)

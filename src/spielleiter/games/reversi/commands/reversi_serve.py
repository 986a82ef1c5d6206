"""`spielleiter reversi-serve`: the course's server, with its options, output, log and result."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import click

from spielleiter.errors import SpielleiterError, StoreError
from spielleiter.games.reversi import course, maps, wire
from spielleiter.games.reversi.commands._console import Console, Output
from spielleiter.games.reversi.commands._game_log import CourseLog
from spielleiter.games.reversi.commands._match_writer import MatchWriter
from spielleiter.match import Ended, Event, Opened, Violated
from spielleiter.server import Timekeeper, event_loop
from spielleiter.server.binary import BinarySettings, Board, Host, Listening
from spielleiter.server.open_files import allow_many_files

FAILED = 255
"""Exit status for wrong options, unreadable maps and missing clients."""
SHORTEST = 0.2
"""Seconds of the smallest time limit."""
LONGEST = 1e6
"""Seconds beyond which a number is no time."""
PAUSES = (1.0, 0.1)
"""What the course's server rests before the first request and after every move."""


class _WrongUsage(click.UsageError):
    """As the course's server: what is wrong, then the whole usage text."""

    exit_code = FAILED

    def __init__(self, message: str, ctx: click.Context | None = None) -> None:
        super().__init__(message, ctx or click.get_current_context(silent=True))

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"Error: {self.format_message()}", file=file, err=True)
        if self.ctx is not None:
            click.echo(f"\n{self.ctx.get_help()}", file=file, err=True)


class _Command(click.Command):
    """Wrong options end with the course server's status."""

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **extra)
        except click.UsageError as error:
            raise _WrongUsage(error.format_message(), error.ctx) from None


@click.command(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", metavar="[FILE]", nargs=-1)
@click.option(
    "-m",
    "--map",
    "maps_",
    metavar="FILE",
    multiple=True,
    help="The map: a file, the name of a map that `spielleiter maps` lists, or - for standard "
    "input. Several maps are served side by side, each on its own port.",
)
@click.option(
    "-t",
    "--timelimit",
    metavar="S",
    type=float,
    help="Seconds that every request adds to the player's account, at least 0.2; without it "
    "there is no limit.",
)
@click.option(
    "--clock",
    type=click.Choice(["account", "move"]),
    default="account",
    show_default=True,
    help="account: what a move leaves of its time is saved, as the course's server does. move: "
    "every move has the time limit for itself, and whoever exceeds it is out at once.",
)
@click.option(
    "-d",
    "--depthlimit",
    metavar="N",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="The search depth to announce.",
)
@click.option(
    "-r",
    "--result",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the result here. Of several games the second goes to FILE_2, and so on; of "
    "several maps to FILE_MAP.",
)
@click.option(
    "-p",
    "--baseport",
    metavar="N",
    type=click.IntRange(0, 65535),
    help="The port; if it is taken, the next free one. 0 takes any.  [default: 7777]",
)
@click.option(
    "-z",
    "--zleep",
    metavar="S",
    type=click.FloatRange(0, min_open=True),
    help="Give up if not all clients are there after S seconds.",
)
@click.option("-M", "hide_moves", is_flag=True, help="Do not mark legal moves.")
@click.option(
    "-C", "no_colours", is_flag=True, help="No colours (never used unless output is a terminal)."
)
@click.option("-s", "simple", is_flag=True, help="Simple output, for programs.")
@click.option(
    "--bind",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0 is everywhere.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many games to play on each map, as many at the same time as clients come for.",
)
@click.option(
    "--pauses",
    is_flag=True,
    help="Rest one second before the first request and a tenth of a second after every move, "
    "as the course's server does.",
)
@click.option(
    "--logs",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path("."),
    show_default=True,
    help="Where log files go.",
)
@click.option("--no-log", is_flag=True, help="Write no log file.")
@click.version_option(None, "-v", "--version", package_name="spielleiter")
def command(files: tuple[str, ...], maps_: tuple[str, ...], **options: Any) -> None:
    """Serve Reversi on the map FILE to clients of the course.

    They speak its binary protocol. Options, output, log and result file are those of the
    course's server. Exit status: 0 after any played game and for a map without moves, 255 for
    wrong options, an unreadable map or missing clients.
    """
    named = [*maps_, *files]
    if not named:
        raise _WrongUsage("no map: name one with -m FILE")
    if len(files) > 1 or (files and maps_):
        raise _WrongUsage("name the map once: with -m FILE or as the only argument")
    sys.exit(_serve(named, options))


def _serve(named: Sequence[str], options: dict[str, Any]) -> int:
    settings = _settings(options)
    if options["baseport"] is not None:
        click.echo(f"set baseport to {settings.port}\n" * 2, nl=False)
    click.echo("Starting Server.")
    if settings.limit is None:
        click.echo("No time limit: nobody is timed. Set one with -t S.")
    boards = [_load(name) for name in named]
    if None in boards:
        return FAILED
    playable = [board for board in boards if board is not None and _has_moves(board)]
    return _run(playable, settings, options) if playable else 0


def _settings(options: dict[str, Any]) -> BinarySettings:
    limit = options["timelimit"]
    if limit is not None and not SHORTEST <= limit < LONGEST:
        raise _WrongUsage(f"the time limit is {SHORTEST} seconds or more, not {limit:g}")
    if options["zleep"] is not None and not options["zleep"] < LONGEST:
        raise _WrongUsage("nobody waits that long")
    before, after = PAUSES if options["pauses"] else (0.0, 0.0)
    return BinarySettings(
        host=options["bind"],
        port=7777 if options["baseport"] is None else options["baseport"],
        limit=limit,
        per_move=options["clock"] == "move",
        depth=options["depthlimit"],
        games=options["games"],
        give_up=options["zleep"],
        before_game=before,
        after_move=after,
    )


# ------------------------------------------------------------------------------------------- maps


def _load(name: str) -> Board | None:
    """The map of that name; None, with the reason printed, if there is none."""
    shown = f"{name}.map" if name in maps.names() else Path(name).name
    click.echo(f'Loading board from file "{name}"... ', nl=False)
    try:
        text = sys.stdin.buffer.read(maps.LARGEST_TEXT + 1) if name == "-" else maps.load(name)
        maps.read(text)
    except maps.MapError as problem:
        click.echo(f"{_complaint(problem)}\nFAILED: Invalid argument")
        return None
    except SpielleiterError as problem:
        click.echo(f"\nFAILED: {problem}")
        return None
    click.echo("OK")
    return Board(shown, text, wire, name)


def _complaint(problem: maps.MapError) -> str:
    """The course server's words where it has any, then ours."""
    if "number of players" in problem.problem:
        return f"invalid number of players\n{problem}"
    if problem.cell is not None and problem.text[problem.at : problem.at + 2].strip():
        mark, (x, y) = problem.text[problem.at], problem.cell
        return f"invalid square '{mark}' at ({x},{y})\n{problem}"
    return str(problem)


def _has_moves(board: Board) -> bool:
    if board.start().outcome() is None:
        return True
    click.echo("Map is final, no moves at all possible.")
    return False


# ---------------------------------------------------------------------------------------- serving


def _run(boards: Sequence[Board], settings: BinarySettings, options: dict[str, Any]) -> int:
    allow_many_files()
    time = Timekeeper()
    with (
        contextlib.closing(Output(sys.stdout)) as out,
        contextlib.closing(event_loop(time)) as loop,
    ):
        asyncio.set_event_loop(loop)
        reporters = [_reporter(board, settings, options, out, len(boards)) for board in boards]
        status = loop.run_until_complete(_host_all(boards, settings, reporters, time))
        out.write("bye bye.\n")
    return status


async def _host_all(
    boards: Sequence[Board],
    settings: BinarySettings,
    reporters: Sequence[_Reporter],
    time: Timekeeper,
) -> int:
    hosts = []
    for board, reporter in zip(boards, reporters, strict=True):
        host = Host(board, settings, sinks=[reporter.report], notify=reporter.notice, time=time)
        try:
            await host.start()
        except SpielleiterError as problem:
            reporter.out.write(f"Opening port...\nFAILED: {problem}\n")
            return FAILED
        hosts.append(host)
        settings = replace(settings, port=host.port + 1 if settings.port else 0)
    for host in hosts:
        await host.finished()
    return FAILED if any(host.gave_up for host in hosts) else 0


def _reporter(
    board: Board, settings: BinarySettings, options: dict[str, Any], out: Output, boards: int
) -> _Reporter:
    several = boards > 1 or settings.games != 1
    console = Console(
        board,
        settings,
        out.write,
        marks=not options["hide_moves"],
        colours=sys.stdout.isatty() and not options["no_colours"],
        simple=options["simple"],
    )
    folder = None if options["no_log"] else options["logs"]
    result: Path | None = options["result"]
    if result is not None and boards > 1:
        result = result.with_stem(f"{result.stem}_{Path(board.name).stem}")
    return _Reporter(board, settings, out, None if several else console, folder, result)


@dataclass(slots=True)
class _Reporter:
    """Reports all games of a host: on the console, in log files, in result files."""

    board: Board
    settings: BinarySettings
    out: Output
    console: Console | None
    logs: Path | None
    result: Path | None
    port: int = 0
    writers: dict[str, MatchWriter] = field(default_factory=dict)

    def notice(self, notice: Any) -> None:
        if isinstance(notice, Listening):
            self.port = notice.port
        if self.console is not None:
            self.console.notice(notice)
        elif isinstance(notice, Listening):
            self.out.write(f"Opening port...OK. Port number is {notice.port}.\n")
            self.out.write(f"{self.board.name}: {self.settings.games} games\n")

    def report(self, room: str, event: Event) -> None:
        try:
            self._keep(room, event)
        except StoreError as problem:  # a full disk is no reason to end anybody's game
            click.echo(f"Error: {problem}", err=True)
        if self.console is not None:
            self.console.follow(event)
            if isinstance(event, Ended):
                groups = self.console.match.names
                self.out.write(course.ranks(event.outcome, groups, event.faults))
        else:
            self._report_briefly(room, event)

    def _keep(self, room: str, event: Event) -> None:
        """Write what is due into the log and the result."""
        if isinstance(event, Opened):
            self.writers[room] = self._writer()
        if room in self.writers:
            self.writers[room].follow(event)
        if isinstance(event, Ended) and room in self.writers:
            self._keep_result(room, self.writers.pop(room))

    def _writer(self) -> MatchWriter:
        if self.logs is None:
            return MatchWriter(self.board, self.settings, self.port)
        return CourseLog(self.board, self.settings, self.port, self.logs)

    def _report_briefly(self, room: str, event: Event) -> None:
        where = f"{self.board.name} game {room}"
        if isinstance(event, Opened):
            self.out.write(f"{where}: began, groups {', '.join(event.names)}\n")
        elif isinstance(event, Violated):
            fault = event.fault
            why = f"{fault.kind.value} {fault.detail} {fault.move}".strip()
            self.out.write(f"{where}: player {event.seat + 1} disqualified ({why})\n")
        elif isinstance(event, Ended):
            points = ", ".join(map(str, event.outcome.scores))
            ranks = ", ".join(map(str, event.outcome.ranks))
            self.out.write(f"{where}: ended, scores {points}; ranks {ranks}\n")

    def _keep_result(self, room: str, writer: MatchWriter) -> None:
        if self.result is None:
            return
        path = self.result
        if self.settings.games != 1 and room != "1":
            path = path.with_stem(f"{path.stem}_{room}")
        try:
            path.write_text(writer.result(), "utf-8", newline="\n")
        except OSError as problem:
            raise StoreError(f"the result {path} cannot be written: {problem}") from problem

"""Lets a bot play under the conditions of the contest, and lists what it failed.

Two games against random moves, one from each seat, as the contest itself tests; then the strict
server, whose games are cut short. The bot is started anew for every game, as in the contest.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from spielleiter import bots
from spielleiter.client import binary
from spielleiter.client.finding import Finding, Severity, found, messages
from spielleiter.errors import SpielleiterError
from spielleiter.game import Game
from spielleiter.handin.candidate import StartableBot, TrialProgram
from spielleiter.handin.project import is_binary
from spielleiter.match import Ended, Event, Fault, Kind, PerMove, Played, Seated
from spielleiter.server import Settings, Timekeeper, event_loop
from spielleiter.server import binary as course
from spielleiter.server.door import Door, OwnConnections, Streams
from spielleiter.server.strict import (
    ALL,
    Scenario,
    Stage,
    as_it_is,
    byte_by_byte,
    pump,
    slow_bytes,
    two_at_once,
)
from spielleiter.text import Text

MOVE_SECONDS, SILENCE = 2.0, 10.0
MEMORY = 1_500 * 10**6
HOST = "127.0.0.1"
_COMING, _LONGEST = 60.0, 900.0
_SLOW_START, _CLOSE_TIME, _CLOSE_MEMORY = 5.0, 0.8, 0.8
_TICK = 0.1
_CUT = 12
_FLOOD = 1 << 20
_RARE = {"strange", "layout", "end"}
"""Scenarios that the protocol allows but no contest server has shown yet. Official clients fail
some of them too, so they do not disqualify a bot."""

GAMES = (
    Scenario("first", "a game against random moves, first seat"),
    Scenario("second", "a game against random moves, second seat", client_begins=False),
)
COURSE = (
    *GAMES,
    Scenario("bytes", "every byte in a packet of its own", byte_by_byte),
    Scenario("together", "several messages in one packet", two_at_once, client_begins=False),
    Scenario("slow", "messages that arrive slowly", slow_bytes),
)

OnFinding = Callable[[Finding], None]


@dataclass(frozen=True, slots=True)
class TrialGame:
    """The result of one trial game."""

    scenario: Scenario
    weakness: str | None
    events: tuple[Event, ...]
    program: TrialProgram
    strangers: int = 0
    """Connections of other programs that were refused meanwhile."""

    @property
    def moves(self) -> list[float]:
        """Seconds that each move of the bot took."""
        seat = self.scenario.seat
        return [
            each.spent for each in self.events if isinstance(each, Played) and each.seat == seat
        ]

    @property
    def seated(self) -> float | None:
        """Seconds from its start until it had its seat."""
        for each in self.events:
            if isinstance(each, Seated) and each.seat == self.scenario.seat:
                return max(0.0, each.at - self.program.began)
        return None

    @property
    def ended(self) -> Ended | None:
        """The final event, if the game ended."""
        return next((each for each in self.events if isinstance(each, Ended)), None)


KeepGame = Callable[[TrialGame], None]


def try_out(
    candidate: StartableBot, game: Game, report: OnFinding, keep: KeepGame | None = None
) -> None:
    """Play all games; calls `report` with each finding and `keep` with each game."""
    with closing(event_loop(Timekeeper())) as loop:
        play = _on_the_course if is_binary(game) else _in_the_contest
        courses = loop.run_until_complete(play(candidate, game, report))
    if keep is not None:
        for each in courses:
            keep(each)
    for finding in _head_room(courses):
        report(finding)


async def _in_the_contest(
    candidate: StartableBot, game: Game, report: OnFinding
) -> list[TrialGame]:
    settings = Settings(HOST, 0, seed=1, clock=PerMove(MOVE_SECONDS, SILENCE))
    stage = Stage(game, settings, lambda _: None)
    await stage.open()
    strict = [_cut(scenario) for scenario in ALL if scenario.name != "plain"]
    try:
        return await _all((*GAMES, *strict), partial(_met, candidate, stage), report)
    finally:
        await stage.close()


def _cut(scenario: Scenario) -> Scenario:
    """End a game halfway, to save time."""
    return scenario if scenario.event else replace(scenario, event="cancel", after=_CUT)


async def _met(candidate: StartableBot, stage: Stage, scenario: Scenario) -> TrialGame:
    programs: list[TrialProgram] = []

    def start(port: int, code: str) -> TrialProgram:
        programs.append(candidate.start(HOST, port, code))
        return programs[0]

    weakness = await _bounded(stage.play(scenario, start), programs, lambda: stage.events, scenario)
    program = programs[0]
    await asyncio.to_thread(program.end)
    return TrialGame(scenario, weakness, tuple(stage.events), program, stage.strangers)


async def _all(
    scenarios: Sequence[Scenario],
    play: Callable[[Scenario], Awaitable[TrialGame]],
    report: OnFinding,
) -> list[TrialGame]:
    courses = []
    for scenario in scenarios:
        course_ = await play(scenario)
        courses.append(course_)
        for finding in _judged(course_):
            report(finding)
        if course_.seated is None:
            break  # it will not come the next time either
    return courses


async def _bounded(
    playing: Awaitable[str | None],
    programs: list[TrialProgram],
    events: Callable[[], Sequence[Event]],
    scenario: Scenario,
) -> str | None:
    """Play a game with a time limit."""
    task, began = asyncio.ensure_future(playing), time.monotonic()
    while not task.done():
        await asyncio.wait([task], timeout=_TICK)
        seated = any(isinstance(each, Seated) and each.seat == scenario.seat for each in events())
        waited = time.monotonic() - began
        gone = bool(programs) and programs[0].is_gone
        if not task.done() and not seated and (gone or waited > _COMING):
            await _cancelled(task)
            return _absent(programs[0] if programs else None)
        if waited > _LONGEST:
            await _cancelled(task)
            return messages("weakness.endless", minutes=round(_LONGEST / 60))
    return task.result()


async def _cancelled(task: asyncio.Future[str | None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _absent(program: TrialProgram | None) -> str:
    if program is None or not program.is_gone:
        return messages("weakness.absent", seconds=round(_COMING))
    if program.trouble:
        return program.trouble
    if program.status is None:
        return messages("weakness.ended")
    return messages("weakness.ended-with", status=program.status)


# --------------------------------------------------------------------------- the course's protocol


async def _on_the_course(candidate: StartableBot, game: Game, report: OnFinding) -> list[TrialGame]:
    usual = next(option.default for option in game.options if option.name == "map")
    text = game.part("maps").load(usual)
    board = course.Board("check", text, game.part("wire"))
    return await _all(COURSE, partial(_hosted, candidate, game, board), report)


async def _hosted(
    candidate: StartableBot, game: Game, board: course.Board, scenario: Scenario
) -> TrialGame:
    table = _CourseTable(game, board, scenario)
    programs: list[TrialProgram] = []

    def start(port: int) -> TrialProgram:
        programs.append(candidate.start(HOST, port))
        return programs[0]

    weakness = await _bounded(table.play(start), programs, lambda: table.events, scenario)
    await table.close()
    await asyncio.to_thread(programs[0].end)
    return TrialGame(scenario, weakness, tuple(table.events), programs[0], table.strangers)


class _CourseTable:
    """One game of the course's protocol: a host behind a proxy, with our opponent."""

    def __init__(self, game: Game, board: course.Board, scenario: Scenario) -> None:
        self._game, self._scenario = game, scenario
        settings = course.BinarySettings(HOST, 0, limit=MOVE_SECONDS)
        self._own = OwnConnections()
        self._host = course.Host(
            board,
            settings,
            sinks=[self._note],
            notify=self._hear,
            admits=self._own.admits,
        )
        self._door: Door | None = None
        self.events: list[Event] = []
        self._waits = asyncio.Event()
        self._tasks: list[asyncio.Future[object]] = []

    @property
    def strangers(self) -> int:
        """Connections of other programs that were refused."""
        return 0 if self._door is None else self._door.strangers

    async def play(self, start: Callable[[int], TrialProgram]) -> str | None:
        """Play the game; returns the weakness that the bot showed, or None."""
        await self._host.start()
        self._door = Door(HOST, 0, lambda client: self._do(self._between(client)))
        self._door.expect_nobody()
        if not self._scenario.client_begins:
            self._opponent()
            await self._waits.wait()
        self._door.expect(start(self._door.port))
        if self._scenario.client_begins:
            await self._waits.wait()
            self._opponent()
        await self._host.finished()
        self._door.close()
        ended = next((each for each in self.events if isinstance(each, Ended)), None)
        fault = ended.faults[self._scenario.seat] if ended else None
        return None if fault is None else _course_weakness(fault)

    async def close(self) -> None:
        if self._door is not None:
            self._door.close()
        await self._host.stop()
        for task in self._tasks:
            task.cancel()

    def _note(self, _: str, event: Event) -> None:
        self.events.append(event)
        if self._door is not None:
            self._door.refuse_others()  # all seats are taken

    def _do(self, work: Awaitable[object]) -> None:
        self._tasks.append(asyncio.ensure_future(work))

    def _opponent(self) -> None:
        player = bots.load("random", seed=1)

        def play() -> None:
            player.prepare(self._game.start(0))
            with (
                contextlib.suppress(SpielleiterError, OSError),
                self._own.connect(HOST, self._host.port) as sock,
            ):
                binary.play(player, self._game, sock, warn=lambda _: None)

        self._do(asyncio.to_thread(play))

    def _hear(self, notice: course.Notice) -> None:
        if isinstance(notice, course.LobbyChanged) and any(
            each is not None for each in notice.groups
        ):
            self._waits.set()

    async def _between(self, client: Streams) -> None:
        sock = self._own.connect(HOST, self._host.port)
        inner = Streams(*await asyncio.open_connection(sock=sock))
        try:
            await asyncio.gather(
                pump(client, inner, as_it_is), pump(inner, client, self._scenario.distortion)
            )
        finally:
            inner.abort()
            client.abort()


_FAULTS = {
    Kind.ILLEGAL: "illegal-move",
    Kind.LATE: "overdrawn",
    Kind.SILENT: "no-answer",
    Kind.LEFT: "left",
}


def _course_weakness(fault: Fault) -> str:
    key = _FAULTS.get(fault.kind, "disqualified")
    return messages(f"weakness.{key}", move=str(fault.move), detail=fault.detail)


# ----------------------------------------------------------------------------------------- judging


def _judged(course_: TrialGame) -> list[Finding]:
    """The findings of one game."""
    findings = [_about_game(course_)]
    if course_.strangers:
        name = messages(f"scenario.{course_.scenario.name}")
        count = course_.strangers
        findings.append(found(Severity.NOTE, "strangers", "strangers", scenario=name, count=count))
    if course_.weakness is None and course_.program.trouble:
        advice = messages("end.advice")
        findings.append(Finding(Severity.NOTE, "end", course_.program.trouble, advice))
    return findings


def _about_game(course_: TrialGame) -> Finding:
    scenario, said = course_.scenario, course_.program.said
    is_game = scenario in GAMES
    about = "game" if is_game else "strict server"
    name = messages(f"scenario.{scenario.name}")
    if course_.weakness is not None:
        key = f"{'game' if is_game else 'strict'}.{'said' if said else 'failed'}"
        values = {"scenario": name, "weakness": course_.weakness}
        last = {"said": said.splitlines()[-1]} if said else {}
        severity = Severity.NOTE if scenario.name in _RARE else Severity.PROBLEM
        return found(severity, about, key, **values, **last)
    if is_game:
        return found(Severity.FINE, about, "game.played", scenario=name, ending=_ending(course_))
    return Finding(Severity.FINE, about, name)


def _ending(course_: TrialGame) -> str:
    ended = course_.ended
    if ended is None:
        return messages("ending.played")
    rank = ended.outcome.ranks[course_.scenario.seat]
    word = "drawn" if ended.outcome.ranks.count(1) > 1 else "won" if rank == 1 else "lost"
    return messages(f"ending.{word}", moves=len(course_.moves))


def _head_room(courses: list[TrialGame]) -> list[Finding]:
    """Findings on start time, thinking time and memory over all games."""
    starts = [each.seated for each in courses if each.seated is not None]
    moves = [seconds for each in courses for seconds in each.moves]
    peak = max((each.program.peak for each in courses), default=0)
    findings = [_start(max(starts))] if starts else []
    findings += [_time(max(moves))] if moves else []
    findings.append(_memory(peak) if peak else found(Severity.NOTE, "memory", "memory.unknown"))
    most = max((each.program.printed for each in courses), default=0)
    if most > _FLOOD:
        findings.append(found(Severity.NOTE, "output", "output", megabytes=f"{most / 2**20:.0f}"))
    return findings


def _start(seconds: float) -> Finding:
    values = {"seconds": _decimal(seconds, 1)}
    if seconds > _SLOW_START:
        return found(Severity.NOTE, "start", "start.slow", **values)
    return found(Severity.FINE, "start", "start.quick", **values)


def _decimal(value: float, places: int) -> Text:
    """A number in the reader's notation."""
    whole, _, part = f"{value:.{places}f}".partition(".")
    return messages("decimal", whole=whole, part=part)


def _time(seconds: float) -> Finding:
    values = {"seconds": _decimal(seconds, 2), "limit": f"{MOVE_SECONDS:.0f}"}
    if seconds > MOVE_SECONDS:
        return found(Severity.PROBLEM, "time", "time.over", **values)
    if seconds > _CLOSE_TIME * MOVE_SECONDS:
        return found(Severity.NOTE, "time", "time.close", **values)
    return found(Severity.FINE, "time", "time.fine", **values)


def _memory(peak: int) -> Finding:
    values = {"megabytes": f"{peak / 10**6:.0f}", "limit": f"{MEMORY / 10**6:.0f}"}
    if peak > MEMORY:
        return found(Severity.PROBLEM, "memory", "memory.over", **values)
    if peak > _CLOSE_MEMORY * MEMORY:
        return found(Severity.NOTE, "memory", "memory.close", **values)
    return found(Severity.FINE, "memory", "memory.fine", **values)

"""Analyses of positions and games, each in a separate process, few at a time.

A new request of a client replaces its previous one. The process ends when its client goes away.
Processes run at low priority, so they do not slow games.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from spielleiter.errors import UsageError
from spielleiter.game import Game, Gesture, Position
from spielleiter.match import Frame
from spielleiter.review.chances import Chances, Grade, ScoredLine, chances, decided, verdict
from spielleiter.web.analysis_cache import AnalysisCache, Key
from spielleiter.web.analysis_process import AnalysisProcess
from spielleiter.web.game_state import described
from spielleiter.web.language import Translate
from spielleiter.web.models import Model
from spielleiter.web.quick_evaluation import QuickEvaluation
from spielleiter.web.serialisation import translated_gesture

MOST_SECONDS = 600.0
"""For all positions of one analysis together."""
_PATIENCE = 60.0
"""Seconds until a silent process counts as broken; it has low priority."""
_BY_VISITOR = 4
"""Analyses that one visitor may wait for."""
_DRAWN = 8
"""Moves of a line that are described."""
ALL = 0
"""A number of lines that covers every legal move."""


# ----------------------------------------------------------------------------------------- models


class BestLine(Model):
    """A move and the play expected to follow."""

    score: int
    chance: float
    """Of winning, for the seat to move."""
    ends_in: int | None
    """Plies until the certain end; None: not known."""
    ends_by: int | None
    """Points by which it is certainly won or lost; None: not known."""
    moves: tuple[str, ...]
    drawn: tuple[Gesture, ...]
    """The first of them, as people read and draw them."""


class Queued(Model):
    """The analysis waits behind others."""

    kind: Literal["queued"] = "queued"
    ahead: int


class AnalysisBegan(Model):
    """The analysis begins."""

    kind: Literal["began"] = "began"
    engine: str
    turns: int


class Evaluated(Model):
    """The evaluation of a position so far."""

    kind: Literal["evaluated"] = "evaluated"
    turn: int
    to_move: int | None
    chances: tuple[float | None, ...]
    """For each seat; null: not known at this turn."""
    lines: tuple[BestLine, ...]
    depth: int
    nodes: int
    seconds: float
    final: bool
    """Whether the engine is done with this position."""


class Judged(Model):
    """What the move that led to a turn gave away."""

    kind: Literal["judged"] = "judged"
    turn: int
    seat: int
    move: str
    gesture: Gesture | None
    """The move as people read and draw it."""
    drop: float
    grade: Grade
    better: BestLine


class Finished(Model):
    """The analysis is complete."""

    kind: Literal["finished"] = "finished"


class Failed(Model):
    """The analysis failed."""

    kind: Literal["failed"] = "failed"
    code: Literal["superseded", "busy", "broken"]
    message: str


AnalysisEvent = Queued | AnalysisBegan | Evaluated | Judged | Finished | Failed
Interpret = Callable[[dict[str, Any]], Iterator[AnalysisEvent]]
"""Turns a report of the process into events."""


class AnalysisMessage(Model):
    """The data of one message of an analysis; the event is called as its `kind`."""

    message: Annotated[AnalysisEvent, Field(discriminator="kind")]


# -------------------------------------------------------------------------------------- processes


@dataclass(frozen=True, slots=True)
class AnalysisOrder:
    """Positions to be analysed one after the other."""

    game: Game
    engine: str
    positions: tuple[str, ...]
    seconds: float
    lines: int
    looked_at: int = 0
    """The index of the position that the visitor looks at."""

    def key(self, at: int) -> Key:
        """The cache key of a position."""
        game = self.game
        return (game.name, game.authority, self.engine, self.lines, self.positions[at])

    def text(self, wanted: Sequence[int], **more: Any) -> bytes:
        """The order as sent to the process, with the given positions."""
        data = {
            "edition": self.game.name,
            "authority": self.game.authority,
            "engine": self.engine,
            "positions": [self.positions[at] for at in wanted],
            "seconds": self.seconds,
            "lines": self.lines,
            **more,
        }
        return json.dumps(data).encode() + b"\n"


class AnalysisPool:
    """Manages the processes. `command` reads an order and writes reports.

    `engines` lists the engines of a game, the best first. `look`, if given, gives a quick
    evaluation while an analysis waits.
    """

    def __init__(
        self,
        command: Sequence[str] = (),
        engines: Callable[[Position], tuple[str, ...]] = lambda position: (),
        *,
        hands: int = 1,
        queue: int = 24,
        look: QuickEvaluation | None = None,
    ) -> None:
        self._command, self.engines, self._look = tuple(command), engines, look
        self._free, self._queue = asyncio.Semaphore(hands), queue
        self._cache = AnalysisCache()
        self._waiting = 0
        self._asking: dict[str, asyncio.Event] = {}

    @property
    def running(self) -> int:
        """How many are being served or wait."""
        return len(self._asking)

    def prepare(self) -> None:
        """Start the quick evaluation's process, since an analysis is likely."""
        if self._look is not None:
            self._look.prepare()

    def close(self) -> None:
        """End the process of quick evaluations; the others end with their visitors."""
        if self._look is not None:
            self._look.close()

    def chosen(self, position: Position, engine: str | None) -> str:
        """The engine to use; raises UsageError if there is none of that name."""
        known = self.engines(position)
        if not known:
            raise UsageError("this arena has no engine")
        if engine is not None and engine not in known:
            asked = f"analysed by {', '.join(known)}, not by {engine[:40]}"
            raise UsageError(f"{position.edition} is {asked}")
        return engine or known[0]

    async def events(
        self,
        client: str,
        order: AnalysisOrder,
        tell: Interpret,
    ) -> AsyncGenerator[AnalysisEvent, None]:
        """All events of an analysis, in order."""
        if order.seconds * len(order.positions) > MOST_SECONDS:
            raise UsageError(f"an analysis takes at most {MOST_SECONDS:g} seconds")
        visitor = client.partition(" ")[0]
        others = (each for each in self._asking if each != client)
        if sum(each.partition(" ")[0] == visitor for each in others) >= _BY_VISITOR:
            yield Failed(code="busy", message="too many analyses of yours are waiting")
            return
        if client in self._asking:
            self._asking[client].set()
        given_up = self._asking[client] = asyncio.Event()
        try:
            async for event in self._served(order, tell, given_up):
                yield event
        finally:
            if self._asking.get(client) is given_up:
                del self._asking[client]

    async def _served(
        self,
        order: AnalysisOrder,
        tell: Interpret,
        given_up: asyncio.Event,
    ) -> AsyncGenerator[AnalysisEvent, None]:
        told: set[int] = set()
        began = AnalysisBegan(engine=order.engine, turns=len(order.positions))
        for event in self._known(order, tell, told, began):
            yield event
        if len(told) == len(order.positions):
            yield Finished()
            return
        async for event in self._first(order, tell, given_up, None if told else began):
            yield event
        if self._free.locked():
            if self._waiting >= self._queue:
                yield Failed(code="busy", message="too many wait already: try again later")
                return
            yield Queued(ahead=self._waiting + 1)
        if not await self._admitted(given_up):
            yield _SUPERSEDED
            return
        try:
            yield began
            for event in self._known(order, tell, told):  # others may have asked meanwhile
                yield event
            async for event in self._conversation(order, tell, given_up, told):
                yield event
        finally:
            self._free.release()

    async def _first(
        self,
        order: AnalysisOrder,
        tell: Interpret,
        given_up: asyncio.Event,
        began: AnalysisBegan | None,
    ) -> AsyncGenerator[AnalysisEvent, None]:
        """A quick evaluation of the position that the visitor looks at."""
        at = order.looked_at
        if self._look is None or self._cache.get(order.key(at), order.seconds) is not None:
            return
        report = await self._look.at(lambda changes: order.text([at], **changes))
        if report is None or given_up.is_set():
            return
        if began is not None:
            yield began
        for event in tell({**report, "at": at}):
            yield event
        await self._look.calm()

    def _known(
        self,
        order: AnalysisOrder,
        tell: Interpret,
        told: set[int],
        first: AnalysisBegan | None = None,
    ) -> Iterator[AnalysisEvent]:
        """Cached results; `told` has the positions that are already sent."""
        for at in range(len(order.positions)):
            report = None if at in told else self._cache.get(order.key(at), order.seconds)
            if report is None:
                continue
            if first is not None and not told:
                yield first
            told.add(at)
            yield from tell({**report, "at": at})

    async def _admitted(self, given_up: asyncio.Event) -> bool:
        """Wait for a free process; false if the client has replaced the request by then."""
        self._waiting += 1
        mine = asyncio.create_task(self._free.acquire())
        gone = asyncio.create_task(given_up.wait())
        try:
            await asyncio.wait((mine, gone), return_when=asyncio.FIRST_COMPLETED)
            if mine.done() and not given_up.is_set():
                return True
            if mine.done():
                self._free.release()
            return False
        except BaseException:
            if mine.done() and not mine.cancelled():
                self._free.release()
            raise
        finally:
            self._waiting -= 1
            mine.cancel()
            gone.cancel()

    async def _conversation(
        self,
        order: AnalysisOrder,
        tell: Interpret,
        given_up: asyncio.Event,
        told: set[int],
    ) -> AsyncGenerator[AnalysisEvent, None]:
        wanted = [at for at in range(len(order.positions)) if at not in told]
        process = await AnalysisProcess.begun(self._command, order.text(wanted))
        try:
            while True:
                line = await _line(process.lines, given_up, _PATIENCE + 4 * order.seconds)
                if isinstance(line, Failed):
                    yield line
                    return
                if not line:
                    break
                report = json.loads(line)
                if "problem" in report:
                    yield Failed(code="broken", message=report["problem"])
                    return
                report["at"] = wanted[report["at"]]
                if report["final"]:
                    self._cache.put(order.key(report["at"]), order.seconds, report)
                for event in tell(report):
                    yield event
            whole = await asyncio.to_thread(process.end, _PATIENCE)
            yield Finished() if whole else Failed(code="broken", message="the engine failed")
        finally:
            process.kill()


_SUPERSEDED = Failed(code="superseded", message="another analysis was asked for")


async def _line(
    lines: asyncio.Queue[bytes], given_up: asyncio.Event, patience: float
) -> bytes | Failed:
    """The next line, or the reason for its absence."""
    reading = asyncio.create_task(lines.get())
    gone = asyncio.create_task(given_up.wait())
    try:
        await asyncio.wait((reading, gone), timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if given_up.is_set():
            return _SUPERSEDED
        if not reading.done():
            return Failed(code="broken", message="the engine does not answer")
        return reading.result()
    finally:
        reading.cancel()
        gone.cancel()


# ----------------------------------------------------------------------------------------- messages


class LineFormatter:
    """Writes lines of a game in a language."""

    def __init__(self, game: Game, translate: Translate) -> None:
        self._game, self._translate = game, translate

    def line(self, line: ScoredLine, position: Position) -> BestLine:
        """A line as it is sent."""
        return BestLine(
            score=line.score,
            chance=round(line.chance, 4),
            ends_in=line.ends_in,
            ends_by=line.ends_by,
            moves=line.moves,
            drawn=tuple(self._drawn(line, position.copy())),
        )

    def gesture(self, move: str, position: Position) -> Gesture | None:
        """A move as people read and draw it."""
        return translated_gesture(described(self._game, position, move), self._translate)

    def _drawn(self, line: ScoredLine, position: Position) -> Iterator[Gesture]:
        for text in line.moves[:_DRAWN]:
            gesture = self.gesture(text, position)
            if gesture is None:
                return
            yield gesture
            position.play(position.move(text))


def _lines(report: dict[str, Any]) -> list[ScoredLine]:
    """Lines sorted with the engine's choice first; depths may differ."""
    best, *others = [ScoredLine(each["score"], tuple(each["moves"])) for each in report["lines"]]
    return [best, *sorted(others, key=lambda line: -line.score)]


def _rounded(found: Chances) -> Chances:
    return tuple(None if each is None else round(each, 4) for each in found)


def of_position(
    position: Position, formatter: LineFormatter, turn: int = 0
) -> Callable[[Any], Iterator[AnalysisEvent]]:
    """Turns reports on one position into events."""

    def tell(report: dict[str, Any]) -> Iterator[AnalysisEvent]:
        yield _evaluated(position, formatter, turn, report, shown=len(report["lines"]))

    return tell


def _evaluated(
    position: Position, formatter: LineFormatter, turn: int, report: dict[str, Any], shown: int
) -> Evaluated:
    lines = _lines(report)
    return Evaluated(
        turn=turn,
        to_move=position.to_move(),
        chances=_rounded(chances(position.seats, position.to_move(), lines[0])),
        lines=tuple(formatter.line(line, position) for line in lines[:shown]),
        depth=report["depth"],
        nodes=report["nodes"],
        seconds=report["seconds"],
        final=report["final"],
    )


class GameAnalysis:
    """Turns reports on a whole game into events: values of positions and losses of moves.

    Positions come in any order, the visitor's turn first. A move is judged as soon as the
    positions before and after it are known.
    """

    def __init__(
        self, frames: Sequence[Frame], formatter: LineFormatter, shown: int, first: int = 0
    ) -> None:
        self._frames, self._teller, self._shown = frames, formatter, shown
        found = [
            number
            for number, frame in enumerate(frames)
            if frame.position.outcome() is None and len(frame.position.legal_moves())
        ]
        self.asked = sorted(found, key=lambda turn: (turn not in (first - 1, first), turn))
        """The turns that an engine can say something about, those to be known first at the head."""
        self.looked_at = self.asked.index(first) if first in self.asked else 0
        """Which of them is the turn looked at, or the first one if it is over there."""
        self._lines: dict[int, list[ScoredLine]] = {}
        self._chances: dict[int, Chances] = {}

    @property
    def positions(self) -> tuple[str, ...]:
        """Their positions as texts."""
        return tuple(self._frames[number].position.text() for number in self.asked)

    @property
    def lines(self) -> int:
        """How many lines to request: all with several seats, where each move needs its own."""
        return self._shown if self._frames[0].position.seats == 2 else ALL

    def tell(self, report: dict[str, Any]) -> Iterator[AnalysisEvent]:
        """The events of a report: the evaluation, and the verdict on the move before."""
        turn = self.asked[report["at"]]
        position = self._frames[turn].position
        if not report["final"]:
            yield from self._glimpsed(turn, report)
            return
        self._lines[turn] = _lines(report)
        found = chances(position.seats, position.to_move(), self._lines[turn][0])
        self._chances[turn] = found
        yield _evaluated(position, self._teller, turn, report, self._shown)
        yield from self._judged(turn)
        yield from self._end_after(turn)
        if turn + 1 in self._lines:  # it was looked at before this one
            yield from self._judged(turn + 1)

    def _glimpsed(self, turn: int, report: dict[str, Any]) -> Iterator[AnalysisEvent]:
        """A provisional evaluation of a turn, without a verdict."""
        if turn == self.asked[self.looked_at] and turn not in self._lines:
            yield _evaluated(self._frames[turn].position, self._teller, turn, report, self._shown)

    def _end_after(self, turn: int) -> Iterator[AnalysisEvent]:
        """The evaluation of the final position."""
        if turn + 1 >= len(self._frames):
            return
        position = self._frames[turn + 1].position
        outcome = position.outcome()
        if outcome is None:
            return
        self._chances[turn + 1] = decided(outcome)
        yield Evaluated(
            turn=turn + 1,
            to_move=None,
            chances=_rounded(self._chances[turn + 1]),
            lines=(),
            depth=0,
            nodes=0,
            seconds=0.0,
            final=True,
        )
        yield from self._judged(turn + 1)

    def _judged(self, turn: int) -> Iterator[AnalysisEvent]:
        moved = self._frames[turn].turn
        before = self._lines.get(turn - 1)
        if before is None or moved.move is None or moved.seat is None:
            return
        found = verdict(moved.seat, moved.move, before, self._chances.get(turn))
        if found is not None:
            yield Judged(
                turn=turn,
                seat=moved.seat,
                move=moved.move,
                gesture=self._teller.gesture(moved.move, self._frames[turn - 1].position),
                drop=found.drop,
                grade=found.grade,
                better=self._teller.line(found.better, self._frames[turn - 1].position),
            )

"""A quick evaluation of the position that a visitor looks at, while the analysis waits.

One process stays open for this. It evaluates one position after the other, each very briefly and
more briefly the more are waiting, so that twenty visitors who ask at once all have an answer within
a third of a second. Full analyses wait for that, and for each other (`web.analysis_pool`).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

from spielleiter.web.analysis_process import AnalysisProcess

MOMENT, TOGETHER = 0.01, 0.1
"""Search time in seconds: at most for one position, and for all that wait."""
_OTHERS = 0.3
"""Seconds that a full analysis waits for quick evaluations of others."""
_PATIENCE = 5.0
"""Seconds until a silent process is given up."""

Order = Callable[[dict[str, Any]], bytes]
"""Makes the order for one position from its overrides."""


class QuickEvaluation:
    """Asks the open process; `command` starts it, and again if it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._turn = asyncio.Lock()
        self._process: AnalysisProcess | None = None
        self._starting: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._waiting = 0
        self._calm = asyncio.Event()
        self._calm.set()

    def prepare(self) -> None:
        """Start the process in advance."""
        if self._process is None and self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        async with self._turn:
            await self._begun()
        self._starting = None

    async def at(self, order: Order) -> dict[str, Any] | None:
        """The evaluation; None if there is none."""
        self._waiting += 1
        self._calm.clear()
        try:
            async with self._turn:
                return await self._asked(order)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._calm.set()

    async def calm(self) -> None:
        """Wait until no quick evaluation is pending, up to a timeout."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._calm.wait(), _OTHERS)

    async def _asked(self, order: Order) -> dict[str, Any] | None:
        number, moment = next(self._numbers), min(MOMENT, TOGETHER / self._waiting)
        process = await self._begun()
        process.tell(order({"seconds": moment, "number": number}))
        try:
            return await asyncio.wait_for(_answer(process, number), _PATIENCE)
        except (TimeoutError, EOFError, ValueError):
            self.close()
            return None

    async def _begun(self) -> AnalysisProcess:
        if self._process is None:
            self._process = await AnalysisProcess.begun(self._command)
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None
        if self._process is not None:
            self._process.kill()
            self._process = None


async def _answer(process: AnalysisProcess, number: int) -> dict[str, Any] | None:
    """The last report on an order; skips reports on abandoned orders."""
    while True:
        line = await process.lines.get()
        if not line:
            raise EOFError
        report: dict[str, Any] = json.loads(line)
        if report.get("number") == number and ("problem" in report or report["final"]):
            return None if "problem" in report else {**report, "final": False}

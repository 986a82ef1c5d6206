"""Checks an untrusted upload in a separate, sandboxed process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielleiter.client.finding import Severity, found
from spielleiter.errors import MachineError
from spielleiter.programs.archive import cache
from spielleiter.sandbox import Level, Unreachable, probe

PATIENCE = 900.0
"""Timeout of a check in seconds."""
_READY, _NOT_READY = 0, 1
_PACKAGE = Path(__file__).parents[2]
"""Where we are installed."""


@dataclass(frozen=True, slots=True)
class UploadCheck:
    """Checks files at a level of the sandbox. Survives pickling."""

    level: str = Level.ISOLATED.text
    patience: float = PATIENCE

    def __call__(self, file: Path, edition: str) -> str:
        """The findings as JSON; raises MachineError if the check could not run."""
        words = [sys.executable, "-m", "spielleiter", "check", str(file), "--json"]
        words += ["--game", edition, "--sandbox", self.level, "--for", "arena"]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
            found = self._answer(words, room)
            return without_places(found, (file.parent, Path(room), cache(), _PACKAGE))

    def _answer(self, words: list[str], room: str) -> str:
        group: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
        with subprocess.Popen(
            words,
            cwd=room,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **group,
        ) as process:
            try:
                said, complained = process.communicate(timeout=self.patience)
            except subprocess.TimeoutExpired:
                _kill(process)
                return _too_long(self.patience)
        if process.returncode in (_READY, _NOT_READY) and said.strip():
            return str(said, "utf-8")
        raise MachineError(complained.decode(errors="replace").strip()[-500:] or "it was killed")


def without_places(found: str, places: Iterable[Path]) -> str:
    """Findings as JSON without the names of folders of this machine; files keep their names."""
    folders = {each for place in places for each in (place.absolute(), place.resolve())}
    names = [str(each) for each in folders if each != each.parent]
    for name in sorted(names, key=len, reverse=True):
        for text in {json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}:
            found = found.replace(text + json.dumps(os.sep)[1:-1], "").replace(text, "…")
    return found


def why_no_uploads() -> str | None:
    """Why this machine cannot sandbox uploads; None: it can."""
    try:
        probe().box(Level.ISOLATED)
    except Unreachable as problem:
        return str(problem)
    return None


def _too_long(patience: float) -> str:
    finding = found(Severity.PROBLEM, "time", "check-too-long", minutes=round(patience / 60))
    return json.dumps({"ready": False, "findings": [finding.as_json()]})


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()

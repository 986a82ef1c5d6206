"""Checks every version before it may play: a queue in which teams take turns.

A team has one check at a time. While a check takes long, another thread goes on with the queue, so
one team's uploads do not hold up those of others. The check itself is passed in. If a check cannot
run, that is our fault, not the version's: the version stays in the queue and is checked again.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spielleiter.accounts.bots import Bots, NoSuchBot, Version
from spielleiter.accounts.notices import NoticeKind, Notices, TeamNotice, messages, version_named
from spielleiter.errors import SpielleiterError
from spielleiter.text import Text, from_data

CheckUpload = Callable[[Path, str], str]
"""(file, edition) → JSON with `ready` and a list of `findings`."""
TRIES = 3
"""How often a check that cannot run is tried."""
_PAUSE = 30.0
SLOW = 60.0
"""Seconds after which another thread goes on with the queue."""
_MOST_SLOW = 8
"""Most slow checks at a time; each runs one sandboxed bot."""
_LOOK = 5.0
_log = logging.getLogger("spielleiter.accounts")


class Quarantine:
    """Checks waiting versions in its own threads."""

    def __init__(
        self,
        bots: Bots,
        notices: Notices,
        check: CheckUpload,
        workers: int = 1,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bots, self._notices, self._check, self._now = bots, notices, check, now
        self._wanted, self._closed = threading.Semaphore(0), threading.Event()
        self._failures: Counter[str] = Counter()
        self._busy: dict[str, float] = {}
        """Team → since when a version of it is being checked."""
        self._taking = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, name="quarantine", daemon=True)
            for _ in range(workers)
        ]
        self._company: list[threading.Thread] = []
        self._watch = threading.Thread(target=self._look, name="quarantine-watch", daemon=True)

    def start(self) -> None:
        """Check waiting versions now and whenever `wake` is called."""
        for thread in (*self._threads, self._watch):
            thread.start()
        self.wake()

    def wake(self) -> None:
        """Announce that a version is waiting."""
        self._wanted.release(len(self._threads))

    def close(self, patience: float = 5.0) -> None:
        """Start no further check."""
        self._closed.set()
        self.wake()
        for thread in (*self._threads, *self._company, self._watch):
            if thread.ident is not None:
                thread.join(patience)

    def relieve(self) -> None:
        """Start another thread for each slow check."""
        self._company = [each for each in self._company if each.is_alive()]
        with self._taking:
            slow = sum(self._now() - began > SLOW for began in self._busy.values())
        if len(self._company) < min(slow, _MOST_SLOW):
            self._company.append(threading.Thread(target=self._check_safely, daemon=True))
            self._company[-1].start()

    def check_all(self) -> None:
        """Check all waiting versions, including those uploaded meanwhile."""
        while not self._closed.is_set() and (version := self._taken()) is not None:
            try:
                decided = self._checked(version)
            finally:
                del self._busy[version.team]
            if not decided:
                return

    def _taken(self) -> Version | None:
        """The next version of a team that has no other one in its check."""
        with self._taking:
            for version in self._bots.waiting():
                if version.team not in self._busy:
                    self._busy[version.team] = self._now()
                    return version
        return None

    def _run(self) -> None:
        while not self._closed.is_set():
            self._wanted.acquire(timeout=_PAUSE)
            self._check_safely()

    def _look(self) -> None:
        while not self._closed.wait(_LOOK):
            self.relieve()

    def _check_safely(self) -> None:
        try:
            self.check_all()
        except SpielleiterError as problem:
            _log.warning("quarantine: %s", problem)

    def _checked(self, version: Version) -> bool:
        """Check one; whether it is decided."""
        try:
            found = json.loads(self._check(version.path, version.edition))
        except (SpielleiterError, OSError, ValueError) as problem:
            return self._failed(version, problem)
        self._failures.pop(version.id, None)
        try:
            self._decide(version, found)
        except NoSuchBot:  # its team has erased it meanwhile
            _log.info("quarantine: %s is gone", version.id)
        return True

    def _failed(self, version: Version, problem: Exception) -> bool:
        _log.warning("quarantine: %s cannot be checked: %s", version.id, problem)
        self._failures[version.id] += 1
        if self._failures[version.id] < TRIES:
            return False
        self._bots.reject(version.id, messages("not-our-check"))
        self._tell(version, "rejected", messages("unchecked", version=_named(version)))
        return True

    def _decide(self, version: Version, found: dict[str, Any]) -> None:
        lines = [_line(each) for each in found["findings"]]
        text = json.dumps(lines, ensure_ascii=False)
        if found["ready"]:
            self._bots.release(version.id, text)
            self._tell(version, "released", messages("released", version=_named(version)))
            return
        problems = [each for each in lines if each["severity"] == "problem"]
        reason = from_data(problems[0]["text"]) if problems else messages("problems")
        self._bots.reject(version.id, reason, text)
        said = messages("rejected", version=_named(version), reason=reason)
        self._tell(version, "rejected", said)

    def _tell(self, version: Version, kind: NoticeKind, text: str) -> None:
        self._notices.tell(version.team, TeamNotice(kind, text, f"/bots/{version.bot}"))


def _named(version: Version) -> Text:
    return version_named(version.id, version.title)


def _line(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding as it is stored: its text with message id and arguments, if it has them."""
    words = finding.get("messages", {})
    return {
        "severity": finding["kind"],
        "about": words.get("about", finding["about"]),
        "text": words.get("text", finding["text"]),
        "advice": words.get("advice", finding["advice"]),
    }

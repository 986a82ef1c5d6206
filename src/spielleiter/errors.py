"""Whose fault was it? Every exception of the project answers that by its place in this tree.

SpielleiterError
├── PeerError           the other side broke the protocol: its seat forfeits, the server lives
│   ├── Malformed       bytes that are no message
│   └── OutOfTurn       a message nobody asked for
├── UsageError          our caller asked for nonsense
│   ├── TextError       a text that is no position, move, map or setting: says what and where
│   ├── IllegalMove     a move the rules refuse: carries the named mistake
│   └── UnknownName     no such game, player or option: suggests the nearest known one
├── MachineError        our own machine failed: the game is played again and nobody loses it
└── StoreError          the world outside failed: retry, then stop loudly
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SpielleiterError(Exception):
    """Anything this project raises on purpose."""


class PeerError(SpielleiterError):
    """The other side of a connection broke the protocol."""


class Malformed(PeerError):
    """Bytes that are no message of the protocol."""


class OutOfTurn(PeerError):
    """A well-formed message that nobody asked for."""


class UsageError(SpielleiterError):
    """Our caller asked for something that makes no sense."""


class TextError(UsageError, ValueError):
    """A text that does not say what it should; `at` is the offset of the first wrong character."""

    def __init__(self, problem: str, text: str = "", at: int = 0) -> None:
        super().__init__(problem, text, at)
        self.problem, self.text, self.at = problem, text, at

    def __str__(self) -> str:
        if not self.text:
            return self.problem
        begin, end = max(0, self.at - 20), self.at + 20
        before, after = self.text[begin : self.at], self.text[self.at : end]
        lead, trail = "…" * (begin > 0), "…" * (end < len(self.text))
        near = f"{lead}{before}⟨here⟩{after}{trail}"
        return f"{self.problem} (character {self.at + 1}: {near!r})"


class IllegalMove(UsageError, ValueError):
    """A move that the rules refuse in this position; `mistake` is its name."""

    def __init__(self, mistake: str, explanation: str, move: str) -> None:
        super().__init__(mistake, explanation, move)
        self.mistake, self.explanation, self.move = mistake, explanation, move

    def __str__(self) -> str:
        return f"{self.move} is illegal: {self.explanation} ({self.mistake})"


class UnknownName(UsageError, LookupError):
    """A name that is not among the known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        near = difflib.get_close_matches(self.name, self.known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self.known) or 'none'}"
        return f"there is no {self.kind} {self.name!r}; {hint}"


class MachineError(SpielleiterError):
    """The machine that we run on failed: no memory, no process, no disk, a long stall."""


class StoreError(SpielleiterError):
    """A file, disk or database failed."""

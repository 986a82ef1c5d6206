"""One line of a check: how bad it is, what was found, what to do about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(enum.Enum):
    """How bad it is."""

    FINE = "ok"
    NOTE = "note"
    PROBLEM = "PROBLEM"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found out, and what to do about it."""

    kind: Kind
    about: str
    text: str
    advice: str = ""


def fine(about: str, text: str) -> Finding:
    """All is well."""
    return Finding(Kind.FINE, about, text)


def note(about: str, text: str, advice: str = "") -> Finding:
    """Good to know."""
    return Finding(Kind.NOTE, about, text, advice)


def problem(about: str, text: str, advice: str) -> Finding:
    """So the bot is not ready."""
    return Finding(Kind.PROBLEM, about, text, advice)

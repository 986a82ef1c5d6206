"""One line of a check: how bad it is, what was found, what to do about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Severity(enum.Enum):
    """How bad it is."""

    FINE = "ok"
    NOTE = "note"
    PROBLEM = "PROBLEM"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found out, and what to do about it."""

    severity: Severity
    about: str
    text: str
    advice: str = ""


def fine(about: str, text: str) -> Finding:
    """All is well."""
    return Finding(Severity.FINE, about, text)


def note(about: str, text: str, advice: str = "") -> Finding:
    """Good to know."""
    return Finding(Severity.NOTE, about, text, advice)


def problem(about: str, text: str, advice: str = "") -> Finding:
    """This does not work."""
    return Finding(Severity.PROBLEM, about, text, advice)

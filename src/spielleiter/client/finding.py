"""One line of a check: how bad it is, what was found, what to do about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from spielleiter.text import Messages, Value, as_data

messages = Messages("spielleiter", "finding.")
"""Translatable texts of findings."""


class Severity(enum.Enum):
    """How bad it is."""

    FINE = "ok"
    NOTE = "note"
    PROBLEM = "PROBLEM"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, and what to do about it."""

    severity: Severity
    about: str
    """What it is about, in a word or two."""
    text: str
    advice: str = ""

    def as_json(self) -> dict[str, Any]:
        """In English, and under `messages` what any other language is made from."""
        words = {"about": self.about, "text": self.text, "advice": self.advice}
        key = f"about.{self.about}"
        texts = words | {"about": messages(key) if key in messages else self.about}
        told = {name: as_data(text) for name, text in texts.items()}
        return {"kind": self.severity.name.lower(), **words, "messages": told}


def fine(about: str, text: str) -> Finding:
    """A positive finding."""
    return Finding(Severity.FINE, about, text)


def note(about: str, text: str, advice: str = "") -> Finding:
    """A remark."""
    return Finding(Severity.NOTE, about, text, advice)


def problem(about: str, text: str, advice: str = "") -> Finding:
    """A problem."""
    return Finding(Severity.PROBLEM, about, text, advice)


def found(severity: Severity, about: str, key: str, /, **values: Value) -> Finding:
    """A finding from the catalogue: its `text`, and its `advice` if there is one."""
    advice = f"{key}.advice"
    hint = messages(advice, **values) if advice in messages else ""
    return Finding(severity, about, messages(f"{key}.text", **values), hint)

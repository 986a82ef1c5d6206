"""Structured logs: a sentence, and the room and seat it is about, as `key=value` pairs or JSON."""

from __future__ import annotations

import json
import logging
from typing import Any, Literal

_LINES, _WINDOW = 50, 60.0
"""Most lines with the same message about clients within so many seconds."""
LogFormat = Literal["logfmt", "json"]

logger = logging.getLogger("spielleiter.server")


def say(level: int, sentence: str, **about: Any) -> None:
    """Log a message with its context."""
    if logger.isEnabledFor(level):
        logger.log(level, sentence, extra={"about": about})


class FloodFilter(logging.Filter):
    """Limits repeated messages about clients to a few lines a minute.

    The first line after a pause counts those left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self._windows: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log it."""
        about = getattr(record, "about", {})
        if not about.keys() & {"peer", "address", "problem"}:
            return True
        began, count = self._windows.get(record.msg, (record.created, 0))
        if record.created - began >= _WINDOW:
            if count > _LINES:
                about["left_out"] = count - _LINES
            began, count = record.created, 0
        self._windows[record.msg] = (began, count + 1)
        return count < _LINES


class Formatter(logging.Formatter):
    """One line per record, made for machines and legible for people."""

    def __init__(self, form: LogFormat) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """One line of JSON per record."""
        fields = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03}",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        if self._form == "json":
            return json.dumps(fields, ensure_ascii=False, default=str)
        return " ".join(f"{name}={_quoted(value)}" for name, value in fields.items())


def _quoted(value: Any) -> str:
    text = str(value)
    plain = text and all(letter > " " and letter not in '"=' for letter in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def to_stderr(verbose: int, form: LogFormat = "logfmt") -> None:
    """Log warnings to standard error; once verbose: games too, twice: everything."""
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter(form))
    handler.addFilter(FloodFilter())
    logger = logging.getLogger("spielleiter")
    logger.addHandler(handler)
    logger.setLevel([logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)])

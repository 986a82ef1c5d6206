"""Structured logs: a sentence, and the room and seat it is about, as `key=value` pairs or JSON."""

from __future__ import annotations

import json
import logging
from typing import Any, Literal

LogFormat = Literal["logfmt", "json"]

logger = logging.getLogger("spielleiter.server")


def say(level: int, sentence: str, **about: Any) -> None:
    """Log a sentence with what it is about."""
    if logger.isEnabledFor(level):
        logger.log(level, sentence, extra={"about": about})


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
    logger = logging.getLogger("spielleiter")
    logger.addHandler(handler)
    logger.setLevel([logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)])

"""What commands that serve tell the people who run them."""

from __future__ import annotations

import logging

from spielleiter.server.log import Formatter, LogFormat


def to_stderr(verbose: int, form: LogFormat = "logfmt") -> None:
    """Log warnings to standard error; once verbose: games too, twice: everything."""
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter(form))
    logger = logging.getLogger("spielleiter")
    logger.addHandler(handler)
    logger.setLevel([logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)])

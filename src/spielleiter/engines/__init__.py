"""External engines: programs that play over a text protocol, UGI, GTP or NBoard.

A player's text names one by its protocol and its command: `ugi:./mybot`, `gtp:pentobi-gtp -l 5`,
`nboard:./edax -nboard`. Options stand in brackets: `ugi[Hash=64]:./mybot`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from spielleiter.errors import UsageError
from spielleiter.game import Bot

PROTOCOLS = {"ugi": "UgiPlayer", "gtp": "GtpPlayer", "nboard": "NBoardPlayer"}
"""Protocols, each a module here, and the class of their players."""
_TEXT = re.compile(rf"({'|'.join(PROTOCOLS)})(?:\[([^\]]*)\])?:(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """What a player's text says about an engine: how it speaks, and how it is started."""

    protocol: str
    options: tuple[tuple[str, str], ...]
    words: tuple[str, ...]

    def text(self) -> str:
        """The text that names the same engine."""
        options = ",".join(f"{name}={value}" for name, value in self.options)
        shown = f"[{options}]" if options else ""
        return f"{self.protocol}{shown}:{_joined(self.words)}"


def is_engine(text: str) -> bool:
    """Whether a player's text names an external engine."""
    return _TEXT.fullmatch(text) is not None


def engine_command(text: str) -> EngineCommand:
    """The engine that a player's text names; raises UsageError if it names none."""
    found = _TEXT.fullmatch(text)
    words = tuple(shlex.split(found[3], posix=os.name == "posix")) if found else ()
    if found is None or not words:
        raise UsageError(f"{text!r} names no engine: write it as ugi:./mybot")
    return EngineCommand(found[1], _options(text, found[2] or ""), words)


def factory(text: str) -> Callable[[int], Bot]:
    """What starts the engine that a text names, as often as one likes, with a seed."""
    command = engine_command(text)
    module = import_module(f"{__name__}.{command.protocol}")
    player: Callable[[EngineCommand, int], Bot] = getattr(module, PROTOCOLS[command.protocol])
    return lambda seed: player(command, seed)


def _options(text: str, inside: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.partition("=") for pair in inside.split(",") if pair]
    for key, equals, _ in pairs:
        if not equals:
            raise UsageError(f"{text!r}: expected key=value in the brackets, not {key!r}")
    return tuple((key.strip(), value.strip()) for key, _, value in pairs)


def _joined(words: tuple[str, ...]) -> str:
    return shlex.join(words) if os.name == "posix" else " ".join(words)

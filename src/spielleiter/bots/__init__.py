"""Built-in players: strategies for any game, found by file name.

A module here offers `Player`, a subclass of `Bot` made with `Player(seed=…, **options)`. A player
is named by a short text: `greedy`, or with options `name:key=value,key=value`.
"""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any

from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Bot


def names() -> tuple[str, ...]:
    """The names of all built-in players, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(text: str, seed: int = 0) -> Bot:
    """The built-in player that a text names; the same text and seed play the same moves."""
    name, _, rest = text.partition(":")
    if name not in names():
        raise UnknownName("built-in player", name, names())
    player: type[Bot] = import_module(f"{__name__}.{name}").Player
    return player(**_checked(name, player, _options(text, rest)), seed=seed)  # type: ignore[call-arg]


def _options(text: str, rest: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in rest.split(",") if pair]
    for key, equals, _ in pairs:
        if not equals:
            raise UsageError(f"{text!r}: expected key=value after the colon, not {key!r}")
    return {key: value for key, _, value in pairs}


def _checked(name: str, player: type[Bot], options: dict[str, str]) -> dict[str, Any]:
    known = inspect.signature(player).parameters.keys() - {"seed"}
    for key in options.keys() - known:
        raise UnknownName(f"option of the player {name}", key, sorted(known))
    return options

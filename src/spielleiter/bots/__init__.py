"""Players: built-in strategies for any game, found by file name, and anybody's own files.

A module here offers `Player`, a subclass of `Bot`. A player is named by a short text: `greedy`, the
path of a Python file that holds a `Player` (or another class: `mybot.py:Class`), or either with
options: `name:key=value,key=value`. An external engine is named by its protocol and its command:
`ugi:./mybot` (see `spielleiter.engines`).
"""

from __future__ import annotations

import inspect
import os
import pkgutil
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from spielleiter import engines
from spielleiter.bots._engine import native_of, warm_up
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Bot, Position

__all__ = ["best_player", "factory", "levels", "load", "names", "native_of", "warm_up"]

FILE = ".py"
PLAYER = "Player"


def names() -> tuple[str, ...]:
    """The names of all built-in players, sorted."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in modules if not name.startswith("_")))


def levels(name: str) -> tuple[int, ...]:
    """The levels of a built-in player, the weakest first; none if it has one strength only."""
    from spielleiter.bots import _levels

    has_levels = "level" in _parameters(_player(name, PLAYER))
    return tuple(range(1, _levels.COUNT + 1)) if has_levels else ()


def best_player(position: Position) -> str | None:
    """The name of the player that plays the position's game best, if the game says so."""
    from spielleiter.bots import _levels

    return _levels.best(position)


def load(text: str, seed: int = 0) -> Bot:
    """The player that a text names; the same text and seed play the same moves."""
    return factory(text)(seed)


def factory(text: str) -> Callable[[int], Bot]:
    """A function from a seed to the player that a text names."""
    if engines.is_engine(text):
        return engines.factory(text)
    name, rest = _parted(text)
    kind, rest = _kind(rest) if name.endswith(FILE) else (PLAYER, rest)
    player = _player(name, kind)
    known = _parameters(player)
    options = _checked(name, known - {"seed"}, _options(text, rest))
    seeded = "seed" in known
    return lambda seed: player(**options, **({"seed": seed} if seeded else {}))


def file_of(text: str) -> str | None:
    """The path of the Python file that a text names, if it does."""
    name = "" if engines.is_engine(text) else _parted(text)[0]
    return name if name.endswith(FILE) else None


def _parted(text: str) -> tuple[str, str]:
    """Name and options; a path may contain a colon, as on Windows."""
    path, dot, rest = text.partition(FILE)
    if dot and rest[:1] in ("", ":"):
        return path + dot, rest[1:]
    name, _, rest = text.partition(":")
    return name, rest


def _kind(rest: str) -> tuple[str, str]:
    """The name of the class, if one is given, and the options."""
    kind, _, options = rest.partition(":")
    return (kind, options) if kind.isidentifier() else (PLAYER, rest)


def _player(name: str, kind: str) -> type[Bot]:
    if not name.endswith(FILE) and name not in names():
        if "/" in name or "\\" in name:
            raise UsageError(f"there is no file {name}")
        raise UnknownName("built-in player", name, names())
    module = _run(name) if name.endswith(FILE) else import_module(f"{__name__}.{name}")
    player = getattr(module, kind, None)
    if not (inspect.isclass(player) and issubclass(player, Bot)):
        raise UsageError(f"{name} holds no class `{kind}` derived from spielleiter.Bot")
    return player


def _run(path: str) -> ModuleType:
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path!r} to take a player from")
    spec = spec_from_file_location(os.path.basename(path).removesuffix(FILE), path)
    assert spec is not None, "the name ends with .py"
    assert spec.loader is not None, "a file has a loader"
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _options(text: str, rest: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in rest.split(",") if pair]
    for key, equals, _ in pairs:
        if not equals:
            raise UsageError(f"{text!r}: expected key=value after the colon, not {key!r}")
    return {key: value for key, _, value in pairs}


def _checked(name: str, known: set[str], options: dict[str, str]) -> dict[str, Any]:
    for key in options.keys() - known:
        raise UnknownName(f"option of the player {name}", key, sorted(known))
    return options


def _parameters(player: type[Bot]) -> set[str]:
    """What it can be created with; looking into a class takes long, and most have nothing new."""
    is_usual = player.__init__ is Bot.__init__ and player.__new__ is Bot.__new__
    if is_usual and type(player) is type(Bot):
        return set()
    return set(inspect.signature(player).parameters)

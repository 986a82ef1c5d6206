"""All games, found by their folders: nothing has to be registered.

A folder here whose `__init__.py` holds `EDITIONS`, a tuple of `Game`, offers those editions. A
folder that fails to import is left out of `names()` and says why in `load()`, so a broken newcomer
does not break its neighbours.
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module

from spielleiter import native
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Authority, Game, Move, Position, Scene, WireForm


def names() -> tuple[str, ...]:
    """The names of all editions, sorted."""
    return tuple(sorted(_found()[0]))


def load(name: str, authority: Authority = "document", wire: WireForm = "real") -> Game:
    """The edition of that name, as the given authority judges it and with messages of that form."""
    if (game := _in_folder(name)) is not None:
        return game.under(authority).speaking(wire)
    games, broken = _found()
    if name in games:
        return games[name].under(authority).speaking(wire)
    for folder, error in broken.items():
        if name.startswith(folder):
            raise UsageError(f"the game folder {folder!r} cannot be loaded: {error}") from error
    raise UnknownName("game", name, sorted(games))


def load_recorded(name: str, authority: str) -> Game:
    """The edition that a record names, under the authority that it names."""
    return load(name).under(authority)


def broken() -> dict[str, Exception]:
    """Folders that could not be imported, and why."""
    return dict(_found()[1])


def notice() -> str | None:
    """One sentence to begin with where games run in plain Python; None where all is built."""
    if native.is_built():
        return None
    names()
    return native.notice()


def is_plain(game: Game) -> bool:
    """Whether a game is played in plain Python here: right, but slow."""
    return native.is_plain(game.native)


def scene(position: Position, last_move: Move | None = None) -> Scene:
    """What a position of any game looks like."""
    return load(position.edition, position.authority).scene(position, last_move)


@functools.cache
def _in_folder(name: str) -> Game | None:
    """The edition, if the folder it is named after has it: no other game need be imported then."""
    folders = (module.name for module in pkgutil.iter_modules(__path__))
    folder = max((each for each in folders if name.startswith(each)), key=len, default="")
    try:
        editions = import_module(f"{__name__}.{folder}").EDITIONS if folder else ()
    except Exception:  # said by `load` when no other folder has it
        return None
    return next((game for game in editions if game.name == name), None)


@functools.cache
def _found() -> tuple[dict[str, Game], dict[str, Exception]]:
    games: dict[str, Game] = {}
    failures: dict[str, Exception] = {}
    for module in pkgutil.iter_modules(__path__):
        try:
            folder = import_module(f"{__name__}.{module.name}")
            games.update({game.name: game for game in folder.EDITIONS})
        except Exception as error:  # whatever a newcomer breaks must not break the others
            failures[module.name] = error
    return games, failures

"""Which games a server of the contest's protocol offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spielleiter import games
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Authority, Game, WireForm
from spielleiter.server import ServedGame


def served_games(
    names: Sequence[str],
    authority: Authority,
    wire: WireForm = "real",
    first: str | None = None,
) -> list[Game]:
    """The games named, or every edition with a contest protocol, newest or `first` first."""
    if names:
        return [games.load(name, authority, wire) for name in names]
    known = [games.load(name, authority, wire) for name in games.names()]
    found = [game for game in known if _speaks_xml(game)]
    if not found:
        raise UsageError("no game here speaks the contest's protocol")
    if first is not None and first not in [game.name for game in found]:
        raise UnknownName("game with a contest protocol", first, [game.name for game in found])
    return _one_per_type(sorted(newest_first(found), key=lambda game: game.name != first))


def newest_first(found: Iterable[Game]) -> list[Game]:
    """Games by their seasons, whichever a server offers first."""
    return sorted(found, key=_season, reverse=True)


def _speaks_xml(game: Game) -> bool:
    try:
        ServedGame.of(game)
    except (UsageError, ImportError, AttributeError):
        return False
    return True


def _season(game: Game) -> tuple[int, int]:
    digits = [part for part in game.name.split("-") if part.isdecimal()]
    return (int(digits[0]) if digits else 0, -len(game.name))


def _one_per_type(found: Sequence[Game]) -> list[Game]:
    """Editions that share a `gameType` cannot share a port: the first one has it."""
    types: dict[str, Game] = {}
    for game in found:
        types.setdefault(ServedGame.of(game).wire.game_type, game)
    return list(types.values())

"""Which games a server of the contest's protocol offers."""

from __future__ import annotations

from collections.abc import Sequence

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Game
from spielleiter.server import ServedGame


def served_games(names: Sequence[str], authority: Authority) -> list[Game]:
    """The games named, or every edition with a contest protocol, newest first."""
    if names:
        return [games.load(name, authority) for name in names]
    found = [game for name in games.names() if _speaks_xml(game := games.load(name, authority))]
    if not found:
        raise UsageError("no game here speaks the contest's protocol")
    return _one_per_type(sorted(found, key=_season, reverse=True))


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

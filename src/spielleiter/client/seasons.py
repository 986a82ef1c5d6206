"""Identifies a season's game by a server's name for it, or by the form of a state."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from spielleiter import games
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import AUTHORITIES, Authority, Game, Position, WireForm
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.wire import Wire


@dataclass(frozen=True, slots=True)
class Season:
    """A game with the contest's XML protocol, and its wire."""

    game: Game
    wire: Wire


@functools.cache
def seasons(authority: Authority = "document", wire: WireForm = "real") -> tuple[Season, ...]:
    """All games installed that speak the contest's XML; drafts come after the final editions."""
    found = (_season(games.load(name, authority, wire)) for name in games.names())
    return tuple(season for season in found if season is not None)


def newest(authority: Authority = "document") -> Season:
    """The final edition of the latest year; raises UsageError if no game runs here at all."""
    for problem in games.broken().values() if not seasons(authority) else ():
        raise UsageError(str(problem)) from problem
    return max(seasons(authority), key=lambda season: re.findall(r"-(\d+)$", season.game.name))


def named(name: str, authority: Authority = "document") -> Season:
    """The season by edition or by game type."""
    for season in seasons(authority):
        if name in (season.game.name, season.wire.game_type):
            return season
    known = [name for s in seasons(authority) for name in (s.game.name, s.wire.game_type)]
    raise UnknownName("game with an XML protocol", name, known)


def recognised(state: Element, authority: Authority = "document") -> Season:
    """The season whose state this is."""
    for season in seasons(authority):
        if season.wire.recognises(state):
            return season
    raise XmlError("this state is of no game we know")


def position(season: Season, state: Element, *, asked: bool = False) -> Position:
    """The position of a state; if we are asked for a move, one that has legal moves.

    The game may go on under the rules of the other authority where it ends under ours.
    """
    text = season.wire.read_state(state).position
    first = season.game.parse(text)
    if not asked or first.legal_moves():
        return first
    for authority in AUTHORITIES:
        other = season.game.under(authority).parse(text)
        if other.legal_moves():
            return other
    return first


def _season(game: Game) -> Season | None:
    try:
        make = getattr(game.part("wire"), "wire", None)
        return None if make is None else Season(game, make(game))
    except (ModuleNotFoundError, UsageError):
        return None

"""Notices of a host besides the events of its matches, for consoles and logs."""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.errors import PeerError
from spielleiter.game import Seat


@dataclass(frozen=True, slots=True)
class Listening:
    """The port is open."""

    port: int


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """Who waits for the next game, in the order of connecting; None has not named its group."""

    groups: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ClientRefused:
    """A client was refused or left before the game; `place` counts from 0 in the lobby."""

    place: int
    problem: PeerError


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Not all players came in time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The answer of a player could not be read; a violation follows."""

    room: str
    seat: Seat
    problem: PeerError


@dataclass(frozen=True, slots=True)
class SendFailed:
    """A message could not be sent to a player; a violation follows unless it is out already."""

    room: str
    seat: Seat
    what: str


Notice = Listening | LobbyChanged | ClientRefused | GaveUp | Unreadable | SendFailed

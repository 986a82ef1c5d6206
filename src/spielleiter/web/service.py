"""The interface of the game service, as the web part uses it.

The service reports every event to `GameRecorder.record`. Requests have no other result, except the
data of opened seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from spielleiter.errors import UsageError
from spielleiter.game import Authority, Game, Seat

SeatKind = Literal["person", "built-in", "external"]
Speech = Literal["xml", "binary"]
Source = Literal["arena", "demo", "server", "upload"]


class ServiceFull(UsageError):
    """No more games can be opened now."""


class NoSuchGame(UsageError):
    """No running game has that name."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A built-in player."""

    name: str
    levels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """The planned player of a seat."""

    kind: SeatKind
    name: str
    player: str = ""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A game to be opened."""

    edition: str
    authority: Authority
    position: str
    seats: tuple[SeatPlan, ...]
    per_move: float | None = None
    paused: bool = False
    source: Source = "arena"
    delay: float = 0.0
    """Seconds that built-in players wait before they move, so that people can follow."""
    guest: bool = False
    """Whether a guest opens it."""


@dataclass(frozen=True, slots=True)
class OpenedSeat:
    """How an external client takes a seat."""

    reservation: str | None = None
    host: str | None = None
    port: int | None = None
    command: str | None = None
    options: str = ""
    """Options with which any program of the contest, or of the course, finds the seat."""


@dataclass(frozen=True, slots=True)
class ClientPort:
    """A port for clients of a game."""

    edition: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class OpenedGame:
    """A game that was opened, and its seats."""

    id: str
    seats: tuple[OpenedSeat, ...]


class GameService(Protocol):
    """Opens and referees games. All methods raise UsageError if they fail."""

    @property
    def players(self) -> tuple[Offer, ...]:
        """The built-in players."""
        ...

    @property
    def client_ports(self) -> tuple[ClientPort, ...]:
        """The ports for clients without a reservation."""
        ...

    @property
    def most_games(self) -> int:
        """How many games may run at the same time."""
        ...

    def speaks(self, game: Game) -> Speech | None:
        """What external clients of a game speak; None: it has no protocol."""
        ...

    def plays(self, game: Game) -> tuple[str, ...]:
        """The built-in players that know a game."""
        ...

    async def open(self, order: GamePlan) -> OpenedGame:
        """Open a game as ordered."""
        ...

    async def pause(self, game: str, paused: bool) -> None:
        """Pause or resume a game."""
        ...

    async def step(self, game: str) -> None:
        """Play one move in a paused game."""
        ...

    async def cancel(self, game: str) -> None:
        """End a game now, without a winner."""
        ...

    async def join(self, game: str, seat: Seat) -> None:
        """A person takes a seat; the game begins when all seats are taken."""
        ...

    async def resign(self, game: str, seat: Seat) -> None:
        """A person gives up."""
        ...

    async def take_back(self, game: str, seat: Seat, turn: int, position: str) -> None:
        """All people agree that the game goes on from the position after a turn."""
        ...

    async def play(self, game: str, seat: Seat, move: str) -> None:
        """A person's legal move; the referee checks the time."""
        ...

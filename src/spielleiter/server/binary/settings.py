"""Settings of a binary host: what is played, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Position
from spielleiter.match import Accounts, MatchClock, PerMove
from spielleiter.protocol.binary import BoardWire
from spielleiter.server.admission import Quotas


@dataclass(frozen=True, slots=True)
class Board:
    """A map that games are played on: its name, its bytes and its game's wire."""

    name: str
    text: bytes
    wire: BoardWire
    path: str = ""
    """The file as it was named, where that differs."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path or self.name)

    def start(self) -> Position:
        """The first position; raises TextError."""
        return self.wire.start(self.text)


@dataclass(frozen=True, slots=True)
class Arranged:
    """A single game with players of this process on some seats; clients get the others in order."""

    names: tuple[str, ...]
    timed: tuple[bool, ...]
    insiders: tuple[int, ...]
    paused: bool = False


@dataclass(frozen=True, slots=True)
class BinarySettings:
    """Conditions of all games of a host."""

    host: str = "127.0.0.1"
    port: int = 7777
    """Where to begin looking for a free port; 0 takes any."""
    exact: bool = False
    """Whether only that port will do."""
    limit: float | None = None
    """Seconds that every request adds to the player's account; None is without limit."""
    per_move: bool = False
    """The limit applies to each move: nothing is saved up, and a late seat is out."""
    depth: int = 1
    games: int | None = 1
    """How many games in all; None: as long as clients come."""
    running: int = 1_000
    """At most so many at the same time; further clients wait."""
    seats_per_hour: int | None = None
    """Seats that one address may take in an hour; None: any number."""
    give_up: float | None = None
    """Seconds after which a game that lacks players is given up, and the host with it."""
    connections: int = 5_000
    """At most so many at the same time, as far as the system's limit of open files allows."""
    per_address: int | None = None
    """Of one address; None: half of all."""
    greeting: float = 30.0
    """Seconds a client has to name its group; meanwhile it holds up nobody."""
    before_game: float = 0.0
    after_move: float = 0.0
    """Pauses before the first request and after every move, as the course's server makes them."""

    def quotas(self, files: int | None = None) -> Quotas:
        """How many connections there may be, if there are so many files for them."""
        connections = self.connections if files is None else min(self.connections, files)
        half = max(1, connections // 2)
        of_one = half if self.per_address is None else min(self.per_address, connections)
        return Quotas(connections, half, min(half, of_one), of_one)

    def clock(self, seats: int) -> MatchClock:
        """The clock a game begins with."""
        if self.limit is None:
            return PerMove(None, None)
        if self.per_move:
            return PerMove(self.limit, self.limit)
        return Accounts(self.limit, (0.0,) * seats)

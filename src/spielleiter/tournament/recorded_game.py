"""A recorded game of a match or contest, and a filter for such games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from spielleiter.game import Outcome, Seat
from spielleiter.match import GameRecord
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.record import ContestEntry


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A recorded game with its key in the source."""

    key: str
    players: tuple[str, ...]
    record: GameRecord
    faults: tuple[str | None, ...]
    """For each seat what it did wrong, in a word or two."""
    spent: tuple[float, ...] = ()
    """Seconds that each seat thought, if that is known."""
    opening: str = ""
    """The seed and the options of the start, as `match` takes them."""
    log: str = ""
    """What the players printed."""
    pairing: Pairing | None = None
    """The pairing, which determines the players' seeds; None if unknown."""
    nodes: int | None = None
    """The node limit, if there was one."""

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None: the record does not say."""
        ended = self.record.ended
        return None if ended is None else ended.outcome

    def seed(self, seat: Seat) -> int:
        """The seed of a seat's player; 0 if unknown."""
        return (
            0 if self.pairing is None else drawn(self.pairing.opening.seed, self.pairing.key, seat)
        )

    def seat_of(self, player: str) -> Seat | None:
        """The seat of a player; None if it did not play."""
        return _seat_of(self, player)


class ListedGame(Protocol):
    """The fields that a filter looks at."""

    @property
    def players(self) -> tuple[str, ...]:
        """Who played, by seat."""
        ...

    @property
    def faults(self) -> tuple[str | None, ...]:
        """For each seat what it did wrong."""
        ...

    @property
    def opening(self) -> str:
        """The seed and the options of the start."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """How it ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """A filter for games; None matches everything."""

    player: str | None = None
    opponent: str | None = None
    seat: Seat | None = None
    """Where the player sat, or where somebody failed."""
    result: str | None = None
    """`won`, `drawn` or `lost`, as the player sees it."""
    fault: str | None = None
    """A word of any seat's fault, such as `late`; empty: any fault."""
    opening: str | None = None
    reason: str | None = None
    """A word of the reason why the game ended."""

    def takes(self, game: ListedGame) -> bool:
        """Whether a game matches."""
        seat = None if self.player is None else _seat_of(game, self.player)
        if self.player is not None and seat is None:
            return False
        return (
            self._fits_opponent(game, seat)
            and (self.seat is None or seat is None or seat == self.seat)
            and self.result in (None, self.result_of(game))
            and (self.fault is None or self._fits_fault(game, seat))
            and self.opening in (None, game.opening, game.opening.partition(" ")[0])
            and (self.reason or "") in (game.outcome.reason if game.outcome else "")
        )

    def result_of(self, game: ListedGame) -> str:
        """`won`, `drawn` or `lost` as the player sees it, or `unfinished`."""
        return _result(game, None if self.player is None else _seat_of(game, self.player))

    def _fits_opponent(self, game: ListedGame, seat: Seat | None) -> bool:
        others = [name for at, name in enumerate(game.players) if at != seat]
        return self.opponent is None or self.opponent in others

    def _fits_fault(self, game: ListedGame, seat: Seat | None) -> bool:
        faults = game.faults if seat is None else game.faults[seat : seat + 1]
        return any(fault is not None and (self.fault or "") in fault for fault in faults)


def _result(game: ListedGame, seat: Seat | None) -> str:
    """The result for a seat; without a seat `drawn` or `won`."""
    if game.outcome is None:
        return "unfinished"
    winners = game.outcome.winners
    if seat is not None and seat not in winners:
        return "lost"
    return "won" if len(winners) == 1 else "drawn"


def _seat_of(game: ListedGame, player: str) -> Seat | None:
    return game.players.index(player) if player in game.players else None


def recorded(entry: ContestEntry, nodes: int | None = None) -> RecordedGame:
    """The game of an entry; `nodes` is the node limit of the match."""
    result = entry.result()
    return RecordedGame(
        entry.pairing.key,
        entry.pairing.players,
        entry.record,
        result.faults,
        result.spent,
        opening_text(entry.pairing.opening),
        entry.log,
        entry.pairing,
        nodes,
    )


def opening_text(opening: Opening) -> str:
    """The seed, then the options: `17 map=p2_08x08`."""
    return " ".join([str(opening.seed), *(f"{name}={value}" for name, value in opening.options)])

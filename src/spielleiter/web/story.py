"""One game as it is told: its events in order, and the position after any of them.

A story only follows: the referee's events say what happened, and `Match.recall` what the position
is then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Game, Seat
from spielleiter.match import (
    Accounts,
    Consequence,
    Ended,
    Event,
    Fault,
    Match,
    Opened,
    Played,
    Receipt,
    TurnBegan,
    Violated,
)
from spielleiter.web.service import SeatKind, Source


@dataclass(frozen=True, slots=True)
class Facts:
    """What no event tells: who sits there, where the game comes from, and when it began."""

    kinds: tuple[SeatKind, ...]
    source: Source
    created: float
    """Seconds of the Unix clock when the match was opened."""

    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Facts:
        """The facts that plain data describes."""
        return cls(tuple(data["kinds"]), data["source"], data["created"])


@dataclass(frozen=True, slots=True)
class Stage:
    """A turn as it was told: a move, or a seat that was put out while the game went on."""

    number: int
    ply: int
    seat: Seat
    at: float
    move: str | None = None
    spent: float = 0.0
    hints: tuple[str, ...] = ()
    receipt: Receipt | None = None
    fault: Fault | None = None


class Story:
    """The events of one game so far."""

    def __init__(self, name: str, facts: Facts, opened: Opened) -> None:
        self.id, self.facts, self.opened = name, facts, opened
        self.game: Game = games.load(opened.edition).under(opened.authority)
        self.match = Match.restored([opened], self.game.parse)
        self.events: list[Event] = [opened]
        self.stages: list[Stage] = []
        self.asked: TurnBegan | None = None
        """The request that is being answered."""
        self.broken = False
        """Nobody goes on with it, though it did not end."""

    def hear(self, event: Event) -> Stage | None:
        """One more event; gives the turn it makes, if it makes one."""
        if event.number != len(self.events):
            raise UsageError(f"event {len(self.events)} of {self.id} is missing")
        began = self.match.began
        self.match.recall(event)
        self.events.append(event)
        self.asked = event if isinstance(event, TurnBegan) else self.asked
        if isinstance(event, Played | Violated | Ended):
            self.asked = None if self.match.pending is None else self.asked
        stage = self._stage(event, began)
        if stage is not None:
            self.stages.append(stage)
        return stage

    def _stage(self, event: Event, began: bool) -> Stage | None:
        number, ply = len(self.stages) + 1, self.match.position.ply
        if isinstance(event, Played):
            return Stage(
                number,
                ply,
                event.seat,
                event.at,
                event.move,
                event.spent,
                event.hints,
                event.receipt,
            )
        disqualifies = self.opened.consequence == Consequence.DISQUALIFIES.name
        if isinstance(event, Violated) and disqualifies and began:
            return Stage(number, ply, event.seat, event.at, fault=event.fault)
        return None

    # ---------------------------------------------------------------------------------- questions

    @property
    def ended(self) -> Ended | None:
        """How it ended, if it did."""
        return self.match.ended

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.broken or self.match.ended is not None

    @property
    def last(self) -> int:
        """The number of the last thing to tell: an event, or after all that it was broken off."""
        return len(self.events) - 1 + self.broken

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return len(self.stages)

    @property
    def to_move(self) -> Seat | None:
        """The seat whose turn it is; None when it is over."""
        if self.is_over or self.match.position.outcome() is not None:
            return None
        seat: Seat = self.match.position.to_move()
        return seat

    def wall(self, at: float) -> float:
        """A moment of the referee's clock on the Unix clock."""
        return self.facts.created + at - self.opened.at

    def is_timed_by_account(self) -> bool:
        """Whether seats save up time."""
        return isinstance(self.opened.clock, Accounts)

    def positions(self, first: int = 0, last: int | None = None) -> Iterator[tuple[Any, Any]]:
        """For the turns first … last: the position after each and the last move before it."""
        last = self.turn if last is None else last
        match, turn = Match.restored([self.opened], self.game.parse), 0
        if first == 0:
            yield match.position, None
        for event in self.events[1:]:
            if turn >= last:
                return
            began = match.began
            match.recall(event)
            if self._makes_turn(event, began):
                turn += 1
                if turn >= first:
                    yield match.position, match.last_move

    def _makes_turn(self, event: Event, began: bool) -> bool:
        if isinstance(event, Violated):
            return began and self.opened.consequence == Consequence.DISQUALIFIES.name
        return isinstance(event, Played)

    def at(self, turn: int) -> tuple[Any, Any]:
        """The position after a turn, 0 is the start, and the last move before it."""
        if turn == self.turn:
            return self.match.position.copy(), self.match.last_move
        for found in self.positions(turn, turn):
            return found
        raise UsageError(f"this game has no turn {turn}")

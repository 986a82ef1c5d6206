"""Follows a match by its events and writes what the course's server would write of it."""

from __future__ import annotations

from typing import assert_never

from spielleiter.game import Position, Seat
from spielleiter.games.reversi import course, wire
from spielleiter.match import (
    Began,
    Ended,
    Event,
    Fault,
    Kind,
    Match,
    Opened,
    PauseChanged,
    Played,
    Seated,
    Shown,
    TakenBack,
    TurnBegan,
    Violated,
)
from spielleiter.server.binary import BinarySettings, Board


class MatchWriter:
    """What the texts need: the referee's state after every event, and the number of the move.

    Subclasses write: each `write_…` is called when something happened. By itself it knows the
    result file only.
    """

    def __init__(self, board: Board, settings: BinarySettings, port: int) -> None:
        self.board, self.settings, self.port = board, settings, port
        self.match = Match(board.start())
        self.number = 0
        if self.position.outcome() is None and self.position.to_move() != 0:
            self.number = 1  # a first player who cannot begin costs a number, later ones do not

    @property
    def position(self) -> Position:
        """The board as it is now."""
        return self.match.position

    @property
    def out(self) -> list[bool]:
        """Who is disqualified, by seat."""
        return [fault is not None for fault in self.match.faults]

    @property
    def is_decided(self) -> bool:
        """Whether disqualifications have left one player."""
        return self.out.count(False) < 2

    def left(self, seat: Seat) -> int:
        """What a seat may spend, in whole milliseconds; 0 without a limit."""
        return round(1000 * (self.match.clock.allowed(seat) or 0.0))

    def result(self) -> str:
        """The result file of a match that has ended."""
        match = self.match
        assert match.ended is not None
        limited = self.settings.limit is not None
        rows = zip(match.names, match.ended.outcome.scores, self.out, strict=True)
        return course.result(
            self.board.name,
            [
                (group, score, self.left(seat) if limited else None, out)
                for seat, (group, score, out) in enumerate(rows)
            ],
        )

    # ------------------------------------------------------------------------- what is written

    def write_began(self) -> None: ...
    def write_shown(self) -> None: ...
    def write_asked(self, seat: Seat) -> None: ...
    def write_moved(self, seat: Seat, move: str) -> None: ...
    def write_out(self, violated: Violated, reason: str) -> None: ...
    def write_ended(self, ended: Ended) -> None: ...

    # ------------------------------------------------------------------------------- the events

    def follow(self, event: Event) -> None:
        """Take over an event and write what it leads to."""
        match event:
            case Opened():
                self.match = Match.restored([event], lambda _: self.board.start())
            case Played():
                self._played(event)
            case Violated():
                self._violated(event)
            case Seated() | Began() | Shown() | TurnBegan() | PauseChanged() | Ended():
                self.match.recall(event)
                self._write(event)
            case TakenBack():
                pass  # only people and built-in players of the arena do
            case _:
                assert_never(event)

    def _write(self, event: Event) -> None:
        match event:
            case Began():
                self.write_began()
            case Shown():
                self.write_shown()
            case TurnBegan(seat=seat):
                self.write_asked(seat)
            case Ended():
                self.write_ended(event)

    def _played(self, played: Played) -> None:
        sent = wire.write_move(self.position, self.position.move(played.move))
        self.match.recall(played)
        self.write_moved(played.seat, f"({sent.x},{sent.y},{sent.choice})")
        self.number += 1

    def _violated(self, violated: Violated) -> None:
        """The board is written as it was; an illegal move has cost its time all the same."""
        seat, fault, match = violated.seat, violated.fault, self.match
        if fault.kind is Kind.ILLEGAL and violated.receipt is not None:
            match.clock = match.clock.charged(seat, violated.receipt.spent)
        self.write_out(violated, reason(fault, self.left(seat)))
        self.number += match.pending == seat
        match.recall(violated)


def reason(fault: Fault, left: int) -> str:
    """Why somebody is out, as the course's server says it."""
    if fault.kind is Kind.ILLEGAL:
        return f"invalid move: {fault.move}. time left: {left} msecs"
    return fault.detail if fault.kind is Kind.LEFT else "timeout during move"

"""The state of one game of the arena: its record so far, and what follows from it.

It only follows the referee's events; `match.record.Follower` derives the position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from spielleiter import games
from spielleiter.annotation import Annotation
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Game, Gesture, Position, Seat
from spielleiter.match import Ended, Event, Frame, GameRecord, Opened, Turn, TurnBegan
from spielleiter.match.events import Played, TakenBack, Violated
from spielleiter.match.match import Match
from spielleiter.match.record import Follower
from spielleiter.web.service import SeatKind, Source


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Data that is not in the events: kinds of players, source and time of opening."""

    kinds: tuple[SeatKind, ...]
    source: Source
    created: float
    """Seconds of the Unix clock when the match was opened."""
    guest: bool = False
    """Whether a guest opened it."""

    @property
    def is_temporary(self) -> bool:
        """Whether it is kept only for a while, unlike the organiser's games."""
        return self.guest or self.source != "arena"

    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> GameInfo:
        """The info that plain data describes."""
        guest = data.get("guest", False)
        return cls(tuple(data["kinds"]), data["source"], data["created"], guest)


def described(game: Game, before: Position, text: str | None) -> Gesture | None:
    """The gesture of a move; None if it is not legal in this position."""
    if text is None:
        return None
    try:
        gesture: Gesture = game.part("gestures").described(before, before.move(text))
    except (SpielleiterError, ValueError, ImportError):
        return None
    return gesture


class GameState:
    """A game of the arena after the events so far."""

    def __init__(self, name: str, info: GameInfo, opened: Opened) -> None:
        self.id, self.info, self.opened = name, info, opened
        self.game: Game = games.load(opened.edition).under(opened.authority)
        self._follower = Follower(opened, self.game)
        self.events: list[Event] = [opened]
        self.turns: list[Turn] = []
        """All turns after the start."""
        self.gestures: list[Gesture | None] = []
        """How the move of each of them is made by hand; None where there was none."""
        self.asked: TurnBegan | None = None
        """The request that is being answered."""
        self.broken = False
        """Nobody goes on with it, though it did not end."""
        self.shown: dict[tuple[Seat, int], Annotation] = {}
        """What bots that joined by hand showed beside it: a seat and the number of its move."""
        self.lines_shown = 0

    def add(self, event: Event) -> Turn | None:
        """Add an event; returns the turn it makes, if any."""
        if event.number != len(self.events):
            raise UsageError(f"event {len(self.events)} of {self.id} is missing")
        text = event.move if isinstance(event, Played) else None
        gesture = described(self.game, self.match.position, text)
        turn = self._follower.follow(event)
        self.events.append(event)
        self.asked = event if isinstance(event, TurnBegan) else self.asked
        if isinstance(event, Played | Violated | TakenBack | Ended):
            self.asked = None if self.match.pending is None else self.asked
        if turn is not None:
            self.turns.append(turn)
            self.gestures.append(gesture)
        return turn

    def show(self, seat: Seat, shown: Annotation) -> None:
        """Add an annotation to the move it names, or to the bot's next one."""
        self.lines_shown += 1
        moves = sum(isinstance(each, Played) and each.seat == seat for each in self.events)
        move = shown.move or moves + 1
        own = replace(shown, move=None)
        earlier = self.shown.get((seat, move))
        self.shown[seat, move] = own if earlier is None else earlier.merged(own)

    # ---------------------------------------------------------------------------------- questions

    @property
    def match(self) -> Match:
        """The referee's state: position, clock, who is there."""
        return self._follower.match

    @property
    def record(self) -> GameRecord:
        """The record so far."""
        return GameRecord(tuple(self.events), annotations=dict(self.shown))

    @property
    def ended(self) -> Ended | None:
        """The final event, if any."""
        return self.match.ended

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.broken or self.match.ended is not None

    @property
    def last(self) -> int:
        """The number of the last event, plus one if the game was aborted."""
        return len(self.events) - 1 + self.broken

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return len(self.turns)

    @property
    def to_move(self) -> Seat | None:
        """The seat whose turn it is; None when it is over."""
        if self.is_over or self.match.position.outcome() is not None:
            return None
        seat: Seat = self.match.position.to_move()
        return seat

    def wall(self, at: float) -> float:
        """A time of the referee's clock as Unix time."""
        return self.info.created + at - self.opened.at

    def frames(self, first: int, last: int) -> Iterator[Frame]:
        """The positions after the turns first … last."""
        for frame in self.record.frames(self.game):
            if frame.turn.number > last:
                return
            if frame.turn.number >= first:
                yield frame

    def frame(self, turn: int) -> Frame:
        """The position after a turn; 0 is the start."""
        return self._follower.frame() if turn == self.turn else self.record.frame(self.game, turn)

"""A game told again, position by position, wherever it comes from: events, a record, a file.

Whoever shows games after the fact needs no more than this, and nothing else of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spielleiter.errors import TextError
from spielleiter.game import Game, Outcome, Seat
from spielleiter.match.events import Ended, Event, Fault, Opened, Played, Violated
from spielleiter.match.match import Consequence

Load = Callable[[str, str], Game]
"""Edition and authority → the game."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A position, and what led to it; the first of a tale is the start."""

    position: Any
    last: Any = None
    """The move that led here, if it was one."""
    seat: Seat | None = None
    """Who made that move, or who was put out."""
    words: str = ""
    """The move as text, or what else happened."""
    spent: float | None = None
    """Seconds that the move took, if that is known."""
    hints: tuple[str, ...] = ()
    """What the player wanted observers to read."""
    fault: Fault | None = None
    """Why a seat was put out here."""


@dataclass(frozen=True, slots=True)
class Tale:
    """A whole game: who played, what happened, how it ended."""

    game: Game
    names: tuple[str, ...]
    turns: tuple[Turn, ...]
    outcome: Outcome | None = None
    """None: the source does not tell an end."""
    faults: tuple[Fault | str | None, ...] = ()
    """For each seat what it did wrong, if anything; a text is in the words of the source."""
    log: str = ""
    """What the players printed."""
    notes: tuple[str, ...] = field(default=())
    """What a reader should know of the source."""


def of_events(events: Iterable[Event], load: Load) -> Tale:
    """The game that a referee's events tell of; raises TextError if they do not begin one."""
    teller: Teller | None = None
    for event in events:
        if isinstance(event, Opened):
            game = load(event.edition, event.authority)
            start = game.parse(event.position)
            teller = Teller(game, event.names, start, event.consequence)
        elif teller is None:
            raise TextError("this game has no beginning")
        elif isinstance(event, Played):
            teller.played(event.move, event.spent, event.hints)
        elif isinstance(event, Violated):
            teller.violated(event.seat, event.fault)
        elif isinstance(event, Ended):
            teller.ended(event.outcome, event.faults)
    if teller is None:
        raise TextError("this game has no beginning")
    return teller.tale()


def described(fault: Fault) -> str:
    """A fault in a few words: `illegal: BLOCKED (A1-B2)`."""
    detail = f": {fault.detail}" if fault.detail else ""
    move = f" ({fault.move})" if fault.move else ""
    return f"{fault.kind.value}{detail}{move}"


class Teller:
    """Makes a tale out of moves: plays them again from the start."""

    def __init__(self, game: Game, names: Sequence[str], start: Any, consequence: str) -> None:
        self._game, self._names, self._position = game, tuple(names), start.copy()
        self._goes_on = consequence == Consequence.DISQUALIFIES.name
        self._turns = [Turn(start.copy())]
        self._outcome: Outcome | None = None
        self._faults: tuple[Fault | None, ...] = (None,) * len(self._names)

    def played(self, text: str, spent: float | None = None, hints: Sequence[str] = ()) -> None:
        """A move was made."""
        position = self._position
        seat, move = position.to_move(), position.move(text)
        position.play(move)
        turn = Turn(position.copy(), move, seat, move.text(), spent, tuple(hints))
        self._turns.append(turn)

    def violated(self, seat: Seat, fault: Fault) -> None:
        """A seat was put out; the board changes only where the game goes on without it."""
        if self._goes_on and self._position.outcome() is None:
            self._position.disqualify(seat)
            words = described(fault)
            self._turns.append(Turn(self._position.copy(), None, seat, words, fault=fault))

    def ended(self, outcome: Outcome, faults: Sequence[Fault | None]) -> None:
        """The game is over."""
        self._outcome, self._faults = outcome, tuple(faults)

    def tale(self, log: str = "") -> Tale:
        """All that was told."""
        return Tale(self._game, self._names, tuple(self._turns), self._outcome, self._faults, log)

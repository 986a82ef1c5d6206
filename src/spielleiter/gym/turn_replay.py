"""A bot is put back into a game: same position, clock and seed, after the same earlier calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from spielleiter.annotation import Annotation, Listener
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Game, Move, Position, Seat
from spielleiter.match import Frame, GameRecord, PerMove


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn in which a player was asked for a move, and what it played then."""

    number: int
    position: Position
    played: str
    clock: Clock


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """One turn of a recorded game, and all earlier ones of the same player."""

    seat: Seat
    start: Position
    earlier: tuple[AskedTurn, ...]
    turn: AskedTurn

    @classmethod
    def of(cls, record: GameRecord, game: Game, number: int, nodes: int | None) -> TurnReplay:
        """The turn of that number, from 1; raises UsageError if nobody moved then."""
        frames = list(record.frames(game))
        if not 0 < number < len(frames) or frames[number].turn.move is None:
            raise UsageError(f"this game has moves in the turns 1 to {len(frames) - 1}")
        seat = frames[number].turn.seat
        assert seat is not None, "somebody moved"
        own = list(_asked(record, frames[: number + 1], seat, nodes))
        return cls(seat, frames[0].position, tuple(own[:-1]), own[-1])


def _asked(
    record: GameRecord, frames: list[Frame], seat: Seat, nodes: int | None
) -> Iterator[AskedTurn]:
    """The turns of a seat with the time it had: for a move, or what was left of its account."""
    clock = record.opened.clock
    for before, frame in itertools.pairwise(frames):
        turn = frame.turn
        if turn.seat != seat or turn.move is None:
            continue
        clock = clock.asked(seat)
        allowed = clock.allowed(seat)
        told = (
            Clock(per_move=allowed, nodes=nodes)
            if isinstance(clock, PerMove)
            else Clock(account=allowed, nodes=nodes)
        )
        yield AskedTurn(turn.number, before.position, turn.move, told)
        clock = clock.charged(seat, turn.spent or 0.0)


# ----------------------------------------------------------------------------------------- calling


class Call(Protocol):
    """How the bot is called at the turn in question: plainly, under a debugger, a profiler."""

    def __call__(
        self, function: Callable[[Position, Clock], Move], position: Position, clock: Clock, /
    ) -> Move:
        """Call the function with these."""
        ...


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """What a bot answers now."""

    move: str
    played: str
    """What was played in the game."""
    diverged: int | None
    """The first earlier turn with another answer than in the game."""

    @property
    def same(self) -> bool:
        """Whether it answers as in the game."""
        return self.move == self.played


def replay_turn(
    bot: Bot, replay: TurnReplay, call: Call, listener: Listener, *, earlier: bool = True
) -> ReplayedTurn:
    """Let the bot play the game again as far as the turn, and ask it there.

    Its earlier answers are compared and then dropped: the game goes on as it was. What it shows at
    the turn itself goes to `listener`.
    """
    bot.listener = _ignored
    bot.prepare(replay.start.copy())
    bot.begin(replay.start.copy(), replay.seat)
    diverged = None
    for asked in replay.earlier if earlier else ():
        if _text(bot.choose(asked.position.copy(), asked.clock)) != asked.played:
            diverged = diverged or asked.number
    turn, bot.listener = replay.turn, listener
    move = call(bot.choose, turn.position.copy(), turn.clock)
    return ReplayedTurn(_text(move), turn.played, diverged)


def _ignored(shown: Annotation) -> None:
    """What was shown at earlier turns stands in the record of the game."""


def _text(move: Move | str) -> str:
    return move if isinstance(move, str) else str(move.text())

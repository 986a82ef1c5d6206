"""Plays games in this process: bots and referee, without a socket.

The referee is the one that servers use; a bot that raises, answers nonsense or takes too long
loses its game and nothing else happens.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

from spielleiter.annotation import Annotation, PackedAnnotation, add, storable
from spielleiter.errors import MachineError, TextError
from spielleiter.game import Bot, Clock, Position, Seat, can_disqualify
from spielleiter.match import (
    Asked,
    Consequence,
    Event,
    Fault,
    Join,
    Kind,
    Leave,
    Match,
    MoveSent,
    PackedEvents,
    Played,
    Step,
    Violated,
)
from spielleiter.match.match import NOT_CONNECTED
from spielleiter.match.record import NEVER_BEGAN, Annotations, Failure
from spielleiter.tournament.executor import InterruptedGame, NoWatcher, Watcher, lack_of
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl

CRASHED, NO_MOVE = "CRASHED", "NO_MOVE"
_LONGEST_ANSWER = 200


class LostPlayer(Exception):
    """A player in another process does not answer any more; raised by its representative.

    Its log has its output and why it ended.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail or fault.kind.value)
        self.fault = fault


@runtime_checkable
class Sleeper(Protocol):
    """A player that is frozen while others think."""

    def wake(self) -> None:
        """Unfreeze it before its clock runs."""
        ...


@runtime_checkable
class ShowsPacked(Protocol):
    """A player in another process, whose annotations arrive as unparsed text."""

    def packed_annotations(self) -> dict[int, PackedAnnotation]:
        """All of a game, by the requests for a move, from 1."""
        ...


@dataclass(frozen=True, slots=True)
class InProcessExecutor:
    """Plays games of one edition in this process.

    A player is a function from a seed to a bot; None is a team without a player. If the game allows
    it, the others play without such a team, unless `plays_on` is off.
    """

    start: Callable[[Opening], Position]
    players: dict[str, Callable[[int], Bot] | None]
    limits: TimeControl
    now: Callable[[], float]
    kept_waiting: Callable[[], float] | None = None
    """Total seconds in which this thread waited for a processor."""
    plays_on: bool = True

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game, from the opening or from where it was broken off to the outcome."""
        game = _Game(self, pairing, watcher or NoWatcher())
        game.play(past or InterruptedGame())
        return game.entry()


class _Game:
    """The course of one game."""

    def __init__(self, executor: InProcessExecutor, pairing: Pairing, watcher: Watcher) -> None:
        position = executor.start(pairing.opening)
        self._executor, self._pairing, self._watcher = executor, pairing, watcher
        self._bots: list[Bot | None] = [None] * position.seats
        self._sleepers: list[Sleeper | None] = [None] * position.seats
        self._moves: list[str] = []
        self._seats: list[Seat] = []
        self._spent: list[float] = []
        self._failures: dict[Seat, Failure] = {}
        self._log = ""
        self._shown: dict[Seat, dict[int, Annotation]] = {}
        self._past: tuple[Seat, ...] = ()
        """Who made the moves that were played before the game was broken off."""
        per_move = executor.limits.per_move
        self._fair = per_move or 0.0
        self._waiting = None if per_move is None else executor.kept_waiting
        self._kind = type(next(iter(position.legal_moves())))
        self._match = Match(
            position,
            clock=executor.limits.referee,
            names=pairing.players,
            consequence=_consequence(position),
        )

    def play(self, past: InterruptedGame) -> None:
        """Seat the players and let them move until the game is over."""
        self._seat_all()
        self._follow(past)
        self._begin_all()
        clock, match = self._executor.limits.clock, self._match
        while match.ended is None:
            seat = match.pending
            assert seat is not None, "a running match waits for somebody"
            self._turn(seat, clock)
        self._end_all()

    def entry(self) -> ContestEntry:
        """The entry of the game."""
        match = self._match
        assert match.ended is not None, "the game is over"
        events = PackedEvents(
            match.opened,
            tuple(self._moves),
            tuple(self._seats),
            tuple([int(spent * 1e6 + 0.5) / 1e6 for spent in self._spent]),  # as round, but faster
            match.ended.outcome,
            tuple(self._failures.values()),
        )
        shown = self._annotations()
        return ContestEntry(self._pairing, events, storable(self._log), annotations=shown)

    def _annotations(self) -> Annotations:
        """What the players showed, also of those in another process."""
        shown: dict[tuple[Seat, int], Annotation | PackedAnnotation] = {}
        for seat, bot in enumerate(self._bots):
            if isinstance(bot, ShowsPacked):
                before = self._past.count(seat)
                packed = bot.packed_annotations()
                shown |= {(seat, before + request): each for request, each in packed.items()}
            shown |= {(seat, at): each for at, each in self._shown.get(seat, {}).items()}
        return shown

    # ------------------------------------------------------------------------------------- seats

    def _seat_all(self) -> None:
        players = self._executor.players
        missing = [seat for seat, name in enumerate(self._pairing.players) if players[name] is None]
        goes_on = self._match.consequence is Consequence.DISQUALIFIES and self._executor.plays_on
        for seat in range(len(self._pairing.players)):
            if seat not in missing or goes_on:
                self._see(self._match.handle(Join(self._executor.now(), seat)))
        if goes_on:
            for seat in missing:
                self._fail(seat, Fault(Kind.LEFT, NOT_CONNECTED))
        elif missing:
            self._see(self._match.handle(Step(self._executor.now(), forced=True)))
            self._note_missing()

    def _follow(self, past: InterruptedGame) -> None:
        for at in range(len(past.moves) + 1):
            for moves, seat, fault in past.gone:
                if moves == at:
                    self._fail(seat, fault)
            if at < len(past.moves):
                position = self._match.position
                move = position.move(past.moves[at])
                self._see(self._match.handle(MoveSent(0.0, position.to_move(), move)))
        self._past = tuple(self._seats)

    def _begin_all(self) -> None:
        """Create all players for this game."""
        for seat, player in enumerate(self._pairing.players):
            make = self._executor.players[player]
            if make is None or seat in self._failures or self._match.ended is not None:
                continue
            self._watcher.thinks(seat, self._executor.now())
            bot = None
            try:
                bot = make(drawn(self._pairing.opening.seed, self._pairing.key, seat))
                self._bots[seat] = bot
                self._sleepers[seat] = bot if isinstance(bot, Sleeper) else None
                bot.listener = partial(self._show, seat)
                bot.begin(self._match.position.copy(), seat)
            except LostPlayer as lost:
                self._fail(seat, lost.fault)
            except MachineError:
                raise  # it was not started, or ended, because of us
            except Exception as problem:
                if bot is None and lack_of(problem) is not None:
                    raise
                self._crash(seat, problem)
            self._watcher.thinks(-1)

    def _turn(self, seat: Seat, clock: Clock) -> None:
        match, now, watcher = self._match, self._executor.now, self._watcher
        bot, position = self._bots[seat], match.position
        assert bot is not None, "only a seat with a player is asked"
        seen = position.copy()
        if (sleeper := self._sleepers[seat]) is not None:
            sleeper.wake()
        waiting = getattr(bot, "kept_waiting", self._waiting)
        waited = 0.0 if waiting is None else waiting()
        asked = now()
        watcher.thinks(seat, asked)
        try:
            answer = bot.choose(seen, clock)
        except LostPlayer as lost:
            watcher.thinks(-1)
            self._fail(seat, lost.fault)
            return
        except MachineError:
            watcher.thinks(-1)
            raise  # nobody's fault but ours
        except Exception as problem:
            watcher.thinks(-1)
            self._crash(seat, problem)
            return
        at = now()
        watcher.thinks(-1)
        if waiting is not None and at - asked > self._fair:
            since = getattr(bot, "kept_waiting_since", lambda before: waiting() - before)
            at = max(asked, at - max(0.0, since(waited)))  # others had the processor, not he
        if type(answer) is not self._kind:
            match.handle(Asked(asked, seat))
            self._see(match.handle(_read(position, seat, answer, at)))
            return
        events = match.answer(seat, answer, asked, at)
        if match.faults[seat] is None:
            text = answer.text()
            self._moves.append(text)
            self._seats.append(seat)
            self._spent.append(at - asked)
            watcher.played(text)
        if events:
            self._see(events)

    def _end_all(self) -> None:
        assert self._match.ended is not None, "the game is over"
        for seat, bot in enumerate(self._bots):
            if bot is None or seat in self._failures:
                continue
            self._watcher.thinks(seat, self._executor.now())
            try:
                bot.end(self._match.position.copy(), self._match.ended.outcome)
            except LostPlayer:
                pass  # after the game it may go as it likes
            except Exception:
                self._log += traceback.format_exc()
            self._watcher.thinks(-1)

    # -------------------------------------------------------------------------------- what happens

    def _show(self, seat: Seat, shown: Annotation) -> None:
        """Note an annotation for the bot's next move."""
        add(self._shown.setdefault(seat, {}), shown, self._seats.count(seat) + 1)

    def _see(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Played):
                self._note(event.seat, event.move, event.spent)
            elif isinstance(event, Violated):
                self._failures[event.seat] = Failure(event.seat, event.fault, len(self._moves))

    def _note(self, seat: Seat, move: str, spent: float) -> None:
        self._moves.append(move)
        self._seats.append(seat)
        self._spent.append(spent)
        self._watcher.played(move)

    def _crash(self, seat: Seat, problem: Exception) -> None:
        if not self._match.position.legal_moves():
            self._fail(seat, Fault(Kind.LEFT, NO_MOVE))
            return
        self._log += "".join(traceback.format_exception(problem))
        self._fail(seat, Fault(Kind.LEFT, f"{CRASHED}: {type(problem).__name__}"))

    def _fail(self, seat: Seat, fault: Fault) -> None:
        fault = replace(fault, detail=storable(fault.detail))
        self._see(self._match.handle(Leave(self._executor.now(), seat, fault.detail)))
        noted = self._failures.get(seat)
        if noted is not None:
            self._failures[seat] = Failure(seat, fault, noted.after)

    def _note_missing(self) -> None:
        """A seat that was never taken is at fault before the first move."""
        for seat, fault in enumerate(self._match.faults):
            if fault is not None:
                self._failures[seat] = Failure(seat, fault, NEVER_BEGAN)


def _read(position: Position, seat: Seat, answer: Any, at: float) -> MoveSent:
    """Convert an answer to a move: a text is parsed, anything else is invalid."""
    text = answer if isinstance(answer, str) else repr(answer)
    try:
        return MoveSent(at, seat, position.move(text))
    except TextError:
        return MoveSent(at, seat, None, text=storable(text[:_LONGEST_ANSWER]), mistake=NO_MOVE)


def _consequence(position: Position) -> Consequence:
    """The consequence of a fault: disqualification, if the game supports it."""
    return Consequence.DISQUALIFIES if can_disqualify(position) else Consequence.ENDS_GAME

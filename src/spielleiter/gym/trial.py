"""Asks a bot for one move in each position and counts its answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from spielleiter.errors import TextError
from spielleiter.game import Game, Outcome, Seat
from spielleiter.gym.positions import GymPosition
from spielleiter.match import Opened, PackedEvents, PerMove
from spielleiter.tournament.executor import Executor, InterruptedGame, NoWatcher, Watcher
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.preflight import Entrant
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.tournament.runner import FinishedGame, Runner

_GRACE = 15.0
"""Extra seconds for a worker to stop a player before it is killed itself."""
BOT, OTHERS = "bot", ("(opponent 1)", "(opponent 2)", "(opponent 3)")
"""The names of the tested bot and of the other seats."""


@dataclass(frozen=True, slots=True)
class GymAnswer:
    """What a bot played in a position."""

    position: GymPosition
    move: str | None
    """None: it failed."""
    fault: str | None
    spent: float

    @property
    def solved(self) -> bool:
        """Whether the move is one of the best."""
        return self.move in self.position.best


def pairing_of(number: int, seat: Seat, seats: int) -> Pairing:
    """The game in which the bot is asked: it sits where it is to move."""
    players = list(OTHERS[: seats - 1])
    players.insert(seat, BOT)
    return Pairing(f"gym/{number}", tuple(players), Opening(number))


def ask(
    players: Entrant, game: Game, chosen: Sequence[GymPosition], workers: int
) -> list[GymAnswer]:
    """What the bot among the players plays in each position, several at a time."""
    pairings = []
    for number, each in enumerate(chosen):
        position = game.parse(each.position)
        pairings.append(pairing_of(number, position.to_move(), position.seats))
    patience = players.limits.patience + _GRACE
    runner = Runner(FirstAnswer(players), workers, patience, time.monotonic)
    try:
        return answers(chosen, runner.play(pairings))
    finally:
        runner.close()


def answers(positions: Sequence[GymPosition], finished: Iterable[FinishedGame]) -> list[GymAnswer]:
    """What the bot played, position by position."""
    found = {each.result.pairing.opening.seed: each for each in finished}
    return [_answer(position, found[number]) for number, position in enumerate(positions)]


def _answer(position: GymPosition, game: FinishedGame) -> GymAnswer:
    entry = from_text(game.text)
    seat = entry.pairing.players.index(BOT)
    moves = entry.events.moves
    fault = None if moves else game.result.faults[seat]
    return GymAnswer(position, moves[0] if moves else None, fault, sum(entry.events.spent[:1]))


# ---------------------------------------------------------------------------------- the first move


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """Makes executors whose games end after the first move."""

    make: Callable[[], Executor]

    def __call__(self) -> Executor:
        """An executor."""
        return _FirstAnswerExecutor(self.make())


class _FirstAnswerExecutor:
    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    @property
    def now(self) -> Callable[[], float]:
        return self._executor.now

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        until = _UntilMoved(watcher or NoWatcher(), self.now)
        try:
            return self._executor.play(pairing, until, past)
        except _Moved as answer:
            return _entry(pairing, str(answer), until.spent)


class _Moved(Exception):
    """Raised to end a game after its first move."""


class _UntilMoved:
    """A watcher that ends a game at its first move."""

    def __init__(self, watcher: Watcher, now: Callable[[], float]) -> None:
        self._watcher, self._now = watcher, now
        self._since, self.spent = now(), 0.0

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        self._since = since or self._now()
        self._watcher.thinks(seat, since)

    def played(self, move: str) -> None:
        self.spent = max(0.0, self._now() - self._since)
        self._watcher.played(move)
        raise _Moved(move)


def _entry(pairing: Pairing, move: str, spent: float) -> ContestEntry:
    """The entry of a game of one move, without an outcome."""
    seats, seat = len(pairing.players), pairing.players.index(BOT)
    outcome = Outcome(ranks=(1,) * seats, scores=(0,) * seats, reason="answered")
    opened = Opened(  # nobody asks how it was set up
        number=0,
        at=0.0,
        edition="",
        authority="",
        position="",
        names=pairing.players,
        timed=(True,) * seats,
        clock=PerMove(None, None),
        paused=False,
        consequence="",
    )
    return ContestEntry(pairing, PackedEvents(opened, (move,), (seat,), (spent,), outcome))


# ------------------------------------------------------------------------------------------ tables


def table(found: Sequence[GymAnswer], before: dict[str, bool] | None = None) -> str:
    """How many were solved, by difficulty, and what changed since an earlier run."""
    lines = ["difficulty  solved"]
    for difficulty in sorted({each.position.difficulty for each in found}):
        these = [each for each in found if each.position.difficulty == difficulty]
        lines.append(f"{difficulty:>10}  {_share(these)}")
    lines.append(f"{'all':>10}  {_share(found)}")
    failed = [each for each in found if each.fault is not None]
    if failed:
        first = failed[0]
        lines.append(f"failed in {len(failed)}, first in {first.position.name}: {first.fault}")
    return "\n".join([*lines, *_changes(found, before or {})])


def solved_before(text: str) -> dict[str, bool]:
    """What an earlier run solved, by the names of positions; raises TextError for other JSON."""
    try:
        return {each["name"]: bool(each["solved"]) for each in json.loads(text)["positions"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TextError("this was not written by gym run --json") from None


def _share(found: Sequence[GymAnswer]) -> str:
    solved = sum(each.solved for each in found)
    return f"{solved} of {len(found)} ({100 * solved / len(found):.0f} %)"


def _changes(found: Sequence[GymAnswer], before: dict[str, bool]) -> Iterable[str]:
    known = [each for each in found if each.position.name in before]
    if not known:
        return
    new = [each.position.name for each in known if each.solved and not before[each.position.name]]
    gone = [each.position.name for each in known if not each.solved and before[each.position.name]]
    yield f"newly solved: {', '.join(new) or 'none'}"
    yield f"no longer solved: {', '.join(gone) or 'none'}"


def plain(found: Sequence[GymAnswer], game: str, bot: str) -> dict[str, Any]:
    """The answers in plain values."""
    return {
        "game": game,
        "bot": bot,
        "solved": sum(each.solved for each in found),
        "positions": [
            {
                "name": each.position.name,
                "difficulty": each.position.difficulty,
                "move": each.move,
                "best": list(each.position.best),
                "solved": each.solved,
                "fault": each.fault,
                "spent": round(each.spent, 4),
            }
            for each in found
        ],
    }


def junit(found: Sequence[GymAnswer], game: str, bot: str) -> bytes:
    """The answers as JUnit XML, which services that run tests can show."""
    wrong = [each for each in found if not each.solved]
    counts = {"tests": str(len(found)), "failures": str(len(wrong))}
    suite = Element("testsuite", {"name": f"gym {game}: {bot}", **counts})
    for each in found:
        words = {"classname": game, "name": each.position.name, "time": f"{each.spent:.3f}"}
        case = SubElement(suite, "testcase", words)
        if not each.solved:
            said = each.fault or f"played {each.move}, best is {' or '.join(each.position.best)}"
            SubElement(case, "failure", {"message": said})
    written: bytes = tostring(suite, encoding="utf-8", xml_declaration=True)
    return written

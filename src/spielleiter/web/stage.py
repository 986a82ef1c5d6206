"""The stage of a contest: shows one game at a time, move by move, the same to everybody.

A game is shown at a readable pace from its first move on, while it is played or afterwards. Until
its last move was shown, no page shows its result. Without a host one game follows the other while
the contest is played; a host starts each game.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from spielleiter import games
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Game
from spielleiter.match import Frame, GameRecord
from spielleiter.match.record import RecordBuilder
from spielleiter.tournament.live_games import LiveContestGame
from spielleiter.web.presentation import Presentation

StageState = Literal["idle", "countdown", "playing", "over", "break"]

PACE = 1.0
"""Seconds between two moves."""
COUNTDOWN, HOSTS_COUNTDOWN = 5.0, 10.0
RESULT, BREAK = 8.0, 20.0
"""Seconds for which a result, and then the tables, are shown."""
_LOOK = 1.0
"""Seconds between two searches for games."""
_PATIENCE = 20.0
"""Seconds after which a vanished game is given up."""
_LAST = 1e9


class StageSource(Protocol):
    """The part of a contest that the stage needs."""

    @property
    def presentation(self) -> Presentation:
        """The host's presentation state."""
        ...

    @property
    def numbers(self) -> Mapping[str, int]:
        """Key of every game that was played → its number in the store."""
        ...

    def is_finished(self) -> bool:
        """Whether the contest is over, as far as pages show."""
        ...

    def teams_of(self, key: str) -> tuple[str, ...]:
        """The teams of a game; none if it is to be replayed or was decided by the jury."""
        ...

    def read_on(self) -> None:
        """Read new results."""
        ...

    def places(self) -> Mapping[str, int]:
        """Team → its place in the table."""
        ...

    def live_games(self, now: float) -> Sequence[LiveContestGame] | None:
        """The running games; None: nothing is played."""
        ...

    def record_of(self, key: str) -> GameRecord | None:
        """The record of a finished game."""
        ...

    def put_on_stage(self, key: str | None) -> None:
        """Hide the result of the game on stage."""
        ...

    def present(self, presentation: Presentation) -> None:
        """Store the host's presentation state."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class StagedGame:
    """A game on stage, as far as it is known."""

    key: str
    names: tuple[str, ...]
    game: Game
    frames: tuple[Frame, ...]
    """All positions that are known, shown or not."""
    record: GameRecord | None = None
    """The record, once the game is over."""

    @property
    def last(self) -> int:
        """The last turn that is known."""
        return len(self.frames) - 1


@dataclass(frozen=True, slots=True)
class ReadyGame:
    """A game that a host may start."""

    key: str
    teams: tuple[str, ...]
    live: bool
    """Whether it is still being played."""


@dataclass(frozen=True, slots=True)
class StageScene:
    """The state of the stage at one moment."""

    state: StageState = "idle"
    seconds: int = 0
    """Until the game begins."""
    hosted: bool = False
    staged: StagedGame | None = None
    turn: int = 0
    ready: tuple[ReadyGame, ...] = ()


class ContestStage:
    """Shows the games of one contest; the caller of `advance` supplies the time.

    `wall` is the Unix clock, to detect stale files of running games.
    """

    def __init__(self, source: StageSource, wall: Callable[[], float]) -> None:
        self._source, self._wall, self._lock = source, wall, threading.Lock()
        self.scene = StageScene()
        self._until = self._look = self._next = 0.0
        self._missing: float | None = None
        """Since when nobody knows the game on stage."""
        self._shown: set[str] = set()
        self._first: int | None = None
        """The last number of the store when somebody began to watch."""

    def advance(self, now: float) -> bool:
        """Advance to the given time; whether the scene changed."""
        with self._lock:
            before = self.scene
            if self.scene.state == "playing":
                self._play(now)
            elif self.scene.state == "idle":
                self._choose(now)
            else:
                self._count(now)
            return self.scene != before

    def host(self, hosted: bool) -> None:
        """A host takes over, or leaves."""
        with self._lock:
            self._source.read_on()
            since = max(self._source.numbers.values(), default=0) if hosted else None
            self._source.present(Presentation(since))
            state: StageState = "idle" if self.scene.state == "break" else self.scene.state
            staged = None if state == "idle" else self.scene.staged
            self.scene = replace(self.scene, state=state, staged=staged, hosted=hosted, ready=())
            self._look = 0.0

    def start(self, key: str, now: float) -> None:
        """A host starts a game; raises UsageError."""
        with self._lock:
            if self.scene.state in ("countdown", "playing"):
                raise UsageError("a game is being shown")
            self._source.read_on()
            if key not in [each.key for each in self._ready()]:
                raise UsageError(f"{key[:80]!r} is no game that waits to be shown")
            if not self._begin(key, now, HOSTS_COUNTDOWN):
                raise UsageError(f"{key[:80]!r} cannot be shown")

    def skip(self, now: float) -> None:
        """Show the end of a game that is over at once; raises UsageError."""
        with self._lock:
            staged = self.scene.staged
            if self.scene.state != "playing" or staged is None:
                raise UsageError("no game is being shown")
            staged = self._known(staged)
            if staged.record is None:
                raise UsageError("this game is still being played")
            self.scene = replace(self.scene, staged=staged, turn=staged.last)
            self._next = now

    def leave(self) -> None:
        """Clear the stage: nobody watches any more."""
        with self._lock:
            self._source.put_on_stage(None)
            self.scene = StageScene(hosted=self.scene.hosted)

    # ------------------------------------------------------------------------------- between games

    def _count(self, now: float) -> None:
        if now < self._until:
            left = 0 if self.scene.state == "over" else math.ceil(self._until - now)
            self.scene = replace(self.scene, seconds=left)
        elif self.scene.state == "countdown":
            self.scene = replace(self.scene, state="playing", seconds=0)
            self._next = now + PACE
        elif self.scene.state == "over" and not self.scene.hosted and self._goes_on():
            self._until = now + BREAK
            self.scene = replace(self.scene, state="break", seconds=int(BREAK))
        else:
            self.scene = StageScene(hosted=self.scene.hosted)
            self._look = 0.0
            self._choose(now)

    def _goes_on(self) -> bool:
        return self._source.live_games(self._wall()) is not None and not self._source.is_finished()

    def _choose(self, now: float) -> None:
        """Choose the next game, or list the choices for a host."""
        if now < self._look:
            return
        self._look = now + _LOOK
        self._source.read_on()
        if self._first is None:
            self._first = max(self._source.numbers.values(), default=0)
        if self._source.presentation.hosted:
            self.scene = replace(self.scene, hosted=True, ready=self._ready())
        elif (key := self._best()) is not None:
            self._begin(key, now, COUNTDOWN)

    def _ready(self) -> tuple[ReadyGame, ...]:
        source = self._source
        waits = source.presentation.waits
        keys = [key for key, number in source.numbers.items() if waits(key, number)]
        played = [ReadyGame(key, teams, False) for key in keys if (teams := source.teams_of(key))]
        live = source.live_games(self._wall()) or ()
        running = [each for each in live if not source.teams_of(each.key)]
        return *played, *(ReadyGame(each.key, each.players, True) for each in running)

    def _best(self) -> str | None:
        """The running game of the best teams, else the last finished one."""
        live = self._source.live_games(self._wall())
        if live is None:
            return None
        places = self._source.places()

        def worth(game: LiveContestGame) -> tuple[float, int, str]:
            ranks = [places.get(team, _LAST) for team in game.players]
            return sum(ranks), len(game.moves), game.key

        going = [each for each in live if each.key not in self._shown]
        if going:
            return min(going, key=worth).key
        first = self._first or 0
        played = [
            (number, key)
            for key, number in self._source.numbers.items()
            if number > first and key not in self._shown and self._source.teams_of(key)
        ]
        return max(played)[1] if played and not self._source.is_finished() else None

    # ---------------------------------------------------------------------------------- on stage

    def _begin(self, key: str, now: float, countdown: float) -> bool:
        staged = self._found(key)
        if staged is None:
            return False
        self._shown.add(key)
        self._source.put_on_stage(key)
        self._until, self._missing = now + countdown, None
        hosted = self.scene.hosted
        self.scene = StageScene("countdown", int(countdown), hosted, staged)
        return True

    def _play(self, now: float) -> None:
        staged = self.scene.staged
        assert staged is not None, "somebody plays"
        if now < self._next:
            return
        if self.scene.turn >= staged.last and staged.record is None:
            self._next = now + _LOOK / 2
            staged = self._awaited(staged, now)
            if staged is None:
                return
        if self.scene.turn < staged.last:
            self._next = now + PACE
            self.scene = replace(self.scene, staged=staged, turn=self.scene.turn + 1)
        elif staged.record is not None:
            self._end(staged, now)

    def _awaited(self, staged: StagedGame, now: float) -> StagedGame | None:
        """The same game with its latest moves; None if it has vanished."""
        known = self._known(staged)
        if known is not staged or self._is_live(staged.key):
            self._missing = None
            return known
        self._missing = now if self._missing is None else self._missing
        if now - self._missing < _PATIENCE:
            return staged
        self._source.put_on_stage(None)
        self.scene = StageScene(hosted=self.scene.hosted)
        return None

    def _end(self, staged: StagedGame, now: float) -> None:
        """End the show of a game: its result counts now."""
        presentation = self._source.presentation
        if presentation.hosted:
            self._source.present(presentation.with_shown(staged.key))
        self._source.put_on_stage(None)
        self._until = now + RESULT
        ready = self._ready() if presentation.hosted else ()
        self.scene = replace(self.scene, state="over", staged=staged, ready=ready)

    def _is_live(self, key: str) -> bool:
        live = self._source.live_games(self._wall()) or ()
        return any(each.key == key for each in live)

    def _known(self, staged: StagedGame) -> StagedGame:
        """The latest state of a game; the same object if unchanged."""
        found = self._found(staged.key)
        grown = found is not None and (found.record is not None or found.last > staged.last)
        return found if found is not None and grown else staged

    def _found(self, key: str) -> StagedGame | None:
        try:
            if (record := self._source.record_of(key)) is not None:
                return _after(key, record)
            for live in self._source.live_games(self._wall()) or ():
                if live.key == key:
                    return _while_played(live)
            return None
        except (SpielleiterError, ValueError):  # a record that our rules do not read
            return None


def _after(key: str, record: GameRecord) -> StagedGame:
    game = record.game(games.load_recorded)
    return StagedGame(key, record.names, game, tuple(record.frames(game)), record)


def _while_played(live: LiveContestGame) -> StagedGame:
    """A running game up to an illegal move; only the record knows disqualifications."""
    game = games.load_recorded(live.edition, live.authority)
    position = game.parse(live.position)
    built = RecordBuilder(position, live.players)
    for text in live.moves:
        try:
            move = position.move(text)
        except SpielleiterError:
            break
        if position.why_illegal(move) is not None:
            break
        built.played(position.to_move(), text)
        position.play(move)
    return StagedGame(live.key, live.players, game, tuple(built.record().frames(game)))

"""The ladder: chooses the next game, records results, rates all players.

It starts no process: workers call `claim`, then `finish` or `spoil`. After a fault of ours or of a
machine the game is played again; such a fault never counts for a player.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.execution import SeatedVersion
from spielleiter.ladder.friendlies import Friendlies
from spielleiter.ladder.game_queue import LADDER, LEASE, GameQueue, QueuedGame, new_game_id
from spielleiter.ladder.marks import MARK_ELO, mark_elos, mark_text
from spielleiter.ladder.pairing import Contender, Matchmaker
from spielleiter.ladder.ratings import DEVIATION, REACH, PairCounts, rate_pairs
from spielleiter.ladder.results import GAME, LadderPlayer, LadderResults, PlayedGame, entry_data
from spielleiter.ladder.roster import (
    LEVELS,
    LadderVersion,
    Roster,
    is_mark,
    level_of,
    mark,
)
from spielleiter.match import GameRecord
from spielleiter.store import Entry, Store
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.player_output import without_player
from spielleiter.tournament.ratings import Rating
from spielleiter.tournament.record import from_text

SPOILT, PARKED = "spoilt", "parked"
"""Kinds of the record's entries besides games."""
_LOOK = 2.0
"""Minimum seconds between two updates of who may play."""
_PART = 10
"""Updates take at most this share of the time."""
_CHANGED = 0.05
"""A rating is stored again when it has changed by so many Elo."""
_TRIES = 5
"""How often a game of the ladder is claimed before it is dropped."""


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """Settings of a ladder."""

    editions: tuple[str, ...]
    workers: int = 1
    failures: int = 5
    """A version is parked after so many failures in a row."""
    levels: tuple[int, ...] = tuple(LEVELS)
    """The built-in levels that play as marks."""
    lease: float = LEASE


@dataclass(frozen=True, slots=True)
class LadderName:
    """The name of a player; empty if it was erased."""

    name: str = ""
    team: str = ""
    team_name: str = ""
    level: int | None = None
    """The level, if it is a built-in one."""

    @property
    def title(self) -> str:
        """Name and team in one line."""
        return f"{self.name} ({self.team_name})" if self.team_name else self.name


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the ladder's table."""

    player: str
    name: LadderName
    rating: Rating | None
    """None: not rated yet."""
    played: LadderPlayer | None

    def order(self) -> tuple[float, str]:
        """Best first."""
        return (float("inf") if self.rating is None else -self.rating.elo, self.player)


class Ladder:
    """One ladder for each edition, over one record. May be used from several threads."""

    def __init__(
        self,
        record: Store,
        database: LadderDatabase,
        roster: Roster,
        settings: LadderSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._record, self._roster, self._settings, self._now = record, roster, settings, now
        self.results, self.queue = LadderResults(database), GameQueue(database, settings.lease, now)
        self.friendlies = Friendlies(database, self.queue, self.results, self.order, now)
        self._lock, self._rating = threading.RLock(), threading.Lock()
        self._looking = threading.RLock()
        self._counts: dict[str, PairCounts] = {}
        self._ratings: dict[str, dict[str, Rating]] = {}
        self._fixed = {each: mark_elos(each, settings.levels) for each in settings.editions}
        self._makers = {each: Matchmaker((), self._most()) for each in settings.editions}
        self._given: Counter[str] = Counter()
        self._looked: defaultdict[str, float] = defaultdict(lambda: float("-inf"))
        self._rated: defaultdict[str, float] = defaultdict(lambda: float("-inf"))
        self._cost: defaultdict[str, float] = defaultdict(float)
        self._look_cost: defaultdict[str, float] = defaultdict(float)
        self._unrated: set[str] = set()
        self._tables: dict[str, tuple[TableRow, ...]] = {}
        self._spoilt = sum(1 for _ in record.read(SPOILT))
        self.on_game: Callable[[PlayedGame], None] = lambda game: None
        """Is told of every game that counts now."""
        self.queue.release_all()  # the record has one writer, and that is us: nobody else plays
        self._resume()
        self.friendlies.resume()

    @property
    def settings(self) -> LadderSettings:
        """The settings of this ladder."""
        return self._settings

    def forget(self, versions: Iterable[str]) -> None:
        """Erase the output of versions; the record holds only their ids."""
        for version in versions:
            self.results.erase_output(version)

    @property
    def spoilt_games(self) -> int:
        """How many games were spoilt by a machine and played again."""
        return self._spoilt

    def claim(self, request: str) -> QueuedGame | None:
        """Claim the next game; None if there is none at the moment.

        A repeated request gets the same game until it is finished.
        """
        self._look()
        with self._lock:
            while (game := self._claimed(request)) is not None and not self._is_possible(game):
                self._drop(game)
            return game

    def look_again(self) -> None:
        """Update who may play at once: versions were released or parked."""
        self._looked.clear()

    def orders(self, game: QueuedGame) -> list[SeatedVersion]:
        """The versions on the seats of a game, with their files."""
        return [self._order(player, game.edition) for player in game.pairing.players]

    def finish(self, game: QueuedGame, text: str) -> None:
        """Record the entry of a game; a repeated call counts once."""
        with self._lock:
            if not self._record.named(GAME, [game.id]):
                facts = {"purpose": game.purpose, "at": round(self._now(), 3)}
                data, printed = entry_data(text, facts)
                if printed := self._of_known(game, printed):
                    self.results.keep_output(game.id, printed)
                self._record.append([Entry(GAME, game.id, data)])
            self._read_on()
            self._part(game)
        self._refresh()

    def _of_known(self, game: QueuedGame, printed: str) -> str:
        """The output without the part of a version that was erased in the meantime."""
        players = game.pairing.players
        for player in set(players):
            if printed and not is_mark(player) and self._roster.version(player) is None:
                printed = without_player(printed, players, player)
        return printed

    def spoil(self, game: QueuedGame, reason: str, machine: str = "here") -> None:
        """Queue a game again that failed through no fault of its players."""
        with self._lock:
            self.note_spoilt(game.id, reason, machine)
            self._part(game)
            if game.purpose == LADDER and game.tries + 1 >= _TRIES:
                self._drop(game)
            else:
                self.queue.release(game.id)

    def note_spoilt(self, game: str, reason: str, machine: str) -> None:
        """Record that a machine spoilt a game, which is played again."""
        with self._lock:
            self._spoilt += 1
            data = {"game": game, "machine": machine, "reason": reason}
            text = json.dumps(data, ensure_ascii=False)
            self._record.append([Entry(SPOILT, str(self._spoilt), text)])

    def order(self, games: Iterable[QueuedGame]) -> None:
        """Queue requested games, except those already played."""
        with self._lock:
            wanted = list(games)
            known = {each.key for each in self._record.named(GAME, [each.id for each in wanted])}
            self.queue.add(each for each in wanted if each.id not in known)

    def append(self, entries: Sequence[Entry]) -> None:
        """Append another entry to the record, such as a decision of the jury."""
        with self._lock:
            self._record.append(entries)

    def table(self, edition: str) -> tuple[TableRow, ...]:
        """All current players, best first; those without a game last."""
        return self._tables.get(edition, ())

    def rating(self, edition: str, player: str) -> Rating | None:
        """The rating of a player; None: not rated yet."""
        return self._ratings.get(edition, {}).get(player)

    def named(self, player: str) -> LadderName:
        """The name of a player."""
        return self.names([player])[player]

    def names(self, players: Iterable[str]) -> dict[str, LadderName]:
        """The names of these players."""
        return player_names(self._roster, players)

    def edition_of(self, player: str) -> str | None:
        """The game that a version plays; None if it is unknown or a level, which plays all."""
        found = None if is_mark(player) else self._roster.version(player)
        return None if found is None else found.edition

    def record_of(self, game: str) -> GameRecord | None:
        """The record of a game, with the current names of its players."""
        found = self._record.named(GAME, [game])
        if not found:
            return None
        entry = from_text(found[0].data)
        known = self.names(entry.pairing.players)
        names = tuple(known[each].title for each in entry.pairing.players)
        events = replace(entry.events, opened=replace(entry.events.opened, names=names))
        return GameRecord(events)

    def rate_now(self) -> None:
        """Rate all players from all games, without a time limit."""
        with self._rating:
            for edition in sorted(self._unrated):
                self._rate(edition)

    # ---------------------------------------------------------------------------------------- games

    def _claimed(self, request: str) -> QueuedGame | None:
        made: list[QueuedGame] = []

        def pair() -> QueuedGame | None:
            if not made and (found := self._paired()) is not None:
                made.append(found)
            return made[0] if made else None

        game = self.queue.claim(request, pair)
        if game is not None and game not in made:
            self._meet(game)
        return game

    def _paired(self) -> QueuedGame | None:
        """A new game for the edition with the fewest games so far."""
        for edition in sorted(self._makers, key=lambda each: (self._given[each], each)):
            pair = self._makers[edition].next()
            if pair is not None:
                self._given[edition] += 1
                return QueuedGame(self._opened(edition, pair), edition)
        return None

    def _opened(self, edition: str, pair: tuple[str, str]) -> Pairing:
        """The two games of a pair share an opening, with seats swapped."""
        met = self._counts[edition].met(*pair) if edition in self._counts else 0
        seed = drawn(LADDER, edition, *sorted(pair), met // 2)
        return Pairing(new_game_id(), pair, Opening(seed))

    def _is_possible(self, game: QueuedGame) -> bool:
        """Whether all its players can still play: one may have been erased or parked."""
        if game.purpose == LADDER:
            maker = self._makers.get(game.edition)
            return maker is not None and all(map(maker.knows, game.pairing.players))
        versions = [
            self._roster.version(each) for each in game.pairing.players if not is_mark(each)
        ]
        return all(each is not None and each.path.is_file() for each in versions)

    def _drop(self, game: QueuedGame) -> None:
        self._part(game)
        self.queue.drop(game.id)

    def _meet(self, game: QueuedGame) -> None:
        if game.edition in self._makers:
            self._makers[game.edition].meet(game.pairing.players)

    def _part(self, game: QueuedGame) -> None:
        if game.edition in self._makers:
            self._makers[game.edition].part(game.pairing.players)

    def _order(self, player: str, edition: str) -> SeatedVersion:
        if is_mark(player):
            return SeatedVersion(player, mark_text(player, edition), edition=edition)
        version = self._roster.version(player)
        assert version is not None, "who is erased is not paired"
        return SeatedVersion(player, str(version.path), version.hash, edition)

    def _most(self) -> int:
        """How many games a team may play at a time, so that workers stay free for others."""
        return max(1, self._settings.workers // 2)

    # -------------------------------------------------------------------------------------- ratings

    def _resume(self) -> None:
        """Read the record and continue from there."""
        for _ in self.results.read_on(self._record):
            pass
        for edition in self._settings.editions:
            self._counts[edition] = self.results.pairs(edition)
            for one, other, games in self._counts[edition].meetings():
                self._makers[edition].note_past(one, other, games)
            self._unrated.add(edition)
            self._park_failing(self.results.failing(edition, self._settings.failures))
        self.rate_now()

    def _read_on(self) -> None:
        for game in self.results.read_on(self._record):
            if game.is_rated and game.edition in self._counts:
                self._counts[game.edition].add(*game.pair, game.counts)
                self._unrated.add(game.edition)
                self._park_failing(self.results.players_named(game.edition, game.players).values())
            self.on_game(game)

    def _refresh(self) -> None:
        """Rate the editions that are due; return at once if another thread does."""
        if self._rating.acquire(blocking=False):
            try:
                for edition in sorted(self._unrated):
                    if time.monotonic() - self._rated[edition] >= _PART * self._cost[edition]:
                        self._rate(edition)
            finally:
                self._rating.release()

    def _rate(self, edition: str) -> None:
        """Compute ratings without blocking `claim` and `finish`."""
        began = time.monotonic()
        with self._lock:
            counts = self._counts[edition].copy()
            self._unrated.discard(edition)
        before = self._ratings.get(edition, {})
        start = {name: each.elo for name, each in before.items()}
        ratings = rate_pairs(counts, start, self._fixed[edition])
        self._ratings[edition] = {each.player: each for each in ratings}
        self.results.rated(edition, [each for each in ratings if _is_news(each, before)])
        self._update(edition)
        self._rated[edition] = time.monotonic()
        self._cost[edition] = self._rated[edition] - began

    def _look(self) -> None:
        """Update who may play; return at once if another thread does."""
        if self._looking.acquire(blocking=False):
            try:
                for edition in self._makers:
                    pause = max(_LOOK, _PART * self._look_cost[edition])
                    if time.monotonic() - self._looked[edition] >= pause:
                        self._update(edition)
            finally:
                self._looking.release()

    def _update(self, edition: str) -> None:
        """Read the roster without blocking `claim` and `finish`."""
        with self._looking:
            began = self._looked[edition] = time.monotonic()
            versions = self._roster.released_versions(edition)
            marks = [mark(level) for level in self._settings.levels] if versions else []
            names = [*(each.id for each in versions), *marks]
            known = self.results.players_named(edition, names)
            contenders = [self._contender(edition, each.id, each.team, known) for each in versions]
            contenders += [self._contender(edition, each, "", known) for each in marks]
            self._tables[edition] = self._tabled(edition, versions, marks, known)
            with self._lock:
                self._makers[edition].update(contenders)
            self._look_cost[edition] = time.monotonic() - began

    def _tabled(
        self,
        edition: str,
        versions: Sequence[LadderVersion],
        marks: Sequence[str],
        known: dict[str, LadderPlayer],
    ) -> tuple[TableRow, ...]:
        names = {each.id: LadderName(each.name, each.team, each.team_name) for each in versions}
        names |= {each: _mark_name(each) for each in marks}
        rows = [
            TableRow(each, name, self._rating_of(edition, each), known.get(each))
            for each, name in names.items()
        ]
        return tuple(sorted(rows, key=TableRow.order))

    def _rating_of(self, edition: str, player: str) -> Rating | None:
        """The rating of a player; marks have a fixed one."""
        fixed = self._fixed[edition].get(player)
        found = self.rating(edition, player)
        return Rating(player, fixed, 0.0, 0) if found is None and fixed is not None else found

    def _contender(
        self, edition: str, name: str, team: str, known: dict[str, LadderPlayer]
    ) -> Contender:
        rating = self._rating_of(edition, name)
        if rating is None:
            return Contender(name, team, MARK_ELO, DEVIATION)
        deviation = max(rating.margin / REACH, 1.0)
        last = known[name].last if name in known else 0
        return Contender(name, team, rating.elo, deviation, rating.games, last)

    # -------------------------------------------------------------------------------------- parking

    def _park_failing(self, players: Iterable[LadderPlayer]) -> None:
        for each in players:
            if each.failing >= self._settings.failures and not is_mark(each.player):
                self._park(each)

    def _park(self, player: LadderPlayer) -> None:
        """Park and notify; each step is repeated after a crash."""
        version = self._roster.version(player.player)
        (game,) = self.results.games_of(player.player, 1)
        key = f"{player.player}/{game.id}"
        if version is not None and not self._record.named(PARKED, [key]):
            fault = game.faults[game.players.index(player.player)] or ""
            reason = f"it failed in {player.failing} games in a row, the last time because: {fault}"
            data = {"version": version.id, "failures": player.failing, "game": game.id}
            self._roster.park(version.id, reason)
            self._roster.tell(version.team, version.id, player.failing, fault)
            self._record.append([Entry(PARKED, key, json.dumps(data))])
        self.results.succeeded(player.edition, player.player)
        self.look_again()


def player_names(roster: Roster, players: Iterable[str]) -> dict[str, LadderName]:
    """The names of these players: versions of a roster, and marks."""
    wanted = set(players)
    marks = {each for each in wanted if is_mark(each)}
    found = dict.fromkeys(wanted, LadderName())
    found |= {each: _mark_name(each) for each in marks}
    for each in roster.versions(sorted(wanted - marks)):
        found[each.id] = LadderName(each.name, each.team, each.team_name)
    return found


def _mark_name(player: str) -> LadderName:
    return LadderName(f"level {level_of(player)}", level=level_of(player))


def _is_news(rating: Rating, before: dict[str, Rating]) -> bool:
    """Whether a rating has changed enough to be stored."""
    old = before.get(rating.player)
    if old is None:
        return True
    return abs(old.elo - rating.elo) > _CHANGED or abs(old.margin - rating.margin) > _CHANGED

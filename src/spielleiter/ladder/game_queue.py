"""The queue of games to be played: each has an id and, while a worker plays it, a lease.

A claim is answered with a game and stored under the id of the request. If the answer is lost, the
worker repeats the request and gets the same game. If it does not, the lease ends and the game is
queued again under the same id. A game counts once per id. So a lost answer neither loses a game nor
counts one twice.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    ScalarSelect,
    Select,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.schema import due
from spielleiter.tournament.pairing import Opening, Pairing

LEASE = 60.0
"""Seconds after which a claimed game is queued again, unless its lease is renewed."""
LADDER = "ladder"
"""The purpose of games that the ladder pairs itself."""
FIRST, LATER = 0, 1
"""Priorities: a contest's games come before those that can wait."""
_IN_TURN = 1 << 10


@dataclass(frozen=True, slots=True)
class QueuedGame:
    """A game to be played."""

    pairing: Pairing
    """Its key is the id of the game."""
    edition: str
    purpose: str = LADDER
    team: str = ""
    """The team that requested it."""
    rank: int = LATER
    tries: int = 0
    """How often it was claimed before."""

    @property
    def id(self) -> str:
        """The id of the game."""
        return self.pairing.key


class GameQueue:
    """The games to be played, in a database table."""

    def __init__(
        self,
        database: LadderDatabase,
        lease: float = LEASE,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._lease, self._now = database, lease, now
        self._served: Counter[str] = Counter()
        self._queued: set[str] = set()
        self._now_at = 0
        """The count of the team served last; newcomers start from it."""
        self._was_asked = False

    def add(self, games: Iterable[QueuedGame]) -> None:
        """Queue these games; those already queued stay as they are."""
        wanted = {each.id: each for each in games}

        def added(connection: Connection) -> None:
            known = _known(connection, list(wanted))
            rows = [self._row(each) for each in wanted.values() if each.id not in known]
            if rows:
                connection.execute(insert(due), rows)

        self._database.write(added)

    def claim(self, request: str, pair: Callable[[], QueuedGame | None]) -> QueuedGame | None:
        """The next game: in turn a requested one and one that `pair` finds.

        A repeated request gets the same game until it is finished or its lease has ended.
        """
        return self._database.write(lambda connection: self._claimed(connection, request, pair))

    def renew(self, game: str, request: str) -> bool:
        """Extend a lease; whether the game still belongs to this request."""
        mine = (due.c.id == game) & (due.c.request == request)
        longer = update(due).where(mine).values(until=self._now() + self._lease)
        return self._database.write(lambda connection: connection.execute(longer).rowcount) == 1

    def release(self, game: str) -> None:
        """Return a game to the queue at once."""
        freed = update(due).where(due.c.id == game).values(until=0.0, request=None)
        self._database.write(lambda connection: connection.execute(freed))

    def release_all(self) -> None:
        """Return all claimed games to the queue."""
        freed = update(due).values(until=0.0, request=None)
        self._database.write(lambda connection: connection.execute(freed))

    def drop(self, game: str) -> None:
        """Remove a game from the queue."""
        gone = delete(due).where(due.c.id == game)
        self._database.write(lambda connection: connection.execute(gone))

    def cancel(self, purpose: str) -> None:
        """Remove all games of a purpose."""
        gone = delete(due).where(due.c.purpose == purpose)
        self._database.write(lambda connection: connection.execute(gone))

    def waiting(self, purpose: str) -> int:
        """How many games of that purpose are still to be played."""
        count = select(func.count()).select_from(due).where(due.c.purpose == purpose)
        return int(self._database.rows(count)[0][0])

    def counts(self) -> tuple[int, int]:
        """How many games wait, and how many are being played."""
        is_free = case((due.c.until < self._now(), 1), else_=0)
        free = func.coalesce(func.sum(is_free), 0).label("free")
        found = self._database.rows(select(func.count().label("known"), free).select_from(due))[0]
        return int(found.free), int(found.known) - int(found.free)

    def all(self) -> list[QueuedGame]:
        """All games that wait or are being played."""
        return [_game(row) for row in self._database.rows(select(due).order_by(due.c.made))]

    # --------------------------------------------------------------------------------------- claims

    def _claimed(
        self, connection: Connection, request: str, pair: Callable[[], QueuedGame | None]
    ) -> QueuedGame | None:
        groups = self._groups(connection, request)
        mine = next((each.mine for each in groups if each.mine is not None), None)
        if mine is not None:
            return self._given(connection, request, mine)
        if not groups or (self._was_asked and min(each.rank for each in groups) > FIRST):
            self._was_asked = False
            found = pair()
            if found is not None or not groups:
                return self._leased(connection, request, found)
        self._was_asked = True
        return self._given(connection, request, self._oldest(self._first(groups)))

    def _first(self, groups: Sequence[Row[Any]]) -> Row[Any]:
        """The most urgent group of the team that was served least."""
        for newcomer in {each.team for each in groups} - self._queued:
            self._served[newcomer] = max(self._served[newcomer], self._now_at)
        self._queued = {each.team for each in groups}
        first = min(groups, key=lambda each: (each.rank, self._served[each.team], each.made))
        self._now_at = self._served[first.team]
        self._served[first.team] += 1
        return first

    def _leased(
        self, connection: Connection, request: str, found: QueuedGame | None
    ) -> QueuedGame | None:
        if found is not None:
            leased = {"request": request, "until": self._now() + self._lease, "tries": 1}
            connection.execute(insert(due), [self._row(found) | leased])
        return found

    def _groups(self, connection: Connection, request: str) -> Sequence[Row[Any]]:
        """Waiting games by rank and team; `mine` is a game that the request already has."""
        mine = func.max(case((due.c.request == request, due.c.id))).label("mine")
        groups = select(due.c.rank, due.c.team, func.min(due.c.made).label("made"), mine)
        which = (due.c.until < self._now()) | (due.c.request == request)
        query: Select[Any] = groups.where(which).group_by(due.c.rank, due.c.team)
        return connection.execute(query).all()

    def _oldest(self, group: Row[Any]) -> ScalarSelect[str]:
        theirs = (due.c.rank == group.rank) & (due.c.team == group.team)
        free = select(due.c.id).where(theirs, due.c.until < self._now())
        return free.order_by(due.c.made, due.c.id).limit(1).scalar_subquery()

    def _given(
        self, connection: Connection, request: str, game: str | ScalarSelect[str]
    ) -> QueuedGame:
        once_more = due.c.tries + case((due.c.request == request, 0), else_=1)
        leased = {"request": request, "until": self._now() + self._lease, "tries": once_more}
        taken = update(due).where(due.c.id == game).values(leased).returning(due)
        return _game(connection.execute(taken).one())

    def _row(self, game: QueuedGame) -> dict[str, Any]:
        return {
            "id": game.id,
            "edition": game.edition,
            "purpose": game.purpose,
            "team": game.team,
            "rank": game.rank,
            "pairing": _pairing_text(game.pairing),
            "made": self._now(),
            "request": None,
            "until": 0.0,
            "tries": 0,
        }


def finished(connection: Connection, games: Sequence[str]) -> None:
    """Remove games that are in the record."""
    for at in range(0, len(games), _IN_TURN):
        connection.execute(delete(due).where(due.c.id.in_(games[at : at + _IN_TURN])))


def new_game_id() -> str:
    """An id that no other game has."""
    return secrets.token_hex(10)


def _known(connection: Connection, games: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for at in range(0, len(games), _IN_TURN):
        some = select(due.c.id).where(due.c.id.in_(games[at : at + _IN_TURN]))
        found |= set(connection.scalars(some))
    return found


def _pairing_text(pairing: Pairing) -> str:
    opening = pairing.opening
    return json.dumps([pairing.players, opening.seed, opening.options])


def _game(row: Row[Any]) -> QueuedGame:
    players, seed, options = json.loads(row.pairing)
    opening = Opening(seed, tuple((name, value) for name, value in options))
    pairing = Pairing(row.id, tuple(players), opening)
    before = max(0, row.tries - 1)
    return QueuedGame(pairing, row.edition, row.purpose, row.team, row.rank, before)

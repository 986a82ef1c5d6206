"""Friendlies: games that teams agree on, against each other or against built-in levels.

A team challenges others; each of them accepts or declines. When all have accepted, the games are
queued and the ladder's workers play them, in turn with those of other teams and of the ladder
itself. They are recorded like all games but change no rating.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Row, insert, select, update

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.game_queue import GameQueue, QueuedGame, new_game_id
from spielleiter.ladder.results import LadderResults, PlayedGame
from spielleiter.ladder.schema import friendly, friendly_team
from spielleiter.tournament.pairing import DRAW, WIN, Encounter, Options, drawn

FriendlyState = Literal["open", "agreed", "over", "declined", "withdrawn"]
MOST_GAMES = 100
"""Games of one friendly."""
MOST_OPEN = 20
"""Open friendlies of a team, agreed or requested."""
MOST_ASKED = 5
"""Unanswered challenges from one team to another."""
_PURPOSE = "friendly/"


class NoSuchFriendly(UsageError):
    """No friendly has that id."""


@dataclass(frozen=True, slots=True)
class FriendlySeat:
    """A seat of a friendly: a version of a team, or a built-in level."""

    player: str = ""
    """The id of a version or a mark; empty: the team has not chosen yet."""
    team: str = ""
    """Empty: a level, which always accepts."""

    @property
    def has_accepted(self) -> bool:
        """Whether the seat is taken."""
        return bool(self.player)


@dataclass(frozen=True, slots=True)
class Friendly:
    """A series of games between the same players; the first seat is the challenger's."""

    id: str
    edition: str
    games: int
    options: Options
    """The set-up, such as a map."""
    seats: tuple[FriendlySeat, ...]
    state: FriendlyState
    made: float

    @property
    def challenger(self) -> str:
        """The team that asked for it."""
        return self.seats[0].team

    @property
    def teams(self) -> tuple[str, ...]:
        """All teams at the table, each once, the challenger first."""
        return tuple(dict.fromkeys(each.team for each in self.seats if each.team))

    @property
    def purpose(self) -> str:
        """The purpose under which its games are queued."""
        return _PURPOSE + self.id

    def queued(self) -> list[QueuedGame]:
        """All its games: each opening is played in every order of the seats."""
        players = tuple(each.player for each in self.seats)
        encounter = Encounter(self.id, players, drawn(self.id), (self.options,))
        pairings = [
            replace(encounter.game(number), key=f"{self.id}-{number}")  # it stands in addresses
            for number in range(self.games)
        ]
        return [QueuedGame(each, self.edition, self.purpose, self.challenger) for each in pairings]


@dataclass(frozen=True, slots=True)
class FriendlyScore:
    """The score of one seat in a friendly."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: int = 0

    def after(self, game: PlayedGame, at: int) -> FriendlyScore:
        """The score after one more game."""
        points = _points(game, at)
        return FriendlyScore(
            self.won + (points == WIN),
            self.drawn + (points == DRAW),
            self.lost + (points not in (WIN, DRAW)),
            self.faults + (game.faults[at] is not None),
        )


class Friendlies:
    """All friendlies of an arena. `order` queues games and ignores those already queued."""

    def __init__(
        self,
        database: LadderDatabase,
        queue: GameQueue,
        results: LadderResults,
        order: Callable[[Iterable[QueuedGame]], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._queue, self._results = database, queue, results
        self._order, self._now = order, now

    def resume(self) -> None:
        """After a crash: queue the games of agreed friendlies and close finished ones."""
        for row in self._database.rows(select(friendly).where(friendly.c.state == "agreed")):
            found = _friendly(row)
            if len(self._results.games_for(found.purpose)) >= found.games:
                self._set(found, "over")
            else:
                self._order(found.queued())

    # -------------------------------------------------------------------------------------- reading

    def find(self, friendly_id: str) -> Friendly:
        """The friendly of that id; raises NoSuchFriendly."""
        row = self._database.row(select(friendly).where(friendly.c.id == friendly_id))
        if row is None:
            raise NoSuchFriendly(f"there is no friendly {friendly_id!r}")
        return self._seen(_friendly(row))

    def of_team(self, team: str, count: int = 50) -> list[Friendly]:
        """The friendlies of a team, newest first."""
        query = select(friendly).join(friendly_team, friendly_team.c.friendly == friendly.c.id)
        theirs = query.where(friendly_team.c.team == team)
        rows = self._database.rows(theirs.order_by(friendly.c.made.desc()).limit(count))
        return [self._seen(_friendly(row)) for row in rows]

    def played(self, found: Friendly) -> list[PlayedGame]:
        """Its games so far, in the order of the record."""
        return self._results.games_for(found.purpose)

    def scores(self, found: Friendly) -> list[FriendlyScore]:
        """The scores so far, by seat."""
        scores = [FriendlyScore() for _ in found.seats]
        for game in self.played(found):
            turn = int(game.id.rpartition("-")[2]) % len(scores)
            for at in range(len(scores)):
                seat = (at + turn) % len(scores)
                scores[seat] = scores[seat].after(game, at)
        return scores

    def _seen(self, found: Friendly) -> Friendly:
        """Close it if none of its games is waiting."""
        if found.state == "agreed" and not self._queue.waiting(found.purpose):
            return replace(found, state="over")
        return found

    # ------------------------------------------------------------------------------------- agreeing

    def challenge(
        self, edition: str, seats: Sequence[FriendlySeat], count: int, options: Options = ()
    ) -> Friendly:
        """Challenge the other teams; levels and the challenger itself accept at once."""
        if not 1 <= count <= MOST_GAMES:
            raise UsageError(f"a friendly has between 1 and {MOST_GAMES} games")
        game = games.load(edition)
        wanted = game.start(0, **game.listed(dict(options))).seats
        if len(seats) != wanted:
            raise UsageError(f"this needs {wanted} players, not {len(seats)}")
        made = Friendly(
            new_game_id(), edition, count, options, tuple(seats), "open", round(self._now(), 3)
        )
        self._check_room(made)
        self._database.write(lambda connection: _added(connection, made))
        return self._agreed(made)

    def accept(self, friendly_id: str, team: str, player: str) -> Friendly:
        """Accept with one of the team's versions; when all have accepted, the games begin."""
        found = self._open(friendly_id, team)
        seats = tuple(
            replace(each, player=player) if each.team == team and not each.player else each
            for each in found.seats
        )
        return self._agreed(replace(found, seats=seats))

    def decline(self, friendly_id: str, team: str) -> Friendly:
        """Decline a challenge."""
        return self._set(self._open(friendly_id, team), "declined")

    def withdraw(self, friendly_id: str, team: str) -> Friendly:
        """Withdraw: the remaining games are cancelled."""
        found = self.find(friendly_id)
        if team not in found.teams:
            raise UsageError("only those who sit at the table can end a friendly")
        if found.state not in ("open", "agreed"):
            raise UsageError("this friendly has ended already")
        ended = self._set(found, "withdrawn")
        self._queue.cancel(found.purpose)
        return ended

    def _open(self, friendly_id: str, team: str) -> Friendly:
        found = self.find(friendly_id)
        if team not in [each.team for each in found.seats if not each.player]:
            raise UsageError("this friendly does not wait for your team")
        if found.state != "open":
            raise UsageError("this friendly is not open any more")
        return found

    def _agreed(self, found: Friendly) -> Friendly:
        if not all(each.has_accepted for each in found.seats):
            return self._set(found, "open")
        agreed = self._set(found, "agreed")
        self._order(agreed.queued())
        return agreed

    def _set(self, found: Friendly, state: FriendlyState) -> Friendly:
        changed = replace(found, state=state)
        row = update(friendly).where(friendly.c.id == found.id).values(_row(changed))
        self._database.write(lambda connection: connection.execute(row))
        return changed

    def _check_room(self, made: Friendly) -> None:
        """Raise UsageError if the team has too many open friendlies or unanswered challenges."""
        for team in made.teams:
            if len(self._unfinished(team, made.challenger)) >= MOST_OPEN:
                self._close_played(team)
            going = self._unfinished(team, made.challenger)
            if team == made.challenger and len(going) >= MOST_OPEN:
                raise UsageError(f"a team has at most {MOST_OPEN} friendlies at a time")
            if team != made.challenger and len(going) >= MOST_ASKED:
                raise UsageError(f"this team has not yet answered {MOST_ASKED} of your challenges")

    def _unfinished(self, team: str, challenger: str) -> list[Friendly]:
        """Count open friendlies of a team, or those it has asked another team for."""
        both = friendly.join(friendly_team, friendly_team.c.friendly == friendly.c.id)
        query = select(friendly).select_from(both).where(friendly_team.c.team == team)
        rows = self._database.rows(query.where(friendly.c.state.in_(("open", "agreed"))))
        found = [_friendly(row) for row in rows]
        if team == challenger:
            return [each for each in found if each.state == "agreed" or each.challenger == team]
        return [each for each in found if each.state == "open" and each.challenger == challenger]

    def _close_played(self, team: str) -> None:
        for each in self.of_team(team, 2 * MOST_OPEN):
            if each.state == "over":
                self._set(each, "over")


def _added(connection: Connection, made: Friendly) -> None:
    known = connection.scalar(select(friendly.c.id).where(friendly.c.id == made.id))
    if known is None:  # a broken answer may have been a success
        connection.execute(insert(friendly), [_row(made)])
        rows = [{"friendly": made.id, "team": team} for team in made.teams]
        connection.execute(insert(friendly_team), rows)


def _row(found: Friendly) -> dict[str, Any]:
    return {
        "id": found.id,
        "edition": found.edition,
        "games": found.games,
        "options": json.dumps(found.options),
        "seats": json.dumps([asdict(each) for each in found.seats]),
        "state": found.state,
        "made": found.made,
    }


def _friendly(row: Row[Any]) -> Friendly:
    options = tuple((name, value) for name, value in json.loads(row.options))
    seats = tuple(FriendlySeat(**each) for each in json.loads(row.seats))
    return Friendly(row.id, row.edition, row.games, options, seats, row.state, row.made)


def _points(game: PlayedGame, at: int) -> int:
    if game.faults[at] is not None or game.ranks[at] != 1:
        return 0
    return WIN if game.ranks.count(1) == 1 else DRAW

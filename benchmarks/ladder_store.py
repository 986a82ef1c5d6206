"""Makes the store of a big season: teams, versions, and a ladder with its record of games.

Rows go in as a database takes them fastest. What they say is what the ladder would have written
itself: filled again from the record, its tables are the same (tests/test_ladder_load.py).
"""

from __future__ import annotations

import functools
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import Table, insert

from spielleiter import bots, games
from spielleiter.accounts import schema as accounts_schema
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.names import key_of
from spielleiter.ladder import schema
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.marks import mark_elo
from spielleiter.ladder.results import (
    GAME,
    LadderResults,
    PlayedGame,
    entry_data,
    game_row,
    meeting_rows,
    played_game,
    seat_rows,
)
from spielleiter.ladder.roster import LEVELS, mark
from spielleiter.store import Entry, open_store
from spielleiter.store.address import StoreAddress
from spielleiter.store.schema import event
from spielleiter.store.store import FIRST_HASH, chained
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import to_text
from spielleiter.tournament.time_control import TimeControl

EDITION = games.names()[0]
_BOTS = 2
"""Bots of each team; the last version of each plays."""
_AGAINST_MARKS, _NEAR = 5, 40
_FAILED = 300
"""Every so many games the loser crashes."""
_FAULTS: dict[tuple[int, int], tuple[str | None, ...]] = {
    (1, 2): (None, "crashed"),
    (2, 1): ("crashed", None),
}
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Season:
    """How much there is."""

    teams: int = 1_000
    versions: int = 10_000
    games: int = 1_000_000

    @property
    def of_a_bot(self) -> int:
        """Versions of each bot."""
        return max(1, self.versions // (_BOTS * self.teams))

    def version(self, number: int) -> str:
        """The id of a version."""
        return f"{number:020x}"


def add_people(accounts: ArenaAccounts, season: Season) -> None:
    """Teams with their bots and versions, all of one edition."""
    teams = [
        {"id": f"team{number}", "name": f"Team {number}", "name_key": key_of(f"Team {number}")}
        | {"feed_key": f"feed{number}", "webhook": "", "created": float(number)}
        for number in range(season.teams)
    ]
    made = [_bot(season, number) for number in range(_BOTS * season.teams)]
    uploads = [_version(season, number) for number in range(season.of_a_bot * len(made))]
    with accounts.database.writing() as writing:
        writing.execute(insert(accounts_schema.team), teams)
        writing.execute(insert(accounts_schema.bot), made)
        writing.execute(insert(accounts_schema.version), uploads)


def _bot(season: Season, number: int) -> dict[str, Any]:
    name = f"Bot {number}"
    return {
        "id": f"bot{number}",
        "team": f"team{number % season.teams}",
        "edition": EDITION,
        "name": name,
        "name_key": key_of(name),
        "active": season.version(number * season.of_a_bot + season.of_a_bot - 1),
        "created": float(number),
    }


def _version(season: Season, number: int) -> dict[str, Any]:
    return {
        "id": season.version(number),
        "bot": f"bot{number // season.of_a_bot}",
        "number": 1 + number % season.of_a_bot,
        "file": f"{number:064x}",
        "suffix": ".py",
        "file_name": "bot.py",
        "size": 1_000,
        "state": "released",
        "reason": "",
        "findings": "",
        "created": float(number),
        "checked": float(number),
    }


# ----------------------------------------------------------------------------------------- games


def add_games(where: str | StoreAddress, season: Season) -> None:
    """The record of all games, and the tables beside it."""
    address = StoreAddress.of(where)
    with closing(open_store(address)), closing(LadderDatabase(address)) as database:
        LadderResults(database)  # notes the form of the tables
    pairs: Counter[tuple[str, str, int]] = Counter()
    players: dict[str, list[int]] = {}
    with closing(_Filler(address)) as filler:
        digest = FIRST_HASH
        for some in _batches(_played(season)):
            entries, digest = _chained(some, digest)
            filler.fill(event, entries)
            filler.fill(schema.game, _values(map(game_row, some)))
            filler.fill(schema.seat, _values(row for game in some for row in seat_rows(game)))
            filler.fill(schema.meeting, _values(row for game in some for row in meeting_rows(game)))
            for game in some:
                _count(game, pairs, players)
        filler.fill(schema.pair, _pair_rows(pairs))
        filler.fill(
            schema.player, [(EDITION, who, *row, None, None) for who, row in players.items()]
        )
        filler.set_read(season.games)


def _played(season: Season) -> Iterator[PlayedGame]:
    """Versions meet others of about their strength, and every fifth time a mark."""
    lot, pattern = random.Random(1), played_game(0, real_entry())
    count = season.of_a_bot * _BOTS * season.teams
    elos = sorted(lot.gauss(1500, 250) for _ in range(count))
    order = lot.sample(range(count), count)
    marks = {mark(level): mark_elo(EDITION, level) for level in LEVELS}
    for number in range(1, season.games + 1):
        at = lot.randrange(count)
        if number % _AGAINST_MARKS:
            near = (at + lot.randint(1, min(_NEAR, count - 1))) % count
            other, strength = season.version(order[near]), elos[near]
        else:
            other = min(marks, key=lambda each: abs(marks[each] - elos[at]))
            strength = marks[other]
        chance = 1 / (1 + 10 ** ((strength - elos[at]) / 400))
        ranks = (1, 2) if lot.random() < chance else (2, 1)
        yield PlayedGame(
            number,
            f"{lot.getrandbits(80):020x}",
            EDITION,
            pattern.purpose,
            float(number),
            (season.version(order[at]), other),
            ranks,
            pattern.scores,
            pattern.faults if number % _FAILED else _FAULTS[ranks],
            pattern.spent,
            pattern.plies,
            str(number // 2),
            pattern.reason,
        )


@functools.cache
def real_entry() -> str:
    """The entry of a short game that was really played."""
    game = games.load(EDITION)
    executor = InProcessExecutor(
        lambda opening: game.start(opening.seed),
        {"one": bots.factory("random"), "other": bots.factory("random")},
        TimeControl(),
        lambda: 0.0,
    )
    text = to_text(executor.play(Pairing("key", ("one", "other"), Opening(1))))
    return entry_data(text, {"at": 0.0})[0]


@functools.cache
def _parts() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(real_entry())
    return found


def _chained(some: Sequence[PlayedGame], digest: bytes) -> tuple[list[tuple[Any, ...]], bytes]:
    rows: list[tuple[Any, ...]] = []
    for game in some:
        own = {"key": game.id, "players": game.players, "ranks": game.ranks, "at": game.at}
        more = {"seed": int(game.opening), "faults": list(_fault_data(game))}
        entry = Entry(GAME, game.id, json.dumps(_parts() | own | more, separators=(",", ":")))
        digest = chained(digest, game.number, entry)
        rows.append((game.number, entry.kind, entry.key, entry.data, digest))
    return rows, digest


def _fault_data(game: PlayedGame) -> Iterator[list[Any]]:
    for seat, fault in enumerate(game.faults):
        if fault is not None:
            yield [seat, "LEFT", f"{fault.upper()}: Error", "", 0]


def _values(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    return (tuple(row.values()) for row in rows)


def _count(
    game: PlayedGame, pairs: Counter[tuple[str, str, int]], players: dict[str, list[int]]
) -> None:
    pairs[(*game.pair, game.counts.index(1))] += 1
    for who, rank, fault in zip(game.players, game.ranks, game.faults, strict=True):
        row = players.setdefault(who, [0, 0, 0, 0, 0, 0])
        row[0] += 1
        row[1] += rank == 1
        row[3] += fault is not None
        row[4] = 0 if fault is None else row[4] + 1
        row[5] = game.number


def _pair_rows(pairs: Counter[tuple[str, str, int]]) -> Iterator[tuple[Any, ...]]:
    for one, other in {(one, other) for one, other, _ in pairs}:
        yield EDITION, one, other, *(pairs[one, other, result] for result in range(3))


class _Filler:
    """Puts rows into tables as fast as a database takes them."""

    def __init__(self, address: StoreAddress) -> None:
        self._postgres: psycopg.Connection[Any] | None = None
        if address.is_database:
            self._postgres = psycopg.connect(address.where)
        else:
            self._sqlite = sqlite3.connect(address.where)
            self._sqlite.execute("PRAGMA synchronous = OFF")

    def fill(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        columns = [column.name for column in table.columns]
        names = ", ".join(columns)
        if self._postgres is None:
            places = ", ".join("?" * len(columns))
            self._sqlite.executemany(f"insert into {table.name} ({names}) values ({places})", rows)
            self._sqlite.commit()
            return
        with self._postgres.cursor().copy(f"copy {table.name} ({names}) from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        self._postgres.commit()

    def set_read(self, number: int) -> None:
        """The record has been read as far as that; the database looks at what it has got."""
        statement = f"update ladder_cursor set number = {number} where name = 'record'"
        done = self._sqlite if self._postgres is None else self._postgres
        done.execute(statement)
        done.execute("analyze")
        done.commit()

    def close(self) -> None:
        (self._sqlite if self._postgres is None else self._postgres).close()


def _batches(games: Iterator[PlayedGame]) -> Iterator[list[PlayedGame]]:
    some: list[PlayedGame] = []
    for game in games:
        some.append(game)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    if some:
        yield some

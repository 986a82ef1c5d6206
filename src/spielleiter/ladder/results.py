"""Tables computed from the record for quick access: results, standings, lists of games.

The read position is stored in the same transaction as the results, so that a crash neither loses a
game nor counts one twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Table, delete, func, insert, select, text, update

from spielleiter.ladder.database import FORM_NAME, LadderDatabase
from spielleiter.ladder.game_queue import LADDER, finished
from spielleiter.ladder.game_search import GameSearch
from spielleiter.ladder.ratings import REACH, PairCounts
from spielleiter.ladder.schema import (
    FORM,
    computed,
    cursor,
    game,
    meeting,
    output,
    pair,
    player,
    seat,
)
from spielleiter.store import Store
from spielleiter.tournament.player_output import move_words_to_output, without_player
from spielleiter.tournament.ratings import Rating
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.tournament.recorded_game import RecordFilter, opening_text

GAME = "game"
"""The kind of the record's entries that are games."""
_AT_ONCE = 500
_READ = "record"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of the record, as lists show it."""

    number: int
    id: str
    edition: str
    purpose: str
    at: float
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str | None, ...]
    spent: tuple[float, ...]
    plies: int
    opening: str = ""
    """The seed and the options of the start."""
    reason: str = ""
    """By which rule it ended."""

    @property
    def is_rated(self) -> bool:
        """Whether it counts for the ladder: paired by it, with two players present."""
        return self.purpose == LADDER and len(self.players) == 2

    @property
    def pair(self) -> tuple[str, str]:
        """The two players of a rated game, in alphabetical order."""
        one, other = sorted(self.players)
        return one, other

    @property
    def counts(self) -> tuple[int, int, int]:
        """Of a rated game: won by the first of the pair, by the second, by neither."""
        ranks = dict(zip(self.players, self.ranks, strict=True))
        one, other = (ranks[each] for each in self.pair)
        return int(one < other), int(other < one), int(one == other)


@dataclass(frozen=True, slots=True)
class LadderPlayer:
    """The results of a player in rated games."""

    edition: str
    player: str
    games: int
    won: int
    drawn: int
    faults: int
    failing: int
    last: int
    elo: float | None
    deviation: float | None

    @property
    def margin(self) -> float | None:
        """Half the width of the 95 % interval of the rating."""
        return None if self.deviation is None else REACH * self.deviation


@dataclass(frozen=True, slots=True)
class GamesPage:
    """Games, newest first."""

    games: tuple[PlayedGame, ...]
    before: int | None
    """Below this number older games were not looked at; None: these are all."""


def entry_data(text: str, game: dict[str, Any]) -> tuple[str, str]:
    """The recorded part of a game's entry, and the output of its players.

    Output may contain personal data, so it stays outside the record. Annotations of bots are
    dropped: everybody could read them.
    """
    data = json.loads(text)
    move_words_to_output(data)
    printed = data["log"]
    data.pop("annotations", None)
    data |= {"log": "", **game}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")), printed


class LadderResults:
    """The tables beside a record."""

    def __init__(self, database: LadderDatabase) -> None:
        self._database = database
        if self._number(FORM_NAME) != FORM:
            database.write(_emptied)
        self._read = self._number(_READ)

    def read_on(self, record: Store) -> Iterator[PlayedGame]:
        """Read new entries of the record; yields games once they are stored in the tables."""
        for some in _batches(record.news(self._read, GAME)):
            games = [played_game(number, entry.data) for number, entry in some]
            self._database.write(partial(_noted, games))
            self._read = games[-1].number
            yield from games

    def keep_output(self, game_id: str, text: str) -> None:
        """Store the output of a game; erasing it does not change the record."""

        def kept(connection: Connection) -> None:
            connection.execute(delete(output).where(output.c.id == game_id))
            connection.execute(insert(output), [{"id": game_id, "text": text}])

        self._database.write(kept)

    def erase_output(self, name: str) -> None:
        """Erase the output of one player in all its games; that of others stays."""
        query = select(output.c.id, output.c.text, game.c.summary).join(
            game, game.c.id == output.c.id
        )
        theirs = query.join(seat, seat.c.number == game.c.number).where(seat.c.player == name)
        for row in self._database.rows(theirs):
            players = json.loads(row.summary)[0]
            self.keep_output(row.id, without_player(row.text, players, name))
        self._database.empty_log()

    def output(self, game_id: str) -> str:
        """The stored output of a game."""
        row = self._database.row(select(output.c.text).where(output.c.id == game_id))
        return "" if row is None else str(row.text)

    def rated(self, edition: str, ratings: Iterable[Rating]) -> None:
        """Store current ratings in batches, so that nobody waits long."""
        statement = text(
            "update ladder_player set elo = :elo, deviation = :deviation "
            "where edition = :edition and player = :player"
        )
        for some in _batches(ratings):
            rows = [
                {
                    "edition": edition,
                    "player": each.player,
                    "elo": each.elo,
                    "deviation": each.margin / REACH,
                }
                for each in some
            ]
            self._database.write(partial(_executed, statement, rows))

    def succeeded(self, edition: str, name: str) -> None:
        """Reset the count of failures of a player."""
        row = (player.c.edition == edition) & (player.c.player == name)
        self._database.write(
            lambda connection: connection.execute(update(player).where(row).values(failing=0))
        )

    # -------------------------------------------------------------------------------------- reading

    def pairs(self, edition: str) -> PairCounts:
        """All rated games of an edition, counted by pair."""
        counts = PairCounts()
        columns = (pair.c.one, pair.c.other, pair.c.won, pair.c.lost, pair.c.drawn)
        query = select(*columns).where(pair.c.edition == edition)
        for row in self._database.rows(query.order_by(pair.c.one, pair.c.other)):
            counts.add(row.one, row.other, (row.won, row.lost, row.drawn))
        return counts

    def opponents(self, edition: str, name: str, most: int) -> list[tuple[str, int, int, int]]:
        """The most frequent opponents of a player in rated games, with wins, losses and draws."""
        games = pair.c.won + pair.c.lost + pair.c.drawn
        query = select(pair.c.one, pair.c.other, pair.c.won, pair.c.lost, pair.c.drawn)
        most_often = query.where(pair.c.edition == edition).order_by(games.desc()).limit(most)
        first = self._database.rows(most_often.where(pair.c.one == name))
        second = self._database.rows(most_often.where(pair.c.other == name))
        found = [(row.other, row.won, row.lost, row.drawn) for row in first]
        found += [(row.one, row.lost, row.won, row.drawn) for row in second]
        return sorted(found, key=lambda each: (-sum(each[1:]), each[0]))[:most]

    def players(self, edition: str, start: int = 0, count: int | None = None) -> list[LadderPlayer]:
        """The players with rated games, best first."""
        order = (player.c.elo.desc().nulls_last(), player.c.player)
        query = select(player).where(player.c.edition == edition).order_by(*order).offset(start)
        rows = self._database.rows(query if count is None else query.limit(count))
        return [_player(row) for row in rows]

    def players_named(self, edition: str, names: Sequence[str]) -> dict[str, LadderPlayer]:
        """The results of these players in rated games, if they have any."""
        found: dict[str, LadderPlayer] = {}
        for some in _batches(names):
            query = select(player).where(player.c.edition == edition, player.c.player.in_(some))
            found |= {row.player: _player(row) for row in self._database.rows(query)}
        return found

    def failing(self, edition: str, times: int) -> list[LadderPlayer]:
        """The players with so many failures in a row."""
        query = select(player).where(player.c.edition == edition, player.c.failing >= times)
        return [_player(row) for row in self._database.rows(query)]

    def editions(self) -> list[str]:
        """Every edition of which a rated game was played."""
        query = select(player.c.edition).group_by(player.c.edition).order_by(player.c.edition)
        return [row.edition for row in self._database.rows(query)]

    def game(self, game_id: str) -> PlayedGame | None:
        """The game of an id."""
        row = self._database.row(select(game).where(game.c.id == game_id))
        return None if row is None else _from_row(row)

    def games_of(self, name: str, count: int, before: int | None = None) -> list[PlayedGame]:
        """The games of a player before a number, newest first."""
        query = select(game).join(seat, seat.c.number == game.c.number).where(seat.c.player == name)
        if before is not None:
            query = query.where(seat.c.number < before)
        rows = self._database.rows(query.order_by(seat.c.number.desc()).limit(count))
        return [_from_row(row) for row in rows]

    def newest(self, edition: str, count: int, before: int | None = None) -> list[PlayedGame]:
        """The games of an edition before a number, newest first."""
        query = select(game).where(game.c.edition == edition)
        if before is not None:
            query = query.where(game.c.number < before)
        return [
            _from_row(row)
            for row in self._database.rows(query.order_by(game.c.number.desc()).limit(count))
        ]

    def wanted(
        self, chosen: RecordFilter, edition: str, count: int, before: int | None = None
    ) -> GamesPage:
        """The newest games of those that are wanted; further ones from a number on."""
        search = GameSearch(chosen, edition, before)
        rows = self._database.rows(search.games(count + 1))
        games = tuple(map(_from_row, rows[:count]))
        if len(rows) > count:
            return GamesPage(games, games[-1].number)
        rest = self._database.row(search.rest())
        return GamesPage(games, None if rest is None else int(rest.oldest))

    def games_for(self, purpose: str) -> list[PlayedGame]:
        """All games that were played for a purpose, in the order of the record."""
        query = select(game).where(game.c.purpose == purpose).order_by(game.c.number)
        return [_from_row(row) for row in self._database.rows(query)]

    def total(self, edition: str) -> int:
        """How many rated games of an edition were played."""
        sums = func.coalesce(func.sum(player.c.games), 0)
        query = select(sums).where(player.c.edition == edition)
        return int(self._database.rows(query)[0][0]) // 2

    def _number(self, name: str) -> int:
        row = self._database.row(select(cursor.c.number).where(cursor.c.name == name))
        return 0 if row is None else int(row.number)


# ---------------------------------------------------------------------------------------- noting


def played_game(number: int, data: str) -> PlayedGame:
    """The game that an entry of the record holds."""
    extra = json.loads(data)
    entry: ContestEntry = from_text(data)
    result = entry.result()
    return PlayedGame(
        number,
        entry.pairing.key,
        entry.events.opened.edition,
        extra.get("purpose", LADDER),
        extra.get("at", 0.0),
        entry.pairing.players,
        result.ranks,
        result.scores,
        result.faults,
        result.spent,
        len(entry.events.moves),
        opening_text(entry.pairing.opening),
        entry.events.outcome.reason,
    )


def _executed(statement: Executable, rows: list[dict[str, Any]], connection: Connection) -> None:
    connection.execute(statement, rows)


def _emptied(connection: Connection) -> None:
    """Clear the tables and the read position."""
    for table in computed:
        connection.execute(delete(table))
    rows = [{"name": _READ, "number": 0}, {"name": FORM_NAME, "number": FORM}]
    connection.execute(insert(cursor), rows)


def _noted(games: Sequence[PlayedGame], connection: Connection) -> None:
    read = connection.scalar(select(cursor.c.number).where(cursor.c.name == _READ)) or 0
    new = [each for each in games if each.number > read]  # a broken answer may have been a success
    if not new:
        return
    connection.execute(insert(game), [game_row(each) for each in new])
    connection.execute(insert(seat), [row for each in new for row in seat_rows(each)])
    meetings = [row for each in new for row in meeting_rows(each)]
    if meetings:
        connection.execute(insert(meeting), meetings)
    _note_pairs(connection, [each for each in new if each.is_rated])
    _note_players(connection, [each for each in new if each.is_rated])
    finished(connection, [each.id for each in new])
    last = update(cursor).where(cursor.c.name == _READ).values(number=new[-1].number)
    connection.execute(last)


def seat_rows(played: PlayedGame) -> list[dict[str, Any]]:
    """A row for everybody who played; who had several seats is found on its first one."""
    return [
        {
            "player": who,
            "number": played.number,
            "at": (at := played.players.index(who)),
            "result": _result(played, at),
            "fault": played.faults[at] or "",
            "failed": int(played.faults[at] is not None),
        }
        for who in dict.fromkeys(played.players)
    ]


def _result(played: PlayedGame, at: int) -> str:
    if played.ranks[at] != 1:
        return "lost"
    return "won" if played.ranks.count(1) == 1 else "drawn"


def meeting_rows(played: PlayedGame) -> list[dict[str, Any]]:
    """A row for everybody with everybody else."""
    everybody = dict.fromkeys(played.players)
    return [
        {"player": who, "opponent": other, "number": played.number}
        for who in everybody
        for other in everybody
        if who != other
    ]


def _note_pairs(connection: Connection, games: Sequence[PlayedGame]) -> None:
    sums: dict[tuple[str, str, str], list[int]] = {}
    for each in games:
        found = sums.setdefault((each.edition, *each.pair), [0, 0, 0])
        found[:] = [have + more for have, more in zip(found, each.counts, strict=True)]
    names = ("edition", "one", "other", "won", "lost", "drawn")
    rows = [dict(zip(names, (*key, *counts), strict=True)) for key, counts in sums.items()]
    _added(connection, pair, rows, {})


def _note_players(connection: Connection, games: Sequence[PlayedGame]) -> None:
    """Add to the results of players; a success resets the count of failures."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for each in games:
        for at, name in enumerate(each.players):
            key = (each.edition, name)
            rows[key] = _with_game(rows.get(key) or _player_row(*key), each, at)
    failed = [row for row in rows.values() if row["failing"] == row["games"]]
    others = [row for row in rows.values() if row["failing"] < row["games"]]
    _added(connection, player, failed, {"last": "excluded.last"})
    afresh = {"last": "excluded.last", "failing": "excluded.failing"}
    _added(connection, player, others, afresh)


def _added(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]], put: dict[str, str]
) -> None:
    """Insert rows or add to existing ones; columns in `put` are overwritten."""
    if not rows:
        return
    keys, names = [column.name for column in table.primary_key], list(rows[0])
    sums = [
        f"{name} = {put.get(name, f'{table.name}.{name} + excluded.{name}')}"
        for name in names
        if name not in keys
    ]
    statement = (
        f"insert into {table.name} ({', '.join(names)}) "
        f"values ({', '.join(f':{name}' for name in names)}) "
        f"on conflict ({', '.join(keys)}) do update set {', '.join(sums)}"
    )
    connection.execute(text(statement), rows)


def _player_row(edition: str, name: str) -> dict[str, Any]:
    zeros = dict.fromkeys(("games", "won", "drawn", "faults", "failing", "last"), 0)
    return {"edition": edition, "player": name, **zeros}


def _with_game(row: dict[str, Any], played: PlayedGame, at: int) -> dict[str, Any]:
    failed = played.faults[at] is not None
    won = played.ranks[at] == 1
    return row | {
        "games": row["games"] + 1,
        "won": row["won"] + (won and played.ranks.count(1) == 1),
        "drawn": row["drawn"] + (won and played.ranks.count(1) > 1),
        "faults": row["faults"] + failed,
        "failing": row["failing"] + 1 if failed else 0,
        "last": played.number,
    }


def game_row(played: PlayedGame) -> dict[str, Any]:
    """The row of a game."""
    summary = (
        played.players,
        played.ranks,
        played.scores,
        played.faults,
        played.spent,
        played.plies,
    )
    return {
        "number": played.number,
        "id": played.id,
        "edition": played.edition,
        "purpose": played.purpose,
        "at": played.at,
        "summary": json.dumps(summary),
        "seed": played.opening.partition(" ")[0],
        "opening": played.opening,
        "reason": played.reason,
        "fault": " ".join(each for each in played.faults if each is not None),
        "failed": int(any(each is not None for each in played.faults)),
    }


def _from_row(row: Any) -> PlayedGame:
    players, ranks, scores, faults, spent, plies = json.loads(row.summary)
    return PlayedGame(
        row.number,
        row.id,
        row.edition,
        row.purpose,
        row.at,
        tuple(players),
        tuple(ranks),
        tuple(scores),
        tuple(faults),
        tuple(spent),
        plies,
        row.opening,
        row.reason,
    )


def _player(row: Any) -> LadderPlayer:
    return LadderPlayer(**row._mapping)


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        yield some

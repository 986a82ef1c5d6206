"""What the record says, kept so that it is found at once: results, tables, lists of games.

Everything here is computed from the record. How far that was read is noted in the transaction that
notes what was found, so a game is never forgotten and never counted twice, whenever we are killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, insert, select, update

from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.due import LADDER, finished
from spielleiter.ladder.ratings import REACH, PairCounts
from spielleiter.ladder.schema import cursor, game, output, pair, player, seat
from spielleiter.store import Store
from spielleiter.tournament.ratings import Rating
from spielleiter.tournament.record import ContestEntry, from_text

GAME = "game"
"""The kind of the record's entries that are games."""
FORM = 1
"""The form of the tables; others are filled again from the record."""
_AT_ONCE = 500
_READ, _FORM = "record", "form"

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

    @property
    def is_rated(self) -> bool:
        """Whether it counts for the ladder: nobody asked for it, and two met who were there."""
        return self.purpose == LADDER and len(self.players) == 2

    @property
    def pair(self) -> tuple[str, str]:
        """The two of a rated game, in the order of the alphabet."""
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
    """What somebody did in rated games."""

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


def entry_data(text: str, game: dict[str, Any]) -> tuple[str, str]:
    """What the record keeps of a game's entry, and what its players printed.

    What was printed may say anything about anybody: it stays outside. What bots show beside their
    moves is not kept: everybody could read how they think.
    """
    data = json.loads(text)
    printed = data["log"]
    data.pop("annotations", None)
    data |= {"log": "", **game}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")), printed


class LadderResults:
    """The tables beside a record."""

    def __init__(self, database: LadderDatabase) -> None:
        self._database = database
        if self._number(_FORM) != FORM:
            database.write(_emptied)

    def read_on(self, record: Store) -> Iterator[PlayedGame]:
        """Read what is new in the record; yields the games when they are safe in the tables."""
        for some in _batches(record.news(self._number(_READ), GAME)):
            games = [played_game(number, entry.data) for number, entry in some]
            self._database.write(partial(_noted, games))
            yield from games

    def keep_output(self, game_id: str, text: str) -> None:
        """Keep what was printed in a game; erasing it changes no record."""

        def kept(connection: Connection) -> None:
            connection.execute(delete(output).where(output.c.id == game_id))
            connection.execute(insert(output), [{"id": game_id, "text": text}])

        self._database.write(kept)

    def output(self, game_id: str) -> str:
        """What was printed in a game, as far as it is kept."""
        row = self._database.row(select(output.c.text).where(output.c.id == game_id))
        return "" if row is None else str(row.text)

    def rated(self, edition: str, ratings: Iterable[Rating]) -> None:
        """The ratings as they are now."""
        rows = [(each.elo, each.margin / REACH, each.player) for each in ratings]

        def noted(connection: Connection) -> None:
            statement = (
                "update ladder_player set elo = {0}, deviation = {0} "
                "where edition = {0} and player = {0}"
            )
            mark = "?" if connection.dialect.name == "sqlite" else "%s"
            values = [(elo, width, edition, name) for elo, width, name in rows]
            cursor_ = connection.connection.cursor()
            cursor_.executemany(statement.format(mark), values)

        if rows:
            self._database.write(noted)

    def succeeded(self, edition: str, name: str) -> None:
        """The games that somebody failed are not counted any more."""
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

    def opponents(self, edition: str, name: str) -> list[tuple[str, int, int, int]]:
        """Whom somebody met in rated games, and how often it won, lost and neither."""
        query = select(pair.c.one, pair.c.other, pair.c.won, pair.c.lost, pair.c.drawn)
        of_edition = pair.c.edition == edition
        first = self._database.rows(query.where(of_edition, pair.c.one == name))
        second = self._database.rows(query.where(of_edition, pair.c.other == name))
        return [(row.other, row.won, row.lost, row.drawn) for row in first] + [
            (row.one, row.lost, row.won, row.drawn) for row in second
        ]

    def players(self, edition: str, start: int = 0, count: int | None = None) -> list[LadderPlayer]:
        """Who has played rated games, best first."""
        order = (player.c.elo.desc().nulls_last(), player.c.player)
        query = select(player).where(player.c.edition == edition).order_by(*order).offset(start)
        rows = self._database.rows(query if count is None else query.limit(count))
        return [_player(row) for row in rows]

    def players_named(self, edition: str, names: Sequence[str]) -> dict[str, LadderPlayer]:
        """What these did in rated games; who did nothing is not in it."""
        found: dict[str, LadderPlayer] = {}
        for some in _batches(names):
            query = select(player).where(player.c.edition == edition, player.c.player.in_(some))
            found |= {row.player: _player(row) for row in self._database.rows(query)}
        return found

    def failing(self, edition: str, times: int) -> list[LadderPlayer]:
        """Who has failed so many games in a row."""
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
        """Somebody's games, the newest first; further ones from a number on."""
        query = select(game).join(seat, seat.c.number == game.c.number).where(seat.c.player == name)
        if before is not None:
            query = query.where(seat.c.number < before)
        rows = self._database.rows(query.order_by(seat.c.number.desc()).limit(count))
        return [_from_row(row) for row in rows]

    def newest(self, edition: str, count: int) -> list[PlayedGame]:
        """The newest games of an edition."""
        query = select(game).where(game.c.edition == edition)
        return [
            _from_row(row)
            for row in self._database.rows(query.order_by(game.c.number.desc()).limit(count))
        ]

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
    )


def _emptied(connection: Connection) -> None:
    """Nothing of the record has been read yet."""
    for table in (game, seat, pair, player, cursor):
        connection.execute(delete(table))
    rows = [{"name": _READ, "number": 0}, {"name": _FORM, "number": FORM}]
    connection.execute(insert(cursor), rows)


def _noted(games: Sequence[PlayedGame], connection: Connection) -> None:
    read = connection.scalar(select(cursor.c.number).where(cursor.c.name == _READ)) or 0
    new = [each for each in games if each.number > read]  # a broken answer may have been a success
    if not new:
        return
    connection.execute(insert(game), [_row(each) for each in new])
    seats = [{"player": who, "number": each.number} for each in new for who in set(each.players)]
    connection.execute(insert(seat), seats)
    _note_pairs(connection, [each for each in new if each.is_rated])
    _note_players(connection, [each for each in new if each.is_rated])
    finished(connection, [each.id for each in new])
    last = update(cursor).where(cursor.c.name == _READ).values(number=new[-1].number)
    connection.execute(last)


def _note_pairs(connection: Connection, games: Sequence[PlayedGame]) -> None:
    sums: dict[tuple[str, str, str], list[int]] = {}
    for each in games:
        found = sums.setdefault((each.edition, *each.pair), [0, 0, 0])
        found[:] = [have + more for have, more in zip(found, each.counts, strict=True)]
    for (edition, one, other), (won, lost, drawn) in sums.items():
        row = (pair.c.edition == edition) & (pair.c.one == one) & (pair.c.other == other)
        added = {"won": pair.c.won + won, "lost": pair.c.lost + lost, "drawn": pair.c.drawn + drawn}
        if not connection.execute(update(pair).where(row).values(added)).rowcount:
            keys = {"edition": edition, "one": one, "other": other}
            connection.execute(insert(pair), [{**keys, "won": won, "lost": lost, "drawn": drawn}])


def _note_players(connection: Connection, games: Sequence[PlayedGame]) -> None:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for each in games:
        for at, name in enumerate(each.players):
            key = (each.edition, name)
            rows[key] = _with_game(rows.get(key) or _player_row(connection, *key), each, at)
    if rows:
        for edition, name in rows:
            row = (player.c.edition == edition) & (player.c.player == name)
            connection.execute(delete(player).where(row))
        connection.execute(insert(player), list(rows.values()))


def _player_row(connection: Connection, edition: str, name: str) -> dict[str, Any]:
    known = (player.c.edition == edition) & (player.c.player == name)
    row = connection.execute(select(player).where(known)).first()
    if row is not None:
        return dict(row._mapping)
    zeros = dict.fromkeys(("games", "won", "drawn", "faults", "failing", "last"), 0)
    return {"edition": edition, "player": name, **zeros, "elo": None, "deviation": None}


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


def _row(played: PlayedGame) -> dict[str, Any]:
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
    )


def _player(row: Any) -> LadderPlayer:
    return LadderPlayer(**row._mapping)


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        yield some

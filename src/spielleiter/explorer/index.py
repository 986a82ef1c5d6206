"""An index of many games: a file beside the store, with one row for each move.

A row has the keys of the positions before and after, and the game. Symmetric positions have the
same key, so that openings are counted together whichever way the board was turned.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.explorer.symmetry import TRACE, BoardSymmetries, trace
from spielleiter.game import Game, Move, Outcome, Position
from spielleiter.match import GameRecord

_SEATS = 8
_TABLES = f"""
create table if not exists explored (version integer, edition text);
create table if not exists game (
    id integer primary key, name text unique, players text,
    {", ".join(f"share{seat} real" for seat in range(_SEATS))}
);
create table if not exists ply (
    parent integer, child integer, game integer, primary key (parent, child, game)
) without rowid;
"""
_VERSION = 2
_OLD = "drop table explored; drop table game; drop table ply;"


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """What was played from a position, with all symmetric moves."""

    moves: tuple[Move, ...]
    """Moves here that lead to the same position, up to symmetry."""
    games: int
    share: float
    """The share of games won by the mover; a shared first rank is divided."""


class ExplorerIndex:
    """Finds the moves played from a position; each game is added once."""

    def __init__(self, file: Path | None, game: Game) -> None:
        """The index in a file, or one in memory; raises UsageError if it is of another game."""
        self.game, self._symmetries = game, BoardSymmetries(game)
        try:
            self._database = sqlite3.connect(file or ":memory:", check_same_thread=False)
            self._database.executescript(_TABLES)
            self._check(str(file))
        except sqlite3.Error as problem:
            raise UsageError(f"{file} is no index of games: {problem}") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # ---------------------------------------------------------------------------------- adding

    def add(self, games: Iterable[tuple[str, GameRecord]]) -> int:
        """Add games by their names, except known ones; returns how many are new."""
        new = 0
        with self._database:
            for name, record in games:
                ended = record.ended
                if ended is None or self.knows(name):
                    continue
                with suppress(SpielleiterError):  # what cannot be replayed cannot be explored
                    frames = [frame.position for frame in record.frames(self.game)]
                    self.put(name, record.names, ended.outcome, self.keys(frames))
                    new += 1
        return new

    def knows(self, name: str) -> bool:
        """Whether a game was added."""
        found = self._database.execute("select 1 from game where name = ?", (name,))
        return found.fetchone() is not None

    def keys(self, positions: Iterable[Position]) -> list[int]:
        """The keys of positions, one after the other."""
        return [self._symmetries.key(each) for each in positions]

    def put(self, name: str, players: Sequence[str], outcome: Outcome, keys: Sequence[int]) -> None:
        """Add one game by the keys of its positions."""
        winners = outcome.winners
        shares = [1 / len(winners) if seat in winners else 0.0 for seat in range(len(players))]
        row = [name, "\n".join(["", *players, ""]), *shares, *[None] * (_SEATS - len(shares))]
        marks = ", ".join("?" * len(row))
        added = self._database.execute(f"insert into game values (null, {marks})", row)
        rows = [(parent, child, added.lastrowid) for parent, child in pairwise(keys)]
        self._database.executemany("insert or ignore into ply values (?, ?, ?)", rows)

    # ---------------------------------------------------------------------------------- asking

    @property
    def size(self) -> tuple[int, int]:
        """How many games and moves it holds."""
        games = self._database.execute("select count(*) from game").fetchone()[0]
        return games, self._database.execute("select count(*) from ply").fetchone()[0]

    def played(self, position: Position, player: str | None = None) -> list[PlayedMove]:
        """What was played from a position, the most frequent first; only in a player's games."""
        counted = {child: (games, share) for child, games, share in self._counted(position, player)}
        traces = {child & TRACE for child in counted}
        moves: dict[int, list[Move]] = {}
        for move in position.legal_moves() if counted else ():
            after = position.after(move)
            if trace(after.text()) not in traces:
                continue  # turning a board takes fifty times as long
            child = self._symmetries.key(after)
            if child in counted:
                moves.setdefault(child, []).append(move)
        found = [PlayedMove(tuple(each), *counted[child]) for child, each in moves.items()]
        return sorted(found, key=lambda each: -each.games)

    def games_with(self, position: Position, most: int = 20) -> list[str]:
        """The names of games in which the position stood and a move followed."""
        found = self._database.execute(
            "select distinct game.name from ply join game on game.id = ply.game"
            " where parent = ? limit ?",
            (self._symmetries.key(position), most),
        )
        return [name for (name,) in found]

    def _counted(self, position: Position, player: str | None) -> Iterator[tuple[int, int, float]]:
        share = f"share{position.to_move()}"
        only = "" if player is None else " and instr(game.players, ?)"
        words = [self._symmetries.key(position), *([] if player is None else [f"\n{player}\n"])]
        yield from self._database.execute(
            f"select child, count(*), avg({share}) from ply join game on game.id = ply.game"
            f" where parent = ?{only} group by child",
            words,
        )

    def _check(self, file: str) -> None:
        """Recreate an index of an earlier version."""
        known = self._database.execute("select version, edition from explored").fetchall()
        if known and known[0][1] != self.game.name:
            raise UsageError(f"{file} is an index of {known[0][1]}, not of {self.game.name}")
        if known and known[0][0] != _VERSION:
            self._database.executescript(_OLD + _TABLES)
            known = []
        if not known:
            with self._database:
                words = (_VERSION, self.game.name)
                self._database.execute("insert into explored values (?, ?)", words)

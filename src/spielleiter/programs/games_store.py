"""A new store for games that a command plays besides its main work (`check`, `tune`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from spielleiter.annotation import split_log
from spielleiter.errors import UsageError
from spielleiter.game import Position, Seat
from spielleiter.match import Event, PositionStated
from spielleiter.match.record import RecordBuilder
from spielleiter.programs.match_store import FOLDER
from spielleiter.programs.result_store import GAME
from spielleiter.store import Entry, open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry, to_text


class GamesStore:
    """Stores games as `match` does, so that every command can read them."""

    def __init__(self, file: Path, *, replace: bool = False) -> None:
        """Create the store; an older file is replaced only if asked for."""
        if file.exists() and not replace:
            raise UsageError(f"{file} exists already: name another store")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.games = file, 0
        self._store = open_store(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._store.close()

    def keep(
        self,
        key: str,
        players: Sequence[str],
        events: Iterable[Event],
        seat: Seat = 0,
        printed: str = "",
    ) -> None:
        """Store a game by its events, with the output of a seat; unfinished games are dropped."""
        said = split_log(printed.encode(), ())
        try:
            entry = ContestEntry.of(Pairing(key, tuple(players), Opening(0)), events, said.log)
        except UsageError:
            return
        if not entry.events.outcome.reason and not entry.events.failures:
            return  # it was broken off
        shown = {(seat, move): each for move, each in said.shown.items()}
        self._append(key, entry.with_log("", entry.sandbox, shown))

    def keep_moves(
        self, key: str, players: Sequence[str], start: Position, moves: Iterable[str]
    ) -> None:
        """Store a game by its moves, without times; unfinished games are dropped."""
        position = start.copy()
        builder = RecordBuilder(start, tuple(players))
        for move in moves:
            builder.played(position.to_move(), move)
            position.play(move)
        outcome = position.outcome()
        if outcome is not None:
            builder.ended(outcome)
            pairing = Pairing(key, tuple(players), Opening(0))
            made = builder.record().events
            events = [each for each in made if not isinstance(each, PositionStated)]
            self._append(key, ContestEntry.of(pairing, events))

    def _append(self, key: str, entry: ContestEntry) -> None:
        self._store.append([Entry(GAME, key, to_text(entry))])
        self.games += 1


def check_store(bot: str) -> Path:
    """The store of a bot's last check."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", Path(bot).absolute().stem).strip("-") or "bot"
    return FOLDER / f"check-{plain[:60]}.db"

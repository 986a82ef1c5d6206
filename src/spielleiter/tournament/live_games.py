"""The games that a contest plays right now, in a file beside it, for whoever shows them.

The process that plays the contest replaces the file as a whole a few times a second. It is no part
of the record: nothing that counts is read from it, and it is gone when the contest rests. It holds
a few games at most. One that was not renewed for a while was left by a process that was killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spielleiter.game import Authority, Game, Position
from spielleiter.tournament.pairing import Opening, Pairing

Progress = tuple[Pairing, tuple[str, ...]]
"""A game that is being played, and its moves so far."""

MOST_GAMES = 16
"""So many games are told of at a time."""
_EVERY, _BEAT = 0.25, 2.0
"""Seconds between two files at least, and at most."""
_STALE = 10.0
"""Seconds after which a file was left behind."""
_LARGEST = 1 << 23
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class LiveContestGame:
    """A game of a contest while it is being played."""

    key: str
    players: tuple[str, ...]
    edition: str
    authority: Authority
    position: str
    """How it began."""
    moves: tuple[str, ...]


def live_file_of(contest: Path) -> Path:
    """Where the games of a contest's file are told of."""
    return contest.with_suffix(".live")


class LiveGamesWriter:
    """Tells of the games of one contest while they are played.

    `now` is any clock of seconds, `start` gives the position that an opening begins with.
    """

    def __init__(
        self,
        file: Path,
        game: Game,
        start: Callable[[Opening], Position],
        now: Callable[[], float],
    ) -> None:
        self._file, self._game, self._start, self._now = file, game, start, now
        self._began: dict[str, str] = {}
        """Key of a game → its first position."""
        self._told: tuple[LiveContestGame, ...] | None = None
        self._looked = self._written = float("-inf")

    def __enter__(self) -> LiveGamesWriter:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._file.unlink()

    def tell(self, games: Callable[[], Iterable[Progress]]) -> None:
        """How the games stand, if it is time to say so; a full disk hides them, no more."""
        now = self._now()
        if now - self._looked < _EVERY:
            return
        found, self._looked = self._found(games()), now
        if found != self._told or now - self._written >= _BEAT:
            self._told, self._written = found, now
            with suppress(OSError):
                _replace(self._file, json.dumps([asdict(each) for each in found]).encode())

    def _found(self, games: Iterable[Progress]) -> tuple[LiveContestGame, ...]:
        """Those that were told of before come first, so that whoever follows one sees its end."""
        going = {pairing.key: (pairing, moves) for pairing, moves in games}
        keys = sorted(going, key=lambda key: key not in self._began)[:MOST_GAMES]
        self._began = {key: self._beginning(going[key][0]) for key in keys}
        return tuple(self._live(*going[key]) for key in keys)

    def _beginning(self, pairing: Pairing) -> str:
        known = self._began.get(pairing.key)
        return self._start(pairing.opening).text() if known is None else known

    def _live(self, pairing: Pairing, moves: tuple[str, ...]) -> LiveContestGame:
        edition, authority = self._game.name, self._game.authority
        begun = self._began[pairing.key]
        return LiveContestGame(pairing.key, pairing.players, edition, authority, begun, moves)


def _replace(file: Path, content: bytes) -> None:
    """A reader sees the old file or the new one; that it survives a power cut is not needed."""
    part = file.with_name(file.name + ".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    with os.fdopen(handle, "wb") as opened:
        opened.write(content)
    os.replace(part, file)


def read_live_games(file: Path, now: float) -> tuple[LiveContestGame, ...] | None:
    """The games that are being played; None: nobody plays. `now` is the Unix clock."""
    try:
        if abs(now - file.stat().st_mtime) > _STALE:
            return None
        with file.open("rb") as opened:
            told = json.loads(opened.read(_LARGEST))
        return tuple(map(_read, told))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _read(told: dict[str, Any]) -> LiveContestGame:
    return LiveContestGame(
        str(told["key"]),
        tuple(map(str, told["players"])),
        str(told["edition"]),
        "server" if told["authority"] == "server" else "document",
        str(told["position"]),
        tuple(map(str, told["moves"])),
    )

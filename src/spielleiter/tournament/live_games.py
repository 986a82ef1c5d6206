"""The running games of a contest, in a file beside it, for live pages.

The process that plays the contest replaces the file as a whole a few times a second. It is not part
of the record, holds only a few games, and is removed when nothing is played. A file that was not
renewed for a while was left by a killed process.
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
"""Most games in the file."""
_EVERY, _BEAT = 0.25, 2.0
"""Shortest and longest seconds between two writes."""
_STALE = 10.0
"""Seconds after which a file is stale."""
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
    """The start position."""
    moves: tuple[str, ...]


def live_file_of(contest: Path) -> Path:
    """The path of the file with running games."""
    return contest.with_suffix(".live")


class LiveGamesWriter:
    """Writes the running games of one contest.

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
        """Write the running games if it is time; ignores a full disk."""
        now = self._now()
        if now - self._looked < _EVERY:
            return
        found, self._looked = self._found(games()), now
        if found != self._told or now - self._written >= _BEAT:
            self._told, self._written = found, now
            with suppress(OSError):
                _replace(self._file, json.dumps([asdict(each) for each in found]).encode())

    def _found(self, games: Iterable[Progress]) -> tuple[LiveContestGame, ...]:
        """The games to write; those already shown come first, so that viewers see their ends."""
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
    """Replace the file atomically, without fsync."""
    part = file.with_name(file.name + ".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    with os.fdopen(handle, "wb") as opened:
        opened.write(content)
    os.replace(part, file)


def read_live_games(file: Path, now: float) -> tuple[LiveContestGame, ...] | None:
    """The running games; None: nothing is played. `now` is the Unix time."""
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

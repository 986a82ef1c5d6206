"""The positions of a recorded game, one after the other, and the game they belong to."""

from __future__ import annotations

from pathlib import Path

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Authority, Game
from spielleiter.match import Frame, GameRecord
from spielleiter.service.record_files import is_xml, logs_of, read
from spielleiter.service.recorded_games import LARGEST_RECORD, chosen_game
from spielleiter.web.uploads import unpacked


def of_file(path: Path, game: str | None, authority: Authority) -> tuple[Game, list[Frame]]:
    """The positions of a record's file, packed or not, and the game that recognises it.

    A replay of the Software-Challenge may be of any season, ours or theirs; a log is tried as
    `game`, or as every game.
    """
    content = _unpacked(path)
    if is_xml(content):
        return _frames(read(content))
    text = content.decode("utf-8", "replace")
    for name in [game] if game else reversed(games.names()):
        edition = games.load(name, authority)
        logs = logs_of(edition)
        if logs is not None and logs.recognises(text):
            return edition, list(logs.read(text).frames(edition))
    raise UsageError("no game recognises this file as a record of its own")


def of_store(store: str, key: str) -> tuple[Game, list[Frame]]:
    """The positions of one game of a store."""
    return _frames(chosen_game(store, key).record)


def _unpacked(path: Path) -> bytes:
    try:
        return unpacked(path.read_bytes(), LARGEST_RECORD)
    except TextError as problem:
        raise UsageError(f"{path} cannot be unpacked: {problem}") from None


def _frames(record: GameRecord) -> tuple[Game, list[Frame]]:
    edition = record.game(games.load_recorded)
    return edition, list(record.frames(edition))

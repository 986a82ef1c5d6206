"""The output and annotations of a season's bots: files beside its record, which can be erased.

The record has the SHA-256 of each file. A file contains a random number, so nobody can guess the
content of an erased one from its hash.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from spielleiter.store.private import private_folder, write_private
from spielleiter.tournament.player_output import headed, move_words_to_output, split_output

FOLDER = "output"
"""The folder of these files, beside the record of a season."""
_OUTSIDE, _LOG, _SHOWN, _SALT = "outside", "log", "annotations", "salt"
_AND = "+"
CHANGED = "(this was changed after the game)\n"
"""Replaces the output in a file whose hash is wrong."""


class OutputFiles:
    """One folder per team, with one file per game."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def beside(cls, record: str | Path) -> OutputFiles:
        """The files of the season with that record; a record in a database has none."""
        return cls(Path(record).parent / FOLDER)

    def take_out(self, text: str) -> str:
        """The entry of a game without output and annotations, which are written to files."""
        data = json.loads(text)
        move_words_to_output(data)
        players, kept = data["players"], {}
        for owner, part in _parts(data, players):
            content = json.dumps(part | {_SALT: secrets.token_hex(16)}, ensure_ascii=False).encode()
            kept[owner] = hashlib.sha256(content).hexdigest()
            path = self._path(owner, players, kept[owner])
            private_folder(path.parent)
            write_private(path, content)
        data.pop(_SHOWN, None)
        data |= {_LOG: "", **({_OUTSIDE: kept} if kept else {})}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    def put_back(self, text: str) -> str:
        """The entry of a game with output and annotations, except those that were erased."""
        data = json.loads(text)
        if _OUTSIDE not in data:
            return text
        log, shown = data[_LOG], list[Any]()
        for owner, part in self._read(data):
            said = CHANGED if part is None else part[_LOG]
            log += headed(owner, said) if owner and said else said
            shown += [] if part is None else part[_SHOWN]
        return json.dumps(data | {_LOG: log, _SHOWN: shown}, ensure_ascii=False)

    def wrong(self, text: str) -> Iterator[str]:
        """The owners of files of a game with a wrong hash; missing files were erased."""
        yield from (owner for owner, part in self._read(json.loads(text)) if part is None)

    def erase(self, team: str) -> None:
        """Remove all files of a team, and the output in its games that belongs to no player."""
        with suppress(FileNotFoundError):
            for folder in list(self._folder.iterdir()):
                if team in folder.name.split(_AND):
                    _remove(folder)

    def _read(self, data: Any) -> Iterator[tuple[str, Any]]:
        """Owner and content of each file of a game; None: its hash is wrong."""
        for owner, wanted in sorted(data.get(_OUTSIDE, {}).items()):
            with suppress(FileNotFoundError):
                content = self._path(owner, data["players"], wanted).read_bytes()
                same = hashlib.sha256(content).hexdigest() == wanted
                yield owner, json.loads(content) if same else None

    def _path(self, owner: str, players: list[str], digest: str) -> Path:
        """Output that belongs to no player is in a folder with the names of all players."""
        return self._folder / (owner or _AND.join(sorted(players))) / f"{digest}.json"


def _parts(data: Any, players: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    printed = split_output(data[_LOG], players)
    for owner in ("", *players):
        part = {
            _LOG: printed.get(owner, ""),
            _SHOWN: [each for each in data.get(_SHOWN, ()) if players[each[0]] == owner],
        }
        if any(part.values()):
            yield owner, part


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink(missing_ok=True)
    folder.rmdir()

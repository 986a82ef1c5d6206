"""Reads, writes and draws records of games as files."""

from __future__ import annotations

import functools
import gzip
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Scene
from spielleiter.match import GameRecord
from spielleiter.web.record_formats import File, RecordFormats

# Only XML needs the server, only pictures the renderers: they take long to import.
if TYPE_CHECKING:
    from spielleiter.server.served_game import ServedGame

_ROOM = "arena"
_XML = ".xml.gz"


def formats() -> RecordFormats:
    """The formats for the arena's library."""
    from spielleiter.draw import svg

    return RecordFormats(read=read, write=write, suffix=suffix, svg=svg.render, png=_painted)


def _painted(scene: Scene) -> bytes:
    from spielleiter.draw import png, svg

    return png.png(svg.render(scene), 2.0)


@functools.cache
def tables() -> tuple[ServedGame, ...]:
    """Every edition that speaks the contest's protocol."""
    return tuple(table for name in games.names() if (table := _table(games.load(name))))


def _table(game: Game) -> ServedGame | None:
    if find_spec(f"{game.folder}.wire") is None or not hasattr(game.part("wire"), "wire"):
        return None
    from spielleiter.server.served_game import ServedGame

    try:
        return ServedGame.of(game)
    except UsageError:  # an edition that was never played over a socket
        return None


# ---------------------------------------------------------------------------------------- reading


def read(content: bytes) -> GameRecord:
    """The record in an unpacked file; raises TextError with what is wrong and where."""
    if is_xml(content):
        from spielleiter.server.replay_reader import read_replay

        return read_replay(content, tables())
    text = content.decode("utf-8", "replace")
    for name in reversed(games.names()):
        logs = logs_of(games.load(name))
        if logs is not None and logs.recognises(text):
            record: GameRecord = logs.read(text)
            return record
    raise TextError("this is not a replay: neither XML nor a log of one of our games", text[:40])


def is_xml(content: bytes) -> bool:
    """Whether an unpacked file is XML; it may begin with a byte order mark."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def logs_of(game: Game) -> ModuleType | None:
    """The module that reads and writes the logs of a game's server, if there is one."""
    return game.part("replay") if find_spec(f"{game.folder}.replay") else None


# ---------------------------------------------------------------------------------------- writing


def suffix(record: GameRecord) -> str | None:
    """The suffix of the written file, without writing it."""
    if _table(record.game(games.load_recorded)) is not None:
        return _XML
    file = write(record)
    return None if file is None else file.suffix


def write(record: GameRecord) -> File | None:
    """The record as the servers of its game write it, if they do."""
    game = record.game(games.load_recorded)
    table = _table(game)
    if table is not None:
        from spielleiter.server.replay import XmlReplay

        document = XmlReplay.of_record(_ROOM, table, record).document()
        return File(_XML, gzip.compress(document.encode(), mtime=0), "application/gzip")
    logs = logs_of(game)
    if logs is None:
        return None
    text = logs.write(list(record.counted.frames(game)))
    return None if text is None else File(logs.SUFFIX, text.encode(), "text/plain; charset=utf-8")

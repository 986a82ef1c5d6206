"""Records of games as files, for whoever tells them again: read, written and drawn."""

from __future__ import annotations

import functools
import gzip
import itertools
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from spielleiter import games
from spielleiter.draw import png, svg
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Scene, Step
from spielleiter.match import Fault
from spielleiter.match.tale import Tale, Turn
from spielleiter.protocol.lobby import Memento, Message
from spielleiter.protocol.wire import Cause, End
from spielleiter.protocol.xml import encode
from spielleiter.server.replay import CAUSES
from spielleiter.server.retell import retell
from spielleiter.server.served_game import ServedGame
from spielleiter.web.library import Crafts, File

MOST_TURNS = 2_000
_ROOM = "arena"


def crafts() -> Crafts:
    """What the arena's library is given."""
    return Crafts(read=read, write=write, svg=svg.render, png=_painted)


def _painted(scene: Scene) -> bytes:
    return png.png(svg.render(scene), 2.0)


@functools.cache
def tables() -> tuple[ServedGame, ...]:
    """Every edition that speaks the contest's protocol."""
    return tuple(table for name in games.names() if (table := _table(games.load(name))))


def _table(game: Game) -> ServedGame | None:
    if find_spec(f"{game.folder}.wire") is None or not hasattr(game.part("wire"), "wire"):
        return None
    try:
        return ServedGame.of(game)
    except UsageError:  # an edition that was never played over a socket
        return None


# ---------------------------------------------------------------------------------------- reading


def read(content: bytes) -> Tale:
    """The game that an unpacked file tells of; raises TextError with what is wrong and where."""
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return retell(content, tables())
    text = content.decode("utf-8", "replace")
    for name in reversed(games.names()):
        game = games.load(name)
        replay = _records(game)
        if replay is not None and replay.recognises(text):
            return _tale(game, list(itertools.islice(replay.steps(text), MOST_TURNS + 1)))
    raise TextError("this is no replay: neither XML nor a log that a game of ours knows", text[:40])


def _records(game: Game) -> ModuleType | None:
    return game.part("replay") if find_spec(f"{game.folder}.replay") else None


def _tale(game: Game, steps: list[Step]) -> Tale:
    if len(steps) > MOST_TURNS:
        raise TextError(f"more than {MOST_TURNS} turns")
    turns = [Turn(steps[0].position)]
    for before, step in itertools.pairwise(steps):
        turns.append(_turn(before.position, step))
    outcome = steps[-1].position.outcome()
    return Tale(game, ("",) * steps[0].position.seats, tuple(turns), outcome)


def _turn(before: Any, step: Step) -> Turn:
    if step.last is None:
        return Turn(step.position, words=step.title)
    return Turn(step.position, step.last, before.to_move(), step.last.text())


# ---------------------------------------------------------------------------------------- writing


def write(tale: Tale) -> File | None:
    """The record of a game as its servers write it, if they do."""
    table = _table(tale.game)
    if table is not None:
        data = gzip.compress(_document(table, tale).encode(), mtime=0)
        return File(".xml.gz", data, "application/gzip")
    replay = _records(tale.game)
    if replay is None or not hasattr(replay, "record"):
        return None
    text = replay.record([Step(turn.words, turn.position, turn.last) for turn in tale.turns])
    return None if text is None else File(replay.SUFFIX, text.encode(), "text/plain; charset=utf-8")


def _document(table: ServedGame, tale: Tale) -> str:
    messages = list(_messages(table, tale))
    dialect = table.wire.dialect
    told = (encode(each, dialect).decode().replace("\n  ", "\n")[1:] + "\n" for each in messages)
    return f"<protocol>\n{''.join(told)}</protocol>"


def _messages(table: ServedGame, tale: Tale) -> list[Message]:
    wire, names = table.wire, (*tale.names, "", "")[:2]
    found: list[Message] = []
    before, last = None, None
    for turn in tale.turns:
        if before is not None and turn.last is not None:
            last = wire.sent(before.position, turn.last, turn.hints)
        found.append(Memento(_ROOM, wire.state(turn.position, last, names)))
        before = turn
    if tale.outcome is not None:
        found.append(wire.result(_ROOM, tale.turns[-1].position, names, _end(tale)))
    return found


def _end(tale: Tale) -> End:
    for seat, fault in enumerate(tale.faults):
        if isinstance(fault, Fault):
            return End(CAUSES[fault.kind], (seat,), fault.detail)
    return End() if tale.turns[-1].position.outcome() is not None else End(Cause.CANCELLED)

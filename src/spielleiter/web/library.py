"""Games told again from wherever they are kept: this arena, a file that was sent, a contest.

Each has an address of two words, the source and a name; everything that can be had of a game after
the fact (all scenes, a picture of a turn, a file, a page that works offline) is made from its tale.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Scene, Seat, reason_text
from spielleiter.match import Fault
from spielleiter.match.tale import Tale, Turn, of_events
from spielleiter.web import models
from spielleiter.web.chronicle import Chronicle
from spielleiter.web.follow import Contests
from spielleiter.web.language import Translate, messages, translator
from spielleiter.web.models import Language, Model
from spielleiter.web.reel import rolled
from spielleiter.web.telling import explained, look_of, scene_of
from spielleiter.web.uploads import Uploads, unpacked

Origin = Literal["game", "file", "contest"]
ORIGINS: tuple[Origin, ...] = ("game", "file", "contest")
_KEPT = 24
"""Tales in memory."""


# ----------------------------------------------------------------------------------------- models


class Board(Model):
    """What the tokens lie on."""

    grid: models.Grid
    holes: tuple[models.Cell, ...]


class RolledTray(Model):
    """A tray whose tokens are numbers of the reel's."""

    title: str
    tokens: tuple[int, ...]
    colour: str


class Shot(Model):
    """One scene; boards, tokens and trays are numbers of the reel's."""

    board: int
    tokens: tuple[int, ...]
    trays: tuple[int, ...]
    marks: tuple[models.Mark, ...]
    status: tuple[str, ...]
    title: str


class Reel(Model):
    """All scenes of a game; what lies there for many turns is told once."""

    boards: tuple[Board, ...]
    tokens: tuple[models.Token, ...]
    trays: tuple[RolledTray, ...]
    shots: tuple[Shot, ...]


class ReplayTurn(Model):
    """A position, and what led to it; turn 0 is the start."""

    turn: int
    ply: int
    seat: int | None
    """Who made the move."""
    move: str | None
    note: str | None
    """What happened, if it was no move."""
    spent: float | None
    hints: tuple[str, ...]
    position: str
    to_move: int | None


class ReplayResult(Model):
    """How a game ended."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    headline: str
    reason: str
    faults: tuple[str, ...]


class Replay(Model):
    """A whole game."""

    source: Origin
    id: str
    edition: str
    title: str
    authority: models.Authority
    names: tuple[str, ...]
    seat_names: tuple[str, ...]
    turns: tuple[ReplayTurn, ...]
    result: ReplayResult | None
    notes: tuple[str, ...]
    log: str
    look: models.Look
    reel: Reel
    downloads: tuple[str, ...]
    """Files below `/api/replays/{source}/{id}/`."""


class Kept(Model):
    """Where a file that was sent can be found now."""

    source: Origin
    id: str


# ----------------------------------------------------------------------------------------- making


@dataclass(frozen=True, slots=True)
class File:
    """A record of a game as programs exchange it."""

    suffix: str
    content: bytes
    media_type: str = "application/xml"


def _no_reader(content: bytes) -> Tale:
    raise UsageError("this arena reads no files")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crafts:
    """What the web cannot do itself: reading and writing records, drawing."""

    read: Callable[[bytes], Tale] = _no_reader
    """The tale of an unpacked file; raises TextError with what is wrong and where."""
    write: Callable[[Tale], File | None] = lambda tale: None
    """The record of a game, if its kind of game has one."""
    svg: Callable[[Scene], str] | None = None
    png: Callable[[Scene], bytes] | None = None


class Library:
    """Finds tales, and makes what people want of them."""

    def __init__(
        self,
        chronicle: Chronicle | None = None,
        contests: Contests | None = None,
        uploads: Uploads | None = None,
        crafts: Crafts | None = None,
        player: Path | None = None,
    ) -> None:
        self._chronicle, self._contests, self._uploads = chronicle, contests, uploads
        self.crafts = crafts or Crafts()
        self._player = player
        self._kept: OrderedDict[tuple[Origin, str], Tale] = OrderedDict()

    async def find(self, source: Origin, name: str) -> Tale | None:
        """The game at an address."""
        if source == "game":
            return await self._played_here(name)
        tale = self._kept.pop((source, name), None)
        if tale is None:
            tale = await asyncio.to_thread(self._read, source, name)
        if tale is not None:
            self._remember((source, name), tale)
        return tale

    async def keep(self, data: bytes) -> Kept:
        """Keep a file that was sent, if it is the record of a game; raises TextError."""
        if self._uploads is None:
            raise UsageError("this arena keeps no files")
        content = await asyncio.to_thread(unpacked, data)
        tale = await asyncio.to_thread(self.crafts.read, content)
        name = await asyncio.to_thread(self._uploads.keep, content)
        self._remember(("file", name), tale)
        return Kept(source="file", id=name)

    async def _played_here(self, name: str) -> Tale | None:
        live = None if self._chronicle is None else await self._chronicle.find(name)
        return None if live is None else of_events(list(live.story.events), load)

    def _read(self, source: Origin, name: str) -> Tale | None:
        if source == "contest":
            return None if self._contests is None else self._contests.tale(name)
        content = None if self._uploads is None else self._uploads.get(name)
        return None if content is None else self.crafts.read(content)

    def _remember(self, key: tuple[Origin, str], tale: Tale) -> None:
        self._kept[key] = tale
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    # ------------------------------------------------------------------------------------ telling

    def replay(self, source: Origin, name: str, tale: Tale, language: Language) -> Replay:
        """The whole game, in a language."""
        said = translator(tale.game, language)
        return Replay(
            source=source,
            id=name,
            edition=tale.game.name,
            title=said(tale.game.title),
            authority=tale.game.authority,
            names=_names(tale),
            seat_names=tuple(seat_name(tale.game, seat, said) for seat in range(_seats(tale))),
            turns=tuple(_turn(tale, number, said) for number in range(len(tale.turns))),
            result=_result(tale, said),
            notes=tuple(map(said, tale.notes)),
            log=tale.log,
            look=look_of(tale.game, tale.turns[0].position),
            reel=Reel.model_validate(rolled(self._scenes(tale, said))),
            downloads=tuple(self.downloads(source, name, tale)),
        )

    def _scenes(self, tale: Tale, said: Translate) -> list[dict[str, Any]]:
        scenes = (tale.game.scene(turn.position, turn.last) for turn in tale.turns)
        return [scene_of(scene, said).model_dump() for scene in scenes]

    def downloads(self, source: Origin, name: str, tale: Tale) -> list[str]:
        """What can be had of a game."""
        file = self.record(source, name, tale)
        found = [] if file is None else [f"replay{file.suffix}"]
        found += ["picture.svg"] if self.crafts.svg else []
        found += ["picture.png"] if self.crafts.png else []
        return [*found, "page.html"] if self._has_player else found

    # -------------------------------------------------------------------------------------- files

    def record(self, source: Origin, name: str, tale: Tale) -> File | None:
        """The record as programs exchange it: a file that was sent as it was, others anew."""
        if source != "file" or self._uploads is None:
            return self.crafts.write(tale)
        content = self._uploads.get(name) or b""
        if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return File(".xml.gz", gzip.compress(content, mtime=0), "application/gzip")
        return File(".log", content, "text/plain; charset=utf-8")

    def scene(self, tale: Tale, turn: int) -> Scene:
        """What a turn looks like; -1 is the last."""
        if not -1 <= turn < len(tale.turns):
            raise TextError(f"this game has the turns 0 to {len(tale.turns) - 1}, not {turn}")
        shown = tale.turns[turn]
        return tale.game.scene(shown.position, shown.last)

    @property
    def _has_player(self) -> bool:
        return self._player is not None and (self._player / "player.js").is_file()

    def page(self, source: Origin, name: str, tale: Tale, language: Language, turn: int) -> str:
        """The game as one file that needs nothing else, not even a server."""
        if self._player is None or not self._has_player:
            raise UsageError("the pages of the arena have not been built")
        script = (self._player / "player.js").read_text("utf-8")
        style = (self._player / "player.css").read_text("utf-8")
        replay = self.replay(source, name, tale, language).model_dump(mode="json")
        data = {"replay": replay, "language": language, "turn": turn}
        return _page(_title(tale, translator(tale.game, language)), data, script, style)


def load(edition: str, authority: str) -> Game:
    """The edition of that name, under that authority."""
    return games.load(edition).under(authority)


def seat_name(game: Game, seat: Seat, said: Translate) -> str:
    """What a seat is called."""
    return said(game.seat_names[seat]) if seat < len(game.seat_names) else str(seat + 1)


def _seats(tale: Tale) -> int:
    seats: int = tale.turns[0].position.seats
    return seats


def _names(tale: Tale) -> tuple[str, ...]:
    return tuple((*tale.names, *[""] * _seats(tale))[: _seats(tale)])


def _turn(tale: Tale, number: int, said: Translate) -> ReplayTurn:
    turn = tale.turns[number]
    position = turn.position
    is_move = turn.last is not None
    over = position.outcome() is not None
    return ReplayTurn(
        turn=number,
        ply=position.ply,
        seat=turn.seat,
        move=turn.words if is_move else None,
        note=None if is_move else _note(turn, tale.game, said),
        spent=turn.spent,
        hints=turn.hints,
        position=position.text(),
        to_move=None if over else position.to_move(),
    )


def _note(turn: Turn, game: Game, said: Translate) -> str | None:
    if turn.fault is None or turn.seat is None:
        return turn.words or None
    why = explained(turn.fault, game, said)
    return said(messages("is-out", seat=seat_name(game, turn.seat, said), reason=why))


def _fault(fault: Fault | str | None, game: Game, said: Translate) -> str:
    return explained(fault, game, said) if isinstance(fault, Fault) else fault or ""


def _result(tale: Tale, said: Translate) -> ReplayResult | None:
    outcome = tale.outcome
    if outcome is None:
        return None
    return ReplayResult(
        ranks=outcome.ranks,
        scores=outcome.scores,
        winners=outcome.winners,
        headline=_headline(tale, outcome.winners, said),
        reason=said(reason_text(outcome.reason)),
        faults=tuple(_fault(each, tale.game, said) for each in tale.faults),
    )


def _headline(tale: Tale, winners: tuple[Seat, ...], said: Translate) -> str:
    if len(winners) != 1:
        return said(messages("draw"))
    seat, name = winners[0], _names(tale)[winners[0]]
    called = seat_name(tale.game, seat, said)
    return said(messages("wins", name=f"{name} ({called})" if name else called))


def _title(tale: Tale, said: Translate) -> str:
    names = " – ".join(name for name in _names(tale) if name)
    return f"{said(tale.game.title)}{': ' if names else ''}{names}"


# ------------------------------------------------------------------------------------ offline page


def _page(title: str, data: dict[str, Any], script: str, style: str) -> str:
    """Its own policy allows this script and no other, and no request at all."""
    script, style = script.replace("</script", "<\\/script"), style.replace("</style", "")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    embedded = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    name = title.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f'<!doctype html>\n<html lang="{data["language"]}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{style}</style></head>"
        f'<body><div id="app"></div><script type="application/json" id="data">{embedded}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def file_name(tale: Tale, suffix: str) -> str:
    """What to call a file of a game: plain letters, so that every system takes it."""
    words = [tale.game.name, *(name for name in tale.names if name)]
    plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-") for word in words)
    return f"{plain[:80].strip('-') or 'game'}{suffix}"

"""Replays of games from this arena, an uploaded file or a contest.

Each has an address of two parts, the source and a name. Scenes, pictures of turns, files and
offline pages are made from its record.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Cell, Game, Gesture, Grid, Mark, Scene, Seat, Token, reason_text
from spielleiter.match import Frame, GameRecord, TakenBack, Turn
from spielleiter.web import models
from spielleiter.web.contest_reader import Contests
from spielleiter.web.game_state import described
from spielleiter.web.language import Translate, messages, translator
from spielleiter.web.models import Language, Model
from spielleiter.web.offline_page import is_built, lean_page, whole_page
from spielleiter.web.record_formats import File, RecordFormats
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.scene_sequence import scene_sequence
from spielleiter.web.serialisation import (
    explained,
    look_of,
    taken_back_text,
    translated_gesture,
    translated_name,
    winners_text,
)
from spielleiter.web.uploads import Uploads, unpacked

Origin = Literal["game", "file", "contest", "ladder", "store"]
_OPEN_LOGS: tuple[Origin, ...] = ("file", "store")
"""Sources whose logs are public; those of contests are for organisers."""
_XML, _LOG = ".xml.gz", ".log"
_KEPT = 24
"""Records in memory."""
_FOLLOWED = 8
"""Games whose positions are in memory."""


# ----------------------------------------------------------------------------------------- models


class SequenceBoard(Model):
    """The board of a scene."""

    grid: Grid
    holes: tuple[Cell, ...]


class SequenceTray(Model):
    """A tray whose tokens are numbers in the sequence."""

    title: str
    tokens: tuple[int, ...]
    colour: str


class SequenceScene(Model):
    """One scene; boards, tokens and trays are numbers in the sequence."""

    board: int
    tokens: tuple[int, ...]
    trays: tuple[int, ...]
    marks: tuple[Mark, ...]
    status: tuple[str, ...]
    title: str


class SceneSequence(Model):
    """All scenes of a game; repeated tokens are sent once."""

    boards: tuple[SequenceBoard, ...]
    tokens: tuple[Token, ...]
    trays: tuple[SequenceTray, ...]
    scenes: tuple[SequenceScene, ...]


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
    gesture: Gesture | None
    """The move as people read and draw it."""


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
    scenes: SceneSequence
    downloads: tuple[str, ...]
    """Files below `/api/replays/{source}/{id}/`."""


class StoredFile(Model):
    """The address of an uploaded file."""

    source: Origin
    id: str


# ----------------------------------------------------------------------------------------- making


class ReplayLibrary:
    """Finds records and makes replays and files of them."""

    def __init__(
        self,
        recorder: GameRecorder | None = None,
        contests: Contests | None = None,
        uploads: Uploads | None = None,
        formats: RecordFormats | None = None,
        player: Path | None = None,
    ) -> None:
        self._recorder, self._contests, self._uploads = recorder, contests, uploads
        self.formats = formats or RecordFormats()
        self._player = player
        self._kept: OrderedDict[tuple[Origin, str], GameRecord] = OrderedDict()
        self._frames: OrderedDict[tuple[Origin, str, int], asyncio.Future[list[Frame]]] = (
            OrderedDict()
        )
        self.ladder: Callable[[str], GameRecord | None] = lambda name: None
        """Finds a game of the ladder."""
        self.stores: Callable[[str], GameRecord | None] = lambda name: None
        """Finds a game of a store that was named."""

    async def find(self, source: Origin, name: str) -> GameRecord | None:
        """The game at an address."""
        if source == "game":
            return await self._played_here(name)
        record = self._kept.pop((source, name), None)
        if record is None:
            record = await asyncio.to_thread(self._read, source, name)
        if record is not None:
            self._remember((source, name), record)
        return record

    async def keep(self, data: bytes) -> StoredFile:
        """Store an uploaded file, if it is the record of a game; raises TextError."""
        if self._uploads is None:
            raise UsageError("this arena keeps no files")
        content = await asyncio.to_thread(unpacked, data)
        record = await asyncio.to_thread(self.formats.read, content)
        name = await asyncio.to_thread(self._uploads.keep, content)
        self._remember(("file", name), record)
        return StoredFile(source="file", id=name)

    async def _played_here(self, name: str) -> GameRecord | None:
        live = None if self._recorder is None else await self._recorder.find(name)
        return None if live is None else live.state.record

    def _read(self, source: Origin, name: str) -> GameRecord | None:
        if source == "contest":
            return None if self._contests is None else self._contests.record(name)
        if source == "ladder":
            return self.ladder(name)
        if source == "store":
            return self.stores(name)
        content = None if self._uploads is None else self._uploads.get(name)
        return None if content is None else self.formats.read(content)

    def _remember(self, key: tuple[Origin, str], record: GameRecord) -> None:
        self._kept[key] = record
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    # ---------------------------------------------------------------------------------------- views

    def replay(self, source: Origin, name: str, record: GameRecord, language: Language) -> Replay:
        """The whole game, in a language."""
        game = record.game(games.load_recorded)
        translate, frames = translator(game, language), list(record.frames(game))
        return Replay(
            source=source,
            id=name,
            edition=game.name,
            title=translate(game.title),
            authority=game.authority,
            names=tuple(translated_name(name, translate) for name in record.names),
            seat_names=tuple(seat_name(game, seat, translate) for seat in range(len(record.names))),
            turns=_turns(frames, game, translate),
            result=result_view(record, game, translate),
            notes=tuple(map(translate, record.notes)),
            log=record.log if source in _OPEN_LOGS else "",
            look=look_of(game, frames[0].position),
            scenes=SceneSequence.model_validate(scene_sequence(_scenes(frames, game), translate)),
            downloads=tuple(self.downloads(source, name, record)),
        )

    def downloads(self, source: Origin, name: str, record: GameRecord) -> list[str]:
        """The downloads of a game."""
        suffix = self._suffix(source, name, record)
        found = [] if suffix is None else [f"replay{suffix}"]
        found += ["picture.svg"] if self.formats.svg else []
        found += ["picture.png"] if self.formats.png else []
        return [*found, "page.html"] if is_built(self._player) else found

    # -------------------------------------------------------------------------------------- files

    def file(self, source: Origin, name: str, record: GameRecord) -> File | None:
        """The record as a file: an uploaded one unchanged, others written anew."""
        if source != "file" or self._uploads is None:
            return self.formats.write(record)
        content, suffix = self._uploads.get(name) or b"", self._suffix(source, name, record)
        if suffix == _XML:
            return File(_XML, gzip.compress(content, mtime=0), "application/gzip")
        return File(_LOG, content, "text/plain; charset=utf-8")

    def _suffix(self, source: Origin, name: str, record: GameRecord) -> str | None:
        if source != "file" or self._uploads is None:
            return self.formats.suffix(record)
        content = self._uploads.get(name) or b""
        return _XML if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else _LOG

    async def frames(self, source: Origin, name: str, record: GameRecord) -> Sequence[Frame]:
        """Every position of a game; visitors of the same game share them."""
        key = (source, name, len(record.events))
        following = self._frames.pop(key, None)
        if following is None or (following.done() and following.exception() is not None):
            game = record.game(games.load_recorded)
            made = asyncio.to_thread(lambda: list(record.frames(game)))
            following = asyncio.ensure_future(made)
        self._frames[key] = following
        while len(self._frames) > _FOLLOWED:
            self._frames.popitem(last=False)
        return await asyncio.shield(following)

    def frame(self, record: GameRecord, turn: int) -> Frame:
        """The position after a turn; -1 is the last. Raises UsageError if there is none."""
        return record.frame(record.game(games.load_recorded), turn)

    def scene(self, record: GameRecord, frame: Frame) -> Scene:
        """What a position looks like."""
        return record.game(games.load_recorded).scene(frame.position, frame.last)

    def page(
        self, source: Origin, name: str, record: GameRecord, language: Language, turn: int
    ) -> str:
        """The game as one self-contained HTML file."""
        if self._player is None or not is_built(self._player):
            raise UsageError("the pages of the arena have not been built")
        data = self._page_data(source, name, record, language, turn)
        return whole_page(_title(record, language), data, self._player)

    def lean_page(self, source: Origin, name: str, record: GameRecord, language: Language) -> str:
        """The same for many games in one folder, which share the viewer's files."""
        data = self._page_data(source, name, record, language, 0)
        return lean_page(_title(record, language), data)

    def _page_data(
        self, source: Origin, name: str, record: GameRecord, language: Language, turn: int
    ) -> dict[str, Any]:
        replay = self.replay(source, name, record, language).model_dump(mode="json")
        return {"replay": replay, "language": language, "turn": turn}


def seat_name(game: Game, seat: Seat, translate: Translate) -> str:
    """What a seat is called."""
    return translate(game.seat_names[seat]) if seat < len(game.seat_names) else str(seat + 1)


def _scenes(frames: Sequence[Frame], game: Game) -> Iterator[Scene]:
    return (game.scene(frame.position, frame.last) for frame in frames)


def _turns(frames: Sequence[Frame], game: Game, translate: Translate) -> tuple[ReplayTurn, ...]:
    before = (frames[0], *frames)
    return tuple(_turn(*pair, game, translate) for pair in zip(before, frames, strict=False))


def _turn(before: Frame, frame: Frame, game: Game, translate: Translate) -> ReplayTurn:
    turn, position = frame.turn, frame.position
    return ReplayTurn(
        turn=turn.number,
        ply=turn.ply,
        seat=turn.seat,
        move=turn.move,
        note=_note(turn, game, translate),
        spent=turn.spent,
        hints=turn.hints,
        position=position.text(),
        to_move=None if position.outcome() is not None else position.to_move(),
        gesture=translated_gesture(described(game, before.position, turn.move), translate),
    )


def _note(turn: Turn, game: Game, translate: Translate) -> str | None:
    if isinstance(turn.event, TakenBack):
        return taken_back_text(turn.event, seat_name(game, turn.event.seat, translate), translate)
    if turn.fault is None or turn.seat is None:
        return None
    why = explained(turn.fault, game, translate)
    return translate(messages("is-out", seat=seat_name(game, turn.seat, translate), reason=why))


def result_view(record: GameRecord, game: Game, translate: Translate) -> ReplayResult | None:
    """How a game ended, in a language; None: its record does not say."""
    if (ended := record.ended) is None:
        return None
    outcome = ended.outcome
    return ReplayResult(
        ranks=outcome.ranks,
        scores=outcome.scores,
        winners=outcome.winners,
        headline=_headline(record, game, outcome.winners, translate),
        reason=translate(reason_text(outcome.reason)),
        faults=tuple(
            "" if each is None else explained(each, game, translate) for each in ended.faults
        ),
    )


def _headline(
    record: GameRecord, game: Game, winners: tuple[Seat, ...], translate: Translate
) -> str:
    if len(winners) != 1:
        return translate(messages("draw"))
    name = translated_name(record.names[winners[0]], translate)
    called = seat_name(game, winners[0], translate)
    won = f"{name} ({called})" if name else called
    return winners_text([won], translate, plural=game.seats_are_plural and not name)


def _title(record: GameRecord, language: Language) -> str:
    game = record.game(games.load_recorded)
    names = " – ".join(name for name in record.names if name)
    return f"{translator(game, language)(game.title)}{': ' if names else ''}{names}"


def file_name(record: GameRecord, suffix: str) -> str:
    """A file name for a game, in plain letters that every system accepts."""
    words = [record.opened.edition, *(name for name in record.names if name)]
    plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-") for word in words)
    return f"{plain[:80].strip('-') or 'game'}{suffix}"

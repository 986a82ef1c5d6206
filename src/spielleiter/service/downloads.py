"""The download formats that the arena offers for a game."""

from __future__ import annotations

import gzip

from spielleiter.draw import png, svg
from spielleiter.server import ServedGame
from spielleiter.server.replay import XmlReplay
from spielleiter.service.service import speech_of
from spielleiter.web.arena import Download
from spielleiter.web.game_state import GameState
from spielleiter.web.language import translator
from spielleiter.web.serialisation import translated


def _has_replay(state: GameState) -> bool:
    return (
        state.ended is not None and state.match.began and speech_of(state.opened.edition) == "xml"
    )


def _replay(state: GameState, turn: int | None, language: str) -> bytes:
    return (
        XmlReplay.of_record(state.id, ServedGame.of(state.game), state.record).document().encode()
    )


def _compressed_replay(state: GameState, turn: int | None, language: str) -> bytes:
    return gzip.compress(_replay(state, turn, language), mtime=0)


def _picture(state: GameState, turn: int | None, language: str) -> str:
    frame = state.frame(state.turn if turn is None else turn)
    drawn = state.game.scene(frame.position, frame.last)
    scene = translated(drawn, translator(state.game, language))
    return svg.render(scene)


def _svg(state: GameState, turn: int | None, language: str) -> bytes:
    return _picture(state, turn, language).encode()


def _png(state: GameState, turn: int | None, language: str) -> bytes:
    return png.png(_picture(state, turn, language), 2.0)


DOWNLOADS = {
    "replay.xml": Download("application/xml", _has_replay, _replay),
    "replay.xml.gz": Download("application/gzip", _has_replay, _compressed_replay),
    "picture.svg": Download("image/svg+xml", lambda state: True, _svg),
    "picture.png": Download("image/png", lambda state: True, _png),
}

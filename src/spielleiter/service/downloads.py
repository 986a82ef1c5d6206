"""Games as files: what the arena offers to download, made by the parts that know how."""

from __future__ import annotations

import gzip

from spielleiter.draw import png, svg
from spielleiter.server import ServedGame
from spielleiter.server.replay import Replay
from spielleiter.service.service import speech_of
from spielleiter.web.arena import Download
from spielleiter.web.language import translator
from spielleiter.web.story import Story
from spielleiter.web.telling import translated


def _has_replay(story: Story) -> bool:
    return (
        story.ended is not None and story.match.began and speech_of(story.opened.edition) == "xml"
    )


def _replay(story: Story, turn: int | None, language: str) -> bytes:
    return Replay.told(story.id, ServedGame.of(story.game), story.events).document().encode()


def _compressed_replay(story: Story, turn: int | None, language: str) -> bytes:
    return gzip.compress(_replay(story, turn, language), mtime=0)


def _picture(story: Story, turn: int | None, language: str) -> str:
    position, last = story.at(story.turn if turn is None else turn)
    scene = translated(story.game.scene(position, last), translator(story.game, language))
    return svg.render(scene)


def _svg(story: Story, turn: int | None, language: str) -> bytes:
    return _picture(story, turn, language).encode()


def _png(story: Story, turn: int | None, language: str) -> bytes:
    return png.png(_picture(story, turn, language), 2.0)


DOWNLOADS = {
    "replay.xml": Download("application/xml", _has_replay, _replay),
    "replay.xml.gz": Download("application/gzip", _has_replay, _compressed_replay),
    "picture.svg": Download("image/svg+xml", lambda story: True, _svg),
    "picture.png": Download("image/png", lambda story: True, _png),
}

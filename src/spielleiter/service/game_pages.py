"""Writes pages of many games into a folder, for reports; they need no server."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from spielleiter.errors import UsageError
from spielleiter.service.record_files import formats
from spielleiter.tournament.recorded_game import RecordedGame
from spielleiter.web.arena import OFFLINE
from spielleiter.web.library import Origin, ReplayLibrary
from spielleiter.web.models import Language
from spielleiter.web.offline_page import SCRIPT, STYLE, is_built

_LONGEST_NAME = 60


def write_game_pages(
    folder: Path, games: Iterable[RecordedGame], source: Origin, language: Language = "en"
) -> Iterator[tuple[RecordedGame, str]]:
    """Write the pages; yields each game with the name of its page.

    `source` says whether logs may be included: those of a contest's teams stay with the organiser.
    An existing page is kept, since its name is a hash of its content.
    """
    if not is_built(OFFLINE):
        raise UsageError("the pages of the arena have not been built: report with --no-games")
    folder.mkdir(parents=True, exist_ok=True)
    for shared in (SCRIPT, STYLE):
        shutil.copyfile(OFFLINE / shared, folder / shared)
    library, player = ReplayLibrary(formats=formats()), (OFFLINE / SCRIPT).read_bytes()
    version = (hashlib.sha256(player).hexdigest(), source, language)
    for game in games:
        file = folder / _name(game, version)
        if not file.exists():
            _write(file, library.lean_page(source, game.key, game.record, language))
        yield game, file.name


def _name(game: RecordedGame, version: tuple[str, ...]) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", game.key).strip("-")[:_LONGEST_NAME]
    content = repr((version, game.key, game.players, list(game.record.events), game.log))
    return f"{plain}-{hashlib.sha256(content.encode()).hexdigest()[:10]}.html"


def _write(file: Path, text: str) -> None:
    """Write a page atomically."""
    part = file.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(file)

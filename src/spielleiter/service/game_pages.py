"""Pages of many games in a folder, for reports: each opens in a browser, without a server."""

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
    """Each game with the name of its page, once that is written.

    `source` says whether logs may be read: those of a contest's teams stay with the organiser. A
    page that is there already is not made again: its name tells its content.
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
    """Whole or not at all, so that a report that was stopped leaves no half page behind."""
    part = file.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(file)

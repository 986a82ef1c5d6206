"""What the arena shows of games after the fact: replays, analyses, contests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spielleiter.cli.contest import opened_if_begun
from spielleiter.service.analysis_worker import engines
from spielleiter.service.record_files import crafts
from spielleiter.web.analysts import Analysts
from spielleiter.web.arena import OFFLINE
from spielleiter.web.chronicle import Chronicle
from spielleiter.web.follow import Contests
from spielleiter.web.library import Library
from spielleiter.web.uploads import Uploads

ANALYST = (sys.executable, "-m", "spielleiter.service.analysis_worker")
CONTESTS, FILES = "contests", "files"
"""Folders of the data folder."""


@dataclass(frozen=True, slots=True)
class Archive:
    """All of it, for `Arena`."""

    library: Library
    analysts: Analysts
    contests: Contests

    def close(self) -> None:
        """Let go of all stores."""
        self.contests.close()


def archive(chronicle: Chronicle, data: Path, files: Sequence[Path]) -> Archive:
    """The archive of an arena: contests are those of its folder, and the files named."""
    contests = Contests(opened_if_begun, files, data / CONTESTS)
    uploads = Uploads(data / FILES)
    library = Library(chronicle, contests, uploads, crafts(), OFFLINE)
    return Archive(library, Analysts(ANALYST, engines), contests)

"""What the arena shows of finished games: replays, analyses, contests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spielleiter.service.analysis_worker import STAY, engines
from spielleiter.service.record_files import formats
from spielleiter.store import StoreAddress
from spielleiter.web.analysis_pool import AnalysisPool
from spielleiter.web.arena import OFFLINE
from spielleiter.web.contest_reader import Contests, Open
from spielleiter.web.library import ReplayLibrary
from spielleiter.web.match_stores import MatchStores
from spielleiter.web.quick_evaluation import QuickEvaluation
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.uploaded_stores import UploadedStores
from spielleiter.web.uploads import Uploads

ANALYST = (sys.executable, "-m", "spielleiter.service.analysis_worker")
STORE_READER = (sys.executable, "-m", "spielleiter.service.store_reader")
CONTESTS, FILES, STORES = "contests", "files", "stores"
"""Folders of the data folder."""


@dataclass(frozen=True, slots=True)
class Archive:
    """All of it, for `Arena`."""

    library: ReplayLibrary
    analysts: AnalysisPool
    contests: Contests
    stores: MatchStores
    uploaded: UploadedStores

    def close(self) -> None:
        """Close all stores."""
        self.contests.close()
        self.stores.close()
        self.uploaded.close()


def archive(
    recorder: GameRecorder,
    data: Path,
    files: Sequence[Path],
    open_contest: Open,
    stores: Sequence[Path | StoreAddress] = (),
) -> Archive:
    """The archive of an arena, with the contests of its folder and the given files."""
    contests = Contests(open_contest, files, data / CONTESTS)
    uploads = Uploads(data / FILES)
    library = ReplayLibrary(recorder, contests, uploads, formats(), OFFLINE)
    named = MatchStores(stores)
    uploaded = UploadedStores(data / STORES, STORE_READER)
    library.stores, named.uploaded = named.record, uploaded.get
    analysts = AnalysisPool(ANALYST, engines, look=QuickEvaluation((*ANALYST, STAY)))
    return Archive(library, analysts, contests, named, uploaded)

"""The games of a filtered list as one ZIP of replay files."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable

from fastapi import Response

from spielleiter.match import GameRecord
from spielleiter.web.record_formats import File

MOST_GAMES = 100
"""Games in one archive; the next ones are in the next."""

WriteRecord = Callable[[GameRecord], File | None]


def archive(games: Iterable[tuple[str, GameRecord | None]], write: WriteRecord) -> bytes:
    """A ZIP with a file for each game, named by its key; games without a file are left out."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        for key, record in games:
            file = None if record is None else write(record)
            if file is not None:
                name = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-") or "game"
                files.writestr(zipfile.ZipInfo(f"{name}{file.suffix}"), file.content)
    return packed.getvalue()


def zip_answer(content: bytes, title: str) -> Response:
    """An archive as a download."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-")[:80] or "games"
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)

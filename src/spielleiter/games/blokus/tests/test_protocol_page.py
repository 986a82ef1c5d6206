"""The pieces of docs/protocol.md are those of the game."""

from __future__ import annotations

import re
from pathlib import Path

from spielleiter.games.blokus import reference

PAGE = Path(__file__).parents[5] / "docs" / "protocol.md"
PIECE = re.compile(r"`([A-Z]+(?:_[A-Z])?)` \| ((?:\d\d ?)*\d\d)")


def test_the_pieces_of_the_page_are_those_of_the_game() -> None:
    assert dict(PIECE.findall(PAGE.read_text("utf-8"))) == reference.KINDS

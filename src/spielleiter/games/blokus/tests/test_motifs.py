"""What motifs say about moves of this game."""

from __future__ import annotations

import random

from spielleiter.games.blokus import Position
from spielleiter.games.blokus.motifs import motifs, phase


def middle(seed: int, plies: int = 24) -> Position:
    """A position some way into a game by chance."""
    position = Position.start(seed, "", "blokus-2027")
    lot = random.Random(seed)
    for _ in range(plies):
        position.play(lot.choice(list(position.legal_moves())))
    return position


def test_a_smaller_piece_than_need_be_is_named_and_a_larger_one_is_not() -> None:
    position = middle(1, plies=12)
    moves = {len(move.cells): move for move in position.legal_moves()}
    small, large = moves[1], moves[5]
    said = {each.id: each.values for each in motifs(position, small, large)}
    assert said["motif.small-piece"] == {"squares": 1, "possible": 5}
    assert "motif.small-piece" not in {each.id for each in motifs(position, large, small)}


def test_corners_and_closed_regions_are_named() -> None:
    seen: set[str] = set()
    for seed in range(12):
        position = middle(seed)
        moves = list(position.legal_moves())
        for better in moves[:: max(1, len(moves) // 20)]:
            seen |= {each.id for each in motifs(position, moves[0], better)}
    wanted = {"few-corners", "corners-left", "region-closed", "small-piece"}
    assert {f"motif.{each}" for each in wanted} <= seen


def test_phases_follow_each_other() -> None:
    position = Position.start(2, "", "blokus-2027")
    seen = []
    while position.outcome() is None:
        seen.append(phase(position))
        position.play(max(position.legal_moves(), key=lambda move: len(move.cells)))
    assert list(dict.fromkeys(seen)) == ["opening", "middle", "end"]

"""What is peculiar to Nim: its winning strategy."""

from __future__ import annotations

import pytest
from spielleiter.games.nim import Position

from spielleiter import bots, games
from spielleiter.game import Clock


def test_whoever_leaves_a_nim_sum_of_zero_can_win() -> None:
    position = Position.parse("3/4/5 0", "nim").after("A2")
    assert nim_sum(position) == 0
    for reply in position.legal_moves():
        assert nim_sum(position.after(reply)) != 0


@pytest.mark.native  # a small engine in Python takes its place, which needs more luck
def test_a_game_without_an_engine_of_its_own_is_played_well() -> None:
    position = Position.parse("3/4/5 0", "nim")
    player = bots.load("mcts:simulations=100000", seed=1)
    player.begin(position.copy(), 0)
    assert nim_sum(position.after(player.choose(position.copy(), Clock()))) == 0


def test_a_game_without_levels_of_its_own_has_those_of_all_games() -> None:
    wins = sum(won_by(strong=seed % 2, seed=seed) for seed in range(10))
    assert wins >= 8


def won_by(strong: int, seed: int) -> bool:
    """Whether the player on that seat wins against one of the lowest level."""
    position = games.load("nim").start(seed)
    levels = [8 if seat == strong else 1 for seat in (0, 1)]
    players = [bots.load(f"best:level={level}", seed=seed) for level in levels]
    while (outcome := position.outcome()) is None:
        position = position.after(players[position.to_move()].choose(position, Clock()))
    return outcome.winner == strong


def nim_sum(position: Position) -> int:
    """Zero where the player to move loses against perfect play."""
    first, second, third = position.heaps
    return first ^ second ^ third

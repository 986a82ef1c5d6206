"""OpenSpiel's Othello: random games rolled out in C++, and stepped through its Python API.

The rollouts run inside one native call: a search of one simulation, whose evaluator plays `GAMES`
random games from the position.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable

import pyspiel

GAMES = 2_000
OTHELLO = pyspiel.load_game("othello")


def rate(work: Callable[[], float]) -> float:
    """Median of what `work` achieves per second of CPU time."""
    work()
    rates = []
    for _ in range(5):
        begin = time.process_time()
        amount = work()
        rates.append(amount / (time.process_time() - begin))
    return statistics.median(rates)


def rollouts() -> float:
    evaluator = pyspiel.RandomRolloutEvaluator(GAMES, 7)
    bot = pyspiel.MCTSBot(OTHELLO, evaluator, 2.0, 1, 100, False, 1, False)
    bot.mcts_search(OTHELLO.new_initial_state())
    return GAMES


def stepped() -> float:
    lot = random.Random(1)
    for _ in range(200):
        state = OTHELLO.new_initial_state()
        while not state.is_terminal():
            state.apply_action(lot.choice(state.legal_actions()))
    return 200


print(json.dumps({"rollouts": rate(rollouts), "stepped": rate(stepped)}))

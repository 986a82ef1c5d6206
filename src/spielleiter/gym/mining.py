"""Finds positions whose best move is clear, and proves it by a search much longer than the task.

A position is used if the best moves (all nearly equal) are clearly better than every other move
that the search considers, and if a search with `PROOF` times the nodes of the task confirms it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from spielleiter.game import Game, Move, Position
from spielleiter.gym.positions import GymPosition
from spielleiter.match import GameRecord
from spielleiter.review import Evaluator, GameReview, Value

PROOF = 25
"""The answer is proved with so many times the nodes of the task; 20 are promised."""
TASK = {"alphabeta": 2_000, "mcts": 100}
"""Nodes that a task allows, for each engine."""
CLEAR = {"alphabeta": 0.15, "mcts": 0.08}
"""Chances by which the best moves stand out. Where tree search plays best, many moves are good."""
_EQUAL = 0.03
"""Chances by which the best moves may differ from each other."""
_HELD = (0.05, 0.98)
"""Range of chances of useful positions: neither won nor lost."""
_LINES = 5
"""How many moves of a position are proved right or wrong."""
_ERRS = 0.12
"""How often self-play plays a random move, to create mistakes."""
_EASY = (50, 300, 1_000, 2_000)
"""Nodes of alpha-beta after which a task is no longer of difficulty 1, 2, 3, 4."""


class Miner:
    """Makes tasks from positions of one game."""

    def __init__(self, start: Position, game: Game) -> None:
        self._evaluator = Evaluator(start, game)
        self._task = self._evaluator.nodes = TASK[self._evaluator.engine]
        self._clear = CLEAR[self._evaluator.engine]

    def task(self, position: Position, name: str, source: str) -> GymPosition | None:
        """The position as a task, if its answer is clear."""
        if position.outcome() is not None or len(position.legal_moves()) < _LINES:
            return None
        if not self._stands_out(position):
            return None
        values = sorted(self._proved(position), key=lambda each: -each[1].chance)
        best = [move for move, value in values if values[0][1].chance - value.chance <= _EQUAL]
        if len(best) == len(values):
            return None
        top, next_best = values[0][1].chance, values[len(best)][1].chance
        if top - next_best < self._clear or not _HELD[0] < top or next_best > _HELD[1]:
            return None
        return GymPosition(
            name=name,
            position=position.text(),
            best=tuple(move.text() for move in best),
            nodes=self._task,
            verified=self._task * PROOF,
            chance=round(top, 3),
            loss=round(top - next_best, 3),
            difficulty=self._difficulty(position, best),
            source=source,
        )

    def _stands_out(self, position: Position) -> bool:
        """A quick filter: whether the best move is clearly better than the second."""
        first, *others = self._looked_at(position, lines=2)
        return bool(others) and first.chance - others[0].chance >= self._clear

    def _looked_at(self, position: Position, lines: int) -> list[Value]:
        return self._evaluator.lines(position, lines)

    def _proved(self, position: Position) -> Iterator[tuple[Move, Value]]:
        """The most promising moves, each by a long search of what follows it."""
        seat = position.to_move()
        for line in self._evaluator.lines(position, _LINES, effort=PROOF):
            move = line.line[0]
            yield move, self._evaluator.value(position.after(move), effort=PROOF).of(seat)

    def _difficulty(self, position: Position, best: list[Move]) -> int:
        """How long the engine needs until it plays a best move and stays with it."""
        return _graded(self._evaluator.nodes_to_find(position, best, self._task), self._task)


# -------------------------------------------------------------------------------------- candidates


def positions_of(
    records: Iterable[tuple[str, GameRecord]], game: Game
) -> Iterator[tuple[str, Position]]:
    """Every position of recorded games, with where it is from."""
    for key, record in records:
        for frame in record.frames(game):
            yield f"{key}, turn {frame.turn.number}", frame.position


def self_play(game: Game, lot: random.Random) -> Iterator[tuple[str, Position]]:
    """Positions from endless self-play of our engine, with occasional random moves."""
    while True:
        seed = lot.randrange(2**32)
        position = game.start(seed)
        player = Evaluator(position, game, TASK[Evaluator(position, game).engine] // 10)
        while position.outcome() is None:
            yield f"self-play, seed {seed}, ply {position.ply}", position.copy()
            position.play(_choice(player, position, lot))


def _choice(player: Evaluator, position: Position, lot: random.Random) -> Move:
    """Mostly the best move, sometimes a random one."""
    best = player.value(position).best
    assert best is not None
    return lot.choice(list(position.legal_moves())) if lot.random() < _ERRS else best


def mistakes(
    review: GameReview, record: GameRecord, game: Game, key: str, player: str | None = None
) -> list[GymPosition]:
    """The mistakes and blunders of a reviewed game, each as a task; the review is their proof.

    Those of all players, or of one.
    """
    told = review.costly(player)
    wrong = [each for each in told if each.grade in ("mistake", "blunder")]
    return [
        GymPosition(
            name=f"{key}, turn {each.turn}",
            position=record.frame(game, each.turn - 1).position.text(),
            best=(each.best,),
            nodes=review.nodes,
            verified=review.nodes * each.effort,
            chance=each.chance,
            loss=each.loss,
            difficulty=_graded(each.avoided_from, review.nodes),
            source=f"{record.names[each.seat]} played {each.move}",
        )
        for each in wrong
    ]


def _graded(needed: int | None, most: int) -> int:
    """A difficulty by the share of the nodes after which the engine avoids the mistake."""
    if needed is None:
        return len(_EASY) + 1
    share = needed * TASK["alphabeta"] / most
    return 1 + sum(share > bound for bound in _EASY)

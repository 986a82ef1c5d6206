"""Monte Carlo tree search as in AlphaZero, in many games at once; needs NumPy only.

Every simulation goes down one path in each tree, and the positions at the ends of all paths are
evaluated together. Games are for two. All sums are seat 0's: whoever is to move multiplies them
by its sign, so that a seat that passes, and lets the other move twice, needs no rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from spielleiter.game import Batch, Game, Position

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Evaluate = Callable[[Batch], tuple[Floats, Floats]]
"""Of each game of a batch: priors of the actions (games × actions), and the value for its mover."""

EXPLORATION = 1.5


class Trees:
    """One tree for each root, in arrays of games × nodes × actions; node 0 is the root.

    `actions` are those that can occur, as numbers of the game. A leaf that a simulation adds has
    the number of the simulation; 0 among the children means: not yet added.
    """

    def __init__(
        self,
        game: Game,
        actions: npt.NDArray[np.int32],
        roots: Sequence[Position],
        evaluate: Evaluate,
        simulations: int,
    ) -> None:
        self._game, self._actions, self._evaluate = game, actions, evaluate
        self._simulations = simulations
        nodes = len(roots), simulations + 1
        self._positions = np.empty(nodes, object)
        self._ends = np.zeros(nodes, bool)
        self._signs, self._values = np.ones(nodes, np.float32), np.zeros(nodes, np.float32)
        self._priors = np.zeros((*nodes, len(actions)), np.float32)
        self._legal = np.zeros(self._priors.shape, bool)
        self._children = np.zeros(self._priors.shape, np.int32)
        self._visits, self._sums = np.zeros_like(self._priors), np.zeros_like(self._priors)
        self._add(np.arange(len(roots)), 0, roots)

    def add_noise(self, alpha: float, share: float, lot: np.random.Generator) -> None:
        """Mix Dirichlet noise over the legal moves into the priors of the roots."""
        drawn = lot.gamma(alpha, 1.0, self._priors[:, 0].shape) * self._legal[:, 0]
        noise = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-12)
        self._priors[:, 0] = (1 - share) * self._priors[:, 0] + share * noise

    def policies(self) -> Floats:
        """How often each action of the roots was visited, as shares; without search, the priors."""
        for number in range(1, self._simulations + 1):
            self._simulate(number)
        found = self._visits[:, 0] if self._simulations else self._priors[:, 0]
        return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12))

    def _simulate(self, number: int) -> None:
        """Go down to a leaf in each tree, evaluate the new ones, and add what they are worth."""
        path, last = self._descend(number)
        values = self._values[np.arange(len(last)), last]
        for games, nodes, chosen in path:
            self._visits[games, nodes, chosen] += 1
            self._sums[games, nodes, chosen] += values[games]

    def _descend(self, number: int) -> tuple[list[tuple[Indices, Indices, Indices]], Indices]:
        """The steps of all paths, level by level, and the node at the end of each."""
        path, last = [], np.zeros(len(self._positions), np.int64)
        games = np.flatnonzero(~self._ends[:, 0])
        while len(games):
            nodes = last[games]
            chosen = self._scores(games, nodes).argmax(axis=1)
            path.append((games, nodes, chosen))
            new = self._children[games, nodes, chosen] == 0
            self._expand(games[new], nodes[new], chosen[new], number)
            last[games] = self._children[games, nodes, chosen]
            games = games[~new & ~self._ends[games, last[games]]]
        return path, last

    def _scores(self, games: Indices, nodes: Indices) -> Floats:
        """PUCT: the mean value, and a bonus for likely actions that were rarely visited.

        An action that was never visited has the value of the position.
        """
        visits, sums = self._visits[games, nodes], self._sums[games, nodes]
        means = np.where(visits > 0, sums / np.maximum(visits, 1), self._values[games, nodes, None])
        total = np.sqrt(visits.sum(axis=1, keepdims=True) + 1)
        bonus = EXPLORATION * self._priors[games, nodes] * total / (1 + visits)
        scores = self._signs[games, nodes, None] * means + bonus
        return np.where(self._legal[games, nodes], scores, -np.inf)

    def _expand(self, games: Indices, nodes: Indices, chosen: Indices, number: int) -> None:
        """Add the positions that these actions lead to as node `number`."""
        if len(games):
            parents, actions = self._positions[games, nodes], self._actions[chosen].tolist()
            leaves = [
                position.after(position.move_at(action))
                for position, action in zip(parents, actions, strict=True)
            ]
            self._children[games, nodes, chosen] = number
            self._add(games, number, leaves)

    def _add(self, games: Indices, node: int, positions: Sequence[Position]) -> None:
        """Evaluate positions together; an end is worth its result, not what the network says."""
        batch = self._game.batch(len(positions), positions=positions)
        priors, values = self._evaluate(batch)
        signs = np.where(batch.to_move == 1, -1, 1).astype(np.float32)
        self._positions[games, node] = positions
        self._ends[games, node], self._signs[games, node] = batch.done, signs
        self._legal[games, node] = batch.mask[:, self._actions]
        self._priors[games, node] = priors
        self._values[games, node] = np.where(batch.done, batch.rewards[:, 0], signs * values)

"""Self-play games of an engine, with its evaluation of every position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from spielleiter.datasets.samples import Sample
from spielleiter.errors import UsageError
from spielleiter.game import Engine, Game, Position, Report, certain_end

_METHODS = {"alphabeta": "Engine", "mcts": "Mcts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPlayGames:
    """How games are played; the same settings and seed give the same games."""

    game: Game
    options: Mapping[str, str] = field(default_factory=dict)
    method: str | None = None
    """`alphabeta` or `mcts`; None: the first that the game has."""
    nodes: int = 1000
    """Nodes (or simulations) for each move."""
    lines: int = 8
    """How many moves the policy covers."""
    random_plies: int = 4
    """A game begins with so many random moves, which are no samples."""
    temperature: float = 0.25
    """How much worse moves are still played, and how likely the policy calls them: a move has the
    odds of its chance of winning to the power of 1 / temperature."""
    seed: int = 0

    def play(self, games: int) -> Iterator[Sample]:
        """The samples of so many games, one game after the other."""
        engine = self._engine()
        for number in range(games):
            yield from self._game(engine, number)

    def _engine(self) -> Engine:
        for method in (self.method,) if self.method else tuple(_METHODS):
            found = getattr(self.game.native, _METHODS[method], None)
            if found is not None:
                made: Engine = found(seed=self.seed)
                return made
        raise UsageError(f"{self.game.name} has no {self.method or 'engine'}")

    def _game(self, engine: Engine, number: int) -> list[Sample]:
        lot = np.random.default_rng((self.seed, number))
        position = self.game.start(self.seed + number, **self.options)
        self._open(position, lot)
        engine.forget()
        samples = []
        while position.outcome() is None and position.legal_moves():
            samples.append(self._sample(engine, position, number, lot))
            position.play(position.move_at(samples[-1].action))
        return [sample.ended(position.outcome()) for sample in samples]

    def _open(self, position: Position, lot: np.random.Generator) -> None:
        for _ in range(self.random_plies):
            move = position.random_move(int(lot.integers(2**63)))
            if move is not None and position.after(move).outcome() is None:
                position.play(move)

    def _sample(
        self, engine: Engine, position: Position, number: int, lot: np.random.Generator
    ) -> Sample:
        report = self._searched(engine, position)
        policy = self._policy(position, report)
        action = int(lot.choice(list(policy), p=list(policy.values())))
        value = 2 * chance_of(report.score) - 1
        return Sample(number, position.copy(), action, policy, value)

    def _searched(self, engine: Engine, position: Position) -> Report:
        return engine.search(position, nodes=self.nodes, lines=self.lines)

    def _policy(self, position: Position, report: Report) -> dict[int, float]:
        odds = np.array([chance_of(line.score) for line in report.lines])
        odds = np.maximum(odds, 1e-6) ** (1 / self.temperature)
        shares = odds / odds.sum()
        return {
            position.action(line.move): float(share)
            for line, share in zip(report.lines, shares, strict=True)
        }


def chance_of(score: int) -> float:
    """The chance of winning that a score means."""
    if end := certain_end(score):
        return float(end.won)
    return float(1 / (1 + 10 ** (-score / 400)))

"""AlphaZero on the Reversi board of 6 × 6: a network and a search that teach each other.

    python examples/learning/alphazero.py --rounds 20 --out alphazero.svg

Needs spielleiter[train]. Each round plays many games against itself at once (`tree.py` searches
them together, the network evaluates all leaves in one batch, on the GPU if there is one). Then the
network learns where the search looked and how the games ended.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from curve import draw
from torch import Tensor, nn
from torch.nn import functional
from tree import Floats, Trees

from spielleiter import bots, games
from spielleiter.game import Batch, Clock, Position

GAME, MAP, SIDE, STRIDE = games.load("reversi"), "p2_06x06_classic", 6, 15
ACTIONS = np.array([STRIDE * y + x for y in range(SIDE) for x in range(SIDE)], np.int32)
"""The actions of this board among those of the largest one, row by row."""
PLANES = (0, 1, 5)
"""The mover's stones, the other's, the legal moves."""
ALPHA, NOISE = 1.0, 0.25
"""How uneven the noise at the roots is (about 10 / number of moves), and its share."""
OPENING = 10
"""So many plies are drawn by visits; later ones are the most visited."""
REMEMBERED, SAMPLES, RATE, DECAY = 6, 256, 2e-3, 1e-4
Choose = Callable[[Sequence[Position]], "np.ndarray[tuple[int], np.dtype[np.int32]]"]
"""An action for each position."""


class Residual(nn.Module):
    """Two convolutions, whose result is added to what they saw."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, seen: Tensor) -> Tensor:
        return functional.relu(seen + self.layers(seen))


class Network(nn.Module):
    """Planes → a number for each cell (the policy's logits) and the value for the mover."""

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(len(PLANES), width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            *(Residual(width) for _ in range(blocks)),
        )
        self.policy = nn.Sequential(nn.Conv2d(width, 1, 1), nn.Flatten())
        self.value = nn.Sequential(
            nn.Conv2d(width, 4, 1),
            nn.Flatten(),
            nn.ReLU(),
            nn.Linear(4 * SIDE * SIDE, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
            nn.Tanh(),
        )

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Illegal cells get −1e9: after softmax they are 0, and nothing is learnt from them."""
        hidden = self.body(planes)
        legal = planes[:, -1].flatten(1) > 0
        return self.policy(hidden).masked_fill(~legal, -1e9), self.value(hidden)[:, 0]


class Player:
    """A network on its device, as the search and the measurement ask it."""

    def __init__(self, network: Network, device: torch.device) -> None:
        self.network, self.device = network.to(device).eval(), device

    def evaluate(self, batch: Batch) -> tuple[Floats, Floats]:
        """Priors and values of all games of a batch; those of ended games mean nothing."""
        with torch.inference_mode():
            logits, values = self.network(self.tensor(shown(batch)))
            return logits.softmax(1).cpu().numpy(), values.cpu().numpy()

    def tensor(self, numbers: np.ndarray) -> Tensor:
        return torch.from_numpy(numbers).to(self.device, torch.float32)

    def trees(self, roots: Sequence[Position], simulations: int) -> Trees:
        return Trees(GAME, ACTIONS, roots, self.evaluate, simulations)

    def best(self, simulations: int) -> Choose:
        """The most visited action after so many simulations; after none, the likeliest."""
        return lambda roots: ACTIONS[self.trees(roots, simulations).policies().argmax(axis=1)]


def shown(batch: Batch) -> np.ndarray:
    """What the network sees of each game, from the view of who is to move."""
    return np.ascontiguousarray(batch.planes[:, PLANES, :SIDE, :SIDE])


@dataclass(frozen=True)
class Samples:
    """Positions, where the search looked, and how the game ended for who was to move."""

    planes: np.ndarray
    policies: Floats
    values: Floats

    @classmethod
    def joined(cls, parts: Sequence[Samples]) -> Samples:
        columns = zip(*((part.planes, part.policies, part.values) for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def self_play(player: Player, count: int, simulations: int, lot: np.random.Generator) -> Samples:
    """Play games against itself; each ply of each game gives a sample."""
    batch, plies = GAME.batch(count, map=MAP), []
    while not batch.done.all():
        open_games = np.flatnonzero(~batch.done)
        trees = player.trees([batch[int(game)] for game in open_games], simulations)
        trees.add_noise(ALPHA, NOISE, lot)
        policies = trees.policies()
        seats = batch.to_move[open_games]
        plies.append((open_games, seats, shown(batch)[open_games], policies))
        actions = np.zeros(count, np.int32)
        actions[open_games] = ACTIONS[drawn(policies, len(plies) <= OPENING, lot)]
        batch.step(actions, ~batch.done)
    return Samples.joined(
        [Samples(planes, wanted, batch.rewards[at, seats]) for at, seats, planes, wanted in plies]
    )


def drawn(policies: Floats, by_lot: bool, lot: np.random.Generator) -> np.ndarray:
    """One action of each row: the largest, or by lot.

    Of exponential waiting times with these rates the shortest is each one's with its share.
    """
    if not by_lot:
        return np.asarray(policies.argmax(axis=1))
    waits = lot.exponential(size=policies.shape) / np.maximum(policies, 1e-12)
    return np.asarray(waits.argmin(axis=1))


def learn(
    player: Player, optimiser: torch.optim.Optimizer, samples: Samples, steps: int, seed: int
) -> tuple[float, float]:
    """Steps of descent on random samples, turned and mirrored; the mean losses."""
    player.network.train()
    lot, losses = np.random.default_rng(seed), np.zeros(2)
    for _ in range(steps):
        at = lot.integers(len(samples.values), size=SAMPLES)
        board = player.tensor(samples.policies[at].reshape(-1, 1, SIDE, SIDE))
        both = torch.cat([player.tensor(samples.planes[at]), board], 1)
        both = turned(both, int(lot.integers(8)))
        logits, values = player.network(both[:, :-1])
        policy = -(both[:, -1].flatten(1) * logits.log_softmax(1)).sum(1).mean()
        value = functional.mse_loss(values, player.tensor(samples.values[at]))
        optimiser.zero_grad()
        (policy + value).backward()
        optimiser.step()
        losses += policy.item(), value.item()
    player.network.eval()
    return losses[0] / steps, losses[1] / steps


def turned(boards: Tensor, symmetry: int) -> Tensor:
    """One of the eight symmetries of the square: quarter turns, then perhaps a mirror."""
    boards = boards.rot90(symmetry % 4, (2, 3))
    return boards.flip(3) if symmetry >= 4 else boards


def by_bot(name: str, seed: int) -> Choose:
    """A player of Spielleiter, as `spielleiter match` names it."""
    bot, clock = bots.factory(name)(seed), Clock(nodes=100_000)

    def choose(roots: Sequence[Position]) -> np.ndarray:
        moves = [bot.choose(position.copy(), clock) for position in roots]
        return np.array([p.action(m) for p, m in zip(roots, moves, strict=True)], np.int32)

    return choose


def points(ours: Choose, theirs: Choose, count: int) -> float:
    """Points won, in percent; each side begins every other game. A draw is half a point."""
    batch, seats = GAME.batch(count, map=MAP), np.arange(count) % 2
    while not batch.done.all():
        actions, our_turn = np.zeros(count, np.int32), batch.to_move == seats
        for choose, where in ((ours, our_turn), (theirs, ~our_turn & ~batch.done)):
            if where.any():
                actions[where] = choose([batch[int(game)] for game in np.flatnonzero(where)])
        batch.step(actions, ~batch.done)
    return float(50 + 50 * batch.rewards[np.arange(count), seats].mean())


@dataclass
class Curve:
    """What is measured while learning, by name."""

    player: Player
    simulations: int
    measured: int
    opponent: str

    def __post_init__(self) -> None:
        self.lines: dict[str, list[tuple[float, float]]] = {}

    def measure(self, played: int) -> str:
        """Measure all pairings; the same opponents' seeds each time."""
        network, search = self.player.best(0), self.player.best(self.simulations)
        self._add("network against random", played, network, "random")
        self._add("search against random", played, search, "random")
        self._add(f"search against {self.opponent}", played, search, self.opponent)
        return ", ".join(f"{name} {line[-1][1]:.1f} %" for name, line in self.lines.items())

    def _add(self, name: str, played: int, ours: Choose, theirs: str) -> None:
        won = points(ours, by_bot(theirs, seed=1), self.measured)
        self.lines.setdefault(name, []).append((float(played), won))


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--games", type=int, default=64, help="games of a round, played together")
    parser.add_argument("--simulations", type=int, default=48, help="for each move")
    parser.add_argument("--steps", type=int, default=100, help="of descent in each round")
    parser.add_argument("--width", type=int, default=32, help="planes of a convolution")
    parser.add_argument("--blocks", type=int, default=2, help="residual blocks")
    parser.add_argument("--measured", type=int, default=60, help="games of each measurement")
    parser.add_argument("--opponent", default="best:level=3", help="the stronger one of two")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1, help="of torch on the processor")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="where the network goes, for torch.load")
    parser.add_argument("--out", type=Path, default=Path("alphazero.svg"))
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> dict[str, float]:
    given = arguments(words)
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    lot = np.random.default_rng(given.seed)
    player = Player(Network(given.width, given.blocks), torch.device(given.device))
    optimiser = torch.optim.AdamW(player.network.parameters(), lr=RATE, weight_decay=DECAY)
    curve = Curve(player, given.simulations, given.measured, given.opponent)
    began, memory = time.perf_counter(), deque[Samples](maxlen=REMEMBERED)
    print(f"{given.device}: {curve.measure(0)}", flush=True)
    for number in range(1, given.rounds + 1):
        memory.append(self_play(player, given.games, given.simulations, lot))
        policy, value = learn(player, optimiser, Samples.joined(memory), given.steps, number)
        spent = f"{time.perf_counter() - began:.0f} s"
        print(f"{spent}: {number * given.games} games, losses {policy:.3f} {value:.3f}", flush=True)
        if number % max(1, given.rounds // 10) == 0:
            print(f"  {curve.measure(number * given.games)}", flush=True)
    draw(given.out, f"AlphaZero, Reversi {SIDE} × {SIDE}", curve.lines, "games")
    if given.save:
        torch.save(player.network.state_dict(), given.save)
    return {name: line[-1][1] for name, line in curve.lines.items()}


if __name__ == "__main__":
    main()

"""AlphaZero on the Reversi board of 6 × 6: self-play, a small network, tree search, in one file.

    python examples/learning/alphazero.py --rounds 8 --out alphazero.svg

Needs spielleiter[train]; it learns on a GPU where there is one. All games of a round run side by
side: in every step each of them walks down its own tree to a leaf, and one call of the network
judges all leaves. The player is measured against random moves, with and without search.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from curve import draw
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from spielleiter import games

SIDE, STRIDE = 6, 15
CELLS = np.array([STRIDE * y + x for y in range(SIDE) for x in range(SIDE)])
"""The actions of this board among those of the largest one."""
NUMBER = {int(action): at for at, action in enumerate(CELLS)}
MAP = "p2_06x06_classic"
Floats = NDArray[np.float32]


# ------------------------------------------------------------------------------------ the network


class Network(nn.Module):
    """Stones of either side and legal moves → logits of the cells, and who will win."""

    def __init__(self, width: int = 32, blocks: int = 2) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(blocks))
        self.policy = nn.Conv2d(width, 1, 1)
        self.value = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        hidden = functional.relu(self.first(planes))
        for block in self.blocks:
            hidden = functional.relu(hidden + block(hidden))
        return self.policy(hidden).flatten(1), self.value(hidden.mean((2, 3)))[:, 0]


@dataclass
class Judge:
    """The network on its device, for positions in a row."""

    network: Network
    device: torch.device

    def judge(self, planes: Floats) -> tuple[Floats, Floats]:
        """Chances of the legal moves, and values for the seat to move."""
        with torch.no_grad():
            seen = torch.from_numpy(planes).to(self.device)
            logits, values = self.network(seen)
            logits = logits.masked_fill(seen[:, 2].flatten(1) == 0, -1e9)
            return logits.softmax(1).cpu().numpy(), values.cpu().numpy()


def planes_of(position: Any) -> Floats:
    return position.observe()[[0, 1, 5], :SIDE, :SIDE].astype(np.float32)


# --------------------------------------------------------------------------------- tree search


@dataclass
class Node:
    """A position, what was found out about its moves, and the positions they lead to."""

    position: Any
    moves: list[int] = field(default_factory=list)
    priors: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    visits: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    sums: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    children: dict[int, Node] = field(default_factory=dict)

    @property
    def seat(self) -> int:
        return int(self.position.to_move())

    def grow(self, chances: Floats) -> None:
        """The network has judged the position: its moves can be tried."""
        self.moves = [self.position.action(move) for move in self.position.legal_moves()]
        self.priors = chances[[NUMBER[action] for action in self.moves]]
        self.visits = np.zeros(len(self.moves), np.int64)
        self.sums = np.zeros(len(self.moves), np.float32)

    def select(self) -> int:
        """The move that PUCT prefers."""
        total = self.visits.sum()
        means = self.sums / np.maximum(self.visits, 1)
        bonus = 1.5 * self.priors * np.sqrt(total + 1) / (1 + self.visits)
        return int(np.argmax(means + bonus))

    def child(self, at: int) -> Node:
        if at not in self.children:
            move = self.position.move_at(self.moves[at])
            self.children[at] = Node(self.position.after(move))
        return self.children[at]


Way = list[tuple[Node, int]]


def descend(root: Node) -> tuple[Way, Node]:
    """The way from the root to a leaf that nobody has judged yet, or to the end of a game."""
    path: Way = []
    node = root
    while node.moves:
        at = node.select()
        path.append((node, at))
        node = node.child(at)
    return path, node


def back_up(path: Way, value: float, seat: int) -> None:
    """A value for a seat is its opposite for the other one."""
    for node, at in path:
        node.visits[at] += 1
        node.sums[at] += value if node.seat == seat else -value


def simulate(roots: list[Node], judge: Judge) -> None:
    """One simulation in every tree; all leaves are judged at once."""
    ways = [descend(root) for root in roots]
    open_ways = []
    for path, leaf in ways:
        outcome = leaf.position.outcome()
        if outcome is None:
            open_ways.append((path, leaf))
        else:
            back_up(path, outcome.worth(leaf.seat), leaf.seat)
    if not open_ways:
        return
    judged = judge.judge(np.stack([planes_of(leaf.position) for _, leaf in open_ways]))
    for (path, leaf), chances, value in zip(open_ways, *judged, strict=True):
        leaf.grow(chances)
        back_up(path, float(value), leaf.seat)


def search(roots: list[Node], judge: Judge, simulations: int, noise: float, lot: Any) -> None:
    """Simulations in all trees, with noise at the root so that everything is tried in time."""
    if fresh := [root for root in roots if not root.moves]:
        simulate(fresh, judge)
    for root in roots:
        spread = lot.dirichlet([0.5] * len(root.moves)).astype(np.float32)
        root.priors = (1 - noise) * root.priors + noise * spread
    for _ in range(simulations):
        simulate(roots, judge)


# ------------------------------------------------------------------------------------- self-play


@dataclass
class Example:
    """What the network learns from: a position, what search preferred, and who won."""

    planes: Floats
    policy: Floats
    seat: int
    value: float = 0.0


def self_play(judge: Judge, games_at_once: int, simulations: int, lot: Any) -> list[Example]:
    """Games side by side until all are over."""
    reversi = games.load("reversi")
    roots = [Node(reversi.start(0, map=MAP)) for _ in range(games_at_once)]
    stories: list[list[Example]] = [[] for _ in roots]
    running = list(range(games_at_once))
    while running:
        search([roots[game] for game in running], judge, simulations, 0.25, lot)
        for game in running:
            roots[game] = step(roots[game], stories[game], lot)
        running = [game for game in running if not finish(roots[game], stories[game])]
    return [example for story in stories for example in story]


def step(root: Node, story: list[Example], lot: Any) -> Node:
    """Note what search says, and play: by lot at first, then the most visited move."""
    shares = root.visits / root.visits.sum()
    policy = np.zeros(SIDE * SIDE, np.float32)
    policy[[NUMBER[action] for action in root.moves]] = shares
    story.append(Example(planes_of(root.position), policy, root.seat))
    at = int(lot.choice(len(shares), p=shares)) if len(story) < 12 else int(shares.argmax())
    return root.child(at)


def finish(root: Node, story: list[Example]) -> bool:
    outcome = root.position.outcome()
    if outcome is None:
        return False
    for example in story:
        example.value = outcome.worth(example.seat)
    return True


# -------------------------------------------------------------------------------------- learning


def tensors(examples: list[Example], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    planes = torch.from_numpy(np.stack([each.planes for each in examples]))
    policy = torch.from_numpy(np.stack([each.policy for each in examples]))
    value = torch.tensor([each.value for each in examples], dtype=torch.float32)
    return planes.to(device), policy.to(device), value.to(device)


def turned(planes: Tensor, policy: Tensor, symmetry: int) -> tuple[Tensor, Tensor]:
    """One of the eight symmetries of the board."""
    board = policy.view(-1, 1, SIDE, SIDE)
    both = torch.cat((planes, board), 1)
    both = torch.rot90(both, symmetry % 4, (2, 3))
    both = both.flip(3) if symmetry >= 4 else both
    return both[:, :3], both[:, 3].flatten(1)


def learn(
    judge: Judge, optimiser: torch.optim.Optimizer, examples: list[Example], epochs: int
) -> float:
    """Cross entropy of the policy and squared error of the value; gives the last loss."""
    planes, policy, value = tensors(examples, judge.device)
    loss = torch.zeros(())
    for _ in range(epochs):
        for at in torch.randperm(len(value), device=judge.device).split(128):
            seen, wanted = turned(planes[at], policy[at], int(torch.randint(8, ())))
            logits, said = judge.network(seen)
            loss = functional.cross_entropy(logits, wanted)
            loss = loss + functional.mse_loss(said, value[at])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return loss.item()


# ------------------------------------------------------------------------------------- measuring


def points(judge: Judge, count: int, simulations: int, lot: Any) -> float:
    """Points against random moves, in percent: half of the games with the first move."""
    reversi = games.load("reversi")
    positions = [reversi.start(0, map=MAP) for _ in range(count)]
    running = list(range(count))
    while running:
        ours = [game for game in running if positions[game].to_move() == game % 2]
        for game, action in zip(
            ours, chosen(positions, ours, judge, simulations, lot), strict=True
        ):
            positions[game].play(positions[game].move_at(action))
        for game in set(running) - set(ours):
            positions[game].play(positions[game].random_move(int(lot.integers(2**63))))
        running = [game for game in running if positions[game].outcome() is None]
    won = [positions[game].outcome().worth(game % 2) for game in range(count)]
    return float(50 + 50 * np.mean(won))


def chosen(
    positions: list[Any], ours: list[int], judge: Judge, simulations: int, lot: Any
) -> list[int]:
    """The most visited moves; without simulations those that the network likes best."""
    if not ours:
        return []
    if simulations:
        roots = [Node(positions[game].copy()) for game in ours]
        search(roots, judge, simulations, 0.0, lot)
        return [root.moves[int(root.visits.argmax())] for root in roots]
    chances, _ = judge.judge(np.stack([planes_of(positions[game]) for game in ours]))
    return [int(CELLS[int(row.argmax())]) for row in chances]


def main(words: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--games", type=int, default=48, help="games of a round, side by side")
    parser.add_argument("--simulations", type=int, default=24, help="of each move")
    parser.add_argument("--measured", type=int, default=100, help="games of each measurement")
    parser.add_argument("--out", type=Path, default=Path("alphazero.svg"))
    given = parser.parse_args(words)
    torch.manual_seed(1)
    lot = np.random.default_rng(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    judge = Judge(Network().to(device), device)
    optimiser = torch.optim.Adam(judge.network.parameters(), lr=2e-3, weight_decay=1e-4)
    memory: list[list[Example]] = []
    curves: dict[str, list[tuple[float, float]]] = {"network alone": [], "with search": []}
    for number in range(given.rounds + 1):
        if number:
            memory = [*memory[-3:], self_play(judge, given.games, given.simulations, lot)]
            learn(judge, optimiser, [each for part in memory for each in part], epochs=4)
        for name, simulations in zip(curves, (0, given.simulations), strict=True):
            won = points(judge, given.measured, simulations, lot)
            curves[name].append((number * given.games, won))
            print(f"{number * given.games} games, {name}: {won:.1f} %", flush=True)
    draw(given.out, "AlphaZero, Reversi 6 × 6, against random moves", curves, "games of self-play")
    return curves["with search"][-1][1]


if __name__ == "__main__":
    main()

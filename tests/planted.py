"""Games of strong players in which one move was replaced by a losing one, and what a review says.

    python -m tests.planted EDITION [--first SEED] [--count N] [--nodes N]

prints a line for each game and the figures in the end. A game is played twice: once by the engine
with itself, then from a turn drawn by lot on with the first losing move that is found. Losing is
what a search with many more nodes than a player's calls so, before and after.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spielleiter import games
from spielleiter.game import Engine, Game, Move, Position
from spielleiter.match import GameRecord
from spielleiter.match.record import RecordBuilder
from spielleiter.review import GameReview, review_game
from spielleiter.review.chances import chance
from spielleiter.review.evaluator import ENGINES, engines

NAMES = ("Ada", "Bo", "Cy", "Di")
HELD, LOST = 0.45, 0.2
"""Before the planted move the game is held, after it lost."""
BLAMED = 0.25
"""No move before the planted one may be said to give away so much."""
_TRIED, _GLANCE = 60, 10
"""Moves of a position that are looked at, at first with such a part of the judge's nodes."""
_VARIED, _LINES, _EQUAL = 12, 3, 0.04
"""In so many plies any of so many moves is played that give away at most so much."""
_SPAN = (0.15, 0.75)
"""The part of the game in which the move is replaced."""


@dataclass(frozen=True)
class Strength:
    """Nodes of a player's search, and of the search that says what loses."""

    player: int
    judge: int


STRONG = {"alphabeta": Strength(100_000, 200_000), "mcts": Strength(1_000, 2_000)}
QUICK = {"alphabeta": Strength(3_000, 12_000), "mcts": Strength(60, 300)}


@dataclass(frozen=True)
class Planted:
    """A game with the turn whose move was replaced; 0: none was found."""

    game: Game
    record: GameRecord
    turn: int
    seed: int

    def found(self, review: GameReview) -> bool:
        """Whether the planted move is among the first three turning points."""
        return self.turn in [each.turn for each in review.turning_points[:3]]

    def blamed(self, review: GameReview) -> bool:
        """Whether an earlier move is blamed for a quarter of the chances."""
        return any(each.loss >= BLAMED and each.turn < self.turn for each in review.turns)


@functools.cache
def planted_game(
    edition: str, seed: int, *, strong: bool = True, plant: bool = True, map_name: str = ""
) -> Planted:
    """The game of a seed, on a map if the game has maps; the same every time."""
    game = games.load(edition)
    start = game.start(seed, map=map_name) if map_name else game.start(seed)
    return _Planter(game, start, seed, strong).game(plant)


def planted_games(
    edition: str, count: int, *, strong: bool = True, first: int = 0, map_name: str = ""
) -> list[Planted]:
    """The first games in which a move was replaced."""
    made = (
        planted_game(edition, seed, strong=strong, map_name=map_name)
        for seed in itertools.count(first)
    )
    return list(itertools.islice((each for each in made if each.turn), count))


@dataclass
class Tally:
    """What reviews said of planted games."""

    games: int = 0
    named: int = 0
    blamed: int = 0

    def add(self, one: Planted, review: GameReview) -> None:
        """Count a game and print a line about it."""
        self.games += 1
        self.named += one.found(review)
        self.blamed += one.blamed(review)
        print(json.dumps(_told(one, review)), flush=True)


def judged(edition: str, count: int, *, first: int = 0, map_name: str = "") -> Tally:
    """Plant so many games and review them."""
    tally = Tally()
    for one in planted_games(edition, count, first=first, map_name=map_name):
        tally.add(one, review_game(one.record, one.game))
    return tally


class _Planter:
    def __init__(self, game: Game, start: Position, seed: int, strong: bool) -> None:
        self._game, self._start, self._seed = game, start, seed
        self._lot = random.Random(seed)
        engine = engines(start)[0]
        self._strength = (STRONG if strong else QUICK)[engine]
        made = getattr(game.native, ENGINES[engine])
        self._players: list[Engine] = [
            made(table=16, seed=seed + seat) for seat in range(start.seats)
        ]
        self._judge: Engine = made(table=32, seed=seed + 99)

    def game(self, plant: bool) -> Planted:
        """Played, and played again with another move."""
        moves = list(self._played(self._start.copy()))
        if not plant:
            return Planted(self._game, self._record(moves), 0, self._seed)
        low, high = (int(share * len(moves)) for share in _SPAN)
        since = self._lot.randrange(low, high)
        position = self._start.copy()
        for move in moves[:since]:
            position.play(move)
        for at in range(since, high):
            losing = self._losing(position, moves[at])
            if losing is not None:
                position.play(losing)
                further = [*moves[:at], losing, *self._played(position)]
                return Planted(self._game, self._record(further), at + 1, self._seed)
            position.play(moves[at])
        return Planted(self._game, self._record(moves), 0, self._seed)

    def _played(self, position: Position) -> Iterator[Move]:
        while position.outcome() is None:
            move = self._choice(position)
            yield move
            position.play(move)

    def _choice(self, position: Position) -> Move:
        """The best move; at first any that is as good, so that games differ."""
        player, nodes = self._players[position.to_move()], self._strength.player
        if position.ply >= _VARIED:
            return player.search(position, nodes=nodes).best
        lines = player.search(position, nodes=_LINES * nodes, lines=_LINES).lines
        least = chance(lines[0].score) - _EQUAL
        return self._lot.choice([each.move for each in lines if chance(each.score) >= least])

    def _losing(self, position: Position, best: Move) -> Move | None:
        """Any move that loses a game which the best one holds."""
        if position.seats > 2:
            return self._losing_of_several(position)
        judge = self._strength.judge
        if self._kept(position, best, judge) < HELD:
            return None
        moves = [each for each in position.legal_moves() if each != best]
        self._lot.shuffle(moves)
        glance = [(self._kept(position, each, judge // _GLANCE), each) for each in moves[:_TRIED]]
        bad = (move for kept, move in glance if kept <= LOST)
        return next((move for move in bad if self._kept(position, move, judge) <= LOST), None)

    def _losing_of_several(self, position: Position) -> Move | None:
        """With more seats the position's own lines say what its moves are worth."""
        count = len(position.legal_moves())
        nodes = self._strength.judge * count
        lines = self._judge.search(position, nodes=nodes, lines=count).lines
        losing = [each.move for each in lines if chance(each.score) <= LOST]
        return self._lot.choice(losing) if losing and chance(lines[0].score) >= HELD else None

    def _kept(self, position: Position, move: Move, nodes: int) -> float:
        """The chance of the seat to move after a move of it; a move that ends the game is none."""
        after = position.after(move)
        if after.outcome() is not None:
            return 1.0
        score = self._judge.search(after, nodes=nodes).score
        return chance(score) if after.to_move() == position.to_move() else 1 - chance(score)

    def _record(self, moves: Iterable[Move]) -> GameRecord:
        position = self._start.copy()
        builder = RecordBuilder(position.copy(), NAMES[: position.seats])
        for move in moves:
            builder.played(position.to_move(), move.text())
            position.play(move)
        outcome = position.outcome()
        assert outcome is not None
        builder.ended(outcome)
        return builder.record()


# ------------------------------------------------------------------------------------------ figures


def main() -> None:
    """Review games one after the other and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("edition")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--quick", action="store_true", help="players that search little")
    parser.add_argument("--map", default="")
    options = parser.parse_args()
    tally = Tally()
    for seed in range(options.first, options.first + options.count):
        one = planted_game(options.edition, seed, strong=not options.quick, map_name=options.map)
        if one.turn:
            tally.add(one, review_game(one.record, one.game, options.nodes))
    print(f"{options.edition}: {tally}")


def _told(one: Planted, review: GameReview) -> dict[str, object]:
    points = [(each.turn, each.loss) for each in review.turning_points[:4]]
    early = [(each.turn, each.loss) for each in review.turning_points if each.turn < one.turn]
    return {
        "edition": review.edition,
        "seats": review.seats,
        "seed": one.seed,
        "turn": one.turn,
        "of": len(review.turns),
        "points": points,
        "before": early[:2],
        "named": one.found(review),
        "blamed": one.blamed(review),
    }


if __name__ == "__main__":
    main()

"""One setting of an engine at tables full of another, on several maps, seats rotated, fixed nodes.

    python -m benchmarks.strength.several reversi --map p3_09x09_hexagon,p3_15x15_open \\
        --games 60 --nodes 20000 --first '{}' --others '{"style": "maxn"}'

The same arguments give the same games on every machine. The result is a line of JSON: how often the
first setting was first or shared the first rank, against the share that equals would have.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from spielleiter import games
from spielleiter.cli._options import EXTRA, set_up
from spielleiter.game import Game


@dataclass(slots=True)
class Tally:
    """How the first setting fared."""

    games: int = 0
    won: int = 0
    """Alone on the first rank."""
    shared: int = 0
    """Among the first."""
    points: float = 0.0
    """A first rank shared by n counts 1/n."""
    expected: float = 0.0
    """The points of somebody as good as the others."""

    def add(self, winners: tuple[int, ...], seat: int, seats: int) -> None:
        """One game more."""
        self.games += 1
        self.won += winners == (seat,)
        self.shared += seat in winners and len(winners) > 1
        self.points += (seat in winners) / len(winners)
        self.expected += 1 / seats


def opening(game: Game, options: dict[str, str], lot: random.Random, plies: int) -> Any:
    """A position after random moves that is not over yet."""
    while True:
        position = game.start(lot.randrange(2**32), **options)
        for _ in range(plies):
            if position.legal_moves():
                position.play(lot.choice(position.legal_moves()))
        if position.legal_moves():
            return position


def play(position: Any, engines: list[Any], seat: int, limits: list[dict[str, Any]]) -> Any:
    """The outcome with the first engine on `seat` and the second one on all others."""
    for engine in engines:
        engine.forget()
    while position.outcome() is None:
        which = int(position.to_move() != seat)
        position.play(engines[which].search(position, **limits[which]).best)
    return position.outcome()


@click.command(context_settings=EXTRA)
@click.argument("name", metavar="GAME")
@click.option("--games", "count", type=int, default=40, show_default=True)
@click.option("--nodes", type=int, default=10_000, show_default=True)
@click.option("--others-nodes", type=int, help="If the others get another number.")
@click.option("--time", type=float, help="Seconds for a move instead of nodes.")
@click.option("--others-depth", type=int, help="Plies for the others instead of nodes or time.")
@click.option("--first", default="{}", help="Options of the first engine, JSON.")
@click.option("--others", default="{}", help="Options of the others' engine, JSON.")
@click.option("--plies", type=int, default=6, show_default=True, help="Random plies to begin.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
@click.pass_context
def command(
    context: click.Context,
    name: str,
    count: int,
    nodes: int,
    others_nodes: int | None,
    time: float | None,
    others_depth: int | None,
    first: str,
    others: str,
    plies: int,
    seed: int,
    store: Path | None,
) -> None:
    """Play the games and say how the first setting fared; set-ups are given as in `play`."""
    game = games.load(name)
    options = {key: value.split(",") for key, value in set_up(game, context.args).items()}
    engines = [game.native.Engine(**{"table": 8, **json.loads(text)}) for text in (first, others)]
    limit: dict[str, Any] = {"nodes": nodes} if time is None else {"time": time}
    second = limit if others_nodes is None else {"nodes": others_nodes}
    limits = [limit, second if others_depth is None else {"depth": others_depth}]
    tally, wide = Tally(), max((len(values) for values in options.values()), default=1)
    for number in range(count):
        chosen = {key: values[number % len(values)] for key, values in options.items()}
        position = opening(game, chosen, random.Random(f"{seed}/{number // wide}"), plies)
        seat = number // wide % position.seats
        tally.add(play(position, engines, seat, limits).winners, seat, position.seats)
    share = (tally.won + tally.shared) / tally.games
    result = {
        "game": name,
        "first": json.loads(first),
        "others": json.loads(others),
        "limits": limits,
        **options,
        "plies": plies,
        "seed": seed,
        **{key: round(value, 2) for key, value in asdict(tally).items()},
        "share_first": round(share, 3),
        "error": round(1.96 * math.sqrt(share * (1 - share) / tally.games), 3),
    }
    click.echo(json.dumps(result))
    if store is not None:
        with store.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    command()

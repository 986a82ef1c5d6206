"""One setting of an engine at tables full of another, on several maps, seats rotated.

    python -m benchmarks.strength.multi_player reversi --map p3_09x09_hexagon,p3_15x15_open \\
        --games 60 --nodes 20000 --first '{}' --others '{"style": "maxn"}'
    python -m benchmarks.strength.multi_player reversi --positions FILE --time 0.1 \\
        --client good,squares

With fixed nodes the same arguments give the same games on every machine. With --client the others
are students' clients (`course.cpp`) that have the same time for each move; of several kinds each
seat gets one by lot. The result is a line of JSON: how often the first setting was first or shared
the first rank, against the share that equals would have.
"""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.course import KINDS, Client, built
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

    def told(self) -> dict[str, float]:
        """The counts, and the share of first ranks with its error (95 %)."""
        share = (self.won + self.shared) / max(1, self.games)
        return {
            **{key: round(value, 2) for key, value in asdict(self).items()},
            "share_first": round(share, 3),
            "error": round(1.96 * math.sqrt(share * (1 - share) / max(1, self.games)), 3),
        }


def opening(game: Game, text: str, options: dict[str, str], lot: random.Random, plies: int) -> Any:
    """A position after random moves that is not over yet for anybody."""
    while True:
        position = game.parse(text) if text else game.start(lot.randrange(2**32), **options)
        for _ in range(plies):
            if position.legal_moves():
                position.play(lot.choice(position.legal_moves()))
        if position.legal_moves() and all_alive(game, position):
            return position


def all_alive(game: Game, position: Any) -> bool:
    """In Reversi whoever has no stone left never comes back."""
    return game.name != "reversi" or 0 not in position.scores()


class Ours:
    """An engine with a limit for each move."""

    def __init__(self, game: Game, options: str, limit: dict[str, Any]) -> None:
        self._engine = game.native.Engine(**{"table": 8, **json.loads(options)})
        self._limit = limit
        self.nodes = 0
        self.seconds = 0.0

    def fresh(self) -> None:
        self._engine.forget()

    def choose(self, position: Any) -> Any:
        report = self._engine.search(position, **self._limit)
        self.nodes += report.nodes
        self.seconds += report.seconds
        return report.best


class Theirs:
    """A student's client, with seconds for each move."""

    def __init__(self, client: Client, seconds: float) -> None:
        self._client = client
        self._seconds = seconds

    @property
    def nodes(self) -> int:
        return self._client.nodes

    @property
    def seconds(self) -> float:
        return self._client.seconds

    def fresh(self) -> None:
        """It remembers nothing from move to move."""

    def choose(self, position: Any) -> Any:
        return self._client.choose(position, self._seconds)


@contextmanager
def students(kinds: list[str], program: Path | None, seconds: float) -> Iterator[list[Theirs]]:
    """Clients that run for a while; they are built first, unless they are given."""
    with tempfile.TemporaryDirectory() as folder:
        path = program.resolve() if program else built(folder)
        clients = [Client(path, kind) for kind in kinds]
        try:
            yield [Theirs(client, seconds) for client in clients]
        finally:
            for client in clients:
                client.close()


def play(position: Any, seated: list[Ours | Theirs]) -> Any:
    """The outcome with a player for each seat."""
    for player in seated:
        player.fresh()
    while position.outcome() is None:
        position.play(seated[position.to_move()].choose(position))
    return position.outcome()


def speed(players: Sequence[Ours | Theirs]) -> int:
    """Nodes a second, all of them together."""
    seconds = sum(player.seconds for player in players)
    return round(sum(player.nodes for player in players) / max(1e-9, seconds))


def client_kinds(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """Names divided by commas, each of a kind that there is."""
    kinds = value.split(",") if value else []
    for unknown in set(kinds) - set(KINDS):
        raise click.BadParameter(f"no kind {unknown}; there are {', '.join(KINDS)}")
    return kinds


@click.command(context_settings={**EXTRA, **HELP})
@click.argument("name", metavar="GAME")
@click.option("--games", "count", type=int, default=40, show_default=True)
@click.option("--nodes", type=int, default=10_000, show_default=True)
@click.option("--others-nodes", type=int, help="If the others get another number.")
@click.option("--time", type=float, help="Seconds for a move instead of nodes.")
@click.option("--others-depth", type=int, help="Plies for the others instead of nodes or time.")
@click.option("--first", default="{}", help="Options of the first engine, JSON.")
@click.option("--others", default="{}", help="Options of the others' engine, JSON.")
@click.option("--client", callback=client_kinds, help="The others are students', of these kinds.")
@click.option("--program", type=click.Path(path_type=Path), help="Their client, if it is built.")
@click.option("--positions", type=click.Path(path_type=Path), help="Maps as positions, one a line.")
@click.option("--limit", type=float, default=math.inf, help="Begin no game after so many seconds.")
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
    client: list[str],
    program: Path | None,
    positions: Path | None,
    limit: float,
    plies: int,
    seed: int,
    store: Path | None,
) -> None:
    """Play the games and say how the first setting fared; set-ups are given as in `play`."""
    game = games.load(name)
    options = {key: value.split(",") for key, value in set_up(game, context.args).items()}
    texts = positions.read_text(encoding="utf-8").splitlines() if positions else [""]
    limits = limits_of(nodes, others_nodes, time, others_depth)
    with ExitStack() as stack:
        us = Ours(game, first, limits[0])
        them: Sequence[Ours | Theirs] = [Ours(game, others, limits[1])]
        if client:
            them = stack.enter_context(students(client, program, time or 0.1))
        tally = Tally()
        wide = max(len(texts), *(len(values) for values in options.values()), 1)
        until = perf_counter() + limit
        for number in range(count):
            if perf_counter() > until:
                break
            lot = random.Random(f"{seed}/{number // wide}")
            chosen = {key: values[number % len(values)] for key, values in options.items()}
            position = opening(game, texts[number % len(texts)], chosen, lot, plies)
            seat = (number + number // wide) % position.seats
            seated: list[Ours | Theirs] = [lot.choice(them) for _ in range(position.seats)]
            seated[seat] = us
            tally.add(play(position, seated).winners, seat, position.seats)
        speeds = [speed([us]), speed(them)]
    result = {
        "game": name,
        "first": json.loads(first),
        "others": {"client": ",".join(client)} if client else json.loads(others),
        "limits": limits,
        **options,
        **({"maps": len(texts)} if positions else {}),
        "plies": plies,
        "seed": seed,
        **tally.told(),
        **({} if time is None else {"nodes_a_second": speeds}),
    }
    click.echo(json.dumps(result))
    task_pool.keep(store, [result])


def limits_of(
    nodes: int, others_nodes: int | None, time: float | None, others_depth: int | None
) -> list[dict[str, Any]]:
    """The limits of the first engine and of the others."""
    first: dict[str, Any] = {"nodes": nodes} if time is None else {"time": time}
    if others_depth is not None:
        return [first, {"depth": others_depth}]
    return [first, first if others_nodes is None else {"nodes": others_nodes}]


if __name__ == "__main__":
    command()

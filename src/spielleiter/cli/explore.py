"""`spielleiter explore STORE …`: moves played from a position, with frequencies and results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._progress import Progress
from spielleiter.errors import UsageError
from spielleiter.explorer import ExplorerIndex, PlayedMove
from spielleiter.game import Game, Position
from spielleiter.match import GameRecord
from spielleiter.review import Evaluator, Value
from spielleiter.service.recorded_games import recorded_games


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, required=True, metavar="STORE|FILE …")
@click.option("--position", metavar="TEXT", help="From here.  [default: where most games begin]")
@click.option(
    "--moves", default="", metavar="MOVES", help="After these moves, with commas between."
)
@click.option("--player", help="Only games of this player.")
@click.option("--nodes", default=2_000, show_default=True, help="Nodes of the engine; 0: none.")
@click.option(
    "--index",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the index of the games there: the next time only new games are read.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    sources: tuple[str, ...],
    position: str | None,
    moves: str,
    player: str | None,
    nodes: int,
    file: Path | None,
    as_json: bool,
) -> None:
    """Show which moves were played from a position.

    SOURCEs are stores and replay files. Rotated and mirrored positions count as one.
    """
    first = next((game.record for each in sources for game in recorded_games(each)), None)
    if first is None:
        raise UsageError("there are no games in it")
    edition = first.game(games.load_recorded)
    start = edition.parse(first.opened.position if position is None else position)
    for move in filter(None, map(str.strip, moves.split(","))):
        start.play(move)
    with ExplorerIndex(file, edition) as index:
        index.add(_records(sources, edition))
        found = index.played(start, player)
        known = index.games_with(start)
    values = _values(start, edition, nodes)
    click.echo(_as_json(start, found, values, known) if as_json else _table(found, values, known))


def _records(sources: tuple[str, ...], edition: Game) -> Iterator[tuple[str, GameRecord]]:
    with Progress() as progress:
        for source in sources:
            for number, game in enumerate(recorded_games(source)):
                if game.record.opened.edition == edition.name:
                    said = f"{source}: {number} games"
                    progress.show(partial(str, said))
                    yield f"{source} {game.key}", game.record


def _values(position: Position, game: Game, nodes: int) -> dict[str, Value]:
    """The engine's value of every move."""
    if not nodes or position.outcome() is not None:
        return {}
    lines = len(position.legal_moves())
    evaluator = Evaluator(position, game, max(nodes, lines))
    return {each.best.text(): each for each in evaluator.lines(position, lines) if each.best}


def _table(found: list[PlayedMove], values: dict[str, Value], known: list[str]) -> str:
    if not found:
        return "nobody has played on from here"
    rows = [f"{'move':<24}{'games':>8}{'score':>9}{'engine':>9}"]
    for each in found:
        texts = [move.text() for move in each.moves]
        value = next((values[text] for text in texts if text in values), None)
        engine = "" if value is None else f"{100 * value.chance:.0f} %"
        rows.append(f"{'='.join(texts):<24}{each.games:>8}{100 * each.share:>7.1f} %{engine:>9}")
    return "\n".join([*rows, "", f"for example {', '.join(known[:3])}"])


def _as_json(
    position: Position, found: list[PlayedMove], values: dict[str, Value], known: list[str]
) -> str:
    moves = [
        {
            "moves": [move.text() for move in each.moves],
            "games": each.games,
            "score": round(each.share, 4),
            "chance": next(
                (values[m.text()].chance for m in each.moves if m.text() in values), None
            ),
        }
        for each in found
    ]
    return json.dumps({"position": position.text(), "moves": moves, "games": known})

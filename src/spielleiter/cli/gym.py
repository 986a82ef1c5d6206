"""`spielleiter gym`: positions with known best moves, for any bot."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._options import GameName, PlayerName, seed_option
from spielleiter.cli._programs import program_options
from spielleiter.cli._progress import Progress
from spielleiter.cli._runner import Seconds, cores
from spielleiter.errors import UsageError
from spielleiter.game import Game, Position
from spielleiter.gym import GymPosition, GymSet, shipped
from spielleiter.gym.mining import Miner, positions_of, self_play
from spielleiter.gym.trial import BOT, OTHERS, ask, junit, plain, solved_before, table
from spielleiter.programs.players import Players, match_limits
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.service.recorded_games import recorded_games


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Try a bot in positions whose best moves are known."""


@command.command()
@click.argument("bot", type=PlayerName())
@click.option("--game", type=GameName(), help="The set that comes with this game.")
@click.option(
    "--set",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A set of your own.",
)
@click.option("--time", "per_move", type=Seconds(), help="Time for each position.")
@click.option("--nodes", type=click.IntRange(1), help="Nodes for each position: repeatable.")
@click.option("--difficulty", type=click.IntRange(1, 5), help="Only these.")
@click.option(
    "--concurrency", type=click.IntRange(1), help="Positions at a time.  [default: cores]"
)
@click.option("--junit", "xml", type=click.Path(dir_okay=False, path_type=Path), help="Write XML.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; keep it to compare.")
@click.option(
    "--compare",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier --json.",
)
@program_options
def run(
    bot: str,
    game: str | None,
    file: Path | None,
    per_move: float | None,
    nodes: int | None,
    difficulty: int | None,
    concurrency: int | None,
    xml: Path | None,
    as_json: bool,
    compare: Path | None,
    programs: ProgramOptions,
) -> None:
    """Ask BOT for a move in every position, and show how many it solves.

    BOT is any player of a match: a built-in player, a file, a program, a ZIP, an engine.
    """
    edition, chosen = _positions(game, file, difficulty)
    others: dict[str, str | None] = dict.fromkeys(OTHERS, "random")
    limits = match_limits([bot], per_move, nodes, None)
    players = Players(
        edition.name,
        edition.authority,
        {BOT: bot, **others},
        limits,
        programs.setting([bot]),
        tuple(each.position for each in chosen),
    )
    found = ask(players, edition, chosen, concurrency or cores())
    before = None if compare is None else solved_before(compare.read_text("utf-8"))
    if xml is not None:
        xml.write_bytes(junit(found, edition.name, bot))
    told = plain(found, edition.name, bot)
    click.echo(json.dumps(told) if as_json else table(found, before))


def _positions(
    game: str | None, file: Path | None, difficulty: int | None
) -> tuple[Game, tuple[GymPosition, ...]]:
    if file is None and game is None:
        raise UsageError("name a --game or a --set")
    known = GymSet.parse(file.read_text("utf-8")) if file else shipped(games.load(str(game)))
    edition = games.load(known.game)
    known.check(edition)
    chosen = tuple(each for each in known.positions if difficulty in (None, each.difficulty))
    if not chosen:
        raise UsageError("there is no such position in this set")
    return edition, chosen


@command.command()
@click.argument("sources", nargs=-1, metavar="[STORE|FILE …]")
@click.option("--game", type=GameName(), help="Play games of this edition and look at those.")
@click.option("--count", type=click.IntRange(1), default=100, show_default=True, help="How many.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
@seed_option
def mine(sources: tuple[str, ...], game: str | None, count: int, output: Path, seed: int) -> None:
    """Look for positions whose best move is clear, and prove it.

    They come from the games of a match or contest, or from replays; without any, from self-play.
    """
    edition, found = _candidates(sources, game, seed)
    miner: Miner | None = None
    kept: dict[int, GymPosition] = {}
    with Progress() as progress:
        for looked_at, (source, position) in enumerate(found):
            miner = miner or Miner(position, edition)
            if position.key() not in kept:
                task = miner.task(position, f"{edition.name} {len(kept) + 1}", source)
                if task is not None:
                    kept[position.key()] = task
            progress.show(lambda: f"{len(kept)} of {count} found, {looked_at + 1} looked at")  # noqa: B023
            if len(kept) >= count:
                break
    output.write_text(GymSet(edition.name, tuple(kept.values())).text(), "utf-8")
    click.echo(f"wrote {output}: {len(kept)} positions", err=True)
    sys.exit(0 if len(kept) else 1)


def _candidates(
    sources: tuple[str, ...], game: str | None, seed: int
) -> tuple[Game, Iterator[tuple[str, Position]]]:
    if not sources:
        if game is None:
            raise UsageError("name games to look at, or a --game to be played")
        edition = games.load(game)
        return edition, self_play(edition, random.Random(seed))
    records = [each for source in sources for each in recorded_games(source)]
    editions = {each.record.opened.edition for each in records}
    if len(editions) != 1:
        raise UsageError(f"these games are of {', '.join(sorted(editions)) or 'no edition'}")
    edition = records[0].record.game(games.load_recorded)
    return edition, positions_of(((each.key, each.record) for each in records), edition)

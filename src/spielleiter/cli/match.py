"""`spielleiter match A B`: which player is stronger, and how sure is that?"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._failures import FAILED, Failures, failures
from spielleiter.cli._options import (
    EXTRA,
    GameName,
    PlayerName,
    authority_option,
    check_seats,
    parted,
    seed_option,
)
from spielleiter.cli._options import set_up as set_up_of
from spielleiter.cli._programs import profile_option, program_options
from spielleiter.cli._progress import Progress, bar
from spielleiter.cli._repeats import repeats
from spielleiter.cli._runner import RunnerOptions, Seconds, runner_options
from spielleiter.game import Authority
from spielleiter.programs.match_store import (
    default_store,
    match_settings,
    open_match_store,
    store_files,
)
from spielleiter.programs.players import Players, match_limits, named_players
from spielleiter.programs.program_options import ProgramOptions, sandbox_line
from spielleiter.programs.result_store import play_rest, results_in
from spielleiter.programs.settings import Isolation
from spielleiter.store import Store, StoreAddress
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.head_to_head import HeadToHead, games_in_blocks
from spielleiter.tournament.match_report import progress_line, report_json, report_lines
from spielleiter.tournament.pairing import GameResult, Options
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.sprt import Sprt


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@click.argument("players", nargs=-1, required=True, type=PlayerName(), metavar="A B …")
@click.option("--game", required=True, type=GameName(), help="The edition to play.")
@click.option("--games", "count", type=click.IntRange(1), help="How many games.  [default: 100]")
@click.option("--sprt", metavar="ELO0,ELO1", help="Play until it is decided which is true.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Risk of a wrong H1.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Risk of a wrong H0.")
@runner_options
@click.option(
    "--time",
    "per_move",
    type=Seconds(),
    help="Time per move.  [default: 100ms for built-in players, else 2s]",
)
@click.option("--nodes", type=click.IntRange(1), help="Nodes per move, for repeatable matches.")
@click.option("--patience", type=Seconds(), help="How long to wait for a silent player.")
@program_options
@click.option("--store", "where", metavar="FILE", help="Where games are stored and continued.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
@profile_option
@click.option(
    "--ignore-failures", is_flag=True, help="End with status 0 even if a player failed, not with 1."
)
@seed_option
@authority_option
@click.pass_context
def command(
    ctx: click.Context,
    players: tuple[str, ...],
    game: str,
    count: int | None,
    sprt: str | None,
    alpha: float,
    beta: float,
    runner: RunnerOptions,
    per_move: float | None,
    nodes: int | None,
    patience: float | None,
    programs: ProgramOptions,
    where: str | None,
    as_json: bool,
    profile: Path | None,
    ignore_failures: bool,
    seed: int,
    authority: Authority,
) -> None:
    """Let players meet, and say which is stronger.

    They play in blocks: one opening, every seat for everybody. A player is a built-in one
    (`greedy`), a Python file (`mybot.py`, `mybot.py:Class`), both with options (`name:key=value`),
    or a program: a command with {host}, {port} and {reservation} in it, a .jar, a start script, a
    contest ZIP, an external engine (`ugi:COMMAND`, `gtp:COMMAND`, `nboard:COMMAND`), or `outside`,
    somebody who connects. Stop whenever you like: the same command continues where it was.
    """
    players, extra = parted(players, tuple(ctx.args))
    edition = games.load(game, authority)
    set_up: Options = tuple(sorted(set_up_of(edition, extra).items()))
    check_seats(edition.start(seed, **dict(set_up)).seats, players)
    named = named_players(players)
    test = None if sprt is None else Sprt.parse(sprt, alpha, beta)
    total = games_in_blocks(count, test, len(players))
    schedule = HeadToHead(tuple(named), seed, total, test, (set_up,))
    setting = replace(programs.setting(list(players)), hidden=store_files(where), profile=profile)
    limits = match_limits(players, per_move, nodes, patience)
    seated = Players(game, authority, named, limits, setting)
    if not as_json:
        click.echo(sandbox_line(setting, seated.isolation), err=True)
    if seated.isolation is Isolation.SEPARATE:
        seated.try_out()
    settings = match_settings(seated, schedule)
    where = where or default_store(settings)
    store = open_match_store(where, settings)
    known = _played(runner.runner(seated, None), schedule, store, where, as_json)
    lines = report_lines(schedule, known)
    click.echo(report_json(schedule, known) if as_json else "\n".join(lines))
    failed = failures(known)
    if failed is not None and not ignore_failures:
        click.echo(failed, err=True)
        sys.exit(FAILED)


def _played(
    runner: Runner | RayRunner, schedule: HeadToHead, store: Store, where: str, silent: bool
) -> dict[str, GameResult]:
    """Play what is left, and show how it goes."""
    known = results_in(store)
    progress, failed = Progress(silent=silent), Failures(store, StoreAddress.of(where), known)
    began, first = time.monotonic(), len(known)

    def line() -> str:
        speed = (len(known) - first) / max(time.monotonic() - began, 0.001)
        return f"{progress_line(schedule, known, bar)}  {speed:.1f} games/s"

    with closing(store), progress.until_stopped():
        for _ in play_rest(schedule, runner, store, known):
            failed.look(known)
            progress.show(line)
        if note := repeats(store, known):
            click.echo(note, err=True)
    return known

"""`spielleiter contest new|check|run|status|table|verify FILE`: a whole contest from one file.

What the jury decides is in `_jury.py`, the rehearsal in `_rehearsal.py`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._entrants import ready_players
from spielleiter.cli._jury import COMMANDS
from spielleiter.cli._options import seal_option
from spielleiter.cli._programs import program_options
from spielleiter.cli._progress import Progress
from spielleiter.cli._rehearsal import rehearse
from spielleiter.cli._runner import RunnerOptions, runner_options
from spielleiter.errors import StoreError, UsageError
from spielleiter.programs import contest_store
from spielleiter.programs.contest_store import contest_state, state_in
from spielleiter.programs.entrants import players_of
from spielleiter.programs.players import fingerprint
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.programs.result_store import GAME, play_rest
from spielleiter.tournament import formats, text_tables
from spielleiter.tournament.live_games import LiveGamesWriter, live_file_of
from spielleiter.tournament.template import contest_template

file_argument = click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Run a contest of a file: league, cup, or a whole season."""


@command.command()
@file_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(formats.names()),
    default="league",
    show_default=True,
    help="The contest format.",
)
def new(file: Path, form: str) -> None:
    """Write a small contest to FILE, to be changed."""
    if file.exists():
        raise UsageError(f"{file} exists already")
    file.write_text(contest_template(str(file), file.stem, games.names()[-1], form), "utf-8")
    click.echo(f"{file} is ready: change it, then run: spielleiter contest run {file}")


@command.command()
@file_argument
@program_options
def check(file: Path, programs: ProgramOptions) -> None:
    """Let every player of the contest in FILE make a move."""
    ready_players(file, programs, checked=True)


@command.command("run")
@file_argument
@runner_options
@program_options
@click.option(
    "--skip-check", is_flag=True, help="Begin anyway: players that fail lose their games."
)
def run_contest(
    file: Path, runner: RunnerOptions, programs: ProgramOptions, skip_check: bool
) -> None:
    """Play what is left of the contest in FILE, then show its tables.

    Before the first game every player is started, as `contest check` does.
    """
    definition, players = ready_players(file, programs, checked=not skip_check)
    prints = {name: text and fingerprint(text) for name, text in players.players.items()}
    definition, store = contest_store.begin(file, prints)
    with closing(store):
        state = state_in(store)
        schedule, known = definition.schedule(state), state.results
        progress = Progress()
        playing = runner.runner(players, definition.concurrency)
        live = LiveGamesWriter(live_file_of(file), players.game, players.start, time.monotonic)
        with progress.until_stopped(), live:
            for _ in play_rest(schedule, playing, store, known, state.times_played, live):
                progress.show(lambda: text_tables.progress_line(schedule, known))
        contest_store.record_lots(store, schedule.standings(known))
    _print(text_tables.contest_lines(definition, state))


@command.command()
@file_argument
def status(file: Path) -> None:
    """Show the progress of the contest in FILE."""
    definition, state = contest_state(file)
    _print(text_tables.status_lines(definition.schedule(state), state.results))


@command.command()
@file_argument
@click.option("--json", "as_json", is_flag=True, help="The tables as JSON.")
@click.option("--ratings", is_flag=True, help="Also Elo ratings from all games.")
def table(file: Path, as_json: bool, ratings: bool) -> None:
    """Show the current tables of the contest in FILE."""
    definition, state = contest_state(file)
    if as_json:
        standings = definition.schedule(state).standings(state.results)
        tables = map(text_tables.standings_data, standings)
        click.echo(json.dumps(list(tables), indent=2, ensure_ascii=False))
        return
    _print(text_tables.contest_lines(definition, state))
    if ratings:
        _print(text_tables.rating_lines(state.results))


@command.command()
@file_argument
@seal_option
def verify(file: Path, seal: str | None) -> None:
    """Find changed entries and illegal games of the contest."""
    definition, opened = contest_store.opened_for_reading(file)
    with closing(opened) as store:
        start = players_of(definition, file).start
        wrong = list(store.check_seal(seal)) if seal else []
        wrong += contest_store.wrong_entries(store, definition, start)
        entries, now = sum(1 for _ in store.read(GAME)), store.seal
    for line in wrong:
        click.echo(line, err=True)
    if wrong:
        raise StoreError(f"{file}: {len(wrong)} of {entries} games or entries are wrong")
    click.echo(f"{entries} games verified: rules, openings, schedule. Seal: {now}")


def _print(lines: Iterable[str]) -> None:
    click.echo("\n".join(lines))


for each in (*COMMANDS, rehearse):
    command.add_command(each)

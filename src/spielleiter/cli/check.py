"""`spielleiter check BOT`: is it ready for the contest?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from spielleiter.cli._options import GameName
from spielleiter.cli._programs import profile_option
from spielleiter.client.finding import Finding, Severity
from spielleiter.handin.checklist import HandIn, check, profiled_player
from spielleiter.handin.target import named
from spielleiter.handin.trial import TrialGame
from spielleiter.programs.games_store import GamesStore, check_store
from spielleiter.programs.profile_game import profile_game
from spielleiter.sandbox import Level, probe

_COLOURS = {Severity.FINE: "green", Severity.NOTE: "yellow", Severity.PROBLEM: "red"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("bot", metavar="BOT")
@click.option("--game", type=GameName(), help="The edition; a project names it itself.")
@click.option("--main", metavar="FILE", help="The main file of a ZIP, if that is not start.sh.")
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Pack a project with packages from the wheels in this folder, as `pack` does.",
)
@click.option(
    "--for",
    "target",
    metavar="TARGET",
    help="The target, as for `pack`.  [default: as the bot says]",
)
@click.option(
    "--sandbox",
    "level",
    type=click.Choice([level.text for level in Level]),
    help="Run the bot in a sandbox, for bots of others.",
)
@click.option("--static", is_flag=True, help="Only inspect the files; start nothing.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
@click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where its games are kept, in a new file.  [default: matches/check-BOT.db, replaced]",
)
@profile_option
def command(
    bot: str,
    game: str | None,
    main: str | None,
    wheels: Path | None,
    target: str | None,
    level: str | None,
    static: bool,
    as_json: bool,
    store: Path | None,
    profile: Path | None,
) -> None:
    """Check whether BOT is ready to be handed in.

    BOT is a project's folder, a contest ZIP, a .py, a .jar, a start script or another program, a
    built-in player, or a command with {host}, {port} and {reservation} in it. `check` inspects the
    ZIP, plays two games against random moves, runs the strict server, and measures start, time and
    memory. The exit status is 0 if the bot is ready, otherwise 1.
    """
    found: list[Finding] = []

    def report(finding: Finding) -> None:
        found.append(finding)
        if not as_json:
            _show(finding)

    goal = None if target is None else named(target)
    box = None if level is None else probe().box(Level.named(level))
    courses: list[TrialGame] = []
    checked = check(
        HandIn(bot, game, main, goal, box),
        report,
        wheels=wheels,
        static=static,
        keep=courses.append,
    )
    if courses:
        _keep(bot, courses, store)
    ready = not any(each.severity is Severity.PROBLEM for each in found)
    if profile is not None:
        with profiled_player(HandIn(bot, game, main, goal), wheels) as (edition, player):
            profile_game(edition, player, profile)
        click.echo(f"wrote {profile}", err=True)
    click.echo(_as_json(checked, ready, found) if as_json else _verdict(found))
    raise SystemExit(0 if ready else 1)


def _keep(bot: str, courses: list[TrialGame], where: Path | None) -> None:
    """Store the finished games, and print where."""
    name = Path(bot).name or bot
    with GamesStore(where or check_store(bot), replace=where is None) as store:
        for course in courses:
            players = [name, "opponent"] if course.scenario.seat == 0 else ["opponent", name]
            key, said = f"check/{course.scenario.name}", course.program.said
            store.keep(key, players, course.events, course.scenario.seat, said)
        if store.games:
            click.echo(f"{store.games} games: spielleiter records {store.file}", err=True)


def _show(finding: Finding) -> None:
    kind = click.style(f"{finding.severity.value:8}", fg=_COLOURS[finding.severity])
    click.echo(f"{kind}{finding.about}: {finding.text}")
    if finding.advice:
        click.echo(f"{'':8}→ {finding.advice}")


def _verdict(found: list[Finding]) -> str:
    problems = sum(each.severity is Severity.PROBLEM for each in found)
    if not problems:
        return click.style("\nREADY", fg="green", bold=True)
    count = "one problem" if problems == 1 else f"{problems} problems"
    return click.style(f"\nNOT READY: {count}", fg="red", bold=True)


def _as_json(bot: str, ready: bool, found: list[Finding]) -> str:
    data = {"bot": bot, "ready": ready, "findings": [each.as_json() for each in found]}
    return json.dumps(data, indent=2, ensure_ascii=False)

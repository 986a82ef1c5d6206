"""`spielleiter contest new|run|status|table|verify FILE`: a whole contest from one file."""

from __future__ import annotations

import functools
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from spielleiter import bots, games
from spielleiter.cli._progress import Progress
from spielleiter.cli._tables import GAME, Where, played, run, where_options
from spielleiter.cli._tables import verify as verify_games
from spielleiter.errors import StoreError, UsageError
from spielleiter.programs.players import Players, fingerprint
from spielleiter.programs.program import is_file
from spielleiter.programs.sandboxing import Wanted, program_options
from spielleiter.programs.sandboxing import said as said_of
from spielleiter.store import Entry, Store, open_store
from spielleiter.tournament import formats
from spielleiter.tournament.definition import Definition, changes, read
from spielleiter.tournament.pairing import Played, Result
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.record import from_text
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings, Value

CONTEST, PLAYERS, LOT = "contest", "players", "lot"
_TEMPLATE = """\
# A contest. Run it with: spielleiter contest run {file}
# It can be stopped at any time and goes on where it was.

[contest]
name = "{name}"
game = "{game}"
format = "{format}"{space}# {formats}
seed = 1                # whatever is drawn by lot comes from here
games = 6               # per encounter, first move alternating
{ranking}
[limits]
time = "2s"             # per move; or nodes = 1000, for results that can be repeated

# [sandbox]             # for players of strangers
# minimum = "isolated"  # nothing is played if they cannot be held as tightly as that
{settings}
[[team]]
name = "Red"
player = "greedy"       # built-in, a Python file, a program, a ZIP; none: games are lost

[[team]]
name = "Blue"
player = "random"

[[team]]
name = "Green"
player = "random"

[[team]]
name = "Yellow"
player = "random"
"""

_RANKING = """\
# ranking = "site"      # encounters first, as the contest's site has it, not as the document
"""

file_argument = click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Run a contest that a file describes: league, cup, or a whole season."""


@command.command()
@file_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(formats.names()),
    default="league",
    show_default=True,
    help="Who meets whom.",
)
def new(file: Path, form: str) -> None:
    """Write a small contest to FILE, to be changed."""
    if file.exists():
        raise UsageError(f"{file} exists already")
    chosen = formats.load(form)
    text = _TEMPLATE.format(
        file=file,
        name=file.stem,
        game=games.names()[-1],
        format=form,
        space=" " * max(1, 14 - len(form)),
        formats=", ".join(formats.names()),
        ranking=_RANKING if chosen.ranks_teams else "",
        settings="\n" + chosen.template if chosen.template else "",
    )
    file.write_text(text, "utf-8")
    click.echo(f"{file} is ready: change it, then run: spielleiter contest run {file}")


@command.command("run")
@file_argument
@where_options
@program_options
def run_contest(file: Path, place: Where, programs: Wanted) -> None:
    """Play what is left of the contest in FILE, then show its tables."""
    definition, store = _opened(file, writing=True)
    schedule, players = definition.schedule(), _held(definition, file, programs)
    with closing(store):
        known = played(store)
        progress = Progress()
        runner = place.hire(players, definition.concurrency)
        try:
            for _ in run(schedule, runner, store, known):
                progress.show(functools.partial(_progress, schedule, known))
        except KeyboardInterrupt:
            progress.end()
            click.echo("Stopped. The same command goes on from here.", err=True)
            sys.exit(130)
        progress.end()
        _record_lots(store, schedule.standings(known))
    _print_tables(definition, known)


@command.command()
@file_argument
def status(file: Path) -> None:
    """How far the contest in FILE is."""
    definition, known = _known(file)
    schedule = definition.schedule()
    for line in _status(schedule, known):
        click.echo(line)


@command.command()
@file_argument
@click.option("--json", "as_json", is_flag=True, help="The tables as JSON.")
@click.option("--ratings", is_flag=True, help="Also Elo ratings from all games.")
def table(file: Path, as_json: bool, ratings: bool) -> None:
    """The tables of the contest in FILE as they stand."""
    definition, known = _known(file)
    schedule = definition.schedule()
    if as_json:
        tables = [_plain(each) for each in schedule.standings(known)]
        click.echo(json.dumps(tables, indent=2, ensure_ascii=False))
        return
    _print_tables(definition, known)
    if ratings:
        _print_ratings(known)


@command.command()
@file_argument
def verify(file: Path) -> None:
    """Play every game of the contest in FILE again by the rules; find whatever was changed."""
    definition, opened = opened_for_reading(file)
    with closing(opened) as store:
        wrong = list(_wrong(store, definition, file))
        entries, seal = sum(1 for _ in store.read(GAME)), store.seal
    for line in wrong:
        click.echo(line, err=True)
    if wrong:
        raise StoreError(f"{file}: {len(wrong)} of {entries} games or entries are wrong")
    click.echo(f"{entries} games verified: rules, openings, schedule. Seal: {seal}")


# ------------------------------------------------------------------------------------------ opening


def read_file(file: Path) -> Definition:
    """The contest that a file describes."""
    try:
        return read(file.read_text("utf-8"), games.load)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error


def _players(definition: Definition, file: Path) -> Players:
    """The players; files of theirs are looked for beside the contest's file."""
    texts = {name: text and _beside(file, text) for name, text in definition.players.items()}
    return Players(definition.game, definition.authority, texts, definition.limits)


def _held(definition: Definition, file: Path, programs: Wanted) -> Players:
    """The players, held as the contest and the command line say; the level in force is printed."""
    players = _players(definition, file)
    texts = [text for text in players.players.values() if text]
    setting = programs.setting(texts, definition.sandbox).with_foreign(
        [file, Path(_where(file, definition))]
    )
    players = replace(players, setting=setting)
    click.echo(said_of(setting, players.holding), err=True)
    return players


def _beside(file: Path, text: str) -> str:
    """Files of players are looked for beside the contest's file."""
    path = str(file.parent / text)
    named = "{port}" not in text and (is_file(path) or bots.FILE in text)
    return path if named and not Path(text).is_absolute() else text


def opened_for_reading(file: Path) -> tuple[Definition, Store]:
    """A contest that has begun, and its store."""
    return _opened(file, writing=False)


def opened_if_begun(file: Path) -> tuple[Definition, Store | None]:
    """The contest of a file, and its store unless nothing has been played yet."""
    definition = read_file(file)
    if _exists(_where(file, definition)):
        return opened_for_reading(file)
    definition.check_official()
    return definition, None


def _where(file: Path, definition: Definition) -> str:
    """The store of a contest: beside its file, or where that says."""
    where = definition.store or str(file.with_suffix(".db"))
    return str(file.parent / where) if definition.store and "://" not in where else where


def _exists(where: str) -> bool:
    return "://" in where or Path(where).exists()


def _opened(file: Path, *, writing: bool) -> tuple[Definition, Store]:
    definition = read_file(file)
    where = _where(file, definition)
    if not writing and not _exists(where):
        raise UsageError(f"nothing has been played yet: spielleiter contest run {file}")
    store = open_store(where)
    try:
        definition = _begun(store, definition, where, writing)
        if writing:
            _note_players(store, _players(definition, file))
    except BaseException:
        store.close()
        raise
    return definition, store


def _begun(store: Store, definition: Definition, where: str, writing: bool) -> Definition:
    """The contest as its store began it; a new one begins now."""
    kept = [json.loads(entry.data) for entry in store.read(CONTEST)]
    if not kept and not store.is_empty:
        raise UsageError(f"{where} holds a match, and no contest: name another store")
    if not kept:
        definition.check_official()
        if writing:
            fixed = json.dumps(definition.fixed(), sort_keys=True, ensure_ascii=False)
            store.append([Entry(CONTEST, CONTEST, fixed)])
        return definition
    definition = definition.as_begun(kept[0])
    changed = changes(kept[0], json.loads(json.dumps(definition.fixed())))
    if changed:
        what = ", ".join(changed)
        raise UsageError(f"{where} holds another contest: {what} changed since it began")
    return definition


def _note_players(store: Store, players: Players) -> None:
    """Teams may hand in new players between two runs; who played what is kept."""
    prints = {name: text and fingerprint(text) for name, text in players.players.items()}
    now = json.dumps(prints, sort_keys=True, ensure_ascii=False)
    kept = list(store.read(PLAYERS))
    if not kept or kept[-1].data != now:
        store.append([Entry(PLAYERS, str(len(kept) + 1), now)])


def _known(file: Path) -> tuple[Definition, dict[str, Result]]:
    definition, opened = opened_for_reading(file)
    with closing(opened) as store:
        return definition, played(store)


def _record_lots(store: Store, tables: list[Standings]) -> None:
    kept = {entry.key for entry in store.read(LOT)}
    lots = [lot for each in tables for lot in each.lots]
    entries = [
        Entry(LOT, f"{lot.table}/{'/'.join(sorted(lot.players))}", json.dumps(lot.players))
        for lot in lots
    ]
    store.append([entry for entry in entries if entry.key not in kept])


def _wrong(store: Store, definition: Definition, file: Path) -> Iterator[str]:
    wrong = list(verify_games(store, _players(definition, file).start))
    yield from wrong
    if wrong:
        return  # what was changed cannot tell what should have been played
    records = (from_text(entry.data) for entry in store.read(GAME))
    stored = {record.pairing.key: record.result() for record in records}
    asked = _asked_for(definition.schedule(), stored)
    for key in stored.keys() - asked.keys():
        yield f"{key}: nobody asked for this game"
    kept = {entry.key: entry.data for entry in store.read(LOT)}
    for lot in (lot for each in definition.schedule().standings(asked) for lot in each.lots):
        key = f"{lot.table}/{'/'.join(sorted(lot.players))}"
        if key in kept and kept[key] != json.dumps(lot.players):
            yield f"lot {key}: the seed says otherwise"


def _asked_for(schedule: Schedule, stored: Played) -> dict[str, Result]:
    """The games that the schedule asks for one after the other, with these players and openings."""
    asked: dict[str, Result] = {}
    while True:
        found = {
            each.key: stored[each.key]
            for each in schedule.waiting(asked)
            if each.key in stored and stored[each.key].pairing == each
        }
        if not found:
            return asked
        asked |= found


# ------------------------------------------------------------------------------------------ showing


def _progress(schedule: Schedule, known: Played) -> str:
    waiting = [each.key.partition("/")[0] for each in schedule.waiting(known)]
    stages = ", ".join(f"{name}: {count} to play" for name, count in Counter(waiting).items())
    return f"{len(known)} games played; {stages}"


def _status(schedule: Schedule, known: Played) -> Iterator[str]:
    done = Counter(key.partition("/")[0] for key in known)
    waiting = Counter(each.key.partition("/")[0] for each in schedule.waiting(known))
    for stage in dict.fromkeys((*done, *waiting)):
        left = f"{waiting[stage]} to play" if waiting[stage] else "done"
        yield f"{stage}: {done[stage]} games played, {left}"
    levels = sorted({result.sandbox for result in known.values()})
    yield f"sandbox: {', '.join(levels) or 'none'}"
    yield "finished" if not waiting else "not finished"


def _print_tables(definition: Definition, known: Played) -> None:
    schedule = definition.schedule()
    tables = schedule.standings(known)
    if definition.notice:
        click.echo(f"\n{definition.notice}")
    for each in tables:
        click.echo(f"\n{each.title}" + ("" if each.final else " (not finished)"))
        if each.rule:
            click.echo(each.rule)
        for line in _lines(each):
            click.echo(line)
    if tables and tables[-1].final and schedule.finished(known):
        click.echo(f"\nWinner: {tables[-1].rows[0].player}")


def _lines(table: Standings) -> Iterator[str]:
    """The table as text: what decided a tie stands at the end of the line."""
    width = max(len("team"), *(len(row.player) for row in table.rows))
    heads = "".join(f"  {name:>13}" for name in table.criteria)
    yield f"     {'team':{width}}{heads}  decided by".rstrip()
    for row in table.rows:
        values = "".join(f"  {_number(value):>13}" for value in row.values)
        yield f"{row.rank:3}. {row.player:{width}}{values}  {row.decided}".rstrip()


def _number(value: Value) -> str:
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value)


def _print_ratings(known: Played) -> None:
    click.echo("\nratings (Elo ± 95 %)")
    for place, each in enumerate(rate(known.values()), 1):
        click.echo(f"{place:3}. {each.player}  {each.elo:+.0f} ± {each.margin:.0f}")


def _plain(table: Standings) -> dict[str, Any]:
    rows = [
        {
            "rank": row.rank,
            "team": row.player,
            "values": [float(value) for value in row.values],
            "decided": row.decided,
        }
        for row in table.rows
    ]
    return {
        "title": table.title,
        "criteria": table.criteria,
        "ranking": table.ranking,
        "final": table.final,
        "rows": rows,
    }

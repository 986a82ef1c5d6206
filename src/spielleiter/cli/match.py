"""`spielleiter match A B`: which player is stronger, and how sure is that?"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from spielleiter import bots, games
from spielleiter.cli._failures import FAILED, Failures, failures
from spielleiter.cli._options import EXTRA, GameName, PlayerName, authority_option, seed_option
from spielleiter.cli._options import set_up as set_up_of
from spielleiter.cli._programs import program_options
from spielleiter.cli._progress import Progress, bar
from spielleiter.cli._runner import RunnerOptions, Seconds, runner_options
from spielleiter.errors import UsageError
from spielleiter.game import Authority
from spielleiter.programs.contest_store import play_rest, results_in
from spielleiter.programs.players import Players, fingerprint
from spielleiter.programs.program import is_program, program_name
from spielleiter.programs.program_options import ProgramOptions, sandbox_line
from spielleiter.programs.settings import Isolation
from spielleiter.store import Entry, Store, StoreAddress, open_store
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.estimate import Estimate
from spielleiter.tournament.head_to_head import HeadToHead, Tally, tallies
from spielleiter.tournament.pairing import GameResult, Options, Played
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.sprt import Sprt
from spielleiter.tournament.time_control import TimeControl, time_control

MATCH = "match"
FOLDER = Path("matches")
QUICK = 0.1
"""Seconds per move between built-in players."""


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
@click.option("--patience", type=Seconds(), help="When a silent player is given up.")
@program_options
@click.option("--store", "where", metavar="FILE", help="Where games are kept, and go on from.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
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
    ignore_failures: bool,
    seed: int,
    authority: Authority,
) -> None:
    """Let players meet in blocks: one opening, every seat for everybody.

    A player is a built-in one (`greedy`), a Python file (`mybot.py`, `mybot.py:Class`), either with
    options (`name:key=value`), or a program that speaks the game's protocol: a command with {host},
    {port} and {reservation} in it, a .jar, a start script or a contest ZIP; or `outside`, somebody
    who connects. Stop whenever you like: the same command goes on where it was.
    """
    players, extra = _parted(players, tuple(ctx.args))
    edition = games.load(game, authority)
    set_up: Options = tuple(sorted(set_up_of(edition, extra).items()))
    named = _named(players)
    _check_seats(edition.start(seed, **dict(set_up)).seats, players)
    test = _test(sprt, alpha, beta)
    schedule = HeadToHead(tuple(named), seed, _games(count, test, len(players)), test, (set_up,))
    setting = replace(programs.setting(list(players)), hidden=_kept_at(where))
    spend = _limits(per_move, nodes, patience, players)
    table = Players(game, authority, named, spend, setting)
    if not as_json:
        click.echo(sandbox_line(setting, table.isolation), err=True)
    if table.isolation is Isolation.SEPARATE:
        table.try_out()
    settings = _settings(table, schedule)
    kept_at = where or _usual_place(settings)
    known = _played(
        runner.runner(table, None), schedule, _store(kept_at, settings), kept_at, as_json
    )
    click.echo(_as_json(schedule, known) if as_json else "\n".join(_report(schedule, known)))
    failed = failures(known)
    if failed is not None and not ignore_failures:
        click.echo(failed, err=True)
        sys.exit(FAILED)


def _played(
    runner: Runner | RayRunner, schedule: HeadToHead, store: Store, where: str, silent: bool
) -> dict[str, GameResult]:
    """Play what is left, and show how it goes."""
    known = results_in(store)
    progress, failed = Progress(silent=silent), Failures(store, where, known)
    began, first = time.monotonic(), len(known)

    def line() -> str:
        speed = (len(known) - first) / max(time.monotonic() - began, 0.001)
        return f"{_progress(schedule, known)}  {speed:.1f} games/s"

    try:
        for _ in play_rest(schedule, runner, store, known):
            failed.look(known)
            progress.show(line)
    except KeyboardInterrupt:
        progress.end()
        click.echo("Stopped. The same command goes on from here.", err=True)
        sys.exit(130)
    finally:
        store.close()
    progress.end()
    return known


def _kept_at(where: str | None) -> tuple[Path, ...]:
    """Where games are kept: nothing for players to see."""
    places = [FOLDER] if where is None else [Path(where + end) for end in ("", "-wal", "-shm")]
    return tuple(place for place in places if "://" not in str(place))


def _limits(
    per_move: float | None, nodes: int | None, patience: float | None, players: tuple[str, ...]
) -> TimeControl:
    """Anybody's player expects the contest's time if nothing is said; those of ours are told."""
    built_in = all(player.partition(":")[0] in bots.names() for player in players)
    if per_move is None and nodes is None and built_in:
        per_move = QUICK
    return time_control(per_move, nodes, patience)


def _parted(players: tuple[str, ...], rest: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Players, and set-up options of the game that stand among them."""
    words = [*players, *rest]
    at = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
    return tuple(words[:at]), words[at:]


def _named(players: tuple[str, ...]) -> dict[str, str | None]:
    """Every player by a name of its own: the same one twice gets a number, a command is cut."""
    named: dict[str, str | None] = {}
    for player in players:
        short = program_name(player) if is_program(player) else player
        copies = sum(name.partition(" #")[0] == short for name in named)
        named[f"{short} #{copies + 1}" if copies else short] = player
    return named


def _check_seats(seats: int, players: tuple[str, ...]) -> None:
    if len(players) != seats:
        raise UsageError(f"this set-up has {seats} seats, not {len(players)}: name as many players")


def _test(text: str | None, alpha: float, beta: float) -> Sprt | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--sprt {text}: expected two numbers such as 0,20") from None
    return Sprt(low, high, alpha, beta)


def _games(count: int | None, test: Sprt | None, seats: int) -> int | None:
    """A whole number of blocks."""
    if count is None:
        return None if test is not None else math.ceil(100 / seats) * seats
    if count % seats:
        raise UsageError(f"{count} games cannot be divided into blocks of {seats}")
    return count


def _settings(table: Players, schedule: HeadToHead) -> str:
    """All that makes this match another one than any other."""
    data = {
        "edition": table.edition,
        "authority": table.authority,
        "players": {name: fingerprint(text or "") for name, text in table.players.items()},
        "limits": asdict(table.limits),
        "seed": schedule.seed,
        "set_ups": schedule.set_ups,
    }
    return json.dumps(data, sort_keys=True, ensure_ascii=False)


def _usual_place(settings: str) -> str:
    """Where a match is kept if nothing is said: the same match, the same place."""
    FOLDER.mkdir(exist_ok=True)
    return str(FOLDER / f"{hashlib.sha256(settings.encode()).hexdigest()[:16]}.db")


def _store(where: str, settings: str) -> Store:
    store = open_store(where)
    kept = [entry.data for entry in store.read(MATCH)]
    if store.is_empty:
        store.append([Entry(MATCH, MATCH, settings)])
    elif kept != [settings]:
        store.close()
        what = f"another match: {kept[0]}" if kept else "a contest, and no match"
        raise UsageError(f"{StoreAddress.of(where)} holds {what}")
    return store


# ------------------------------------------------------------------------------------ what is shown


def _progress(schedule: HeadToHead, known: Played) -> str:
    """How far it is: games of all games; a test without a number, between its two verdicts."""
    counted, verdict = len(schedule.counted(known)), schedule.verdict(known)
    parts = [f"{counted} games"]
    if schedule.games is not None:
        parts = [f"{bar(counted / schedule.games)} {counted}/{schedule.games}"]
    elif verdict is not None:
        between = (verdict.llr - verdict.lower) / (verdict.upper - verdict.lower)
        parts = [f"H0 {bar(between)} H1  {counted} games"]
    parts.append(_elo(schedule.estimate(known)))
    if verdict is not None:
        parts.append(f"LLR {verdict.llr:+.2f} ({verdict.lower:.2f} … {verdict.upper:.2f})")
    return "  ".join(parts)


def _elo(found: Estimate) -> str:
    if math.isinf(found.low) or math.isinf(found.high):
        return f"Elo {found.elo:+.1f} ({found.low:+.1f} … {found.high:+.1f})"
    return f"Elo {found.elo:+.1f} ± {(found.high - found.low) / 2:.1f}"


def _report(schedule: HeadToHead, known: Played) -> Iterator[str]:
    counted = schedule.counted(known)
    tally = tallies(schedule.players, counted)
    width = max(len("player"), *map(len, schedule.players))
    yield f"{'player':{width}}  {'wins':>6} {'draws':>6} {'losses':>6}  {'score':>8}  failures"
    for player, each in tally.items():
        yield f"{player:{width}}  {_line(each)}"
    found = schedule.estimate(known)
    yield ""
    blocks = ", ".join(map(str, schedule.histogram(known)))
    yield f"{_elo(found)}, LOS {100 * found.los:.1f} %, {found.blocks} blocks: {blocks}"
    verdict, test = schedule.verdict(known), schedule.test
    if verdict is not None and test is not None:
        sides = {"H0": f"elo ≤ {test.elo0:g}", "H1": f"elo ≥ {test.elo1:g}"}
        said = f"{verdict.accepted} accepted" if verdict.accepted else "undecided"
        meaning = f" ({sides[verdict.accepted]})" if verdict.accepted else ""
        yield f"SPRT {test.elo0:g},{test.elo1:g}: {said}{meaning}, LLR {verdict.llr:.2f}"
    yield f"sandbox: {', '.join(sorted({each.sandbox for each in counted})) or 'none'}"
    yield "thought: " + ", ".join(f"{player} {each.spent:.1f} s" for player, each in tally.items())


def _line(tally: Tally) -> str:
    failures = ", ".join(f"{count} × {kind}" for kind, count in tally.faults) or "none"
    numbers = f"{tally.wins:6} {tally.draws:6} {tally.losses:6}  {float(tally.average):8.2f}"
    return f"{numbers}  {failures}"


def _as_json(schedule: HeadToHead, known: Played) -> str:
    counted, verdict = schedule.counted(known), schedule.verdict(known)
    tally = tallies(schedule.players, counted)
    data: dict[str, Any] = {
        "games": len(counted),
        "players": [
            {**asdict(each), "name": name, "average": float(each.average)}
            for name, each in tally.items()
        ],
        "estimate": _finite(asdict(schedule.estimate(known))),
        "blocks": schedule.histogram(known),
        "sprt": None if verdict is None else asdict(verdict),
        "sandbox": sorted({each.sandbox for each in counted}),
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _finite(data: dict[str, float]) -> dict[str, float | None]:
    """JSON knows no infinity."""
    return {name: value if math.isfinite(value) else None for name, value in data.items()}

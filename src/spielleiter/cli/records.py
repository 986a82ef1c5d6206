"""`spielleiter records STORE`: the games of a match, a contest or a file, listed and exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from spielleiter.errors import UsageError
from spielleiter.service.record_files import write
from spielleiter.service.recorded_games import recorded_games
from spielleiter.tournament.recorded_game import RecordedGame, RecordFilter


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, required=True, metavar="STORE|FILE|FOLDER …")
@click.option("--player", help="Only games of this player; results and faults are then its own.")
@click.option("--opponent", help="Only games against this player.")
@click.option("--seat", type=click.IntRange(1), help="Only where the player had this seat, from 1.")
@click.option("--won", "result", flag_value="won", help="Only won games.")
@click.option("--drawn", "result", flag_value="drawn", help="Only drawn games.")
@click.option("--lost", "result", flag_value="lost", help="Only lost games (of --player).")
@click.option("--failed", "fault", flag_value="", help="Only games in which somebody failed.")
@click.option("--late", "fault", flag_value="late", help="Only games lost on time.")
@click.option("--crashed", "fault", flag_value="crashed", help="Only games in which one crashed.")
@click.option("--fault", help="Only games with this word in a fault, such as illegal.")
@click.option("--opening", help="Only games from this opening: its seed.")
@click.option("--reason", help="Only games with this word in the reason of their end.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each game.")
@click.option("--log", is_flag=True, help="Also what the players printed.")
@click.option(
    "--export", type=click.Path(file_okay=False, path_type=Path), help="Write the games there."
)
def command(
    sources: tuple[str, ...], as_json: bool, log: bool, export: Path | None, **wanted: Any
) -> None:
    """List the games of a match or contest (STORE), of replay files, or of an arena's data folder.

    What is listed can be looked at: `spielleiter show STORE KEY`, `spielleiter review STORE KEY`.
    """
    if wanted["result"] == "lost" and wanted["player"] is None:
        raise UsageError("a game is lost by somebody: say by whom with --player")
    wanted["seat"] = None if wanted["seat"] is None else wanted["seat"] - 1
    chosen = RecordFilter(**wanted)
    for source in sources:
        for game in recorded_games(source):
            if chosen.takes(game):
                _tell(game, as_json, log)
                if export is not None:
                    _export(game, export)


def _tell(game: RecordedGame, as_json: bool, log: bool) -> None:
    if as_json:
        click.echo(json.dumps({**_plain(game), **({"log": game.log} if log else {})}))
        return
    click.echo("  ".join(_columns(game)))
    if log and game.log:
        click.echo(game.log.rstrip())


def _columns(game: RecordedGame) -> Iterator[str]:
    yield f"{game.key:<12}"
    outcome = game.outcome
    ranks = ["?"] * len(game.players) if outcome is None else list(map(str, outcome.ranks))
    yield ", ".join(f"{rank}. {name}" for rank, name in zip(ranks, game.players, strict=True))
    yield "not finished" if outcome is None else outcome.reason
    faults = zip(game.players, game.faults, strict=True)
    yield "; ".join(f"{name} {fault}" for name, fault in faults if fault is not None)


def _plain(game: RecordedGame) -> dict[str, Any]:
    outcome = game.outcome
    return {
        "key": game.key,
        "edition": game.record.opened.edition,
        "players": list(game.players),
        "ranks": None if outcome is None else list(outcome.ranks),
        "scores": None if outcome is None else list(outcome.scores),
        "reason": None if outcome is None else outcome.reason,
        "faults": list(game.faults),
        "spent": list(game.spent),
        "opening": game.opening,
    }


def _export(game: RecordedGame, folder: Path) -> None:
    """Write a game as the servers of its kind do."""
    file = write(game.record)
    if file is None:
        raise UsageError(f"{game.key}: no server writes games of {game.record.opened.edition}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (re.sub(r"[^\w.-]+", "_", game.key.removesuffix(file.suffix)) + file.suffix)
    path.write_bytes(file.content)
    click.echo(f"wrote {path}", err=True)

"""`spielleiter records STORE`: the games of a match, a contest or a file, listed and exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spielleiter import games
from spielleiter.cli._options import shown_command
from spielleiter.errors import UsageError
from spielleiter.service.record_files import write
from spielleiter.service.recorded_games import recorded_games
from spielleiter.tournament.recorded_game import RecordedGame, RecordFilter

_LOST = "lost"
_ORDER = {_LOST: 0, "drawn": 1, "won": 2}


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
    """List the games of a store, of replay files or of an arena.

    STORE is written by `match` and `contest`, FOLDER is the data folder of an arena. Games of
    --player are listed with its result, the lost ones first. Each can be looked at with
    `spielleiter show STORE KEY` and explained by `spielleiter review STORE KEY`.
    """
    if wanted["result"] == "lost" and wanted["player"] is None:
        raise UsageError("a game is lost by somebody: say by whom with --player")
    wanted["seat"] = None if wanted["seat"] is None else wanted["seat"] - 1
    chosen = RecordFilter(**wanted)
    listed: list[_Listed] = []
    for source in sources:
        for game in filter(chosen.takes, recorded_games(source)):
            told = _told(game, chosen.player, as_json, log)
            listed.append(_Listed(chosen.result_of(game), source, game.key, told))
            if export is not None:
                _export(game, export)
    listed.sort(key=_Listed.order if chosen.player else _Listed.place)
    for each in listed:
        click.echo(each.text)
    if listed and listed[0].result == _LOST and chosen.player and not as_json:
        words = ("review", listed[0].source, listed[0].key, "--player", chosen.player)
        click.echo(f"Why was it lost? {shown_command(*words)}", err=True)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A game as it is listed."""

    result: str
    """Of the player that was asked for."""
    source: str
    key: str
    text: str

    def place(self) -> tuple[object, ...]:
        """By the numbers in its key, as people count."""
        parts = re.split(r"(\d+)", self.key)
        return self.source, *((int(each), "") if each.isdigit() else (-1, each) for each in parts)

    def order(self) -> tuple[object, ...]:
        """Lost games first."""
        return _ORDER.get(self.result, len(_ORDER)), *self.place()


def _told(game: RecordedGame, player: str | None, as_json: bool, log: bool) -> str:
    if as_json:
        return json.dumps({**_plain(game), **({"log": game.log} if log else {})})
    line = "  ".join(filter(None, _columns(game, player)))
    return f"{line}\n{game.log.rstrip()}" if log and game.log else line


def _columns(game: RecordedGame, player: str | None) -> Iterator[str]:
    yield f"{game.key:<12}"
    if player is not None:
        yield f"{RecordFilter(player=player).result_of(game):<4}"
    outcome, names = game.outcome, tuple(_names(game))
    if outcome is None:
        yield ", ".join(f"?. {name}" for name in names)
    else:
        told = zip(outcome.ranks, names, outcome.scores, strict=True)
        yield ", ".join(f"{rank}. {name} ({score})" for rank, name, score in told)
    yield "not finished" if outcome is None else outcome.reason
    faults = zip(names, game.faults, strict=True)
    yield "; ".join(f"{name} {fault}" for name, fault in faults if fault is not None)


def _names(game: RecordedGame) -> Iterator[str]:
    """Who played; where a file has no names, the seats."""
    if all(game.players):
        yield from game.players
        return
    seats = game.record.game(games.load_recorded).seat_names
    yield from (name or seat for name, seat in zip(game.players, seats, strict=False))


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

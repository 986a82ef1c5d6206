"""The players of a contest: their files, and whether they can play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from spielleiter import bots
from spielleiter.engines import engine_command, is_engine
from spielleiter.programs.contest_store import store_of
from spielleiter.programs.players import Players
from spielleiter.programs.program import is_apart, is_file, is_outside, is_program, player_files
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.tournament import preflight
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.pairing import Opening, PlayerId
from spielleiter.tournament.time_control import TimeControl

_FIRST_MOVE = 0.1
"""Seconds for the trial move of a built-in player."""


def players_of(definition: Definition, file: Path) -> Players:
    """The players of a contest; their paths are relative to the contest's file."""
    texts = {name: text and _beside(file, text) for name, text in definition.players.items()}
    return Players(definition.game, definition.authority, texts, definition.limits)


def sandboxed_players(definition: Definition, file: Path, options: ProgramOptions) -> Players:
    """The players of a contest, run as its file and the command line say.

    They cannot see the contest's file or its store.
    """
    players = players_of(definition, file)
    texts = [text for text in players.players.values() if text]
    where = store_of(file, definition)
    foreign = [file] if where.is_database else [file, Path(where.where)]
    setting = options.setting(texts, definition.sandbox, definition.wire).with_foreign(foreign)
    return replace(players, setting=setting)


def failing_players(players: Players, definition: Definition, workers: int) -> dict[PlayerId, str]:
    """The teams whose players cannot be started or fail at their first move, and why."""
    seats = definition.form.seats(definition.settings)
    entrants = _entrants(players, seats)
    found = preflight.problems(
        entrants,
        Opening(definition.seed, definition.set_ups[0]),
        seats,
        workers=workers,
        ours={text for text in entrants if _is_ours(text)},
    )
    return {name: found[text] for name, text in players.players.items() if text in found}


def ready_line(players: Players) -> str:
    """How many players are ready, and which teams have none."""
    absent = [name for name, text in players.players.items() if not text]
    missing = f"; without a player: {', '.join(absent)}" if absent else ""
    return f"{len(players.players) - len(absent)} players are ready{missing}"


def _beside(file: Path, text: str) -> str:
    if is_engine(text):
        return _engine_beside(file, text)
    path = str(file.parent / text)
    named = "{port}" not in text and (is_file(path) or bots.FILE in text)
    return path if named and not Path(text).is_absolute() else text


def _engine_beside(file: Path, text: str) -> str:
    """An engine's words that are files beside the contest's file, with their whole path."""
    command = engine_command(text)
    words = tuple(
        str(file.parent / word) if (file.parent / word).is_file() else word
        for word in command.words
    )
    return replace(command, words=words).text()


def _entrants(players: Players, seats: int) -> dict[str, Players]:
    """Every player that we start, for a game against random opponents."""
    texts = {text for text in players.players.values() if text and not is_outside(text)}
    others: dict[str, str | None] = dict.fromkeys(preflight.opponents(seats), "random")
    setting = players.setting.with_foreign(player_files(texts))  # the other teams' are not theirs
    return {
        text: replace(
            players,
            players={text: text, **others},
            limits=_short(players.limits, text),
            setting=setting,
        )
        for text in sorted(texts)
    }


def _short(limits: TimeControl, text: str) -> TimeControl:
    """A short time for built-in players, which keep any limit."""
    if limits.per_move is None or not _is_ours(text):
        return limits
    return replace(limits, per_move=min(limits.per_move, _FIRST_MOVE))


def _is_ours(text: str) -> bool:
    return not is_program(text) and not is_apart(text)

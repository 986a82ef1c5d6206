"""Profiles one game of a player against random moves."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.programs.players import Players, named_players
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.programs.settings import HOST
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import time_control

_OPPONENT, _SEED = "random", 1
_LONGEST = 2_000
"""Characters shown of a player's output."""


def profile_game(edition: str, player: str, folder: Path) -> None:
    """Play the game and write the player's profile into a folder."""
    game = games.load(edition)
    seats = game.start(_SEED).seats
    named = named_players([player, *[_OPPONENT] * (seats - 1)])
    setting = ProgramOptions(None, False, False, HOST).setting([player])
    limits = time_control(None, None, None)
    setting = replace(setting, profile=folder)
    executor: Any = Players(edition, game.authority, named, limits, setting)()
    pairing = Pairing("profile", tuple(named), Opening(_SEED))
    with closing(executor) if hasattr(executor, "close") else nullcontext():
        entry: ContestEntry = executor.play(pairing)
    if not entry.events.moves:
        said = entry.log.strip()[-_LONGEST:]
        raise UsageError(f"it made no move, so there is nothing to profile\n{said}")

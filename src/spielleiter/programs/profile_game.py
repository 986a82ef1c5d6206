"""One game against random moves, to see where a player's time goes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from spielleiter import games
from spielleiter.programs.players import Players, named_players
from spielleiter.programs.program_options import ProgramOptions
from spielleiter.programs.settings import HOST
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import time_control

_OPPONENT, _SEED = "random", 1


def profile_game(edition: str, player: str, folder: Path) -> None:
    """Play it, and write what the player used into a folder."""
    game = games.load(edition)
    seats = game.start(_SEED).seats
    named = named_players([player, *[_OPPONENT] * (seats - 1)])
    setting = ProgramOptions(None, False, False, HOST).setting([player])
    limits = time_control(None, None, None)
    setting = replace(setting, profile=folder)
    executor: Any = Players(edition, game.authority, named, limits, setting)()
    pairing = Pairing("profile", tuple(named), Opening(_SEED))
    if not hasattr(executor, "close"):
        executor.play(pairing)
        return
    with closing(executor):
        executor.play(pairing)

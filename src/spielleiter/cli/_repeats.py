"""Notices a match in which the same games are played again and again: they prove nothing."""

from __future__ import annotations

from spielleiter.programs.result_store import GAME
from spielleiter.store import Store
from spielleiter.tournament.pairing import Played
from spielleiter.tournament.record import from_text

_MOST = 0.5
"""The part of the games from which on repetitions are mentioned."""


def repeats(store: Store, known: Played) -> str | None:
    """A line that says how many games repeat others move by move; None if few do."""
    ends = {(each.pairing.players, each.scores) for each in known.values()}
    if len(ends) > (1 - _MOST) * len(known):
        return None  # so many games ended differently that few can be the same
    entries = [from_text(entry.data) for entry in store.read(GAME)]
    different = {
        (each.pairing.players, each.events.opened.position, each.events.moves) for each in entries
    }
    repeated = len(entries) - len(different)
    if repeated <= _MOST * len(entries):
        return None
    return (
        f"Note: {repeated} of {len(entries)} games repeat others move by move and prove nothing: "
        "these players never draw lots. Let each play one that does, such as best:level=3."
    )

"""Reports players that failed: the first one at once, all of them in the exit status."""

from __future__ import annotations

from collections import Counter

import click

from spielleiter.programs.result_store import GAME
from spielleiter.store import Store, StoreAddress
from spielleiter.tournament.pairing import GameResult, Played
from spielleiter.tournament.record import from_text

FAILED = 1
"""The exit status of a match in which a player failed."""


class Failures:
    """Watches the results of a match."""

    def __init__(self, store: Store, where: StoreAddress, known: Played) -> None:
        self._store, self._where = store, where
        self._seen, self._told = set(known), False

    def look(self, known: Played) -> None:
        """Report the first game in which a player fails, with the players' output."""
        if self._told:
            return
        new = [known[key] for key in known.keys() - self._seen]
        self._seen |= known.keys()
        failed = next((result for result in new if any(result.faults)), None)
        if failed is not None:
            self._told = True
            self._tell(failed)

    def _tell(self, result: GameResult) -> None:
        key = result.pairing.key
        for name, fault in zip(result.pairing.players, result.faults, strict=True):
            if fault is not None:
                click.echo(f"{name} failed in {key}: {fault}", err=True)
        logs = [entry.data for entry in self._store.read(GAME) if entry.key == key]
        if logs and (log := from_text(logs[-1]).log.strip()):
            click.echo(log, err=True)
        click.echo(f"All of them: spielleiter logs {self._where}", err=True)


def failures(known: Played) -> str | None:
    """A line with the failed players and the option to ignore failures; empty if none failed."""
    counts = Counter(
        name
        for result in known.values()
        for name, fault in zip(result.pairing.players, result.faults, strict=True)
        if fault is not None
    )
    if not counts:
        return None
    told = ", ".join(f"{name} in {count} games" for name, count in counts.items())
    return f"Failed: {told}; so the status is {FAILED} (0 with --ignore-failures)."

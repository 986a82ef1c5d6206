"""The finished games of an arena's own tables, those of guests among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spielleiter.errors import SpielleiterError
from spielleiter.store.stored_games import stored_games
from spielleiter.tournament.recorded_game import RecordedGame

if TYPE_CHECKING:
    from spielleiter.store import Store


def table_games(store: Store) -> Iterator[RecordedGame]:
    """Every finished game, with a key such as `game/7`."""
    for name, read in stored_games(store):
        try:
            record = read()
        except SpielleiterError:
            continue  # an edition that is not on the shelf any more
        if record.ended is not None:
            faults = (each and each.kind.value for each in record.ended.faults)
            said = tuple(None if fault is None else str(fault) for fault in faults)
            yield RecordedGame(f"game/{name}", record.names, record, said)

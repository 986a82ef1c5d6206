"""The games that an arena has stored, read without the arena."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from spielleiter.match.record import GameRecord
from spielleiter.store.entry import Entry

if TYPE_CHECKING:
    from spielleiter.store.store import Store

OPENED, HAPPENED = "arena game", "arena event"
"""Kinds of entries: the opening of a game, and its further events."""


def stored_games(store: Store) -> Iterator[tuple[str, Callable[[], GameRecord]]]:
    """Every game in an arena's store by its name, and how to read it."""
    for entry in store.read(OPENED):
        yield entry.key, partial(_stored_record, store, entry)


def stored_records(store: Store) -> Iterator[GameRecord]:
    """The record of every game in an arena's store, in the order they were opened."""
    for _, read in stored_games(store):
        yield read()


def _stored_record(store: Store, entry: Entry) -> GameRecord:
    from spielleiter.store.event_json import from_json, read_event  # brings the validator

    opened = from_json(json.loads(entry.data)["event"])
    events = (read_event(each.data) for each in store.numbered(HAPPENED, entry.key))
    return GameRecord((opened, *events))

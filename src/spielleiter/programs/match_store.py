"""The store of a match: the same match finds its store again and continues."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from spielleiter.errors import UsageError
from spielleiter.programs.players import Players, fingerprint
from spielleiter.store import Entry, Store, StoreAddress, open_store
from spielleiter.tournament.head_to_head import HeadToHead

MATCH = "match"
FOLDER = Path("matches")
"""The default folder for stores of matches."""


def store_files(where: str | None) -> tuple[Path, ...]:
    """The files in which games are kept, which no player may see."""
    places = [FOLDER] if where is None else [Path(where + end) for end in ("", "-wal", "-shm")]
    return tuple(place for place in places if "://" not in str(place))


def match_settings(players: Players, schedule: HeadToHead) -> str:
    """Everything that distinguishes one match from another, as JSON."""
    data = {
        "edition": players.edition,
        "authority": players.authority,
        "players": {name: fingerprint(text or "") for name, text in players.players.items()},
        "limits": asdict(players.limits),
        "seed": schedule.seed,
        "set_ups": schedule.set_ups,
    }
    return json.dumps(data, sort_keys=True, ensure_ascii=False)


def default_store(settings: str) -> str:
    """The file of a match for which no store is named: the same settings give the same file."""
    FOLDER.mkdir(exist_ok=True)
    return str(FOLDER / f"{hashlib.sha256(settings.encode()).hexdigest()[:16]}.db")


def open_match_store(where: str, settings: str) -> Store:
    """The store of that match; raises UsageError if it holds another match or a contest."""
    store = open_store(where)
    kept = [entry.data for entry in store.read(MATCH)]
    if store.is_empty:
        store.append([Entry(MATCH, MATCH, settings)])
    elif kept != [settings]:
        store.close()
        what = f"another match: {kept[0]}" if kept else "a contest, and no match"
        raise UsageError(f"{StoreAddress.of(where)} holds {what}")
    return store

"""Reads games from an untrusted SQLite file, in an expendable process.

    python -m spielleiter.service.store_reader FILE

Every game is one line of JSON on standard output. The file is opened read-only; only the columns of
its table of events may be read, nothing in its schema is trusted, and memory, time and output are
bounded. If the file is no store, it prints one line and exits with status 1. The caller trusts its
output no more than the file: see `web.uploaded_stores`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

MOST_GAMES = 5_000
LONGEST_ENTRY = 1 << 20
"""Bytes of one game."""
_MEMORY, _OUTPUT = 768 * 1024 * 1024, 128 * 1024 * 1024
_SECONDS = 20
_STEPS, _MOST_STEPS = 1_000_000, 400
"""Steps of SQLite's virtual machine between two checks, and most checks."""
_COLUMNS = ("number", "kind", "key", "data")
_ALLOWED = {
    (sqlite3.SQLITE_SELECT, None, None),
    *((sqlite3.SQLITE_READ, "event", name) for name in _COLUMNS),
}
_QUERY = (
    "select kind, key, data from event where kind = 'game'"
    f" and typeof(data) = 'text' order by number limit {MOST_GAMES}"
)


def main() -> None:
    """Print all games of the file."""
    _bounded()
    try:
        for kind, key, data in entries(Path(sys.argv[1])):
            print(json.dumps([kind, key, data]))
    except sqlite3.Error as problem:
        print(f"this is not a store: {problem}", file=sys.stderr)
        sys.exit(1)


def entries(file: Path) -> Iterator[tuple[str, str, str]]:
    """Kind, key and text of each game; raises sqlite3.Error if the file cannot be read."""
    address = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            database.execute(f"PRAGMA {pragma}")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ENTRY)
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        database.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0)
        database.set_progress_handler(_Patience(), _STEPS)
        database.set_authorizer(_authorised)
        for row in database.execute(_QUERY):
            kind, key, data = map(str, row)
            yield kind, key, data


def _authorised(
    action: int, one: str | None, two: str | None, schema: str | None, source: str | None
) -> int:
    """Allow only columns of the table itself: no view, virtual table or function but typeof."""
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if two == "typeof" else sqlite3.SQLITE_DENY
    known = (action, one, two) in _ALLOWED and source is None
    return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_DENY


class _Patience:
    """Ends a query that takes far longer than any store needs."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def __call__(self) -> int:
        self._left -= 1
        return int(self._left < 0)


def _bounded() -> None:
    """Limit memory, time and output, where the system supports it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for limit, most in (
            (resource.RLIMIT_AS, _MEMORY),
            (resource.RLIMIT_CPU, _SECONDS),
            (resource.RLIMIT_FSIZE, _OUTPUT),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(limit, (most, most))


if __name__ == "__main__":
    main()

"""Tables beside the record: the game queue, and what is computed from the record.

Only `due` (the queue), `output` and the friendlies hold data that is not in the record; the rest
can be computed again.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, Table, Text, text

metadata = MetaData()
_where_failed: Any = {"sqlite_where": text("failed = 1"), "postgresql_where": text("failed = 1")}
"""Few games have a fault: an index of those alone stays small."""

due = Table(
    "ladder_due",
    metadata,
    Column("id", Text, primary_key=True),
    Column("edition", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("team", Text, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("pairing", Text, nullable=False),
    Column("made", Float, nullable=False),
    Column("request", Text, unique=True),
    Column("until", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    Index("ladder_due_order", "until", "rank", "team", "made"),
    Index("ladder_due_purpose", "purpose"),
)
"""The game queue. `team` requested the game; `rank` 0 comes before 1. `until` is the end of the
lease, 0 if nobody plays the game; `request` is the id of the claim."""

game = Table(
    "ladder_game",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("edition", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("summary", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("opening", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("fault", Text, nullable=False),
    Column("failed", Integer, nullable=False),
    Index("ladder_game_edition", "edition", "number"),
    Index("ladder_game_purpose", "purpose", "number"),
    Index("ladder_game_seed", "seed", "number"),
    Index("ladder_game_failed", "edition", "number", **_where_failed),
)
"""Every game of the record under its number there; `fault` names those of all seats, and
`opening` is the seed with the options."""

seat = Table(
    "ladder_seat",
    metadata,
    Column("player", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Integer, nullable=False),
    Column("result", Text, nullable=False),
    Column("fault", Text, nullable=False),
    Column("failed", Integer, nullable=False),
    Index("ladder_seat_result", "player", "result", "number"),
    Index("ladder_seat_failed", "player", "number", **_where_failed),
)
"""Which games somebody played, on which seat, and how they ended for it."""

meeting = Table(
    "ladder_meeting",
    metadata,
    Column("player", Text, primary_key=True),
    Column("opponent", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
)
"""Which games somebody played against somebody else."""

pair = Table(
    "ladder_pair",
    metadata,
    Column("edition", Text, primary_key=True),
    Column("one", Text, primary_key=True),
    Column("other", Text, primary_key=True),
    Column("won", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Index("ladder_pair_other", "edition", "other"),
)
"""Rated games counted by pair; `one` comes before `other` in the alphabet."""

player = Table(
    "ladder_player",
    metadata,
    Column("edition", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    Column("won", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Column("faults", Integer, nullable=False),
    Column("failing", Integer, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("elo", Float),
    Column("deviation", Float),
    Index("ladder_player_order", "edition", "elo"),
)
"""Results in rated games; `failing` counts failures in a row."""

friendly = Table(
    "ladder_friendly",
    metadata,
    Column("id", Text, primary_key=True),
    Column("edition", Text, nullable=False),
    Column("games", Integer, nullable=False),
    Column("options", Text, nullable=False),
    Column("seats", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("made", Float, nullable=False),
    Index("ladder_friendly_state", "state"),
)
"""Friendlies; `seats` holds ids of teams and versions only."""

friendly_team = Table(
    "ladder_friendly_team",
    metadata,
    Column("team", Text, primary_key=True),
    Column("friendly", Text, primary_key=True),
)
"""The teams of each friendly."""

output = Table(
    "ladder_output",
    metadata,
    Column("id", Text, primary_key=True),
    Column("text", Text, nullable=False),
)
"""The output of players in a game, visible to their teams only; it can be erased."""

cursor = Table(
    "ladder_cursor",
    metadata,
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
"""The read position in the record, and the version of these tables."""

FORM = 3
"""The version of the tables that are computed; older ones are made anew from the record."""
computed = (game, seat, meeting, pair, player, cursor)
"""Tables that can be computed from the record."""

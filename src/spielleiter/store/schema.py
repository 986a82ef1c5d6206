"""The one table: everything else is computed from it."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint

metadata = MetaData()
event = Table(
    "event",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("hash", LargeBinary(32), nullable=False),
    UniqueConstraint("kind", "key", name="event_once"),
)
"""`number` counts from 1 without gaps; the same thing (`kind`, `key`) happens only once; `hash`
covers the entry and the hash before it."""

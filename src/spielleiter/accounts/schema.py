"""The tables. Every id is a random text; times are seconds since 1970."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

member = Table(
    "member",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("password", Text),
    Column("role", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("erased", Float),
)
"""`name_key` is the name without case; `password` an argon2id hash. A tombstone has neither."""

login = Table(
    "login",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("member", Text, ForeignKey("member.id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
)
"""Sessions, tokens and reset links: the SHA-256 of the secret, never the secret."""

team = Table(
    "team",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("feed_key", Text, nullable=False, unique=True),
    Column("webhook", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("erased", Float),
)

membership = Table(
    "membership",
    metadata,
    Column("team", Text, ForeignKey("team.id"), primary_key=True),
    Column("member", Text, ForeignKey("member.id"), primary_key=True, index=True),
    Column("since", Float, nullable=False),
)

invitation = Table(
    "invitation",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("team", Text, ForeignKey("team.id"), nullable=False, index=True),
    Column("expires", Float, nullable=False),
)

bot = Table(
    "bot",
    metadata,
    Column("id", Text, primary_key=True),
    Column("team", Text, ForeignKey("team.id"), nullable=False, index=True),
    Column("edition", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("active", Text),
    Column("created", Float, nullable=False),
    Column("erased", Float),
    UniqueConstraint("edition", "name_key", name="bot_name_once"),
)
"""`active` is the version that plays for the bot; None before the first is released."""

version = Table(
    "version",
    metadata,
    Column("id", Text, primary_key=True),
    Column("bot", Text, ForeignKey("bot.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("file", Text, nullable=False, index=True),
    Column("suffix", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("findings", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("checked", Float),
    UniqueConstraint("bot", "number", name="version_number_once"),
    Index("version_by_state", "state", "created"),
)
"""`file` is the SHA-256 of the upload; `number` counts the versions of a bot from 1."""

notice = Table(
    "notice",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("team", Text, ForeignKey("team.id"), nullable=False, index=True),
    Column("at", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("link", Text, nullable=False),
)

setting = Table(
    "setting",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

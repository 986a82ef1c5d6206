"""Members, logins, teams, bots, versions, notices and settings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "member",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False, unique=True),
        sa.Column("password", sa.Text),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("erased", sa.Float),
    )
    op.create_table(
        "login",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("member", sa.Text, sa.ForeignKey("member.id"), nullable=False, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_table(
        "team",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False, unique=True),
        sa.Column("feed_key", sa.Text, nullable=False, unique=True),
        sa.Column("webhook", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("erased", sa.Float),
    )
    op.create_table(
        "membership",
        sa.Column("team", sa.Text, sa.ForeignKey("team.id"), primary_key=True),
        sa.Column("member", sa.Text, sa.ForeignKey("member.id"), primary_key=True, index=True),
        sa.Column("since", sa.Float, nullable=False),
    )
    op.create_table(
        "invitation",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("team", sa.Text, sa.ForeignKey("team.id"), nullable=False, index=True),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("team", sa.Text, sa.ForeignKey("team.id"), nullable=False, index=True),
        sa.Column("edition", sa.Text, nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False),
        sa.Column("active", sa.Text),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("erased", sa.Float),
        sa.UniqueConstraint("edition", "name_key", name="bot_name_once"),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("bot", sa.Text, sa.ForeignKey("bot.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("file", sa.Text, nullable=False, index=True),
        sa.Column("suffix", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("findings", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("checked", sa.Float),
        sa.UniqueConstraint("bot", "number", name="version_number_once"),
        sa.Index("version_by_state", "state", "created"),
    )
    op.create_table(
        "notice",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("team", sa.Text, sa.ForeignKey("team.id"), nullable=False, index=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("link", sa.Text, nullable=False),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables and everybody in them."""
    for name in (
        "setting",
        "notice",
        "version",
        "bot",
        "invitation",
        "membership",
        "team",
        "login",
        "member",
    ):
        op.drop_table(name)

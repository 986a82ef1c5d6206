"""Teams: who plays together, and the link by which others join."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase, new_id
from spielleiter.accounts.logins import DAY, digest_of
from spielleiter.accounts.members import Member
from spielleiter.accounts.names import NameTaken, checked_name, key_of
from spielleiter.errors import UsageError

MOST_TEAMS, MOST_TEAMMATES = 5, 12
"""Teams of a member, and members of a team."""
INVITATION = 7 * DAY
"""Seconds that an invitation is valid."""
_TEAM, _SHIP, _INVITATION = schema.team.c, schema.membership.c, schema.invitation.c


class NoSuchTeam(UsageError):
    """No team has that id, or the invitation is none."""


@dataclass(frozen=True, slots=True)
class PlayingTeam:
    """A team, as everybody sees it."""

    id: str
    name: str
    created: float


@dataclass(frozen=True, slots=True)
class TeamSecrets:
    """What only the team itself knows."""

    feed_key: str
    """Opens the Atom feed of its notices."""
    webhook: str
    """Where notices are sent; empty: nowhere."""


class Teams:
    """All teams of an arena."""

    def __init__(self, database: AccountsDatabase, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    # ---------------------------------------------------------------------------------- reading

    def find(self, team: str) -> PlayingTeam:
        """The team of that id; raises NoSuchTeam."""
        query = select(schema.team).where(_TEAM.id == team, _TEAM.erased.is_(None))
        found = self._database.row(query)
        if found is None:
            raise NoSuchTeam(f"there is no team {team!r}")
        return _team(found)

    def all(self) -> list[PlayingTeam]:
        """All teams, by name."""
        query = select(schema.team).where(_TEAM.erased.is_(None)).order_by(_TEAM.name_key)
        return [_team(row) for row in self._database.rows(query)]

    def named(self, teams: Sequence[str]) -> list[PlayingTeam]:
        """The teams of these ids, unless they were erased."""
        query = select(schema.team).where(_TEAM.id.in_(teams), _TEAM.erased.is_(None))
        return [_team(row) for row in self._database.rows(query)]

    def of_member(self, member: str) -> list[PlayingTeam]:
        """The teams of a member, in the order of joining."""
        query = (
            select(schema.team)
            .join(schema.membership, _SHIP.team == _TEAM.id)
            .where(_SHIP.member == member, _TEAM.erased.is_(None))
            .order_by(_SHIP.since, _TEAM.id)
        )
        return [_team(row) for row in self._database.rows(query)]

    def members(self, team: str) -> list[Member]:
        """The members of a team, in the order of joining."""
        query = (
            select(schema.member)
            .join(schema.membership, _SHIP.member == schema.member.c.id)
            .where(_SHIP.team == team)
            .order_by(_SHIP.since, schema.member.c.id)
        )
        rows = self._database.rows(query)
        return [Member(row.id, row.name, row.role, row.created) for row in rows]

    def has(self, team: str, member: str) -> bool:
        """Whether somebody is in a team."""
        query = select(_SHIP.team).where(_SHIP.team == team, _SHIP.member == member)
        return self._database.row(query) is not None

    def secrets(self, team: str) -> TeamSecrets:
        """What only the team itself knows."""
        found = self._database.row(select(_TEAM.feed_key, _TEAM.webhook).where(_TEAM.id == team))
        if found is None:
            raise NoSuchTeam(f"there is no team {team!r}")
        return TeamSecrets(found.feed_key, found.webhook)

    def by_feed_key(self, key: str) -> PlayingTeam:
        """The team of a feed; raises NoSuchTeam."""
        query = select(schema.team).where(_TEAM.feed_key == key, _TEAM.erased.is_(None))
        found = self._database.row(query)
        if found is None:
            raise NoSuchTeam("there is no such feed")
        return _team(found)

    # ---------------------------------------------------------------------------------- changing

    def make(self, name: str, founder: str) -> PlayingTeam:
        """A new team with one member; raises NameTaken."""
        shown = checked_name(name)
        made = PlayingTeam(new_id(), shown, self._now())
        row = {"id": made.id, "name": shown, "name_key": key_of(shown), "webhook": ""}
        row["feed_key"] = secrets.token_urlsafe(18)
        with self._database.writing() as writing:
            _check_free(writing, shown)
            writing.execute(insert(schema.team).values(created=made.created, **row))
            self._add(writing, made.id, founder)
        return made

    def rename(self, team: str, name: str) -> None:
        """Another name; raises NameTaken."""
        shown = checked_name(name)
        with self._database.writing() as writing:
            _check_free(writing, shown, team)
            named = {"name": shown, "name_key": key_of(shown)}
            writing.execute(update(schema.team).where(_TEAM.id == team).values(named))

    def set_webhook(self, team: str, url: str) -> None:
        """Where notices of a team are sent from now on; empty: nowhere."""
        with self._database.writing() as writing:
            writing.execute(update(schema.team).where(_TEAM.id == team).values(webhook=url))

    def invite(self, team: str) -> str:
        """The secret of a new invitation; older ones of the team end."""
        secret = secrets.token_urlsafe(18)
        row = {"digest": digest_of(secret), "team": team}
        with self._database.writing() as writing:
            writing.execute(delete(schema.invitation).where(_INVITATION.team == team))
            ends = self._now() + INVITATION
            writing.execute(insert(schema.invitation).values(expires=ends, **row))
        return secret

    def invited_to(self, secret: str) -> PlayingTeam:
        """The team that an invitation is for; raises NoSuchTeam."""
        query = (
            select(schema.team)
            .join(schema.invitation, _INVITATION.team == _TEAM.id)
            .where(_INVITATION.digest == digest_of(secret), _INVITATION.expires > self._now())
        )
        found = self._database.row(query)
        if found is None:
            raise NoSuchTeam("this invitation is not valid any more: ask for a new link")
        return _team(found)

    def join(self, secret: str, member: str) -> PlayingTeam:
        """Join the team of an invitation; harmless for a member of it."""
        team = self.invited_to(secret)
        if not self.has(team.id, member):
            with self._database.writing() as writing:
                self._add(writing, team.id, member)
        return team

    def leave(self, team: str, member: str) -> None:
        """Leave a team; the last member cannot."""
        with self._database.writing() as writing:
            if _count(writing, _SHIP.team == team) <= 1:
                raise UsageError("you are the last one in this team: delete the team instead")
            gone = delete(schema.membership).where(_SHIP.team == team, _SHIP.member == member)
            writing.execute(gone)

    def _add(self, writing: Connection, team: str, member: str) -> None:
        if _count(writing, _SHIP.member == member) >= MOST_TEAMS:
            raise UsageError(f"a member is in {MOST_TEAMS} teams at most")
        if _count(writing, _SHIP.team == team) >= MOST_TEAMMATES:
            raise UsageError(f"a team has {MOST_TEAMMATES} members at most")
        row = {"team": team, "member": member, "since": self._now()}
        writing.execute(insert(schema.membership).values(row))


def _count(writing: Connection, condition: Any) -> int:
    return writing.scalar(select(func.count()).select_from(schema.membership).where(condition)) or 0


def _check_free(writing: Connection, name: str, own: str | None = None) -> None:
    found = writing.scalar(select(_TEAM.id).where(_TEAM.name_key == key_of(name)))
    if found is not None and found != own:
        raise NameTaken(f"another team is called {name!r} already")


def _team(row: Row[Any]) -> PlayingTeam:
    return PlayingTeam(row.id, row.name, row.created)

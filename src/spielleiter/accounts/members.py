"""Members: a name and a password. No e-mail, no date of birth, no address."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase, new_id
from spielleiter.accounts.names import NameTaken, checked_name, key_of
from spielleiter.errors import UsageError

MemberRole = Literal["member", "organiser"]
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200
MOST_MEMBERS = 100_000
_MEMBER = schema.member.c


class NoSuchMember(UsageError):
    """No member has that id."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person with an account."""

    id: str
    name: str
    role: MemberRole
    created: float


class Members:
    """All members. Hashing a password takes a while, on purpose."""

    def __init__(
        self,
        database: AccountsDatabase,
        hasher: PasswordHasher | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._now = database, now
        self._hasher = hasher or PasswordHasher()
        self._nobody: str | None = None

    def register(self, name: str, password: str, role: MemberRole = "member") -> Member:
        """A new member; raises NameTaken."""
        shown = checked_name(name)
        self._check_free(shown)
        made = Member(new_id(), shown, role, self._now())
        row = {"id": made.id, "name": shown, "name_key": key_of(shown), "role": role}
        row["password"] = self._hash(password)
        with self._database.writing() as writing:
            if (writing.scalar(select(func.count(_MEMBER.id))) or 0) >= MOST_MEMBERS:
                raise UsageError("there are too many members already")
            _check_free(writing, shown)
            writing.execute(insert(schema.member).values(created=made.created, **row))
        return made

    def find(self, member: str) -> Member:
        """The member of that id; raises NoSuchMember."""
        known = select(schema.member).where(_MEMBER.id == member, _MEMBER.erased.is_(None))
        found = self._database.row(known)
        if found is None:
            raise NoSuchMember(f"there is no member {member!r}")
        return _member(found)

    def all(self) -> list[Member]:
        """All members, by name."""
        query = select(schema.member).where(_MEMBER.erased.is_(None))
        return [_member(row) for row in self._database.rows(query.order_by(_MEMBER.name_key))]

    def check(self, name: str, password: str) -> Member | None:
        """The member of that name and password; takes as long if the name is unknown."""
        query = select(schema.member).where(_MEMBER.name_key == key_of(name.strip()))
        found = self._database.row(query)
        kept = None if found is None else found.password
        if not self._is_right(kept or self._nobodys_hash(), password):
            return None
        return None if found is None or kept is None else _member(found)

    def is_password(self, member: str, password: str) -> bool:
        """Whether that is the member's password."""
        found = self._database.row(select(_MEMBER.password).where(_MEMBER.id == member))
        return found is not None and found[0] is not None and self._is_right(found[0], password)

    def set_password(self, member: str, password: str) -> None:
        """Set a new password; all logins of the member end."""
        hashed = self._hash(password)
        with self._database.writing() as writing:
            writing.execute(
                update(schema.member).where(_MEMBER.id == member).values(password=hashed)
            )
            writing.execute(delete(schema.login).where(schema.login.c.member == member))

    def rename(self, member: str, name: str) -> None:
        """Another name; raises NameTaken."""
        shown = checked_name(name)
        with self._database.writing() as writing:
            _check_free(writing, shown, member)
            named = {"name": shown, "name_key": key_of(shown)}
            writing.execute(update(schema.member).where(_MEMBER.id == member).values(named))

    def set_role(self, member: str, role: MemberRole) -> None:
        """Make somebody an organiser, or a member again."""
        with self._database.writing() as writing:
            writing.execute(update(schema.member).where(_MEMBER.id == member).values(role=role))

    def _check_free(self, name: str) -> None:
        """Raise NameTaken before a password is hashed."""
        if self._database.row(select(_MEMBER.id).where(_MEMBER.name_key == key_of(name))):
            raise NameTaken(f"somebody is called {name!r} already")

    def _hash(self, password: str) -> str:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise UsageError(f"a password has at least {SHORTEST_PASSWORD} characters")
        return self._hasher.hash(password)

    def _is_right(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    def _nobodys_hash(self) -> str:
        if self._nobody is None:
            self._nobody = self._hasher.hash(new_id())
        return self._nobody


def _check_free(writing: Connection, name: str, own: str | None = None) -> None:
    found = writing.scalar(select(_MEMBER.id).where(_MEMBER.name_key == key_of(name)))
    if found is not None and found != own:
        raise NameTaken(f"somebody is called {name!r} already")


def _member(row: Row[Any]) -> Member:
    return Member(row.id, row.name, row.role, row.created)

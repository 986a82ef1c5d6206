"""Sessions, tokens and reset links: secrets that stand for a member, each until it expires."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, delete, func, insert, select

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase, new_id
from spielleiter.accounts.rights import SCOPES, Scope
from spielleiter.errors import UsageError

LoginKind = Literal["session", "token", "reset"]
DAY = 24 * 3600.0
SESSION, RESET = 30 * DAY, DAY
"""Seconds that a session and a reset link last."""
LONGEST_TOKEN = 366
"""Days that a token may last."""
MOST_TOKENS = 20
PREFIX = "spl_"
"""How a token begins, so that scanners for secrets find it in a repository."""
_LOGIN = schema.login.c


@dataclass(frozen=True, slots=True)
class MemberLogin:
    """A session, token or reset link of a member; only its holder knows the secret."""

    id: str
    member: str
    kind: LoginKind
    label: str
    scopes: frozenset[Scope]
    created: float
    expires: float


class Logins:
    """All logins of an arena."""

    def __init__(self, database: AccountsDatabase, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def open_session(self, member: str) -> str:
        """The secret of a new session."""
        return self._add(member, "session", "", (), SESSION)

    def make_token(self, member: str, label: str, scopes: Iterable[Scope], days: float) -> str:
        """The secret of a new token, which may do no more than its scopes say."""
        wanted = tuple(sorted(set(scopes)))
        if not wanted or not set(wanted) <= set(SCOPES):
            raise UsageError(f"a token has at least one of the scopes {', '.join(SCOPES)}")
        if not 0 < days <= LONGEST_TOKEN:
            raise UsageError(f"a token lasts {LONGEST_TOKEN} days at most")
        if len(self.tokens(member)) >= MOST_TOKENS:
            raise UsageError(f"you have {MOST_TOKENS} tokens already: revoke one of them")
        return self._add(member, "token", label, wanted, days * DAY)

    def make_reset(self, member: str) -> str:
        """The secret of a link to set a new password once; older links become invalid."""
        with self._database.writing() as writing:
            old = delete(schema.login).where(_LOGIN.member == member, _LOGIN.kind == "reset")
            writing.execute(old)
        return self._add(member, "reset", "", (), RESET)

    def find(self, secret: str, kind: LoginKind) -> MemberLogin | None:
        """The login of that secret, unless it has expired."""
        query = select(schema.login).where(
            _LOGIN.digest == digest_of(secret), _LOGIN.kind == kind, _LOGIN.expires > self._now()
        )
        found = self._database.row(query)
        return None if found is None else _login(found)

    def tokens(self, member: str) -> list[MemberLogin]:
        """The tokens of a member that have not expired."""
        query = select(schema.login).where(
            _LOGIN.member == member, _LOGIN.kind == "token", _LOGIN.expires > self._now()
        )
        return [_login(row) for row in self._database.rows(query.order_by(_LOGIN.created))]

    def sessions(self, member: str) -> int:
        """How many sessions of a member are open."""
        query = select(func.count(_LOGIN.id)).where(
            _LOGIN.member == member, _LOGIN.kind == "session", _LOGIN.expires > self._now()
        )
        found = self._database.row(query)
        return 0 if found is None else int(found[0])

    def close(self, secret: str) -> None:
        """End a login."""
        with self._database.writing() as writing:
            writing.execute(delete(schema.login).where(_LOGIN.digest == digest_of(secret)))

    def revoke(self, member: str, login: str) -> None:
        """End a login of that member."""
        with self._database.writing() as writing:
            own = delete(schema.login).where(_LOGIN.id == login, _LOGIN.member == member)
            writing.execute(own)

    def _add(
        self, member: str, kind: LoginKind, label: str, scopes: Iterable[str], lasts: float
    ) -> str:
        secret = (PREFIX if kind == "token" else "") + secrets.token_urlsafe(32)
        now = self._now()
        row = {"id": new_id(), "digest": digest_of(secret), "member": member, "kind": kind}
        row |= {"label": label, "scopes": " ".join(scopes)}
        with self._database.writing() as writing:
            writing.execute(delete(schema.login).where(_LOGIN.expires <= now))
            writing.execute(insert(schema.login).values(created=now, expires=now + lasts, **row))
        return secret


def digest_of(secret: str) -> str:
    """The hash of a secret; only this is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _login(row: Row[Any]) -> MemberLogin:
    scopes = frozenset(each for each in SCOPES if each in row.scopes.split())
    return MemberLogin(row.id, row.member, row.kind, row.label, scopes, row.created, row.expires)

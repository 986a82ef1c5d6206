"""The caller of a request: guest, member, organiser or a program with a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import NoSuchBot
from spielleiter.accounts.files import DiskFull, TeamFull, TooLarge
from spielleiter.accounts.members import Member, NoSuchMember
from spielleiter.accounts.names import NameTaken
from spielleiter.accounts.rights import Action, Role, Scope, may
from spielleiter.accounts.teams import NoSuchTeam
from spielleiter.errors import SpielleiterError
from spielleiter.ladder.friendlies import NoSuchFriendly
from spielleiter.season.season import NoSuchSeason
from spielleiter.web.arena import COOKIE, CSRF, Arena, arena_of, refusal
from spielleiter.web.request_filter import SAFE

_BEARER = "bearer "
_STATUS: tuple[tuple[type[SpielleiterError], int, str], ...] = (
    (NameTaken, 409, "name-taken"),
    (NoSuchBot, 404, "no-such-bot"),
    (NoSuchFriendly, 404, "no-such-friendly"),
    (NoSuchMember, 404, "no-such-member"),
    (NoSuchTeam, 404, "no-such-team"),
    (NoSuchSeason, 404, "no-such-season"),
    (TooLarge, 413, "too-large"),
    (TeamFull, 413, "team-full"),
    (DiskFull, 507, "disk-full"),
)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request and its rights."""

    accounts: ArenaAccounts
    member: Member | None = None
    is_organiser: bool = False
    scopes: frozenset[Scope] | None = None
    """The scopes of a token; None: no token."""

    def role(self, team: str | None = None) -> Role:
        """What the caller is to a team, or in general."""
        if self.is_organiser:
            return Role.ORGANISER
        if self.member is None:
            return Role.GUEST
        if team is not None and self.accounts.teams.has(team, self.member.id):
            return Role.TEAMMATE
        return Role.MEMBER

    def may(self, action: Action, team: str | None = None) -> bool:
        """Whether the caller may do that."""
        return may(self.role(team), action, self.scopes)

    def need(self, action: Action, team: str | None = None) -> None:
        """Refuse the request unless the caller may do that."""
        if self.may(action, team):
            return
        if self.role() is Role.GUEST:
            raise refusal(401, "login-needed", f"log in to {action.value}")
        raise refusal(403, "forbidden", f"you may not {action.value}")

    def known(self, action: Action) -> Member:
        """The member who calls; refuses callers without an account."""
        self.need(action)
        if self.member is None:
            raise refusal(403, "no-account", "this needs an account of your own: register first")
        return self.member


def accounts_of(request: Request) -> ArenaAccounts:
    """The accounts of the arena that a request is for."""
    accounts = arena_of(request).accounts
    if accounts is None:
        raise refusal(404, "no-accounts", "this arena has no accounts")
    return accounts


def caller_of(request: Request) -> Caller:
    """The caller; changes need a CSRF token or an API token."""
    accounts, arena = accounts_of(request), arena_of(request)
    given = request.headers.get("authorization", "")
    if given.lower().startswith(_BEARER):
        return _by_token(accounts, given[len(_BEARER) :].strip())
    secret = request.cookies.get(COOKIE)
    found = Caller(accounts) if secret is None else by_session(arena, accounts, secret)
    if found.role() is not Role.GUEST and request.method not in SAFE:
        _check_csrf(arena, request, secret or "")
    return found


def by_session(arena: Arena, accounts: ArenaAccounts, secret: str) -> Caller:
    """The caller of a session: the first organiser, or a member."""
    if arena.rights.is_organiser(secret):
        return Caller(accounts, is_organiser=True)
    login = accounts.logins.find(secret, "session")
    if login is None:
        return Caller(accounts)
    member = accounts.members.find(login.member)
    return Caller(accounts, member, member.role == "organiser")


def _by_token(accounts: ArenaAccounts, secret: str) -> Caller:
    login = accounts.logins.find(secret, "token")
    if login is None:
        raise refusal(401, "wrong-token", "this token is unknown, expired or revoked")
    member = accounts.members.find(login.member)
    return Caller(accounts, member, member.role == "organiser", login.scopes)


def _check_csrf(arena: Arena, request: Request, secret: str) -> None:
    if request.headers.get(CSRF) != arena.rights.csrf(secret):
        raise refusal(403, "csrf", f"the header {CSRF} is missing or wrong")


def status_of(problem: SpielleiterError) -> tuple[int, str] | None:
    """Status and code of a refusal that accounts can give."""
    for kind, status, code in _STATUS:
        if isinstance(problem, kind):
            return status, code
    return None


TheCaller = Annotated[Caller, Depends(caller_of)]

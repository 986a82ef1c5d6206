"""Permissions: one table decides who may do what.

A role always refers to a team: a member is a teammate in its own team and a member in all
others. A token can do what its member can, limited to its scopes.
"""

from __future__ import annotations

import enum
from typing import Literal

Scope = Literal["read", "upload", "play"]
SCOPES: tuple[Scope, ...] = ("read", "upload", "play")
"""What a token can be limited to."""


class Role(enum.IntEnum):
    """The role of a caller towards one team; each includes those before it, except as listed."""

    GUEST = 0
    MEMBER = 1
    TEAMMATE = 2
    ORGANISER = 3


class Action(enum.Enum):
    """Something a caller wants to do."""

    SEE_TEAMS = "see the names of teams and bots"
    REGISTER = "register"
    MAKE_TEAM = "make a team"
    JOIN_TEAM = "join a team by its invitation"
    OWN_ACCOUNT = "change, export and delete one's own account"
    OWN_TOKENS = "make and revoke one's own tokens"
    SEE_INSIDE = "see a team's members, notices and findings"
    SEE_LOGS = "see what a team's bots printed"
    DOWNLOAD = "download a team's files"
    INVITE = "make an invitation link of a team"
    RENAME_TEAM = "rename a team"
    LEAVE_TEAM = "leave a team"
    SET_WEBHOOK = "set a team's webhook"
    MAKE_BOT = "make, rename and delete a team's bot"
    UPLOAD = "upload a version for a team"
    CHOOSE_VERSION = "choose the version that plays for a team"
    CHALLENGE = "agree on a friendly for a team"
    ENTER_SEASON = "enter a team for a season, or withdraw it"
    PARK = "park a version, and let it play again"
    LIST_MEMBERS = "list all members"
    RENAME_MEMBER = "change the name of a member"
    MAKE_RESET = "make a reset link for a member"
    SET_ROLE = "make a member an organiser"
    ERASE_MEMBER = "erase a member"
    ERASE_TEAM = "erase a team"
    SET_REGISTRATION = "decide who may register"
    WRITE_PAGES = "write the privacy page and the imprint"
    RUN_SEASON = "create, start, pause and finish a season"
    JUDGE = "annul, replay and decide games as the jury"
    SEE_METRICS = "read the metrics of the arena"


_ALL = frozenset(Role)
_KNOWN = _ALL - {Role.GUEST}
_TEAM = frozenset({Role.TEAMMATE, Role.ORGANISER})
_ORGANISER = frozenset({Role.ORGANISER})

RIGHTS: dict[Action, frozenset[Role]] = {
    Action.SEE_TEAMS: _ALL,
    Action.REGISTER: _ALL,
    Action.MAKE_TEAM: _KNOWN,
    Action.JOIN_TEAM: _KNOWN,
    Action.OWN_ACCOUNT: _KNOWN,
    Action.OWN_TOKENS: _KNOWN,
    Action.SEE_INSIDE: _TEAM,
    Action.SEE_LOGS: _TEAM,
    Action.DOWNLOAD: _TEAM,
    Action.INVITE: _TEAM,
    Action.RENAME_TEAM: _TEAM,
    Action.LEAVE_TEAM: frozenset({Role.TEAMMATE}),
    Action.SET_WEBHOOK: _TEAM,
    Action.MAKE_BOT: _TEAM,
    Action.UPLOAD: _TEAM,
    Action.CHOOSE_VERSION: _TEAM,
    Action.CHALLENGE: _TEAM,
    Action.ENTER_SEASON: _TEAM,
    Action.PARK: _ORGANISER,
    Action.LIST_MEMBERS: _ORGANISER,
    Action.RENAME_MEMBER: _ORGANISER,
    Action.MAKE_RESET: _ORGANISER,
    Action.SET_ROLE: _ORGANISER,
    Action.ERASE_MEMBER: _ORGANISER,
    Action.ERASE_TEAM: _TEAM,
    Action.SET_REGISTRATION: _ORGANISER,
    Action.WRITE_PAGES: _ORGANISER,
    Action.RUN_SEASON: _ORGANISER,
    Action.JUDGE: _ORGANISER,
    Action.SEE_METRICS: _ORGANISER,
}

BY_SCOPE: dict[Scope, frozenset[Action]] = {
    "read": frozenset(
        {
            Action.SEE_TEAMS,
            Action.SEE_INSIDE,
            Action.SEE_LOGS,
            Action.DOWNLOAD,
            Action.SEE_METRICS,
        }
    ),
    "upload": frozenset(
        {
            Action.SEE_TEAMS,
            Action.SEE_INSIDE,
            Action.MAKE_BOT,
            Action.UPLOAD,
            Action.CHOOSE_VERSION,
        }
    ),
    "play": frozenset({Action.SEE_TEAMS, Action.CHALLENGE, Action.ENTER_SEASON}),
}
"""The actions that a scope allows."""


def may(role: Role, action: Action, scopes: frozenset[Scope] | None = None) -> bool:
    """Whether a role may do that; `scopes` are those of the token, None without a token."""
    if scopes is not None and not any(action in BY_SCOPE[each] for each in scopes):
        return False
    return role in RIGHTS[action]

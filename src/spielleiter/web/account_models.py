"""API models of people, teams and bots."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from spielleiter.accounts.bots import VersionState
from spielleiter.accounts.members import LONGEST_PASSWORD, SHORTEST_PASSWORD, MemberRole
from spielleiter.accounts.notices import NoticeKind
from spielleiter.accounts.rights import Scope
from spielleiter.accounts.settings import LONGEST_PAGE, Registration
from spielleiter.web.models import LONGEST_NAME, Model

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
NewSecret = Annotated[str, Field(min_length=SHORTEST_PASSWORD, max_length=LONGEST_PASSWORD)]
Secret = Annotated[str, Field(min_length=1, max_length=LONGEST_PASSWORD)]
Severity = Literal["fine", "note", "problem"]


# ------------------------------------------------------------------------------------------ people


class MemberView(Model):
    """A person with an account."""

    id: str
    name: str
    role: MemberRole
    created: float


class TeamName(Model):
    """A team, as everybody sees it."""

    id: str
    name: str


class MeView(Model):
    """The caller, and what the arena offers to it."""

    member: MemberView | None
    organiser: bool
    teams: tuple[TeamName, ...]
    csrf: str | None
    """To be sent as `X-CSRF-Token` with everything that changes something."""
    registration: Registration
    uploads: str | None
    """Why nothing can be uploaded here; None: it can."""
    trusts_uploads: bool
    """Uploaded programs run without a sandbox, because the operator has said so."""
    largest: int
    """Bytes of an upload."""


class NewMember(Model):
    """Somebody registers."""

    name: Name
    password: NewSecret
    code: str = Field("", max_length=100)
    """The class code, if one is needed."""


class LoginOrder(Model):
    """A member logs in."""

    name: Name
    password: Secret


class ResetOrder(Model):
    """A new password by a reset link."""

    secret: Secret
    password: NewSecret


class PasswordChange(Model):
    """A new password by the old one."""

    old: Secret
    password: NewSecret


class Confirmation(Model):
    """The password again, to confirm a dangerous action."""

    password: Secret


class NameOrder(Model):
    """A new name."""

    name: Name


class RoleOrder(Model):
    """The new role of a member."""

    role: MemberRole


class MemberList(Model):
    """All members, for organisers."""

    members: tuple[MemberView, ...]


class LinkView(Model):
    """A secret link, shown only once."""

    link: str
    """From the root of the arena."""
    expires: float


class TokenOrder(Model):
    """A token for a program."""

    label: Name
    scopes: tuple[Scope, ...] = Field(min_length=1, max_length=3)
    days: int = Field(90, ge=1, le=366)


class TokenView(Model):
    """A token of a member."""

    id: str
    label: str
    scopes: tuple[Scope, ...]
    created: float
    expires: float


class MadeToken(Model):
    """A new token; its secret is shown only here."""

    secret: str


class TokenList(Model):
    """The tokens of the caller."""

    tokens: tuple[TokenView, ...]


class RegistrationOrder(Model):
    """Who may register."""

    rule: Registration


class RegistrationView(Model):
    """Who may register, and the class code for organisers."""

    rule: Registration
    code: str


class PageView(Model):
    """A text of the operator, in paragraphs."""

    name: str
    text: str


class PageOrder(Model):
    """A new text."""

    text: str = Field(max_length=LONGEST_PAGE)


# ------------------------------------------------------------------------------------------- teams


class NoticeView(Model):
    """A notice to a team."""

    number: int
    at: float
    kind: NoticeKind
    text: str
    link: str


class BotSummary(Model):
    """A bot, as everybody sees it."""

    id: str
    name: str
    edition: str
    title: str
    """The game's title."""
    version: int | None
    """The number of the version that plays."""


class TeamInside(Model):
    """What only a team itself and the organisers see."""

    members: tuple[MemberView, ...]
    notices: tuple[NoticeView, ...]
    feed: str
    """The Atom feed of the notices, from the root of the arena."""
    webhook: str


class TeamView(Model):
    """A team."""

    id: str
    name: str
    bots: tuple[BotSummary, ...]
    inside: TeamInside | None


class TeamList(Model):
    """All teams."""

    teams: tuple[TeamName, ...]


class WebhookOrder(Model):
    """Where notices are sent."""

    url: str = Field(max_length=500)


# -------------------------------------------------------------------------------------------- bots


class BotOrder(Model):
    """A new bot."""

    edition: str = Field(max_length=LONGEST_NAME)
    name: Name


class FindingView(Model):
    """One line of a check."""

    severity: Severity
    about: str
    text: str
    advice: str


class VersionView(Model):
    """One upload."""

    id: str
    number: int
    state: VersionState
    active: bool
    created: float


class VersionInside(VersionView):
    """One upload, as its team sees it."""

    file_name: str
    size: int
    reason: str
    findings: tuple[FindingView, ...]
    ahead: int
    """How many are checked before it."""


class BotView(Model):
    """A bot with its versions, newest first."""

    id: str
    name: str
    edition: str
    title: str
    team: TeamName
    versions: tuple[VersionView, ...]
    inside: tuple[VersionInside, ...] | None
    """The same with findings, for its team and the organisers."""


class ParkOrder(Model):
    """The reason for parking a version."""

    reason: str = Field(min_length=1, max_length=500)

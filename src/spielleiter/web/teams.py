"""Routes of teams: members, invitation and notices."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from xml.etree import ElementTree

from fastapi import APIRouter, Request, Response

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import TeamBot
from spielleiter.accounts.notices import SentNotice
from spielleiter.accounts.rights import Action
from spielleiter.accounts.teams import INVITATION, PlayingTeam
from spielleiter.accounts.webhooks import checked_url
from spielleiter.errors import UsageError
from spielleiter.web import account_models as models
from spielleiter.web.arena import refusal
from spielleiter.web.caller import Caller, TheCaller
from spielleiter.web.language import translator
from spielleiter.web.people import TheAccounts, member_view
from spielleiter.web.routes import ERRORS, Lang

router = APIRouter(prefix="/api", responses=ERRORS, tags=["teams"])
_ATOM = "http://www.w3.org/2005/Atom"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids; one in a jury's reason would break the feed."""


@router.get("/teams")
def list_teams(caller: TheCaller) -> models.TeamList:
    """All teams, by name."""
    caller.need(Action.SEE_TEAMS)
    return models.TeamList(teams=tuple(map(team_name, caller.accounts.teams.all())))


@router.post("/teams", status_code=201)
def make_team(caller: TheCaller, order: models.NameOrder) -> models.TeamName:
    """Create a team with the caller as its member."""
    member = caller.known(Action.MAKE_TEAM)
    return team_name(caller.accounts.teams.make(order.name, member.id))


@router.get("/teams/{team}")
def show_team(caller: TheCaller, team: str, lang: Lang = "en") -> models.TeamView:
    """A team; its `inside` only for itself and the organisers."""
    caller.need(Action.SEE_TEAMS)
    found = caller.accounts.teams.find(team)
    bots = caller.accounts.bots.of_team(team)
    return models.TeamView(
        id=found.id,
        name=found.name,
        bots=tuple(_bot(caller.accounts, each, lang) for each in bots),
        inside=_inside(caller, team, lang) if caller.may(Action.SEE_INSIDE, team) else None,
    )


@router.post("/teams/{team}/name", status_code=204)
def rename_team(caller: TheCaller, team: str, order: models.NameOrder) -> None:
    """Another name."""
    _need(caller, Action.RENAME_TEAM, team)
    caller.accounts.teams.rename(team, order.name)


@router.post("/teams/{team}/invitation", status_code=201)
def invite(caller: TheCaller, team: str) -> models.LinkView:
    """A new invitation link; the one before ends."""
    _need(caller, Action.INVITE, team)
    secret = caller.accounts.teams.invite(team)
    return models.LinkView(link=f"/join/{secret}", expires=time.time() + INVITATION)


@router.post("/teams/{team}/leave", status_code=204)
def leave_team(caller: TheCaller, team: str) -> None:
    """Leave a team."""
    _need(caller, Action.LEAVE_TEAM, team)
    assert caller.member is not None, "a teammate is a member"
    caller.accounts.teams.leave(team, caller.member.id)


@router.post("/teams/{team}/webhook", status_code=204)
def set_webhook(caller: TheCaller, team: str, order: models.WebhookOrder) -> None:
    """Where notices are sent as JSON; an empty address sends them nowhere."""
    _need(caller, Action.SET_WEBHOOK, team)
    try:
        if order.url:
            checked_url(order.url)
    except UsageError as problem:
        raise refusal(422, "webhook", str(problem)) from problem
    caller.accounts.teams.set_webhook(team, order.url)


@router.delete("/teams/{team}", status_code=204)
def erase_team(caller: TheCaller, team: str) -> None:
    """Erase a team with its bots and files."""
    _need(caller, Action.ERASE_TEAM, team)
    caller.accounts.privacy.erase_team(team)


@router.get("/invitations/{secret}")
def show_invitation(accounts: TheAccounts, secret: str) -> models.TeamName:
    """The team that an invitation is for."""
    return team_name(accounts.teams.invited_to(secret))


@router.post("/invitations/{secret}")
def accept_invitation(caller: TheCaller, secret: str) -> models.TeamName:
    """Join the team of an invitation."""
    member = caller.known(Action.JOIN_TEAM)
    return team_name(caller.accounts.teams.join(secret, member.id))


@router.get("/feeds/{key}", response_class=Response)
def show_feed(request: Request, accounts: TheAccounts, key: str) -> Response:
    """The notices of a team as an Atom feed, for readers that cannot log in."""
    team = accounts.teams.by_feed_key(key)
    feed = atom_feed(team, accounts.notices.of_team(team.id), str(request.base_url).rstrip("/"))
    return Response(feed, media_type="application/atom+xml")


def atom_feed(team: PlayingTeam, told: list[SentNotice], root: str) -> bytes:
    """The notices of a team, newest first."""
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    ElementTree.SubElement(feed, "id").text = f"urn:spielleiter:team:{team.id}"
    ElementTree.SubElement(feed, "title").text = team.name
    newest = told[0].at if told else team.created
    ElementTree.SubElement(feed, "updated").text = _moment(newest)
    for each in told:
        entry = ElementTree.SubElement(feed, "entry")
        ElementTree.SubElement(entry, "id").text = f"urn:spielleiter:notice:{each.number}"
        ElementTree.SubElement(entry, "title").text = _NO_XML.sub("\ufffd", each.notice.text)
        ElementTree.SubElement(entry, "updated").text = _moment(each.at)
        ElementTree.SubElement(entry, "link", href=root + (each.notice.link or "/"))
    text: bytes = ElementTree.tostring(feed, "utf-8", xml_declaration=True)
    return text


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _need(caller: Caller, action: Action, team: str) -> None:
    caller.need(action, caller.accounts.teams.find(team).id)


def _inside(caller: Caller, team: str, lang: str) -> models.TeamInside:
    accounts = caller.accounts
    kept = accounts.teams.secrets(team)
    return models.TeamInside(
        members=tuple(map(member_view, accounts.teams.members(team))),
        notices=tuple(_notice(each, lang) for each in accounts.notices.of_team(team)),
        feed=f"/api/feeds/{kept.feed_key}",
        webhook=kept.webhook,
    )


def _notice(told: SentNotice, lang: str) -> models.NoticeView:
    notice = told.notice
    text = translator(None, lang)(notice.text)
    return models.NoticeView(
        number=told.number, at=told.at, kind=notice.kind, text=text, link=notice.link
    )


def team_name(team: PlayingTeam) -> models.TeamName:
    """A team, as everybody sees it."""
    return models.TeamName(id=team.id, name=team.name)


def _bot(accounts: ArenaAccounts, bot: TeamBot, lang: str) -> models.BotSummary:
    number = None if bot.active is None else accounts.bots.version(bot.active).number
    return models.BotSummary(
        id=bot.id,
        name=bot.name,
        edition=bot.edition,
        title=game_title(bot.edition, lang),
        version=number,
    )


def game_title(edition: str, lang: str) -> str:
    """The title of a game; the edition's name if it is not installed any more."""
    if edition not in games.names():
        return edition
    game = games.load(edition)
    return translator(game, lang)(game.title)

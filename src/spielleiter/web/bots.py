"""Routes of bots: uploads, findings, and which version plays."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse

from spielleiter import games
from spielleiter.accounts.bots import Bots, TeamBot, Version
from spielleiter.accounts.files import UploadedFile
from spielleiter.accounts.notices import TeamNotice, messages, version_named
from spielleiter.accounts.rights import Action
from spielleiter.text import from_data
from spielleiter.web import account_models as models
from spielleiter.web.arena import client_of, refusal
from spielleiter.web.caller import Caller, TheCaller
from spielleiter.web.language import Translate, translator
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.teams import game_title, team_name

router = APIRouter(prefix="/api", responses=ERRORS, tags=["bots"])


@router.post("/teams/{team}/bots", status_code=201)
def make_bot(caller: TheCaller, team: str, order: models.BotOrder) -> models.BotView:
    """A new bot of a team for one game."""
    caller.need(Action.MAKE_BOT, caller.accounts.teams.find(team).id)
    if order.edition not in games.names():
        raise refusal(422, "no-such-edition", f"there is no game {order.edition!r}")
    return _view(caller, caller.accounts.bots.add(team, order.edition, order.name), "en")


@router.get("/bots/{bot}")
def show_bot(caller: TheCaller, bot: str, lang: Lang = "en") -> models.BotView:
    """A bot; findings and files only for its team and the organisers."""
    caller.need(Action.SEE_TEAMS)
    return _view(caller, caller.accounts.bots.bot(bot), lang)


@router.post("/bots/{bot}/name", status_code=204)
def rename_bot(caller: TheCaller, bot: str, order: models.NameOrder) -> None:
    """Another name."""
    _own_bot(caller, Action.MAKE_BOT, bot)
    caller.accounts.bots.rename(bot, order.name)


@router.delete("/bots/{bot}", status_code=204)
def erase_bot(caller: TheCaller, bot: str) -> None:
    """Erase a bot with its files."""
    _own_bot(caller, Action.MAKE_BOT, bot)
    caller.accounts.privacy.erase_bot(bot)


@router.post("/bots/{bot}/versions", status_code=201)
async def upload_version(
    request: Request,
    arena: TheArena,
    caller: TheCaller,
    bot: str,
    name: Annotated[str, Query(min_length=1, max_length=200, description="The file's name.")],
) -> models.VersionView:
    """Upload a version: the file is the body. It plays when it has passed its check."""
    team = _own_bot(caller, Action.UPLOAD, bot).team
    if arena.uploads_refused is not None:
        raise refusal(503, "no-uploads", arena.uploads_refused)
    if not arena.uploads.passes(client_of(request)):
        raise refusal(429, "too-often", "too many uploads: wait a minute")
    room = caller.accounts.bots.room(team)
    file = await _received(caller, request.stream(), name, room)
    version = caller.accounts.bots.add_version(bot, file, name)
    arena.on_upload()
    return _version(version)


async def _received(
    caller: Caller, stream: AsyncIterator[bytes], name: str, room: int
) -> UploadedFile:
    with caller.accounts.files.begin(name, room) as receiving:
        async for chunk in stream:
            receiving.write(chunk)
        return receiving.keep()


@router.get("/versions/{version}")
def show_version(
    arena: TheArena, caller: TheCaller, version: str, lang: Lang = "en"
) -> models.VersionInside:
    """A version with what its check found."""
    return _inside(caller, _own_version(caller, Action.SEE_INSIDE, version), lang)


@router.get("/versions/{version}/file", response_class=FileResponse)
def download_version(caller: TheCaller, version: str) -> FileResponse:
    """The file that was uploaded."""
    found = _own_version(caller, Action.DOWNLOAD, version)
    if not found.path.is_file():
        raise refusal(404, "no-such-file", "this file was erased")
    return FileResponse(found.path, media_type="application/octet-stream", filename=found.file_name)


@router.post("/versions/{version}/activate", status_code=204)
def activate_version(caller: TheCaller, version: str) -> None:
    """Let this version play for its bot from now on."""
    caller.accounts.bots.activate(_own_version(caller, Action.CHOOSE_VERSION, version).id)


@router.post("/versions/{version}/park", status_code=204)
def park_version(caller: TheCaller, version: str, order: models.ParkOrder) -> None:
    """Take a version out of play; its team gets the reason."""
    found = _own_version(caller, Action.PARK, version)
    caller.accounts.bots.park(found.id, order.reason)
    named = version_named(found.id, found.title)
    said = messages("parked", version=named, reason=order.reason)
    notice = TeamNotice("parked", said, f"/ladder/version/{found.id}")
    caller.accounts.notices.tell(found.team, notice)


@router.post("/versions/{version}/unpark", status_code=204)
def unpark_version(caller: TheCaller, version: str) -> None:
    """Let a parked version play again."""
    caller.accounts.bots.unpark(_own_version(caller, Action.PARK, version).id)


# ------------------------------------------------------------------------------------------ inside


def _own_bot(caller: Caller, action: Action, bot: str) -> TeamBot:
    found = caller.accounts.bots.bot(bot)
    caller.need(action, found.team)
    return found


def _own_version(caller: Caller, action: Action, version: str) -> Version:
    found = caller.accounts.bots.version(version)
    caller.need(action, found.team)
    return found


def _view(caller: Caller, bot: TeamBot, lang: str) -> models.BotView:
    versions = caller.accounts.bots.versions(bot.id)
    sees = caller.may(Action.SEE_INSIDE, bot.team)
    return models.BotView(
        id=bot.id,
        name=bot.name,
        edition=bot.edition,
        title=game_title(bot.edition, lang),
        team=team_name(caller.accounts.teams.find(bot.team)),
        versions=tuple(map(_version, versions)),
        inside=tuple(_inside(caller, each, lang) for each in versions) if sees else None,
    )


def _version(version: Version) -> models.VersionView:
    return models.VersionView(
        id=version.id,
        number=version.number,
        state=version.state,
        active=version.active,
        created=version.created,
    )


def _inside(caller: Caller, version: Version, lang: str) -> models.VersionInside:
    text, translate = caller.accounts.bots.findings(version.id), translator(None, lang)
    return models.VersionInside(
        **_version(version).model_dump(),
        file_name=version.file_name,
        size=version.size,
        reason=translate(version.reason),
        findings=tuple(_finding(each, translate) for each in json.loads(text or "[]")),
        ahead=checked_before(caller.accounts.bots, version),
    )


def _finding(line: dict[str, Any], translate: Translate) -> models.FindingView:
    words = {name: translate(from_data(line[name])) for name in ("about", "text", "advice")}
    return models.FindingView(severity=line["severity"], **words)


def checked_before(bots: Bots, version: Version) -> int:
    """How many versions wait before this one; 0 if its check has ended meanwhile."""
    if version.state != "waiting":
        return 0
    waiting = [each.id for each in bots.waiting()]
    return waiting.index(version.id) if version.id in waiting else 0

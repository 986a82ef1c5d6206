"""Routes of people: registration, login, own account, and administration of members."""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Iterator
from typing import IO, Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.logins import RESET, SESSION, MemberLogin
from spielleiter.accounts.members import Member
from spielleiter.accounts.rights import Action
from spielleiter.accounts.settings import PAGES
from spielleiter.web import account_models as models
from spielleiter.web.arena import COOKIE, Arena, arena_of, client_of, refusal
from spielleiter.web.caller import Caller, TheCaller, accounts_of, by_session
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api", responses=ERRORS, tags=["people"])
TheAccounts = Annotated[ArenaAccounts, Depends(accounts_of)]
_CHUNK = 1 << 16


# ------------------------------------------------------------------------------------ who asks


@router.get("/me")
def show_me(request: Request, arena: TheArena, caller: TheCaller) -> models.MeView:
    """The caller, and what this arena offers."""
    return _me(arena, caller, request.cookies.get(COOKIE))


@router.post("/members", status_code=201)
async def register(
    request: Request,
    response: Response,
    arena: TheArena,
    accounts: TheAccounts,
    order: models.NewMember,
) -> models.MeView:
    """Register, and log in."""
    if not arena.registrations.passes(client_of(request)):
        raise refusal(429, "too-often", "too many registrations from here: wait a few minutes")
    if not await asyncio.to_thread(accounts.settings.admits, order.code):
        raise _not_admitted(accounts)
    async with arena.hashing:
        made = await asyncio.to_thread(accounts.members.register, order.name, order.password)
    return await _logged_in(arena, accounts, response, made)


def _not_admitted(accounts: ArenaAccounts) -> Exception:
    if accounts.settings.registration().rule == "closed":
        return refusal(403, "registration-closed", "registration is closed: ask the organiser")
    return refusal(403, "class-code", "this is not the class code")


@router.post("/login")
async def log_member_in(
    request: Request,
    response: Response,
    arena: TheArena,
    accounts: TheAccounts,
    order: models.LoginOrder,
) -> models.MeView:
    """Log in as a member."""
    who = f"{client_of(request)} {order.name.casefold()}"
    _admit(arena, client_of(request), who)
    async with arena.hashing:
        found = await asyncio.to_thread(accounts.members.check, order.name, order.password)
    if found is None:
        arena.member_guard.failed(who)
        raise refusal(401, "wrong-login", "name or password is wrong")
    arena.member_guard.succeeded(who)
    return await _logged_in(arena, accounts, response, found)


def _admit(arena: Arena, address: str, who: str) -> None:
    """Refuse after too many wrong passwords, counted by name, since a class shares an address."""
    if not arena.member_logins.passes(address):
        raise refusal(429, "too-often", "too many attempts: wait a minute")
    if arena.member_guard.is_locked:
        raise refusal(429, "locked", "too many wrong passwords: wait a quarter of an hour")
    if (seconds := arena.member_guard.waits(who)) > 0:
        raise refusal(429, "too-often", f"wrong too often: wait {math.ceil(seconds)} seconds")


@router.delete("/login", status_code=204)
def log_member_out(request: Request, response: Response, caller: TheCaller) -> None:
    """Log out."""
    secret = request.cookies.get(COOKIE)
    if secret is not None:
        arena_of(request).rights.close_session(secret)
        caller.accounts.logins.close(secret)
    response.delete_cookie(COOKIE)


@router.post("/reset")
async def reset_password(
    request: Request,
    response: Response,
    arena: TheArena,
    accounts: TheAccounts,
    order: models.ResetOrder,
) -> models.MeView:
    """Choose a new password by a reset link, which can be used once, and log in."""
    _admit(arena, client_of(request), client_of(request))
    login = await asyncio.to_thread(accounts.logins.find, order.secret, "reset")
    if login is None:
        arena.member_guard.failed(client_of(request))
        raise refusal(403, "reset-link", "this link is spent or has expired: ask for a new one")
    async with arena.hashing:
        await asyncio.to_thread(accounts.members.set_password, login.member, order.password)
    return await _logged_in(arena, accounts, response, accounts.members.find(login.member))


# ------------------------------------------------------------------------------- my own account


@router.post("/me/password")
async def change_own_password(
    request: Request,
    response: Response,
    arena: TheArena,
    caller: TheCaller,
    order: models.PasswordChange,
) -> models.MeView:
    """Choose another password; all other logins end."""
    member = caller.known(Action.OWN_ACCOUNT)
    await _prove(arena, request, caller, member, order.old)
    async with arena.hashing:
        await asyncio.to_thread(caller.accounts.members.set_password, member.id, order.password)
    return await _logged_in(arena, caller.accounts, response, member)


@router.get("/me/export", response_class=Response)
def export_own_data(caller: TheCaller) -> Response:
    """All data about the caller, as a ZIP."""
    member = caller.known(Action.OWN_ACCOUNT)
    target = tempfile.TemporaryFile()  # noqa: SIM115  (open until it has been sent)
    caller.accounts.privacy.export(member.id, target)
    target.seek(0)
    named = {"content-disposition": 'attachment; filename="spielleiter-my-data.zip"'}
    return StreamingResponse(_chunks(target), headers=named, media_type="application/zip")


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


@router.post("/me/erase", status_code=204)
async def erase_own_account(
    request: Request,
    response: Response,
    arena: TheArena,
    caller: TheCaller,
    order: models.Confirmation,
) -> None:
    """Erase the caller; the record of games keeps only an anonymous id."""
    member = caller.known(Action.OWN_ACCOUNT)
    await _prove(arena, request, caller, member, order.password)
    await asyncio.to_thread(caller.accounts.privacy.erase_member, member.id)
    response.delete_cookie(COOKIE)


async def _prove(
    arena: Arena, request: Request, caller: Caller, member: Member, password: str
) -> None:
    who = f"{client_of(request)} {member.name.casefold()}"
    _admit(arena, client_of(request), who)
    async with arena.hashing:
        right = await asyncio.to_thread(caller.accounts.members.is_password, member.id, password)
    if not right:
        arena.member_guard.failed(who)
        raise refusal(401, "wrong-password", "this is not the password")


@router.get("/me/tokens")
def list_tokens(caller: TheCaller) -> models.TokenList:
    """The tokens of the caller."""
    member = caller.known(Action.OWN_TOKENS)
    tokens = caller.accounts.logins.tokens(member.id)
    return models.TokenList(tokens=tuple(map(_token, tokens)))


@router.post("/me/tokens", status_code=201)
def make_token(caller: TheCaller, order: models.TokenOrder) -> models.MadeToken:
    """A token for a program, with narrow rights."""
    member = caller.known(Action.OWN_TOKENS)
    logins = caller.accounts.logins
    return models.MadeToken(
        secret=logins.make_token(member.id, order.label, order.scopes, order.days)
    )


@router.delete("/me/tokens/{token}", status_code=204)
def revoke_token(caller: TheCaller, token: str) -> None:
    """End a token now."""
    caller.accounts.logins.revoke(caller.known(Action.OWN_TOKENS).id, token)


# ----------------------------------------------------------------------------- what organisers do


@router.get("/members")
def list_members(caller: TheCaller) -> models.MemberList:
    """All members."""
    caller.need(Action.LIST_MEMBERS)
    return models.MemberList(members=tuple(map(member_view, caller.accounts.members.all())))


@router.post("/members/{member}/name", status_code=204)
def rename_member(caller: TheCaller, member: str, order: models.NameOrder) -> None:
    """Give a member another name, because the one it chose was refused."""
    caller.need(Action.RENAME_MEMBER)
    caller.accounts.members.rename(caller.accounts.members.find(member).id, order.name)


@router.post("/members/{member}/reset", status_code=201)
def make_reset_link(caller: TheCaller, member: str) -> models.LinkView:
    """A link to choose a new password once."""
    caller.need(Action.MAKE_RESET)
    secret = caller.accounts.logins.make_reset(caller.accounts.members.find(member).id)
    return models.LinkView(link=f"/reset/{secret}", expires=time.time() + RESET)


@router.post("/members/{member}/role", status_code=204)
def set_role(caller: TheCaller, member: str, order: models.RoleOrder) -> None:
    """Make a member an organiser, or a member again."""
    caller.need(Action.SET_ROLE)
    caller.accounts.members.set_role(caller.accounts.members.find(member).id, order.role)


@router.delete("/members/{member}", status_code=204)
def erase_member(caller: TheCaller, member: str) -> None:
    """Erase a member."""
    caller.need(Action.ERASE_MEMBER)
    caller.accounts.privacy.erase_member(caller.accounts.members.find(member).id)


@router.get("/registration")
def show_registration(caller: TheCaller) -> models.RegistrationView:
    """Who may register, and the class code."""
    caller.need(Action.SET_REGISTRATION)
    found = caller.accounts.settings.registration()
    return models.RegistrationView(rule=found.rule, code=found.code)


@router.post("/registration")
def set_registration(caller: TheCaller, order: models.RegistrationOrder) -> models.RegistrationView:
    """Decide who may register; a class code is made anew."""
    caller.need(Action.SET_REGISTRATION)
    found = caller.accounts.settings.set_registration(order.rule)
    return models.RegistrationView(rule=found.rule, code=found.code)


@router.get("/texts/{name}")
def show_text(accounts: TheAccounts, name: str) -> models.PageView:
    """The operator's privacy page or imprint."""
    _check_page(name)
    return models.PageView(name=name, text=accounts.settings.page(name))


@router.post("/texts/{name}")
def write_text(caller: TheCaller, name: str, order: models.PageOrder) -> models.PageView:
    """Write the privacy page or the imprint."""
    caller.need(Action.WRITE_PAGES)
    _check_page(name)
    caller.accounts.settings.set_page(name, order.text)
    return models.PageView(name=name, text=order.text)


def _check_page(name: str) -> None:
    if name not in PAGES:
        raise refusal(404, "no-such-page", f"the pages are {', '.join(PAGES)}")


# ------------------------------------------------------------------------------------------ inside


async def _logged_in(
    arena: Arena, accounts: ArenaAccounts, response: Response, member: Member
) -> models.MeView:
    secret = await asyncio.to_thread(accounts.logins.open_session, member.id)
    response.set_cookie(
        COOKIE,
        secret,
        max_age=int(SESSION),
        httponly=True,
        samesite="strict",
        secure=arena.secure,
    )
    caller = await asyncio.to_thread(by_session, arena, accounts, secret)
    return await asyncio.to_thread(_me, arena, caller, secret)


def _me(arena: Arena, caller: Caller, secret: str | None) -> models.MeView:
    member, accounts = caller.member, caller.accounts
    teams = [] if member is None else accounts.teams.of_member(member.id)
    logged_in = secret is not None and (member is not None or caller.is_organiser)
    return models.MeView(
        member=None if member is None else member_view(member),
        organiser=caller.is_organiser,
        teams=tuple(models.TeamName(id=each.id, name=each.name) for each in teams),
        csrf=arena.rights.csrf(secret) if logged_in and secret else None,
        registration=accounts.settings.registration().rule,
        uploads=arena.uploads_refused,
        trusts_uploads=arena.trusts_uploads,
        largest=accounts.files.largest,
    )


def member_view(member: Member) -> models.MemberView:
    """A member, as the API shows it."""
    return models.MemberView(
        id=member.id, name=member.name, role=member.role, created=member.created
    )


def _token(login: MemberLogin) -> models.TokenView:
    return models.TokenView(
        id=login.id,
        label=login.label,
        scopes=tuple(sorted(login.scopes)),
        created=login.created,
        expires=login.expires,
    )

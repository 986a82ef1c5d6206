"""An HTTP client for an arena, as a member with a token: uploads bots."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from spielleiter.errors import UsageError

SCOPES = ("read", "upload", "play")
DAYS = 90
"""Days that a command-line login lasts."""
_PATIENCE = 120.0
_FAILURES = 5
"""Failed requests in a row that are tolerated while waiting for a check."""
_PASSING = ("busy", "store", "too-many-connections", "too-many-requests")
"""Status codes of temporary failures."""
_OWNER = 0o600


class ArenaRefused(UsageError):
    """The arena refused a request; `code` names the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ArenaClient:
    """A client for one arena, with its token."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url, self._token, self._csrf = root_of(url), token, ""
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._open = urllib.request.build_opener(jar, _NoRedirects()).open

    def log_in(self, name: str, password: str, label: str) -> str:
        """Log in and create a token; returns it."""
        me = self.ask("POST", "/api/login", {"name": name, "password": password})
        self._csrf = me["csrf"]
        order = {"label": label, "scopes": SCOPES, "days": DAYS}
        try:
            return str(self.ask("POST", "/api/me/tokens", order)["secret"])
        finally:
            self.ask("DELETE", "/api/login")

    def upload(self, bot: str, file: Path) -> Any:
        """Upload a file as a new version of a bot; returns the arena's answer."""
        name = urllib.parse.urlencode({"name": file.name})
        with file.open("rb") as source:
            size = str(file.stat().st_size)
            headers = {"content-type": "application/octet-stream", "content-length": size}
            return self._send("POST", f"/api/bots/{bot}/versions?{name}", source, headers)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request; raises ArenaRefused."""
        data = None if body is None else json.dumps(body).encode()
        return self._send(method, path, data, {"content-type": "application/json"})

    def _send(self, method: str, path: str, data: Any, headers: dict[str, str]) -> Any:
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        if self._csrf:
            headers["x-csrf-token"] = self._csrf
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with self._open(request, timeout=_PATIENCE) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as problem:
            raise UsageError(f"{self.url} does not answer: {problem}") from None
        return json.loads(text) if text else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, so that the token reaches only its arena."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _refusal(error: urllib.error.HTTPError) -> ArenaRefused:
    with error, contextlib.suppress(ValueError, KeyError, TypeError):
        detail = json.loads(error.read())["detail"]
        return ArenaRefused(str(detail["code"]), str(detail["message"]))
    return ArenaRefused("http", f"the answer was {error.code} {error.reason}: is this an arena?")


def root_of(url: str) -> str:
    """The root of an arena, without a slash at its end; raises UsageError."""
    parts = urllib.parse.urlsplit(url if "://" in url else f"https://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{url!r} is no address of an arena: https://arena.example")
    return f"{parts.scheme}://{parts.netloc}"


# --------------------------------------------------------------------------------- kept logins


class SavedLogins:
    """The tokens of arenas in a private file; the last one is the default."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or _configuration() / "logins.json"

    def save(self, url: str, token: str) -> None:
        """Keep a token; this arena is the default from now on."""
        kept = {each: value for each, value in self._read().items() if each != url}
        self._write({**kept, url: token})

    def forget(self, url: str) -> bool:
        """Forget an arena's token; whether there was one."""
        kept = self._read()
        known = kept.pop(url, None) is not None
        self._write(kept)
        return known

    def find(self, url: str | None, environment: dict[str, str]) -> tuple[str, str]:
        """Arena and token: from the environment, as in CI, or the last saved one."""
        kept = self._read()
        where = url or environment.get("SPIELLEITER_URL") or next(reversed(kept), None)
        if where is None:
            raise UsageError("which arena? Run `spielleiter login URL` first")
        root = root_of(where)
        token = environment.get("SPIELLEITER_TOKEN") or kept.get(root)
        if not token:
            raise UsageError(f"you are not logged in: spielleiter login {root}")
        return root, token

    def _read(self) -> dict[str, str]:
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as problem:
            raise UsageError(f"{self._file} cannot be read: {problem}") from problem
        return {str(url): str(token) for url, token in found.items()}

    def _write(self, kept: dict[str, str]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2)
        os.replace(part, self._file)


def _configuration() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "spielleiter"


# ------------------------------------------------------------------------------------- uploading


def team_of(arena: ArenaClient, name: str | None) -> str:
    """The id of the team to upload for; raises UsageError if that is not clear."""
    teams = arena.ask("GET", "/api/me")["teams"]
    found = [each for each in teams if name is None or each["name"].casefold() == name.casefold()]
    if len(found) == 1:
        return str(found[0]["id"])
    known = ", ".join(each["name"] for each in teams)
    raise UsageError(
        f"which team: {known}? Choose it with --team" if known else "you are in no team yet"
    )


def bot_of(arena: ArenaClient, team: str, name: str, edition: str | None) -> str:
    """The id of a team's bot of that name, created if there is none."""
    for bot in arena.ask("GET", f"/api/teams/{team}")["bots"]:
        if bot["name"].casefold() == name.casefold():
            return str(bot["id"])
    if edition is None:
        raise UsageError(f"{name!r} is a new bot: which game does it play? Choose it with --game")
    order = {"edition": edition, "name": name}
    return str(arena.ask("POST", f"/api/teams/{team}/bots", order)["id"])


def checked(arena: ArenaClient, version: str, pause: Callable[[], object]) -> Any:
    """Wait until a version has been checked; returns the findings. Retries after short failures."""
    failures = 0
    while True:
        try:
            found = arena.ask("GET", f"/api/versions/{version}")
        except UsageError as problem:
            failures += 1
            if failures > _FAILURES or getattr(problem, "code", "busy") not in _PASSING:
                raise
        else:
            failures = 0
            if found["state"] != "waiting":
                return found
        pause()

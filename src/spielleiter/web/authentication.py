"""Authentication of the organiser: one password, sessions and rate limits.

Viewing is open to everybody. The password is kept as an argon2 hash, sessions as hashes of their
tokens, both in one file that is replaced as a whole.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from spielleiter.errors import StoreError
from spielleiter.store.private import write_private

FILE = "access.json"
LASTS = 30 * 24 * 3600.0
"""Seconds a session lasts."""
_MOST_SESSIONS = 1_000


class Authentication:
    """The organiser's password and sessions."""

    def __init__(
        self,
        folder: Path | None,
        *,
        now: Callable[[], float] = time.time,
        hasher: PasswordHasher | None = None,
    ) -> None:
        self._path = None if folder is None else folder / FILE
        self._now = now
        self._hasher = hasher or PasswordHasher()
        self._hash: str | None = None
        self._sessions: OrderedDict[str, float] = OrderedDict()
        self._read()

    @property
    def password_set(self) -> bool:
        """Whether there is a password already."""
        return self._hash is not None

    def set_password(self, password: str) -> None:
        """Set the password; all sessions end. Slow on purpose."""
        self._hash = self._hasher.hash(password)
        self._sessions.clear()
        self._write()

    def is_password(self, password: str) -> bool:
        """Whether that is the password. Slow on purpose."""
        if self._hash is None:
            return False
        try:
            return self._hasher.verify(self._hash, password)
        except (VerificationError, InvalidHashError):
            return False

    # ------------------------------------------------------------------------------- sessions

    def open_session(self) -> str:
        """The token of a new session."""
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = self._now() + LASTS
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        self._write()
        return token

    def is_organiser(self, token: str | None) -> bool:
        """Whether a session of that token is open."""
        ends = self._sessions.get(_digest(token)) if token else None
        return ends is not None and ends > self._now()

    def close_session(self, token: str) -> None:
        """End that session."""
        if self._sessions.pop(_digest(token), None) is not None:
            self._write()

    @staticmethod
    def csrf(token: str) -> str:
        """The CSRF token of a session."""
        return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()

    # ------------------------------------------------------------------------------- the file

    def _read(self) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            data: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
            self._hash = data["password"]
            self._sessions = OrderedDict(data["sessions"])
        except (OSError, ValueError, KeyError) as problem:
            raise StoreError(f"{self._path} cannot be read: {problem}") from problem

    def _write(self) -> None:
        if self._path is None:
            return
        now = self._now()
        sessions = {name: ends for name, ends in self._sessions.items() if ends > now}
        text = json.dumps({"password": self._hash, "sessions": sessions})
        try:
            write_private(self._path, text.encode())
        except OSError as problem:
            raise StoreError(f"{self._path} cannot be written: {problem}") from problem


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class RateLimit:
    """Allows each key `times` calls in `seconds`; remembers a bounded number of keys."""

    def __init__(
        self, times: int, seconds: float, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._times, self._seconds, self._now = times, seconds, now
        self._seen: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def passes(self, who: str) -> bool:
        """Whether a call of this key is allowed now."""
        now = self._now()
        left, at = self._seen.pop(who, (float(self._times), now))
        left = min(float(self._times), left + (now - at) * self._times / self._seconds)
        allowed = left >= 1
        self._seen[who] = (left - 1 if allowed else left, now)
        while len(self._seen) > _MOST_SESSIONS:
            self._seen.popitem(last=False)
        return allowed

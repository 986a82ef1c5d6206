"""Where a store is. Its text never shows the password."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

HIDDEN = "***"
STORE = "arena.db"
"""The store of an arena, in its data folder."""
STRANGERS = "strangers"
"""The folder beside it with stores of games that are kept only for a while."""
_PASSWORD = re.compile(r"(?<=//)(?P<user>[^/@]*?):(?P<password>.*)@(?=[^@]*$)")
_PARAMETER = re.compile(r"(?<=[?&])(?P<name>password|passwd|pass|sslpassword)=(?P<password>[^&]*)")


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A file, or the URL of a database. Its text hides the password; only `url` has it."""

    where: str = field(repr=False)

    @classmethod
    def of(cls, where: str | Path | StoreAddress) -> StoreAddress:
        """Make an address from a text, a path or an address."""
        return where if isinstance(where, StoreAddress) else cls(str(where))

    @property
    def is_database(self) -> bool:
        """Whether it is a URL, and not a file."""
        return "://" in self.where

    @property
    def exists(self) -> bool:
        """Whether the store may exist; always true for a database."""
        return self.is_database or Path(self.where).exists()

    @property
    def url(self) -> str:
        """The URL with the password: never print it."""
        if not self.is_database:
            return f"sqlite:///{self.where}"
        return self.where.replace("postgresql://", "postgresql+psycopg://", 1)

    def hide_in(self, text: str) -> str:
        """A text, such as the message of a driver, without the password."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text

    def _secrets(self) -> set[str]:
        patterns = (_PASSWORD, _PARAMETER) if self.is_database else ()
        found = [match["password"] for each in patterns for match in each.finditer(self.where)]
        return {form for secret in found if secret for form in (secret, unquote(secret))}

    def __str__(self) -> str:
        if not self.is_database:
            return self.where
        text = _PASSWORD.sub(lambda match: f"{match['user']}:{HIDDEN}@", self.where)
        return _PARAMETER.sub(lambda match: f"{match['name']}={HIDDEN}", text)

"""Names of people, teams and bots: short, printable and distinguishable."""

from __future__ import annotations

import re
import unicodedata

from spielleiter.errors import UsageError

SHORTEST, LONGEST = 2, 40
_SPACES = re.compile(r"\s+")
_REFUSED = ("C", "Zl", "Zp")
"""Categories of characters that show nothing, or change how others are shown."""
RESERVED = frozenset({"organiser", "organisator", "spielleiter", "admin", "administrator", "guest"})
"""Names that could be mistaken for an official role."""


class NameTaken(UsageError):
    """Somebody has that name already."""


def checked_name(text: str) -> str:
    """The name, normalised; raises UsageError if it is not acceptable."""
    name = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    if not SHORTEST <= len(name) <= LONGEST:
        raise UsageError(f"a name has {SHORTEST} to {LONGEST} characters")
    if any(unicodedata.category(each).startswith(_REFUSED) for each in name):
        raise UsageError("a name has letters, digits, marks and spaces only")
    if key_of(name) in RESERVED:
        raise UsageError(f"{name!r} would be taken for somebody else: choose another name")
    return name


def key_of(name: str) -> str:
    """The key by which names must be unique: without case."""
    return unicodedata.normalize("NFKC", name).casefold()

"""Names of people, teams and bots: short, printable, and not to be mistaken for another."""

from __future__ import annotations

import re
import unicodedata

from spielleiter.errors import UsageError

SHORTEST, LONGEST = 2, 40
_SPACES = re.compile(r"\s+")
_REFUSED = ("C", "Zl", "Zp")
"""Categories of characters that show nothing, or change how others are shown."""
RESERVED = frozenset({"organiser", "organisator", "spielleiter", "admin", "administrator", "guest"})
"""Names that people would take for somebody else."""


class NameTaken(UsageError):
    """Somebody has that name already."""


def checked_name(text: str) -> str:
    """A name as it is shown; raises UsageError with what is wrong with it."""
    name = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    if not SHORTEST <= len(name) <= LONGEST:
        raise UsageError(f"a name has {SHORTEST} to {LONGEST} characters")
    if any(unicodedata.category(each).startswith(_REFUSED) for each in name):
        raise UsageError("a name has letters, digits, marks and spaces only")
    if key_of(name) in RESERVED:
        raise UsageError(f"{name!r} would be taken for somebody else: choose another name")
    return name


def key_of(name: str) -> str:
    """What two names must not share: upper and lower case are the same."""
    return unicodedata.normalize("NFKC", name).casefold()

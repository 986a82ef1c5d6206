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


_LOOKALIKES = re.compile(
    "[\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501]"
)
"""Greek and Cyrillic letters that look like Latin ones."""
_WORD, _LATIN = re.compile(r"[^\W\d_]+"), re.compile("[A-Za-z]")


class NameTaken(UsageError):
    """Somebody has that name already."""


def checked_name(text: str) -> str:
    """The name, normalised; raises UsageError if it is not acceptable."""
    name = _SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
    if not SHORTEST <= len(name) <= LONGEST:
        raise UsageError(f"a name has {SHORTEST} to {LONGEST} characters")
    if any(unicodedata.category(each).startswith(_REFUSED) for each in name):
        raise UsageError("a name has letters, digits, marks and spaces only")
    if any(map(_misleads, _WORD.findall(name))):
        raise UsageError("a word has letters of one alphabet only: some look like those of another")
    if key_of(name) in RESERVED:
        raise UsageError(f"{name!r} would be taken for somebody else: choose another name")
    return name


def _misleads(word: str) -> bool:
    """Whether a word has Latin letters and others that look like them."""
    return bool(_LATIN.search(word) and _LOOKALIKES.search(word))


def key_of(name: str) -> str:
    """The key by which names must be unique: without case."""
    return unicodedata.normalize("NFKC", name).casefold()

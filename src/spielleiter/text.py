"""Texts for people: a message id with arguments, and one catalogue of messages per language.

Every game, and the package itself, has a folder `texts/` with a TOML file per language, `en.toml`
among them: message ids and their texts, with `{names}` for arguments. Code calls `messages("turn",
colour=…)` and gets a `Text`: an English string that also has the id and the arguments, so that it
can be translated.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from spielleiter.errors import UnknownName

ENGLISH = "en"
_FOLDER, _ENDING = "texts", ".toml"
_MARK = "\x1e"
"""Starts a stored text that has its id and arguments; older stores have plain strings."""

Value = str | int | float
Catalogue = Mapping[str, str]
"""Message id → what it says in one language."""


class Text(str):
    """A message in English that remembers its id and arguments, so that others can translate it."""

    __slots__ = ("_said", "id", "values")

    id: str
    values: Mapping[str, Value]
    _said: tuple[Catalogue, str] | None
    """The language it was last translated into, and how."""

    def __new__(cls, key: str, english: str, values: Mapping[str, Value] | None = None) -> Text:
        """The message `key`, whose English words with all values filled in are `english`."""
        self = super().__new__(cls, english)
        self.id, self.values, self._said = key, values or {}, None
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Text, (self.id, str(self), dict(self.values))


class Messages:
    """The messages of one part of the program, in English until they are translated."""

    def __init__(self, package: str, prefix: str = "") -> None:
        """`package` has the folder `texts/`; `prefix` is the section of this part."""
        self._prefix = prefix
        self._english = {
            key.removeprefix(prefix): text
            for key, text in catalogue(package, ENGLISH).items()
            if key.startswith(prefix)
        }
        self._plain = {key: Text(prefix + key, text) for key, text in self._english.items()}

    def __contains__(self, key: str) -> bool:
        """Whether there is such a message."""
        return key in self._english

    def __call__(self, key: str, /, **values: Value) -> Text:
        """The message `key` with its values; raises UnknownName if there is no such message."""
        if key not in self._english:
            raise UnknownName("message", key, self._english)
        if not values:
            return self._plain[key]
        return Text(self._prefix + key, self._english[key].format(**values), values)


def listed(messages: Messages, texts: Sequence[Text]) -> Text:
    """Several texts as a list, joined by the message `listed` of that part."""
    first, *rest = texts
    return messages("listed", first=first, rest=listed(messages, rest)) if rest else first


def as_data(text: Value) -> Any:
    """A text as JSON, to be translated later; other values are returned unchanged."""
    if not isinstance(text, Text):
        return text
    return [text.id, str(text), {name: as_data(each) for name, each in text.values.items()}]


def from_data(data: Any) -> Any:
    """The inverse of `as_data`; raises ValueError for other data."""
    match data:
        case [str(key), str(english), dict(values)]:
            found = {name: from_data(each) for name, each in values.items()}
            return Text(key, english, found)
        case str() | int() | float():
            return data
    raise ValueError(f"this is no text: {data!r}")


def stored(text: str) -> str:
    """A text as one string, with its id and arguments; `from_stored` reads it."""
    if not isinstance(text, Text):
        return text.lstrip(_MARK)
    return _MARK + json.dumps(as_data(text), ensure_ascii=False)


def from_stored(stored: str) -> str:
    """The text that `stored` wrote; any other string is returned as it is."""
    if not stored.startswith(_MARK):
        return stored
    try:
        found = from_data(json.loads(stored[1:]))
    except ValueError:
        return stored
    return found if isinstance(found, Text) else stored


def translate(text: str, messages: Catalogue) -> str:
    """A text in the language of a catalogue; plain strings, such as names, stay as they are.

    A message that the catalogue lacks stays English: a missing translation is no failure.
    """
    if not isinstance(text, Text):
        return text
    if (kept := text._said) is not None and kept[0] is messages:
        return kept[1]
    words = _translated(text, messages)
    text._said = (messages, words)
    return words


def _translated(text: Text, messages: Catalogue) -> str:
    said = messages.get(text.id)
    if said is None:
        return str(text)
    values = {
        name: translate(value, messages) if isinstance(value, Text) else value
        for name, value in text.values.items()
    }
    return said.format(**values)


@functools.cache
def catalogue(package: str, language: str) -> Catalogue:
    """The messages of a package in a language; empty if it has no file for it."""
    file = resources.files(package).joinpath(_FOLDER, language + _ENDING)
    return dict(_flat(tomllib.loads(file.read_text("utf-8")))) if file.is_file() else {}


def languages(package: str) -> tuple[str, ...]:
    """The languages that a package has a file for, in the order of their codes."""
    files = resources.files(package).joinpath(_FOLDER).iterdir()
    return tuple(
        sorted(each.name.removesuffix(_ENDING) for each in files if each.name.endswith(_ENDING))
    )


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Sections of a file become beginnings of ids: `[mistake] OVER` is `mistake.OVER`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield above + key, value

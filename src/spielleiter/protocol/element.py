"""One XML element as a value, and its text exactly as the official servers write it.

`Element` is what the protocol layer knows of a game's payload: a name, attributes, children, text.
`Markup` is an element already written, so that a position is rendered once and sent to many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NewType

Markup = NewType("Markup", str)
"""One element as text, its first line at the margin, two blanks per level, no newline around it."""

_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&apos;",
    "\r": "&#xd;",
    "\n": "&#xa;",
}
_IMPOSSIBLE = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"  # no XML can say these
_IN_TEXT = re.compile(f"[&<>\"'\r\n{_IMPOSSIBLE}]")
_IN_ATTRIBUTE = re.compile(f"[&<>\"'\r\n\t{_IMPOSSIBLE}]")
_ESCAPES_IN_ATTRIBUTE = _ESCAPES | {"\t": "&#x9;"}
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Element:
    """One element: name, attributes and child elements in order, text if it has no children."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: tuple[Element, ...] = ()
    text: str = ""

    def get(self, name: str) -> str | None:
        """An attribute; like the official reader, also when it was given as a child element."""
        if (value := self.attributes.get(name)) is not None:
            return value
        child = self.child(name)
        return None if child is None else child.text

    def child(self, name: str) -> Element | None:
        """The first child element of that name."""
        return next(self.all(name), None)

    def all(self, name: str) -> Iterator[Element]:
        """All child elements of that name."""
        return (child for child in self.children if child.name == name)

    def named(self, name: str) -> Element:
        """The same element under another name."""
        return replace(self, name=name)


def markup(element: Element) -> Markup:
    """The element as official servers format it: two blanks per level, `<a b="c"/>` if empty."""
    lines: list[str] = []
    _write(element, "\n", lines)
    return Markup("".join(lines)[1:])


def indented(text: Markup, level: int) -> str:
    """The markup as it stands `level` levels deep in a stream: newline and indentation first."""
    return ("\n" + text).replace("\n", "\n" + "  " * level)


def attribute(text: str) -> str:
    """A text escaped to stand between the quotes of an attribute."""
    return _IN_ATTRIBUTE.sub(lambda found: _ESCAPES_IN_ATTRIBUTE.get(found[0], _REPLACEMENT), text)


def content(text: str) -> str:
    """A text escaped to stand between two tags."""
    return _IN_TEXT.sub(lambda found: _ESCAPES.get(found[0], _REPLACEMENT), text)


def opening(name: str, attributes: Mapping[str, str]) -> str:
    """A start tag without its final bracket."""
    tag = f"<{name}"
    for key, value in attributes.items():
        tag += f' {key}="{attribute(value)}"'
    return tag


def _write(element: Element, margin: str, lines: list[str]) -> None:
    tag = margin + opening(element.name, element.attributes)
    if element.children:
        lines.append(tag + ">")
        for child in element.children:
            _write(child, margin + "  ", lines)
        lines.append(f"{margin}</{element.name}>")
    elif element.text:
        lines.append(f"{tag}>{content(element.text)}</{element.name}>")
    else:
        lines.append(tag + "/>")

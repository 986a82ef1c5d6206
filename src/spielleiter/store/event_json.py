"""Events of a match as JSON, as stores hold them: `{"kind": "played", "number": 7, …}`.

pydantic reads and writes the dataclasses of `spielleiter.match` as they are. Two things differ from
its own form, so that every store stays readable: a clock has a `kind`, and the kind of a fault is
written by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from spielleiter.errors import TextError
from spielleiter.match.clock import clock_from_json, clock_to_json
from spielleiter.match.events import (
    Began,
    Ended,
    Event,
    Fault,
    Opened,
    PauseChanged,
    Played,
    Seated,
    Shown,
    TakenBack,
    TurnBegan,
    Violated,
)

_KINDS: dict[str, type[Event]] = {
    "opened": Opened,
    "seated": Seated,
    "began": Began,
    "shown": Shown,
    "turn": TurnBegan,
    "played": Played,
    "pause": PauseChanged,
    "taken back": TakenBack,
    "violated": Violated,
    "ended": Ended,
}
_BEGINNING = re.compile(r'\{"kind": ?"(\w+)"')
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ADAPTERS: dict[type[Event], TypeAdapter[Event]] = {
    kind: TypeAdapter(kind) for kind in _KINDS.values()
}


def to_json(event: Event) -> dict[str, Any]:
    """The event as plain data."""
    kind = type(event)
    data: dict[str, Any] = {
        "kind": _NAMES[kind],
        **_ADAPTERS[kind].dump_python(event, mode="json"),
    }
    if isinstance(event, Opened):
        data["clock"] = clock_to_json(event.clock)
    elif isinstance(event, Violated):
        _name_kinds([data["fault"]], [event.fault])
    elif isinstance(event, Ended):
        _name_kinds(data["faults"], event.faults)
    return data


def from_json(data: dict[str, Any]) -> Event:
    """The event that plain data describes; raises TextError if it describes none."""
    try:
        kind = _KINDS[data["kind"]]
        if kind is Opened:
            data = {**data, "clock": clock_from_json(data["clock"])}
        return _ADAPTERS[kind].validate_python(data)
    except (KeyError, TypeError, ValidationError) as problem:
        raise TextError(f"this is not an event of a match: {problem!r}") from problem


def read_event(text: str) -> Event:
    """Parse a stored event directly from its text, which takes half the time."""
    beginning = _BEGINNING.match(text)
    kind = _KINDS.get(beginning[1]) if beginning else None
    if kind is None or kind is Opened:
        return from_json(_parsed(text))
    try:
        return _ADAPTERS[kind].validate_json(text)
    except ValidationError as problem:
        raise TextError(f"this is not an event of a match: {problem!r}") from problem


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as problem:
        raise TextError(f"this is not an event of a match: {problem}") from problem


def _name_kinds(plain: list[dict[str, Any]], faults: Sequence[Fault | None]) -> None:
    for data, fault in zip(plain, faults, strict=True):
        if fault is not None:
            data["kind"] = fault.kind.name

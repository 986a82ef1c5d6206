"""Reads sections of a contest's file strictly, with readable errors.

A setting that is unknown, or that the chosen format does not use, is an error: rules must not be
ignored silently.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from spielleiter.errors import UsageError
from spielleiter.tournament import units

_EXPECTED = {
    "bool_type": "expected true or false",
    "dict_type": "expected a section",
    "float_type": "expected a number",
    "int_type": "expected a whole number",
    "list_type": "expected a list",
    "model_type": "expected a section",
    "string_type": "expected a text",
}


class Section(BaseModel):
    """A section with known, typed, immutable settings."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _read_as(convert: Callable[[str], float]) -> BeforeValidator:
    def converted(value: Any) -> float:
        try:
            return convert(str(value))
        except UsageError as error:
            raise ValueError(str(error)) from error

    return BeforeValidator(converted)


Seconds = Annotated[float, _read_as(units.seconds)]
"""A time such as `2s`, `500ms` or `1.5`, in seconds."""
Bytes = Annotated[int, _read_as(units.size)]
"""A size such as `1.5GB` or `64MB`, in bytes."""

Read = TypeVar("Read", bound=Section)


def read_section(kind: type[Read], data: Mapping[str, Any], name: str = "") -> Read:
    """Parse a section; errors name section, key and the nearest known key.

    Without a name the data is a whole file.
    """
    try:
        return kind.model_validate(dict(data))
    except ValidationError as error:
        problems = [_problem(kind, each, name) for each in error.errors()]
        raise UsageError("\n".join(problems)) from None


def _problem(kind: type[Section], error: Any, name: str) -> str:
    path: tuple[str | int, ...] = (name, *error["loc"]) if name else error["loc"]
    section, key = _place(path[:-1]), str(path[-1])
    if error["type"] == "extra_forbidden":
        return _unknown(section, key, _known(kind, error["loc"][:-1]))
    if error["type"] == "missing":
        return f"{section} says no {key}" if section else f"there is no section [{key}]"
    what = error["ctx"]["error"] if error["type"] == "value_error" else error["msg"]
    return f"{section} {_line(key, error['input'])}: {_EXPECTED.get(error['type'], what)}".strip()


def _place(path: Sequence[str | int]) -> str:
    """`[contest]`, or `[[team]] 3` for the third of its kind."""
    if not path:
        return ""
    if len(path) > 1 and isinstance(path[1], int):
        return f"[[{path[0]}]] {path[1] + 1}"
    return f"[{path[0]}]"


def _line(key: str, value: Any) -> str:
    return f"[{key}]" if isinstance(value, dict | list) else f"{key} = {value!r}"


def _unknown(section: str, key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}"
    what = f"{section} has no setting {key!r}" if section else f"there is no section [{key}]"
    return f"{what}; {hint}"


def _known(kind: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The settings of the section that a path leads to."""
    for step in path:
        if isinstance(step, str):
            kind = _model_in(kind.model_fields[step].annotation)
    return list(kind.model_fields)


def _model_in(annotation: Any) -> type[BaseModel]:
    """`Team` of `list[Team]`, or the model itself."""
    for each in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    raise AssertionError(f"{annotation} holds no section")

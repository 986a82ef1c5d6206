"""The definition of a season: a contest's file without its teams, read and written as TOML."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.tournament.definition import Definition, read

Data = dict[str, Any]
"""What a TOML file says."""
_TEAM, _STORE = "team", "store"
_ENDLESS = (float("inf"), float("-inf"))
_STAND_INS = 32
"""Stand-in teams for checking a definition before anybody entered."""


def parsed(text: str) -> Data:
    """What a contest's file says, without teams and store; raises TextError or UsageError."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TextError(f"this is no TOML: {error}") from error
    for name, each in data.items():
        if not all(isinstance(one, dict) for one in (each if isinstance(each, list) else [each])):
            raise TextError(f"{name[:80]!r} is no table")
    _check_plain(data)
    data.pop(_TEAM, None)
    if isinstance(data.get("contest"), dict):
        data["contest"].pop(_STORE, None)
    tried(data)
    return data


def _check_plain(value: Any) -> None:
    """Refuse TOML dates: a contest's file has strings, numbers, booleans, lists and tables."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            _check_plain(each)
    elif not isinstance(value, str | int | float | bool) or value in _ENDLESS:
        raise TextError(f"a contest's file does not say {value}")


def tried(data: Data) -> Definition:
    """The definition with stand-ins for teams; raises if it makes no sense."""
    groups = [{"name": f"team {number}"} for number in range(1, _STAND_INS + 1)]
    return defined(data, groups)


def defined(data: Data, teams: Iterable[Mapping[str, Any]]) -> Definition:
    """The contest with these teams; it must be official or say `unofficial`."""
    _check_set_ups(data)
    definition = read(written(data, teams), games.load)
    if "challengers" in data.get("format", {}):
        raise UsageError("a season has no challengers: choose another format")
    definition.check_official()
    return definition


def _check_set_ups(data: Data) -> None:
    """Refuse set-ups that name files: only listed maps are allowed from a browser."""
    contest, set_ups = data.get("contest"), data.get("set_up")
    name = contest.get("game") if isinstance(contest, dict) else None
    if name not in games.names() or not isinstance(set_ups, list):
        return  # it is refused for that, or there is nothing to look at
    for each in set_ups:
        if isinstance(each, dict):
            games.load(name).listed({key: str(value) for key, value in each.items()})


def written(data: Data, teams: Iterable[Mapping[str, Any]] = ()) -> str:
    """The file of a contest, as TOML."""
    parts = [_section(f"[{name}]", each) for name, each in data.items() if isinstance(each, dict)]
    for name, each in data.items():
        if isinstance(each, list):
            parts += [_section(f"[[{name}]]", one) for one in each]
    parts += [_section(f"[[{_TEAM}]]", team) for team in teams]
    return "\n".join(parts)


def _section(head: str, values: Mapping[str, Any]) -> str:
    lines = [f"{_key(name)} = {_value(value)}" for name, value in values.items()]
    return "\n".join([head, *lines, ""])


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else _value(name)


def _value(value: Any) -> str:
    """A value as TOML; strings, numbers, booleans and lists look as in JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

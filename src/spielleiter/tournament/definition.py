"""A contest as people write it: a TOML file, read once and strictly.

A setting nobody knows, or that the chosen format does not use, is refused: a contest that silently
ignores half a sentence of its rules cannot be fair.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spielleiter.errors import TextError, UnknownName, UsageError
from spielleiter.game import AUTHORITIES, Authority
from spielleiter.tournament.knockout import Knockout
from spielleiter.tournament.league import Cup, Gauntlet, League, Mode
from spielleiter.tournament.pairing import Options, PlayerId
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.season import BEST, Season
from spielleiter.tournament.swiss import Swiss
from spielleiter.tournament.table import Limits

_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "min": 60.0}
_SIZES = {"": 1.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_CONTEST = ("name", "game", "authority", "format", "seed", "games", "concurrency", "store")
_LIMITS = ("time", "nodes", "patience")
_SANDBOX = ("minimum", "memory", "cpu", "processes", "disk", "output", "cores", "freeze")
_SECTIONS = ("contest", "limits", "format", "team", "set_up", "sandbox")
_FORMATS: dict[str, tuple[str, ...]] = {
    "league": (),
    "gauntlet": ("challengers",),
    "swiss": ("rounds",),
    "knock-out": ("third_place",),
    "season": ("advance", "finalists"),
    "cup": ("seats", "rank_points"),
}
_TEAM = ("name", "player", "group")


@dataclass(frozen=True, slots=True)
class Team:
    """Who takes part; without a player it loses its games."""

    name: PlayerId
    player: str | None
    group: str | None


@dataclass(frozen=True, slots=True)
class Definition:
    """All that a contest file says."""

    name: str
    game: str
    authority: Authority
    format: str
    seed: int
    games: int
    teams: tuple[Team, ...]
    limits: Limits
    details: Mapping[str, Any]
    """Settings of the format."""
    set_ups: tuple[Options, ...]
    concurrency: int | None
    store: str | None
    sandbox: Mapping[str, Any]
    """How tightly programs are held, and what they may use."""

    @property
    def players(self) -> dict[PlayerId, str | None]:
        """Team → the text of its player."""
        return {team.name: team.player for team in self.teams}

    def schedule(self) -> Schedule:
        """The format with these teams."""
        return _SCHEDULES[self.format](self, Mode(self.seed, self.games, self.set_ups))

    def fixed(self) -> dict[str, Any]:
        """What must not change while a contest runs: all but the players and how it is run."""
        return {
            "name": self.name,
            "game": self.game,
            "authority": self.authority,
            "format": self.format,
            "seed": self.seed,
            "games": self.games,
            "teams": [[team.name, team.group] for team in self.teams],
            "limits": [self.limits.per_move, self.limits.nodes],
            "details": dict(self.details),
            "set_ups": [list(map(list, set_up)) for set_up in self.set_ups],
        }


def read(text: str) -> Definition:
    """The contest that a TOML text defines."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TextError(f"this is no TOML: {error}") from error
    _known("section", data, _SECTIONS)
    contest = _section(data, "contest", _CONTEST)
    for needed in ("name", "game", "format"):
        if needed not in contest:
            raise UsageError(f"[contest] says no {needed}")
    if contest["format"] not in _FORMATS:
        raise UnknownName("format", str(contest["format"]), _FORMATS)
    definition = Definition(
        name=_typed(contest, "name", str),
        game=_typed(contest, "game", str),
        authority=_authority(contest.get("authority", "document")),
        format=contest["format"],
        seed=_typed(contest, "seed", int, 0),
        games=_typed(contest, "games", int, 6),
        teams=_teams(data),
        limits=_limits(_section(data, "limits", _LIMITS)),
        details=_section(data, "format", _FORMATS[contest["format"]]),
        set_ups=_set_ups(data),
        concurrency=_typed(contest, "concurrency", int, None),
        store=_typed(contest, "store", str, None),
        sandbox=_sandbox(_section(data, "sandbox", _SANDBOX)),
    )
    if definition.games < 2 or definition.games % 2:
        raise UsageError(f"games = {definition.games}: an encounter has an even number of games")
    definition.schedule()  # the format may still refuse
    return definition


def seconds(text: str) -> float:
    """The seconds that a text such as `2s`, `500ms` or `1.5` means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{text!r} is no time: write it like 2s, 500ms or 1min")
    return float(found[1]) * _UNITS[found[2]]


def size(text: str) -> int:
    """The bytes that a text such as `1.5GB` or `64MB` means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{text!r} is no size: write it like 1.5GB or 64MB")
    return int(float(found[1]) * _SIZES[found[2]])


def limits(per_move: float | None, nodes: int | None, patience: float | None) -> Limits:
    """What players may spend; without any limit two seconds, as the contest has it."""
    if per_move is None and nodes is None:
        per_move = 2.0
    silent = max(10.0, 5 * per_move) if per_move is not None else 60.0
    return Limits(per_move, nodes, silent if patience is None else patience)


# ------------------------------------------------------------------------------------------ reading


def _known(kind: str, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in data.keys() - set(known):
        raise UnknownName(kind, name, known)


def _section(data: Mapping[str, Any], name: str, known: tuple[str, ...]) -> dict[str, Any]:
    section = data.get(name, {})
    if not isinstance(section, dict):
        raise UsageError(f"{name} has to be a section: [{name}]")
    _known(f"setting of [{name}]", section, known)
    return section


def _typed(section: Mapping[str, Any], name: str, kind: Any, *default: Any) -> Any:
    if name not in section and default:
        return default[0]
    value = section[name]
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise UsageError(f"{name} = {value!r}: expected {_WORDS[kind]}")
    return value


_WORDS: dict[Any, str] = {
    (int, float): "a number",
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
}


def _authority(name: str) -> Authority:
    for known in AUTHORITIES:
        if known == name:
            return known
    raise UnknownName("authority", str(name), AUTHORITIES)


def _limits(section: Mapping[str, Any]) -> Limits:
    times = {
        name: seconds(str(section[name])) if name in section else None
        for name in ("time", "patience")
    }
    nodes = _typed(section, "nodes", int, None)
    return limits(times["time"], nodes, times["patience"])


def _sandbox(section: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes in bytes, times in seconds, everything else as it stands."""
    read: dict[str, Callable[[str], Any]] = {
        "minimum": lambda name: _typed(section, name, str),
        "freeze": lambda name: _typed(section, name, bool),
        "processes": lambda name: _typed(section, name, int),
        "cores": lambda name: float(_typed(section, name, (int, float))),
        "cpu": lambda name: max(1, round(seconds(str(section[name])))),
        **dict.fromkeys(("memory", "disk", "output"), lambda name: size(str(section[name]))),
    }
    return {name: read[name](name) for name in section}


def _teams(data: Mapping[str, Any]) -> tuple[Team, ...]:
    teams = []
    for section in _list(data, "team"):
        _known("setting of [[team]]", section, _TEAM)
        if "name" not in section:
            raise UsageError("every [[team]] needs a name")
        texts = [_typed(section, each, str, None) for each in _TEAM]
        teams.append(Team(*texts))
    names = [team.name for team in teams]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two teams are called {name!r}")
    if len(teams) < 2:
        raise UsageError("a contest needs at least two teams")
    return tuple(teams)


def _set_ups(data: Mapping[str, Any]) -> tuple[Options, ...]:
    set_ups = [
        tuple(sorted((name, str(value)) for name, value in section.items()))
        for section in _list(data, "set_up")
    ]
    return tuple(set_ups) or ((),)


def _list(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise UsageError(f"{name} has to be a list of sections: [[{name}]]")
    return found


# ------------------------------------------------------------------------------------------ formats


def _names(definition: Definition) -> tuple[PlayerId, ...]:
    return tuple(team.name for team in definition.teams)


def _gauntlet(definition: Definition, mode: Mode) -> Schedule:
    challengers = tuple(_typed(definition.details, "challengers", list, []))
    names = _names(definition)
    for name in challengers:
        if name not in names:
            raise UnknownName("team", str(name), names)
    if not challengers:
        raise UsageError("a gauntlet needs [format] challengers = [names of teams]")
    others = tuple(name for name in names if name not in challengers)
    return Gauntlet(definition.name, challengers, others, mode)


def _swiss(definition: Definition, mode: Mode) -> Schedule:
    names = _names(definition)
    rounds = _typed(definition.details, "rounds", int, max(1, (len(names) - 1).bit_length()))
    return Swiss(definition.name, names, rounds, mode)


def _knockout(definition: Definition, mode: Mode) -> Schedule:
    third = _typed(definition.details, "third_place", bool, True)
    return Knockout(definition.name, _names(definition), mode, third)


def _season(definition: Definition, mode: Mode) -> Schedule:
    """Teams of a group stand together; if no group is named they are dealt into two."""
    groups: dict[str, list[PlayerId]] = {}
    for at, team in enumerate(definition.teams):
        if (team.group is None) != (definition.teams[0].group is None):
            raise UsageError("either every team says its group, or none does")
        groups.setdefault(team.group or "AB"[at % 2], []).append(team.name)
    named = tuple((name, tuple(teams)) for name, teams in sorted(groups.items()))
    advance = _typed(definition.details, "advance", int, BEST)
    return Season(named, mode, advance, _typed(definition.details, "finalists", int, BEST))


def _cup(definition: Definition, mode: Mode) -> Schedule:
    seats = _typed(definition.details, "seats", int, 2)
    points = _typed(definition.details, "rank_points", list, list(range(seats - 1, -1, -1)))
    return Cup(definition.name, _names(definition), seats, tuple(points), mode)


_SCHEDULES: dict[str, Callable[[Definition, Mode], Schedule]] = {
    "league": lambda definition, mode: League(definition.name, _names(definition), mode),
    "gauntlet": _gauntlet,
    "swiss": _swiss,
    "knock-out": _knockout,
    "season": _season,
    "cup": _cup,
}

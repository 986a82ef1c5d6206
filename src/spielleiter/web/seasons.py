"""Routes of seasons: entries for teams, everything else for organisers and the jury."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import ValidationError

from spielleiter import games
from spielleiter.accounts.rights import Action
from spielleiter.errors import SpielleiterError
from spielleiter.season.definition_text import Data, defined, parsed
from spielleiter.season.season import CONTEST, ArenaSeason, SeasonEntry, SeasonTask
from spielleiter.season.seasons import SeasonPlan, Seasons
from spielleiter.text import Text
from spielleiter.tournament import formats
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.match_days import contest_days
from spielleiter.tournament.player_output import split_output
from spielleiter.tournament.rulings import ContestState
from spielleiter.tournament.runner import SpoiltGame
from spielleiter.tournament.units import seconds as seconds_of
from spielleiter.web import season_models as models
from spielleiter.web.arena import Arena, arena_of, refusal
from spielleiter.web.caller import Caller, TheCaller
from spielleiter.web.cards import season_order
from spielleiter.web.contest_reader import SHOWN_HASH, ContestReader, Halt, NamedContest
from spielleiter.web.language import Translate, translator
from spielleiter.web.routes import ERRORS, Lang, TheArena

router = APIRouter(prefix="/api/seasons", responses=ERRORS, tags=["seasons"])
_LEFT_OUT = ("gauntlet",)
"""Formats that need names of teams in their definition."""
_SEEDS = 10**9

_SPOILT_SHOWN = 10
Name = Annotated[str, Path(max_length=40)]
Number = Annotated[int, Path(ge=1, lt=10**12)]


def seasons_of(request: Request) -> Seasons:
    """The seasons of the arena that a request is for."""
    seasons = arena_of(request).seasons
    if seasons is None:
        raise refusal(404, "no-seasons", "this arena has no seasons")
    return seasons


TheSeasons = Annotated[Seasons, Depends(seasons_of)]


def season_contests(seasons: Seasons) -> dict[str, NamedContest]:
    """The contests of all seasons that have begun, by their names in the list of contests."""
    return {
        contest_name(each.id): NamedContest(
            seasons.folders.path(each.id, CONTEST),
            partial(_names, seasons, each.id),
            partial(seasons.with_output, each.id),
            partial(_halted, seasons, each.id),
            partial(_released, seasons, each.id),
        )
        for each in seasons.all()
        if each.begun
    }


def contest_name(season: str) -> str:
    """The name of a season's contest in URLs."""
    return f"season-{season}"


def _names(seasons: Seasons, season: str) -> dict[str, str]:
    names = seasons.names(seasons.find(season))
    return {team: name or f"({team[:4]})" for team, name in names.items()}


def _released(seasons: Seasons, season: str) -> int:
    return seasons.find(season).released


def _halted(seasons: Seasons, season: str) -> Halt | None:
    match seasons.find(season).state:
        case "paused":
            return "paused"
        case "finished":
            return "ended"
        case _:
            return None


# ----------------------------------------------------------------------------------------- reading


@router.get("")
def list_seasons(
    seasons: TheSeasons, caller: TheCaller, lang: Lang = "en"
) -> tuple[models.SeasonSummary, ...]:
    """All seasons, the newest first; drafts are for organisers."""
    caller.need(Action.SEE_TEAMS)
    found = [each for each in seasons.all() if _shown(caller, each)]
    return tuple(_summary(each, lang) for each in found)


@router.get("/choices")
def season_choices(caller: TheCaller, lang: Lang = "en") -> models.SeasonChoices:
    """What organisers can choose from."""
    caller.need(Action.RUN_SEASON)
    names = [name for name in formats.names() if name not in _LEFT_OUT]
    newest_first = sorted(games.names(), key=season_order, reverse=True)
    editions = [(name, _title(name, lang)) for name in newest_first]
    return models.SeasonChoices(
        formats=tuple(_format(name, translator(None, lang)) for name in names),
        editions=tuple(
            models.SeasonEditionView(edition=name, title=title) for name, title in editions
        ),
    )


@router.get("/{season}")
def show_season(
    request: Request, seasons: TheSeasons, caller: TheCaller, season: Name, lang: Lang = "en"
) -> models.SeasonView:
    """The current state of a season."""
    caller.need(Action.SEE_TEAMS)
    return _view(arena_of(request), seasons, caller, _visible(seasons, caller, season), lang)


@router.get("/{season}/contest.toml", response_class=Response)
def export_season(seasons: TheSeasons, caller: TheCaller, season: Name) -> Response:
    """The season as a contest's file, for `spielleiter contest`."""
    caller.need(Action.RUN_SEASON)
    return Response(seasons.exported(season), media_type="application/toml")


@router.get("/{season}/games/{number}/log")
def season_log(
    request: Request, seasons: TheSeasons, caller: TheCaller, season: Name, number: Number
) -> dict[str, str]:
    """Team → the output of its bot in a game; for itself and the organisers only."""
    caller.need(Action.SEE_TEAMS)
    found = _visible(seasons, caller, season)
    reader = _reader(arena_of(request), found)
    entry = None if reader is None else reader.entry(number)
    if entry is None:
        raise refusal(404, "no-such-game", f"there is no game {number}")
    printed = split_output(entry.log, list(found.entries))
    return {
        team: text
        for team, text in printed.items()
        if (team or caller.is_organiser) and caller.may(Action.SEE_LOGS, team)
    }


# -------------------------------------------------------------------------------------- organisers


@router.post("", status_code=201)
def create_season(
    seasons: TheSeasons, caller: TheCaller, order: models.SeasonOrder, lang: Lang = "en"
) -> models.SeasonSummary:
    """A new season, which only organisers see at first."""
    caller.need(Action.RUN_SEASON)
    made = seasons.create(_merged(order.form, {}))
    seasons.edit(made.id, SeasonPlan(made.definition, order.enter_until, order.times))
    return _summary(made, lang)


@router.post("/import", status_code=201)
def import_season(
    seasons: TheSeasons, caller: TheCaller, order: models.SeasonText, lang: Lang = "en"
) -> models.SeasonSummary:
    """A new season from a contest's file; its teams and its store are left out."""
    caller.need(Action.RUN_SEASON)
    _check_form(parsed(order.toml))
    return _summary(seasons.imported(order.toml), lang)


@router.put("/{season}", status_code=204)
def edit_season(
    seasons: TheSeasons, caller: TheCaller, season: Name, order: models.SeasonOrder
) -> None:
    """Change a season; after its start only the times of match days."""
    caller.need(Action.RUN_SEASON)
    found = seasons.find(season)
    same = order.form == _form(found)
    definition = found.definition if same else _merged(order.form, found.definition)
    seasons.edit(season, SeasonPlan(definition, order.enter_until, order.times))


@router.delete("/{season}", status_code=204)
def remove_season(seasons: TheSeasons, caller: TheCaller, season: Name) -> None:
    """Remove a season that has not begun."""
    caller.need(Action.RUN_SEASON)
    seasons.remove(season)


@router.post("/{season}/actions", status_code=204)
def run_season(
    seasons: TheSeasons, caller: TheCaller, season: Name, command: models.SeasonCommand
) -> None:
    """Open, check, rehearse, start, pause, resume or finish a season."""
    caller.need(Action.RUN_SEASON)
    if command.action == "start":
        seasons.start(season, despite_problems=command.despite_problems)
    else:
        getattr(seasons, command.action)(season)


@router.post("/{season}/days", status_code=204)
def release_day(
    seasons: TheSeasons, caller: TheCaller, season: Name, order: models.DayOrder
) -> None:
    """Release the next match day, or all up to one."""
    caller.need(Action.RUN_SEASON)
    seasons.release(season, order.day)


@router.post("/{season}/rulings", status_code=204)
def rule(seasons: TheSeasons, caller: TheCaller, season: Name, order: models.RulingOrder) -> None:
    """Annul or replay a match day, a set or a game, or decide who won."""
    caller.need(Action.JUDGE)
    by = _who(caller)
    match order.action:
        case "annul":
            seasons.annul(season, order.scope, order.reason, by)
        case "replay":
            seasons.replay(season, order.scope, order.reason, by)
        case "decide":
            seasons.decide(season, order.scope, order.winner, order.reason, by)


# ------------------------------------------------------------------------------------------- teams


@router.put("/{season}/entries/{team}", status_code=204)
def enter_season(
    arena: TheArena,
    seasons: TheSeasons,
    caller: TheCaller,
    season: Name,
    team: Name,
    order: models.EntryOrder,
) -> None:
    """Enter a team with one of its released versions, or choose another one."""
    _need_to_act(arena, caller, team)
    _visible(seasons, caller, season)
    seasons.enter(season, team, order.version, _who(caller))


@router.post("/{season}/entries/{team}/withdrawal", status_code=204)
def withdraw_from_season(
    arena: TheArena,
    seasons: TheSeasons,
    caller: TheCaller,
    season: Name,
    team: Name,
    order: models.WithdrawalOrder,
) -> None:
    """Withdraw a team; the season's rule says what happens to its games."""
    _need_to_act(arena, caller, team)
    _visible(seasons, caller, season)
    seasons.withdraw(season, team, order.reason, _who(caller))


# ------------------------------------------------------------------------------------------ inside


def _need_to_act(arena: Arena, caller: Caller, team: str) -> None:
    caller.need(Action.ENTER_SEASON, team)
    if not arena.team_actions.passes(team):
        raise refusal(429, "too-often", "your team has done this very often: wait a few minutes")


def _who(caller: Caller) -> str:
    return "organiser" if caller.member is None else caller.member.id


def _shown(caller: Caller, season: ArenaSeason) -> bool:
    return season.state != "draft" or caller.may(Action.RUN_SEASON)


def _visible(seasons: Seasons, caller: Caller, season: str) -> ArenaSeason:
    found = seasons.find(season)
    if not _shown(caller, found):
        raise refusal(404, "no-such-season", f"there is no season {season!r}")
    return found


def _title(edition: str, lang: str) -> str:
    with suppress(SpielleiterError):
        game = games.load(edition)
        return str(translator(game, lang)(game.title))
    return edition


def _format_title(name: str, translate: Translate) -> str:
    return translate(Text(f"contest.format.{name}", formats.load(name).title))


def _format(name: str, translate: Translate) -> models.FormatView:
    form = formats.load(name)
    return models.FormatView(
        name=name,
        title=_format_title(name, translate),
        least_games=form.least_games,
        takes_late_entries=form.takes_late_entries,
        settings=tuple(_settings(form.settings.model_fields)),
    )


def _settings(fields: Any) -> Iterator[models.SettingView]:
    """The numeric and boolean settings of a format; others need a contest's file."""
    for name, each in fields.items():
        if each.annotation in (int, bool, int | None):
            yield models.SettingView(
                name=name, is_switch=each.annotation is bool, default=each.default
            )


def _merged(form: models.SeasonForm, data: Data) -> Data:
    """A definition with what organisers chose; the rest stays."""
    contest = data.get("contest", {}) | {
        "name": form.name,
        "game": form.game,
        "format": form.format,
        "games": form.games,
        "seed": _seed(form, data),
        "unofficial": form.unofficial,
    }
    if formats.load(form.format).ranks_teams:
        contest["ranking"] = form.ranking
    else:
        contest.pop("ranking", None)
    entries = {
        "late_until": form.late_until,
        "withdrawn": form.withdrawn,
        "freeze": form.freeze,
    }
    limits = data.get("limits", {}) | {"time": f"{form.seconds:g}s"}
    changed = {"contest": contest, "limits": limits, "entries": entries}
    return data | changed | {"format": _format_section(form, data)}


def _seed(form: models.SeasonForm, data: Data) -> int:
    """A random seed that cannot be guessed, since it determines all set-ups."""
    if form.seed is not None:
        return form.seed
    return int(data.get("contest", {}).get("seed", secrets.randbelow(_SEEDS)))


def _format_section(form: models.SeasonForm, data: Data) -> dict[str, Any]:
    known = formats.load(form.format).settings.model_fields
    chosen = {**data.get("format", {}), **form.settings}
    return {name: value for name, value in chosen.items() if name in known}


def _check_form(data: Data) -> None:
    """Refuse definitions that the form cannot express."""
    try:
        _form(ArenaSeason("", data))
    except ValidationError as problem:
        wrong = problem.errors()[0]
        place = ".".join(map(str, wrong["loc"]))
        raise refusal(422, "invalid", f"{place}: {wrong['msg']}") from problem


def _form(season: ArenaSeason, *, seed: bool = True) -> models.SeasonForm:
    contest, data = season.definition["contest"], season.definition
    entries, settings = data.get("entries", {}), data.get("format", {})
    plain = {name: value for name, value in settings.items() if isinstance(value, int)}
    return models.SeasonForm(
        name=contest["name"],
        game=contest["game"],
        format=contest["format"],
        games=contest.get("games", 6),
        seconds=seconds_of(str(data.get("limits", {}).get("time", "2s"))),
        seed=contest.get("seed", 0) if seed else None,
        ranking=contest.get("ranking", "document"),
        unofficial=contest.get("unofficial", False),
        late_until=entries.get("late_until", 0),
        withdrawn=entries.get("withdrawn", "half"),
        freeze=entries.get("freeze", "start"),
        settings=plain,
    )


def _summary(season: ArenaSeason, lang: str) -> models.SeasonSummary:
    return models.SeasonSummary(
        id=season.id,
        name=season.name,
        edition=season.game,
        edition_title=_title(season.game, lang),
        state=season.state,
        teams=len(season.entries),
        enter_until=season.enter_until,
    )


def _reader(arena: Arena, season: ArenaSeason) -> ContestReader | None:
    return arena.contests.find(contest_name(season.id)) if season.begun else None


def _standing(arena: Arena, season: ArenaSeason) -> tuple[Definition | None, ContestState]:
    """Definition and state of the season; before its start with the current teams."""
    reader = _reader(arena, season)
    if reader is not None:
        return reader.standing()
    with suppress(SpielleiterError):
        return defined(
            season.definition, [{"name": each} for each in season.entries]
        ), ContestState()
    return None, ContestState()


def _view(
    arena: Arena, seasons: Seasons, caller: Caller, season: ArenaSeason, lang: str
) -> models.SeasonView:
    translate, names = translator(None, lang), _names(seasons, season.id)
    definition, state = _standing(arena, season)
    runs = caller.may(Action.RUN_SEASON)
    days = tuple(_days(season, definition, state, translate))
    spoilt = seasons.contests.spoilt(season) if runs else []
    return models.SeasonView(
        id=season.id,
        name=season.name,
        edition=season.game,
        edition_title=_title(season.game, lang),
        format_title=_format_title(season.definition["contest"]["format"], translate),
        state=season.state,
        form=_form(season) if runs else _form(season, seed=season.state == "finished"),
        enter_until=season.enter_until,
        released=season.released,
        contest=contest_name(season.id) if season.begun else None,
        entries=tuple(_entry(seasons, caller, each, state) for each in season.entries.values()),
        days=days,
        is_over=season.begun and bool(days) and all(day.over for day in days),
        mine=tuple(_mine(seasons, caller, season)),
        trouble=seasons.trouble.get(season.id, "") if runs else "",
        spoilt=tuple(_spoilt(each, names) for each in spoilt[-_SPOILT_SHOWN:][::-1]),
        spoilt_games=len(spoilt),
        check=_task(season.check, names) if runs else None,
        rehearsal=_task(season.rehearsal, names) if runs else None,
        may_run=runs,
        may_judge=caller.may(Action.JUDGE),
    )


def _days(
    season: ArenaSeason, definition: Definition | None, state: ContestState, translate: Translate
) -> Iterator[models.SeasonDayView]:
    if definition is None:
        return
    for day in contest_days(definition.schedule(state), state.results):
        yield models.SeasonDayView(
            number=day.number,
            title=translate(day.title),
            phases=tuple(map(translate, day.phases)),
            games=len(day.games),
            played=day.played,
            released=day.number <= season.released,
            over=day.over,
            annulled=day.annulled,
            begins=season.times.get(day.number),
        )


def _entry(
    seasons: Seasons, caller: Caller, entry: SeasonEntry, state: ContestState
) -> models.SeasonEntryView:
    version = seasons.accounts.bots.version(entry.frozen or entry.version)
    inside = caller.may(Action.SEE_INSIDE, entry.team)
    return models.SeasonEntryView(
        team=entry.team,
        name=seasons.team_name(entry.team),
        withdrawn=entry.team in state.withdrawn,
        late=state.joined.get(entry.team),
        version=version.title if inside else None,
        hash=entry.file[:SHOWN_HASH],
    )


def _mine(seasons: Seasons, caller: Caller, season: ArenaSeason) -> Iterator[models.MySeasonTeam]:
    """The teams of the caller, with the versions they can enter."""
    if caller.member is None:
        return
    released = seasons.accounts.bots.released_versions(season.game)
    for team in seasons.accounts.teams.of_member(caller.member.id):
        entry = season.entries.get(team.id)
        yield models.MySeasonTeam(
            team=team.id,
            name=team.name,
            entered=entry is not None,
            version=None if entry is None else entry.version,
            choices=tuple(
                models.SeasonChoiceView(id=each.id, title=each.title, active=each.active)
                for each in released
                if each.team == team.id
            ),
        )


def _spoilt(game: SpoiltGame, names: dict[str, str]) -> models.SpoiltGameView:
    key = game.key
    for team, name in names.items():
        key = key.replace(team, name)
    return models.SpoiltGameView(game=key, machine=game.machine, reason=game.reason)


def _task(task: SeasonTask | None, names: dict[str, str]) -> models.SeasonTaskView | None:
    if task is None:
        return None
    return models.SeasonTaskView(
        state=task.state,
        at=task.at,
        problems={names.get(team, team): text for team, text in task.problems.items()},
        games=task.games,
        seconds=task.seconds,
        longest=task.longest,
        table=tuple(names.get(team, team) for team in task.table),
    )

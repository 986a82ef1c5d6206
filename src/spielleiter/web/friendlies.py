"""Routes of friendlies: challenge, accept, decline, end, and results."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.notices import TeamNotice, messages, team_named
from spielleiter.accounts.rights import Action
from spielleiter.errors import UsageError
from spielleiter.ladder.friendlies import (
    MOST_GAMES,
    Friendly,
    FriendlyScore,
    FriendlySeat,
    FriendlyState,
)
from spielleiter.ladder.ladder import Ladder, LadderName
from spielleiter.ladder.roster import LEVELS, mark
from spielleiter.web.arena import refusal
from spielleiter.web.caller import Caller, TheCaller
from spielleiter.web.ladder import (
    LadderEntrant,
    LadderGame,
    TheLadder,
    entrant_of,
    known_edition,
    ladder_title,
    listed_games,
)
from spielleiter.web.models import LONGEST_NAME, Model
from spielleiter.web.routes import ERRORS, Lang, TheArena

router = APIRouter(prefix="/api", responses=ERRORS, tags=["friendlies"])
_MOST_SEATS = 4

Name = Annotated[str, Path(max_length=80)]
Id = Annotated[str, Field(max_length=80)]


class FriendlyOpponent(Model):
    """An opponent: a team, a version of the own team, or a built-in level."""

    team: Id = ""
    version: Id = ""
    """A version of the own team, which accepts at once."""
    level: int | None = Field(None, ge=LEVELS[0], le=LEVELS[-1])


class FriendlyOrder(Model):
    """A challenge."""

    edition: str = Field(max_length=LONGEST_NAME)
    opponents: tuple[FriendlyOpponent, ...] = Field(min_length=1, max_length=_MOST_SEATS - 1)
    games: int = Field(2, ge=1, le=MOST_GAMES)
    version: Id = ""
    """The version of the own team; empty: the one that plays for it in the ladder."""
    options: dict[Id, Id] = Field(default_factory=dict, max_length=8)
    """The set-up, such as a map."""


class FriendlyAnswer(Model):
    """A team accepts."""

    version: Id = ""
    """The version that plays; empty: the one that plays in the ladder."""


class FriendlySeatView(Model):
    """A seat of a friendly, with its score so far."""

    team: str
    team_name: str
    entrant: LadderEntrant | None
    """None: the team has not accepted yet."""
    won: int
    drawn: int
    lost: int
    faults: int


class FriendlyView(Model):
    """A friendly."""

    id: str
    edition: str
    title: str
    state: FriendlyState
    made: float
    games: int
    played: int
    options: dict[str, str]
    seats: tuple[FriendlySeatView, ...]
    """The first seat is the challenger's."""
    waits_for: tuple[str, ...]
    """The ids of the teams that have not answered."""


class FriendlyPage(Model):
    """A friendly with its games, newest first."""

    friendly: FriendlyView
    games: tuple[LadderGame, ...]


class FriendlyList(Model):
    """Friendlies of a team, newest first."""

    friendlies: tuple[FriendlyView, ...]


@router.get("/teams/{team}/friendlies")
def list_friendlies(
    ladder: TheLadder, caller: TheCaller, team: Name, lang: Lang = "en"
) -> FriendlyList:
    """The friendlies and open challenges of a team."""
    caller.need(Action.SEE_TEAMS)
    caller.accounts.teams.find(team)
    found = ladder.friendlies.of_team(team)
    return FriendlyList(friendlies=tuple(_view(ladder, caller, each, lang) for each in found))


@router.post("/teams/{team}/friendlies", status_code=201)
def challenge(
    arena: TheArena,
    ladder: TheLadder,
    caller: TheCaller,
    team: Name,
    order: FriendlyOrder,
    lang: Lang = "en",
) -> FriendlyView:
    """Challenge other teams, levels, or older versions of the own team."""
    _need(caller, team)
    if not arena.team_actions.passes(team):
        raise refusal(429, "too-often", "your team has challenged very often: wait a few minutes")
    known_edition(ladder, order.edition)
    own = _playing(caller.accounts, team, order.edition, order.version)
    others = [_asked(caller.accounts, team, order.edition, each) for each in order.opponents]
    seats = [FriendlySeat(own, team), *others]
    options = tuple(sorted(order.options.items()))
    made = ladder.friendlies.challenge(order.edition, seats, order.games, options)
    for other in made.teams[1:]:
        _tell(caller, other, made, "challenged", team)
    return _view(ladder, caller, made, lang)


@router.get("/friendlies/{friendly}")
def show_friendly(
    ladder: TheLadder, caller: TheCaller, friendly: Name, lang: Lang = "en"
) -> FriendlyPage:
    """A friendly with its games."""
    caller.need(Action.SEE_TEAMS)
    found = ladder.friendlies.find(friendly)
    games = listed_games(ladder, ladder.friendlies.played(found)[::-1], lang)
    return FriendlyPage(friendly=_view(ladder, caller, found, lang), games=tuple(games))


@router.post("/teams/{team}/friendlies/{friendly}/accept")
def accept_friendly(
    ladder: TheLadder,
    caller: TheCaller,
    team: Name,
    friendly: Name,
    order: FriendlyAnswer,
    lang: Lang = "en",
) -> FriendlyView:
    """Accept a challenge; when all have accepted, it is played."""
    _need(caller, team)
    found = ladder.friendlies.find(friendly)
    player = _playing(caller.accounts, team, found.edition, order.version)
    agreed = ladder.friendlies.accept(friendly, team, player)
    _tell(caller, agreed.challenger, agreed, "accepted", team)
    return _view(ladder, caller, agreed, lang)


@router.post("/teams/{team}/friendlies/{friendly}/decline")
def decline_friendly(
    ladder: TheLadder, caller: TheCaller, team: Name, friendly: Name, lang: Lang = "en"
) -> FriendlyView:
    """Decline a challenge."""
    _need(caller, team)
    found = ladder.friendlies.decline(friendly, team)
    _tell(caller, found.challenger, found, "declined", team)
    return _view(ladder, caller, found, lang)


@router.post("/teams/{team}/friendlies/{friendly}/end")
def end_friendly(
    ladder: TheLadder, caller: TheCaller, team: Name, friendly: Name, lang: Lang = "en"
) -> FriendlyView:
    """Withdraw a challenge, or cancel the remaining games."""
    _need(caller, team)
    found = ladder.friendlies.withdraw(friendly, team)
    for other in found.teams:
        if other != team:
            _tell(caller, other, found, "ended", team)
    return _view(ladder, caller, found, lang)


# ------------------------------------------------------------------------------------------ inside


def _need(caller: Caller, team: str) -> None:
    caller.need(Action.CHALLENGE, caller.accounts.teams.find(team).id)


def _asked(
    accounts: ArenaAccounts, own: str, edition: str, opponent: FriendlyOpponent
) -> FriendlySeat:
    if opponent.level is not None:
        return FriendlySeat(mark(opponent.level))
    if opponent.version:
        return FriendlySeat(_playing(accounts, own, edition, opponent.version), own)
    other = accounts.teams.find(opponent.team).id
    if other == own:
        raise UsageError("name the version of your own team that is to play against you")
    _playing(accounts, other, edition, "")
    return FriendlySeat(team=other)


def _playing(accounts: ArenaAccounts, team: str, edition: str, version: str) -> str:
    """The id of a version of a team that may play; raises UsageError."""
    if not version:
        bots = [each for each in accounts.bots.of_team(team) if each.edition == edition]
        chosen = [each.active for each in bots if each.active is not None]
        if not chosen:
            raise UsageError(f"{accounts.teams.find(team).name} has no bot that plays this game")
        version = chosen[0]
    found = accounts.bots.version(version)
    if (found.team, found.edition) != (team, edition):
        raise UsageError(f"{found.title} is not of this team and game")
    if found.state != "released":
        raise UsageError(f"{found.title} is {found.state}: only a released version can play")
    return found.id


def _tell(caller: Caller, team: str, friendly: Friendly, what: str, by: str) -> None:
    name = caller.accounts.teams.find(by).name
    title = ladder_title(friendly.edition, "en")
    values = {"games": friendly.games} if what == "challenged" else {}
    said = messages(what, team=team_named(by, name), game=title, **values)
    caller.accounts.notices.tell(team, TeamNotice("friendly", said, f"/friendlies/{friendly.id}"))


def _view(ladder: Ladder, caller: Caller, friendly: Friendly, lang: str) -> FriendlyView:
    names = ladder.names(each.player for each in friendly.seats if each.player)
    teams = {each.id: each.name for each in caller.accounts.teams.named(friendly.teams)}
    scores = ladder.friendlies.scores(friendly)
    return FriendlyView(
        id=friendly.id,
        edition=friendly.edition,
        title=ladder_title(friendly.edition, lang),
        state=friendly.state,
        made=friendly.made,
        games=friendly.games,
        played=scores[0].won + scores[0].drawn + scores[0].lost,
        options=dict(friendly.options),
        seats=tuple(
            _seat(seat, names, teams, score)
            for seat, score in zip(friendly.seats, scores, strict=True)
        ),
        waits_for=tuple(
            each.team for each in friendly.seats if not each.player and friendly.state == "open"
        ),
    )


def _seat(
    seat: FriendlySeat, names: dict[str, LadderName], teams: dict[str, str], score: FriendlyScore
) -> FriendlySeatView:
    return FriendlySeatView(
        team=seat.team,
        team_name=teams.get(seat.team, ""),
        entrant=entrant_of(seat.player, names[seat.player]) if seat.player else None,
        won=score.won,
        drawn=score.drawn,
        lost=score.lost,
        faults=score.faults,
    )

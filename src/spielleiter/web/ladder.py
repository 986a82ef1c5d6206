"""Routes of the ladder: tables, versions with their games, bot output, and a feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated
from xml.etree import ElementTree

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from spielleiter import games
from spielleiter.accounts.rights import Action
from spielleiter.ladder.ladder import Ladder, LadderName, TableRow
from spielleiter.ladder.results import GamesPage, LadderPlayer, PlayedGame
from spielleiter.ladder.roster import is_mark
from spielleiter.tournament.player_output import split_output
from spielleiter.tournament.ratings import Rating
from spielleiter.tournament.recorded_game import RecordFilter
from spielleiter.web.arena import arena_of, refusal
from spielleiter.web.caller import Caller, TheCaller
from spielleiter.web.game_archives import MOST_GAMES, archive, zip_answer
from spielleiter.web.game_filter import (
    EndReason,
    FaultWord,
    GameFilter,
    Word,
    end_reasons,
    reason_in,
    reasons_of,
)
from spielleiter.web.language import translator
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, Lang
from spielleiter.web.stores import read_store

router = APIRouter(prefix="/api/ladder", responses=ERRORS, tags=["ladder"])
_ATOM = "http://www.w3.org/2005/Atom"
_MOST = 200

Name = Annotated[str, Path(max_length=80)]
Before = Annotated[int | None, Query(ge=1, le=2**53)]
Count = Annotated[int, Query(ge=1, le=_MOST)]


class LadderSummary(Model):
    """A ladder in the list of all."""

    edition: str
    title: str
    versions: int
    games: int


class LadderEntrant(Model):
    """A player of a ladder."""

    id: str
    name: str
    """Empty: it was erased."""
    team: str
    team_name: str
    level: int | None
    """The built-in level that it is, which never changes."""


class LadderRow(Model):
    """A place in the table."""

    place: int
    entrant: LadderEntrant
    elo: float | None
    """None: nothing was played yet."""
    margin: float | None
    """Half the width of the 95 % interval."""
    games: int
    won: int
    drawn: int
    lost: int
    faults: int


class LadderTable(Model):
    """A part of a ladder's table."""

    edition: str
    title: str
    rows: tuple[LadderRow, ...]
    start: int
    total: int
    games: int


class LadderSeat(Model):
    """A seat of a game, with its result."""

    entrant: LadderEntrant
    rank: int
    score: int
    fault: str | None
    spent: float
    """Seconds that it thought, in all."""


class LadderGame(Model):
    """A game of the ladder or of a friendly."""

    id: str
    number: int
    """Its number in the record."""
    edition: str
    title: str
    is_rated: bool
    at: float
    plies: int
    opening: str
    """The seed and the options of its start."""
    reason: str
    """By which rule it ended, in the reader's language."""
    seats: tuple[LadderSeat, ...]


class LadderGames(Model):
    """Games, newest first."""

    games: tuple[LadderGame, ...]
    before: int | None
    """The number before which older games may follow; None: these are all. An answer may hold less
    than was asked for, even nothing, where few of very many games are wanted."""


class LadderOpponent(Model):
    """The score against one opponent."""

    entrant: LadderEntrant
    won: int
    lost: int
    drawn: int


class LadderVersionView(Model):
    """A version in the ladder."""

    edition: str
    title: str
    row: LadderRow
    opponents: tuple[LadderOpponent, ...]
    games: LadderGames
    sees_logs: bool
    """Whether the caller may read its output."""
    reasons: tuple[EndReason, ...]
    """How games of this edition end."""


class PrintedPart(Model):
    """The output of one player in a game."""

    entrant: LadderEntrant | None
    """None: it belongs to no player."""
    text: str


class LadderGameView(Model):
    """A game with the output that the caller may read."""

    game: LadderGame
    printed: tuple[PrintedPart, ...]


def ladder_of(request: Request) -> Ladder:
    """The ladder of the arena that a request is for."""
    ladder = arena_of(request).ladder
    if ladder is None:
        raise refusal(404, "no-ladder", "this arena has no ladder")
    return ladder


TheLadder = Annotated[Ladder, Depends(ladder_of)]


@router.get("")
def list_ladders(ladder: TheLadder, lang: Lang = "en") -> tuple[LadderSummary, ...]:
    """All ladders, the most active first."""
    found = [_summary(ladder, each, lang) for each in ladder.settings.editions]
    return tuple(sorted(found, key=lambda each: (-each.versions, -each.games, each.edition)))


@router.get("/{edition}")
def show_ladder(
    ladder: TheLadder,
    edition: Name,
    lang: Lang = "en",
    start: Annotated[int, Query(ge=0, le=10**6)] = 0,
    count: Count = 100,
) -> LadderTable:
    """The table of a ladder, best first."""
    known_edition(ladder, edition)
    rows = ladder.table(edition)
    shown = rows[start : start + count]
    return LadderTable(
        edition=edition,
        title=ladder_title(edition, lang),
        rows=tuple(_row(place, each) for place, each in enumerate(shown, start + 1)),
        start=start,
        total=len(rows),
        games=ladder.results.total(edition),
    )


@router.get("/{edition}/games")
def newest_games(
    ladder: TheLadder,
    edition: Name,
    lang: Lang = "en",
    before: Before = None,
    count: Count = 50,
    fault: FaultWord = None,
    opening: Word = None,
    reason: Word = None,
) -> LadderGames:
    """The newest games of an edition, or of those that are wanted."""
    known_edition(ladder, edition)
    wanted = RecordFilter(fault=fault, opening=opening, reason=reason)
    return _listed(ladder, ladder.results.wanted(wanted, edition, count, before), lang)


@router.get("/{edition}/feed.atom", response_class=Response)
def ladder_feed(request: Request, ladder: TheLadder, edition: Name, lang: Lang = "en") -> Response:
    """The newest games of an edition as an Atom feed."""
    known_edition(ladder, edition)
    found = listed_games(ladder, ladder.results.newest(edition, 30), lang)
    base = str(request.base_url).rstrip("/")
    return Response(_feed(base, edition, ladder_title(edition, lang), found), media_type=_ATOM_TYPE)


@router.get("/versions/{version}")
def show_ladder_version(
    ladder: TheLadder,
    caller: TheCaller,
    version: Name,
    wanted: Annotated[GameFilter, Depends()],
    lang: Lang = "en",
    before: Before = None,
    count: Count = 50,
) -> LadderVersionView:
    """A version with its rating, its opponents and its games, or those that are wanted."""
    caller.need(Action.SEE_TEAMS)
    name, edition = ladder.named(version), _edition_of(ladder, version)
    found = ladder.results.wanted(wanted.of(version), edition, count, before)
    return LadderVersionView(
        edition=edition,
        title=ladder_title(edition, lang),
        row=_version_row(ladder, edition, version),
        opponents=tuple(_opponents(ladder, edition, version)),
        games=_listed(ladder, found, lang),
        sees_logs=_sees_logs(caller, name),
        reasons=end_reasons(edition, reasons_of(edition), lang),
    )


@router.get("/versions/{version}/games.zip", response_class=Response)
async def download_version_games(
    request: Request,
    ladder: TheLadder,
    caller: TheCaller,
    version: Name,
    wanted: Annotated[GameFilter, Depends()],
    before: Before = None,
    count: Annotated[int, Query(ge=1, le=MOST_GAMES)] = 50,
) -> Response:
    """The replay files of the games that the page of a version lists."""
    caller.need(Action.SEE_TEAMS)
    arena, edition = arena_of(request), _edition_of(ladder, version)

    def packed() -> bytes:
        found = ladder.results.wanted(wanted.of(version), edition, count, before).games
        records = ((game.id, ladder.record_of(game.id)) for game in found)
        return archive(records, arena.library.formats.write)

    content = await read_store(arena, request, packed)
    return zip_answer(content, f"{ladder.named(version).name} {edition}")


@router.get("/games/{game}")
def show_ladder_game(
    ladder: TheLadder, caller: TheCaller, game: Name, lang: Lang = "en"
) -> LadderGameView:
    """A game; a bot's output only for its team and the organisers."""
    caller.need(Action.SEE_TEAMS)
    found = ladder.results.game(game)
    if found is None:
        raise refusal(404, "no-such-game", f"there is no game {game!r}")
    text = ladder.results.output(found.id)
    return LadderGameView(
        game=listed_games(ladder, [found], lang)[0],
        printed=tuple(_printed(ladder, caller, found, text)),
    )


# ------------------------------------------------------------------------------------------ inside

_ATOM_TYPE = "application/atom+xml"


def known_edition(ladder: Ladder, edition: str) -> None:
    """Refuse an edition that has no ladder."""
    if edition not in ladder.settings.editions:
        raise refusal(404, "no-such-edition", f"there is no ladder of {edition!r}")


def _edition_of(ladder: Ladder, version: str) -> str:
    """The edition that a version plays, or has played; raises a refusal if there is none."""
    if (edition := ladder.edition_of(version)) is not None:
        return edition
    newest = ladder.results.games_of(version, 1)
    if not newest:
        raise refusal(404, "no-such-version", f"there is no version {version!r}")
    return newest[0].edition


def ladder_title(edition: str, lang: str) -> str:
    """The title of a game."""
    game = games.load(edition)
    return str(translator(game, lang)(game.title))


def _summary(ladder: Ladder, edition: str, lang: str) -> LadderSummary:
    versions = sum(not is_mark(each.player) for each in ladder.table(edition))
    played = ladder.results.total(edition)
    return LadderSummary(
        edition=edition, title=ladder_title(edition, lang), versions=versions, games=played
    )


def entrant_of(player: str, name: LadderName) -> LadderEntrant:
    """A player of a ladder, with its current name."""
    return LadderEntrant(
        id=player, name=name.name, team=name.team, team_name=name.team_name, level=name.level
    )


def _row(place: int, row: TableRow) -> LadderRow:
    return _placed(place, entrant_of(row.player, row.name), row.played, row.rating)


def _version_row(ladder: Ladder, edition: str, version: str) -> LadderRow:
    table = ladder.table(edition)
    found = next((at for at, each in enumerate(table) if each.player == version), None)
    played = ladder.results.players_named(edition, [version]).get(version)
    if found is not None:
        return _row(found + 1, replace(table[found], played=played))
    rating = ladder.rating(edition, version)
    return _placed(0, entrant_of(version, ladder.named(version)), played, rating)


def _placed(
    place: int, entrant: LadderEntrant, played: LadderPlayer | None, rating: Rating | None
) -> LadderRow:
    elo, margin = (None, None) if rating is None else (rating.elo, rating.margin)
    if played is None:
        zeros = dict.fromkeys(("games", "won", "drawn", "lost", "faults"), 0)
        return LadderRow(place=place, entrant=entrant, elo=elo, margin=margin, **zeros)
    return LadderRow(
        place=place,
        entrant=entrant,
        elo=elo,
        margin=margin,
        games=played.games,
        won=played.won,
        drawn=played.drawn,
        lost=played.games - played.won - played.drawn,
        faults=played.faults,
    )


def _listed(ladder: Ladder, found: GamesPage, lang: str) -> LadderGames:
    return LadderGames(games=tuple(listed_games(ladder, found.games, lang)), before=found.before)


def listed_games(ladder: Ladder, games: Sequence[PlayedGame], lang: str) -> list[LadderGame]:
    """Games for lists, with the current names of players."""
    names = ladder.names(player for game in games for player in game.players)
    return [_game(game, names, lang) for game in games]


def _game(game: PlayedGame, names: Mapping[str, LadderName], lang: str) -> LadderGame:
    seats = zip(game.players, game.ranks, game.scores, game.faults, game.spent, strict=True)
    return LadderGame(
        id=game.id,
        number=game.number,
        edition=game.edition,
        title=ladder_title(game.edition, lang),
        is_rated=game.is_rated,
        at=game.at,
        plies=game.plies,
        opening=game.opening,
        reason=reason_in(game.edition, game.reason, lang),
        seats=tuple(
            LadderSeat(
                entrant=entrant_of(player, names[player]),
                rank=rank,
                score=score,
                fault=fault,
                spent=spent,
            )
            for player, rank, score, fault, spent in seats
        ),
    )


def _opponents(ladder: Ladder, edition: str, version: str) -> list[LadderOpponent]:
    """The most frequent opponents."""
    met = ladder.results.opponents(edition, version, 50)
    names = ladder.names(who for who, *_ in met)
    return [
        LadderOpponent(entrant=entrant_of(who, names[who]), won=won, lost=lost, drawn=drawn)
        for who, won, lost, drawn in met
    ]


def _sees_logs(caller: Caller, name: LadderName) -> bool:
    return bool(name.team) and caller.may(Action.SEE_LOGS, name.team)


def _printed(ladder: Ladder, caller: Caller, game: PlayedGame, text: str) -> list[PrintedPart]:
    found: list[PrintedPart] = []
    for player, said in split_output(text, game.players).items():
        name = ladder.named(player) if player else LadderName()
        if caller.may(Action.SEE_LOGS, name.team or None):
            found.append(
                PrintedPart(entrant=entrant_of(player, name) if player else None, text=said)
            )
    return found


def _feed(base: str, edition: str, title: str, found: list[LadderGame]) -> bytes:
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    _add(feed, "title", title)
    _add(feed, "id", f"{base}/ladder/{edition}")
    _add(feed, "updated", _moment(found[0].at if found else 0.0))
    for game in found:
        entry = ElementTree.SubElement(feed, "entry")
        names = " – ".join(each.entrant.name or "?" for each in game.seats)
        scores = " : ".join(str(each.score) for each in game.seats)
        _add(entry, "title", f"{names} {scores}")
        _add(entry, "id", f"{base}/games/ladder/{game.id}")
        _add(entry, "updated", _moment(game.at))
        ElementTree.SubElement(entry, "link", href=f"{base}/games/ladder/{game.id}")
    return bytes(ElementTree.tostring(feed, "utf-8", xml_declaration=True))


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = text


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")

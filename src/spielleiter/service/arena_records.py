"""All games in the data folder of an arena: of the ladder, of seasons and contests, and its own.

The ladder stores players by id; here they get their current names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from spielleiter.accounts.accounts import open_accounts
from spielleiter.accounts.database import FILE as ACCOUNTS
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.arena_ladder import FILE as LADDER
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.ladder import player_names
from spielleiter.ladder.results import GAME, LadderResults
from spielleiter.season.season import RECORD, SeasonFolders
from spielleiter.season.season_player import FOLDER as SEASONS
from spielleiter.service.archive import CONTESTS
from spielleiter.service.table_games import table_games
from spielleiter.store import Store, open_store
from spielleiter.store.address import STORE, STRANGERS
from spielleiter.tournament.record import from_text
from spielleiter.tournament.recorded_game import RecordedGame, recorded


def is_arena(folder: Path) -> bool:
    """Whether this is the data folder of an arena."""
    return any((folder / name).exists() for name in (STORE, LADDER, SEASONS, CONTESTS))


def arena_games(data: Path) -> Iterator[RecordedGame]:
    """Every game, with a key that begins with its origin: `ladder/…`, `season/…`."""
    if (data / LADDER).is_file():
        yield from ladder_games(data)
    for path in sorted((data / SEASONS).glob(f"*/{RECORD}")):
        season = path.parent.name
        files = SeasonFolders(data / SEASONS).output(season)
        yield from _contest(path, f"season/{season}", files.put_back)
    for path in sorted((data / CONTESTS).glob("*.db")):
        yield from _contest(path, f"contest/{path.stem}")
    for path in (data / STORE, *sorted((data / STRANGERS).glob("*.db"))):
        if path.is_file():
            with closing(open_store(path)) as store:
                yield from table_games(store)


def ladder_games(data: Path) -> Iterator[RecordedGame]:
    """The games of the ladder, with what their players printed."""
    with closing(open_store(data / LADDER)) as record:
        names = _names(data, record)
        with closing(LadderDatabase(data / LADDER)) as tables:
            results = LadderResults(tables)
            for entry in record.read(GAME):
                game = recorded(from_text(entry.data))
                log = results.output(game.key) or game.log
                yield replace(_called(game, names), key=f"ladder/{game.key}", log=log)


def _names(data: Path, record: Store) -> Mapping[str, str]:
    """The current names of the ladder's players; erased ones keep their ids."""
    players = {each for entry in record.read(GAME) for each in _players(entry.data)}
    if not (data / ACCOUNTS).is_file():
        return {}
    with open_accounts(data) as accounts:
        return {
            player: name.title
            for player, name in player_names(AccountsRoster(accounts), players).items()
            if name.title
        }


def _players(text: str) -> tuple[str, ...]:
    return from_text(text).pairing.players


def _called(game: RecordedGame, names: Mapping[str, str]) -> RecordedGame:
    players = tuple(names.get(each, each) for each in game.players)
    return replace(game, players=players, record=game.record.renamed(players))


def _contest(path: Path, prefix: str, whole: Callable[[str], str] = str) -> Iterator[RecordedGame]:
    """The games of a contest; `whole` adds to an entry what is stored outside the record."""
    with closing(open_store(path)) as store:
        for entry in store.read(GAME):
            game = recorded(from_text(whole(entry.data)))
            yield replace(game, key=f"{prefix}/{entry.key}")

"""A contest on disk: its file, and the store beside it.

The store begins with what must not change (`contest`); then come the players of every run, the
games, the decisions of jury and organisers (`ruling`), and the drawn lots.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from spielleiter import games
from spielleiter.errors import StoreError, UsageError
from spielleiter.game import Position
from spielleiter.programs.result_store import GAME, RULING, state_of, wrong_games
from spielleiter.store import Entry, Store, StoreAddress, open_store
from spielleiter.store.retry import PATIENCE
from spielleiter.tournament.definition import Definition, changes, read
from spielleiter.tournament.match_days import contest_days
from spielleiter.tournament.pairing import GameResult, Opening, PlayerId
from spielleiter.tournament.rulings import ContestState, Ruling, read_ruling, ruling_text
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

CONTEST, PLAYERS, LOT = "contest", "players", "lot"


def read_file(file: Path) -> Definition:
    """The contest that a file describes."""
    try:
        return read(file.read_text("utf-8"), games.load)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error


def opened_for_reading(file: Path, entering: Collection[PlayerId] = ()) -> tuple[Definition, Store]:
    """A contest that has begun, and its store."""
    definition, store = opened_if_begun(file, entering=entering)
    if store is None:
        raise UsageError(f"nothing has been played yet: spielleiter contest run {file}")
    return definition, store


def opened_if_begun(
    file: Path, patience: float = PATIENCE, entering: Collection[PlayerId] = ()
) -> tuple[Definition, Store | None]:
    """The contest of a file, as its store began it, and the store if it has begun.

    Teams that are `entering` may be in the file although the contest began without them.
    """
    definition = read_file(file)
    where = store_of(file, definition)
    if where.exists:
        store = open_store(where, patience)
        try:
            begun = _begun(store, definition, where, entering)
        except BaseException:
            store.close()
            raise
        if begun is not None:
            return begun, store
        store.close()
    definition.check_official()
    return definition, None


def as_begun(file: Path) -> Definition:
    """The contest of a file, as its store began it if it has begun."""
    definition, store = opened_if_begun(file)
    if store is not None:
        store.close()
    return definition


def begin(file: Path, prints: Mapping[str, str | None]) -> tuple[Definition, Store]:
    """The contest of a file and its store, to be written to; a new contest begins now.

    `prints` has the fingerprint of every player: teams may change players between two runs.
    """
    definition, store = opened_if_begun(file)
    if store is None:
        store = open_store(store_of(file, definition))
        fixed = json.dumps(definition.fixed(), sort_keys=True, ensure_ascii=False)
        store.append([Entry(CONTEST, CONTEST, fixed)])
    _note_players(store, prints)
    return definition, store


def store_of(file: Path, definition: Definition) -> StoreAddress:
    """The address of a contest's store: beside its file, or as the file says."""
    if definition.store is None:
        return StoreAddress.of(file.with_suffix(".db"))
    said = StoreAddress.of(definition.store.get_secret_value())
    return said if said.is_database else StoreAddress.of(file.parent / said.where)


def _begun(
    store: Store, definition: Definition, where: StoreAddress, entering: Collection[PlayerId]
) -> Definition | None:
    """The contest as its store began it; None: the store is empty."""
    try:
        kept = [json.loads(entry.data) for entry in store.read(CONTEST)]
    except ValueError as problem:
        raise StoreError(f"{where}: what the contest began with is damaged: {problem}") from None
    if not kept and not store.is_empty:
        raise UsageError(f"{where} holds a match, not a contest: name another store")
    if not kept:
        return None
    begun = definition.as_begun(kept[0])
    now = json.loads(json.dumps(begun.fixed()))
    late = {*rulings_in(store).joined, *entering}
    now["teams"] = [each for each in now["teams"] if each[0] not in late]
    changed = changes(kept[0], now)
    if changed:
        what = ", ".join(changed)
        raise UsageError(f"{where} holds another contest: {what} changed since it began")
    return begun


def _note_players(store: Store, prints: Mapping[str, str | None]) -> None:
    now = json.dumps(prints, sort_keys=True, ensure_ascii=False)
    kept = list(store.read(PLAYERS))
    if not kept or kept[-1].data != now:
        store.append([Entry(PLAYERS, str(len(kept) + 1), now)])


def contest_state(file: Path) -> tuple[Definition, ContestState]:
    """A contest that has begun, and its state."""
    definition, opened = opened_for_reading(file)
    with closing(opened) as store:
        return definition, state_in(store)


def state_in(store: Store) -> ContestState:
    """The state of the contest in a store."""
    return state_of(store.read(GAME, RULING))


def rulings_in(store: Store) -> ContestState:
    """The rulings of a contest."""
    return state_of(store.read(RULING))


def add_ruling(store: Store, ruling: Ruling) -> None:
    """Store a ruling; it applies from now on."""
    number = sum(1 for _ in store.read(RULING)) + 1
    store.append([Entry(RULING, str(number), ruling_text(ruling))])


def record_lots(store: Store, tables: list[Standings]) -> None:
    """Store every drawn lot that is not stored yet."""
    kept = {entry.key for entry in store.read(LOT)}
    entries = [
        Entry(LOT, f"{lot.table}/{'/'.join(sorted(lot.players))}", json.dumps(lot.players))
        for table in tables
        for lot in table.lots
    ]
    store.append([entry for entry in entries if entry.key not in kept])


# --------------------------------------------------------------------------------- verification


def wrong_entries(
    store: Store, definition: Definition, start: Callable[[Opening], Position]
) -> Iterator[str]:
    """All errors of a contest: in its games, its schedule and its lots."""
    wrong = list(wrong_games(store, start))
    yield from wrong
    if wrong:
        return  # what was changed cannot tell what should have been played
    state, late = ContestState(), rulings_in(store).joined.keys()
    try:
        for games_, ruling in _by_ruling(store):
            schedule = definition.without(late - state.joined.keys()).schedule(state)
            yield from _not_asked_for(schedule, state, games_)
            if ruling is not None:
                yield from _unfounded(schedule, state, ruling)
                state.add_ruling(ruling)
        tables = definition.schedule(state).standings(state.results)
    except (StoreError, UsageError) as problem:
        yield str(problem)
        return
    kept = {entry.key: entry.data for entry in store.read(LOT)}
    for lot in (lot for each in tables for lot in each.lots):
        key = f"{lot.table}/{'/'.join(sorted(lot.players))}"
        if key in kept and kept[key] != json.dumps(lot.players):
            yield f"lot {key}: the seed says otherwise"


def _by_ruling(store: Store) -> Iterator[tuple[dict[str, GameResult], Ruling | None]]:
    """The games before each ruling, with the ruling; finally those after the last."""
    games_: list[Entry] = []
    for entry in store.read(GAME, RULING):
        if entry.kind == GAME:
            games_.append(entry)
        else:
            yield state_of(games_).results, read_ruling(entry.data)
            games_ = []
    yield state_of(games_).results, None


def _not_asked_for(
    schedule: Schedule, state: ContestState, stored: dict[str, GameResult]
) -> Iterator[str]:
    """Games that the schedule never asked for.

    Adds the games that it does ask for, in order; what remains is wrong.
    """
    left = dict(stored)
    while left:
        found = [
            left.pop(each.key)
            for each in schedule.waiting(state.results)
            if each.key in left and left[each.key].pairing == each
        ]
        if not found:
            break
        for result in found:
            state.add_game(result)
    for key in left:
        yield f"{key}: nobody asked for this game"


def _unfounded(schedule: Schedule, state: ContestState, ruling: Ruling) -> Iterator[str]:
    """Why a ruling could not be made: no reason, or games that the contest does not have."""
    if not ruling.reason.strip():
        yield f"ruling {len(state.rulings) + 1}: it says no reason"
    days = contest_days(schedule, state.results)
    known = {pairing for day in days for pairing, _ in day.games}
    for pairing in ruling.games:
        if pairing not in known:
            yield f"ruling {len(state.rulings) + 1}: there is no game {pairing.key}"

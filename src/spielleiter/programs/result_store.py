"""The games of a match or contest in their store: plays, reads and checks them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from spielleiter.errors import StoreError
from spielleiter.game import Position
from spielleiter.programs.output_files import OutputFiles
from spielleiter.store import Entry, Store
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.live_games import LiveGamesWriter
from spielleiter.tournament.pairing import GameResult, Opening
from spielleiter.tournament.record import check, from_text
from spielleiter.tournament.rulings import ContestState, read_ruling
from spielleiter.tournament.runner import FinishedGame, Runner, SpoiltGame
from spielleiter.tournament.schedule import Schedule

GAME, SPOILT, RULING = "game", "spoilt", "ruling"
"""Kinds of entries: a game, one that the machine spoilt, a decision of jury or organisers."""
_REPLAY = re.compile(r"/replay \d+$")


def results_in(store: Store) -> dict[str, GameResult]:
    """All results that a store holds, by the keys of their games."""
    results = (_result(entry) for entry in store.read(GAME))
    return {result.pairing.key: result for result in results}


def _result(entry: Entry) -> GameResult:
    try:
        return from_text(entry.data).result()
    except StoreError as problem:
        advice = "spielleiter store repair keeps the others, and this game is played again"
        raise StoreError(f"{entry.key}: {problem}; {advice}") from None


def state_of(entries: Iterable[Entry]) -> ContestState:
    """The state after some games and rulings."""
    state = ContestState()
    for entry in entries:
        if entry.kind == RULING:
            state.add_ruling(read_ruling(entry.data))
        else:
            state.add_game(_result(entry))
    return state


def game_key(key: str, times_played: int) -> str:
    """The key of a game's entry; a replayed game gets a new one."""
    return f"{key}/replay {times_played}" if times_played else key


def play_rest(
    schedule: Schedule,
    runner: Runner | RayRunner,
    store: Store,
    known: dict[str, GameResult],
    times_played: Mapping[str, int] | None = None,
    live: LiveGamesWriter | None = None,
    shortened: Callable[[str], str] | None = None,
) -> Iterator[int]:
    """Play the remaining games; `known` grows by every game that is stored.

    Games that the machine spoilt are noted and played again. `times_played` counts earlier plays of
    a game that the jury wants replayed. `live` gets the running games. `shortened`
    removes from an entry what the store must not contain.
    """
    before = times_played or {}
    spoilt = sum(1 for _ in store.read(SPOILT))

    def note(game: SpoiltGame) -> None:
        nonlocal spoilt
        spoilt += 1
        data = {"game": game.key, "machine": game.machine, "reason": game.reason}
        store.append([Entry(SPOILT, str(spoilt), json.dumps(data, ensure_ascii=False))])
        runner.say(f"{game.key} is played again: {game.machine}: {game.reason}")

    def keep(done: list[FinishedGame]) -> None:
        store.append([entry(each) for each in done])

    def entry(done: FinishedGame) -> Entry:
        key = done.result.pairing.key
        text = done.text if shortened is None else shortened(done.text)
        return Entry(GAME, game_key(key, before.get(key, 0)), text)

    runner.spoilt = note
    for played in runner.run(schedule, known, keep):
        if live is not None:
            live.tell(runner.in_progress)
        yield played


def wrong_games(store: Store, start: Callable[[Opening], Position]) -> Iterator[str]:
    """All errors in a store: a broken chain, or games that contradict the rules."""
    yield from store.check()
    outside = OutputFiles.beside(store.address.where)
    for entry in store.read(GAME):
        wrong = _wrong(entry, start)
        if wrong is not None:
            yield f"{entry.key}: {wrong}"
        else:
            changed = (each or "nobody in particular" for each in outside.wrong(entry.data))
            yield from (f"{entry.key}: what {each} printed was changed" for each in changed)


def _wrong(entry: Entry, start: Callable[[Opening], Position]) -> str | None:
    try:
        record = from_text(entry.data)
    except StoreError as error:
        return str(error)
    if record.pairing.key != _REPLAY.sub("", entry.key):
        return f"the record is that of {record.pairing.key}"
    return check(record, start)

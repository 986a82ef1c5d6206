"""The games of a match or contest in their store: played, read again, and checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from spielleiter.errors import StoreError
from spielleiter.game import Position
from spielleiter.store import Entry, Store
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.pairing import GameResult, Opening
from spielleiter.tournament.record import check, from_text
from spielleiter.tournament.runner import FinishedGame, Runner, SpoiltGame
from spielleiter.tournament.schedule import Schedule

GAME, SPOILT = "game", "spoilt"
"""Kinds of entries: a game, and one that the machine spoilt."""


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


def play_rest(
    schedule: Schedule, runner: Runner | RayRunner, store: Store, known: dict[str, GameResult]
) -> Iterator[int]:
    """Play what is left; `known` grows by every game that is safe in the store.

    Games that the machine spoilt are noted, and played again.
    """
    spoilt = sum(1 for _ in store.read(SPOILT))

    def note(game: SpoiltGame) -> None:
        nonlocal spoilt
        spoilt += 1
        data = {"game": game.key, "machine": game.machine, "reason": game.reason}
        store.append([Entry(SPOILT, str(spoilt), json.dumps(data, ensure_ascii=False))])
        runner.say(f"{game.key} is played again: {game.machine}: {game.reason}")

    def keep(done: list[FinishedGame]) -> None:
        store.append([Entry(GAME, each.result.pairing.key, each.text) for each in done])

    runner.spoilt = note
    yield from runner.run(schedule, known, keep)


def wrong_games(store: Store, start: Callable[[Opening], Position]) -> Iterator[str]:
    """Everything wrong with a store: a broken chain, or games the rules tell otherwise."""
    yield from store.check()
    for entry in store.read(GAME):
        wrong = _wrong(entry, start)
        if wrong is not None:
            yield f"{entry.key}: {wrong}"


def _wrong(entry: Entry, start: Callable[[Opening], Position]) -> str | None:
    try:
        record = from_text(entry.data)
    except StoreError as error:
        return str(error)
    if record.pairing.key != entry.key:
        return f"the record is that of {record.pairing.key}"
    return check(record, start)

"""Games of a ladder by what somebody wants to see: the database agrees with the plain filter."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.ladder import game_search
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.results import GAME, LadderResults, entry_data
from spielleiter.store import Entry, Store, open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import from_text
from spielleiter.tournament.recorded_game import RecordedGame, RecordFilter, recorded
from tests.databases import postgres_server
from tests.ladders import EDITION, entry_text

GAMES = 120
PLAYERS = ("v0", "v1", "v2", "v3")
REASONS = ("larger swarm", "first union", "100% sure_thing")
CHOICES: dict[str, tuple[Any, ...]] = {
    "opponent": (None, "v1", "nobody"),
    "seat": (None, 1),
    "result": (None, "lost", "drawn"),
    "fault": (None, "", "crash", "late"),
    "opening": (None, "3", "3 map=x"),
    "reason": (None, "union", "0% s", "_"),
}


def made(number: int) -> str:
    """The entry of a game that somebody played somehow."""
    lot = random.Random(number)
    players = tuple(lot.sample(PLAYERS, 2))
    opening = Opening(number % 10, (("map", "x"),) if number % 3 else ())
    due = QueuedGame(Pairing(f"game{number}", players, opening), EDITION)
    ranks = lot.choice(((1, 2), (2, 1), (1, 1)))
    fault = lot.choice((None, None, "Error"))
    data = json.loads(entry_text(due, ranks, (fault, None)))
    if fault and lot.random() < 0.5:
        data["faults"] = [[1, "LATE", "", "", 0]]
    data["reason"] = lot.choice(REASONS)
    return entry_data(json.dumps(data), {"at": float(number)})[0]


def fill(store: Store) -> None:
    store.append([Entry(GAME, f"game{number}", made(number)) for number in range(GAMES)])


@pytest.fixture(scope="module")
def known() -> list[RecordedGame]:
    return [recorded(from_text(made(number))) for number in reversed(range(GAMES))]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LadderResults]:
    if request.param == "sqlite":
        yield from opened(str(tmp_path_factory.mktemp("ladder") / "ladder.db"))
    else:
        with postgres_server() as server:
            yield from opened(server.url)


def opened(where: str) -> Iterator[LadderResults]:
    with closing(open_store(where)) as store, closing(LadderDatabase(where)) as database:
        fill(store)
        results = LadderResults(database)
        assert len(list(results.read_on(store))) == GAMES
        yield results


def filters(player: str | None, count: int = 25) -> list[RecordFilter]:
    """Single questions, and some of all the others."""
    names = list(CHOICES) if player else ["fault", "opening", "reason"]
    every = [
        RecordFilter(player=player, **dict(zip(names, chosen, strict=True)))
        for chosen in itertools.product(*(CHOICES[name] for name in names))
    ]
    single = [RecordFilter(player=player, **{name: x}) for name in names for x in CHOICES[name]]
    return single + random.Random(count).sample(every, min(count, len(every)))


def test_every_filter_finds_what_the_plain_one_takes(
    results: LadderResults,
    known: list[RecordedGame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_search, "REACH", 7)
    for wanted in (*filters("v0"), *filters(None), RecordFilter(player="nobody")):
        expected = [game.key for game in known if wanted.takes(game)]
        assert list(all_pages(results, wanted)) == expected, wanted


def all_pages(results: LadderResults, wanted: RecordFilter) -> Iterator[str]:
    before = None
    for _ in range(GAMES):
        page = results.wanted(wanted, EDITION, 5, before)
        assert len(page.games) <= 5
        yield from (game.id for game in page.games)
        if (before := page.before) is None:
            return
    raise AssertionError("the pages do not end")


def test_the_work_for_an_answer_does_not_grow_with_the_games(
    results: LadderResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_search, "REACH", 7)
    page = results.wanted(RecordFilter(player="v0", reason="no such reason"), EDITION, 50)
    assert page.games == ()
    assert page.before is not None
    assert page.before > 1


def test_another_edition_has_other_games(results: LadderResults) -> None:
    wanted = RecordFilter(fault="", opening="3")
    assert results.wanted(wanted, EDITION, 5).games
    assert results.wanted(wanted, games.names()[-1], 5).games == ()


def test_tables_of_a_former_form_are_made_anew_and_filled_again(tmp_path: Path) -> None:
    where = tmp_path / "ladder.db"
    with closing(open_store(where)) as store:
        fill(store)
    with closing(LadderDatabase(where)) as database:
        LadderResults(database)
    with closing(sqlite3.connect(where)) as old:
        old.executescript(
            "drop table ladder_seat; drop table ladder_meeting;"
            "create table ladder_seat (player text, number bigint, primary key (player, number));"
            "insert into ladder_seat values ('v9', 1);"
            "update ladder_cursor set number = 2 where name = 'form'"
        )
    with closing(open_store(where)) as store, closing(LadderDatabase(where)) as database:
        results = LadderResults(database)
        assert len(list(results.read_on(store))) == GAMES
        assert results.games_of("v9", 1) == []
        assert results.wanted(RecordFilter(player="v1", result="lost"), EDITION, 5).games

"""Stores written before games had one record are read as before (`facts/stores/README.md`)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.programs.result_store import GAME, wrong_games
from spielleiter.store import Store, open_store
from spielleiter.tournament.pairing import Opening
from spielleiter.tournament.record import ContestEntry, from_text, to_text
from tests.arenas import Visitor, arena

STORES = Path(__file__).parent / "facts" / "stores"
KNOWN = json.loads(gzip.decompress((STORES / "known.json.gz").read_bytes()))
CONTESTS = sorted(KNOWN.keys() - {"arena"})


def unpacked(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(gzip.decompress((STORES / f"{name}.gz").read_bytes()))
    return path


@pytest.fixture(params=CONTESTS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Any]]:
    with closing(open_store(unpacked(f"{request.param}.db", tmp_path))) as opened:
        yield opened, KNOWN[request.param]


def entries(store: Store) -> dict[str, ContestEntry]:
    return {entry.key: from_text(entry.data) for entry in store.read(GAME)}


def test_an_old_store_of_games_says_what_it_said(store: tuple[Store, Any]) -> None:
    opened, known = store
    found = entries(opened)
    assert found.keys() == known.keys()
    for key, was in known.items():
        entry, result = found[key], found[key].result()
        assert list(result.ranks) == was["ranks"]
        assert list(result.scores) == was["scores"]
        assert list(result.faults) == was["faults"]
        assert list(result.spent) == was["spent"]
        assert result.sandbox == was["sandbox"]
        assert list(entry.pairing.players) == was["players"]
        assert list(entry.events.moves) == was["moves"]
        assert entry.log == was["log"]


def test_an_old_game_is_replayed_to_the_position_it_ended_in(store: tuple[Store, Any]) -> None:
    opened, known = store
    for key, entry in entries(opened).items():
        record = entry.record
        frames = list(record.frames(record.game(games.load_recorded)))
        assert frames[-1].position.text() == known[key]["position"]
        assert frames[-1].turn.number == known[key]["turns"]
        assert record.ended is not None
        assert record.ended.outcome == entry.events.outcome


def test_an_old_store_of_games_is_verified(store: tuple[Store, Any]) -> None:
    opened, _ = store
    for entry in entries(opened).values():
        edition = entry.record.game(games.load_recorded)

    def start(opening: Opening) -> Any:
        return edition.start(opening.seed, **dict(opening.options))

    assert list(wrong_games(opened, start)) == []


def test_an_old_entry_written_again_is_the_same_game(store: tuple[Store, Any]) -> None:
    opened, _ = store
    for entry in entries(opened).values():
        again = from_text(to_text(entry))
        assert again == entry
        assert tuple(again.events) == tuple(entry.events)
        assert len(again.events) == len(tuple(again.events))
        assert [event.number for event in again.events] == list(range(len(again.events)))


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("arena")
    unpacked("arena.db", folder)
    with arena(folder) as opened:
        yield opened


def in_todays_words(summary: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a game is its events; the words for them have changed."""
    text = json.dumps(summary).replace(": never came", " never connected")
    changed: dict[str, Any] = json.loads(text.replace("never came", "never connected"))
    return changed


@pytest.mark.parametrize("name", sorted(KNOWN["arena"]))
def test_an_old_game_of_the_arena_is_shown_as_it_was(visitor: Visitor, name: str) -> None:
    known = KNOWN["arena"][name]
    shown = visitor.get(f"/api/games/{known['id']}")
    wanted = in_todays_words(known["summary"]) | {
        "names": ["program" if name == "external" else name for name in known["summary"]["names"]]
    }
    if name in (
        "left",
        "broken",
    ):  # since then nobody wins a game that was cancelled or never began
        wanted["result"] |= {"winners": [], "headline": "cancelled", "cancelled": True}
    assert {key: shown["summary"][key] for key in known["summary"]} == wanted
    assert shown["position"] == known["position"]
    turns = [{key: turn[key] for key in known["turns"][0]} for turn in shown["turns"]]
    assert turns == known["turns"]
    replay = visitor.get(f"/api/replays/game/{known['id']}")
    assert [turn["position"] for turn in replay["turns"]] == known["positions"]


def test_all_editions_of_the_old_stores_are_still_here() -> None:
    editions = {game["summary"]["edition"] for game in KNOWN["arena"].values()}
    assert editions <= set(games.names())

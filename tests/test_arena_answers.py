"""What visitors of a full arena wait for does not grow with what was played there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.arena_answers import entries, long_events, quick_events
from spielleiter import games
from spielleiter.match import GameRecord
from spielleiter.store import open_store
from spielleiter.web.language import translator
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.scene_sequence import scene_sequence
from spielleiter.web.serialisation import translated_token

FINISHED = frozenset({"finished"})


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many lines of the lobby were looked at."""
    seen: list[str] = []
    looked = GameRecorder._opening

    def counting(self: GameRecorder, name: str) -> Any:
        seen.append(name)
        return looked(self, name)

    monkeypatch.setattr(GameRecorder, "_opening", counting)
    return lambda: len(seen)


def test_the_lobby_looks_at_the_games_it_shows(tmp_path: Any, counted: Callable[[], int]) -> None:
    played = quick_events(1)
    store = open_store(tmp_path / "games.db")
    for number in range(300):
        opening, *_, over = entries(f"{number:04}", played, number)
        store.append([opening, over])
    recorder = GameRecorder(store)
    before = counted()
    assert recorder.summaries("en", states=frozenset({"waiting", "running"})) == ((), None)
    assert counted() == before, "none of them is finished"
    page, more = recorder.summaries("en", states=FINISHED, limit=12)
    assert [game.id for game in page] == [f"{number:04}" for number in range(299, 287, -1)]
    assert counted() == before + 13
    rest, _ = recorder.summaries("en", states=FINISHED, limit=2, before=more)
    assert [game.id for game in rest] == ["0287", "0286"]
    recorder.close()
    store.close()


def test_live_games_are_found_page_by_page_even_if_one_ends_meanwhile() -> None:
    recorder, live = GameRecorder(), frozenset({"waiting", "running"})
    played = {name: quick_events(1) for name in "abcd"}
    for name, events in played.items():
        for event in events[:4]:
            recorder.record(name, event)
    page, before = recorder.summaries("en", states=live, limit=2)
    assert ([game.id for game in page], before) == (["d", "c"], "c")
    for event in played["c"][4:]:
        recorder.record("c", event)
    page, _ = recorder.summaries("en", states=live, limit=2, before="c")
    assert [game.id for game in page] == ["b", "a"]


def test_what_lies_there_for_many_turns_is_translated_once() -> None:
    record = GameRecord(tuple(long_events(1)))
    game = record.game(games.load_recorded)
    scenes = [game.scene(frame.position, frame.last) for frame in record.frames(game)]
    assert len(scenes) > 500
    before = translated_token.cache_info()
    sequence = scene_sequence(scenes, translator(game, "de"))
    asked = translated_token.cache_info()
    calls = asked.hits + asked.misses - before.hits - before.misses
    assert calls == len(sequence["tokens"])
    assert len({id(token) for scene in scenes for token in scene.tokens}) == calls

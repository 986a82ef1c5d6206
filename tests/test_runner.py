"""Matches are run by the real program: bots misbehave, processes die, nothing else is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter import bots
from spielleiter.errors import StoreError, UsageError
from spielleiter.programs.players import Players
from spielleiter.programs.result_store import GAME, results_in, wrong_games
from spielleiter.store import Store, open_store
from spielleiter.tournament.head_to_head import HeadToHead
from spielleiter.tournament.record import check, from_text, to_text
from spielleiter.tournament.runner import WorkerView
from spielleiter.tournament.time_control import TimeControl
from spielleiter.tournament.units import seconds
from tests.contests import BOTS, PROGRAM, QUICK, SPOKEN, kept, said, start

NODES = ("--nodes", "1", "--concurrency", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


def match(folder: Path, *words: str) -> dict[str, Any]:
    # The JSON comes first; what players failed is told after it, on the other stream.
    found, _ = json.JSONDecoder().raw_decode(
        said(
            folder,
            "match",
            *words,
            "--game",
            QUICK,
            "--json",
            "--store",
            "kept.db",
            "--ignore-failures",
        )
    )
    return dict(found)


def store_of(folder: Path) -> Store:
    return open_store(folder / "kept.db")


@pytest.mark.parametrize(
    ("bot", "kind"),
    [
        ("Raises", "crashed"),
        pytest.param("Dies", "crashed", marks=pytest.mark.deep),
        ("Hangs", "silent"),
        pytest.param("Leaves", "crashed", marks=pytest.mark.deep),
        pytest.param("Babbles", "illegal", marks=pytest.mark.deep),
        ("Cheats", "illegal"),
        pytest.param("Unborn", "crashed", marks=pytest.mark.deep),
    ],
)
def test_a_bot_that_fails_loses_its_game_and_nothing_else(
    folder: Path, bot: str, kind: str
) -> None:
    # The other one hardly needs a moment; who hangs keeps a processor busy until time is up.
    patience, games = ("2s", 2) if kind == "silent" else ("60s", 4)
    words = (f"bots.py:{bot}", "bots.py:Fine", "--games", str(games), "--patience", patience)
    bad, good = match(folder, *words, *NODES)["players"]
    assert (bad["losses"], good["wins"]) == (games, games)
    assert bad["faults"] == [[kind, games]]
    assert good["faults"] == []
    store = store_of(folder)
    made = [len(from_text(entry.data).events.moves) for entry in store.read(GAME)]
    assert sorted(made) == sorted([0] * games if bot == "Unborn" else [4, 5] * (games // 2))
    assert list(wrong_games(store, _table().start)) == []
    store.close()


def _table() -> Players:
    return Players(QUICK, "document", {}, TimeControl())


def test_a_move_after_the_time_loses_and_one_in_time_does_not(folder: Path) -> None:
    both = ("bots.py:Sleeps", "bots.py:Fine", "--games", "2")  # the other one needs no time
    late = match(folder, *both, "--time", "1s")
    assert late["players"][0]["faults"] == [["late", 2]]
    (folder / "kept.db").unlink()
    fine = match(folder, *both, "--time", "60s")
    assert fine["players"][0]["faults"] == []
    assert fine["players"][0]["spent"] > 2.4


def test_who_does_not_come_back_after_the_end_has_lost_nothing(folder: Path) -> None:
    found = match(folder, "bots.py:Lingers", "bots.py:Fine", "--games", "2", "--patience", "1s")
    assert [player["faults"] for player in found["players"]] == [[], []]
    (folder / "kept.db").unlink()
    same = match(folder, "bots.py:Fine", "bots.py:Fine", "--games", "2")
    assert [each["wins"] for each in same["players"]] == [each["wins"] for each in found["players"]]


@pytest.mark.skipif(os.name != "posix", reason="WorkerViews has no such signal for one process")
def test_a_match_that_is_interrupted_says_how_to_go_on_and_leaves_nobody_behind(
    folder: Path,
) -> None:
    words = ("random", "greedy", "--game", QUICK, "--games", "40000", *NODES, "--store", "kept.db")
    process = start(folder, "match", *words)
    while kept(folder / "kept.db", "match/%") == 0:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)  # ends only when no worker holds the pipes
    assert process.returncode == 130
    assert "The same command continues from here" in errors
    assert "Traceback" not in errors


def test_a_text_is_as_good_as_a_move_and_what_is_printed_is_kept_but_not_all(folder: Path) -> None:
    found = match(folder, "bots.py:Writes", "bots.py:Floods", "--games", "2", *NODES)
    assert [player["faults"] for player in found["players"]] == [[], []]
    store = store_of(folder)
    for entry in store.read(GAME):
        record = from_text(entry.data)
        assert record.log.startswith("--- bots.py:Floods\nxxxx")
        assert record.log.rstrip().endswith("…")
        assert len(record.log) < 100_000
        assert from_text(to_text(record)) == record
    store.close()


def test_the_traceback_of_a_crash_is_kept_with_the_game(folder: Path) -> None:
    match(folder, "bots.py:Raises", "greedy", "--games", "2", *NODES)
    store = store_of(folder)
    assert all("ValueError: no idea" in entry.data for entry in store.read(GAME))
    store.close()


def test_a_match_in_which_a_player_fails_says_why_at_once_and_ends_with_a_status(
    folder: Path,
) -> None:
    words = ("bots.py:Raises", "greedy", "--game", QUICK, "--games", "2", *NODES)
    spoken = said(folder, "match", *words, "--store", "kept.db", status=1)
    assert spoken.count("ValueError: no idea") == 1, "the first of two tracebacks"
    assert "bots.py:Raises failed in match/" in spoken
    assert "bots.py:Raises in 2 games; so the status is 1 (0 with --ignore-failures)" in spoken
    assert "spielleiter logs kept.db" in spoken
    logs = said(folder, "logs", "kept.db")
    assert logs.count("ValueError: no idea") == 2
    assert "greedy: no failure" in logs
    one = said(folder, "logs", "kept.db", "match/0")
    assert one.count("=== match/") == 1
    said(folder, "match", *words, "--store", "kept.db", "--ignore-failures")
    assert "there is no store" in said(folder, "logs", "nowhere.db", status=2)


def test_nobody_thinks_in_a_worker_that_has_not_begun() -> None:
    """Else a worker that is slow to begin would cost the player on the first seat its game."""
    assert WorkerView().seat < 0


def test_the_same_seeds_give_the_same_table_however_many_games_run_at_once(folder: Path) -> None:
    def table(name: str, *words: str) -> list[str]:
        spoken = said(
            folder, "match", "greedy", "random", "--game", QUICK, "--nodes", "5", "--games", "24",
            "--store", name, *words,
        )  # fmt: skip
        unlike = ("thought", "[")  # times, and how far it is on a slow machine
        return [line for line in spoken.splitlines() if not line.startswith(unlike)]

    alone = table("one.db", "--concurrency", "1")
    assert table("two.db", "--concurrency", "3") == alone
    assert table("one.db", "--concurrency", "2") == alone
    assert table("other.db", "--seed", "1") != alone


def test_a_sequential_test_ends_by_itself_and_says_what_it_found(folder: Path) -> None:
    words = ("--game", QUICK, "--sprt", "0,100", "--nodes", "1")  # by no clock
    spoken = said(folder, "match", "greedy", "random", *words)
    assert "SPRT 0,100: H1 accepted (elo ≥ 100)" in spoken
    spoken = said(folder, "match", "random", "greedy", *words)
    assert "H0 accepted" in spoken


def killed_and_resumed(
    folder: Path, kills: int, games: int, seed: int, patience: float = 120.0
) -> None:
    """Kill the program at random moments, again and again, then let it end."""
    words = (
        "match", "random", "greedy", "--game", QUICK, "--games", str(games), "--nodes", "1",
        "--concurrency", "2", "--store",
    )  # fmt: skip
    whole = said(folder, *words, "whole.db", patience=patience).splitlines()[:5]
    lot = random.Random(seed)
    for _ in range(kills):
        enough = kept(folder / "killed.db") + lot.choice((0, 1, 2, 10, 50))
        process = start(folder, *words, "killed.db")
        while process.poll() is None and kept(folder / "killed.db") < enough:
            time.sleep(0.001)
        time.sleep(lot.uniform(0.0, 0.2))  # any moment will do: that is the point
        process.kill()
        process.communicate()
        if (folder / "killed.db").exists():
            store = open_store(folder / "killed.db")
            assert list(store.check()) == []
            store.close()
    assert said(folder, *words, "killed.db", patience=patience).splitlines()[:5] == whole
    store = open_store(folder / "killed.db")
    assert len(results_in(store)) == len(list(store.read(GAME))) == games
    store.close()


def test_a_killed_match_goes_on_where_it_was(folder: Path) -> None:
    killed_and_resumed(folder, kills=1, games=80, seed=1)


@pytest.mark.deep
def test_a_match_survives_two_hundred_kills(folder: Path) -> None:
    killed_and_resumed(folder, kills=200, games=6_000, seed=2, patience=3_600.0)


def test_a_changed_player_or_another_match_does_not_go_on(folder: Path) -> None:
    match(folder, "bots.py:Fine", "greedy", "--games", "2", *NODES)
    (folder / "bots.py").write_text(BOTS + "\n# stronger now\n")
    spoken = said(
        folder, "match", "bots.py:Fine", "greedy", "--game", QUICK, "--games", "2", *NODES,
        "--store", "kept.db", status=2,
    )  # fmt: skip
    assert "holds another match" in spoken


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["greedy"], "has 2 seats"),
        (["greedy", "gredy"], "did you mean 'greedy'"),
        (["greedy", "bots.py:Nobody"], "no class `Nobody`"),
        (["greedy", "random:level=3"], "option of the player"),
        (["greedy", "random", "--games", "3"], "blocks of 2"),
        (["greedy", "random", "--sprt", "20"], "two numbers"),
        (["greedy", "random", "--sprt", "20,0"], "below"),
        (["greedy", "random", "--time", "soon"], "no time"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(folder: Path, words: list[str], problem: str) -> None:
    spoken = said(folder, "match", *words, "--game", QUICK, status=2)
    assert problem in spoken
    assert "Traceback" not in spoken


def test_times_are_read_as_people_write_them() -> None:
    assert [seconds(text) for text in ("2s", "500ms", "1.5", "1min")] == [2.0, 0.5, 1.5, 60.0]
    with pytest.raises(UsageError, match="no time"):
        seconds("0s")


def test_a_player_may_be_any_class_of_a_file(folder: Path) -> None:
    assert type(bots.load(f"{folder / 'bots.py'}:Writes")).__name__ == "Writes"
    assert bots.factory("random")(3).name == "random"


def test_a_tampered_game_is_found_by_the_rules_even_if_the_chain_is_right(folder: Path) -> None:
    match(folder, "greedy", "random", "--games", "2", *NODES)
    store = store_of(folder)
    players = _table()
    records = [from_text(entry.data) for entry in store.read(GAME)]
    schedule = HeadToHead(("greedy", "random"), 0, games=2)
    assert [record.pairing for record in records] == list(schedule.waiting({}))
    store.close()
    fine = records[0]
    assert check(fine, players.start) is None
    events = fine.events

    def is_found(**changes: Any) -> bool:
        changed = replace(fine, events=replace(events, **changes))
        return check(changed, players.start) is not None

    assert is_found(moves=events.moves[:-1], seats=events.seats[:-1], spent=events.spent[:-1])
    assert is_found(moves=(events.moves[1], events.moves[0], *events.moves[2:]))
    assert is_found(opened=replace(events.opened, position=events.opened.position[::-1]))
    assert is_found(outcome=replace(events.outcome, ranks=events.outcome.ranks[::-1]))
    with pytest.raises(StoreError, match="not a record of a game"):
        from_text("{}")


@pytest.mark.parametrize(
    ("bot", "kind"),
    [
        ("Fine", None),
        ("Dies", "lost connection"),
        pytest.param("Hangs", "silent", marks=pytest.mark.deep),
        pytest.param("Floods", None, marks=pytest.mark.deep),
        pytest.param("Unknown", "not connected", marks=pytest.mark.deep),
    ],
)
def test_programs_play_on_a_server_and_fail_for_themselves(
    folder: Path, bot: str, kind: str | None
) -> None:
    (folder / "program.py").write_text(PROGRAM)
    places = "-h {host} -p {port} -r {reservation}"
    command = f"{sys.executable} program.py {bot} {places}"
    limit = "8s" if kind == "silent" else "60s"
    limits = ("--time", limit, "--patience", limit, "--store", "kept.db")
    words = (command, "greedy", "--games", "2", "--game", SPOKEN, "--json", *limits)
    spoken = said(folder, "match", *words, "--ignore-failures")
    found, _ = json.JSONDecoder().raw_decode(spoken)
    program, ours = found["players"]
    assert program["name"] == "program.py"
    assert program["faults"] == ([] if kind is None else [[kind, 2]])
    assert ours["faults"] == []
    store = store_of(folder)
    records = [from_text(entry.data) for entry in store.read(GAME)]
    players = Players(SPOKEN, "document", {}, TimeControl())
    assert [check(record, players.start) for record in records] == [None, None]
    assert all(("AttributeError" in record.log) == (bot == "Unknown") for record in records)
    assert all(("xxx" in record.log) == (bot == "Floods") for record in records)
    store.close()


def test_a_program_that_is_not_there_or_a_limit_it_cannot_know_is_refused(folder: Path) -> None:
    words = ("greedy", "--game", SPOKEN, "--games", "2")
    assert "no program" in said(folder, "match", "nowhere {port}", *words, status=2)
    assert "no file" in said(folder, "match", "nowhere.jar", *words, status=2)
    spoken = said(folder, "match", "python3 {port}", *words, "--nodes", "5", status=2)
    assert "time per move" in spoken

"""What bots show: lines within bounds are read, kept beside the game, and never sent in it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter import games
from spielleiter.annotation import (
    LONGEST_LINE,
    PREFIX,
    Annotation,
    annotation,
    read_line,
    split_log,
)
from spielleiter.client import seasons
from spielleiter.errors import UsageError
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.tournament.record import from_text
from tests.contests import QUICK, SPOKEN, ran, said

SHOWS = """
from spielleiter import Bot

class Shows(Bot):
    name = "shows"

    def begin(self, position, seat):
        self.calls = 0

    def choose(self, position, clock):
        self.calls += 1
        print("just a line")
        self.show(values={"calls": self.calls})
        self.show(cells={(1, 2): "x", "a1": 0.5}, arrows=[((0, 0), (1, 1))], text="hm")
        return position.legal_moves()[0]
"""


def test_what_is_shown_is_read_again_as_it_was() -> None:
    shown = annotation({"score": 1.5}, {(3, 4): "x", "d5": 2}, [((0, 0), "b2")], "text", 7)
    assert shown.cells == {"3,4": "x", "d5": 2}
    assert shown.arrows == (("0,0", "b2"),)
    assert read_line(shown.line()) == shown


@pytest.mark.parametrize(
    "said",
    [
        "{",
        "[]",
        "null",
        '{"values": {"a": NaN}}',
        '{"values": {"a": "1"}}',
        '{"values": {"": 1}}',
        '{"values": [1]}',
        '{"other": 1}',
        '{"move": 0}',
        '{"move": true}',
        '{"text": 1}',
        '{"arrows": ["ab"]}',
        '{"arrows": [["a1"]]}',
        '{"cells": {"a1": "much too long a label"}}',
        "[" * (LONGEST_LINE - 10),
        json.dumps({"values": {str(n): n for n in range(33)}}),
        json.dumps({"text": "x" * LONGEST_LINE}),
    ],
)
def test_a_line_that_breaks_a_bound_stays_a_line_of_the_log(said: str) -> None:
    line = PREFIX + said
    assert read_line(line) is None
    assert split_log(line.encode(), [0]).log == line


def test_half_a_character_is_replaced_so_that_a_game_can_be_stored() -> None:
    said: dict[str, Any] = {
        "text": "\ud800 ü",
        "values": {"\udfff": 1},
        "cells": {"a1": "\ud800", "\ud801": 2},
    }
    for found in (read_line(PREFIX + json.dumps(said)), annotation(**said)):
        assert found is not None
        assert read_line(found.line().encode().decode()) == found
        assert (found.text, dict(found.values)) == ("? ü", {"?": 1})


@given(
    values=st.dictionaries(
        st.text(min_size=1, max_size=9),
        st.floats(-1e300, 1e300) | st.integers(-(10**30), 10**30),
        max_size=8,
    ),
    label=st.text(min_size=1, max_size=9) | st.floats(-1e9, 1e9),
    text=st.text(max_size=30),
    move=st.none() | st.integers(1, 99),
)
def test_a_packed_annotation_is_the_json_of_its_fields(
    values: dict[str, float], label: float | str, text: str, move: int | None
) -> None:
    shown = annotation(values, {"a1": label}, [("a1", (1, 2))], text, move)
    wanted = json.dumps(shown.plain(), ensure_ascii=False, separators=(",", ":"))
    assert shown.packed() == wanted
    assert Annotation({"bool": True}).packed() == '{"values":{"bool":true}}'


@given(st.binary(max_size=300))
def test_whatever_is_printed_is_parted_without_failing(printed: bytes) -> None:
    found = split_log(printed + b"\n" + PREFIX.encode() + printed, [0, 5])
    assert isinstance(found.log, str)


def test_a_line_belongs_to_the_move_it_names_or_to_the_one_asked_for_last() -> None:
    first, second = annotation(text="a").line(), annotation(text="b").line()
    named = annotation({"n": 1}, move=9).line()
    log = f"{first}\n{second}\n{named}\n".encode()
    found = split_log(b"hello\n" + log, [2, 6 + len(first) + 1])
    assert {move: each.text for move, each in found.shown.items()} == {1: "a", 2: "b", 9: ""}
    assert found.log == "hello\n"


def test_many_calls_before_one_move_stay_within_the_bounds() -> None:
    found = Annotation()
    for at in range(100):
        found = found.merged(annotation({str(at): at}, {(at, at): 1}, [("a", "b")], "x" * 100))
    assert len(found.values) == 32
    assert len(found.cells) == 100
    assert len(found.arrows) == 64
    assert len(found.text) == 1000


def test_a_bot_is_told_what_cannot_be_shown() -> None:
    with pytest.raises(UsageError, match="a number"):
        annotation({"score": float("nan")})


UNSTORABLE = """
from spielleiter import Bot

class Answers(Bot):
    def choose(self, position, clock):
        return "\\ud800"

class Raises(Bot):
    def choose(self, position, clock):
        raise ValueError("\\ud800")
"""


@pytest.mark.parametrize("bot", ["Answers", "Raises"])
@pytest.mark.parametrize("trust", [(), ("--trust-files",)])
def test_half_a_character_in_an_answer_or_a_traceback_spoils_no_match(
    bot: str, trust: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "bots.py").write_text(UNSTORABLE)
    words = (f"bots.py:{bot}", "random", "--game", QUICK, "--games", "2", "--nodes", "1", *trust)
    said(tmp_path, "match", *words, "--store", "m.db", "--ignore-failures")
    found = list(recorded_games(str(tmp_path / "m.db")))
    assert [sum(fault is not None for fault in each.faults) for each in found] == [1, 1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match between a bot that shows and one that does not."""
    place = tmp_path_factory.mktemp("shows")
    (place / "bots.py").write_text(SHOWS)
    words = ("bots.py:Shows", "random", "--game", QUICK, "--games", "2", "--nodes", "1")
    said(place, "match", *words, "--store", "m.db", "--profile", "slow")
    return place


def test_a_match_keeps_what_a_bot_shows_beside_its_moves(folder: Path) -> None:
    for game in recorded_games(str(folder / "m.db")):
        seat = game.seat_of("bots.py:Shows")
        shown, frames = game.record.shown(), list(game.record.frames(games.load(QUICK)))
        own = [frame.turn.number for frame in frames if frame.turn.seat == seat]
        assert list(shown) == own
        assert [each.values["calls"] for each in shown.values()] == list(range(1, len(own) + 1))
        assert shown[own[0]].cells == {"1,2": "x", "a1": 0.5}
        assert PREFIX not in game.log
        assert "just a line" in game.log


def test_a_profile_has_a_flame_graph_and_what_every_move_used(folder: Path) -> None:
    assert "<html" in (folder / "slow" / "match-0-bots.py-Shows.html").read_text("utf-8").lower()
    rows = (folder / "slow" / "match-0.csv").read_text().splitlines()
    assert rows[0] == "player,move,seconds,cpu,memory"
    assert len(rows) > 3


def test_a_bot_put_back_answers_as_in_the_game_after_the_same_calls(folder: Path) -> None:
    game = chosen_game(str(folder / "m.db"), "match/0")
    own = list(game.record.shown())
    words = ("m.db", "match/0", "--turn", str(own[3]), "--times", "2")
    printed = said(folder, "replay", *words, "--bot", "bots.py:Shows")
    assert printed.count("as in the game") == 2
    (folder / "others.py").write_text(SHOWS.replace("legal_moves()[0]", "legal_moves()[-1]"))
    printed = said(folder, "replay", *words, "--bot", "others.py:Shows")
    assert "in the game it was" in printed
    assert f"since turn {own[0]}" in printed


def test_a_program_shows_too_over_its_standard_error(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"{SHOWS}\nfrom spielleiter import run\nrun(Shows())\n")
    command = f"{sys.executable} {program} -h {{host}} -p {{port}} -r {{reservation}}"
    words = (command, "random", "--game", SPOKEN, "--games", "2", "--time", "2s")
    said(tmp_path, "match", *words, "--store", "m.db", "--profile", "slow")
    game = chosen_game(str(tmp_path / "m.db"), "match/0")
    shown = game.record.shown()
    assert [each.values["calls"] for each in shown.values()] == list(range(1, len(shown) + 1))
    assert shown
    assert (tmp_path / "slow" / "match-0.csv").read_text().count("\n") > len(shown)
    turn = str(next(iter(shown)))
    again = ("m.db", "match/0", "--turn", turn, "--bot", command, "--profile", "again")
    assert "as in the game" in said(tmp_path, "replay", *again)
    (measured,) = (tmp_path / "again").glob("*.csv")
    check_profile(measured, moves=1)


def check_profile(file: Path, moves: int) -> None:
    """It measures so many moves of a program at least, each with its memory."""
    head, *rows = file.read_text("utf-8").splitlines()
    assert head == "player,move,seconds,cpu,memory"
    assert len(rows) >= moves
    for row in rows:
        _, _, seconds, cpu, memory = row.rsplit(",", 4)
        assert float(seconds) >= 0
        assert float(cpu) >= 0
        assert float(memory) > 1


@pytest.mark.deep
def test_a_check_measures_every_move_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"{SHOWS}\nfrom spielleiter import run\nrun(Shows())\n")
    command = f"{sys.executable} {program} -h {{host}} -p {{port}} -r {{reservation}}"
    ran(tmp_path, "check", command, "--game", SPOKEN, "--profile", "slow", patience=600.0)
    check_profile(tmp_path / "slow" / "profile.csv", moves=5)


def test_hints_are_for_the_wires_of_2019_only() -> None:
    takers = {
        season.game.name
        for authority in ("document", "server")
        for season in seasons.seasons(authority)
        if season.wire.dialect.takes_hints
    }
    assert takers
    assert all("2019" in name for name in takers)


def test_an_entry_without_annotations_is_read_as_before(folder: Path) -> None:
    from spielleiter.store import open_store

    store = open_store(str(folder / "m.db"))
    data = json.loads(next(iter(store.read("game"))).data)
    store.close()
    del data["annotations"]
    assert from_text(json.dumps(data)).record.shown() == {}

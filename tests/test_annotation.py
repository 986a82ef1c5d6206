"""What bots show: lines within bounds are read, kept beside the game, and never sent in it."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter import annotation as packing
from spielleiter import games
from spielleiter.annotation import (
    LONGEST_LINE,
    LONGEST_PACKED,
    PREFIX,
    SEPARATOR,
    Annotation,
    PackedAnnotation,
    PackedListener,
    annotation,
    pack,
    read_line,
    split_log,
    unpacked,
)
from spielleiter.client import seasons
from spielleiter.errors import UsageError
from spielleiter.match.record import Annotations
from spielleiter.programs.players import Players
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import probe
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.tournament.executor import InterruptedGame
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry, from_text, to_text
from spielleiter.tournament.time_control import TimeControl
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


_NAMES = st.text(min_size=1, max_size=40)
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30)


@given(values=st.dictionaries(_NAMES, _NUMBERS, max_size=8), text=st.text(max_size=60))
def test_what_is_packed_quickly_is_what_python_packs(values: dict[str, float], text: str) -> None:
    shown = annotation(values, text=text)
    assert pack(values, None, (), text) == shown.packed().encode(errors="replace")


@pytest.mark.native
def test_plain_values_are_packed_natively_and_all_else_is_left_to_python() -> None:
    natively = packing._pack_plain
    assert natively is not None
    told = "".join(map(chr, range(0x500)))
    for text in (told[:1000], told[1000:], ""):
        shown = annotation({"ä\t\x7f": 0.5}, text=text)
        assert natively({"ä\t\x7f": 0.5}, text) == shown.packed().encode()
    whole: list[float] = [3.0, -0.0, 2.0**53 - 1, 1 - 2**53, 1e16, 1e300, 5e-324, 0.1]
    for value in whole:
        assert natively({"x": value}, "") == annotation({"x": value}).packed().encode()
    others: list[Any] = [True, 2**53, float("nan"), float("-inf"), "1", None, [1]]
    assert [natively({"x": each}, "") for each in others] == [None] * len(others)
    names: list[Any] = ["", "x" * 41, 1, "\ud800"]
    assert [natively({each: 1}, "") for each in names] == [None] * len(names)
    assert natively({str(n): n for n in range(33)}, "") is None
    texts: list[Any] = ["x" * 1001, "\ud800", 1]
    assert [natively(None, each) for each in texts] == [None] * len(texts)
    pairs: Any = [("x", 1)]
    assert natively(pairs, "") is None
    assert natively(None, "") == natively({}, "") == b"{}"


@pytest.mark.parametrize(
    "said",
    [{"values": {"x": float("inf")}}, {"values": {"": 1}}, {"values": [1]}, {"text": 1}],
)
def test_who_listens_changes_nothing_about_what_cannot_be_shown(said: dict[str, Any]) -> None:
    with pytest.raises((UsageError, AttributeError)) as quickly:
        pack(**{"values": None, "cells": None, "arrows": (), "text": "", **said})
    with pytest.raises((UsageError, AttributeError)) as usually:
        annotation(**said)
    assert str(quickly.value) == str(usually.value)


def test_several_packed_annotations_are_merged_as_if_they_were_not_packed() -> None:
    for calls, long in ((1, 1), (3, 10), (100, 100)):
        listener, wanted = PackedListener(), Annotation()
        for at in range(calls):
            shown = annotation({str(at): at}, {(at, at): 1}, [("a", "b")], "x" * long)
            listener.hear(pack({str(at): at}, {(at, at): 1}, [("a", "b")], "x" * long))
            wanted = wanted.merged(shown)
        packed = listener.taken()
        assert len(packed) <= LONGEST_PACKED
        assert unpacked(PackedAnnotation(packed.decode())) == wanted
        assert listener.taken() == b""


def test_what_is_too_long_is_left_out_and_the_rest_is_kept() -> None:
    listener = PackedListener()
    cells = {f"{at},{at}": "ü" * 12 for at in range(10_000, 10_400)}
    listener(annotation(cells=cells))
    listener(annotation({"x": 1}))
    assert listener.taken() == b'{"values":{"x":1}}'
    for at in range(4):
        listener(annotation(cells={(at, n): "x" * 12 for n in range(200)}))
    assert SEPARATOR not in listener.taken()
    assert PackedAnnotation('{"text":"a"}\t{').unpacked() is None


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


def test_a_bot_put_back_that_shows_nothing_is_told_how(folder: Path) -> None:
    (folder / "silent.py").write_text(
        "from spielleiter import Bot\n"
        "class Player(Bot):\n"
        "    def choose(self, position, clock):\n"
        "        return position.legal_moves()[0]\n"
    )
    words = ("m.db", "match/0", "--turn", "1")
    assert "self.show(" in said(folder, "replay", *words, "--bot", "silent.py")
    assert "self.show(" not in said(folder, "replay", *words, "--bot", "bots.py:Shows")


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


THINKS = """
from spielleiter import Bot

class Thinks(Bot):
    moves = 0

    def begin(self, position, seat):
        self.show(text="hello")

    def choose(self, position, clock):
        self.moves += 1
        values = {"moves": self.moves}
        self.show(values=values)
        values["moves"] = 99
        self.show(cells={(0, self.moves): "x"}, text="so")
        if self.moves == 3:
            raise ValueError("no idea")
        return position.legal_moves()[0]
"""


def thought(tmp_path: Path, *, trust: bool, past: InterruptedGame | None = None) -> ContestEntry:
    """A game of a bot that fails in its third move."""
    file = tmp_path / "thinks.py"
    file.write_text(THINKS)
    setting = Setting(trust_files=True) if trust else Setting(probe().box(probe().best))
    players: dict[str, str | None] = {"A": f"{file}:Thinks", "B": "greedy"}
    made = Players(QUICK, "document", players, TimeControl(nodes=9), setting)
    pairing = Pairing("match/0", ("A", "B"), Opening(5))
    if trust:
        return made().play(pairing, past=past)
    with closing(made.separate()) as place:
        return place.play(pairing, past=past)


def readable(shown: Annotations) -> dict[tuple[int, int], Annotation | None]:
    return {at: unpacked(each) for at, each in shown.items()}


def test_what_was_shown_is_kept_wherever_the_bot_runs_also_of_the_move_it_fails_in(
    tmp_path: Path,
) -> None:
    apart, trusted = (thought(tmp_path, trust=each) for each in (False, True))
    found = readable(apart.annotations)
    assert found == readable(trusted.annotations) == readable(from_text(to_text(apart)).annotations)
    assert list(found) == [(0, 1), (0, 2), (0, 3)]
    shown = found[0, 1]
    assert shown is not None
    assert (shown.values, shown.text) == ({"moves": 1}, "hello\nso")
    assert len(apart.record.shown()) == 2


def test_in_a_game_that_goes_on_what_is_shown_belongs_to_the_moves_after_the_break(
    tmp_path: Path,
) -> None:
    whole = thought(tmp_path, trust=False)
    past = InterruptedGame(whole.events.moves[:4])
    for trust in (False, True):
        entry = thought(tmp_path, trust=trust, past=past)
        assert list(entry.annotations) == [(0, 3), (0, 4), (0, 5)]

"""Map files: every text the real reader was shown, the catalogue, the writer, broken bytes."""

from __future__ import annotations

import csv
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielleiter import games
from spielleiter.errors import TextError, UnknownName
from spielleiter.games.reversi import maps

FACTS = Path(__file__).parent.parent / "facts" / "maps"

TIGHTENED = {
    "16x16.map": "the height, 1 to 15",
    "50x50.map": "the height, 1 to 15",
    "bomb_neg.map": "only the full game",
    "bombs_big.map": "only the full game",
    "good_transition.map": "transitions belong to the full game",
    "height0.map": "the height, 1 to 15",
    "nul.map": "stands behind the last cell",
    "override_big.map": "only the full game",
    "override_neg.map": "only the full game",
    "players_2x.map": "the number of players in digits",
    "width0.map": "the width, 1 to 15",
    "x_cell.map": "the special cell 'x'",
}
"""What the real server takes and the reduced game, or a careful reader, does not."""


def cases() -> list[tuple[str, str]]:
    """File and verdict of the real server, for every text it was shown."""
    with (FACTS / "parser" / "cases.tsv").open(encoding="utf-8", newline="") as table:
        return [(row["file"], row["real server"]) for row in csv.DictReader(table, delimiter="\t")]


@pytest.mark.parametrize(("file", "verdict"), cases())
def test_a_text_is_judged_as_by_the_real_reader_or_more_strictly(file: str, verdict: str) -> None:
    data = (FACTS / "parser" / file).read_bytes()
    if verdict == "accept" and file not in TIGHTENED:
        found = maps.read(data)
        assert maps.read(found.text()) == found
        return
    with pytest.raises(maps.MapError, match=TIGHTENED.get(file)) as refusal:
        maps.read(data)
    assert refusal.value.problem
    assert 0 <= refusal.value.at <= len(data)


def test_every_text_has_a_verdict() -> None:
    assert {file for file, _ in cases()} == {path.name for path in FACTS.glob("parser/*.map")}
    assert TIGHTENED.keys() <= {file for file, verdict in cases() if verdict == "accept"}


GOOD = "2\n0\n0 0\n4 4\n0 0 0 0\n0 1 2 0\n0 2 1 0\n0 0 0 0\n"


@pytest.mark.parametrize(
    ("file", "line", "column", "cell", "problem"),
    [
        ("bom.map", 1, 1, None, "byte order mark"),
        ("comment.map", 1, 1, None, "number of players in digits, not '#'"),
        ("neg_players.map", 1, 1, None, "number of players in digits, not '-2'"),
        ("empty.map", 1, 1, None, "ends before the number of players"),
        ("cr_only.map", 1, 2, None, "carriage return alone"),
        ("only_header.map", 5, 1, (0, 0), "ends before the last cell"),
        ("cells_without_spaces.map", 5, 1, (0, 0), "'0000' is longer than a cell"),
        ("ff.map", 5, 7, (3, 0), "longer than a cell"),
        ("two_digit.map", 6, 1, (0, 1), "'00' is longer than a cell"),
        ("tok_1a.map", 6, 3, (1, 1), "'1a' is longer than a cell"),
        ("digit3_in_2p.map", 6, 1, (0, 1), "a stone of player 3, but there are 2 players"),
        ("digit9.map", 6, 1, (0, 1), "'9' is no cell"),
        ("hole_eq.map", 6, 1, (0, 1), "'=' is no cell"),
        ("letter.map", 6, 3, (1, 1), "'A' is no cell"),
        ("truncated_last_cell.map", 8, 6, None, "row 4 has 3 cells, expected 4, the width"),
        ("extra_row.map", 9, 1, None, "'0' stands behind the last cell"),
        ("trailing_word.map", 9, 1, None, "'hello' stands behind the last cell"),
        ("good_transition.map", 9, 1, None, "transitions belong to the full game"),
        ("seed_literal.map", 5, 23, None, "row 1 has 12 cells, expected 11, the width; width 12 "),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(
    file: str, line: int, column: int, cell: tuple[int, int] | None, problem: str
) -> None:
    with pytest.raises(maps.MapError) as refusal:
        maps.read((FACTS / "parser" / file).read_bytes())
    error = refusal.value
    assert problem in error.problem
    assert (error.line, error.column, error.cell) == (line, column, cell)
    assert f"line {line}, column {column}" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", "\n\r", " \t\n", "\n\n\r\n"])
def test_line_ends_do_not_matter(end: str) -> None:
    assert maps.read(GOOD.replace("\n", end)) == maps.read(GOOD)
    assert maps.read(GOOD.replace("\n", end).rstrip()) == maps.read(GOOD)
    assert maps.read(end + GOOD) == maps.read(GOOD)


@pytest.mark.parametrize("word", range(6))
def test_a_carriage_return_alone_separates_cells_but_no_header_words(word: int) -> None:
    words = GOOD.split()
    text = " ".join(words[: word + 1]) + "\r" + " ".join(words[word + 1 :])
    with pytest.raises(maps.MapError, match="carriage return alone"):
        maps.read(text)
    assert maps.read(" ".join(words[:7]) + "\r" + "\r".join(words[7:])) == maps.read(GOOD)


def test_a_number_may_be_long_and_a_text_may_not() -> None:
    assert maps.read(GOOD.replace("2", "002", 1)) == maps.read(GOOD)
    with pytest.raises(maps.MapError, match="number of players"):
        maps.read("9" * 100_000)
    assert maps.read(GOOD + " " * (maps.LARGEST_TEXT - len(GOOD))) == maps.read(GOOD)
    with pytest.raises(maps.MapError, match="1 MiB"):
        maps.read(GOOD + " " * maps.LARGEST_TEXT)


def read_or_refuse(source: str | bytes) -> maps.Map | None:
    """The map, or nothing if it is refused at a place inside the text."""
    try:
        return maps.read(source)
    except TextError as error:
        if not 0 <= error.at <= len(source):
            raise AssertionError(f"refused outside the text: {error.at}") from error
        return None


@settings(max_examples=300, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), st.text(" \t\r\n0123-4x", max_size=120)))
def test_no_text_is_misread(data: str | bytes) -> None:
    if (found := read_or_refuse(data)) is not None:
        assert maps.read(found.text()) == found


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, len(GOOD)), drop=st.integers(0, 2), put=st.text(max_size=3))
def test_a_damaged_map_is_refused_or_written_again(at: int, drop: int, put: str) -> None:
    """What is accepted says the same words, but for zeros before a number."""
    text = GOOD[:at] + put + GOOD[at + drop :]
    if (found := read_or_refuse(text)) is not None:
        words = re.split("[ \t\r\n]+", text.strip(" \t\r\n"))
        assert found.text().split() == [word.lstrip("0") or "0" for word in words]


# -------------------------------------------------------------------------------------- catalogue


def test_all_maps_we_ship_can_be_read_and_played() -> None:
    assert len(maps.names()) == 43
    game = games.load("reversi")
    for name in maps.names():
        found = maps.find(name)
        position = game.start(map=name)
        assert position.seats == found.players == int(name[1])
        assert position.text().split(" ")[0] == "/".join(found.rows)


def test_maps_of_the_public_course_repository_can_be_read() -> None:
    files = sorted((FACTS / "public").glob("*.map"))
    assert len(files) == 12
    for file in files:
        assert games.load("reversi").start(map=str(file)).outcome() is None


def test_maps_are_shipped_byte_for_byte() -> None:
    assert maps.load("p4_15x15_arena_crlf").count(b"\r\n") == 19
    assert not maps.load("p4_13x13_octagon_noeol").endswith(b"\n")
    assert maps.find("p4_15x15_arena_crlf").text().count("\r") == 0


def test_names_say_players_and_shape() -> None:
    for name in maps.names():
        height, _, width = name[3:8].partition("x")
        if height.isdigit() and width.isdigit():
            found = maps.find(name)
            assert (found.height, found.width) == (int(height), int(width))


def test_the_sample_of_the_task_has_three_players_on_11_x_11() -> None:
    sample = maps.find("p3_11x11_seed_sample")
    assert (sample.players, sample.height, sample.width) == (3, 11, 11)
    assert sample.rows[4:7] == ("00001230000", "00003120000", "00002310000")


def test_the_sample_of_the_task_is_there_with_either_correction() -> None:
    narrow, wide = maps.find("p3_11x11_seed_sample"), maps.find("p3_11x12_seed_sample")
    assert (wide.players, wide.height, wide.width) == (3, 11, 12)
    assert narrow.rows == tuple(row[:11] for row in wide.rows)


def test_the_first_row_of_another_length_is_named() -> None:
    rows = ["0 0 0 0", "0 1 2 0", "0 2 1", "0 0 0 0"]
    with pytest.raises(maps.MapError, match=r"line 7, .*row 3 has 3 cells, expected 4, the width$"):
        maps.read("2\n0\n0 0\n4 4\n" + "\n".join(rows) + "\n")


def test_a_path_is_taken_and_a_wrong_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "mine.map"
    file.write_bytes(GOOD.encode())
    assert maps.find(str(file)) == maps.read(GOOD)
    with pytest.raises(UnknownName, match="p2_08x08_classic"):
        maps.find("p2_8x8_classic")
    with pytest.raises(UnknownName):
        maps.find(str(tmp_path))
    file.write_bytes(b"nonsense")
    with pytest.raises(TextError, match="line 1, column 1"):
        games.load("reversi").start(map=str(file))

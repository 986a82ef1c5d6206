"""The plain rules against the official engines, the documents and bad input."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter.errors import IllegalMove, TextError, UnknownName
from spielleiter.game import Outcome
from spielleiter.games.piranhas.reference import (
    EDITIONS,
    NAMES,
    Mistake,
    Move,
    Position,
    Random,
    apart,
)

FACTS = Path(__file__).parents[1] / "facts"
SEATS = {None: None, "ONE": 0, "TWO": 1, "RED": 0, "BLUE": 1}
Read = TypeVar("Read")
EMPTY = "/".join([".........."] * 10)
START = Position.start(1, "", "piranhas-2026").text()


def facts(name: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((FACTS / name).read_text("utf-8"))["position"])


def golden_games(season: int, step: int) -> Iterator[dict[str, Any]]:
    """Every so many games of a season; the native suite checks all of them."""
    with gzip.open(FACTS / f"golden-{season}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for at, line in enumerate(lines) if at % step == 0)


def at(fact: dict[str, Any]) -> Position:
    return Position.parse(fact["text"], fact["edition"], fact.get("authority", "document"))


def title(fact: dict[str, Any]) -> str:
    return f"{fact['edition']}: {fact['name']}"


# -------------------------------------------------------------------------------- official engines


def legal_as_digits(position: Position) -> str:
    moves = (f"{m.start[0]}{m.start[1]}{NAMES.index(m.direction)}" for m in position.legal_moves())
    return " ".join(sorted(moves))


def play_digits(position: Position, digits: str) -> None:
    x, y, direction = map(int, digits)
    position.play(position.move_at((y * 10 + x) * 8 + direction))


def check_ply(position: Position, ply: dict[str, Any]) -> None:
    """The legal moves before the ply, and everything listed after it."""
    assert position.outcome() is None
    assert legal_as_digits(position) == ply["legal"]
    play_digits(position, ply["move"])
    assert list(position.scores()) == ply["swarm"]
    assert [position.is_whole(0), position.is_whole(1)] == ply["whole"]
    assert position.credit == SEATS[ply.get("firstUnion")]


@pytest.mark.parametrize("season", [2019, 2026])
def test_games_of_the_official_engine_are_reproduced(season: int) -> None:
    for game in golden_games(season, step=16):
        position = Position.parse(f"{game['board']} 0 -", f"piranhas-{season}", "server")
        for ply in game["plies"]:
            check_ply(position, ply)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == SEATS[game["winner"]]
        assert position.ply == game["turns"]
        assert position.text().split()[0] == game["end"]


@pytest.mark.parametrize("fact", facts("positions.toml"), ids=title)
def test_positions_are_judged_as_the_facts_say(fact: dict[str, Any]) -> None:
    position, outcome = at(fact), fact.get("outcome")
    found = position.outcome()
    if outcome is None:
        assert found is None
    else:
        assert found is not None
        assert list(found.ranks) == outcome["ranks"]
        assert list(found.scores) == outcome["scores"]
        assert found.reason == outcome["reason"]
    assert len(position.legal_moves()) == fact.get("legal", len(position.legal_moves()))
    for text, mistake in fact.get("illegal", {}).items():
        assert position.why_illegal(position.move(text)) is Mistake[mistake]


@pytest.mark.parametrize("fact", facts("perft.toml"), ids=title)
def test_the_first_plies_of_each_perft_table_are_counted_again(fact: dict[str, Any]) -> None:
    for depth, nodes in enumerate(fact["nodes"][:2], 1):
        assert at(fact).perft(depth) == nodes
    assert len(fact["nodes"]) >= 4


# --------------------------------------------------------------------------------- the first union

UNITES_OTHER = "a..A.....a/........../........../........../........../.........a/........../"
UNITES_OTHER += "........../.....AA.../.......... 0 -"
BOTH_WHOLE = "bb......../........../........../........../....B..B../........../........../"
BOTH_WHOLE += "........../........../.......... 1 -"


def after(text: str, move: str, authority: str) -> Position:
    position = Position.parse(text, "piranhas-2026", authority)
    position.play(move)
    return position


def test_who_eats_the_stray_fish_of_the_other_is_credited_as_written() -> None:
    assert after(UNITES_OTHER, "A0-D0", "document").credit == 0


def test_the_server_credits_the_owner_of_the_swarm() -> None:
    assert after(UNITES_OTHER, "A0-D0", "server").credit == 1


def test_with_two_whole_swarms_the_server_credits_the_first_player_and_the_text_the_mover() -> None:
    server, written = (after(BOTH_WHOLE, "H4-F4", judge) for judge in ("server", "document"))
    assert (server.credit, written.credit) == (0, 1)
    assert server.outcome() == by_first_union(0)
    assert written.outcome() == by_first_union(1)


def by_first_union(winner: int) -> Outcome:
    return Outcome((1 + winner, 2 - winner), (4, 4), "first union")


def test_a_credit_stays_when_the_swarm_is_torn_apart() -> None:
    position = after(UNITES_OTHER, "A0-D0", "document")
    position.play("G8-G7")
    assert position.credit == 0


def test_the_editions_of_2019_know_no_credit() -> None:
    position = Position.parse(UNITES_OTHER, "piranhas-2019")
    position.play("A0-D0")
    assert position.text().endswith(" 1 -")


# ------------------------------------------------------------------------------------- the set-up


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seed", range(20))
def test_every_start_obeys_the_set_up(edition: str, seed: int) -> None:
    board = Position.start(seed, "", edition).board
    octopuses = [field for field, piece in board.items() if piece == "#"]
    assert len(board) == 34
    assert all(2 <= coordinate <= 7 for field in octopuses for coordinate in field)
    assert apart(*octopuses)
    for i in range(1, 9):
        assert board[0, i].upper() == board[i, 0]
        assert board[9, i].upper() == board[i, 9]
        assert board[0, i] in "abc"


def test_weights_come_in_the_ratio_four_to_three_to_two() -> None:
    starts = [Position.start(seed, "", "piranhas-2026").text() for seed in range(500)]
    share = [sum(text.count(fish) for text in starts) / (500 * 16) for fish in "abc"]
    assert share == pytest.approx([4 / 9, 3 / 9, 2 / 9], abs=0.02)


def test_chance_is_splitmix64() -> None:
    """The first numbers of the published generator for the seed 1234567."""
    random = Random(1234567)
    assert [random.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_examples_of_the_documents_are_legal(edition: str) -> None:
    position = Position.start(3, "", edition)
    legal = {move.text() for move in position.legal_moves()}
    assert {"A4-C4", "A1-A9", "A2-C0"} <= legal


def test_a_set_up_cannot_be_chosen() -> None:
    with pytest.raises(TextError):
        Position.start(1, "octopuses", "piranhas-2019")


# ------------------------------------------------------------------------------ texts, keys, moves


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A4-C4", Move((0, 4), "right", 2)),
        ("a4c4", Move((0, 4), "right", 2)),
        ("A4 C4", Move((0, 4), "right", 2)),
        ("A4 right", Move((0, 4), "right", 2)),
        ("a4 RIGHT", Move((0, 4), "right", 2)),
        ("A4right", Move((0, 4), "right", 2)),
        ("A2 down-right", Move((0, 2), "down-right", 2)),
        ("A2-down-right", Move((0, 2), "down-right", 2)),
        ("a2 DOWN_RIGHT", Move((0, 2), "down-right", 2)),
        ("A1-A9", Move((0, 1), "up", 8)),
        ("J9 a0", Move((9, 9), "down-left", 9)),
        ("A4 left", Move((0, 4), "left", 2)),
    ],
)
def test_moves_are_read_as_people_write_them(text: str, found: Move) -> None:
    assert Position.parse(START, "piranhas-2026").move(text) == found


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", 0),
        ("K4-C4", 0),
        (" A4-C4", 0),
        ("Ax-C4", 1),
        ("A4", 2),
        ("A4-", 3),
        ("A4 ", 3),
        ("A4 sideways", 3),
        ("A4 up right", 3),
        ("A4--C4", 3),
        ("A4-Z4", 3),
        ("A4-A4", 3),
        ("A4-C5", 3),
        ("a4b7", 2),
        ("A4-C4 ", 5),
        ("A4-C٤", 3),
    ],
)
def test_what_is_no_move_is_refused_where_it_goes_wrong(text: str, wrong: int) -> None:
    with pytest.raises(TextError) as refused:
        Position.parse(START, "piranhas-2026").move(text)
    assert refused.value.at == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", 0),
        ("x" + EMPTY[1:] + " 0 -", 0),
        (EMPTY, 109),
        (EMPTY[:9] + "/" + EMPTY[10:], 9),
        (EMPTY + "/", 109),
        ("." + EMPTY + " 0 -", 10),
        (EMPTY + "  0 -", 110),
        (EMPTY + " 07 -", 110),
        (EMPTY + " 61 -", 110),
        (EMPTY + " 600 -", 110),
        (EMPTY + " -1 -", 110),
        (EMPTY + " ٣ -", 110),
        (EMPTY + " 0", 111),
        (EMPTY + " 0 2", 112),
        (EMPTY + " 0 - ", 113),
        (EMPTY + " 0 -1", 113),
    ],
)
@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_no_position_is_refused_where_it_goes_wrong(
    text: str, wrong: int, edition: str
) -> None:
    with pytest.raises(TextError) as refused:
        Position.parse(text, edition)
    assert refused.value.at == wrong


@pytest.mark.parametrize("edition", EDITIONS[:2])
def test_weights_and_credits_exist_in_2026_only(edition: str) -> None:
    for text, wrong in ((".b" + EMPTY[2:] + " 0 -", 1), (EMPTY + " 3 1", 112)):
        assert Position.parse(text, "piranhas-2026").text() == text
        with pytest.raises(TextError) as refused:
            Position.parse(text, edition)
        assert refused.value.at == wrong


def read_or_place(read: Callable[[str], Read], text: str) -> Read | int:
    """What is read, or the offset of the first wrong character."""
    try:
        return read(text)
    except TextError as error:
        return error.at


@given(st.text(alphabet="ABCJabcj059-_ /#.uprightdownlef\n٣", max_size=24))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    position = Position.parse(START, "piranhas-2026")
    move = read_or_place(position.move, text)
    if isinstance(move, Move):
        assert position.move(move.text()) == move
    else:
        assert 0 <= move <= len(text)


@given(st.text(alphabet="abcABC#./0123456789 -", max_size=130))
def test_any_text_is_a_position_or_refused(text: str) -> None:
    position = read_or_place(lambda text: Position.parse(text, "piranhas-2026"), text)
    if isinstance(position, Position):
        assert position.text() == text
    else:
        assert 0 <= position <= len(text)


@given(st.text(alphabet="...aAbBcC#", min_size=100, max_size=100), st.integers(0, 60))
def test_any_board_goes_to_text_and_back(fields: str, ply: int) -> None:
    rows = "/".join(fields[row : row + 10] for row in range(0, 100, 10))
    assert Position.parse(f"{rows} {ply} 1", "piranhas-2026").text() == f"{rows} {ply} 1"


def test_every_action_has_its_move_and_back() -> None:
    position = Position.start(5, "", "piranhas-2026")
    moves = [position.move_at(action) for action in range(position.actions)]
    assert [position.action(move) for move in moves] == list(range(800))
    assert len(set(moves)) == 800
    assert position.move_at(8 * (4 * 10) + NAMES.index("right")).text() == "A4-C4"
    for wrong in (-1, 800):
        with pytest.raises(IndexError):
            position.move_at(wrong)


def test_whatever_differs_has_another_key() -> None:
    texts = [f"{EMPTY} 0 -", f"{EMPTY} 1 -", f"{EMPTY} 0 0", f"{EMPTY} 0 1"]
    texts += [f"{piece}{EMPTY[1:]} 0 -" for piece in "abcABC#"]
    keys = [Position.parse(text, "piranhas-2026").key() for text in texts]
    keys += [
        Position.parse(f"{EMPTY} 0 -", edition, authority).key()
        for edition in EDITIONS
        for authority in ("document", "server")
        if (edition, authority) != ("piranhas-2026", "document")
    ]
    assert all(one != other for one, other in combinations(keys, 2))


def test_an_illegal_move_is_refused_by_name_and_changes_nothing() -> None:
    position = Position.start(1, "", "piranhas-2019")
    before = position.text()
    with pytest.raises(IllegalMove, match="DESTINATION_OUT_OF_BOUNDS"):
        position.play("A4 left")
    assert position.text() == before


def test_unknown_editions_and_authorities_are_refused() -> None:
    with pytest.raises(UnknownName, match="piranhas-2026"):
        Position.parse(START, "piranhas-2025")
    with pytest.raises(UnknownName, match="document"):
        Position.parse(START, "piranhas-2026", "documents")


def test_a_copy_goes_its_own_way() -> None:
    position = Position.start(1, "", "piranhas-2026")
    copy = position.copy()
    assert copy == position
    copy.play("A4 right")
    assert copy != position
    assert position.ply == 0

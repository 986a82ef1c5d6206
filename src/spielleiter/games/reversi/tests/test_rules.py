"""The rules of Reversi: recorded games of the real server, turns, disqualification, counting."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spielleiter import games
from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Outcome, Position, can_disqualify
from spielleiter.games.reversi import maps, reference

FACTS = Path(__file__).parent.parent / "facts"
GAME = games.load("reversi")
PUBLISHED = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800, 1939886636]

Parse = Callable[[str], Any]


def plain(text: str) -> reference.Position:
    return reference.Position.parse(text, "reversi")


JUDGES = pytest.mark.parametrize("parse", [GAME.parse, plain], ids=["core", "reference"])


def replays() -> list[dict[str, Any]]:
    """Games refereed by the course's own server: who moved, what was legal, how it ended."""
    with gzip.open(FACTS / "replays.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def perft_facts() -> list[dict[str, Any]]:
    facts: list[dict[str, Any]] = tomllib.loads((FACTS / "perft.toml").read_text("utf-8"))[
        "position"
    ]
    return facts


# ------------------------------------------------------------------------------------ real games


@pytest.mark.parametrize(
    ("parse", "every"),
    [(GAME.parse, 1), (plain, 4), pytest.param(plain, 1, marks=pytest.mark.deep)],
    ids=["core", "reference", "reference, all"],
)
def test_games_of_the_real_server_come_out_the_same(parse: Parse, every: int) -> None:
    plies = 0
    for replay in replays()[::every]:
        position = parse(maps.read(replay["map"]).position())
        for ply in replay["plies"]:
            _is_recorded(position, ply)
            position.play(position.move("{},{}".format(*ply["move"])))
            plies += 1
        outcome = position.outcome()
        assert outcome is not None, replay["map_file"]
        assert position.text().split(" ")[0] == replay["final_board"]
        assert list(outcome.scores) == replay["scores"]
    assert plies == 4617 if every == 1 else plies > 1_000


def _is_recorded(position: Position, ply: dict[str, Any]) -> None:
    assert position.to_move() + 1 == ply["player"]
    cells = [divmod(position.action(move), 15) for move in position.legal_moves()]
    assert " ".join(f"{x},{y}" for y, x in cells) == ply["legal"]


def test_a_move_is_written_in_two_ways() -> None:
    position = GAME.start()
    assert position.move("d3") == position.move("D3") == position.move("3,2")
    assert position.move("3,2").text() == "d3"
    assert position.action(position.move("d3")) == 2 * 15 + 3


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 0),
        ("d", 1),
        ("p1", 0),
        ("d0", 1),
        ("d16", 1),
        ("3,", 2),
        ("15,0", 0),
        ("d3 ", 2),
        ("3;2", 1),
    ],
)
def test_what_is_no_move_is_refused_at_its_place(text: str, at: int) -> None:
    with pytest.raises(TextError) as refusal:
        GAME.start().move(text)
    assert refusal.value.at == at


@pytest.mark.parametrize(
    ("text", "at", "problem"),
    [
        ("", 0, "expected a cell"),
        ("012/01 2 1 -", 4, "another length"),
        ("012/ 2 1 -", 4, "expected a cell"),
        ("0" * 16 + " 2 1 -", 15, "at most 15 cells"),
        ("/".join("0" * 16) + " 2 1 -", 30, "at most 15 rows"),
        ("0130 2 1 -", 2, "not in the game"),
        ("012x 2 1 -", 3, "a cell"),
        ("0120 5 1 -", 5, "number of players"),
        ("0120 2 3 -", 7, "player to move"),
        ("0120 2 1 3", 9, "disqualified players"),
        ("0120 2 1 22", 10, "already"),
        ("0120 2 1 1", 7, "is disqualified"),
        ("0120 2 1 --", 10, "end of the text"),
        ("0120 2 1", 8, "a blank"),
    ],
)
def test_what_is_no_position_is_refused_at_its_place(text: str, at: int, problem: str) -> None:
    with pytest.raises(TextError, match=problem) as refusal:
        GAME.parse(text)
    assert refusal.value.at == at
    with pytest.raises(TextError):
        plain(text)


def test_no_single_wrong_character_is_read_over() -> None:
    """Whatever is changed: the text is refused, or it is written again as it was read."""
    good = GAME.start().text()
    for at in range(len(good)):
        for change in "01234-/ 5x":
            text = good[:at] + change + good[at + 1 :]
            with contextlib.suppress(TextError):
                assert GAME.parse(text).text() == text


def test_a_player_who_cannot_move_is_skipped_in_texts_too() -> None:
    assert GAME.parse("0121 2 1 -") == GAME.parse("0121 2 2 -")
    assert plain("0121 2 1 -").text() == "0121 2 2 -"


def test_plies_are_counted_from_the_set_up() -> None:
    position = GAME.start()
    assert position.ply == 0
    for _ in range(5):
        position.play(position.legal_moves()[0])
    assert position.ply == 5
    assert GAME.parse(position.text()).ply == 0
    assert GAME.parse(position.text()) == position


# ------------------------------------------------------------------------------ disqualification


@JUDGES
def test_the_turn_goes_on_without_a_disqualified_player(parse: Parse) -> None:
    position = parse(maps.find("p3_11x11_seed_sample").position())
    board = position.text().split(" ")[0]
    position.disqualify(0)
    assert position.text() == f"{board} 3 2 1"
    assert position.scores() == (0, 3, 3)
    movers = []
    for _ in range(6):
        movers.append(position.to_move())
        position.play(position.legal_moves()[0])
    assert movers == [1, 2, 1, 2, 1, 2]


@JUDGES
def test_out_of_turn_only_the_score_changes(parse: Parse) -> None:
    position = parse(maps.find("p4_10x10_block").position())
    before = [move.text() for move in position.legal_moves()]
    position.disqualify(2)
    assert position.to_move() == 0
    assert [move.text() for move in position.legal_moves()] == before
    assert position.scores()[2] == 0


@JUDGES
def test_the_last_one_left_wins_at_once(parse: Parse) -> None:
    position = parse(maps.find("p3_11x11_seed_sample").position())
    position.disqualify(2)
    assert position.outcome() is None
    position.disqualify(0)
    assert position.outcome() == Outcome((2, 1, 3), (0, 3, 0), "last one left")
    assert len(position.legal_moves()) == 0
    with pytest.raises(IllegalMove, match="GAME_OVER"):
        position.play("e3")


@JUDGES
def test_disqualifying_twice_changes_nothing_and_nobody_may_be_left(parse: Parse) -> None:
    position = parse(maps.find("p2_08x08_classic").position())
    position.disqualify(1)
    text = position.text()
    position.disqualify(1)
    assert position.text() == text
    position.disqualify(0)
    assert position.outcome() == Outcome((1, 2), (0, 0), "nobody left")
    assert parse(position.text()).outcome() == position.outcome()


@JUDGES
def test_a_seat_that_does_not_exist_cannot_be_disqualified(parse: Parse) -> None:
    position = parse("0120 2 1 -")
    for seat in (-1, 2, 4):
        with pytest.raises(UsageError):
            position.disqualify(seat)


def walk_together(map_name: str, seed: int, every: int = 1) -> int:
    """One random game with disqualifications in core and reference alike; gives its plies.

    They are compared after every so many of them, and at the end.
    """
    lot = random.Random(seed)
    text = maps.find(map_name).position()
    fast, slow = GAME.parse(text), plain(text)
    plies = 0
    while True:
        if plies % every == 0 or fast.outcome() is not None:
            _agree(fast, slow, lot)
        if not (moves := fast.legal_moves()):
            return plies
        if lot.random() < 0.01:
            seat = lot.randrange(fast.seats)
            assert can_disqualify(fast)
            fast.disqualify(seat)
            slow.disqualify(seat)
        else:
            move = lot.choice(moves).text()
            fast.play(move)
            slow.play(move)
            plies += 1


def _agree(fast: Any, slow: reference.Position, lot: random.Random) -> None:
    assert fast.text() == slow.text()
    assert fast.key() == slow.key()
    assert (fast.seats, fast.ply, fast.to_move()) == (slow.seats, slow.ply, slow.to_move())
    assert fast.outcome() == slow.outcome()
    assert fast.scores() == slow.scores()
    texts = [move.text() for move in fast.legal_moves()]
    assert texts == [move.text() for move in slow.legal_moves()]
    for action in lot.sample(range(fast.actions), 3):
        ours = fast.why_illegal(fast.move_at(action))
        theirs = slow.why_illegal(slow.move_at(action))
        assert (ours and ours.name) == (theirs and theirs.name)


def test_core_and_reference_agree_on_every_map_with_disqualifications() -> None:
    played = sum(walk_together(name, seed=1, every=3) for name in maps.names())
    assert played > 3_000


@pytest.mark.deep
@pytest.mark.parametrize("part", range(10))
def test_core_and_reference_agree_on_many_games_with_disqualifications(part: int) -> None:
    played, seed = 0, 1000 * part
    while played < 50_000:
        played += sum(walk_together(name, seed) for name in maps.names())
        seed += 1


# -------------------------------------------------------------------------------------- counting


@pytest.mark.native
def test_othello_counts_are_as_published() -> None:
    start = GAME.start()
    counted = [start.perft(depth) for depth in range(1, 11)]
    assert counted == PUBLISHED[:10]


@pytest.mark.deep
def test_deep_othello_counts_are_as_published() -> None:
    assert [GAME.start().perft(depth) for depth in (11, 12)] == PUBLISHED[10:]


@pytest.mark.native
def test_all_games_of_othello_on_4_x_4_are_counted() -> None:
    """60,060 games: from some depth on every one of them is finished and counted once."""
    start = GAME.start(map="p2_04x04_classic")
    assert {start.perft(depth) for depth in (20, 30, 60)} == {60_060}


@pytest.mark.parametrize("fact", perft_facts(), ids=lambda fact: str(fact["name"]))
def test_counts_are_confirmed_by_the_reference(fact: dict[str, Any]) -> None:
    affordable = [count for count in fact["nodes"] if count <= 1_000]
    slow = plain(fact["text"])
    assert [_perft(slow, depth + 1) for depth in range(len(affordable))] == affordable
    with_passes = [count for count in fact.get("with_passes", []) if count <= 1_000]
    counted = [_perft_with_passes(slow, depth + 1) for depth in range(len(with_passes))]
    assert counted == with_passes


@pytest.mark.native
@pytest.mark.parametrize("fact", perft_facts(), ids=lambda fact: str(fact["name"]))
def test_counts_with_passes_are_as_tabulated(fact: dict[str, Any]) -> None:
    position = GAME.parse(fact["text"])
    quick = [count for count in fact.get("with_passes", []) if count <= 20_000_000]
    assert [position.perft(depth + 1, passes=True) for depth in range(len(quick))] == quick


def _perft(position: reference.Position, depth: int) -> int:
    if depth == 1:
        return len(position.legal_moves())
    return sum(_perft(after, depth - 1) for after in _successors(position))


def _perft_with_passes(position: reference.Position, depth: int) -> int:
    """Two players: a player who moves twice in a row means that the other one passed."""
    if depth <= 0 or position.outcome() is not None:
        return 1
    total = 0
    for after in _successors(position):
        passed = after.outcome() is None and after.to_move() == position.to_move()
        total += _perft_with_passes(after, depth - 1 - passed)
    return total


def _successors(position: reference.Position) -> list[reference.Position]:
    successors = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        successors.append(after)
    return successors


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(UsageError):
        GAME.start().perft(-1)


# ---------------------------------------------------------------------------------- for learners


def test_the_planes_show_what_the_rules_say() -> None:
    lot = random.Random(3)
    for name in ("p2_08x08_classic", "p4_14x15_maze", "p3_09x09_hexagon", "p2_15x01_column"):
        position = GAME.start(map=name)
        while moves := position.legal_moves():
            _planes_are_right(position)
            position.play(lot.choice(moves))
            if position.ply == 12 and position.seats > 2:
                assert can_disqualify(position)
                position.disqualify(1)
        _planes_are_right(position)


def test_a_batch_shows_every_position_of_its_games_whatever_it_showed_before() -> None:
    """What cannot change within a game is written once, so games of all kinds are gone through,
    some of them twice, looked at now and then."""
    lot = np.random.default_rng(7)
    fallen = GAME.start(map="p4_14x15_maze")
    assert can_disqualify(fallen)
    fallen.disqualify(2)
    names = ("p2_08x08_classic", "p2_04x04_classic", "p2_15x01_column")
    small = [GAME.start(map="p2_04x04_classic")]
    for group in ([GAME.start(map=name) for name in names], [fallen], [GAME.start()] * 2, small):
        batch = GAME.batch(len(group), positions=group, auto_reset=True)
        for step in range(90):
            if step % 3:
                for game in range(len(group)):
                    _batch_shows(batch, game)
            legal = [np.flatnonzero(row) for row in batch.mask]
            batch.step(np.array([lot.choice(row) if len(row) else 0 for row in legal], "i4"))


def _batch_shows(batch: Any, game: int) -> None:
    position, planes = batch[game], batch.planes[game]
    assert (planes == position.observe()).all()
    columns = np.arange(planes.shape[2])
    assert ((batch.plane_bits[game][:, :, None] >> columns & 1) == planes).all()
    if len({(batch[at].rows, batch[at].columns) for at in range(len(batch))}) == 1:
        board = planes[:, : position.rows, : position.columns]
        assert np.array_equal(batch.board_planes[game], board)
    mask = np.zeros(position.actions, bool)
    mask[[position.action(move) for move in position.legal_moves()]] = True
    assert (batch.mask[game] == mask).all()
    assert batch.done[game] or not batch.rewards[game].any()


def test_all_games_of_a_batch_on_a_map_begin_on_it() -> None:
    batch = GAME.batch(3, map="p3_09x09_hexagon")
    start = GAME.start(map="p3_09x09_hexagon")
    assert [batch[game] for game in range(3)] == [start] * 3
    with pytest.raises(TextError):
        GAME.native.Batch(2, 1, "no map", "reversi")


def _planes_are_right(position: Position) -> None:
    rows, seats, turn, fallen = position.text().split(" ")
    board = {(x, y): mark for y, row in enumerate(rows.split("/")) for x, mark in enumerate(row)}
    order = [str((int(turn) - 1 + step) % int(seats) + 1) for step in range(int(seats))]
    order += ["nobody"] * (4 - len(order))
    legal = {divmod(position.action(move), 15)[::-1] for move in position.legal_moves()}
    planes = position.observe()
    assert planes.shape == position.planes == (7, 15, 15)
    for y in range(15):
        for x in range(15):
            mark = board.get((x, y), "-")
            expected = [*(mark == player for player in order), mark == "-", (x, y) in legal]
            expected.append(mark in "1234" and mark in fallen)
            assert planes[:, y, x].tolist() == [int(value) for value in expected]


# -------------------------------------------------------------------------------------- the scene


def test_a_scene_shows_stones_holes_marks_and_counts() -> None:
    position = GAME.start(map="p3_09x09_hexagon")
    move = position.legal_moves()[0]
    position.play(move)
    assert can_disqualify(position)
    position.disqualify(2)
    scene = GAME.scene(position, move)
    rows = position.text().split(" ")[0].split("/")
    marks = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    assert {token.cells[0] for token in scene.tokens} == {c for c in marks if marks[c] in "1234"}
    assert all(token.colour == f"player {marks[token.cells[0]]}" for token in scene.tokens)
    assert set(scene.holes) == {cell for cell in marks if marks[cell] == "-"}
    assert {mark.kind: len(mark.cells) for mark in scene.marks} == {
        "last": 1,
        "legal": len(position.legal_moves()),
    }
    assert scene.grid.column_labels[3] + scene.grid.row_labels[2] == "d3"
    assert scene.status[0] == "player 2 to move"
    assert "(disqualified)" in scene.status[1]
    assert {token.colour for token in scene.tokens} <= set(scene.palette)


def test_a_finished_game_says_who_won() -> None:
    scene = GAME.scene(GAME.parse("01110333/00000000 4 4 -"), None)
    assert scene.status[0] == "over: player 1 and player 3 win (equal stones)"
    assert [mark.kind for mark in scene.marks] == []

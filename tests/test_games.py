"""One suite for every game: what the contract promises holds, whichever game it is."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielleiter import _cpu, games
from spielleiter.errors import IllegalMove, SpielleiterError, TextError
from spielleiter.game import Cell, Game, Position, Seat
from tests.conftest import EDITIONS, game_of, repeats, twin_plies
from tests.walks import positions, starts, walk

QUICK = repeats(400, 100)
"""Positions that a test of the contract looks at."""


# ------------------------------------------------------------------------------------ the contract


def test_the_same_seed_gives_the_same_start_and_others_differ(game: Game) -> None:
    assert game.start(7) == game.start(7)
    assert game.start(7).text() == game.start(7).text()
    if not game.options:
        assert len({game.start(seed) for seed in range(20)}) > 10


def test_a_position_survives_text_pickle_and_copy(game: Game) -> None:
    for position in positions(game, QUICK, seed=1):
        assert game.parse(position.text()) == position
        assert game.parse(position.text()).key() == position.key()
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert (again.edition, again.authority) == (game.name, game.authority)
    assert hash(again) == hash(position)
    assert copy.copy(position) == copy.deepcopy(position) == position.copy() == position
    assert game.name in repr(position)
    assert position.text() in repr(position)


def test_a_copy_goes_its_own_way(game: Game) -> None:
    start = game.start(1)
    twin = start.copy()
    twin.play(twin.legal_moves()[0])
    assert twin != start
    assert start == game.start(1)


def test_legal_moves_are_a_container(game: Game) -> None:
    for position in positions(game, QUICK // 4, seed=2):
        moves = position.legal_moves()
        listed = list(moves)
        assert len(moves) == len(listed) == len(set(listed))
        assert moves[: len(listed)] == tuple(listed)
        for at, move in enumerate(listed[:20]):
            assert move in moves
            assert move.text() in moves
            assert position.why_illegal(move.text()) is None
            assert moves[at] == move
            assert moves.index(move) == at
    start = game.start(1)
    moves = start.legal_moves()
    assert moves[-1] == list(moves)[-1]
    assert "nonsense" not in moves
    with pytest.raises(IndexError):
        moves[len(moves)]
    assert "legal moves" in repr(moves)


def test_a_cell_is_found_by_its_name_on_the_board(game: Game) -> None:
    for position in positions(game, QUICK // 4, seed=8):
        grid = game.scene(position, None).grid
        rows = grid.row_labels or tuple(str(row + 1) for row in range(position.rows))
        for (column, row), there in position.cells().items():
            name = f"{grid.column_labels[column]}{rows[row]}"
            assert position.at(name) == position.at(name.swapcase()) == there, name
    wrong: list[Any] = [5, (1, 2, 3), ("a", "b")]
    for cell in wrong:
        with pytest.raises(TypeError, match=r"a cell is \(column, row\)"):
            position.at(cell)
    for name in ("", "a", "7", "a99", "z1", "1a", "a-1", "aa1", "a1 ", "a99999999999"):
        with pytest.raises(IndexError):
            position.at(name)


def test_moves_survive_text_action_and_pickle(game: Game) -> None:
    for position in positions(game, QUICK // 4, seed=3):
        for move in position.legal_moves()[::7]:
            assert position.move(move.text()) == move
            assert position.move_at(position.action(move)) == move
            assert 0 <= position.action(move) < position.actions
            assert pickle.loads(pickle.dumps(move)) == move
            assert hash(position.move(move.text())) == hash(move)


def test_every_action_is_legal_or_has_a_named_mistake(game: Game) -> None:
    lot = random.Random(4)
    for position in positions(game, QUICK // 4, seed=4):
        legal = {position.action(move) for move in position.legal_moves()}
        for action in lot.choices(range(position.actions), k=15):
            move = position.move_at(action)
            mistake = position.why_illegal(move)
            assert (mistake is None) == (action in legal), (position, move)
            if mistake is not None:
                assert mistake.name.isupper()
                assert mistake.explanation
                _is_refused(position, move, mistake.name)


def _is_refused(position: Any, move: Any, mistake: str) -> None:
    before = position.text()
    with pytest.raises(IllegalMove) as refusal:
        position.play(move)
    assert refusal.value.mistake == mistake
    assert position.text() == before


def test_random_play_ends_with_an_outcome_that_makes_sense(game: Game) -> None:
    lot = random.Random(5)
    for start in starts(game, 10, seed=5):
        *_, last = walk(start, lot)
        outcome = last.outcome()
        if outcome is None:  # an authority may leave a side without a move and without a rule
            assert game.authority == "server"
            continue
        assert len(outcome.ranks) == len(outcome.scores) == last.seats
        assert min(outcome.ranks) == 1
        for seat, rank in enumerate(outcome.ranks):
            assert rank == 1 + sum(other < rank for other in outcome.ranks), (seat, outcome)
        assert outcome.reason
        assert outcome.scores == last.scores()
        assert len(last.legal_moves()) == 0


def test_playing_on_after_the_end_is_refused(game: Game) -> None:
    *_, last = walk(game.start(3), random.Random(6))
    if last.outcome() is not None:
        _is_refused(last, last.move_at(0), "GAME_OVER")


# --------------------------------------------------------------------------------------- the board


def test_cells_say_what_the_scene_says(game: Game) -> None:
    for position in positions(game, QUICK // 4, seed=31):
        scene = game.scene(position, None)
        grid = {(x, y) for x in range(scene.grid.columns) for y in range(scene.grid.rows)}
        assert (position.columns, position.rows) == (scene.grid.columns, scene.grid.rows)
        assert position.cells().keys() == grid - set(scene.holes)
        shown = {cell: token.text for token in scene.tokens for cell in token.cells}
        assert occupied(position) == shown, position


def occupied(position: Position) -> dict[Cell, str]:
    """What lies where, in the characters of the text."""
    return {cell: lies.text() for cell, lies in position.cells().items() if lies is not None}


def test_cells_say_what_the_text_says(game: Game) -> None:
    for position in positions(game, QUICK // 4, seed=32):
        rows = position.text().split()[0].split("/")
        if [len(row) for row in rows] == [position.columns] * position.rows:
            letters = {cell: rows[cell[1]][cell[0]] for cell in position.cells()}
            taken = occupied(position)
            assert taken == {cell: letter for cell, letter in letters.items() if cell in taken}
            assert not set(taken.values()) & {letters[cell] for cell in letters.keys() - taken}


def test_a_cell_alone_is_what_it_is_among_all(game: Game) -> None:
    for position in islice(positions(game, 1, seed=33), 0, None, 6):
        cells = position.cells()
        for x in range(-1, position.columns + 1):
            for y in range(-1, position.rows + 1):
                if (x, y) in cells:
                    assert position.at((x, y)) == cells[x, y]
                else:
                    with pytest.raises(IndexError):
                        position.at((x, y))
        assert pickle.loads(pickle.dumps(cells)) == cells
    for lies in cells.values():
        assert lies is None or lies.seat is None or 0 <= lies.seat < position.seats


def test_looking_ahead_changes_nothing_here(game: Game) -> None:
    lot = random.Random(34)
    for position in positions(game, QUICK // 4, seed=34):
        before = position.text()
        for move in lot.sample(list(position.legal_moves()), k=min(3, len(position.legal_moves()))):
            played = position.copy()
            played.play(move)
            assert position.after(move) == position.after(move.text()) == played
            assert position.text() == before
    *_, last = walk(game.start(3), random.Random(6))
    if last.outcome() is not None:
        with pytest.raises(IllegalMove):
            last.after(last.move_at(0))


def test_core_and_reference_show_the_same_board(game: Game) -> None:
    reference = game.part("reference").Position
    for fast in islice(positions(game, QUICK // 4, seed=35), 0, None, 3):
        slow = reference.parse(fast.text(), game.name, game.authority)
        assert (fast.columns, fast.rows) == (slow.columns, slow.rows)
        assert _described(fast) == _described(slow)
        if moves := fast.legal_moves():
            text = moves[len(moves) // 2].text()
            assert fast.after(text).text() == slow.after(slow.move(text)).text()


def _described(position: Position) -> dict[Cell, tuple[Seat | None, str] | None]:
    cells = position.cells()
    return {cell: (lies.seat, lies.text()) if lies else None for cell, lies in cells.items()}


# ----------------------------------------------------------------------------------- the slow twin


def agree(game: Game, plies: int, seed: int, every: int = 1) -> None:
    """Fast core and plain reference say the same about positions of random games.

    Of some games only every so many are compared, and all ends: neighbours have most in common.
    """
    reference = game.part("reference").Position
    lot = random.Random(seed)
    for at, fast in enumerate(positions(game, plies, seed)):
        if at % every and fast.legal_moves():
            continue
        slow = reference.parse(fast.text(), game.name, game.authority)
        assert slow.text() == fast.text()
        assert slow.key() == fast.key()
        assert slow.to_move() == fast.to_move()
        assert slow.scores() == fast.scores()
        assert slow.outcome() == fast.outcome(), fast
        texts = sorted(move.text() for move in fast.legal_moves())
        assert texts == sorted(move.text() for move in slow.legal_moves()), fast
        for action in lot.choices(range(fast.actions), k=5):
            _agree_on_mistake(fast, slow, action)
        if texts:
            _agree_after(fast, slow, lot.choice(texts))


def _agree_on_mistake(fast: Any, slow: Any, action: int) -> None:
    ours, theirs = fast.why_illegal(fast.move_at(action)), slow.why_illegal(slow.move_at(action))
    assert fast.move_at(action).text() == slow.move_at(action).text()
    assert (ours and ours.name) == (theirs and theirs.name), (fast, fast.move_at(action).text())


def _agree_after(fast: Any, slow: Any, text: str) -> None:
    after_fast, after_slow = fast.copy(), slow.copy()
    after_fast.play(text)
    after_slow.play(after_slow.move(text))
    assert after_fast.text() == after_slow.text(), (fast, text)
    assert after_fast.key() == after_slow.key()


def plies_for_twin(game: Game, depth: str) -> int:
    """The share of this edition and authority in what the game's folder asks for."""
    siblings = sum(other.folder == game.folder for other in EDITIONS)
    return twin_plies(game)[depth] // siblings // repeats(1, 10) + 1


def test_core_and_reference_agree_on_random_games(game: Game) -> None:
    agree(game, plies_for_twin(game, "quick"), seed=11, every=3)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(8))
def test_core_and_reference_agree_on_many_random_games(game: Game, part: int) -> None:
    agree(game, plies_for_twin(game, "deep") // 8, seed=100 + part)


def test_core_and_reference_draw_the_same_starts(game: Game) -> None:
    reference = game.part("reference").Position
    for seed in range(50):
        chosen = {option.name: option.default for option in game.options}
        text = game.set_up(**chosen)
        slow = reference.start(seed, text, game.name, game.authority)
        assert slow.text() == game.start(seed, **chosen).text()


# --------------------------------------------------------------------------------------- the facts


@pytest.mark.native
def test_perft_is_as_tabulated(perft_fact: dict[str, Any]) -> None:
    position = game_of(perft_fact).parse(perft_fact["text"])
    nodes = perft_fact["nodes"]
    quick = [count for count in nodes if count <= 50_000_000]
    assert [position.perft(depth + 1, passes=False) for depth in range(len(quick))] == quick


@pytest.mark.deep
def test_deep_perft_is_as_tabulated(perft_fact: dict[str, Any]) -> None:
    position = game_of(perft_fact).parse(perft_fact["text"])
    nodes = perft_fact["nodes"]
    counted = [position.perft(n + 1, threads=2, passes=False) for n in range(len(nodes))]
    assert counted == nodes


def test_positions_are_judged_as_tabulated(position_fact: dict[str, Any]) -> None:
    game = game_of(position_fact)
    reference = game.part("reference").Position
    for judge in (game.parse, lambda text: reference.parse(text, game.name, game.authority)):
        _is_as_tabulated(judge(position_fact["text"]), position_fact)


def _is_as_tabulated(position: Any, fact: dict[str, Any]) -> None:
    outcome = position.outcome()
    if "outcome" in fact:
        assert outcome is not None
        assert list(outcome.ranks) == fact["outcome"]["ranks"]
        assert list(outcome.scores) == fact["outcome"]["scores"]
        assert outcome.reason == fact["outcome"]["reason"]
    else:
        assert outcome is None
    if "legal" in fact:
        assert len(position.legal_moves()) == fact["legal"]
    for text, mistake in fact.get("illegal", {}).items():
        found = position.why_illegal(position.move(text))
        assert found is not None, text
        assert found.name == mistake


# ---------------------------------------------------------------------------- counting and batches


def slow_perft(position: Any, depth: int) -> int:
    """By the definition: every ply played."""
    if depth == 0:
        return 1
    total = 0
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        total += slow_perft(after, depth - 1)
    return total


def test_counting_ahead_equals_playing_out(game: Game) -> None:
    for position in islice(positions(game, 200, seed=8), 0, None, repeats(5, 12)):
        if len(position.legal_moves()) < 150:
            assert position.perft(1, passes=False) == slow_perft(position, 1)
            assert position.perft(2, passes=False) == slow_perft(position, 2), position


def test_threads_do_not_change_counts(game: Game) -> None:
    start, depth, many = game.start(5), repeats(3, 2), repeats(50, 6)
    assert start.perft(depth, passes=False) == start.perft(depth, threads=3, passes=False)
    assert start.playouts(many, seed=9) == start.playouts(many, seed=9, threads=4)
    assert start.playouts(many, seed=9) != start.playouts(many, seed=10)


def test_playouts_add_up(game: Game) -> None:
    many = repeats(300, 12)
    sums = game.start(2).playouts(many, seed=1)
    assert sums.games == many
    assert sum(sums.wins) + sums.draws == many
    assert len(sums.scores) == game.start(2).seats


def test_random_moves_are_legal_and_about_equally_frequent(game: Game) -> None:
    draws = repeats(4_000, 400)
    for position in list(positions(game, 300, seed=21))[::60]:
        moves = list(position.legal_moves())
        if len(moves) > 100 or not moves:
            continue
        seen = Counter(position.random_move(seed) for seed in range(draws))
        expected = draws / len(seen)
        assert seen.keys() <= set(moves)
        # chi-square: mean len − 1, variance 2 (len − 1); six deviations are never reached by luck
        chi = sum((count - expected) ** 2 / expected for count in seen.values())
        freedom = len(seen) - 1
        assert chi <= freedom + 6 * (2 * freedom) ** 0.5 + 1, position


def test_a_batch_equals_single_games(game: Game) -> None:
    lot = np.random.default_rng(1)
    batch = game.batch(8, seed=3, threads=2)
    singles = [batch[at] for at in range(len(batch))]
    for _ in range(repeats(30, 8)):
        for at, single in enumerate(singles):
            _shows(batch, at, single)
        actions = np.array([_some_action(row, lot) for row in batch.mask], dtype=np.int32)
        batch.step(actions)
        for single, action in zip(singles, actions, strict=True):
            if single.outcome() is None:
                single.play(single.move_at(int(action)))


def _some_action(mask: Any, lot: Any) -> int:
    legal = np.flatnonzero(mask)
    return int(lot.choice(legal)) if len(legal) else 0


def _shows(batch: Any, at: int, single: Any) -> None:
    assert batch[at] == single
    legal = {single.action(move) for move in single.legal_moves()}
    assert set(np.flatnonzero(batch.mask[at])) == legal
    outcome = single.outcome()
    assert batch.done[at] == (outcome is not None)
    assert batch.to_move[at] == (-1 if outcome else single.to_move())
    assert (batch.planes[at] == single.observe()).all()
    assert abs(batch.rewards[at].sum()) < 1e-6
    if outcome is not None and outcome.winner is not None:
        assert batch.rewards[at].argmax() == outcome.winner


def test_a_batch_lists_what_its_masks_show(game: Game) -> None:
    lot = np.random.default_rng(4)
    batch = game.batch(6, seed=4, threads=2)
    for _ in range(repeats(40, 8)):
        actions, begins = batch.legal_actions()
        assert begins[0] == 0
        assert begins[-1] == len(actions)
        for at, row in enumerate(batch.mask):
            listed = actions[begins[at] : begins[at + 1]]
            assert sorted(listed) == list(np.flatnonzero(row))
        batch.step(np.array([_some_action(row, lot) for row in batch.mask], dtype=np.int32))


def test_a_batch_begins_with_given_seeds_and_goes_on_by_lot(game: Game) -> None:
    seeds = [5, 2**64 - 1, 5]
    batch, again = game.batch(3, seeds=seeds), game.batch(3, seeds=seeds)
    assert [batch[at] for at in range(3)] == [game.start(seed) for seed in seeds]
    batch.reset()
    again.reset()
    assert [batch[at] for at in range(3)] == [again[at] for at in range(3)]
    with pytest.raises(SpielleiterError, match="one seed for each game"):
        game.batch(2, seeds=seeds)


def test_a_batch_begins_at_given_positions_and_comes_back_to_them(game: Game) -> None:
    first = game.start(1)
    given = [first.after(move) for move in first.legal_moves()[:3]]
    batch = game.batch(len(given), positions=given)
    for at, position in enumerate(given):
        _shows(batch, at, position)
    batch.step(np.array([_some_action(row, np.random.default_rng(1)) for row in batch.mask], "i4"))
    assert [batch[at] for at in range(len(given))] != given
    batch.reset()
    assert [batch[at] for at in range(len(given))] == given
    with pytest.raises(SpielleiterError, match="one position for each game"):
        game.batch(len(given) + 1, positions=given)


def test_arrays_of_a_batch_are_handed_on_without_a_copy(game: Game) -> None:
    batch = game.batch(2)
    for array in (batch.planes, batch.to_move, batch.rewards, batch.mask.view(np.uint8)):
        assert np.shares_memory(np.from_dlpack(array), array)


def test_planes_of_the_board_alone_have_its_rows_and_columns(game: Game) -> None:
    batch = game.batch(2)
    rows, columns = batch[0].rows, batch[0].columns
    assert np.array_equal(batch.board_planes, batch.planes[:, :, :rows, :columns])


def test_planes_that_hold_more_than_bits_are_not_offered_as_bits(game: Game) -> None:
    batch = game.batch(2)
    if getattr(game.part("reference").Position, "has_plane_bits", False):
        assert batch.plane_bits.shape == batch.planes.shape[:3]
        return
    with pytest.raises(SpielleiterError, match="more than bits"):
        _ = batch.plane_bits


def test_a_batch_refuses_an_illegal_action_and_then_plays_nothing(game: Game) -> None:
    batch = game.batch(3, seed=1)
    actions = np.array([_some_action(row, np.random.default_rng(2)) for row in batch.mask])
    wrong = actions.astype(np.int32)
    wrong[1] = int(np.flatnonzero(~batch.mask[1])[0])
    before = [batch[at] for at in range(3)]
    with pytest.raises(SpielleiterError, match="game 1"):
        batch.step(wrong)
    assert [batch[at] for at in range(3)] == before


def test_a_batch_can_start_over(game: Game) -> None:
    batch = game.batch(2, seed=1, auto_reset=True)
    lot = np.random.default_rng(3)
    ended = np.zeros(2, dtype=bool)
    for _ in range(600):
        batch.step(np.array([_some_action(row, lot) for row in batch.mask], dtype=np.int32))
        ended |= batch.done
        if ended.all() and not batch.done.any():
            break
    assert ended.all()
    assert not batch.done.any()


@pytest.mark.native
def test_every_flavour_has_the_same_signature_and_facts() -> None:
    """All builds we ship compute the same: bench numbers, the tabulated perft, estimates."""
    reports = {flavour: flavour_report(flavour) for flavour in _cpu.flavours()}
    first, *others = reports.values()
    assert all(report == first for report in others), reports


def flavour_report(flavour: str) -> list[str]:
    """What this flavour computes; compared with the facts by the program that computes it."""
    environment = {**os.environ, "SPIELLEITER_FLAVOUR": flavour}
    script = "from tests.flavours import report; report()"
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert flavour in result.stderr or not games.names()
    return result.stdout.splitlines()


# --------------------------------------------------------------------------------------- bad input

TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="abcABC#./ -0123456789BYRG", max_size=450),
)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, at=st.integers(0, 10_000), replacement=st.text(max_size=3))
def test_no_text_is_misread(text: str, at: int, replacement: str) -> None:
    """A text is refused with its place, or means a position that is written the same way."""
    for game in EDITIONS:
        good = game.start(1).text()
        cut = at % (len(good) + 1)
        for candidate in (text, good[:cut] + replacement + good[cut + 1 :]):
            try:
                assert game.parse(candidate).text() == candidate
            except TextError as error:
                assert 0 <= error.at <= len(candidate)
                assert error.problem


@settings(max_examples=150, deadline=None)
@given(
    text=st.one_of(st.text(max_size=30), st.text(alphabet="abcdefghij0123456789- ,", max_size=8))
)
def test_no_move_text_is_misread(text: str) -> None:
    for game in EDITIONS:
        position = game.start(1)
        try:
            move = position.move(text)
        except TextError as error:
            assert 0 <= error.at <= len(text)
        else:
            assert position.move(move.text()) == move


def test_unknown_names_are_answered_with_the_nearest_one() -> None:
    for name in games.names():
        with pytest.raises(SpielleiterError, match=name):
            games.load(name + "x")


def test_a_game_is_loaded_without_the_others() -> None:
    code = """
import sys
from spielleiter import games
game = games.load(sys.argv[1])
folders = {name.split(".")[2] for name in sys.modules if name.startswith("spielleiter.games.")}
assert folders == {game.folder.rpartition(".")[2]}, folders
assert games.load(sys.argv[1]) == game and game.name in games.names()
"""
    subprocess.run([sys.executable, "-c", code, games.names()[0]], check=True)

"""The game on the wire: maps, moves, turns."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter.client.budget import Budget
from spielleiter.errors import TextError
from spielleiter.game import can_disqualify
from spielleiter.games.reversi import maps, wire
from spielleiter.protocol.binary import Move


@pytest.mark.parametrize("name", maps.names())
def test_every_map_starts_and_every_move_survives_the_way(name: str) -> None:
    position = wire.start(maps.load(name))
    for move in position.legal_moves():
        read = wire.read_move(position, wire.write_move(position, move))
        assert (read.move, read.mistake) == (move, None)


@pytest.mark.parametrize(
    ("sent", "mistake"),
    [
        (Move(3, 2, 0), None),
        (Move(3, 2, 1), wire.BAD_CHOICE),
        (Move(3, 2, 255), wire.BAD_CHOICE),
        (Move(0, 0, 1), None),  # the rules find more wrong with it
        (Move(15, 0, 0), "OFF_BOARD"),
        (Move(65535, 65535, 0), "OFF_BOARD"),
    ],
)
def test_what_only_the_wire_can_get_wrong_has_a_name(sent: Move, mistake: str | None) -> None:
    read = wire.read_move(wire.start(maps.load("p2_08x08_classic")), sent)
    assert read.mistake == mistake
    assert read.text == f"({sent.x},{sent.y},{sent.choice})"


def test_a_cell_off_a_small_board_is_left_to_the_rules() -> None:
    position = wire.start(maps.load("p2_04x04_classic"))
    read = wire.read_move(position, Move(9, 9))
    assert read.move is not None
    mistake = position.why_illegal(read.move)
    assert mistake is not None
    assert mistake.name == "OFF_BOARD"


def test_a_map_of_the_full_game_is_refused() -> None:
    with pytest.raises(TextError, match="only the full game"):
        wire.start(b"2\n1\n0 0\n1 3\n0 1 2\n")


def test_turns_follow_what_the_server_says() -> None:
    position = wire.start(maps.load("p2_08x08_classic"))
    assert wire.follow(position, 1) is position
    assert wire.follow(position, 2).to_move() == 1


def test_moves_left_are_shared_among_those_who_are_in() -> None:
    position = wire.start(b"3\n0\n0 0\n1 9\n0 1 2 0 3 0 0 0 0\n")
    assert wire.moves_left(position) == 2
    assert can_disqualify(position)
    position.disqualify(2)
    assert wire.moves_left(position) == 3


def test_the_end_of_a_duel_needs_no_time() -> None:
    assert wire.moves_left(wire.start(maps.load("p2_08x08_classic"))) == 24
    assert wire.moves_left(wire.start(maps.load("p2_04x04_classic"))) == 1


@functools.cache
def moves_left(empty: int, seats: int) -> int:
    """As the client learns it from a map that has so many empty cells."""
    marks = [str(1 + seat) for seat in range(seats)] + ["0"] * empty
    cells = " ".join(marks + ["-"] * (225 - len(marks)))
    return wire.moves_left(wire.start(f"{seats}\n0\n0 0\n15 15\n{cells}\n".encode()))


@given(limit=st.floats(0.2, 60), cells=st.integers(60, 221), seats=st.integers(2, 4))
def test_four_fifths_of_what_is_granted_are_used(limit: float, cells: int, seats: int) -> None:
    """Where nothing is solved before ten cells are empty, and from then on everything is."""
    budget, account, used, granted = Budget(), 0.0, 0.0, 0.0
    for empty in range(cells, 0, -seats):
        account, granted = account + limit, granted + limit
        planned = budget.clock(account, 1, moves_left(empty, seats)).per_move or 0.0
        spent = 0.0 if seats == 2 and empty <= 10 else planned
        account, used = account - spent, used + spent
    assert used >= 0.8 * granted

"""What is peculiar to Blokus; the shared suite checks what holds for every game."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from spielleiter import games
from spielleiter.errors import TextError, UnknownName
from spielleiter.game import Game, Position
from spielleiter.games.blokus import reference
from spielleiter.games.blokus.scene import scene

FACTS = Path(__file__).parent.parent / "facts"
YEARS = (2021, 2027)
EMPTY = "/".join(["." * 20] * 20)


def both_read(text: str, edition: str = "blokus-2027") -> tuple[Any, reference.Position]:
    """The same position, by the native core and by the reference."""
    return games.load(edition).parse(text), reference.Position.parse(text, edition)


# ------------------------------------------------------------------------------------ golden games


def golden_games(year: int) -> list[dict[str, Any]]:
    """Games of the official rule engine."""
    with gzip.open(FACTS / f"golden-{year}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def golden_text(number: int) -> str:
    """A placement as the golden games write it: the piece and its cells."""
    kind = reference.ORIENTATIONS[number // 400].kind
    cells = reference.cells_of(number) or ()
    return f"{reference.NAMES[kind]}:{','.join(map(str, sorted(cells)))}"


def replay(position: Position, game: dict[str, Any]) -> None:
    for ply in game["plies"]:
        assert position.ply == ply["turn"]
        numbers = [position.action(move) for move in position.legal_moves()]
        placements = sorted(golden_text(number) for number in numbers if number != reference.PASS)
        assert len(placements) == ply["n"]
        assert hashlib.sha1(" ".join(placements).encode()).hexdigest() == ply["sha1"]
        assert "legal" not in ply or placements == sorted(ply["legal"].split())
        position.play(ply["move"].partition("=")[0])
        assert position.ply == ply["next"]
        assert position.text().split()[-2].replace("-", "") == ply["valid"]
        assert list(position.scores()) == ply["points"]
    outcome = position.outcome()
    assert outcome is not None
    assert {0: "ONE", 1: "TWO", None: None}[outcome.winner] == game["winner"]
    assert position.ply == game["turn"]


@pytest.mark.parametrize("year", YEARS)
def test_all_games_of_the_official_engine_are_reproduced(year: int) -> None:
    edition = games.load(f"blokus-{year}", "server")
    recorded = golden_games(year)
    assert len(recorded) == 30
    for game in recorded:
        replay(edition.start(start_piece=game["startPiece"]), game)


@pytest.mark.parametrize("year", YEARS)
def test_the_reference_reproduces_games_of_the_official_engine_too(year: int) -> None:
    for game in golden_games(year)[::10]:
        start = reference.Position.start(0, game["startPiece"], f"blokus-{year}", "server")
        replay(cast(Position, start), game)


# ---------------------------------------------------------------------- orientations and numbering


def test_the_numbering_of_placements_never_changes() -> None:
    listed = "\n".join(
        f"{number} {golden_text(number)}"
        for number in range(reference.PASS)
        if reference.cells_of(number) is not None
    )
    assert listed.count("\n") + 1 == 30_433
    fixed = "ee3ef4ad156bebd0da19aa272b8619a4b5fb705019acdfbacaa46430b9d478ab"
    assert hashlib.sha256(listed.encode()).hexdigest() == fixed


def test_every_number_is_one_move_with_one_text() -> None:
    position = games.load("blokus-2027").start()
    assert position.actions == reference.ACTIONS == 36_401
    for number in range(position.actions):
        move = position.move_at(number)
        assert move.text() == reference.Move(number).text()
        assert position.action(position.move(move.text())) == number
    assert position.move_at(36_400).text() == "pass"


ROTATED: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "NONE": lambda x, y: (x, y),
    "RIGHT": lambda x, y: (-y, x),
    "MIRROR": lambda x, y: (-x, -y),
    "LEFT": lambda x, y: (y, -x),
}


def cells_by_the_official_rule(
    kind: str, rotation: str, flipped: bool, at: tuple[int, int]
) -> frozenset[int]:
    """Rotate, flip, shift, add the position: §2 of the rules, word by word."""
    texts = reference.KINDS[kind].split()
    squares = [ROTATED[rotation](int(text[0]), int(text[1])) for text in texts]
    squares = [(-x, y) if flipped else (x, y) for x, y in squares]
    left, top = min(x for x, _ in squares), min(y for _, y in squares)
    return frozenset(20 * (y - top + at[1]) + x - left + at[0] for x, y in squares)


@pytest.mark.parametrize("kind", reference.NAMES)
def test_all_rotations_and_flips_are_understood(kind: str) -> None:
    position = games.load("blokus-2027").start()
    for rotation in reference.ROTATIONS:
        for flipped in (False, True):
            official = position.move(f"{kind} {rotation} {str(flipped).lower()} 3 7")
            short = position.move(f"{kind.lower()}:{rotation[0].lower()}{'f' * flipped}@D8")
            assert official == short
            cells = cells_by_the_official_rule(kind, rotation, flipped, (3, 7))
            assert reference.cells_of(position.action(official)) == cells


def test_alike_orientations_are_one_move() -> None:
    position = games.load("blokus-2027").start()
    assert position.move("TETRO_O:LF@c3") == position.move("TETRO_O@c3")
    assert position.move("PENTO_I MIRROR true 2 2").text() == "PENTO_I@c3"
    assert position.move("PENTO_Y RIGHT false 0 4").text() == "PENTO_Y:R@a5"
    counts = Counter(held.kind for held in reference.ORIENTATIONS)
    assert [counts[kind] for kind in range(21)] == [
        1, 2, 4, 2, 1, 4, 2, 8, 4, 8, 4, 4, 8, 4, 2, 8, 4, 4, 8, 1, 8,
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------- moves


def test_a_list_names_placements_by_contact_then_number_and_the_pass_last() -> None:
    position, slow = both_read(f"B{EMPTY[1:]} 4 PENTO_I 1ffffe 1fffff 1fffff 1fffff BYRG -")
    numbers = [position.action(move) for move in position.legal_moves()]
    assert numbers == [move.number for move in slow.legal_moves()]
    assert numbers[-1] == reference.PASS
    assert numbers[:-1] == sorted(numbers[:-1])  # there is one contact only


def scattered(lot: random.Random, squares: int) -> str:
    """Blue squares anywhere, with one pentomino left; far more contacts than in any game."""
    cells = set(lot.sample(range(400), squares))
    rows = ["".join("B" if 20 * y + x in cells else "." for x in range(20)) for y in range(20)]
    return "/".join(rows)


def dotted() -> str:
    """Blue squares a knight's move and more apart: nearly every other field is a contact."""
    return "/".join(
        "".join("B" if x % 3 == 0 and y % 3 == 0 else "." for x in range(20)) for y in range(20)
    )


def test_positions_with_many_contacts_are_listed_completely() -> None:
    lot = random.Random(1)
    boards = [scattered(lot, squares) for squares in (1, 5, 20, 40, 84)] + [dotted()]
    for board in boards:
        for mask in ("100000", "1fffe", "7"):
            placed = sum(n for k, n in enumerate(reference.SIZES) if not int(mask, 16) >> k & 1)
            if board.count("B") > placed:
                continue
            position, slow = both_read(f"{board} 4 PENTO_L {mask} 1fffff 1fffff 1fffff BYRG -")
            listed = [position.action(move) for move in position.legal_moves()]
            assert listed == [move.number for move in slow.legal_moves()]
            assert position.perft(1) == len(listed)


def test_random_moves_place_and_never_pass() -> None:
    text = f"B{EMPTY[1:]} 4 PENTO_I 3 1fffff 1fffff 1fffff BYRG -"
    position = games.load("blokus-2027").parse(text)
    placements = [move for move in position.legal_moves() if move.text() != "pass"]
    drawn = Counter(position.random_move(seed) for seed in range(2_000))
    assert drawn.keys() == set(placements)
    assert len(placements) == 3


def test_a_stuck_colour_of_a_position_made_by_hand_only_passes() -> None:
    board = f"B.................../.Y{'.' * 18}/{'/'.join(['.' * 20] * 18)}"
    text = f"{board} 4 PENTO_I 1ffffe 1ffffe 1fffff 1fffff BYRG -"
    position = games.load("blokus-2027").parse(text)
    assert [move.text() for move in position.legal_moves()] == ["pass"]
    drawn = position.random_move(1)
    assert drawn is not None
    assert drawn.text() == "pass"
    position.play("pass")
    assert position.text().split()[1] == "5"


# ------------------------------------------------------------------------------- turns and endings

CORNERS = "/".join(["B..................Y"] * 5 + ["." * 20] * 10 + ["R..................G"] * 5)


def play_all(position: Position | reference.Position, moves: str) -> list[tuple[int, str]]:
    """Turn and colours in play after each move."""
    seen = []
    for move in moves.split():
        position.play(move)
        fields = position.text().split()
        seen.append((int(fields[1]), fields[-2]))
    return seen


def test_by_the_server_a_finished_colour_goes_out_when_its_turn_comes() -> None:
    """As recorded in the scenario 10n-last-piece-mono of the official server."""
    text = f"{CORNERS} 4 PENTO_I 1 1fbfff 1fbfff 1fbfff BYRG -"
    for parse in (games.load("blokus-2027", "server").parse, _reference_by_the_server):
        position = parse(text)
        assert play_all(position, "MONO@b6 pass pass pass pass") == [
            (5, "BYRG"),
            (6, "BYRG"),
            (7, "BYRG"),
            (9, "YRG"),
            (10, "YRG"),
        ]
        assert position.scores() == (89 + 15 + 5 + 5, 10)
        assert position.outcome() is None


def _reference_by_the_server(text: str) -> reference.Position:
    return reference.Position.parse(text, "blokus-2027", "server")


def test_as_written_a_finished_colour_ends_the_game_with_its_round() -> None:
    position = games.load("blokus-2027").parse(f"{CORNERS} 4 PENTO_I 2 1fbfff 1fbfff 1fbfff BYRG -")
    assert play_all(position, "DOMINO@b6 pass pass") == [(5, "BYRG"), (6, "BYRG"), (7, "BYRG")]
    assert position.outcome() is None
    position.play("pass")
    assert position.ply == 8
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.scores) == ((1, 2), (89 + 15 + 5, 10))


@pytest.mark.parametrize(
    ("edition", "authority", "last"),
    [
        ("blokus-2021", "document", 99),
        ("blokus-2027", "document", 99),
        ("blokus-2021", "server", 99),
        ("blokus-2027", "server", 95),
    ],
)
def test_the_last_turn(edition: str, authority: Any, last: int) -> None:
    text = f"{CORNERS} {last} PENTO_I 1fbfff 1fbfff 1fbfff 1fbfff BYRG -"
    position = games.load(edition, authority).parse(text)
    assert position.outcome() is None
    position.play("pass")
    assert position.ply == last + 1
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.reason == "equal points"


def test_only_the_server_passes_over_colours_beyond_the_last_round() -> None:
    text = f"{CORNERS} 99 PENTO_I 1fbfff 1fbfff 1fbfff 1fbfff G -"
    ends = {}
    for authority in ("document", "server"):
        position = games.load("blokus-2021", authority).parse(text)
        position.play("pass")
        ends[authority] = position.ply
    assert ends == {"document": 100, "server": 103}


def test_as_written_the_first_turn_may_be_passed_and_the_piece_is_still_owed() -> None:
    position = games.load("blokus-2021").start(start_piece="PENTO_L")
    play_all(position, "pass pass pass pass")
    mistake = position.why_illegal(position.move("MONO@a1"))
    assert mistake is not None
    assert mistake.name == "NOT_THE_START_PIECE"
    refused = games.load("blokus-2021", "server").start()
    mistake = refused.why_illegal(refused.move("pass"))
    assert mistake is not None
    assert mistake.name == "PASSES_FIRST_MOVE"


# ----------------------------------------------------------------------------------------- set-ups


@pytest.mark.parametrize(("edition", "count"), [("blokus-2021", 11), ("blokus-2027", 12)])
def test_every_allowed_start_piece_is_drawn(edition: str, count: int) -> None:
    game = games.load(edition)
    drawn = {game.start(seed).text().split()[2] for seed in range(300)}
    assert drawn == set(game.options[0].choices())
    assert len(drawn) == count
    assert ("PENTO_X" in drawn) == (edition == "blokus-2027")


def test_a_start_piece_can_be_named() -> None:
    game = games.load("blokus-2021")
    assert game.start(start_piece="pento_u").text().split()[2] == "PENTO_U"
    for wrong in ("PENTO_X", "MONO", "nonsense"):
        with pytest.raises(UnknownName):
            game.start(start_piece=wrong)


# ------------------------------------------------------------------------------------------- texts

TAIL = "0 PENTO_I 1fffff 1fffff 1fffff 1fffff BYRG -"
WRONG_POSITIONS = [
    ("", 0, "expected a field"),
    (EMPTY[:-1], 418, "expected a field"),
    (EMPTY.replace("/", " ") + " " + TAIL, 20, "expected '/'"),
    (f"X{EMPTY[1:]} {TAIL}", 0, "expected a field"),
    (f"{EMPTY}", 419, "a blank before the turn"),
    (f"{EMPTY} x", 420, "expected the turn"),
    (f"{EMPTY} 104 {TAIL[2:]}", 420, "no game lasts that long"),
    (f"{EMPTY} 00 {TAIL[2:]}", 420, "leading zeros"),
    (f"{EMPTY} 0 MONO {TAIL[10:]}", 422, "expected the start piece"),
    (f"{EMPTY} 0 pento_i {TAIL[10:]}", 422, "expected the start piece"),
    (f"{EMPTY} 0 PENTO_I 2fffff 1fffff 1fffff 1fffff BYRG -", 430, "only 21 pieces"),
    (f"{EMPTY} 0 PENTO_I 01ffff 1fffff 1fffff 1fffff BYRG -", 430, "leading zeros"),
    (f"{EMPTY} 0 PENTO_I 1FFFFF 1fffff 1fffff 1fffff BYRG -", 431, "a blank before"),
    (f"{EMPTY} 0 PENTO_I  1fffff 1fffff 1fffff BYRG -", 430, "hexadecimal"),
    (f"B{EMPTY[1:]} {TAIL}", 430, "more squares of that colour"),
    (f"{EMPTY} 0 PENTO_I 1fffff 1fffff 1fffff 1fffff YB -", 459, "a blank before the colours"),
    (f"{EMPTY} 0 PENTO_I 1fffff 1fffff 1fffff 1fffff YRG -", 458, "not in play"),
    (f"{EMPTY} 0 PENTO_I 1fffff 1fffff 1fffff 1fffff BYRG B", 463, "no last piece"),
    (f"{EMPTY} {TAIL} ", 464, "end of the text"),
]


@pytest.mark.parametrize(("text", "at", "problem"), WRONG_POSITIONS)
def test_a_wrong_position_is_refused_at_its_place(text: str, at: int, problem: str) -> None:
    for parse in (games.load("blokus-2027").parse, lambda t: both_read(t)[1]):
        with pytest.raises(TextError) as refusal:
            parse(text)
        assert (refusal.value.at, problem in refusal.value.problem) == (at, True), refusal.value


WRONG_MOVES = [
    ("", 0, "name of a piece"),
    ("PENTO_Q@a1", 0, "name of a piece"),
    ("pass please", 4, "end of the text"),
    ("MONO", 4, "'@'"),
    ("MONO:", 5, "a rotation"),
    ("MONO:X@a1", 5, "a rotation"),
    ("MONO@", 5, "a column"),
    ("MONO@u1", 5, "a column"),
    ("MONO@a", 6, "a row"),
    ("MONO@a0", 6, "rows 1 to 20"),
    ("MONO@a21", 6, "rows 1 to 20"),
    ("MONO@a01", 6, "leading zeros"),
    ("MONO@a1 ", 7, "end of the text"),
    ("MONO UP false 0 0", 5, "a rotation"),
    ("MONO NONE maybe 0 0", 10, "flipped"),
    ("MONO NONE false 20 0", 16, "x counts"),
    ("MONO NONE false 0 -1", 18, "y: 0 to 19"),
    ("ＭＯＮＯ@a1", 0, "name of a piece"),
    ("ſkip", 0, "name of a piece"),
]


@pytest.mark.parametrize(("text", "at", "problem"), WRONG_MOVES)
def test_a_wrong_move_text_is_refused_at_its_place(text: str, at: int, problem: str) -> None:
    for read in (games.load("blokus-2027").start().move, reference.parse_move):
        with pytest.raises(TextError) as refusal:
            read(text)
        assert (refusal.value.at, problem in refusal.value.problem) == (at, True), refusal.value


# ------------------------------------------------------------------------- observations and scenes


def random_positions(game: Game, count: int) -> Iterator[Any]:
    lot = random.Random(3)
    for seed in range(count):
        position = game.start(seed)
        for _ in range(lot.randrange(60)):
            if position.outcome() is None:
                position.play(lot.choice(position.legal_moves()))
        yield position


@pytest.mark.parametrize("year", YEARS)
def test_observations_are_as_the_rules_list_them(year: int) -> None:
    for position in random_positions(games.load(f"blokus-{year}"), 12):
        slow = reference.Position.parse(position.text(), position.edition)
        planes = position.observe()
        assert planes.shape == (101, 20, 20)
        for seen in range(4):
            colour = (slow.colour + seen) % 4
            assert cells_in(planes[seen]) == slow.own(colour)
            assert cells_in(planes[4 + seen]) == slow.contacts(colour)
            assert cells_in(planes[8 + seen]) == slow.free(colour)
            for kind in range(21):
                left = slow.remaining[colour] >> kind & 1
                must = slow.is_first(colour) and reference.NAMES[kind] == slow.start_piece
                assert (planes[12 + 21 * seen + kind] == left + must).all()
            state = (colour in slow.in_play) + 2 * (colour in slow.mono_last)
            assert (planes[96 + seen] == state).all()
        assert (planes[100] == slow.turn).all()


def cells_in(plane: Any) -> set[int]:
    assert set(np.unique(plane)) <= {0, 1}
    return {int(cell) for cell in np.flatnonzero(plane)}


def test_a_scene_shows_every_square_and_every_piece_once() -> None:
    for position in random_positions(games.load("blokus-2027"), 12):
        shown = scene(position, None)
        rows = position.text().split()[0].split("/")
        squares = {(x, y): row[x] for y, row in enumerate(rows) for x in range(20) if row[x] != "."}
        drawn = [(cell, token.text) for token in shown.tokens for cell in token.cells]
        assert len(drawn) == len(squares)
        assert dict(drawn) == squares
        everything = [*shown.tokens, *(token for tray in shown.trays for token in tray.tokens)]
        assert len({token.id for token in everything}) == len(everything) == 4 * 21
        assert {token.colour for token in everything} <= shown.palette.keys()


def test_a_scene_marks_the_last_move_and_says_who_is_on_turn() -> None:
    position = games.load("blokus-2027").start(start_piece="PENTO_Y")
    move = position.move("PENTO_Y:R@a5")
    position.play(move)
    shown = scene(position, move)
    (mark,) = shown.marks
    assert (mark.kind, mark.colour) == ("last", "blue")
    assert set(mark.cells) == set(shown.tokens[0].cells)
    assert shown.tokens[0].id == "blue-PENTO_Y"
    assert shown.status[0] == "round 1: yellow to move"
    position.play("pass")
    assert scene(position, position.move("pass")).marks == ()


def test_a_scene_of_a_position_made_by_hand_keeps_its_tokens_apart() -> None:
    twice = scene(both_read(f"{dotted()} 4 PENTO_L 7 1fffff 1fffff 1fffff BYRG -")[0], None)
    assert len({token.id for token in twice.tokens}) == len(twice.tokens) == 49
    slab = EMPTY.replace("." * 20, "BB" + "." * 18)
    shown = scene(both_read(f"{slab} 4 PENTO_L 7 1fffff 1fffff 1fffff BYRG -")[0], None)
    assert [len(token.cells) for token in shown.tokens] == [40]

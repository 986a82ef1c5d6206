"""Every game can be played by hand: a legal move is one gesture, what is none has a reason."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from spielleiter.errors import TextError
from spielleiter.game import Game, Scene
from tests.walks import starts

ONE_AUTHORITY = True
PLIES = 80


def walks(game: Game, plies: int) -> Iterator[tuple[Any, Any]]:
    """Positions of random games with the move that led to each."""
    lot = random.Random(game.name)
    seen = 0
    while seen < plies:
        for position in starts(game, 1, seed=lot.randrange(2**32)):
            last = None
            while (moves := position.legal_moves()) and seen < plies:
                yield position, last
                last, seen = lot.choice(moves), seen + 1
                position.play(last)


def tokens_of(scene: Scene) -> dict[str, int]:
    """Every token that can be taken up, with its number of cells."""
    lying = [*scene.tokens, *(token for tray in scene.trays for token in tray.tokens)]
    return {token.id: len(token.cells) for token in lying}


def test_every_legal_move_is_exactly_one_gesture(game: Game) -> None:
    hands = game.part("gestures")
    for position, _ in walks(game, PLIES):
        found = hands.gestures(position)
        assert sorted(gesture.move for gesture in found) == sorted(
            move.text() for move in position.legal_moves()
        )
        assert len({(gesture.token, frozenset(gesture.cells)) for gesture in found}) == len(found)


def test_a_gesture_takes_up_what_is_there_and_lays_it_down_whole_on_the_board(game: Game) -> None:
    for position, last in walks(game, PLIES):
        scene = game.scene(position, last)
        known, grid = tokens_of(scene), scene.grid
        for gesture in game.part("gestures").gestures(position):
            assert all(0 <= x < grid.columns and 0 <= y < grid.rows for x, y in gesture.cells)
            assert bool(gesture.cells) != bool(gesture.label), "a button, or a place"
            if gesture.token is not None:
                assert known[gesture.token] == len(gesture.cells), gesture


def test_interpreting_a_gesture_gives_its_move(game: Game) -> None:
    hands = game.part("gestures")
    for position, _ in walks(game, PLIES):
        for gesture in hands.gestures(position):
            cells = random.Random(1).sample(gesture.cells, len(gesture.cells))
            assert hands.interpret(position, gesture.token, cells).text() == gesture.move


def test_a_gesture_that_is_no_legal_move_has_a_reason(game: Game) -> None:
    hands, lot = game.part("gestures"), random.Random(2)
    for position, last in walks(game, PLIES):
        scene = game.scene(position, last)
        legal = {(each.token, frozenset(each.cells)) for each in hands.gestures(position)}
        for token in (None, *lot.sample(sorted(tokens_of(scene)), min(4, len(scene.tokens)))):
            cells = [(lot.randrange(-2, scene.grid.columns + 2), lot.randrange(-2, 20))]
            try:
                move = hands.interpret(position, token, cells)
            except TextError as problem:
                assert problem.problem
                continue
            if move is not None and (token, frozenset(cells)) not in legal:
                assert position.why_illegal(move).explanation


def test_nonsense_is_no_gesture(game: Game) -> None:
    hands, position = game.part("gestures"), game.start(1)
    for token in ("", "-", "nobody", "x-y-z", "\x00"):
        assert hands.interpret(position, token, [(0, 0)]) is None
    assert hands.interpret(position, None, [(0, 0), (50, 50)]) is None

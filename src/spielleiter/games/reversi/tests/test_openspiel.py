"""Small maps under algorithms of OpenSpiel that look at every state."""

from __future__ import annotations

from typing import Any

import pytest

from spielleiter import games
from spielleiter.games.reversi import Position

pyspiel = pytest.importorskip("pyspiel", reason="the extra spielleiter[openspiel] is missing")

from open_spiel.python.algorithms import get_all_states, minimax  # noqa: E402

import spielleiter.envs.openspiel  # noqa: E402, F401  (registers the games)

SMALL = "p2_04x04_classic"


def after_plies(plies: int) -> Any:
    position = games.load("reversi").start(0, map=SMALL)
    for _ in range(plies):
        position.play(position.legal_moves()[0])
    return position


def small(plies: int) -> Any:
    parameters = {"game": "reversi", "position": after_plies(plies).text()}
    return pyspiel.load_game("python_spielleiter", parameters)


def reached(position: Position) -> set[str]:
    """All positions from here on, by our own rules."""
    found, waiting = set(), [position]
    while waiting:
        here = waiting.pop()
        if here.text() not in found:
            found.add(here.text())
            waiting += [here.after(move) for move in here.legal_moves()]
    return found


def best(position: Position) -> float:
    """What the first player wins if both play their best."""
    outcome = position.outcome()
    if outcome is not None:
        return float(outcome.worth(0))
    choose = max if position.to_move() == 0 else min
    return choose(best(position.after(move)) for move in position.legal_moves())


def test_all_states_of_a_small_map_are_those_of_our_rules() -> None:
    for plies in (4, 6):
        states = get_all_states.get_all_states(small(plies), to_string=str)
        assert set(states) == reached(after_plies(plies))


def test_minimax_solves_a_small_map() -> None:
    for plies in (4, 5, 6):
        value, action = minimax.alpha_beta_search(small(plies), maximizing_player_id=0)
        assert value == best(after_plies(plies))
        assert action in small(plies).new_initial_state().legal_actions()


def test_a_map_is_chosen_in_the_text_that_openspiel_loads() -> None:
    spiel = pyspiel.load_game(f"python_spielleiter(game=reversi,map={SMALL})")
    assert str(spiel.new_initial_state()) == after_plies(0).text()


@pytest.mark.deep
def test_minimax_solves_the_board_of_four_by_four() -> None:
    """The second player wins, as is well known."""
    value, _ = minimax.alpha_beta_search(small(0), maximizing_player_id=0)
    assert value == -1

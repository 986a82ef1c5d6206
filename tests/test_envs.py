"""The adapters for researchers, over every game installed."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from spielleiter.envs import openspiel
from spielleiter.envs.returns import returns
from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Game
from tests.walks import starts, walk

ONE_AUTHORITY = True
PETTINGZOO_WARNS_ABOUT_DICTIONARIES = pytest.mark.filterwarnings("ignore::UserWarning")


# --------------------------------------------------------------------------------------- returns


def test_returns_are_the_rewards_of_a_batch(game: Game) -> None:
    batch, lot = game.batch(6, seed=4), np.random.default_rng(1)
    while not batch.done.all() and (batch.mask.any(axis=1) | batch.done).all():
        for at in range(len(batch)):
            assert np.allclose(returns(batch[at]), batch.rewards[at])
        legal = [np.flatnonzero(row) for row in batch.mask]
        actions = [int(lot.choice(row)) if len(row) else 0 for row in legal]
        batch.step(np.array(actions, dtype=np.int32))


def test_returns_sum_to_zero_and_the_winner_has_most(game: Game) -> None:
    lot = random.Random(7)
    for start in starts(game, 5, seed=7):
        for position in walk(start, lot):
            if position.legal_moves():
                assert returns(position) == (0.0,) * position.seats
        worth = returns(position)
        assert abs(sum(worth)) < 1e-9
        assert max(worth) <= 1
        outcome = position.outcome()
        if outcome is not None and outcome.winner is not None:
            assert worth[outcome.winner] == 1


# ------------------------------------------------------------------------------------- OpenSpiel


def test_random_simulations_of_the_state_hold(game: Game) -> None:
    spiel = openspiel.load_game(game.name, game.authority)
    lot = random.Random(1)
    for seed in range(3):
        state = spiel.new_initial_state(seed)
        assert str(state) == game.start(seed).text()
        while not state.is_terminal():
            _is_consistent(spiel, state)
            _advance_and_take_back(state, lot)
        assert state.current_player() == openspiel.TERMINAL_PLAYER
        assert state.legal_actions() == []
        assert abs(sum(state.returns())) < 1e-9
        assert state.returns()[0] == state.player_return(0)
        again = spiel.deserialize_state(state.serialize())
        assert (again.history(), str(again)) == (state.history(), str(state))
        assert again.returns() == state.returns()
        pickled = pickle.loads(pickle.dumps(state))
        assert (pickled.history(), str(pickled)) == (state.history(), str(state))


def _is_consistent(spiel: openspiel.Game, state: openspiel.State) -> None:
    player, actions = state.current_player(), state.legal_actions()
    assert 0 <= player < spiel.num_players() == state.num_players()
    assert actions == sorted(set(actions)) == state.legal_actions(player)
    assert state.legal_actions((player + 1) % state.num_players()) == []
    assert state.returns() == [0.0] * state.num_players()
    assert state.observation_tensor(player).shape == (spiel.observation_tensor_size(),)
    assert not state.is_chance_node()


def _advance_and_take_back(state: openspiel.State, lot: random.Random) -> None:
    player, before = state.current_player(), str(state)
    action = lot.choice(state.legal_actions())
    assert state.legal_actions_mask()[action] == 1
    assert state.string_to_action(state.action_to_string(player, action)) == action
    twin = state.clone()
    state.apply_action(action)
    assert str(twin) == before
    state.undo_action(player, action)
    assert (str(state), state.history()) == (before, twin.history())
    state.apply_action(action)
    assert state.history() == [*twin.history(), action]
    assert state.move_number() == len(state.history())


def test_a_state_refuses_nonsense(game: Game) -> None:
    spiel = openspiel.load_game(game.name, game.authority)
    state = spiel.new_initial_state()
    illegal = state.legal_actions_mask().index(0)
    with pytest.raises(IllegalMove):
        state.apply_action(illegal)
    for action in (-1, spiel.num_distinct_actions()):
        with pytest.raises(UsageError):
            state.apply_action(action)
    with pytest.raises(UsageError):
        state.undo_action(0, 0)
    with pytest.raises(UsageError):
        state.legal_actions(state.num_players())
    for text in ("", "[]", '{"start": 1}', '{"start": "x", "history": []}'):
        with pytest.raises(TextError):
            spiel.deserialize_state(text)
    assert state.history() == []


# ------------------------------------------------------------------------------------ PettingZoo


def environment(game: Game, **options: str) -> Any:
    pytest.importorskip("pettingzoo", reason="the extra spielleiter[envs] is not installed")
    from spielleiter.envs import pettingzoo

    return pettingzoo.env(game.name, authority=game.authority, **options)


def choices(game: Game) -> list[dict[str, str]]:
    """The default set-up, and some others where there is a choice."""
    return [{}, *({option.name: option.choices()[-1]} for option in game.options)]


@PETTINGZOO_WARNS_ABOUT_DICTIONARIES
def test_the_environment_passes_the_api_test_of_pettingzoo(game: Game) -> None:
    for chosen in choices(game):
        made = environment(game, **chosen)
        from pettingzoo.test import api_test

        api_test(made, num_cycles=200)


@PETTINGZOO_WARNS_ABOUT_DICTIONARIES
def test_the_environment_passes_the_seed_test_of_pettingzoo(game: Game) -> None:
    environment(game)
    from pettingzoo.test import seed_test

    seed_test(lambda: environment(game), num_cycles=100)


def test_an_environment_plays_the_game(game: Game) -> None:
    made, lot = environment(game), random.Random(2)
    made.reset(seed=5)
    position = game.start(5)
    total = dict.fromkeys(made.agents, 0.0)
    for agent in made.agent_iter():
        seen, reward, terminated, _, _ = made.last()
        total[agent] += reward
        if terminated:
            made.step(None)
            continue
        assert agent == f"player_{position.to_move()}"
        for seat, other in enumerate(made.possible_agents):
            assert (made.observe(other)["observation"] == position.observe(seat)).all()
            assert made.observe(other)["action_mask"].any() == (other == agent)
        assert (seen["observation"] == position.observe()).all()
        legal = sorted(position.action(move) for move in position.legal_moves())
        assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        action = lot.choice(legal)
        position.play(position.move_at(action))
        made.step(action)
    assert tuple(total.values()) == returns(position)
    assert not made.agents


def test_an_environment_can_be_pickled_in_mid_game(game: Game) -> None:
    made = environment(game)
    made.reset(seed=3)
    for _ in range(4):
        made.step(int(np.flatnonzero(made.last()[0]["action_mask"])[0]))
    again = pickle.loads(pickle.dumps(made))
    assert again.agent_selection == made.agent_selection
    assert (again.last()[0]["observation"] == made.last()[0]["observation"]).all()


def test_without_a_seed_the_next_one_is_taken(game: Game) -> None:
    made = environment(game).unwrapped
    made.reset(seed=11)
    first = made.state()
    made.reset()
    assert (made.state() == game.start(12).observe()).all()
    made.reset(seed=11)
    assert (made.state() == first).all()


def test_an_illegal_action_is_refused_or_ends_the_game(game: Game) -> None:
    made = environment(game)
    made.reset(seed=1)
    wrong = int(np.flatnonzero(made.last()[0]["action_mask"] == 0)[0])
    bare = copy.deepcopy(made.unwrapped)
    with pytest.raises(IllegalMove):
        bare.step(wrong)
    offender = made.agent_selection
    made.step(wrong)
    assert made.terminations[offender]
    assert made.rewards[offender] == -1


def test_the_core_does_not_need_the_adapters() -> None:
    script = (
        "import sys, spielleiter, spielleiter.cli\n"
        "loaded = [name for name in sys.modules if name.startswith(('pettingzoo', 'gymnasium'))]\n"
        "assert not loaded and 'spielleiter.envs' not in sys.modules, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

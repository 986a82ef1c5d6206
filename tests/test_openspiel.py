"""Every game under OpenSpiel's own algorithms, unchanged."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from spielleiter import games
from spielleiter.envs.returns import returns
from spielleiter.errors import UsageError
from spielleiter.game import Game

pyspiel = pytest.importorskip("pyspiel", reason="the extra spielleiter[openspiel] is missing")

from open_spiel.python import observation, rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    evaluate_bots,
    get_all_states,
    mcts,
    minimax,
)
from open_spiel.python.bots import uniform_random  # noqa: E402

import spielleiter.envs.openspiel  # noqa: E402, F401  (registers the games)

ONE_AUTHORITY = True


def loaded(game: Game, **more: Any) -> Any:
    parameters = {"game": game.name, "authority": game.authority, **more}
    text = ",".join(f"{key}={value}" for key, value in parameters.items())
    return pyspiel.load_game(f"python_spielleiter({text})")


def test_a_game_of_openspiel_plays_as_the_rules_say(game: Game) -> None:
    spiel, lot = loaded(game, seed=5), np.random.default_rng(1)
    state, position = spiel.new_initial_state(), game.start(5)
    while not state.is_terminal():
        legal = sorted(position.action(move) for move in position.legal_moves())
        assert state.current_player() == position.to_move()
        assert state.legal_actions() == legal
        action = int(lot.choice(legal))
        text = state.action_to_string(state.current_player(), action)
        assert text == position.move_at(action).text()
        assert state.string_to_action(text) == action
        for player in range(spiel.num_players()):
            tensor = np.array(state.observation_tensor(player)).reshape(position.planes)
            assert (tensor == position.observe(player)).all()
        state.apply_action(action)
        position.play(position.move_at(action))
    assert state.returns() == list(returns(position))
    assert len(state.history()) <= spiel.max_game_length()


def test_a_clone_and_a_pickle_are_independent_states(game: Game) -> None:
    state = loaded(game).new_initial_state()
    state.apply_action(state.legal_actions()[0])
    twin, text = state.clone(), str(state)
    twin.apply_action(twin.legal_actions()[-1])
    assert str(state) == text != str(twin)
    again = pickle.loads(pickle.dumps(twin))
    assert (again.history(), str(again)) == (twin.history(), str(twin))


def test_mcts_of_openspiel_plays_a_few_moves(game: Game) -> None:
    spiel, lot = loaded(game), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, lot)
    bot = mcts.MCTSBot(spiel, 2, 3, evaluator, random_state=lot)
    state = spiel.new_initial_state()
    for _ in range(2):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_minimax_of_openspiel_finds_what_a_move_brings(game: Game) -> None:
    spiel = loaded(game)
    if spiel.num_players() != 2:
        pytest.skip("minimax is for two players")
    state = spiel.new_initial_state()
    for _ in range(4):  # a few plies on, lists of moves are short enough everywhere
        state.apply_action(state.legal_actions()[0])
    value, action = minimax.alpha_beta_search(
        spiel,
        state=state,
        value_function=lambda at: float(at.position.scores()[0] - at.position.scores()[1]),
        maximum_depth=1,
    )
    assert action in state.legal_actions()
    children = [state.child(each).position.scores() for each in state.legal_actions()]
    leads = [own - other for own, other in children]
    assert value == (max(leads) if state.current_player() == 0 else min(leads))


def test_the_environment_of_openspiel_plays_a_game(game: Game) -> None:
    env = rl_environment.Environment(loaded(game))
    step, lot = env.reset(), np.random.default_rng(2)
    assert env.observation_spec()["info_state"] == (int(np.prod(game.start().planes)),)
    while not step.last():
        player = step.observations["current_player"]
        step = env.step([int(lot.choice(step.observations["legal_actions"][player]))])
    assert abs(sum(step.rewards)) < 1e-9


def test_bots_of_openspiel_are_evaluated(game: Game) -> None:
    spiel, lot = loaded(game), np.random.RandomState(3)
    players = range(spiel.num_players())
    bots = [uniform_random.UniformRandomBot(player, lot) for player in players]
    results = evaluate_bots.evaluate_bots(spiel.new_initial_state(), bots, lot)
    assert abs(sum(results)) < 1e-9


def test_all_states_up_to_a_depth_are_found(game: Game) -> None:
    spiel = loaded(game)
    states = get_all_states.get_all_states(spiel, depth_limit=0, to_string=str)
    assert list(states) == [game.start(0).text()]


def test_observers_show_each_player_his_own_view(game: Game) -> None:
    spiel = loaded(game)
    state, seen = spiel.new_initial_state(), observation.make_observation(spiel)
    for player in range(spiel.num_players()):
        seen.set_from(state, player)
        assert (seen.dict["planes"] == state.position.observe(player)).all()
        assert seen.string_from(state, player) == game.start(0).text()
    recall = observation.make_observation(spiel, observation.INFO_STATE_OBS_TYPE)
    assert recall.string_from(state, 0) == state.history_str()


def test_the_start_is_drawn_by_a_chance_node_where_lots_are_wanted(game: Game) -> None:
    spiel = loaded(game, seed=7, lots=3)
    assert spiel.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    state = spiel.new_initial_state()
    assert state.is_chance_node()
    assert [lot for lot, _ in state.chance_outcomes()] == [0, 1, 2]
    for lot in range(3):
        assert str(state.child(lot)) == game.start(7 + lot).text()
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 2) == "lot 2"


def test_a_game_begins_at_a_given_position(game: Game) -> None:
    position = game.start(3)
    position.play(position.legal_moves()[0])
    parameters = {"game": game.name, "authority": game.authority, "position": position.text()}
    state = pyspiel.load_game("python_spielleiter", parameters).new_initial_state()
    assert str(state) == position.text()


def playthrough(game: Game) -> str:
    name = f"python_spielleiter(authority={game.authority},game={game.name})"
    from open_spiel.python.algorithms import generate_playthrough  # brings SciPy: a second

    text: str = generate_playthrough.playthrough(name, [], seed=1)
    return text


@pytest.mark.deep
def test_a_playthrough_is_text_that_tells_the_game_to_its_end(game: Game) -> None:
    text = playthrough(game)
    assert 'GameType.short_name = "python_spielleiter"' in text
    assert game.start(0).text().splitlines()[0] in text
    assert "IsTerminal() = True" in text


def test_a_game_without_a_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises((UsageError, RuntimeError), match=games.names()[0]):
        pyspiel.load_game("python_spielleiter")

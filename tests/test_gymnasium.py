"""Every game as an environment of Gymnasium: against an opponent, and in batches."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

from spielleiter import games
from spielleiter.envs.returns import returns
from spielleiter.errors import IllegalMove, UsageError
from spielleiter.game import Batch, Game
from tests.walks import starts, walk

gymnasium = pytest.importorskip("gymnasium", reason="the extra spielleiter[envs] is missing")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from spielleiter.envs.gymnasium import (  # noqa: E402
    BatchVectorEnv,
    OpponentEnv,
    env_id,
    random_actions,
)

ONE_AUTHORITY = True
MASKS_MAY_BE_EMPTY = pytest.mark.filterwarnings("ignore::UserWarning")


def made(game: Game, **options: Any) -> Any:
    return gymnasium.make(env_id(game.name), authority=game.authority, **options)


def some_action(seen: dict[str, Any], lot: random.Random) -> int:
    return lot.choice(np.flatnonzero(seen["action_mask"]).tolist())


# -------------------------------------------------------------------------- against an opponent


@MASKS_MAY_BE_EMPTY
def test_the_checker_of_gymnasium_finds_nothing(game: Game) -> None:
    check_env(made(game).unwrapped, skip_render_check=True)


def test_an_agent_plays_a_game_against_a_bot(game: Game) -> None:
    env, lot = made(game, seat=1), random.Random(1)
    seen, _ = env.reset(seed=3)
    over, reward = False, 0.0
    while not over:
        position = env.unwrapped.position
        assert position.to_move() == 1
        assert (seen["observation"] == position.observe(1)).all()
        legal = sorted(position.action(move) for move in position.legal_moves())
        assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        assert reward == 0
        seen, reward, over, truncated, _ = env.step(some_action(seen, lot))
        assert not truncated
    assert reward == returns(env.unwrapped.position)[1]


def test_the_same_seed_gives_the_same_game(game: Game) -> None:
    texts = []
    for _ in range(2):
        env, lot = made(game, seat=None, opponent="greedy"), random.Random(2)
        seen, _ = env.reset(seed=8)
        for _ in range(3):
            seen, _, over, _, _ = env.step(some_action(seen, lot))
            assert not over
        texts.append((env.unwrapped.seat, env.unwrapped.position.text()))
    assert texts[0] == texts[1]


def test_a_game_begins_at_a_given_position_and_seat(game: Game) -> None:
    position = game.start(6)
    position.play(position.legal_moves()[0])
    env = made(game, render_mode="ansi")
    env.reset(seed=1, options={"position": position.text(), "seat": position.to_move()})
    assert env.render() == position.text()


def test_an_illegal_action_loses_or_is_refused(game: Game) -> None:
    for illegal in ("lose", "raise"):
        env = made(game, illegal=illegal)
        seen, _ = env.reset(seed=1)
        wrong = int(np.flatnonzero(seen["action_mask"] == 0)[0])
        if illegal == "raise":
            with pytest.raises(IllegalMove):
                env.step(wrong)
        else:
            _, reward, over, _, info = env.step(wrong)
            assert (reward, over) == (-1, True)
            assert info["illegal"]


def test_nonsense_is_refused_when_an_environment_is_made() -> None:
    name = games.names()[0]
    for wrong in ({"seat": 9}, {"illegal": "maybe"}, {"opponent": "nobody"}, {"wind": "strong"}):
        with pytest.raises(UsageError):
            OpponentEnv(name, **wrong)
    for wrong in ({"seat": 9}, {"opponent": "greedy"}, {"wind": "strong"}):
        with pytest.raises(UsageError):
            BatchVectorEnv(name, 2, **wrong)


# -------------------------------------------------------------------------------------- batches


def test_a_vector_of_games_is_made_by_name(game: Game) -> None:
    envs = gymnasium.make_vec(env_id(game.name), num_envs=3, authority=game.authority)
    seen, _ = envs.reset(seed=1)
    assert seen in envs.observation_space
    assert envs.unwrapped.num_envs == 3
    envs.close()


@pytest.mark.parametrize("seat", [0, None])
def test_a_vector_plays_many_games_to_their_ends_and_begins_again(
    game: Game, seat: int | None
) -> None:
    envs, lot = BatchVectorEnv(game.name, 5, seat=seat, authority=game.authority), random.Random(4)
    seen, _ = envs.reset(seed=2)
    ended, over = np.zeros(5, int), np.zeros(5, bool)
    for _ in range(400):
        mask = seen["action_mask"].any(axis=1)
        assert (mask | over).all()
        actions = [
            0 if ends else some_action({"action_mask": row}, lot)
            for row, ends in zip(seen["action_mask"], over, strict=True)
        ]
        seen, rewards, done, truncated, _ = envs.step(np.array(actions))
        assert not (done & over).any(), "a game that ended has begun again"
        assert not truncated.any()
        assert (np.abs(rewards) <= 1).all()
        assert (rewards[~done] == 0).all()
        over, ended = done, ended + done
        if ended.all():
            return
    pytest.fail("some game never ended")


def test_seeds_of_a_vector_are_those_of_its_games(game: Game) -> None:
    envs = BatchVectorEnv(game.name, 3, opponent=None, authority=game.authority)
    envs.reset(seed=[5, 6, 5])
    assert [position.text() for position in map(envs.batch.__getitem__, range(3))] == [
        game.start(seed).text() for seed in (5, 6, 5)
    ]


def test_in_self_play_a_reward_is_the_movers(game: Game) -> None:
    envs, lot = BatchVectorEnv(game.name, 1, opponent=None, authority=game.authority), 1
    seen, _ = envs.reset(seed=9)
    while True:
        mover = int(envs.batch.to_move[0])
        lot += 1
        action = some_action({"action_mask": seen["action_mask"][0]}, random.Random(lot))
        seen, rewards, done, _, _ = envs.step([action])
        if done[0]:
            assert rewards[0] == pytest.approx(returns(envs.batch[0])[mover])
            return


def test_an_opponent_is_a_function_of_the_batch(game: Game) -> None:
    asked = []

    def first_legal(batch: Batch) -> Any:
        asked.append(len(batch))
        actions, begins = batch.legal_actions()
        return np.append(actions, 0)[begins[:-1]].astype(np.int32)

    envs = BatchVectorEnv(game.name, 2, opponent=first_legal, seat=1, authority=game.authority)
    seen, _ = envs.reset(seed=1)
    position = game.start(0)
    assert asked == [2] or position.to_move() == 1
    assert (envs.batch.to_move == 1).all()
    assert seen["action_mask"].any(axis=1).all()


def test_some_games_of_a_batch_are_stepped_and_reset_alone(game: Game) -> None:
    batch, where = game.batch(3, seeds=[1, 2, 3]), np.array([True, False, True])
    lot = np.random.default_rng(1)
    before = [batch[at].text() for at in range(3)]
    actions = random_actions(batch, lot)
    actions[1] = -1  # nobody looks at it
    batch.step(actions, where)
    assert [batch[at].text() == before[at] for at in range(3)] == [False, True, False]
    batch.reset(np.array([True, False, False]))
    assert batch[0].ply == batch[1].ply
    for wrong in (np.array([True]), np.ones(4, bool)):
        with pytest.raises(UsageError):
            batch.step(actions, wrong)


def test_every_seat_sees_the_board_with_its_own_eyes(game: Game) -> None:
    for start in starts(game, 3, seed=3):
        for position in walk(start, random.Random(3)):
            views = [position.observe(seat) for seat in range(position.seats)]
            assert (views[position.to_move()] == position.observe()).all()
            assert all(view.shape == position.planes for view in views)
        with pytest.raises(UsageError):
            position.observe(position.seats)


# ------------------------------------------------------------------- lists, and other libraries


def test_lists_of_legal_actions_are_the_masks(game: Game) -> None:
    batch, lot = game.batch(4, seed=2), np.random.default_rng(3)
    plain = game.batch(4, seed=2, masks=False)
    for _ in range(20):
        actions, begins = batch.legal_actions()
        rows = [sorted(actions[begins[at] : begins[at + 1]]) for at in range(4)]
        assert rows == [np.flatnonzero(row).tolist() for row in batch.mask]
        drawn = random_actions(batch, lot)
        batch.step(drawn)
        plain.step(drawn)
    assert [batch[at].text() for at in range(4)] == [plain[at].text() for at in range(4)]
    with pytest.raises(UsageError, match="without masks"):
        _ = plain.mask


BUFFERS = ("planes", "mask", "to_move", "done", "rewards")


def test_the_buffers_of_a_batch_are_shared_by_dlpack(game: Game) -> None:
    batch = game.batch(2, seed=1)
    for name in BUFFERS:
        buffer = getattr(batch, name)
        shared = np.from_dlpack(buffer)
        assert shared.ctypes.data == buffer.ctypes.data
        assert shared.shape == buffer.shape


def test_torch_sees_the_same_memory_as_a_batch(game: Game) -> None:
    torch = pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    batch = game.batch(2, seed=1)
    shared = {name: torch.from_dlpack(getattr(batch, name)) for name in BUFFERS}
    assert all(shared[name].data_ptr() == getattr(batch, name).ctypes.data for name in BUFFERS)
    batch.step(random_actions(batch, np.random.default_rng(1)))
    assert all((shared[name].numpy() == getattr(batch, name)).all() for name in BUFFERS)


def test_jax_shares_the_buffers_that_begin_at_a_multiple_of_64_bytes(game: Game) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    batch = game.batch(2, seed=1)
    for name in BUFFERS:
        buffer = getattr(batch, name)
        seen = jax.dlpack.from_dlpack(buffer)
        is_shared = seen.unsafe_buffer_pointer() == buffer.ctypes.data
        assert is_shared == (buffer.ctypes.data % 64 == 0)
        assert (np.asarray(seen) == buffer).all()


@pytest.mark.native
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_the_buffers_of_a_batch_begin_at_a_multiple_of_64_bytes(game: Game, size: int) -> None:
    batch = game.batch(size, seed=1)
    assert all(getattr(batch, name).ctypes.data % 64 == 0 for name in BUFFERS)


def test_an_environment_can_be_pickled(game: Game) -> None:
    env = OpponentEnv(game.name, authority=game.authority, opponent=_random_bot)
    env.reset(seed=1)
    again = pickle.loads(pickle.dumps(env))
    assert again.position == env.position


def _random_bot(seed: int) -> Any:
    from spielleiter import bots

    return bots.load("random", seed)

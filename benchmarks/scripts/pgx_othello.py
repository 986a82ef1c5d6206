"""pgx's Othello on the processor: many games stepped together, one thread.

The actions of random games are drawn beforehand; only the steps are measured.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import pgx

GAMES = int(sys.argv[1])
ENV = pgx.make("othello")
STEP = jax.jit(jax.vmap(ENV.step))
START = jax.jit(jax.vmap(ENV.init))(jax.random.split(jax.random.PRNGKey(1), GAMES))


def trajectory():
    """The actions of each step, and how many games were still going on."""
    state, actions, alive = START, [], 0
    key = jax.random.PRNGKey(2)
    while not bool(state.terminated.all()):
        key, draw = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(draw, logits, axis=-1)
        alive += int((~state.terminated).sum())
        state = STEP(state, action)
        actions.append(action)
    return actions, alive


def replay(actions) -> None:
    state = START
    for action in actions:
        state = STEP(state, action)
    state.observation.block_until_ready()


def main() -> None:
    actions, alive = trajectory()
    replay(actions)
    rates = []
    for _ in range(5):
        begin = time.process_time()
        replay(actions)
        rates.append(alive / (time.process_time() - begin))
    print(json.dumps({"steps": statistics.median(rates), "plies": alive / GAMES}))


main()

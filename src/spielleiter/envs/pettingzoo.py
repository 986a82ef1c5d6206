"""Any game as a PettingZoo environment (AEC: one agent at a time) with action masks.

Agents are called player_0, player_1, …, by seat. An observation is a dictionary: `observation`, the
planes as that agent sees them, and `action_mask`, 1 for each legal action: none for an agent whose
turn it is not. Rewards come at the end, in −1 … 1 by rank. There is no parallel environment: in all
games one agent moves at a time, and the others' actions would mean nothing.
"""

from __future__ import annotations

from typing import Any

from spielleiter import games
from spielleiter.envs.returns import is_over, returns
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Position

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise UsageError(
        "PettingZoo is missing: install it with 'pip install spielleiter[envs]'"
    ) from error

from spielleiter.envs.spaces import action_space, observation, observation_space

ILLEGAL_REWARD = -1.0
SEEDS = 2**64


def env(
    game: str, *, authority: Authority = "document", render_mode: str | None = None, **options: str
) -> Any:
    """The environment with PettingZoo's usual guards: an illegal action ends the game."""
    guarded = raw_env(game, authority=authority, render_mode=render_mode, **options)
    guarded = wrappers.TerminateIllegalWrapper(guarded, illegal_reward=ILLEGAL_REWARD)
    guarded = wrappers.AssertOutOfBoundsWrapper(guarded)
    return wrappers.OrderEnforcingWrapper(guarded)


class raw_env(AECEnv):  # noqa: N801  (PettingZoo calls it so)
    """The environment without guards: an illegal action raises IllegalMove and changes nothing."""

    def __init__(
        self,
        game: str,
        *,
        authority: Authority = "document",
        render_mode: str | None = None,
        **options: str,
    ) -> None:
        super().__init__()
        self._name, self._authority, self._options = game, authority, options
        self._next_seed, self._position = 0, self._start(0)
        self.metadata = {"name": game, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self._position.seats)]
        self._spaces = {
            agent: (observation_space(self._position), action_space(self._position))
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """What an agent observes: planes and a mask of legal actions."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        """The fixed action space of an agent."""
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start anew from that seed, or without one from the next. The set-up never changes."""
        seed = self._next_seed if seed is None else seed
        self._next_seed = (seed + 1) % SEEDS
        self._position = self._start(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._look()

    def step(self, action: Any) -> None:
        """The agent to move plays that action; with the game over it leaves, by None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._position.play(self._position.move_at(int(action)))
        self._cumulative_rewards[agent] = 0.0
        self._look()
        self.rewards = dict(zip(self.possible_agents, returns(self._position), strict=True))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """The board as that agent sees it, and its legal actions, if it is its turn."""
        return observation(self._position, self.possible_agents.index(agent))

    def state(self) -> Any:
        """The planes; everybody sees everything."""
        return self._position.observe()

    def render(self) -> str | None:
        """The text of the position, if the render mode is `ansi`."""
        return str(self._position.text()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held open."""

    def _start(self, seed: int) -> Position:
        # The game is looked up, not kept: so an environment can be pickled and copied.
        return games.load(self._name, self._authority).start(seed, **self._options)

    def _look(self) -> None:
        """Whose turn it is now, and whether the game is over."""
        self.terminations = dict.fromkeys(self.agents, is_over(self._position))
        self.agent_selection = self._to_move()

    def _to_move(self) -> str:
        return str(self.possible_agents[self._position.to_move()])

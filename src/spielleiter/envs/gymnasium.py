"""Any game for Gymnasium: one agent against a chosen opponent, alone or in a batch.

Importing this module registers each edition, so that `gymnasium.make("spielleiter/NAME-v0")` makes
an `OpponentEnv` and `gymnasium.make_vec` of the same name a `BatchVectorEnv`. NAME is the edition's
in one word: see `env_id`. Observations are dictionaries: `observation`, the planes as the agent
sees them, and `action_mask`, 1 for each legal action. The reward comes at the end, in −1 … 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spielleiter import bots, games
from spielleiter.envs.returns import is_over, returns
from spielleiter.envs.spaces import action_space, observation, observation_space
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Batch, Bot, Clock, Position, Seat

import gymnasium  # isort: skip  # after `spaces`, which says how to get it
from gymnasium.vector import AutoresetMode  # isort: skip
from gymnasium.vector.utils import batch_space  # isort: skip

SEEDS = 2**63
Actions = npt.NDArray[np.int32]
BatchPolicy = Callable[[Batch], Actions]
"""Chooses one action for every game of a batch; those of games that are over do not matter."""


def env_id(name: str) -> str:
    """The name of an edition in Gymnasium: one word, each part capitalised."""
    return f"spielleiter/{''.join(part.capitalize() for part in name.split('-'))}-v0"


class OpponentEnv(gymnasium.Env[dict[str, Any], np.int64]):
    """One agent at one seat; a bot plays each of the others.

    `opponent` is a player as `spielleiter match` names it, or what makes a bot out of a seed.
    `seat` is the agent's; None: another one is drawn for each game. An illegal action ends the game
    with −1; with `illegal="raise"` it raises IllegalMove and changes nothing.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012  (Gymnasium declares it so)

    def __init__(
        self,
        game: str,
        *,
        opponent: str | Callable[[int], Bot] = "random",
        seat: Seat | None = 0,
        clock: Clock | None = None,
        illegal: str = "lose",
        authority: Authority = "document",
        render_mode: str | None = None,
        **options: str,
    ) -> None:
        if illegal not in ("lose", "raise"):
            raise UsageError(f"illegal actions 'lose' or 'raise', not {illegal!r}")
        self._name, self._authority, self._options = game, authority, options
        self._factory = bots.factory(opponent) if isinstance(opponent, str) else opponent
        self._seats, self._clock, self._illegal = seat, clock or Clock(nodes=1000), illegal
        self.position = self._start(0, {})
        self.seat = _checked(seat, self.position) or 0
        self._bots: dict[Seat, Bot] = {}
        self.render_mode = render_mode
        self.observation_space = observation_space(self.position)
        self.action_space = action_space(self.position)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game; options: `position`, a text to begin with, and `seat`, the agent's."""
        super().reset(seed=seed)
        given = dict(options or {})
        self.position = self._start(int(self.np_random.integers(SEEDS)), given)
        seat = _checked(given.get("seat", self._seats), self.position)
        self.seat = int(self.np_random.integers(self.position.seats)) if seat is None else seat
        self._bots = {
            seat: self._factory(int(self.np_random.integers(SEEDS)))
            for seat in range(self.position.seats)
            if seat != self.seat
        }
        for seat, bot in self._bots.items():
            bot.begin(self.position.copy(), seat)
        self._reply()
        return self._seen(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """The agent's move, and the others' until it is the agent's turn again."""
        move = self.position.move_at(int(action))
        if self._illegal == "lose" and self.position.why_illegal(move):
            return self._seen(), -1.0, True, False, {"illegal": move.text()}
        self.position.play(move)
        self._reply()
        over = is_over(self.position)
        return self._seen(), returns(self.position)[self.seat], over, False, {}

    def render(self) -> str | None:
        """The text of the position, if the render mode is `ansi`."""
        return self.position.text() if self.render_mode == "ansi" else None

    def _reply(self) -> None:
        while not is_over(self.position) and self.position.to_move() != self.seat:
            bot = self._bots[self.position.to_move()]
            self.position.play(bot.choose(self.position.copy(), self._clock))
        outcome = self.position.outcome()
        for bot in self._bots.values() if outcome else ():
            assert outcome is not None
            bot.end(self.position.copy(), outcome)

    def _seen(self) -> dict[str, Any]:
        return observation(self.position, self.seat)

    def _start(self, seed: int, options: dict[str, Any]) -> Position:
        edition = games.load(self._name, self._authority)
        if text := options.get("position"):
            return edition.parse(text)
        return edition.start(seed, **self._options)


class BatchVectorEnv(gymnasium.vector.VectorEnv[dict[str, Any], Any, Any]):
    """Many games stepped by one native call, without a Python loop over games.

    `opponent` plays the other seats of all games at once: "random", or a function that chooses an
    action for each game of a batch. None: self-play; then the agent moves for whoever is to move,
    and a reward is that seat's. `seat` is the agent's; None: game i plays seat i, counted round the
    table. A game that ended starts anew on its next step (`AutoresetMode.NEXT_STEP`). An illegal
    action raises UsageError, and then nothing is played.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: str | BatchPolicy | None = "random",
        seat: Seat | None = 0,
        positions: Sequence[Position] = (),
        threads: int = 1,
        copy: bool = True,
        authority: Authority = "document",
        **options: str,
    ) -> None:
        if isinstance(opponent, str) and opponent != "random":
            raise UsageError(f"a batch is played by 'random' or by a function, not {opponent!r}")
        self._game, self._options = games.load(game, authority), options
        self._positions, self._threads, self._copy = tuple(positions), threads, copy
        self._opponent: BatchPolicy | None = self._random if opponent == "random" else opponent  # type: ignore[assignment]
        self.num_envs = num_envs
        self._batch = self._new_batch(0, ())
        self._seats = _seats_of(seat, self._batch)
        self.single_observation_space = observation_space(self._batch[0])
        self.single_action_space = action_space(self._batch[0])
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def batch(self) -> Batch:
        """The batch itself, for everything that Gymnasium does not cover."""
        return self._batch

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start all games; seeds: of all together or one for each. Options: `reset_mask`."""
        each = () if seed is None or isinstance(seed, int) else tuple(map(int, seed))
        super().reset(seed=each[0] if each else seed)
        chosen = (options or {}).get("reset_mask")
        if chosen is not None:
            self._batch.reset(np.ascontiguousarray(chosen, dtype=bool))
        else:
            self._batch = self._new_batch(int(self.np_random.integers(SEEDS)), each)
        self._reply()
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """One action in each game, and the others' replies."""
        stuck = self._stuck()
        moved = self._batch.to_move.copy() if self._opponent is None else self._seats
        self._batch.step(np.ascontiguousarray(actions, dtype=np.int32), ~stuck)
        if stuck.any():
            self._batch.reset(stuck)
        self._reply()
        return self._seen(), self._rewards(moved), *self._ends(), {}

    def _reply(self) -> None:
        """Play the other seats until the agent is to move in all games."""
        if self._opponent is None:
            return
        while (waiting := self._others_to_move()).any():
            self._batch.step(self._opponent(self._batch), waiting)

    def _others_to_move(self) -> npt.NDArray[np.bool_]:
        open_games = ~self._batch.done & ~self._stuck()
        return np.asarray(open_games & (self._batch.to_move != self._seats))

    def _stuck(self) -> npt.NDArray[np.bool_]:
        """Where the seat to move has no move and the authority no rule for it: it forfeits."""
        return np.asarray(~self._batch.done & ~self._batch.mask.any(axis=1))

    def _rewards(self, seats: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
        rewards = self._batch.rewards[np.arange(self.num_envs), seats].astype(np.float64)
        forfeit = np.where(self._batch.to_move == seats, -1.0, 1.0)
        return np.where(self._stuck(), forfeit, rewards)

    def _ends(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        done = self._batch.done | self._stuck()
        return done, np.zeros_like(done)

    def _seen(self) -> dict[str, Any]:
        planes, mask = self._batch.planes, self._batch.mask.view(np.int8)
        if self._copy:
            planes, mask = planes.copy(), mask.copy()
        return {"observation": planes, "action_mask": mask}

    def _random(self, batch: Batch) -> Actions:
        return random_actions(batch, self.np_random)

    def _new_batch(self, seed: int, seeds: Sequence[int]) -> Batch:
        return self._game.batch(
            self.num_envs,
            seed,
            seeds=seeds,
            positions=self._positions,
            auto_reset=True,
            threads=self._threads,
            **self._options,  # type: ignore[arg-type]  # set-up options are no masks
        )


def random_actions(batch: Batch, lot: np.random.Generator) -> Actions:
    """A legal action of each game, every one equally likely; 0 where a game is over."""
    actions, begins = batch.legal_actions()
    counts = np.diff(begins)
    drawn = begins[:-1] + (lot.random(len(counts)) * counts).astype(np.int64)
    return np.where(counts > 0, np.append(actions, 0)[drawn], 0).astype(np.int32)


def _checked(seat: Seat | None, position: Position) -> Seat | None:
    if seat is not None and not 0 <= seat < position.seats:
        raise UsageError(f"there is no seat {seat}: the game has {position.seats}")
    return seat


def _seats_of(seat: Seat | None, batch: Batch) -> npt.NDArray[np.int8]:
    fixed = _checked(seat, batch[0])
    if fixed is not None:
        return np.full(len(batch), fixed, np.int8)
    return (np.arange(len(batch)) % batch[0].seats).astype(np.int8)


def _register() -> None:
    for name in games.names():
        if env_id(name) not in gymnasium.registry:
            gymnasium.register(
                env_id(name),
                entry_point=f"{__name__}:{OpponentEnv.__name__}",
                vector_entry_point=f"{__name__}:{BatchVectorEnv.__name__}",
                kwargs={"game": name},
            )


_register()

"""Any game under OpenSpiel, or with its verbs where OpenSpiel is not installed.

With the package `open_spiel` (the extra `openspiel`) importing this module registers all games
under one name, so that OpenSpiel's own algorithms play them:
`pyspiel.load_game("python_spielleiter(game=NAME)")`, see `spielleiter.envs.pyspiel_games`.

`load_game` of this module needs nothing of OpenSpiel. Its states have the same verbs and can be
taken back and pickled. Set-ups by lot come from the seed of `new_initial_state`, so there are no
chance nodes; all games have perfect information.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from spielleiter import game, games
from spielleiter.envs.returns import is_over, returns
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Authority, Move, Position

TERMINAL_PLAYER = -4
"""What `current_player` says when the game is over, as in OpenSpiel."""


def load_game(name: str, authority: Authority = "document", **options: str) -> Game:
    """The edition of that name, with its set-up options, under the given authority."""
    return Game(name, authority, options)


class Game:
    """An edition and its set-up: makes states."""

    def __init__(self, name: str, authority: Authority, options: dict[str, str]) -> None:
        self._name, self._authority, self._options = name, authority, options
        self._seats = self.new_initial_state().num_players()

    @property
    def _game(self) -> game.Game:
        # Looked up, not kept: so games and states can be pickled and copied.
        return games.load(self._name, self._authority)

    def new_initial_state(self, seed: int = 0) -> State:
        """The first state; whatever is drawn by lot comes from the seed."""
        return State(self, self._game.start(seed, **self._options))

    def deserialize_state(self, text: str) -> State:
        """The state that `serialize` wrote, with its history."""
        try:
            record = json.loads(text)
            start, history = str(record["start"]), [int(action) for action in record["history"]]
        except (ValueError, KeyError, TypeError) as error:
            raise TextError("not what a state serializes to", text[:200]) from error
        state = State(self, self._game.parse(start))
        for action in history:
            state.apply_action(action)
        return state

    def num_players(self) -> int:
        """How many seats the game has."""
        return self._seats

    def num_distinct_actions(self) -> int:
        """The size of the fixed action space."""
        return int(self._game.native.Position.actions)

    def observation_tensor_shape(self) -> list[int]:
        """Planes, rows and columns of an observation."""
        return list(self._game.native.Position.planes)

    def observation_tensor_size(self) -> int:
        """How many numbers an observation has."""
        return int(np.prod(self.observation_tensor_shape()))

    def min_utility(self) -> float:
        """The return of the worst result."""
        return -1.0

    def max_utility(self) -> float:
        """The return of the best result."""
        return 1.0

    def utility_sum(self) -> float:
        """The returns of all players together: what one wins, others lose."""
        return 0.0

    def __str__(self) -> str:
        return f"{self._name} ({self._authority})"


class State:
    """A position with the moves that led to it."""

    def __init__(self, made_by: Game, position: Position) -> None:
        self._game = made_by
        self._positions = [position]
        self._actions: list[int] = []
        self._movers: list[int] = []

    @property
    def position(self) -> Position:
        """The position itself, for everything that OpenSpiel does not cover; do not change it."""
        return self._positions[-1]

    def get_game(self) -> Game:
        """The game that this state belongs to."""
        return self._game

    # ------------------------------------------------------------------------------ whose turn

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for a game that is over."""
        return TERMINAL_PLAYER if self.is_terminal() else int(self.position.to_move())

    def num_players(self) -> int:
        """How many seats the game has."""
        return int(self.position.seats)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return is_over(self.position)

    def is_chance_node(self) -> bool:
        """Never: lots are drawn before a game begins."""
        return False

    def returns(self) -> list[float]:
        """What the game was worth to each player: 0 until it is over."""
        return list(returns(self.position))

    def rewards(self) -> list[float]:
        """What the last move was worth: everything comes at the end."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """The return of one player."""
        return self.returns()[self._known(player)]

    # ----------------------------------------------------------------------------------- moves

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Numbers of the legal moves, ascending; none for a player whose turn it is not."""
        position = self.position
        if player is not None and self._known(player) != position.to_move():
            return []
        return sorted(position.action(move) for move in position.legal_moves())

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """One number per action: 1 for legal ones."""
        mask = [0] * self._game.num_distinct_actions()
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """Make the move with that number; raises IllegalMove and then changes nothing."""
        after, mover = self.position.copy(), int(self.position.to_move())
        after.play(self._move(action))
        self._positions.append(after)
        self._actions.append(int(action))
        self._movers.append(mover)

    def undo_action(self, player: int, action: int) -> None:
        """Take back the last move, which that player made."""
        if not self._actions or (player, action) != (self._movers[-1], self._actions[-1]):
            raise UsageError(f"the last move was not action {action} of player {player}")
        for memory in (self._positions, self._actions, self._movers):
            memory.pop()

    def history(self) -> list[int]:
        """The actions played so far."""
        return list(self._actions)

    def move_number(self) -> int:
        """How many actions were played."""
        return len(self._actions)

    def action_to_string(self, player: int, action: int) -> str:
        """An action as the text of its move."""
        self._known(player)
        return str(self._move(action).text())

    def string_to_action(self, text: str) -> int:
        """The action whose move a text means."""
        return int(self.position.action(self.position.move(text)))

    # --------------------------------------------------------------------------- looks and copies

    def observation_tensor(self, player: int | None = None) -> npt.NDArray[np.float32]:
        """The planes in a row as a player sees them; without one as the player to move does."""
        seat = None if player is None else self._known(player)
        planes: npt.NDArray[np.float32] = self.position.observe(seat).astype(np.float32).ravel()
        return planes

    def observation_string(self, player: int | None = None) -> str:
        """What a player sees as text: everything, since nothing is hidden."""
        if player is not None:
            self._known(player)
        return str(self)

    def clone(self) -> State:
        """An independent state with the same history."""
        twin = State(self._game, self.position)
        twin._positions = list(self._positions)
        twin._actions, twin._movers = list(self._actions), list(self._movers)
        return twin

    def serialize(self) -> str:
        """Where it began and what was played; `Game.deserialize_state` reads it back."""
        return json.dumps({"start": self._positions[0].text(), "history": self._actions})

    def __str__(self) -> str:
        return str(self.position.text())

    def _move(self, action: int) -> Move:
        if not 0 <= action < self._game.num_distinct_actions():
            raise UsageError(f"there is no action {action}")
        return self.position.move_at(int(action))

    def _known(self, player: int) -> int:
        if not 0 <= player < self.num_players():
            raise UsageError(f"there is no player {player}")
        return player


if find_spec("pyspiel") is not None:
    import_module("spielleiter.envs.pyspiel_games")

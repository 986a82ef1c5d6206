"""Every game as one of OpenSpiel's own: `pyspiel.load_game("python_spielleiter(game=NAME)")`.

`spielleiter.envs.openspiel` imports this where the package `open_spiel` is installed. Parameters:

- `game`: the edition; `authority`: the authority on the rules;
- the options of its set-up by their names, such as a map; or `position`: the text to begin with
  (given in a dictionary, since OpenSpiel's own syntax has no room for commas and brackets);
- `seed`: what is drawn by lot comes from it; `lots`: with more than one the game begins with a
  chance node that draws one of so many seeds, the first of which is `seed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from spielleiter import game, games
from spielleiter.envs.returns import is_over, returns
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Move, Position

NAME = "python_spielleiter"
_OWN = {"authority": "document", "position": "", "seed": 0, "lots": 1}


class SpielGame(pyspiel.Game):
    """An edition and its set-up as OpenSpiel sees them: makes states."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        if not given.get("game"):
            raise UsageError(f"which game? {NAME}(game=NAME), one of {', '.join(games.names())}")
        self._params = {**_OWN, **given}
        self.first = self.start(0)
        lots, seats = int(self._params["lots"]), int(self.first.seats)
        super().__init__(_type(lots, seats, seats), _info(self.first, lots), given)

    @property
    def lots(self) -> int:
        """How many starts there are to draw from."""
        return int(self._params["lots"])

    def start(self, lot: int) -> Position:
        """The position that a lot begins with."""
        edition = self._edition()
        if text := str(self._params["position"]):
            return edition.parse(text)
        options = {
            option.name: str(self._params[option.name])
            for option in edition.options
            if self._params.get(option.name)
        }
        return edition.start(int(self._params["seed"]) + lot, **options)

    def new_initial_state(self) -> SpielState:
        """The first state: the start, or the chance node that draws it."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Planes as a player sees them; with perfect recall the history, as in other games."""
        public = iig_obs_type is None or iig_obs_type.public_info
        recalls = iig_obs_type is not None and iig_obs_type.perfect_recall
        if public and not recalls:
            return PlanesObserver(self.first.planes, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def _edition(self) -> game.Game:
        authority: Authority = self._params["authority"]
        return games.load(str(self._params["game"]), authority)


class SpielState(pyspiel.State):
    """A position as OpenSpiel sees it."""

    def __init__(self, made_by: SpielGame) -> None:
        super().__init__(made_by)
        # Positions are replaced, never changed, so states may share them.
        self._position = made_by.first if made_by.lots == 1 else None

    @property
    def position(self) -> Position:
        """The position itself, for everything that OpenSpiel does not cover; do not change it."""
        if self._position is None:
            raise UsageError("the start is not drawn yet")
        return self._position

    def current_player(self) -> Any:
        """The seat to move, or OpenSpiel's number for chance or for a game that is over."""
        if self._position is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else int(self.position.to_move())

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._position is not None and is_over(self._position)

    def returns(self) -> list[float]:
        """What the game was worth to each player: 0 until it is over."""
        if self._position is None:
            return [0.0] * int(self.get_game().num_players())
        return list(returns(self._position))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """All lots are equally likely."""
        lots = self.get_game().lots
        return [(lot, 1 / lots) for lot in range(lots)]

    def _legal_actions(self, player: int) -> list[int]:
        position = self.position
        if player != position.to_move():
            return []
        return sorted(position.action(move) for move in position.legal_moves())

    def _apply_action(self, action: int) -> None:
        if self._position is None:
            self._position = self.get_game().start(action)
        else:
            self._position = self._position.after(self._position.move_at(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"lot {action}"
        move: Move = (self._position or self.get_game().first).move_at(action)
        return move.text()

    def __str__(self) -> str:
        return "before the lot is drawn" if self._position is None else self._position.text()


class PlanesObserver:
    """What a player sees: the planes of the game, as numbers and as the text of the position."""

    def __init__(self, shape: tuple[int, int, int], params: Any) -> None:
        if params:
            raise UsageError(f"these observations have no parameters such as {params}")
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"planes": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player sees; nothing is seen before the start is drawn."""
        if state.is_chance_node():
            self.tensor.fill(0)
        else:
            self.dict["planes"][:] = state.position.observe(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """What a player sees as text: everything, since nothing is hidden."""
        return str(state)


def _type(lots: int, fewest: int, most: int, parameters: dict[str, Any] | None = None) -> Any:
    kind = pyspiel.GameType
    chance = kind.ChanceMode.DETERMINISTIC if lots == 1 else kind.ChanceMode.EXPLICIT_STOCHASTIC
    return kind(
        short_name=NAME,
        long_name="Any game of Spielleiter",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        default_loadable=False,
        parameter_specification=parameters or {},
    )


def _info(first: Position, lots: int) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=first.actions,
        max_chance_outcomes=0 if lots == 1 else lots,
        num_players=first.seats,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=4 * first.rows * first.columns,  # no game visits a cell more often
    )


def _register() -> None:
    editions = [games.load(name) for name in games.names()]
    most = max(len(edition.seat_names) for edition in editions)
    fewest = min(edition.min_seats for edition in editions)
    parameters = {**_OWN, "game": "", **dict.fromkeys(_option_names(editions), "")}
    pyspiel.register_game(_type(1, fewest, most, parameters), SpielGame)


def _option_names(editions: list[game.Game]) -> Iterator[str]:
    for edition in editions:
        yield from (option.name for option in edition.options)


_register()

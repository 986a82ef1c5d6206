"""Take-backs: at once against built-in players, by agreement among people."""

from __future__ import annotations

from spielleiter.errors import UsageError
from spielleiter.game import Seat
from spielleiter.match import Ended, Event, Frame, Played, TakenBack
from spielleiter.text import Text
from spielleiter.web.game_state import GameState
from spielleiter.web.language import messages


class CannotTakeBack(UsageError):
    """Why nothing is taken back, as a text for people."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class TakeBacks:
    """Pending take-back requests and who has agreed. A move ends a request."""

    def __init__(self) -> None:
        self._wishes: dict[str, tuple[Seat, set[Seat]]] = {}
        """Game → who asked, and all who agree."""

    def wish(self, state: GameState, seat: Seat) -> bool:
        """Request a take-back or agree; whether all agree now. Raises CannotTakeBack."""
        asker, agreed = self._wishes.get(state.id, (seat, set()))
        target(state, asker)
        agreed.add(seat)
        self._wishes[state.id] = asker, agreed
        return agreed >= _people(state)

    def asker(self, game: str) -> Seat | None:
        """Who asked, if somebody did."""
        wish = self._wishes.get(game)
        return None if wish is None else wish[0]

    def forget(self, game: str) -> bool:
        """Drop a request; whether there was one."""
        return self._wishes.pop(game, None) is not None

    def on_event(self, state: GameState, event: Event) -> bool:
        """Whether an event ended a request."""
        settles = isinstance(event, Played | TakenBack | Ended)
        return settles and self.forget(state.id)


def _people(state: GameState) -> set[Seat]:
    """The seats that must agree."""
    return {seat for seat, kind in enumerate(state.info.kinds) if kind == "person"}


def target(state: GameState, seat: Seat) -> Frame:
    """The position before the last move of a seat that still counts; raises CannotTakeBack."""
    if "external" in state.info.kinds:
        raise CannotTakeBack(messages("programs-take-nothing-back"))
    at = len(state.turns)
    while at > 0:
        event = state.turns[at - 1].event
        if isinstance(event, TakenBack):
            at = event.turn
        elif not isinstance(event, Played):
            break  # what put a seat out stays
        elif event.seat == seat:
            return state.frame(at - 1)
        else:
            at -= 1
    raise CannotTakeBack(messages("not-taken-back"))

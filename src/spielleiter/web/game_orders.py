"""Orders of games: limits the open games of guests, and finds rematches.

Guests open games without a password. Limits per visitor and in total keep room for the organiser.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.game import Seat
from spielleiter.match import Ended, Event
from spielleiter.web.game_state import GameState
from spielleiter.web.models import GameOrder

_REMEMBERED = 2_000


class GuestsFull(UsageError):
    """A guest, or all guests together, have too many open games."""


@dataclass(slots=True)
class OpenedOrder:
    """A game that was opened here."""

    order: GameOrder
    rematch: str | None = None
    """The game that follows it."""


class GameOrders:
    """Remembers orders, and counts the games of guests that are not over."""

    def __init__(self, *, per_visitor: int = 8, in_all: int = 100) -> None:
        self._per_visitor, self._in_all = per_visitor, in_all
        self._guests: dict[str, str] = {}
        """Game → the visitor who opened it, while it is not over."""
        self._known: OrderedDict[str, OpenedOrder] = OrderedDict()

    def admit(self, visitor: str) -> None:
        """Raise GuestsFull unless this guest may open one more game."""
        if len(self._guests) >= self._in_all:
            raise GuestsFull("many games are running here: wait until one is over")
        if Counter(self._guests.values())[visitor] >= self._per_visitor:
            raise GuestsFull(f"finish a game first: {self._per_visitor} of yours are open")

    def add(self, game: str, order: GameOrder, visitor: str | None) -> None:
        """Note a game opened by a guest, or by the organiser (None)."""
        self._known[game] = OpenedOrder(order)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        if visitor is not None:
            self._guests[game] = visitor

    def find(self, game: str) -> OpenedOrder | None:
        """The order of a game, if it is still remembered."""
        return self._known.get(game)

    def on_event(self, state: GameState, event: Event) -> None:
        """Stop counting finished games."""
        if isinstance(event, Ended):
            self._guests.pop(state.id, None)


def rotated(order: GameOrder) -> GameOrder:
    """The order of a rematch: everybody moves up one seat, and a new start is drawn."""
    seats = (*order.seats[1:], *order.seats[:1])
    return order.model_copy(update={"seats": seats, "seed": None, "paused": False})


def seat_after(seat: Seat, seats: int) -> Seat:
    """The seat of a player in the rematch."""
    return (seat - 1) % seats

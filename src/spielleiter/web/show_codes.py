"""Which seat a bot that joined by hand may show things for: the code it took its seat with."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from spielleiter.game import Seat

_MOST = 5_000


class ShowCodes:
    """Codes and their seats; the oldest are forgotten."""

    def __init__(self) -> None:
        self._seats: OrderedDict[str, tuple[str, Seat]] = OrderedDict()

    def add(self, game: str, seat: Seat, code: str | None) -> str:
        """Remember a seat's code; where a protocol knows none, a new one is drawn."""
        code = code or secrets.token_hex(16)
        self._seats[code] = (game, seat)
        while len(self._seats) > _MOST:
            self._seats.popitem(last=False)
        return code

    def get(self, code: str) -> tuple[str, Seat] | None:
        """The game and the seat of a code."""
        return self._seats.get(code)

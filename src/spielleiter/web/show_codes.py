"""Maps the codes of external bots to seats, for their annotations."""

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
        """Store a seat's code; a new one is drawn if the protocol has none."""
        code = code or secrets.token_hex(16)
        self._seats[code] = (game, seat)
        while len(self._seats) > _MOST:
            self._seats.popitem(last=False)
        return code

    def get(self, code: str) -> tuple[str, Seat] | None:
        """The game and the seat of a code."""
        return self._seats.get(code)

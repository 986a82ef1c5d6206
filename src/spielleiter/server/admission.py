"""Who may come in: quotas per address and in all, and places for those who were announced.

A connection that has no seat, observes nothing and administers nothing is a *stranger*. Strangers
make room: where there are too many of them, the one of that address that has waited longest goes,
never the newcomer. So nobody is kept out by connections that do nothing, and a client that asks for
a seat has one before its turn to go comes. Whoever has a seat stays, however many others come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Protocol

TOO_MANY = "Too many connections: this one has not joined a game, and others want to come in"
"""What somebody is told for whom there is no room."""
_AT_ONCE, _PASSES = 16, 5
"""Connections let in at once; and passes of the event loop until the first word of one is read."""
_INTRODUCTION = 0.25
"""Seconds that a stranger has at least, however many others press after him."""
_IN_VAIN_PER_SECOND = 200.0
_IN_VAIN_AT_ONCE = 2_000.0
"""Connections that may come and go without ever having a seat, before accepting slows down."""
_BREATH = 0.02
"""Seconds for which accepting then rests."""
_NETWORK_BITS = 64
"""Of an IPv6 address: whoever has one has all that begin alike."""


class AdmittedClient(Protocol):
    """A connection, as the one who lets it in sees it."""

    @property
    def address(self) -> str:
        """Whose it is."""
        ...

    def send_away(self, why: str) -> None:
        """Say so and hang up."""
        ...


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many connections there may be."""

    connections: int
    strangers: int
    """Of all addresses together."""
    strangers_per_address: int
    players_per_address: int
    """Of those that come without a reservation."""

    @property
    def kept(self) -> int:
        """Places that nobody gets who was not announced."""
        return self.connections // 10


class Admission:
    """The connections of a server: strangers in the order they came, and those who belong here."""

    def __init__(self, quotas: Quotas, now: Callable[[], float]) -> None:
        self.quotas = quotas
        self._now = now
        self._strangers: dict[str, dict[AdmittedClient, float]] = {}
        self._count = 0
        """Of strangers."""
        self._settled: dict[AdmittedClient, str] = {}
        self._settled_at: Counter[str] = Counter()
        self._ever_settled: set[AdmittedClient] = set()
        self._in_vain, self._counted = 0.0, now()
        self._rest = 0.0

    def __len__(self) -> int:
        return self._count + len(self._settled)

    @property
    def at_once(self) -> int:
        """How many to let in before those inside are heard: none may have to go unheard."""
        return max(1, min(_AT_ONCE, self.quotas.strangers_per_address // _PASSES))

    @property
    def strangers(self) -> int:
        """How many connections belong to no game."""
        return self._count

    def arrive(self, guest: AdmittedClient) -> bool:
        """Let a stranger in, for another one if need be; False if there is no room at all."""
        there = self._strangers.get(guest.address)
        if there and len(there) >= self.quotas.strangers_per_address:
            self._send_away_oldest(guest.address)
        if self._is_full() and not self.make_room():
            return False
        self._add(guest)
        return True

    def make_room(self) -> bool:
        """Send away the stranger who has waited longest where most of them are; False: none is."""
        if not self._count:
            return False
        self._send_away_oldest(max(self._strangers, key=lambda each: len(self._strangers[each])))
        return True

    def may_settle(self, guest: AdmittedClient, announced: int) -> bool:
        """Whether somebody may play who was not announced, while so many others are expected."""
        quotas, expected = self.quotas, min(announced, self.quotas.connections // 2)
        if guest in self._settled:
            return True
        return (
            len(self._settled) < quotas.connections - quotas.kept - expected
            and self._settled_at[guest.address] < quotas.players_per_address
        )

    def settle(self, guest: AdmittedClient) -> None:
        """It has a seat, observes or administers: it stays as long as it likes."""
        there = self._strangers.get(guest.address, {})
        if guest in there:
            self._remove(guest)
            self._settled[guest] = guest.address
            self._settled_at[guest.address] += 1
            self._ever_settled.add(guest)

    def unsettle(self, guest: AdmittedClient) -> None:
        """Its game is over, it may join another one: a stranger again, and the last to go."""
        if self._unseat(guest):
            self._add(guest)

    def leave(self, guest: AdmittedClient) -> None:
        """A connection is gone."""
        if not self._unseat(guest) and guest in self._strangers.get(guest.address, {}):
            self._remove(guest)
        if guest in self._ever_settled:
            self._ever_settled.remove(guest)
        else:
            self._note_in_vain()

    def rest(self) -> float:
        """For how long nobody should be accepted, so that those inside get their turn."""
        rest, self._rest = self._rest, 0.0
        return rest

    # ------------------------------------------------------------------------------------- inside

    def _is_full(self) -> bool:
        return self._count >= self.quotas.strangers or len(self) >= self.quotas.connections

    def _add(self, guest: AdmittedClient) -> None:
        self._strangers.setdefault(guest.address, {})[guest] = self._now()
        self._count += 1

    def _unseat(self, guest: AdmittedClient) -> bool:
        address = self._settled.pop(guest, None)
        if address is None:
            return False
        self._settled_at[address] -= 1
        if not self._settled_at[address]:
            del self._settled_at[address]
        return True

    def _remove(self, guest: AdmittedClient) -> float:
        there = self._strangers[guest.address]
        since = there.pop(guest)
        self._count -= 1
        if not there:
            del self._strangers[guest.address]
        return since

    def _send_away_oldest(self, address: str) -> None:
        oldest = next(iter(self._strangers[address]))
        if self._now() - self._remove(oldest) < _INTRODUCTION:
            self._rest += _INTRODUCTION / self.quotas.strangers_per_address
        oldest.send_away(TOO_MANY)

    def _note_in_vain(self) -> None:
        """A bucket that fills with every connection in vain and empties with time."""
        now = self._now()
        drained = _IN_VAIN_PER_SECOND * (now - self._counted)
        self._in_vain, self._counted = max(0.0, self._in_vain - drained) + 1.0, now
        if self._in_vain > _IN_VAIN_AT_ONCE:
            self._in_vain = _IN_VAIN_AT_ONCE
            self._rest = max(self._rest, _BREATH)


def address_of(peer: object) -> str:
    """Whose connection it is, as far as the network tells."""
    if not isinstance(peer, tuple):
        return str(peer)
    try:
        found = ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> _NETWORK_BITS << _NETWORK_BITS)}/{_NETWORK_BITS}"

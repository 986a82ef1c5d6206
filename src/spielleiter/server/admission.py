"""Admission of connections: quotas per address and in total, and places for reserved seats.

A connection that has no seat, observes nothing and administers nothing is a *stranger*. When there
are too many strangers, the oldest one of that address is closed, never the newcomer. So idle
connections keep nobody out, and a client that asks for a seat gets it before it would be closed. A
connection with a seat stays, however many others connect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Protocol

TOO_MANY = "Too many connections: this one has not joined a game, and others want to come in"
"""The message to a client for whom there is no room."""
_AT_ONCE, _PASSES = 16, 5
"""Connections accepted at once, and passes of the event loop until their first bytes are read."""
_INTRODUCTION = 0.25
"""Minimum seconds for a stranger, however many others connect."""
_IN_VAIN_PER_SECOND = 200.0
_IN_VAIN_AT_ONCE = 2_000.0
"""Connections that end without ever having a seat, before accepting slows down."""
_BREATH = 0.02
"""Seconds for which accepting then pauses."""
_NETWORK_BITS = 64
"""Leading bits of an IPv6 address that identify one user's network."""


class AdmittedClient(Protocol):
    """A connection, as admission sees it."""

    @property
    def address(self) -> str:
        """The address of the client."""
        ...

    def send_away(self, why: str) -> None:
        """Send the reason and close."""
        ...


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many connections there may be."""

    connections: int
    strangers: int
    """Of all addresses together."""
    strangers_per_address: int
    players_per_address: int
    """Players without a reservation."""

    @property
    def kept(self) -> int:
        """Places kept for clients with a reservation."""
        return self.connections // 10


class Admission:
    """The connections of a server: strangers in the order of arrival, and the others."""

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
        """How many to accept before existing connections are read, lest one is closed unread."""
        return max(1, min(_AT_ONCE, self.quotas.strangers_per_address // _PASSES))

    @property
    def strangers(self) -> int:
        """The number of strangers."""
        return self._count

    def arrive(self, guest: AdmittedClient) -> bool:
        """Admit a stranger, replacing another if necessary; False if there is no room."""
        there = self._strangers.get(guest.address)
        if there and len(there) >= self.quotas.strangers_per_address:
            self._send_away_oldest(guest.address)
        if self._is_full() and not self.make_room():
            return False
        self._add(guest)
        return True

    def make_room(self) -> bool:
        """Close the oldest stranger of the address with most strangers; False if there is none."""
        if not self._count:
            return False
        self._send_away_oldest(max(self._strangers, key=lambda each: len(self._strangers[each])))
        return True

    def may_settle(self, guest: AdmittedClient, announced: int) -> bool:
        """Whether a client without a reservation may play, while so many others are expected."""
        quotas, expected = self.quotas, min(announced, self.quotas.connections // 2)
        if guest in self._settled:
            return True
        return (
            len(self._settled) < quotas.connections - quotas.kept - expected
            and self._settled_at[guest.address] < quotas.players_per_address
        )

    def settle(self, guest: AdmittedClient) -> None:
        """The connection has a seat, observes or administers: it is no stranger any more."""
        there = self._strangers.get(guest.address, {})
        if guest in there:
            self._remove(guest)
            self._settled[guest] = guest.address
            self._settled_at[guest.address] += 1
            self._ever_settled.add(guest)

    def unsettle(self, guest: AdmittedClient) -> None:
        """Its game is over: it is a stranger again, the newest one."""
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
        """For how long to pause accepting, so that existing connections get their turn."""
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
        """A leaky bucket of connections that ended without a seat."""
        now = self._now()
        drained = _IN_VAIN_PER_SECOND * (now - self._counted)
        self._in_vain, self._counted = max(0.0, self._in_vain - drained) + 1.0, now
        if self._in_vain > _IN_VAIN_AT_ONCE:
            self._in_vain = _IN_VAIN_AT_ONCE
            self._rest = max(self._rest, _BREATH)


def address_of(peer: object) -> str:
    """The address that quotas count, with IPv6 cut to its network."""
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

"""Finds the client's address of a request; only trusted proxies may forward it."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from spielleiter.errors import UsageError

_SHARED = 64
"""Bits of an IPv6 address that identify a household."""


class TrustedProxies:
    """Addresses and networks whose `X-Forwarded-For` is trusted."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        try:
            self._networks = tuple(ip_network(each, strict=False) for each in networks)
        except ValueError as problem:
            raise UsageError(f"--behind-proxy takes addresses and networks: {problem}") from None

    def __bool__(self) -> bool:
        return bool(self._networks)

    def trusts(self, address: str) -> bool:
        """Whether that is a trusted proxy."""
        found = _parsed(address)
        return found is not None and any(found in each for each in self._networks)

    def client(self, peer: str, forwarded: str) -> str:
        """The client: the last address of the header that is not a proxy's, else the peer."""
        if not self.trusts(peer):
            return peer
        for each in reversed(forwarded.split(",")):
            if _parsed(each.strip()) is None:
                break
            if not self.trusts(each.strip()):
                return each.strip()
        return peer


def visitor_of(address: str) -> str:
    """The key of a visitor for quotas: an address, or the network of a household."""
    found = _parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, _SHARED), strict=False))
    return address if found is None else str(found)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found

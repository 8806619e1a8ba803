"""Where a webhook may go: out into the world, and not back into the house unless that was asked for."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from duly.errors import InvalidInputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


async def resolve(host: str, port: int, *, allow_private: bool, key: str) -> list[str]:
    """The addresses to connect to, best first. Every one of them must be allowed, so that none can slip in later."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{key}: {host} cannot be resolved ({reason})") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        if (reason := refusal(address, allow_private=allow_private)) is not None:
            raise InvalidInputError(f"{key}: {host} is {address}, {reason}")
    return addresses


def refusal(address: str, *, allow_private: bool) -> str | None:
    """Why an address is not called; None when it may be."""
    inner = _innermost(ipaddress.ip_address(address.partition("%")[0]))
    if inner.is_link_local or inner.is_multicast or inner.is_unspecified:
        return "an address of this network's own services, which is never called"
    if not inner.is_global and not allow_private:
        return "a private address: set allow_private = true if it is meant"
    return None


def _innermost(address: Address) -> Address:
    """The address that is really reached through one that wraps another."""
    if isinstance(address, ipaddress.IPv6Address):
        wrapped = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if wrapped is None and address in _NAT64:
            wrapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return wrapped or address
    return address


_NAT64 = ipaddress.ip_network("64:ff9b::/96")

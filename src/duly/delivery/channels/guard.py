"""Which hosts a user's URL may lead to: the internet, not this machine, its network or its cloud's metadata."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from duly.errors import ChannelPermanentError, ChannelTemporaryError, InvalidInputError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All that was ever given out of IPv6; Python's own list of what is private changes from release to release."""
_PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")


def networks(values: Sequence[str], key: str) -> tuple[IPNetwork, ...]:
    """Networks from a configuration."""
    found: list[IPNetwork] = []
    for value in values:
        try:
            found.append(ipaddress.ip_network(value))
        except ValueError as error:
            raise InvalidInputError(f"{key}: {value!r} is no network such as 10.0.0.0/8: {error}") from error
    return tuple(found)


def is_allowed(address: IPAddress, allowed: Sequence[IPNetwork]) -> bool:
    """Whether an address is public, or a network it is in was allowed. Addresses within addresses count too."""
    if any(address in network for network in allowed):
        return True
    inner = _inner(address)
    if inner is not None:
        return is_allowed(inner, allowed)
    given_out = address in _UNICAST if address.version == 6 else address not in _PROTOCOLS
    return given_out and address.is_global and not address.is_multicast


def _inner(address: IPAddress) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a host, as the machine sees them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def safe_address(
    host: str, port: int, allowed: Sequence[IPNetwork] = (), *, resolver: Resolver = resolve
) -> IPAddress:
    """An address of the host to connect to. One bad address refuses the host.

    The caller connects to this address and not to the name: asked again, the name could lead elsewhere.
    """
    try:
        found = await resolver(host, port)
    except UnicodeError:  # the resolver's way to say that no name can look like this
        raise ChannelPermanentError(f"webhook: {host!r:.100} is no name of a host") from None
    except OSError as error:
        raise ChannelTemporaryError(
            f"webhook: {host} has no address at the moment ({error.strerror or error})"
        ) from None
    addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in found]
    if not addresses:
        raise ChannelTemporaryError(f"webhook: {host} has no address at the moment")
    for address in addresses:
        if not is_allowed(address, allowed):
            raise ChannelPermanentError(
                f"webhook: {host} leads to {address}, which is not public: "
                f"add its network to allow in [channels.webhook] if that is meant"
            )
    return addresses[0]

"""The URLs and addresses that duly calls for a user: the internet, not this machine, its network or its cloud.

There is one rule for the webhooks of prompts and of messages. No configuration allows the metadata services of clouds:
they hand their credentials to any program on the machine that asks.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from duly.errors import InvalidInputError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
_WRAPPERS = (_MAPPED, _NAT64, ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("::ffff:0:0:0/96"))
"""Networks whose addresses end with the IPv4 address that is reached: mapped, NAT64, compatible, translated."""
_IN_LOCAL_NAT64 = ((64, 16, 40, 16), (64, 8, 32, 24), (0, 0, 24, 32), (0, 0, 0, 32))
"""For each place at which RFC 6052 lets the IPv4 address stand: how far to shift its first bits, and how many they are,
and the same for its last bits. The bits 64 to 71 are left out."""
_ISATAP = (0x00005EFE, 0x02005EFE)
"""What stands before the IPv4 address in an interface that is reached by a tunnel within a site."""
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All IPv6 addresses that were ever assigned; Python's own list of private ones changes from release to release."""
_DOCUMENTATION = ipaddress.IPv6Network("3fff::/20")
_PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")
_METADATA: tuple[IPNetwork, ...] = tuple(
    ipaddress.ip_network(each)
    for each in (
        *("169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
        *("fd00:ec2::/32", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "fd00:a9fe:a9fe::1"),
        "fd00:100::100:200",
    )
)
"""In this order: Amazon, Google, Azure and others; Alibaba; Oracle; the agent of Azure. By IPv6: all of Amazon;
Google; Oracle; Scaleway; Akamai; Alibaba."""


class UrlRefusedError(Exception):
    """A text that is no URL to call; the message continues a sentence about it."""


class HostUnknownError(Exception):
    """The name of a host has no address at the moment."""


class HostRefusedError(Exception):
    """A host that is not called: `reason` says why, and `allowable` whether the configuration could allow it."""

    def __init__(self, reason: str, *, allowable: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.allowable = allowable


@dataclass(frozen=True, slots=True)
class UserUrl:
    """A URL that a user named, taken apart."""

    scheme: str
    host: str
    """As it is sent: names of other scripts are in ASCII."""
    port: int
    authority: str
    """The header `Host`."""
    target: str
    """Path and query."""

    @classmethod
    def parse(cls, text: str) -> UserUrl:
        """Take a URL apart; raises `UrlRefusedError` for what cannot or may not be called."""
        if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text):  # Python would leave some of them out, and go on
            raise UrlRefusedError("has a line break or another control character")
        if not re.match(r"(?i)https?://[^/]", text):
            raise UrlRefusedError("must begin with http:// or https://")
        try:
            url = urlsplit(text)
            port = url.port
        except ValueError:
            raise UrlRefusedError("has a host or a port that cannot be") from None
        host = _in_ascii(url.hostname or "")
        if not host or port == 0 or re.search(r"\s", url.netloc):
            raise UrlRefusedError("has a host or a port that cannot be")
        if "@" in url.netloc:
            raise UrlRefusedError("must not contain a password: requests are signed with a secret")
        shown = f"[{host}]" if ":" in host else host
        return cls(
            scheme=url.scheme,
            host=host,
            port=port or (443 if url.scheme == "https" else 80),
            authority=shown if port is None else f"{shown}:{port}",
            target=(url.path or "/") + (f"?{url.query}" if url.query else ""),
        )

    @property
    def origin(self) -> tuple[str, str, int]:
        """Which server it is."""
        return self.scheme, self.host, self.port

    def at(self, address: IPAddress) -> str:
        """Return the URL of the same server by one of its addresses, without path and query."""
        shown = f"[{address}]" if address.version == 6 else str(address)
        return f"{self.scheme}://{shown}:{self.port}/"


def _in_ascii(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise UrlRefusedError(f"has a host that cannot be: {host!r:.100} is no name of a host") from None


def networks(values: Sequence[str], key: str) -> tuple[IPNetwork, ...]:
    """Read networks from a setting, which `key` names."""
    found: list[IPNetwork] = []
    for value in values:
        try:
            found.append(ipaddress.ip_network(value))
        except ValueError as error:
            raise InvalidInputError(f"{key}: {value!r} is no network such as 10.0.0.0/8: {error}") from error
    return tuple(found)


def is_never_called(address: IPAddress) -> bool:
    """Tell whether no configuration allows an address: metadata services, link-local, multicast, unspecified."""
    return any(
        each.is_link_local or each.is_multicast or each.is_unspecified or any(each in network for network in _METADATA)
        for each in reached_through(address)
    )


def is_public(address: IPAddress) -> bool:
    """Tell whether an address belongs to the internet; one that wraps others must be public with each of them."""
    return may_be_called(address, ())


def may_be_called(address: IPAddress, allowed: Sequence[IPNetwork]) -> bool:
    """Tell whether an address, and each that it wraps, is public or in one of the allowed networks."""
    if is_never_called(address):
        return False
    return all(
        _is_public_itself(each) or any(each in network for network in allowed) for each in reached_through(address)
    )


def _is_public_itself(address: IPAddress) -> bool:
    """Tell whether an address itself is public; a mapped one and NAT64 are nothing but what they wrap."""
    if isinstance(address, ipaddress.IPv4Address):
        return address not in _PROTOCOLS and address.is_global
    if address in _MAPPED or address in _NAT64:
        return True
    assigned = address in _UNICAST and address not in _DOCUMENTATION and not _is_isatap(address)
    return assigned and (len(reached_through(address)) > 1 or address.is_global)


def reached_through(address: IPAddress) -> tuple[IPAddress, ...]:
    """Return an address and all those that may be reached through it, because it wraps them."""
    if isinstance(address, ipaddress.IPv4Address):
        return (address,)
    number = int(address)
    inner = []
    if any(address in network for network in _WRAPPERS) and number > 1:
        inner.append(number)
    if address in _LOCAL_NAT64:  # where the address stands there is a choice of the network: RFC 6052
        places = [
            (number >> high & (1 << high_bits) - 1) << low_bits | number >> low & (1 << low_bits) - 1
            for high, high_bits, low, low_bits in _IN_LOCAL_NAT64
        ]
        inner += filter(None, places)
    if address.sixtofour is not None:
        inner.append(int(address.sixtofour))
    if address.teredo is not None:
        inner += map(int, address.teredo)
    if _is_isatap(address):
        inner.append(number)
    return (address, *(ipaddress.IPv4Address(each & 0xFFFFFFFF) for each in dict.fromkeys(inner)))


def _is_isatap(address: ipaddress.IPv6Address) -> bool:
    return int(address) >> 32 & 0xFFFFFFFF in _ISATAP


async def resolve(host: str, port: int) -> Sequence[str]:
    """Look up the addresses of a host."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def addresses_of(
    host: str,
    port: int,
    *,
    allow_private: bool = False,
    allowed: Sequence[IPNetwork] = (),
    resolver: Resolver = resolve,
) -> list[IPAddress]:
    """Return the addresses of a host to connect to, best first. One bad address refuses the host.

    The caller connects to one of these addresses and not to the name: asked again, the name could lead elsewhere.
    """
    try:
        found = await resolver(host, port)
    except UnicodeError:  # the resolver's way to say that no name can look like this
        raise HostRefusedError(f"{host!r:.100} is no name of a host", allowable=False) from None
    except OSError as error:
        raise HostUnknownError(f"{host} has no address at the moment ({error.strerror or error})") from None
    addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in dict.fromkeys(found)]
    if not addresses:
        raise HostUnknownError(f"{host} has no address at the moment")
    for address in addresses:
        if is_never_called(address):
            raise HostRefusedError(
                f"{host} leads to {address}, an address of this network's own services, which is never called",
                allowable=False,
            )
        if not allow_private and not may_be_called(address, allowed):
            raise HostRefusedError(f"{host} leads to {address}, which is not public", allowable=True)
    return addresses

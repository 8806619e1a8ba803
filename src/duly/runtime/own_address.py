"""The address at which workers reach this daemon, where the settings do not say it."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress

from duly.config.settings import Settings

_ELSEWHERE = {socket.AF_INET: ("192.0.2.1", 9), socket.AF_INET6: ("2001:db8::1", 9)}
"""Addresses of no machine: nothing is sent to them."""


def own_address(settings: Settings, port: int | None) -> str:
    """Give the URL of this daemon; `port` is the one on which it listens, where that is known."""
    if settings.public_url is not None:
        return settings.public_url
    host = _reachable(settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port if port is None else port}"


def _reachable(host: str) -> str:
    """Give an address of this machine in the place of one that stands for all of them."""
    try:
        address = ipaddress.ip_address(host or "0.0.0.0")  # noqa: S104  looked at only
    except ValueError:
        return host
    if not address.is_unspecified:
        return host
    families = [socket.AF_INET] if address.version == 4 else [socket.AF_INET6, socket.AF_INET]
    found = (each for family in families if (each := _towards_others(family)) is not None)
    return next(found, "127.0.0.1" if address.version == 4 else "::1")


def _towards_others(family: socket.AddressFamily) -> str | None:
    """Give the address under which this machine talks to others; None where it has no way to any."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect(_ELSEWHERE[family])
        return str(asked.getsockname()[0])
    return None

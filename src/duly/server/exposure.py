"""Who can reach the daemon, and the warnings that follow: tokens in the clear, agents that run as root.

A request is from this machine when its Host header names a loopback address and no page but our own sent it.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duly.config.settings import Settings
from duly.errors import ConfigError
from duly.runtime.runtime import Runtime

if TYPE_CHECKING:
    from starlette.types import Scope

_log = logging.getLogger("duly")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _is_local_url(url: str) -> bool:
    with suppress(ValueError):
        return is_loopback(urlsplit(url).hostname or "")
    return False


def refuse_strangers(settings: Settings) -> None:
    """Refuse to serve without tokens where other machines can reach the daemon."""
    if not is_loopback(settings.host):
        raise ConfigError(
            "server.host", f"{settings.host} can be reached by others: without tokens only loopback is allowed"
        )
    if settings.public_url is not None and not _is_local_url(settings.public_url):
        raise ConfigError(
            "public_url",
            f"{settings.public_url} leads others to this daemon: with --no-auth everyone would be its admin. Leave "
            f"--no-auth out, or public_url",
        )


def note_exposure(runtime: Runtime, *, auth: bool) -> None:
    """Log each warning about this daemon once, and show it in its health."""
    warnings = [sends_tokens_in_the_clear(runtime.settings)] if auth else []
    warnings.append(runs_agents_as_root(runtime.settings))
    for warning in warnings:
        if warning is not None:
            runtime.notes.append(warning)
            _log.warning("%s", warning)


def sends_tokens_in_the_clear(settings: Settings) -> str | None:
    """Warn when tokens reach this daemon over plain HTTP from other machines; None when they do not.

    With a `public_url` of https a proxy encrypts them.
    """
    url = settings.public_url
    if url is not None and not _is_local_url(url):
        if url.lower().startswith("https:"):
            return None
        where = url
    elif is_loopback(settings.host):
        return None
    else:
        where = f"http://{settings.host}:{settings.port}"
    return (
        f"tokens travel unencrypted to {where}: everyone on the way can read and use them. Put a proxy with TLS in "
        f"front and name it in public_url (https://…), or listen on loopback only"
    )


def runs_agents_as_root(settings: Settings) -> str | None:
    """Warn when this process is root and starts command lines of agents as root; None when it does not."""
    names = [
        name
        for name, table in settings.spawners.items()
        if table.get("kind", "command") == "command" and "run_as" not in table
    ]
    if os.geteuid() != 0 or not names:
        return None
    return (
        f"agents of {', '.join(f'spawners.{name}' for name in sorted(names))} run as root: a prompt may do everything "
        f"on this machine. Run duly as a user of its own, or set run_as of each spawner to a user without rights"
    )


# requests


def is_from_here(scope: Scope) -> bool:
    """Whether a program on this machine, or a page of this daemon, sent a request.

    Any web page, of another site or of another port of this machine, can reach loopback through the browser that shows
    it. The browser then says so in Origin or Sec-Fetch-Site, or, after DNS rebinding, in a Host that is not a loopback
    name. Following a link to us is not a page's request: it only shows our page.
    """
    host = header_of(scope, b"host") or ""
    origin = header_of(scope, b"origin")
    if not _is_local_url(f"//{host}") or (origin is not None and not _is_page_of(host, origin)):
        return False
    follows_link = scope.get("method") == "GET" and header_of(scope, b"sec-fetch-mode") == "navigate"
    return follows_link or header_of(scope, b"sec-fetch-site") in (None, "same-origin", "none")


def _is_page_of(host: str, origin: str) -> bool:
    """Whether an Origin is that of the pages at a Host. The scheme may differ: a proxy may add TLS."""
    with suppress(ValueError):
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
    return False


def address_of(scope: Scope) -> str | None:
    """Give the address that a request came from."""
    client = scope.get("client")
    return None if not client else str(client[0])


def header_of(scope: Scope, wanted: bytes) -> str | None:
    """Give a header of a request, named in lower case."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), None)

"""Who can reach the daemon, and what follows: where tokens are needed, and where they travel unencrypted."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from urllib.parse import urlsplit

from duly.config.settings import Settings
from duly.errors import ConfigError


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def refuse_strangers(settings: Settings) -> None:
    """Refuse to serve without tokens where others can reach the daemon."""
    if not is_loopback(settings.host):
        raise ConfigError(
            "server.host", f"{settings.host} can be reached by others: without tokens only loopback is allowed"
        )
    if settings.public_url is not None and not _is_local_url(settings.public_url):
        raise ConfigError(
            "public_url",
            f"{settings.public_url} leads others to this daemon: with --no-auth everybody would be its admin. Leave "
            f"--no-auth out, or public_url",
        )


def _is_local_url(url: str) -> bool:
    with suppress(ValueError):
        return is_loopback(urlsplit(url).hostname or "")
    return False


def sends_tokens_in_the_clear(settings: Settings) -> str | None:
    """A warning when tokens reach this daemon over plain HTTP from other machines; None when they do not.

    An address beyond loopback that is told as https is behind a proxy that takes care of it.
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
        f"tokens travel unencrypted to {where}: everybody on the way can read and use them. Put a proxy with TLS in "
        f"front and name it in public_url (https://…), or listen on loopback only"
    )

"""Signed links in messages, for people whose channel has no buttons."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from duly.daemon.files import secret_file
from duly.delivery.buttons import Link, no_link

if TYPE_CHECKING:
    from duly.daemon.house import House
    from duly.ports.channels import ButtonKind

_FILE = "link.secret"
_LIFE = timedelta(days=8)  # longer than the longest snooze


def link_secret(house: House) -> str:
    """What links are signed with: made once, kept in a file only its owner can read."""
    return secret_file(house.settings.data_dir / _FILE, lambda: secrets.token_urlsafe(32))


def link_to(house: House) -> Link:
    """Links to this daemon, if it can be reached from outside."""
    base = house.settings.public_url
    if base is None:
        return no_link
    from duly.delivery.channels.links import sign_link

    secret = link_secret(house)

    def link(token: str, kind: ButtonKind) -> str:
        signed = sign_link(secret, token, kind, house.clock.now() + _LIFE)
        return f"{base.rstrip('/')}/answer/{signed}"

    return link

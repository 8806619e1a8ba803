"""Signed links in messages, for people whose channel has no buttons.

The secret lies in a file: the first line is the secret that signs; a second line, after a rotation with a grace time,
is the secret before it and the time until which it is valid.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.delivery.messages import Link, no_link
from duly.errors import InboundRefusedError
from duly.runtime.secret_files import replace_secret_file, secret_file
from duly.zones import iso

if TYPE_CHECKING:
    from duly.ports.channels import ButtonKind
    from duly.runtime.runtime import Runtime

_FILE = "link.secret"
_LIFE = timedelta(days=8)  # longer than the longest snooze


def link_secret(runtime: Runtime) -> str:
    """Give the secret that signs links; made at the first call."""
    return _lines(runtime)[0]


def _lines(runtime: Runtime) -> list[str]:
    return secret_file(runtime.settings.data_dir / _FILE, _new).splitlines()


def _new() -> str:
    return secrets.token_urlsafe(32)


def link_secrets(runtime: Runtime) -> list[str]:
    """Give the secrets that verify links: the present one, and during its grace time the one before."""
    present, *before = _lines(runtime)
    known = [present]
    for line in before:
        secret, _, until = line.partition(" ")
        with suppress(ValueError):  # the file was edited by hand
            if datetime.fromisoformat(until) > runtime.clock.now():
                known.append(secret)
    return known


def rotate_link_secret(runtime: Runtime, grace: timedelta) -> datetime | None:
    """Make a new secret. Gives the time until which links sent before are valid; None if they are not any more."""
    old = link_secret(runtime)
    until = runtime.clock.now() + grace
    kept = f"\n{old} {iso(until)}" if grace > timedelta(0) else ""
    replace_secret_file(runtime.settings.data_dir / _FILE, f"{_new()}{kept}")
    return until if kept else None


def read_link(runtime: Runtime, signed: str) -> tuple[str, ButtonKind]:
    """Give the token and the answer in a link of ours; raise `InboundRefusedError` for any other."""
    from duly.channels.inbound import verify_link

    present, *before = link_secrets(runtime)
    for secret in before:
        with suppress(InboundRefusedError):
            return verify_link(secret, signed, runtime.clock.now())
    return verify_link(present, signed, runtime.clock.now())


def link_to(runtime: Runtime) -> Link:
    """Make the function that signs links to this daemon; without a `public_url` it gives none."""
    base = runtime.settings.public_url
    if base is None:
        return no_link
    from duly.channels.inbound import sign_link

    link_secret(runtime)  # a directory that cannot be written raises at the start

    def link(token: str, kind: ButtonKind) -> str:
        signed = sign_link(link_secret(runtime), token, kind, runtime.clock.now() + _LIFE)
        return f"{base.rstrip('/')}/answer/{signed}"

    return link

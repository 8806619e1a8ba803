"""Signed links in messages, for people whose channel has no buttons.

The secret they are signed with lies in a file: on its first line the one that counts, on the second, after a rotation
with a grace time, the one before and when it ends.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.delivery.messages import Link, no_link
from duly.errors import InboundRefusedError
from duly.runtime.files import replace_secret_file, secret_file
from duly.zones import iso

if TYPE_CHECKING:
    from duly.ports.channels import ButtonKind
    from duly.runtime.runtime import Runtime

_FILE = "link.secret"
_LIFE = timedelta(days=8)  # longer than the longest snooze


def link_secret(runtime: Runtime) -> str:
    """What links are signed with: made once, kept in a file only its owner can read."""
    return _lines(runtime)[0]


def _lines(runtime: Runtime) -> list[str]:
    return secret_file(runtime.settings.data_dir / _FILE, _new).splitlines()


def _new() -> str:
    return secrets.token_urlsafe(32)


def link_secrets(runtime: Runtime) -> list[str]:
    """The secrets by which a link is known: the present one, and the one before it during its grace time."""
    present, *before = _lines(runtime)
    known = [present]
    for line in before:
        secret, _, until = line.partition(" ")
        with suppress(ValueError):  # a line that somebody else wrote
            if datetime.fromisoformat(until) > runtime.clock.now():
                known.append(secret)
    return known


def rotate_link_secret(runtime: Runtime, grace: timedelta) -> datetime | None:
    """Sign links with a new secret from now on; gives until when those sent before still open, None for not at all."""
    old, until = link_secret(runtime), runtime.clock.now() + grace
    kept = f"\n{old} {iso(until)}" if grace > timedelta(0) else ""
    replace_secret_file(runtime.settings.data_dir / _FILE, f"{_new()}{kept}")
    return until if kept else None


def read_link(runtime: Runtime, signed: str) -> tuple[str, ButtonKind]:
    """The token and the answer in a link of ours; `InboundRefusedError` for any other."""
    from duly.channels.inbound import verify_link

    present, *before = link_secrets(runtime)
    for secret in before:
        with suppress(InboundRefusedError):
            return verify_link(secret, signed, runtime.clock.now())
    return verify_link(present, signed, runtime.clock.now())


def link_to(runtime: Runtime) -> Link:
    """Links to this daemon, if it can be reached from outside."""
    base = runtime.settings.public_url
    if base is None:
        return no_link
    from duly.channels.inbound import sign_link

    link_secret(runtime)  # a directory that cannot be written shows at the start

    def link(token: str, kind: ButtonKind) -> str:
        signed = sign_link(link_secret(runtime), token, kind, runtime.clock.now() + _LIFE)
        return f"{base.rstrip('/')}/answer/{signed}"

    return link

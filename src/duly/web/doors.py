"""Who may come in to the dashboard, as the server knows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from duly.service.access.scopes import Caller
from duly.web.session import Sessions
from duly.web.viewer import Viewer

Stream = Callable[[Viewer, Request], Awaitable[Response]]
"""Gives the live stream of a viewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Who may come in, as the server knows it."""

    sessions: Sessions
    local: Caller
    """The caller of sessions of the local admin."""
    anyone: Caller
    """The caller of requests that need no sign-in."""
    is_open: Callable[[Request], bool]
    """Whether a request needs no sign-in: with `--no-auth`, from this machine."""
    stream: Stream
    refused: Callable[[Request, str, str | None], Awaitable[None]]
    """Notes for the audit that a request was refused, with the reason, and the token that was sent."""
    wait: Callable[[Request], int]
    """Counts an attempt to sign in, with a token or with a link that is not valid.

    Gives the seconds to wait before it may be made, mostly none.
    """
    public_url: str | None = None

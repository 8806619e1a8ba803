"""Messages to send, and helpers for the tests of every channel."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from duly.ports.channels import Button, ButtonKind, Outgoing

NOW = datetime(2026, 2, 2, 8, 0, tzinfo=UTC)
QUICK = 1.0
"""Seconds to wait for servers that will never answer."""

BUTTONS = (
    Button(ButtonKind.DONE, "Done", "tok-done", "https://duly.example/a/done"),
    Button(ButtonKind.SNOOZE, "Later", "tok-snooze", "https://duly.example/a/snooze"),
    Button(ButtonKind.DISMISS, "Skip", "tok-dismiss", "https://duly.example/a/dismiss"),
)
PLAIN = Outgoing(text="Take your medicine", key="run_1:1")
ASKING = Outgoing(text="Did you take it?", title="Medicine", key="run_1:2", buttons=BUTTONS)


def secrets_from(table: dict[str, str]) -> Callable[[str], str]:
    """A resolver of `env:NAME` that knows only these."""
    return lambda reference: table[reference.removeprefix("env:")]

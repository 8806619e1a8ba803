"""Failpoints: named places where a test can kill the process or raise an error. Unarmed ones do nothing.

Armed through the environment, so that a test can say where a child process dies: `DULY_FAILPOINT=engine.claimed:kill`
kills at the first passage, `…:kill@3` at the third, `…:raise` raises `FailpointError`.
"""

from __future__ import annotations

import os
import signal


class FailpointError(RuntimeError):
    """Raised by a failpoint that was armed to raise."""


def _armed_by_environment() -> dict[str, tuple[str, int]]:
    armed = {}
    for entry in filter(None, os.environ.get("DULY_FAILPOINT", "").split(",")):
        name, _, action = entry.partition(":")
        action, _, passage = action.partition("@")
        armed[name] = (action or "kill", int(passage or 1))
    return armed


_armed = _armed_by_environment()


def arm(name: str, action: str = "raise", passage: int = 1) -> None:
    """Arm a failpoint in this process."""
    _armed[name] = (action, passage)


def disarm() -> None:
    """Disarm all of them."""
    _armed.clear()


def hit(name: str) -> None:
    """Pass a failpoint: kill or raise if it is armed."""
    if not _armed or name not in _armed:
        return
    action, passage = _armed[name]
    if passage > 1:
        _armed[name] = (action, passage - 1)
        return
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    del _armed[name]
    raise FailpointError(name)

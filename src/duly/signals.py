"""Waiting to be asked to stop."""

from __future__ import annotations

import asyncio
import signal

_STOP = (signal.SIGINT, signal.SIGTERM)


async def until_asked_to_stop() -> None:
    """Return at SIGINT or SIGTERM; a second one has its usual effect."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    handled = []
    for number in _STOP:
        try:
            loop.add_signal_handler(number, asked.set)
            handled.append(number)
        except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or a system without
            continue
    try:
        await asked.wait()
    finally:
        for number in handled:
            loop.remove_signal_handler(number)

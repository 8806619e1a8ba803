"""The listener of PostgreSQL ends when it is told to, even if the driver swallows that it was cancelled."""

from __future__ import annotations

import asyncio

import pytest

from duly.errors import StoreUnavailableError
from duly.stores.postgres import listener
from duly.stores.postgres.address import Address
from duly.stores.postgres.listener import Listener


async def test_it_ends_although_one_cancellation_gets_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection attempt that fails in the same moment takes the cancellation with it (asyncio.wait_for)."""
    connecting = asyncio.Event()

    async def connect(_address: Address) -> None:
        connecting.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise StoreUnavailableError("no answer") from None

    monkeypatch.setattr(listener, "connect", connect)
    listening = Listener(Address("postgresql://example.org/duly"))
    listening.add(lambda: None)
    await connecting.wait()
    await asyncio.wait_for(listening.stop(), 60)

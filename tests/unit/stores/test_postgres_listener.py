"""The listener of PostgreSQL ends when it is told to, even if the driver swallows that it was cancelled."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from duly.errors import StoreUnavailableError
from duly.stores.postgres import listener
from duly.stores.postgres.address import Address
from duly.stores.postgres.connection import Session, connect
from duly.stores.postgres.listener import Listener
from tests.postgres_server import server


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


@pytest.fixture
def url() -> Iterator[str]:
    with server().database() as address:
        yield address


async def test_a_hint_is_taken_after_the_connection_was_checked(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Also one that comes together with the answer to the check, which leaves nothing to read behind."""
    monkeypatch.setattr(listener, "_CHECK_EVERY", 0.01)
    heard = asyncio.Queue[None]()
    listening = Listener(Address(url))
    listening.add(lambda: heard.put_nowait(None))
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as other:
        for _ in range(5):
            await asyncio.wait_for(heard.get(), 60)  # the first says that it listens
            await other.execute("NOTIFY duly_changed")
    await listening.stop()


async def test_it_follows_the_store_to_another_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """A server that was cut off may keep its connections, and tell of nothing any more."""
    monkeypatch.setattr(listener, "_CHECK_EVERY", 0.01)
    monkeypatch.setattr(listener, "_PAUSE", 0.01)
    heard = asyncio.Queue[None]()
    async with opened_session(url) as session:
        here = await listener.whereabouts(session)
    places = itertools.chain([here, ("elsewhere",)], itertools.repeat(here))

    async def where() -> listener.Whereabouts:
        return next(places)

    listening = Listener(Address(url), where=where)
    listening.add(lambda: heard.put_nowait(None))
    for _ in range(2):
        await asyncio.wait_for(heard.get(), 60)  # it listens, and does so again on another connection
    await listening.stop()


@asynccontextmanager
async def opened_session(url: str) -> AsyncIterator[Session]:
    session = await connect(Address(url))
    try:
        yield session
    finally:
        await session.close()

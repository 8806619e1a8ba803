"""When the tables vanish from a PostgreSQL database, every call says that the store is unavailable."""

from __future__ import annotations

import psycopg
import pytest

from duly.errors import StoreUnavailableError
from duly.ports.records import ScheduleFilter
from duly.stores import open_store
from duly.testing import VirtualClock
from tests.conformance.stores.builders import START, schedule
from tests.postgres_server import postgres_server, postgres_url
from tests.unit.stores.test_sqlite_faults import take

__all__ = ["postgres_server", "postgres_url"]


async def test_dropped_tables_make_the_store_unavailable(postgres_url: str) -> None:
    store = open_store(postgres_url, VirtualClock(START))
    await store.open()
    try:
        await store.save([schedule("kept")], take)
        async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
            await connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        with pytest.raises(StoreUnavailableError, match=r"tables of duly are gone .* put a copy of the database back"):
            await store.schedules(ScheduleFilter())
        with pytest.raises(StoreUnavailableError, match="tables of duly are gone"):
            await store.save([schedule("lost")], take)
    finally:
        await store.close()

"""Columns of values reach PostgreSQL as they are, also where they are encoded once for many equal values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from duly.stores.postgres.arrays import FlagArray, NumberArray, TextArray, TimeArray, teach
from tests.postgres_server import server

NOW = datetime(2026, 3, 1, 12, 30, 15, 123_456, tzinfo=UTC)
COLUMNS: list[tuple[type[Any], list[Any]]] = [
    (TimeArray, [NOW, NOW, NOW]),
    (TimeArray, [NOW, NOW + timedelta(days=1), NOW]),
    (TimeArray, [NOW, None, NOW]),
    (TimeArray, [None, None]),
    (TimeArray, [NOW]),
    (TimeArray, []),
    (NumberArray, [7, 7, 7]),
    (NumberArray, [7, -8, 7]),
    (NumberArray, [None, None]),
    (NumberArray, [1, None, 1]),
    (NumberArray, []),
    (TextArray, ["a", "a"]),
    (TextArray, ['"', None, "\\", "NULL", ""]),
    (FlagArray, [True, True]),
    (FlagArray, [True, False, True]),
]


@pytest.fixture
def url() -> Iterator[str]:
    with server().database(migrated=False) as address:
        yield address


async def test_a_column_arrives_as_it_was_given(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        teach(connection)
        for kind, values in COLUMNS:
            cursor = await connection.execute("SELECT %s", (kind(values),), binary=True)
            assert await cursor.fetchone() == (values,)

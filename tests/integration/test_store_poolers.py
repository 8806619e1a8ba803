"""A store behind a pooler: nothing stays on a connection that others use next, and what cannot work is said."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from duly.config.settings import Settings
from duly.errors import InvalidInputError, StoreUnavailableError
from duly.model.ids import NODE
from duly.ports.records import NodeRecord, ScheduleFilter
from duly.runtime.runtime import Runtime
from duly.stores import backup
from duly.stores.postgres import listener
from duly.stores.postgres.connection import Session
from duly.stores.postgres.store import PostgresStore
from duly.testing.clock import VirtualClock
from tests.channels.fakes.certificates import certificate
from tests.conformance.stores.builders import START, fresh_id, schedule
from tests.integration.engine_support.remote import own_server
from tests.pgbouncer import PgBouncer
from tests.unit.stores.test_sqlite_faults import take
from tests.world import until

_SEVERAL = 8
"""So often a statement is run until the driver would have prepared it."""


@pytest.fixture
def url() -> Iterator[str]:
    """The address of the server's own database, with the tables in place."""
    with own_server().database() as address:
        yield address


@pytest.fixture
def empty_url() -> Iterator[str]:
    with own_server().database(migrated=False) as address:
        yield address


@asynccontextmanager
async def opened(url: str, direct: str | None = None) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url, VirtualClock(START), direct)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def beating(store: PostgresStore) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Give what renews the lease of a node."""
    node_id = fresh_id(NODE)
    await store.register(NodeRecord(node_id, "here", 1, "now", "", 60.0, ("job:a",), START))
    pulse = store.pulse()
    try:
        yield lambda: asyncio.to_thread(pulse.beat, node_id)
    finally:
        await asyncio.to_thread(pulse.close)


async def test_nothing_stays_on_the_connections_of_a_pooler(url: str) -> None:
    """One server connection for all: what one caller leaves there, the next one finds."""
    with PgBouncer(own_server(), size=1) as pooler:
        through = pooler.url(url)
        async with opened(through) as store:
            calls = asyncio.Queue[None]()
            store.on_change(lambda: calls.put_nowait(None))
            await asyncio.wait_for(calls.get(), 60)
            async with beating(store) as beat:
                for number in range(_SEVERAL):
                    await store.save([schedule(f"s{number}")], take)
                    await store.schedules(ScheduleFilter())
                    assert await beat()
            with psycopg.connect(through, autocommit=True, prepare_threshold=None) as other:
                left = (
                    "SELECT count(*) FROM pg_prepared_statements UNION ALL SELECT count(*) FROM pg_listening_channels()"
                )
                assert other.execute(left.encode()).fetchall() == [(0,), (0,)]
                assert other.execute("SHOW statement_timeout").fetchone() == ("0",)
                assert other.execute("SHOW enable_seqscan").fetchone() == ("on",)


async def test_a_backup_goes_through_a_pooler_and_leaves_nothing_there(
    url: str, empty_url: str, tmp_path: Path
) -> None:
    with PgBouncer(own_server(), size=1) as pooler:
        async with opened(url) as store:
            await store.save([schedule("a")], take)
            rows = await store.schedules(ScheduleFilter())
        made = await asyncio.to_thread(backup.make, pooler.url(url), tmp_path / "a.backup", START, lambda _text: None)
        await asyncio.to_thread(backup.restore, pooler.url(empty_url), made.file, lambda _text: None)
        async with opened(empty_url) as store:
            assert await store.schedules(ScheduleFilter()) == rows
        for each in (url, empty_url):
            with psycopg.connect(pooler.url(each), autocommit=True, prepare_threshold=None) as other:
                assert other.execute("SELECT count(*) FROM pg_prepared_statements").fetchall() == [(0,)]
                assert other.execute("SHOW DateStyle").fetchone() == ("ISO, MDY",)


@pytest.mark.parametrize("pooled", [False, True], ids=["direct", "pooled"])
async def test_every_statement_has_the_settings_of_duly(url: str, pooled: bool) -> None:
    with PgBouncer(own_server(), size=1) as pooler:
        async with opened(pooler.url(url) if pooled else url) as store:

            async def look(session: Session) -> list[str]:
                assert session.is_pooled == pooled
                names = ("statement_timeout", "idle_in_transaction_session_timeout", "TimeZone", "jit")
                return [await session.value(f"SHOW {name}") for name in names]

            for run in (store._executor.read, store._executor.write):
                assert await run(look) == ["15s", "10s", "UTC", "off"]


async def test_statements_are_prepared_where_no_pooler_is(url: str) -> None:
    async with opened(url) as store:

        async def prepared(session: Session) -> int:
            return int(await session.value("SELECT count(*) FROM pg_prepared_statements"))

        for _ in range(_SEVERAL):
            await store.schedules(ScheduleFilter())
        assert await store._executor.read(prepared) > 0


async def test_a_pooler_that_gives_itself_out_as_the_server_is_noticed(url: str) -> None:
    """By a prepared statement that is not where it was: the work is done again, and nothing is prepared any more."""
    async with opened(url) as store:

        async def save(session: Session) -> bool:
            for number in range(_SEVERAL):
                await session.value("SELECT %(number)s::int", {"number": number})
            if not session.is_pooled:
                await session.run("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$")  # unnoticed by the driver
            await session.value("SELECT %(number)s::int", {"number": -1})
            return session.is_pooled

        assert await store._executor.write(save)
        await store.save([schedule()], take)


async def test_a_pooler_is_told_of_at_the_start(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with PgBouncer(own_server()) as pooler, caplog.at_level(logging.INFO, "duly"):
        async with opened(pooler.url(url)):
            pass
        async with opened(pooler.url(url), own_server().tcp_url(url)):
            pass
        async with opened(url):
            pass
    first, second = caplog.messages
    assert (
        "goes through a pooler: changes by other processes are looked for each second (store_direct may name" in first
    )
    assert second.endswith(f"are heard over postgresql://postgres@127.0.0.1:{own_server().port}/{_name(url)}")


async def test_statement_pooling_is_refused(url: str) -> None:
    refused = pytest.raises(InvalidInputError, match=r"lends connections by the statement.* set its pool_mode to trans")
    with PgBouncer(own_server(), mode="statement") as pooler, refused:
        async with opened(pooler.url(url)):
            pass


async def test_a_pooler_that_is_changed_to_statements_is_waited_out(url: str) -> None:
    with PgBouncer(own_server(), mode="transaction") as pooler:
        async with opened(pooler.url(url)) as store:
            await store.save([schedule("before")], take)
            pooler.turn_to(own_server(), pool_mode="statement")

            async def fault() -> str:
                try:
                    await store.save([schedule("after")], take)
                except StoreUnavailableError as error:
                    return str(error)
                return ""

            async with asyncio.timeout(60):
                while "set its pool_mode to transaction" not in await fault():
                    pass
                pooler.turn_to(own_server(), pool_mode="transaction")
                while await fault():
                    pass
            assert {each.name for each in await store.schedules(ScheduleFilter())} == {"before", "after"}


async def test_options_in_the_address_of_a_pooler_are_refused_with_the_cure(url: str) -> None:
    refused = pytest.raises(StoreUnavailableError, match="a pooler takes no options in the URL: write them to the user")
    with PgBouncer(own_server()) as pooler, refused:
        async with opened(f"{pooler.url(url)}?options=-csearch_path%3Dmine"):
            pass


@pytest.mark.parametrize("past", [False, True], ids=["through the pooler", "past it"])
async def test_tables_are_made(empty_url: str, past: bool) -> None:
    with PgBouncer(own_server(), size=1) as pooler:
        async with opened(pooler.url(empty_url), empty_url if past else None) as store:
            await store.save([schedule("first")], take)
            assert [each.name for each in await store.schedules(ScheduleFilter())] == ["first"]


async def test_no_tables_are_made_in_another_database(empty_url: str) -> None:
    with PgBouncer(own_server()) as pooler, own_server().database(migrated=False) as other:
        with pytest.raises(StoreUnavailableError, match=r"store_direct .* leads to another database than store .*"):
            async with opened(pooler.url(empty_url), other):
                pass
        for each in (empty_url, other):
            with psycopg.connect(each) as connection:
                assert connection.execute("SELECT to_regclass('schema_version')").fetchone() == (None,)


# the second address


async def test_hints_are_heard_in_the_sessions_of_a_pooler(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after a look at the connection, and without calls that come by themselves."""
    monkeypatch.setattr(listener, "_CHECK_EVERY", 0.01)
    monkeypatch.setattr(listener, "_PAUSE", 3600.0)
    with PgBouncer(own_server(), mode="session", size=20) as pooler:
        async with opened(pooler.url(url), pooler.url(url)) as store, opened(pooler.url(url)) as other:
            await _hears(store, other)


async def test_hints_are_heard_past_a_pooler(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_PAUSE", 3600.0)
    with PgBouncer(own_server()) as pooler:
        async with opened(pooler.url(url), url) as store, opened(pooler.url(url)) as other:
            await _hears(store, other)


async def test_without_a_second_address_changes_are_looked_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_PAUSE", 0.001)
    with PgBouncer(own_server()) as pooler:
        async with opened(pooler.url(url)) as store:
            called = asyncio.Queue[None]()
            store.on_change(lambda: called.put_nowait(None))
            for _ in range(_SEVERAL):
                await asyncio.wait_for(called.get(), 60)
            assert store.faults == []


async def test_a_second_address_that_is_of_no_use_is_named_until_it_is(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "_PAUSE", 0.001)
    monkeypatch.setattr(listener, "_CHECK_EVERY", 0.01)
    with PgBouncer(own_server()) as pooler, PgBouncer(own_server()) as second:
        async with opened(pooler.url(url), second.url(url)) as store:
            called = asyncio.Queue[None]()
            store.on_change(lambda: called.put_nowait(None))
            await until(lambda: "lends connections by the transaction" in "".join(store.faults), "the fault")
            assert "name the server itself, or a pool for sessions. Until then duly looks" in store.faults[0]
            await asyncio.wait_for(called.get(), 60)
            second.turn_to(own_server(), pool_mode="session", default_pool_size=20)
            await until(lambda: not store.faults, "it to listen")
            second.close()
            await until(lambda: "".join(store.faults).startswith("cannot use "), "the fault")


async def test_a_second_address_of_another_database_is_named(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listener, "_PAUSE", 0.001)
    with PgBouncer(own_server()) as pooler, own_server().database() as other:
        async with opened(pooler.url(url), other) as store:
            store.on_change(lambda: None)
            await until(lambda: bool(store.faults), "the fault")
            assert "leads to another database than store" in store.faults[0]
            assert [each.message for each in caplog.records if each.levelno == logging.WARNING] == store.faults


async def test_health_names_a_second_address_that_is_of_no_use(url: str, tmp_path: Path) -> None:
    with own_server().database() as other:
        runtime = Runtime(
            Settings(data_dir=tmp_path, store=url, store_direct="env:SECOND"), environment={"SECOND": other}
        )
        await runtime.open()
        try:
            await runtime.start_engine()
            await until(lambda: runtime.store.faults, "the fault")
            health = await runtime.health()
            assert health.state == "yellow"
            [reason] = health.reasons
            assert "leads to another database than store" in reason
            assert health.words == ["the second address of the store needs a look"]
        finally:
            await runtime.close()


async def _hears(store: PostgresStore, other: PostgresStore) -> None:
    called = asyncio.Queue[None]()
    store.on_change(lambda: called.put_nowait(None))
    for number in range(3):
        await asyncio.wait_for(called.get(), 60)  # the first says that it listens
        await other.save([schedule(f"s{number}")], take)


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


# TLS


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_tls(url: str, tmp_path: Path, mode: str) -> None:
    certificate(tmp_path, "127.0.0.1")
    with PgBouncer(own_server(), certificate=tmp_path / "127.0.0.1.pem") as pooler:
        through = f"{pooler.url(url)}?sslmode={mode}&sslrootcert={tmp_path / '127.0.0.1.pem'}"
        async with opened(through) as store, beating(store) as beat:
            assert await beat()


async def test_tls_of_a_stranger_is_refused(url: str, tmp_path: Path) -> None:
    certificate(tmp_path, "127.0.0.1")
    certificate(tmp_path, "stranger")
    with PgBouncer(own_server(), certificate=tmp_path / "127.0.0.1.pem") as pooler:
        with pytest.raises(StoreUnavailableError, match="certificate verify failed"):
            async with opened(f"{pooler.url(url)}?sslmode=verify-full&sslrootcert={tmp_path / 'stranger.pem'}"):
                pass
        with pytest.raises(StoreUnavailableError, match="SSL required"):
            async with opened(f"{pooler.url(url)}?sslmode=disable"):
                pass

"""Another server takes over: engines find it by themselves, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from tests.integration.engine_support.audit import Books
from tests.integration.engine_support.process_cluster import ProcessCluster
from tests.integration.engine_support.waiting import eventually
from tests.pgbouncer import PgBouncer
from tests.postgres_server import OwnServer
from tests.world import until

FIRES = 100


@pytest.fixture
def first() -> Iterator[OwnServer]:
    """A server that tests may stop and change."""
    made = OwnServer()
    yield made
    made.close()


@pytest.fixture
def second(first: OwnServer) -> Iterator[OwnServer]:
    """Its standby: what is committed there is here."""
    made = OwnServer(standby_of=first)
    first.set(synchronous_standby_names="*")
    yield made
    made.close()


@pytest.mark.parametrize("how", ["it crashes", "it takes no more writes", "it crashes behind a pooler"])
def test_nothing_is_lost_when_a_standby_takes_over(
    first: OwnServer, second: OwnServer, tmp_path: Path, how: str
) -> None:
    several = f"postgresql://postgres@127.0.0.1:{first.port},127.0.0.1:{second.port}/postgres"
    with PgBouncer(first) as pooler, closing(ProcessCluster(several, tmp_path)) as cluster:
        where: dict[str, Any] = (
            {"store": pooler.url(several), "direct": several} if "pooler" in how else {"store": several}
        )
        workers = [cluster.start(batch=10, max_concurrency=10, **where) for _ in range(2)]
        cluster.add(*(cluster.once(f"once-{number}", after=number * 0.03) for number in range(FIRES)))
        eventually(lambda: len(cluster.testimony) > 10, "some work")
        if "crashes" in how:
            first.stop("immediate")
        else:
            first.set(default_transaction_read_only="on")  # connections stay, as to a server that was cut off
        for worker in workers:
            worker.saw("store.unavailable")
        second.promote()
        pooler.turn_to(second)
        eventually(lambda: _finished(second) == FIRES, "everything to be over")
        for worker in workers:
            assert worker.saw("store.recovered")
            worker.stop()
        cluster.books.close()
        cluster.books = Books(second.tcp_url(second.url("postgres")))
        assert [run.status for run in cluster.check()] == ["succeeded"] * FIRES


def _finished(server: OwnServer) -> int:
    with server.admin() as connection:
        found = connection.execute("SELECT count(*) FROM runs WHERE status = 'succeeded'")
        (number,) = found.fetchone() or (0,)
        return int(number)


async def test_health_says_that_a_server_takes_no_writes(first: OwnServer, tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=first.url("postgres")))
    await runtime.open()
    try:
        await runtime.start_engine()
        first.set(default_transaction_read_only="on")
        runtime.wake()
        await until(lambda: runtime.engine.status.store_error, "the engine to notice")
        health = await runtime.health()
        assert health.state == "red"
        told = "this server takes no writes: it is a standby, or was made one; name all servers in the URL"
        assert told in str(health.reasons)
        first.set(default_transaction_read_only="off")
        await until(lambda: runtime.engine.status.store_error is None, "the engine to go on")
        assert (await runtime.health()).state == "green"
    finally:
        await runtime.close()

"""PostgreSQL at its worst: the server dies and comes back, and commits are lost on their way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from duly import StoreUnavailableError
from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.service.access.scopes import Face
from tests.integration.engine_support.process_cluster import ProcessCluster
from tests.integration.engine_support.proxy import Proxy
from tests.integration.engine_support.remote import cluster, own_server, proxy, through
from tests.integration.engine_support.waiting import eventually
from tests.pgbouncer import PLAIN, PgBouncer
from tests.world import until

__all__ = ["cluster", "proxy"]


_AT_ONCE = 34


def _work(cluster: ProcessCluster, round_: int) -> None:
    """Give the workers something to do, and wait until they are in the middle of it."""
    before = len(cluster.testimony)
    cluster.add(*(cluster.once(f"once-{round_}-{number}", after=number * 0.03) for number in range(_AT_ONCE)))
    eventually(lambda: len(cluster.testimony) > before + 10, "some work")


def test_no_run_is_lost_when_the_server_crashes_and_restarts(cluster: ProcessCluster) -> None:
    workers = [cluster.start(batch=10, max_concurrency=10) for _ in range(2)]
    for round_ in range(3):
        _work(cluster, round_)
        own_server().restart("immediate")
    cluster.settled()
    runs = cluster.check()
    assert {run.status for run in runs} == {"succeeded"}
    assert len(runs) == 3 * _AT_ONCE
    for worker in workers:
        assert worker.saw("store.unavailable")
        assert worker.saw("store.recovered")
        worker.stop()


def test_an_engine_stops_while_the_server_is_down(cluster: ProcessCluster) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    worker = cluster.start()
    cluster.entered("held")
    own_server().stop("immediate")
    try:
        worker.saw("store.unavailable")
        cluster.touch("go-1")
        worker.stop()
    finally:
        own_server().start()
    cluster.touch("go-2")
    cluster.let_leases_end()
    cluster.start()
    assert cluster.ended("held").status == "succeeded"
    cluster.check()


@pytest.mark.parametrize("pooled", [False, True], ids=["direct", "pooled"])
def test_a_user_who_owns_nothing_but_a_schema_is_enough(tmp_path: Path, pooled: bool) -> None:
    """Neither a superuser nor the owner of the database, who makes the tables and listens."""
    with own_server().database(migrated=False) as url, PgBouncer(own_server()) as pooler, _plain_user(url):
        direct = own_server().tcp_url(url).replace("postgres@", f"{PLAIN}@")
        with closing(ProcessCluster(direct, tmp_path)) as cluster:
            worker = cluster.start(store=pooler.url(url, user=PLAIN), direct=direct) if pooled else cluster.start()
            eventually(lambda: _asked(PLAIN, "LISTEN duly_changed"), "it to listen")
            cluster.add(*(cluster.once(f"once-{number}", after=number * 0.1) for number in range(_AT_ONCE)))
            cluster.settled()
            assert {run.status for run in cluster.check()} == {"succeeded"}
            assert not worker.events("store.unavailable")
            worker.stop()


@contextmanager
def _plain_user(url: str) -> Iterator[None]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {PLAIN} LOGIN".encode())
        connection.execute(f"CREATE SCHEMA {PLAIN} AUTHORIZATION {PLAIN}".encode())
        yield
        connection.execute(f"DROP SCHEMA {PLAIN} CASCADE".encode())
        connection.execute(f"DROP ROLE {PLAIN}".encode())


def _asked(user: str, query: str) -> bool:
    with own_server().admin() as connection:
        found = connection.execute("SELECT FROM pg_stat_activity WHERE usename = %s AND query = %s", (user, query))
        return found.fetchone() is not None


async def test_a_daemon_whose_server_is_lost_during_its_start_begins_when_it_is_back(
    cluster: ProcessCluster, tmp_path: Path
) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=cluster.url))
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1", auth=False)
    async with AsyncExitStack() as stack:
        with own_server().stopped("immediate"):
            await stack.enter_async_context(app.router.lifespan_context(app))
            assert (await runtime.services.schedules.health(runtime.local(Face.MCP))).state == "red"
        await until(lambda: runtime.engine.running, "the engine to start")
        assert (await runtime.services.schedules.health(runtime.local(Face.MCP))).state == "green"


@pytest.mark.parametrize("unasked", [False, True], ids=["answer lost", "question lost"])
def test_a_commit_without_an_answer_is_neither_lost_nor_repeated(
    cluster: ProcessCluster, proxy: Proxy, unasked: bool
) -> None:
    """The engine finds out what became of it: its claims are taken up, its settlements count once."""
    worker = cluster.start(store=through(proxy, cluster), batch=3, max_concurrency=5)
    proxy.cut_commits(every=3, unasked=unasked)
    cluster.add(*(cluster.once(f"once-{number}", after=number * 0.04) for number in range(50)))
    cluster.settled()
    proxy.cut_commits(every=0)
    runs = cluster.check()
    assert proxy.cuts >= 5
    assert (len(runs), {run.status for run in runs}, {run.attempt for run in runs}) == (50, {"succeeded"}, {1})
    assert {len(cluster.entries(run.name)) for run in runs} == {1}, "nothing was carried out twice"
    worker.stop()


def test_a_save_without_an_answer_may_be_repeated(cluster: ProcessCluster, proxy: Proxy) -> None:
    direct, cluster.url = cluster.url, through(proxy, cluster)
    drafts = [cluster.once("one", after=3600), cluster.once("two", after=3600)]
    cluster.ask(lambda app: app.schedules())  # migrated, so that the next commit is the one that counts
    proxy.cut_commits(every=1)
    with pytest.raises(StoreUnavailableError):
        cluster.add(*drafts)
    proxy.cut_commits(every=0)
    cluster.add(*drafts)
    cluster.url = direct
    assert [schedule.name for schedule in cluster.books.schedules()] == ["one", "two"]

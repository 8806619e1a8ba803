"""Engines behind a pooler that lends them fewer connections to the server than there are engines."""

from __future__ import annotations

import pytest

from tests.integration.engine_support.process_cluster import ProcessCluster, Worker
from tests.integration.engine_support.remote import cluster, own_server
from tests.integration.engine_support.waiting import eventually
from tests.pgbouncer import PgBouncer

__all__ = ["cluster"]

FIRES = 400


@pytest.mark.parametrize("heard", ["by polls", "past the pooler"])
def test_three_engines_on_two_connections_carry_out_every_fire(cluster: ProcessCluster, heard: str) -> None:
    with PgBouncer(own_server(), size=2) as pooler:
        direct = "" if heard == "by polls" else cluster.url
        workers = [cluster.start(store=pooler.url(cluster.url), direct=direct) for _ in range(3)]
        _all_fired(cluster, workers, pooler)


def test_engines_in_sessions_of_a_pooler_hear_each_other(cluster: ProcessCluster) -> None:
    with PgBouncer(own_server(), mode="session", size=40) as pooler:
        url = pooler.url(cluster.url)
        workers = [cluster.start(store=url, direct=url) for _ in range(3)]
        eventually(lambda: _listening() == len(workers), "all of them to listen")
        _all_fired(cluster, workers, pooler)


def _all_fired(cluster: ProcessCluster, workers: list[Worker], pooler: PgBouncer) -> None:
    begun = len(own_server().log)
    cluster.add(*(cluster.once(f"once-{number}", after=number * 0.005) for number in range(FIRES)))
    cluster.settled()
    for worker in workers:
        worker.stop()
    runs = cluster.check()
    assert [run.status for run in runs] == ["succeeded"] * FIRES
    assert not [event for worker in workers for event in worker.events("store.unavailable")]
    assert "ERROR" not in own_server().log[begun:]
    assert "got packet 'A' from server when not linked" not in pooler.log, "a hint came where nothing listened"


def _listening() -> int:
    """How many connections to the server have just begun to listen."""
    with own_server().admin() as connection:
        found = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN duly_changed'")
        (number,) = found.fetchone() or (0,)
        return int(number)

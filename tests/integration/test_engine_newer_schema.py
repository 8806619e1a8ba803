"""A newer duly raises the schema under a running engine: the old one stops acting, is red, and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from duly.errors import StoreVersionError
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def raise_schema(cluster: ProcessCluster) -> None:
    cluster.books.execute("INSERT INTO schema_version SELECT max(version) + 1 FROM schema_version")


def test_an_engine_stops_claiming_after_a_newer_duly_migrated_the_store(cluster: ProcessCluster) -> None:
    worker = cluster.start()
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    cluster.entered("held")
    raise_schema(cluster)
    error = worker.saw("store.unavailable")["data"]["error"]
    assert error.startswith("StoreVersionError: ")
    assert "upgrade duly and restart this process" in error
    assert worker.saw("run.lease_lost")["data"]["reason"].endswith("a newer duly has taken over")
    eventually(lambda: cluster.entries("held", "left"), "the handler to stop")
    with pytest.raises(StoreVersionError, match="upgrade duly"):
        cluster.add(cluster.once("refused"))
    assert cluster.run("held").status == "running", "it is for a newer duly to take it over"
    worker.stop()
    assert cluster.run("held").status == "running"


def test_a_process_with_an_open_store_does_not_write_into_a_newer_schema(cluster: ProcessCluster) -> None:
    async def write(app: object) -> None:
        raise_schema(cluster)
        with pytest.raises(StoreVersionError, match="upgrade duly"):
            await app.add([cluster.once("refused")])  # type: ignore[attr-defined]

    cluster.ask(write)
    assert cluster.books.schedules() == []

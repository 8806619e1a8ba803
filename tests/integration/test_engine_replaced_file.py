"""The SQLite file is deleted or replaced under a running engine: it says so, stops, and goes on with what is there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from duly import StoreUnavailableError
from tests.integration.engine_support.process_cluster import ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster("sqlite", tmp_path) as made:
        yield made


def back_up(cluster: ProcessCluster) -> Path:
    """A complete copy, made while the store is in use."""
    copy = cluster.folder / "copy.db"
    connection, target = apsw.Connection(cluster.url), apsw.Connection(str(copy))
    with target.backup("main", connection, "main") as backup:
        backup.step()
    target.close()
    connection.close()
    return copy


def move(copy: Path, store: Path) -> None:
    copy.replace(store)


def move_as_the_manual_says(copy: Path, store: Path) -> None:
    for ending in ("-wal", "-shm"):
        store.with_name(store.name + ending).unlink()
    copy.replace(store)


def copy_over(copy: Path, store: Path) -> None:
    shutil.copyfile(copy, store)


@pytest.mark.parametrize("put_back", [move, move_as_the_manual_says, copy_over])
def test_an_engine_goes_on_with_a_restored_copy_of_its_store(
    cluster: ProcessCluster, put_back: Callable[[Path, Path], None]
) -> None:
    worker = cluster.start(lease=3.0)
    cluster.add(
        cluster.once("held", "hold", until=cluster.path("go-{attempt}")), cluster.once("in the copy", after=3600)
    )
    cluster.entered("held")
    copy = back_up(cluster)
    cluster.add(cluster.once("after the copy", after=3600))
    put_back(copy, Path(cluster.url))
    assert "while this process used it" in worker.saw("store.replaced")["data"]["error"]
    assert worker.saw("run.lease_lost")["data"]["reason"].endswith("lost the store that it had joined")
    eventually(lambda: cluster.entries("held", "left"), "the handler to stop")
    worker.saw("store.recovered")
    assert len(worker.events("store.replaced")) == 1
    assert {each.name for each in cluster.books.schedules()} == {"held", "in the copy"}

    cluster.touch("go-2")
    held = cluster.ended("held")
    assert (held.status, held.attempt) == ("succeeded", 2), "what the copy knows as under way is carried out again"
    cluster.add(cluster.once("later"))
    assert cluster.ended("later").status == "succeeded"
    worker.stop()
    assert cluster.books.integrity() == "ok"


def test_a_deleted_store_is_not_created_again_and_runs_go_on_when_it_is_restored(cluster: ProcessCluster) -> None:
    worker = cluster.start()
    cluster.add(cluster.once("before"), cluster.once("due", after=1.0))
    cluster.ended("before")
    store = Path(cluster.url)
    store.unlink()
    error = worker.saw("store.replaced")["data"]["error"]
    saved = store.with_name("schedules.db.saved")
    assert f"mv {saved} {store}" in error
    worker.saw("store.unavailable")
    assert not store.exists()
    saved.rename(store)
    worker.saw("store.recovered")
    assert cluster.ended("due").status == "succeeded"
    worker.stop()
    assert {run.status for run in cluster.check()} == {"succeeded"}
    assert cluster.books.integrity() == "ok"


def test_an_engine_stops_while_its_store_is_missing(cluster: ProcessCluster) -> None:
    worker = cluster.start()
    cluster.add(cluster.once("before"))
    cluster.ended("before")
    Path(cluster.url).unlink()
    worker.saw("store.replaced")
    worker.stop()
    assert not Path(cluster.url).exists()


def test_a_process_without_an_engine_gets_an_error_when_its_store_is_missing(cluster: ProcessCluster) -> None:
    async def make_one_without_a_store(app: object) -> None:
        lose_it()
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="it was deleted or moved away"):
                await app.add([cluster.once("never")])  # type: ignore[attr-defined]

    lose_it = Path(cluster.url).unlink
    cluster.add(cluster.once("kept", after=3600))
    cluster.ask(make_one_without_a_store)
    assert not Path(cluster.url).exists()

"""The SQLite file is deleted or replaced under a running engine: it says so, stops, and goes on with what is there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from duly import StoreUnavailableError
from tests.integration.engine_support.lab import Lab, laboratory
from tests.integration.engine_support.waiting import eventually


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with laboratory("sqlite", tmp_path) as made:
        yield made


def back_up(lab: Lab) -> Path:
    """A complete copy, made while the store is in use."""
    copy = lab.folder / "copy.db"
    connection, target = apsw.Connection(lab.url), apsw.Connection(str(copy))
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
def test_an_engine_goes_on_with_a_copy_that_is_put_back(lab: Lab, put_back: Callable[[Path, Path], None]) -> None:
    worker = lab.start(lease=3.0)
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")), lab.once("in the copy", after=3600))
    lab.entered("held")
    copy = back_up(lab)
    lab.add(lab.once("after the copy", after=3600))
    put_back(copy, Path(lab.url))
    assert "while this process used it" in worker.saw("store.replaced")["data"]["error"]
    assert worker.saw("run.lease_lost")["data"]["reason"].endswith("lost the store that it had joined")
    eventually(lambda: lab.entries("held", "left"), "the handler to stop")
    worker.saw("store.recovered")
    assert len(worker.events("store.replaced")) == 1
    assert {each.name for each in lab.books.schedules()} == {"held", "in the copy"}

    lab.touch("go-2")
    held = lab.ended("held")
    assert (held.status, held.attempt) == ("succeeded", 2), "what the copy knows as under way is carried out again"
    lab.add(lab.once("later"))
    assert lab.ended("later").status == "succeeded"
    worker.stop()
    assert lab.books.integrity() == "ok"


def test_a_deleted_store_is_not_made_anew_and_work_goes_on_when_it_is_put_back(lab: Lab) -> None:
    worker = lab.start()
    lab.add(lab.once("before"), lab.once("due", after=1.0))
    lab.ended("before")
    store = Path(lab.url)
    store.unlink()
    error = worker.saw("store.replaced")["data"]["error"]
    saved = store.with_name("schedules.db.saved")
    assert f"mv {saved} {store}" in error
    worker.saw("store.unavailable")
    assert not store.exists()
    saved.rename(store)
    worker.saw("store.recovered")
    assert lab.ended("due").status == "succeeded"
    worker.stop()
    assert {run.status for run in lab.check()} == {"succeeded"}
    assert lab.books.integrity() == "ok"


def test_an_engine_that_is_asked_to_stop_while_its_store_is_gone_does(lab: Lab) -> None:
    worker = lab.start()
    lab.add(lab.once("before"))
    lab.ended("before")
    Path(lab.url).unlink()
    worker.saw("store.replaced")
    worker.stop()
    assert not Path(lab.url).exists()


def test_a_process_that_only_makes_schedules_learns_that_its_store_is_gone(lab: Lab) -> None:
    async def make_one_without_a_store(app: object) -> None:
        lose_it()
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="it was deleted or moved away"):
                await app.add([lab.once("never")])  # type: ignore[attr-defined]

    lose_it = Path(lab.url).unlink
    lab.add(lab.once("kept", after=3600))
    lab.ask(make_one_without_a_store)
    assert not Path(lab.url).exists()

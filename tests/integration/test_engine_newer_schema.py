"""A newer duly raises the schema under a running engine: the old one stops acting, is red, and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from duly.errors import StoreVersionError
from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def raise_schema(lab: Lab) -> None:
    lab.books.execute("INSERT INTO schema_version SELECT max(version) + 1 FROM schema_version")


def test_an_engine_stops_acting_once_a_newer_duly_has_raised_the_schema(lab: Lab) -> None:
    worker = lab.start()
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")))
    lab.entered("held")
    raise_schema(lab)
    error = worker.saw("store.unavailable")["data"]["error"]
    assert error.startswith("StoreVersionError: ")
    assert "upgrade duly and restart this process" in error
    assert worker.saw("run.lease_lost")["data"]["reason"].endswith("a newer duly has taken over")
    eventually(lambda: lab.entries("held", "left"), "the handler to stop")
    with pytest.raises(StoreVersionError, match="upgrade duly"):
        lab.add(lab.once("refused"))
    assert lab.run("held").status == "running", "it is for a newer duly to take it over"
    worker.stop()
    assert lab.run("held").status == "running"


def test_a_process_that_had_the_store_open_before_does_not_write_into_a_newer_schema(lab: Lab) -> None:
    async def write(app: object) -> None:
        raise_schema(lab)
        with pytest.raises(StoreVersionError, match="upgrade duly"):
            await app.add([lab.once("refused")])  # type: ignore[attr-defined]

    lab.ask(write)
    assert lab.books.schedules() == []

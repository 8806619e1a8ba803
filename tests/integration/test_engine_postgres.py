"""PostgreSQL at its worst: the server dies and comes back, commits are lost on their way home, the line goes silent."""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from duly import StoreUnavailableError
from tests.integration.engine_support.lab import Lab
from tests.integration.engine_support.proxy import Proxy
from tests.integration.engine_support.waiting import eventually
from tests.postgres_server import OwnServer, server

LEASE = 8.0
"""Of a node that has to let go a quarter of it before others take over: long enough on a machine that is busy."""


@cache
def own_server() -> OwnServer:
    """A server that may be hurt."""
    running = server()
    if not isinstance(running, OwnServer):
        running = OwnServer()
        atexit.register(running.close)
    return running


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with own_server().database() as url:
        made = Lab(own_server().tcp_url(url), tmp_path)
        try:
            yield made
        finally:
            made.close()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy(own_server().port)
    try:
        yield made
    finally:
        made.close()


def _through(proxy: Proxy, lab: Lab) -> str:
    return own_server().tcp_url(lab.url, proxy.port)


def _some_work(lab: Lab) -> None:
    before = len(lab.testimony)
    eventually(lambda: len(lab.testimony) > before + 10, "some work")


def test_a_server_that_dies_and_comes_back_loses_nothing(lab: Lab) -> None:
    workers = [lab.start(batch=10, max_concurrency=10) for _ in range(2)]
    lab.add(*(lab.once(f"once-{number}", after=number * 0.03) for number in range(100)))
    for _ in range(3):
        _some_work(lab)
        own_server().restart("immediate")
    lab.settled()
    runs = lab.check()
    assert {run.status for run in runs} == {"succeeded"}
    assert len(runs) == 100
    for worker in workers:
        assert worker.saw("store.unavailable")
        assert worker.saw("store.recovered")
        worker.stop()


def test_asked_to_stop_while_the_server_is_down_it_does(lab: Lab) -> None:
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")))
    worker = lab.start()
    lab.entered("held")
    own_server().stop("immediate")
    try:
        worker.saw("store.unavailable")
        lab.touch("go-1")
        worker.stop()
    finally:
        own_server().start()
    lab.touch("go-2")
    lab.let_leases_end()
    lab.start()
    assert lab.ended("held").status == "succeeded"
    lab.check()


def test_a_commit_whose_answer_is_lost_is_neither_lost_nor_repeated(lab: Lab, proxy: Proxy) -> None:
    """Whoever asked finds out what became of it: its claims are taken up, its settlements count once."""
    worker = lab.start(store=_through(proxy, lab), batch=3, max_concurrency=5)
    proxy.cut_commits(every=3)
    lab.add(*(lab.once(f"once-{number}", after=number * 0.04) for number in range(50)))
    lab.settled()
    proxy.cut_commits(every=0)
    runs = lab.check()
    assert proxy.cuts >= 5
    assert (len(runs), {run.status for run in runs}, {run.attempt for run in runs}) == (50, {"succeeded"}, {1})
    assert {len(lab.entries(run.name)) for run in runs} == {1}, "nothing was carried out twice"
    worker.stop()


def test_a_save_whose_answer_is_lost_may_be_repeated(lab: Lab, proxy: Proxy) -> None:
    direct, lab.url = lab.url, _through(proxy, lab)
    drafts = [lab.once("one", after=3600), lab.once("two", after=3600)]
    lab.ask(lambda app: app.schedules())  # migrated, so that the next commit is the one that counts
    proxy.cut_commits(every=1)
    with pytest.raises(StoreUnavailableError):
        lab.add(*drafts)
    proxy.cut_commits(every=0)
    lab.add(*drafts)
    lab.url = direct
    assert [schedule.name for schedule in lab.books.schedules()] == ["one", "two"]


@pytest.mark.parametrize("end", ["late delivery", "reset"])
def test_a_node_that_cannot_be_heard_stops_before_others_take_over(lab: Lab, proxy: Proxy, end: str) -> None:
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")))
    cut_off = lab.start(store=_through(proxy, lab), lease=LEASE)
    lab.entered("held")
    heir = lab.start(lease=2.0)  # it looks for others that fell silent every second
    proxy.fall_silent()
    lost = cut_off.saw("run.lease_lost")
    taken_over = lab.entered("held", times=2)
    assert taken_over.pid == heir.pid
    assert lost["at"] < taken_over.at, "it let go before its lease ended"
    (left,) = lab.entries("held", "left")
    assert (left.pid, left.at < taken_over.at) == (cut_off.pid, True)

    if end == "reset":
        proxy.cut_all()
    proxy.speak()
    lab.touch("go-2")
    assert lab.ended("held").attempt == 2
    heir.stop()
    lab.add(lab.once("later"))
    assert lab.entered("later").pid == cut_off.pid, "it has joined again"
    lab.ended("later")
    cut_off.stop()
    lab.check()  # without excuses: never were two at work


def test_a_partition_shorter_than_the_lease_passes_unnoticed(lab: Lab, proxy: Proxy) -> None:
    lab.add(lab.once("held", "hold", until=lab.path("go")))
    worker = lab.start(store=_through(proxy, lab))
    lab.entered("held")
    lab.start()
    proxy.fall_silent()
    silent = time.monotonic()
    eventually(lambda: time.monotonic() - silent > 2, "two seconds of silence")
    proxy.speak()
    lab.touch("go")
    held = lab.ended("held")
    assert (held.status, held.attempt) == ("succeeded", 1)
    assert not worker.events("run.lease_lost")
    lab.check()

"""PostgreSQL at its worst: the server dies and comes back, and commits are lost on their way."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from duly import StoreUnavailableError
from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.service.access.scopes import Face
from tests.integration.engine_support.lab import Lab
from tests.integration.engine_support.proxy import Proxy
from tests.integration.engine_support.remote import lab, own_server, proxy, through
from tests.integration.engine_support.waiting import eventually
from tests.integration.faces.world import until
from tests.support import run

__all__ = ["lab", "proxy"]


_AT_ONCE = 34


def _work(lab: Lab, round_: int) -> None:
    """Give the workers something to do, and wait until they are in the middle of it."""
    before = len(lab.testimony)
    lab.add(*(lab.once(f"once-{round_}-{number}", after=number * 0.03) for number in range(_AT_ONCE)))
    eventually(lambda: len(lab.testimony) > before + 10, "some work")


def test_a_server_that_dies_and_comes_back_loses_nothing(lab: Lab) -> None:
    workers = [lab.start(batch=10, max_concurrency=10) for _ in range(2)]
    for round_ in range(3):
        _work(lab, round_)
        own_server().restart("immediate")
    lab.settled()
    runs = lab.check()
    assert {run.status for run in runs} == {"succeeded"}
    assert len(runs) == 3 * _AT_ONCE
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


@run
async def test_a_daemon_whose_server_goes_away_while_it_starts_begins_when_it_is_back(lab: Lab, tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=lab.url))
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1", auth=False)
    async with AsyncExitStack() as stack:
        with own_server().stopped("immediate"):
            await stack.enter_async_context(app.router.lifespan_context(app))
            assert (await runtime.use_cases.health(runtime.local(Face.MCP))).state == "red"
        await until(lambda: runtime.engine.running, "the engine to start")
        assert (await runtime.use_cases.health(runtime.local(Face.MCP))).state == "green"


@pytest.mark.parametrize("unasked", [False, True], ids=["answer lost", "question lost"])
def test_a_commit_of_which_nothing_is_known_is_neither_lost_nor_repeated(lab: Lab, proxy: Proxy, unasked: bool) -> None:
    """The engine finds out what became of it: its claims are taken up, its settlements count once."""
    worker = lab.start(store=through(proxy, lab), batch=3, max_concurrency=5)
    proxy.cut_commits(every=3, unasked=unasked)
    lab.add(*(lab.once(f"once-{number}", after=number * 0.04) for number in range(50)))
    lab.settled()
    proxy.cut_commits(every=0)
    runs = lab.check()
    assert proxy.cuts >= 5
    assert (len(runs), {run.status for run in runs}, {run.attempt for run in runs}) == (50, {"succeeded"}, {1})
    assert {len(lab.entries(run.name)) for run in runs} == {1}, "nothing was carried out twice"
    worker.stop()


def test_a_save_whose_answer_is_lost_may_be_repeated(lab: Lab, proxy: Proxy) -> None:
    direct, lab.url = lab.url, through(proxy, lab)
    drafts = [lab.once("one", after=3600), lab.once("two", after=3600)]
    lab.ask(lambda app: app.schedules())  # migrated, so that the next commit is the one that counts
    proxy.cut_commits(every=1)
    with pytest.raises(StoreUnavailableError):
        lab.add(*drafts)
    proxy.cut_commits(every=0)
    lab.add(*drafts)
    lab.url = direct
    assert [schedule.name for schedule in lab.books.schedules()] == ["one", "two"]

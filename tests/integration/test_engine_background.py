"""An engine in a thread of its own, for programs without an event loop: `start`, `stop`, `sync`."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from duly import Duly, DulyError, EngineSettings, RunContext, StoreError, every, failpoints, run_now
from tests.integration.engine_support.audit import Books
from tests.integration.engine_support.process_cluster import STORES
from tests.integration.engine_support.waiting import eventually
from tests.postgres_server import server


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "schedules.db")
    else:
        with server().database() as made:
            yield made


class Threads:
    """The threads of duly that a test has started; what else runs in the process is not its business."""

    def __init__(self) -> None:
        self._before = set(threading.enumerate())

    def running(self) -> list[str]:
        since = set(threading.enumerate()) - self._before
        return [thread.name for thread in since if thread.name.startswith("duly-")]

    def ended(self) -> None:
        """Wait until none of them is left."""
        eventually(lambda: not self.running(), "the end of all threads that the test started")


@pytest.fixture
def threads() -> Threads:
    return Threads()


@pytest.fixture
def app(url: str, threads: Threads) -> Iterator[Duly]:
    made = Duly(url, settings=EngineSettings(poll=0.5, grace=0.2))
    try:
        yield made
    finally:
        made.stop()


def _stubborn(app: Duly) -> tuple[threading.Event, threading.Event]:
    """Register a job that blocks its thread until it may go; the other event is that it has begun."""
    go, entered = threading.Event(), threading.Event()

    @app.job
    def stubborn() -> str:
        entered.set()
        go.wait(120)
        return "done"

    return go, entered


def test_a_started_engine_carries_out_runs_and_a_stopped_one_leaves_no_thread(
    app: Duly, url: str, threads: Threads
) -> None:
    seen: list[str] = []

    @app.job
    def note(run: RunContext) -> None:
        seen.append(run.name)

    app.start()
    app.sync.schedule("first", run_now(), job=note)
    eventually(lambda: seen == ["first"], "the first run")
    app.stop()
    app.stop()
    assert [node.state for node in Books(url).nodes()] == ["stopped"]
    threads.ended()

    app.start()  # and again
    app.sync.schedule("second", run_now(), job=note)
    eventually(lambda: seen == ["first", "second"], "the second run")
    eventually(lambda: len(app.sync.history(statuses=("succeeded",))) == 2, "the record")
    app.stop()
    assert [node.state for node in Books(url).nodes()] == ["stopped", "stopped"]


def test_a_second_start_is_refused_and_the_engine_goes_on(app: Duly) -> None:
    done = threading.Event()
    app.job(name="done")(lambda: done.set())
    app.start()
    with pytest.raises(DulyError, match="running already"):
        app.start()
    app.sync.dispatch("done", run_now())
    assert done.wait(60)


def test_starting_in_a_thread_is_refused_while_the_engine_runs_in_a_loop(app: Duly) -> None:
    done = threading.Event()
    app.job(name="done")(lambda: done.set())

    async def both() -> None:
        async with app:
            with pytest.raises(DulyError, match="running already"):
                await asyncio.to_thread(app.start)
            await app.dispatch("done", run_now())
            assert await asyncio.to_thread(done.wait, 60)

    asyncio.run(both())


def test_sync_methods_need_a_start(app: Duly) -> None:
    with pytest.raises(DulyError, match=r"call start\(\) first"):
        _ = app.sync
    app.stop()


def test_a_sync_call_from_the_loop_of_the_engine_is_refused(app: Duly) -> None:
    told: list[str] = []

    @app.job
    async def confused() -> None:
        for ask in (lambda: app.sync.history(), app.stop):
            with pytest.raises(DulyError) as caught:
                ask()
            told.append(str(caught.value))
        assert await app.history()

    app.start()
    app.sync.dispatch(confused, run_now())
    eventually(lambda: len(app.sync.history(statuses=("succeeded",))) == 1, "the run")
    assert ["await the method itself" in words for words in told] == [True, True]
    app.stop()


def test_sync_offers_methods_that_do_not_wait(app: Duly) -> None:
    app.start()
    assert len(app.sync.preview(every(1).hours(), 3)) == 3


def test_sync_methods_raise_the_errors_of_the_app(app: Duly) -> None:
    app.start()
    with pytest.raises(LookupError, match="there is no schedule"):
        app.sync.pause("nobody")


def test_a_failed_start_leaves_no_thread(tmp_path: Path, threads: Threads) -> None:
    (tmp_path / "folder.db").mkdir()
    app = Duly(str(tmp_path / "folder.db"))
    for _ in range(2):
        with pytest.raises(StoreError):
            app.start()
    threads.ended()


def test_a_start_that_fails_half_way_leaves_no_thread_and_no_node(app: Duly, url: str, threads: Threads) -> None:
    failpoints.arm("engine.joined")
    with pytest.raises(failpoints.FailpointError):
        app.start()
    threads.ended()
    assert [node.state for node in Books(url).nodes()] == ["stopped"]
    app.start()
    overview = app.sync.health().overview
    assert overview is not None
    assert len(overview.nodes) == 1


def test_entering_an_app_twice_is_refused_and_the_engine_goes_on(app: Duly) -> None:
    done = threading.Event()
    app.job(name="done")(lambda: done.set())

    async def twice() -> None:
        async with app:
            with pytest.raises(DulyError, match="running already"):
                await app.__aenter__()
            await app.dispatch("done", run_now())
            assert await asyncio.to_thread(done.wait, 60)

    asyncio.run(twice())


def test_a_thread_that_outlives_the_engine_owns_its_run_until_it_ends(app: Duly, url: str) -> None:
    """The program goes on without the engine: the node owns the run until the busy thread has ended."""
    go, entered = _stubborn(app)
    app.start()
    app.sync.schedule("stubborn", run_now(), job="stubborn")
    assert entered.wait(60)
    app.stop()
    books = Books(url)
    (node,) = books.nodes()
    assert [(run.status, run.owner) for run in books.runs()] == [("running", node.id)]

    go.set()
    eventually(lambda: [run.status for run in books.runs()] == ["succeeded"], "the outcome of the thread")
    eventually(lambda: [each.state for each in books.nodes()] == ["stopped"], "the end of the node")
    (run,) = books.runs()
    assert (run.result, run.attempt) == ('"done"', 1)


async def test_a_thread_that_outlives_a_tick_keeps_the_store_open_until_it_ends(
    tmp_path: Path, threads: Threads
) -> None:
    app = Duly(tmp_path / "schedules.db")
    go, entered = _stubborn(app)
    await app.open()
    await app.schedule("stubborn", run_now(), job="stubborn")
    ticking = asyncio.ensure_future(app.tick())
    assert await asyncio.to_thread(entered.wait, 60)
    ticking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ticking
    await app.close()
    assert threads.running()

    go.set()
    await asyncio.to_thread(threads.ended)
    assert [each.result for each in Books(str(tmp_path / "schedules.db")).runs()] == ['"done"']


def test_sync_methods_may_be_called_from_many_threads_at_once(app: Duly) -> None:
    app.job(name="nothing")(lambda: None)
    app.start()

    def add(number: int) -> None:
        app.sync.schedule(f"schedule-{number}", every(1).hours(), job="nothing")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(app.sync.schedules()) == 20


_ENDS_WITHOUT_STOPPING = """
import sys, time
from pathlib import Path
from duly import Duly, run_now

app = Duly(sys.argv[1])

@app.job(isolate="process")
def long(flag: str) -> None:
    Path(flag).touch()
    time.sleep(60)

if __name__ == "__main__":
    app.start()
    app.sync.schedule("long", run_now(), job=long, args={"flag": sys.argv[2]})
    while not Path(sys.argv[2]).exists():
        time.sleep(0.01)
    print("over")
"""


def test_runs_of_a_program_that_ended_without_stopping_are_rescued(tmp_path: Path) -> None:
    script, store = tmp_path / "program.py", tmp_path / "schedules.db"
    script.write_text(_ENDS_WITHOUT_STOPPING, encoding="utf-8")
    words = [sys.executable, str(script), str(store), str(tmp_path / "begun")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "over\n"
    assert [run.status for run in Books(str(store)).runs()] == ["running"]
    assert "run.failed" not in done.stderr

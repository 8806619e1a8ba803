"""A network that swallows everything: the node stops before its lease is over, and goes on by itself afterwards."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from tests.forked_duly import ForkedDuly
from tests.integration.engine_support.process_cluster import ProcessCluster
from tests.integration.engine_support.proxy import Proxy
from tests.integration.engine_support.remote import LEASE, cluster, proxy, through
from tests.integration.engine_support.waiting import eventually
from tests.world import until

__all__ = ["cluster", "proxy"]

GRACE = 2.0
NO_LONGER_THAN = 45.0
"""Seconds for a stop with that grace time, on a machine that is busy. To wait until a statement is given up takes 20,
and then come, one after the other, those that settle and leave: 5 each, until a connection is given up."""


@pytest.mark.parametrize(
    ("answers_only", "reset"), [(False, False), (True, True)], ids=["both sides, late", "one side, reset"]
)
def test_a_partitioned_engine_stops_its_runs_before_others_rescue_them(
    cluster: ProcessCluster, proxy: Proxy, answers_only: bool, reset: bool
) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    cluster.add(*(cluster.once(f"due-{number}", after=number * LEASE / 20) for number in range(40)))
    cut_off = cluster.start(store=through(proxy, cluster), lease=LEASE)
    cluster.entered("held")
    heir = cluster.start(lease=LEASE)
    proxy.fall_silent(answers_only=answers_only)
    lost = cut_off.saw("run.lease_lost")
    taken_over = cluster.entered("held", times=2)
    assert taken_over.pid == heir.pid
    assert lost["at"] < taken_over.at, "it let go before its lease ended"
    (left,) = cluster.entries("held", "left")
    assert (left.pid, left.at < taken_over.at) == (cut_off.pid, True)

    assert not _begun(cluster, cut_off.pid, since=lost["at"])
    if reset:
        proxy.cut_all()
    proxy.speak()
    cluster.touch("go-2")
    assert cluster.ended("held").attempt == 2
    cluster.settled()
    heir.stop()
    cluster.add(cluster.once("later"))
    assert cluster.entered("later").pid == cut_off.pid, "it has joined again"
    cluster.ended("later")
    cut_off.stop()
    cluster.check()  # without excuses: never were two at work


def test_a_partition_shorter_than_the_lease_loses_no_run(cluster: ProcessCluster, proxy: Proxy) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go")))
    worker = cluster.start(store=through(proxy, cluster))
    cluster.entered("held")
    cluster.start()
    proxy.fall_silent()
    silent = time.monotonic()
    eventually(lambda: time.monotonic() - silent > 2, "two seconds of silence")
    proxy.speak()
    cluster.touch("go")
    held = cluster.ended("held")
    assert (held.status, held.attempt) == ("succeeded", 1)
    assert not worker.events("run.lease_lost")
    cluster.check()


def test_a_run_whose_claim_is_answered_after_the_lease_is_not_begun(cluster: ProcessCluster, proxy: Proxy) -> None:
    """The server has given it runs; the answer arrives when the lease is long over."""
    cut_off = cluster.start(store=through(proxy, cluster), lease=LEASE)
    unanswered = _claim_that_is_not_answered(cluster, proxy)
    heir = cluster.start(lease=LEASE)
    cluster.settled()
    assert [entry.pid for entry in cluster.entries(unanswered)] == [heir.pid]
    proxy.speak()
    heir.stop()
    cluster.add(cluster.once("later"))
    assert cluster.entered("later").pid == cut_off.pid, "it has joined again"
    cluster.ended("later")
    cut_off.stop()
    cluster.check()


def test_an_engine_stops_while_the_server_does_not_answer(cluster: ProcessCluster, proxy: Proxy) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    worker = cluster.start(store=through(proxy, cluster), lease=LEASE, grace=GRACE)
    cluster.entered("held")
    proxy.fall_silent()
    worker.stop(within=NO_LONGER_THAN)
    cluster.touch("go-2")
    cluster.let_leases_end()
    cluster.start()
    assert cluster.ended("held").attempt == 2
    cluster.check()


def test_a_daemon_stops_while_the_server_does_not_answer(cluster: ProcessCluster, proxy: Proxy, tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text(f'store = "{through(proxy, cluster)}"\n', encoding="utf-8")
    words = ["up", "--port", "0", "--data-dir", str(tmp_path)]
    with (tmp_path / "log.txt").open("w", encoding="utf-8") as log:
        daemon = ForkedDuly(words, env=os.environ, cwd=tmp_path, stdout=log, stderr=log)
    try:
        eventually(lambda: [node for node in cluster.books.nodes() if node.state == "alive"], "the daemon to join")
        proxy.fall_silent()
        silent = time.monotonic()
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0, (tmp_path / "log.txt").read_text(encoding="utf-8")
        assert time.monotonic() - silent < NO_LONGER_THAN + 10, "its grace time is the usual one, of ten seconds"
    finally:
        if daemon.poll() is None:
            daemon.kill()
        daemon.wait(60)


async def test_a_daemon_stops_while_the_server_does_not_answer_its_start(
    cluster: ProcessCluster, proxy: Proxy, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=through(proxy, cluster)))
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1", auth=False)
    proxy.fall_silent()

    async def ask_to_stop() -> None:
        await until(lambda: "duly-start" in {task.get_name() for task in asyncio.all_tasks()}, "the start")
        app.state.asked_to_stop()

    asking = asyncio.create_task(ask_to_stop())
    async with app.router.lifespan_context(app):
        await asking
        assert not runtime.engine.running
    assert not caplog.messages, "it was called off; nothing waited until a statement was given up"


def _claim_that_is_not_answered(cluster: ProcessCluster, proxy: Proxy) -> str:
    """Fall silent at a commit by which the server has given the node a run; gives the name of its schedule."""
    for number in itertools.count():
        name = f"once-{number}"
        proxy.fall_silent_after_commit()
        cluster.add(cluster.once(name))
        eventually(lambda: proxy.silent, "a commit")
        if [run for run in cluster.books.runs() if (run.name, run.status) == (name, "running")]:
            break
        proxy.speak()  # that was another turn, or its commit is not yet done
        cluster.ended(name)
    return name


def _begun(cluster: ProcessCluster, pid: int, since: float) -> list[str]:
    """What a process began after a moment."""
    entries = [entry for entry in cluster.testimony if entry.what == "enter"]
    return [entry.name for entry in entries if entry.pid == pid and entry.at > since]

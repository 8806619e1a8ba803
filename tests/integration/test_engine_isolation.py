"""`isolate="process"`: results come back, crashes are failures, and nothing of a run outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly import Duly, InvalidInputError, Policy, Run
from tests.integration.engine_support import isolated, main_process_only, threaded
from tests.integration.engine_support.process_cluster import ProcessCluster, is_alive, process_cluster
from tests.integration.engine_support.waiting import eventually
from tests.integration.engine_support.worker_forker import ROOT

NEVER_AGAIN = Policy()


class Program:
    """The program of `isolated.py`, run as a user would, and a cluster to look at what it does."""

    def __init__(self, cluster: ProcessCluster) -> None:
        self.cluster = cluster
        self.process = subprocess.Popen(
            [sys.executable, isolated.__file__],
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                isolated.STORE: cluster.url,
                isolated.FOLDER: str(cluster.folder),
            },
            cwd=cluster.folder,
        )
        eventually((cluster.folder / "ready").exists, "the program")

    def add(self, name: str, job: str, policy: Policy = NEVER_AGAIN, **args: Any) -> None:
        async def adding(app: Duly) -> None:
            app.jobs = isolated.app.jobs  # to be told whether the arguments fit
            await app.schedule(name, lambda recurring: recurring.run_now(), job=job, args=args, policy=policy)

        self.cluster.ask(adding)

    def pid(self, name: str) -> int:
        """The process that left its number in a file."""
        path = self.cluster.folder / f"{name}.pid"
        eventually(path.exists, f"the pid of {name}")
        return int(path.read_text(encoding="ascii"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    with process_cluster("sqlite", tmp_path) as cluster:
        made = Program(cluster)
        try:
            yield made
        finally:
            made.close()


def test_results_and_failures_of_an_isolated_job_are_recorded(program: Program) -> None:
    cluster, folder = program.cluster, str(program.cluster.folder)
    program.add("answer", "answer", number=7)
    program.add("answer_later", "answer_later", number=8)
    program.add("whoami", "whoami")
    program.add("tidy", "tidy", folder=folder)
    program.add("explode", "explode")
    program.add("leave", "leave")
    program.add("unspeakable", "unspeakable")
    program.add("crash", "crash", folder=folder)
    cluster.settled()

    results = {run.name: json.loads(run.result or "null") for run in cluster.books.runs()}
    assert (results["answer"]["number"], results["answer_later"]["number"]) == (7, 8)
    assert program.process.pid not in {results["answer"]["pid"], results["answer_later"]["pid"]}
    whoami = cluster.run("whoami")
    assert results["whoami"] == [whoami.key, whoami.id, "whoami", 1, False]
    assert results["tidy"] == "done"
    assert Path(folder, "tidied").exists(), "it may finish what it began"
    assert Path(folder, "finished").exists()

    errors = {run.name: run.error for run in cluster.books.runs() if run.status == "failed"}
    assert set(errors) == {"explode", "leave", "unspeakable", "crash"}
    assert errors["explode"] == "JobProcessError: ValueError: boom"
    assert errors["leave"] == "JobProcessError: SystemExit: 3"
    assert "pickle" in (errors["unspeakable"] or "")
    assert "exit code 11" in (errors["crash"] or "")
    gone = [results["answer"]["pid"], results["answer_later"]["pid"], program.pid("crash"), program.pid("copy")]
    assert not [pid for pid in gone if is_alive(pid)]


def test_a_timeout_kills_every_process_of_an_isolated_job(program: Program) -> None:
    program.add("late", "linger", Policy(timeout=timedelta(seconds=6)), folder=str(program.cluster.folder), tag="late")
    pids = program.pid("late"), program.pid("late-child"), program.pid("late-runaway")
    assert all(map(is_alive, pids))
    late = program.cluster.ended("late")
    assert (late.status, late.error) == ("failed", "RunTimeoutError: timed out after 6 s")
    assert not any(map(is_alive, pids))


def test_a_timeout_during_the_start_of_a_process_leaves_no_process(program: Program) -> None:
    policy = Policy(timeout=timedelta(milliseconds=1))
    for number in range(3):
        program.add(f"hasty-{number}", "linger", policy, folder=str(program.cluster.folder), tag="hasty")
    for number in range(3):
        assert program.cluster.ended(f"hasty-{number}").error == "RunTimeoutError: timed out after 0.001 s"
    assert _children(program.process.pid) <= {"resource_tracker"}


def test_cancelling_kills_the_process_of_an_isolated_job(program: Program) -> None:
    program.add("unwanted", "linger", folder=str(program.cluster.folder), tag="unwanted")
    pids = program.pid("unwanted"), program.pid("unwanted-child"), program.pid("unwanted-runaway")
    program.cluster.ask(lambda app: app.cancel_run(program.cluster.run("unwanted").id))
    assert program.cluster.ended("unwanted").status == "cancelled"
    assert not any(map(is_alive, pids))


def test_the_process_of_an_isolated_job_ends_when_the_engine_is_killed(program: Program) -> None:
    program.add("orphan", "linger", folder=str(program.cluster.folder), tag="orphan")
    pids = program.pid("orphan"), program.pid("orphan-child"), program.pid("orphan-runaway")
    assert all(map(is_alive, pids))
    program.process.kill()
    eventually(lambda: not any(map(is_alive, pids)), "the death of the job, and of all that it started")


def test_the_process_of_an_isolated_job_ends_when_the_engine_stops(program: Program) -> None:
    program.add("stopped", "linger", folder=str(program.cluster.folder), tag="stopped")
    pids = program.pid("stopped"), program.pid("stopped-child")
    program.process.send_signal(signal.SIGTERM)
    assert program.process.wait(60) == 0
    assert not any(map(is_alive, pids))
    assert (program.cluster.run("stopped").status, program.cluster.run("stopped").attempt) == ("pending", 0)


def _children(pid: int) -> set[str]:
    """What the processes that a process has started are busy with."""
    found = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text(encoding="ascii").split():
            command = Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8")
            found.add("resource_tracker" if "resource_tracker" in command else command)
    return found


def test_a_function_that_cannot_be_imported_is_refused_as_an_isolated_job() -> None:
    app = Duly("unused.db")
    with pytest.raises(InvalidInputError, match="top of a module"):
        app.job(isolate="process")(lambda: None)


async def carried_out(folder: Path, job: Callable[[], Any]) -> Run:
    """The run of a job in a process of its own."""
    app = Duly(folder / "isolated.db")
    name = app.jobs.register(job, isolate="process")
    await app.open()
    try:
        await app.schedule(name, lambda recurring: recurring.run_now(), job=name)
        await app.tick()
        [run] = await app.history(name)
        return run
    finally:
        await app.close()


async def test_an_isolated_job_has_the_threads_that_its_module_starts(tmp_path: Path) -> None:
    asked = await carried_out(tmp_path, threaded.ask)
    assert (asked.error, asked.result) == (None, True)


async def test_a_module_that_cannot_be_imported_in_the_process_fails_the_run(tmp_path: Path) -> None:
    refused = await carried_out(tmp_path, main_process_only.hello)
    assert refused.error == "JobProcessError: RuntimeError: not here"

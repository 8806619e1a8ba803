"""Prompts with a real engine on a real store: nothing is lost and nothing repeated when duly is killed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from duly import Duly, Run
from duly.model.action import Prompt
from duly.ports.targets import TargetRun
from tests.integration.engine_support.process_cluster import is_alive
from tests.integration.engine_support.waiting import eventually
from tests.integration.prompts import worker
from tests.integration.prompts.support import Bench, at


class Office:
    """A store, read by the test while a worker uses it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.url = bench.path("schedules.db")

    def ask(self, question: Any) -> Any:
        async def asking() -> Any:
            app = Duly(self.url)
            await app.open()
            try:
                return await question(app)
            finally:
                await app.close()

        return asyncio.run(asking())

    def add(self, name: str, prompt: Prompt) -> None:
        self.ask(lambda app: app.schedule(name, lambda recurring: recurring.run_now(), prompt=prompt))

    def ended(self, name: str) -> Run:
        def look() -> Run | None:
            runs = self.ask(lambda app: app.history(name))
            return next((each for each in runs if each.status.final), None)

        return eventually(look, f"the end of {name}")

    def targets(self, run_id: str) -> dict[str, TargetRun]:
        rows = self.ask(lambda app: app._store.targets.target_runs(run_id))
        return {row.project_id: row for row in rows}

    def running(self) -> list[TargetRun]:
        found: list[TargetRun] = self.ask(lambda app: app._store.targets.unfinished())
        return found

    def half_done(self) -> TargetRun | None:
        """Return the target that still runs, once another one has succeeded."""
        under_way = next(iter(self.running()), None)
        if under_way is None or all(row.status == "running" for row in self.targets(under_way.run_id).values()):
            return None
        return under_way


@contextmanager
def working(bench: Bench) -> Iterator[subprocess.Popen[bytes]]:
    program = subprocess.Popen(
        [sys.executable, worker.__file__, str(bench.folder)],
        env={**bench.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield program
    finally:
        program.kill()
        program.wait()


@pytest.fixture
def office(bench: Bench) -> Office:
    return Office(bench)


def test_a_prompt_is_carried_out_and_the_next_run_continues_its_session(office: Office) -> None:
    office.add("daily", Prompt(text="go", targets=at("api", "web")))
    with working(office.bench):
        first = office.ended("daily")
        assert first.status == "succeeded"
        office.ask(lambda app: app.trigger("daily"))
        eventually(lambda: all(run.status.final for run in office.ask(lambda app: app.history("daily"))), "its end")
    second, _ = office.ask(lambda app: app.history("daily"))
    texts = [target["text"] for target in second.result["targets"]]
    assert texts == ["claude heard 'go' in api, turn 2", "claude heard 'go' in web, turn 2"]
    assert second.result["cost_usd"] == pytest.approx(0.025)


def test_a_gate_that_finds_nothing_makes_a_recorded_skip(office: Office) -> None:
    office.add("quiet", Prompt(text="go", gate="never"))
    with working(office.bench):
        run = office.ended("quiet")
    assert (run.status, run.reason) == ("skipped", "gate 'never' found nothing to do (exit code 3)")
    assert office.targets(run.id) == {}


def test_killing_duly_loses_no_run_repeats_no_target_and_leaves_no_orphan(office: Office) -> None:
    bench = office.bench
    office.add("daily", Prompt(text=f"[[wait-in=web:{bench.path('go on')}]]", targets=at("api", "web")))
    with working(bench) as program:
        row = eventually(office.half_done, "one target done, the other under way")
        program.kill()
        program.wait()
    eventually(lambda: not is_alive(row.pid or 0), "the end of the guardian")
    done = office.targets(row.run_id)["api"]
    bench.folder.joinpath("go on").touch()
    with working(bench):
        run = office.ended("daily")
    assert (run.status, run.attempt) == ("succeeded", 2)
    assert office.targets(row.run_id)["api"] == done  # not touched again
    assert [target["status"] for target in run.result["targets"]] == ["succeeded", "succeeded"]
    assert office.running() == []


def test_cancelling_a_run_ends_its_agent_and_is_recorded(office: Office) -> None:
    bench = office.bench
    office.add("endless", Prompt(text="[[family]]", targets=at("api")))
    with working(bench):
        path = bench.projects["api"] / "family"
        eventually(path.exists, "the agent and its family")
        pids = [int(pid) for pid in path.read_text(encoding="ascii").split()]
        [row] = eventually(office.running, "the record of its process")
        assert all(map(is_alive, pids))
        office.ask(lambda app: app.cancel_run(row.run_id))
        run = office.ended("endless")
    assert (run.status, run.reason) == ("cancelled", "cancelled by request")
    assert not any(map(is_alive, [*pids, row.pid or 0]))
    target = office.targets(run.id)["api"]
    assert (target.status, target.error, target.pid) == ("failed", "asked to stop", None)

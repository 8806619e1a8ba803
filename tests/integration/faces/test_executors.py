"""Executors, and runs that they carry out, as the API, MCP, the dashboard, health and metrics show them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from duly.model.handover import HandoverState
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ExecutorStanding, QueueStanding, ReportedLine
from duly.service.access.scopes import Face
from duly.service.schedules import values
from duly.web import edit_form
from duly.zones import Zone
from tests.configured_executor import ConfiguredExecutor, stand_in
from tests.handing import hand_over, set_state
from tests.integration.faces.test_metrics import scraped
from tests.web.test_sign_in import HTML, sign_in
from tests.world import World, until, world

HEAVY = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("proj.*",))
WELL = ExecutorStanding(reachable=True, queues=(QueueStanding(name="slow", depth=2, workers=1),), workers=("celery@a",))
AWAY = ExecutorStanding(reachable=False, error="connection refused")


@asynccontextmanager
async def with_executor(
    folder: Path, answer: ExecutorStanding = WELL
) -> AsyncIterator[tuple[World, ConfiguredExecutor]]:
    async with world(folder, executors={"heavy": HEAVY}) as here:
        yield here, stand_in(here.runtime, "heavy", answer)


async def asked(here: World, path: str, scope: str = "admin") -> Any:
    answer = await here.http.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {await here.token(scope)}"})
    return answer.status_code, answer.json()


async def test_the_api_shows_how_an_executor_is(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, _):
        await hand_over(here.runtime.store, here.clock)
        status, found = await asked(here, "/executors")
        assert status == 200
        [one] = found["items"]
        assert {name: one[name] for name in ("name", "kind", "reachable", "waiting", "begun", "workers")} == {
            "name": "heavy",
            "kind": "celery",
            "reachable": True,
            "waiting": 1,
            "begun": 0,
            "workers": ["celery@a"],
        }
        assert one["queues"] == [{"name": "slow", "depth": 2, "workers": 1}]
        assert (await asked(here, "/executors/heavy"))[1] == one
        status, problem = await asked(here, "/executors/heavi")
        assert (status, problem["detail"]) == (
            404,
            "there is no executor 'heavi': configured are heavy. did you mean heavy?",
        )
        for scope in ("user:Ana", "project:shop"):
            if scope.startswith("user"):
                await here.person("Ana")
            assert (await asked(here, "/executors", scope))[0] == 403


async def test_a_look_is_used_again_for_a_moment(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, executor):
        assert (await asked(here, "/executors/heavy"))[1]["reachable"]
        executor.answer = AWAY
        assert (await asked(here, "/executors/heavy"))[1]["reachable"]
        await here.clock.travel(seconds=3)
        found = (await asked(here, "/executors/heavy"))[1]
        assert (found["reachable"], found["error"]) == (False, "connection refused")


async def test_health_is_yellow_with_the_cause_and_the_cure(tmp_path: Path) -> None:
    async with with_executor(tmp_path, AWAY) as (here, executor):
        executors = here.runtime.services.executors
        assert (await here.runtime.health()).light == "green"  # nobody has looked yet
        await executors.look()
        health = await here.runtime.health()
        assert health.light == "yellow"
        [reason] = health.reasons
        assert reason == (
            "executor heavy cannot be reached: connection refused. Start its broker, or correct broker of "
            "[executors.heavy]; its runs wait until then"
        )
        executor.answer = WELL
        await here.clock.travel(seconds=3)
        await executors.look()
        assert (await here.runtime.health()).light == "green"
        await hand_over(here.runtime.store, here.clock)
        await here.clock.travel(minutes=6)
        reasons = (await here.runtime.health()).reasons
        assert [each for each in reasons if each.startswith("1 run has not been begun by executor heavy")]


async def test_a_run_shows_its_handover_with_queue_time_apart_from_run_time(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, _):
        key, token = await hand_over(here.runtime.store, here.clock)
        await here.clock.travel(minutes=6)
        run = (await asked(here, f"/runs/{key.run_id}"))[1]["run"]
        assert (run["handover"]["state"], run["handover"]["executor"]) == ("handed_over", "heavy")
        await sign_in(here)
        page = (await here.http.get(f"/runs/{key.run_id}", headers=HTML)).text
        assert "Handed over to heavy, not begun for 6 min" in page
        assert "handed over to heavy, not begun for 6 min" in (await here.http.get("/runs", headers=HTML)).text
        executions = here.runtime.services.executions
        worker = await executions.recognize(*key, token)
        assert worker is not None
        await executions.begin(worker, start="one", host="celery@a")
        begun = (await here.http.get(f"/runs/{key.run_id}", headers=HTML)).text
        assert "Carried out by celery@a since 13:06" in begun
        await here.clock.travel(seconds=30)
        await executions.end(worker, start="one", state="succeeded", result=7)
        detail = (await asked(here, f"/runs/{key.run_id}"))[1]
        [handover] = detail["handovers"]
        assert (handover["state"], handover["queue_seconds"], handover["run_seconds"]) == ("succeeded", 360.0, 30.0)
        assert (handover["worker"], handover["sent"], handover["number"]) == ("celery@a", 1, 1)


async def test_metrics_count_by_executor(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, _):
        heavy = (("executor", "heavy"),)
        store = here.runtime.store
        key, token = await hand_over(store, here.clock)
        other, _ = await hand_over(store, here.clock)
        await here.clock.travel(seconds=20)
        executions = here.runtime.services.executions
        worker = await executions.recognize(*key, token)
        assert worker is not None
        await executions.begin(worker, start="one", host="celery@a")
        await executions.begin(worker, start="one", host="celery@a")  # the answer was lost
        seen = await scraped(here)
        assert seen["duly_handovers_begun_total", heavy] == 1
        assert seen["duly_handovers_waiting", heavy] == 1
        assert seen["duly_handovers_under_way", heavy] == 1
        assert seen["duly_handover_queue_seconds_sum", heavy] == 20
        await here.clock.travel(seconds=40)
        await executions.end(worker, start="one", state="failed", error="no")
        await set_state(store, here.clock, other, state=HandoverState.EXPIRED, ended_at=here.clock.now())
        seen = await scraped(here)
        assert seen["duly_handovers_ended_total", (*heavy, ("outcome", "failed"))] == 1
        assert seen["duly_handovers_ended_total", (*heavy, ("outcome", "expired"))] == 1
        assert seen["duly_handover_run_seconds_sum", heavy] == 40
        assert seen["duly_handover_run_seconds_count", heavy] == 1


async def test_the_screen_is_there_where_executors_are(tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    async with with_executor(tmp_path / "with", AWAY) as (here, _):
        await sign_in(here)
        page = await here.http.get("/executors", headers=HTML)
        assert page.status_code == 200
        for each in ("heavy needs a look", "connection refused", "Start its broker".lower(), "Not reachable", "proj.*"):
            assert each in page.text
        assert 'href="/executors"' in (await here.http.get("/", headers=HTML)).text
    async with world(tmp_path / "without") as here:
        await sign_in(here)
        assert 'href="/executors"' not in (await here.http.get("/", headers=HTML)).text
        assert "No executor is configured" in (await here.http.get("/executors", headers=HTML)).text


async def test_a_form_makes_and_changes_a_job_of_an_executor(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, _):
        caller = here.runtime.local(Face.GUI)
        fields = {"cron": "0 3 * * *", "job_name": "proj.report", "executor": "heavy", "positional": [1, "ä"]}
        made = await here.runtime.services.use_cases.schedule_create(caller, {"name": "report", **fields})
        await sign_in(here)
        page = (await here.http.get(f"/schedules/{made.id}/edit", headers=HTML)).text
        assert 'name="executor" ' in page
        shown = (await here.http.get(f"/schedules/{made.id}", headers=HTML)).text
        assert "proj.report(1, &#34;ä&#34;)" in shown
        assert "--executor heavy" in shown


async def test_a_schedule_of_an_executor_is_handed_over_when_it_fires(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, executor):
        fields = {"cron": "5 * * * *", "job_name": "proj.report", "executor": "heavy", "positional": ["a", 1]}
        caller = here.runtime.local(Face.GUI)
        made = await here.runtime.services.use_cases.schedule_create(
            caller, {"name": "report", "queue": "slow", **fields}
        )
        await here.clock.travel(minutes=6)
        order = await until(lambda: next(iter(executor.sent), None), "the order")
        assert (order.task, order.positional, order.queue, order.schedule) == (
            "proj.report",
            ("a", 1),
            "slow",
            "report",
        )
        executions = here.runtime.services.executions
        worker = await executions.recognize(order.key.run_id, order.key.number, order.token)
        assert worker is not None
        await executions.begin(worker, start="one", host="celery@a")
        found = (await asked(here, f"/runs?schedule={made.id}"))[1]["items"]
        assert [(each["status"], each["handover"]["state"]) for each in found] == [("pending", "begun")]
        await executions.end(worker, start="one", state="succeeded", result={"pages": 3})
        await here.clock.travel(seconds=5)
        [run] = (await asked(here, f"/runs?schedule={made.id}"))[1]["items"]
        assert (run["status"], run["result"], run["handover"]["state"]) == ("succeeded", {"pages": 3}, "succeeded")


async def test_the_time_and_the_output_of_a_run_are_those_of_its_worker(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, executor):
        made = await here.runtime.services.use_cases.schedule_create(
            here.runtime.local(Face.GUI),
            {
                "name": "report",
                "cron": "5 * * * *",
                "job_name": "proj.report",
                "executor": "heavy",
                "retry": {"max_attempts": 2, "delay": 1, "jitter": 0},
            },
        )
        await here.clock.travel(minutes=6)
        await sign_in(here)
        executions = here.runtime.services.executions
        outcomes: list[dict[str, Any]] = [{"state": "failed", "error": "full"}, {"state": "succeeded", "result": 7}]
        for number, outcome in enumerate(outcomes, 1):
            order = await until(lambda: next(iter(executor.sent), None), "the order")
            executor.sent.clear()
            worker = await executions.recognize(order.key.run_id, order.key.number, order.token)
            assert worker is not None
            await executions.begin(worker, start="one", host="celery@a")
            begun = here.clock.now()
            await executions.beat(worker, start="one", lines=[ReportedLine(text=f"page {number}")])
            page = (await here.http.get(f"/runs/{order.key.run_id}", headers=HTML)).text
            assert f"page {number}" in page
            await here.clock.travel(seconds=20 * number)
            await executions.end(worker, start="one", **outcome)
            await here.clock.travel(seconds=5)
        detail = (await asked(here, f"/runs/{order.key.run_id}"))[1]
        times = [(each["status"], _between(each["started_at"], each["ended_at"])) for each in detail["attempts"]]
        assert times == [("failed", 20.0), ("succeeded", 40.0)]
        assert datetime.fromisoformat(detail["run"]["started_at"]) == begun
        assert [int(each["seconds"]) for each in detail["durations"]] == [40]
        [listed] = (await asked(here, f"/runs?schedule={made.id}"))[1]["items"]
        assert listed["started_at"] == detail["run"]["started_at"]
        page = (await here.http.get(f"/runs/{order.key.run_id}", headers=HTML)).text
        assert all(each in page for each in ("page 2", '<pre class="result" tabindex="0">7</pre>', "typically 40 s"))
        first = (await here.http.get(f"/runs/{order.key.run_id}?attempt=1", headers=HTML)).text
        assert "page 1" in first


def _between(begin: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


async def test_what_the_form_shows_of_a_job_is_what_it_reads(tmp_path: Path) -> None:
    async with with_executor(tmp_path) as (here, _):
        fields = {
            "job_name": "proj.report",
            "executor": "heavy",
            "queue": "slow",
            "task_priority": 7,
            "positional": [1, "ä"],
        }
        caller = here.runtime.local(Face.GUI)
        made = await here.runtime.services.use_cases.schedule_create(
            caller, {"name": "report", "cron": "0 3 * * *", **fields}
        )
        typed = edit_form.of_view(made, None, Zone.of("UTC"), "", "normal")
        read = edit_form.read(typed, Zone.of("UTC"))
        assert read.faults == {}
        plain = {
            name: values.listed(read.fields[name], name) if name == "positional" else read.fields[name]
            for name in fields
        }
        assert plain == {**fields, "positional": (1, "ä")}
        faulty = edit_form.read({**typed, "task_priority": "high", "positional": "{"}, Zone.of("UTC"))
        assert set(faulty.faults) == {"task_priority", "positional"}

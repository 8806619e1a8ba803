"""A daemon starts although something is missing: schedules that need it rest, and go on by themselves later."""

from __future__ import annotations

import shutil

import pytest

from duly.model.action import Job
from duly.service.access.scopes import Face
from tests.world import FOLDER, GATE, GOOD, HEAD, JOB, DaemonFolder, daemon_folder, resting, state, statuses

__all__ = ["daemon_folder"]


async def test_only_schedules_that_need_something_missing_rest(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + GOOD + JOB + FOLDER + GATE) as runtime:
        assert await resting(runtime) == {
            "job": "jobs.late: cannot load 'daemon_job_late:work': No module named 'daemon_job_late'",
            "folder": f"project 'blog' is not there: {daemon_folder.folder / 'blog'} (FileNotFoundError)",
            "gate": "spawner 'echo' needs the program 'echo-agent': it is not on PATH",
        }
        told = daemon_folder.news("schedule.resting")
        assert sorted(event.data["name"] for event in told) == ["folder", "gate", "job"]
        await daemon_folder.clock.travel(minutes=5)
        assert await statuses(runtime, "good") == ["succeeded"] * 5
        assert await statuses(runtime, "job") == await statuses(runtime, "folder") == []
        assert (await state(runtime, "job")).next_run_at is None
        assert daemon_folder.news("schedule.resting") == []


async def test_a_schedule_goes_on_at_the_next_look_when_nothing_is_missing(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + JOB + FOLDER + GATE) as runtime:
        await daemon_folder.clock.travel(minutes=2)
        daemon_folder.make_module("late")
        await daemon_folder.clock.travel(seconds=30)
        assert "job" not in await resting(runtime)
        assert await statuses(runtime, "job") == ["missed", "succeeded"]  # its policy: the last one is made up
        (daemon_folder.folder / "blog").mkdir()
        daemon_folder.make_program("echo-agent")
        await daemon_folder.clock.travel(seconds=30)
        assert await resting(runtime) == {"gate": "gate 'ready' needs the program 'is-ready': it is not on PATH"}
        daemon_folder.make_program("is-ready")
        await daemon_folder.clock.travel(seconds=30)
        assert await resting(runtime) == {}
        told = [event.data["name"] for event in daemon_folder.news("schedule.awake")]
        assert told == ["job", "folder", "gate"]


async def test_a_job_function_that_is_written_later_is_found(daemon_folder: DaemonFolder) -> None:
    daemon_folder.make_module("late", "def other():\n    pass\n")
    async with daemon_folder.running(HEAD + JOB) as runtime:
        told = (await resting(runtime))["job"]
        assert told == "jobs.late: cannot load 'daemon_job_late:work': module 'daemon_job_late' has no attribute 'work'"
        daemon_folder.make_module("late", "def other():\n    pass\n\n\ndef work(to):\n    pass\n")
        await daemon_folder.clock.travel(seconds=30)
        assert "cannot be called with {}" in (await resting(runtime))["job"]
        assert "job:late" in (await runtime.store.serving())[runtime.engine.node_id]


async def test_schedules_rest_when_something_goes_missing_while_the_daemon_runs(daemon_folder: DaemonFolder) -> None:
    (daemon_folder.folder / "blog").mkdir()
    program = daemon_folder.make_program("echo-agent")
    async with daemon_folder.running(HEAD + GOOD + FOLDER) as runtime:
        served = (await runtime.store.serving())[runtime.engine.node_id]
        assert served >= {"job:good", "prompt:echo", "spawner:echo", "project:blog"}
        program.unlink()
        await daemon_folder.clock.travel(seconds=29)
        assert await resting(runtime) == {}
        await daemon_folder.clock.travel(seconds=1)
        assert list(await resting(runtime)) == ["folder"]
        assert "spawner:echo" not in (await runtime.store.serving())[runtime.engine.node_id]


async def test_a_run_whose_folder_has_just_vanished_fails_and_then_the_schedule_rests(
    daemon_folder: DaemonFolder,
) -> None:
    (daemon_folder.folder / "blog" / "drafts").mkdir(parents=True)
    daemon_folder.make_program("echo-agent")
    in_drafts = FOLDER.replace('"blog" }', '"blog", workspace_id = "drafts" }')
    async with daemon_folder.running(HEAD + in_drafts) as runtime:
        await daemon_folder.clock.travel(seconds=29)
        shutil.rmtree(daemon_folder.folder / "blog" / "drafts")
        await daemon_folder.clock.travel(seconds=1)
        await daemon_folder.heard("run.failed")
        await daemon_folder.clock.travel(seconds=2)
        assert await statuses(runtime, "folder") == ["failed"]
        missing = daemon_folder.folder / "blog" / "drafts"
        assert await resting(runtime) == {
            "folder": f"workspace 'drafts' of project 'blog' is not there: {missing} (FileNotFoundError)"
        }


async def test_schedules_made_at_run_time_rest_as_well(daemon_folder: DaemonFolder) -> None:
    daemon_folder.make_module("late")
    async with daemon_folder.running(HEAD) as runtime:
        fields = {"name": "mine", "cron": "* * * * *", "job_name": "late"}
        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), fields)
    daemon_folder.write(HEAD.replace('late = "daemon_job_late:work"', ""))
    async with daemon_folder.running(HEAD.replace('late = "daemon_job_late:work"', "")) as runtime:
        assert await resting(runtime) == {"mine": "unknown job 'late': registered are good"}
        view = await runtime.services.schedules.schedule_get(runtime.local(Face.MCP), "mine")
        assert (view.resting, view.enabled, view.next_run_at) == ("unknown job 'late': registered are good", True, None)
        assert view.resting_since is not None
    async with daemon_folder.running(HEAD) as runtime:
        assert await resting(runtime) == {}


async def test_a_process_without_an_engine_puts_nothing_to_rest(daemon_folder: DaemonFolder) -> None:
    async with daemon_folder.running(HEAD + JOB) as runtime:
        daemon_folder.make_module("late")
        await daemon_folder.clock.travel(seconds=30)
        (daemon_folder.folder / "daemon_job_late.py").unlink()
        assert runtime.capabilities.missing(Job("late")) is None  # this process has it still


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_relative_program_starts_from_the_file(daemon_folder: DaemonFolder, is_there: bool) -> None:
    (daemon_folder.folder / "blog").mkdir()
    daemon_folder.make_program("echo-agent")
    place = daemon_folder.folder if is_there else daemon_folder.folder / "blog"  # a project may come from elsewhere
    shutil.copy(daemon_folder.folder / "bin" / "echo-agent", place / "agent")
    program = "./agent"
    async with daemon_folder.running(HEAD.replace('"echo-agent"', f'"{program}"') + FOLDER) as runtime:
        expected = [] if is_there else ["folder"]
        assert list(await resting(runtime)) == expected

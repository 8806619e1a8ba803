"""A daemon starts although something is missing: schedules that need it rest, and go on by themselves later."""

from __future__ import annotations

import shutil

import pytest

from duly.model.action import Job
from duly.service.access.scopes import Face
from tests.support import run
from tests.unit.runtime.place import FOLDER, GATE, GOOD, HEAD, JOB, Place, place, resting, state, statuses

__all__ = ["place"]


@run
async def test_only_schedules_that_need_something_missing_rest(place: Place) -> None:
    async with place.running(HEAD + GOOD + JOB + FOLDER + GATE) as runtime:
        assert await resting(runtime) == {
            "job": "jobs.late: cannot load 'place_late:work': No module named 'place_late'",
            "folder": f"project 'blog' is not there: {place.folder / 'blog'} (FileNotFoundError)",
            "gate": "spawner 'echo' needs the program 'echo-agent': it is not on PATH",
        }
        told = place.news("schedule.resting")
        assert sorted(event.data["name"] for event in told) == ["folder", "gate", "job"]
        await place.clock.travel(minutes=5)
        assert await statuses(runtime, "good") == ["succeeded"] * 5
        assert await statuses(runtime, "job") == await statuses(runtime, "folder") == []
        assert (await state(runtime, "job")).next_run_at is None
        assert place.news("schedule.resting") == []


@run
async def test_a_schedule_goes_on_at_the_next_look_when_nothing_is_missing(place: Place) -> None:
    async with place.running(HEAD + JOB + FOLDER + GATE) as runtime:
        await place.clock.travel(minutes=2)
        place.make_module("late")
        await place.clock.travel(seconds=30)
        assert "job" not in await resting(runtime)
        assert await statuses(runtime, "job") == ["missed", "succeeded"]  # its policy: the last one is made up
        (place.folder / "blog").mkdir()
        place.make_program("echo-agent")
        await place.clock.travel(seconds=30)
        assert await resting(runtime) == {"gate": "gate 'ready' needs the program 'is-ready': it is not on PATH"}
        place.make_program("is-ready")
        await place.clock.travel(seconds=30)
        assert await resting(runtime) == {}
        told = [event.data["name"] for event in place.news("schedule.awake")]
        assert told == ["job", "folder", "gate"]


@run
async def test_a_job_function_that_is_written_later_is_found(place: Place) -> None:
    place.make_module("late", "def other():\n    pass\n")
    async with place.running(HEAD + JOB) as runtime:
        told = (await resting(runtime))["job"]
        assert told == "jobs.late: cannot load 'place_late:work': module 'place_late' has no attribute 'work'"
        place.make_module("late", "def other():\n    pass\n\n\ndef work(to):\n    pass\n")
        await place.clock.travel(seconds=30)
        assert "cannot be called with {}" in (await resting(runtime))["job"]
        assert "job:late" in (await runtime.store.serving())[runtime.engine.node_id]


@run
async def test_schedules_rest_when_something_goes_missing_while_the_daemon_runs(place: Place) -> None:
    (place.folder / "blog").mkdir()
    program = place.make_program("echo-agent")
    async with place.running(HEAD + GOOD + FOLDER) as runtime:
        served = (await runtime.store.serving())[runtime.engine.node_id]
        assert served >= {"job:good", "prompt:echo", "spawner:echo", "project:blog"}
        program.unlink()
        await place.clock.travel(seconds=29)
        assert await resting(runtime) == {}
        await place.clock.travel(seconds=1)
        assert list(await resting(runtime)) == ["folder"]
        assert "spawner:echo" not in (await runtime.store.serving())[runtime.engine.node_id]


@run
async def test_a_run_whose_folder_has_just_vanished_fails_and_then_the_schedule_rests(place: Place) -> None:
    (place.folder / "blog" / "drafts").mkdir(parents=True)
    place.make_program("echo-agent")
    in_drafts = FOLDER.replace('"blog" }', '"blog", workspace_id = "drafts" }')
    async with place.running(HEAD + in_drafts) as runtime:
        await place.clock.travel(seconds=29)
        shutil.rmtree(place.folder / "blog" / "drafts")
        await place.clock.travel(seconds=1)
        await place.heard("run.failed")
        await place.clock.travel(seconds=2)
        assert await statuses(runtime, "folder") == ["failed"]
        missing = place.folder / "blog" / "drafts"
        assert await resting(runtime) == {
            "folder": f"workspace 'drafts' of project 'blog' is not there: {missing} (FileNotFoundError)"
        }


@run
async def test_schedules_made_at_run_time_rest_as_well(place: Place) -> None:
    place.make_module("late")
    async with place.running(HEAD) as runtime:
        fields = {"name": "mine", "cron": "* * * * *", "job_name": "late"}
        await runtime.use_cases.schedule_create(runtime.local(Face.MCP), fields)
    place.write(HEAD.replace('late = "place_late:work"', ""))
    async with place.running(HEAD.replace('late = "place_late:work"', "")) as runtime:
        assert await resting(runtime) == {"mine": "unknown job 'late': registered are good"}
        view = await runtime.use_cases.schedule_get(runtime.local(Face.MCP), "mine")
        assert (view.resting, view.enabled, view.next_run_at) == ("unknown job 'late': registered are good", True, None)
        assert view.resting_since is not None
    async with place.running(HEAD) as runtime:
        assert await resting(runtime) == {}


@run
async def test_a_process_without_an_engine_puts_nothing_to_rest(place: Place) -> None:
    async with place.running(HEAD + JOB) as runtime:
        place.make_module("late")
        await place.clock.travel(seconds=30)
        (place.folder / "place_late.py").unlink()
        assert runtime.capabilities.missing(Job("late")) is None  # this process has it still


@pytest.mark.parametrize("cwd", [True, False])
@run
async def test_a_program_is_found_as_it_would_be_started(place: Place, cwd: bool) -> None:
    (place.folder / "blog").mkdir()
    place.make_program("echo-agent")
    shutil.copy(place.folder / "bin" / "echo-agent", place.folder / "blog" / "agent")
    program = "./agent" if cwd else str(place.folder / "blog" / "nobody")
    async with place.running(HEAD.replace('"echo-agent"', f'"{program}"') + FOLDER) as runtime:
        expected = [] if cwd else ["folder"]
        assert list(await resting(runtime)) == expected

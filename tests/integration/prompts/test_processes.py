"""The processes of agents end with every process they started: by timeout, when cancelled, and when duly is killed."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from duly.agents import PromptError, SpawnerProfile, reap
from duly.clock import SystemClock
from duly.errors import RunTimeoutError
from duly.model.action import Prompt
from duly.ports.targets import TargetRun
from duly.processes import boot_id, pid_space, pid_started
from tests.integration.engine_support.process_cluster import is_alive
from tests.integration.engine_support.waiting import eventually
from tests.integration.prompts import lonely
from tests.integration.prompts.support import TOOLS, Bench, Hourglass, at, own, preset


def family(folder: Path) -> list[int]:
    """Return the pids of the tool, of its child, and of the one in a session of its own."""
    eventually((folder / "family").exists, "the family")
    return [int(pid) for pid in (folder / "family").read_text(encoding="ascii").split()]


def none_is_left(pids: list[int]) -> None:
    eventually(lambda: not any(map(is_alive, pids)), f"the end of {pids}")


async def timed_out(bench: Bench, profile: SpawnerProfile, text: str, when: str = "") -> None:
    """Let the time limit of a prompt at `api` expire, once a file has appeared there."""
    clock = Hourglass()
    dispatcher = bench.dispatcher(profile, clock=clock)
    going = asyncio.ensure_future(bench.run(Prompt(text=text, targets=at("api")), dispatcher=dispatcher))
    if when:
        await asyncio.to_thread(eventually, (bench.projects["api"] / when).exists, when)
    else:
        while not await bench.memory.unfinished():  # noqa: ASYNC110  a dict tells nobody
            await asyncio.sleep(0.01)
    clock.turn()
    with pytest.raises(RunTimeoutError, match=r"^timed out after 1800 s \(api\)$"):
        await going


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_that_hangs_is_ended_by_its_timeout(bench: Bench, tool: str) -> None:
    await timed_out(bench, preset(tool), "[[hang]]")


async def test_the_shorter_timeout_counts(bench: Bench) -> None:
    patient, hasty = (bench.dispatcher(preset("claude", timeout=timeout)) for timeout in (60, 0.1))
    with pytest.raises(RunTimeoutError, match=r"^timed out after 0.2 s$"):
        await bench.run(Prompt(text="[[hang]]"), dispatcher=patient, within=0.2)
    with pytest.raises(RunTimeoutError, match=r"^timed out after 0.1 s$"):
        await bench.run(Prompt(text="[[hang]]"), dispatcher=hasty, within=60)


async def test_a_timeout_ends_every_process_that_a_tool_started(bench: Bench) -> None:
    await timed_out(bench, preset("claude"), "[[family]]", "family")
    pids = family(bench.projects["api"])
    assert [pid for pid in pids if is_alive(pid)] == []  # at once: it has been waited for


async def test_a_tool_that_ignores_the_request_to_end_is_killed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.agents.command.GRACE", 0.2)
    await timed_out(bench, preset("claude"), "[[stubborn]]", "stubborn")


async def test_a_tool_is_asked_to_end_before_it_is_killed(bench: Bench) -> None:
    tidy = "trap 'echo tidied > note; exit 0' TERM; echo ready > note; while :; do sleep 0.05; done"
    await timed_out(bench, SpawnerProfile(name="tidy", new=("sh", "-c", tidy)), "go", "note")
    assert (bench.projects["api"] / "note").read_text(encoding="ascii") == "tidied\n"


async def test_a_session_that_a_tool_named_before_its_timeout_is_recorded(bench: Bench) -> None:
    await timed_out(bench, preset("codex"), "[[linger]]", "lingers")
    [row] = bench.memory.rows.values()
    assert (row.status, row.session_id is not None) == ("failed", True)
    assert bench.memory.sessions == {}  # nothing to go on with


async def test_a_cancelled_run_leaves_no_process_behind(bench: Bench) -> None:
    going = asyncio.ensure_future(bench.run(Prompt(text="[[family]]", targets=at("api"))))
    pids = await asyncio.to_thread(family, bench.projects["api"])
    assert all(map(is_alive, pids))
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert [pid for pid in pids if is_alive(pid)] == []
    [row] = bench.memory.rows.values()
    assert (row.status, row.error) == ("failed", "asked to stop")
    [event] = bench.events
    assert (event.kind.name, event.data["target"], event.data["error"]) == ("target.failed", "api", "asked to stop")


async def test_a_run_that_is_cancelled_before_its_start_leaves_no_process_behind(bench: Bench) -> None:
    for _ in range(20):
        going = asyncio.ensure_future(bench.run(Prompt(text="[[hang]]")))
        for _ in range(len(bench.memory.written) % 7):
            await asyncio.sleep(0)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going


async def test_the_process_is_recorded_while_it_runs(bench: Bench) -> None:
    going = asyncio.ensure_future(bench.run(Prompt(text="[[family]]", targets=at("api"))))
    await asyncio.to_thread(family, bench.projects["api"])
    [row] = await bench.memory.unfinished()
    assert row.pid is not None
    assert (pid_started(row.pid), pid_space()) == (row.pid_started, row.boot_id)
    assert row.session_id is not None  # ours from the start
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going


@pytest.fixture
def namesake() -> Iterator[subprocess.Popen[bytes]]:
    """Make a process with the variables of a run of this process, as if another duly had spawned it."""
    names = {"DULY_RUN_ID": own("run_lost"), "DULY_TARGET": "", "DULY_OWNER": "1:1"}
    yield from sleeping({**os.environ, **names})


async def test_processes_of_another_duly_with_the_same_run_are_not_ended(
    bench: Bench, namesake: subprocess.Popen[bytes]
) -> None:
    reckless = SpawnerProfile(name="reckless", new=("sh", "-c", "kill -9 $PPID; sleep 3600"))
    with pytest.raises(PromptError, match="killed by signal 9"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(reckless), run_id="run_lost")
    assert namesake.poll() is None


async def test_a_guardian_that_is_killed_leaves_no_orphans(bench: Bench) -> None:
    going = asyncio.ensure_future(bench.run(Prompt(text="[[family]]", targets=at("api"))))
    pids = await asyncio.to_thread(family, bench.projects["api"])
    [row] = await bench.memory.unfinished()
    os.kill(row.pid or 0, signal.SIGKILL)
    with pytest.raises(PromptError, match="killed by signal 9"):
        await going
    assert [pid for pid in pids if is_alive(pid)] == []


JAILER = "trap '' TERM; echo $$ > jailer; while :; do kill -STOP $PPID; sleep 0.01; done"


async def test_a_tool_that_stops_its_guardian_is_ended_by_its_timeout(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.agents.command.GRACE", 0.1)
    monkeypatch.setattr("duly.agents.spawn._GUARDIAN_SECONDS", 0.1)
    runaway = f"setsid sh -c 'echo $$ > runaway; sleep 3600' & until [ -s runaway ]; do sleep 0.01; done; {JAILER}"
    await timed_out(bench, SpawnerProfile(name="jailer", new=("sh", "-c", runaway)), "go", "jailer")
    pids = [int((bench.projects["api"] / name).read_text(encoding="ascii")) for name in ("jailer", "runaway")]
    none_is_left(pids)


async def test_a_gate_that_stops_its_guardian_is_ended_by_its_timeout(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.agents.gates.GRACE", 0.1)
    monkeypatch.setattr("duly.agents.spawn._GUARDIAN_SECONDS", 0.1)
    clock, jailer = Hourglass(), bench.projects["api"] / "jailer"
    dispatcher = bench.dispatcher(gates={"jailer": ["sh", "-c", JAILER]}, clock=clock)
    prompt = Prompt(text="go", gate="jailer", targets=at("api"))
    going = asyncio.ensure_future(bench.run(prompt, dispatcher=dispatcher))
    await asyncio.to_thread(eventually, lambda: jailer.exists() and jailer.read_bytes(), "the jailer")
    clock.turn()
    with pytest.raises(RunTimeoutError, match=r"timed out after .* s \(gate 'jailer'\)"):
        await going
    none_is_left([int(jailer.read_text(encoding="ascii"))])


def sleeping(environ: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], env=environ)
    yield process
    process.kill()
    process.wait()


def start_lonely(bench: Bench) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a program that carries out a prompt which never ends; give it with the pids of its processes."""
    program = subprocess.Popen(
        [sys.executable, lonely.__file__, str(bench.folder)],
        env={**bench.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return program, family(bench.projects["api"])


def test_killing_duly_leaves_no_orphan(bench: Bench) -> None:
    program, pids = start_lonely(bench)
    assert all(map(is_alive, pids))
    program.kill()
    program.wait()
    none_is_left(pids)


async def test_processes_that_outlive_duly_and_guardian_are_ended_at_the_next_start(bench: Bench) -> None:
    program, pids = start_lonely(bench)
    eventually((bench.folder / "row.json").exists, "the record of the process")
    row = TargetRun(**json.loads((bench.folder / "row.json").read_text(encoding="utf-8")))
    await bench.memory.record_target(row)
    assert await reap(bench.memory, SystemClock()) == []  # its duly is alive
    assert all(map(is_alive, pids))
    os.kill(program.pid, signal.SIGSTOP)
    os.kill(row.pid or 0, signal.SIGKILL)  # first the guardian, so that it cannot do its work
    program.kill()
    program.wait()
    assert any(map(is_alive, pids))  # the runaway at least

    [reaped] = await reap(bench.memory, SystemClock())
    assert (reaped.run_id, reaped.status) == (row.run_id, "failed")
    none_is_left(pids)
    assert await bench.memory.unfinished() == []


def running(pid: int, boot: str) -> TargetRun:
    where = TargetRun(run_id=own("run_1"), project_id="", workspace_id="", status="running")
    return replace(where, pid=pid, pid_started="1", boot_id=boot)


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    yield from sleeping(os.environ)


async def test_a_pid_that_belongs_to_another_process_by_now_is_left_alone(
    bench: Bench, stranger: subprocess.Popen[bytes]
) -> None:
    row = running(stranger.pid, pid_space())
    await bench.memory.record_target(row)
    assert len(await reap(bench.memory, SystemClock())) == 1
    assert stranger.poll() is None


@pytest.mark.parametrize("place", ["another machine", f"{boot_id()} pid:[another container]"])
async def test_records_of_another_machine_are_left_alone(bench: Bench, place: str) -> None:
    row = running(1, place)
    await bench.memory.record_target(row)
    assert await reap(bench.memory, SystemClock()) == []
    assert await bench.memory.unfinished() == [row]


@pytest.fixture
def crowd() -> Iterator[None]:
    """Open so many files that the number of the next one is too high for `select`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2048)), hard))
    with ExitStack() as files:
        for _ in range(1024):
            files.enter_context(Path(os.devnull).open("rb"))
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("crowd")
async def test_a_duly_with_thousands_of_open_files_can_spawn(bench: Bench) -> None:
    result = await bench.run(Prompt(text="go", targets=at("api")))
    assert result["targets"][0]["status"] == "succeeded"

"""Gates and budgets: nothing is spent when there is nothing to do, or nothing left to spend."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.agents import PromptError, SpawnerKind, SpawnerProfile
from duly.clock import SystemClock
from duly.config.reading import load_with
from duly.config_section import located_command
from duly.errors import InvalidInputError, RunSkippedError, RunTimeoutError
from duly.model.action import Prompt
from duly.ports.targets import TargetRun
from duly.testing.fake_cli_tools import COST
from tests.integration.prompts.support import Bench, at, own, preset


def script(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


GATES = {
    "news": script("print('three new issues')"),
    "quiet": script("pass"),
    "nothing": script("import sys; sys.exit('inbox empty')"),
    "refuses": script("import sys; sys.exit(125)"),
    "broken": script("import sys; sys.exit(126)"),
    "killed": script("import os; os.kill(os.getpid(), 9)"),
    "missing": ("no-such-program",),
    "slow": script("import time; time.sleep(60)"),
    "where": script("import os; print(os.getcwd(), os.environ['DULY_SCHEDULE'], 'SECRET' in os.environ)"),
    "chatty": script("print('word ' * 1_000_000)"),
}


async def test_the_output_of_a_gate_is_added_to_the_prompt(bench: Bench) -> None:
    dispatcher = bench.dispatcher(gates=GATES)
    result = await bench.run(Prompt(text="triage", gate="news", targets=at("api")), dispatcher=dispatcher)
    assert r"heard 'triage\n\nthree new issues' in api" in result["targets"][0]["text"]
    result = await bench.run(Prompt(text="triage", gate="quiet"), dispatcher=dispatcher, run_id="run_2")
    assert "heard 'triage' in" in result["targets"][0]["text"]


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("nothing", r"gate 'nothing' found nothing to do \(exit code 1\): inbox empty"),
        ("refuses", r"gate 'refuses' found nothing to do \(exit code 125\)"),
    ],
)
async def test_a_gate_with_nothing_to_do_skips_the_run_and_starts_no_agent(
    bench: Bench, gate: str, reason: str
) -> None:
    with pytest.raises(RunSkippedError, match=reason):
        await bench.run(Prompt(text="go", gate=gate), dispatcher=bench.dispatcher(gates=GATES))
    assert bench.memory.written == []


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("broken", "gate 'broken' failed with exit code 126"),
        ("killed", "gate 'killed' was killed by signal 9"),
        ("missing", "gate 'missing' failed with exit code 127: cannot run no-such-program"),
    ],
)
async def test_a_gate_that_fails_is_an_error(bench: Bench, gate: str, words: str) -> None:
    with pytest.raises(PromptError, match=words):
        await bench.run(Prompt(text="go", gate=gate), dispatcher=bench.dispatcher(gates=GATES))
    assert bench.memory.written == []


@pytest.mark.parametrize(
    "words", [("python3", "tools/check.py"), ("sh", "-e", "check.sh"), ("env", "sh", "./check.sh")]
)
async def test_a_script_of_a_gate_starts_from_the_folder_of_the_file(
    bench: Bench, tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "config"
    (folder / "tools").mkdir(parents=True)
    file = folder / "duly.toml"
    file.write_text(f"[gates]\na = {json.dumps(words)}\n", encoding="utf-8")
    gates = load_with({}, file, data_dir=str(tmp_path / "data")).gates
    for prompt in (Prompt(text="go", gate="a"), Prompt(text="go", gate="a", targets=at("api"))):
        with pytest.raises(
            PromptError, match=f"gate 'a' cannot be asked: its script {folder}/.*check.* does not exist"
        ):
            await bench.run(prompt, dispatcher=bench.dispatcher(gates=gates))
    code = "print('from here')" if words[0] == "python3" else "echo from here"
    (folder / words[-1]).write_text(code, encoding="utf-8")
    result = await bench.run(Prompt(text="go", gate="a"), dispatcher=bench.dispatcher(gates=gates), run_id="run_9")
    assert "from here" in result["targets"][0]["text"]


@pytest.mark.parametrize(
    "words",
    [
        ("grep", "-rl", "draft", "posts/x.md"),
        ("env", "grep", "x"),
        ("python3", "-m", "checks.all"),
        ("python3", "-W", "ignore", "-c", "print(1)"),
        ("sh", "-c", "./check.sh"),
        ("claude", "-p", "{prompt}"),
        ("python3", "{prompt}", "tools/check.py"),
    ],
)
def test_other_words_of_a_command_stay_as_they_are(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert located_command(words, tmp_path) == words


async def test_a_gate_has_a_time_limit_of_its_own(bench: Bench) -> None:
    dispatcher = bench.dispatcher(gates=GATES, gate_timeout=0.5)
    with pytest.raises(RunTimeoutError, match=r"^timed out after 0.5 s \(gate 'slow'\)$"):
        await bench.run(Prompt(text="go", gate="slow"), dispatcher=dispatcher)
    assert bench.memory.written == []


async def test_a_gate_takes_no_longer_than_the_run_may(bench: Bench) -> None:
    with pytest.raises(RunTimeoutError, match=r"^timed out after 0.1 s \(gate 'slow'\)$"):
        await bench.run(Prompt(text="go", gate="slow"), dispatcher=bench.dispatcher(gates=GATES), within=0.1)


async def test_a_gate_sees_the_only_target_and_no_secrets(bench: Bench) -> None:
    bench.environ |= {"SECRET": "x"}
    dispatcher = bench.dispatcher(gates=GATES)
    result = await bench.run(Prompt(text="go", gate="where", targets=at("api")), dispatcher=dispatcher)
    assert f"{bench.projects['api'].resolve()} nightly False" in result["targets"][0]["text"]


async def test_a_gate_may_not_flood_the_prompt(bench: Bench) -> None:
    result = await bench.run(Prompt(text="go", gate="chatty"), dispatcher=bench.dispatcher(gates=GATES))
    assert result["targets"][0]["text"].startswith("claude heard 'go")
    [session] = (bench.home / ".fake-claude").iterdir()
    assert "bytes left out" in session.read_text(encoding="utf-8")
    assert session.stat().st_size < 40_000


def test_a_schedule_names_a_gate_and_never_defines_one(bench: Bench) -> None:
    with pytest.raises(InvalidInputError, match="unknown gate 'rm -rf /': configured are news"):
        bench.dispatcher(gates={"news": GATES["news"]}).check(Prompt(text="go", gate="rm -rf /"))
    with pytest.raises(InvalidInputError, match=r"gates\.bad must be a list of arguments, got 'ls \| wc'"):
        bench.dispatcher(gates={"bad": "ls | wc"})


async def test_a_day_that_is_spent_is_a_skip(bench: Bench) -> None:
    prompt = Prompt(text="go", max_cost_per_day=1.5 * COST)
    dispatcher = bench.dispatcher(preset("opencode"))
    await bench.run(prompt, dispatcher=dispatcher)
    await bench.run(prompt, dispatcher=dispatcher, run_id="run_2")
    with pytest.raises(RunSkippedError, match=r"over budget: \$0.0250 of \$0.0188 per day spent in the last 24 hours"):
        await bench.run(prompt, dispatcher=dispatcher, run_id="run_3")
    for key, row in bench.memory.rows.items():  # a day later
        started = SystemClock().now() - timedelta(hours=24, minutes=1)
        bench.memory.rows[key] = replace(row, started_at=started)
    await bench.run(prompt, dispatcher=dispatcher, run_id="run_4")


def charging(price: float, calls: list[str]) -> SpawnerProfile:
    async def function(prompt: str, trigger_source: str) -> dict[str, Any]:
        calls.append(prompt)
        await asyncio.sleep(0.01)
        return {"text": trigger_source, "cost_usd": price}

    return SpawnerProfile(name="butler", kind=SpawnerKind.CALLABLE, call=function)


async def test_a_rounding_error_is_no_money_left(bench: Bench) -> None:
    calls: list[str] = []
    dispatcher = bench.dispatcher(charging(0.1, calls))
    prompt = Prompt(text="go", max_cost_per_day=0.8)  # eight times 0.1 is 0.7999999999999999
    for number in range(8):
        await bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}")
    with pytest.raises(RunSkippedError, match=r"over budget: \$0.8000 of \$0.8000 per day"):
        await bench.run(prompt, dispatcher=dispatcher, run_id="run_8")
    assert len(calls) == 8


@pytest.mark.parametrize("per_run", [None, 1.0])
async def test_runs_side_by_side_do_not_spend_the_same_money(bench: Bench, per_run: float | None) -> None:
    calls: list[str] = []
    dispatcher = bench.dispatcher(charging(1.0, calls))
    prompt = Prompt(text="go", max_cost_per_day=3.0, max_cost_per_run=per_run)
    going = [bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}") for number in range(6)]
    results = await asyncio.gather(*going, return_exceptions=True)
    assert len(calls) == 3
    assert [type(each) for each in results] == [dict] * 3 + [RunSkippedError] * 3


async def test_the_unspent_part_of_a_promise_goes_to_the_run_that_waits(bench: Bench) -> None:
    calls: list[str] = []
    dispatcher = bench.dispatcher(charging(0.25, calls))
    prompt = Prompt(text="go", max_cost_per_day=1.0)
    going = [bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}") for number in range(4)]
    await asyncio.gather(*going)
    assert len(calls) == 4


async def test_a_run_that_is_cancelled_while_it_waits_changes_no_budget(bench: Bench) -> None:
    calls: list[str] = []
    dispatcher = bench.dispatcher(charging(1.0, calls))
    prompt = Prompt(text="go", max_cost_per_day=1.5)
    first, second, third = (
        asyncio.ensure_future(bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}")) for number in range(3)
    )
    await asyncio.sleep(0)  # all have begun, one has been promised everything
    second.cancel()
    await asyncio.gather(first, third)
    assert second.cancelled()
    assert len(calls) == 2


async def test_targets_share_a_budget_and_a_tool_with_the_option_is_told_its_part(bench: Bench) -> None:
    enough = Prompt(text="go", targets=at("api", "web"), max_cost_per_run=2.5 * COST)
    await bench.run(enough)
    tight = Prompt(text="go", targets=at("api", "web"), max_cost_per_run=1.5 * COST)
    with pytest.raises(Exception, match="2 of 2 targets failed: api: Reached maximum budget"):
        await bench.run(tight, run_id="run_2")
    with pytest.raises(RunSkippedError, match="over budget: the attempts so far cost"):
        await bench.run(tight, run_id="run_2", attempt=2)


async def test_the_cost_of_failed_attempts_counts(bench: Bench) -> None:
    earlier = TargetRun(
        run_id=own("run_1"),
        project_id="",
        workspace_id="",
        status="failed",
        cost_usd=0.5,
        started_at=SystemClock().now(),
    )
    await bench.memory.record_target(earlier)
    result = await bench.run(Prompt(text="go", max_cost_per_run=1.0), attempt=2)
    assert result["cost_usd"] == pytest.approx(0.5 + COST)


@pytest.mark.parametrize("tool", ["codex", "gemini"])
async def test_a_budget_for_a_spawner_without_costs_is_refused(bench: Bench, tool: str) -> None:
    prompt = Prompt(text="go", spawner=tool, max_cost_per_day=1.0)
    with pytest.raises(InvalidInputError, match=f"spawner '{tool}' does not tell what a run costs"):
        bench.dispatcher().check(prompt)
    with pytest.raises(InvalidInputError, match=f"spawner '{tool}' does not tell what a run costs"):
        await bench.run(prompt)

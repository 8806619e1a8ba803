"""Every preset against the fake of its tool: answers, sessions, cost, and all the ways in which tools fail."""

from __future__ import annotations

import json
import resource
import uuid
from contextlib import suppress

import pytest

from duly.agents import PRESETS, PromptError, SpawnerProfile
from duly.agents.profile import SessionNaming
from duly.agents.run_processes import owner
from duly.model.action import Prompt
from duly.testing.fake_cli import TOOLS as FAKES
from duly.testing.fake_cli_tools import COST
from tests.integration.prompts.support import TOOLS, Bench, at, own, preset

COSTLY = {"claude": COST, "opencode": COST, "aider": COST}
LOGIN = {
    "claude": "Not logged in · Please run /login",
    "codex": "401 Unauthorized",
    "gemini": "Please set an Auth method",
    "opencode": "API key is missing",
    "aider": "litellm.AuthenticationError",
}


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_answer_with_its_session_and_cost_is_read(bench: Bench, tool: str) -> None:
    result = await bench.run(Prompt(text="sum up --force {cwd}", targets=at("api"), spawner=tool))
    [target] = result["targets"]
    assert target["text"] == f"{tool} heard 'sum up --force {{cwd}}' in api, turn 1"
    assert target["status"] == "succeeded"
    assert (target["project_id"], target["workspace_id"]) == ("api", None)
    assert target["cost_usd"] == pytest.approx(COSTLY.get(tool))
    assert result["cost_usd"] == pytest.approx(COSTLY.get(tool))
    assert "fallback" not in target
    assert bench.memory.sessions == {("sched_1", "api", ""): target["session_id"]}
    if tool != "opencode":
        uuid.UUID(target["session_id"])


async def test_usage_is_added_up(bench: Bench) -> None:
    usage = {}
    for tool in TOOLS:
        result = await bench.run(Prompt(text="go", spawner=tool), run_id=f"run_{tool}")
        usage[tool] = result["targets"][0].get("usage")
    assert usage["claude"] == {"input_tokens": 12, "cache_read_input_tokens": 3400, "output_tokens": 56}
    assert usage["codex"] == {"input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 40}
    assert usage["gemini"]["total_tokens"] == 80
    assert usage["opencode"]["cache"] == {"read": 10, "write": 2}  # two steps
    assert usage["aider"] is None


@pytest.mark.parametrize("tool", TOOLS)
async def test_the_next_run_continues_the_session_of_the_last_one(bench: Bench, tool: str) -> None:
    dispatcher = bench.dispatcher()
    prompt = Prompt(text="go", targets=at("api"), spawner=tool)
    first = await bench.run(prompt, dispatcher=dispatcher)
    second = await bench.run(prompt, dispatcher=dispatcher, run_id="run_2")
    assert second["targets"][0]["session_id"] == first["targets"][0]["session_id"]
    assert "turn 2" in second["targets"][0]["text"]
    fresh = Prompt(text="go", targets=at("api"), spawner=tool, session_behavior="new")
    third = await bench.run(fresh, dispatcher=dispatcher, run_id="run_3")
    assert third["targets"][0]["session_id"] != first["targets"][0]["session_id"]
    assert "turn 1" in third["targets"][0]["text"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_session_that_is_gone_is_replaced_by_a_new_one_and_recorded(bench: Bench, tool: str) -> None:
    lost = str(uuid.uuid4())
    bench.memory.sessions["sched_1", "api", ""] = lost
    result = await bench.run(Prompt(text="go", targets=at("api"), spawner=tool))
    [target] = result["targets"]
    assert f"session {lost} is gone" in target["fallback"]
    assert target["session_id"] != lost
    assert bench.memory.sessions["sched_1", "api", ""] == target["session_id"]
    assert [event.kind.name for event in bench.events] == ["session.lost", "target.succeeded"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_failed_login_is_reported_in_the_words_of_the_tool(bench: Bench, tool: str) -> None:
    with pytest.raises(PromptError, match=LOGIN[tool]):
        await bench.run(Prompt(text="[[login]]", spawner=tool))
    assert bench.memory.sessions == {}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("crash", r"panicked at the worst moment \(killed by signal 6\)"),
        ("exit=7", r"something went wrong inside \(exit code 7\)"),
        ("silent", "ended without an answer"),
    ],
)
async def test_a_crash_and_an_exit_code_are_errors(bench: Bench, tool: str, scenario: str, words: str) -> None:
    with pytest.raises(PromptError, match=words):
        await bench.run(Prompt(text=f"[[{scenario}]]", spawner=tool))
    [row] = bench.memory.rows.values()
    assert (row.status, row.pid) == ("failed", None)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "aider"])
async def test_garbage_is_no_answer(bench: Bench, tool: str) -> None:
    with pytest.raises(PromptError, match="the answer cannot be understood"):
        await bench.run(Prompt(text="[[garbage]]", spawner=tool))


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_hundred_megabytes_do_not_grow_memory(bench: Bench, tool: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await bench.run(Prompt(text="[[flood]]", spawner=tool))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 30_000  # kilobytes
    text = result["targets"][0]["text"]
    assert "heard" in text
    assert len(text) < 20_000


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_prompt_may_be_long_and_look_like_an_option(bench: Bench, tool: str) -> None:
    text = "--version " + "z" * 200_000  # more than one argument can hold
    result = await bench.run(Prompt(text=text, spawner=tool))
    assert f"{tool} heard '--version zzz" in result["targets"][0]["text"]


@pytest.mark.parametrize("tool", ["claude", "codex", "opencode"])
async def test_a_fork_leaves_the_pinned_session_alone(bench: Bench, tool: str) -> None:
    dispatcher = bench.dispatcher(preset(tool, on_resume="fork"))
    prompt = Prompt(text="go", targets=at("api"))
    first = await bench.run(prompt, dispatcher=dispatcher)
    pinned = first["targets"][0]["session_id"]
    for number in (2, 3):
        result = await bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}")
        assert "turn 2" in result["targets"][0]["text"]
        assert result["targets"][0]["session_id"] != pinned
        assert bench.memory.sessions["sched_1", "api", ""] == pinned


async def test_only_allowed_variables_reach_the_tool(bench: Bench) -> None:
    bench.environ |= {"ANTHROPIC_API_KEY": "key", "DULY_TOKEN": "secret", "OTHER": "x", "SECRET": "outside"}
    profile = preset("claude", variables={"FIXED": "1", "FETCHED": "env:SECRET"})
    result = await bench.run(Prompt(text="[[env]]", targets=at("api")), dispatcher=bench.dispatcher(profile))
    seen = json.loads(result["targets"][0]["text"])
    assert seen["ANTHROPIC_API_KEY"] == "key"
    assert (seen["FIXED"], seen["FETCHED"]) == ("1", "outside")
    assert seen["DULY_RUN_ID"] == own("run_1")
    assert seen["DULY_TARGET"] == "api"
    assert seen["DULY_TRIGGER_SOURCE"] == "schedule:nightly"
    assert not {"DULY_TOKEN", "OTHER", "SECRET"} & set(seen)


@pytest.mark.parametrize("ending", ["", "; exit 1", "; echo no such session >&2; exit 1"])
async def test_secrets_in_the_output_of_a_tool_are_replaced(bench: Bench, ending: str) -> None:
    bench.environ |= {"A_PASSWORD": "hunter2hunter2", "TICKET": "sesame-sesame", "PLAIN": "plain-as-day"}
    says = 'echo "key $MY_KEY, ticket $TICKET, $PLAIN" | tee /dev/stderr'
    chatty = SpawnerProfile(
        name="chatty",
        new=("sh", "-c", says + ending, "{session_id}"),
        resume=("sh", "-c", says + ending, "{session_id}"),
        session=SessionNaming.ASSIGNED,
        env=("PLAIN",),
        variables={"MY_KEY": "env:A_PASSWORD", "TICKET": "env:TICKET"},
        gone="no such session|key",
    )
    bench.memory.sessions["sched_1", "", ""] = "s-1"
    with suppress(PromptError):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(chatty))
    told = f"{bench.memory.written} {bench.events}"
    assert "key [secret], ticket [secret], plain-as-day" in told
    assert "hunter2" not in told
    assert "sesame" not in told


async def test_prompt_files_of_a_killed_duly_are_removed(bench: Bench) -> None:
    bench.state.mkdir()
    ours, left = bench.state / f"{owner()}-x.prompt", bench.state / "4194304:1-x.prompt"
    for file in (ours, left):
        file.write_text("a secret", encoding="utf-8")
    await bench.run(Prompt(text="go", spawner="aider"))
    assert sorted(bench.state.glob("*.prompt")) == [ours]


async def test_a_tool_that_is_not_installed_is_an_error_with_its_name(bench: Bench) -> None:
    profile = preset("claude", new=("no-such-tool", "{session_id}"))
    with pytest.raises(PromptError, match=r"cannot run no-such-tool: No such file or directory \(exit code 127\)"):
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(profile))


def test_there_is_a_fake_for_every_preset() -> None:
    assert set(FAKES) == set(PRESETS)

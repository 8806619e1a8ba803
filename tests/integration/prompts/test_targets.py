"""Targets run at the same time and fail each by itself; sessions are not shared; no path leads out of a project."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from duly.agents import PromptError, PromptFailedError, SpawnerProfile
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Prompt, Target
from tests.integration.prompts.support import Bench, at, own, preset


async def test_targets_run_at_the_same_time(bench: Bench) -> None:
    meeting = f"[[meet={bench.path('meeting')}:3]]"  # none of them gets away before all have come
    result = await bench.run(Prompt(text=meeting, targets=at("api", "web", "docs")))
    assert [target["project_id"] for target in result["targets"]] == ["api", "web", "docs"]
    assert len({target["session_id"] for target in result["targets"]}) == 3
    assert result["cost_usd"] == pytest.approx(3 * 0.0125)


async def test_no_more_than_allowed_run_at_the_same_time(bench: Bench) -> None:
    alone = f"[[alone={bench.path('alone')}]]"
    await bench.run(Prompt(text=alone, targets=at("api", "web")), dispatcher=bench.dispatcher(processes=1))


async def test_a_target_that_fails_does_not_stop_the_others(bench: Bench) -> None:
    prompt = Prompt(text="[[fail-in=web]]", targets=at("api", "web", "docs"))
    with pytest.raises(PromptFailedError, match=r"1 of 3 targets failed: web: cannot work in web \(exit code 1\)"):
        await bench.run(prompt)
    statuses = {row.project_id: row.status for row in bench.memory.rows.values()}
    assert statuses == {"api": "succeeded", "web": "failed", "docs": "succeeded"}
    told = sorted((event.kind.name, event.data["target"]) for event in bench.events)
    assert told == [("target.failed", "web"), ("target.succeeded", "api"), ("target.succeeded", "docs")]


async def test_a_retry_does_not_repeat_targets_that_succeeded(bench: Bench) -> None:
    once = bench.path("once")
    prompt = Prompt(text=f"[[fail-once={once}]]", targets=at("api", "web"))
    dispatcher = bench.dispatcher(processes=1)
    with pytest.raises(PromptFailedError, match="1 of 2 targets failed: api: not the first time"):
        await bench.run(prompt, dispatcher=dispatcher)
    before = len(bench.memory.written)
    result = await bench.run(prompt, dispatcher=dispatcher, attempt=2)
    assert {row.project_id for row in bench.memory.written[before:]} == {"api"}
    assert [target["status"] for target in result["targets"]] == ["succeeded", "succeeded"]
    assert all("turn 1" in target["text"] for target in result["targets"])


async def test_the_record_tells_how_a_target_ended(bench: Bench) -> None:
    result = await bench.run(Prompt(text="go", targets=at("api")))
    first, second, last = bench.memory.written
    assert (first.status, first.pid, second.status) == ("running", None, "running")
    assert second.pid is not None
    assert (last.status, last.pid, last.error) == ("succeeded", None, None)
    assert last.session_id == result["targets"][0]["session_id"] == second.session_id
    assert last.started_at is not None
    assert last.finished_at is not None
    assert last.started_at <= last.finished_at
    [event] = bench.events
    assert (event.schedule_id, event.run_id) == ("sched_1", own("run_1"))
    assert event.data.pop("seconds") > 0
    assert event.data == {
        "name": "nightly",
        "target": "api",
        "session": last.session_id,
        "cost_usd": 0.0125,
        "text": "claude heard 'go' in api, turn 1",
    }


async def test_runs_on_one_session_wait_for_each_other(bench: Bench) -> None:
    dispatcher = bench.dispatcher()
    await bench.run(Prompt(text="begin", targets=at("api")), dispatcher=dispatcher)
    alone = Prompt(text=f"[[alone={bench.path('alone')}]]", targets=at("api"))
    results = await asyncio.gather(
        *(bench.run(alone, dispatcher=dispatcher, run_id=f"run_{number}") for number in (2, 3, 4))
    )
    turns = sorted(result["targets"][0]["text"][-6:] for result in results)
    assert turns == ["turn 2", "turn 3", "turn 4"]


async def test_a_run_waits_for_a_session_that_another_process_holds(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.agents.execution._CHECK_EVERY", 0.01)
    first, second = bench.dispatcher(), bench.dispatcher()  # each with locks of its own
    await bench.run(Prompt(text="begin", targets=at("api")), dispatcher=first)
    alone = Prompt(text=f"[[alone={bench.path('alone')}]]", targets=at("api"))
    results = await asyncio.gather(
        bench.run(alone, dispatcher=first, run_id="run_2"), bench.run(alone, dispatcher=second, run_id="run_3")
    )
    assert sorted(result["targets"][0]["text"][-6:] for result in results) == ["turn 2", "turn 3"]


async def test_runs_that_both_lost_a_session_do_not_wait_for_each_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.agents.execution._CHECK_EVERY", 0.01)
    await bench.run(Prompt(text="begin", targets=at("api")))
    [begun] = await bench.memory.target_runs(own("run_1"))
    for lost in ("run_2", "run_3"):  # by machines that went down, one after the other
        await bench.memory.record_target(
            replace(begun, run_id=own(lost), status="running", pid=7, boot_id="another machine", finished_at=None)
        )
    again = Prompt(text="go on", targets=at("api"))
    async with asyncio.timeout(60):
        results = await asyncio.gather(*(bench.run(again, run_id=lost) for lost in ("run_2", "run_3")))
    assert sorted(result["targets"][0]["text"][-6:] for result in results) == ["turn 2", "turn 3"]


async def test_a_run_behind_one_that_lost_the_session_follows_it_to_the_new_one(bench: Bench) -> None:
    dispatcher = bench.dispatcher()
    bench.memory.sessions["sched_1", "api", ""] = "11111111-1111-4111-8111-111111111111"
    prompt = Prompt(text=f"[[alone={bench.path('alone')}]]", targets=at("api"))
    results = await asyncio.gather(
        *(bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}") for number in (2, 3))
    )
    told = [result["targets"][0] for result in results]
    assert len({target["session_id"] for target in told}) == 1
    assert sorted("fallback" in target for target in told) == [False, True]


async def test_a_workspace_is_a_directory_of_its_project(bench: Bench) -> None:
    (bench.projects["api"] / "feature" / "one").mkdir(parents=True)
    result = await bench.run(Prompt(text="go", targets=at("api", "api/feature", "api/feature/one")))
    assert [target["text"].split(" in ")[1] for target in result["targets"]] == [
        "api, turn 1",
        "feature, turn 1",
        "one, turn 1",
    ]
    assert len(bench.memory.sessions) == 3


@pytest.mark.parametrize("workspace", ["..", "../web", "a/../../web", "/etc", "link", "link/inner", "a\0b"])
async def test_nothing_leads_out_of_a_project(bench: Bench, workspace: str) -> None:
    (bench.projects["web"] / "inner").mkdir()
    (bench.projects["api"] / "a").mkdir()
    (bench.projects["api"] / "link").symlink_to(bench.projects["web"])
    prompt = Prompt(text="go", targets=(Target("api", workspace),))
    with pytest.raises(InvalidInputError):
        bench.dispatcher().check(prompt)
    with pytest.raises(PromptError, match="InvalidInputError: workspace"):
        await bench.run(prompt)
    assert all(row.pid is None for row in bench.memory.written)


async def test_a_directory_that_is_replaced_by_a_link_is_not_entered(bench: Bench) -> None:
    """The first process, which continues a session, replaces the directory of the second one by a link."""
    (bench.projects["api"] / "place").mkdir()
    swaps = "cd .. && mv place away && ln -s ../web place; echo no such session >&2; exit 1"
    sly = SpawnerProfile(
        name="sly",
        new=("sh", "-c", """touch was-here; echo '{"text": "done", "id": "s-2"}'"""),
        resume=("sh", "-c", swaps, "{session_id}"),
        session="parsed",  # type: ignore[arg-type]
        parse="json",  # type: ignore[arg-type]
        text_path="text",
        session_path="id",
        gone="no such session",
    )
    bench.memory.sessions["sched_1", "api", "place"] = "s-1"
    with pytest.raises(PromptError, match=r"cannot run in .*/api/place: it is .*/web by now \(exit code 126\)"):
        await bench.run(Prompt(text="go", targets=at("api/place")), dispatcher=bench.dispatcher(sly))
    assert not (bench.projects["web"] / "was-here").exists()


async def test_a_link_within_a_project_is_followed(bench: Bench) -> None:
    (bench.projects["api"] / "real").mkdir()
    (bench.projects["api"] / "link").symlink_to("real")
    result = await bench.run(Prompt(text="go", targets=at("api/link")))
    assert " in real," in result["targets"][0]["text"]


@pytest.mark.parametrize(("target", "words"), [("gone", "unknown project 'gone'"), ("api/none", "is not there")])
async def test_only_a_target_whose_folder_is_missing_fails(bench: Bench, target: str, words: str) -> None:
    prompt = Prompt(text="go", targets=at("web", target))
    with pytest.raises(NotFoundError, match=words):
        bench.dispatcher().check(prompt)
    with pytest.raises(PromptFailedError, match=words):
        await bench.run(prompt)
    assert sorted(row.status for row in bench.memory.rows.values()) == ["failed", "succeeded"]


@pytest.mark.parametrize(
    ("workspace", "words"),
    [
        (".", "leave it out for the project itself"),
        ("./a", "write 'a'"),
        ("a/", "write 'a'"),
        ("a//b/./c", "write 'a/b/c'"),
    ],
)
def test_a_workspace_has_one_name(bench: Bench, workspace: str, words: str) -> None:
    """Otherwise one directory could be two targets."""
    (bench.projects["api"] / "a" / "b" / "c").mkdir(parents=True)
    with pytest.raises(InvalidInputError, match=words):
        bench.dispatcher().check(Prompt(text="go", targets=(Target("api", workspace),)))


async def test_the_model_of_the_prompt_counts_before_that_of_the_profile(bench: Bench) -> None:
    seen: list[Any] = []
    profile = preset("claude", model="sonnet")
    dispatcher = bench.dispatcher(profile)

    class Recorder:
        async def carry_out(self, _profile: Any, work: Any) -> Any:
            seen.append(work.model)
            raise PromptError("no")

    dispatcher._execution._agents = {profile.kind: Recorder()}
    for model in (None, "opus"):
        with pytest.raises(PromptError):
            await bench.run(Prompt(text="go", model=model), dispatcher=dispatcher)
    assert seen == ["sonnet", "opus"]


def test_a_dispatcher_serves_its_profiles(bench: Bench) -> None:
    assert sorted(bench.dispatcher(preset("claude"), preset("codex")).serves()) == [
        "prompt:claude",
        "prompt:codex",
        "prompt:default",
    ]
    named = bench.dispatcher(preset("claude"), replace(preset("codex"), name="default"))
    assert named.rules.profile("default").new == preset("codex").new
    assert list(bench.dispatcher(preset("codex"), default=None).serves()) == ["prompt:codex"]
    with pytest.raises(InvalidInputError, match="unknown spawner 'gpt': configured are claude, default"):
        bench.dispatcher(preset("claude")).check(Prompt(text="go", spawner="gpt"))

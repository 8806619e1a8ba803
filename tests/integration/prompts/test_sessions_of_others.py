"""A prompt that begins with a session: one that is named, or that of a run of another schedule."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.action import Prompt
from tests.integration.agents.installation import until
from tests.integration.prompts.support import TOOLS, Bench, at, claimed


async def _at_another_schedule(bench: Bench, prompt: Prompt, **more: Any) -> dict[str, Any]:
    """Carry out a run of another schedule; return what it did at its target."""
    from duly.engine.context import Context

    run = replace(claimed(prompt, **{"run_id": "run_other", **more}), schedule_id="sched_2")
    result = await bench.dispatcher().dispatch(run, Context(run, lambda *_: None))
    [target] = result["targets"]
    return dict(target)


async def _has_begun(bench: Bench, run_id: str) -> bool:
    return (run_id, "api", "") in bench.memory.rows


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "aider"])
async def test_the_session_of_a_run_goes_on_in_another_schedule(bench: Bench, tool: str) -> None:
    first = (await bench.run(Prompt(text="go", spawner=tool, targets=at("api", "web"))))["targets"]
    named = claimed(Prompt(text="x")).run_id
    assert named.startswith("run_")
    woken = await _at_another_schedule(bench, Prompt(text="on", spawner=tool, session=named, targets=at("web")))
    assert woken["session_id"] == first[1]["session_id"]
    assert woken["text"] == f"{tool} heard 'on' in web, turn 2"
    wish = Prompt(text="on", spawner=tool, session=named, targets=at("web"))
    again = await _at_another_schedule(bench, wish, run_id="run_third")
    assert again["text"].endswith("turn 3")


async def test_without_a_target_the_folder_of_the_run_is_used_again(bench: Bench) -> None:
    await bench.run(Prompt(text="go"))
    named = claimed(Prompt(text="x")).run_id
    [row] = await bench.memory.target_runs(named)
    folder = json.loads(row.sent or "")["folder"]
    await _at_another_schedule(bench, Prompt(text="on", session=named))
    [woken] = [row for row in bench.memory.rows.values() if row.run_id != named]
    assert json.loads(woken.sent or "")["folder"] == folder
    assert woken.session_id == row.session_id


async def test_a_folder_that_is_none_of_ours_is_not_entered(bench: Bench) -> None:
    await bench.run(Prompt(text="go"))
    named = claimed(Prompt(text="x")).run_id
    [row] = await bench.memory.target_runs(named)
    elsewhere = json.dumps({**json.loads(row.sent or ""), "folder": str(bench.home)})
    await bench.memory.record_target(replace(row, sent=elsewhere))
    await _at_another_schedule(bench, Prompt(text="on", session=named))
    [woken] = [each for each in bench.memory.rows.values() if each.run_id != named]
    assert json.loads(woken.sent or "")["folder"] != str(bench.home)


async def test_a_session_can_be_named_by_itself(bench: Bench) -> None:
    [first] = (await bench.run(Prompt(text="go", targets=at("api"))))["targets"]
    woken = await _at_another_schedule(bench, Prompt(text="on", session=first["session_id"], targets=at("api")))
    assert (woken["session_id"], woken["text"]) == (first["session_id"], "claude heard 'on' in api, turn 2")


async def test_a_session_that_is_gone_is_told_and_a_new_one_begins(bench: Bench) -> None:
    gone = "0f8f2c9e-71d4-4b1c-9d55-5d1f0c77ab00"
    woken = await _at_another_schedule(bench, Prompt(text="on", session=gone, targets=at("api")))
    assert woken["text"].endswith("turn 1")
    assert f"session {gone} is gone" in woken["fallback"]


async def test_it_waits_for_the_run_whose_session_it_is(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.agents.execution._CHECK_EVERY", 0.01)
    go = bench.folder / "go on"
    prompt = Prompt(text=f"[[wait-in=api:{go}]]", spawner="codex", targets=at("api"))
    first = asyncio.ensure_future(bench.run(prompt))
    named = claimed(prompt).run_id
    await until(lambda: _has_begun(bench, named), "the first run to begin")
    wish = Prompt(text="on", spawner="codex", session=named, targets=at("api"))
    woken = asyncio.ensure_future(_at_another_schedule(bench, wish))
    await asyncio.sleep(0.05)
    assert not woken.done()
    go.touch()
    [began] = (await first)["targets"]
    assert (await woken)["session_id"] == began["session_id"]


@pytest.mark.parametrize("session", ["--evil", "", "a b", "../x", "x" * 201])
def test_a_session_never_becomes_an_option_or_a_path(session: str) -> None:
    with pytest.raises(InvalidInputError, match="session must be the id of a session, or of a run"):
        Prompt(text="go", session=session)

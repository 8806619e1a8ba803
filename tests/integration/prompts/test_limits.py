"""A spent usage window: the run waits, and the same session goes on. The tools are real processes; time is moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest

from duly import Duly, Overlap, Policy, Retry, Run, every
from duly.agents import PRESETS, PromptDispatcher
from duly.agents.assignment import LimitTooLongError, PromptError
from duly.clock import SystemClock
from duly.model.action import Prompt, SessionBehavior
from duly.model.events import Event
from duly.model.run import Status
from duly.ports.dispatch import Later
from duly.ports.run_history import read_line
from duly.ports.store import FullStore
from duly.testing import VirtualClock
from duly.testing.fake_cli_tools import COST
from duly.zones import iso
from tests.integration.engine_support.process_cluster import STORES
from tests.integration.prompts.support import FIRE, TOOLS, Bench, at, claimed, preset
from tests.postgres_server import server

HOUR = timedelta(hours=1)
RESET_IN_5_HOURS = {
    "claude": "{epoch}",
    "codex": "in 5 hours",
    "gemini": "5h0m0s",
    "opencode": "18000",
    "aider": "5h",
}
NOTE = PRESETS["claude"].limit_note


class MovableClock(SystemClock):
    """The clock of the machine, set to another time by the test."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


class Waiter:
    """Dispatches one run of a prompt again and again, as an engine does."""

    def __init__(self, bench: Bench, *, chance: float = 0.0, **changes: Any) -> None:
        self.bench = bench
        self.clock = MovableClock()
        profiles = [preset(name, **changes) for name in TOOLS]
        self.dispatcher = bench.dispatcher(*profiles, clock=self.clock, default="claude", chance=lambda: chance)

    async def run(self, prompt: Prompt, **more: Any) -> Any:
        return await self.bench.run(prompt, dispatcher=self.dispatcher, **more)

    async def waits(self, prompt: Prompt, **more: Any) -> Later:
        later = await self.run(prompt, **more)
        assert isinstance(later, Later), later
        assert later.waits
        assert later.error is None
        return later

    def away(self, later: Later) -> timedelta:
        """Return how far away the end of a wait is, to the minute."""
        return timedelta(minutes=round((later.at - self.clock.now()) / timedelta(minutes=1)))

    def pass_by(self, later: Later) -> None:
        self.clock.ahead += later.at - self.clock.now() + timedelta(seconds=1)


@pytest.fixture
def waiter(bench: Bench) -> Waiter:
    return Waiter(bench)


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_spent_window_is_waited_for_and_the_session_goes_on(waiter: Waiter, tool: str) -> None:
    reset = RESET_IN_5_HOURS[tool].format(epoch=int((waiter.clock.now() + 5 * HOUR).timestamp()))
    prompt = Prompt(text=f"[[limit-once={waiter.bench.path('once')}|{reset}]] go", spawner=tool, targets=at("api"))
    later = await waiter.waits(prompt)
    assert waiter.away(later) == 5 * HOUR
    assert later.reason == f"waits for {tool}'s limit until {iso(later.at.replace(microsecond=0))}"
    [row] = waiter.bench.memory.rows.values()
    assert (row.status, row.error, row.pid) == ("waiting", None, None)
    assert row.session_id is not None
    waiter.pass_by(later)
    result = await waiter.run(prompt)
    [target] = result["targets"]
    assert target["session_id"] == row.session_id
    assert target["text"].startswith(f"{tool} heard '[[limit-once=")  # it had not begun: the same prompt again
    assert target["text"].endswith(", turn 1" if tool == "aider" else ", turn 2")
    assert waiter.bench.memory.sessions["sched_1", "api", ""] == row.session_id


@pytest.mark.parametrize("tool", TOOLS)
async def test_without_a_named_reset_it_is_asked_again_after_a_while(waiter: Waiter, tool: str) -> None:
    prompt = Prompt(text="[[limit]] go", spawner=tool, targets=at("api"))
    minutes = []
    for _ in range(4):
        later = await waiter.waits(prompt)
        minutes.append(waiter.away(later) / timedelta(minutes=1))
        waiter.pass_by(later)
    assert minutes == [15, 30, 60, 60]


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "aider"])
async def test_a_session_that_had_begun_is_told_to_go_on(waiter: Waiter, tool: str) -> None:
    prompt = Prompt(text="[[midway]] [[limit]] go", spawner=tool, targets=at("api"))
    waiter.pass_by(await waiter.waits(prompt))
    [target] = (await waiter.run(prompt))["targets"]
    assert target["text"] == f"{tool} heard {NOTE!r} in api, turn 2"


async def test_a_profile_may_send_the_prompt_again(bench: Bench) -> None:
    waiter = Waiter(bench, limit_note="")
    prompt = Prompt(text=f"[[midway]] [[limit-once={bench.path('once')}|]] go", targets=at("api"))
    waiter.pass_by(await waiter.waits(prompt))
    [target] = (await waiter.run(prompt))["targets"]
    assert target["text"].startswith("claude heard '[[midway]]")


async def test_a_lost_session_gets_the_prompt_and_not_the_note(waiter: Waiter) -> None:
    prompt = Prompt(text=f"[[midway]] [[limit-once={waiter.bench.path('once')}|]] go", targets=at("api"))
    waiter.pass_by(await waiter.waits(prompt))
    for path in (waiter.bench.home / ".fake-claude").iterdir():
        path.unlink()
    [target] = (await waiter.run(prompt))["targets"]
    assert target["text"].startswith("claude heard '[[midway]]")
    assert "is gone" in target["fallback"]


async def test_a_new_session_every_time_still_goes_on_with_its_own(waiter: Waiter) -> None:
    once = waiter.bench.path("once")
    prompt = Prompt(text=f"[[limit-once={once}|]]", targets=at("api"), session_behavior=SessionBehavior.NEW)
    waiter.pass_by(await waiter.waits(prompt))
    [target] = (await waiter.run(prompt))["targets"]
    assert target["text"].endswith("turn 2")
    assert (await waiter.run(prompt, run_id="run_2"))["targets"][0]["text"].endswith("turn 1")


async def test_a_reset_that_is_too_far_away_is_a_failure_with_the_reason(bench: Bench) -> None:
    waiter = Waiter(bench, limit_wait="6h")
    waiter.pass_by(await waiter.waits(Prompt(text="[[limit=in 5 hours]]", spawner="codex", targets=at("api"))))
    with pytest.raises(LimitTooLongError) as refused:
        await waiter.run(Prompt(text="[[limit=in 7 hours]]", spawner="codex", targets=at("api")), run_id="run_2")
    assert str(refused.value).startswith("api: codex's limit resets at 20")
    assert "a run waits for it 6:00:00 at most (limit_wait of spawner codex): You've hit" in str(refused.value)
    assert refused.value.summary is not None
    assert "You've hit" not in refused.value.summary
    row = bench.memory.rows[claimed(Prompt(text="x"), run_id="run_2").run_id, "api", ""]
    assert row.status == "failed"


async def test_a_run_waits_no_longer_than_it_may_in_all(bench: Bench) -> None:
    waiter = Waiter(bench, limit_wait="2h")
    prompt = Prompt(text="[[limit]]", targets=at("api"))
    waits = []
    for _ in range(4):
        later = await waiter.waits(prompt)
        waits.append(waiter.away(later) / timedelta(minutes=1))
        waiter.pass_by(later)
    assert waits == [15, 30, 60, 15]
    with pytest.raises(LimitTooLongError, match="claude's limit is reached, and a run waits for it 2:00:00 at most"):
        await waiter.run(prompt)


async def test_a_limit_wait_of_nothing_makes_it_a_failure_like_any_other(bench: Bench) -> None:
    with pytest.raises(PromptError, match="You've hit your session limit"):
        await Waiter(bench, limit_wait=0).run(Prompt(text="[[limit=3pm]]", targets=at("api")))


async def test_only_the_targets_that_were_refused_go_on(waiter: Waiter) -> None:
    once = waiter.bench.path("once")
    prompt = Prompt(text=f"[[fail-in=web]] [[limit-once={once}|]]", targets=at("web", "api"))
    later = await waiter.waits(prompt)
    failed, waits = waiter.bench.memory.rows.values()
    assert {failed.status, waits.status} == {"failed", "waiting"}
    begun = len(waiter.bench.memory.written)
    again = await waiter.run(prompt)  # too early, as after a crash
    assert isinstance(again, Later)
    assert again.at == later.at
    assert len(waiter.bench.memory.written) == begun
    waiter.pass_by(later)
    with pytest.raises(Exception, match="1 of 2 targets failed: web: cannot work in web"):
        await waiter.run(prompt)
    touched = {row.project_id for row in waiter.bench.memory.written[begun:]}
    assert touched == {"api"}


async def test_what_it_cost_before_counts(waiter: Waiter) -> None:
    prompt = Prompt(text="[[midway]] [[limit]]", targets=at("api"), max_cost_per_run=5 * COST)
    waiter.pass_by(await waiter.waits(prompt))
    result = await waiter.run(prompt)
    assert result["cost_usd"] == pytest.approx(2 * COST)


async def test_the_gate_is_asked_once(bench: Bench) -> None:
    waiter = Waiter(bench)
    seen = bench.folder / "asked"
    gate = ["sh", "-c", f"echo seen >> {seen}; test $(wc -l < {seen}) = 1"]
    waiter.dispatcher = bench.dispatcher(clock=waiter.clock, default="claude", gates={"once": gate})
    prompt = Prompt(text=f"[[limit-once={bench.path('once')}|]]", gate="once", targets=at("api"))
    waiter.pass_by(await waiter.waits(prompt))
    assert (await waiter.run(prompt))["targets"][0]["status"] == "succeeded"
    assert seen.stat().st_size == len("seen\n")


# with an engine and a store, on virtual time


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "schedules.db")
    else:
        with server().database() as made:
            yield made


class Desk:
    """An engine that is ticked by hand, with fake tools."""

    def __init__(self, bench: Bench, url: str) -> None:
        self.bench = bench
        self.url = url
        self.clock = VirtualClock(FIRE)
        self.events: list[Event] = []
        self.app = self._open()

    def _open(self) -> Duly:
        def prompts(store: FullStore, clock: Any) -> PromptDispatcher:
            more = {"history": store.history, "chance": lambda: 0.0, "default": "claude"}
            return self.bench.dispatcher(targets=store.targets, clock=clock, **more)

        return Duly(self.url, clock=self.clock, on_event=self.events.append, dispatchers=[prompts])

    async def __aenter__(self) -> Self:
        await self.app.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.app.close()

    async def restart(self) -> None:
        """Close the application and begin another one on the same store."""
        await self.app.close()
        self.app = self._open()
        await self.app.open()

    async def pass_by(self, length: timedelta) -> int:
        self.clock.advance(length)
        return await self.app.tick()

    async def only_run(self, name: str = "daily") -> Run:
        [run] = await self.app.history(name)
        return run

    def told(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind.name == kind]


def spent_once(desk: Desk) -> Prompt:
    text = f"[[limit-once={desk.bench.path('once')}|5h0m0s]] go"
    return Prompt(text=text, spawner="gemini", targets=at("api"))


async def test_the_run_is_pending_until_the_reset_and_no_attempt_is_lost(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        await desk.app.schedule("daily", every(1).days(), prompt=spent_once(desk))
        fired = await desk.app.trigger("daily")
        assert await desk.app.tick() == 0
        run = await desk.only_run()
        assert (run.status, run.attempt, run.error) == (Status.PENDING, 0, None)
        assert run.due_at == FIRE + 5 * HOUR
        assert run.reason == "waits for gemini's limit until 2026-03-01T14:00:00Z"
        [event] = desk.told("run.waits")
        assert event.data["reason"] == run.reason
        assert (event.run_id, event.data["until"]) == (fired.id, "2026-03-01T14:00:00Z")
        assert not desk.told("run.failed")
        assert not desk.told("run.retrying")
        assert await desk.pass_by(4 * HOUR) == 0
        assert (await desk.only_run()).status is Status.PENDING
        await desk.restart()
        assert await desk.pass_by(HOUR) == 1
        run = await desk.only_run()
        assert (run.status, run.attempt, run.error, run.reason) == (Status.SUCCEEDED, 1, None, None)
        assert run.result["targets"][0]["text"].endswith("turn 2")
        row = await desk.app._store.get(run.fire.schedule_id)
        assert row is not None
        assert (row.consecutive_failures, row.total_runs) == (0, 1)


async def test_the_output_of_the_attempt_goes_on(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        await desk.app.schedule("daily", every(1).days(), prompt=spent_once(desk))
        run = await desk.app.trigger("daily")
        await desk.app.tick()
        await desk.pass_by(5 * HOUR)
        history = desk.app._store.history
        [kept] = await history.outputs(run.id)
        assert (kept.attempt, kept.target, kept.complete) == (1, "api", True)
        pieces = await history.pieces(run.id, 1, "api", 0, 10**6)
        lines = [read_line(line) for piece in pieces for line in piece.text.splitlines()]
        assert len(lines) == kept.lines
        said = [text for _, _, text in lines]
        assert any(text.startswith("waits for gemini's limit until 2026-03-01T14:00:00Z") for text in said)
        opened = [text for text in said if "gemini · " in text]
        assert [" · ".join(text.split(" · ")[1:])[:12] for text in opened] == ["new session", "goes on with"]


async def test_overlap_holds_while_it_waits(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        await desk.app.schedule("daily", every(1).hours(), prompt=spent_once(desk))
        await desk.pass_by(HOUR)
        for _ in range(3):
            assert await desk.pass_by(HOUR) == 0
        statuses = [run.status for run in await desk.app.history("daily")]
        assert statuses == [*[Status.SKIPPED] * 3, Status.PENDING]
        [first, *_] = await desk.app.history("daily")
        assert first.reason == "overlap: the previous run is not finished"


async def test_a_queue_waits_with_it(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        policy = Policy(overlap=Overlap.QUEUE)
        await desk.app.schedule("daily", every(1).days(), prompt=spent_once(desk), policy=policy)
        await desk.app.trigger("daily")
        await desk.app.tick()
        await desk.app.trigger("daily")
        await desk.app.tick()
        assert {run.status for run in await desk.app.history("daily")} == {Status.PENDING, Status.WAITING}
        assert await desk.pass_by(5 * HOUR) == 2


async def test_a_retry_keeps_its_number_too(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        text = f"[[fail-once={bench.path('failed')}]] [[limit-once={bench.path('once')}|1h0m0s]] [[fail-in=api]]"
        policy = Policy(retry=Retry(max_attempts=3, delay=timedelta(minutes=1), jitter=0))
        prompt = Prompt(text=text, spawner="gemini", targets=at("api"))
        await desk.app.schedule("daily", every(1).days(), prompt=prompt, policy=policy)
        await desk.app.trigger("daily")
        await desk.app.tick()
        attempts = [(await desk.only_run()).attempt]
        await desk.pass_by(2 * timedelta(minutes=1))
        attempts.append((await desk.only_run()).attempt)  # the second waits
        await desk.pass_by(HOUR)
        attempts.append((await desk.only_run()).attempt)
        await desk.pass_by(HOUR)
        run = await desk.only_run()
        assert [*attempts, run.attempt] == [1, 1, 2, 3]
        assert run.status is Status.FAILED
        assert [each.attempt for each in await desk.app._store.history.attempts(run.id)] == [1, 2, 3]


async def test_a_reset_too_far_away_is_not_tried_again(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        prompt = Prompt(text="[[limit=99h0m0s]]", spawner="gemini", targets=at("api"))
        policy = Policy(retry=Retry(max_attempts=3))
        await desk.app.schedule("daily", every(1).days(), prompt=prompt, policy=policy)
        await desk.app.trigger("daily")
        await desk.app.tick()
        run = await desk.only_run()
        assert (run.status, run.attempt) == (Status.FAILED, 1)
        assert run.error is not None
        assert run.error.startswith(
            "LimitTooLongError: api: gemini's limit resets at 2026-03-05T12:00:00Z, and a run waits"
        )


async def test_a_waiting_run_can_be_cancelled(bench: Bench, url: str) -> None:
    async with Desk(bench, url) as desk:
        await desk.app.schedule("daily", every(1).days(), prompt=spent_once(desk))
        run = await desk.app.trigger("daily")
        await desk.app.tick()
        await desk.app.cancel_run(run.id)
        assert (await desk.only_run()).status is Status.CANCELLED
        assert await desk.pass_by(5 * HOUR) == 0


@pytest.mark.parametrize("tool", ["claude", "opencode"])
async def test_an_empty_answer_is_told_in_the_run(bench: Bench, url: str, tool: str) -> None:
    async with Desk(bench, url) as desk:
        prompt = Prompt(text="[[wordless]]", spawner=tool, targets=at("api"))
        await desk.app.schedule("daily", every(1).days(), prompt=prompt)
        run = await desk.app.trigger("daily")
        assert await desk.app.tick() == 1
        seen = await desk.only_run()
        assert (seen.status, seen.reason) == (Status.SUCCEEDED, "the agent ended without an answer")
        assert seen.result["targets"][0]["wordless"] is True
        pieces = await desk.app._store.history.pieces(run.id, 1, "api", 0, 10**6)
        assert any("the agent ended without an answer" in piece.text for piece in pieces)

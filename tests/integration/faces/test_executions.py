"""The door for workers: leave, signs of life and outcomes, asked of a whole daemon."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duly.config.settings import ServerLimits
from duly.errors import ReportRefusedError, StoreUnavailableError
from duly.model.action import Job
from duly.model.events import HANDOVER_FAILED, LOGIN_FAILED
from duly.model.handover import HandoverKey, HandoverState
from duly.model.run import Status
from duly.planning.handovers import Refusal
from duly.ports.codec import MAX_PAYLOAD
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.records import EventFilter
from duly.ports.run_history import read_line
from duly.rest.problems import error_of
from duly.service.executions.keeping import KEPT_OUTPUT, MOST_LINES
from tests.handing import MINUTE, WorkerClient, hand_over, hashed, look, refusal, run_elsewhere, run_of, set_state
from tests.security.test_fuzz_routes import daemon
from tests.support import tries
from tests.world import World, world


async def handed_over(here: World, **fields: Any) -> tuple[HandoverKey, WorkerClient]:
    """A run that was handed over, and its worker."""
    key, token = await hand_over(here.runtime.store, here.clock, **fields)
    return key, WorkerClient(here.http, key, token)


async def lines_of(here: World, key: HandoverKey) -> list[str]:
    """The output of the first attempt of a run."""
    pieces = await here.runtime.store.history.pieces(key.run_id, 1, "", 0, KEPT_OUTPUT)
    return [read_line(line)[2] for piece in pieces for line in piece.text.splitlines()]


async def test_the_life_of_an_attempt(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        store = here.runtime.store
        key, worker = await handed_over(here)
        run = await run_of(store, key)
        leave = await worker.begin()
        assert leave.json() == {
            "key": run.key,
            "schedule": run.name,
            "attempt": 1,
            "lease_seconds": 60.0,
            "run_seconds": 600.0,
        }
        begun = await look(store, key)
        assert (begun.state, begun.worker, begun.start) == (HandoverState.BEGUN, "celery@build-7", "one")
        here.clock.advance(MINUTE.total_seconds() / 2)
        beaten = await worker.beat(progress={"done": 4}, lines=[{"text": "four"}, {"kind": "warning", "text": "slow"}])
        assert beaten.json() == {"lines": 2}
        assert (await look(store, key)).heard_at == here.clock.now()
        assert (await run_of(store, key)).progress == {"done": 4}
        assert (await worker.end(result={"rows": 12}, lines=[{"text": "done"}])).json() == {"lines": 3}
        ended = await look(store, key)
        assert (ended.state, json.loads(ended.result or "")) == (HandoverState.SUCCEEDED, {"rows": 12})
        assert await lines_of(here, key) == ["four", "slow", "done"]
        [output] = await store.history.outputs(key.run_id)
        assert (output.complete, output.attempt, output.lines) == (True, 1, 3)


PASSWORD = "hunter2%21of-the-broker"  # noqa: S105  of the test
TABLES = {
    "celery": {"broker": "env:BROKER", "result_backend": "env:RESULTS"},
    "http": {"url": "https://service.example", "secret": "env:SECRET"},
}


@pytest.mark.parametrize("kind", ExecutorKind)
async def test_secrets_of_an_executor_are_in_nothing_that_is_kept(kind: ExecutorKind, tmp_path: Path) -> None:
    table = ExecutorSettings(name="heavy", kind=kind, tasks=("*",), **TABLES[kind])  # type: ignore[arg-type]
    environment = {
        "BROKER": f"amqp://duly:{PASSWORD}@broker.example//;amqp://duly:short@broker-2.example//",
        "RESULTS": "redis://:another-one-for-results@results.example/0",
        "SECRET": "the-secret-that-signs",
    }
    hidden = {
        ExecutorKind.CELERY: (PASSWORD, "hunter2!of-the-broker", "duly:short@", "another-one-for-results"),
        ExecutorKind.HTTP: ("the-secret-that-signs",),
    }[kind]
    async with world(tmp_path, executors={"heavy": table}, environment=environment) as here:
        executors = here.runtime.capabilities.executors
        executors.check(Job("proj.report", executor="heavy"))
        said = " ".join(("cannot reach broker.example:", *hidden))
        key, worker = await handed_over(here)
        await worker.begin()
        await worker.beat(lines=[{"text": said}], progress={"at": said})
        await worker.end(state="failed", error=said, traceback=f"Traceback\n{said}")
        other, service = await handed_over(here)
        await service.end(start=None, result={said: [said]})
        [(_, event)] = await here.runtime.store.events(EventFilter(names=(HANDOVER_FAILED.name,)))
        kept = [
            *await lines_of(here, key),
            (await look(here.runtime.store, key)).error or "",
            str(event.data["traceback"]),
            str((await run_of(here.runtime.store, key)).progress),
            (await look(here.runtime.store, other)).result or "",
        ]
        for text in kept:
            assert "broker.example:" in text
            assert "[secret]" in text
            assert not any(secret in text for secret in hidden)


async def test_the_same_report_twice_is_answered_the_same(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        assert (await worker.begin()).json() == (await worker.begin()).json()
        said: dict[str, Any] = {"lines": [{"text": "a"}, {"text": "b"}], "lines_before": 0}
        assert (await worker.beat(**said)).json() == (await worker.beat(**said)).json() == {"lines": 2}
        more: dict[str, Any] = {"lines": [{"text": "b"}, {"text": "c"}], "lines_before": 1}
        assert (await worker.beat(**more)).json() == {"lines": 3}
        assert (await worker.end(result=1)).json() == (await worker.end(result=1)).json()
        assert await lines_of(here, key) == ["a", "b", "c"]


async def test_a_service_without_leave_ends_what_it_accepted(tmp_path: Path) -> None:
    """It answered 202, which began it; it has no start to name."""
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await set_state(here.runtime.store, here.clock, key, state=HandoverState.BEGUN, begun_at=here.clock.now())
        assert (await worker.beat(start=None)).status_code == 200
        assert [(await worker.end(start=None, result=7)).status_code for _ in range(2)] == [200, 200]
        assert (await look(here.runtime.store, key)).result == "7"


async def test_refusals_say_why_and_what_to_do(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        store, clock = here.runtime.store, here.clock
        key, worker = await handed_over(here)
        assert refusal(await worker.beat()) == refusal(await worker.end()) == "not_begun"
        await worker.begin()
        assert refusal(await worker.begin("two")) == refusal(await worker.beat("two")) == "beating"
        later, newer = await hand_over(store, clock, key.run_id, 2)
        answer = await worker.beat()
        assert refusal(answer) == refusal(await worker.end()) == "replaced"
        assert "stop" in answer.json()["detail"]
        error = error_of(answer.json())
        assert isinstance(error, ReportRefusedError)
        assert error.refusal == "replaced"

        latest = WorkerClient(here.http, later, newer)
        await latest.begin()
        await latest.end()
        assert refusal(await latest.begin("two")) == refusal(await latest.end(state="failed")) == "ended"

        _, late = await handed_over(here, begin_by=clock.now() + MINUTE)
        clock.advance(2 * MINUTE.total_seconds())
        assert refusal(await late.begin()) == "expired"


async def test_every_refusal_has_its_advice(tmp_path: Path) -> None:
    from duly.service.executions.executions import _ADVICE

    assert {*_ADVICE, Refusal.UNKNOWN} == set(Refusal)


async def test_a_cancelled_run_tells_its_worker_to_stop(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await worker.begin()
        await here.runtime.store.cancel(key.run_id, here.clock.now(), "not wanted")
        assert refusal(await worker.beat()) == refusal(await worker.end(result="late")) == "over"
        assert (await look(here.runtime.store, key)).result is None
        assert (await run_of(here.runtime.store, key)).status is Status.CANCELLED


@pytest.mark.parametrize("what", ["begin", "beat", "end"])
async def test_a_stranger_learns_nothing_and_is_counted(tmp_path: Path, what: str) -> None:
    """A forged token, a token of duly, one of another handover, and a handover that is not there are answered alike."""
    async with world(tmp_path) as here:
        store = here.runtime.store
        key, _ = await handed_over(here)
        _, other = await hand_over(store, here.clock)
        strangers = [
            WorkerClient(here.http, key, "forged"),
            WorkerClient(here.http, key, other),
            WorkerClient(here.http, key, await here.token("admin")),
            WorkerClient(here.http, HandoverKey(key.run_id, 2), other),
            WorkerClient(here.http, HandoverKey("run_none", 1), other),
        ]
        answers = [await each.ask(what, {"start": "x", "worker": "w", "state": "failed"}) for each in strangers]
        said = [{**each.json(), "instance": None} for each in answers]
        assert said[0]["status"] == 404
        assert all(each == said[0] for each in said)
        assert (await look(store, key)).state is HandoverState.HANDED_OVER
        assert await _audited(here)
        path = f"/api/v1/executions/{key.run_id}/{key.number}/{what}"
        assert (await here.http.post(path, json={})).status_code == 401


async def _audited(here: World) -> bool:
    token = await here.token("admin")
    answer = await here.http.get(
        "/api/v1/audit", params={"kind": LOGIN_FAILED.name}, headers={"Authorization": f"Bearer {token}"}
    )
    return any("executions" in str(each) for each in answer.json()["items"])


async def test_a_message_that_was_sent_again_voids_the_earlier_one(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        assert refusal(await worker.beat()) == "not_begun"  # it is known from now on
        await set_state(here.runtime.store, here.clock, key, token_hash=hashed("second"))
        assert (await worker.begin()).status_code == 404
        assert (await WorkerClient(here.http, key, "second").begin()).status_code == 200


async def test_while_the_store_is_away_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await worker.begin()

        async def away(*_given: Any, **_more: Any) -> Any:
            raise StoreUnavailableError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(type(here.runtime.store.handovers), "change", away)
            answers = [await worker.beat(), await worker.end(result=1)]
            assert [each.status_code for each in answers] == [503, 503]
            assert all(each.headers["retry-after"] for each in answers)
        with monkeypatch.context() as patched:
            patched.setattr(type(here.runtime.store.handovers), "of_run", away)
            assert (await WorkerClient(here.http, key, "another").begin()).status_code == 503
        assert (await worker.end(result=1)).status_code == 200
        assert (await look(here.runtime.store, key)).result == "1"


async def test_what_is_kept_of_a_failure_is_bounded_and_masked(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, token = await hand_over(here.runtime.store, here.clock)
        worker = WorkerClient(here.http, key, token)
        await worker.begin()
        error = f"cannot log in with {token}\0: " + "e" * 10_000
        await worker.end(state="failed", error=error, traceback="frame\n" * 5000 + f"ValueError: {token}")
        kept = (await look(here.runtime.store, key)).error or ""
        assert kept.startswith("cannot log in with [secret]")
        assert len(kept) == 4000
        [(_, event)] = await here.runtime.store.events(EventFilter(names=(HANDOVER_FAILED.name,)))
        assert event.data["traceback"].endswith("ValueError: [secret]")
        assert len(event.data["traceback"]) <= 4000
        assert token not in str(event.data)


async def test_output_is_masked_before_it_is_cut_and_bounded(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, token = await hand_over(here.runtime.store, here.clock)
        worker = WorkerClient(here.http, key, token)
        await worker.begin()
        texts = [
            f"token {token}",
            "two\nlines",
            "\x1b[31mred\x1b[0m",
            "x" * 3990 + token,
        ]
        await worker.beat(lines=[{"text": text} for text in texts])
        shown = await lines_of(here, key)
        assert shown[:3] == ["token [secret]", "two lines", "red"]
        assert len(shown) == len(texts)
        assert token not in "".join(shown)
        assert not any(token[:20] in line for line in shown)
        for _ in range(5):
            await worker.beat(lines=[{"text": "y" * 900}] * MOST_LINES)
        [output] = await here.runtime.store.history.outputs(key.run_id)
        assert output.total > 4 * KEPT_OUTPUT
        kept = await here.runtime.store.history.kept_bytes(key.run_id, 1, "")
        assert kept <= 2 * KEPT_OUTPUT


@pytest.mark.parametrize(
    "result",
    ["x" * (MAX_PAYLOAD + 1), list(range(5000)), [[]], {"a": "\0"}],
    ids=["too long", "many members", "small", "a control character"],
)
async def test_an_outcome_is_never_lost_for_its_size(tmp_path: Path, result: Any) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await worker.begin()
        assert (await worker.end(result=result)).status_code == 200
        kept = (await look(here.runtime.store, key)).result or ""
        assert len(kept) <= MAX_PAYLOAD
        assert json.loads(kept) == result or "repr" in json.loads(kept)


async def test_a_result_that_is_too_deep_is_described(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await worker.begin()
        deep: Any = []
        for _ in range(150):
            deep = [deep]
        assert (await worker.end(result=deep)).status_code == 200
        assert "repr" in json.loads((await look(here.runtime.store, key)).result or "")


async def test_a_huge_body_is_refused_and_the_outcome_can_still_come(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        await worker.begin()
        assert (await worker.end(result="x" * 1_000_001)).status_code == 413
        assert (await worker.end()).status_code == 200
        assert (await look(here.runtime.store, key)).state is HandoverState.SUCCEEDED


async def test_a_stranger_s_body_is_not_read(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        key, _ = await handed_over(here)
        asked = 0

        async def body() -> Any:
            nonlocal asked
            for _ in range(3):
                asked += 1
                yield b"x" * 1000

        path = f"/api/v1/executions/{key.run_id}/{key.number}/end"
        answer = await here.http.post(path, content=body(), headers={"Authorization": "Bearer forged"})
        assert answer.status_code == 404


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("begin", {}),
        ("begin", {"start": "", "worker": "w"}),
        ("begin", {"start": "one", "worker": "w" * 201}),
        ("begin", {"start": "one", "worker": "nul\0"}),
        ("beat", {"start": 1}),
        ("beat", {"start": "one", "lines": ["text"]}),
        ("beat", {"start": "one", "lines": [{"text": "x"}] * (MOST_LINES + 1)}),
        ("beat", {"start": "one", "lines_before": -1}),
        ("end", {"start": "one"}),
        ("end", {"start": "one", "state": "lost"}),
        ("end", {"start": "one", "state": "failed", "more": 1}),
    ],
)
async def test_what_cannot_be_read_is_refused_and_changes_nothing(tmp_path: Path, what: str, body: Any) -> None:
    async with world(tmp_path) as here:
        key, worker = await handed_over(here)
        before = await look(here.runtime.store, key)
        assert (await worker.ask(what, body)).status_code == 422
        assert await look(here.runtime.store, key) == before


async def test_a_worker_that_reports_without_end_is_slowed_down_alone(tmp_path: Path) -> None:
    async with world(tmp_path, limits=ServerLimits(requests_per_minute=30)) as here:
        _, busy = await handed_over(here)
        _, other = await handed_over(here)
        await busy.begin()
        answers = [(await busy.beat()).status_code for _ in range(40)]
        assert answers.count(200) == 29
        assert set(answers) == {200, 429}
        assert (await other.begin()).status_code == 200


async def test_many_workers_are_judged_in_few_transactions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as here:
        store = here.runtime.store
        workers = [(await handed_over(here))[1] for _ in range(30)]
        kind = type(store.handovers)
        judged: list[int] = []
        change = kind.change

        async def counted(self: Any, keys: Any, *more: Any) -> Any:
            judged.append(len(keys))
            await asyncio.sleep(0)
            return await change(self, keys, *more)

        monkeypatch.setattr(kind, "change", counted)
        answers = await asyncio.gather(*(each.begin() for each in workers for _ in range(2)))
        assert [each.status_code for each in answers] == [200] * 60
        assert sum(judged) == 60
        assert len(judged) < 30


async def test_the_token_is_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with world(tmp_path) as here:
        key, token = await hand_over(here.runtime.store, here.clock)
        worker = WorkerClient(here.http, key, token)
        await worker.begin()
        await worker.end(state="failed", error=f"Bearer {token}")
        await worker.begin()
    assert token not in caplog.text


# the law

_STARTS = st.sampled_from(["one", "two"])
_TOKENS = st.sampled_from(["right", "old", "forged"])
_REPORTS = st.one_of(
    st.tuples(st.just("begin"), _TOKENS, _STARTS),
    st.tuples(st.just("beat"), _TOKENS, _STARTS | st.none()),
    st.tuples(
        st.just("end"), _TOKENS, _STARTS | st.none(), st.sampled_from(["succeeded", "failed"]), st.integers(0, 3)
    ),
)
_CHANGES = st.none() | st.sampled_from(["sent_again", "next_attempt", "cancelled"]) | st.integers(1, 200)


class Attempts:
    """A run whose handovers meet anything, and what must hold whatever comes."""

    def __init__(self, here: World, run_id: str) -> None:
        self.here = here
        self.store = here.runtime.store
        self.run_id = run_id
        self.key = HandoverKey(run_id, 0)
        self.tokens = {"right": "none", "old": "none", "forged": "forged"}
        self.sent = 0
        self.leaves: dict[HandoverKey, set[str]] = {}
        self.outcomes: dict[HandoverKey, tuple[Any, ...]] = {}

    async def next_attempt(self) -> None:
        if (await run_of(self.store, self.key)).status.final:
            return
        number = self.key.number + 1
        begin_by = self.here.clock.now() + MINUTE
        self.key, token = await hand_over(self.store, self.here.clock, self.run_id, number, begin_by=begin_by)
        self.tokens |= {"old": self.tokens["right"], "right": token}

    async def sent_again(self) -> None:
        if (await look(self.store, self.key)).state.begins_still:
            self.sent += 1
            self.tokens |= {"old": self.tokens["right"], "right": f"{self.run_id}-sent-{self.sent}"}
            await set_state(self.store, self.here.clock, self.key, token_hash=hashed(self.tokens["right"]))

    async def cancelled(self) -> None:
        await self.store.cancel(self.run_id, self.here.clock.now(), "not wanted")

    async def report(self, what: str, whose: str, start: str | None, state: str = "", result: int = 0) -> None:
        key = self.key
        worker = WorkerClient(self.here.http, key, self.tokens[whose])
        if what == "begin" and start is not None:
            answer = await worker.begin(start)
            if answer.status_code == 200:
                self.leaves.setdefault(key, set()).add(start)
        else:
            answer = await (worker.end(start, state, result=result) if what == "end" else worker.beat(start))
        assert answer.status_code in ((200, 404, 409) if whose == "right" else (404,))

    async def hold(self) -> None:
        assert all(len(starts) == 1 for starts in self.leaves.values())
        for each in await self.store.handovers.of_run(self.run_id):
            if each.state.final:
                outcome = (each.state, each.result, each.error)
                assert self.outcomes.setdefault(each.key, outcome) == outcome


@pytest.mark.explored
def test_any_sequence_of_requests_leaves_at_most_one_outcome(tmp_path: Path) -> None:
    """Of each handover one outcome is accepted, and it never changes; user code begins for one start of it alone."""
    with daemon(tmp_path) as (here, _, wait):
        turn = st.tuples(st.lists(_REPORTS, max_size=3), _CHANGES)

        @settings(max_examples=tries(60), deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.lists(turn, max_size=12))
        def check(turns: list[tuple[list[tuple[Any, ...]], str | int | None]]) -> None:
            wait(_tried(here, turns))

        check()


async def _tried(here: World, turns: list[tuple[list[tuple[Any, ...]], str | int | None]]) -> None:
    """Send the reports of each turn at the same time; then something else changes."""
    attempts = Attempts(here, await run_elsewhere(here.runtime.store, here.clock))
    await attempts.next_attempt()
    for reports, change in turns:
        await asyncio.gather(*(attempts.report(*each) for each in reports))
        await attempts.hold()
        if isinstance(change, int):
            here.clock.advance(change)
        elif change is not None:
            await getattr(attempts, change)()
    await attempts.hold()

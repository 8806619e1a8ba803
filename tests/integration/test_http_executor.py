"""An executor of kind "http" asks real servers: what each answer means, and what is refused before anything is sent."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.executors.http import LARGEST_ARGUMENTS, HttpExecutor
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.outbound.webhooks import sign
from duly.planning.handovers import Outcome, Revised, give_up
from duly.ports.codec import MAX_PAYLOAD
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import SendResult, Sighting, WorkOrder
from duly.ports.run_history import read_line
from duly.ports.store import FullStore
from duly.testing import VirtualClock
from tests.channels.fakes.server import FakeServer, Hang, HangUp, Reply, Seen
from tests.documentation.blocks import ROOT
from tests.handing import WorkerClient, hand_over, look, refusal, set_state
from tests.integration.engine_support.waiting import eventually
from tests.integration.faces.test_first_minute import duly, health, up
from tests.world import served, until

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
SECRET = "hush-hush-of-the-test"  # noqa: S105  of the test


class Service(FakeServer):
    """A service that answers as the test says."""

    def __init__(self, answer: Reply | None = None) -> None:
        super().__init__()
        self.answer = answer or Reply(202)
        self.under_way = 0
        self.most_under_way = 0

    async def respond(self, seen: Seen) -> Reply:  # noqa: ARG002  it answers all alike
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        return self.answer


def executor_of(service: FakeServer, clock: VirtualClock | None = None, **fields: Any) -> HttpExecutor:
    values: dict[str, Any] = {
        "name": "cloud",
        "kind": ExecutorKind.HTTP,
        "url": f"{service.url}/work?tenant=a",
        "callback": "https://duly.example/",
        "tasks": ("images.*", "report"),
        "secret": "env:SECRET",
        "allow": ("127.0.0.0/8",),
    }
    settings = ExecutorSettings(**{**values, **fields})
    return HttpExecutor(settings, {"env:SECRET": SECRET}.__getitem__, clock or VirtualClock(NOW))


def order(number: int = 1, **fields: Any) -> WorkOrder:
    values: dict[str, Any] = {
        "key": HandoverKey("run_1", number),
        "token": f"token-{number}-of-the-message",
        "run_key": "sched_1/schedule/2026-11-16T12:00:00+00:00",
        "schedule": "thumbnails",
        "task": "images.shrink",
        "args": {"folder": "à la carte"},
        "attempt": 2,
        "fire_at": NOW,
        "run_seconds": 600.0,
        "lease_seconds": 60.0,
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }
    return WorkOrder(**{**values, **fields})


def begun(number: int = 1, **fields: Any) -> Handover:
    values: dict[str, Any] = {
        "run_id": "run_1",
        "number": number,
        "schedule_id": "sched_1",
        "executor": "cloud",
        "task": "images.shrink",
        "token_hash": "hash",
        "lease_seconds": 60.0,
        "intended_at": NOW,
        "state": HandoverState.BEGUN,
    }
    return Handover(**{**values, **fields})


async def sent(executor: HttpExecutor, *orders: WorkOrder) -> list[SendResult]:
    return await asyncio.to_thread(executor.hand_over, orders)


async def seen_by(executor: HttpExecutor, *handovers: Handover) -> list[Sighting]:
    return await asyncio.to_thread(executor.observe, handovers)


async def test_an_order_says_everything_and_is_signed() -> None:
    async with Service() as service:
        [result] = await sent(executor_of(service), order(begin_by=NOW, positional=(1, "b"), queue="slow", priority=3))
        assert result == SendResult(is_begun=True)
        [seen] = service.seen
        assert (seen.method, seen.target) == ("POST", "/work?tenant=a")
        assert seen.json == {
            "key": "sched_1/schedule/2026-11-16T12:00:00+00:00",
            "run": "run_1",
            "number": 1,
            "attempt": 2,
            "schedule": "thumbnails",
            "task": "images.shrink",
            "args": {"folder": "à la carte"},
            "positional": [1, "b"],
            "queue": "slow",
            "priority": 3,
            "fire_at": "2026-11-16T12:00:00Z",
            "begin_by": "2026-11-16T12:00:00Z",
            "lease_seconds": 60.0,
            "run_seconds": 600.0,
            "callback": {
                name: f"https://duly.example/api/v1/executions/run_1/1/{name}" for name in ("begin", "beat", "end")
            },
            "token": "token-1-of-the-message",
        }
        assert seen.headers["x-duly-signature"] == sign(SECRET, seen.headers["x-duly-timestamp"], seen.body)
        assert seen.headers["idempotency-key"] == "run_1.1"
        assert seen.headers["traceparent"] == order().traceparent


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Reply(200, {"rows": 2}), SendResult(is_begun=True, outcome=Outcome(HandoverState.SUCCEEDED, '{"rows":2}'))),
        (Reply(200, "done"), SendResult(is_begun=True, outcome=Outcome(HandoverState.SUCCEEDED, '"done"'))),
        (Reply(200, ""), SendResult(is_begun=True, outcome=Outcome(HandoverState.SUCCEEDED))),
        (Reply(204, ""), SendResult(is_begun=True, outcome=Outcome(HandoverState.SUCCEEDED))),
        (Reply(201, "job 7"), SendResult(is_begun=True)),
        (Reply(202, {"state": "queued"}), SendResult()),
        (Reply(409, "known"), SendResult(error="127.0.0.1 answered 409: known", final=True)),
        (Reply(422, ""), SendResult(error="127.0.0.1 answered 422: nothing", final=True)),
        (Reply(429, "slow"), SendResult(error="127.0.0.1 answered 429: slow")),
        (Reply(503, "x" * 999), SendResult(error=f"127.0.0.1 answered 503: {'x' * 300}…")),
        (Reply(500, f"token {SECRET}"), SendResult(error="127.0.0.1 answered 500: token [secret]")),
        (Reply(400, "token-1-of-the-message"), SendResult(error="127.0.0.1 answered 400: [secret]", final=True)),
    ],
    ids=lambda value: value.status if isinstance(value, Reply) else "",
)
async def test_what_an_answer_means(answer: Reply, expected: SendResult) -> None:
    async with Service(answer) as service:
        assert await sent(executor_of(service), order()) == [expected]


async def test_a_huge_answer_is_described() -> None:
    async with Service(Reply(200, ["x" * MAX_PAYLOAD])) as service:
        [result] = await sent(executor_of(service), order())
        assert result.outcome is not None
        assert len(result.outcome.result or "") < 10_000


@pytest.mark.parametrize("where", ["http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/"])
async def test_a_redirect_is_not_followed(where: str) -> None:
    async with Service(Reply(302, "", {"Location": where})) as service:
        [result] = await sent(executor_of(service), order())
        assert result.final
        assert "redirects are not followed" in (result.error or "")
        assert len(service.seen) == 1


@pytest.mark.parametrize("host", ["169.254.169.254", "127.0.0.1"])
async def test_an_address_that_may_not_be_called_is_refused(host: str) -> None:
    async with Service() as service:
        closed = executor_of(service, url=f"http://{host}:{service.port}/work", allow=())
        [result] = await sent(closed, order())
        assert result.final
        assert "never called" in (result.error or "") or "not public" in (result.error or "")
        assert not (await asyncio.to_thread(closed.standing)).reachable
        assert service.seen == []


async def test_a_service_that_is_away_takes_nothing() -> None:
    async with Service() as service:
        executor = executor_of(service)
    with pytest.raises(ExecutorUnreachableError, match=r"127\.0\.0\.1"):
        await sent(executor, order(1), order(2))
    standing = await asyncio.to_thread(executor.standing)
    assert not standing.reachable
    assert standing.error


@pytest.mark.parametrize("fault", [HangUp, Hang])
async def test_an_order_that_may_have_arrived_is_sent_again_later(fault: type[HangUp | Hang]) -> None:
    async with Service() as service:
        service.fail(fault)
        [result] = await sent(executor_of(service, timeout=timedelta(seconds=0.2)), order())
        assert result.error
        assert not result.final


async def test_a_batch_shares_few_connections() -> None:
    async with Service() as service:
        opened = 0
        connected = service._connected

        async def counted(reader: Any, writer: Any) -> None:
            nonlocal opened
            opened += 1
            await connected(reader, writer)

        service._server.close()
        service._server = await asyncio.start_server(counted, "127.0.0.1", 0)
        service.url = f"http://127.0.0.1:{service._server.sockets[0].getsockname()[1]}"
        results = await sent(executor_of(service), *(order(number) for number in range(1, 201)))
        assert results == [SendResult(is_begun=True)] * 200
        assert opened <= 16
        assert service.most_under_way <= 16
        assert sorted(each.json["number"] for each in service.seen) == list(range(1, 201))


@pytest.mark.parametrize(
    ("location", "body", "known"),
    [
        ("/jobs/7", None, "{url}/jobs/7"),
        ("{url}/jobs/7", None, "{url}/jobs/7"),
        (None, {"status_url": "jobs/8"}, "{url}/jobs/8"),
        ("http://169.254.169.254/jobs/7", None, None),
        ("http://elsewhere.example/jobs/7", None, None),
        ("ftp://x", None, None),
        ("/" + "x" * 2000, None, None),
    ],
)
async def test_only_a_place_at_the_same_server_is_known_again(
    location: str | None, body: Any, known: str | None
) -> None:
    async with Service() as service:
        headers = {} if location is None else {"Location": location.format(url=service.url)}
        service.answer = Reply(202, body, headers)
        [result] = await sent(executor_of(service), order())
        assert result == SendResult(is_begun=True, worker=None if known is None else known.format(url=service.url))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Reply(200, {"state": "succeeded", "result": [1]}), Outcome(HandoverState.SUCCEEDED, "[1]")),
        (Reply(200, {"state": "succeeded"}), Outcome(HandoverState.SUCCEEDED)),
        (Reply(200, {"state": "failed", "error": "no"}), Outcome(HandoverState.FAILED, error="no")),
        (Reply(200, {"state": "failed"}), Outcome(HandoverState.FAILED, error="the service gave no reason")),
        (Reply(200, {"state": "running"}), "at work"),
        (Reply(202), "at work"),
        (Reply(200, {"state": "pending"}), None),
        (Reply(200, {"state": ["succeeded"]}), None),
        (Reply(200, "succeeded"), None),
        (Reply(404), None),
        (Reply(500, {"state": "succeeded"}), None),
        (Reply(302, "", {"Location": "http://169.254.169.254/"}), None),
    ],
)
async def test_what_a_look_tells(answer: Reply, expected: Any) -> None:
    async with Service(answer) as service:
        executor = executor_of(service, status_url=f"{service.url}/jobs/{{key}}")
        found = await seen_by(executor, begun())
        assert service.seen[0].target == "/jobs/run_1.1"
        assert service.seen[0].headers["x-duly-signature"]
        if expected is None:
            assert found == []
        elif expected == "at work":
            assert [each.is_at_work for each in found] == [True]
        else:
            assert [each.outcome for each in found] == [expected]


async def test_a_service_is_looked_at_where_it_said_and_not_elsewhere() -> None:
    async with Service(Reply(202)) as service:
        executor = executor_of(service)
        places = [f"{service.url}/jobs/1", None, "celery@build-7", "http://169.254.169.254/"]
        found = await seen_by(executor, *(begun(number, worker=each) for number, each in enumerate(places, 1)))
        assert [each.key.number for each in found] == [1]
        assert len(service.seen) == 1


async def test_it_is_asked_again_when_it_wants_but_within_the_lease() -> None:
    async with Service(Reply(202, None, {"Retry-After": "3600"})) as service:
        clock = VirtualClock(NOW)
        executor = executor_of(service, clock, status_url=f"{service.url}/{{key}}")
        assert len(await seen_by(executor, begun())) == 1
        assert await seen_by(executor, begun()) == []
        clock.advance(31)
        assert len(await seen_by(executor, begun())) == 1
        service.answer = Reply(202, None, {"Retry-After": "Mon, 16 Nov 2026 12:01:31 GMT"})
        clock.advance(31)
        assert len(await seen_by(executor, begun())) == 1
        clock.advance(10)
        assert await seen_by(executor, begun()) == []


async def test_the_end_of_work_is_asked_for() -> None:
    async with Service(Reply(500)) as service:
        by_url = executor_of(service, cancel_url=f"{service.url}/stop/{{key}}")
        await asyncio.to_thread(by_url.cancel, [begun()], terminate=True)
        await asyncio.to_thread(executor_of(service).cancel, [begun(worker=f"{service.url}/jobs/7")], terminate=False)
        await asyncio.to_thread(executor_of(service).cancel, [begun(2)], terminate=False)
        assert [(each.method, each.target) for each in service.seen] == [
            ("POST", "/stop/run_1.1"),
            ("DELETE", "/jobs/7"),
        ]
        assert service.seen[0].json == {"run": "run_1", "number": 1, "terminate": True}


async def test_its_standing() -> None:
    async with Service(Reply(200)) as service:
        plain = await asyncio.to_thread(executor_of(service).standing)
        assert (plain.reachable, plain.warnings, service.seen) == (True, (), [])
        asked = executor_of(service, health_url=f"{service.url}/health", secret=None, reports=False)
        standing = await asyncio.to_thread(asked.standing)
        assert standing.reachable
        assert [each.split(":")[0] for each in standing.warnings] == [
            "requests are not signed",
            "with reports = false outcomes are asked for",
        ]
        service.answer = Reply(503)
        assert (await asyncio.to_thread(asked.standing)).error == "127.0.0.1 answered 503"


def check(executor: HttpExecutor, task: str, args: dict[str, Any], positional: Sequence[Any] = ()) -> None:
    executor.check(task, args, positional, None)


async def test_only_small_arguments_are_taken() -> None:
    async with Service() as service:
        executor = executor_of(service)
        check(executor, "images.shrink", {"a": 1})
        check(executor, "report", {}, (1,))
        with pytest.raises(InvalidInputError, match="at most 65536"):
            check(executor, "report", {"a": "x" * LARGEST_ARGUMENTS})
        with pytest.raises(InvalidInputError, match="must be JSON"):
            check(executor, "report", {"a": {1}})
        with pytest.raises(InvalidInputError, match="url must begin"):
            executor_of(service, url="ftp://x")
        with pytest.raises(InvalidInputError, match="status_url must begin"):
            executor_of(service, status_url="ftp://x")


# with a daemon


@asynccontextmanager
async def handed(folder: Path, service: Service) -> AsyncIterator[tuple[Any, HandoverKey, httpx.AsyncClient]]:
    """A daemon that has handed a run over to a service."""
    async with served(folder) as (here, address), httpx.AsyncClient(trust_env=False) as http:
        key, token = await hand_over(here.runtime.store, here.clock)
        executor = executor_of(service, callback=f"http://{address}")
        [result] = await sent(executor, replace(order(), key=key, token=token))
        assert result.is_begun
        await set_state(here.runtime.store, here.clock, key, state=HandoverState.BEGUN, begun_at=here.clock.now())
        yield here, key, http


async def test_a_service_calls_back(tmp_path: Path) -> None:
    async with Service() as service, handed(tmp_path, service) as (here, key, http):
        told = service.seen[0].json
        headers = {"Authorization": f"Bearer {told['token']}"}
        beaten = await http.post(told["callback"]["beat"], json={"progress": 0.5}, headers=headers)
        ended = await http.post(told["callback"]["end"], json={"state": "succeeded", "result": 4}, headers=headers)
        again = await http.post(told["callback"]["end"], json={"state": "succeeded", "result": 5}, headers=headers)
        late = await http.post(told["callback"]["end"], json={"state": "failed"}, headers=headers)
        forged = await http.post(
            told["callback"]["end"], json={"state": "failed"}, headers={"Authorization": "Bearer x"}
        )
        assert [each.status_code for each in (beaten, ended, again, late, forged)] == [200, 200, 200, 409, 404]
        assert json.loads((await look(here.runtime.store, key)).result or "") == 4


async def test_a_callback_of_an_old_fence_and_one_after_cancel_do_not_count(tmp_path: Path) -> None:
    async with Service() as service, handed(tmp_path, service) as (here, key, http):
        told = service.seen[0].json
        base = told["callback"]["end"].partition("/executions/")[0]
        old = WorkerClient(http, key, told["token"], base)
        later, token = await hand_over(here.runtime.store, here.clock, key.run_id, 2)
        assert refusal(await old.end(None, result="old")) == "replaced"
        await here.runtime.store.cancel(key.run_id, here.clock.now(), "not wanted")
        assert refusal(await WorkerClient(http, later, token, base).begin()) == "over"


async def test_a_service_that_never_calls_back_has_lost_the_attempt_after_a_lease(tmp_path: Path) -> None:
    async with Service() as service, handed(tmp_path, service) as (here, key, http):
        store = here.runtime.store
        since = here.clock.now()
        here.clock.advance(61)
        watched = await store.handovers.watch(["heavy"], here.clock.now(), since, 10)
        assert watched.late == [key]
        assert await seen_by(executor_of(service), await look(store, key)) == []

        def decide(each: Handover, run: Any) -> Revised | None:
            return give_up(each, run, hearing_since=since, now=here.clock.now())

        await store.handovers.change([key], decide, here.clock.now())
        assert (await look(store, key)).state is HandoverState.LOST
        told = service.seen[0].json
        late = WorkerClient(http, key, told["token"], told["callback"]["end"].partition("/executions/")[0])
        assert refusal(await late.end(None, result="late")) == "replaced"


# the service of the documentation

EXAMPLE = ROOT / "examples" / "executor" / "service.py"


@contextmanager
def example() -> Iterator[str]:
    """The service of the page, in a process of its own; gives its address."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLE), str(port)], env={"DULY_SECRET": SECRET}, stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: _listens(port), "the service")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def test_the_service_of_the_page_is_the_example() -> None:
    page = (ROOT / "docs" / "executors.md").read_text(encoding="utf-8")
    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```" in page


async def test_the_example_carries_work_out_and_calls_back(tmp_path: Path) -> None:
    with example() as place:
        async with served(tmp_path) as (here, address):
            store, clock = here.runtime.store, here.clock
            executor = _calling(place, address)
            handed = [await hand_over(store, clock, lease_seconds=60.0) for _ in range(2)]
            tasks = ["count_words", "unknown"]
            orders = [
                replace(order(), key=key, token=token, task=task, args={"text": "a b a"})
                for (key, token), task in zip(handed, tasks, strict=True)
            ]
            good, bad = await sent(executor, *orders)
            assert good.worker == f"{place}/orders/{handed[0][0]}"
            assert bad.final
            key = handed[0][0]
            again = await sent(executor, orders[0])
            assert again == [good]
            await set_begun(store, clock, key)
            await until(lambda: _is_over(store, key), "the callback")
            ended = await look(store, key)
            assert (ended.state, json.loads(ended.result or "")) == (
                HandoverState.SUCCEEDED,
                {"words": 3, "different": 2},
            )
            pieces = await store.history.pieces(key.run_id, 1, "", 0, 10_000)
            assert [read_line(each.text.rstrip())[2] for each in pieces] == ["3 words"]
            found = await seen_by(executor, replace(ended, worker=good.worker))
            assert [each.outcome for each in found] == [Outcome(HandoverState.SUCCEEDED, ended.result)]


def test_a_daemon_hands_over_to_the_example(tmp_path: Path) -> None:
    """From `duly.toml` to the outcome, with nothing in between that is not real."""
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "secret").chmod(0o600)
    with example() as place:
        (tmp_path / "duly.toml").write_text(
            f"""
            [executors.words]
            kind = "http"
            url = "{place}/orders"
            secret = "file:secret"
            tasks = ["count_words", "unknown"]
            allow = ["127.0.0.0/8"]
            """,
            encoding="utf-8",
        )
        with up(tmp_path) as (_, url):  # on a port that the service learns with its order
            eventually(lambda: health(url), "the daemon")
            for name in ("count_words", "unknown"):
                words = ("--executor", "words", "--job", name, "--cron", "0 0 1 1 *", "--arg", "text=a b")
                duly(tmp_path, "schedule", "create", name, *words)
                duly(tmp_path, "schedule", "trigger", name)
            found = eventually(lambda: _ended(tmp_path, "count_words"), "the outcome")
            assert (found["status"], found["result"]) == ("succeeded", {"words": 2, "different": 2})
            refused = eventually(lambda: _ended(tmp_path, "unknown"), "the refusal")
            assert refused["status"] == "failed"
            assert "there is no task unknown" in refused["error"]


def _ended(folder: Path, name: str) -> Any:
    [run] = json.loads(duly(folder, "schedule", "history", name, "--json"))["items"]
    return run if run.get("finished_at") else None


async def test_the_example_serves_only_what_is_signed() -> None:
    with example() as place:
        stranger = replace(_calling(place, "127.0.0.1:1")._settings, secret=None)
        executor = HttpExecutor(stranger, str)
        [refused] = await sent(executor, order())
        assert refused.final
        assert "401" in (refused.error or "")


def _calling(place: str, address: str) -> HttpExecutor:
    settings = ExecutorSettings(
        name="words",
        kind=ExecutorKind.HTTP,
        url=f"{place}/orders",
        callback=f"http://{address}",
        tasks=("*",),
        secret="env:SECRET",  # noqa: S106  where it is
        allow=("127.0.0.0/8",),
    )
    return HttpExecutor(settings, lambda _name: SECRET)


async def set_begun(store: FullStore, clock: VirtualClock, key: HandoverKey) -> None:
    """Note what its answer said, unless it has ended by now."""

    def decide(each: Handover, _run: Any) -> Revised | None:
        if each.state.final:
            return None
        return Revised(replace(each, state=HandoverState.BEGUN, begun_at=clock.now(), heard_at=clock.now()))

    await store.handovers.change([key], decide, clock.now())


async def _is_over(store: FullStore, key: HandoverKey) -> bool:
    return (await look(store, key)).state.final

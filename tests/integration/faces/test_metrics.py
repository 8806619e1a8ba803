"""`/metrics`: what a daemon counts, who may read it, and that the number of series does not grow with its schedules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from duly.config.monitoring import MetricsAccess, Monitoring
from duly.model.events import CATALOGUE, Event
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.server.http import make_app
from duly.service.access.scopes import Face
from duly.telemetry.metrics import METRICS, RUN_SECONDS, MetricType
from duly.telemetry.prometheus import PrometheusSink
from tests.world import START, VirtualRuntime, World, served, world

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(here: World) -> Samples:
    answer = await here.http.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return samples(answer.text)


async def test_runs_deliveries_and_answers_are_counted_from_their_events(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana")
        await here.remind(user, require_ack=True)
        await here.clock.travel(minutes=6)
        await here.runtime.services.reminder_service.answer(user, "ack", channel="cli")
        await here.clock.travel(minutes=1)
        seen = await scraped(here)
        assert seen["duly_deliveries_total", (("channel", "inbox"), ("state", "delivered"))] == 1
        assert seen["duly_answers_total", (("response", "ack"),)] == 1
        assert seen["duly_runs_total", (("outcome", "succeeded"),)] == 1
        assert seen["duly_attempts_total", ()] == 2  # the delivery, and the answer
        assert seen["duly_run_seconds_count", ()] == 1
        assert seen["duly_ticks_total", ()] == seen["duly_store_seconds_count", ()] > 0
        assert seen["duly_health", (("light", "green"),)] == 1
        assert seen["duly_nodes", ()] == 1
        assert seen["duly_schedules", (("state", "all"),)] == 1
        assert seen["duly_lag_seconds", ()] == 0


async def test_what_callers_ask_is_counted_by_operation_face_and_outcome(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        headers = {"Authorization": f"Bearer {await here.token('admin')}"}
        for path, status in (("/me", 200), ("/me", 200), ("/schedules/nothing", 404)):
            assert (await here.http.get(f"/api/v1{path}", headers=headers)).status_code == status
        seen = await scraped(here)
        for operation, outcome, count in (("get_caller", "answered", 2), ("get_schedule", "refused", 1)):
            labels = (("face", "api"), ("operation", operation), ("outcome", outcome))
            assert seen["duly_asks_total", labels] == seen["duly_ask_seconds_count", labels] == count


async def test_every_metric_of_the_catalogue_is_published_and_no_other(tmp_path: Path) -> None:
    heavy = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("x",))
    data = {"cost_usd": 0.5, "channel": "inbox", "state": "sent", "executor": "heavy", "run_seconds": 1}
    async with world(tmp_path, executors={"heavy": heavy}) as here:
        for kind in CATALOGUE.values():
            here.runtime.monitor.meter(Event(kind, START, data=data))
        here.runtime.monitor.meter.asked("get_run", "api", "answered", 0.1)
        text = (await here.http.get("/metrics")).text
        families = {family.name: family for family in text_string_to_metric_families(text)}
        published = {
            name if family.type != "counter" else f"{name}_total": family.type for name, family in families.items()
        }
        assert published == {metric.name: str(metric.type) for metric in METRICS.values()}
        for metric in METRICS.values():
            family = families[metric.name.removesuffix("_total")]
            assert family.documentation == metric.meaning
            found = {name for sample in family.samples for name in sample.labels} - {"le"}
            assert found == set(metric.labels)


def test_a_histogram_is_the_one_of_the_library() -> None:
    registry = CollectorRegistry()
    theirs = Histogram("duly_run_seconds", "x", buckets=RUN_SECONDS.buckets, registry=registry)
    ours = PrometheusSink()
    for seconds in (0.0, 0.01, 0.010001, 5.0, 59.9, 4000.0):
        theirs.observe(seconds)
        ours.observe(RUN_SECONDS, seconds)
    wanted = {
        key: value for key, value in samples(generate_latest(registry).decode()).items() if "created" not in key[0]
    }
    found = {key: value for key, value in samples(ours.exposition({}).decode()).items() if key in wanted}
    assert found == wanted


async def test_labels_are_bounded(tmp_path: Path) -> None:
    """Names of schedules, persons, channels of before and texts from outside make no new series."""
    async with world(tmp_path) as here:
        meter = here.runtime.monitor.meter
        before = None
        for number in range(50):
            for kind in CATALOGUE.values():
                data = {"name": f"n{number}", "channel": f"c{number}", "state": f"s{number}", "response": f"r{number}"}
                meter(Event(kind, START, f"sched_{number}", f"run_{number}", data=data))
            keys = set(await scraped(here))
            assert before is None or keys == before
            before = keys


@pytest.mark.parametrize("access", list(MetricsAccess))
async def test_who_may_read_metrics(tmp_path: Path, access: MetricsAccess) -> None:
    async with world(tmp_path) as here:
        await here.person("ana")
        admin, reader = await here.token("admin"), await here.token("admin:ro")
        person, project = await here.token("user:ana"), await here.token("project:blog")
        settings = replace(here.runtime.settings, monitoring=Monitoring(metrics=access))
        other = VirtualRuntime(settings, clock=here.clock, environment={})
        await other.open()
        app = make_app(other, host="127.0.0.1")

        async def status(address: str = "127.0.0.1", **headers: str) -> int:
            transport = httpx.ASGITransport(app, client=(address, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                return (await client.get("/metrics", headers=named)).status_code

        with_token = 404 if access is MetricsAccess.OFF else 200
        without = {MetricsAccess.OPEN: 200, MetricsAccess.OFF: 404}.get(access, 401)
        for token in (admin, reader):
            assert await status("10.0.0.7", authorization=f"Bearer {token}") == with_token
        for token in (person, project, "no such token"):
            assert await status("10.0.0.7", authorization=f"Bearer {token}") == without
        assert await status("10.0.0.7") == without
        assert await status() == (200 if access is MetricsAccess.LOCAL else without)
        assert await status(x_forwarded_for="10.0.0.7") == without
        assert await status(origin="https://evil.example") == without
        assert await status(host="duly.example") == without
        await other.close()


async def test_clients_are_counted(tmp_path: Path) -> None:
    from websockets.asyncio.client import connect

    async with served(tmp_path) as (here, address):
        token = await here.token("admin")
        async with connect(f"ws://{address}/ws?token={token}", proxy=None) as socket:
            await socket.send("{}")
            await socket.recv()
            assert (await scraped(here))["duly_clients", (("kind", "websocket"),)] == 1
    assert METRICS["duly_clients"].type is MetricType.GAUGE


async def test_a_store_that_is_away_shows_red_and_no_old_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from duly.errors import StoreUnavailableError

    async with world(tmp_path) as here:

        async def away(*_: object) -> None:
            raise StoreUnavailableError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(here.runtime.store, "overview", away)
            seen = await scraped(here)
        assert seen["duly_health", (("light", "red"),)] == 1
        assert not [name for name, _ in seen if name == "duly_queue_runs"]
        await here.clock.travel(seconds=2)
        assert (await scraped(here))["duly_queue_runs", (("status", "pending"),)] == 0


async def test_figures_of_the_store_are_asked_for_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as here:
        asked = []
        overview = here.runtime.store.overview

        async def counting(*args: object) -> object:
            asked.append(args)
            return await overview(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(here.runtime.store, "overview", counting)
        for _ in range(10):
            await scraped(here)
        assert len(asked) == 1
        assert here.runtime.local(Face.CLI).scope.is_admin

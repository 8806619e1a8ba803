"""The heartbeat URL: called while all is well, with /fail while health is red, and loud once when it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from duly.config.monitoring import HeartbeatPing, Monitoring
from duly.config.reading import load
from duly.config.settings import Settings
from duly.engine.health import Health, Light
from duly.errors import ConfigError
from duly.model.events import Event
from duly.runtime.heartbeat_url import HeartbeatUrl, failing
from duly.runtime.runtime import Runtime
from duly.testing import VirtualClock
from duly.testing.clock import settle

PING = "https://hc.example/0f5a-secret"


class Service:
    """The service that is called: it notes each request, and answers as the test says."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.status: int | None = 200
        self.told: list[Event] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        target = request.extensions["target"].decode()
        self.seen.append((target, request.content.decode()))
        if self.status is None:
            raise httpx.ConnectError(f"cannot reach {PING}")
        return httpx.Response(self.status)

    @property
    def kinds(self) -> list[str]:
        return [event.kind.name for event in self.told]


@asynccontextmanager
async def beating(
    folder: Path, service: Service, url: str = PING
) -> AsyncIterator[tuple[HeartbeatUrl, Runtime, VirtualClock]]:
    clock = VirtualClock()
    ping = HeartbeatPing(url=url, every=timedelta(seconds=30))
    settings = Settings(data_dir=folder, store=str(folder / "duly.db"), monitoring=Monitoring(heartbeat=ping))
    runtime = Runtime(settings, clock=clock, environment={"PING": PING})
    runtime.hear(service.told.append)
    await runtime.open()
    client = httpx.AsyncClient(transport=httpx.MockTransport(service.answer))
    try:
        yield HeartbeatUrl(runtime, ping, client), runtime, clock
    finally:
        await client.aclose()
        await runtime.close()


async def test_it_is_called_at_once_and_then_regularly(tmp_path: Path) -> None:
    import asyncio

    service = Service()
    async with beating(tmp_path, service, "env:PING") as (heartbeat, _, clock):
        task = asyncio.create_task(heartbeat.run())
        await settle()
        assert service.seen == [("/0f5a-secret", "green")]
        await clock.travel(seconds=90)
        assert len(service.seen) == 4
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert not {"heartbeat.failed", "heartbeat.recovered"} & set(service.kinds)


async def test_red_health_is_reported_with_its_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    async with beating(tmp_path, service) as (heartbeat, runtime, _):

        async def red() -> Health:
            return Health(light=Light.RED, reasons=["the store is unavailable"])

        monkeypatch.setattr(runtime, "health", red)
        await heartbeat.beat()
        assert service.seen == [("/0f5a-secret/fail", "red\nthe store is unavailable")]


@pytest.mark.parametrize("status", [None, 404, 500, 302])
async def test_a_failure_is_told_once_and_shown_until_it_is_over(tmp_path: Path, status: int | None) -> None:
    service = Service()
    async with beating(tmp_path, service) as (heartbeat, runtime, _):
        service.status = status
        for _ in range(3):
            await heartbeat.beat()
        assert service.kinds.count("heartbeat.failed") == 1
        [reason] = (await runtime.health()).reasons
        assert reason.startswith("the heartbeat URL cannot be called: hc.example ")
        assert "secret" not in reason
        service.status = 200
        await heartbeat.beat()
        await heartbeat.beat()
        [over] = [event for event in service.told if event.kind.name == "heartbeat.recovered"]
        assert over.data == {"failures": 3}
        assert (await runtime.health()).light is Light.GREEN


def test_the_url_of_a_failure_keeps_its_query() -> None:
    assert failing("https://hc.example/a/?rid=1") == "https://hc.example/a/fail?rid=1"
    assert failing("https://hc.example") == "https://hc.example/fail"


@pytest.mark.parametrize("url", ["env:NOT_SET", "env:BAD", "file:/no/such/file"])
async def test_a_secret_that_is_no_url_is_refused_at_the_start(tmp_path: Path, url: str) -> None:
    settings = Settings(
        data_dir=tmp_path, store=str(tmp_path / "a.db"), monitoring=Monitoring(heartbeat=HeartbeatPing(url=url))
    )
    runtime = Runtime(settings, clock=VirtualClock(), environment={"BAD": "ftp://hc.example"})
    with pytest.raises(ConfigError, match="heartbeat"):
        _ = runtime.monitor


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[heartbeat]\nurl = "hc.example"', "heartbeat.url: must be a URL"),
        ("[heartbeat]\nevery = 3", "heartbeat.url: is missing"),
        ('[heartbeat]\nurl = "https://a.example"\nevery = "0.5s"', "heartbeat.every"),
        ('[heartbeat]\nurl = "https://a.example"\nevrey = "5s"', "did you mean every"),
        ('[metrics]\naccess = "all"', "metrics.access: must be one of 'local', 'token', 'open', 'off'"),
        ('[log]\nformat = "xml"', "log.format: must be one of 'text', 'json'"),
        ('[telemetry]\nendpoint = "collector:4318"', "telemetry.endpoint: must be a URL"),
        ('[telemetry]\nheaders = "authorization=x"', "telemetry.headers"),
        ("[telemetry]\ntraces = 1", "telemetry.traces: must be true or false"),
    ],
)
def test_a_fault_in_the_file_names_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "duly.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load({}, config=str(file), data_dir=str(tmp_path))
    assert complaint in str(caught.value)


def test_the_tables_of_the_file_are_read(tmp_path: Path) -> None:
    file = tmp_path / "duly.toml"
    file.write_text(
        '[metrics]\naccess = "token"\n[log]\nformat = "json"\n[heartbeat]\nurl = "env:PING"\nevery = "5m"\n'
        '[telemetry]\nendpoint = "http://127.0.0.1:4318"\nlogs = false\n',
        encoding="utf-8",
    )
    found = load({}, config=str(file), data_dir=str(tmp_path)).monitoring
    assert (found.metrics, found.log_format) == ("token", "json")
    assert found.heartbeat == HeartbeatPing(url="env:PING", every=timedelta(minutes=5))
    assert (found.telemetry.endpoint, found.telemetry.logs) == ("http://127.0.0.1:4318", False)

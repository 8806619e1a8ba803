"""Traces, metrics and logs by OpenTelemetry: what a daemon exports, and the trace context that jobs and agents get."""

from __future__ import annotations

import gzip
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from duly.config.monitoring import Monitoring, TelemetryExport
from duly.config.settings import Settings
from duly.errors import ConfigError
from duly.model.events import RUN_FAILED, RUN_SUCCEEDED, Event
from duly.outbound import tracing
from duly.outbound.addresses import UserUrl
from duly.outbound.webhooks import WebhookClient
from duly.runtime.runtime import Runtime
from duly.server.http import make_app
from duly.telemetry.log import log_event
from duly.telemetry.metrics import METRICS, EventMeter
from duly.telemetry.otel import OtelExport, is_asked_for, otel_name
from duly.testing import VirtualClock
from tests.world import GOOD, HEAD, START, DaemonFolder, VirtualRuntime, daemon_folder, entry, world

__all__ = ["daemon_folder"]


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    assert tracing.install(provider)
    yield exporter
    tracing.uninstall()
    provider.shutdown()


class Collector(BaseHTTPRequestHandler):
    """A receiver of requests, as a collector is one: it keeps bodies and headers."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.received.append((self.path, body, dict(self.headers)))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.received = []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [each for each in spans.get_finished_spans() if each.name == name]


async def test_a_run_its_dispatch_and_its_delivery_are_one_trace(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana")
        view = await here.remind(user)
        await here.clock.travel(minutes=6)
    [run], [dispatch], [delivery] = named(spans, "run"), named(spans, "dispatch"), named(spans, "delivery")
    assert run.parent is None
    assert dispatch.parent is not None
    assert delivery.parent is not None
    assert (dispatch.parent.span_id, delivery.parent.span_id) == (run.context.span_id, dispatch.context.span_id)
    assert run.attributes is not None
    assert delivery.attributes is not None
    assert run.attributes["duly.schedule.id"] == view.id
    assert run.attributes["duly.handler"] == "message"
    assert dict(delivery.attributes) == {
        "duly.channel": "inbox",
        "duly.delivery.kind": "reminder",
        "duly.delivery.state": "delivered",
    }
    assert named(spans, "butler.tick")


async def test_a_failed_run_has_the_kind_of_its_error_and_no_text(
    daemon_folder: DaemonFolder, spans: InMemorySpanExporter
) -> None:
    daemon_folder.make_module("good", "async def work():\n    raise ValueError('the password is 123')\n")
    async with daemon_folder.running(HEAD + GOOD):
        await daemon_folder.clock.travel(minutes=1)
        await daemon_folder.heard("run.failed")
    run = named(spans, "run")[0]
    assert run.attributes is not None
    assert (run.status.status_code.name, run.attributes["error.type"]) == ("ERROR", "ValueError")
    assert "password" not in run.to_json()


@pytest.mark.parametrize("how", ["async def", "def"])
async def test_a_job_gets_the_trace_context(daemon_folder: DaemonFolder, spans: InMemorySpanExporter, how: str) -> None:
    daemon_folder.make_module(
        "good",
        f"from opentelemetry import trace\n{how} work(run):\n"
        f"    with trace.get_tracer('mine').start_as_current_span('inner'):\n        return run.traceparent\n",
    )
    async with daemon_folder.running(HEAD + GOOD) as runtime:
        await daemon_folder.clock.travel(minutes=1)
        await daemon_folder.heard("run.succeeded")
        assert runtime.engine.running
    [inner], dispatch = named(spans, "inner")[:1], named(spans, "dispatch")[0]
    assert inner.parent is not None
    assert inner.parent.span_id == dispatch.context.span_id


async def test_an_agent_gets_the_trace_context_as_variables(
    daemon_folder: DaemonFolder, spans: InMemorySpanExporter
) -> None:
    program = daemon_folder.make_program("echo-agent")
    said = daemon_folder.folder / "said"
    program.write_text(f'#!/bin/sh\necho "$TRACEPARENT" > "{said}"\necho done\n', encoding="utf-8")
    async with daemon_folder.running(HEAD + entry("p", 'prompt = "look"')):
        await daemon_folder.clock.travel(minutes=1)
        await daemon_folder.heard("target.succeeded")
    trace_id = trace.format_trace_id(named(spans, "run")[0].context.trace_id)
    assert _text(said).split("-")[1] == trace_id


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def test_a_webhook_gets_the_trace_context_as_a_header(spans: InMemorySpanExporter, collector: Any) -> None:
    client = WebhookClient(clock=VirtualClock(), timeout=60, allow_private=True)

    async def post() -> dict[str, str]:
        async with client.post(UserUrl.parse(f"{collector.url}/hook"), {}, key="k", secret=None):
            return {key.lower(): value for key, value in collector.received[-1][2].items()}

    with tracing.span("outer", {}) as outer:
        parent = (await post())["traceparent"]
    _, trace_id, span_id, _ = parent.split("-")
    context = outer.get_span_context()
    assert trace_id == trace.format_trace_id(context.trace_id)
    assert span_id == trace.format_span_id(context.span_id)
    tracing.uninstall()
    assert "traceparent" not in await post()
    assert named(spans, "outer")


async def test_nothing_is_traced_or_wrapped_while_it_is_off(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        assert not tracing.is_tracing()
        assert type(here.runtime.engine._dispatcher).__name__ == "Router"
        assert tracing.trace_headers() == {}
        assert here.runtime.monitor._otel is None


def test_metrics_and_logs_are_those_of_the_daemon() -> None:
    reader = InMemoryMetricReader()
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    meters = MeterProvider([reader], shutdown_on_exit=False)
    loggers = LoggerProvider(shutdown_on_exit=False)
    loggers.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    export = OtelExport(meter_provider=meters, logger_provider=loggers)
    assert export.sink is not None
    export.sink.figures = {
        metric: {("x",) * len(metric.labels): 7} for metric in METRICS.values() if metric.type == "gauge"
    }
    EventMeter([export.sink])(Event(RUN_SUCCEEDED, START, data={"seconds": 2.0}))
    log_event(Event(RUN_FAILED, START, "sched_1", data={"name": "backup", "error": "no"}))
    data: Any = reader.get_metrics_data()
    found = {metric.name: metric for scope in data.resource_metrics[0].scope_metrics for metric in scope.metrics}
    assert set(found) <= {otel_name(metric) for metric in METRICS.values()}
    assert found["duly.runs"].data.data_points[0].attributes == {"outcome": "succeeded"}
    assert found["duly.run_seconds"].data.data_points[0].explicit_bounds == METRICS["duly_run_seconds"].buckets
    assert found["duly.lag_seconds"].data.data_points[0].value == 7
    [log] = exporter.get_finished_logs()
    record: Any = log.log_record
    assert (record.severity_text, record.attributes["duly.event"], record.attributes["duly.name"]) == (
        "ERROR",
        "run.failed",
        "backup",
    )
    export.close()
    export.close()
    assert not [each for each in logging.getLogger("duly").handlers if "Otel" in type(each).__name__]


async def test_a_daemon_exports_to_a_collector(tmp_path: Path, collector: Any) -> None:
    telemetry = TelemetryExport(endpoint=collector.url, headers="env:HEADERS", every=timedelta(hours=1))
    settings = Settings(
        data_dir=tmp_path, store=str(tmp_path / "duly.db"), monitoring=Monitoring(telemetry=telemetry), timezone="UTC"
    )
    clock = VirtualClock(START)
    runtime = VirtualRuntime(settings, clock=clock, environment={"HEADERS": "Authorization=Bearer abc"})
    await runtime.open()
    app = make_app(runtime, host="127.0.0.1")
    async with app.router.lifespan_context(app):
        assert tracing.is_tracing()
        await runtime.services.reminder_service.remind("local", "stretch", delay_minutes=1)
        await clock.travel(minutes=2)
        logging.getLogger("duly").warning("something to tell")
    assert not tracing.is_tracing()
    received = {path: body for path, body, _ in collector.received}
    assert {headers.get("authorization") or headers.get("Authorization") for *_, headers in collector.received} == {
        "Bearer abc"
    }
    traces = ExportTraceServiceRequest.FromString(received["/v1/traces"])
    names = {span.name for each in traces.resource_spans for scope in each.scope_spans for span in scope.spans}
    assert {"butler.tick", "run", "dispatch", "delivery"} <= names
    metrics = ExportMetricsServiceRequest.FromString(received["/v1/metrics"])
    [resource] = metrics.resource_metrics
    assert {"service.name": "duly"}.items() <= {
        each.key: each.value.string_value for each in resource.resource.attributes
    }.items()
    assert {"duly.runs", "duly.lag_seconds"} <= {
        metric.name for scope in resource.scope_metrics for metric in scope.metrics
    }
    logs = ExportLogsServiceRequest.FromString(received["/v1/logs"])
    bodies = [
        log.body.string_value for each in logs.resource_logs for scope in each.scope_logs for log in scope.log_records
    ]
    assert "something to tell" in bodies


@pytest.mark.parametrize(
    ("endpoint", "environment", "enabled", "asked"),
    [
        (None, {}, True, False),
        ("http://c:4318", {}, True, True),
        ("http://c:4318", {}, False, False),
        ("http://c:4318", {"OTEL_SDK_DISABLED": "true"}, True, False),
        (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True, True),
        (None, {"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c:4318"}, True, True),
    ],
)
def test_when_something_is_exported(
    endpoint: str | None, environment: dict[str, str], enabled: bool, asked: bool
) -> None:
    assert is_asked_for(endpoint, environment, enabled=enabled) is asked


def test_without_the_sdk_the_settings_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    telemetry = TelemetryExport(endpoint="http://127.0.0.1:1")
    settings = Settings(data_dir=tmp_path, store=str(tmp_path / "a.db"), monitoring=Monitoring(telemetry=telemetry))
    for name in ("opentelemetry.sdk.resources", "opentelemetry.exporter.otlp.proto.http.trace_exporter"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=r"pip install opentelemetry-sdk"):
        _ = Runtime(settings, clock=VirtualClock(), environment={}).monitor
    only_environment = replace(settings, monitoring=Monitoring())
    quiet = Runtime(only_environment, clock=VirtualClock(), environment={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1"})
    assert quiet.monitor._otel is None


def test_headers_that_are_none_are_refused(tmp_path: Path) -> None:
    telemetry = TelemetryExport(endpoint="http://127.0.0.1:1", headers="env:H")
    settings = Settings(data_dir=tmp_path, store=str(tmp_path / "a.db"), monitoring=Monitoring(telemetry=telemetry))
    with pytest.raises(ConfigError, match=r"telemetry\.headers"):
        _ = Runtime(settings, clock=VirtualClock(), environment={"H": "secret without a name"}).monitor

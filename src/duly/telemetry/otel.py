"""The export by OpenTelemetry: traces, metrics and logs to a collector, by OTLP over HTTP.

Made only where `[telemetry]` or the variables OTEL_* ask for it: a process without it imports nothing of the SDK. What
the SDK reads from the environment by itself (headers, sampling, resource attributes, proxies) holds here, too.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.metrics import CallbackOptions, Observation

from duly._version import __version__
from duly.errors import ConfigError
from duly.outbound import tracing
from duly.telemetry.metrics import METRICS, MetricKind, MetricType

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from duly.telemetry.prometheus import Figures

_ENDPOINTS = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
)
_MISSING = "needs the OpenTelemetry SDK: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
_PATIENCE_AT_END = timedelta(seconds=5)
_SEVERITIES = {
    logging.DEBUG: SeverityNumber.DEBUG,
    logging.INFO: SeverityNumber.INFO,
    logging.WARNING: SeverityNumber.WARN,
    logging.ERROR: SeverityNumber.ERROR,
    logging.CRITICAL: SeverityNumber.FATAL,
}
_log = logging.getLogger("duly")


def is_asked_for(endpoint: str | None, environment: Mapping[str, str], *, enabled: bool) -> bool:
    """Whether the settings or the environment name a collector, and neither turns the export off."""
    if not enabled or environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return endpoint is not None or any(environment.get(name) for name in _ENDPOINTS)


class OtelSink:
    """Implements `MeterSink` with instruments of OpenTelemetry; gauges show the figures that were set last."""

    def __init__(self, provider: MeterProvider) -> None:
        self.figures: Figures = {}
        self._instruments: dict[str, Any] = {}
        meter = provider.get_meter("duly", __version__)
        for metric in METRICS.values():
            name = otel_name(metric)
            if metric.type is MetricType.COUNTER:
                self._instruments[metric.name] = meter.create_counter(name, metric.unit, metric.meaning)
            elif metric.type is MetricType.HISTOGRAM:
                self._instruments[metric.name] = meter.create_histogram(
                    name, metric.unit, metric.meaning, explicit_bucket_boundaries_advisory=metric.buckets
                )
            else:
                meter.create_observable_gauge(name, [self._reader(metric)], metric.unit, metric.meaning)

    def add(self, metric: MetricKind, amount: float, *labels: str) -> None:
        self._instruments[metric.name].add(amount, dict(zip(metric.labels, labels, strict=True)))

    def observe(self, metric: MetricKind, seconds: float, *labels: str) -> None:
        self._instruments[metric.name].record(seconds, dict(zip(metric.labels, labels, strict=True)))

    def _reader(self, metric: MetricKind) -> Any:
        def read(_options: CallbackOptions) -> Iterable[Observation]:
            for labels, value in self.figures.get(metric, {}).items():
                yield Observation(value, dict(zip(metric.labels, labels, strict=True)))

        return read


def otel_name(metric: MetricKind) -> str:
    """Give the name of a metric as OpenTelemetry writes names.

    >>> from duly.telemetry.metrics import RUNS
    >>> otel_name(RUNS)
    'duly.runs'
    """
    return metric.name.removesuffix("_total").replace("duly_", "duly.", 1)


class OtelLogHandler(logging.Handler):
    """Hands records of the log to OpenTelemetry, with the facts of an event as attributes."""

    def __init__(self, provider: LoggerProvider) -> None:
        super().__init__()
        self._logger = provider.get_logger("duly", __version__)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            attributes: dict[str, Any] = {"logger": record.name}
            if (event := getattr(record, "duly_event", None)) is not None:
                attributes["duly.event"] = event
                facts = getattr(record, "duly_facts", {})
                attributes |= {f"duly.{key}": _plain(value) for key, value in facts.items()}
            self._logger.emit(
                LogRecord(
                    timestamp=int(record.created * 1e9),
                    observed_timestamp=int(record.created * 1e9),
                    severity_text=record.levelname,
                    severity_number=_SEVERITIES.get(record.levelno, SeverityNumber.UNSPECIFIED),
                    body=record.getMessage(),
                    attributes=attributes,
                )
            )
        except Exception:  # as every log handler: the code that logs must not fail
            self.handleError(record)


def _plain(value: object) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else str(value)


class OtelExport:
    """The providers of one process. `close` sends what is left."""

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
    ) -> None:
        self._providers = [each for each in (tracer_provider, meter_provider, logger_provider) if each is not None]
        self.sink = None if meter_provider is None else OtelSink(meter_provider)
        self._handler = None if logger_provider is None else OtelLogHandler(logger_provider)
        self._traces = tracer_provider is not None and tracing.install(tracer_provider)
        if self._handler is not None:
            _log.addHandler(self._handler)

    def close(self) -> None:
        """Send what was not sent yet, within a few seconds, and end. It blocks: call it in a thread. Idempotent."""
        if self._traces:
            tracing.uninstall()
            self._traces = False
        if self._handler is not None:
            _log.removeHandler(self._handler)
            self._handler = None
        providers: list[Any] = list(self._providers)
        self._providers = []
        for provider in providers:
            provider.force_flush(int(_PATIENCE_AT_END.total_seconds() * 1000))
            provider.shutdown()


def start_export(
    *,
    endpoint: str | None,
    headers: str | None,
    service_name: str,
    environment: Mapping[str, str],
    signals: Iterable[str],
    every: timedelta,
) -> OtelExport | None:
    """Make the providers for some of `traces`, `metrics` and `logs`, and begin to export.

    Without the SDK raise if the settings ask for it; if only the environment does, warn: it may mean other programs.
    """
    try:
        return _export(
            endpoint=endpoint,
            headers=_headers(headers),
            resource=_resource(service_name, environment),
            signals=set(signals),
            every=every,
        )
    except ImportError as error:
        if endpoint is not None:
            raise ConfigError("telemetry.endpoint", _MISSING) from error
        _log.warning("OTEL_EXPORTER_OTLP_ENDPOINT is set, but nothing is exported: it %s", _MISSING)
        return None


def _resource(service_name: str, environment: Mapping[str, str]) -> Resource:
    from opentelemetry.sdk.resources import Resource

    named = {} if environment.get("OTEL_SERVICE_NAME") else {"service.name": service_name}
    return Resource.create({**named, "service.version": __version__})


def _export(
    *, endpoint: str | None, headers: dict[str, str] | None, resource: Resource, signals: set[str], every: timedelta
) -> OtelExport:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    def to(signal: str) -> dict[str, Any]:
        return {"endpoint": None if endpoint is None else f"{endpoint.rstrip('/')}/v1/{signal}", "headers": headers}

    tracer = meter = logger = None
    if "traces" in signals:
        tracer = TracerProvider(resource=resource, shutdown_on_exit=False)
        tracer.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(**to("traces"))))
    if "metrics" in signals:
        reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(**to("metrics")), export_interval_millis=every.total_seconds() * 1000
        )
        meter = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    if "logs" in signals:
        logger = LoggerProvider(resource=resource, shutdown_on_exit=False)
        logger.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(**to("logs"))))
    return OtelExport(tracer_provider=tracer, meter_provider=meter, logger_provider=logger)


def _headers(text: str | None) -> dict[str, str] | None:
    """Read `name=value,name=value`, as OTEL_EXPORTER_OTLP_HEADERS has them; None without any."""
    if text is None:
        return None
    pairs = [each.partition("=") for each in text.strip().split(",") if each.strip()]
    if any(not sign or not name.strip() for name, sign, _ in pairs):
        raise ConfigError("telemetry.headers", "must lead to a text such as authorization=Bearer …,x-team=a")
    return {name.strip().lower(): value.strip() for name, _, value in pairs}

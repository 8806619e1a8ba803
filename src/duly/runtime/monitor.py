"""The monitor: everything by which a process is watched from outside: metrics, OpenTelemetry, the heartbeat URL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from duly._version import __version__
from duly.engine.health import Health, Light
from duly.errors import DulyError, StoreError
from duly.ports.observers import TickSpan
from duly.telemetry import metrics
from duly.telemetry.metrics import EventMeter, MeterSink, MetricKind
from duly.telemetry.prometheus import Figures, PrometheusSink

if TYPE_CHECKING:
    from duly.ports.executors import HandoverCounts
    from duly.runtime.runtime import Runtime
    from duly.service.asking import AskEnded, Asking
    from duly.telemetry.otel import OtelExport, OtelSink

_FRESH = 1.0
"""Seconds for which figures of the store are shown again: many readers do not mean many queries."""
_Series = dict[tuple[str, ...], float]


class Monitor:
    """Watches one runtime. `begin` before the engine is made, so that no event and no turn is missed."""

    def __init__(self, runtime: Runtime) -> None:
        """Raise for a fault in the settings of the heartbeat or of the telemetry."""
        self._runtime = runtime
        settings = runtime.settings.monitoring
        self.clients: dict[str, Callable[[], int]] = {}
        """How many clients are connected, by kind; each part of the server adds its own."""
        self._prometheus = PrometheusSink()
        self._health: Health | None = None
        self._elsewhere: list[HandoverCounts] = []
        self._looked_at = float("-inf")
        self._heartbeat = None
        if settings.heartbeat is not None:
            from duly.runtime.heartbeat_url import HeartbeatUrl

            self._heartbeat = HeartbeatUrl(runtime, settings.heartbeat)
        self._otel = _export(runtime)
        self._every = settings.telemetry.every.total_seconds()
        sinks: list[MeterSink] = [self._prometheus]
        if self._otel is not None and self._otel.sink is not None:
            sinks.append(self._otel.sink)
        self.meter = EventMeter(sinks, lambda: runtime.channel_names, lambda: runtime.settings.executors)

    def begin(self, asking: Asking) -> None:
        """Count every event and everything that is asked from now on."""
        self._runtime.hear(self.meter)
        asking.hear(self._count)

    def _count(self, answered: AskEnded) -> None:
        self.meter.asked(answered.operation.name, str(answered.caller.face), _outcome(answered.error), answered.seconds)

    def tasks(self) -> list[asyncio.Task[None]]:
        """Start what has to be done regularly; the caller cancels the tasks."""
        work: list[Coroutine[Any, Any, None]] = []
        if self._heartbeat is not None:
            work.append(self._heartbeat.run())
        if self._otel is not None and self._otel.sink is not None:
            work.append(self._keep_figures(self._otel.sink))
        return [asyncio.create_task(each) for each in work]

    async def _keep_figures(self, sink: OtelSink) -> None:
        """Look at the gauges before each export: its thread cannot ask the store."""
        while True:
            sink.figures = await self.figures()
            await self._runtime.clock.sleep(max(1.0, self._every / 2))

    async def close(self) -> None:
        """Send what was not sent yet, and end the export. Idempotent."""
        if self._otel is not None:
            await asyncio.to_thread(self._otel.close)

    def measured(self, tick_span: TickSpan) -> TickSpan:
        """Wrap the span of a turn so that its length is measured."""

        @contextmanager
        def measuring() -> Iterator[Callable[..., None]]:
            began = self._runtime.clock.monotonic()
            with tick_span() as tell:
                yield tell
            self.meter.turn_took(self._runtime.clock.monotonic() - began)

        return measuring

    async def exposition(self) -> bytes:
        """Give all metrics in the text format of Prometheus."""
        return self._prometheus.exposition(await self.figures())

    async def figures(self) -> Figures:
        """Read the gauges: from the store at most once a second, from this process each time."""
        now = self._runtime.clock.monotonic()
        if self._health is None or now - self._looked_at >= _FRESH:
            self._health = await self._runtime.health()
            self._looked_at = now
            with suppress(StoreError):  # health says it
                self._elsewhere = (
                    await self._runtime.store.handovers.counts() if self._runtime.settings.executors else []
                )
        return {
            **_of_health(self._health),
            **_of_handovers(self._runtime.settings.executors, self._elsewhere),
            **self._of_process(),
        }

    def _of_process(self) -> dict[MetricKind, _Series]:
        found: dict[MetricKind, _Series] = {
            metrics.BUILD: {(__version__,): 1},
            metrics.CLIENTS: {(kind,): count() for kind, count in sorted(self.clients.items())},
        }
        if self._runtime.has_made("engine"):
            status = self._runtime.engine.status
            found[metrics.UNDER_WAY] = {(): status.in_flight}
            found[metrics.STUCK] = {(): status.stuck}
            found[metrics.TICK_AGE] = {(): status.since_turn}
        return found


def _outcome(error: BaseException | None) -> str:
    """Sort an answer: what a caller can mend was refused, what only who runs duly can mend has failed."""
    if error is None:
        return "answered"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "refused" if isinstance(error, DulyError) and not isinstance(error, StoreError) else "failed"


def _export(runtime: Runtime) -> OtelExport | None:
    """Begin the export by OpenTelemetry, if the settings or the environment ask for it."""
    wanted = runtime.settings.monitoring.telemetry
    from duly.telemetry.otel import is_asked_for, start_export

    if not is_asked_for(wanted.endpoint, runtime.environment, enabled=wanted.enabled):
        return None
    return start_export(
        endpoint=wanted.endpoint,
        headers=None if wanted.headers is None else runtime.resolver("telemetry.headers")(wanted.headers),
        service_name=wanted.service_name,
        environment=runtime.environment,
        signals=[name for name in ("traces", "metrics", "logs") if getattr(wanted, name)],
        every=wanted.every,
    )


def _of_handovers(executors: Collection[str], counts: Collection[HandoverCounts]) -> dict[MetricKind, _Series]:
    nothing: _Series = {(name,): 0 for name in executors}
    return {
        metrics.NOT_BEGUN: nothing | {(each.executor,): each.waiting for each in counts},
        metrics.ELSEWHERE: nothing | {(each.executor,): each.begun for each in counts},
    }


def _of_health(health: Health) -> dict[MetricKind, _Series]:
    found: dict[MetricKind, _Series] = {
        metrics.HEALTH: {(str(light),): float(light is health.light) for light in Light},
        metrics.LAG: {(): health.lag_seconds},
        metrics.ATTENTION: {(): health.attention_total},
    }
    overview = health.overview
    if overview is None:  # the store is unavailable: figures of before would be wrong
        return found
    return found | {
        metrics.QUEUE: {
            ("pending",): overview.pending,
            ("waiting",): overview.waiting,
            ("running",): overview.running,
        },
        metrics.SCHEDULES: {
            ("all",): overview.schedules,
            ("enabled",): overview.enabled,
            ("quarantined",): overview.quarantined,
        },
        metrics.UNSERVED: {(): sum(overview.unserved.values())},
        metrics.NODES: {(): len(overview.nodes)},
    }

"""Metrics: every figure that duly publishes, in one table, and the subscriber that counts events into them.

`METRICS` is the catalogue; `/metrics`, the export by OpenTelemetry, `docs/monitoring.md` and the Grafana dashboard are
made of it or checked against it. Labels come from fixed sets and from the configuration, never from the names of
schedules or persons, so the number of series stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from duly.model import events
from duly.model.events import Event

OTHER = "other"
"""The value of a label whose own value is not among the known ones."""
_SHORT = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_ASKED = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
_LONG = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)


class MetricType(StrEnum):
    """What a figure does: a counter only rises, a gauge goes up and down, a histogram sorts by size."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricKind:
    """One entry of the catalogue."""

    name: str
    type: MetricType
    meaning: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    unit: str = ""


METRICS: dict[str, MetricKind] = {}


def _metric(
    kind: MetricType, name: str, meaning: str, *labels: str, buckets: tuple[float, ...] = (), unit: str = ""
) -> MetricKind:
    made = MetricKind(name=name, type=kind, meaning=meaning, labels=labels, buckets=buckets, unit=unit)
    METRICS[name] = made
    return made


def _counter(name: str, meaning: str, *labels: str, unit: str = "") -> MetricKind:
    return _metric(MetricType.COUNTER, name, meaning, *labels, unit=unit)


def _gauge(name: str, meaning: str, *labels: str, unit: str = "") -> MetricKind:
    return _metric(MetricType.GAUGE, name, meaning, *labels, unit=unit)


def _histogram(name: str, meaning: str, buckets: tuple[float, ...], *labels: str) -> MetricKind:
    return _metric(MetricType.HISTOGRAM, name, meaning, *labels, buckets=buckets, unit="s")


# counted from events
ATTEMPTS = _counter("duly_attempts_total", "attempts to carry out a run that this process began")
RUNS = _counter(
    "duly_runs_total",
    "runs that ended here, and fires that were skipped or missed: succeeded, failed, skipped, missed, cancelled, dead",
    "outcome",
)
RETRIES = _counter("duly_retries_total", "attempts that failed and are followed by another")
RUN_SECONDS = _histogram("duly_run_seconds", "how long attempts that succeeded took", _LONG)
START_DELAY = _histogram("duly_start_delay_seconds", "how long after its due time an attempt began", _LONG)
RESCUED = _counter("duly_runs_rescued_total", "runs taken over from engines whose lease had expired")
LEASES_LOST = _counter("duly_leases_lost_total", "runs whose settlement was refused, because the lease had expired")
HANDED_OVER = _counter("duly_handovers_total", "attempts that were handed over to an executor", "executor")
BEGUN = _counter("duly_handovers_begun_total", "attempts that a worker of an executor began", "executor")
HANDOVERS_ENDED = _counter(
    "duly_handovers_ended_total",
    "attempts at an executor that ended: succeeded, failed, lost, expired, cancelled",
    "executor",
    "outcome",
)
HANDOVER_QUEUE = _histogram(
    "duly_handover_queue_seconds", "how long attempts waited at an executor for a worker", _LONG, "executor"
)
HANDOVER_RUN = _histogram("duly_handover_run_seconds", "how long workers of an executor took", _LONG, "executor")
TARGETS = _counter("duly_prompts_total", "prompts carried out at a target: succeeded, failed", "outcome")
COST = _counter("duly_prompt_cost_usd_total", "what agents have reported as their cost", unit="USD")
DELIVERIES = _counter(
    "duly_deliveries_total",
    "messages by configured channel and state: delivered, sent, failed, unknown",
    "channel",
    "state",
)
ANSWERS = _counter("duly_answers_total", "answers to reminders: ack, snooze, dismiss", "response")
LOGINS = _counter("duly_logins_failed_total", "tokens, signatures and links that were refused")
STORE_FAULTS = _counter("duly_store_faults_total", "times that the store could not be reached, or was replaced")
TROUBLE = _counter("duly_trouble_total", "events of the level warning or error, by kind of event", "event")
TICKS = _counter("duly_ticks_total", "turns of the engine that were written to the store")
STORE_SECONDS = _histogram("duly_store_seconds", "how long the store took for one turn of the engine", _SHORT)

# counted from what is asked
ASKS = _counter(
    "duly_asks_total",
    "operations that callers asked for, by face: answered, refused, failed, cancelled",
    "operation",
    "face",
    "outcome",
)
ASK_SECONDS = _histogram("duly_ask_seconds", "how long their answers took", _ASKED, "operation", "face", "outcome")

# read when someone asks
BUILD = _gauge("duly_build_info", "always 1; the version of duly is a label", "version")
HEALTH = _gauge("duly_health", "1 for the light that health shows: green, yellow, red", "light")
LAG = _gauge("duly_lag_seconds", "for how long the oldest due fire has waited", unit="s")
QUEUE = _gauge("duly_queue_runs", "runs in the store that have not ended: pending, waiting, running", "status")
SCHEDULES = _gauge("duly_schedules", "schedules in the store: all, enabled, quarantined", "state")
UNSERVED = _gauge("duly_unserved_runs", "due runs that no living node serves")
ATTENTION = _gauge("duly_attention", "schedules that need attention")
NODES = _gauge("duly_nodes", "engines on this store that are alive")
NOT_BEGUN = _gauge("duly_handovers_waiting", "attempts at an executor that no worker has begun", "executor")
ELSEWHERE = _gauge("duly_handovers_under_way", "attempts that workers of an executor carry out now", "executor")
UNDER_WAY = _gauge("duly_runs_under_way", "runs that this process carries out now")
STUCK = _gauge("duly_runs_stuck", "runs in threads that outlived their timeout and cannot be stopped")
TICK_AGE = _gauge("duly_last_tick_age_seconds", "seconds since the last turn of the engine", unit="s")
CLIENTS = _gauge("duly_clients", "open connections of clients: http, websocket, mcp, sse", "kind")

_OUTCOMES = {  # by name: hashing a kind means hashing all its fields
    events.RUN_SUCCEEDED.name: "succeeded",
    events.RUN_FAILED.name: "failed",
    events.RUN_SKIPPED.name: "skipped",
    events.RUN_MISSED.name: "missed",
    events.RUN_CANCELLED.name: "cancelled",
    events.RUN_DEAD.name: "dead",
}
_SIMPLE = {
    events.RUN_RETRYING.name: RETRIES,
    events.RUN_RESCUED.name: RESCUED,
    events.RUN_LEASE_LOST.name: LEASES_LOST,
    events.STORE_UNAVAILABLE.name: STORE_FAULTS,
    events.STORE_REPLACED.name: STORE_FAULTS,
}
_RESPONSES = frozenset({"ack", "snooze", "dismiss"})
_STATES = frozenset({"delivered", "sent", "failed", "unknown"})
_ENDS = frozenset({"succeeded", "failed", "lost", "expired", "cancelled"})
_LOUD = ("warning", "error")


class MeterSink(Protocol):
    """Takes measurements: the registry of Prometheus, or the instruments of OpenTelemetry."""

    def add(self, metric: MetricKind, amount: float, *labels: str) -> None: ...

    def observe(self, metric: MetricKind, seconds: float, *labels: str) -> None: ...


Measure = Callable[[Event], None]


class EventMeter:
    """Counts events into metrics. What costs time is prepared once: a run costs two look-ups and a few additions."""

    def __init__(
        self,
        sinks: Sequence[MeterSink],
        channels: Callable[[], Collection[str]] = tuple,
        executors: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """`channels` and `executors` give the names of the configured ones: others are counted as `other`."""
        self._sinks = tuple(sinks)
        self._channels = channels
        self._executors = executors
        self._measures: dict[str, Measure] = {
            events.RUN_STARTED.name: self._started,
            events.RUN_HANDED_OVER.name: self._handed_over,
            events.RUN_BEGUN.name: self._begun,
            events.HANDOVER_ENDED.name: self._ended_elsewhere,
            events.TARGET_SUCCEEDED.name: self._target,
            events.TARGET_FAILED.name: self._target,
            events.DELIVERY_ENDED.name: self._delivery,
            events.REMINDER_ANSWERED.name: self._answer,
            events.LOGIN_FAILED.name: self._login,
            **dict.fromkeys(_OUTCOMES, self._ended),
        }

    def __call__(self, event: Event) -> None:
        """Count one event."""
        name = event.kind.name
        if (measure := self._measures.get(name)) is not None:
            measure(event)
        elif (metric := _SIMPLE.get(name)) is not None:
            self.add(metric, 1)
        if event.kind.level in _LOUD:
            self.add(TROUBLE, 1, name)

    def add(self, metric: MetricKind, amount: float, *labels: str) -> None:
        for sink in self._sinks:
            sink.add(metric, amount, *labels)

    def observe(self, metric: MetricKind, seconds: float, *labels: str) -> None:
        for sink in self._sinks:
            sink.observe(metric, seconds, *labels)

    def turn_took(self, seconds: float) -> None:
        """Note one turn of the engine, and how long the store took for it."""
        self.add(TICKS, 1)
        self.observe(STORE_SECONDS, seconds)

    def asked(self, operation: str, face: str, outcome: str, seconds: float) -> None:
        """Note one operation that a caller asked for, and how long its answer took."""
        self.add(ASKS, 1, operation, face, outcome)
        self.observe(ASK_SECONDS, seconds, operation, face, outcome)

    def _started(self, event: Event) -> None:
        self.add(ATTEMPTS, 1)
        self.observe(START_DELAY, max(0.0, _number(event.data, "late_seconds")))

    def _ended(self, event: Event) -> None:
        kind = event.kind
        counted = _number(event.data, "count") if kind is events.RUN_SKIPPED or kind is events.RUN_MISSED else 1
        self.add(RUNS, max(1, counted), _OUTCOMES[kind.name])
        if kind is events.RUN_SUCCEEDED:
            self.observe(RUN_SECONDS, _number(event.data, "seconds"))

    def _handed_over(self, event: Event) -> None:
        self.add(HANDED_OVER, 1, self._executor(event))

    def _begun(self, event: Event) -> None:
        executor = self._executor(event)
        self.add(BEGUN, 1, executor)
        self.observe(HANDOVER_QUEUE, _number(event.data, "queue_seconds"), executor)

    def _ended_elsewhere(self, event: Event) -> None:
        executor = self._executor(event)
        self.add(HANDOVERS_ENDED, 1, executor, _among(event.data.get("state"), _ENDS))
        if event.data.get("run_seconds") is not None:
            self.observe(HANDOVER_RUN, _number(event.data, "run_seconds"), executor)

    def _executor(self, event: Event) -> str:
        name = str(event.data.get("executor"))
        return name if name in self._executors() else OTHER

    def _target(self, event: Event) -> None:
        self.add(TARGETS, 1, "succeeded" if event.kind is events.TARGET_SUCCEEDED else "failed")
        if (cost := _number(event.data, "cost_usd")) > 0:
            self.add(COST, cost)

    def _delivery(self, event: Event) -> None:
        channel = str(event.data.get("channel"))
        known = channel == "inbox" or channel in self._channels()
        self.add(DELIVERIES, 1, channel if known else OTHER, _among(event.data.get("state"), _STATES))

    def _answer(self, event: Event) -> None:
        self.add(ANSWERS, 1, _among(event.data.get("response"), _RESPONSES))

    def _login(self, event: Event) -> None:
        self.add(LOGINS, max(1, _number(event.data, "count")))


def _number(data: Mapping[str, Any], key: str) -> float:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _among(value: object, known: frozenset[str]) -> str:
    return str(value) if str(value) in known else OTHER

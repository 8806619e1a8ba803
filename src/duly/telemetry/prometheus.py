"""The metrics in the format that Prometheus reads, in a registry of their own: those of other libraries stay out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from duly.telemetry.metrics import METRICS, RUNS, MetricKind, MetricType

CONTENT_TYPE = CONTENT_TYPE_LATEST
Figures = Mapping[MetricKind, Mapping[tuple[str, ...], float]]
"""The gauges: by metric and values of its labels."""
_OUTCOMES = ("succeeded", "failed", "skipped", "missed", "cancelled", "dead")


class PrometheusSink:
    """Implements `MeterSink` with counters and histograms of prometheus-client, and writes them out."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._made: dict[str, Any] = {}
        self._children: dict[tuple[str, ...], Any] = {}
        """Counters by name and values of their labels: looking one up here is quicker than asking the library."""
        self._figures: Figures = {}
        for metric in METRICS.values():
            if metric.type is MetricType.COUNTER:
                self._made[metric.name] = Counter(metric.name, metric.meaning, metric.labels, registry=self._registry)
            elif metric.type is MetricType.HISTOGRAM:
                self._made[metric.name] = Histogram(
                    metric.name, metric.meaning, buckets=metric.buckets, registry=self._registry
                )
        for outcome in _OUTCOMES:  # a rate needs a series that was there before its first run
            self.add(RUNS, 0, outcome)
        self._registry.register(_Gauges(self))

    @property
    def figures(self) -> Figures:
        return self._figures

    def add(self, metric: MetricKind, amount: float, *labels: str) -> None:
        key = (metric.name, *labels)
        child = self._children.get(key)
        if child is None:
            made = self._made[metric.name]
            child = self._children[key] = made.labels(*labels) if labels else made
        child.inc(amount)

    def observe(self, metric: MetricKind, seconds: float) -> None:
        self._made[metric.name].observe(seconds)

    def exposition(self, figures: Figures) -> bytes:
        """Write everything, with these gauges."""
        self._figures = figures
        return generate_latest(cast("CollectorRegistry", self))

    def collect(self) -> Iterable[Metric]:
        """List all series but the time at which each was made, which would double their number."""
        for family in self._registry.collect():
            family.samples = [each for each in family.samples if not each.name.endswith("_created")]
            yield family


class _Gauges:
    """The gauges as a collector: their values are those of the latest look, and no series outlives its cause."""

    def __init__(self, sink: PrometheusSink) -> None:
        self._sink = sink

    def collect(self) -> Iterable[Metric]:
        for metric, series in self._sink.figures.items():
            family = GaugeMetricFamily(metric.name, metric.meaning, labels=metric.labels)
            for labels, value in series.items():
                family.add_metric(labels, value)
            yield family

"""The metrics in the format that Prometheus reads, in a registry of their own: those of other libraries stay out.

Counting is written out here instead of taken from the library, because it happens several times for each run; the
library writes the figures out when they are read.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import cast

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from duly.telemetry.metrics import METRICS, RUNS, MetricKind, MetricType

CONTENT_TYPE = CONTENT_TYPE_LATEST
Figures = Mapping[MetricKind, Mapping[tuple[str, ...], float]]
"""The gauges: by metric and values of its labels."""
_OUTCOMES = ("succeeded", "failed", "skipped", "missed", "cancelled", "dead")


class _Sizes:
    """A histogram: how many values lie in each bucket, and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0


class PrometheusSink:
    """Implements `MeterSink`, and writes everything out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # other threads report events, too, such as the heartbeat's
        self._counts: dict[str, dict[tuple[str, ...], float]] = {}
        self._sizes: dict[str, dict[tuple[str, ...], _Sizes]] = {}
        for metric in METRICS.values():
            if metric.type is MetricType.COUNTER:
                self._counts[metric.name] = {} if metric.labels else {(): 0.0}
            elif metric.type is MetricType.HISTOGRAM:
                self._sizes[metric.name] = {} if metric.labels else {(): _Sizes(metric.buckets)}
        # A rate needs a series that was there before its first run.
        self._counts[RUNS.name] = {(outcome,): 0.0 for outcome in _OUTCOMES}
        self._figures: Figures = {}

    def add(self, metric: MetricKind, amount: float, *labels: str) -> None:
        counts = self._counts[metric.name]
        with self._lock:
            counts[labels] = counts.get(labels, 0.0) + amount

    def observe(self, metric: MetricKind, seconds: float, *labels: str) -> None:
        bucket = bisect_left(metric.buckets, seconds)  # a bucket holds values up to its bound, that one included
        with self._lock:
            series = self._sizes[metric.name]
            if (sizes := series.get(labels)) is None:
                sizes = series[labels] = _Sizes(metric.buckets)
            sizes.counts[bucket] += 1
            sizes.total += seconds

    def exposition(self, figures: Figures) -> bytes:
        """Write everything, with these gauges."""
        self._figures = figures
        return generate_latest(cast("CollectorRegistry", self))

    def collect(self) -> Iterable[Metric]:
        """List all series, as the library's own registry does."""
        with self._lock:
            counts = {name: dict(series) for name, series in self._counts.items()}
            sizes = {
                name: {labels: (list(each.counts), each.total) for labels, each in series.items()}
                for name, series in self._sizes.items()
            }
        for metric in METRICS.values():
            if metric.type is MetricType.COUNTER:
                counter = CounterMetricFamily(metric.name, metric.meaning, labels=metric.labels)
                for labels, value in counts[metric.name].items():
                    counter.add_metric(labels, value)
                yield counter
            elif metric.type is MetricType.HISTOGRAM:
                yield _histogram(metric, sizes[metric.name])
            elif metric in self._figures:
                gauge = GaugeMetricFamily(metric.name, metric.meaning, labels=metric.labels)
                for labels, value in self._figures[metric].items():
                    gauge.add_metric(labels, value)
                yield gauge


def _histogram(metric: MetricKind, series: Mapping[tuple[str, ...], tuple[list[int], float]]) -> Metric:
    """Write a histogram: each bucket counts the values of the smaller ones, too."""
    family = HistogramMetricFamily(metric.name, metric.meaning, labels=metric.labels)
    for labels, (counts, total) in series.items():
        reached = accumulate(map(float, counts))
        buckets = list(zip((*map(str, metric.buckets), "+Inf"), reached, strict=True))
        family.add_metric(labels, buckets, total)
    return family

"""`docs/monitoring.md` and the Grafana dashboard name the metrics that exist, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from duly.telemetry.metrics import METRICS, MetricType

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "monitoring.md").read_text(encoding="utf-8")
DASHBOARD = (DOCS / "grafana.json").read_text(encoding="utf-8")
_NAME = re.compile(r"\bduly_[a-z_]+")


def published() -> dict[str, set[str]]:
    """The names of all series, with the labels that each has."""
    found: dict[str, set[str]] = {}
    for metric in METRICS.values():
        if metric.type is MetricType.HISTOGRAM:
            found |= {f"{metric.name}{end}": {"le", *metric.labels} for end in ("_bucket", "_sum", "_count")}
        else:
            found[metric.name] = set(metric.labels)
    return found


def test_the_table_of_the_page_is_the_catalogue() -> None:
    rows = re.findall(r"(?m)^\| `(duly_\w+)` \| (\w+) \| ([^|]*) \| (.*) \|$", PAGE)
    told = [
        (metric.name, str(metric.type), ", ".join(f"`{label}`" for label in metric.labels), metric.meaning)
        for metric in METRICS.values()
    ]
    assert [(name, kind, labels.strip(), meaning) for name, kind, labels, meaning in rows] == told


def test_the_page_names_only_metrics_that_exist() -> None:
    assert set(_NAME.findall(PAGE)) <= {*published(), *METRICS}


def test_the_dashboard_names_only_metrics_that_exist_and_shows_all_of_them() -> None:
    named = set(_NAME.findall(DASHBOARD))
    assert named <= set(published())
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in named}
    assert shown == set(METRICS)


def test_the_dashboard_filters_and_groups_by_labels_that_exist() -> None:
    dashboard: dict[str, Any] = json.loads(DASHBOARD)
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids) > 10
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            query = target["expr"]
            labels = {label for name in _NAME.findall(query) for label in published()[name]} | {"job", "instance"}
            assert set(re.findall(r'(\w+)=~?"', query)) <= labels, query
            for group in re.findall(r"by \(([^)]*)\)", query):
                assert set(re.split(r",\s*", group)) <= labels, query
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(DASHBOARD)["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells

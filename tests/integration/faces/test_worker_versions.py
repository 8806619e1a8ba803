"""Workers are restarted later than duly: those of every earlier version are understood as before.

`tests/data/worker_versions.json` has what each version reads of a message, sends, and reads of the answers. A version
that changes any of it adds its own; what is there stays.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from duly.executors.celery.sending import CelerySender
from duly.model.handover import HandoverKey
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import WorkOrder
from tests.handing import WorkerClient, hand_over
from tests.world import world

VERSIONS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "data" / "worker_versions.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("version", VERSIONS)
async def test_reports_of_a_worker_are_understood(tmp_path: Path, version: str) -> None:
    async with world(tmp_path) as here:
        key, token = await hand_over(here.runtime.store, here.clock)
        worker = WorkerClient(here.http, key, token)
        for report in VERSIONS[version]["reports"]:
            answer = await worker.ask(report["what"], report["body"])
            assert answer.status_code == report["status"], (report, answer.text)
            assert answer.json().get("refusal") == report.get("refusal")
            assert set(report.get("answer", ())) <= answer.json().keys()


@pytest.mark.parametrize("version", VERSIONS)
def test_messages_have_what_a_worker_reads(version: str) -> None:
    settings = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("a",), callback="http://duly.example")
    order = WorkOrder(
        key=HandoverKey("run_a", 2),
        token="t",  # noqa: S106  of the test
        run_key="nightly/2026",
        schedule="nightly",
        task="a",
        args={},
        attempt=2,
        fire_at=datetime(2026, 11, 19, tzinfo=UTC),
        lease_seconds=60,
    )
    headers = CelerySender(settings)._headers(order)
    assert [name for name in VERSIONS[version]["headers"] if headers.get(name) in (None, "")] == []

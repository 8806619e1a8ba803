"""From `duly.toml` over a real daemon, a real Redis and a real worker to the outcome."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from tests.integration.engine_support.waiting import eventually
from tests.integration.executors.conftest import World
from tests.integration.executors.parts import APP, Worker
from tests.integration.faces.test_first_minute import duly, health, up


def test_a_daemon_hands_over_to_a_worker(world: World, prefork: Worker, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]  # the one by which the worker reaches the daemon
    (tmp_path / "duly.toml").write_text(
        f"""
        [executors.heavy]
        kind = "celery"
        broker = "{world.redis.url}"
        result_backend = "{world.redis.url}"
        callback = "http://127.0.0.1:{port}"
        queue = "prefork"
        tasks = ["{APP}.*"]
        """,
        encoding="utf-8",
    )
    with up(tmp_path, port) as (_, url):
        eventually(lambda: health(url), "the daemon")
        for name, words in {"add": ["--arg", "x=40"], "fail": [], "retry_once": []}.items():
            job = ["--executor", "heavy", "--job", f"{APP}.{name}", "--cron", "0 0 1 1 *", *words]
            duly(tmp_path, "schedule", "create", name, *job)
            duly(tmp_path, "schedule", "trigger", name)
        added = eventually(lambda: _ended(tmp_path, "add"), "the sum")
        assert (added["status"], added.get("result")) == ("succeeded", 42), added
        failed = eventually(lambda: _ended(tmp_path, "fail"), "the failure")
        assert failed["status"] == "failed"
        assert failed["error"].endswith("ValueError: no bread left")
        retried = eventually(lambda: _ended(tmp_path, "retry_once"), "the second try")
        assert retried["result"] == "tried 2 times"


def _ended(folder: Path, name: str) -> Any:
    [run] = json.loads(duly(folder, "schedule", "history", name, "--json"))["items"]
    return run if run.get("finished_at") else None

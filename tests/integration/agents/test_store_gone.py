"""A store that is deleted under a running daemon: health is red, no command makes an empty store, until it is back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx2

from tests.forked_duly import run
from tests.integration.agents.installation import DaemonProcess, Installation
from tests.integration.engine_support.waiting import PATIENCE, eventually


def light(daemon: DaemonProcess) -> tuple[int, dict[str, Any]]:
    answer = httpx2.get(f"{daemon.url}/health", timeout=PATIENCE)
    return answer.status_code, answer.json()


def is_red(daemon: DaemonProcess) -> dict[str, Any] | None:
    code, seen = light(daemon)
    return seen if code == 503 and seen["light"] == "red" else None


def duly(installation: Installation, *words: str) -> subprocess.CompletedProcess[str]:
    words = (*words, "--data-dir", str(installation.data))
    return run(words, env=installation.environment, cwd=installation.folder, timeout=PATIENCE)


def test_a_deleted_store_turns_health_red_until_it_is_put_back(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    store = Path(installation.store)
    with installation.daemon() as daemon:
        assert duly(installation, "remind", "stretch", "tomorrow at 9").returncode == 0
        store.unlink()
        seen = eventually(lambda: is_red(daemon), "a red light")
        assert seen["reasons"][0] == "the store is unavailable"
        for words in (("remind", "never", "tomorrow at 9"), ("list",)):
            done = duly(installation, *words)
            assert (done.returncode, done.stdout) == (1, ""), words
            assert f"cannot use {store}: there is no such file" in done.stderr
        done = duly(installation, "health")
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith(f"red\n  cannot use {store}: there is no such file")
        assert not store.exists()
        store.with_name("schedules.db.saved").rename(store)
        eventually(lambda: light(daemon)[0] == 200, "a green light")
        assert [each["name"] for each in json.loads(duly(installation, "reminders", "--json").stdout)["items"]] == [
            "stretch"
        ]

"""The first minute of a new user: real processes, a real clock, and a daemon that is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.forked_duly import ForkedDuly, run
from tests.integration.engine_support.waiting import eventually

ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1"}
COMMAND = [sys.executable, "-m", "duly"]
_HELLO = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}\n'
)


def duly(folder: Path, *words: str, code: int = 0, is_data: bool = True) -> str:
    """Run a command in a folder, which is the data directory as well unless it is not."""
    there = ["--data-dir", str(folder)] if is_data else []
    done = run([*words, *there], env=ENVIRONMENT, cwd=folder, timeout=60)
    assert done.returncode == code, done.stderr
    return done.stdout


@contextmanager
def up(folder: Path, port: int = 0, *, is_data: bool = True) -> Iterator[tuple[ForkedDuly, str]]:
    """A daemon; gives its process and where it listens."""
    words = ["up", "--port", str(port), *(["--data-dir", str(folder)] if is_data else [])]
    with (folder / "log.txt").open("a", encoding="utf-8") as log:
        process = ForkedDuly(words, env=ENVIRONMENT, cwd=folder, stdout=subprocess.PIPE, stderr=log)
    try:
        yield process, eventually(lambda: _address(process), "the address")
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


def _address(process: ForkedDuly) -> str | None:
    assert process.stdout is not None
    found = re.search(r"mcp +(http://127\.0\.0\.1:\d+)/mcp", process.stdout.readline())
    return found[1] if found else None


def only_good_news(log: str) -> bool:
    """Whether a log tells of nothing that went wrong: who came and went is news, too."""
    return all(re.match(r"\d\d:\d\d:\d\d INFO [a-z]+\.[a-z]+ ", line) for line in log.splitlines())


def health(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("before", [True, False], ids=["killed before it was due", "killed after it arrived"])
def test_a_reminder_outlives_the_daemon(tmp_path: Path, before: bool) -> None:
    (tmp_path / "duly.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf-8")
    with up(tmp_path) as (process, url):
        eventually(lambda: health(url), "the daemon")
        made = duly(tmp_path, "remind", "take medicine", "in", "1", "second", "--ack")
        assert re.match("✓ [^:]+: once, (today|tomorrow) ", made), made  # at midnight it is tomorrow
        assert "needs your answer" in made
        assert "nothing runs here" not in made
        if not before:
            eventually(lambda: _arrived(tmp_path), "the reminder")
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with up(tmp_path) as (process, url):
        eventually(lambda: health(url), "the daemon, again")
        eventually(lambda: _arrived(tmp_path), "the reminder")
        assert duly(tmp_path, "inbox").splitlines()[-1].startswith("one waits for your answer")
        assert duly(tmp_path, "ack") == "✓ Done: take medicine\n"
        [job] = json.loads(duly(tmp_path, "reminders", "--json"))["items"]
        assert job["last_status"] == "acked"
        duly(tmp_path, "ack", code=1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert "Traceback" not in (tmp_path / "log.txt").read_text(encoding="utf-8")


def test_a_daemon_is_alone_on_its_data_and_ends_in_good_order_even_in_a_hurry(tmp_path: Path) -> None:
    with up(tmp_path) as (process, url):
        eventually(lambda: health(url), "the daemon")
        words = [*COMMAND, "up", "--port", url.rpartition(":")[2], "--data-dir", str(tmp_path)]
        second = subprocess.run(words, env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert second.stderr.startswith(f"duly: a daemon already runs on {tmp_path}, at {url}: ")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert only_good_news((tmp_path / "log.txt").read_text(encoding="utf-8"))


def test_a_daemon_that_is_asked_to_stop_while_it_starts_does_so_quietly(tmp_path: Path) -> None:
    with up(tmp_path) as (process, _url):  # it has said where it listens, and may not listen yet
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert only_good_news((tmp_path / "log.txt").read_text(encoding="utf-8"))


def test_mcp_ends_when_asked_although_its_input_is_open(tmp_path: Path) -> None:
    words = [*COMMAND, "mcp", "--data-dir", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=ENVIRONMENT, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(_HELLO)
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert only_good_news(process.stderr.read().decode())


def _arrived(folder: Path) -> bool:
    """Looked up in the file: starting a command each time would take most of the test."""
    with closing(sqlite3.connect(folder / "schedules.db")) as store:
        found = store.execute("SELECT count(*) FROM inbox WHERE text LIKE 'take medicine%'")
        return bool(found.fetchone()[0])


def test_a_daemon_starts_although_something_is_missing_and_takes_up_its_file(tmp_path: Path) -> None:
    file, log = tmp_path / "duly.toml", tmp_path / "log.txt"
    head = '[projects.blog]\npath = "blog"\n[jobs]\nfine = "json:dumps"\nbroken = "first_minute_jobs:work"\n'
    butler = '[butler]\nname = "home"\n'
    missing = _every_second("broken", 'job_name = "broken"') + _every_second("blog", 'prompt = "x"\ntargets = ["blog"]')
    fine = _every_second("fine", 'job_name = "fine"\njob_args = { obj = 1 }')
    file.write_text(head + butler + missing + fine, encoding="utf-8")
    (tmp_path / "first_minute_jobs.py").write_text("import no_such_module_anywhere\n", encoding="utf-8")
    with up(tmp_path) as (process, url):
        eventually(lambda: _has_run(tmp_path, "fine"), "a run of what misses nothing")
        rests = {
            each["name"]: each.get("resting", "") for each in json.loads(duly(tmp_path, "list", "--json"))["items"]
        }
        assert "No module named 'no_such_module_anywhere'" in rests["broken"]
        assert rests["blog"].startswith("project 'blog' is not there: ")
        file.write_text(head + butler + missing + fine + "colour = 1\n", encoding="utf-8")
        eventually(lambda: "config.refused" in log.read_text(encoding="utf-8"), "the refusal")
        token = (tmp_path / "local.token").read_text(encoding="utf-8").strip()
        asked = httpx.get(f"{url}/health", headers={"Authorization": f"Bearer {token}"}, trust_env=False)
        reasons = asked.json()["reasons"]
        assert any(f"{file.name}:22: butler.schedule[2].colour: is unknown" in each for each in reasons)
        (tmp_path / "first_minute_jobs.py").write_text("def work():\n    pass\n", encoding="utf-8")
        file.write_text(head + butler + _every_second("broken", 'job_name = "broken"'), encoding="utf-8")
        eventually(lambda: _has_run(tmp_path, "broken"), "a run of what was missing")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    told = log.read_text(encoding="utf-8")
    assert "config.reloaded" in told
    assert "schedule.awake" in told
    assert "Traceback" not in told


def _every_second(name: str, what: str) -> str:
    return f'[[butler.schedule]]\nname = "{name}"\nwhen = "every second"\n{what}\n'


def _has_run(folder: Path, name: str) -> bool:
    with closing(sqlite3.connect(folder / "schedules.db")) as store:
        found = store.execute(
            "SELECT count(*) FROM runs r JOIN schedules s ON s.id = r.schedule_id WHERE s.name = ? AND r.status = ?",
            (name, "succeeded"),
        )
        return bool(found.fetchone()[0])

"""A daemon reports each fault: in its log with one line, and in `duly events` afterwards."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.forked_duly import ForkedDuly
from tests.integration.engine_support.waiting import eventually
from tests.integration.faces.test_first_minute import duly, health, up

SPAWNERS = """
[spawners.broken]
new = ["sh", "-c", "echo out of order >&2; exit 1"]

[spawners.slow]
new = ["sleep", "300"]

[spawners.late]
new = ["sleep", "300"]
timeout = 1

[spawners.missing]
new = ["duly-test-no-such-program"]
"""


def create(folder: Path, name: str, *options: str) -> None:
    duly(folder, "schedule", "create", name, "--prompt", "go", *options)


def log(folder: Path) -> str:
    return (folder / "log.txt").read_text(encoding="utf-8")


def lines(folder: Path, event: str) -> list[str]:
    """The lines of the log about one kind of event."""
    return [line for line in log(folder).splitlines() if re.match(rf"\S+ [A-Z]+ {re.escape(event)}\b", line)]


def journal(folder: Path, *filters: str) -> list[dict[str, Any]]:
    told = duly(folder, "events", "--json", "--limit", "500", *filters)
    return [json.loads(line) for line in told.splitlines()]


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "schedules.db")) as connection, connection:
        connection.execute(statement)


def number_of(folder: Path, question: str, *values: str) -> int:
    """Look into the file, as often as a test likes: each start of a command would take half a second."""
    with closing(sqlite3.connect(folder / "schedules.db")) as connection:
        [[found]] = connection.execute(question, values)
        return int(found)


def stop(process: ForkedDuly) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def test_missed_runs_and_an_unreadable_schedule_are_told_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text(SPAWNERS, encoding="utf-8")
    names = ["backup", "report", "tidy"]
    yearly = f"0 0 1 {(datetime.now(UTC).month + 5) % 12 + 1} *"  # half a year from now, so that none is due just now
    for name in names:
        create(tmp_path, name, "--cron", yearly, "--catch-up", "skip", "--spawner", "broken")
    create(tmp_path, "damaged", "--cron", yearly, "--spawner", "broken")
    change(tmp_path, "UPDATE schedules SET next_fire_at = next_fire_at - 94608000000000")
    change(tmp_path, "UPDATE schedules SET next_run_at = next_fire_at")  # three years ago
    change(tmp_path, """UPDATE schedules SET trigger = '{"kind": "?"}' WHERE name = 'damaged'""")
    with up(tmp_path) as (process, url):
        eventually(lambda: health(url), "the daemon")
        eventually(lambda: len(lines(tmp_path, "run.missed")) == 3, "the misses")
        eventually(lambda: lines(tmp_path, "schedule.quarantined"), "the quarantine")
        stop(process)
    missed, [quarantined] = lines(tmp_path, "run.missed"), lines(tmp_path, "schedule.quarantined")
    assert sorted(re.findall(r" WARNING run\.missed .*name=(\w+) ", "\n".join(missed))) == names
    assert all(re.search(r" reason=.+ count=[23]$", line) for line in missed)
    assert re.search(r" ERROR schedule\.quarantined .*name=damaged reason=.TriggerDecodeError: ", quarantined)
    told = journal(tmp_path, "--level", "warning")
    assert sorted(each["schedule"] for each in told) == sorted([*names, "damaged"])


def test_a_killed_daemon_is_missed_by_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text(SPAWNERS, encoding="utf-8")
    create(tmp_path, "long", "--cron", "0 0 1 1 *", "--spawner", "slow")
    with up(tmp_path) as (process, url):
        eventually(lambda: health(url), "the daemon")
        run = json.loads(duly(tmp_path, "schedule", "trigger", "long", "--json"))["id"]
        begun = "SELECT count(*) FROM runs WHERE id = ? AND status = 'running'"
        eventually(lambda: number_of(tmp_path, begun, run), "the run to begin")
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    with up(tmp_path) as (process, url):
        eventually(lambda: lines(tmp_path, "run.rescued") and lines(tmp_path, "node.lost"), "the rescue")
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    [rescued] = lines(tmp_path, "run.rescued")
    assert re.search(rf" WARNING run\.rescued .*run={run} .*name=long owner=node_", rescued)
    assert re.search(r" WARNING node\.lost node=node_\w+ runs=1$", lines(tmp_path, "node.lost")[0])
    assert [each["event"] for each in journal(tmp_path, "--run", run)] == ["schedule.fired", "run.rescued"]


def test_what_fails_every_second_is_told_once_and_counted(tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text(SPAWNERS, encoding="utf-8")
    create(tmp_path, "broken", "--when", "every second", "--spawner", "broken")
    create(tmp_path, "late", "--when", "every second", "--spawner", "late")
    create(tmp_path, "missing", "--when", "every second", "--spawner", "missing")

    def failures(name: str) -> int:
        events = "events JOIN schedules ON schedules.id = schedule_id"
        failed = f"SELECT count(*) FROM {events} WHERE events.name = 'run.failed' AND schedules.name = ?"  # noqa: S608
        return number_of(tmp_path, failed, name)

    with up(tmp_path) as (process, _):
        eventually(lambda: failures("broken") >= 3 and failures("late") >= 3, "failures")
        stop(process)
    told = lines(tmp_path, "run.failed")
    for name, error in (("broken", "PromptError: exit code 1"), ("late", "RunTimeoutError: timed out after 1 s")):
        first, *counts = [line for line in told if f"name={name} " in line]
        assert error in first
        assert "again" not in first
        [count] = counts
        times = re.search(r" ERROR run\.failed again, (\d+) times? since \d\d:\d\d:\d\d: .*" + error, count)
        assert times is not None
        assert int(times[1]) == failures(name) - 1
    [resting] = lines(tmp_path, "schedule.resting")
    assert re.search(r" WARNING schedule\.resting .*name=missing reason=\".*'duly-test-no-such-program'", resting)
    assert "Traceback" not in log(tmp_path)

# ruff: noqa: E501  the tables of the scene
"""The scene of the screenshots: Friday 26 March 2027, 14:32 in Berlin, two days before the clocks change.

`scene` is a daemon on virtual time with agents, jobs and people, what they did in the last days, a failure, missed
runs, a span in which nothing was running, and an answer that is waited for. `python -m tests.web.scene FOLDER PORT`
serves it.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import uvicorn

from duly.config.settings import ServerLimits, Settings
from duly.entropy import random_bits
from duly.model.ids import make_id
from duly.phrases import parse
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ExecutorStanding, QueueStanding
from duly.ports.run_history import KeptOutput, LineKind, OutputPiece, write_line
from duly.server.http import make_app
from duly.server.protocols import make_config
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.testing.clock import VirtualClock
from tests.configured_executor import stand_in
from tests.sqlite_template import prepare
from tests.world import VirtualRuntime, World, until

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2027, 3, 26, 13, 32, 7, tzinfo=UTC)
SILENT = (datetime(2027, 3, 26, 1, 51, tzinfo=UTC), datetime(2027, 3, 26, 5, 40, tzinfo=UTC))
"""The span in which nothing was running."""
_CALLER = Caller(ADMIN, face=Face.CLI)
TRIAGE = (
    "Triage the new issues: label each, find duplicates, answer what can be answered. Do not close anything. "
    "If there is nothing to do, say so in one line."
)
OVERLOADED = (
    ("13:30:01.100", LineKind.NOTE, "claude, sonnet · goes on with session 0f8f2c9e"),
    ("13:30:41.000", LineKind.ERROR, "overloaded, try again"),
)
PRINTED = (
    ("13:31:13.400", LineKind.NOTE, "claude, sonnet · goes on with session 0f8f2c9e · budget left $0.44"),
    ("13:31:14.000", LineKind.NOTE, "gate new-issues: 4 open issues without an assignee, added to the prompt"),
    ("13:31:19.000", LineKind.TEXT, "Reading the four issues and the last 20 commits."),
    ("13:31:24.000", LineKind.COMMAND, "gh issue view 482 --comments"),
    ("13:31:27.000", LineKind.TEXT, "#482 Checkout total is wrong with two coupons"),
    ("13:31:27.000", LineKind.TEXT, "  Reproduced from the report: the second coupon is applied to the full price."),
    ("13:31:31.000", LineKind.COMMAND, "gh issue edit 482 --add-label bug,checkout,priority:high"),
    ("13:31:34.000", LineKind.COMMAND, "gh issue view 483 --comments"),
    ("13:31:38.000", LineKind.TEXT, "#483 Dark mode for the receipt page"),
    ("13:31:38.000", LineKind.TEXT, "  A wish, not a fault. There is an older one, #311: marked as the same."),
    ("13:31:41.000", LineKind.COMMAND, "gh issue edit 483 --add-label feature,duplicate"),
    ("13:31:46.000", LineKind.COMMAND, "gh issue view 484 --comments"),
    ("13:31:49.000", LineKind.TEXT, "#484 Typo in the returns policy"),
    ("13:31:52.000", LineKind.COMMAND, "gh issue edit 484 --add-label docs,good-first-issue"),
    ("13:31:58.000", LineKind.WARNING, "warning: gh: rate limit 12 of 60 left, resets 14:58"),
    ("13:32:01.000", LineKind.COMMAND, "gh issue view 485 --comments"),
    ("13:32:04.000", LineKind.TEXT, "#485 Order mail arrives twice"),
    ("13:32:04.000", LineKind.TEXT, "  Looks like the retry without an idempotency key that #467 described."),
    ("13:32:07.000", LineKind.TEXT, "  Drafting an answer that links both"),
)
PATIENT = """
until test -e begin; do sleep .05; done
echo Reading the issues
until test -e end; do sleep .05; done
cat end
grep -q Triaged end || { rm end; exit 1; }
"""
"""An agent that prints when a test makes one file, and ends when it makes another, with what that says."""
_CALM = random.Random(7)


def backup(bucket: str = "db") -> str:
    return bucket


def prune_history(keep_days: int = 30) -> int:
    return keep_days


def export_invoices() -> None:
    return None


def ping(url: str = "") -> str:
    return url


def fail(text: str = "") -> None:
    raise RuntimeError(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a schedule did: its fires of the last days, and which of them did not end well."""

    name: str
    hours: tuple[float, ...]
    """Hours of the local day at which it fires."""
    days: int = 30
    weekdays: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    took: float = 60.0
    cost: float = 0.0
    failed: tuple[float, ...] = ()
    """How many hours before now runs failed."""
    skips: float = 0.0
    """The share of runs that a gate skipped."""
    error: str = "exit code 1"
    reminder: str | None = None
    """The status of the last one's reminder, for people."""
    more: dict[str, Any] = field(default_factory=dict)


def _every(minutes: int, start: float = 0, end: float = 24) -> tuple[float, ...]:
    step = minutes / 60
    return tuple(start + number * step for number in range(int((end - start) / step + 1e-9)))


PASTS = (
    Past(
        name="issue-triage",
        hours=tuple(h + 0.5 for h in range(9, 18)),
        weekdays=(0, 1, 2, 3, 4),
        took=95,
        cost=0.12,
        days=6,
    ),
    Past(
        name="inbox-triage", hours=_every(15, 7, 21), weekdays=(0, 1, 2, 3, 4), took=22, cost=0.03, skips=0.45, days=4
    ),
    Past(name="daily-review", hours=(8,), weekdays=(0, 1, 2, 3, 4), took=260, cost=0.42, failed=(246.5,)),
    Past(
        name="dependency-watch",
        hours=(0, 6, 12, 18),
        took=140,
        cost=0.19,
        days=8,
        failed=(2.5, 98.5),
        error="opencode: 401 Unauthorized, the login has expired",
    ),
    Past(name="weekly-digest", hours=(16,), weekdays=(4,), took=300, cost=0.55, days=90),
    Past(name="backup-db", hours=(2.5,), took=410),
    Past(name="backup-photos", hours=(0, 1, 2, 3, 4, 5), took=530, days=8),
    Past(name="prune-history", hours=(4.5,), took=12),
    Past(name="health-ping", hours=_every(5), took=0.3, days=2),
    Past(name="bp-tablet", hours=(14 + 5 / 60,), took=240, reminder="awaiting_ack"),
    Past(name="vitamins", hours=(8,), took=180),
    Past(name="stand-up", hours=(9.25,), weekdays=(0, 1, 2, 3, 4), took=120),
)

SCHEDULES: tuple[dict[str, Any], ...] = (
    {
        "name": "issue-triage",
        "cron": "30 9-17 * * mon-fri",
        "prompt": TRIAGE,
        "retry": {"max_attempts": 3},
        "targets": [{"project_id": "shop"}],
    },
    {
        "name": "inbox-triage",
        "cron": "*/15 7-20 * * mon-fri",
        "prompt": "Sort new mail, draft short answers",
        "targets": [{"project_id": "home"}],
    },
    {
        "name": "daily-review",
        "cron": "0 8 * * mon-fri",
        "prompt": "Review yesterday's changes",
        "targets": [{"project_id": "blog"}, {"project_id": "shop"}],
    },
    {
        "name": "dependency-watch",
        "cron": "0 */6 * * *",
        "prompt": "Check dependencies for advisories",
        "targets": [{"project_id": "shop"}],
    },
    {
        "name": "weekly-digest",
        "cron": "0 16 * * fri",
        "prompt": "Write the digest of the week",
        "targets": [{"project_id": "home"}],
    },
    {
        "name": "link-check",
        "cron": "0 6 * * mon",
        "prompt": "Find dead links in the docs",
        "targets": [{"project_id": "blog"}],
    },
    {"name": "backup-db", "cron": "30 2 * * *", "job_name": "backup", "job_args": {"bucket": "db"}},
    {"name": "backup-photos", "cron": "0 0-5 * * *", "job_name": "backup", "job_args": {"bucket": "photos"}},
    {"name": "prune-history", "cron": "30 4 * * *", "job_name": "prune_history", "job_args": {"keep_days": 30}},
    {"name": "invoice-export", "cron": "0 17 * * fri", "job_name": "export_invoices"},
    {"name": "health-ping", "cron": "*/5 * * * *", "job_name": "ping", "job_args": {"url": "https://example.org"}},
)
REMINDERS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "bp-tablet",
        "every day at 14:05",
        "Take your blood-pressure tablet",
        {"require_ack": True, "ack_prompt": "Did you take it?", "priority": "high", "max_ack_reminders": 3},
    ),
    ("vitamins", "every day at 8:00", "Vitamins", {"require_ack": True}),
    ("stand-up", "every weekday at 9:15", "Write the stand-up notes", {}),
    ("call-the-vet", "today at 17:30", "Call the vet about the check-up", {"require_ack": True}),
    ("water-plants", "every monday and thursday at 18:00", "Water the plants", {"require_ack": True}),
    ("rent", "on the 1st of every month at 10:00", "Pay the rent", {}),
)


def settings_of(folder: Path) -> Settings:
    """Give the settings of the scene."""
    for name in ("home", "shop", "blog"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return Settings(
        data_dir=folder,
        store=str(folder / "duly.db"),
        timezone="Europe/Berlin",
        cron_timezone="Europe/Berlin",
        projects={name: folder / name for name in ("home", "shop", "blog")},
        spawners={
            "claude": {"kind": "command", "new": ["true"]},
            "patient": {"kind": "command", "new": ["sh", "-c", PATIENT]},
        },
        default_spawner="claude",
        executors={
            "heavy": ExecutorSettings(
                name="heavy", kind=ExecutorKind.CELERY, tasks=("shop.tasks.*",), broker="env:BROKER"
            ),
        },
        jobs={
            name: f"tests.web.scene:{name}" for name in ("backup", "prune_history", "export_invoices", "ping", "fail")
        },
        limits=ServerLimits(),
    )


@asynccontextmanager
async def scene(folder: Path, *, auth: bool = False, others: int = 47) -> AsyncIterator[World]:
    """Make the scene in an empty folder."""
    _CALM.seed(7)  # the same scene, whatever was made before in this process
    prepare(folder / "duly.db")
    clock = VirtualClock(NOW)
    runtime = VirtualRuntime(settings_of(folder), clock=clock, environment={})
    await runtime.open()
    stand_in(
        runtime,
        "heavy",
        ExecutorStanding(
            reachable=True,
            queues=(QueueStanding(name="slow", depth=12, workers=2), QueueStanding(name="quick", depth=0, workers=1)),
            workers=("celery@build-1", "celery@build-2"),
        ),
    )
    ids = await _make_schedules(runtime, others)
    _write_past(folder / "duly.db", ids)
    app = make_app(runtime, host="127.0.0.1", auth=auth)
    async with app.router.lifespan_context(app):
        made = World(runtime, app, clock)
        await _print(runtime, _set_running(folder / "duly.db", ids["issue-triage"]))
        async with made.http:
            yield made


class Serving:
    """The scene on a port. It can be stopped, as if the daemon were gone, and started again at the same address."""

    def __init__(self, here: World, port: int = 0) -> None:
        self._here = here
        self._port = port
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        listening = socket.create_server(("127.0.0.1", self._port))
        self._port = listening.getsockname()[1]
        server = uvicorn.Server(make_config(self._here.app, self._here.runtime.settings.limits, lifespan="off"))
        self._server = server
        self._task = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started, "the server")

    async def stop(self) -> None:
        """Hang up on everyone."""
        if self._server is None or self._task is None:
            return
        self._server.should_exit = True
        self._server.force_exit = True
        await self._task
        for connection in self._server.server_state.connections.copy():
            if (transport := getattr(connection, "transport", None)) is not None:
                transport.abort()  # as the kernel does for a process that is gone
        self._server = None


@asynccontextmanager
async def served_scene(folder: Path, port: int = 0, **options: Any) -> AsyncIterator[tuple[World, Serving]]:
    """Serve the scene on a port."""
    async with scene(folder, **options) as here:
        serving = Serving(here, port)
        await serving.start()
        try:
            yield here, serving
        finally:
            await serving.stop()


async def _make_schedules(runtime: VirtualRuntime, others: int) -> dict[str, str]:
    cases = runtime.services.use_cases
    ids: dict[str, str] = {}
    for fields in SCHEDULES:
        ids[fields["name"]] = (await cases.schedule_create(_CALLER, fields)).id
    people = runtime.services.reminder_service.people
    await people.update("local", timezone="Europe/Berlin")
    for name, when, text, options in REMINDERS:
        ids[name] = (
            await runtime.services.reminder_service.create(
                "local", parse(when, now=NOW, tz="Europe/Berlin").trigger, text, name=name, **options
            )
        ).id
    words = ("report", "sync", "import", "index", "check", "cleanup", "mirror", "digest")
    for number in range(others):
        hour = _CALM.randrange(24)
        name = f"{_CALM.choice(('mail', 'stock', 'blog', 'shop', 'photo', 'price', 'search'))}-{words[number % 8]}-{number}"
        made = await cases.schedule_create(
            _CALLER, {"name": name, "cron": f"{_CALM.choice((0, 0, 15, 30, 45))} {hour} * * *", "job_name": "ping"}
        )
        ids[name] = made.id
    await cases.update(_CALLER, ids["link-check"], {"enabled": False})
    return ids


def _write_past(path: Path, ids: dict[str, str]) -> None:
    """Write what happened before now: no engine ran for it, so it is written into the tables."""
    store = apsw.Connection(str(path))
    store.execute("BEGIN")
    for number, (begin, end) in enumerate(((NOW - timedelta(days=40), SILENT[0]), (SILENT[1], NOW))):
        store.execute(
            "INSERT INTO nodes (id, host, pid, pid_started, boot_id, lease_seconds, beat_at, handlers, state, started_at,"
            " seen_at) VALUES (?, 'workshop-1', ?, '', '', 30, 0, '[]', 'gone', ?, ?)",
            (make_id("node_", begin, random_bits), 100 + number, _stamp(begin), _stamp(end)),
        )
    for past in PASTS:
        _write_runs(store, ids[past.name], past)
    for name, schedule_id in ids.items():
        if name.rsplit("-", 1)[-1].isdigit():
            hour = _CALM.randrange(24) + _CALM.choice((0, 0.25, 0.5))
            _write_runs(store, schedule_id, Past(name=name, hours=(hour,), took=5, days=12))
    store.execute("COMMIT")
    store.close()


def _fires(past: Past) -> Iterator[datetime]:
    today = NOW.astimezone(BERLIN).date()
    for back in range(past.days, -1, -1):
        day = today - timedelta(days=back)
        if day.weekday() not in past.weekdays:
            continue
        for hour in past.hours:
            local = datetime.combine(day, time(), BERLIN) + timedelta(hours=hour)
            at = local.astimezone(UTC)
            if at <= NOW:
                yield at


def _write_runs(store: apsw.Connection, schedule_id: str, past: Past) -> None:
    fires = list(_fires(past))
    for at in fires:
        missed = SILENT[0] <= at < SILENT[1]
        made_up = missed and at == max(each for each in fires if each < SILENT[1])
        start = SILENT[1] + timedelta(seconds=3) if made_up else at + timedelta(seconds=0.2)
        status = "missed" if missed and not made_up else "succeeded"
        if any(abs((NOW - at).total_seconds() / 3600 - back) < 0.3 for back in past.failed):
            status = "failed"
        elif status == "succeeded" and _CALM.random() < past.skips:
            status = "skipped"
        seconds = past.took * _CALM.uniform(0.8, 1.25)
        end: datetime | None = start + timedelta(seconds=seconds)
        is_last = at == fires[-1]
        if past.reminder and is_last:
            status = "pending"
            end = None
        _write_run(store, schedule_id, past, at, start, end, status)


def _write_run(
    store: apsw.Connection,
    schedule_id: str,
    past: Past,
    at: datetime,
    start: datetime,
    end: datetime | None,
    status: str,
) -> None:
    run_id = make_id("run_", at, random_bits)
    ran = status in {"succeeded", "failed", "running"}
    reasons = {"missed": "nothing was running", "skipped": "the gate found nothing new"}
    store.execute(
        "INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, status, attempt, owner, started_at,"
        " finished_at, error, reason, skipped, first_skipped_at)"
        " VALUES (?, ?, 'schedule', ?, ?, (SELECT handler FROM schedules WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run_id, schedule_id, _stamp(at), _stamp(NOW + timedelta(hours=2) if status == "pending" else at), schedule_id, status,
            3 if status == "failed" else 1, None,
            _stamp(start) if ran else None, None if end is None else _stamp(end if ran else at),
            past.error if status == "failed" else None, reasons.get(status),
            1 if status in reasons else 0, _stamp(at) if status in reasons else None,
        ),
    )  # fmt: skip
    if status == "failed" and NOW - at < timedelta(hours=6):
        store.execute(
            "UPDATE schedules SET last_status = 'failed', last_result = ?, consecutive_failures = 1, last_run_at = ?,"
            " failing_since = ? WHERE id = ?",
            (json.dumps({"error": past.error}), _stamp(at), _stamp(at), schedule_id),
        )
    if status == "missed":
        store.execute(
            "INSERT INTO events (at, name, schedule_id, run_id, data) VALUES (?, 'run.missed', ?, ?, ?)",
            (_stamp(SILENT[1]), schedule_id, run_id, '{"reason": "nothing was running", "count": 1}'),
        )
    if past.cost and status == "succeeded":
        store.execute(
            "INSERT INTO run_targets (run_id, project_id, status, started_at, finished_at, cost_usd)"
            " VALUES (?, 'shop', 'succeeded', ?, ?, ?)",
            (run_id, _stamp(start), _stamp(end or start), past.cost * _CALM.uniform(0.7, 1.3)),
        )
    if past.reminder and status == "pending":
        store.execute(
            "INSERT INTO reminders (run_id, schedule_id, user_id, run_number, token, status, rounds, nags, channel,"
            " last_sent_at, wake_at, created_at, updated_at) VALUES (?, ?, 'local', 1, 'tok7', ?, 3, 2, 'inbox', ?, ?, ?, ?)",
            (run_id, schedule_id, past.reminder, _stamp(NOW - timedelta(minutes=7)), _stamp(NOW + timedelta(minutes=3)), _stamp(at), _stamp(at)),
        )  # fmt: skip


def _set_running(path: Path, schedule_id: str) -> str:
    """Let the last run of a schedule be under way on the node that lives, in its second attempt; gives its id."""
    store = apsw.Connection(str(path))
    run_id: str = store.execute(
        "SELECT id FROM runs WHERE schedule_id = ? ORDER BY fire_at DESC LIMIT 1", (schedule_id,)
    ).get
    node = store.execute("SELECT id FROM nodes WHERE state = 'alive' LIMIT 1").get
    began = datetime(2027, 3, 26, 13, 30, 0, 200_000, tzinfo=UTC)
    store.execute(
        "UPDATE runs SET status = 'running', started_at = ?, finished_at = NULL, attempt = 2, fence = 2, owner = ?"
        " WHERE id = ?",
        (_stamp(began + timedelta(seconds=73)), node, run_id),
    )
    store.execute(
        "INSERT INTO attempts VALUES (?, 1, 1, 'failed', ?, ?, ?, 'claude: overloaded, try again')",
        (run_id, _stamp(began), _stamp(began + timedelta(seconds=41)), node),
    )
    store.execute(
        "UPDATE run_targets SET status = 'running', finished_at = NULL, started_at = ?, session_id = ?, sent = ?"
        " WHERE run_id = ?",
        (
            _stamp(began + timedelta(seconds=73)),
            "0f8f2c9e-71d4-4c0e-9a53-2b1f6f0f8a11",
            json.dumps({"prompt": TRIAGE, "spawner": "default", "program": "claude", "model": "sonnet"}),
            run_id,
        ),
    )
    store.close()
    return run_id


async def _print(runtime: VirtualRuntime, run_id: str) -> None:
    """Let the run that is under way have printed something."""
    for attempt, lines in ((1, OVERLOADED), (2, PRINTED)):
        text = "".join(
            write_line(datetime.fromisoformat(f"2027-03-26T{clock}Z"), kind, words) for clock, kind, words in lines
        )
        size = len(text.encode())
        kept = KeptOutput(
            run_id=run_id,
            attempt=attempt,
            target="shop",
            total=size,
            lines=len(lines),
            complete=attempt == 1,
            kept_limit=1_048_576,
        )
        await runtime.store.history.append([(kept, OutputPiece(start=0, size=size, text=text))])


def _stamp(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)


async def _serve(folder: Path, port: int) -> None:
    async with served_scene(folder, port) as (_, serving):
        print(serving.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))

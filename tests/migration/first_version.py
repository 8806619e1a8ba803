"""A database as the first version of the schema left it, with a row in every table."""

from __future__ import annotations

from typing import Any

from duly.model.action import Message, Prompt, Target
from duly.model.run import Status
from duly.ports.codec import encode_action
from duly.ports.records import SCHEDULE_COLUMNS, RunFilter, ScheduleFilter
from duly.ports.targets import TargetRun
from duly.ports.tokens import TokenRecord
from duly.stores.postgres.store import PostgresStore
from duly.stores.sqlite.store import SqliteStore
from tests.conformance.stores.builders import START, at, names, schedule

PEOPLE = "SELECT name, timezone, channel, address, preference FROM users JOIN user_channels ON user_id = id"
ADA = ("Ada", "Europe/Zagreb", "telegram", "42", 1)
# columns that schedules did not have yet
LATER = ("token_scope", "created_via", "original_text", "resting", "resting_since", "failing_since", "changed_by")

PROMPT = schedule(
    "tidy",
    handler="prompt:default",
    action=encode_action(Prompt(text="tidy up", targets=(Target("blog"), Target("shop", "main")))),
    next_run_at=at(60),
)
BARE = schedule("bare", handler="prompt:default", action=encode_action(Prompt(text="look around")))
DAMAGED = [
    schedule(f"damaged {number}", handler="prompt:default", action=action)
    for number, action in enumerate(["not JSON", "[]", '{"targets": 5}', '{"targets": [7, {}, {"project_id": 8}]}'])
]
MESSAGE = schedule("remind", handler="message", action=encode_action(Message(text="tea")), deleted_at=at(5))
SCHEDULES = [PROMPT, BARE, *DAMAGED, MESSAGE, schedule("job", action='{"targets": [{"project_id": "blog"}]}')]

TABLES: dict[str, list[dict[str, Any]]] = {
    "schedules": [
        {each.name: getattr(row, each.name) for each in SCHEDULE_COLUMNS if each.name not in LATER} for row in SCHEDULES
    ],
    "schedule_targets": [
        {"schedule_id": PROMPT.id, "project_id": "blog", "workspace_id": "", "session_id": "a session"},
    ],
    "runs": [
        {
            "id": "run_1",
            "schedule_id": PROMPT.id,
            "origin": "schedule",
            "fire_at": at(1),
            "due_at": at(1),
            "handler": PROMPT.handler,
            "status": "failed",
            "started_at": at(2),
            "finished_at": at(3),
            "error": "boom",
        }
    ],
    "run_targets": [
        {"run_id": "run_1", "project_id": "blog", "workspace_id": "", "status": "failed", "started_at": at(2)},
    ],
    "users": [{"id": "usr_1", "name": "Ada", "timezone": "Europe/Zagreb", "created_at": START}],
    "user_channels": [{"user_id": "usr_1", "channel": "telegram", "address": "42", "preference": 1}],
    "delivery_attempts": [
        {
            "id": "att_1",
            "run_id": "run_1",
            "user_id": "usr_1",
            "channel": "telegram",
            "attempt_number": 1,
            "status": "sent",
            "created_at": at(2),
            "updated_at": at(2),
        }
    ],
    "reminder_acks": [{"id": "ack_1", "run_id": "run_1", "user_id": "usr_1", "response": "ack", "responded_at": at(3)}],
    "tokens": [{"id": "tok_1", "name": "laptop", "hash": "abc", "scope": "all", "created_at": START}],
    "events": [{"at": at(1), "name": "run.failed", "schedule_id": PROMPT.id, "run_id": "run_1", "data": "{}"}],
}


def statements(placeholder: str) -> list[tuple[str, tuple[Any, ...]]]:
    """What fills the tables, with times as datetimes."""
    made = []
    for table, rows in TABLES.items():
        for row in rows:
            marks = ", ".join([placeholder] * len(row))
            made.append((f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())))  # noqa: S608
    return made


async def check_nothing_was_lost(store: SqliteStore | PostgresStore) -> None:
    """Everything is still there, and the targets of prompts are where they are looked for now."""
    for row in SCHEDULES:
        assert await store.get(row.id) == row
    await _check_runs(store)
    await _check_targets(store)
    token = TokenRecord(id="tok_1", name="laptop", hash="abc", scope="all", created_at=START)
    assert await store.tokens.all() == [token]
    [(_, event)] = await store.journal(0, 10)
    assert (event.kind.name, event.at, event.run_id) == ("run.failed", at(1), "run_1")


async def _check_runs(store: SqliteStore | PostgresStore) -> None:
    [run] = await store.runs(RunFilter())
    assert (run.id, run.name, run.status, run.error) == ("run_1", "tidy", Status.FAILED, "boom")
    assert (run.fire.fire_at, run.started_at, run.finished_at) == (at(1), at(2), at(3))
    known = TargetRun(run_id="run_1", project_id="blog", workspace_id="", status="failed", started_at=at(2))
    assert await store.targets.target_runs("run_1") == [known]


async def _check_targets(store: SqliteStore | PostgresStore) -> None:
    for project in ("blog", "shop"):
        assert names(await store.schedules(ScheduleFilter(project=project))) == ["tidy"]
    assert await store.targets.session(PROMPT.id, "blog", "") == "a session"
    for row, project, workspace in ((PROMPT, "shop", "main"), (BARE, "", "")):
        await store.targets.pin_session(row.id, project, workspace, "new")
        assert await store.targets.session(row.id, project, workspace) == "new"

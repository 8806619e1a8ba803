"""Who may do what: every scope, every tool, targets of one's own, of others, of both, and none at all."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from duly.errors import AccessDeniedError
from duly.mcp.schedule_tools import register as schedule_tools
from duly.model.run import Fire, Origin, Run, Status
from duly.server.guard import Guard
from duly.server.mcp_endpoint import McpGate
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.schedules.run_views import run_view
from duly.zones import Zone
from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SCOPES = ("admin", "admin:ro", "project:a", "project:a:ro", "user:u", "user:u:ro", "project:c")
OWN, FOREIGN, MIXED, NONE = ("a",), ("b",), ("a", "b"), ()
TARGETS = {"own": OWN, "foreign": FOREIGN, "mixed": MIXED, "none": NONE, "person's": NONE}
"""Seen from project a; `person's` lies in the namespace of user u, `none` in the default one."""
READING = ("schedule_get", "schedule_history")
EVENTS = [b"first", b"second", b"third", b"fourth"]
CHANGING: dict[str, dict[str, Any]] = {
    "schedule_update": {"description": "changed"},
    "schedule_trigger": {},
    "schedule_skip_next": {},
    "schedule_backfill": {"start": "2025-12-01T00:00:00Z", "end": "2025-12-02T00:00:00Z"},
    "schedule_delete": {},
}
"""With what each is given besides the schedule."""


def _reads(scope: str, kind: str) -> bool:
    """One target that one reaches is enough; without targets, it takes the owner or an admin."""
    who = scope.removesuffix(":ro")
    return (
        who == "admin" or (who == "project:a" and kind in ("own", "mixed")) or (who == "user:u" and kind == "person's")
    )


def _changes(scope: str, kind: str) -> bool:
    """All targets have to be in reach, and more than looking has to be allowed."""
    return not scope.endswith(":ro") and _reads(scope, kind) and (kind != "mixed" or scope == "admin")


def _makes(scope: str, kind: str) -> bool:
    if scope.endswith(":ro") or scope == "project:c":
        return False
    return scope == "admin" or (scope == "project:a" and kind == "own") or (scope == "user:u" and kind == "none")


def _become(harness: ScheduleHarness, scope: str) -> None:
    """Be a caller with a scope; a person may use the spawner there is."""
    harness.as_scope(scope, *(["prompts:butler"] if scope == "user:u" else []))


async def _furnish(harness: ScheduleHarness) -> dict[str, str]:
    """Make a schedule of every kind as an admin."""
    ids = {}
    for kind, targets in TARGETS.items():
        _become(harness, "user:u") if kind == "person's" else harness.as_admin()
        fields = {**DAILY, "targets": [{"project_id": each} for each in targets]}
        ids[kind] = (await harness.create(kind, **fields))["id"]
    return ids


@pytest.mark.parametrize("scope", SCOPES)
@scenario
async def test_reading(crossed: ScheduleHarness, scope: str) -> None:
    ids = await _furnish(crossed)
    _become(crossed, scope)
    visible = [kind for kind in TARGETS if _reads(scope, kind)]
    assert sorted(await crossed.names()) == sorted(visible)
    for kind, schedule in ids.items():
        for tool in READING:
            if kind in visible:
                await crossed.ask(tool, schedule_id=schedule)
            else:
                with pytest.raises(Refused, match=f"^there is no schedule '{schedule}'$"):
                    await crossed.ask(tool, schedule_id=schedule)
    await crossed.ask("schedule_preview", cron="0 9 * * *")


def _refusal(scope: str, kind: str) -> str:
    """What a caller is told who may not change something: whether it is there, only if they can see it."""
    if scope.endswith(":ro"):
        return "may only look"
    return "access denied" if _reads(scope, kind) else "there is no (run|schedule)"


@pytest.mark.parametrize("scope", SCOPES)
@scenario
async def test_changing(crossed: ScheduleHarness, scope: str) -> None:
    ids = await _furnish(crossed)
    _become(crossed, scope)
    for kind, schedule in ids.items():
        before = await crossed.store.get(schedule)
        for tool, more in CHANGING.items():
            if _changes(scope, kind):
                await crossed.ask(tool, schedule_id=schedule, **more)
                continue
            told = _refusal(scope, kind)
            with pytest.raises(Refused, match=told) as refusal:
                await crossed.ask(tool, schedule_id=schedule, **more)
            assert "project b" not in str(refusal.value)  # which others it has is hidden
        if not _changes(scope, kind):
            assert await crossed.store.get(schedule) == before
            assert await crossed.read_cases.schedule_history(Caller(), schedule) == ([], None)


@pytest.mark.parametrize("scope", SCOPES)
@scenario
async def test_calling_off_and_bringing_back(crossed: ScheduleHarness, scope: str) -> None:
    async def attempt(tool: str, kind: str, **given: Any) -> None:
        _become(crossed, scope)
        if _changes(scope, kind):
            await crossed.ask(tool, **given)
            return
        with pytest.raises(Refused, match=_refusal(scope, kind)):
            await crossed.ask(tool, **given)

    for kind, schedule in (await _furnish(crossed)).items():
        crossed.as_admin()
        fired = await crossed.trigger(schedule)
        await attempt("run_cancel", kind, run_id=fired["id"])
        ((run,), _) = await crossed.read_cases.schedule_history(Caller(), schedule)
        assert (run.status == "cancelled") == _changes(scope, kind)
        crossed.as_admin()
        await crossed.ask("schedule_delete", schedule_id=schedule)
        await attempt("schedule_restore", kind, schedule_id=schedule)
        row = await crossed.store.get(schedule)
        assert row is not None
        assert (row.deleted_at is None) == _changes(scope, kind)


@pytest.mark.parametrize("scope", SCOPES)
@scenario
async def test_making(crossed: ScheduleHarness, scope: str) -> None:
    for kind, targets in list(TARGETS.items())[:4]:
        _become(crossed, scope)
        fields = {**DAILY, "targets": [{"project_id": each} for each in targets]}
        if _makes(scope, kind):
            assert (await crossed.create(kind, **fields))["token_scope"] == scope
            continue
        with pytest.raises(Refused, match=r"access denied|may only look|cannot create schedule without targets"):
            await crossed.create(kind, **fields)
    crossed.as_admin()
    assert sorted(await crossed.names()) == sorted(kind for kind in list(TARGETS)[:4] if _makes(scope, kind))


@scenario
async def test_a_refusal_names_the_project(harness: ScheduleHarness) -> None:
    harness.as_scope("project:a")
    with pytest.raises(Refused, match=r"^cannot create schedule for project b: access denied$"):
        await harness.create(**DAILY, targets=[{"project_id": "a"}, {"project_id": "b"}])
    await harness.create(**DAILY, targets=[{"project_id": "a"}])
    with pytest.raises(Refused, match=r"^cannot update schedule for project b: access denied$"):
        await harness.update("plants", targets=[{"project_id": "b"}])
    with pytest.raises(Refused, match="without targets"):
        await harness.update("plants", clear=["targets"])
    with pytest.raises(Refused, match="jobs are for admins"):
        await harness.create("job", cron="0 9 * * *", job_name="backup")
    with pytest.raises(Refused, match="access denied"):
        await harness.ask("schedule_list", project_id="b")
    harness.as_scope("user:u")
    with pytest.raises(Refused, match="access denied"):
        await harness.ask("schedule_list", owner="ada")


@scenario
async def test_foreign_targets_and_outputs_are_hidden(harness: ScheduleHarness) -> None:
    await harness.create(**DAILY, targets=[{"project_id": "a"}, {"project_id": "b"}])
    harness.answers["water the plants"] = "a secret of b"
    assert await harness.tick(hours=9) == 1
    (run,) = await harness.history("plants")
    for row in await harness.store.targets.target_runs(run["id"]):
        told = json.dumps({"text": f"a secret of {row.project_id}"})
        await harness.store.targets.record_target(replace(row, result=told))
    harness.as_scope("project:a")
    view = await harness.get("plants")
    assert view["targets"] == [{"project_id": "a"}]
    assert "last_result" not in view
    (run,) = await harness.history("plants")
    assert [(target["project_id"], target["text"]) for target in run["targets"]] == [("a", "a secret of a")]
    assert "secret of b" not in str(run)
    assert await harness.names(text='"b"') == []
    assert await harness.names(text="water") == ["plants"]
    harness.as_admin()
    assert "a secret of b" in str(await harness.get("plants"))


@pytest.mark.parametrize(("attempt", "shown"), [(0, "why"), (1, None)], ids=["never tried", "tried"])
def test_a_reason_that_may_quote_a_gate_is_an_output_too(attempt: int, shown: str | None) -> None:
    run = Run(
        id="run_1",
        fire=Fire("sched_1", Origin.SCHEDULE, NOON),
        namespace="default",
        name="plants",
        handler="prompt:butler",
        status=Status.SKIPPED,
        due_at=NOON,
        attempt=attempt,
        reason="why",
    )
    assert run_view(run, [], Scope.parse("project:a"), Zone.of("UTC"), hide_output=True).reason == shown
    assert run_view(run, [], Scope.parse("admin"), Zone.of("UTC"), hide_output=False).reason == "why"


@scenario
async def test_a_caller_without_a_token_is_refused(butler: ScheduleHarness) -> None:
    made = await butler.tokens.create(Caller(), "mine", "project:a")
    for secret in ("", "nonsense", made.record.id, made.record.hash, made.secret[:-1]):
        assert await butler.tokens.caller(secret, Face.MCP) is None
    assert await butler.tokens.caller(made.secret, Face.MCP) is not None
    await butler.tokens.revoke(Caller(), made.record.id)
    assert await butler.tokens.caller(made.secret, Face.MCP) is None
    assert made.secret not in str(await butler.tokens.page(Caller()))


@pytest.mark.parametrize("last", [0, 1, 2])
@scenario
async def test_a_stream_of_events_ends_with_the_token_that_opened_it(butler: ScheduleHarness, last: int) -> None:
    """No event reaches it any more, not even the first: a stream may have been open for hours before there is one."""
    made, heard = await butler.tokens.create(Caller(), "mine", "project:a"), list[dict[str, Any]]()

    async def stream(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for number, body in enumerate(EVENTS):
            if number == last:
                await butler.tokens.revoke(Caller(), made.record.id)
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def hear(message: Any) -> None:
        heard.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"authorization", f"Bearer {made.secret}".encode())]}
    await McpGate(Guard(butler.tokens), stream)(scope, hear, hear)  # type: ignore[arg-type]
    assert [message["body"] for message in heard[1:]] == [*EVENTS[:last], b""]
    assert heard[-1]["more_body"] is False
    heard.clear()
    await McpGate(Guard(butler.tokens), stream)(scope, hear, hear)  # type: ignore[arg-type]
    assert heard[0]["status"] == 401


@pytest.mark.parametrize("scope", SCOPES)
@scenario
async def test_tokens_are_for_admins(butler: ScheduleHarness, scope: str) -> None:
    butler.as_scope(scope)
    for asked in (
        butler.tokens.create(butler.caller, "x", "admin"),
        butler.tokens.revoke(butler.caller, "tok_unknown"),
    ):
        if scope == "admin":
            try:
                await asked
            except LookupError as missing:
                assert "tok_unknown" in str(missing)  # noqa: PT017  one of the two is there
        else:
            with pytest.raises(AccessDeniedError):
                await asked


@scenario
async def test_the_creators_token_is_looked_at_again_when_it_runs(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("project:a")
    await harness.create(**DAILY, targets=[{"project_id": "a"}], retry={"max_attempts": 5})
    assert await harness.tick(hours=9) == 1
    assert caller.token_id is not None
    await harness.tokens.revoke(Caller(), caller.token_id)
    harness.as_admin()
    assert await harness.tick(days=1) == 0
    assert len(harness.spawned) == 1
    run = next(run for run in await harness.history("plants") if run["status"] != "succeeded")
    assert (run["status"], run["attempt"]) == ("failed", 1)  # trying again would be of no use
    assert f"the token that made it ({caller.token_id}) was revoked" in run["error"]
    view = await harness.get("plants")
    assert "was revoked" in view["last_result"]["error"]
    assert view["enabled"]


@scenario
async def test_the_token_of_the_last_change_is_looked_at_when_it_runs(harness: ScheduleHarness) -> None:
    view = await harness.create(**DAILY, targets=[{"project_id": "a"}])
    caller = await harness.as_holder("project:a")
    assert caller.token_id is not None
    await harness.store.edit([view["id"]], lambda row: replace(row, changed_by=caller.token_id))
    assert await harness.tick(hours=9) == 1
    await harness.tokens.revoke(Caller(), caller.token_id)
    harness.as_admin()
    assert await harness.tick(days=1) == 0
    assert len(harness.spawned) == 1
    run = next(run for run in await harness.history("plants") if run["status"] != "succeeded")
    assert f"the token that last changed it ({caller.token_id}) was revoked" in run["error"]


@scenario
async def test_what_an_admin_added_to_it_does_not_widen_a_creators_reach(butler: ScheduleHarness) -> None:
    await butler.as_holder("project:a")
    await butler.create(**DAILY, targets=[{"project_id": "a"}])
    butler.as_admin()
    await butler.update("project:a/plants", targets=[{"project_id": "a"}, {"project_id": "b"}])
    assert await butler.tick(hours=9) == 0
    (run,) = await butler.history("project:a/plants")
    assert "cannot run schedule for project b: access denied" in run["error"]


def test_every_tool_is_in_the_matrix() -> None:
    """A new tool has to say who may use it."""
    offered: list[str] = []

    class Server:
        def __init__(self) -> None:
            self.asks: dict[str, Any] = {}

        def add_tool(self, function: Any, **_: Any) -> None:
            offered.append(function.__name__)

        @property
        def _tool_manager(self) -> Any:
            return self

        def get_tool(self, _name: str) -> Any:
            return type("Tool", (), {"parameters": {}})()

    schedule_tools(Server())  # type: ignore[arg-type]
    making = {"schedule_create", "schedule_restore", "schedule_list", "schedule_preview", "run_cancel"}
    assert set(offered) == {*READING, *CHANGING, *making}

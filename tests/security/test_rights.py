"""Revoking a token stops every schedule that it made, and every one of others that it changed last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Prompt
from duly.ports.tokens import TokenRecord
from duly.service.access.rights import answerable, refusal
from duly.service.access.scopes import Caller, Face
from tests.conformance.schedules.harness import (
    BUTLER,
    DAILY,
    MCP,
    SERVICE,
    Refused,
    ScheduleHarness,
    make_schedule_harness,
    scenario,
)
from tests.unit.cli.command_line import NOON

OWN = {"targets": [{"project_id": "a"}]}


@pytest.fixture(params=[("sqlite-inline", MCP), ("postgres", SERVICE)], ids=["sqlite-mcp", "postgres-service"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    store, way = request.param
    with make_schedule_harness(store, way, tmp_path) as made:
        yield made


async def _revoke(harness: ScheduleHarness, caller: Caller) -> str:
    assert caller.token_id is not None
    await harness.tokens.revoke(Caller(), caller.token_id)
    return caller.token_id


async def _edited_by_another(harness: ScheduleHarness) -> tuple[Caller, Caller]:
    """A schedule of the owner in which another token of the project changed what runs."""
    owner = await harness.as_holder("project:a")
    await harness.create(**DAILY, **OWN)
    other = await harness.as_holder("project:a")
    await harness.update("plants", prompt="send me the keys")
    return owner, other


# the rule itself


def test_the_tokens_of_the_creator_and_the_last_changer_answer_for_a_schedule() -> None:
    assert list(answerable("tok_1", None)) == [("tok_1", "made")]
    assert list(answerable("tok_1", "tok_2")) == [("tok_1", "made"), ("tok_2", "last changed")]
    assert list(answerable("tok_1", "tok_1")) == [("tok_1", "made")]
    assert list(answerable(None, "tok_2")) == [("tok_2", "last changed")]
    for local in (None, "local", "user_1", "file"):
        assert list(answerable(local, "local")) == []


def test_a_run_needs_the_rights_of_both() -> None:
    def token(token_id: str, scope: str, **fields: object) -> TokenRecord:
        return TokenRecord(id=token_id, name="x", hash=token_id, scope=scope, created_at=NOON, **fields)  # type: ignore[arg-type]

    who, go = [("tok_1", "made"), ("tok_2", "last changed")], Prompt(text="go")
    admins = {each: token(each, "admin") for each in ("tok_1", "tok_2")}
    assert refusal("x", go, who, admins, NOON) is None
    for token_id in admins:
        assert "access denied" in str(refusal("x", go, who, {**admins, token_id: token(token_id, "user:u")}, NOON))
        gone = {**admins, token_id: token(token_id, "admin", revoked_at=NOON)}
        assert f"({token_id}) was revoked" in str(refusal("x", go, who, gone, NOON))
        late = {**admins, token_id: token(token_id, "admin", expires_at=NOON)}
        assert f"({token_id}) has expired" in str(refusal("x", go, who, late, NOON))
        assert refusal("x", go, who, late, NOON - timedelta(microseconds=1)) is None
        missing = {other: record for other, record in admins.items() if other != token_id}
        assert f"({token_id}) was revoked" in str(refusal("x", go, who, missing, NOON))


# the token that changed what runs


@scenario
async def test_what_a_revoked_token_changed_in_anothers_schedule_does_not_run(harness: ScheduleHarness) -> None:
    owner, other = await _edited_by_another(harness)
    assert await harness.tick(hours=9) == 1
    revoked = await _revoke(harness, other)
    assert await harness.tick(days=1) == 0
    assert [given["prompt"] for given in harness.spawned] == ["send me the keys"]
    harness.caller = owner
    view = await harness.get("plants")
    assert view["changed_by"] == revoked
    assert f"the token that last changed it ({revoked}) was revoked" in view["last_result"]["error"]
    flagged = next(each for each in view["attention"] if each["kind"] == "unauthorized")
    assert "takes it back by saving it" in flagged["remedy"]
    assert "duly schedule reown plants" in flagged["remedy"]


@scenario
async def test_a_schedule_of_a_revoked_token_needs_attention_before_it_fails(harness: ScheduleHarness) -> None:
    _, other = await _edited_by_another(harness)
    await _revoke(harness, other)
    harness.as_admin()
    health = await harness.read_cases.health(Caller())
    assert [each.kind for each in health.attention] == ["unauthorized"]
    assert health.state == "yellow"
    assert "1 schedule was left by a token that ended" in health.reasons
    (listed,) = (await harness.ask("schedule_list"))["items"]
    assert [each["kind"] for each in listed["attention"]] == ["unauthorized"]


@scenario
async def test_the_owner_takes_it_back_by_saving_it(harness: ScheduleHarness) -> None:
    owner, other = await _edited_by_another(harness)
    await _revoke(harness, other)
    harness.caller = owner
    saved = await harness.update("plants", prompt="water the plants")
    assert saved["changed_by"] == owner.token_id
    assert "attention" not in await harness.get("plants")
    assert await harness.tick(hours=9) == 1


@scenario
async def test_any_change_of_the_owner_takes_it_back_as_it_is(harness: ScheduleHarness) -> None:
    owner, other = await _edited_by_another(harness)
    await _revoke(harness, other)
    harness.caller = owner
    await harness.update("plants", enabled=False)
    assert (await harness.row("plants", "project:a")).changed_by == other.token_id  # a pause takes nothing back
    assert (await harness.update("plants", enabled=True))["changed_by"] == owner.token_id
    assert await harness.tick(hours=9) == 1


@scenario
async def test_what_a_revoked_token_made_is_taken_back_as_well(harness: ScheduleHarness) -> None:
    maker = await harness.as_holder("project:a")
    await harness.create(**DAILY, **OWN)
    await _revoke(harness, maker)
    another = await harness.as_holder("project:a")
    assert await harness.tick(hours=9) == 0
    assert (await harness.update("plants", description="mine now"))["created_by"] == another.token_id
    assert await harness.tick(days=1) == 1


@scenario
async def test_a_caller_who_changes_other_fields_does_not_answer_for_what_runs(harness: ScheduleHarness) -> None:
    await harness.as_holder("project:a")
    await harness.create(**DAILY, **OWN)
    other = await harness.as_holder("project:a")
    assert "changed_by" not in await harness.update("plants", description="nicer", cron="0 10 * * *")
    await _revoke(harness, other)
    assert await harness.tick(hours=10) == 1


@scenario
async def test_the_caller_who_restores_a_schedule_answers_for_it(harness: ScheduleHarness) -> None:
    owner, other = await _edited_by_another(harness)
    row = await harness.row("plants", "project:a")
    await harness.ask("schedule_delete", schedule_id="plants")
    await _revoke(harness, other)
    harness.caller = owner
    assert (await harness.ask("schedule_restore", schedule_id=row.id))["changed_by"] == owner.token_id


@scenario
async def test_the_file_and_programs_answer_for_what_they_take_over(harness: ScheduleHarness) -> None:
    harness.caller = Caller((await harness.as_holder("admin")).scope, harness.caller.token_id, Face.MCP, home=BUTLER)
    await harness.create("morning", **DAILY)
    await harness.update("morning", prompt="something else")
    await _revoke(harness, harness.caller)
    await harness.sync_file({"name": "morning", **DAILY})
    row = await harness.row("morning", BUTLER)
    assert (row.created_by, row.changed_by) == (None, None)
    assert await harness.tick(hours=9) == 1


# rotating and taking over


@scenario
async def test_a_rotated_token_keeps_its_schedules(harness: ScheduleHarness) -> None:
    made = await harness.tokens.create(Caller(), "bot", "project:a")
    caller = await harness.tokens.caller(made.secret, Face.MCP)
    assert caller is not None
    harness.caller = caller
    await harness.create(**DAILY, **OWN)
    fresh = await harness.tokens.rotate(Caller(), made.record.id)
    assert (fresh.record.id, fresh.secret == made.secret) == (made.record.id, False)
    assert await harness.tokens.caller(made.secret, Face.MCP) is None
    assert await harness.tokens.caller(fresh.secret, Face.MCP) == caller
    assert await harness.tick(hours=9) == 1


@scenario
async def test_the_old_secret_ends_with_its_grace(harness: ScheduleHarness) -> None:
    made = await harness.tokens.create(Caller(), "bot", "project:a")
    fresh = await harness.tokens.rotate(Caller(), made.record.id, grace=timedelta(hours=1))
    for later, opens in ((0, True), (3599, True), (1, False)):
        harness.clock.advance(timedelta(seconds=later))
        assert (await harness.tokens.caller(made.secret, Face.MCP) is not None) == opens
        assert await harness.tokens.caller(fresh.secret, Face.MCP) is not None
    again = await harness.tokens.rotate(Caller(), made.record.id)  # without grace none of the earlier ones is left
    assert await harness.tokens.caller(fresh.secret, Face.MCP) is None
    await harness.tokens.revoke(Caller(), made.record.id)
    assert await harness.tokens.caller(again.secret, Face.MCP) is None
    with pytest.raises(InvalidInputError, match="it was revoked; make a new one"):
        await harness.tokens.rotate(Caller(), made.record.id)
    with pytest.raises(NotFoundError, match="there is no token 'tok_none'"):
        await harness.tokens.rotate(Caller(), "tok_none")


@scenario
async def test_an_admin_takes_over_what_a_revoked_token_left(harness: ScheduleHarness) -> None:
    maker = await harness.as_holder("project:a")
    await harness.create("first", **DAILY, **OWN)
    await harness.create("second", **DAILY, **OWN)
    harness.as_admin()
    await harness.create("edited", **DAILY)
    await harness.create("untouched", **DAILY)
    await harness.as_holder("admin")
    await harness.update("edited", prompt="other words")
    editor = harness.caller
    revoked = [await _revoke(harness, each) for each in (maker, editor)]
    harness.as_admin()
    assert await harness.tick(hours=9) == 1
    reown = harness.use_cases.ownership.reown
    would = await reown(Caller(), token=revoked[0], dry_run=True)
    assert [each.name for each in would] == ["first", "second"]
    assert (await harness.get("project:a/first"))["created_by"] == revoked[0]
    assert [each.name for each in await reown(Caller(), token=revoked[0])] == ["first", "second"]
    assert [each.changed_by for each in await reown(Caller(), "edited")] == [revoked[1]]
    assert (await harness.read_cases.health(Caller(), "unauthorized")).attention == []
    assert await harness.tick(days=1) == 4
    told = [data for name, data in await harness.told() if name == "schedule.updated" and "created_by" in str(data)]
    assert [data["before"]["created_by"] for data in told] == [revoked[0], revoked[0], None]
    assert await reown(Caller(), token=revoked[0]) == []
    for asked in (reown(Caller()), reown(Caller(), "edited", token=revoked[0])):
        with pytest.raises(InvalidInputError, match="not both"):
            await asked
    with pytest.raises(NotFoundError, match="there is no token"):
        await reown(Caller(), token="tok_none")  # noqa: S106  an id, no secret


@scenario
async def test_a_person_saves_a_reminder_of_theirs_that_a_revoked_token_made(harness: ScheduleHarness) -> None:
    caller = await harness.as_holder("user:ada")
    made = await harness.ask("remind", message="drink", delay_minutes=60)
    row = await harness.store.get(made["id"])
    assert row is not None
    assert row.created_by == caller.scope.subject  # the person's, not the token's
    await harness.reminders.update(caller.scope.subject, made["id"], message="drink water")
    saved = await harness.store.get(made["id"])
    assert saved is not None
    assert (saved.created_by, saved.changed_by) == (caller.scope.subject, None)


@scenario
async def test_a_caller_cannot_save_what_they_could_not_have_made(harness: ScheduleHarness) -> None:
    """A person's token in whose namespace an admin put a prompt may neither fire nor change it without the grant."""
    ada = (await harness.as_holder("user:ada")).scope
    person = harness.caller
    await harness.use_cases.schedule_create(Caller(), {"name": "plants", **DAILY}, namespace=ada.namespace)
    harness.caller = person
    for tool, more in (("schedule_trigger", {}), ("schedule_update", {"prompt": "send me the keys"})):
        with pytest.raises(Refused, match="no grant prompts:butler"):
            await harness.ask(tool, schedule_id="plants", **more)

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
from tests.conformance.schedules.scene import BUTLER, DAILY, MCP, SERVICE, Refused, Scene, make_scene, scenario
from tests.unit.cli.home import NOON

OWN = {"targets": [{"project_id": "a"}]}


@pytest.fixture(params=[("sqlite-inline", MCP), ("postgres", SERVICE)], ids=["sqlite-mcp", "postgres-service"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    store, way = request.param
    with make_scene(store, way, tmp_path) as made:
        yield made


async def _revoke(scene: Scene, caller: Caller) -> str:
    assert caller.token_id is not None
    await scene.tokens.revoke(Caller(), caller.token_id)
    return caller.token_id


async def _edited_by_another(scene: Scene) -> tuple[Caller, Caller]:
    """A schedule of the owner in which another token of the project changed what runs."""
    owner = await scene.as_holder("project:a")
    await scene.create(**DAILY, **OWN)
    other = await scene.as_holder("project:a")
    await scene.update("plants", prompt="send me the keys")
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
async def test_what_a_revoked_token_changed_in_anothers_schedule_does_not_run(scene: Scene) -> None:
    owner, other = await _edited_by_another(scene)
    assert await scene.tick(hours=9) == 1
    revoked = await _revoke(scene, other)
    assert await scene.tick(days=1) == 0
    assert [given["prompt"] for given in scene.spawned] == ["send me the keys"]
    scene.caller = owner
    view = await scene.get("plants")
    assert view["changed_by"] == revoked
    assert f"the token that last changed it ({revoked}) was revoked" in view["last_result"]["error"]
    flagged = next(each for each in view["attention"] if each["kind"] == "unauthorized")
    assert "takes it back by saving it" in flagged["remedy"]
    assert "duly schedule reown plants" in flagged["remedy"]


@scenario
async def test_a_schedule_of_a_revoked_token_needs_attention_before_it_fails(scene: Scene) -> None:
    _, other = await _edited_by_another(scene)
    await _revoke(scene, other)
    scene.as_admin()
    health = await scene.use_cases.health(Caller())
    assert [each.kind for each in health.attention] == ["unauthorized"]
    assert health.state == "yellow"
    assert "1 schedule was left by a token that ended" in health.reasons
    (listed,) = (await scene.ask("schedule_list"))["items"]
    assert [each["kind"] for each in listed["attention"]] == ["unauthorized"]


@scenario
async def test_the_owner_takes_it_back_by_saving_it(scene: Scene) -> None:
    owner, other = await _edited_by_another(scene)
    await _revoke(scene, other)
    scene.caller = owner
    saved = await scene.update("plants", prompt="water the plants")
    assert saved["changed_by"] == owner.token_id
    assert "attention" not in await scene.get("plants")
    assert await scene.tick(hours=9) == 1


@scenario
async def test_any_change_of_the_owner_takes_it_back_as_it_is(scene: Scene) -> None:
    owner, other = await _edited_by_another(scene)
    await _revoke(scene, other)
    scene.caller = owner
    await scene.update("plants", enabled=False)
    assert (await scene.row("plants", "project:a")).changed_by == other.token_id  # a pause takes nothing back
    assert (await scene.update("plants", enabled=True))["changed_by"] == owner.token_id
    assert await scene.tick(hours=9) == 1


@scenario
async def test_what_a_revoked_token_made_is_taken_back_as_well(scene: Scene) -> None:
    maker = await scene.as_holder("project:a")
    await scene.create(**DAILY, **OWN)
    await _revoke(scene, maker)
    another = await scene.as_holder("project:a")
    assert await scene.tick(hours=9) == 0
    assert (await scene.update("plants", description="mine now"))["created_by"] == another.token_id
    assert await scene.tick(days=1) == 1


@scenario
async def test_a_caller_who_changes_other_fields_does_not_answer_for_what_runs(scene: Scene) -> None:
    await scene.as_holder("project:a")
    await scene.create(**DAILY, **OWN)
    other = await scene.as_holder("project:a")
    assert "changed_by" not in await scene.update("plants", description="nicer", cron="0 10 * * *")
    await _revoke(scene, other)
    assert await scene.tick(hours=10) == 1


@scenario
async def test_the_caller_who_restores_a_schedule_answers_for_it(scene: Scene) -> None:
    owner, other = await _edited_by_another(scene)
    row = await scene.row("plants", "project:a")
    await scene.ask("schedule_delete", schedule_id="plants")
    await _revoke(scene, other)
    scene.caller = owner
    assert (await scene.ask("schedule_restore", schedule_id=row.id))["changed_by"] == owner.token_id


@scenario
async def test_the_file_and_programs_answer_for_what_they_take_over(scene: Scene) -> None:
    scene.caller = Caller((await scene.as_holder("admin")).scope, scene.caller.token_id, Face.MCP, home=BUTLER)
    await scene.create("morning", **DAILY)
    await scene.update("morning", prompt="something else")
    await _revoke(scene, scene.caller)
    await scene.sync_file({"name": "morning", **DAILY})
    row = await scene.row("morning", BUTLER)
    assert (row.created_by, row.changed_by) == (None, None)
    assert await scene.tick(hours=9) == 1


# rotating and taking over


@scenario
async def test_a_rotated_token_keeps_its_schedules(scene: Scene) -> None:
    made = await scene.tokens.create(Caller(), "bot", "project:a")
    caller = await scene.tokens.caller(made.secret, Face.MCP)
    assert caller is not None
    scene.caller = caller
    await scene.create(**DAILY, **OWN)
    fresh = await scene.tokens.rotate(Caller(), made.record.id)
    assert (fresh.record.id, fresh.secret == made.secret) == (made.record.id, False)
    assert await scene.tokens.caller(made.secret, Face.MCP) is None
    assert await scene.tokens.caller(fresh.secret, Face.MCP) == caller
    assert await scene.tick(hours=9) == 1


@scenario
async def test_the_old_secret_ends_with_its_grace(scene: Scene) -> None:
    made = await scene.tokens.create(Caller(), "bot", "project:a")
    fresh = await scene.tokens.rotate(Caller(), made.record.id, grace=timedelta(hours=1))
    for later, opens in ((0, True), (3599, True), (1, False)):
        scene.clock.advance(timedelta(seconds=later))
        assert (await scene.tokens.caller(made.secret, Face.MCP) is not None) == opens
        assert await scene.tokens.caller(fresh.secret, Face.MCP) is not None
    again = await scene.tokens.rotate(Caller(), made.record.id)  # without grace none of the earlier ones is left
    assert await scene.tokens.caller(fresh.secret, Face.MCP) is None
    await scene.tokens.revoke(Caller(), made.record.id)
    assert await scene.tokens.caller(again.secret, Face.MCP) is None
    with pytest.raises(InvalidInputError, match="it was revoked; make a new one"):
        await scene.tokens.rotate(Caller(), made.record.id)
    with pytest.raises(NotFoundError, match="there is no token 'tok_none'"):
        await scene.tokens.rotate(Caller(), "tok_none")


@scenario
async def test_an_admin_takes_over_what_a_revoked_token_left(scene: Scene) -> None:
    maker = await scene.as_holder("project:a")
    await scene.create("first", **DAILY, **OWN)
    await scene.create("second", **DAILY, **OWN)
    scene.as_admin()
    await scene.create("edited", **DAILY)
    await scene.create("untouched", **DAILY)
    await scene.as_holder("admin")
    await scene.update("edited", prompt="other words")
    editor = scene.caller
    revoked = [await _revoke(scene, each) for each in (maker, editor)]
    scene.as_admin()
    assert await scene.tick(hours=9) == 1
    reown = scene.use_cases.ownership.reown
    would = await reown(Caller(), token=revoked[0], dry_run=True)
    assert [each.name for each in would] == ["first", "second"]
    assert (await scene.get("project:a/first"))["created_by"] == revoked[0]
    assert [each.name for each in await reown(Caller(), token=revoked[0])] == ["first", "second"]
    assert [each.changed_by for each in await reown(Caller(), "edited")] == [revoked[1]]
    assert (await scene.use_cases.health(Caller(), "unauthorized")).attention == []
    assert await scene.tick(days=1) == 4
    told = [data for name, data in await scene.told() if name == "schedule.updated" and "created_by" in str(data)]
    assert [data["before"]["created_by"] for data in told] == [revoked[0], revoked[0], None]
    assert await reown(Caller(), token=revoked[0]) == []
    for asked in (reown(Caller()), reown(Caller(), "edited", token=revoked[0])):
        with pytest.raises(InvalidInputError, match="not both"):
            await asked
    with pytest.raises(NotFoundError, match="there is no token"):
        await reown(Caller(), token="tok_none")  # noqa: S106  an id, no secret


@scenario
async def test_a_person_saves_a_reminder_of_theirs_that_a_revoked_token_made(scene: Scene) -> None:
    caller = await scene.as_holder("user:ada")
    made = await scene.ask("remind", message="drink", delay_minutes=60)
    row = await scene.store.get(made["id"])
    assert row is not None
    assert row.created_by == caller.scope.subject  # the person's, not the token's
    await scene.reminders.update(caller.scope.subject, made["id"], message="drink water")
    saved = await scene.store.get(made["id"])
    assert saved is not None
    assert (saved.created_by, saved.changed_by) == (caller.scope.subject, None)


@scenario
async def test_a_caller_cannot_save_what_they_could_not_have_made(scene: Scene) -> None:
    """A person's token in whose namespace an admin put a prompt may neither fire nor change it without the grant."""
    ada = (await scene.as_holder("user:ada")).scope
    person = scene.caller
    await scene.use_cases.schedule_create(Caller(), {"name": "plants", **DAILY}, namespace=ada.namespace)
    scene.caller = person
    for tool, more in (("schedule_trigger", {}), ("schedule_update", {"prompt": "send me the keys"})):
        with pytest.raises(Refused, match="no grant prompts:butler"):
            await scene.ask(tool, schedule_id="plants", **more)

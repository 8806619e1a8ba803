"""`notify` through every way in: read, shown, changed, cleared, and who may notify whom."""

from __future__ import annotations

import pytest

from duly.ports.people import User
from tests.conformance.schedules.harness import DAILY, Refused, ScheduleHarness, scenario
from tests.conformance.stores.builders import START


@scenario
async def test_rules_are_stored_shown_changed_and_cleared(harness: ScheduleHarness) -> None:
    made = await harness.create("a", **DAILY, notify=["always", "failure critical"])
    assert made["notify"] == ["always", "failure critical"]
    changed = await harness.update("a", notify=["change"], quiet_word="none")
    assert (changed["notify"], changed["quiet_word"]) == (["change"], "none")
    cleared = await harness.update("a", clear=["notify", "quiet_word"])
    assert "notify" not in cleared
    with pytest.raises(Refused, match="quiet_word 'x' has no effect without a notify"):
        await harness.create("b", **DAILY, quiet_word="x")
    with pytest.raises(Refused, match="notify 'often' is not understood: write when"):
        await harness.create("b", **DAILY, notify=["often"])


@scenario
async def test_an_admin_notifies_people_that_are_there(harness: ScheduleHarness) -> None:
    await harness.store.people.save(User(id="usr_1", name="Ana", created_at=START))
    for to in ("Ana", "usr_1", "https://example.org/hook"):
        made = await harness.create(f"for {to[:4]}", **DAILY, notify=[f"always to {to}"])
        assert made["notify"] == [f"always to {to}"]
    with pytest.raises(Refused, match="there is no person 'Bob' to notify: duly user list has the names"):
        await harness.create("b", **DAILY, notify=["always to Bob"])


@scenario
async def test_a_project_and_a_person_notify_only_the_owner(harness: ScheduleHarness) -> None:
    for name in ("u", "v"):
        await harness.store.people.save(User(id=name, name=name, created_at=START))
    own = {**DAILY, "targets": ["a"]}
    harness.as_scope("project:a")
    made = await harness.create("mine", **own, notify=["always"])
    for to in ("v", "https://example.org/hook"):
        with pytest.raises(Refused, match=rf"cannot notify {to}: access denied"):
            await harness.create("other", **own, notify=[f"always to {to}"])
        with pytest.raises(Refused, match=rf"cannot notify {to}: access denied"):
            await harness.update(made["id"], notify=[f"always to {to}"])
    harness.as_scope("user:u", "prompts:butler")
    await harness.create("hers", **DAILY, notify=["always to u", "failure"])
    with pytest.raises(Refused, match="cannot notify v: access denied, scope user:u may notify the owner"):
        await harness.create("his", **DAILY, notify=["always to v"])

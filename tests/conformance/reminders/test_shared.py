"""Reminders for several people: the first answer, or everybody's."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from duly.errors import AccessDeniedError, ChannelPermanentError, InvalidInputError, NotFoundError
from duly.model.run import Status
from duly.service.access.scopes import Scope
from duly.service.reminders.replies import Handled
from duly.service.schedules.fields import ReminderView
from tests.conformance.reminders.harness import ASKED, START, ReminderHarness, place, with_harness
from tests.conformance.reminders.test_postgres import after

PEOPLE = ("Ana", "Bob", "Eva")


class Household:
    """Ana, Bob and Eva, each with a chat of their own; Root shares nothing with them."""

    def __init__(self, harness: ReminderHarness) -> None:
        self.harness = harness
        self.ids = {"Ana": harness.ana, "Root": harness.root}

    async def move_in(self) -> None:
        for number, (name, language) in enumerate((("Bob", "de"), ("Eva", "hr"))):
            person = await self.harness.service.people.add(name, timezone="Europe/Zagreb", language=language)
            self.ids[name] = person.user.id
            await self.harness.service.people.set_channels(person.user.id, [("chat", str(20 + number))])

    async def remind(self, schedule: Any = None, **options: Any) -> ReminderView:
        shared: dict[str, Any] = {"shared_with": ["Bob", "Eva"], "require_ack": True, **options}
        return await self.harness.remind(schedule, **shared)

    def texts(self, name: str) -> list[str]:
        """The messages that a person got in their chat."""
        address = {"Ana": "17", "Bob": "20", "Eva": "21"}[name]
        return [each.outgoing.text for each in self.harness.chat.arrived if each.address == address]

    async def statuses(self, made: ReminderView) -> dict[str, str]:
        """How it stands with each person, in the latest run."""
        [run, *_] = (await self.harness.service.show(self.harness.ana, made.id)).runs
        return {each.name: each.status for each in run.people}

    async def say(self, name: str, text: str, **more: Any) -> Handled:
        return await self.harness.service.handle_message(self.ids[name], "chat", text, **more)


def in_household(test: Any) -> Any:
    async def inside(harness: ReminderHarness) -> None:
        household = Household(harness)
        await household.move_in()
        await test(household)

    inside.__name__ = test.__name__
    return with_harness(inside)


@in_household
async def test_the_first_answer_ends_it_for_all_and_the_others_hear_who_it_was(at: Household) -> None:
    made = await at.remind()
    assert (made.shared_with, made.answered_by) == ((at.ids["Bob"], at.ids["Eva"]), "first")
    await at.harness.clock.travel(minutes=5)
    assert [at.texts(each) for each in PEOPLE] == [
        [ASKED],
        ["Take it\nIst es erledigt?"],
        ["Take it\nJe li gotovo?"],
    ]
    assert (await at.say("Eva", "kasnije", message_id="1")).consumed
    assert await at.statuses(made) == {"Ana": "awaiting_ack", "Bob": "awaiting_ack", "Eva": "snoozed"}
    assert (await at.say("Bob", "erledigt")).reply == "✓ Erledigt: Take it"
    assert await at.statuses(made) == {"Ana": "acked", "Bob": "acked", "Eva": "acked"}
    await at.harness.clock.travel(hours=2)
    assert [len(at.texts(each)) for each in PEOPLE] == [1, 1, 1]
    assert [text for _, text in at.harness.chat.edits][-3:] == [
        "✓ Bob has done it: Take it",
        "✓ Erledigt: Take it",
        "✓ Gotovo, kaže Bob: Take it",
    ]
    [run] = await at.harness.runs(made)
    assert run.status is Status.SUCCEEDED
    assert run.result == {
        "status": "acked",
        "channel": "chat",
        "run_number": 1,
        "people": {"Ana": "acked", "Bob": "acked", "Eva": "acked"},
    }
    [shown] = (await at.harness.service.show(at.ids["Bob"], made.id)).runs
    assert [(each.name, each.answered) for each in shown.people] == [("Ana", False), ("Bob", True), ("Eva", False)]
    with pytest.raises(InvalidInputError, match="over already"):
        await at.harness.service.answer(at.harness.ana, "ack", made.id)


@in_household
async def test_where_a_message_cannot_be_changed_one_message_says_who_answered(at: Household) -> None:
    async def edit(*_: object) -> bool:
        return False

    at.harness.chat.edit = edit  # type: ignore[method-assign, assignment]
    made = await at.remind(answered_by="first")
    await at.harness.clock.travel(minutes=5)
    await at.harness.service.answer(at.ids["Bob"], "dismiss", made.id)
    await at.harness.clock.travel(hours=2)
    assert at.texts("Ana") == [ASKED, "✗ Bob has dismissed it: Take it"]
    assert len(at.texts("Bob")) == 1
    assert at.texts("Eva")[1:] == ["✗ Bob ovaj put preskače: Take it"]
    assert (await at.harness.tried(made))[-1] == ("chat", "answered", "sent")


@in_household
async def test_everyone_has_to_answer_and_only_those_who_have_not_are_asked_again(at: Household) -> None:
    made = await at.remind(answered_by="everyone", max_ack_reminders=1, priority="critical")
    await at.harness.clock.travel(minutes=5)
    await at.say("Ana", "done")
    await at.harness.service.answer(at.ids["Bob"], "dismiss", made.name)
    assert await at.statuses(made) == {"Ana": "acked", "Bob": "dismissed", "Eva": "awaiting_ack"}
    assert (await at.harness.service.get(at.harness.ana, made.id)).last_status == "awaiting_ack"
    await at.harness.clock.travel(minutes=10, seconds=1)
    assert [len(at.texts(each)) for each in PEOPLE] == [1, 1, 2]
    assert await at.harness.run_status(made) is Status.PENDING
    await at.harness.clock.travel(minutes=10)
    assert at.harness.pager.texts == ["Eva did not answer a reminder: Take it"]
    assert await at.statuses(made) == {"Ana": "acked", "Bob": "dismissed", "Eva": "unacked"}
    assert (await at.harness.service.get(at.harness.ana, made.id)).last_status == "unacked"
    assert await at.harness.run_status(made) is Status.SUCCEEDED
    answers = [text for _, text in at.harness.chat.edits if text.startswith(("✓", "✗"))]
    assert answers == ["✓ Done: Take it", "✗ Diesmal ausgelassen: Take it"]  # each once, however often the run goes on


@in_household
async def test_an_answer_is_taken_back_for_all(at: Household) -> None:
    made = await at.remind()
    await at.harness.clock.travel(minutes=5)
    answered = await at.harness.service.answer(at.ids["Bob"], "ack", made.id)
    await at.harness.clock.travel(minutes=1)
    assert await at.harness.run_status(made) is Status.SUCCEEDED
    step = await at.harness.store.remembered.undo(answered.undo or "")
    assert step is not None
    assert step.data.count('"awaiting_ack"') == 3


@in_household
async def test_quiet_hours_and_channels_are_those_of_each_person(at: Household) -> None:
    await at.harness.service.people.update(at.ids["Bob"], quiet="12:00-20:00")
    await at.harness.service.people.set_channels(at.ids["Eva"], [])
    made = await at.remind(require_ack=False)
    await at.harness.clock.travel(minutes=5)
    assert [len(at.texts(each)) for each in PEOPLE] == [1, 0, 0]
    assert await at.harness.inbox(at.ids["Eva"]) == ["Take it"]
    assert await at.statuses(made) == {"Ana": "delivered", "Bob": "sending", "Eva": "delivered"}
    await at.harness.clock.travel(hours=7)
    assert [len(at.texts(each)) for each in PEOPLE] == [1, 1, 0]
    assert await at.harness.run_status(made) is Status.SUCCEEDED


@in_household
async def test_one_who_never_got_it_hears_nothing_of_its_end(at: Household) -> None:
    await at.harness.service.people.update(at.ids["Bob"], quiet="12:00-20:00")
    await at.remind()
    await at.harness.clock.travel(minutes=5)
    await at.say("Ana", "done")
    await at.harness.clock.travel(hours=20)
    assert at.texts("Bob") == []


@in_household
async def test_a_channel_that_fails_for_one_is_no_trouble_for_the_others(at: Household) -> None:
    at.harness.chat.script.extend([None, ChannelPermanentError("blocked"), None])
    made = await at.remind(priority="high")
    await at.harness.clock.travel(minutes=6)
    assert await at.statuses(made) == {"Ana": "awaiting_ack", "Bob": "failed", "Eva": "awaiting_ack"}
    assert at.harness.pager.texts[0].startswith("A reminder for Bob could not be delivered")
    await at.say("Ana", "done")
    await at.harness.clock.travel(minutes=1)
    assert await at.harness.run_status(made) is Status.SUCCEEDED


@in_household
async def test_a_person_who_goes_leaves_it_to_the_others(at: Household) -> None:
    made = await at.remind({"type": "daily", "time": "14:00"})
    alone = await at.harness.remind(name="alone")
    await at.harness.service.people.remove("Bob")
    assert (await at.harness.service.get(at.harness.ana, made.id)).shared_with == (at.ids["Eva"],)
    await at.harness.service.people.remove("Ana")
    left = await at.harness.service.get(at.ids["Eva"], made.id)
    assert (left.user_id, left.shared_with, left.name) == (at.ids["Eva"], (), made.name)
    await at.harness.clock.travel(hours=1)
    assert at.texts("Eva") == ["Take it\nJe li gotovo?"]
    with pytest.raises(NotFoundError):
        await at.harness.service.get(at.ids["Eva"], alone.id)


@in_household
async def test_a_person_who_does_not_exist_is_named_by_the_run(at: Household) -> None:
    made = await at.remind()
    await at.harness.store.people.remove(at.ids["Bob"], START)
    await at.harness.clock.travel(minutes=5)
    await at.say("Eva", "gotovo")
    await at.harness.clock.travel(minutes=1)
    [run] = await at.harness.runs(made)
    assert (run.status, at.ids["Bob"] in (run.error or "")) == (Status.FAILED, True)
    assert len(at.texts("Ana")) == 1


@in_household
async def test_it_comes_again_after_it_is_over_for_all(at: Household) -> None:
    made = await at.remind(answered_by="everyone", again_after_minutes=60)
    await at.harness.clock.travel(minutes=5)
    for minutes, name in ((1, "Ana"), (2, "Bob"), (3, "Eva")):
        await at.harness.clock.travel(minutes=minutes)
        await at.harness.service.answer(at.ids[name], "ack", made.id)
    await at.harness.clock.travel(seconds=1)
    view = await at.harness.service.get(at.harness.ana, made.id)
    assert view.next_run_at == START + timedelta(minutes=5 + 6 + 60)


@in_household
async def test_who_may_be_named(at: Household) -> None:
    with pytest.raises(InvalidInputError, match="shared_with 'Zoe': there is no user"):
        await at.remind(shared_with=["Bob", "Zoe"])
    scope = Scope("user", at.harness.ana)
    with pytest.raises(AccessDeniedError, match="cannot share a reminder with Bob"):
        await at.remind(shared_with=["Ana", "Bob"], scope=scope)
    assert (await at.remind(shared_with=["Ana"], scope=scope)).shared_with == ()
    with pytest.raises(InvalidInputError, match="no effect for one person"):
        await at.remind(shared_with=[], answered_by="everyone")
    with pytest.raises(InvalidInputError, match="without require_ack"):
        await at.remind(require_ack=False, answered_by="everyone")
    with pytest.raises(InvalidInputError, match="answered_by must be"):
        await at.remind(answered_by="both")
    with pytest.raises(InvalidInputError, match="shared_with must be a list"):
        await at.remind(shared_with="Bob")
    made = await at.remind()
    with pytest.raises(NotFoundError):
        await at.harness.service.get(at.harness.root, made.id)
    with pytest.raises(NotFoundError):  # those whom it is shared with see it; it is its owner's to change
        await at.harness.service.update(at.ids["Bob"], made.id, message="Another")
    changed = await at.harness.service.update(at.harness.ana, made.id, shared_with=["Eva"])
    assert changed.shared_with == (at.ids["Eva"],)


@in_household
async def test_a_crash_between_the_answer_and_its_step_costs_nothing(at: Household) -> None:
    made = await at.remind()
    await at.harness.clock.travel(minutes=5)
    assert (await at.say("Bob", "erledigt")).consumed
    edits = len(at.harness.chat.edits)
    await at.harness.crash()
    assert len(at.harness.chat.edits) == edits == 0  # it was gone before it showed any of the answers
    await at.harness.clock.travel(hours=1)
    assert await at.statuses(made) == {"Ana": "acked", "Bob": "acked", "Eva": "acked"}
    assert [len(at.texts(each)) for each in PEOPLE] == [1, 1, 1]
    assert at.harness.chat.edits[-1][1] == "✓ Gotovo, kaže Bob: Take it"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_only_answers_of_its_people_end_it_and_each_only_what_it_may(kind: str, tmp_path: Path) -> None:
    """The law, against a model, over random answers of its people and of a stranger: for whom it is over, and how."""

    async def answer(url: str) -> None:
        harness = ReminderHarness(url)
        await harness.open()
        await harness.people()
        at = Household(harness)
        await at.move_in()
        for seed in range(8 if kind == "sqlite" else 3):
            await _answer_at_random(at, Random(seed))
        await harness.store.close()

    with place(kind, tmp_path) as url:
        asyncio.run(answer(url))


async def _answer_at_random(at: Household, random: Random) -> None:
    answered_by = random.choice(["first", "everyone"])
    made = await at.remind(answered_by=answered_by, max_ack_reminders=1000)
    await after(at.harness, minutes=5)
    over: dict[str, str] = {}
    for _ in range(random.randrange(7)):
        await after(at.harness, minutes=random.randrange(15))
        name = random.choice([*PEOPLE, "Root"])
        response = random.choice(["ack", "snooze", "dismiss"])
        with suppress(NotFoundError, InvalidInputError):
            await at.harness.service.answer(at.ids[name], response, made.id)
        if name in PEOPLE and name not in over and response != "snooze":
            status = {"ack": "acked", "dismiss": "dismissed"}[response]
            over |= dict.fromkeys(PEOPLE if answered_by == "first" else [name], status)
        found = await at.statuses(made)
        assert {who: state for who, state in found.items() if state in ("acked", "dismissed")} == over
    await after(at.harness, seconds=1)
    assert (await at.harness.run_status(made) is Status.SUCCEEDED) == (len(over) == len(PEOPLE))

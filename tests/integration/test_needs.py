"""What needs a person comes by itself, goes by itself, and is told only to those who may see it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from duly.model.events import QUOTA_REACHED, RUN_MISSED, RUN_WAITS, Event
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.model.run import Status
from duly.ports.audit import AuditFilter
from duly.ports.records import Cycle, Settlement, StoredSchedule
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.attention.items import NeedItem, NeedKind, Trouble, grouped, in_order
from duly.service.reminders.deliveries import masked
from duly.zones import iso
from tests.world import START, World, world

ANN = Caller(ADMIN, "tok_ann", Face.GUI)
ONLOOKER = Caller(Scope.parse("admin:ro"), "tok_see", Face.GUI)
SHOP = Caller(Scope.parse("project:shop"), "tok_shop", Face.MCP)
DAILY = {"cron": "0 9 * * *", "prompt": "go"}


async def _items(here: World, caller: Caller = ANN) -> list[NeedItem]:
    return (await here.runtime.services.needs.items(caller)).items


async def _kinds(here: World, caller: Caller = ANN) -> list[str]:
    return [item.kind for item in await _items(here, caller)]


async def _schedule(here: World, name: str, **more: Any) -> str:
    return (await here.runtime.services.use_cases.schedule_create(ANN, {"name": name, **DAILY, **more})).id


async def _set(here: World, schedule_id: str, **columns: Any) -> None:
    """Write columns as an engine would."""

    def change(row: StoredSchedule) -> StoredSchedule:
        for name, value in columns.items():
            setattr(row, name, value)
        return row

    await here.runtime.store.edit([schedule_id], change)


async def _fails(here: World, schedule_id: str, error: str, since: datetime = START) -> None:
    result = f'{{"error": "{error}"}}'
    more = {"last_result": result, "last_run_at": since, "last_status": "failed"}
    await _set(here, schedule_id, consecutive_failures=2, failing_since=since, **more)


async def test_same_cause_is_one_item_that_goes_when_it_is_put_right(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = [await _schedule(here, name) for name in ("a", "b", "c")]
        assert await _items(here) == []
        for each in made[:2]:
            await _fails(here, each, "401 Unauthorized")
        await _fails(here, made[2], "disk full")
        both, other = sorted(await _items(here), key=lambda item: -len(item.schedule_ids))
        assert (both.title, both.cause) == ("2 schedules failed 4 times", "401 Unauthorized")
        assert both.actions == ["see", "seen"]
        assert (other.title, other.actions) == ("c failed 2 times", ["see", "seen"])  # no run is recorded
        for each in made:
            await _set(here, each, consecutive_failures=0, failing_since=None)
        assert await _items(here) == []


async def test_what_was_seen_comes_back_when_it_happens_again(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        needs = here.runtime.services.needs
        made = await _schedule(here, "a")
        await _fails(here, made, "401")
        [item] = await _items(here)
        await needs.mark_seen(ANN, item.id)
        view = await needs.items(ANN)
        assert (view.items, view.total) == ([], 0)
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("attention.seen",)))
        assert (entry.actor, entry.schedule_id) == ("tok_ann", made)
        await _fails(here, made, "401", START + timedelta(hours=1))
        [again] = await _items(here)
        assert again.id == item.id
        with pytest.raises(NotFoundError, match="put right"):
            await needs.mark_seen(ANN, "failed-nothing")
        with pytest.raises(AccessDeniedError, match="may only look"):
            await needs.mark_seen(ONLOOKER, item.id)


async def test_a_reminder_waits_is_answered_and_waits_again_after_undo(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        services = here.runtime.services
        ana = await here.person("Ana")
        anas = Caller(Scope.parse(f"user:{ana}"), "tok_ana", Face.GUI, user_id=ana)
        await here.remind("Ana", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        [item] = await _items(here)
        assert (item.kind, item.title, item.actions) == ("awaiting", "Take it", ["answer", "open"])
        with pytest.raises(InvalidInputError, match="once it is put right"):
            await services.needs.mark_seen(ANN, item.id)
        assert await _kinds(here, SHOP) == []
        [card] = (await services.inbox.view(anas)).waiting
        assert (card.text, card.asked, card.max_asks, card.snoozed_until) == ("Take it", 0, 3, None)
        assert card.next_ask_at == START + timedelta(minutes=15)
        assert [each.minutes for each in card.presets][:3] == [10, 60, None]
        answered = await services.inbox.answer(anas, card.run_id, "done")
        assert await _kinds(here) == []
        [done] = (await services.inbox.view(anas)).answered
        assert (done.response, done.channel, done.undo) == ("ack", "dashboard", answered.undo)
        assert done.undo_until == START + timedelta(minutes=11)
        await here.clock.travel(minutes=1)
        await services.undo.undo(anas, answered.undo or "")
        assert await _kinds(here) == ["awaiting"]
        page = await services.inbox.view(anas)
        assert ([card.run_id for card in page.waiting], page.answered) == ([item.run_id], [])


async def test_snoozing_puts_a_card_among_the_later_ones_and_is_undone_within_five_minutes(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        services = here.runtime.services
        await here.person("Ana", quiet="12:20-14:00", timezone="UTC")
        await here.remind("Ana", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        [card] = (await services.inbox.view(ANN, "Ana")).waiting
        assert card.presets[1].quiet_until == START + timedelta(hours=2)
        snoozed = await services.inbox.answer(ANN, card.run_id, "snooze", words="10m")
        page = await services.inbox.view(ANN, "Ana")
        assert page.waiting == []
        assert [each.snoozed_until for each in page.later] == [START + timedelta(minutes=16)]
        here.clock.advance(timedelta(minutes=5))
        with pytest.raises(InvalidInputError, match="for 5 minutes"):
            await services.undo.undo(ANN, snoozed.undo or "")
        with pytest.raises(InvalidInputError, match="done, snooze or dismiss"):
            await services.inbox.answer(ANN, card.run_id, "maybe")
        again = await services.inbox.answer(ANN, card.run_id, "dismiss")
        await services.inbox.view(ANN, "Ana")
        assert again.undo is not None


async def test_an_answer_stays_when_another_came_after_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        services = here.runtime.services
        await here.person("Ana")
        await here.remind("Ana", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        [card] = (await services.inbox.view(ANN, "Ana")).waiting
        first = await services.inbox.answer(ANN, card.run_id, "snooze", minutes=30)
        here.clock.advance(timedelta(seconds=1))
        await services.inbox.answer(ANN, card.run_id, "done")
        with pytest.raises(ConflictError, match="meanwhile"):
            await services.undo.undo(ANN, first.undo or "")


async def test_an_inbox_is_for_its_person_and_for_admins(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        inbox = here.runtime.services.inbox
        ids = {name: await here.person(name) for name in ("Ana", "Ben")}
        await here.remind("Ana", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        [card] = (await inbox.view(ONLOOKER, "Ana")).waiting
        ben = Caller(Scope.parse(f"user:{ids['Ben']}"), "tok_ben", Face.GUI, user_id=ids["Ben"])
        assert (await inbox.view(ben)).waiting == []
        with pytest.raises(AccessDeniedError):
            await inbox.view(ben, "Ana")
        with pytest.raises(NotFoundError):
            await inbox.answer(ben, card.run_id, "done")
        for caller in (ONLOOKER, SHOP):
            with pytest.raises(AccessDeniedError):
                await inbox.answer(caller, card.run_id, "done")
        with pytest.raises(NotFoundError):
            await inbox.answered(ANN, card.run_id)  # not yet
        await inbox.answer(ANN, card.run_id, "done", channel="telegram")
        assert (await inbox.answered(ONLOOKER, card.run_id)).channel == "telegram"
        with pytest.raises(NotFoundError):
            await inbox.answered(ben, card.run_id)


async def test_missed_runs_budgets_and_what_cannot_be_read_are_told(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = [await _schedule(here, name) for name in ("a", "b")]
        store = here.runtime.store
        data = {"reason": "no engine ran", "count": 30}
        await store.record([Event(RUN_MISSED, START, each, data={**data, "name": each}) for each in made])
        await store.record([Event(QUOTA_REACHED, START, made[0], data={"name": "a", "reason": "over quota: runs"})])
        await _set(here, made[1], quarantine="trigger is damaged")
        items = {item.kind: item for item in await _items(here)}
        assert list(items) == ["missed", "quarantined", "budget"]
        assert (items["missed"].title, items["missed"].counts) == ("2 schedules missed 60 runs", 60)
        assert items["budget"].title == "a has spent its budget"
        assert [each.actions for each in await _items(here, ONLOOKER)] == [["see"], ["open"], ["open"]]
        assert await _items(here, SHOP) == []
        here.clock.advance(timedelta(hours=25))
        assert await _kinds(here) == ["engine", "quarantined"]  # the time that was turned left the engine behind


async def test_unanswered_reminders_are_told_and_channels_are_for_admins(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        services = here.runtime.services
        await here.person("Ana")
        await here.remind("Ana", "Take it", require_ack=True, max_ack_reminders=0)
        await here.clock.travel(hours=2)
        [item] = await _items(here)
        assert (item.kind, item.cause, item.actions) == (
            "unacked",
            "was not answered",
            ["answer_late", "run_again", "open", "seen"],
        )
        await services.needs.mark_seen(ANN, item.id)
        assert await _items(here) == []
        reminders = here.runtime.store.reminders
        for address, status in (("https://a.example", AttemptStatus.FAILED), ("https://b.example", AttemptStatus.SENT)):
            hook: dict[str, Any] = {
                "channel": "webhook",
                "address": address,
                "kind": AttemptKind.NOTICE,
                "status": status,
            }
            await reminders.add_attempt(replace((await reminders.attempts(item.run_id or ""))[0], **hook))
        [refused] = await _items(here)
        assert (refused.kind, refused.title) == ("channel", "webhook does not take messages"), "another one does"
        [inbox] = await services.channels.list(ANN)
        assert (inbox.name, inbox.answers, inbox.health_words, inbox.last_state) == (
            "inbox",
            "buttons",
            "works",
            "delivered",
        )
        for use in (services.channels.list(SHOP), services.channels.test(SHOP, "inbox"), services.config.diff(SHOP)):
            with pytest.raises(AccessDeniedError):
                await use
        with pytest.raises(AccessDeniedError, match="may only look"):
            await services.channels.send_test(ONLOOKER, "inbox", "Ana")
        assert (await services.channels.send_test(ANN, "inbox", "Ana")).works


async def test_a_clock_change_is_told_a_week_ahead_and_not_counted(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await _schedule(here, "night", cron="30 2 * * *", cron_timezone="Europe/Berlin")
        await _schedule(here, "noon", cron="0 12 * * *", cron_timezone="Europe/Berlin")
        services = here.runtime.services
        assert await _kinds(here) == []
        change = datetime(2027, 3, 28, 1, tzinfo=UTC)
        here.clock.advance(change - timedelta(days=6) - here.clock.now())
        view = await services.needs.items(ANN)
        [item] = [each for each in view.items if each.kind == "clock_change"]
        assert (item.since, item.detail, item.counted) == (change, "night", False)
        assert view.total == len(view.items) - 1


_NAMES = st.sampled_from(["a", "b", "c"])
_TROUBLES = st.builds(
    Trouble,
    kind=st.sampled_from([kind for kind in NeedKind if kind is not NeedKind.AWAITING]),
    cause=st.sampled_from(["x", "y"]),
    schedule_id=_NAMES,
    name=_NAMES,
    since=st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))),
    times=st.integers(1, 9),
    changeable=st.booleans(),
)


@given(st.lists(_TROUBLES))
def test_every_trouble_is_in_exactly_one_item(troubles: list[Trouble]) -> None:
    items = in_order(grouped(troubles))
    assert sum(item.counts for item in items) == sum(each.times for each in troubles)
    assert {(item.kind, item.cause) for item in items} == {(str(each.kind), each.cause) for each in troubles}
    assert len({item.id for item in items}) == len(items)
    order = [list(NeedKind).index(NeedKind(item.kind)) for item in items]
    assert order == sorted(order)


@given(st.permutations(range(5)), st.data())
@settings(max_examples=20)
def test_marks_do_not_depend_on_the_order_of_what_was_found(order: list[int], data: st.DataObject) -> None:
    troubles = data.draw(st.lists(_TROUBLES, min_size=5, max_size=5))
    marks = {item.id: item.mark for item in grouped(troubles)}
    assert {item.id: item.mark for item in grouped([troubles[each] for each in order])} == marks


def test_an_address_is_hidden_for_the_most_part() -> None:
    assert [masked(each) for each in ("ana@example.org", "+4915112345678", "17")] == ["a…@example.org", "…5678", "17"]


# repeated requests


async def test_a_repeated_request_gets_the_answer_of_the_first(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        idempotency = here.runtime.services.idempotency
        made: list[int] = []

        async def make() -> dict[str, Any]:
            made.append(len(made))
            return {"id": len(made)}

        async def fail() -> None:
            raise InvalidInputError("no")

        assert await idempotency.remember(ANN, "k", "f", make) == {"id": 1}
        assert await idempotency.remember(ANN, "k", "f", make) == {"id": 1}
        assert await idempotency.remember(ONLOOKER, "k", "f", make) == {"id": 2}
        with pytest.raises(InvalidInputError, match="another request"):
            await idempotency.remember(ANN, "k", "g", make)
        with pytest.raises(InvalidInputError, match="no"):
            await idempotency.remember(ANN, "other", "f", fail)
        assert await idempotency.remember(ANN, "other", "f", make) == {"id": 3}
        with pytest.raises(InvalidInputError, match="printable"):
            await idempotency.remember(ANN, "", "f", make)
        here.clock.advance(timedelta(hours=25))
        assert await idempotency.remember(ANN, "k", "g", make) == {"id": 4}


async def test_a_request_under_way_is_not_made_twice(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        idempotency = here.runtime.services.idempotency
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def make() -> int:
            begun.set()
            await may_end.wait()
            return 1

        first = asyncio.create_task(idempotency.remember(ANN, "k", "f", make))
        await begun.wait()
        with pytest.raises(ConflictError, match="under way"):
            await idempotency.remember(ANN, "k", "f", make)
        may_end.set()
        assert await first == 1


async def test_a_run_that_waits_for_its_agent_is_told_while_it_waits(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = await _schedule(here, "a")
        run = await here.runtime.services.use_cases.schedule_trigger(ANN, made)
        until = START + timedelta(hours=5)
        reason = f"waits for claude's limit until {iso(until)}"
        event = Event(RUN_WAITS, here.clock.now(), made, run.id, data={"name": "a", "reason": reason})
        store = here.runtime.store
        [claimed] = (
            await store.cycle(Cycle("n", here.clock.now(), claim_limit=1, handlers=["prompt:default"]))
        ).claimed
        waits = Settlement(claimed.run_id, made, claimed.fence, Status.PENDING, here.clock.now())
        waits = replace(waits, goes_on=True, same_attempt=True, reason=reason, retry_at=until, events=[event])
        await store.cycle(Cycle("n", here.clock.now(), [waits]))
        [item] = await _items(here)
        assert (item.kind, item.title, item.cause) == ("limit", "a waits for its agent", reason)
        assert (item.detail, item.counted, item.run_id) == ("it goes on by itself", False, run.id)
        assert (await here.runtime.services.needs.items(ANN)).total == 0
        assert await _items(here, SHOP) == []
        await here.runtime.services.use_cases.run_cancel(ANN, run.id)
        assert await _items(here) == []

"""What comes besides the time of a reminder: announcements ahead, again after it is done, and quiet hours."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duly.errors import InvalidInputError
from tests.conformance.reminders.harness import ASKED, START, ReminderHarness, with_harness
from tests.conformance.reminders.test_acks import asked, say
from tests.conformance.reminders.test_answering import in_chat_of, undo_of
from tests.conformance.reminders.test_time import stopped_for

AT_TWO = {"type": "once", "at": "2026-11-16T15:00"}  # on the clocks of Zagreb: 14:00 UTC, two hours from the start
DAILY = {"type": "daily", "time": "15:00"}


# ahead


@with_harness
async def test_it_is_announced_ahead_and_then_comes_and_asks(harness: ReminderHarness) -> None:
    made = await harness.remind(AT_TWO, require_ack=True, lead_minutes=[10, 60])
    assert (made.schedule_type, made.lead_minutes, made.next_run_at) == ("once", (60, 10), START + timedelta(hours=1))
    assert made.when == "once at 2026-11-16 14:00 UTC, and 10 minutes and 1 hour before"
    await harness.clock.travel(hours=1, seconds=1)
    assert harness.chat.texts == ["In 1 hour: Take it"]
    assert harness.chat.arrived[0].outgoing.buttons == ()
    assert await harness.status(made) == "delivered"
    assert not (await say(harness, "done")).consumed  # it asks nothing yet
    await harness.clock.travel(minutes=60)
    assert harness.chat.texts[1:] == ["In 10 minutes: Take it", ASKED]
    await say(harness, "done")
    await harness.clock.travel(hours=5)
    assert (await harness.status(made), len(harness.chat.texts)) == ("acked", 3)


@with_harness
async def test_every_day_of_a_series_is_announced(harness: ReminderHarness) -> None:
    await harness.remind(DAILY, lead_minutes=[60])
    await harness.clock.travel(days=2)
    assert harness.chat.texts == ["In 1 hour: Take it", "Take it"] * 2


@with_harness
async def test_an_announcement_that_comes_too_late_is_left_out(harness: ReminderHarness) -> None:
    """Here because of quiet hours: only the reminder itself comes in the morning."""
    await harness.service.people.update(harness.ana, quiet="13:30-16:00")
    made = await harness.remind(AT_TWO, lead_minutes=[60])
    assert made.note == "That is in your quiet hours, so it comes at 16:00."
    await harness.clock.travel(hours=4)
    assert harness.chat.texts == ["Take it"]


@with_harness
async def test_an_announcement_that_is_late_says_how_long_is_left(harness: ReminderHarness) -> None:
    await harness.remind(AT_TWO, lead_minutes=[60])
    await stopped_for(harness, minutes=90)
    await harness.start()
    await harness.clock.travel(seconds=1)
    assert harness.chat.texts == ["In 30 minutes: Take it"]


@with_harness
async def test_words_name_what_comes_ahead(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "smart", "text": "tomorrow at 9 and an hour before"})
    assert made.lead_minutes == (60,)
    changed = await harness.service.update(harness.ana, made.id, lead_minutes=[])
    assert (changed.lead_minutes, changed.next_run_at) == ((), START.replace(day=17, hour=8))
    with pytest.raises(InvalidInputError, match="counts from its last occurrence"):
        await harness.remind({"type": "interval", "every": "2h"}, lead_minutes=[10])


# again after it is done


@with_harness
async def test_it_comes_again_after_it_is_done_counted_from_the_answer(harness: ReminderHarness) -> None:
    made = await asked(harness, again_after_minutes=3 * 1440)
    await harness.clock.travel(minutes=3)
    await say(harness, "done")
    await harness.clock.travel(minutes=1)
    again = await harness.service.get(harness.ana, made.id)
    assert again.next_run_at == START + timedelta(days=3, minutes=8)
    await harness.clock.travel(days=3, minutes=5)
    assert len(harness.chat.texts) == 2
    assert await harness.status(made) == "awaiting_ack"


@with_harness
async def test_it_comes_again_when_it_was_not_answered(harness: ReminderHarness) -> None:
    made = await asked(harness, again_after_minutes=1440, max_ack_reminders=0)
    await harness.clock.travel(minutes=11)
    assert await harness.status(made) == "unacked"
    await harness.clock.travel(days=1)
    assert len(harness.chat.texts) == 2


@with_harness
async def test_an_answer_that_was_taken_back_counts_when_it_is_given_again(harness: ReminderHarness) -> None:
    made = await asked(harness, again_after_minutes=1440)
    await say(harness, "done")
    await harness.clock.travel(minutes=1)
    await undo_of(harness).undo_last(in_chat_of(harness))
    await harness.clock.travel(minutes=2)
    await say(harness, "done")
    await harness.clock.travel(minutes=1)
    view = await harness.service.get(harness.ana, made.id)
    assert view.next_run_at == START + timedelta(days=1, minutes=8)


@with_harness
async def test_one_that_was_removed_stays_away(harness: ReminderHarness) -> None:
    made = await asked(harness, again_after_minutes=1440)
    await say(harness, "done")
    await harness.service.remove(harness.ana, made.id)
    await harness.clock.travel(days=3)
    assert len(harness.chat.texts) == 1


@with_harness
async def test_a_process_that_dies_after_the_answer_leaves_the_next_time_to_the_next_one(
    harness: ReminderHarness,
) -> None:
    made = await asked(harness, again_after_minutes=60)
    await say(harness, "done")
    await stopped_for(harness, minutes=1)
    await harness.start()
    await harness.clock.travel(minutes=2)
    view = await harness.service.get(harness.ana, made.id)
    assert view.next_run_at == START + timedelta(hours=1, minutes=5)


@with_harness
async def test_words_name_that_it_comes_again(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "smart", "text": "3 days after it is done"})
    assert (made.again_after_minutes, made.require_ack) == (3 * 1440, True)
    with pytest.raises(InvalidInputError, match="goes with a reminder that has one time"):
        await harness.remind(DAILY, require_ack=True, again_after_minutes=60)


# quiet hours


@with_harness
async def test_a_reminder_in_quiet_hours_says_so_when_it_is_made(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="22:00-07:00", language="de")
    late = await harness.remind({"type": "daily", "time": "23:00"})
    assert late.note == "Das liegt in deiner Ruhezeit, sie kommt morgen um 07:00."
    assert (await harness.remind(DAILY)).note is None
    assert (await harness.remind({"type": "daily", "time": "23:00"}, priority="critical")).note is None


@with_harness
async def test_the_evening_is_the_persons_own(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, day_parts="evening=21:15")
    made = await harness.remind({"type": "smart", "text": "this evening"})
    assert made.next_run_local == "2026-11-16T21:15:00+01:00"

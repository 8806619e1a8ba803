"""Who must be told is told: for any series, priority, silence and outage, no later than for a single run, and once.

A series may be quicker than the patience of its runs: each takes the place of the one before it, and none comes to its
own end. What one owes the admins the next one owes.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from duly.errors import ChannelTemporaryError, InvalidInputError, NotFoundError
from duly.model.action import Message, Priority
from duly.planning.delivery import shortest_failure
from duly.ports.channels import Address, Outgoing, Receipt
from duly.ports.records import RunFilter
from duly.ports.reminders import Reminder
from duly.service.schedules.fields import ReminderView
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.harness import START, ReminderHarness, harness_at, with_harness
from tests.support import tries

DOWN = ChannelTemporaryError("503")
SLACK = timedelta(seconds=2)
HOURS_OF_SILENCE = 8


class TimedChannel(ScriptedChannel):
    """Remembers when it was asked, and whether it took the message."""

    def __init__(self, harness: ReminderHarness, name: str) -> None:
        super().__init__(name)
        self._harness = harness
        self.asked: list[tuple[datetime, bool, str]] = []

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        self.asked.append((self._harness.clock.now(), self.otherwise is None, outgoing.text))
        return await super().send(address, outgoing)


class Event(NamedTuple):
    """Something happens after so many minutes: an answer, or the chat begins or ceases to work."""

    minutes: int
    what: str


class Plot(NamedTuple):
    """A series, and what happens while it goes on."""

    every: int
    priority: str
    require_ack: bool
    max_ack_reminders: int
    max_retries: int
    events: tuple[Event, ...]
    minutes: int

    @property
    def message(self) -> Message:
        return Message(
            text="Take it",
            priority=Priority(self.priority),
            require_ack=self.require_ack,
            max_ack_reminders=self.max_ack_reminders,
            max_retries=self.max_retries,
        )


class Story(NamedTuple):
    """What came of it."""

    sends: list[tuple[datetime, bool]]
    """To the person: when, and whether it arrived."""
    answers: list[datetime]
    silence_told: list[datetime]
    failure_told: list[datetime]
    errors: int
    failed_since_arrival: int
    ended: list[Reminder]
    """Of its reminders those that came to their own end."""
    end: datetime

    def told_between(self, start: datetime, end: datetime) -> bool:
        return any(start <= each <= end for each in [*self.silence_told, *self.failure_told])


async def live(plot: Plot, folder: str) -> Story:
    async with harness_at(f"{folder}/duly.db") as harness:
        chat, pager = TimedChannel(harness, "chat"), TimedChannel(harness, "pager")
        harness.chat, harness.pager = chat, pager
        await harness.engine.stop()
        harness.renew()
        await harness.start()
        await harness.service.people.set_channels(harness.ana, [("chat", "17")])
        # An argument without effect is refused: nothing is asked again where no answer is wanted.
        nags: dict[str, Any] = {"max_ack_reminders": plot.max_ack_reminders} if plot.require_ack else {}
        made = await harness.remind(
            {"type": "interval", "every": f"{plot.every}m"},
            priority=plot.priority,
            require_ack=plot.require_ack,
            max_retries=plot.max_retries,
            **nags,
        )
        answers = [when async for when in happen(harness, chat, plot)]
        told = [(when, "did not answer" in text) for when, _, text in pager.asked]
        return Story(
            sends=[(when, arrived) for when, arrived, _ in chat.asked],
            answers=answers,
            silence_told=[when for when, of_silence in told if of_silence],
            failure_told=[when for when, of_silence in told if not of_silence],
            errors=(await harness.service.get(harness.ana, made.id)).consecutive_errors,
            failed_since_arrival=await failed_since_arrival(harness, made),
            ended=await ended_by_themselves(harness, made),
            end=harness.clock.now(),
        )


async def happen(harness: ReminderHarness, chat: ScriptedChannel, plot: Plot) -> AsyncIterator[datetime]:
    """Let the events happen; gives when answers were given that counted."""
    end = START + timedelta(minutes=plot.minutes)
    await harness.clock.travel(seconds=17)  # nothing happens at the instant of a fire: the order would be random
    for minutes, what in plot.events:
        await harness.clock.travel(minutes=minutes)
        if what in ("down", "up"):
            chat.otherwise = DOWN if what == "down" else None
            continue
        if plot.require_ack:  # what wants no answer could be put off, and would come as another reminder
            with suppress(NotFoundError, InvalidInputError):  # nothing waits
                await harness.service.answer(harness.ana, what)
                yield harness.clock.now()
    await harness.clock.travel(seconds=max(0.0, (end - harness.clock.now()).total_seconds()))


async def failed_since_arrival(harness: ReminderHarness, made: ReminderView) -> int:
    """How many runs that are over tried and did not get through in the end, since one did."""
    number = 0
    for reminder in await harness.store.reminders.of_schedule(made.id, 1000):
        attempts = [each for each in await harness.store.reminders.attempts(reminder.run_id) if each.kind == "reminder"]
        if any(each.status.arrived for each in attempts) and reminder.status != "failed":
            break
        number += reminder.status.final and bool(attempts)
    return number


async def ended_by_themselves(harness: ReminderHarness, made: ReminderView) -> list[Reminder]:
    """The others were replaced."""
    runs = await harness.store.runs(RunFilter(schedule_id=made.id, limit=1000))
    replaced = {run.id for run in runs if run.reason == "superseded by the next fire"}
    return [each for each in await harness.store.reminders.of_schedule(made.id, 1000) if each.run_id not in replaced]


plots = st.builds(
    Plot,
    every=st.sampled_from([2, 3, 4, 7, 10, 15, 29, 30, 31, 39, 40, 41, 60, 89, 95]),
    priority=st.sampled_from(["low", "normal", "high", "high", "critical", "critical", "critical"]),
    require_ack=st.booleans(),
    max_ack_reminders=st.integers(0, 3),
    max_retries=st.integers(0, 3),
    events=st.lists(
        st.builds(Event, st.integers(0, 45), st.sampled_from(["ack", "snooze", "dismiss", "down", "down", "up"])),
        max_size=5,
    ).map(tuple),
    minutes=st.sampled_from([90, 180]),
)
SILENT = Plot(30, "critical", True, 3, 3, (), 60 * HOURS_OF_SILENCE)
DEAD = Plot(3, "high", False, 3, 3, (Event(0, "down"),), 60)


@given(plots)
@example(SILENT)
@example(DEAD)
@example(DEAD._replace(priority="critical", require_ack=True))
@example(SILENT._replace(every=11, max_ack_reminders=0))
@example(SILENT._replace(every=31, events=(Event(100, "ack"), Event(100, "snooze"))))
@settings(max_examples=tries(40), deadline=None, phases=[Phase.explicit, Phase.generate])  # shrinking takes minutes
def test_who_must_be_told_is_told_in_time_and_once(plot: Plot) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = asyncio.run(live(plot, folder))
    silence_is_told_in_time(plot, story)
    failure_is_told_in_time(plot, story)
    nothing_is_told_twice(story)
    assert story.errors == story.failed_since_arrival


def silence_is_told_in_time(plot: Plot, story: Story) -> None:
    if not (plot.require_ack and plot.priority == "critical"):
        assert story.silence_told == []
        return
    for begin, end in stretches(story):
        arrived = [when for when, ok in story.sends if ok and begin <= when < end]
        if not arrived:
            continue
        due = arrived[0] + timedelta(minutes=10) * (plot.max_ack_reminders + 1)
        if end <= due + SLACK:
            continue
        failed = [when for when, ok in story.sends if not ok and arrived[0] <= when <= due]
        if failed:  # then they may have heard that instead
            assert story.told_between(begin, due + SLACK), (arrived[0], due)
        else:
            assert any(begin <= each <= due + SLACK for each in story.silence_told), (arrived[0], due)


def failure_is_told_in_time(plot: Plot, story: Story) -> None:
    if plot.priority not in ("high", "critical"):
        assert story.failure_told == []
        return
    course = timedelta() if plot.priority == "critical" else shortest_failure(plot.message)
    for begin, first, end in failures(story):
        due = first + course
        if end <= due + SLACK:
            continue
        if plot.priority == "critical":  # once per run: it may have told an earlier failure, before it arrived
            begin = max((each for each in story.answers if each <= begin), default=START)
        assert any(begin <= each <= due + SLACK for each in story.failure_told), (first, due)


def nothing_is_told_twice(story: Story) -> None:
    """Once for every silence and every outage; a run that comes to its own end tells that."""
    gave_up = Counter(str(each.status) for each in story.ended)
    assert len(story.silence_told) <= len(list(stretches(story))) + gave_up["unacked"]
    assert len(story.failure_told) <= len(list(failures(story))) + gave_up["failed"]


def stretches(story: Story) -> Iterator[tuple[datetime, datetime]]:
    """The times between two answers."""
    return pairwise([START, *story.answers, story.end])


def failures(story: Story) -> Iterator[tuple[datetime, datetime, datetime]]:
    """The times in which nothing arrived: when they began, when the first send failed, when they ended."""
    begin, first = START, None
    moments = sorted([*((when, ok) for when, ok in story.sends), *((when, True) for when in story.answers)])
    for when, ends in [*moments, (story.end, True)]:
        if not ends:
            first = first or when
            continue
        if first is not None:
            yield begin, first, when
        begin, first = when, None


# the two that were seen


@with_harness
async def test_hours_of_silence_in_a_quick_series_reach_the_admin_once(harness: ReminderHarness) -> None:
    await harness.remind({"type": "interval", "every": "30m"}, priority="critical", require_ack=True)
    await harness.clock.travel(minutes=30 + 39)
    assert harness.pager.texts == []
    await harness.clock.travel(minutes=1)  # forty minutes after the first delivery, as for a single run
    assert harness.pager.texts == ["Ana did not answer a reminder: Take it"]
    await harness.clock.travel(hours=HOURS_OF_SILENCE)
    assert len(harness.pager.texts) == 1
    await harness.service.answer(harness.ana, "ack")
    await harness.clock.travel(minutes=30 + 40)
    assert len(harness.pager.texts) == 2  # an answer, and a new silence


@with_harness
async def test_a_dead_channel_in_a_quick_series_reaches_the_admin_once_and_is_counted(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind({"type": "interval", "every": "3m"}, priority="high")
    await harness.clock.travel(minutes=3, seconds=209)
    assert harness.pager.texts == []
    await harness.clock.travel(seconds=1)
    assert harness.pager.texts == ["A reminder for Ana could not be delivered: Take it\nchat: 503\nmail: 503"]
    await harness.clock.travel(minutes=30)
    assert len(harness.pager.texts) == 1
    assert (await harness.service.get(harness.ana, made.id)).consecutive_errors == 11
    assert {str(each.status) for each in (await harness.runs(made))[1:]} == {"failed"}
    harness.chat.otherwise = harness.mail.otherwise = None
    await harness.clock.travel(minutes=3)
    assert (await harness.service.get(harness.ana, made.id)).consecutive_errors == 0
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    await harness.clock.travel(minutes=10)
    assert len(harness.pager.texts) == 2  # it had arrived since

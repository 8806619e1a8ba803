"""A week in the life of a person who is reminded: faulty channels, answers of all kinds, a process that keeps dying."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

from duly.errors import (
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
    InvalidInputError,
    NotFoundError,
)
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.model.run import Run, Status
from duly.ports.channels import Address, Outgoing, Receipt
from duly.ports.codec import decode_trigger
from duly.ports.records import RunFilter, StoredSchedule
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.service.schedules.fields import ReminderView
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.harness import ReminderHarness
from tests.support import EXPLORING

WEEK = timedelta(days=7 if EXPLORING else 4)
"""In `make test` it ends on its fourth day: the later ones break in the same ways."""
AFTERWARDS = timedelta(days=2)
_TEXTS = ("done", "ok", "later", "in 20 minutes", "cancel", "what's up?", "not yet", "remind me at 6pm")


class FaultyChannel(ScriptedChannel):
    """Slow, often broken in one of the ways channels break, and down for hours now and then."""

    def __init__(self, harness: ReminderHarness, name: str, chance: Random) -> None:
        super().__init__(name)
        self._harness = harness
        self._chance = chance
        self.healthy = False
        self._changes_at = harness.clock.now()
        self._down = False

    @property
    def down(self) -> bool:
        if self._harness.clock.now() >= self._changes_at:
            self._down = not self._down
            hours = self._chance.expovariate(1 / (2 if self._down else 8))
            self._changes_at = self._harness.clock.now() + timedelta(hours=hours)
        return self._down and not self.healthy

    async def _takes_a_while(self) -> None:
        await self._harness.process.clock.sleep(self._chance.choice([0.01, 0.5, 2, 30]))

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        chance = self._chance
        await self._takes_a_while()
        if self.down:
            raise ChannelTemporaryError("no connection")
        fate = 1.0 if self.healthy else chance.random()
        if fate < 0.15:
            raise ChannelTemporaryError("503", chance.choice([None, None, 5, 90, 4000]))
        if fate < 0.17:
            raise ChannelPermanentError("blocked")
        if fate < 0.22:
            if chance.random() < 0.5:
                await super().send(address, outgoing)
                await self._takes_a_while()
            raise ChannelUnknownError("no answer")
        receipt = await super().send(address, outgoing)
        await self._takes_a_while()
        return receipt


class Week:
    """One seed, one week."""

    def __init__(self, harness: ReminderHarness, seed: int) -> None:
        self.harness = harness
        self.chance = Random(seed)
        self.made: list[ReminderView] = []
        self.crashes = 0
        self._answered = 0
        self._channels = [FaultyChannel(harness, name, self.chance) for name in ("chat", "mail", "pager")]

    async def live(self) -> None:
        harness = self.harness
        harness.chance = self.chance.random
        harness.chat, harness.mail, harness.pager = self._channels
        await harness.crash()
        await harness.service.people.update(harness.ana, quiet="23:00-06:30")
        busy = [asyncio.create_task(each) for each in (self._asks(), self._answers(), self._dies())]
        await harness.clock.travel(WEEK)
        for task in busy:
            task.cancel()
        ends = await asyncio.gather(*busy, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends  # all were busy to the end
        if harness.process.gone:
            await harness.crash()  # the week ended while it was down
        for channel in self._channels:
            channel.healthy = True
        for view in self.made:
            if view.schedule_type != "once" or view.again_after_minutes is not None:
                await harness.service.update(harness.ana, view.id, enabled=False)
        await harness.clock.travel(AFTERWARDS)

    async def _asks(self) -> None:
        """New reminders all through the week."""
        chance, clock = self.chance, self.harness.clock
        kinds: list[dict[str, Any]] = [
            {"type": "interval", "every": "3h"},
            {"type": "interval", "every": "47m"},
            {"type": "daily", "time": "08:00"},
            {"type": "weekly", "days": ["weekdays"], "time": "07:30"},
            {"type": "cron", "expr": "15 */5 * * *"},
        ]
        for kind in kinds:
            await self._make(kind)
        for minutes in (45, 600):
            await self._make({"type": "once", "at": "20m"}, again_after_minutes=minutes)
        while True:
            await clock.sleep(chance.uniform(600, 4 * 3600))
            await self._make({"type": "once", "at": f"{chance.randint(1, 600)}m"})

    async def _make(self, schedule: dict[str, Any], **options: Any) -> None:
        chance = self.chance
        priority = chance.choice(["low", "normal", "high", "critical"])
        require_ack = chance.random() < 0.7 or "again_after_minutes" in options  # that counts from an answer
        asking: dict[str, Any] = {
            "ack_prompt": chance.choice([None, "Did you?"]),
            "max_ack_reminders": chance.randint(0, 3),
        }
        view = await self.harness.service.create(
            self.harness.ana,
            schedule,
            f"number {len(self.made)}",
            priority=priority,
            require_ack=require_ack,
            max_retries=chance.randint(0, 4),
            snooze_allowed=chance.random() < 0.9,
            **(asking if require_ack else {}),
            **options,
        )
        self.made.append(view)

    async def _answers(self) -> None:
        """Play a person who answers most of the time, sometimes twice, sometimes nonsense."""
        chance, harness = self.chance, self.harness
        while True:
            await harness.clock.sleep(chance.expovariate(1 / 400))
            arrived = [each for each in self._channels[0].arrived + self._channels[1].arrived if each.outgoing.buttons]
            with suppress(NotFoundError, InvalidInputError):
                way = chance.random()
                if way < 0.5 and arrived:
                    press = chance.choice(chance.choice(arrived[-4:]).outgoing.buttons).token
                    await harness.service.handle_message(harness.ana, "chat", button=press)
                elif way < 0.9:
                    self._answered += chance.random() < 0.9  # the others are told twice
                    text, number = chance.choice(_TEXTS), f"in-{self._answered}"
                    await harness.service.handle_message(harness.ana, "chat", text, message_id=number)
                else:
                    await harness.service.answer(harness.ana, chance.choice(["ack", "snooze", "dismiss"]))

    async def _dies(self) -> None:
        """The process dies a few times a day, and is back at once or hours later."""
        while True:
            await self.harness.clock.sleep(self.chance.expovariate(1 / (5 * 3600)))
            self.crashes += 1
            await self.harness.crash(
                self.chance.choice([0, 0, 30, 600, 7200, 30 * 3600 * (self.chance.random() < 0.1)])
            )

    # judging

    async def judge(self) -> Counter[str]:
        """Every fire is accounted for, every reminder has an end that its attempts and answers bear out."""
        tally: Counter[str] = Counter()
        for view in self.made:
            row = await self.harness.store.get(view.id)
            assert row is not None
            runs = await self.harness.store.runs(RunFilter(schedule_id=view.id, limit=1000))
            if view.again_after_minutes is None:
                self._all_fires_are_there(row, runs)
            else:
                await self._each_follows_the_last(view.again_after_minutes, runs[::-1])
            for run in runs:
                assert run.status.final, (view.name, run)
                if run.status not in (Status.MISSED, Status.SKIPPED):
                    tally[await self._judge_run(view, run)] += 1
        return tally

    def _all_fires_are_there(self, row: StoredSchedule, runs: list[Run]) -> None:
        nominal = list(self._nominal(row))
        counted = sum(run.skipped or 1 for run in runs)
        assert counted == len(nominal), (row.name, row.trigger, counted, len(nominal))
        assert {run.fire.fire_at for run in runs} <= set(nominal)

    async def _each_follows_the_last(self, minutes: int, runs: list[Run]) -> None:
        """A reminder that comes again does so as long after its answer, or after its end, as it says; and goes on."""
        wait = timedelta(minutes=minutes)
        assert len(runs) > WEEK / (wait + timedelta(hours=36)), runs
        for run, following in pairwise(runs):
            assert run.finished_at is not None, run
            given = await self.harness.store.reminders.answers(run.id)
            answers = [each for each in given if each.responded_at <= run.finished_at]  # late ones move nothing
            since = answers[-1].responded_at if answers else run.finished_at
            due = max(since + wait, run.finished_at)
            assert abs(following.fire.fire_at - due) < timedelta(minutes=2), (run, following, answers)

    def _nominal(self, row: StoredSchedule) -> Iterator[datetime]:
        trigger, at = decode_trigger(row.trigger), row.created_at
        last = row.watermark
        while last is not None and (following := trigger.get_next_occurrence(at)) is not None and following <= last:
            yield following
            at = following

    async def _judge_run(self, view: ReminderView, run: Run) -> str:
        reminders = self.harness.store.reminders
        reminder = await reminders.get(run.id)
        assert reminder is not None, (view.name, run)
        attempts, answers = await reminders.attempts(run.id), await reminders.answers(run.id)
        status = self._status(reminder, run)
        arrived = [each for each in attempts if each.status.arrived and each.kind is AttemptKind.REMINDER]
        said = [str(each.response) for each in answers if each.response != "snooze"]
        assert said == {"acked": ["ack"], "dismissed": ["dismiss"]}.get(status, []), (view.name, status, answers)
        if said:
            ended = answers[-1].responded_at
            assert not [each for each in attempts if each.created_at > ended], (view.name, attempts, answers)
        replaced = run.reason == "superseded by the next fire"
        if status in ("delivered", "unacked"):
            assert arrived, (view.name, attempts)
            assert status == "delivered" or replaced or reminder.nags == view.max_ack_reminders, (view.name, reminder)
        if status == "missed":
            assert replaced, (view.name, reminder, run)
        if status == "failed":
            assert run.status is Status.FAILED
            self._judge_failure(view, reminder, attempts)
        keys = Counter(each.outgoing.key for channel in self._channels for each in channel.arrived)
        unsure = sum(each.status == "unknown" for each in attempts)
        assert sum(keys[key] - 1 for key in keys if key.startswith(run.id)) <= unsure
        return status

    def _judge_failure(self, view: ReminderView, reminder: Reminder, attempts: list[DeliveryAttempt]) -> None:
        """Check that every round was tried, or no channel was left; the inbox has it, and the admins were told."""
        closed = {each.channel for each in attempts if each.permanent and each.user_id == self.harness.ana}
        assert reminder.rounds == view.max_retries + 1 or closed == {"chat", "mail"}, (view.name, reminder, attempts)
        assert [each for each in attempts if each.kind is AttemptKind.COPY], (view.name, attempts)
        told = [each for each in attempts if each.kind is AttemptKind.ESCALATION and each.status.arrived]
        assert bool(told) == (view.priority in ("high", "critical")), (view.name, attempts)

    def _status(self, reminder: Reminder, run: Run) -> str:
        """Replaced by the next fire, a reminder ends when that begins; the last of a paused series has none."""
        if reminder.status.final:
            return str(reminder.status)
        assert run.reason == "superseded by the next fire", (reminder, run)
        return str(ReminderStatus.UNACKED if reminder.last_sent_at else ReminderStatus.MISSED)

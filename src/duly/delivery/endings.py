"""The end of reminders: show people the answer, let a reminder come again, and give the result of its run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from duly.clock import Clock
from duly.delivery.messages import Link, ReminderDelivery, no_link
from duly.delivery.sending import Sender
from duly.errors import RunFailedError
from duly.language.spoken import words
from duly.language.spoken.moments import say_moment
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.planning.delivery import overall
from duly.planning.reach import Endpoint
from duly.ports.people import People
from duly.ports.reminders import Answer, Reminders

Again = Callable[[str, datetime], Awaitable[None]]
"""Lets the schedule of a reminder that is over fire again at a time."""
_ANSWERED = frozenset({ReminderStatus.ACKED, ReminderStatus.DISMISSED})


class Endings:
    """Ends reminders for their people, and the runs of reminders."""

    def __init__(
        self, reminders: Reminders, people: People, sender: Sender, clock: Clock, again: Again | None = None
    ) -> None:
        self._reminders = reminders
        self._people = people
        self._sender = sender
        self._clock = clock
        self._again = again

    async def finish(self, deliveries: Sequence[ReminderDelivery], missing: str | None) -> Any:
        """Give the result of a run that is over for all of its people; one of which some got nothing has failed."""
        await self.plan_again(deliveries)
        first = deliveries[0]
        reminders = [each.reminder for each in deliveries]
        status = overall(first.message.answered_by, [each.status for each in reminders])
        shown = next(each for each in deliveries if each.reminder.status is status)
        if status is ReminderStatus.FAILED:
            raise RunFailedError(shown.trouble if missing is None else f"{missing}; {shown.trouble}")
        if missing is not None:
            raise RunFailedError(missing)
        # Most vendors only say that they took it: "delivered" is said of what a channel has confirmed.
        confirmed = any(each.status is not AttemptStatus.SENT for each in shown.arrivals)
        said = "sent" if status is ReminderStatus.DELIVERED and not confirmed else str(status)
        result: dict[str, Any] = {
            "status": said,
            "channel": shown.reminder.channel,
            "run_number": shown.reminder.run_number,
        }
        if len(deliveries) > 1:
            result["people"] = {each.user.name: str(each.reminder.status) for each in deliveries}
        return result

    async def plan_again(self, deliveries: Sequence[ReminderDelivery]) -> None:
        """Let a reminder that comes again after it is done do so; counted from the last answer, else from its end.

        A process that dies before the run has ended leaves this to the next one, which finds the same answer.
        """
        delivery = deliveries[0]
        minutes = delivery.message.again_after_minutes
        if minutes is not None and self._again is not None and delivery.announces is None:
            answers = await self._reminders.answers(delivery.run.run_id)
            is_answered = len(deliveries) == 1 or all(each.reminder.status in _ANSWERED for each in deliveries)
            since = answers[-1].responded_at if answers and is_answered else self._clock.now()
            await self._again(delivery.run.schedule_id, since + timedelta(minutes=minutes))

    async def show(self, delivery: ReminderDelivery, link: Link = no_link) -> None:
        """Change the message with the buttons, so that it says the answer: the person's own, or another's.

        One whose answer was taken back asks again."""
        by_another = await self._answered_by_another(delivery)
        if by_another is None:
            await self._show_own(delivery)
        else:
            await self._tell(delivery, by_another)
        if delivery.is_reopened and delivery.asked is not None:
            question = delivery.compose_again(self._clock.now(), link)
            await self._sender.rewrite(delivery.asked, question.text, question.buttons)
        if delivery.message.is_shared and delivery.reminder.status.final and delivery.reminder.wake_at is not None:
            written = await self._reminders.update(replace(delivery.reminder, wake_at=None))
            delivery.reminder = written or delivery.reminder

    async def _show_own(self, delivery: ReminderDelivery) -> None:
        asked = delivery.asked
        spoken = words(delivery.user.language)
        if asked is None or not delivery.message.require_ack:
            return
        texts = {
            ReminderStatus.ACKED: spoken.was_done,
            ReminderStatus.SNOOZED: spoken.was_snoozed,
            ReminderStatus.DISMISSED: spoken.was_dismissed,
        }
        if (text := texts.get(delivery.reminder.status)) is not None:
            now = self._clock.now()
            moment = say_moment(delivery.reminder.wake_at or now, delivery.zone, now, delivery.user.language)
            await self._sender.rewrite(asked, text.format(text=delivery.message.text, moment=moment))

    # the answers of others

    async def _answered_by_another(self, delivery: ReminderDelivery) -> Answer | None:
        """Find the answer of another person that has ended a shared reminder for this one."""
        if not delivery.message.is_shared or delivery.reminder.status not in _ANSWERED:
            return None
        answers = await self._reminders.answers(delivery.run.run_id)
        ending = [each for each in answers if each.response is not Response.SNOOZE]
        is_own = any(each.user_id == delivery.user.id for each in ending)
        return None if is_own or not ending else ending[-1]

    async def _tell(self, delivery: ReminderDelivery, answer: Answer) -> None:
        """Tell a person who has answered: in the message with the buttons, or where that cannot be changed, in another.

        One to whom it has not come yet hears nothing, nor does one in their quiet hours. It is tried once.
        """
        asked = delivery.asked
        if asked is None:
            return
        user = await self._people.get(answer.user_id)
        spoken = words(delivery.user.language)
        said = spoken.was_done_by if answer.response is Response.ACK else spoken.was_dismissed_by
        text = said.format(name=answer.user_id if user is None else user.name, text=delivery.message.text)
        if await self._sender.rewrite(asked, text):
            return
        tried = [each for each in delivery.attempts if each.kind is AttemptKind.ANSWERED]
        if any(each.created_at >= answer.responded_at for each in tried) or delivery.quiet(self._clock.now()):
            return
        there = Endpoint(asked.channel, asked.address)
        await self._sender.send(delivery, there, delivery.compose_answered(text), AttemptKind.ANSWERED)

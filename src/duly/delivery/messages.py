"""One reminder under delivery: the attempts so far, and the messages it consists of.

`ReminderDelivery` is what a dispatcher knows while it takes a step. From it come the texts and buttons of the reminder,
of its question, and of an escalation to an admin.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.language.spoken import question, words
from duly.language.spoken.moments import say_late, say_length
from duly.model.action import Message
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.planning.delivery import DeliveryState
from duly.planning.presets import EVENING, TOMORROW, Preset, offers, read_day_parts, read_presets
from duly.planning.reach import Endpoint, Route, quiet_until
from duly.ports.channels import Button, ButtonKind, Outgoing
from duly.ports.people import User
from duly.ports.records import Claimed
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.zones import Zone

Link = Callable[[str, ButtonKind], str | None]
"""Makes the signed link that says the same as a button's token; None where no server answers links."""

_RESPONSES = {
    ButtonKind.DONE: Response.ACK,
    ButtonKind.SNOOZE: Response.SNOOZE,
    ButtonKind.DISMISS: Response.DISMISS,
}
_PRESSED = re.compile(rf"(done|snooze|dismiss):([0-9a-zA-Z_-]{{8,40}})(?::(\d{{1,4}}|{EVENING}|{TOMORROW}))?")
MINUTES_OF_HOUR = 60
_MAX_LOST_QUESTIONS = 2  # a question that may have got lost is asked once more


# buttons


class Press(NamedTuple):
    """A button that a person pressed."""

    token: str
    """The reminder's."""
    response: Response
    minutes: int | None = None
    part: str | None = None
    """The part of a day that it names in the place of minutes."""


def no_link(_token: str, _kind: ButtonKind) -> None:
    """Make no link: for installations that cannot be reached from outside."""


def make_buttons(
    token: str, language: str | None, snoozes: Sequence[Preset], *, asks: bool = True, link: Link = no_link
) -> tuple[Button, ...]:
    """Make the buttons for done, the snoozes and, where it `asks` for an answer, drop it.

    The ones that are needed most come first: a vendor may show only some of them.
    """
    spoken = words(language)
    later = [(ButtonKind.SNOOZE, snooze_label(each, language), f"snooze:{token}:{each.code}") for each in snoozes]
    dismiss = [(ButtonKind.DISMISS, spoken.dismiss, f"dismiss:{token}")] if asks else []
    wanted = [(ButtonKind.DONE, spoken.done, f"done:{token}"), *later[:1], *dismiss, *later[1:]]
    return tuple(Button(kind=kind, label=label, token=text, url=link(text, kind)) for kind, label, text in wanted)


def snooze_label(preset: Preset, language: str | None) -> str:
    """Say a preset as the label of a button."""
    spoken = words(language)
    if preset.part is not None:
        return spoken.this_evening if preset.part == EVENING else spoken.tomorrow_morning
    if preset.minutes is not None and preset.minutes < MINUTES_OF_HOUR:
        return spoken.snooze.format(minutes=preset.minutes)
    said = say_length(timedelta(minutes=preset.minutes or 0), language, ahead=True)
    return said[:1].upper() + said[1:]


def read_button(text: str) -> Press | None:
    """Read the token of a button; None when it is not one that `make_buttons` made."""
    found = _PRESSED.fullmatch(text)
    if found is None:
        return None
    kind, token, length = found.groups()
    response = _RESPONSES[ButtonKind(kind)]
    if length in (EVENING, TOMORROW):
        return Press(token, response, part=length)
    return Press(token, response, None if length is None else int(length))


def named_fault(channel: str, error: str) -> str:
    """Tell the fault of a channel, whose errors may begin with its name already."""
    return error if error.startswith(f"{channel}: ") else f"{channel}: {error}"


# a reminder


def fresh_reminder(run_id: str, schedule_id: str, user_id: str, now: datetime) -> Reminder:
    """Make the reminder of a run that has taken no step yet."""
    return Reminder(
        run_id=run_id,
        schedule_id=schedule_id,
        user_id=user_id,
        run_number=0,
        token=secrets.token_urlsafe(12),
        status=ReminderStatus.SENDING,
        created_at=now,
        updated_at=now,
    )


@dataclass(slots=True, kw_only=True)
class ReminderDelivery:
    """A run of a message with its person, its route, its reminder and the delivery attempts so far."""

    run: Claimed
    message: Message
    user: User
    zone: Zone
    route: Route
    reminder: Reminder
    attempts: list[DeliveryAttempt]
    stale: bool = False
    """The person answered, or a vendor withdrew a receipt, since the step was decided: it ends without a change."""
    lost: frozenset[Endpoint] = frozenset()
    """Endpoints that took an earlier run of this reminder and did not deliver it: this run goes elsewhere."""
    end_of_run: str | None = None
    """Why the run is over, where it ended before its reminder did."""
    announces: datetime | None = None
    """The time that this run announces ahead; None: it is the reminder itself."""
    snoozes: Sequence[Preset] = field(default_factory=lambda: read_presets(None))
    """The lengths of a snooze that are offered to the person."""
    opened: Reminder = field(init=False)
    """The reminder as this step of its run found it."""

    def __post_init__(self) -> None:
        self.opened = self.reminder

    @property
    def is_settled(self) -> bool:
        """Whether a shared reminder is over for this person, and their message says so already.

        An answer leaves the time of a next step behind: that shows it, and takes the time away.
        """
        return self.message.is_shared and self.reminder.status.final and self.reminder.wake_at is None

    @property
    def state(self) -> DeliveryState:
        """Give the state that the next step depends on."""
        exhausted = all(self._is_closed(each) for each in self.route.endpoints)
        return self.reminder.delivery_state._replace(
            prompted=self._prompted, exhausted=exhausted, useless_from=self.announces
        )

    @property
    def arrivals(self) -> list[DeliveryAttempt]:
        """List the attempts that delivered the reminder itself."""
        return [each for each in self.attempts if each.brought_it]

    @property
    def asked(self) -> DeliveryAttempt | None:
        """Find the message that carries the buttons: the latest question, or the latest reminder."""
        kinds = (AttemptKind.REMINDER, AttemptKind.ACK_PROMPT)
        return next((each for each in reversed(self.attempts) if each.kind in kinds and each.status.arrived), None)

    @property
    def is_reopened(self) -> bool:
        """Whether it waits because an answer was just taken back: that alone makes the run due as it is written."""
        waits = self.reminder == self.opened and self.reminder.status is ReminderStatus.AWAITING_ACK
        return waits and self.message.require_ack and self.reminder.updated_at == self.run.due_at

    def _since_arrival(self, kind: AttemptKind) -> list[DeliveryAttempt]:
        last = self.arrivals[-1].attempt_number if self.arrivals else 0
        return [each for each in self.attempts if each.kind is kind and each.attempt_number > last]

    @property
    def _prompted(self) -> bool:
        """Whether the question about the latest delivery was asked, or is no longer tried."""
        questions = self._since_arrival(AttemptKind.ACK_PROMPT)
        lost = sum(each.status is AttemptStatus.UNKNOWN for each in questions)
        is_settled = any(each.status.arrived or each.permanent for each in questions)
        return is_settled or lost >= _MAX_LOST_QUESTIONS or self.refused_questions > self.message.max_retries

    @property
    def refused_questions(self) -> int:
        """Count how often the channel refused the question about the latest delivery."""
        questions = self._since_arrival(AttemptKind.ACK_PROMPT)
        return sum(each.status is AttemptStatus.FAILED for each in questions)

    @property
    def has_copy(self) -> bool:
        """Whether the inbox has this delivery already."""
        return any(each.status.arrived for each in self._since_arrival(AttemptKind.COPY))

    @property
    def trouble(self) -> str:
        """Say why no channel took it, the latest errors last."""
        faults = [named_fault(each.channel, each.error_message) for each in self.attempts if each.error_message]
        return f"no channel took it, {len(self.attempts)} attempts; {'; '.join(faults[-3:])}"

    def open_endpoints(self, now: datetime) -> list[Endpoint]:
        """List the endpoints that take messages now."""
        return [
            each
            for each in self.route.endpoints
            if not self._is_closed(each) and ((floor := self._floor(each)) is None or floor <= now)
        ]

    def floors(self) -> list[datetime | None]:
        """Give for each remaining endpoint the time at which it takes messages again; None where it named none."""
        return [self._floor(each) for each in self.route.endpoints if not self._is_closed(each)]

    def _is_closed(self, endpoint: Endpoint) -> bool:
        return endpoint in self.lost or any(each.permanent for each in self._tried(endpoint))

    def _floor(self, endpoint: Endpoint) -> datetime | None:
        tried = self._tried(endpoint)
        return tried[-1].retry_at if tried else None

    def _tried(self, endpoint: Endpoint) -> list[DeliveryAttempt]:
        mine = self.user.id
        return [each for each in self.attempts if (each.user_id, each.channel, each.address) == (mine, *endpoint)]

    def quiet(self, moment: datetime) -> datetime | None:
        """Give the end of the person's quiet hours if they hold this message back at a moment."""
        return quiet_until(self.user.quiet_from, self.user.quiet_to, self.zone, moment, self.message.priority)

    # its messages

    def compose(self, now: datetime, link: Link) -> Outgoing:
        """Write the reminder.

        The first delivery says when it comes late, apart from quiet hours. A reminder without a question of its own
        carries the buttons itself, and ends in the question that they answer. One that wants no
        answer has buttons, too.
        """
        if self.announces is not None:
            return self._announcement(now)
        text = self.message.text
        if not self.arrivals:
            due = self.quiet(self.run.fire_at) or self.run.fire_at
            text = say_late(due, now, self.user.language) + text
        carries_buttons = not (self.message.require_ack and self.message.ack_prompt is not None)
        asks = question(self.message, self.user.language) if carries_buttons else None
        return Outgoing(
            text=text if asks is None else f"{text}\n{asks}",
            key=self._key(AttemptKind.REMINDER),
            buttons=self._buttons(now, link) if carries_buttons else (),
            language=self.user.language,
        )

    def _announcement(self, now: datetime) -> Outgoing:
        """Say that the reminder is coming, and how soon."""
        language = self.user.language
        ahead = say_length((self.announces or now) - now, language, ahead=True)
        text = words(language).is_coming.format(ahead=ahead[:1].upper() + ahead[1:], text=self.message.text)
        return Outgoing(text=text, key=self._key(AttemptKind.REMINDER), language=language)

    def as_copy(self, outgoing: Outgoing) -> Outgoing:
        """Write the copy of a reminder for the inbox."""
        return replace(outgoing, key=self._key(AttemptKind.COPY))

    def compose_question(self, arrived: DeliveryAttempt, now: datetime, link: Link) -> Outgoing:
        """Write the question about a reminder that arrived, as a reply to it."""
        return Outgoing(
            text=self.message.ack_prompt or "",
            key=self._key(AttemptKind.ACK_PROMPT),
            buttons=self._buttons(now, link),
            reply_to=arrived.message_id,
            language=self.user.language,
        )

    def compose_again(self, now: datetime, link: Link) -> Outgoing:
        """Write the message that carries the buttons once more, as it was before its answer."""
        asked = self.asked
        is_question = asked is not None and asked.kind is AttemptKind.ACK_PROMPT
        return self.compose_question(asked, now, link) if asked and is_question else self.compose(now, link)

    def compose_escalation(self, admin: User, *, of_silence: bool) -> Outgoing:
        """Tell an admin that the person did not answer, or that no channel took the reminder, and why."""
        spoken = words(admin.language)
        said = spoken.unanswered if of_silence else spoken.undelivered
        lines = [said.format(name=self.user.name, text=self.message.text)]
        faults = {each.channel: each.error_message for each in self.attempts if each.error_message}
        lines += [named_fault(channel, error) for channel, error in faults.items()]
        lines += [] if self.end_of_run is None else [self.end_of_run]
        why = "unacked" if of_silence else "undelivered"
        return Outgoing(text="\n".join(lines), key=f"{self._name(why)}/{admin.id}", language=admin.language)

    def compose_answered(self, text: str) -> Outgoing:
        """Say that another person has answered."""
        before = sum(each.kind is AttemptKind.ANSWERED for each in self.attempts)
        return Outgoing(text=text, key=f"{self._name('answered')}/{before}", language=self.user.language)

    def _buttons(self, now: datetime, link: Link) -> tuple[Button, ...]:
        token = self.reminder.token
        offered = offers(self.snoozes, now, self.zone, read_day_parts(self.user.day_parts))
        snoozes = [each.preset for each in offered] if self.message.snooze_allowed else []
        return make_buttons(token, self.user.language, snoozes, asks=self.message.require_ack, link=link)

    def _key(self, kind: AttemptKind) -> str:
        """Name a message: the same key for every attempt at the same delivery, and for no other.

        A delivery that a vendor lost later counts, too: the one after it is another.
        """
        taken = [each for each in self.attempts if each.kind is AttemptKind.REMINDER and each.sent_at is not None]
        # A question belongs to the delivery before it; a reminder is the next one.
        number = len(taken) - (kind is AttemptKind.ACK_PROMPT)
        return f"{self._name(kind)}/{number}"

    def _name(self, what: str) -> str:
        """Name messages of this run; with the person if it has several, because vendors take each key once."""
        whose = f"/{self.user.id}" if self.message.is_shared else ""
        return f"{self.run.run_id}/{what}{whose}"


def attempts_for(attempts: Iterable[DeliveryAttempt], user_id: str) -> list[DeliveryAttempt]:
    """List those of the attempts of a run that concern a person, with the messages to admins."""
    return [each for each in attempts if each.user_id == user_id or each.kind is AttemptKind.ESCALATION]

"""Everything known about one reminder while a step is taken for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from duly.language.languages import question
from duly.model.action import Message, Priority
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.planning.delivery import Standing, late_prefix
from duly.planning.quiet import quiet_until
from duly.planning.routes import Endpoint, Route
from duly.ports.people import User
from duly.ports.records import Claimed
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.zones import Zone

_QUESTIONS = 2  # a question that may have got lost is asked once more


@dataclass(slots=True)
class Case:
    """A run of a message, its reader, and what has been tried."""

    run: Claimed
    message: Message
    user: User
    zone: Zone
    route: Route
    reminder: Reminder
    attempts: list[DeliveryAttempt]
    stale: bool = False
    """Somebody answered, or a vendor took its word back, since the step under way was decided: it ends here, and
    nothing of it is written down."""
    lost: frozenset[Endpoint] = frozenset()
    """Where an earlier run of the same reminder was taken and not brought: this run is to get through elsewhere."""

    end_of_run: str | None = None
    """Why the run is over, where it ended before its reminder did."""

    @property
    def standing(self) -> Standing:
        """What the next step depends on."""
        exhausted = all(self._is_closed(each) for each in self.route.endpoints)
        return self.reminder.standing._replace(prompted=self._prompted, exhausted=exhausted)

    @property
    def arrivals(self) -> list[DeliveryAttempt]:
        """Deliveries of the reminder itself, where one was enough."""
        return [each for each in self.attempts if each.brought_it]

    @property
    def asked(self) -> DeliveryAttempt | None:
        """The message that carries the buttons: the latest question, or the latest reminder."""
        kinds = (AttemptKind.REMINDER, AttemptKind.ACK_PROMPT)
        return next((each for each in reversed(self.attempts) if each.kind in kinds and each.status.arrived), None)

    @property
    def _prompted(self) -> bool:
        last = self.arrivals[-1].attempt_number if self.arrivals else 0
        asked = [each for each in self.attempts if each.kind is AttemptKind.ACK_PROMPT and each.attempt_number > last]
        unheard = sum(each.status is AttemptStatus.UNKNOWN for each in asked)
        is_settled = any(each.status.arrived or each.permanent for each in asked)
        return is_settled or unheard >= _QUESTIONS or self.refused_questions > self.message.max_retries

    @property
    def refused_questions(self) -> int:
        """How often the question about the latest delivery was not taken."""
        last = self.arrivals[-1].attempt_number if self.arrivals else 0
        kind, failed = AttemptKind.ACK_PROMPT, AttemptStatus.FAILED
        return sum(each.kind is kind and each.status is failed for each in self.attempts if each.attempt_number > last)

    @property
    def trouble(self) -> str:
        """What went wrong, the latest faults last."""
        faults = [f"{each.channel}: {each.error_message}" for each in self.attempts if each.error_message]
        return f"no channel took it, {len(self.attempts)} attempts; {'; '.join(faults[-3:])}"

    @property
    def buttons_on_reminder(self) -> bool:
        return self.message.require_ack and self.message.ack_prompt is None

    def open_endpoints(self, now: datetime) -> list[Endpoint]:
        """Where trying is of use now."""
        return [
            each
            for each in self.route.endpoints
            if not self._is_closed(each) and ((floor := self._floor(each)) is None or floor <= now)
        ]

    def floors(self) -> list[datetime | None]:
        """When each channel that is left takes messages again; None for those that did not say."""
        return [self._floor(each) for each in self.route.endpoints if not self._is_closed(each)]

    def has_copy(self) -> bool:
        """Whether the inbox has this delivery already."""
        last = self.arrivals[-1].attempt_number if self.arrivals else 0
        copies = [each for each in self.attempts if each.kind is AttemptKind.COPY and each.status.arrived]
        return any(each.attempt_number > last for each in copies)

    def _is_closed(self, endpoint: Endpoint) -> bool:
        return endpoint in self.lost or any(each.permanent for each in self._tried(endpoint))

    def _floor(self, endpoint: Endpoint) -> datetime | None:
        tried = self._tried(endpoint)
        return tried[-1].retry_at if tried else None

    def _tried(self, endpoint: Endpoint) -> list[DeliveryAttempt]:
        mine = self.user.id
        return [each for each in self.attempts if (each.user_id, each.channel, each.address) == (mine, *endpoint)]

    def quiet(self, moment: datetime) -> datetime | None:
        """When the quiet hours that hold at a moment end; what is critical knows none."""
        if self.message.priority is Priority.CRITICAL:
            return None
        return quiet_until(self.user.quiet_from, self.user.quiet_to, self.zone, moment)

    def text(self, now: datetime) -> str:
        """The words of the reminder; the first delivery says when it comes late, apart from quiet hours.

        A reminder that carries the buttons itself ends in the question they answer.
        """
        text = self.message.text
        if not self.arrivals:
            due = self.quiet(self.run.fire_at) or self.run.fire_at
            text = late_prefix(due, now) + text
        asks = question(self.message, self.user.language) if self.buttons_on_reminder else None
        return text if asks is None else f"{text}\n{asks}"

    def key(self, kind: AttemptKind) -> str:
        """The same for every attempt at the same delivery, and for no other: one that was lost later counts too."""
        taken = [each for each in self.attempts if each.kind is AttemptKind.REMINDER and each.sent_at is not None]
        number = len(taken) - (kind is AttemptKind.ACK_PROMPT)
        return f"{self.run.run_id}/{kind}/{number}"

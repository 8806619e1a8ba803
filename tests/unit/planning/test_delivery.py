"""What is to be done next for a reminder, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.action import Message, Priority
from duly.model.reminder import ReminderStatus as S
from duly.planning.delivery import (
    Again,
    Deliver,
    Escalate,
    Finish,
    Prompt,
    Standing,
    Step,
    Wait,
    late_prefix,
    next_round,
    next_step,
    wait_after,
)
from duly.planning.routes import Endpoint, Route, route

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=7)
PLAIN = Message(text="x")
ACK = Message(text="x", require_ack=True)
ASK = Message(text="x", require_ack=True, ack_prompt="?")
HIGH = Message(text="x", priority=Priority.HIGH)
CRITICAL = Message(text="x", priority=Priority.CRITICAL, require_ack=True)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def ahead(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("message", "standing", "step"),
    [
        (PLAIN, Standing(S.SENDING), Deliver()),
        (PLAIN, Standing(S.SENDING, wake_at=NOW), Deliver()),
        (PLAIN, Standing(S.SENDING, rounds=1, wake_at=ahead(1)), Wait(ahead(1), "no channel took it, round 1 of 4")),
        (PLAIN, Standing(S.SENDING, rounds=3, wake_at=ago(1)), Deliver()),
        (PLAIN, Standing(S.SENDING, rounds=4, wake_at=ahead(1)), Finish(S.FAILED)),
        (PLAIN, Standing(S.SENDING, rounds=1, exhausted=True), Finish(S.FAILED)),
        (PLAIN, Standing(S.SENDING, exhausted=True), Deliver()),
        (HIGH, Standing(S.SENDING, rounds=1, wake_at=ago(1)), Deliver()),
        (HIGH, Standing(S.SENDING, rounds=4), Escalate(S.FAILED)),
        (HIGH, Standing(S.SENDING, rounds=4, escalated=True), Finish(S.FAILED)),
        (HIGH, Standing(S.SENDING, rounds=1, exhausted=True), Escalate(S.FAILED)),
        (CRITICAL, Standing(S.SENDING, rounds=1, wake_at=ahead(1)), Escalate(S.SENDING)),
        (CRITICAL, Standing(S.SENDING, rounds=1, escalated=True, wake_at=ago(1)), Deliver()),
        (CRITICAL, Standing(S.SENDING, rounds=4, escalated=True), Finish(S.FAILED)),
        (CRITICAL, Standing(S.SENDING, rounds=1, exhausted=True), Escalate(S.FAILED)),
        (ASK, Standing(S.AWAITING_ACK, last_sent_at=NOW), Prompt()),
        (ASK, Standing(S.AWAITING_ACK, last_sent_at=NOW, wake_at=NOW), Prompt()),
        (
            ASK,
            Standing(S.AWAITING_ACK, last_sent_at=NOW, wake_at=ahead(1)),
            Wait(ahead(1), "the question was not taken"),
        ),
        (
            ASK,
            Standing(S.AWAITING_ACK, last_sent_at=NOW, wake_at=ahead(11)),
            Wait(ahead(10), "the question was not taken"),
        ),
        (ASK, Standing(S.AWAITING_ACK, last_sent_at=ago(10), wake_at=ahead(1)), Again(1)),
        (ASK, Standing(S.AWAITING_ACK, last_sent_at=NOW, prompted=True), Wait(ahead(10), "waiting for an answer")),
        (ACK, Standing(S.AWAITING_ACK, last_sent_at=ago(9)), Wait(ahead(1), "waiting for an answer")),
        (ACK, Standing(S.AWAITING_ACK, last_sent_at=ago(10)), Again(1)),
        (ACK, Standing(S.AWAITING_ACK, nags=2, last_sent_at=ago(10)), Again(3)),
        (ACK, Standing(S.AWAITING_ACK, nags=3, last_sent_at=ago(10)), Finish(S.UNACKED)),
        (CRITICAL, Standing(S.AWAITING_ACK, nags=3, last_sent_at=ago(10)), Escalate(S.UNACKED)),
        (ACK, Standing(S.SNOOZED, nags=2, wake_at=ahead(1)), Wait(ahead(1), "snoozed")),
        (ACK, Standing(S.SNOOZED, nags=2, wake_at=NOW), Again(0)),
        (ACK, Standing(S.ACKED), Finish(S.ACKED)),
        (ACK, Standing(S.DISMISSED), Finish(S.DISMISSED)),
        (PLAIN, Standing(S.DELIVERED), Finish(S.DELIVERED)),
        (PLAIN, Standing(S.FAILED, rounds=9), Finish(S.FAILED)),
    ],
)
def test_the_next_step(message: Message, standing: Standing, step: Step) -> None:
    assert next_step(message, standing, NOW) == step


def test_quiet_hours_hold_back_what_is_not_critical() -> None:
    assert next_step(PLAIN, Standing(S.SENDING), NOW, LATER) == Wait(LATER, "quiet hours")
    assert next_step(CRITICAL, Standing(S.SENDING), NOW, LATER) == Deliver()
    assert next_step(ASK, Standing(S.AWAITING_ACK, last_sent_at=NOW), NOW, LATER) == Prompt()


standings = st.builds(
    Standing,
    status=st.sampled_from(S),
    rounds=st.integers(0, 5),
    nags=st.integers(0, 4),
    escalated=st.booleans(),
    last_sent_at=st.none() | st.integers(-1000, 0).map(ahead),
    wake_at=st.none() | st.integers(-1000, 1000).map(ahead),
    prompted=st.booleans(),
    exhausted=st.booleans(),
)
messages = st.builds(
    Message,
    text=st.just("x"),
    priority=st.sampled_from(Priority),
    require_ack=st.booleans(),
    ack_prompt=st.none() | st.just("?"),
    max_retries=st.integers(0, 4),
    max_ack_reminders=st.integers(0, 4),
)


@given(messages, standings, st.none() | st.integers(1, 1000).map(ahead))
def test_laws(message: Message, standing: Standing, quiet: datetime | None) -> None:
    step = next_step(message, standing, NOW, quiet)
    if standing.status.final:
        assert step == Finish(standing.status)
    if isinstance(step, Wait):
        assert step.until > NOW  # or it would spin
    if isinstance(step, Finish):
        assert step.status.final
    if isinstance(step, Escalate):
        assert message.priority in (Priority.HIGH, Priority.CRITICAL)


@given(st.sampled_from(Priority), st.integers(1, 100), st.floats(0, 1, exclude_max=True))
def test_waits_grow_to_an_hour(priority: Priority, rounds: int, chance: float) -> None:
    plain, jittered = wait_after(priority, rounds, 0), wait_after(priority, rounds, chance)
    assert plain <= jittered <= plain * 1.1
    assert timedelta(seconds=10) <= plain <= timedelta(hours=1)
    assert plain <= wait_after(priority, rounds + 1, 0)


def test_a_vendor_that_says_when_is_a_floor() -> None:
    def at(*floors: datetime | None) -> datetime:
        return next_round(Priority.NORMAL, 1, floors, NOW, 0)

    assert at() == at(None) == at(ago(5)) == ahead(1)
    assert at(ahead(7)) == at(ahead(9), ahead(7)) == ahead(7)
    assert at(ahead(7), None) == ahead(1)


@pytest.mark.parametrize(
    ("minutes", "prefix"), [(0, ""), (60, ""), (60.5, "[Late 60m] "), (61, "[Late 61m] "), (1500, "[Late 1500m] ")]
)
def test_late_is_said_after_an_hour(minutes: float, prefix: str) -> None:
    assert late_prefix(ago(minutes), NOW) == prefix


CHAT, MAIL, MAIL_2, INBOX = Endpoint("chat", "1"), Endpoint("mail", "a"), Endpoint("mail", "b"), Endpoint("inbox", "u")


@pytest.mark.parametrize(
    ("own", "wished", "expected"),
    [
        ([], None, Route((INBOX,), None)),
        ([], "chat", Route((INBOX,), None)),
        ([CHAT, MAIL], None, Route((CHAT, MAIL), INBOX)),
        ([CHAT, MAIL, MAIL_2], "mail", Route((MAIL, MAIL_2, CHAT), INBOX)),
        ([CHAT, MAIL], "pigeon", Route((CHAT, MAIL), INBOX)),
        ([CHAT, MAIL], "inbox", Route((INBOX,), None)),
        ([Endpoint("inbox", "u")], None, Route((INBOX,), None)),
    ],
)
def test_the_way_to_somebody(own: list[Endpoint], wished: str | None, expected: Route) -> None:
    assert route(own, INBOX, wished) == expected

"""The next step for a reminder, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.action import AnsweredBy, Message, Priority
from duly.model.reminder import ReminderStatus as S
from duly.model.reminder import Response
from duly.planning.delivery import (
    AskForAnswer,
    Deliver,
    DeliveryState,
    Escalate,
    EscalationState,
    Finish,
    Redeliver,
    Step,
    Wait,
    after_arrival,
    after_failure,
    after_run_ended,
    after_telling,
    delivers_at,
    ends_for_all,
    inherit,
    next_round,
    next_step,
    overall,
    shortest_failure,
    wait_after,
)
from duly.planning.reach import Endpoint, Route, route

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=7)
PLAIN = Message(text="x")
TOLD = EscalationState(failure_told=True)
ACK = Message(text="x", require_ack=True)
ASK = Message(text="x", require_ack=True, ack_prompt="?")
HIGH = Message(text="x", priority=Priority.HIGH)
CRITICAL = Message(text="x", priority=Priority.CRITICAL, require_ack=True)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


def ahead(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("message", "state", "step"),
    [
        (PLAIN, DeliveryState(S.SENDING), Deliver()),
        (PLAIN, DeliveryState(S.SENDING, wake_at=NOW), Deliver()),
        (
            PLAIN,
            DeliveryState(S.SENDING, rounds=1, wake_at=ahead(1)),
            Wait(ahead(1), "no channel took it, round 1 of 4"),
        ),
        (PLAIN, DeliveryState(S.SENDING, rounds=3, wake_at=ago(1)), Deliver()),
        (PLAIN, DeliveryState(S.SENDING, rounds=4, wake_at=ahead(1)), Finish(S.FAILED)),
        (PLAIN, DeliveryState(S.SENDING, rounds=1, exhausted=True), Finish(S.FAILED)),
        (PLAIN, DeliveryState(S.SENDING, exhausted=True), Deliver()),
        (HIGH, DeliveryState(S.SENDING, rounds=1, wake_at=ago(1)), Deliver()),
        (HIGH, DeliveryState(S.SENDING, rounds=4), Escalate(S.FAILED)),
        (HIGH, DeliveryState(S.SENDING, rounds=4, escalation=TOLD), Finish(S.FAILED)),
        (HIGH, DeliveryState(S.SENDING, rounds=1, exhausted=True), Escalate(S.FAILED)),
        (CRITICAL, DeliveryState(S.SENDING, rounds=1, wake_at=ahead(1)), Escalate(S.SENDING)),
        (CRITICAL, DeliveryState(S.SENDING, rounds=1, escalation=TOLD, wake_at=ago(1)), Deliver()),
        (CRITICAL, DeliveryState(S.SENDING, rounds=4, escalation=TOLD), Finish(S.FAILED)),
        (CRITICAL, DeliveryState(S.SENDING, rounds=1, exhausted=True), Escalate(S.FAILED)),
        (ASK, DeliveryState(S.AWAITING_ACK, last_sent_at=NOW), AskForAnswer()),
        (ASK, DeliveryState(S.AWAITING_ACK, last_sent_at=NOW, wake_at=NOW), AskForAnswer()),
        (
            ASK,
            DeliveryState(S.AWAITING_ACK, last_sent_at=NOW, wake_at=ahead(1)),
            Wait(ahead(1), "the question was not taken"),
        ),
        (
            ASK,
            DeliveryState(S.AWAITING_ACK, last_sent_at=NOW, wake_at=ahead(11)),
            Wait(ahead(10), "the question was not taken"),
        ),
        (ASK, DeliveryState(S.AWAITING_ACK, last_sent_at=ago(10), wake_at=ahead(1)), Redeliver(1)),
        (ASK, DeliveryState(S.AWAITING_ACK, last_sent_at=NOW, prompted=True), Wait(ahead(10), "waiting for an answer")),
        (ACK, DeliveryState(S.AWAITING_ACK, last_sent_at=ago(9)), Wait(ahead(1), "waiting for an answer")),
        (ACK, DeliveryState(S.AWAITING_ACK, last_sent_at=ago(10)), Redeliver(1)),
        (ACK, DeliveryState(S.AWAITING_ACK, nags=2, last_sent_at=ago(10)), Redeliver(3)),
        (ACK, DeliveryState(S.AWAITING_ACK, nags=3, last_sent_at=ago(10)), Finish(S.UNACKED)),
        (CRITICAL, DeliveryState(S.AWAITING_ACK, nags=3, last_sent_at=ago(10)), Escalate(S.UNACKED, of_silence=True)),
        (ACK, DeliveryState(S.SNOOZED, nags=2, wake_at=ahead(1)), Wait(ahead(1), "snoozed")),
        (ACK, DeliveryState(S.SNOOZED, nags=2, wake_at=NOW), Redeliver(0)),
        (ACK, DeliveryState(S.ACKED), Finish(S.ACKED)),
        (ACK, DeliveryState(S.DISMISSED), Finish(S.DISMISSED)),
        (PLAIN, DeliveryState(S.DELIVERED), Finish(S.DELIVERED)),
        (PLAIN, DeliveryState(S.FAILED, rounds=9), Finish(S.FAILED)),
    ],
)
def test_the_next_step(message: Message, state: DeliveryState, step: Step) -> None:
    assert next_step(message, state, NOW) == step


@pytest.mark.parametrize(
    ("state", "delivers"),
    [
        (None, True),
        (DeliveryState(S.SENDING), True),
        (DeliveryState(S.SENDING, rounds=1), False),  # a retry
        (DeliveryState(S.SNOOZED, wake_at=NOW), True),
        (DeliveryState(S.SNOOZED, wake_at=ahead(1)), False),
        (DeliveryState(S.AWAITING_ACK, last_sent_at=ago(10)), True),  # a nag
        (DeliveryState(S.AWAITING_ACK, last_sent_at=ago(9)), False),
        (DeliveryState(S.AWAITING_ACK, last_sent_at=NOW), True),  # sent in this step
        (DeliveryState(S.DELIVERED, last_sent_at=NOW), True),
        (DeliveryState(S.DELIVERED, last_sent_at=ago(10)), False),
        (DeliveryState(S.ACKED, last_sent_at=NOW), False),
    ],
)
def test_a_step_delivers_at_first_after_a_snooze_or_for_want_of_an_answer(
    state: DeliveryState | None, delivers: bool
) -> None:
    assert delivers_at(Message(text="x"), state, NOW) is delivers


def test_quiet_hours_hold_back_all_but_critical_messages() -> None:
    assert next_step(PLAIN, DeliveryState(S.SENDING), NOW, LATER) == Wait(LATER, "quiet hours")
    assert next_step(CRITICAL, DeliveryState(S.SENDING), NOW, LATER) == Deliver()
    assert next_step(ASK, DeliveryState(S.AWAITING_ACK, last_sent_at=NOW), NOW, LATER) == AskForAnswer()


standings = st.builds(
    DeliveryState,
    status=st.sampled_from(S),
    rounds=st.integers(0, 5),
    nags=st.integers(0, 4),
    escalation=st.builds(
        EscalationState,
        silent_since=st.none() | st.integers(-1000, 0).map(ahead),
        silence_told=st.booleans(),
        failing_since=st.none() | st.integers(-1000, 0).map(ahead),
        failure_told=st.booleans(),
    ),
    begun_at=st.none() | st.integers(-1000, 0).map(ahead),
    last_sent_at=st.none() | st.integers(-1000, 0).map(ahead),
    wake_at=st.none() | st.integers(-1000, 1000).map(ahead),
    prompted=st.booleans(),
    exhausted=st.booleans(),
    useless_from=st.none() | st.integers(-1000, 1000).map(ahead),
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
def test_laws_of_the_next_step(message: Message, state: DeliveryState, quiet: datetime | None) -> None:
    step = next_step(message, state, NOW, quiet)
    if state.status.final:
        assert step == Finish(state.status)
    if isinstance(step, Wait):
        assert step.until > NOW  # or it would spin
    if isinstance(step, Finish):
        assert step.status.final
    if isinstance(step, Escalate):
        assert message.priority in (Priority.HIGH, Priority.CRITICAL)
        told = state.escalation.silence_told if step.of_silence else state.escalation.failure_told
        assert step.then.final or not told  # or they would hear the same again


OWED = EscalationState(silent_since=ago(35))
"""Inherited from a run that was delivered 35 minutes ago; this run replaced it five minutes ago."""
WAITING = DeliveryState(S.AWAITING_ACK, escalation=OWED, begun_at=ago(5), last_sent_at=ago(5))
FAILING = DeliveryState(
    S.SENDING, rounds=1, escalation=EscalationState(failing_since=ago(3)), begun_at=ago(1), wake_at=ahead(2)
)


def test_an_inherited_silence_is_escalated_when_a_single_run_would_have_done_so() -> None:
    assert next_step(CRITICAL, WAITING, NOW) == Wait(ahead(5), "waiting for an answer")
    assert next_step(CRITICAL, WAITING, ahead(5)) == Escalate(S.AWAITING_ACK, of_silence=True)
    told = WAITING._replace(escalation=OWED._replace(silence_told=True))
    assert next_step(CRITICAL, told, ahead(4)) == Wait(ahead(5), "waiting for an answer")
    assert next_step(CRITICAL, told, ahead(5)) == Redeliver(1)
    assert next_step(ACK, WAITING, ahead(4)) == Wait(ahead(5), "waiting for an answer")
    own = WAITING._replace(begun_at=ago(35))
    assert next_step(CRITICAL, own, ahead(5)) == Redeliver(1)  # its own silence ends with its own questions


def test_an_inherited_silence_is_escalated_while_channels_fail() -> None:
    down = WAITING._replace(status=S.SENDING, rounds=1, wake_at=ahead(30), escalation=OWED._replace(failure_told=True))
    assert next_step(CRITICAL, down, NOW) == Wait(ahead(5), "no channel took it, round 1 of 4")
    assert next_step(CRITICAL, down, ahead(5)) == Escalate(S.SENDING, of_silence=True)


def test_after_a_pause_of_the_engine_the_person_has_the_usual_time_to_answer() -> None:
    back = WAITING._replace(escalation=EscalationState(silent_since=ago(600)))
    assert next_step(CRITICAL, back, NOW) == Wait(ahead(5), "waiting for an answer")
    assert next_step(CRITICAL, back, ahead(5)) == Escalate(S.AWAITING_ACK, of_silence=True)


def test_an_inherited_failure_is_escalated_when_a_single_run_would_have_been_given_up() -> None:
    assert next_step(HIGH, FAILING, NOW) == Wait(ahead(0.5), "no channel took it, round 1 of 4")
    assert next_step(HIGH, FAILING, ahead(0.5)) == Escalate(S.SENDING)
    told = FAILING._replace(escalation=FAILING.escalation._replace(failure_told=True))
    assert next_step(HIGH, told, ahead(1)) == Wait(ahead(2), "no channel took it, round 1 of 4")
    assert next_step(PLAIN, FAILING, ahead(1)) == Wait(ahead(2), "no channel took it, round 1 of 4")
    fresh = FAILING._replace(rounds=0, wake_at=None)
    assert next_step(HIGH, fresh, ahead(1)) == Deliver()  # it may work now


ALL = EscalationState(silent_since=ago(30), silence_told=True, failing_since=ago(20), failure_told=True)
UNTOLD = ALL._replace(silence_told=False, failure_told=False)


@pytest.mark.parametrize(
    ("before", "owed"),
    [
        (DeliveryState(S.AWAITING_ACK, escalation=UNTOLD), UNTOLD),
        (DeliveryState(S.SENDING, escalation=ALL), ALL),
        (
            DeliveryState(S.SENDING, escalation=EscalationState(failure_told=True)),
            EscalationState(),
        ),  # it has arrived since
        (DeliveryState(S.SNOOZED, escalation=UNTOLD), EscalationState()),
        (DeliveryState(S.ACKED, escalation=ALL), EscalationState()),
        (DeliveryState(S.AWAITING_ACK), EscalationState()),
    ],
)
def test_a_run_inherits_the_escalation_of_the_run_it_replaces(before: DeliveryState, owed: EscalationState) -> None:
    assert inherit(before) == owed


def test_a_run_that_has_escalated_does_not_do_so_again_at_its_end() -> None:
    mine = after_telling(WAITING, of_silence=True)
    assert mine == EscalationState(silent_since=ago(5), silence_told=True)
    assert next_step(CRITICAL, WAITING._replace(escalation=mine, nags=3), ahead(5)) == Finish(S.UNACKED)
    others = OWED._replace(silence_told=True)
    assert next_step(CRITICAL, WAITING._replace(escalation=others, nags=3), ahead(5)) == Escalate(
        S.UNACKED, of_silence=True
    )
    told = after_telling(FAILING, of_silence=False)
    assert told == EscalationState(failing_since=ago(1), failure_told=True)
    assert next_step(HIGH, FAILING._replace(escalation=told, rounds=4), NOW) == Finish(S.FAILED)
    heard = FAILING.escalation._replace(failure_told=True)
    assert next_step(HIGH, FAILING._replace(escalation=heard, rounds=4), NOW) == Escalate(S.FAILED)
    assert after_telling(
        DeliveryState(S.SENDING, escalation=EscalationState(failing_since=NOW)), of_silence=False
    ) == EscalationState(failing_since=NOW, failure_told=True)


def test_an_arrival_ends_a_failure_and_begins_the_wait_for_an_answer() -> None:
    mine, others = (
        DeliveryState(S.SENDING, escalation=ALL, begun_at=ago(25)),
        DeliveryState(S.SENDING, escalation=ALL, begun_at=ago(5)),
    )
    assert after_arrival(mine, NOW, asks=True) == EscalationState(
        ago(30), silence_told=True, failure_told=True
    )  # once per run
    assert after_arrival(others, NOW, asks=True) == EscalationState(ago(30), silence_told=True)
    assert after_arrival(DeliveryState(S.SENDING), NOW, asks=True) == EscalationState(silent_since=NOW)
    assert after_arrival(DeliveryState(S.SENDING), NOW, asks=False) == EscalationState()


@pytest.mark.parametrize("status", [S.SENDING, S.AWAITING_ACK, S.SNOOZED])
def test_a_reminder_whose_run_ended_before_it_has_failed(status: S) -> None:
    left = DeliveryState(status)
    assert after_run_ended(CRITICAL, left, 0) == after_run_ended(HIGH, left, 2) == Escalate(S.FAILED)
    assert after_run_ended(PLAIN, left, 0) == Finish(S.FAILED)
    assert after_run_ended(CRITICAL, left, 3) == Finish(S.FAILED)  # telling it is as deadly
    assert after_run_ended(CRITICAL, left._replace(escalation=TOLD), 0) == Finish(S.FAILED)
    inherited = left._replace(escalation=EscalationState(failing_since=ago(9), failure_told=True), begun_at=ago(5))
    assert after_run_ended(CRITICAL, inherited, 0) == Escalate(S.FAILED)


def test_a_failed_round_counts_from_the_first_one() -> None:
    assert after_failure(DeliveryState(S.SENDING), NOW) == EscalationState(failing_since=NOW)
    assert after_failure(FAILING, NOW) == FAILING.escalation


@pytest.mark.parametrize(
    ("priority", "retries", "seconds"),
    [("high", 0, 0), ("high", 3, 210), ("critical", 3, 70), ("low", 5, 300 + 600 + 1200 + 2400 + 3600)],
)
def test_the_sum_of_the_waits_of_a_run_that_fails(priority: Priority, retries: int, seconds: int) -> None:
    message = Message(text="x", priority=priority, max_retries=retries)
    assert shortest_failure(message) == timedelta(seconds=seconds)
    more = Message(text="x", priority=priority, max_retries=retries + 1000)
    assert shortest_failure(more) > timedelta(hours=980)
    assert shortest_failure(Message(text="x", max_retries=2**31 - 1)) < timedelta(days=5000)


@given(st.sampled_from(Priority), st.integers(1, 100), st.floats(0, 1, exclude_max=True))
def test_waits_grow_to_an_hour(priority: Priority, rounds: int, chance: float) -> None:
    plain, jittered = wait_after(priority, rounds, 0), wait_after(priority, rounds, chance)
    assert plain <= jittered <= plain * 1.1
    assert timedelta(seconds=10) <= plain <= timedelta(hours=1)
    assert plain <= wait_after(priority, rounds + 1, 0)


def test_the_next_round_is_not_before_a_time_that_a_vendor_names() -> None:
    def at(*floors: datetime | None) -> datetime:
        return next_round(Priority.NORMAL, 1, floors, NOW, 0)

    assert at() == at(None) == at(ago(5)) == ahead(1)
    assert at(ahead(7)) == at(ahead(9), ahead(7)) == ahead(7)
    assert at(ahead(7), None) == ahead(1)


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
def test_the_order_of_a_persons_channels(own: list[Endpoint], wished: str | None, expected: Route) -> None:
    assert route(own, INBOX, wished) == expected


# several people


@pytest.mark.parametrize(
    ("statuses", "first", "everyone"),
    [
        ([S.ACKED, S.AWAITING_ACK], S.AWAITING_ACK, S.AWAITING_ACK),
        ([S.SNOOZED, S.SENDING], S.SENDING, S.SENDING),
        ([S.ACKED, S.UNACKED, S.FAILED], S.ACKED, S.FAILED),
        ([S.DISMISSED, S.UNACKED], S.DISMISSED, S.UNACKED),
        ([S.ACKED, S.DISMISSED], S.ACKED, S.DISMISSED),
        ([S.DELIVERED, S.FAILED], S.FAILED, S.FAILED),
        ([S.DELIVERED, S.ACKED], S.ACKED, S.ACKED),
    ],
)
def test_a_reminder_for_several_people_is_summed_up(statuses: list[S], first: S, everyone: S) -> None:
    assert overall(AnsweredBy.FIRST, statuses) is first
    assert overall(AnsweredBy.EVERYONE, statuses) is everyone


@given(st.sets(st.sampled_from(S), min_size=1), st.sampled_from(AnsweredBy))
def test_it_is_over_when_it_is_over_for_each(statuses: set[S], answered_by: AnsweredBy) -> None:
    assert overall(answered_by, statuses) in statuses
    assert overall(answered_by, statuses).final == all(each.final for each in statuses)


def test_only_the_first_final_answer_to_a_shared_question_ends_it_for_all() -> None:
    shared = Message(text="x", require_ack=True, shared_with=["bob"])
    assert [ends_for_all(shared, each) for each in Response] == [True, False, True]
    for message in (ACK, Message(text="x", shared_with=["bob"])):
        assert not any(ends_for_all(message, each) for each in Response)
    everyone = Message(text="x", require_ack=True, shared_with=["bob"], answered_by="everyone")
    assert not any(ends_for_all(everyone, each) for each in Response)

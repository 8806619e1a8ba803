"""Handovers: whatever is delivered, asked, reported, lost or told again, and in whatever order.

The machine is one run, the messages that were ever sent for it, and the starts of workers that got one. It asks the
rules what to do and checks each answer against what was answered before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from duly.model.handover import Handover, HandoverState
from duly.planning.handovers import (
    LONGEST_WAIT,
    Accept,
    MakeHandover,
    Outcome,
    Refusal,
    Revised,
    RunStanding,
    SendAgain,
    WaitFor,
    beat,
    begin,
    end,
    give_up,
    is_not_begun,
    is_taken,
    next_step,
)
from tests.support import tries

START = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=60)
RECENT = st.sampled_from([1, 1, 1, 2, 2, 3, 5])
"""Counted from the last one: old messages and starts matter, but not most."""
OUTCOMES = st.sampled_from([Outcome(HandoverState.SUCCEEDED, result="7"), Outcome(HandoverState.FAILED, error="boom")])
HANDOVER = Handover(
    run_id="run_1",
    number=1,
    schedule_id="sched_1",
    executor="heavy",
    task="reports.build",
    token_hash="",
    lease_seconds=LEASE.total_seconds(),
    intended_at=START,
)
ALONE = RunStanding(latest=1, run_is_over=False, fence=1)

Answer = Revised | Refusal | None


@dataclass(frozen=True)
class Message:
    number: int
    token: str


@dataclass(frozen=True)
class Begun:
    """One start of a message at a worker."""

    message: Message
    name: str


class RunElsewhere(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.hearing_since = START
        self._another_run()

    def _another_run(self) -> None:
        self.fence = 0
        self.over = False
        self.handovers: list[Handover] = []
        self.messages: list[Message] = []
        self.starts: list[Begun] = []
        self.leaves: dict[int, str] = {}
        """By number: the start that had leave."""
        self.failed: list[int] = []
        """Fences of attempts of the run that failed."""
        self.accepted: list[int] = []
        """Numbers of handovers whose outcome ended an attempt."""
        self.tokens = 0

    # the store, as it judges

    @property
    def latest(self) -> Handover:
        return self.handovers[-1]

    def standing(self) -> RunStanding:
        return RunStanding(latest=len(self.handovers), run_is_over=self.over, fence=self.fence)

    def judge(self, number: int, decide: Callable[[Handover, RunStanding], Answer]) -> Answer:
        """Ask the rules, twice: the second answer is the first, and nothing has changed since."""
        before = self.handovers[number - 1]
        answer = decide(before, self.standing())
        if isinstance(answer, Revised):
            self._check_change(before, answer)
            self.handovers[number - 1] = answer.handover
        again = decide(self.handovers[number - 1], self.standing())
        if isinstance(answer, Revised) and not answer.handover.state.final:
            assert again is None or again == Revised(answer.handover), "asked again, answered otherwise"
        elif isinstance(answer, Revised):
            assert again is None or again == Revised(answer.handover), "what ended, ended differently"
        else:
            assert again == answer
        return answer

    def _check_change(self, before: Handover, answer: Revised) -> None:
        after = answer.handover
        if before.state.final:
            assert after == before, "a final state changed"
        if after != before and after.state is not HandoverState.CANCELLED:
            assert not self.over, "a run that is over was listened to"
            assert before.number == len(self.handovers), "an old number was listened to"
            assert not before.cancel_asked
        if after.heard_at is not None and before.heard_at is not None:
            assert after.heard_at >= before.heard_at, "a sign of life was taken back"
        if after.state.final and not before.state.final:
            assert (after.ended_fence, after.ended_at, after.tell_at) == (self.fence, self.now, None)
            waits = not self.over and before.number == len(self.handovers)
            assert answer.wakes is waits, "its run waits for it, or does not"
        else:
            assert not answer.wakes
        assert (after.number, after.token_hash, after.intended_at) == (
            before.number,
            before.token_hash,
            before.intended_at,
        )

    # time

    @rule(seconds=st.sampled_from([1, 20, 59, 61, 400]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def begins_to_listen(self) -> None:
        """The process that watches was started anew."""
        self.hearing_since = self.now

    # the engine

    @precondition(lambda self: not self.over)
    @rule(
        is_noted=st.booleans(),
        is_settled=st.booleans(),
        limits=st.booleans(),
        retries=st.booleans(),
        at_once=st.none() | OUTCOMES,
    )
    def claims(self, is_noted: bool, is_settled: bool, limits: bool, retries: bool, at_once: Outcome | None) -> None:
        """An engine claims the run; it may be killed after it sent a message, or before it settled the attempt.

        The executor may answer `at_once` with the outcome: then this very attempt ends with it.
        """
        self.fence += 1
        latest = self.handovers[-1] if self.handovers else None
        taken = latest is not None and is_taken(latest, self.failed)
        step = next_step(latest, taken=taken, now=self.now)
        match step:
            case MakeHandover(number):
                assert number == len(self.handovers) + 1
                assert all(each.state.final for each in self.handovers), "two handovers are open"
                assert latest is None or latest.number in self.accepted, "an outcome was lost"
                self.handovers.append(self._intended(number, limits=limits))
                self._send(is_noted=is_noted)
            case SendAgain(handover):
                assert handover == latest
                self.handovers[-1] = replace(handover, token_hash=self._token())
                self._send(is_noted=is_noted)
            case WaitFor(until, _):
                assert not self.latest.state.final
                assert self.now <= until <= self.now + LONGEST_WAIT
            case Accept(handover):
                assert handover == latest
                self._accept(handover, is_settled=is_settled, retries=retries)
        if at_once is not None and is_noted and isinstance(step, MakeHandover | SendAgain):
            self.judge(self.latest.number, lambda each, run: end(each, run, at_once, start=None, now=self.now))
            self._accept(self.latest, is_settled=is_settled, retries=retries)

    def _intended(self, number: int, *, limits: bool) -> Handover:
        limited = {
            "begin_by": self.now + timedelta(seconds=100),
            "tell_at": self.now + timedelta(seconds=50),
            "run_seconds": 90.0,
        }
        made = replace(HANDOVER, number=number, token_hash=self._token(), intended_at=self.now)
        return replace(made, **limited) if limits else made  # type: ignore[arg-type]

    def _token(self) -> str:
        self.tokens += 1
        return f"token {self.tokens}"

    def _send(self, *, is_noted: bool) -> None:
        self.messages.append(Message(self.latest.number, self.latest.token_hash))
        if is_noted:
            self.handovers[-1] = replace(self.latest, state=HandoverState.HANDED_OVER, sent_at=self.now)

    def _accept(self, handover: Handover, *, is_settled: bool, retries: bool) -> None:
        assert handover.state.final
        assert handover.state is not HandoverState.CANCELLED
        assert handover.number not in self.accepted, "one outcome ended two attempts"
        if is_settled:
            self.accepted.append(handover.number)
            self.failed.append(self.fence)
            self.over = not retries or handover.state in (HandoverState.SUCCEEDED, HandoverState.EXPIRED)

    @precondition(lambda self: self.handovers and self.latest.state is HandoverState.HANDED_OVER)
    @rule()
    def queue_is_lost(self) -> None:
        """The message has to be sent again."""
        self.handovers[-1] = replace(self.latest, state=HandoverState.INTENDED)

    @precondition(lambda self: not self.over)
    @rule(is_asked=st.booleans())
    def is_cancelled(self, is_asked: bool) -> None:
        """The store asks for the end of its handover, too; a report may be judged before."""
        self.over = True
        if is_asked:
            self.handovers = [each if each.state.final else replace(each, cancel_asked=True) for each in self.handovers]

    @precondition(lambda self: self.over)
    @rule()
    def another_run_begins(self) -> None:
        self._another_run()

    # the workers

    @precondition(lambda self: self.messages)
    @rule(recent=RECENT)
    def is_delivered(self, recent: int) -> None:
        """Any message that was ever sent is delivered, once more."""
        message = self.messages[-recent:][0]
        begun = Begun(message, f"start {len(self.starts) + 1}")
        self.starts.append(begun)
        self._asks(begun)

    @precondition(lambda self: self.starts)
    @rule(recent=RECENT)
    def asks_again(self, recent: int) -> None:
        self._asks(self.starts[-recent:][0])

    def _asks(self, begun: Begun) -> None:
        number = begun.message.number
        before = self.handovers[number - 1]
        answer = self._report(begun, lambda each, run: begin(each, run, start=begun.name, worker="w", now=self.now))
        if isinstance(answer, Revised):
            in_time = before.begin_by is None or self.now < before.begin_by
            assert in_time or before.state is HandoverState.BEGUN, "it began too late"
            assert self.leaves.setdefault(number, begun.name) == begun.name, "two starts have leave"
            assert answer.handover.state is HandoverState.BEGUN
            assert answer.handover.start == begun.name

    def _report(self, begun: Begun, decide: Callable[[Handover, RunStanding], Answer]) -> Answer:
        """As the door does: the token has to be that of the message that was sent last."""
        number = begun.message.number
        if self.handovers[number - 1].token_hash != begun.message.token:
            return Refusal.UNKNOWN
        return self.judge(number, decide)

    @precondition(lambda self: self.starts)
    @rule(recent=RECENT)
    def beats(self, recent: int) -> None:
        begun = self.starts[-recent:][0]
        answer = self._report(begun, lambda each, run: beat(each, run, start=begun.name, now=self.now))
        if isinstance(answer, Revised):
            assert self.leaves[begun.message.number] == begun.name, "a start without leave was heard"
            assert answer.handover.heard_at == self.now

    @precondition(lambda self: self.starts)
    @rule(recent=RECENT, outcome=OUTCOMES)
    def ends(self, recent: int, outcome: Outcome) -> None:
        begun = self.starts[-recent:][0]
        answer = self._report(begun, lambda each, run: end(each, run, outcome, start=begun.name, now=self.now))
        if isinstance(answer, Revised):
            assert self.leaves[begun.message.number] == begun.name, "a start without leave ended it"
            assert answer.handover.state is outcome.state

    # the executor, which knows of any number that was sent

    @precondition(lambda self: self.messages)
    @rule(recent=RECENT, outcome=OUTCOMES)
    def executor_tells_an_outcome(self, recent: int, outcome: Outcome) -> None:
        number = self.messages[-recent:][0].number
        self.judge(number, lambda each, run: end(each, run, outcome, start=None, now=self.now))

    @precondition(lambda self: self.messages)
    @rule(recent=RECENT)
    def executor_sees_it_at_work(self, recent: int) -> None:
        number = self.messages[-recent:][0].number
        before = self.handovers[number - 1]
        answer = self.judge(number, lambda each, run: beat(each, run, start=None, now=self.now))
        assert isinstance(answer, Refusal) or before.state is HandoverState.BEGUN

    # the watch

    @precondition(lambda self: self.handovers)
    @rule(recent=RECENT)
    def is_watched(self, recent: int) -> None:
        number = self.handovers[-recent:][0].number
        before = self.handovers[number - 1]

        def decide(each: Handover, run: RunStanding) -> Answer:
            return give_up(each, run, hearing_since=self.hearing_since, now=self.now)

        answer = self.judge(number, decide)
        assert not isinstance(answer, Refusal)
        listened = self.now - self.hearing_since > LEASE
        heard = self.now - max(before.heard_at or before.intended_at, self.hearing_since)
        if before.state.final:
            assert answer is None
        elif self.over or before.cancel_asked:
            assert answer is not None
            assert answer.handover.state is HandoverState.CANCELLED
        elif answer is None:
            assert before.state is not HandoverState.BEGUN or heard <= LEASE, "it is not lost although it fell silent"
            assert before.state is HandoverState.BEGUN or before.begin_by is None or self.now < before.begin_by
        elif answer.handover.state is HandoverState.EXPIRED:
            assert before.state is not HandoverState.BEGUN
        else:
            assert before.state is HandoverState.BEGUN
            heard_all = before.begun_at is not None and before.begun_at >= self.hearing_since
            assert listened or heard_all, "it was given up for what was said while duly did not listen"
            if answer.handover.state is HandoverState.LOST:
                assert heard > LEASE, "it was lost although it beat"

    # what holds at any time

    @invariant()
    def one_is_open(self) -> None:
        assert sum(not each.state.final for each in self.handovers) <= 1
        assert [each.number for each in self.handovers] == list(range(1, len(self.handovers) + 1))

    @invariant()
    def each_outcome_ends_one_attempt(self) -> None:
        assert len(set(self.accepted)) == len(self.accepted)

    @invariant()
    def people_hear_of_what_has_not_begun_only(self) -> None:
        for each in self.handovers:
            assert not is_not_begun(each, self.now) or each.state is HandoverState.HANDED_OVER


TestRunElsewhere = RunElsewhere.TestCase
TestRunElsewhere.settings = settings(max_examples=tries(500), stateful_step_count=60)


# the lease


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


BEGUN = replace(
    HANDOVER, state=HandoverState.BEGUN, begun_at=START, heard_at=START, start="mine", worker="celery@a", run_seconds=90
)


@given(begun=st.integers(0, 300), heard=st.integers(0, 300), hearing=st.integers(0, 300), now=st.integers(0, 600))
def test_lost_is_what_was_silent_for_a_lease_while_duly_could_hear(
    begun: int, heard: int, hearing: int, now: int
) -> None:
    known = replace(BEGUN, begun_at=at(begun), heard_at=at(heard), run_seconds=None)
    given_up = give_up(known, ALONE, hearing_since=at(hearing), now=at(now))
    silent = now - max(heard, hearing)
    assert (given_up is not None) is (silent > LEASE.total_seconds())
    if given_up is not None:
        assert given_up.handover.state is HandoverState.LOST
        assert given_up.handover.error == "celery@a gave no sign of life for 60 s"
        assert given_up.wakes


@given(heard=st.integers(0, 300), hearing=st.integers(0, 300), now=st.integers(0, 600))
def test_what_runs_too_long_had_a_lease_to_say_that_it_ended(heard: int, hearing: int, now: int) -> None:
    given_up = give_up(replace(BEGUN, heard_at=at(heard)), ALONE, hearing_since=at(hearing), now=at(now))
    if given_up is not None:
        assert hearing == 0 or now - hearing > LEASE.total_seconds()
        assert (given_up.handover.state is HandoverState.FAILED) is (now > 90)


# examples


def test_a_clock_that_is_behind_takes_back_no_sign_of_life() -> None:
    answer = beat(replace(BEGUN, heard_at=at(30)), ALONE, start="mine", now=at(20))
    assert isinstance(answer, Revised)
    assert answer.handover.heard_at == at(30)


def test_a_worker_that_ended_while_duly_was_away_has_a_lease_to_say_so() -> None:
    assert give_up(BEGUN, ALONE, hearing_since=at(1000), now=at(1060)) is None
    late = give_up(BEGUN, ALONE, hearing_since=at(1000), now=at(1060.001))
    assert late is not None
    assert late.handover.error == "it ran longer than 90 s on celery@a"


def test_a_run_that_begins_while_duly_listens_has_its_time_and_no_more() -> None:
    beats = replace(BEGUN, begun_at=at(10), heard_at=at(100))
    assert give_up(beats, ALONE, hearing_since=at(9), now=at(100)) is None
    assert give_up(beats, ALONE, hearing_since=at(9), now=at(100.001)) is not None


@pytest.mark.parametrize(
    ("state", "standing", "refusal"),
    [
        (HandoverState.SUCCEEDED, ALONE, Refusal.ENDED),
        (HandoverState.FAILED, ALONE, Refusal.ENDED),
        (HandoverState.LOST, ALONE, Refusal.REPLACED),
        (HandoverState.EXPIRED, ALONE, Refusal.EXPIRED),
        (HandoverState.CANCELLED, ALONE, Refusal.OVER),
        (HandoverState.CANCELLED, ALONE._replace(latest=2), Refusal.REPLACED),
        (HandoverState.BEGUN, ALONE._replace(latest=2), Refusal.REPLACED),
        (HandoverState.BEGUN, ALONE._replace(run_is_over=True), Refusal.OVER),
    ],
)
def test_a_worker_hears_why_it_is_not_listened_to(
    state: HandoverState, standing: RunStanding, refusal: Refusal
) -> None:
    assert beat(replace(BEGUN, state=state), standing, start="mine", now=at(1)) is refusal


def test_a_worker_whose_end_was_asked_for_hears_that_it_is_over() -> None:
    assert beat(replace(BEGUN, cancel_asked=True), ALONE, start="mine", now=at(1)) is Refusal.OVER


def test_the_end_of_an_older_handover_does_not_begin_a_retry_early() -> None:
    given = give_up(BEGUN, ALONE._replace(latest=2), hearing_since=START, now=at(1))
    assert given is not None
    assert (given.handover.state, given.wakes) == (HandoverState.CANCELLED, False)


def test_an_executor_that_tells_an_outcome_again_is_answered_as_before() -> None:
    """An HTTP service that never asked for leave reports without a start."""
    done = Outcome(HandoverState.SUCCEEDED, result="7")
    sent = replace(HANDOVER, state=HandoverState.HANDED_OVER)
    first = end(sent, ALONE, done, start=None, now=at(1))
    assert isinstance(first, Revised)
    assert first.wakes
    assert end(first.handover, ALONE, done, start=None, now=at(2)) == Revised(first.handover)
    assert end(first.handover, ALONE, Outcome(HandoverState.FAILED), start=None, now=at(2)) is Refusal.ENDED


def test_a_cancelled_handover_has_no_outcome_to_take() -> None:
    cancelled = replace(BEGUN, state=HandoverState.CANCELLED)
    assert next_step(cancelled, taken=False, now=at(1)) == MakeHandover(2)

"""A start that gives up its place for another one, as when Celery retries a task."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from duly.model.handover import Handover, HandoverState
from duly.planning.handovers import Outcome as Ended
from duly.planning.handovers import Refusal, Revised, RunStanding, beat, begin, end

NOW = datetime(2027, 3, 1, tzinfo=UTC)
STANDING = RunStanding(latest=1, run_is_over=False, fence=1)
BEGUN = Handover(
    run_id="run_1",
    number=1,
    schedule_id="sch_1",
    executor="heavy",
    task="proj.report",
    state=HandoverState.BEGUN,
    token_hash="0" * 64,
    lease_seconds=60,
    intended_at=NOW,
    begun_at=NOW,
    heard_at=NOW,
    start="first",
    worker="celery@one",
)
LATER = NOW + timedelta(seconds=5)


def test_of_any_number_of_copies_the_first_takes_the_place() -> None:
    taken = begin(BEGUN, STANDING, start="second", worker="celery@two", after="first", now=LATER)
    assert isinstance(taken, Revised)
    assert taken.handover == replace(BEGUN, start="second", worker="celery@two", heard_at=LATER)
    again = begin(taken.handover, STANDING, start="second", worker="celery@two", after="first", now=LATER)
    assert again == taken
    assert begin(taken.handover, STANDING, start="third", worker="w", after="first", now=LATER) is Refusal.BEATING


def test_the_start_that_gave_up_its_place_is_not_listened_to() -> None:
    taken = begin(BEGUN, STANDING, start="second", worker="celery@two", after="first", now=LATER)
    assert isinstance(taken, Revised)
    outcome = Ended(HandoverState.FAILED, error="late")
    assert beat(taken.handover, STANDING, start="first", now=LATER) is Refusal.BEATING
    assert end(taken.handover, STANDING, outcome, start="first", now=LATER) is Refusal.BEATING


def test_without_naming_its_predecessor_another_start_is_refused() -> None:
    for after in (None, "another"):
        assert begin(BEGUN, STANDING, start="second", worker="w", after=after, now=LATER) is Refusal.BEATING

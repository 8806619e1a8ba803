"""A draft is checked before it is stored; every refusal names the field and the value."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duly import Cron, Draft, Job, Policy, Prompt, every
from duly.errors import DulyError, InvalidInputError, NaiveDatetimeError
from duly.model.action import Target
from duly.ports.codec import MAX_PAYLOAD, decode_action, decode_policy, decode_trigger
from duly.service.schedules.drafts import to_row

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
GOOD = Draft(name="backup", trigger=Cron("0 3 * * *"), action=Job("backup", {"bucket": "a"}))


def check_job(job: Job) -> None:
    if job.name != "backup":
        raise InvalidInputError(f"unknown job {job.name!r}")


def stored(draft: Draft = GOOD, **changes: Any) -> Any:
    return to_row(replace(draft, **changes), NOW, check_job, lambda _bits: 5)


def test_a_good_draft_becomes_a_row_with_its_first_fire() -> None:
    row = stored()
    assert row.next_fire_at == row.next_run_at == datetime(2026, 1, 2, 3, tzinfo=UTC)
    assert (row.enabled, row.handler, row.id[:6]) == (True, "job:backup", "sched_")
    assert (decode_trigger(row.trigger), decode_action(row.action)) == (GOOD.trigger, GOOD.action)
    assert decode_policy(row.policy) == Policy()


def test_a_disabled_draft_has_no_next_fire() -> None:
    row = stored(enabled=False)
    assert (row.next_fire_at, row.next_run_at, row.disabled_by) == (None, None, "person")


def test_a_stagger_delays_the_dispatch_and_not_the_fire() -> None:
    row = stored(policy=Policy(stagger_key="backup"))
    assert timedelta(0) < row.next_run_at - row.next_fire_at <= timedelta(minutes=15)


def test_the_tighter_limit_of_trigger_and_draft_holds() -> None:
    until = NOW + timedelta(days=2)
    trigger = every(1).hours().max_runs(10).run_until(until).recurring_task
    row = stored(trigger=trigger, max_runs=3, until_at=NOW + timedelta(days=9))
    assert (row.max_runs, row.until_at) == (3, until)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name must be 1 to 200 printable characters, got ''"),
        ({"name": "  "}, "name must be"),
        ({"name": "a\nb"}, "name must be"),
        ({"name": "x" * 201}, "name must be"),
        ({"namespace": ""}, "namespace must be"),
        ({"max_runs": 0}, "max_runs must be a whole number of at least 1, got 0"),
        ({"timezone": "Europe/Berln"}, "did you mean Europe/Berlin"),
        ({"action": Job("nobody")}, "unknown job 'nobody'"),
        ({"until_at": NOW - timedelta(seconds=1)}, "is in the past"),
        ({"until_at": NOW + timedelta(hours=1)}, "would never fire"),
        ({"start_at": NOW, "end_at": NOW}, "must be after start_at"),
        ({"start_at": NOW + timedelta(days=9), "until_at": NOW + timedelta(days=8)}, "must not be before start_at"),
        ({"action": Job("backup", {"x": {1, 2}})}, "action must be JSON"),
        ({"action": Job("backup", {"x": float("nan")})}, "action must be JSON"),
        ({"action": Job("backup", {"x": "y" * MAX_PAYLOAD})}, f"allowed are {MAX_PAYLOAD}"),
    ],
)
def test_the_refusal_of_bad_input_names_the_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        stored(**changes)


@pytest.mark.parametrize("name", ["start_at", "end_at", "until_at"])
def test_naive_times_are_refused(name: str) -> None:
    with pytest.raises(NaiveDatetimeError, match=name):
        stored(GOOD, **{name: datetime(2027, 1, 1)})  # noqa: DTZ001  the point


def test_a_series_without_a_next_fire_is_refused() -> None:
    from duly import Once

    with pytest.raises(DulyError, match="Invalid scheduler recurring expression"):
        stored(trigger=Once(NOW - timedelta(days=1)))


def test_targets_must_not_repeat() -> None:
    with pytest.raises(InvalidInputError, match="must not repeat"):
        Prompt(text="x", targets=(Target("a"), Target("a")))

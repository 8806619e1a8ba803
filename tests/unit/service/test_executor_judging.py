"""What is said of an executor: whether it is well, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ExecutorStanding, HandoverCounts, QueueStanding
from duly.service.executors.judging import Look, checks, executor_view
from duly.service.executors.views import HandoverView, doing, length

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HEAVY = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("proj.tasks.*", "proj.report"))
WELL = ExecutorStanding(
    reachable=True,
    queues=(QueueStanding(name="slow", depth=3, workers=1),),
    workers=("celery@a",),
    tasks=frozenset({"proj.tasks.tidy", "proj.report"}),
)


def faults(
    standing: ExecutorStanding | None = WELL,
    *,
    settings: ExecutorSettings = HEAVY,
    waiting: timedelta | None = None,
    tasks: frozenset[str] = frozenset(),
) -> dict[str, tuple[str, str | None]]:
    look = None if standing is None else Look(NOW, standing, tasks)
    counts = HandoverCounts(
        executor="heavy",
        waiting=0 if waiting is None else 12,
        begun=2,
        oldest_waiting_at=None if waiting is None else NOW - waiting,
    )
    return {each.name: (each.said, each.cure) for each in checks(settings, look, counts, NOW) if not each.ok}


def test_one_that_is_well_has_no_fault() -> None:
    assert faults() == {}
    assert faults(None) == {}
    assert faults(waiting=timedelta(minutes=4)) == {}
    assert [each.name for each in checks(HEAVY, Look(NOW, WELL), None, NOW)] == [
        *("reachable", "begun", "workers", "tasks", "reports")
    ]


def test_one_that_cannot_be_reached() -> None:
    said = "executor heavy cannot be reached: connection refused"
    cure = "start its broker, or correct broker of [executors.heavy]; its runs wait until then"
    assert faults(ExecutorStanding(reachable=False, error="connection refused")) == {"reachable": (said, cure)}
    service = replace(HEAVY, kind=ExecutorKind.HTTP, url="https://x.example")
    found = faults(ExecutorStanding(reachable=False), settings=service)["reachable"]
    assert found[0] == "executor heavy cannot be reached: it does not answer"
    assert found[1] is not None
    assert "correct url of" in found[1]


@pytest.mark.parametrize(("workers", "cure"), [((), "start a worker"), (("celery@a",), "restart them")])
def test_runs_that_are_not_begun_are_told_with_what_can_be_the_cause(workers: tuple[str, ...], cure: str) -> None:
    said, told = faults(replace(WELL, workers=workers), waiting=timedelta(minutes=6, seconds=20))["begun"]
    assert said == "12 runs have not been begun by executor heavy, the oldest for 6 min"
    assert told is not None
    assert cure in told


def test_tasks_that_the_workers_do_not_know() -> None:
    found = faults(replace(WELL, tasks=frozenset({"proj.tasks.tidy"})), tasks=frozenset({"proj.tasks.new"}))
    assert found["tasks"][0] == "the workers of executor heavy do not know proj.report, proj.tasks.new"
    assert faults(replace(WELL, tasks=None)) == {}


def test_a_queue_that_no_worker_takes_from() -> None:
    queues = (QueueStanding(name="slow", depth=5, workers=0), QueueStanding(name="quick", depth=None, workers=2))
    said, cure = faults(replace(WELL, queues=queues))["workers"]
    assert said == "no worker of executor heavy takes from slow (5 wait)"
    assert cure == "start one: celery -A … worker -Q slow"


def test_workers_without_reports_are_said_loudly_and_warnings_have_their_cure() -> None:
    assert "do not report" in faults(settings=replace(HEAVY, reports=False))["reports"][0]
    warned = replace(WELL, warnings=("visibility_timeout is 60 s: raise it above the longest run",))
    assert faults(warned)["setup"] == ("visibility_timeout is 60 s", "raise it above the longest run")


def test_the_view_has_what_was_found() -> None:
    counts = HandoverCounts(executor="heavy", waiting=3, begun=1, oldest_waiting_at=NOW)
    view = executor_view(HEAVY, Look(NOW, WELL), counts, NOW)
    assert (view.waiting, view.begun, view.workers, view.faults) == (3, 1, ["celery@a"], [])
    assert (view.queues[0].name, view.queues[0].depth, view.queues[0].workers) == ("slow", 3, 1)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("intended", "being handed over to heavy for 6 min"),
        ("handed_over", "handed over to heavy, not begun for 6 min"),
        ("begun", "carried out by celery@a since 11:58"),
        ("succeeded", None),
        ("lost", None),
    ],
)
def test_a_run_elsewhere_in_words(state: str, said: str | None) -> None:
    view = HandoverView(
        state=state,
        executor="heavy",
        task="x",
        number=1,
        worker="celery@a",
        handed_over_at=NOW - timedelta(minutes=6),
        begun_at=NOW - timedelta(minutes=2),
    )
    assert doing(view, NOW, lambda at: f"{at:%H:%M}") == said
    assert doing(None, NOW, str) is None


@pytest.mark.parametrize(
    ("seconds", "said"), [(-3, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (7300, "2 h")]
)
def test_lengths(seconds: float, said: str) -> None:
    assert length(seconds) == said

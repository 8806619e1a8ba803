"""Poison stops: a handler that kills its process, one that fails in every way there is, a row nobody can read.

Attempts are bounded, the others are not affected, and nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from duly import Duly, Light, Policy, Retry, ScheduleFilter, every
from tests.integration.engine_support.lab import STORES, Lab, Worker, laboratory
from tests.integration.engine_support.waiting import eventually

MOST_LOST_ATTEMPTS = 3
MOST_DEATHS = 8  # until a run that kills at once is told from ten others


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def crash(lab: Lab, name: str, runs: int = 1) -> int:
    """Start a worker whenever the last one has died, until so many runs are given up; gives how many workers died."""
    for deaths in range(runs * MOST_DEATHS + 1):
        worker = lab.start(ready=False)
        ended = partial(_has_died_or_given_up, lab, worker, name, runs)
        eventually(ended, f"a death, or the end of {name}")
        if _dead(lab, name) == runs:
            return deaths
        assert worker.exit_code == 7
        lab.let_leases_end()
    raise AssertionError(f"{runs} runs of {name} should be dead after {deaths} deaths: {lab.runs(name)}")


def _has_died_or_given_up(lab: Lab, worker: Worker, name: str, runs: int) -> bool:
    return worker.exit_code is not None or _dead(lab, name) == runs


def _dead(lab: Lab, name: str) -> int:
    return [run.status for run in lab.runs(name)].count("dead")


def test_a_handler_that_kills_its_process_ends_dead_and_the_others_are_carried_out(lab: Lab) -> None:
    lab.add(lab.once("poison", "die", policy=Policy()), *(lab.once(f"good-{number}") for number in range(5)))
    deaths = crash(lab, "poison")
    lab.settled()

    assert lab.workers[-1].exit_code is None, "the poison was not tried again"
    poison = lab.run("poison")
    assert (poison.status, poison.attempt) == ("dead", deaths)
    assert len(lab.entries("poison")) == deaths >= MOST_LOST_ATTEMPTS
    assert {run.status for run in lab.check() if run.name != "poison"} == {"succeeded"}
    assert [event.run_id for event in lab.books.events() if event.name == "run.dead"] == [poison.id]


def test_ten_long_runs_that_die_with_poison_are_not_given_up_for_it(lab: Lab) -> None:
    """They are under way at its deaths as often as it is, and with as few chances."""
    names = [f"long-{number}" for number in range(10)]
    lab.add(
        lab.once("poison", "die", policy=Policy()),
        *(lab.once(name, "hold", policy=Policy(), until=lab.path("go")) for name in names),
    )
    deaths = crash(lab, "poison")
    lab.touch("go")
    lab.settled()

    assert lab.workers[-1].exit_code is None
    assert (lab.run("poison").status, len(lab.entries("poison"))) == ("dead", deaths)
    assert {lab.run(name).status for name in names} == {"succeeded"}
    assert min(lab.run(name).attempt for name in names) >= MOST_LOST_ATTEMPTS, "the last one was not lost"


def test_poison_that_fires_again_does_not_stop_its_schedule(lab: Lab) -> None:
    """One run is dead, the next fire of the same schedule is a run of its own."""
    trigger = every(1).seconds().max_runs(2)
    lab.add(lab.app().draft("poison", trigger, job="die", policy=Policy()))
    crash(lab, "poison", runs=2)
    lab.settled()
    assert [run.status for run in lab.check() if run.status not in {"missed", "skipped"}] == ["dead", "dead"]


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "raises": ("fail", {}, "RuntimeError: as asked"),
    "raises surrogates": ("fail", {"text": "not text: \\udcff"}, "RuntimeError: not text: \\udcff"),
    "raises zeros": ("fail", {"text": "a zero: \\x00."}, "RuntimeError: a zero: \\x00."),
    "raises without words": ("mumble", {}, "MumbledError"),
    "exits": ("leave", {}, "SystemExit: 3"),
    "exits in a thread": ("leave_thread", {}, "SystemExit: 3"),
}
"""What a handler may do wrong, and what is told about it."""


def test_whatever_a_handler_raises_is_its_own_failure(lab: Lab) -> None:
    policy = Policy(retry=Retry(max_attempts=2, delay=timedelta(0), jitter=0))
    worker = lab.start()
    bad = [lab.once(name, job, policy=policy, **args) for name, (job, args, _) in BAD.items()]
    lab.add(*bad, lab.once("good"))
    lab.settled()
    runs = {run.name: (run.status, run.attempt, run.error) for run in lab.check()}
    expected = {name: ("failed", 2, error) for name, (_, _, error) in BAD.items()}
    assert runs == {**expected, "good": ("succeeded", 1, None)}

    lab.add(lab.once("later"))
    assert lab.ended("later").status == "succeeded"
    assert not worker.events("store.unavailable")
    worker.stop()


def test_a_result_that_cannot_be_kept_is_described(lab: Lab) -> None:
    """The handler has done its work: that its result is odd is no reason to do it again."""
    worker = lab.start()
    lab.add(*(lab.once(kind, "odd_result", kind=kind) for kind in ("object", "cycle", "deep", "huge", "zero", "half")))
    lab.settled()
    assert {run.name: run.status for run in lab.books.runs()} == dict.fromkeys(
        ("object", "cycle", "deep", "huge", "zero", "half"), "succeeded"
    )
    assert not worker.events("store.unavailable")


def test_a_listener_that_raises_disturbs_nobody(lab: Lab) -> None:
    worker = lab.start(deaf=True)
    lab.add(lab.once("good"), lab.once("thread", "quick_thread"), lab.once("bad", "fail_once"))
    lab.settled()
    assert {run.status for run in lab.check()} == {"succeeded"}
    worker.stop()
    assert "no ears" in worker.log.read_text(encoding="utf-8")


@pytest.mark.parametrize("column", ["trigger", "policy"])
def test_a_row_nobody_can_read_is_set_aside_and_shown(lab: Lab, column: str) -> None:
    lab.add(lab.once("damaged", after=1), lab.once("good", after=1))
    lab.books.damage("damaged", column, '{"kind": "moon phase"}')
    worker = lab.start()
    assert lab.ended("good").status == "succeeded"

    damaged = eventually(lambda: [each for each in lab.books.schedules() if each.quarantine], "the quarantine")
    assert [(each.name, each.disabled_by, each.next_run_at) for each in damaged] == [("damaged", "quarantine", None)]
    assert not lab.runs("damaged")
    assert [event.name for event in lab.books.events()].count("schedule.quarantined") == 1
    health, listed = lab.ask(_health_and_quarantine)
    assert (health.light, health.overview.quarantined) == (Light.YELLOW, 1)
    assert "quarantine" in health.reasons[0]
    assert [(info.name, info.schedule) for info in listed] == [("damaged", None)]
    worker.stop()
    assert len(lab.books.schedules()) == 2, "nothing was deleted"


async def _health_and_quarantine(app: Duly) -> Any:
    return await app.health(), await app.schedules(ScheduleFilter(quarantined=True))


@pytest.mark.parametrize("column", ["action", "policy"])
def test_a_row_damaged_after_its_run_was_recorded_fails_that_run_alone(lab: Lab, column: str) -> None:
    lab.add(lab.once("damaged", "hold", policy=Policy(), until=lab.path("go")), lab.once("good"))
    first = lab.start()
    lab.entered("damaged")
    lab.books.damage("damaged", column, "not even JSON")
    first.kill()
    lab.let_leases_end()
    lab.start()
    assert lab.ended("good").status == "succeeded"
    damaged = lab.ended("damaged")
    assert damaged.status == ("failed" if column == "action" else "dead")
    lab.add(lab.once("later"))
    assert lab.ended("later").status == "succeeded"
    assert [schedule.name for schedule in lab.books.schedules()] == ["damaged", "good", "later"]

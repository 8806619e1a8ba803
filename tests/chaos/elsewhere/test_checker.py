"""The checker of the campaign over Celery finds every fault that is planted, and none where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.chaos.checker import PLAN, RECORD
from tests.chaos.elsewhere.checker import CANCELS, Cancel, Evidence, Verdict, check, read_evidence
from tests.chaos.elsewhere.plan import draw
from tests.chaos.elsewhere.signs import OK, SIGNS, Sign
from tests.chaos.plan import SECOND, Plan, Series, read_plan
from tests.chaos.record import Handover, Record, Run, Schedule
from tests.chaos.witness import append

START = 1_800_000_000 * SECOND
LEASE = 6.0
WALL = START / SECOND
"""The wall clock when the monotonic one is at 0."""
JOBS = {"sound": "work", "silent": "work", "brief": "once", "late": "hasty", "off": "work", "tried": "retried"}
SERIES = {
    name: Series(name=name, first=START, every=SECOND, times=1, job=job, overlap="skip", seconds=1.0)
    for name, job in JOBS.items()
}


def sign(name: str, number: int, what: str, at: float, **facts: object) -> Sign:
    """What a worker wrote down; a report was answered a moment after it left."""
    told: dict[str, object] = {"pid": number, "process": "worker0-1", "nonce": f"{name}{number}", **facts}
    if what in ("begin", "beat", "end"):
        told = {"answer": OK, "sent": at - 0.1, "sent_wall": WALL + at - 0.1, **told}
    if what in ("begin", "beat"):
        told["nonce"] = ""
    return Sign(what=what, run=f"run_{name}", number=number, at=at, wall=WALL + at, **told)  # type: ignore[arg-type]


def carried_out(name: str, number: int, begin: float, end: float, **facts: object) -> list[Sign]:
    """A task that began with leave, came to its end, and whose outcome was taken."""
    return [
        sign(name, number, "begin", begin),
        sign(name, number, "enter", begin + 0.1, **facts),
        sign(name, number, "exit", end, **facts),
        sign(name, number, "end", end + 0.2, state="succeeded"),
    ]


def handover(name: str, number: int, state: str, *, ended: float, error: str | None = None) -> Handover:
    return Handover(
        run_id=f"run_{name}",
        number=number,
        state=state,
        task=f"chaos.{JOBS[name]}",
        sent=1,
        result=result_of(name, number) if state == "succeeded" else None,
        error=error,
        ended_at=START + int(ended * SECOND),
        lease_seconds=LEASE,
    )


def result_of(name: str, number: int) -> str:
    return json.dumps({"nonce": f"{name}{number}"})


def run_of(name: str, status: str, *, number: int = 1) -> Run:
    return Run(
        name=name,
        origin="schedule",
        fire_at=START,
        status=status,
        fence=1,
        result=result_of(name, number) if status == "succeeded" else None,
        error=None,
        reason=None,
        skipped=0,
        first_skipped_at=None,
        id=f"run_{name}",
        schedule_id=name,
    )


def sound() -> Evidence:
    """A campaign in which everything went wrong that may: silence, a late outcome, a message twice, a dead worker."""
    signs = [
        *carried_out("sound", 1, 1.0, 3.0),
        sign("sound", 1, "begin", 2.0, answer="beating", pid=9),
        # frozen after a beat: given up, begun again, and its outcome is refused
        *carried_out("silent", 1, 1.0, 14.0)[:3],
        sign("silent", 1, "beat", 2.5),
        sign("silent", 1, "end", 14.2, state="succeeded", answer="replaced"),
        *carried_out("silent", 2, 10.0, 12.0),
        # killed
        *carried_out("brief", 1, 1.0, 9.0)[:2],
        # cancelled while it ran
        *carried_out("off", 1, 1.0, 4.0)[:3],
        sign("off", 1, "end", 4.2, state="succeeded", answer="over"),
        # tried again by Celery
        sign("tried", 1, "begin", 1.0),
        sign("tried", 1, "enter", 1.1, nonce="first"),
        sign("tried", 1, "left", 2.0, nonce="first"),
        *carried_out("tried", 1, 3.0, 4.0, retries=1),
    ]
    record = Record(
        runs=(
            run_of("sound", "succeeded"),
            run_of("silent", "succeeded", number=2),
            run_of("brief", "failed"),
            run_of("late", "missed"),
            run_of("off", "cancelled"),
            run_of("tried", "succeeded"),
        ),
        schedules=tuple(
            Schedule(name=name, total_runs=0 if name == "late" else 1, next_run_at=None, quarantine=None)
            for name in JOBS
        ),
        reminders=(),
        inbox=(),
        failures=(),
        handovers=(
            handover("sound", 1, "succeeded", ended=3.0),
            handover("silent", 1, "lost", ended=9.0),
            handover("silent", 2, "succeeded", ended=12.0),
            handover("brief", 1, "failed", ended=3.0, error="WorkerLostError: exited prematurely"),
            handover("late", 1, "expired", ended=15.0),
            handover("off", 1, "cancelled", ended=3.0),
            handover("tried", 1, "succeeded", ended=4.0),
        ),
    )
    plan = Plan(seed=1, start=START, seconds=1.0, series=tuple(SERIES.values()), messages=())
    signs.sort(key=lambda each: each.at)
    return Evidence(plan=plan, signs=signs, record=record, cancels=[Cancel(run="run_off", at=2.0)])


def test_a_campaign_in_which_all_was_kept_is_clean() -> None:
    verdict = check(sound())
    assert verdict.is_clean, verdict
    assert (verdict.expected, verdict.recorded, verdict.begun, verdict.beside) == (6, 6, 7, 1)
    assert (verdict.refused, verdict.late) == ({"beating": 1}, {"replaced": 1, "over": 1})
    assert verdict.statuses == {"succeeded": 3, "failed": 1, "missed": 1, "cancelled": 1}


Plant = Callable[[Evidence], Evidence]


def with_signs(*more: Sign) -> Plant:
    return lambda evidence: replace(evidence, signs=sorted([*evidence.signs, *more], key=lambda each: each.at))


def without(name: str, *whats: str) -> Plant:
    """Leave out what the worker of a run wrote down."""
    return lambda evidence: replace(
        evidence, signs=[each for each in evidence.signs if each.run != f"run_{name}" or each.what not in whats]
    )


def with_run(name: str, **facts: object) -> Plant:
    def plant(evidence: Evidence) -> Evidence:
        runs = tuple(
            replace(run, **facts) if run.name == name else run  # type: ignore[arg-type]
            for run in evidence.record.runs
        )
        return replace(evidence, record=replace(evidence.record, runs=runs))

    return plant


def with_handover(name: str, number: int, **facts: object) -> Plant:
    def plant(evidence: Evidence) -> Evidence:
        handovers = tuple(
            replace(of, **facts) if (of.run_id, of.number) == (f"run_{name}", number) else of  # type: ignore[arg-type]
            for of in evidence.record.handovers
        )
        return replace(evidence, record=replace(evidence.record, handovers=handovers))

    return plant


def without_run(name: str) -> Plant:
    return lambda evidence: replace(
        evidence,
        record=replace(evidence.record, runs=tuple(run for run in evidence.record.runs if run.name != name)),
    )


def counting(name: str, number: int) -> Plant:
    """A schedule says how many outcomes it took."""

    def plant(evidence: Evidence) -> Evidence:
        schedules = tuple(
            replace(each, total_runs=number) if each.name == name else each for each in evidence.record.schedules
        )
        return replace(evidence, record=replace(evidence.record, schedules=schedules))

    return plant


PLANTED: dict[str, tuple[str, Plant]] = {
    "a fire without a record": ("lost", without_run("sound")),
    "a run that is not over": ("stuck", with_run("sound", status="pending")),
    "a handover that is not over": ("stuck", with_handover("sound", 1, state="begun")),
    "an outcome without a witness": ("lost", without("sound", "exit")),
    "an outcome of another number": ("lost", with_handover("silent", 2, result=result_of("silent", 1))),
    "a run whose handover is not done": ("lost", with_handover("sound", 1, state="lost", ended_at=START + 20 * SECOND)),
    "a run that has another outcome": ("lost", with_run("silent", result=result_of("silent", 1))),
    "a run that was not tried again": ("lost", with_run("sound", status="failed")),
    "a run that failed without a failure": ("lost", with_handover("brief", 1, state="cancelled")),
    "a miss where nothing expires": ("lost", with_run("silent", status="missed")),
    "a run that nobody called off": ("lost", with_run("sound", status="cancelled")),
    "an outcome that was taken and forgotten": ("lost", with_handover("sound", 1, state="cancelled")),
    "work that duly does not know of": ("lost", with_signs(sign("sound", 7, "begin", 20.0))),
    "two handovers that succeeded": (
        "doubled",
        with_handover("silent", 1, state="succeeded", result=result_of("silent", 1)),
    ),
    "an outcome that was counted twice": ("doubled", counting("sound", 2)),
    "an outcome that was refused and kept": (
        "doubled",
        lambda evidence: with_signs(sign("sound", 1, "end", 3.2, state="succeeded", answer="replaced"))(
            without("sound", "end")(evidence)
        ),
    ),
    "a message that began twice": ("twice", with_signs(sign("sound", 1, "enter", 30.0, nonce="again"))),
    "an attempt beside one that beats": (
        "twice",
        with_handover("silent", 1, state="failed", error="WorkerLostError"),
    ),
    "leave after it was called off": ("twice", with_signs(sign("off", 1, "begin", 5.0))),
    "a worker that was given up although it beat": ("given_up", with_signs(sign("silent", 1, "beat", 5.0))),
    "a worker that was given up within its lease": (
        "given_up",
        with_handover("silent", 1, ended_at=START + 8 * SECOND),
    ),
    "a failure of what was done": ("given_up", with_handover("tried", 1, state="failed", error="OSError")),
    "something begun that expired": ("given_up", with_signs(sign("late", 1, "enter", 2.0))),
    "a run that was given up": ("given_up", with_run("brief", status="dead")),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str) -> None:
    kind, plant = PLANTED[fault]
    evidence = plant(sound())
    verdict = check(evidence)
    assert getattr(verdict, kind), f"{fault}\n{verdict}"
    assert not verdict.is_clean


def test_runs_of_a_series_that_has_one_at_a_time_do_not_meet() -> None:
    """The second of two runs begins while the first one's code goes on."""
    series = replace(SERIES["sound"], name="steady", times=2, overlap="queue")

    def overlapping(second: float) -> Verdict:
        runs, handovers, signs = [], [], list[Sign]()
        for number, begin in enumerate((1.0, second)):
            name = f"steady{number}"
            JOBS.setdefault(name, "work")
            runs.append(replace(run_of(name, "succeeded"), name="steady", fire_at=START + number * SECOND))
            handovers.append(handover(name, 1, "succeeded", ended=begin + 4))
            signs += carried_out(name, 1, begin, begin + 3)
        schedule = Schedule(name="steady", total_runs=2, next_run_at=None, quarantine=None)
        record = replace(sound().record, runs=tuple(runs), schedules=(schedule,), handovers=tuple(handovers))
        plan = replace(sound().plan, series=(series,))
        return check(Evidence(plan=plan, signs=signs, record=record))

    assert overlapping(5.0).is_clean
    assert overlapping(2.0).twice


def test_evidence_outlives_the_campaign(tmp_path: Path) -> None:
    evidence = sound()
    evidence.plan.write(tmp_path / PLAN)
    evidence.record.write(tmp_path / RECORD)
    for each in evidence.signs:
        append(tmp_path / SIGNS, asdict(each))
    for one in evidence.cancels:
        append(tmp_path / CANCELS, asdict(one))
    with (tmp_path / SIGNS).open("a") as file:
        file.write('{"what": "ent')  # a worker was killed in the middle of a line
    assert read_evidence(tmp_path) == evidence
    assert "begun twice   0 (1 beside one that was silent for a lease)" in str(check(evidence))


def test_a_seed_gives_one_plan(tmp_path: Path) -> None:
    plan = draw(7, START, 60)
    assert plan == draw(7, START, 60) != draw(8, START, 60)
    plan.write(tmp_path / PLAN)
    assert read_plan(tmp_path / PLAN) == plan

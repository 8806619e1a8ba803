"""The checker of campaigns finds every fault that is planted, and none where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.checker import (
    FAULTS,
    MESSAGES,
    PLAN,
    RECORD,
    Evidence,
    Fault,
    Received,
    Verdict,
    check,
    read_evidence,
)
from tests.chaos.plan import INBOX, SECOND, WEBHOOK, Message, Plan, Series, draw, read_plan
from tests.chaos.record import Event, Kept, Record, Reminder, Run, Schedule
from tests.chaos.witness import STALL, Entry, Witness, append

START = 1_800_000_000 * SECOND
STEADY = Series(name="steady", first=START, every=SECOND, times=4, job="short", overlap="skip", seconds=0.5)
LONELY = Series(name="lonely", first=START, every=SECOND, times=1, job="threaded", overlap="skip", seconds=0.5)
TOLD = Message(text="told", at=START, channel=WEBHOOK)
KEPT = Message(text="kept", at=START, channel=INBOX)
SERIES = (STEADY, LONELY)


def key_of(name: str, number: int) -> str:
    return f"{name}/schedule/{number}"


def calls(name: str, number: int, *, begin: float, end: float, fence: int = 1, process: str = "a") -> list[Entry]:
    """A handler that was entered and came to its end."""
    entered = Entry(
        what="enter",
        process=process,
        at=begin,
        key=key_of(name, number),
        name=name,
        nonce=f"{name}{number}-{fence}",
        attempt=fence,
        fence=fence,
    )
    return [entered, replace(entered, what="exit", at=end)]


def run_of(series: Series, number: int, *, fence: int = 1) -> Run:
    return Run(
        name=series.name,
        origin="schedule",
        fire_at=series.first + number * series.every,
        status="succeeded",
        fence=fence,
        result=json.dumps({"nonce": f"{series.name}{number}-{fence}"}),
        error=None,
        reason=None,
        skipped=0,
        first_skipped_at=None,
        id=f"run_{series.name}_{number}",
        schedule_id=series.name,
    )


def skip_of(series: Series, first: int, last: int) -> Run:
    """A record of fires that were skipped."""
    return replace(
        run_of(series, last),
        status="skipped",
        result=None,
        skipped=last - first + 1,
        first_skipped_at=series.first + first * series.every,
    )


def schedule_of(name: str, total_runs: int) -> Schedule:
    return Schedule(name=name, total_runs=total_runs, next_run_at=None, quarantine=None)


def message_run(message: Message) -> Run:
    delivered = replace(run_of(LONELY, 0), name=message.text, schedule_id=message.text, result="{}")
    return replace(delivered, id=f"run_{message.text}")


def good() -> Evidence:
    """Four fires of which two were skipped, one more that took two attempts, and two messages, one of them twice."""
    record = Record(
        runs=(
            run_of(STEADY, 0),
            skip_of(STEADY, 1, 2),
            run_of(STEADY, 3),
            run_of(LONELY, 0, fence=2),
            message_run(TOLD),
            message_run(KEPT),
        ),
        schedules=(schedule_of("steady", 2), schedule_of("lonely", 1), schedule_of("told", 1), schedule_of("kept", 1)),
        reminders=(Reminder(name="told", status="delivered"), Reminder(name="kept", status="delivered")),
        inbox=(Kept(text="kept", key="run_kept/reminder/0"),),
        failures=(),
    )
    entries = [
        *calls("steady", 0, begin=10.0, end=12.5),
        *calls("steady", 3, begin=13.0, end=13.5),
        calls("lonely", 0, begin=10.0, end=0.0)[0],  # its process was killed
        *calls("lonely", 0, begin=12.0, end=12.5, fence=2, process="b"),
    ]
    return Evidence(
        plan=Plan(seed=1, start=START, seconds=4, series=SERIES, messages=(TOLD, KEPT)),
        entries=entries,
        faults=[
            Fault(what="kill", process="a", begin=20.0, end=20.0),
            Fault(what="freeze", process="a", begin=11.0, end=11.9),
        ],
        received=[Received(text="told", key="run_told/reminder/0")] * 2,
        record=record,
    )


def test_a_clean_campaign_has_no_complaints() -> None:
    verdict = check(good())
    assert verdict.is_clean, str(verdict)
    assert (verdict.expected, verdict.recorded, verdict.carried_out, verdict.entered) == (5, 5, 3, 4)
    assert (verdict.messages, verdict.arrived) == (2, 2)
    assert verdict.repeated == {"told": ["run_told/reminder/0"]}, "which is told, and no offence"
    assert verdict.excused == 1


# planted faults


def with_runs(evidence: Evidence, change: Callable[[tuple[Run, ...]], tuple[Run, ...]]) -> Evidence:
    return replace(evidence, record=replace(evidence.record, runs=change(evidence.record.runs)))


def lost_fire(evidence: Evidence) -> Evidence:
    return replace(
        with_runs(evidence, lambda runs: runs[1:]),
        record=replace(evidence.record, runs=evidence.record.runs[1:], schedules=_counting(evidence, "steady", 1)),
    )


def _counting(evidence: Evidence, name: str, total_runs: int) -> tuple[Schedule, ...]:
    return tuple(
        replace(each, total_runs=total_runs) if each.name == name else each for each in evidence.record.schedules
    )


def skip_that_counts_wrong(evidence: Evidence) -> Evidence:
    return with_runs(evidence, lambda runs: (runs[0], replace(runs[1], skipped=3), *runs[2:]))


def done_without_a_handler(evidence: Evidence) -> Evidence:
    return replace(evidence, entries=[each for each in evidence.entries if each.nonce != "steady3-1"])


def given_up(evidence: Evidence) -> Evidence:
    return with_runs(evidence, lambda runs: (*runs[:3], replace(runs[3], status="dead", reason="lost"), *runs[4:]))


def message_that_never_came(evidence: Evidence) -> Evidence:
    return replace(evidence, received=[])


def message_without_a_record(evidence: Evidence) -> Evidence:
    schedules = tuple(each for each in evidence.record.schedules if each.name != "kept")
    runs = tuple(run for run in evidence.record.runs if run.name != "kept")
    return replace(evidence, record=replace(evidence.record, runs=runs, schedules=schedules))


def second_record(evidence: Evidence) -> Evidence:
    more = replace(run_of(STEADY, 2), status="missed", skipped=1, first_skipped_at=None, id="run_more")
    return with_runs(evidence, lambda runs: (*runs, more))


def second_outcome(evidence: Evidence) -> Evidence:
    return replace(evidence, record=replace(evidence.record, schedules=_counting(evidence, "lonely", 2)))


def second_run_of_a_key(evidence: Evidence) -> Evidence:
    return with_runs(evidence, lambda runs: (*runs, replace(runs[0], id="run_again")))


def claim_carried_out_twice(evidence: Evidence) -> Evidence:
    again = [replace(each, nonce="again", at=each.at + 10) for each in calls("steady", 3, begin=13.0, end=13.5)]
    return replace(evidence, entries=[*evidence.entries, *again])


def outcome_of_an_old_claim(evidence: Evidence) -> Evidence:
    return with_runs(evidence, lambda runs: (replace(runs[0], fence=2), *runs[1:]))


def fire_that_was_not_planned(evidence: Evidence) -> Evidence:
    schedules = _counting(evidence, "lonely", 2)
    extra = replace(run_of(LONELY, 7, fence=2), result=json.dumps({"nonce": "lonely0-2"}))
    changed = with_runs(evidence, lambda runs: (*runs, extra))
    return replace(changed, record=replace(changed.record, schedules=schedules))


def inbox_twice(evidence: Evidence) -> Evidence:
    inbox = (*evidence.record.inbox, Kept(text="kept", key="run_kept/reminder/1"))
    return replace(evidence, record=replace(evidence.record, inbox=inbox))


def second_attempt_while_the_first_goes_on(evidence: Evidence) -> Evidence:
    again = calls("steady", 0, begin=12.0, end=12.2, fence=2, process="b")
    without_excuse = [fault for fault in evidence.faults if fault.what != "freeze"]
    lonely = [each for each in evidence.entries if each.name == "lonely" and each.fence == 1]
    entries = [each for each in evidence.entries if each not in lonely]
    return replace(evidence, entries=[*entries, *again], faults=without_excuse)


def two_runs_under_skip(evidence: Evidence) -> Evidence:
    entries = [
        replace(each, at=12.4) if each.nonce == "steady3-1" and each.what == "enter" else each
        for each in evidence.entries
    ]
    return replace(evidence, entries=entries, faults=[Fault(what="freeze", process="b", begin=0.0, end=99.0)])


def partition_is_no_excuse_for_a_coroutine(evidence: Evidence) -> Evidence:
    planted = second_attempt_while_the_first_goes_on(evidence)
    return replace(planted, faults=[*planted.faults, Fault(what="partition", process="a", begin=11.0, end=12.0)])


def run_that_goes_on(evidence: Evidence) -> Evidence:
    schedules = _counting(evidence, "steady", 1)
    changed = with_runs(evidence, lambda runs: (replace(runs[0], status="running", result=None), *runs[1:]))
    return replace(changed, record=replace(changed.record, schedules=schedules))


def schedule_that_goes_on(evidence: Evidence) -> Evidence:
    schedules = tuple(replace(each, next_run_at=START) for each in evidence.record.schedules)
    return replace(evidence, record=replace(evidence.record, schedules=schedules))


def reminder_that_goes_on(evidence: Evidence) -> Evidence:
    reminders = (Reminder(name="told", status="sending"),)
    return replace(evidence, record=replace(evidence.record, reminders=reminders))


def repeated_under_a_new_key(evidence: Evidence) -> Evidence:
    return replace(evidence, received=[*evidence.received, Received(text="told", key="run_told/reminder/1")])


def failure_of_a_node_that_had_lost_the_run(evidence: Evidence) -> Evidence:
    failures = (Event(name="run.failed", run_id="run_lonely_0"),)
    return replace(evidence, record=replace(evidence.record, failures=failures))


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (lost_fire, "lost"),
        (skip_that_counts_wrong, "lost"),
        (done_without_a_handler, "lost"),
        (given_up, "given_up"),
        (message_that_never_came, "lost"),
        (message_without_a_record, "lost"),
        (second_record, "doubled"),
        (second_outcome, "doubled"),
        (second_run_of_a_key, "doubled"),
        (claim_carried_out_twice, "doubled"),
        (outcome_of_an_old_claim, "doubled"),
        (fire_that_was_not_planned, "doubled"),
        (inbox_twice, "doubled"),
        (second_attempt_while_the_first_goes_on, "overlaps"),
        (two_runs_under_skip, "overlaps"),
        (partition_is_no_excuse_for_a_coroutine, "overlaps"),
        (run_that_goes_on, "stuck"),
        (schedule_that_goes_on, "stuck"),
        (reminder_that_goes_on, "stuck"),
        (repeated_under_a_new_key, "rekeyed"),
        (failure_of_a_node_that_had_lost_the_run, "misreported"),
    ],
    ids=lambda value: value.__name__ if callable(value) else value,
)
def test_the_checker_finds_and_names_each_planted_violation(plant: Callable[[Evidence], Evidence], found: str) -> None:
    verdict = check(plant(good()))
    assert not verdict.is_clean
    offences: list[str] = getattr(verdict, found)
    assert offences, str(verdict)
    assert offences[0] in str(verdict)


# excuses


def overlapping(*faults: Fault, job: str = "short", stalls: tuple[Entry, ...] = ()) -> Verdict:
    """A second attempt begins at 12 while the first, of process a, goes on from 10 to 12.5."""
    series = (replace(STEADY, job=job), LONELY)
    planted = second_attempt_while_the_first_goes_on(good())
    entries = [*planted.entries, *stalls]
    return check(replace(planted, plan=replace(planted.plan, series=series), entries=entries, faults=faults))


@pytest.mark.parametrize(
    ("fault", "job", "excused"),
    [
        (Fault(what="freeze", process="a", begin=10.5, end=11.5), "short", True),
        (Fault(what="freeze", process="b", begin=10.5, end=11.5), "short", False),
        (Fault(what="freeze", process="a", begin=12.1, end=12.4), "short", False),
        (Fault(what="freeze", process="a", begin=1.0, end=9.0), "short", False),
        (Fault(what="freeze", process="b", begin=10.5, end=11.5), "threaded", True),
        (Fault(what="partition", process="a", begin=10.5, end=11.5), "threaded", True),
        (Fault(what="partition", process="a", begin=10.5, end=11.5), "short", False),
        (Fault(what="server restart", begin=10.5, end=11.5), "threaded", True),
        (Fault(what="stop", process="b", begin=10.5, end=11.5), "threaded", False),
    ],
)
def test_a_second_start_is_excused_only_by_a_fault_of_the_first_process(fault: Fault, job: str, excused: bool) -> None:
    assert bool(overlapping(fault, job=job).overlaps) is not excused


def test_a_process_that_the_machine_delayed_is_excused_like_a_frozen_one() -> None:
    assert not overlapping(stalls=(Entry(what=STALL, process="a", at=11.8, held=1.5),)).overlaps
    assert overlapping(stalls=(Entry(what=STALL, process="b", at=11.8, held=1.5),)).overlaps


def test_a_killed_attempt_no_longer_counts_as_running() -> None:
    evidence = good()
    lonely = [each for each in evidence.entries if each.name == "lonely" and each.fence == 1]
    later = calls("lonely", 0, begin=12.0, end=12.5, fence=2, process="b")
    only = replace(
        evidence, entries=[*calls("steady", 0, begin=1, end=2), *calls("steady", 3, begin=3, end=4), *lonely, *later]
    )
    assert not check(replace(only, faults=[Fault(what="kill", process="a", begin=11.0, end=12.3)])).overlaps
    assert check(replace(only, faults=[Fault(what="kill", process="a", begin=12.1, end=12.1)])).overlaps


# from files


def test_the_evidence_of_a_campaign_is_read_from_its_folder(tmp_path: Path) -> None:
    evidence = good()
    evidence.plan.write(tmp_path / PLAN)
    evidence.record.write(tmp_path / RECORD)
    for fault in evidence.faults:
        append(
            tmp_path / FAULTS, {"what": fault.what, "begin": fault.begin, "end": fault.end, "process": fault.process}
        )
    for each in evidence.received:
        append(tmp_path / MESSAGES, {"text": each.text, "key": each.key})
    witness = Witness(tmp_path, "a")
    with witness.watching(key="k", name="steady", attempt=1, fence=1) as nonce:
        pass
    with pytest.raises(ValueError, match="as asked"), witness.watching(key="k", name="steady", attempt=2, fence=2):
        raise ValueError("as asked")
    with (tmp_path / "b.witness").open("w", encoding="utf-8") as torn:
        torn.write('{"what": "ent')  # the process was killed while it wrote

    read = read_evidence(tmp_path)
    assert (read.plan, read.record) == (evidence.plan, evidence.record)
    assert (list(read.faults), list(read.received)) == (evidence.faults, evidence.received)
    assert [entry.what for entry in read.entries] == ["enter", "exit", "enter", "left"]
    assert {entry.nonce for entry in read.entries[:2]} == {nonce}


def test_a_seed_gives_the_same_plan_and_a_file_keeps_it(tmp_path: Path) -> None:
    plan = draw(7, START, 60)
    assert draw(7, START, 60) == plan
    assert draw(8, START, 60) != plan
    plan.write(tmp_path / PLAN)
    assert read_plan(tmp_path / PLAN) == plan
    ends = [series.instants()[-1] for series in plan.series]
    assert max(ends) <= START + 60 * SECOND
    assert len({series.name for series in plan.series}) == len(plan.series)

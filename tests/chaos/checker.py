"""The verdict on a campaign, from what it left in a folder: plan, witnesses, faults, messages, and what the store says.

Nothing of duly is used here. `python -m tests.chaos.checker FOLDER` reads a folder again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.plan import DEADLY, INBOX, ONE_AT_A_TIME, SECOND, THREAD_JOBS, WEBHOOK, Plan, Series, read_plan
from tests.chaos.record import CARRIED_OUT, OVER, Record, Run, read_record
from tests.chaos.witness import STALL, Entry, lines_of, testimony

PLAN, RECORD, FAULTS, MESSAGES = "plan.json", "record.json", "faults.jsonl", "messages.jsonl"
HELD = frozenset({"freeze", "stall"})
"""What keeps a process from noticing that its lease is over."""
DISTURBANCES = HELD | {"partition", "server restart"}
"""What may cost a process its lease."""
ENDED = frozenset({"kill", "stop", "vanished"})
"""After these nothing of a process goes on."""
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that was done to a process, or to all of them."""

    what: str
    begin: float
    end: float
    process: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A message that the receiver took."""

    text: str
    key: str
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything a campaign left behind."""

    plan: Plan
    entries: Sequence[Entry]
    faults: Sequence[Fault]
    received: Sequence[Received]
    record: Record


@dataclass(slots=True)
class Verdict:
    """What came of a campaign: figures, and every offence in a sentence."""

    expected: int = 0
    recorded: int = 0
    carried_out: int = 0
    entered: int = 0
    messages: int = 0
    arrived: int = 0
    excused: int = 0
    """Attempts that met because the first one's process was frozen or held up, or as a thread cannot be stopped."""
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    overlaps: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    misreported: list[str] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    """Innocent runs that were given up as if they had ended their processes."""
    culprits: int = 0
    """Runs that ended their process each time and were given up, as they should be."""
    repeated: dict[str, list[str]] = field(default_factory=dict)
    """Messages that were sent more than once, with the different keys they were sent under."""

    @property
    def rekeyed(self) -> list[str]:
        """Messages that were sent again under another key, so that the receiver cannot tell."""
        return [f"{text}: {', '.join(keys)}" for text, keys in self.repeated.items() if len(keys) > 1]

    @property
    def is_clean(self) -> bool:
        offences = (self.lost, self.doubled, self.overlaps, self.stuck, self.misreported, self.given_up, self.rekeyed)
        return not any(offences)

    def __str__(self) -> str:
        lines = [
            f"expected      {self.expected} fires, {self.messages} messages",
            f"recorded      {self.recorded} fires, {self.arrived} messages",
            f"carried out   {self.carried_out} fires; handlers were entered {self.entered} times",
            *told("lost", self.lost),
            *told("doubled", self.doubled),
            *told("overlaps", self.overlaps, f" ({self.excused} excused)"),
            *told("stuck", self.stuck),
            *told("misreported", self.misreported),
            *told("given up", self.given_up, f", and {self.culprits} culprits"),
            f"{'sent again':<13} {len(self.repeated)}",
            *(f"    {text} under {', '.join(keys)}" for text, keys in list(self.repeated.items())[:_SHOWN]),
            *told("new key", self.rekeyed),
        ]
        return "\n".join(lines)


def told(name: str, offences: Sequence[str], more: str = "") -> list[str]:
    left = len(offences) - _SHOWN
    rest = [f"    and {left} more"] if left > 0 else []
    return [f"{name:<13} {len(offences)}{more}", *(f"    {each}" for each in offences[:_SHOWN]), *rest]


def read_evidence(folder: Path) -> Evidence:
    """What a campaign left in a folder."""
    return Evidence(
        plan=read_plan(folder / PLAN),
        entries=testimony(folder),
        faults=[Fault(**line) for line in lines_of(folder / FAULTS)],
        received=[Received(**line) for line in lines_of(folder / MESSAGES)],
        record=read_record(folder / RECORD),
    )


def check(evidence: Evidence) -> Verdict:
    """Hold what was expected against what the witnesses and the store say."""
    verdict = Verdict()
    check_fires(evidence, verdict)
    _check_outcomes(evidence, verdict)
    _check_attempts(evidence, verdict)
    _check_overlaps(evidence, verdict)
    _check_messages(evidence, verdict)
    _check_journal(evidence, verdict)
    return verdict


# fires


def check_fires(evidence: Evidence, verdict: Verdict) -> None:
    """Every expected instant has one record, and every record stands for expected instants."""
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in evidence.record.runs:
        runs[run.name].append(run)
    for series in evidence.plan.series:
        instants = series.instants()
        verdict.expected += len(instants)
        covered = Counter[int]()
        for run in runs.pop(series.name, []):
            stands_for = _stands_for(run, instants)
            if not stands_for:
                verdict.doubled.append(f"{shown(run)} is not expected")
            elif run.skipped and len(stands_for) != run.skipped:
                verdict.lost.append(f"{shown(run)} counts {run.skipped} fires, and {len(stands_for)} were expected")
            covered.update(stands_for)
        verdict.recorded += len(covered)
        verdict.lost += [f"{series.name} at {_time(each)} has no record" for each in instants if not covered[each]]
        verdict.doubled += [
            f"{series.name} at {_time(at)} has {number} records" for at, number in covered.items() if number > 1
        ]
    names = {message.text for message in evidence.plan.messages}
    verdict.doubled += [f"{name} is not expected" for name in runs if name not in names]
    overdue = [each for each in evidence.record.schedules if each.next_run_at is not None or each.quarantine]
    verdict.stuck += [
        f"schedule {each.name} is not over: {each.quarantine or 'it still has a next time'}" for each in overdue
    ]


def _stands_for(run: Run, instants: Sequence[int]) -> list[int]:
    """The expected instants that a record tells of."""
    if run.origin != "schedule":
        return []
    first = run.fire_at if run.first_skipped_at is None else run.first_skipped_at
    return [each for each in instants if first <= each <= run.fire_at]


def _check_outcomes(evidence: Evidence, verdict: Verdict) -> None:
    """Every run is over; only those were given up that are at fault; what the store accepted it accepted once."""
    deadly = {series.name for series in evidence.plan.series if series.job == DEADLY}
    for run in evidence.record.runs:
        if run.status not in OVER:
            verdict.stuck.append(f"{shown(run)} is {run.status}")
        elif run.name in deadly and run.status in CARRIED_OUT:
            verdict.culprits += run.status == "dead"
            verdict.misreported += [] if run.status == "dead" else [f"{shown(run)} ended {run.status}, and cannot end"]
        elif run.status == "dead":
            verdict.given_up.append(f"{shown(run)}: {run.reason}")
        elif run.status in CARRIED_OUT - {"succeeded"}:
            verdict.lost.append(f"{shown(run)} ended {run.status}: {run.reason or run.error}")
    accepted = Counter(run.name for run in evidence.record.runs if run.status in CARRIED_OUT)
    for schedule in evidence.record.schedules:
        if schedule.total_runs != accepted[schedule.name]:
            verdict.doubled.append(
                f"{schedule.name} counts {schedule.total_runs} outcomes, and {accepted[schedule.name]} runs have one"
            )
    keys = Counter((run.schedule_id, run.origin, run.fire_at) for run in evidence.record.runs)
    verdict.doubled += [f"key {key} has {number} runs" for key, number in keys.items() if number > 1]


# handlers


def _check_attempts(evidence: Evidence, verdict: Verdict) -> None:
    """What the store calls done was done, by the attempt whose outcome it has; no claim was carried out twice."""
    claims = Counter((entry.key, entry.fence) for entry in evidence.entries if entry.what == "enter")
    verdict.entered = sum(claims.values())
    verdict.doubled += [
        f"claim {fence} of {key} was carried out {n} times" for (key, fence), n in claims.items() if n > 1
    ]
    done = {entry.nonce: entry for entry in evidence.entries if entry.what == "exit"}
    jobs = {series.name for series in evidence.plan.series}
    keys: dict[tuple[str, int], set[str]] = defaultdict(set)
    for run in evidence.record.runs:
        if run.name not in jobs or run.status != "succeeded":
            continue
        verdict.carried_out += 1
        entry = done.get(str(json.loads(run.result or "{}").get("nonce")))
        if entry is None:
            verdict.lost.append(f"{shown(run)} is recorded as done, and no handler came to its end")
        elif entry.fence != run.fence:
            verdict.doubled.append(f"{shown(run)} has fence {run.fence} and the outcome of fence {entry.fence}")
        else:
            keys[run.name, run.fire_at].add(entry.key)
    of_runs = Counter(key for each in keys.values() for key in each)
    verdict.doubled += [f"{key} is the key of {number} fires" for key, number in of_runs.items() if number > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One call of a handler."""

    key: str
    name: str
    process: str
    begin: float
    end: float


def _check_overlaps(evidence: Evidence, verdict: Verdict) -> None:
    """No two attempts of a run at once, and no two runs of a schedule that has one at a time.

    Excused is an earlier attempt whose process was frozen or held up meanwhile: it could not know. So is one in a
    thread, which cannot be stopped, if anything happened that may have cost its process the lease.
    """
    series = {each.name: each for each in evidence.plan.series}
    faults = [*evidence.faults, *_stalls(evidence.entries)]
    under_way: dict[str, list[_Attempt]] = defaultdict(list)
    for later in sorted(_attempts(evidence), key=lambda each: each.begin):
        earlier = [each for each in under_way[later.name] if each.end > later.begin]
        for first in earlier:
            if first.key != later.key and series[later.name].overlap not in ONE_AT_A_TIME:
                continue
            if _is_excused(first, later.begin, series[later.name], faults):
                verdict.excused += 1
            else:
                what = "one run" if first.key == later.key else f"overlap {series[later.name].overlap}"
                verdict.overlaps.append(
                    f"{later.name}: {later.process} began {later.key} at {later.begin:.3f} while {first.process} "
                    f"was at {first.key} since {first.begin:.3f} ({what})"
                )
        under_way[later.name] = [*earlier, later]


def _attempts(evidence: Evidence) -> Iterator[_Attempt]:
    ends = {entry.nonce: entry.at for entry in evidence.entries if entry.what in ("exit", "left")}
    gone = {fault.process: _end_of_life(fault) for fault in evidence.faults if fault.what in ENDED}
    for entry in evidence.entries:
        if entry.what == "enter":
            end = ends.get(entry.nonce, gone.get(entry.process, float("inf")))
            yield _Attempt(key=entry.key, name=entry.name, process=entry.process, begin=entry.at, end=end)


def _end_of_life(fault: Fault) -> float:
    """Others may take over from the moment at which a process ends, before the campaign has noticed that."""
    return fault.end if fault.what == "stop" else fault.begin


def _stalls(entries: Iterable[Entry]) -> list[Fault]:
    return [
        Fault(what=STALL, process=entry.process, begin=entry.at - entry.held, end=entry.at)
        for entry in entries
        if entry.what == STALL
    ]


def _is_excused(first: _Attempt, until: float, series: Series, faults: Iterable[Fault]) -> bool:
    meanwhile = [fault for fault in faults if fault.begin < until and fault.end > first.begin]
    if any(fault.what in HELD and fault.process == first.process for fault in meanwhile):
        return True
    return series.job in THREAD_JOBS and any(fault.what in DISTURBANCES for fault in meanwhile)


# messages


def _check_messages(evidence: Evidence, verdict: Verdict) -> None:
    """Every message arrived; one that was sent more than once has the same key each time, and is in the inbox once."""
    kept = Counter(each.text for each in evidence.record.inbox)
    keys: dict[str, list[str]] = defaultdict(list)
    for each in evidence.received:
        keys[each.text].append(each.key)
    for message in evidence.plan.messages:
        verdict.messages += 1
        times = {WEBHOOK: len(keys[message.text]), INBOX: kept[message.text]}
        if times[message.channel] == 0:
            verdict.lost.append(f"{message.text!r} never arrived through {message.channel}")
            continue
        verdict.arrived += 1
        if times[WEBHOOK] > 1:
            verdict.repeated[message.text] = list(dict.fromkeys(keys[message.text]))
        if times[INBOX] > 1:
            verdict.doubled.append(f"{message.text!r} is in the inbox {times[INBOX]} times")
    open_ones = [each for each in evidence.record.reminders if each.status != "delivered"]
    verdict.stuck += [f"reminder {each.name} is {each.status}" for each in open_ones]
    known = Counter(run.name for run in evidence.record.runs)
    verdict.lost += [f"{each.text!r} has no record" for each in evidence.plan.messages if not known[each.text]]


def _check_journal(evidence: Evidence, verdict: Verdict) -> None:
    """No run is said to have failed that did not end so: what a node says that had lost the run does not count."""
    ended = {run.id: run for run in evidence.record.runs}
    for event in evidence.record.failures:
        run = ended.get(event.run_id or "")
        if run is not None and run.status != "failed":
            verdict.misreported.append(f"{shown(run)} ended {run.status}, and the journal says {event.name}")


def shown(run: Run) -> str:
    return f"{run.name} at {_time(run.fire_at)} ({run.id})"


def _time(instant: int) -> str:
    return f"{instant / SECOND:.3f}"


def main() -> None:
    verdict = check(read_evidence(Path(sys.argv[1])))
    print(verdict)
    sys.exit(0 if verdict.is_clean else 1)


if __name__ == "__main__":
    main()

"""The verdict on a campaign over Celery, from what it left in a folder: plan, signs, cancellations, and the store.

Nothing of duly is used here. `python -m tests.chaos.elsewhere.checker FOLDER` reads a folder again. No law depends on
how fast the machine was: whether a worker was silent for a lease is known from the answers that it got.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos import checker as fires
from tests.chaos.checker import PLAN, RECORD, shown, told
from tests.chaos.elsewhere.plan import HASTY, ONE_ATTEMPT
from tests.chaos.elsewhere.signs import OK, UNREACHABLE, Sign, read_signs
from tests.chaos.plan import ONE_AT_A_TIME, SECOND, Plan, Series, read_plan
from tests.chaos.record import CARRIED_OUT, OVER, Handover, Record, Run, read_record
from tests.chaos.witness import lines_of

CANCELS = "cancels.jsonl"
ENDED_BY_CHILD = ("WorkerLostError", "Terminated", "terminated by signal")
"""What the main process of a worker says about a task whose process is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """duly has said that a run is called off."""

    run: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything a campaign left behind."""

    plan: Plan
    signs: Sequence[Sign]
    record: Record
    cancels: Sequence[Cancel] = ()


@dataclass(slots=True)
class Verdict:
    """What came of a campaign: figures, and every offence in a sentence."""

    expected: int = 0
    recorded: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    handovers: Counter[str] = field(default_factory=Counter)
    sent_again: int = 0
    begun: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Requests for leave that duly refused, by reason: messages that came twice, most of them."""
    late: Counter[str] = field(default_factory=Counter)
    """Outcomes that duly refused, by reason."""
    beside: int = 0
    """Attempts that began while an earlier one, which had been silent for a lease, went on."""
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    """User code that began although an earlier attempt beat."""
    given_up: list[str] = field(default_factory=list)
    """Attempts that were given up although they were heard, or were sound."""
    stuck: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not any((self.lost, self.doubled, self.twice, self.given_up, self.stuck))

    def __str__(self) -> str:
        lines = [
            f"expected      {self.expected} fires",
            f"recorded      {self.recorded} fires: {_counted(self.statuses)}",
            f"handed over   {self.handovers.total()} attempts: {_counted(self.handovers)}",
            f"sent again    {self.sent_again}",
            f"begun         {self.begun}",
            f"no leave      {_counted(self.refused)}",
            f"too late      {_counted(self.late)}",
            *told("lost", self.lost),
            *told("doubled", self.doubled),
            *told("begun twice", self.twice, f" ({self.beside} beside one that was silent for a lease)"),
            *told("given up", self.given_up),
            *told("stuck", self.stuck),
        ]
        return "\n".join(lines)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in sorted(counts.items())) or "none"


def read_evidence(folder: Path) -> Evidence:
    """What a campaign left in a folder."""
    return Evidence(
        plan=read_plan(folder / PLAN),
        signs=read_signs(folder),
        record=read_record(folder / RECORD),
        cancels=[Cancel(**line) for line in lines_of(folder / CANCELS)],
    )


def check(evidence: Evidence) -> Verdict:
    """Hold what was expected against what the workers and the store say."""
    books = _Books(evidence)
    verdict = Verdict()
    _check_fires(evidence, verdict)
    _check_runs(books, verdict)
    _check_handovers(books, verdict)
    _check_reports(books, verdict)
    _check_begun_once(books, verdict)
    _check_overlaps(books, verdict)
    _check_cancelled(books, verdict)
    return verdict


_Key = tuple[str, int]
"""A run, and the number of the handover."""


class _Books:
    """The evidence, sorted."""

    def __init__(self, evidence: Evidence) -> None:
        self.series = {each.name: each for each in evidence.plan.series}
        self.runs = {run.id: run for run in evidence.record.runs if run.name in self.series}
        self.schedules = evidence.record.schedules
        self.handovers: dict[_Key, Handover] = {(of.run_id, of.number): of for of in evidence.record.handovers}
        self.latest: dict[str, Handover] = {of.run_id: of for of in evidence.record.handovers}
        self.of_key: dict[_Key, list[Sign]] = defaultdict(list)
        for sign in evidence.signs:
            self.of_key[sign.run, sign.number].append(sign)
        self.cancels = evidence.cancels

    def series_of(self, run: Run) -> Series:
        return self.series[run.name]

    def signs(self, what: str, key: _Key | None = None) -> Iterator[Sign]:
        """Those of one kind, of one handover or of all."""
        of = self.of_key.values() if key is None else [self.of_key.get(key, [])]
        return (sign for signs in of for sign in signs if sign.what == what)


def _check_fires(evidence: Evidence, verdict: Verdict) -> None:
    """Every expected instant has one record."""
    found = fires.Verdict()
    fires.check_fires(
        fires.Evidence(plan=evidence.plan, entries=(), faults=(), received=(), record=evidence.record), found
    )
    verdict.expected, verdict.recorded = found.expected, found.recorded
    verdict.lost += found.lost
    verdict.doubled += found.doubled
    verdict.stuck += found.stuck


def _check_runs(books: _Books, verdict: Verdict) -> None:
    """Every run is over as its last handover says, and was given up only where its policy says so."""
    accepted = Counter(run.name for run in books.runs.values() if run.status in CARRIED_OUT)
    called_off = Counter(run.name for run in books.runs.values() if run.status == "cancelled")  # some had not begun
    for schedule in books.schedules:
        most = accepted[schedule.name]
        if schedule.name in books.series and not most - called_off[schedule.name] <= schedule.total_runs <= most:
            verdict.doubled.append(f"{schedule.name} counts {schedule.total_runs} outcomes, and {most} runs have one")
    asked = {each.run for each in books.cancels}
    for run in books.runs.values():
        verdict.statuses[run.status] += 1
        latest = books.latest.get(run.id)
        offence = _offence_of(run, latest, books.series_of(run).job)
        if run.status not in OVER:
            verdict.stuck.append(f"{shown(run)} is {run.status}, its handover {latest and latest.state}")
        elif run.status == "dead":
            verdict.given_up.append(f"{shown(run)}: {run.reason}")
        elif run.status == "cancelled" and run.id not in asked:
            verdict.lost.append(f"{shown(run)} was cancelled, and nobody asked for it")
        elif offence:
            verdict.lost.append(f"{shown(run)} {offence}; its last handover: {latest and latest.state}; {run.error}")


def _offence_of(run: Run, latest: Handover | None, job: str) -> str | None:
    """Say what is wrong with the end of a run, given its last handover."""
    state = None if latest is None else latest.state
    if run.status == "succeeded" and (latest is None or state != "succeeded" or _nonce(latest) != _nonce(run)):
        return "is recorded as done"
    if run.status == "failed" and (job not in ONE_ATTEMPT or state not in ("failed", "lost")):
        return "failed"
    if run.status == "missed" and state is not None and (state != "expired" or job != HASTY):
        return "was missed"
    return None


def _nonce(of: Run | Handover) -> str | None:
    """Which start of a task an outcome comes from."""
    result = json.loads(of.result or "null")
    return result.get("nonce") if isinstance(result, dict) else None


def _check_handovers(books: _Books, verdict: Verdict) -> None:
    """Each accepted outcome has a witness of that number; what was given up was silent, or its process is gone."""
    succeeded = Counter(key[0] for key, of in books.handovers.items() if of.state == "succeeded")
    verdict.doubled += [
        f"{number} handovers of {run} have succeeded" for run, number in succeeded.items() if number > 1
    ]
    for key, of in books.handovers.items():
        verdict.handovers[of.state] += 1
        verdict.sent_again += max(0, of.sent - 1)
        name = f"handover {of.run_id}.{of.number}"
        done = {sign.nonce for sign in books.signs("exit", key)}
        if of.state in ("intended", "handed_over", "begun"):
            verdict.stuck.append(f"{name} is {of.state}")
        elif of.state == "succeeded" and _nonce(of) not in done:
            verdict.lost.append(f"{name} has succeeded, and no task of it came to its end")
        elif of.state == "failed" and done and not any(each in (of.error or "") for each in ENDED_BY_CHILD):
            verdict.given_up.append(f"{name} has failed, and its task came to its end: {of.error}")
        elif of.state == "expired" and any(books.signs("enter", key)):
            verdict.given_up.append(f"{name} has expired, and its task had begun")
        elif of.state == "lost" and (heard := _heard(books, key, of)) is not None:
            verdict.given_up.append(f"{name} was lost, and was heard {heard:.3f} s before")
    unknown = {key for key in books.of_key if key not in books.handovers}
    verdict.lost += [f"handover {run}.{number} has no record, and a worker had it" for run, number in sorted(unknown)]


def _heard(books: _Books, key: _Key, of: Handover) -> float | None:
    """How long before it was given up it was heard, if that was less than a lease."""
    ended = (of.ended_at or 0) / SECOND
    heard = [sign.sent_wall for what in ("begin", "beat") for sign in books.signs(what, key) if sign.answer == OK]
    silence = ended - max(heard, default=0.0)
    return silence if 0 <= silence < of.lease_seconds else None


def _check_reports(books: _Books, verdict: Verdict) -> None:
    """What duly took from a worker is in the record, and what it refused is not."""
    for sign in books.signs("begin"):
        if sign.answer not in (OK, UNREACHABLE):
            verdict.refused[sign.answer] += 1
    for sign in books.signs("end"):
        of = books.handovers.get((sign.run, sign.number))
        kept = None if of is None else _nonce(of)
        name = f"the outcome of {sign.run}.{sign.number}"
        if sign.answer == OK:
            if of is None or of.state != sign.state or (sign.nonce and kept != sign.nonce):
                verdict.lost.append(f"{name} was taken, and the record says {None if of is None else of.state}")
        elif sign.answer != UNREACHABLE:
            verdict.late[sign.answer] += 1
            taken = {each.nonce for each in books.signs("end", (sign.run, sign.number)) if each.answer != sign.answer}
            if sign.nonce and kept == sign.nonce and sign.nonce not in taken:
                verdict.doubled.append(f"{name} was refused as {sign.answer}, and the record has it")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """Code of a task, from its first step to the last that is known."""

    enter: Sign
    end: float

    @property
    def key(self) -> _Key:
        return self.enter.run, self.enter.number


def _attempts(books: _Books) -> dict[str, list[_Attempt]]:
    """The attempts of each run, in order of time. One without an end lasted at least to its last sign of life."""
    found: dict[str, list[_Attempt]] = defaultdict(list)
    for key, signs in books.of_key.items():
        ends = {sign.nonce: sign.at for sign in signs if sign.what in ("exit", "left")}
        for enter in (sign for sign in signs if sign.what == "enter"):
            alive = [sign.sent for sign in signs if sign.what == "beat" and (sign.pid, sign.answer) == (enter.pid, OK)]
            later = [other.at for other in signs if other.what == "enter" and other.at > enter.at]
            last = max((at for at in alive if at < min(later, default=at + 1)), default=enter.at)
            found[key[0]].append(_Attempt(enter=enter, end=ends.get(enter.nonce, max(enter.at, last))))
    for attempts in found.values():
        attempts.sort(key=lambda each: each.enter.at)
    return found


def _check_begun_once(books: _Books, verdict: Verdict) -> None:
    """Code begins once for each handover, and not while an earlier handover beats."""
    for run, attempts in _attempts(books).items():
        verdict.begun += len(attempts)
        tries = Counter((each.enter.number, each.enter.retries) for each in attempts)
        verdict.twice += [
            f"try {retries} of {run}.{number} began {times} times"
            for (number, retries), times in tries.items()
            if times > 1
        ]
        for number, later in enumerate(attempts):
            for earlier in attempts[:number]:
                if earlier.end <= later.enter.at:
                    continue
                if earlier.key != later.key and _was_lost(books, earlier.key):
                    verdict.beside += 1
                else:
                    verdict.twice.append(
                        f"{run}.{later.enter.number} began while {run}.{earlier.enter.number} went on, for"
                        f" {earlier.end - later.enter.at:.3f} s more"
                    )


def _was_lost(books: _Books, key: _Key) -> bool:
    """Whether it was given up for its silence; `_check_handovers` says whether rightly."""
    of = books.handovers.get(key)
    return of is not None and of.state == "lost"


def _check_overlaps(books: _Books, verdict: Verdict) -> None:
    """No two runs of a schedule that has one at a time, but for what was given up, or called off, and went on."""
    by_name: dict[str, list[_Attempt]] = defaultdict(list)
    for run, attempts in _attempts(books).items():
        if run in books.runs and books.series_of(books.runs[run]).overlap in ONE_AT_A_TIME:
            by_name[books.runs[run].name] += attempts
    for name, attempts in by_name.items():
        attempts.sort(key=lambda each: each.enter.at)
        for number, later in enumerate(attempts):
            for earlier in attempts[:number]:
                if earlier.enter.run == later.enter.run or earlier.end <= later.enter.at:
                    continue
                of = books.handovers.get(earlier.key)
                if of is None or of.state not in ("lost", "cancelled"):
                    verdict.twice.append(f"{name}: {later.enter.run} began while {earlier.enter.run} went on")


def _check_cancelled(books: _Books, verdict: Verdict) -> None:
    """Nothing gets leave that was called off before it asked."""
    at = {each.run: each.at for each in books.cancels}
    for sign in books.signs("begin"):
        run = books.runs.get(sign.run)
        if (
            run is not None
            and run.status == "cancelled"
            and sign.answer == OK
            and sign.sent > at.get(sign.run, sign.sent)
        ):
            verdict.twice.append(f"{shown(run)} got leave after it was cancelled")


def main() -> None:
    verdict = check(read_evidence(Path(sys.argv[1])))
    print(verdict)
    sys.exit(0 if verdict.is_clean else 1)


if __name__ == "__main__":
    main()

"""What the page of a run leads with: how it ended in one sentence, and why, before anything else."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile

from duly.service.runs.views import RunDetail
from duly.web import words
from duly.web.run_output import OutputView
from duly.web.viewer import Viewer

_LAST_LINES = 6
_FAILED = ("failed", "dead")
_ANSWERED = {"ack": "Done", "snooze": "Snoozed", "dismiss": "Dismissed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLead:
    """The first card of a run."""

    shape: str
    sentence: str
    error: str = ""
    traceback: str = ""
    last_lines: list[str] = field(default_factory=list)
    """What an agent printed last."""
    why: list[str] = field(default_factory=list)
    """Why it did not run."""
    message: str = ""
    question: str = ""


def lead_of(detail: RunDetail, output: OutputView | None, viewer: Viewer) -> RunLead | None:
    """Say how a run ended and why; None for one that goes on or went well, which its output and result tell."""
    run = detail.run
    if detail.message is not None:
        return RunLead(
            shape=words.shape(detail.reminder_status or run.status),
            sentence=_of_reminder(detail, viewer),
            error=run.error or "",
            why=_why(detail, viewer),
            message=detail.message,
            question=detail.question or "",
        )
    if run.status in ("skipped", "missed", "cancelled"):
        sentence = {"skipped": "It was skipped.", "missed": "It was missed.", "cancelled": "It was cancelled."}
        return RunLead(shape=words.shape(run.status), sentence=sentence[run.status], why=_why(detail, viewer))
    if run.status not in _FAILED:
        return None
    lines = [each.text for each in output.lines if each.text.strip()] if output is not None else []
    return RunLead(
        shape=words.shape(run.status),
        sentence=_of_failure(detail, viewer),
        error=run.error or run.reason or "",
        traceback=detail.traceback or "",
        last_lines=lines[-_LAST_LINES:],
    )


def _of_failure(detail: RunDetail, viewer: Viewer) -> str:
    run = detail.run
    ended = run.finished_at
    attempts = f" after {run.attempt} attempts" if run.attempt > 1 else ""
    at = "" if ended is None else f", {words.moment(ended, viewer.now, viewer.zone)}"
    lead = f"{'Failed' if run.status == 'failed' else 'It took its process down'}{attempts}{at}."
    before = [each.status for each in detail.durations]
    ids = [each.run_id for each in detail.durations]
    earlier = before[: ids.index(run.id)] if run.id in ids else []
    if not earlier:
        return lead
    streak = len(list(takewhile(lambda status: status == earlier[-1], reversed(earlier))))
    times = words.many(streak, "time") if streak < len(earlier) else f"all {words.many(streak, 'time')} on record"
    return f"{lead} Before that it {'went well' if earlier[-1] == 'succeeded' else earlier[-1]} {times}."


def _of_reminder(detail: RunDetail, viewer: Viewer) -> str:
    """Say what became of a reminder: it waits, was answered, or was given up."""
    if detail.run.status in ("skipped", "missed", "cancelled"):
        return f"It was {detail.run.status}."
    if detail.answers and detail.reminder_status not in ("awaiting_ack", "sending"):
        last = detail.answers[-1]
        until = f" until {words.moment(last.until, viewer.now, viewer.zone)}" if last.until else ""
        said = _ANSWERED.get(last.response, last.response)
        return f"{said}{until}, {words.moment(last.at, viewer.now, viewer.zone)}."
    words_of = {
        "awaiting_ack": "It waits for an answer.",
        "unacked": "It was not answered.",
        "delivered": "It was delivered.",
        "failed": "It could not be delivered.",
        "gathered": "It comes with the digest.",
    }
    return words_of.get(detail.reminder_status or "", "It is on its way.")


def _why(detail: RunDetail, viewer: Viewer) -> list[str]:
    """Say why a run did not run, how many fires it stands for, and which rule decided."""
    run = detail.run
    if run.status not in ("skipped", "missed", "cancelled"):
        return []
    first = run.first_skipped_at
    said = [run.reason or {"missed": "It was due while nothing was running."}.get(run.status, "")]
    if run.skipped > 1:
        since = f", the first {words.moment(first, viewer.now, viewer.zone)}" if first else ""
        said.append(f"It stands for {run.skipped} fires{since}.")
    return [_capital(words.with_local_times(each, viewer.now, viewer.zone)) for each in said if each]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

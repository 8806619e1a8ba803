"""Schedules and runs in the words of the screens: when, what, how it is, what may be done, the same as a command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from duly.model.codec import Json
from duly.service.executors.views import doing
from duly.service.overview.figure_views import RunMark
from duly.service.reminders.requests import says_both
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.off import off_words
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import target_name, when_on_clocks
from duly.web import words
from duly.zones import Zone

KINDS = {"prompt": "agent", "job": "job", "message": "person"}
_LONGEST_DETAIL = 120
_QUIET = {"ok", "waiting"}
_PILLS = {"awaiting": "Awaiting answer"}


def kind_of(view: ScheduleView) -> str:
    """Give the kind of a schedule: agent, job or person."""
    return KINDS.get(view.dispatch_mode, "agent")


def rhythm_of(view: ScheduleView) -> str:
    """Say when a schedule fires, without the zone; of a single instant only that it is one."""
    its_zone = view.when[len(view.when.rhythm) :]
    return "once" if view.when.once else when_on_clocks(view).removesuffix(its_zone)


def elsewhere(run: RunView, now: datetime, zone: Zone) -> str | None:
    """Say what happens to a run that an executor carries out; None for others, and once it has ended."""
    if run.finished_at is not None:
        return None
    return doing(run.handover, now, lambda at: f"{zone.localize(at):%H:%M}")


def call_of(name: str, args: Json | None, positional: Sequence[Any] | None = None) -> str:
    """Write a job as it is called: `backup(bucket="db")`."""
    unnamed = [json.dumps(value, ensure_ascii=False) for value in positional or ()]
    named = [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in (args or {}).items()]
    return f"{name}({', '.join([*unnamed, *named])})"


def place_of(view: ScheduleView) -> str:
    """Say who carries a job out elsewhere; empty for a job in this process."""
    if view.executor is None:
        return ""
    queue = f", queue {view.queue}" if view.queue else ""
    priority = "" if view.task_priority is None else f", priority {view.task_priority}"
    return f"{view.executor}{queue}{priority}"


def detail_of(view: ScheduleView) -> str:
    """Say in one line what a schedule does: the first line of the prompt, the call of the job, or the message."""
    if view.job_name:
        text = call_of(view.job_name, view.job_args, view.positional)
    else:
        text = (view.prompt or view.message or view.quarantine or "").strip().partition("\n")[0]
    return text if len(text) <= _LONGEST_DETAIL else f"{text[: _LONGEST_DETAIL - 1]}…"


def pill_of(view: ScheduleView) -> str | None:
    """Say what is not well about a schedule, or None: what is well has no pill."""
    if view.state in _QUIET:
        return None
    said = off_words(view.disabled_by).phrase if view.state == "off" else view.state
    return _PILLS.get(view.state, said.capitalize())


def reason_of(view: ScheduleView) -> str:
    """Say why a schedule is as it is, in the words of the record."""
    if view.state == "failing" and view.consecutive_failures:
        return f"failed {words.many(view.consecutive_failures, 'time')} in a row"
    if view.quarantine or view.resting:
        return str(view.quarantine or view.resting)
    return view.attention[0].reason if view.attention else view.warning or ""


def said_of_mark(mark: RunMark, now: datetime, zone: Zone) -> str:
    """Say a run in one sentence, for its mark: status, when, how long, why."""
    status = words.status_words("awaiting" if words.shape(mark.status, mark.reminder_status) == "ask" else mark.status)
    parts = [f"{status}, {words.moment(mark.fire_at, now, zone)}"]
    if mark.skipped > 1:
        parts.append(f"{mark.skipped} fires")
    if mark.seconds is not None and mark.status not in ("skipped", "missed"):
        parts.append(words.took(mark.seconds))
    if mark.attempt > 1:
        parts.append(f"attempt {mark.attempt}")
    if mark.reason:
        parts.append(mark.reason[:_LONGEST_DETAIL])
    return " · ".join(parts)


def tips_of(marks: Sequence[RunMark], now: datetime, zone: Zone) -> list[str]:
    """Say each run of a strip."""
    return [said_of_mark(each, now, zone) for each in marks]


def outcomes_sentence(marks: Sequence[RunMark]) -> str:
    """Say how the last runs went: "Of the last 30 runs 28 went well, 1 failed, 1 was skipped"."""
    if not marks:
        return ""
    well = sum(words.shape(each.status) == "ok" for each in marks)
    counts: dict[str, int] = {}
    for each in marks:
        if words.shape(each.status) != "ok":
            word = words.status_words(
                "awaiting" if words.shape(each.status, each.reminder_status) == "ask" else each.status
            )
            counts[word] = counts.get(word, 0) + 1
    rest = "".join(f", {count} {word}" for word, count in counts.items())
    return f"{well} went well{rest}"


def said_time(view: ScheduleView) -> str | None:
    """Give the words in which a person said the time; None where a sentence said the text of a reminder, too."""
    said = view.original_text
    return None if said is None or (view.message is not None and says_both(said, view.message)) else said


def command_of(view: ScheduleView) -> str:
    """Write the command that makes such a schedule."""
    said = said_time(view) or rhythm_of(view)
    if view.message is not None:
        return shlex.join(["duly", "remind", view.message, *said.split()])
    when = ["--cron", view.cron] if view.cron else ["--when", said]
    what = ["--job-name", view.job_name] if view.job_name else ["--prompt", view.prompt or ""]
    given = [f"--arg={key}={json.dumps(value)}" for key, value in (view.job_args or {}).items()]
    if view.executor is not None:
        given += ["--executor", view.executor, *([] if view.queue is None else ["--queue", view.queue])]
        given += [] if view.task_priority is None else ["--task-priority", str(view.task_priority)]
        given += [f"--positional={json.dumps(view.positional)}"] if view.positional else []
    targets = [f"--target={target_name(each)}" for each in view.targets]
    return shlex.join(["duly", "schedule", "create", view.name, *when, *what, *given, *targets])


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """A line of the list of schedules."""

    view: ScheduleView
    kind: str
    detail: str
    when: str
    zone: str | None
    pill: str | None
    why: str
    next_at: datetime | None
    meant: str
    """The next time as a form sends it, which means this one and no other."""
    marks: list[RunMark]
    tips: list[str]
    typical: str
    spend: str
    may_change: bool
    may_fire: bool
    may_edit: bool
    command: str

    @property
    def off(self) -> str:
        """What is said instead of its next time while it is off."""
        return off_words(self.view.disabled_by).phrase

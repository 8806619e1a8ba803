"""A run in one line: how it is, when, how late, how long, what it cost and what it said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from duly.service.access.scopes import Caller
from duly.service.schedules.run_views import RunView
from duly.web import about, words
from duly.web.site import Site
from duly.web.viewer import Viewer

_LONGEST = 200
_LATE = 2.0
_OPEN = ("awaiting_ack", "snoozed")
_ORIGINS = {"schedule": "by the schedule", "manual": "by hand", "backfill": "backfilled", "catch_up": "made up"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A line of a list of runs."""

    run: RunView
    fire_at: datetime
    status: str
    """The status that is shown: of a reminder that waits for its answer, that."""
    shape: str
    word: str
    late: str
    took: str
    running_since: datetime | None
    cost: str
    said: str
    origin: str
    is_over: bool


async def open_reminders(site: Site, caller: Caller, runs: Sequence[RunView]) -> dict[str, str]:
    """Give what the reminders of waiting runs wait for, by run; asks only about schedules that have such a run."""
    waiting = {run.schedule_id for run in runs if run.status == "pending"}
    figures = await site.services.overview.figures(caller, waiting) if waiting else {}
    marks = [mark for each in figures.values() for mark in each.outcomes]
    return {each.run_id: each.reminder_status for each in marks if each.reminder_status in _OPEN}


def run_line(run: RunView, viewer: Viewer, reminder_status: str | None = None) -> RunLine:
    """Make the line of a run; `reminder_status` is that of its reminder while it is open."""
    status = reminder_status or run.status
    started = run.started_at
    finished = run.finished_at
    elsewhere = about.elsewhere(run, viewer.now, viewer.zone) if reminder_status is None else None
    costs = [each.cost_usd for each in run.targets if each.cost_usd is not None]
    late = 0.0 if started is None else (started - run.fire_at).total_seconds()
    running_since = started if run.status == "running" and finished is None else None
    return RunLine(
        run=run,
        fire_at=run.fire_at,
        status=status,
        shape=words.shape(status),
        word=elsewhere or words.status_words(status),
        late=words.took(late) if late >= _LATE and run.attempt < 2 else "",
        took=words.took((finished - started).total_seconds()) if started and finished else "",
        running_since=running_since,
        cost=words.usd(sum(costs)) if costs else "",
        said=words.with_local_times(said_of(run), viewer.now, viewer.zone),
        origin=_ORIGINS.get(run.origin, run.origin),
        is_over=run.finished_at is not None,
    )


def said_of(run: RunView) -> str:
    """Give in one line what a run said: its error, its reason, or the first line of its result."""
    text = run.error or run.reason or ""
    if run.skipped > 1:
        text = f"{run.skipped} fires: {text}"
    if not text:
        text = next((each.text or each.error or "" for each in run.targets if each.text or each.error), "")
    if not text:
        text = _became(run.result) or plain_text(run.result, indent=None)
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _became(result: Any) -> str:
    """Say what became of a reminder, by the result of its run; empty for other results."""
    if not isinstance(result, dict) or not {"status", "channel", "run_number"} <= result.keys():
        return ""
    return words.status_words(str(result["status"]))


def plain_text(result: Any, indent: int | None = 2) -> str:
    """Give a result as text: the answer of an agent, of each target its own, or the value of a job as JSON."""
    if result is None:
        return ""
    if isinstance(result, dict):
        if answers := [each for each in result.get("targets") or () if isinstance(each, dict) and each.get("text")]:
            named = [f"{each.get('project_id')}: {each['text']}" for each in answers]
            return "\n\n".join(named) if len(answers) > 1 else str(answers[0]["text"])
        for name in ("text", "answer", "message"):
            if isinstance(result.get(name), str):
                return str(result[name])
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=indent, default=str)


__all__ = ["RunLine", "open_reminders", "plain_text", "run_line", "said_of"]

"""The form of a schedule: what is typed, as texts; read into the fields of the use cases, and written from a view.

Only what differs from the form as it was opened is sent: what another person changed meanwhile is not overwritten.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from duly.errors import InvalidInputError
from duly.model.codec import Json
from duly.service.schedules.fields import SETTINGS, ScheduleView
from duly.service.schedules.triggers import Explanation
from duly.service.schedules.ways import Choices
from duly.web import about, edit_reminder, words
from duly.web.edit_values import read_arguments, read_instant, read_number, read_whole
from duly.zones import Zone

Typed = dict[str, str]
"""The values of a form as they were typed; days of the builder are joined by blanks."""

WHEN = ("way", "words", "cron", "unit", "number", "times", "days", "month_day", "begin", "end", "zone")
LABELS = {
    "name": "Name",
    "when": "When",
    "description": "About",
    "prompt": "Prompt",
    "targets": "Where",
    "spawner": "Agent",
    "model": "Model",
    "session_behavior": "Session",
    "gate": "Gate",
    "job_name": "Job",
    "job_args": "Arguments",
    "executor": "Executor",
    "queue": "Queue",
    "task_priority": "Priority there",
    "positional": "Arguments without names",
    "message": "Message",
    "ack_prompt": "Question",
    "priority": "Priority",
    "overlap_behavior": "If it still runs",
    "queue_limit": "In line",
    "catch_up": "Missed",
    "catch_up_window": "Not older than",
    "retry": "Attempts",
    "timeout": "Stop after",
    "notify": "Tell",
    "max_cost_per_run": "Spend per run",
    "max_cost_per_day": "Spend per day",
    "until_at": "Ends",
    "max_runs": "Ends after",
    **edit_reminder.LABELS,
}
_EMPTY: Typed = {
    "what": "prompt",
    "name": "",
    "description": "",
    "prompt": "",
    "targets": "",
    "spawner": "",
    "model": "",
    "session_behavior": "resume",
    "gate": "",
    "job_name": "",
    "job_args": "",
    "executor": "",
    "queue": "",
    "task_priority": "",
    "positional": "",
    "message": "",
    "ack_prompt": "",
    "priority": "normal",
    "way": "words",
    "words": "",
    "cron": "",
    "unit": "days",
    "number": "1",
    "times": "09:00",
    "days": "",
    "month_day": "1",
    "begin": "",
    "end": "",
    "zone": "",
    "overlap_behavior": "skip",
    "queue_limit": "10",
    "catch_up": "once",
    "catch_up_window": "",
    "attempts": "1",
    "delay": "10 s",
    "timeout": "",
    "notify": "",
    "max_cost_per_run": "",
    "max_cost_per_day": "",
    "ends": "never",
    "until": "",
    "max_runs": "",
    **edit_reminder.EMPTY,
}
_OF_PROMPTS = (
    "prompt",
    "targets",
    "spawner",
    "model",
    "session_behavior",
    "gate",
    "max_cost_per_run",
    "max_cost_per_day",
)
_OF_JOBS = ("job_name", "job_args", "executor", "queue", "task_priority", "positional")
_OF_RUNS = (
    "overlap_behavior",
    "queue_limit",
    "catch_up",
    "catch_up_window",
    "retry",
    "timeout",
    "notify",
    "until_at",
    "max_runs",
)
_OF_MESSAGES = ("message", "ack_prompt", "priority", *edit_reminder.LABELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A form that was read: fields with their values, and the faults at their places."""

    what: str
    fields: dict[str, Any]
    """By the names of the use cases; an empty field is None."""
    faults: dict[str, str] = field(default_factory=dict)


def empty(zone: Zone) -> Typed:
    """Give the form of a new schedule."""
    return {**_EMPTY, "zone": zone.name}


def typed_in(form: Json, days: list[str], zone: Zone) -> Typed:
    """Take what was typed; what is missing stays as in an empty form."""
    given = {name: str(form[name]).replace("\r\n", "\n") for name in _EMPTY if name in form}
    return {**empty(zone), **given, "days": " ".join(days)}


def of_view(view: ScheduleView, said: Explanation | None, zone: Zone, asks: str, priority: str) -> Typed:
    """Write a schedule into a form. `said` explains its trigger, in all ways that can say it."""
    own_zone = view.when.zone or view.cron_timezone or zone.name
    retry = view.retry or {}
    until = view.until_at
    typed = {
        "what": view.dispatch_mode,
        "name": view.name,
        "description": view.description or "",
        "prompt": view.prompt or "",
        "targets": ", ".join("/".join(filter(None, (each.project_id, each.workspace_id))) for each in view.targets),
        "spawner": view.spawner or "",
        "model": view.model or "",
        "session_behavior": view.session_behavior or "resume",
        "gate": view.gate or "",
        "job_name": view.job_name or "",
        "job_args": json.dumps(view.job_args, ensure_ascii=False) if view.job_args else "",
        "executor": view.executor or "",
        "queue": view.queue or "",
        "task_priority": "" if view.task_priority is None else str(view.task_priority),
        "positional": json.dumps(view.positional, ensure_ascii=False) if view.positional else "",
        "message": view.message or "",
        "ack_prompt": asks,
        "priority": priority,
        "way": "cron" if view.cron and not about.said_time(view) else "words",
        "words": about.said_time(view) or (said.words if said else None) or about.rhythm_of(view),
        "cron": view.cron or (said.cron if said else None) or "",
        "zone": own_zone,
        "overlap_behavior": view.overlap_behavior or "skip",
        "queue_limit": str(view.queue_limit or 10),
        "catch_up": view.catch_up or "once",
        "catch_up_window": length_text(view.catch_up_window),
        "attempts": str(retry.get("max_attempts", 1) or ""),
        "delay": length_text(retry.get("delay", 10.0)),
        "timeout": length_text(view.timeout),
        "notify": "; ".join(view.notify or ()),
        "max_cost_per_run": _money(view.max_cost_per_run),
        "max_cost_per_day": _money(view.max_cost_per_day),
        "ends": "date" if until else "runs" if view.max_runs else "never",
        "until": words.local_input(until, zone) if until else "",
        "max_runs": str(view.max_runs or ""),
    }
    return {**_EMPTY, **typed, **choices_typed(said.choices if said else None)}


def choices_typed(choices: Choices | None) -> Typed:
    """Write choices into the fields of the builder."""
    if choices is None:
        return {}
    return {
        "unit": choices.unit,
        "number": str(choices.number),
        "times": " ".join(choices.times) or "09:00",
        "days": " ".join(map(str, choices.days)),
        "month_day": str(choices.month_day),
        "begin": choices.begin,
        "end": choices.end,
    }


def choices_in(typed: Typed) -> Choices:
    """Read the fields of the builder."""
    return Choices.of({**typed, "days": typed["days"].split()})


def length_text(seconds: float | None) -> str:
    """Write a length of time as people type it: "15m", "90s"."""
    if seconds is None:
        return ""
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"


def _money(amount: float | None) -> str:
    return "" if amount is None else f"{amount:g}"


def read(typed: Typed, zone: Zone) -> Sheet:
    """Read a form into fields, each by itself; every fault is shown at its place, not only the first."""
    what = typed["what"] if typed["what"] in ("prompt", "job", "message") else "prompt"
    raw = _raw(typed, zone)
    names = {"prompt": _OF_PROMPTS + _OF_RUNS, "job": _OF_JOBS + _OF_RUNS, "message": _OF_MESSAGES}[what]
    given: dict[str, Any] = {"name": raw["name"], "description": raw["description"]} | {n: raw[n] for n in names}
    if what == "message":
        given.pop("description")
    faults = edit_reminder.faults_of(given) if what == "message" else {}
    for name, value in given.items():
        if value is None or name not in SETTINGS:
            continue
        try:
            SETTINGS[name].kind.read(value, LABELS.get(name, name))
        except (InvalidInputError, ValueError) as error:
            faults[name] = str(error)
    for name in {"prompt": ("name", "prompt"), "job": ("name", "job_name"), "message": ("message",)}[what]:
        if given[name] is None:
            faults[name] = {"name": "Give it a name.", "job_name": "Which job?"}.get(name, "Say what it should do.")
    return Sheet(what=what, fields=given, faults=faults)


def _raw(typed: Typed, zone: Zone) -> dict[str, Any]:
    """Give the values of all fields as a caller would give them; None for an empty one."""
    texts = {name: typed[name].strip() or None for name in LABELS if name in typed}
    targets = [each for each in typed["targets"].replace(",", " ").split() if each]
    attempts = typed["attempts"].strip()
    ends = typed["ends"]
    return {
        **texts,
        **edit_reminder.raw(typed),
        "targets": targets or None,
        "job_args": read_arguments(typed["job_args"]),
        "task_priority": read_whole(typed["task_priority"]),
        "queue_limit": read_whole(typed["queue_limit"]) if typed["overlap_behavior"] == "queue" else None,
        "catch_up_window": texts["catch_up_window"] if typed["catch_up"] == "once" else None,
        "retry": None
        if attempts in ("", "1")
        else {"max_attempts": read_whole(attempts), "delay": typed["delay"].strip() or None},
        "max_cost_per_run": read_number(typed["max_cost_per_run"]),
        "max_cost_per_day": read_number(typed["max_cost_per_day"]),
        "until_at": read_instant(typed["until"], zone) if ends == "date" else None,
        "max_runs": read_whole(typed["max_runs"]) if ends == "runs" else None,
    }


def when_fields(typed: Typed) -> dict[str, str | None]:
    """Give the fields that say when, by the way that was chosen."""
    if typed["way"] == "cron":
        return {"cron": typed["cron"].strip(), "cron_timezone": typed["zone"].strip() or None}
    said = choices_in(typed).words() if typed["way"] == "builder" else typed["words"].strip()
    return {"when": said, "cron_timezone": typed["zone"].strip() or None}


def when_text(typed: Typed) -> str:
    """Give the text that says when."""
    return str(next(iter(when_fields(typed).values())))


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field that will change, in words."""

    name: str
    label: str
    before: str
    after: str


def changed(base: Typed, typed: Typed, zone: Zone) -> list[str]:
    """Name the fields that differ between two forms."""
    before = read(base, zone).fields
    after = read(typed, zone).fields
    names = [name for name in after if before.get(name) != after.get(name)]
    if (when_text(base), base["zone"]) != (when_text(typed), typed["zone"]):
        names.append("when")
    return [*names, "what"] if base["what"] != typed["what"] else names


def shown(name: str, typed: Typed, zone: Zone) -> str:
    """Show the value of a field of a form."""
    if name == "when":
        return f"{when_text(typed)} ({typed['zone']})"
    value = read(typed, zone).fields.get(name)
    if name == "retry":
        return "1" if value is None else str(value["max_attempts"])
    if value is None:
        return "—"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def changes_between(base: Typed, typed: Typed, zone: Zone) -> list[FieldChange]:
    """Say what will change, field by field."""
    return [
        FieldChange(
            name=name, label=LABELS.get(name, "Does"), before=shown(name, base, zone), after=shown(name, typed, zone)
        )
        for name in changed(base, typed, zone)
        if name != "what"
    ]


def merged(base: Typed, mine: Typed, theirs: Typed, zone: Zone, take_theirs: set[str]) -> tuple[Typed, list[str]]:
    """Lay what was typed over what another person saved meanwhile; give the form, and the fields that both changed."""
    own = set(changed(base, mine, zone)) - take_theirs
    both = sorted(own & set(changed(base, theirs, zone)) & set(changed(mine, theirs, zone)))
    result = dict(theirs)
    for name in own:
        for part in _parts_of(name):
            result[part] = mine[part]
    return result, both


def _parts_of(name: str) -> tuple[str, ...]:
    more = {
        "when": WHEN,
        "retry": ("attempts", "delay"),
        "until_at": ("ends", "until"),
        "max_runs": ("ends", "max_runs"),
        "queue_limit": ("overlap_behavior", "queue_limit"),
    }
    return more.get(name, (name,))

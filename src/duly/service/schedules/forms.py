"""A schedule as a form: the flat fields that every face shows, read into a definition and written back from one.

Rules between fields are checked on the whole form, so that an update is judged by what the schedule will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from duly.cron import Cron, is_valid
from duly.errors import InvalidCronExpressionError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt, Target
from duly.model.choices import choice
from duly.model.policy import Overlap, Policy, Retry
from duly.model.schedule import Schedule
from duly.model.trigger import Trigger
from duly.ports.codec import decode_action
from duly.ports.records import StoredSchedule
from duly.service.schedules import values
from duly.service.schedules.drafts import Draft
from duly.service.schedules.zone_rule import Zones

Form = dict[str, Any]
Words = Callable[[str, Zones], Trigger]
"""Reads a phrase such as "weekdays at 7:30" at a door with these zones."""

WHEN = ("cron", "when", "cron_timezone")
"""The fields that say when."""
_PROMPT = ("prompt", "targets", "session_behavior", "spawner", "model", "gate", "max_cost_per_run", "max_cost_per_day")
_JOB = ("job_name", "job_args")
_POLICY = {
    "overlap_behavior": "overlap",
    "queue_limit": "queue_limit",
    "max_parallel": "max_parallel",
    "catch_up": "catch_up",
    "catch_up_window": "catch_up_window",
    "retry": "retry",
    "timeout": "timeout",
    "stagger_key": "stagger_key",
    "max_stagger_seconds": "max_stagger_seconds",
}
_WHOLE = ("queue_limit", "max_parallel", "max_stagger_seconds")
_LENGTHS = ("catch_up_window", "timeout")
_MOMENTS = ("start_at", "end_at", "until_at")
_TEXTS = ("description", "display_title", "calendar_event_id")
_PLAIN = ("name", *_TEXTS, "timezone", "max_runs", "enabled")
_RETRY_LENGTHS = ("delay", "cap")
_ONLY_WITH = {
    "queue_limit": ("overlap_behavior", "queue"),
    "max_parallel": ("overlap_behavior", "parallel"),
    "catch_up_window": ("catch_up", "once"),
}
"""Fields that have an effect only where another one has a certain value."""
_DEFAULTS = {"overlap_behavior": "skip", "catch_up": "once"}

_UTC = Zones()

FIELDS = (*_PLAIN, *WHEN, "dispatch_mode", *_PROMPT, *_JOB, *_POLICY, *_MOMENTS)
"""Everything `schedule_create` takes and `schedule_update` may change."""


def check_fields(given: Mapping[str, Any]) -> None:
    """Refuse what no schedule has."""
    unknown = sorted(set(given) - set(FIELDS))
    if unknown:
        raise InvalidInputError(f"unknown field {', '.join(unknown)}: a schedule takes {', '.join(FIELDS)}")


def check_together(given: Iterable[str], form: Mapping[str, Any]) -> None:
    """Refuse fields that were given and would have no effect in the whole form."""
    for name in given:
        if form.get(name) is None:
            continue
        if name in _ONLY_WITH:
            other, needed = _ONLY_WITH[name]
            if str(form.get(other) or _DEFAULTS[other]) != needed:
                raise InvalidInputError(
                    f"{name} {form[name]!r} has no effect without {other} {needed!r}: say that too, or leave {name} out"
                )
        if name == "max_stagger_seconds" and not form.get("stagger_key"):
            raise InvalidInputError(
                f"max_stagger_seconds {form[name]!r} has no effect without a stagger_key: give one, or leave it out"
            )


def changes_of(given: Mapping[str, Any], clear: Any = ()) -> Form:
    """What an update asks for as one form: values to set, and None for each field named in `clear`."""
    emptied = values.structure(clear, "clear")
    if not isinstance(emptied, list | tuple) or not all(isinstance(name, str) for name in emptied):
        raise InvalidInputError(f'clear must be a list of fields such as ["description"], got {clear!r}')
    if both := [name for name in emptied if given.get(name) is not None]:
        raise InvalidInputError(
            f"{both[0]} is given the value {given[both[0]]!r} and named in clear: do one of the two, not both"
        )
    return {**given, **dict.fromkeys(emptied)}


def read(form: Mapping[str, Any], words: Words, zones: Zones = _UTC, **extra: Any) -> Draft:
    """A form as a draft; `zones` are those of the door, `extra` are fields that no form may set.

    Words are kept as they were said, beside what they were understood as.
    """
    check_fields(form)
    filled = {name: value for name, value in form.items() if value is not None}
    said = filled.get("when")
    if isinstance(said, str):
        extra.setdefault("original_text", said.strip())
    options: Form = {name: values.moment(filled[name], name) for name in _MOMENTS if name in filled}
    options |= {name: values.text(filled[name], name) for name in _TEXTS if name in filled}
    if "timezone" in filled:
        options["timezone"] = values.zone(filled["timezone"], "timezone")
    if "max_runs" in filled:
        options["max_runs"] = values.whole(filled["max_runs"], "max_runs")
    return Draft(
        name=values.name(filled.get("name"), "name"),
        trigger=read_trigger(filled, words, zones),
        action=read_action(filled),
        policy=read_policy(filled),
        enabled=values.flag(filled.get("enabled", True), "enabled"),
        **options,
        **extra,
    )


def read_trigger(form: Mapping[str, Any], words: Words, zones: Zones = _UTC) -> Trigger:
    """When: a cron expression or words, one of them. `cron_timezone` beats the zones of the door for both."""
    cron, phrase = form.get("cron"), form.get("when")
    if (cron is None) == (phrase is None):
        given = "both" if cron is not None else "neither"
        raise InvalidInputError(f'say exactly one of cron ("0 9 * * *") and when ("weekdays at 9"), got {given}')
    if form.get("cron_timezone") is not None:
        zone = values.zone(form["cron_timezone"], "cron_timezone")
        zones = Zones(words=zone, cron=zone)
    if phrase is None:
        return read_cron(cron, zones.cron)
    if not hasattr(phrase, "get_next_occurrence"):
        return words(values.text(phrase, "when"), zones)
    if "cron_timezone" in form:
        raise InvalidInputError("cron_timezone alone cannot move this schedule: say when again, in the new zone")
    trigger: Trigger = phrase  # of a stored schedule that no cron expression can say
    return trigger


def read_cron(expression: Any, zone: str) -> Cron:
    """An expression of five fields; the error for six says which five are meant."""
    text = values.text(expression, "cron")
    try:
        return Cron(text, tz=zone)
    except InvalidCronExpressionError as error:
        fields = text.split()
        if len(fields) != 6:
            raise
        shorter = " ".join(fields[1:])
        advice = f'drop the seconds: "{shorter}"' if is_valid(shorter) else "drop the seconds"
        raise InvalidInputError(
            f'cron "{text}" has 6 fields; this takes 5 (minute hour day month weekday): {advice}'
        ) from error


def action_in(form: Mapping[str, Any]) -> Action:
    """What a form that nothing else was read of would have done."""
    check_fields(form)
    return read_action({name: value for name, value in form.items() if value is not None})


def read_action(form: Mapping[str, Any]) -> Action:
    """What: a prompt or a job, with nothing of the other."""
    mode = form.get("dispatch_mode")
    if mode is None:
        mode = "job" if "job_name" in form and "prompt" not in form else "prompt"
    if mode == "prompt":
        _forbid(form, _JOB, "prompt")
        return _prompt(form)
    if mode == "job":
        _forbid(form, _PROMPT, "job")
        if not isinstance(form.get("job_name"), str) or not form["job_name"].strip():
            raise InvalidInputError("dispatch_mode 'job' requires a non-empty job_name")
        return Job(values.name(form["job_name"], "job_name"), values.mapping(form.get("job_args", {}), "job_args"))
    raise InvalidInputError(f"dispatch_mode must be 'prompt' or 'job', got {mode!r}")


def _forbid(form: Mapping[str, Any], names: tuple[str, ...], mode: str) -> None:
    present = [name for name in names if name in form]
    if present:
        other = {"prompt": "job", "job": "prompt"}[mode]
        raise InvalidInputError(
            f"dispatch_mode {mode!r} does not take {', '.join(present)}: leave that out, or say dispatch_mode {other!r}"
        )


def _prompt(form: Mapping[str, Any]) -> Prompt:
    text = form.get("prompt")
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("dispatch_mode 'prompt' requires a non-empty prompt")
    options: Form = {name: values.name(form[name], name) for name in ("spawner", "model", "gate") if name in form}
    if "session_behavior" in form:
        options["session_behavior"] = form["session_behavior"]
    for name in ("max_cost_per_run", "max_cost_per_day"):
        if name in form:
            options[name] = values.amount(form[name], name)
    return Prompt(text=values.storable(text, "prompt"), targets=read_targets(form.get("targets", [])), **options)


def read_targets(given: Any) -> tuple[Target, ...]:
    """Targets as plain names, "blog" or "shop/main", or as objects with a project_id."""
    listed = given if isinstance(given, list | tuple) else values.structure(given, "targets")
    if not isinstance(listed, list | tuple):
        raise InvalidInputError(f'targets must be a list such as ["blog", "shop/main"], got {given!r}')
    return tuple(_target(each) for each in listed)


def _target(given: Any) -> Target:
    if isinstance(given, Target):
        return given
    if isinstance(given, str):
        return _named_target(given)
    if not isinstance(given, Mapping) or set(given) - {"project_id", "workspace_id"} or "project_id" not in given:
        raise InvalidInputError(
            f'a target is a name such as "blog" or "shop/main", or an object with project_id and maybe workspace_id, '
            f"got {given!r}"
        )
    workspace = given.get("workspace_id")
    if not isinstance(workspace, str | None):
        raise InvalidInputError(f"workspace_id must be a text, got {workspace!r}")
    return Target(
        values.name(given["project_id"], "project_id"), values.storable(workspace or "", "workspace_id").strip()
    )


def _named_target(text: str) -> Target:
    """`PROJECT` or `PROJECT/WORKSPACE`; no project's id has a slash."""
    project, slash, workspace = text.partition("/")
    if slash and not workspace.strip():
        raise InvalidInputError(f"target {text!r} names no workspace after the slash: say one, or leave the slash out")
    return Target(values.name(project, "project_id"), values.storable(workspace, "workspace_id").strip())


def read_policy(form: Mapping[str, Any]) -> Policy:
    """How."""
    readers: dict[str, Callable[[Any, str], Any]] = {
        **dict.fromkeys(_WHOLE, values.whole),
        **dict.fromkeys(_LENGTHS, values.duration),
        "overlap_behavior": lambda value, name: choice(Overlap, value, name),
        "retry": lambda value, _name: _retry(value),
        "stagger_key": values.text,
    }
    chosen = {
        field: readers[name](form[name], name) if name in readers else form[name]
        for name, field in _POLICY.items()
        if name in form
    }
    return Policy(**chosen)


def _retry(given: Any) -> Retry:
    if isinstance(given, Retry):
        return given
    options = values.mapping(given, "retry")
    known = Retry.__dataclass_fields__
    if unknown := sorted(set(options) - set(known)):
        raise InvalidInputError(f"retry does not take {', '.join(unknown)}: it takes {', '.join(known)}")
    lengths = {name: values.duration(options[name], f"retry.{name}") for name in _RETRY_LENGTHS if name in options}
    return Retry(**{**options, **lengths})


def of_schedule(schedule: Schedule, *, enabled: bool) -> Form:
    """The form a schedule would be made from."""
    policy = schedule.policy
    form: Form = {name: getattr(schedule, name) for name in (*_PLAIN, *_MOMENTS) if name != "enabled"}
    form |= {"enabled": enabled, **_of_trigger(schedule.trigger), **_of_action(schedule.action)}
    form |= {name: getattr(policy, field) for name, field in _POLICY.items()}
    return {name: value for name, value in form.items() if value is not None}


def _of_trigger(trigger: Trigger) -> Form:
    if isinstance(trigger, Cron):
        return {"cron": trigger.expression, "cron_timezone": trigger.tz}
    return {"when": trigger}


def _of_action(action: Action) -> Form:
    if isinstance(action, Job):
        return {"dispatch_mode": "job", "job_name": action.name, "job_args": dict(action.args) or None}
    if isinstance(action, Message):
        raise InvalidInputError("this is a reminder: change it with the scheduler tool")
    named = {name: getattr(action, name) for name in _PROMPT if name != "prompt"}
    return {"dispatch_mode": "prompt", "prompt": action.text, **named, "targets": list(action.targets) or None}


def merged(before: Mapping[str, Any], changes: Mapping[str, Any]) -> Form:
    """A form with changes; what belongs to a mode or a when that is left behind goes with it."""
    check_fields(changes)
    for name in ("name", "enabled", "dispatch_mode"):
        if name in changes and changes[name] is None:
            raise InvalidInputError(f"{name} cannot be left empty")
    form = {**before, **changes}
    if changes.get("dispatch_mode") not in (None, before.get("dispatch_mode")):
        left = _JOB if before.get("dispatch_mode") == "job" else _PROMPT
        form = {name: value for name, value in form.items() if name not in left or name in changes}
    for given, other in (("cron", "when"), ("when", "cron")):
        if changes.get(given) is not None and other not in changes:
            form.pop(other, None)
    if changes.get("when") is not None and "cron_timezone" not in changes:
        form.pop("cron_timezone", None)  # it was the zone of the cron expression that the words replace
    return {name: value for name, value in form.items() if value is not None}


def action_of(row: StoredSchedule) -> Action:
    """What a row has done."""
    return decode_action(row.action)


def seconds(length: timedelta | None) -> float | None:
    """A length of time as faces show it."""
    return None if length is None else length.total_seconds()

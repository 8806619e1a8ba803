"""Forms: the flat fields of a schedule that callers give, read into a draft and written back from a definition.

Rules between fields are checked on the whole form, so that an update is judged by what the schedule will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from duly.cron import Cron, is_valid
from duly.errors import InvalidCronExpressionError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt
from duly.model.checks import refuse_unknown
from duly.model.codec import Json
from duly.model.policy import Policy
from duly.model.trigger import Trigger
from duly.ports.codec import decode_action
from duly.service.schedules import values
from duly.service.schedules.fields import SETTINGS, held_by, names_of, read_part
from duly.service.schedules.settings import DefinitionPart
from duly.service.schedules.times import Zones

if TYPE_CHECKING:
    from duly.model.schedule import Schedule
    from duly.ports.records import StoredSchedule
    from duly.service.schedules.drafts import Draft

Form = dict[str, Any]
ReadsWords = Callable[[str, Zones], Trigger]
"""Reads a phrase such as "weekdays at 7:30" in the zones that the caller means."""

FIELDS = tuple(SETTINGS)
"""Every field that `schedule_create` takes and `schedule_update` may change."""
WHEN = names_of(DefinitionPart.WHEN)
"""The fields that say when."""
OF_REMINDERS = frozenset({"name", "enabled", "message", *WHEN, *names_of(DefinitionPart.MESSAGE)})
"""Every field of a reminder that `schedule_update` may change."""
_POLICY = Policy()
_UTC = Zones()


def check_fields(given: Json) -> None:
    """Refuse fields that a schedule does not have."""
    refuse_unknown(given, FIELDS, "a schedule")


def check_together(given: Iterable[str], form: Json) -> None:
    """Refuse fields that were given and would have no effect in the whole form."""
    for name in given:
        each = SETTINGS.get(name)  # unknown names are refused elsewhere
        if each is None or each.needs is None or form.get(name) is None:
            continue
        useless = f"{name} {form[name]!r} has no effect without"
        if each.needed_value is None:
            if not form.get(each.needs):
                raise InvalidInputError(f"{useless} a {each.needs}: give one, or leave it out")
        elif str(form.get(each.needs) or _default(each.needs)) != each.needed_value:
            raise InvalidInputError(f"{useless} {each.needs} {each.needed_value!r}: say that too, or leave {name} out")


def _default(name: str) -> Any:
    """The value of a setting of the policy that a form does not have."""
    return getattr(_POLICY, SETTINGS[name].attribute)


def changes_of(given: Json, clear: Any = ()) -> Form:
    """Give the changes of an update as one form: values to set, and None for each field named in `clear`."""
    emptied = values.structure(clear, "clear")
    if not isinstance(emptied, list | tuple) or not all(isinstance(name, str) for name in emptied):
        raise InvalidInputError(f'clear must be a list of fields such as ["description"], got {clear!r}')
    if both := [name for name in emptied if given.get(name) is not None]:
        raise InvalidInputError(
            f"{both[0]} is given the value {given[both[0]]!r} and named in clear: do one of the two, not both"
        )
    return {**given, **dict.fromkeys(emptied)}


def changes_of_reminder(form: Json) -> Form:
    """Give the changes of a reminder as its own use case takes them: the fields of a time as its schedule."""
    for name in ("name", "enabled", "message"):
        if name in form and form[name] is None:
            raise InvalidInputError(f"{name} cannot be left empty")
    changes = {name: value for name, value in form.items() if name not in WHEN}
    if not (said := {name: form[name] for name in WHEN if form.get(name) is not None}):
        return changes
    zone = said.pop("cron_timezone", None)
    if len(said) != 1:
        raise InvalidInputError('say exactly one of cron ("0 9 * * *") and when ("weekdays at 9") for a new time')
    [(kind, words)] = said.items()
    time = {"type": "cron", "expr": words} if kind == "cron" else {"type": "smart", "text": words}
    return {**changes, "schedule": time if zone is None else {**time, "timezone": zone}}


def read(form: Json, words: ReadsWords, zones: Zones = _UTC, **extra: Any) -> Draft:
    """Read a form into a draft; `zones` are those that the caller means, `extra` has fields that no form may set.

    The words of `when` are kept beside the trigger that they were read into.
    """
    from duly.service.schedules.drafts import Draft  # late: a list reads no forms

    check_fields(form)
    filled = {name: value for name, value in form.items() if value is not None}
    said = filled.get("when")
    if isinstance(said, str):
        extra.setdefault("original_text", said.strip())
    plain = read_part(DefinitionPart.SCHEDULE, {"name": None, **filled})  # a missing name is refused like an empty one
    return Draft(
        trigger=read_trigger(filled, words, zones),
        action=read_action(filled),
        policy=Policy(**read_part(DefinitionPart.POLICY, filled)),
        **plain,
        **read_part(DefinitionPart.STATE, filled),
        **extra,
    )


def read_trigger(form: Json, words: ReadsWords, zones: Zones = _UTC) -> Trigger:
    """Read the trigger from a cron expression or from words. `cron_timezone` beats `zones` for both."""
    cron = form.get("cron")
    phrase = form.get("when")
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
    trigger: Trigger = phrase  # of a stored schedule whose trigger is no cron expression
    return trigger


def read_cron(expression: Any, zone: str) -> Cron:
    """Read an expression of five fields; the error for six fields shows the five to write."""
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


def action_in(form: Json) -> Action:
    """Read the action of a form, and nothing else."""
    check_fields(form)
    return read_action({name: value for name, value in form.items() if value is not None})


def read_action(form: Json) -> Action:
    """Read the action: a prompt or a job, without fields of the other."""
    mode = form.get("dispatch_mode")
    if mode is None:
        mode = "job" if "job_name" in form and "prompt" not in form else "prompt"
    if mode not in ("prompt", "job"):
        raise InvalidInputError(f"dispatch_mode must be 'prompt' or 'job', got {mode!r}")
    text = "prompt" if mode == "prompt" else "job_name"
    _forbid(form, names_of(DefinitionPart.JOB if mode == "prompt" else DefinitionPart.PROMPT), mode)
    if not isinstance(form.get(text), str) or not form[text].strip():
        raise InvalidInputError(f"dispatch_mode {mode!r} requires a non-empty {text}")
    return (
        Prompt(**read_part(DefinitionPart.PROMPT, form))
        if mode == "prompt"
        else Job(**read_part(DefinitionPart.JOB, form))
    )


def _forbid(form: Json, names: tuple[str, ...], mode: str) -> None:
    present = [name for name in names if name in form]
    if present:
        other = {"prompt": "job", "job": "prompt"}[mode]
        raise InvalidInputError(
            f"dispatch_mode {mode!r} does not take {', '.join(present)}: leave that out, or say dispatch_mode {other!r}"
        )


def of_schedule(schedule: Schedule, *, enabled: bool) -> Form:
    """Give the form from which a schedule would be made."""
    return {
        "enabled": enabled,
        **held_by(DefinitionPart.SCHEDULE, schedule),
        **_of_trigger(schedule.trigger),
        **_of_action(schedule.action),
        **held_by(DefinitionPart.POLICY, schedule.policy),
    }


def _of_trigger(trigger: Trigger) -> Form:
    if isinstance(trigger, Cron):
        return {"cron": trigger.expression, "cron_timezone": trigger.tz}
    return {"when": trigger}


def _of_action(action: Action) -> Form:
    if isinstance(action, Message):
        raise InvalidInputError("this is a reminder: change it with the scheduler tool")
    if isinstance(action, Job):
        return {"dispatch_mode": "job", **held_by(DefinitionPart.JOB, action)}
    return {"dispatch_mode": "prompt", **held_by(DefinitionPart.PROMPT, action)}


def merged(before: Json, changes: Json) -> Form:
    """Apply changes to a form; fields of a mode or a trigger that is replaced are dropped with it."""
    check_fields(changes)
    for name in ("name", "enabled", "dispatch_mode"):
        if name in changes and changes[name] is None:
            raise InvalidInputError(f"{name} cannot be left empty")
    form = {**before, **changes}
    if changes.get("dispatch_mode") not in (None, before.get("dispatch_mode")):
        left = names_of(DefinitionPart.JOB if before.get("dispatch_mode") == "job" else DefinitionPart.PROMPT)
        form = {name: value for name, value in form.items() if name not in left or name in changes}
    for given, other in (("cron", "when"), ("when", "cron")):
        if changes.get(given) is not None and other not in changes:
            form.pop(other, None)
    if changes.get("when") is not None and "cron_timezone" not in changes:
        form.pop("cron_timezone", None)  # it was the zone of the cron expression that the words replace
    return {name: value for name, value in form.items() if value is not None}


def action_of(row: StoredSchedule) -> Action:
    """Decode the action of a row."""
    return decode_action(row.action)

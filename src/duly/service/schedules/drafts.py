"""Drafts: definitions that are checked, and turned into rows, before they are stored.

Every refusal names the field, the value and the values that are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from duly.errors import InvalidInputError
from duly.model.action import Action, Job, Message, Prompt
from duly.model.checks import at_least, yes_or_no
from duly.model.codec import Json
from duly.model.ids import SCHEDULE, RandomBits, make_id, make_ids
from duly.model.policy import Policy
from duly.model.schedule import TEXT_FIELDS, Definition, ScheduleOptions
from duly.model.trigger import Trigger
from duly.planning.fire import dispatch_at
from duly.ports.codec import MAX_PAYLOAD, encode_action, encode_policy, encode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence import RecurringTask, begun
from duly.recurrence.coerce import refuse_ended
from duly.service.schedules import values
from duly.service.schedules.times import first_fire, has_passed
from duly.zones import Zone, iso

MAX_NAME = 200
_TEXTS = (*TEXT_FIELDS, "created_by", "original_text")
_texts = attrgetter(*_TEXTS)
JobCheck = Callable[[Job], None]
"""Raises when a job is unknown or cannot be called with its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Definition):
    """A definition that a caller wants to have scheduled."""

    enabled: bool = True
    token_scope: str | None = None
    created_via: str | None = None
    original_text: str | None = None


_OPTIONS = tuple(
    each.name
    for each in fields(Draft)
    if each.name not in ("name", "namespace", "trigger", "action", "policy", "enabled")
)
"""The fields that most drafts leave as they are; a row has them under the same names."""
_options = attrgetter(*_OPTIONS)
_NO_OPTIONS = tuple(each.default for each in fields(Draft) if each.name in _OPTIONS)


def make_draft(
    name: str, trigger: Trigger, action: Action, namespace: str, policy: Policy, options: ScheduleOptions
) -> Draft:
    """Make a draft from the options that a program gives; refuse an unknown option by name."""
    known: dict[str, Any] = {"namespace": namespace, "policy": policy, **options}
    try:
        return Draft(name=name, trigger=trigger, action=action, **known)
    except TypeError as error:
        raise InvalidInputError(f"cannot schedule {name!r}: {error}") from error


def chosen_action(
    job: str | Job | None, args: Json | None, prompt: str | Prompt | None, message: str | Message | None
) -> Action:
    """Give the action that a program names in one of three ways."""
    if job is not None and args is None and prompt is None and message is None:
        return job if isinstance(job, Job) else Job(job)
    given = [name for name, value in (("job", job), ("prompt", prompt), ("message", message)) if value is not None]
    if len(given) != 1:
        raise InvalidInputError(f"say exactly one of job, prompt and message, got {' and '.join(given) or 'none'}")
    if args is not None and job is None:
        raise InvalidInputError("args go with a job")
    if args is not None and not isinstance(args, Mapping):
        raise InvalidInputError(f"args must be a mapping of names to values, got {args!r}")
    if isinstance(job, Job):
        raise InvalidInputError("a Job has its arguments itself: leave args out")
    if job is not None:
        return Job(job, dict(args or {}))
    if prompt is not None:
        return prompt if isinstance(prompt, Prompt) else Prompt(text=prompt)
    return message if isinstance(message, Message) else Message(text=str(message))


def to_rows(
    drafts: Sequence[Draft], now: datetime, check_job: JobCheck, random_bits: RandomBits
) -> list[StoredSchedule]:
    """Check many drafts and turn them into rows, whose ids are in the order of the drafts."""
    ids = make_ids(SCHEDULE, now, random_bits)
    shared = _Shared(now, check_job)
    return [_to_row(draft, next(ids), shared) for draft in drafts]


def to_row(draft: Draft, now: datetime, check_job: JobCheck, random_bits: RandomBits) -> StoredSchedule:
    """Check a draft and turn it into the row of a new schedule, with its first fire."""
    return _to_row(draft, make_id(SCHEDULE, now, random_bits), _Shared(now, check_job))


class _Shared:
    """What drafts of one save have in common, checked and worked out once.

    Triggers and policies by identity: equal ones may have been written in different words, and each keeps its own.
    Drafts that share a trigger begin it at the same instant.
    """

    def __init__(self, now: datetime, check_job: JobCheck) -> None:
        self.now = now
        self._check_job = check_job
        self._series: dict[int, _Series] = {}
        self._policies: dict[int, str] = {}
        self._bare_jobs: dict[str, tuple[str, str]] = {}
        self._namespaces: set[str] = set()

    def series(self, trigger: Trigger) -> _Series:
        """Begin a trigger."""
        found = self._series.get(id(trigger))
        if found is None:
            found = self._series[id(trigger)] = _begin(trigger, self.now)
        return found

    def policy(self, policy: Policy) -> str:
        """Check and encode a policy."""
        found = self._policies.get(id(policy))
        if found is None:
            if not isinstance(policy, Policy):
                raise InvalidInputError(f"policy must be a Policy, got {policy!r}")
            found = self._policies[id(policy)] = encode_policy(policy)
        return found

    def action(self, action: Action) -> tuple[str, str]:
        """Check and encode an action; gives also its handler."""
        is_bare = type(action) is Job and type(action.name) is str and action.executor is None and action.args == {}
        if not is_bare or not isinstance(action, Job):
            return self._action(action)
        found = self._bare_jobs.get(action.name)
        if found is None:
            found = self._bare_jobs[action.name] = self._action(action)
        return found

    def _action(self, action: Action) -> tuple[str, str]:
        if isinstance(action, Job):
            self._check_job(action)
        return encode_action(action), action.handler

    def check_namespace(self, namespace: object) -> None:
        """Refuse a namespace that is no name."""
        if type(namespace) is not str or namespace not in self._namespaces:
            check_name("namespace", namespace)
            self._namespaces.add(str(namespace))


class _Series(NamedTuple):
    """A trigger that begins now."""

    trigger: Trigger
    text: str
    fire_at: datetime


def _begin(trigger: Trigger, now: datetime) -> _Series:
    trigger = begun(trigger, now)
    return _Series(trigger, encode_trigger(trigger), first_fire(trigger, now))


def _to_row(given: Draft, schedule_id: str, shared: _Shared) -> StoredSchedule:
    draft = _with_limits_of_the_trigger(_trimmed(given), shared.now)
    check_name("name", draft.name)
    shared.check_namespace(draft.namespace)
    policy = shared.policy(draft.policy)
    yes_or_no("enabled", draft.enabled)
    options = _options(draft)
    has_options = options != _NO_OPTIONS
    if has_options:
        _check_options(draft, shared.now)
    action, handler = shared.action(draft.action)
    series = shared.series(draft.trigger)
    fire_at = series.fire_at
    if draft.until_at is not None and fire_at > draft.until_at:
        raise InvalidInputError(
            f"{draft.name!r} would never fire: its first time {iso(fire_at)} is after until_at {iso(draft.until_at)}"
        )
    return StoredSchedule(
        id=schedule_id,
        namespace=draft.namespace,
        name=draft.name,
        trigger=series.text,
        action=action,
        policy=policy,
        handler=handler,
        enabled=draft.enabled,
        next_fire_at=fire_at if draft.enabled else None,
        next_run_at=dispatch_at(series.trigger, draft.policy, fire_at) if draft.enabled else None,
        disabled_by=None if draft.enabled else "person",
        created_at=shared.now,
        updated_at=shared.now,
        **(dict(zip(_OPTIONS, options, strict=True)) if has_options else {}),
    )


def _trimmed(draft: Draft) -> Draft:
    """Remove the white space around a name: it is invisible, and callers who type the name leave it out."""
    name: object = draft.name
    return replace(draft, name=name.strip()) if isinstance(name, str) and name != name.strip() else draft


def refuse_passed(draft: Draft, now: datetime) -> None:
    """Refuse a new schedule that fires only once, by `run_at`, at a time further back than `misfire_grace`.

    Call it for new schedules only: programs hand in the same schedule at every start, also after its time.
    """
    task = draft.trigger
    at = task.specific_run_time if isinstance(task, RecurringTask) and not task.intervals else None
    if at is not None and at + draft.policy.misfire_grace < now:
        raise has_passed(at, now)


def _with_limits_of_the_trigger(draft: Draft, now: datetime) -> Draft:
    """Apply the end and the count that a recurring task may have itself; the tighter of two limits holds.

    An end that has passed is refused here, under the name that it has in the task.
    """
    task = draft.trigger
    if not isinstance(task, RecurringTask):
        return draft
    if task.run_until is None and task.max_runs is None:
        return draft
    refuse_ended(task, now)
    ends = [end for end in (draft.until_at, task.run_until) if end is not None]
    counts = [count for count in (draft.max_runs, task.max_runs) if count is not None]
    return replace(draft, until_at=min(ends, default=None), max_runs=min(counts, default=None))


def _check_options(draft: Draft, now: datetime) -> None:
    if draft.max_runs is not None:
        at_least("max_runs", draft.max_runs, 1)
    for name, text in zip(_TEXTS, _texts(draft), strict=True):
        if text is not None:
            check_text(name, text)
    if draft.timezone is not None:
        Zone.of(draft.timezone)
    check_times(draft.start_at, draft.end_at, draft.until_at, now)


def check_name(what: str, text: object) -> None:
    """Refuse a name that is empty, too long, or has characters that cannot be printed."""
    if not (isinstance(text, str) and text.strip() and text.isprintable() and len(text) <= MAX_NAME):
        raise InvalidInputError(f"{what} must be 1 to {MAX_NAME} printable characters, got {text!r}")


def trimmed_name(text: object) -> str:
    """Check a new name for a schedule, and remove the white space around it."""
    name = text.strip() if isinstance(text, str) else text
    check_name("name", name)
    return str(name)


def check_text(what: str, text: object) -> None:
    """Refuse a value that is no text, too long, or has characters that not every store can keep."""
    length = len(values.storable(text, what))
    if length > MAX_PAYLOAD:
        raise InvalidInputError(f"{what} has {length} characters, allowed are {MAX_PAYLOAD}")


def check_times(start_at: datetime | None, end_at: datetime | None, until_at: datetime | None, now: datetime) -> None:
    """Refuse times of a schedule that contradict each other or have passed."""
    for name, value in (("start_at", start_at), ("end_at", end_at), ("until_at", until_at)):
        if value is not None:
            values.instant(value, name)
    if start_at is not None and end_at is not None and end_at <= start_at:
        raise InvalidInputError(f"end_at {iso(end_at)} must be after start_at {iso(start_at)}")
    if start_at is not None and until_at is not None and until_at < start_at:
        raise InvalidInputError(f"until_at {iso(until_at)} must not be before start_at {iso(start_at)}")
    if until_at is not None and until_at < now:
        raise InvalidInputError(f"until_at {iso(until_at)} is in the past (it is {iso(now)})")

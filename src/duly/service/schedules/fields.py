"""The fields of a schedule and the options of a reminder, each described once.

`ScheduleView` is a schedule as every face shows it, `ReminderView` a reminder. The fields that a caller may set are
declared with `setting`, which says what the field means, how its value is read and shown, and which part of the
definition holds it. The form, the options of the command line, the arguments of the tools, the shown values and the
documentation derive from that; no face has a list of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from typing import Any

from duly.model.action import LONGEST_AGAIN, MINUTES_OF_DAY, AnsweredBy, Message, Priority, SessionBehavior
from duly.model.codec import Json
from duly.model.policy import CatchUp, Overlap
from duly.service.schedules.settings import (
    AMOUNT,
    DESCRIPTION,
    FLAG,
    KEY,
    LEADS,
    LENGTH,
    LIST,
    MINUTES,
    MODE,
    MOMENT,
    NAME,
    NOTIFY,
    OBJECT,
    PEOPLE,
    RETRY,
    SPAN,
    STORABLE,
    TARGETS,
    TEXT,
    WHOLE,
    ZONE,
    DefinitionPart,
    Setting,
    always,
    one_of,
    setting,
)
from duly.service.schedules.view_parts import ConcernView, FireView, TargetView
from duly.service.schedules.when import When

_MESSAGE = DefinitionPart.MESSAGE
_TARGETS = Setting(
    "where the prompt runs",
    DefinitionPart.PROMPT,
    TARGETS,
    example='["blog", "shop/main"] or [{"project_id": "shop", "workspace_id": "main"}]',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """A schedule and its state, as every face shows them."""

    id: str
    name: str = always("unique name", DefinitionPart.SCHEDULE, NAME)
    namespace: str
    enabled: bool = always("whether it fires (default: yes)", DefinitionPart.STATE, FLAG)
    cron: str | None = setting(
        "5 fields: minute hour day month weekday", DefinitionPart.WHEN, TEXT, example='"0 9 * * 1-5"'
    )
    when: When = always(  # noqa: RUF009  it declares a field
        "words instead of cron", DefinitionPart.WHEN, TEXT, example='"weekdays at 7:30"'
    )
    cron_timezone: str | None = setting(
        "IANA zone the time is meant in; default: of cron UTC, of words the person's", DefinitionPart.WHEN, ZONE
    )
    next_run_at: datetime | None = None
    next_runs: list[FireView] = field(default_factory=list)
    zone: str = "UTC"
    """The zone of the local times shown here."""
    original_text: str | None = None
    """The words it was made from."""
    notes: list[str] = field(default_factory=list)
    """How clock changes of the coming year move its fires."""
    description: str | None = setting("text for people", DefinitionPart.SCHEDULE, TEXT)
    timezone: str | None = setting("IANA zone for display only", DefinitionPart.SCHEDULE, ZONE)
    dispatch_mode: str = always("prompt or job; follows from what is given", DefinitionPart.MODE, MODE)
    prompt: str | None = setting(
        "text for the agent that is started", DefinitionPart.PROMPT, STORABLE, attribute="text"
    )
    targets: list[TargetView] = field(default_factory=list, metadata={DESCRIPTION: _TARGETS})
    session_behavior: str | None = setting(
        "resume the last session (default) or begin a new one (new)", DefinitionPart.PROMPT, one_of(SessionBehavior)
    )
    spawner: str | None = setting("which agent, by its name in duly.toml", DefinitionPart.PROMPT, NAME)
    model: str | None = setting("model of the agent", DefinitionPart.PROMPT, NAME)
    gate: str | None = setting("check of duly.toml that decides whether the prompt runs", DefinitionPart.PROMPT, NAME)
    session: str | None = setting(
        "session to begin with: its id, or run_… for that of a run", DefinitionPart.PROMPT, NAME
    )
    max_cost_per_run: float | None = setting("most US dollars for one run", DefinitionPart.PROMPT, AMOUNT)
    max_cost_per_day: float | None = setting("most US dollars within 24 hours", DefinitionPart.PROMPT, AMOUNT)
    job_name: str | None = setting(
        "registered job to run instead of a prompt", DefinitionPart.JOB, NAME, attribute="name"
    )
    job_args: dict[str, Any] | None = setting(  # noqa: RUF009  it declares a field
        "arguments of the job", DefinitionPart.JOB, OBJECT, attribute="args"
    )
    executor: str | None = setting(
        "who carries the job out elsewhere, by its name in duly.toml", DefinitionPart.JOB, NAME
    )
    queue: str | None = setting("queue of the executor", DefinitionPart.JOB, NAME)
    task_priority: int | None = setting("priority in that queue, 0 to 255", DefinitionPart.JOB, WHOLE)
    positional: list[Any] | None = setting(  # noqa: RUF009  it declares a field
        "nameless arguments, with an executor", DefinitionPart.JOB, LIST
    )
    message: str | None = None
    """The text of a reminder."""
    overlap_behavior: str | None = setting(
        "if a run is still going: skip (default), queue or parallel",
        DefinitionPart.POLICY,
        one_of(Overlap),
        attribute="overlap",
    )
    queue_limit: int | None = setting(
        "with queue: how many runs may wait (default: 10)",
        DefinitionPart.POLICY,
        WHOLE,
        needs="overlap_behavior",
        needed_value="queue",
    )
    max_parallel: int | None = setting(
        "with parallel: how many runs may go on at once",
        DefinitionPart.POLICY,
        WHOLE,
        needs="overlap_behavior",
        needed_value="parallel",
    )
    catch_up: str | None = setting(
        "after an outage: make up the latest missed run (once, default) or none (skip)",
        DefinitionPart.POLICY,
        one_of(CatchUp),
    )
    catch_up_window: float | None = setting(
        "make up nothing older; seconds or text",
        DefinitionPart.POLICY,
        LENGTH,
        example='"24h"',
        needs="catch_up",
        needed_value="once",
    )
    retry: dict[str, Any] | None = setting(  # noqa: RUF009  it declares a field
        "how a failed run is tried again (default: not at all)",
        DefinitionPart.POLICY,
        RETRY,
        example='{"max_attempts": 3, "delay": "30s", "backoff": "exponential"}',
    )
    timeout: float | None = setting(
        "longest time of a run; seconds or text", DefinitionPart.POLICY, LENGTH, example='"5m"'
    )
    notify: list[str] | None = setting(  # noqa: RUF009  it declares a field
        "who gets notices of how runs end: success, failure, always, change or never (default: failure, to the owner)",
        DefinitionPart.POLICY,
        NOTIFY,
        example='["always to ana"]',
    )
    quiet_word: str | None = setting(
        "an answer of only these words is not sent", DefinitionPart.POLICY, NAME, needs="notify"
    )
    stagger_key: str | None = setting(
        "spreads schedules of the same minute that have different keys", DefinitionPart.POLICY, KEY
    )
    max_stagger_seconds: int | None = setting(
        "spread over so many seconds at most (default: 900)", DefinitionPart.POLICY, WHOLE, needs="stagger_key"
    )
    max_runs: int | None = setting("end after so many runs", DefinitionPart.SCHEDULE, WHOLE)
    start_at: datetime | None = setting(  # noqa: RUF009  it declares a field
        "for calendars: when the event begins, ISO 8601 with offset", DefinitionPart.SCHEDULE, MOMENT
    )
    end_at: datetime | None = setting(  # noqa: RUF009  it declares a field
        "for calendars: when the event ends, ISO 8601 with offset", DefinitionPart.SCHEDULE, MOMENT
    )
    until_at: datetime | None = setting(  # noqa: RUF009  it declares a field
        "last moment at which it may fire, ISO 8601 with offset", DefinitionPart.SCHEDULE, MOMENT
    )
    display_title: str | None = setting("title for calendars", DefinitionPart.SCHEDULE, TEXT)
    calendar_event_id: str | None = setting("id of the event in a calendar", DefinitionPart.SCHEDULE, TEXT)
    source: str = "db"
    created_by: str | None = None
    changed_by: str | None = None
    token_scope: str | None = None
    created_via: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_run_at: datetime | None = None
    last_status: str | None = None
    last_result: Any = None
    total_runs: int = 0
    consecutive_failures: int = 0
    disabled_by: str | None = None
    quarantine: str | None = None
    """Why the stored row cannot be decoded."""
    attention: list[ConcernView] = field(default_factory=list)
    """The reasons for which a person should look at it, each with the cure."""
    warning: str | None = None
    """Why it would not be carried out at present."""
    resting: str | None = None
    """Which folder, program or job is missing; the schedule goes on by itself when that is back."""
    resting_since: datetime | None = None
    state: str = "ok"
    """One word: ok, waiting, failing, awaiting, snoozed, running, paused, finished, off, unreadable or resting."""
    snoozed_until: datetime | None = None
    """When a reminder comes that was put off."""
    version: int = 1
    """Rises with every change of the definition."""
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderView:
    """A reminder: its schedule, its message, its options, and the state of its latest run."""

    id: str
    user_id: str
    name: str
    schedule_type: str
    run_at: datetime | None = None
    interval_ms: int | None = None
    time_of_day: str | None = None
    days_of_week: str | None = None
    """1 is Monday."""
    timezone: str | None = None
    cron_expr: str | None = None
    when: str
    """The schedule in English, with its zone."""
    words: str
    """The schedule in the person's language; a zone is named only where it is not theirs."""
    message: str
    channel: str | None = setting(
        "channel to try first: telegram, email, …; default: the person's order", _MESSAGE, TEXT, says_itself=True
    )
    priority: str = always("urgency", _MESSAGE, one_of(Priority), says_itself=True)
    require_ack: bool = always("ask again until it is answered", _MESSAGE, FLAG, says_itself=True)
    ack_prompt: str | None = setting("question to ask", _MESSAGE, TEXT, option="ask", needs="require_ack")
    snooze_allowed: bool = always(
        "whether it can be put off", _MESSAGE, FLAG, label="Snooze", option="snooze", says_itself=True
    )
    max_retries: int = always(
        "rounds after the first failed one", _MESSAGE, WHOLE, option="retries", within=(0, 1000), says_itself=True
    )
    max_ack_reminders: int = always(
        "how often it asks again",
        _MESSAGE,
        WHOLE,
        label="How often",
        option="asks",
        needs="require_ack",
        within=(0, 1000),
        says_itself=True,
    )
    nag_minutes: int = setting(
        "minutes until it asks again",
        _MESSAGE,
        MINUTES,
        label="Asks again after",
        option="nag",
        default=10,
        needs="require_ack",
        within=(1, MINUTES_OF_DAY),
    )
    lead_minutes: tuple[int, ...] = setting(
        "announce it so long ahead, too",
        _MESSAGE,
        LEADS,
        label="Announce ahead",
        option="before",
        default=(),
        example="[1440, 60]",
    )
    again_after_minutes: int | None = setting(
        "come again so long after done; only for one time",
        _MESSAGE,
        SPAN,
        label="Again after it is done",
        option="again-after",
        example="4320",
        needs="require_ack",
        within=(1, LONGEST_AGAIN),
    )
    shared_with: tuple[str, ...] = setting(
        "other people who get it, too",
        _MESSAGE,
        PEOPLE,
        label="Also for",
        default=(),
        example='["bob"], by id or name; for admins',
    )
    """The ids of other people who get it, too."""
    answered_by: str | None = setting(
        "whose answer ends a shared one",
        _MESSAGE,
        one_of(AnsweredBy),
        label="Answered by",
        needs="require_ack",
        needs_too="shared_with",
    )
    """Of a shared one: `first`, when the first answer ends it for all, or `everyone`."""
    enabled: bool
    next_run_at: datetime | None = None
    next_run_local: str | None = None
    """`next_run_at` on the clocks of `timezone`."""
    snoozed_until: datetime | None = None
    """When its latest run comes, which was put off."""
    last_run_at: datetime | None = None
    last_status: str | None = None
    """Of its latest run: delivered, acked, snoozed, dismissed, unacked, failed, …"""
    run_id: str | None = None
    """Its latest run."""
    consecutive_errors: int = 0
    total_runs: int = 0
    created_at: datetime
    created_via: str | None = None
    original_text: str | None = None
    warning: str | None = None
    """Why it would not be delivered now."""
    note: str | None = None
    """That its first time falls into the person's quiet hours, in their language, when it was made."""
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""

    def to_json(self) -> dict[str, Any]:
        """Give the fields that have a value, moments in UTC."""
        from duly.service.schedules.views import plain  # late: that module imports this one

        return plain(self)


def described(view: Any) -> dict[str, Setting]:
    """Give the fields of a view that callers may set, by name."""
    found = {each.name: each.metadata[DESCRIPTION] for each in fields(view) if each.metadata}
    return {name: replace(each, attribute=each.attribute or name) for name, each in found.items()}


SETTINGS = described(ScheduleView)
"""The fields of a schedule that callers may set, by name."""
_PLAIN = Message(text="?")


def _usual(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value in (None, ()) else str(value)


OPTIONS = {
    name: replace(each, usual=_usual(getattr(_PLAIN, each.attribute))) for name, each in described(ReminderView).items()
}
"""The options of a reminder."""
_ALL = {**SETTINGS, **OPTIONS}


@cache
def names_of(part: DefinitionPart) -> tuple[str, ...]:
    """The settings of one part of a definition."""
    return tuple(name for name, each in _ALL.items() if each.part is part)


def read_part(part: DefinitionPart, form: Json) -> dict[str, Any]:
    """Read the settings of one part that a form has, by their attributes."""
    given = {name: _ALL[name] for name in names_of(part) if name in form}
    return {each.attribute: each.kind.read(form[name], name) for name, each in given.items()}


def held_by(part: DefinitionPart, holder: object) -> dict[str, Any]:
    """The settings of one part that have a value, by their names: the reverse of `read_part`."""
    found = {name: getattr(holder, _ALL[name].attribute) for name in names_of(part)}
    return {name: value for name, value in found.items() if value not in (None, (), {})}


def shown(settings: Json) -> dict[str, Any]:
    """Values of settings as faces show them."""
    return {name: _ALL[name].kind.show(value) for name, value in settings.items()}


def spread_of(view: ScheduleView) -> int | None:
    """Give how many seconds later its starts may come, so that not all start at once; None when they do not."""
    return (view.max_stagger_seconds or 900) if view.stagger_key is not None else None


def spreading(key: str, seconds: int) -> dict[str, Any]:
    """Give the fields that spread the starts of a schedule."""
    return {"stagger_key": key, "max_stagger_seconds": seconds}


def table_rows() -> str:
    """Describe the settings as rows of a table in Markdown, for the documentation."""
    return "\n".join(f"| `{name}` | {each.words} |" for name, each in SETTINGS.items())

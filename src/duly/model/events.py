"""The catalogue of events. Logs, metrics, traces and the journal subscribe to these events and to no others.

The store writes a `durable` event in the transaction of the change, and tells the log and the listeners after the
commit. The other events go to them at once and are not stored, because the rows of their runs say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class EventKind:
    """One entry of the catalogue."""

    name: str
    meaning: str
    fields: tuple[str, ...] = ()
    durable: bool = False
    level: str = "info"
    repeats: bool = False
    """It may repeat for the same reason: the log counts the repetitions instead of writing each."""
    spoken: tuple[str, ...] = ()
    """Fields with output of an agent: the log has them at the level DEBUG only."""
    audited: bool = False
    """Always an entry of the audit. Events of other kinds are entries, too, when they name the caller (`by`)."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    kind: EventKind
    at: datetime
    schedule_id: str | None = None
    run_id: str | None = None
    node_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


def _kind(
    name: str,
    meaning: str,
    *fields: str,
    durable: bool = False,
    level: str = "info",
    repeats: bool = False,
    spoken: tuple[str, ...] = (),
    audited: bool = False,
) -> EventKind:
    return EventKind(
        name=name,
        meaning=meaning,
        fields=fields,
        durable=durable,
        level=level,
        repeats=repeats,
        spoken=spoken,
        audited=audited,
    )


def _entry(name: str, meaning: str, *fields: str, level: str = "info") -> EventKind:
    """Make a kind that is stored in the audit only."""
    return _kind(name, meaning, "by", *fields, level=level, audited=True)


SCHEDULE_CREATED = _kind("schedule.created", "a schedule was made", "name", durable=True, audited=True)
SCHEDULE_UPDATED = _kind("schedule.updated", "its definition changed", "name", durable=True, audited=True)
SCHEDULE_PAUSED = _kind("schedule.paused", "it was disabled", "name", durable=True, audited=True)
SCHEDULE_RESUMED = _kind("schedule.resumed", "it was enabled again", "name", durable=True, audited=True)
SCHEDULE_DELETED = _kind("schedule.deleted", "it was removed; its history stays", "name", durable=True, audited=True)
SCHEDULE_RESTORED = _kind("schedule.restored", "its removal was undone", "name", durable=True, audited=True)
SCHEDULE_FIRED = _kind(
    "schedule.fired",
    "it was fired outside its times: by hand, or to deliver a lost message again",
    "name",
    durable=True,
    audited=True,
)
SCHEDULE_FINISHED = _kind("schedule.finished", "its last fire was recorded", "name", durable=True)
SCHEDULE_QUARANTINED = _kind(
    "schedule.quarantined",
    "its row cannot be decoded; it is kept, but does not fire",
    "name",
    "reason",
    durable=True,
    level="error",
)
SCHEDULE_RESTING = _kind(
    "schedule.resting",
    "a folder, program or job it needs is missing; it goes on by itself when that is back",
    *("name", "reason"),
    durable=True,
    level="warning",
)
SCHEDULE_AWAKE = _kind("schedule.awake", "what it needs is back; it is planned again", "name", durable=True)

RUN_SKIPPED = _kind("run.skipped", "a policy skipped fires", "name", "reason", "count", durable=True, repeats=True)
RUN_MISSED = _kind(
    "run.missed",
    "fires passed while no engine ran, or before a worker began them",
    *("name", "reason", "count"),
    durable=True,
    level="warning",
)
RUN_STARTED = _kind("run.started", "an attempt began", *("name", "handler", "attempt", "late_seconds"), level="debug")
RUN_HANDED_OVER = _kind(
    "run.handed_over",
    "an executor has an attempt of it, which none of its workers has begun yet",
    *("name", "executor", "queue", "number"),
    level="debug",
)
RUN_BEGUN = _kind(
    "run.begun",
    "a worker of an executor has begun an attempt of it",
    *("executor", "queue", "number", "worker", "queue_seconds"),
    level="debug",
)
RUN_NOT_BEGUN = _kind(
    "run.not_begun",
    "it was handed over a while ago, and no worker has begun it",
    *("executor", "queue", "task", "number", "seconds"),
    durable=True,
    level="warning",
    repeats=True,
)
RUN_SUCCEEDED = _kind("run.succeeded", "it ended well", "name", "seconds", level="debug")
RUN_ANSWERED = _kind(
    "run.answered", "it succeeded, and its answer is sent as its schedule asks", "name", durable=True, level="debug"
)
RUN_RETRYING = _kind(
    "run.retrying", "an attempt failed, another will follow", "name", "error", "retry_at", repeats=True
)
RUN_WAITS = _kind(
    "run.waits",
    "it cannot get on before a time and waits, such as for an agent's usage limit; no attempt is lost",
    *("name", "reason", "until"),
    durable=True,
    repeats=True,
)
RUN_FAILED = _kind(
    "run.failed",
    "its last attempt failed, or the next fire replaced its retry",
    *("name", "error", "attempt"),
    durable=True,
    level="error",
    repeats=True,
)
RUN_DEAD = _kind(
    "run.dead",
    "it took its process down too often, or cannot be decoded",
    "name",
    "reason",
    "attempt",
    durable=True,
    level="error",
)
RUN_CANCELLED = _kind("run.cancelled", "it was cancelled, or the next fire replaced it", "name", "reason", durable=True)
RUN_RESCUED = _kind(
    "run.rescued",
    "the lease of its engine expired; it is pending again",
    "name",
    "owner",
    durable=True,
    level="warning",
)
RUN_LEASE_LOST = _kind(
    "run.lease_lost", "an engine came back after its lease had expired, and its settlement was refused", level="warning"
)
RUN_STUCK = _kind("run.stuck", "a thread outlived its timeout and cannot be killed", "name", level="error")
HANDOVER_ENDED = _kind(
    "handover.ended",
    "an attempt that was handed over has ended: succeeded, failed, lost, expired or cancelled",
    *("executor", "number", "state", "worker", "run_seconds"),
    level="debug",
)
HANDOVER_FAILED = _kind(
    "handover.failed",
    "a worker reported that an attempt failed which was handed over to it",
    *("name", "executor", "number", "worker", "error", "traceback"),
    durable=True,
    repeats=True,
)

TARGET_SUCCEEDED = _kind(
    "target.succeeded",
    "a prompt was carried out at a target",
    *("name", "target", "session", "seconds", "cost_usd", "text"),
    spoken=("text",),
)
TARGET_FAILED = _kind(
    "target.failed",
    "a prompt failed at a target; an event of the run has the same error",
    *("name", "target", "session", "cost_usd", "error", "summary"),
    repeats=True,
)
SESSION_LOST = _kind(
    "session.lost",
    "a session to continue was gone, a new one began",
    *("name", "target", "reason", "summary"),
    level="warning",
    repeats=True,
)

DELIVERY_ENDED = _kind(
    "delivery.ended",
    "a message was sent through a channel, or could not be: delivered, sent, failed or unknown",
    *("channel", "state", "kind", "again", "person", "seconds"),
    level="debug",
)

NOTICE_FAILED = _kind(
    "notice.failed", "no channel took a notice about a run; it is not tried again", "error", level="warning"
)
SCHEDULE_WAKE_ASKED = _kind(
    "schedule.wake_asked", "an agent asked to be woken later, with its session", *("name", "owner"), durable=True
)
QUOTA_REACHED = _kind(
    "quota.reached",
    "an owner has had as many runs, or wake-ups, as it may have in a day; its others are skipped or refused",
    *("name", "reason"),
    durable=True,
    level="warning",
)

NODE_STARTED = _kind("node.started", "an engine joined", "pid", durable=True)
NODE_STOPPED = _kind("node.stopped", "an engine left in good order", durable=True)
NODE_LOST = _kind("node.lost", "the lease of an engine expired", "runs", durable=True, level="warning")

TOKEN_CREATED = _kind("token.created", "a token was made", "by", "token", "scope", durable=True, audited=True)
TOKEN_CHANGED = _kind(
    "token.changed",
    "a token got a new secret, or other rights",
    "by",
    "token",
    "scope",
    "changed",
    durable=True,
    audited=True,
)
TOKEN_REVOKED = _kind(
    "token.revoked",
    "a token was revoked, and gives no access any more",
    "by",
    "token",
    "scope",
    durable=True,
    audited=True,
)

# Stored in the audit, and not in the journal: `by` names the caller.
RUN_CANCEL_ASKED = _entry("run.cancel_asked", "a caller cancelled a run, or asked it to stop", "reason")
REMINDER_ANSWERED = _entry(
    "reminder.answered", "a reminder was acknowledged, snoozed or dismissed", "user", "response", "channel"
)
REMINDER_TAKEN_BACK = _entry(
    "reminder.taken_back", "an answer was undone; the reminder waits again", "user", "response"
)
ATTENTION_SEEN = _entry("attention.seen", "an item that needs attention was marked as seen", "item", "title")
CHANNEL_TESTED = _entry("channel.tested", "a test message was sent to a person", "channel", "user", "result")
PERSON_ADDED = _entry("person.added", "a person was added", "user", "name")
PERSON_CHANGED = _entry("person.changed", "a person's name, zone, language, quiet hours or role changed", "user")
PERSON_REMOVED = _entry("person.removed", "a person was removed", "user", "name")
PERSON_CHANNEL_ADDED = _entry("person.channel_added", "an address was bound to a person", "user", "channel", "address")
PERSON_CHANNEL_REMOVED = _entry(
    "person.channel_removed", "an address was taken from a person", "user", "channel", "address"
)
PERSON_CODE_MADE = _entry("person.code_made", "a pairing code was made for a person", "user", "channel")
TRUST_GIVEN = _entry("trust.given", "a configuration file of another folder was trusted", "file", "digest")
TRUST_TAKEN = _entry("trust.taken", "a configuration file is not trusted any more", "file")
CALENDAR_LINKED = _entry("calendar.linked", "a secret link to a calendar feed was made or renewed", "link", "name")
CALENDAR_UNLINKED = _entry("calendar.unlinked", "a link to a calendar feed was removed", "link", "name")
LINKS_ROTATED = _entry("links.rotated", "links in messages are signed with a new secret")
LOGIN_FAILED = _entry(
    "login.failed",
    "a token, signature or link was refused; `count` of them from this source since the entry before",
    *("door", "source", "reason", "count"),
    level="warning",
)
STORE_PRUNE_ASKED = _entry(
    "store.prune_asked", "a caller has old runs and other old records deleted", "before", "runs", "records"
)
AUDIT_PRUNED = _entry("audit.pruned", "old entries of the audit were removed", "upto", "hash", "links")

HEARTBEAT_FAILED = _kind(
    "heartbeat.failed", "the heartbeat URL could not be called; it is called again each time", "error", level="error"
)
HEARTBEAT_RECOVERED = _kind("heartbeat.recovered", "the heartbeat URL can be called again", "failures", level="warning")

STORE_BACKED_UP = _kind("store.backed_up", "a backup was made, by itself or on request", "file", "size", "seconds")
STORE_BACKUP_FAILED = _kind(
    "store.backup_failed", "no backup could be made; it is tried again every hour", "error", level="error"
)
STORE_UNAVAILABLE = _kind("store.unavailable", "the store cannot be reached; the engine pauses", "error", level="error")
STORE_REPLACED = _kind(
    "store.replaced",
    "its file was deleted, replaced or overwritten; what was under way is given up, and the file there now is opened",
    "error",
    level="error",
)
STORE_RECOVERED = _kind("store.recovered", "the store answers again; the engine goes on", "seconds", level="warning")
SERVER_WARNING = _kind(
    "server.warning",
    "the HTTP server, the event loop or the MCP library complained about a request",
    *("source", "error"),
    level="warning",
    repeats=True,
)
SERVER_FAULT = _kind(
    "server.fault",
    "the HTTP server, the event loop or the MCP library could not do its work",
    *("source", "error", "traceback"),
    level="error",
    repeats=True,
)
CLOCK_STEPPED_BACK = _kind("clock.stepped_back", "the wall clock was set back", "seconds", level="warning")
CLOCK_CORRECTED = _kind(
    "clock.corrected",
    "the wall clock was ahead and is right again; schedules go on from the right time",
    *("seconds", "schedules", "runs"),
    durable=True,
    level="warning",
)
CLOCK_DISAGREES = _kind(
    "clock.disagrees",
    "the machine's clock differs from the database's, which counts; with 0 seconds they agree again",
    "seconds",
    durable=True,
    level="warning",
)
ENGINE_STALLED = _kind("engine.stalled", "the loop has not moved for three polls", "seconds", level="error")
ENGINE_RESUMED = _kind("engine.resumed", "the loop moves again", "seconds", level="warning")

CONFIG_RELOADED = _kind(
    "config.reloaded",
    "the running daemon took up a change of its file",
    "file",
    "changed",
    "needs_restart",
    durable=True,
)
CONFIG_REFUSED = _kind(
    "config.refused",
    "the file has a fault; the running daemon keeps its settings",
    *("file", "error"),
    durable=True,
    level="error",
)

# The declarative scheduler, under the names of its specification. `scheduler` is its name, `task` that of a task.
SCHEDULER_INITIALIZATION_STARTED = _kind(
    "SchedulerInitializationStarted", "initialize was called; registrations are being checked", "scheduler"
)
SCHEDULER_INITIALIZATION_COMPLETED = _kind(
    "SchedulerInitializationCompleted",
    "every task is scheduled; how many of them were new, preserved, overridden, orphaned and removed",
    *("scheduler", "tasks", "new", "preserved", "overridden", "orphaned", "removed", "seconds"),
)
SCHEDULER_INITIALIZATION_FAILED = _kind(
    "SchedulerInitializationFailed", "nothing was scheduled, and nothing changed", "scheduler", "error", level="error"
)
SCHEDULER_STOP_REQUESTED = _kind(
    "SchedulerStopRequested", "no callback starts any more; running callbacks end", "scheduler", "running"
)
SCHEDULER_STOPPED = _kind(
    "SchedulerStopped", "every callback has ended, and all resources are released", "scheduler", "seconds"
)
POLLING_STARTED = _kind("PollingStarted", "the first task was scheduled", "scheduler", level="debug")
POLLING_STOP_REQUESTED = _kind("PollingStopRequested", "no task is looked for any more", "scheduler", level="debug")
POLLING_STOPPED = _kind("PollingStopped", "the last callback has ended", "scheduler", level="debug")
TASK_RUN_STARTED = _kind(
    "TaskRunStarted",
    "a callback was called for the cron time `scheduled_at`",
    *("scheduler", "task", "scheduled_at", "late_seconds"),
    level="debug",
)
TASK_RUN_COMPLETED = _kind("TaskRunCompleted", "it ended well", "scheduler", "task", "seconds", level="debug")
TASK_RUN_FAILED = _kind(
    "TaskRunFailed",
    "it raised, and is tried again at `pending_retry_until`",
    *("scheduler", "task", "error", "pending_retry_until", "traceback"),
    level="error",
    repeats=True,
)
TASK_RETRY_STARTED = _kind(
    "TaskRetryStarted",
    "a failed callback is called again, because its retry delay has passed",
    *("scheduler", "task", "attempt", "late_seconds"),
)
TASK_RETRY_PREEMPTED = _kind(
    "TaskRetryPreempted",
    "a cron time came before the retry and replaces it",
    "scheduler",
    "task",
    "pending_retry_until",
)
TASK_ORPHANED = _kind(
    "TaskOrphaned",
    "a scheduler that is gone had started it; it starts again at once",
    *("scheduler", "task", "previous_scheduler"),
    durable=True,
    level="warning",
)
TASK_OVERRIDDEN = _kind(
    "TaskOverridden",
    "it was registered with another cron expression or retry delay; its history stays",
    *("scheduler", "task", "cron", "previous_cron", "retry_delay", "previous_retry_delay"),
    durable=True,
    audited=True,
)
TASK_START_DELAYED = _kind(
    "TaskStartDelayed",
    "a callback was called later than it should ever be",
    *("scheduler", "task", "late_seconds", "allowed_seconds"),
    level="warning",
)

CATALOGUE: dict[str, EventKind] = {kind.name: kind for kind in list(globals().values()) if isinstance(kind, EventKind)}


def changed_fields(name: str, data: Mapping[str, Any]) -> list[str]:
    """Name the fields of a definition that changed, given the name and the data of an event.

    Lines for people have no values of the fields: those may be long or private.
    """
    before = data.get("before") or {}
    after = data.get("after") or {}
    return [] if name == SCHEDULE_CREATED.name else sorted({*before, *after})

"""Attention: which schedules a person should look at, since when, why, and the remedy. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from duly.model.ids import NO_AUTH_TOKEN

LOOKED_AT = 50
"""At most so many schedules of each kind are judged."""
LONG_OVER = timedelta(days=1)
"""For so long a series that ended with a failure is listed."""
NO_DAEMON = "no daemon"
BEHIND = "the engine has not come round to it"
NO_REASON = "its last run failed"


class ConcernKind(StrEnum):
    """The kinds of trouble that a schedule may have."""

    FAILING = "failing"
    """Its last run failed, and none has succeeded since."""
    OVERDUE = "overdue"
    """It was due, and no engine has begun to carry it out."""
    UNSERVED = "unserved"
    """No living node serves its handler: the job was removed, or the program that has it does not run."""
    QUARANTINED = "quarantined"
    """Its row cannot be decoded."""
    RESTING = "resting"
    """A folder, a program or a job is missing on the machine."""
    UNAUTHORIZED = "unauthorized"
    """The token that made it, or last changed what it runs, was revoked or has expired: its runs fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedToken:
    """A token that answers for what a schedule runs, and that was revoked or has expired."""

    id: str
    changed: bool
    """Whether it last changed what runs; otherwise it made the schedule."""
    expired: bool
    since: datetime

    @classmethod
    def of(cls, token_id: str, changed: object, revoked_at: datetime | None, expires_at: datetime | None) -> EndedToken:
        """Make it from the columns of a token, which was revoked or has expired."""
        since = revoked_at or expires_at
        assert since is not None  # noqa: S101  stores select only such tokens
        return cls(id=token_id, changed=bool(changed), expired=revoked_at is None, since=since)


def token_ended(token_id: str, did: str, *, expired: bool) -> str:
    """Say that a token that made or changed a schedule was revoked or has expired."""
    if token_id == NO_AUTH_TOKEN:
        return f"it was {did} without a token under duly up --no-auth, and no daemon runs so now"
    return f"the token that {did} it ({token_id}) {'has expired' if expired else 'was revoked'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The facts about a schedule by which it is judged."""

    id: str
    namespace: str
    name: str
    handler: str
    enabled: bool
    disabled_by: str | None = None
    next_run_at: datetime | None = None
    held_up_since: datetime | None = None
    """When the oldest of its pending runs was due."""
    grace: timedelta = timedelta(seconds=60)
    """Until so late a run counts as on time."""
    failures: int = 0
    """In a row."""
    failing_since: datetime | None = None
    last_run_at: datetime | None = None
    last_error: str | None = None
    quarantine: str | None = None
    resting: str | None = None
    resting_since: datetime | None = None
    ended_token: EndedToken | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """Something about a schedule that a person should know."""

    kind: ConcernKind
    schedule_id: str
    namespace: str
    name: str
    since: datetime | None
    """None when nothing has happened yet, or the time was not recorded."""
    reason: str
    remedy: str
    """A command or an advice."""
    times: int = 0
    """Of a failing schedule: how often it failed in a row."""


def oldest_first(concern: Concern) -> tuple[bool, str, str]:
    """Give a sort key: the oldest trouble first, and last what has not happened yet."""
    return concern.since is None, str(concern.since), concern.name


def concerns(about: Subject, *, now: datetime, served: Container[str], engine_runs: bool) -> list[Concern]:
    """List the troubles of a schedule; most have none.

    `served` are the handlers of all living nodes; `engine_runs` says whether there is any living node. Without one no
    handler is served, which is one fact about the store and not one about each schedule: then only overdue schedules
    are listed.
    """
    name = shlex.quote(about.name)
    if about.quarantine is not None:
        remedy = f"save it again under its name, or: duly schedule delete {name}"
        return [_concern(about, ConcernKind.QUARANTINED, None, about.quarantine, remedy)]
    if about.resting is not None and about.enabled:
        remedy = f"it goes on by itself once that is back; or: duly schedule pause {name}"
        return [_concern(about, ConcernKind.RESTING, about.resting_since, about.resting, remedy)]
    found = []
    if about.ended_token is not None and about.enabled:
        found.append(_unauthorized(about, about.ended_token, name))
    if about.failures and _is_current(about, now):
        reason = about.last_error or NO_REASON
        remedy = f"duly schedule history {name} --status failed --status dead"
        found.append(_concern(about, ConcernKind.FAILING, about.failing_since, reason, remedy, about.failures))
    due = _due(about, now)
    late = due is not None and now - due > about.grace
    if engine_runs and about.handler not in served and (due is not None or about.next_run_at is not None):
        found.append(_concern(about, ConcernKind.UNSERVED, due if late else None, *_unserved(about.handler, name)))
    elif late:
        if engine_runs:
            found.append(_concern(about, ConcernKind.OVERDUE, due, BEHIND, "duly health"))
        else:
            found.append(_concern(about, ConcernKind.OVERDUE, due, NO_DAEMON, "duly up"))
    return found


def _unauthorized(about: Subject, token: EndedToken, name: str) -> Concern:
    reason = token_ended(token.id, "last changed" if token.changed else "made", expired=token.expired)
    remedy = f"its owner takes it back by saving it again; an admin: duly schedule reown {name}"
    return _concern(about, ConcernKind.UNAUTHORIZED, token.since, reason, remedy)


def _is_current(about: Subject, now: datetime) -> bool:
    """Say whether a failure still matters: not of a paused schedule, nor of one that ended long ago."""
    if about.enabled:
        return True
    return about.disabled_by == "finished" and about.last_run_at is not None and now - about.last_run_at <= LONG_OVER


def _due(about: Subject, now: datetime) -> datetime | None:
    """Give the time at which the oldest waiting fire was due."""
    times = [at for at in (about.next_run_at, about.held_up_since) if at is not None and at <= now]
    return min(times, default=None)


def unserved_reason(handler: str) -> str:
    """Say what it means that no living node serves a handler."""
    kind, _, what = handler.partition(":")
    reasons = {
        "job": f"job {what} is not registered anywhere",
        "prompt": f"no running engine has the spawner {what}",
        "message": "no running engine delivers messages",
    }
    return reasons.get(kind, f"no running engine serves {handler}")


def unserved_remedy(handler: str) -> str:
    """Say how to have a handler served."""
    kind, _, what = handler.partition(":")
    remedies = {
        "job": f"start the program that registers {what}, or name it under [jobs] in duly.toml and restart duly up",
        "prompt": f"add [spawners.{what}] to duly.toml and restart duly up",
        "message": "duly up",
    }
    return remedies.get(kind, f"start a program that serves {handler}")


def _unserved(handler: str, name: str) -> tuple[str, str]:
    other = "" if handler == "message" else f"; or: duly schedule delete {name}"
    return unserved_reason(handler), unserved_remedy(handler) + other


def _concern(
    about: Subject, kind: ConcernKind, since: datetime | None, reason: str, remedy: str, times: int = 0
) -> Concern:
    return Concern(
        kind=kind,
        schedule_id=about.id,
        namespace=about.namespace,
        name=about.name,
        since=since,
        reason=" ".join(reason.split()),
        remedy=remedy,
        times=times,
    )

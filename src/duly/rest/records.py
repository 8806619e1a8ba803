"""What happened, who changed what, and whether all is well."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import ConfigDict, Field

from duly.errors import InvalidInputError
from duly.planning.attention import ConcernKind
from duly.rest.inputs import Cursor, Limit, Moment, RequestBody, Words
from duly.rest.operations import By, Operations, PageOf
from duly.service.access.audit_trail import AuditView, ChainView
from duly.service.journal import EventView
from duly.service.pruning import PruneView
from duly.service.schedules.values import moment
from duly.service.schedules.views import HealthView

records = Operations("records", "The journal of events, the audit of changes, and the end of old records.")
health = Operations("health", "Whether all is well, and what needs attention.")

Kinds = Annotated[
    list[str] | None, Query(description="Names such as run.failed, or patterns such as run.*", max_length=50)
]
Level = Annotated[Literal["debug", "info", "warning", "error"] | None, Query(description="The least level wanted")]
_CONCERNS: dict[str, Any] = {"enum": [*map(str, ConcernKind), None]}
Concerning = Annotated[str | None, Query(description="Only concerns of this kind", json_schema_extra=_CONCERNS)]


class PruneBody(RequestBody):
    """How old records have to be to go."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"older_than": "30d", "dry_run": True}]}
    )
    older_than: str = Field(min_length=2, max_length=20, description="30d, 12w; at least 1d")
    dry_run: bool = Field(False, description="Only count what would be deleted")


@records.get("/journal", PageOf(EventView))
async def list_journal(
    by: By,
    schedule: Words = None,
    run: Words = None,
    kind: Kinds = None,
    level: Level = None,
    since: Moment = None,
    until: Moment = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> object:
    """List the newest entries of the journal in the order they were written; the cursor leads to older ones."""
    return await by.services.journal.page(
        by.caller,
        schedule=schedule,
        run_id=run,
        kinds=kind or (),
        level=level,
        since=_moment(since, "since"),
        until=_moment(until, "until"),
        cursor=cursor,
        limit=limit,
    )


@records.get("/audit", PageOf(AuditView))
async def list_audit(
    by: By,
    schedule: Words = None,
    actor: Words = None,
    kind: Kinds = None,
    since: Moment = None,
    until: Moment = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> object:
    """List the newest changes in the order they were made: who, through which door, and what; admins see the values."""
    found, older = await by.services.audit.entries(
        by.caller,
        schedule=schedule,
        actor=actor,
        kinds=kind or (),
        since=_moment(since, "since"),
        until=_moment(until, "until"),
        cursor=_entry(cursor),
        limit=limit,
    )
    return found, None if older is None else str(older)


@records.get("/audit/chain", ChainView)
async def verify_audit(by: By, head: Words = None) -> object:
    """Check that the audit is whole, from its beginning to its head; `head` must be part of it. For admins."""
    return await by.services.audit.verify(by.caller, head)


@records.post("/prune", PruneView, faults=(409,))
async def prune(by: By, body: PruneBody) -> object:
    """Delete runs, removed schedules, entries of the journal and other records that are older than an age. For admins.

    Engines do so by themselves, by their retention. After five seconds the answer has what was deleted so far;
    `goes_on` then says that the rest is being deleted.
    """
    return await by.services.pruning.begin(by.caller, body.older_than, dry_run=body.dry_run)


@health.get("/health", HealthView)
async def get_health(by: By, kind: Concerning = None) -> object:
    """Show the health, its reasons, and the schedules that need attention."""
    return await by.services.schedules.health(by.caller, kind)


def _moment(text: str | None, name: str) -> datetime | None:
    return None if text is None else moment(text, name)


def _entry(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise InvalidInputError(f"cursor {cursor!r} is not one of ours: use next_cursor of the page before")
    return int(cursor)

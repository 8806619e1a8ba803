"""What happened, who changed what, whether all is well, and the stream of changes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from duly.errors import InvalidInputError
from duly.operations.ask import Ask, Group, Page, PagedAsk, get, post
from duly.operations.parameters import After, Cursor, Limit, Moment, Param, Patterns, Text
from duly.planning.attention import ConcernKind
from duly.service.access.audit_trail import AuditView, ChainView
from duly.service.backups import BackupMade
from duly.service.journal import EventView
from duly.service.live.events import LiveEvent
from duly.service.pruning import PruneView
from duly.service.schedules.values import optional_moment
from duly.service.schedules.views import HealthView

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

Level = Annotated[Literal["debug", "info", "warning", "error"] | None, Param(words="The least level wanted")]
Concerning = Annotated[str | None, Param(words="Only concerns of this kind", choices=tuple(map(str, ConcernKind)))]
Age = Annotated[str, Param(words="30d, 12w; at least 1d", shortest=2, longest=20)]


@dataclass(frozen=True, slots=True)
class ListJournal(PagedAsk[EventView]):
    """List the newest entries of the journal in the order they were written; the cursor leads to older ones."""

    _: KW_ONLY
    schedule: Text = None
    run: Text = None
    kind: Patterns = ()
    level: Level = None
    since: Moment = None
    until: Moment = None
    after: After = 0
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[EventView]:
        return await services.journal.page(
            caller,
            schedule=self.schedule,
            run_id=self.run,
            kinds=self.kind,
            level=self.level,
            since=optional_moment(self.since, "since"),
            until=optional_moment(self.until, "until"),
            after=self.after,
            cursor=self.cursor,
            limit=self.limit,
        )


@dataclass(frozen=True, slots=True)
class ListAudit(PagedAsk[AuditView]):
    """List the newest changes in the order they were made: who, through which door, and what; admins see the values."""

    _: KW_ONLY
    schedule: Text = None
    actor: Text = None
    kind: Patterns = ()
    since: Moment = None
    until: Moment = None
    after: After = 0
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[AuditView]:
        found, older = await services.audit.entries(
            caller,
            schedule=self.schedule,
            actor=self.actor,
            kinds=self.kind,
            since=optional_moment(self.since, "since"),
            until=optional_moment(self.until, "until"),
            after=self.after,
            cursor=_entry(self.cursor),
            limit=self.limit,
        )
        return found, None if older is None else str(older)


@dataclass(frozen=True, slots=True)
class VerifyAudit(Ask[ChainView]):
    """Check that the audit is whole, from its beginning to its head; `head` must be part of it. For admins."""

    head: Text = None

    async def carry_out(self, services: Services, caller: Caller) -> ChainView:
        return await services.audit.verify(caller, self.head)


@dataclass(frozen=True, slots=True)
class Prune(Ask[PruneView]):
    """Delete runs, removed schedules, entries of the journal and other records that are older than an age. For admins.

    Engines do so by themselves, by their retention. After five seconds the answer has what was deleted so far;
    `goes_on` then says that the rest is being deleted.
    """

    older_than: Age
    _: KW_ONLY
    dry_run: Annotated[bool, Param(words="Only count what would be deleted")] = False

    async def carry_out(self, services: Services, caller: Caller) -> PruneView:
        return await services.pruning.begin(caller, self.older_than, dry_run=self.dry_run)


@dataclass(frozen=True, slots=True)
class MakeBackup(Ask[BackupMade]):
    """Make a backup of the whole store now, in the folder of `[backup]` of `duly.toml`. For admins.

    The file stays on the machine of the daemon. After five seconds the answer says `goes_on`, and the backup is made
    meanwhile; health is red if it fails.
    """

    async def carry_out(self, services: Services, caller: Caller) -> BackupMade:
        return await services.process.backups.begin(caller)


@dataclass(frozen=True, slots=True)
class GetHealth(Ask[HealthView]):
    """Show the health, its reasons, and the schedules that need attention."""

    kind: Concerning = None

    async def carry_out(self, services: Services, caller: Caller) -> HealthView:
        return await services.schedules.health(caller, self.kind)


@dataclass(frozen=True, slots=True)
class FollowEvents(Ask[LiveEvent]):
    """Follow what changes, as server-sent events: what the caller may see, until the client leaves or its token ends.

    `topics` are names with commas between them: attention, config, health, node, output, reminder, run, schedule. After
    `Last-Event-ID` (or `last_id`) comes everything since, or one event `reset` when that is too long ago: read again
    what is shown. An event `beat` comes every ten seconds. Each `data` is a `LiveEvent`.
    """

    topics: Text = None
    last_id: Text = None
    seen: Annotated[str | None, Param(where="header", header="Last-Event-ID")] = None

    async def carry_out(self, services: Services, caller: Caller) -> LiveEvent:
        del services, caller
        raise InvalidInputError("events come as a stream: GET /events, or subscribe on the WebSocket")


def _entry(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise InvalidInputError(f"cursor {cursor!r} is not one of ours: use next_cursor of the page before")
    return int(cursor)


RECORDS = Group(
    "records",
    "The journal of events, the audit of changes, and the end of old records.",
    (
        get(ListJournal, "/journal"),
        get(ListAudit, "/audit"),
        get(VerifyAudit, "/audit/chain"),
        post(
            Prune,
            "/prune",
            faults=(409,),
            body="PruneBody",
            about_body="How old records have to be to go.",
            examples=({"older_than": "30d", "dry_run": True},),
        ),
        post(MakeBackup, "/backups", faults=(404, 409)),
    ),
)
HEALTH = Group("health", "Whether all is well, and what needs attention.", (get(GetHealth, "/health"),))
EVENTS = Group("events", "What changes, as it happens.", (get(FollowEvents, "/events", media="text/event-stream"),))

"""`duly --server URL`: the commands, carried out by a daemon elsewhere.

`RemoteRuntime` has the use cases that commands call, under the same names, and asks the daemon with the client. What
needs the machine of the daemon, such as `duly up`, does not work so and says it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import SimpleNamespace
from typing import Any, NoReturn, TypeVar

from duly.cli.remote_access import RemoteAudit, RemotePeople, RemoteQuotas, RemoteTokens
from duly.cli.remote_desk import RemoteServices
from duly.client import AsyncClient, calls, people_calls
from duly.clock import Clock
from duly.errors import DulyError, InvalidInputError
from duly.model.run import Status
from duly.model.trigger import Trigger
from duly.operations.views import AnsweredView, CallerView
from duly.ports.people import LOCAL_USER
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.journal import EventView
from duly.service.reminders.history import ReminderHistory
from duly.service.reminders.views import GatheredView, InboxView
from duly.service.schedules.fields import ReminderView, ScheduleView
from duly.service.schedules.finding import base_name
from duly.service.schedules.run_views import RunView
from duly.service.schedules.view_parts import ConcernView
from duly.service.schedules.views import HealthView, PreviewView
from duly.zones import iso

Created = TypeVar("Created")


class RemoteRuntime:
    """The parts of a runtime that commands use, at a daemon elsewhere."""

    def __init__(self, ask: AsyncClient, url: str, me: CallerView, clock: Clock) -> None:
        self.clock = clock
        self.zone = me.default_timezone
        self.settings = SimpleNamespace(data_dir=url, public_url=url.rstrip("/").removesuffix("/api/v1"))
        self.use_cases = self.read_cases = RemoteUseCases(ask, me)
        self.reminders = RemoteReminders(ask, me)
        self.journal = RemoteJournal(ask)
        self.services = RemoteServices(ask, me.user_id)
        self.tokens = RemoteTokens(ask)
        self.quotas = RemoteQuotas(ask)
        self.audit = RemoteAudit(ask)
        self.attention = RemoteAttention()
        self.caller = Caller(
            scope=Scope.parse(me.scope), token_id=me.token_id, face=Face.CLI, user_id=me.user_id, home=me.namespace
        )

    def daemon(self) -> None:
        """Give the daemon of this machine: none, the other one is asked."""

    def __getattr__(self, name: str) -> NoReturn:
        raise DulyError(f"this command does not work with --server: run it where the daemon runs ({name} is there)")


async def open_remote(url: str, token: str | None, clock: Clock) -> tuple[AsyncClient, RemoteRuntime]:
    """Connect to a daemon, and learn who we are there."""
    ask = AsyncClient(url, token)
    try:
        return ask, RemoteRuntime(ask, url, await ask.get_caller(), clock)
    except BaseException:
        await ask.close()
        raise


class RemoteAttention:
    """Warnings that the daemon itself gives with its answers."""

    async def nothing_runs(self) -> str | None:
        """Give no warning: the daemon that answers runs."""
        return None


class RemoteNames:
    """Names of schedules at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def create_under_free_name(
        self, namespace: str, text: str, create: Callable[[str], Awaitable[Created]]
    ) -> Created:
        """Call `create` with a free name made from the first words of a text."""
        base = base_name(text)
        names = (base if number == 1 else f"{base}-{number}" for number in count(1))
        taken: set[str] = set()
        while True:
            name = next(each for each in names if each not in taken)
            try:
                return await create(name)
            except InvalidInputError:
                taken = await self._names_like(namespace, base)
                if name not in taken:
                    raise  # refused for another reason than its name

    async def _names_like(self, namespace: str, base: str) -> set[str]:
        found: set[str] = set()
        cursor: str | None = None
        while True:
            page, cursor = await self._ask.page(calls.list_schedules(owner=namespace, text=base, cursor=cursor))
            found.update(each.name for each in page)
            if cursor is None:
                return found

    async def last_statuses(self, ids: Sequence[str], count: int) -> dict[str, list[Status]]:
        """Give the statuses of the last runs of schedules, newest first."""
        if not ids:
            return {}
        found = (await self._ask.get_figures(ids)).figures
        return {name: [Status(each.status) for each in reversed(one.outcomes)][:count] for name, one in found.items()}


class RemoteUseCases:
    """The use cases of schedules, at the daemon. A caller is not sent: the token says who asks."""

    def __init__(self, ask: AsyncClient, me: CallerView) -> None:
        self._ask = ask
        self._zone = me.timezone
        self.find = RemoteNames(ask)
        self.zones = self
        self.runs = RemoteRuns(ask)

    async def person(self, _caller: Caller) -> str:
        """Give the zone of the person who asks."""
        return self._zone

    async def schedule_create(self, _caller: Caller, fields: Mapping[str, Any]) -> ScheduleView:
        return await self._ask.create_schedule(**fields)

    async def schedule_update(
        self, _caller: Caller, schedule: str, given: Mapping[str, Any], clear: Sequence[str] = ()
    ) -> ScheduleView:
        return await self._ask.update_schedule(schedule, **given, **dict.fromkeys(clear))

    async def schedule_delete(self, _caller: Caller, schedule: str) -> ScheduleView:
        view = await self._ask.get_schedule(schedule)
        await self._ask.delete_schedule(view.id)
        return view

    async def schedule_restore(self, _caller: Caller, schedule_id: str, name: str | None = None) -> ScheduleView:
        return await self._ask.restore_schedule(schedule_id, name)

    async def schedule_pause(self, _caller: Caller, schedule: str) -> ScheduleView:
        return _schedule((await self._ask.pause_schedule(schedule)).schedule)

    async def schedule_resume(self, _caller: Caller, schedule: str) -> ScheduleView:
        return _schedule((await self._ask.resume_schedule(schedule)).schedule)

    async def schedule_skip_next(self, _caller: Caller, schedule: str) -> ScheduleView:
        return _schedule((await self._ask.skip_next_run(schedule)).schedule)

    async def schedule_trigger(self, _caller: Caller, schedule: str) -> RunView:
        return await self._ask.trigger_schedule(schedule)

    async def schedule_backfill(
        self, _caller: Caller, schedule: str, start: Any, end: Any
    ) -> tuple[list[RunView], int]:
        made = await self._ask.backfill_schedule(schedule, start, end)
        return made.items, made.total

    async def run_cancel(self, _caller: Caller, run_id: str) -> RunView:
        return await self._ask.cancel_run(run_id)

    async def run_get(self, _caller: Caller, run_id: str) -> RunView:
        return (await self._ask.get_run(run_id)).run

    async def schedule_get(self, _caller: Caller, schedule: str) -> ScheduleView:
        return await self._ask.get_schedule(schedule)

    async def schedule_list(self, _caller: Caller, **filters: Any) -> tuple[list[ScheduleView], str | None]:
        return await self._ask.page(calls.list_schedules(**filters))

    async def schedule_history(
        self, _caller: Caller, schedule: str | None = None, *, statuses: Sequence[str] = (), **filters: Any
    ) -> tuple[list[RunView], str | None]:
        return await self._ask.page(calls.list_runs(schedule=schedule, status=list(statuses), **filters))

    async def health(self, _caller: Caller, kind: str | None = None) -> HealthView:
        return await self._ask.get_health(kind)

    async def schedule_preview(
        self, _caller: Caller, cron: str | None = None, when: str | None = None, **more: Any
    ) -> PreviewView:
        return await self._ask.preview_times(cron=cron, when=when, **more)


class RemoteRuns:
    """Runs in full, at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def get(self, _caller: Caller, run_id: str) -> Any:
        return await self._ask.get_run(run_id)

    async def output(self, _caller: Caller, run_id: str, **more: Any) -> Any:
        return await self._ask.get_output(run_id, **more)


class RemoteReminders:
    """The reminders of people, at the daemon."""

    def __init__(self, ask: AsyncClient, me: CallerView) -> None:
        self._ask = ask
        self._me = me
        self.people = RemotePeople(ask, me)
        self.lists = self

    def _user(self, user: str) -> str | None:
        """Give the person to name in a request; none for the owner of the token."""
        return None if user in (LOCAL_USER, self._me.user_id) and self._me.user_id is not None else user

    async def create(self, user_id: str, trigger: Trigger, message: str, **options: Any) -> ReminderView:
        """Make a reminder of what was understood here: the daemon could read the words in another zone or language."""
        options.pop("created_via", None)
        schedule = {"type": "trigger", "trigger": trigger.to_dict(), "text": options.pop("original_text")}
        return await self._ask.create_reminder(schedule, message, user=self._user(user_id), **options)

    async def update(self, user_id: str, target: str, **fields: Any) -> ReminderView:
        return await self._ask.update_reminder(target, user=self._user(user_id), **fields)

    async def remove(self, user_id: str, target: str) -> ReminderView:
        return await self._ask.remove_reminder(target, user=self._user(user_id))

    async def skip_next(self, user_id: str, target: str) -> ReminderView:
        return await self._ask.skip_next_reminder(target, user=self._user(user_id))

    async def get(self, user_id: str, target: str) -> ReminderView:
        return await self._ask.get_reminder(target, user=self._user(user_id))

    async def show(self, user_id: str, target: str, limit: int) -> ReminderHistory:
        return await self._ask.show_reminder_history(target, user=self._user(user_id), limit=limit)

    async def pending(self, user_id: str) -> list[Any]:
        return list((await self._ask.get_inbox(user=self._user(user_id))).waiting)

    async def gathered(self, user_id: str) -> list[GatheredView]:
        return (await self._ask.get_inbox(user=self._user(user_id))).gathered

    async def concerns(self, _user_id: str) -> list[ConcernView]:
        """Give no concerns: `duly --server … health` shows them."""
        return []

    async def answer(
        self, user_id: str, response: str, target: str | None = None, *, length: str | None = None, channel: str = "cli"
    ) -> RemoteAnswer:
        del channel  # the daemon notes that it came over the API
        given = await self._ask.answer_reminder(response, target, length=length or None, user=self._user(user_id))
        return RemoteAnswer(given)

    async def page(self, user_id: str, **filters: Any) -> tuple[list[ReminderView], str | None]:
        return await self._ask.page(people_calls.list_reminders(user=self._user(user_id), **filters))

    async def inbox(self, user_id: str, *, read: bool = False, **filters: Any) -> tuple[list[InboxView], str | None]:
        items, cursor = await self._ask.page(people_calls.list_messages(user=self._user(user_id), **filters))
        if read and items and filters.get("cursor") is None:
            await self._ask.page(people_calls.read_messages(user=self._user(user_id), limit=len(items)))
            items = [replace(item, read_at=item.read_at or item.created_at) for item in items]
        return items, cursor

    async def inbox_item(self, user_id: str, item_id: int) -> InboxView:
        return await self._ask.get_message(item_id, user=self._user(user_id))


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """An answer that counted, as commands show it."""

    view: AnsweredView

    @property
    def text(self) -> str:
        return self.view.text

    def to_json(self) -> dict[str, Any]:
        """Give the answer as every face shows it."""
        view = self.view
        known = {"job_id": view.job_id, "run_id": view.run_id, "text": view.text, "response": view.response}
        return {**known, "until": iso(view.until), "undo": view.undo}


class RemoteJournal:
    """The journal, at the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def last(self) -> int:
        """Give the number of the newest entry."""
        found, _ = await self.page(None, limit=1)
        return found[-1].seq if found else 0

    async def page(
        self, _caller: Caller | None, *, run_id: str | None = None, kinds: Sequence[str] = (), **filters: Any
    ) -> tuple[list[EventView], str | None]:
        return await self._ask.page(people_calls.list_journal(run=run_id, kind=list(kinds) or None, **filters))

    async def events(self, caller: Caller, *, after: int | None = None, **filters: Any) -> list[EventView]:
        """Give the newest entries; with `after` those that came since."""
        found, _ = await self.page(caller, **filters)
        return [each for each in found if after is None or each.seq > after]

    def on_change(self, callback: Callable[[], None]) -> None:
        """Give no hints: `duly events --follow` looks every second anyway."""


def _schedule(view: ScheduleView | None) -> ScheduleView:
    if view is None:
        raise DulyError("the daemon showed no schedule: is it of another version?")
    return view

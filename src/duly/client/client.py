"""`Client` and `AsyncClient`: a daemon over HTTP, with the views and the errors of the library.

Both have the same methods, one for each operation of the API. A method that lists gives an iterator over all pages. A
request that changes nothing, or that the daemon carries out only once, is tried again when the daemon does not answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Generic, ParamSpec, Self, TypeVar

import httpx

from duly.client.exchange import (
    EventReader,
    check,
    options_of,
    parts_of,
    pause_before,
    read_answer,
    unreachable,
    with_key,
)
from duly.client.requests import Call, answer_reminder, call_of, next_page
from duly.operations.access import (
    AddPerson,
    ChangeGrants,
    CreateToken,
    GetPerson,
    ListPeople,
    ListQuotas,
    ListTokens,
    PairPerson,
    RemovePerson,
    RevokeToken,
    RotateToken,
    UpdatePerson,
)
from duly.operations.actions import (
    ChangeMany,
    CheckChannel,
    CompareConfig,
    GetLastStep,
    ListAttention,
    ListChannels,
    MarkSeen,
    PutScheduleBack,
    SendTestMessage,
    UndoStep,
)
from duly.operations.ask import Ask, ListAsk, PagedAsk
from duly.operations.calendar import (
    CreateCalendarLink,
    ExportCalendar,
    ImportCalendar,
    ListCalendarLinks,
    RevokeCalendarLink,
    RotateCalendarLink,
)
from duly.operations.caller import GetCaller
from duly.operations.choices import ListGates, ListJobs, ListProjects, ListSpawners
from duly.operations.listing import GetFigures, ListSchedules
from duly.operations.overview import (
    CheckExecutor,
    CountRuns,
    CountSchedules,
    GetDay,
    GetLoad,
    ListExecutors,
    ListFires,
    ListNodes,
    ListRuns,
)
from duly.operations.records import GetHealth, ListAudit, ListJournal, MakeBackup, Prune, VerifyAudit
from duly.operations.reminders import (
    CreateReminder,
    GetInbox,
    GetMessage,
    GetReminder,
    ListDeliveries,
    ListMessages,
    ListReminders,
    ReadMessages,
    RemoveReminder,
    SendMessage,
    ShowReminderHistory,
    SkipNextReminder,
    UpdateReminder,
)
from duly.operations.runs import CancelRun, GetOutput, GetRun, RunAgain, WakeMe
from duly.operations.schedules import (
    BackfillSchedule,
    CreateSchedule,
    DeleteSchedule,
    GetSchedule,
    ListRunsOfSchedule,
    PauseSchedule,
    PreviewTimes,
    RestoreSchedule,
    ResumeSchedule,
    SkipNextRun,
    TriggerSchedule,
    UpdateSchedule,
    schedule_of,
)
from duly.service.live.events import LiveEvent

R = TypeVar("R")
View = TypeVar("View")
P = ParamSpec("P")
_TIMEOUT = 30.0


class SyncCall(Generic[P, R]):
    """A method of `Client` for one operation."""

    def __init__(self, make: Callable[P, Ask[R]]) -> None:
        self.__doc__ = make.__doc__
        self.make = make

    def __get__(self, client: Client, owner: type[Client]) -> Callable[P, R]:
        def ask(*given: P.args, **named: P.kwargs) -> R:
            return client.ask(self.make(*given, **named))

        return ask


class SyncShown(Generic[P, R, View]):
    """A method of `Client` for one operation, which gives a part of its answer."""

    def __init__(self, make: Callable[P, Ask[R]], part: Callable[[R], View]) -> None:
        self.__doc__ = make.__doc__
        self.make = make
        self._part = part

    def __get__(self, client: Client, owner: type[Client]) -> Callable[P, View]:
        def ask(*given: P.args, **named: P.kwargs) -> View:
            return self._part(client.ask(self.make(*given, **named)))

        return ask


class SyncPages(Generic[P, View]):
    """A method of `Client` that gives the items of all pages, each page when it is needed."""

    def __init__(self, make: Callable[P, PagedAsk[View] | ListAsk[View]]) -> None:
        self.__doc__ = make.__doc__
        self.make = make

    def __get__(self, client: Client, owner: type[Client]) -> Callable[P, Iterator[View]]:
        def pages(*given: P.args, **named: P.kwargs) -> Iterator[View]:
            return client.items(self.make(*given, **named))

        return pages


class AsyncCall(Generic[P, R]):
    """A method of `AsyncClient` for one operation."""

    def __init__(self, make: Callable[P, Ask[R]]) -> None:
        self.__doc__ = make.__doc__
        self.make = make

    def __get__(self, client: AsyncClient, owner: type[AsyncClient]) -> Callable[P, Awaitable[R]]:
        def ask(*given: P.args, **named: P.kwargs) -> Awaitable[R]:
            return client.ask(self.make(*given, **named))

        return ask


class AsyncShown(Generic[P, R, View]):
    """A method of `AsyncClient` for one operation, which gives a part of its answer."""

    def __init__(self, make: Callable[P, Ask[R]], part: Callable[[R], View]) -> None:
        self.__doc__ = make.__doc__
        self.make = make
        self._part = part

    def __get__(self, client: AsyncClient, owner: type[AsyncClient]) -> Callable[P, Awaitable[View]]:
        async def ask(*given: P.args, **named: P.kwargs) -> View:
            return self._part(await client.ask(self.make(*given, **named)))

        return ask


class AsyncPages(Generic[P, View]):
    """A method of `AsyncClient` that gives the items of all pages, each page when it is needed."""

    def __init__(self, make: Callable[P, PagedAsk[View] | ListAsk[View]]) -> None:
        self.__doc__ = make.__doc__
        self.make = make

    def __get__(self, client: AsyncClient, owner: type[AsyncClient]) -> Callable[P, AsyncIterator[View]]:
        def pages(*given: P.args, **named: P.kwargs) -> AsyncIterator[View]:
            return client.items(self.make(*given, **named))

        return pages


class Client:
    """Asks a daemon and waits for its answers."""

    def __init__(
        self,
        server: str,
        token: str | None = None,
        *,
        timeout: float = _TIMEOUT,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`server` is an address such as http://127.0.0.1:8765; `token` is made by `duly token create`."""
        self._http = httpx.Client(**options_of(server, token, timeout, transport))
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, ask: Ask[R]) -> R:
        """Ask the daemon for an operation, and give its answer."""
        return read_answer(ask, self._exchange(call_of(ask)))

    def items(self, ask: PagedAsk[View] | ListAsk[View]) -> Iterator[View]:
        """Give the items of all pages of a list."""
        if isinstance(ask, ListAsk):
            yield from self.ask(ask)
            return
        while True:
            found, cursor = self.ask(ask)
            yield from found
            if cursor is None:
                return
            ask = next_page(ask, cursor)

    def events(self, topics: str | None = None, last_id: str | None = None) -> Iterator[LiveEvent]:
        """Follow what changes, for ever; a connection that was lost is opened again, and nothing is missed."""
        reader = EventReader(last_id)
        query = {} if topics is None else {"topics": topics}
        while True:
            try:
                with self._http.stream(
                    "GET", "/events", params=query, headers=reader.headers(), timeout=None
                ) as stream:
                    if not stream.is_success:
                        stream.read()
                        check(stream)
                    for line in stream.iter_lines():
                        yield from reader.read([line])
            except httpx.HTTPError:
                self._sleep(1.0)

    def _exchange(self, call: Call) -> httpx.Response:
        call = with_key(call)
        number = 0
        while True:
            number += 1
            try:
                answer = self._http.request(call.method, call.path, **parts_of(call))
                pause = pause_before(number, call, answer)
                if pause is None:
                    return answer
            except httpx.HTTPError as error:
                pause = pause_before(number, call, error)
                if pause is None:
                    raise unreachable(self._http.base_url, error) from error
            self._sleep(pause)

    list_schedules = SyncPages(ListSchedules)
    get_schedule = SyncCall(GetSchedule)
    create_schedule = SyncCall(CreateSchedule.of)
    update_schedule = SyncShown(UpdateSchedule.of, schedule_of)
    delete_schedule = SyncCall(DeleteSchedule)
    restore_schedule = SyncCall(RestoreSchedule)
    pause_schedule = SyncCall(PauseSchedule)
    resume_schedule = SyncCall(ResumeSchedule)
    skip_next_run = SyncCall(SkipNextRun)
    trigger_schedule = SyncCall(TriggerSchedule)
    backfill_schedule = SyncCall(BackfillSchedule)
    preview_times = SyncCall(PreviewTimes)
    change_many = SyncCall(ChangeMany.of)
    list_jobs = SyncPages(ListJobs)
    list_spawners = SyncPages(ListSpawners)
    list_gates = SyncPages(ListGates)
    list_projects = SyncPages(ListProjects)
    put_schedule_back = SyncCall(PutScheduleBack)
    list_runs = SyncPages(ListRuns)
    list_runs_of_schedule = SyncPages(ListRunsOfSchedule)
    get_run = SyncCall(GetRun)
    get_output = SyncCall(GetOutput)
    cancel_run = SyncCall(CancelRun)
    run_again = SyncCall(RunAgain)
    wake_me = SyncCall(WakeMe)
    list_deliveries = SyncPages(ListDeliveries)
    get_day = SyncCall(GetDay)
    list_fires = SyncCall(ListFires)
    get_load = SyncCall(GetLoad)
    get_figures = SyncCall(GetFigures)
    count_runs = SyncCall(CountRuns)
    count_schedules = SyncCall(CountSchedules)
    list_reminders = SyncPages(ListReminders)
    create_reminder = SyncCall(CreateReminder.of)
    get_reminder = SyncCall(GetReminder)
    show_reminder_history = SyncCall(ShowReminderHistory)
    update_reminder = SyncCall(UpdateReminder.of)
    remove_reminder = SyncCall(RemoveReminder)
    skip_next_reminder = SyncCall(SkipNextReminder)
    answer_reminder = SyncCall(answer_reminder)
    send_message = SyncCall(SendMessage)
    get_inbox = SyncCall(GetInbox)
    list_messages = SyncPages(ListMessages)
    read_messages = SyncPages(ReadMessages)
    get_message = SyncCall(GetMessage)
    list_calendar_links = SyncPages(ListCalendarLinks)
    create_calendar_link = SyncCall(CreateCalendarLink)
    rotate_calendar_link = SyncCall(RotateCalendarLink)
    revoke_calendar_link = SyncCall(RevokeCalendarLink)
    export_calendar = SyncCall(ExportCalendar)
    import_calendar = SyncCall(ImportCalendar)
    list_attention = SyncCall(ListAttention)
    mark_seen = SyncCall(MarkSeen)
    get_last_step = SyncCall(GetLastStep)
    undo_step = SyncCall(UndoStep)
    get_caller = SyncCall(GetCaller)
    list_people = SyncPages(ListPeople)
    get_person = SyncCall(GetPerson)
    add_person = SyncCall(AddPerson.of)
    update_person = SyncCall(UpdatePerson.of)
    remove_person = SyncCall(RemovePerson)
    pair_person = SyncCall(PairPerson)
    list_tokens = SyncPages(ListTokens)
    create_token = SyncCall(CreateToken)
    change_grants = SyncCall(ChangeGrants)
    rotate_token = SyncCall(RotateToken)
    revoke_token = SyncCall(RevokeToken)
    list_quotas = SyncPages(ListQuotas)
    list_channels = SyncPages(ListChannels)
    check_channel = SyncCall(CheckChannel)
    send_test_message = SyncCall(SendTestMessage)
    list_nodes = SyncPages(ListNodes)
    list_executors = SyncPages(ListExecutors)
    check_executor = SyncCall(CheckExecutor)
    list_journal = SyncPages(ListJournal)
    list_audit = SyncPages(ListAudit)
    verify_audit = SyncCall(VerifyAudit)
    prune = SyncCall(Prune)
    make_backup = SyncCall(MakeBackup)
    get_health = SyncCall(GetHealth)
    compare_config = SyncCall(CompareConfig)


class AsyncClient:
    """Asks a daemon, in coroutines."""

    def __init__(
        self,
        server: str,
        token: str | None = None,
        *,
        timeout: float = _TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`server` is an address such as http://127.0.0.1:8765; `token` is made by `duly token create`."""
        self._http = httpx.AsyncClient(**options_of(server, token, timeout, transport))
        self._sleep = sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ask(self, ask: Ask[R]) -> R:
        """Ask the daemon for an operation, and give its answer."""
        return read_answer(ask, await self._exchange(call_of(ask)))

    async def items(self, ask: PagedAsk[View] | ListAsk[View]) -> AsyncIterator[View]:
        """Give the items of all pages of a list."""
        if isinstance(ask, ListAsk):
            for each in await self.ask(ask):
                yield each
            return
        while True:
            found, cursor = await self.ask(ask)
            for each in found:
                yield each
            if cursor is None:
                return
            ask = next_page(ask, cursor)

    async def events(self, topics: str | None = None, last_id: str | None = None) -> AsyncIterator[LiveEvent]:
        """Follow what changes, for ever; a connection that was lost is opened again, and nothing is missed."""
        reader = EventReader(last_id)
        query = {} if topics is None else {"topics": topics}
        while True:
            try:
                opened = self._http.stream("GET", "/events", params=query, headers=reader.headers(), timeout=None)
                async with opened as stream:
                    if not stream.is_success:
                        await stream.aread()
                        check(stream)
                    async for line in stream.aiter_lines():
                        for event in reader.read([line]):
                            yield event
            except httpx.HTTPError:
                await self._sleep(1.0)

    async def _exchange(self, call: Call) -> httpx.Response:
        call = with_key(call)
        number = 0
        while True:
            number += 1
            try:
                answer = await self._http.request(call.method, call.path, **parts_of(call))
                pause = pause_before(number, call, answer)
                if pause is None:
                    return answer
            except httpx.HTTPError as error:
                pause = pause_before(number, call, error)
                if pause is None:
                    raise unreachable(self._http.base_url, error) from error
            await self._sleep(pause)

    list_schedules = AsyncPages(ListSchedules)
    get_schedule = AsyncCall(GetSchedule)
    create_schedule = AsyncCall(CreateSchedule.of)
    update_schedule = AsyncShown(UpdateSchedule.of, schedule_of)
    delete_schedule = AsyncCall(DeleteSchedule)
    restore_schedule = AsyncCall(RestoreSchedule)
    pause_schedule = AsyncCall(PauseSchedule)
    resume_schedule = AsyncCall(ResumeSchedule)
    skip_next_run = AsyncCall(SkipNextRun)
    trigger_schedule = AsyncCall(TriggerSchedule)
    backfill_schedule = AsyncCall(BackfillSchedule)
    preview_times = AsyncCall(PreviewTimes)
    change_many = AsyncCall(ChangeMany.of)
    list_jobs = AsyncPages(ListJobs)
    list_spawners = AsyncPages(ListSpawners)
    list_gates = AsyncPages(ListGates)
    list_projects = AsyncPages(ListProjects)
    put_schedule_back = AsyncCall(PutScheduleBack)
    list_runs = AsyncPages(ListRuns)
    list_runs_of_schedule = AsyncPages(ListRunsOfSchedule)
    get_run = AsyncCall(GetRun)
    get_output = AsyncCall(GetOutput)
    cancel_run = AsyncCall(CancelRun)
    run_again = AsyncCall(RunAgain)
    wake_me = AsyncCall(WakeMe)
    list_deliveries = AsyncPages(ListDeliveries)
    get_day = AsyncCall(GetDay)
    list_fires = AsyncCall(ListFires)
    get_load = AsyncCall(GetLoad)
    get_figures = AsyncCall(GetFigures)
    count_runs = AsyncCall(CountRuns)
    count_schedules = AsyncCall(CountSchedules)
    list_reminders = AsyncPages(ListReminders)
    create_reminder = AsyncCall(CreateReminder.of)
    get_reminder = AsyncCall(GetReminder)
    show_reminder_history = AsyncCall(ShowReminderHistory)
    update_reminder = AsyncCall(UpdateReminder.of)
    remove_reminder = AsyncCall(RemoveReminder)
    skip_next_reminder = AsyncCall(SkipNextReminder)
    answer_reminder = AsyncCall(answer_reminder)
    send_message = AsyncCall(SendMessage)
    get_inbox = AsyncCall(GetInbox)
    list_messages = AsyncPages(ListMessages)
    read_messages = AsyncPages(ReadMessages)
    get_message = AsyncCall(GetMessage)
    list_calendar_links = AsyncPages(ListCalendarLinks)
    create_calendar_link = AsyncCall(CreateCalendarLink)
    rotate_calendar_link = AsyncCall(RotateCalendarLink)
    revoke_calendar_link = AsyncCall(RevokeCalendarLink)
    export_calendar = AsyncCall(ExportCalendar)
    import_calendar = AsyncCall(ImportCalendar)
    list_attention = AsyncCall(ListAttention)
    mark_seen = AsyncCall(MarkSeen)
    get_last_step = AsyncCall(GetLastStep)
    undo_step = AsyncCall(UndoStep)
    get_caller = AsyncCall(GetCaller)
    list_people = AsyncPages(ListPeople)
    get_person = AsyncCall(GetPerson)
    add_person = AsyncCall(AddPerson.of)
    update_person = AsyncCall(UpdatePerson.of)
    remove_person = AsyncCall(RemovePerson)
    pair_person = AsyncCall(PairPerson)
    list_tokens = AsyncPages(ListTokens)
    create_token = AsyncCall(CreateToken)
    change_grants = AsyncCall(ChangeGrants)
    rotate_token = AsyncCall(RotateToken)
    revoke_token = AsyncCall(RevokeToken)
    list_quotas = AsyncPages(ListQuotas)
    list_channels = AsyncPages(ListChannels)
    check_channel = AsyncCall(CheckChannel)
    send_test_message = AsyncCall(SendTestMessage)
    list_nodes = AsyncPages(ListNodes)
    list_executors = AsyncPages(ListExecutors)
    check_executor = AsyncCall(CheckExecutor)
    list_journal = AsyncPages(ListJournal)
    list_audit = AsyncPages(ListAudit)
    verify_audit = AsyncCall(VerifyAudit)
    prune = AsyncCall(Prune)
    make_backup = AsyncCall(MakeBackup)
    get_health = AsyncCall(GetHealth)
    compare_config = AsyncCall(CompareConfig)

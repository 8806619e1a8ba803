"""`Client` and `AsyncClient`: a daemon over HTTP, with the views and the errors of the library.

Both have the same methods, one for each operation of the API. A method that lists gives an iterator over all pages. A
request that changes nothing, or that the daemon carries out only once, is tried again when the daemon does not answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, ParamSpec, Self, TypeVar

import httpx

from duly.client import calls, people_calls
from duly.client.calls import Call, PagedCall
from duly.client.exchange import (
    EventReader,
    next_page,
    options_of,
    parts_of,
    pause_before,
    read_answer,
    read_page,
    unreachable,
    with_key,
)
from duly.service.live.events import LiveEvent

View = TypeVar("View")
P = ParamSpec("P")
_TIMEOUT = 30.0


class SyncCall(Generic[P, View]):
    """A method of `Client` that sends one request."""

    def __init__(self, make: Callable[P, Call[View]]) -> None:
        self.__doc__ = make.__doc__
        self._make = make

    def __get__(self, client: Client, owner: type[Client]) -> Callable[P, View]:
        def send(*given: P.args, **named: P.kwargs) -> View:
            return client.send(self._make(*given, **named))

        return send


class SyncPages(Generic[P, View]):
    """A method of `Client` that gives the items of all pages, each page when it is needed."""

    def __init__(self, make: Callable[P, PagedCall[View]]) -> None:
        self.__doc__ = make.__doc__
        self._make = make

    def __get__(self, client: Client, owner: type[Client]) -> Callable[P, Iterator[View]]:
        def pages(*given: P.args, **named: P.kwargs) -> Iterator[View]:
            return client.all_pages(self._make(*given, **named))

        return pages


class AsyncCall(Generic[P, View]):
    """A method of `AsyncClient` that sends one request."""

    def __init__(self, make: Callable[P, Call[View]]) -> None:
        self.__doc__ = make.__doc__
        self._make = make

    def __get__(self, client: AsyncClient, owner: type[AsyncClient]) -> Callable[P, Awaitable[View]]:
        def send(*given: P.args, **named: P.kwargs) -> Awaitable[View]:
            return client.send(self._make(*given, **named))

        return send


class AsyncPages(Generic[P, View]):
    """A method of `AsyncClient` that gives the items of all pages, each page when it is needed."""

    def __init__(self, make: Callable[P, PagedCall[View]]) -> None:
        self.__doc__ = make.__doc__
        self._make = make

    def __get__(self, client: AsyncClient, owner: type[AsyncClient]) -> Callable[P, AsyncIterator[View]]:
        def pages(*given: P.args, **named: P.kwargs) -> AsyncIterator[View]:
            return client.all_pages(self._make(*given, **named))

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

    def send(self, call: Call[View]) -> View:
        """Send a request, and give its answer."""
        return read_answer(call, self._exchange(call))

    def page(self, call: PagedCall[View]) -> tuple[list[View], str | None]:
        """Give one page of a list, and the cursor of the next."""
        return read_page(call, self._exchange(call))

    def all_pages(self, call: PagedCall[View]) -> Iterator[View]:
        """Give the items of all pages of a list."""
        while True:
            items, cursor = self.page(call)
            yield from items
            if cursor is None:
                return
            call = next_page(call, cursor)

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
                        read_answer(calls.get(LiveEvent, "/events"), stream)
                    for line in stream.iter_lines():
                        yield from reader.read([line])
            except httpx.HTTPError:
                self._sleep(1.0)

    def _exchange(self, call: Call[Any]) -> httpx.Response:
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

    list_schedules = SyncPages(calls.list_schedules)
    get_schedule = SyncCall(calls.get_schedule)
    create_schedule = SyncCall(calls.create_schedule)
    update_schedule = SyncCall(calls.update_schedule)
    delete_schedule = SyncCall(calls.delete_schedule)
    restore_schedule = SyncCall(calls.restore_schedule)
    pause_schedule = SyncCall(calls.pause_schedule)
    resume_schedule = SyncCall(calls.resume_schedule)
    skip_next_run = SyncCall(calls.skip_next_run)
    trigger_schedule = SyncCall(calls.trigger_schedule)
    backfill_schedule = SyncCall(calls.backfill_schedule)
    preview_times = SyncCall(calls.preview_times)
    change_many = SyncCall(calls.change_many)
    put_schedule_back = SyncCall(calls.put_schedule_back)
    list_runs = SyncPages(calls.list_runs)
    list_runs_of_schedule = SyncPages(calls.list_runs_of_schedule)
    get_run = SyncCall(calls.get_run)
    get_output = SyncCall(calls.get_output)
    cancel_run = SyncCall(calls.cancel_run)
    run_again = SyncCall(calls.run_again)
    wake_me = SyncCall(calls.wake_me)
    list_deliveries = SyncPages(calls.list_deliveries)
    get_day = SyncCall(calls.get_day)
    list_fires = SyncCall(calls.list_fires)
    get_load = SyncCall(calls.get_load)
    get_figures = SyncCall(calls.get_figures)
    count_runs = SyncCall(calls.count_runs)
    count_schedules = SyncCall(calls.count_schedules)
    list_reminders = SyncPages(people_calls.list_reminders)
    create_reminder = SyncCall(people_calls.create_reminder)
    get_reminder = SyncCall(people_calls.get_reminder)
    show_reminder_history = SyncCall(people_calls.show_reminder_history)
    update_reminder = SyncCall(people_calls.update_reminder)
    remove_reminder = SyncCall(people_calls.remove_reminder)
    skip_next_reminder = SyncCall(people_calls.skip_next_reminder)
    answer_reminder = SyncCall(people_calls.answer_reminder)
    send_message = SyncCall(people_calls.send_message)
    get_inbox = SyncCall(people_calls.get_inbox)
    list_messages = SyncPages(people_calls.list_messages)
    read_messages = SyncPages(people_calls.read_messages)
    get_message = SyncCall(people_calls.get_message)
    list_calendar_links = SyncPages(people_calls.list_calendar_links)
    create_calendar_link = SyncCall(people_calls.create_calendar_link)
    rotate_calendar_link = SyncCall(people_calls.rotate_calendar_link)
    revoke_calendar_link = SyncCall(people_calls.revoke_calendar_link)
    export_calendar = SyncCall(people_calls.export_calendar)
    import_calendar = SyncCall(people_calls.import_calendar)
    list_attention = SyncCall(people_calls.list_attention)
    mark_seen = SyncCall(people_calls.mark_seen)
    get_last_step = SyncCall(people_calls.get_last_step)
    undo_step = SyncCall(people_calls.undo_step)
    get_caller = SyncCall(people_calls.get_caller)
    list_people = SyncPages(people_calls.list_people)
    get_person = SyncCall(people_calls.get_person)
    add_person = SyncCall(people_calls.add_person)
    update_person = SyncCall(people_calls.update_person)
    remove_person = SyncCall(people_calls.remove_person)
    pair_person = SyncCall(people_calls.pair_person)
    list_tokens = SyncPages(people_calls.list_tokens)
    create_token = SyncCall(people_calls.create_token)
    change_grants = SyncCall(people_calls.change_grants)
    rotate_token = SyncCall(people_calls.rotate_token)
    revoke_token = SyncCall(people_calls.revoke_token)
    list_quotas = SyncPages(people_calls.list_quotas)
    list_channels = SyncPages(people_calls.list_channels)
    check_channel = SyncCall(people_calls.check_channel)
    send_test_message = SyncCall(people_calls.send_test_message)
    list_nodes = SyncPages(people_calls.list_nodes)
    list_executors = SyncPages(people_calls.list_executors)
    check_executor = SyncCall(people_calls.check_executor)
    list_journal = SyncPages(people_calls.list_journal)
    list_audit = SyncPages(people_calls.list_audit)
    verify_audit = SyncCall(people_calls.verify_audit)
    prune = SyncCall(people_calls.prune)
    get_health = SyncCall(people_calls.get_health)
    compare_config = SyncCall(people_calls.compare_config)


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

    async def send(self, call: Call[View]) -> View:
        """Send a request, and give its answer."""
        return read_answer(call, await self._exchange(call))

    async def page(self, call: PagedCall[View]) -> tuple[list[View], str | None]:
        """Give one page of a list, and the cursor of the next."""
        return read_page(call, await self._exchange(call))

    async def all_pages(self, call: PagedCall[View]) -> AsyncIterator[View]:
        """Give the items of all pages of a list."""
        while True:
            items, cursor = await self.page(call)
            for item in items:
                yield item
            if cursor is None:
                return
            call = next_page(call, cursor)

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
                        read_answer(calls.get(LiveEvent, "/events"), stream)
                    async for line in stream.aiter_lines():
                        for event in reader.read([line]):
                            yield event
            except httpx.HTTPError:
                await self._sleep(1.0)

    async def _exchange(self, call: Call[Any]) -> httpx.Response:
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

    list_schedules = AsyncPages(calls.list_schedules)
    get_schedule = AsyncCall(calls.get_schedule)
    create_schedule = AsyncCall(calls.create_schedule)
    update_schedule = AsyncCall(calls.update_schedule)
    delete_schedule = AsyncCall(calls.delete_schedule)
    restore_schedule = AsyncCall(calls.restore_schedule)
    pause_schedule = AsyncCall(calls.pause_schedule)
    resume_schedule = AsyncCall(calls.resume_schedule)
    skip_next_run = AsyncCall(calls.skip_next_run)
    trigger_schedule = AsyncCall(calls.trigger_schedule)
    backfill_schedule = AsyncCall(calls.backfill_schedule)
    preview_times = AsyncCall(calls.preview_times)
    change_many = AsyncCall(calls.change_many)
    put_schedule_back = AsyncCall(calls.put_schedule_back)
    list_runs = AsyncPages(calls.list_runs)
    list_runs_of_schedule = AsyncPages(calls.list_runs_of_schedule)
    get_run = AsyncCall(calls.get_run)
    get_output = AsyncCall(calls.get_output)
    cancel_run = AsyncCall(calls.cancel_run)
    run_again = AsyncCall(calls.run_again)
    wake_me = AsyncCall(calls.wake_me)
    list_deliveries = AsyncPages(calls.list_deliveries)
    get_day = AsyncCall(calls.get_day)
    list_fires = AsyncCall(calls.list_fires)
    get_load = AsyncCall(calls.get_load)
    get_figures = AsyncCall(calls.get_figures)
    count_runs = AsyncCall(calls.count_runs)
    count_schedules = AsyncCall(calls.count_schedules)
    list_reminders = AsyncPages(people_calls.list_reminders)
    create_reminder = AsyncCall(people_calls.create_reminder)
    get_reminder = AsyncCall(people_calls.get_reminder)
    show_reminder_history = AsyncCall(people_calls.show_reminder_history)
    update_reminder = AsyncCall(people_calls.update_reminder)
    remove_reminder = AsyncCall(people_calls.remove_reminder)
    skip_next_reminder = AsyncCall(people_calls.skip_next_reminder)
    answer_reminder = AsyncCall(people_calls.answer_reminder)
    send_message = AsyncCall(people_calls.send_message)
    get_inbox = AsyncCall(people_calls.get_inbox)
    list_messages = AsyncPages(people_calls.list_messages)
    read_messages = AsyncPages(people_calls.read_messages)
    get_message = AsyncCall(people_calls.get_message)
    list_calendar_links = AsyncPages(people_calls.list_calendar_links)
    create_calendar_link = AsyncCall(people_calls.create_calendar_link)
    rotate_calendar_link = AsyncCall(people_calls.rotate_calendar_link)
    revoke_calendar_link = AsyncCall(people_calls.revoke_calendar_link)
    export_calendar = AsyncCall(people_calls.export_calendar)
    import_calendar = AsyncCall(people_calls.import_calendar)
    list_attention = AsyncCall(people_calls.list_attention)
    mark_seen = AsyncCall(people_calls.mark_seen)
    get_last_step = AsyncCall(people_calls.get_last_step)
    undo_step = AsyncCall(people_calls.undo_step)
    get_caller = AsyncCall(people_calls.get_caller)
    list_people = AsyncPages(people_calls.list_people)
    get_person = AsyncCall(people_calls.get_person)
    add_person = AsyncCall(people_calls.add_person)
    update_person = AsyncCall(people_calls.update_person)
    remove_person = AsyncCall(people_calls.remove_person)
    pair_person = AsyncCall(people_calls.pair_person)
    list_tokens = AsyncPages(people_calls.list_tokens)
    create_token = AsyncCall(people_calls.create_token)
    change_grants = AsyncCall(people_calls.change_grants)
    rotate_token = AsyncCall(people_calls.rotate_token)
    revoke_token = AsyncCall(people_calls.revoke_token)
    list_quotas = AsyncPages(people_calls.list_quotas)
    list_channels = AsyncPages(people_calls.list_channels)
    check_channel = AsyncCall(people_calls.check_channel)
    send_test_message = AsyncCall(people_calls.send_test_message)
    list_nodes = AsyncPages(people_calls.list_nodes)
    list_executors = AsyncPages(people_calls.list_executors)
    check_executor = AsyncCall(people_calls.check_executor)
    list_journal = AsyncPages(people_calls.list_journal)
    list_audit = AsyncPages(people_calls.list_audit)
    verify_audit = AsyncCall(people_calls.verify_audit)
    prune = AsyncCall(people_calls.prune)
    get_health = AsyncCall(people_calls.get_health)
    compare_config = AsyncCall(people_calls.compare_config)

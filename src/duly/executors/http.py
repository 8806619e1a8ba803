"""An executor of kind "http": a service that takes work by a signed POST, and reports by callback or when it is asked.

Every request goes through the guard of `outbound`: what a name leads to is checked, redirects are not followed. What a
service may do with a request, and what each answer means, is in `docs/executors.md`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from typing import Any
from urllib.parse import quote, urljoin

import httpx

from duly.clock import Clock, SystemClock
from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.executors.http_answers import ServiceAnswer
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.outbound.addresses import (
    HostRefusedError,
    HostUnknownError,
    UrlRefusedError,
    UserUrl,
    networks,
)
from duly.outbound.http import NotConnectedError, RequestError, read_start
from duly.outbound.masking import Mask
from duly.outbound.webhooks import WebhookClient, WebhookLine
from duly.planning.handovers import Outcome
from duly.ports.codec import MAX_PAYLOAD, encode_json
from duly.ports.executor_settings import ExecutorSettings, Resolve
from duly.ports.executors import ExecutorStanding, SendResult, Sighting, WorkOrder
from duly.zones import iso

LARGEST_ARGUMENTS = 64 * 1024
"""Characters of the arguments as JSON."""
_AT_ONCE = 16
"""Requests under way at the same time, each on a connection that the next one uses again."""
_LARGEST_ANSWER = 2 * MAX_PAYLOAD
_LONGEST_PLACE = 1000


class HttpExecutor:
    """Implements `duly.ports.executors.Executor`."""

    def __init__(self, settings: ExecutorSettings, resolve: Resolve, clock: Clock | None = None) -> None:
        self._settings = settings
        self._resolve = resolve
        self._clock = clock or SystemClock()
        self._url = _parsed(settings.url or "", "url")
        for given, name in ((settings.status_url, "status_url"), (settings.cancel_url, "cancel_url")):
            if given is not None:
                _parsed(_filled(given, HandoverKey("run", 1)), name)
        self._client = WebhookClient(
            clock=self._clock,
            timeout=settings.timeout.total_seconds(),
            allowed=networks(settings.allow, f"executors.{settings.name}.allow"),
        )
        self._quiet_until: dict[HandoverKey, float] = {}
        """Until when a service wants not to be asked again, by the monotonic clock."""

    @cached_property
    def _secret(self) -> str | None:
        return None if self._settings.secret is None else self._resolve(self._settings.secret)

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def reports(self) -> bool:
        return self._settings.reports

    def check(
        self,
        task: str,
        args: Mapping[str, Any],
        positional: Sequence[Any],
        queue: str | None,  # noqa: ARG002  a service has its own queues
        *,
        retries: bool = False,  # noqa: ARG002  what a service tries again by itself is not known
    ) -> None:
        size = len(encode_json({"args": dict(args), "positional": list(positional)}, "arguments"))
        if size > LARGEST_ARGUMENTS:
            raise InvalidInputError(
                f"the arguments of {task} take {size} characters as JSON, and an executor gets at most "
                f"{LARGEST_ARGUMENTS}: store what is large, and hand over where it is"
            )

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        return asyncio.run(self._send_all(orders))

    def observe(self, handovers: Sequence[Handover]) -> list[Sighting]:
        return asyncio.run(self._look_at_all(handovers))

    def cancel(self, handovers: Sequence[Handover], *, terminate: bool) -> None:
        asyncio.run(self._cancel_all(handovers, terminate=terminate))

    def standing(self) -> ExecutorStanding:
        error = asyncio.run(self._error_now())
        warnings = (
            [] if self._settings.secret else ["requests are not signed: set secret, and let the service check it"]
        )
        if not self.reports and self._settings.status_url is None:
            warnings.append("with reports = false outcomes are asked for: set status_url, or answer 202 with Location")
        return ExecutorStanding(reachable=error is None, error=error, warnings=tuple(warnings))

    def close(self) -> None:
        self._quiet_until.clear()

    # handing over

    async def _send_all(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        if self._settings.callback is None:
            raise ExecutorUnreachableError("it could not answer: set callback, the address at which it reaches duly")
        try:
            async with self._lines() as lines:
                await lines.to(self._url)
                results = await _each(orders, lambda order: self._post(lines, order))
        except HostRefusedError as error:
            return [SendResult(error=self._refused(error), final=True) for _ in orders]
        except HostUnknownError as error:
            raise ExecutorUnreachableError(str(error)) from None
        if results and all(isinstance(each, NotConnectedError) for each in results):
            raise ExecutorUnreachableError(f"{self._url.host}: {results[0]}")
        return [
            SendResult(error=f"{self._url.host}: {each}") if isinstance(each, NotConnectedError) else each
            for each in results
        ]

    async def _post(self, lines: _Lines, order: WorkOrder) -> SendResult | NotConnectedError:
        if lines.unreachable is not None:
            return lines.unreachable
        headers = {} if order.traceparent is None else {"traceparent": order.traceparent}
        mask = self._mask(order.token)
        try:
            answer = await self._asked(
                lines, "POST", self._url, mask, payload=self._payload(order), key=str(order.key), headers=headers
            )
        except NotConnectedError as error:
            lines.unreachable = error
            return error
        except RequestError as error:  # it may have arrived: the same key tells the service so
            return SendResult(error=f"{self._url.host}: {mask.text(str(error))}")
        return self._result(answer)

    def _payload(self, order: WorkOrder) -> dict[str, Any]:
        callback = (self._settings.callback or "").rstrip("/")
        base = f"{callback}/api/v1/executions/{order.key.run_id}/{order.key.number}"
        return {
            "key": order.run_key,
            "run": order.key.run_id,
            "number": order.key.number,
            "attempt": order.attempt,
            "schedule": order.schedule,
            "task": order.task,
            "args": dict(order.args),
            "positional": list(order.positional),
            "queue": order.queue,
            "priority": order.priority,
            "fire_at": iso(order.fire_at),
            "begin_by": None if order.begin_by is None else iso(order.begin_by),
            "lease_seconds": order.lease_seconds,
            "run_seconds": order.run_seconds,
            "callback": {name: f"{base}/{name}" for name in ("begin", "beat", "end")},
            "token": order.token,
        }

    def _result(self, answer: ServiceAnswer) -> SendResult:
        """Read what came of an order from the answer of the service."""
        if answer.status in (200, 204):
            return SendResult(is_begun=True, outcome=Outcome(HandoverState.SUCCEEDED, result=answer.result()))
        if answer.status in (201, 202):
            return SendResult() if answer.state == "queued" else SendResult(is_begun=True, worker=self._place(answer))
        return SendResult(error=f"{self._url.host} {answer.complaint()}", final=answer.is_final)

    def _place(self, answer: ServiceAnswer) -> str | None:
        """Give the URL at which a service says the work can be looked up: only one of the same server counts."""
        named = answer.fields.get("status_url")
        where = named if isinstance(named, str) else answer.headers.get("location")
        if where is None:
            return None
        place = urljoin(self._settings.url or "", where)
        try:
            return place if len(place) <= _LONGEST_PLACE and UserUrl.parse(place).origin == self._url.origin else None
        except UrlRefusedError:
            return None

    # looking and cancelling

    async def _look_at_all(self, handovers: Sequence[Handover]) -> list[Sighting]:
        now = self._clock.monotonic()
        self._quiet_until = {key: until for key, until in self._quiet_until.items() if until > now}
        wanted = [(each, url) for each in handovers if (url := self._status_of(each)) is not None]
        async with self._lines() as lines:
            found = await _each(
                [each for each in wanted if each[0].key not in self._quiet_until],
                lambda each: self._look(lines, *each),
            )
        return [each for each in found if each is not None]

    async def _look(self, lines: _Lines, handover: Handover, url: UserUrl) -> Sighting | None:
        try:
            answer = await self._asked(lines, "GET", url, self._mask())
        except (HostUnknownError, HostRefusedError, RequestError):
            return None
        if answer.status == 200 and (outcome := answer.outcome()) is not None:
            return Sighting(key=handover.key, worker=handover.worker, outcome=outcome)
        if answer.status != 202 and not (answer.status == 200 and answer.state == "running"):
            return None
        self._keep_quiet(handover, answer)
        return Sighting(key=handover.key, is_at_work=True, worker=handover.worker)

    def _keep_quiet(self, handover: Handover, answer: ServiceAnswer) -> None:
        """Ask no sooner than the service wants, but always within the lease: silence would count as its end."""
        wait = answer.retry_after(self._clock.now())
        if wait is not None:
            most = handover.lease_seconds / 2
            self._quiet_until[handover.key] = self._clock.monotonic() + min(wait, most)

    def _status_of(self, handover: Handover) -> UserUrl | None:
        """Give the URL at which a handover is looked up: that of the settings, or the one the service has named."""
        if self._settings.status_url is not None:
            return _parsed(_filled(self._settings.status_url, handover.key), "status_url")
        try:
            place = UserUrl.parse(handover.worker or "")
        except UrlRefusedError:
            return None
        return place if place.origin == self._url.origin else None

    async def _cancel_all(self, handovers: Sequence[Handover], *, terminate: bool) -> None:
        async with self._lines() as lines:
            await _each(handovers, lambda each: self._cancel(lines, each, terminate=terminate))

    async def _cancel(self, lines: _Lines, handover: Handover, *, terminate: bool) -> None:
        given = self._settings.cancel_url
        payload = {"run": handover.run_id, "number": handover.number, "terminate": terminate}
        try:
            if given is not None:
                url = _parsed(_filled(given, handover.key), "cancel_url")
                await self._asked(lines, "POST", url, self._mask(), payload=payload, key=f"{handover.key}/cancel")
            elif (place := self._status_of(handover)) is not None:
                await self._asked(lines, "DELETE", place, self._mask())
        except (HostUnknownError, HostRefusedError, RequestError):
            return  # a hint: the record refuses what is reported after this

    async def _error_now(self) -> str | None:
        """Say why the service cannot be reached; None when it can."""
        given = self._settings.health_url
        url = self._url if given is None else _parsed(given, "health_url")
        try:
            async with self._lines() as lines:
                if given is None:  # to ask the URL of the work itself could start some
                    await _connect(await lines.to(url))
                    return None
                answer = await self._asked(lines, "GET", url, self._mask())
        except HostRefusedError as error:
            return self._refused(error)
        except (HostUnknownError, RequestError, OSError) as error:
            return f"{url.host}: {error}"
        return None if answer.status < 400 else f"{url.host} answered {answer.status}"

    # requests

    @asynccontextmanager
    async def _lines(self) -> AsyncIterator[_Lines]:
        async with AsyncExitStack() as open_until:
            yield _Lines(self._client, open_until)

    async def _asked(
        self,
        lines: _Lines,
        method: str,
        url: UserUrl,
        mask: Mask,
        *,
        payload: Mapping[str, Any] | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ServiceAnswer:
        line = await lines.to(url)
        sending = line.send(method, url, payload=payload, key=key, secret=self._secret, headers=headers)
        async with sending as response:
            body = await read_start(response, _LARGEST_ANSWER)
        text = mask.text(body.decode("utf-8", "replace"))
        return ServiceAnswer(response.status_code, text, httpx.Headers(response.headers))

    def _mask(self, *more: str) -> Mask:
        return Mask([*more, *([] if self._secret is None else [self._secret])])

    def _refused(self, error: HostRefusedError) -> str:
        hint = f": add its network to allow in [executors.{self.name}] if that is meant" if error.allowable else ""
        return f"{error.reason}{hint}"


class _Lines:
    """The ways to the servers of one executor, each opened once for a batch."""

    def __init__(self, client: WebhookClient, open_until: AsyncExitStack) -> None:
        self._client = client
        self._open_until = open_until
        self._open: dict[tuple[str, str, int], WebhookLine] = {}
        self._opening = asyncio.Lock()
        self.unreachable: NotConnectedError | None = None
        """Why the rest of a batch is not tried."""

    async def to(self, url: UserUrl) -> WebhookLine:
        """Give the way to the server of a URL."""
        async with self._opening:
            if url.origin not in self._open:
                connecting = self._client.connect(url, kept=_AT_ONCE)
                self._open[url.origin] = await self._open_until.enter_async_context(connecting)
        return self._open[url.origin]


async def _each(given: Sequence[Any], work: Callable[[Any], Any]) -> list[Any]:
    """Do something for each, a bounded number at the same time."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(item: Any) -> Any:
        async with places:
            return await work(item)

    return list(await asyncio.gather(*map(one, given)))


async def _connect(line: WebhookLine) -> None:
    """Make a connection, and close it."""
    async with asyncio.timeout(line.timeout):
        _, writer = await asyncio.open_connection(str(line.addresses[0]), line.server.port)
    writer.close()
    await writer.wait_closed()


def _parsed(url: str, name: str) -> UserUrl:
    try:
        return UserUrl.parse(url)
    except UrlRefusedError as error:
        raise InvalidInputError(f"{name} {error}") from None


def _filled(url: str, key: HandoverKey) -> str:
    """Put the key of a handover into a URL."""
    return url.replace("{key}", quote(str(key), safe=""))

"""The API at `/api/v1`: who asks, how often, and how much of a body is read, before the API itself sees a request.

The API is loaded and made with the first request to it, in a thread: fires and other requests go on meanwhile.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from importlib import import_module

from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duly.errors import NotFoundError, StoreError
from duly.rest.answers import BASE, CALLER, DOCUMENT, WORKER, problem_response
from duly.rest.problems import RETRY_AFTER, Problem, problem, problem_of
from duly.rest.rates import Allowance, RateLimits
from duly.server.bodies import BrokenOffError, TooLargeError, buffered
from duly.server.connections import connection_of
from duly.server.exposure import address_of
from duly.server.guard import Guard, bearer_of, why_no_caller
from duly.server.sse import sse_response
from duly.service.access.audit import act_as
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Caller, Face
from duly.service.executions.executions import Worker, unknown_handover
from duly.service.services import Services

_READS = ("GET", "HEAD", "OPTIONS")
_HANDOVER = re.compile(re.escape(BASE) + r"/executions/([A-Za-z0-9_-]{1,100})/([0-9]{1,9})/(?:begin|beat|end)")
"""The addresses at which workers report: there the token is that of the handover, in the message of the worker."""


class WholeMount(Mount):
    """A mount of every path below its own: that of Starlette leaves out paths with a line break in them."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app)
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)


class ApiGate:
    """Lets requests with a token through to the API, within the rate of the token."""

    def __init__(self, guard: Guard, services: Services, rates: RateLimits, failed: FailedLogins) -> None:
        self.services = services
        self._inside: ASGIApp | None = None
        self._guard = guard
        self._rates = rates
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == BASE + DOCUMENT:
            await (await self._api())(scope, receive, send)
            return
        try:
            who = await self._asker(scope)
        except StoreError as error:
            await _refusal(scope, problem_of(error), **{"Retry-After": str(RETRY_AFTER)})(scope, receive, send)
            return
        except NotFoundError as error:
            await _refusal(scope, problem_of(error))(scope, receive, send)
            return
        if who is None:
            await _refusal(scope, _no_token(scope), **{"WWW-Authenticate": 'Bearer realm="duly"'})(scope, receive, send)
            return
        allowance = self._rates.take(who.name)
        sending = _with_headers(send, allowance)
        if (refusal := _refused(scope, who, allowance)) is not None:
            await refusal(scope, receive, sending)
            return
        try:
            if scope["method"] not in _READS:  # the report of a worker is never lost for how much is in it
                receive = await buffered(scope, receive, values=isinstance(who, Caller))
        except BrokenOffError:
            return
        except TooLargeError as error:
            await _refusal(scope, problem("too-large", 413, str(error)), Connection="close")(scope, receive, sending)
            return
        if isinstance(who, Worker):
            scope[WORKER] = who
        else:
            scope[CALLER] = who
            act_as(who)
        await (await self._api())(scope, receive, sending)

    async def _api(self) -> ASGIApp:
        if self._inside is None:
            api = await asyncio.to_thread(import_module, "duly.rest.api")
            if self._inside is None:  # otherwise another request has made it meanwhile
                self._inside = api.make_api(self.services, partial(sse_response, self.services.live))
        return self._inside

    async def _asker(self, scope: Scope) -> Caller | Worker | None:
        """Give who asks; None without a valid token."""
        handover = _HANDOVER.fullmatch(scope["path"])
        if handover is not None:
            return await self._worker(scope, handover)
        return await self._guard.caller(scope, face=Face.API)

    async def _worker(self, scope: Scope, address: re.Match[str]) -> Worker | None:
        """Give the worker whose token a request shows; None without a token.

        A wrong token and a handover that is not there are answered alike: nothing is learnt by guessing.
        """
        token = bearer_of(scope)
        if token is None:
            return None
        worker = await self.services.executions.recognize(address[1], int(address[2]), token)
        if worker is None:
            await self._failed.note("executions", address_of(scope), "no such handover, or not its token")
            raise unknown_handover()
        connection = connection_of(scope)
        if connection is not None:
            connection.recognize(worker.name)
        return worker


def api_mount(guard: Guard, services: Services, rates: RateLimits, failed: FailedLogins) -> WholeMount:
    """Give the mount of the API."""
    return WholeMount(BASE, ApiGate(guard, services, rates, failed))


def _refused(scope: Scope, who: Caller | Worker, allowance: Allowance) -> Response | None:
    """Give the answer to a request that is not served, before anything of it is read; None for one that is."""
    if not allowance.allowed:
        fix = "Wait as Retry-After says; an admin can raise requests_per_minute of [server] in duly.toml."
        return _refusal(scope, problem("too-many-requests", 429, allowance.refusal, fix))
    connection = connection_of(scope)
    if connection is not None and connection.token_has_too_many():
        most = connection.limits.connections_per_token
        reason = f"this token holds {most} connections already: close some of them"
        return _refusal(scope, problem("too-many-connections", 429, reason), Connection="close")
    if isinstance(who, Caller) and who.scope.read_only and scope["method"] not in _READS:
        reason = f"cannot {scope['method']} {scope['path'][:200]}: scope {who.scope} may only look"
        return _refusal(scope, problem("access-denied", 403, reason, "Use a token that may change things."))
    return None


def _no_token(scope: Scope) -> Problem:
    reason = why_no_caller(scope)
    return problem("unauthorized", 401, reason, "`duly token create` makes one.", field="Authorization")


def _refusal(scope: Scope, found: Problem, **headers: str) -> Response:
    return problem_response(found, scope["path"], headers)


def _with_headers(send: Send, allowance: Allowance) -> Send:
    """Add the headers about the rate of the token to an answer."""
    added = [(name.lower().encode(), value.encode()) for name, value in allowance.headers.items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending

"""`/metrics`: the figures of this daemon, for Prometheus and its kin."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from duly.config.monitoring import MetricsAccess
from duly.errors import StoreError
from duly.runtime.runtime import Runtime
from duly.server.exposure import address_of, header_of, is_from_here, is_loopback
from duly.server.guard import Guard
from duly.telemetry.prometheus import CONTENT_TYPE

_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip")
_REFUSED = (
    "metrics are for programs on this machine and for tokens of admins: send Authorization: Bearer <token>, made with "
    "`duly token create metrics --scope admin:ro`, or set access of [metrics] in duly.toml\n"
)


def make_metrics(runtime: Runtime, guard: Guard) -> APIRouter:
    """Make the route. The setting `access` of `[metrics]` says who may read it."""
    router = APIRouter()
    access = runtime.settings.monitoring.metrics

    @router.get("/metrics")
    async def metrics(request: Request) -> Response:
        if access is MetricsAccess.OFF:
            return PlainTextResponse("metrics are off: set access of [metrics] in duly.toml\n", status_code=404)
        is_open = access is MetricsAccess.OPEN or (access is MetricsAccess.LOCAL and _is_local(request))
        if not is_open and not await _is_admin(guard, request):
            return PlainTextResponse(_REFUSED, status_code=401, headers={"WWW-Authenticate": 'Bearer realm="duly"'})
        body = await runtime.monitor.exposition()
        return Response(body, headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    return router


def _is_local(request: Request) -> bool:
    """Whether a program on this machine asks for itself: neither a web page, nor a proxy for another machine."""
    forwarded = any(header_of(request.scope, name) is not None for name in _FORWARDED)
    return is_loopback(address_of(request.scope) or "") and is_from_here(request.scope) and not forwarded


async def _is_admin(guard: Guard, request: Request) -> bool:
    try:
        caller = await guard.caller(request.scope)
    except StoreError:  # whose token it is cannot be looked up now
        return False
    return caller is not None and caller.scope.is_admin

"""Spans of OpenTelemetry, and the trace context that duly hands to what it calls: agents and webhooks.

Without a tracer every span is an empty one, and no context is handed on. The names of spans and attributes are listed
in `docs/monitoring.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import ProxyTracerProvider, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

__all__ = ["SpanKind", "install", "is_tracing", "span", "trace_environment", "trace_headers", "uninstall"]
_PROPAGATOR = TraceContextTextMapPropagator()
_LONGEST = 200


class _SwitchedProvider(trace.TracerProvider):
    """The provider that duly installs for the whole process; the one inside can be exchanged.

    After `uninstall` nothing is traced any more, and spans cost nothing again.
    """

    def __init__(self) -> None:
        self.inside: trace.TracerProvider = trace.NoOpTracerProvider()

    def get_tracer(self, *args: Any, **options: Any) -> trace.Tracer:
        return self.inside.get_tracer(*args, **options)


_OURS = _SwitchedProvider()


def install(provider: trace.TracerProvider) -> bool:
    """Trace with this provider, also spans that jobs make; gives False if the program around duly has its own."""
    if isinstance(trace.get_tracer_provider(), ProxyTracerProvider):
        trace.set_tracer_provider(_OURS)
    if trace.get_tracer_provider() is not _OURS:
        return False
    _OURS.inside = provider
    return True


def uninstall() -> None:
    """Trace nothing any more."""
    _OURS.inside = trace.NoOpTracerProvider()


def is_tracing() -> bool:
    """Whether a tracer was installed in this process, by duly or by the program around it."""
    provider = trace.get_tracer_provider()
    provider = provider.inside if isinstance(provider, _SwitchedProvider) else provider
    return not isinstance(provider, ProxyTracerProvider | trace.NoOpTracerProvider)


@contextmanager
def span(name: str, attributes: Mapping[str, str | int | float], kind: SpanKind = SpanKind.INTERNAL) -> Iterator[Span]:
    """Open a span around the block. An error that leaves the block is its status; its text may be private and stays.

    An error of the type `asyncio.CancelledError` is no failure of what was cancelled, but ends the span as any other.
    """
    tracer = trace.get_tracer("duly")
    with tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            opened.set_attribute("error.type", type(error).__qualname__)
            opened.set_status(Status(StatusCode.ERROR, type(error).__name__[:_LONGEST]))
            raise


def trace_headers() -> dict[str, str]:
    """Give the headers `traceparent` and `tracestate` of the present span; none outside a trace.

    They are those of W3C Trace Context, which agents and webhooks read to continue the trace.
    """
    if not trace.get_current_span().get_span_context().is_valid:
        return {}
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier


def trace_environment() -> dict[str, str]:
    """Give the same as environment variables: TRACEPARENT and TRACESTATE."""
    return {name.upper(): value for name, value in trace_headers().items()}

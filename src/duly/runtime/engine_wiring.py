"""How the engine of a runtime is made: its dispatchers behind one router, observed where something observes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from duly.engine.engine import Engine
from duly.engine.health import fault_of
from duly.engine.routing import Router
from duly.entropy import random_bits
from duly.executors.dispatcher import HANDLER
from duly.outbound.tracing import is_tracing, span
from duly.service.access.rights import run_refusal
from duly.service.schedules.session_rights import check_session_of
from duly.telemetry.bridges import tick_span

if TYPE_CHECKING:
    from collections.abc import Collection

    from duly.delivery.dispatcher import MessageDispatcher
    from duly.ports.dispatch import Dispatcher, RunContext
    from duly.ports.records import Claimed
    from duly.runtime.runtime import Runtime

_log = logging.getLogger("duly")


def make_engine(runtime: Runtime) -> Engine:
    """Make the engine: it carries out jobs, prompts and messages, and tells its events to the runtime's listeners."""
    dispatchers: list[Dispatcher] = [runtime.jobs, runtime.prompts, runtime.messages, runtime.handing_over.dispatcher]
    traced = is_tracing()

    async def admit(run: Claimed) -> None:
        await check_session_of(runtime.store, run)
        # What is handed over comes here again for its outcome, and may not be skipped then.
        if not run.handler.startswith((HANDLER, "prompt:")):
            await runtime.services.quotas.admit(run)

    router = Router(
        [TracedDispatcher(each, "dispatch") for each in dispatchers] if traced else dispatchers,
        may_run=lambda run: run_refusal(run, runtime.clock.now(), runtime.capabilities.configured),
        present=lambda: runtime.capabilities.present,
        admit=admit,
    )
    runtime.hear(runtime.reviews.hear)
    runtime.hear(runtime.notices.hear)
    runtime.hear(runtime.handing_over.watch.hear)
    return Engine(
        runtime.store,
        TracedDispatcher(router, "run") if traced else router,
        runtime.clock,
        runtime.engine_settings(),
        sinks=runtime.listeners,
        tick_span=runtime.monitor.measured(tick_span) if runtime.has_made("monitor") else tick_span,
    )


def make_messages(runtime: Runtime) -> MessageDispatcher:
    """Make the dispatcher of reminders."""
    from duly.delivery.dispatcher import MessageDispatcher
    from duly.delivery.gathering import Gathering
    from duly.runtime.links import link_to
    from duly.service.reminders.timing import fire_again

    return MessageDispatcher(
        runtime.store.people,
        runtime.store.reminders,
        runtime.channels,
        runtime.clock,
        default_zone=runtime.zone,
        snoozes=runtime.settings.snoozes,
        again=lambda schedule_id, at: fire_again(runtime.store, runtime.clock, random_bits, schedule_id, at),
        gathering=Gathering(runtime.notices.keep, runtime.settings.digest_at),
        link=link_to(runtime),
        emit=lambda event: runtime.engine.emit(event),
    )


def engine_fault(runtime: Runtime) -> str | None:
    """Give the reason why the engine of a process cannot work; None when it can, and without an engine."""
    if not runtime.has_made("engine") or not runtime.engine.running:
        return None
    return fault_of(runtime.engine.status, runtime.clock.now(), runtime.engine.settings.poll)


async def start_engine(runtime: Runtime) -> None:
    """Clear up what a killed process left behind, and start the engine with the loops beside it."""
    await look_back(runtime)
    runtime.capabilities.look_again()  # before the engine tells other nodes what it serves
    try:
        await runtime.engine.start(runtime.reviews.begin)
        await runtime.notices.begin()
        runtime.handing_over.begin()
    except BaseException:
        await runtime.reviews.stop()
        raise


async def look_back(runtime: Runtime) -> None:
    """End the agents that a killed process left behind, and log the reminders whose time passed without an engine."""
    from duly.agents import reap

    await reap(runtime.store.targets, runtime.clock)
    for late in await runtime.services.reminder_service.recover_missed_jobs():
        fate = "is delivered now" if late.delivers else "is too old to be delivered"
        _log.info("reminder %s, %d minutes late, %s; %d missed", late.name, late.late_minutes, fate, late.missed)


class TracedDispatcher:
    """A dispatcher in a span: `run` around everything that a run needs, `dispatch` around its action alone.

    Made only while a tracer is installed, so that other processes pay nothing for it.
    """

    def __init__(self, inside: Dispatcher, name: str) -> None:
        self._inside = inside
        self._name = name

    def serves(self) -> Collection[str]:
        return self._inside.serves()

    async def tend(self) -> None:
        """Do the work that ended runs have left, if the dispatcher does any."""
        from duly.ports.dispatch import Tending

        if isinstance(self._inside, Tending):
            await self._inside.tend()

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        """Carry out a run inside a span. The trace context is that of the job, the agent and the webhook in it."""
        about: dict[str, str | int | float] = {
            "duly.run.id": run.run_id,
            "duly.run.attempt": run.attempt,
            "duly.run.origin": str(run.origin),
            "duly.run.fire_at": run.fire_at.isoformat(),
            "duly.schedule.id": run.schedule_id,
            "duly.schedule.name": run.name,
            "duly.handler": run.handler,
        }
        if run.handler.startswith(HANDLER):
            about["duly.executor"] = run.handler.removeprefix(HANDLER)
        with span(self._name, about):
            return await self._inside.dispatch(run, context)

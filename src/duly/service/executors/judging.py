"""Judges how an executor is: what is well, what is not, and what to do about it. Pure rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.executors import ExecutorStanding, HandoverCounts, QueueStanding
from duly.service.executors.views import CheckView, ExecutorView, QueueView, length

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Look:
    """How an executor answered, and when."""

    at: datetime
    standing: ExecutorStanding
    tasks: frozenset[str] = frozenset()
    """The tasks that schedules want from it."""


def executor_view(settings: ExecutorSettings, look: Look, counts: HandoverCounts | None, now: datetime) -> ExecutorView:
    """Show an executor as it was found."""
    standing = look.standing
    return ExecutorView(
        name=settings.name,
        kind=str(settings.kind),
        tasks=list(settings.tasks),
        reachable=standing.reachable,
        error=standing.error,
        reports=settings.reports,
        queues=[QueueView(name=each.name, depth=each.depth, workers=each.workers) for each in standing.queues],
        workers=list(standing.workers),
        waiting=0 if counts is None else counts.waiting,
        begun=0 if counts is None else counts.begun,
        oldest_waiting_at=None if counts is None else counts.oldest_waiting_at,
        checks=checks(settings, look, counts, now),
        looked_at=look.at,
    )


def checks(
    settings: ExecutorSettings, look: Look | None, counts: HandoverCounts | None, now: datetime
) -> list[CheckView]:
    """Check everything that can be known of an executor; `look` None is one that was not looked at yet."""
    found = [*_of_connection(settings, look), _begun(settings, look, counts, now)]
    if look is not None and look.standing.reachable:
        found += [*_of_workers(settings, look.standing), *_of_tasks(settings, look)]
    found.append(_reports(settings))
    if look is not None:
        found += [_warned(each) for each in look.standing.warnings]
    return found


def _of_connection(settings: ExecutorSettings, look: Look | None) -> Iterator[CheckView]:
    if look is None:
        return
    if look.standing.reachable:
        yield CheckView(name="reachable", ok=True, said=f"executor {settings.name} can be reached")
        return
    what = "its broker" if settings.kind is ExecutorKind.CELERY else "the service"
    where = "broker" if settings.kind is ExecutorKind.CELERY else "url"
    yield CheckView(
        name="reachable",
        ok=False,
        said=f"executor {settings.name} cannot be reached: {look.standing.error or 'it does not answer'}",
        cure=f"start {what}, or correct {where} of [executors.{settings.name}]; its runs wait until then",
    )


def _begun(settings: ExecutorSettings, look: Look | None, counts: HandoverCounts | None, now: datetime) -> CheckView:
    since = None if counts is None else counts.oldest_waiting_at
    if counts is None or since is None or now - since < settings.not_begun_after:
        return CheckView(name="begun", ok=True, said="no run waits long for a worker")
    runs = "1 run has" if counts.waiting == 1 else f"{counts.waiting} runs have"
    waited = length((now - since).total_seconds())
    idle = look is not None and bool(look.standing.workers)
    cure = (
        "its workers answer and take nothing from the queue: restart them, and see whether they consume it"
        if idle
        else "start a worker that consumes its queue"
    )
    return CheckView(
        name="begun",
        ok=False,
        said=f"{runs} not been begun by executor {settings.name}, the oldest for {waited}",
        cure=cure,
    )


def _of_workers(settings: ExecutorSettings, standing: ExecutorStanding) -> Iterator[CheckView]:
    lonely = [each for each in standing.queues if each.workers == 0]
    if lonely:
        names = _named([_queue(each) for each in lonely])
        yield CheckView(
            name="workers",
            ok=False,
            said=f"no worker of executor {settings.name} takes from {names}",
            cure=f"start one: celery -A … worker -Q {','.join(each.name for each in lonely)}",
        )
    elif standing.workers:
        workers = "1 worker answers" if len(standing.workers) == 1 else f"{len(standing.workers)} workers answer"
        yield CheckView(name="workers", ok=True, said=workers)


def _queue(queue: QueueStanding) -> str:
    return queue.name if not queue.depth else f"{queue.name} ({queue.depth} wait)"


def _of_tasks(settings: ExecutorSettings, look: Look) -> Iterator[CheckView]:
    known = look.standing.tasks
    if known is None:
        return
    wanted = {each for each in settings.tasks if not set(each) & set("*?[")} | look.tasks
    missing = sorted(wanted - known)
    if not missing:
        yield CheckView(name="tasks", ok=True, said="its workers know every task")
        return
    yield CheckView(
        name="tasks",
        ok=False,
        said=f"the workers of executor {settings.name} do not know {_named(missing)}",
        cure="let their app import the module of the task, and restart them; or correct the name in its schedule",
    )


def _reports(settings: ExecutorSettings) -> CheckView:
    if settings.reports:
        return CheckView(name="reports", ok=True, said="its workers ask for leave and report")
    return CheckView(
        name="reports",
        ok=False,
        said=f"the workers of executor {settings.name} do not report: a task may run twice, and its end is seen late",
        cure=f"add duly.celery to their app, then take reports = false out of [executors.{settings.name}]",
    )


def _warned(text: str) -> CheckView:
    """Show a warning of the executor, which has its cure after a colon."""
    said, colon, cure = text.partition(": ")
    return CheckView(name="setup", ok=False, said=said, cure=cure if colon else None)


def _named(names: Collection[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return f"{', '.join(listed[:_SHOWN])}{more}"

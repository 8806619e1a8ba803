"""How brokers, queues and workers are, and what is set up so that work can be lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from duly.executors.celery.apps import Apps
from duly.executors.celery.faults import faults, unreachable
from duly.executors.celery.observing import REPLIES_WITHIN
from duly.ports.executor_settings import ExecutorSettings
from duly.ports.executors import ExecutorStanding, QueueStanding

_VISIBILITY = 3600
"""Celery's own, where Redis is the broker."""
_CONSUMER_TIMEOUT = 1800
"""That of RabbitMQ."""
Answers = Mapping[str, Any]
"""What each worker said, by its name."""


def look_around(settings: ExecutorSettings, apps: Apps) -> ExecutorStanding:
    """Ask the broker for its queues, and the workers for what they know."""
    try:
        with apps.connection() as connection:
            stats = _ask(apps, connection, "stats", limit=None)
            many = len(stats)
            queues_of = _ask(apps, connection, "active_queues", many)
            tasks = _ask(apps, connection, "registered", many)
            versions = _ask(apps, connection, "duly", many) if settings.reports else {}
            queues = tuple(_queues(settings, apps, connection, queues_of))
    except faults(apps) as error:
        return ExecutorStanding(reachable=False, error=unreachable(apps, error))
    known = frozenset(name.split(" ", 1)[0] for each in tasks.values() for name in each) if tasks else None
    return ExecutorStanding(
        reachable=True,
        queues=queues,
        workers=tuple(sorted(stats)),
        tasks=known,
        warnings=tuple(_warnings(settings, apps, stats, known, versions)),
    )


def _ask(apps: Apps, connection: Any, command: str, limit: int | None) -> Answers:
    """Ask all workers; once it is known how many they are, no longer than until all have answered."""
    if limit == 0:
        return {}
    answers = apps.own.control.broadcast(
        command, reply=True, timeout=REPLIES_WITHIN, limit=limit, connection=connection
    )
    return {
        worker: answer
        for each in answers or ()
        for worker, answer in each.items()
        if not (isinstance(answer, Mapping) and "error" in answer)
    }


def _queues(settings: ExecutorSettings, apps: Apps, connection: Any, consumed: Answers) -> Iterator[QueueStanding]:
    workers: dict[str, int] = {}
    for queues in consumed.values():
        for queue in queues:
            workers[queue["name"]] = workers.get(queue["name"], 0) + 1
    own = settings.queue or apps.own.conf.task_default_queue
    listed = apps.own.amqp.queues if apps.users is not None and apps.own.conf.task_queues else ()
    for name in dict.fromkeys([own, *listed, *sorted(workers)]):
        yield QueueStanding(name=name, depth=_depth(connection, name), workers=workers.get(name, 0))


def _depth(connection: Any, name: str) -> int | None:
    """How many messages wait in a queue. One that is not there, as an empty one of Redis, has none."""
    with connection.channel() as channel:
        try:
            return int(channel.queue_declare(name, passive=True).message_count)
        except connection.channel_errors:
            return 0


# what is set up badly


def _warnings(
    settings: ExecutorSettings, apps: Apps, stats: Answers, known: frozenset[str] | None, versions: Answers
) -> Iterator[str]:
    yield from _about_brokers(settings, apps, stats)
    if not stats:
        yield "no worker answers: start one, or look whether it reaches the broker"
        return
    if known is not None:
        for pattern in settings.tasks:
            if not any(fnmatchcase(name, pattern) for name in known):
                yield f"no worker knows a task {pattern!r}: messages for it are dropped; start workers that have it"
    without = sorted(stats.keys() - versions.keys())
    if settings.reports and without:
        yield (
            f"workers without duly: {', '.join(without)}: they do not ask for leave and do not report; write "
            f"duly.celery.install(app) beside their app and restart them, or set reports = false"
        )
    if not settings.reports:
        yield (
            "reports = false: a task may run twice, and a lost worker is noticed late; install duly.celery in the "
            "workers to have leave, signs of life and output"
        )


def _about_brokers(settings: ExecutorSettings, apps: Apps, stats: Answers) -> Iterator[str]:
    transports = [each.get("broker", {}) for each in stats.values()] or [_own_broker(apps)]
    longest = None if settings.time_limit is None else settings.time_limit.total_seconds()
    for kind, options in {
        str(each.get("transport")): each.get("transport_options") or {} for each in transports
    }.items():
        if kind.startswith(("redis", "sentinel")):
            seconds = float(options.get("visibility_timeout") or _VISIBILITY)
            if seconds <= (longest or _VISIBILITY - 1):
                limit = "without a time limit" if longest is None else f"of up to {longest:g} s"
                yield (
                    f"visibility_timeout is {seconds:g} s, and tasks {limit} may be delivered a second time while they "
                    f"run (duly refuses that one): set broker_transport_options visibility_timeout above the time_limit"
                )
        elif (
            kind.startswith(("amqp", "pyamqp"))
            and _acks_late(apps)
            and (longest is None or longest > _CONSUMER_TIMEOUT)
        ):
            yield (
                f"tasks with acks_late that take longer than the consumer_timeout of RabbitMQ ({_CONSUMER_TIMEOUT} s "
                f"unless changed) lose their connection: set a time_limit below it, or acks_late = False, as duly "
                f"notices lost workers by itself"
            )


def _own_broker(apps: Apps) -> Mapping[str, Any]:
    info: Mapping[str, Any] = apps.connection().info()
    return info


def _acks_late(apps: Apps) -> bool:
    users = apps.users
    if users is None:
        return True  # it cannot be known
    late: Sequence[Any] = [each for each in users.tasks.values() if each.acks_late]
    return bool(users.conf.task_acks_late or late)

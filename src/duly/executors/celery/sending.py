"""Sends messages over one connection that is kept, without retries and confirmations: what is lost is sent again.

A task is sent once for each handover, but may be sent again at any time: leave to begin is given once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.executors.celery.apps import Apps
from duly.executors.celery.checking import check_allowed, check_size
from duly.executors.celery.faults import faults, unreachable
from duly.ports.executor_settings import ExecutorSettings
from duly.ports.executors import SendResult, WorkOrder

_HIDDEN = "…"
"""What logs, events and monitors of Celery show in place of arguments."""


class _BrokerError(Exception):
    """The broker took no message; what it said is the argument."""


class CelerySender:
    """Sends for one executor, one batch at a time."""

    def __init__(self, settings: ExecutorSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._line: _Line | None = None

    def send(self, apps: Apps, orders: Sequence[WorkOrder]) -> list[SendResult]:
        """Send a batch. When the broker fails, the rest is not tried; raises if it took nothing at all."""
        results: list[SendResult] = []
        error: str | None = None
        with self._lock:
            for order in orders:
                try:
                    results.append(SendResult(error=error) if error else self._send(apps, order))
                except _BrokerError as fault:
                    error = str(fault)
                    results.append(SendResult(error=error))
        if error is not None and all(each.error is not None for each in results):
            raise ExecutorUnreachableError(error)
        return results

    def close(self) -> None:
        with self._lock:
            self._hang_up()

    def _send(self, apps: Apps, order: WorkOrder) -> SendResult:
        from kombu.exceptions import EncodeError

        try:
            check_allowed(self._settings, order.task)
            check_size(order.task, order.args, order.positional)
            self._publish_again(apps, order)
        except InvalidInputError as error:
            return SendResult(error=str(error), final=True)
        except EncodeError:
            return SendResult(error=f"the arguments of {order.task!r} have no form in JSON", final=True)
        return SendResult()

    def _publish_again(self, apps: Apps, order: WorkOrder) -> None:
        """Publish; a connection that the broker has closed while it was not used is made anew."""
        was_open = self._line is not None
        for _ in range(1 + was_open):
            try:
                if self._line is None:
                    self._line = _Line(apps)
                self._publish(apps, self._line, order)
            except faults(apps) as error:
                self._hang_up()
                fault = unreachable(apps, error)
            else:
                return
        raise _BrokerError(fault)

    def _publish(self, apps: Apps, line: _Line, order: WorkOrder) -> None:
        settings = self._settings
        amqp = apps.own.amqp
        message = amqp.as_task_v2(
            str(order.key),
            order.task,
            list(order.positional),
            dict(order.args),
            expires=None if order.begin_by is None else order.begin_by.isoformat(),
            time_limit=_shorter(_seconds(settings.time_limit), order.run_seconds),
            soft_time_limit=_seconds(settings.soft_time_limit),
            argsrepr=_HIDDEN,
            kwargsrepr=_HIDDEN,
            origin="duly",
            ignore_result=None,
        )
        queue = order.queue or settings.queue
        asked = {} if queue is None else {"queue": queue}
        route = amqp.router.route(asked, order.task, order.positional, order.args, apps.task(order.task))
        priority = order.priority if order.priority is not None else settings.priority
        if priority is not None:
            route["priority"] = priority
        amqp.send_task_message(
            line.producer,
            order.task,
            message,
            headers=self._headers(order),
            serializer="json",
            retry=False,
            declare=line.to_declare(route.get("queue")),
            **route,
        )

    def _headers(self, order: WorkOrder) -> dict[str, Any]:
        headers: dict[str, Any] = {
            "duly-run": order.key.run_id,
            "duly-number": order.key.number,
            "duly-key": order.run_key,
            "duly-attempt": order.attempt,
            "duly-schedule": order.schedule,
            "duly-executor": self._settings.name,
            "duly-token": order.token,
            "duly-callback": self._settings.callback,
            "duly-lease": order.lease_seconds,
        }
        return headers if order.traceparent is None else {**headers, "traceparent": order.traceparent}

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


class _Line:
    """An open connection, and the producer on it."""

    def __init__(self, apps: Apps) -> None:
        self._is_users = apps.users is not None
        self._connection = apps.connection()
        try:
            self.producer = apps.own.amqp.Producer(self._connection.default_channel, auto_declare=False)
        except BaseException:
            self.close()
            raise
        self._there: dict[str, bool] = {}

    def to_declare(self, queue: Any) -> list[Any] | None:
        """Give what has to be declared before a message; None leaves it to Celery, which knows the queues of the app.

        Without an app of the user, a queue that is there stays as it is: its workers know what kind it has to be.
        """
        if self._is_users or queue is None:
            return None
        if queue.name not in self._there:
            self._there[queue.name] = self._is_there(queue)
        return [] if self._there[queue.name] else [queue]

    def _is_there(self, queue: Any) -> bool:
        with self._connection.channel() as channel:
            try:
                queue(channel).queue_declare(passive=True)
            except self._connection.channel_errors:
                return False
        return True

    def close(self) -> None:
        with suppress(Exception):  # it is of no use any more
            self._connection.collect(socket_timeout=1)


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _shorter(limit: float | None, other: float | None) -> float | None:
    given = [each for each in (limit, other) if each is not None]
    return min(given, default=None)

"""The executor of Celery: the face of its parts, which send, read results, revoke and look around."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from duly.errors import ExecutorUnreachableError, InvalidInputError
from duly.executors.celery.apps import AppNotLoadedError, Apps, close_apps, load_apps, secrets_of
from duly.executors.celery.checking import check_allowed, check_queue, check_retries, check_size, check_task
from duly.executors.celery.faults import as_unreachable
from duly.executors.celery.observing import at_work, results_of
from duly.executors.celery.sending import CelerySender
from duly.executors.celery.standing import look_around
from duly.model.handover import Handover
from duly.outbound.masking import Mask
from duly.ports.executor_settings import ExecutorSettings, Resolve
from duly.ports.executors import ExecutorStanding, SendResult, Sighting, WorkOrder

_loading = threading.Lock()
"""One for all executors: Celery puts another module in its place while it is imported, and a second thread that imports
it meanwhile would get the unfinished one."""


class CeleryExecutor:
    """One executor. Its calls block; they may come from several threads."""

    def __init__(self, settings: ExecutorSettings, resolve: Resolve) -> None:
        self._settings = settings
        self._resolve = resolve
        self._loaded: Apps | None = None
        self._fault: AppNotLoadedError | None = None
        self._sender = CelerySender(settings)

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
        queue: str | None,
        *,
        retries: bool = False,
    ) -> None:
        check_allowed(self._settings, task)
        check_size(task, args, positional)
        apps = self._apps()
        check_task(self._settings, apps, task, args, positional)
        check_queue(self._settings, apps, queue)
        if retries:
            check_retries(apps, task)

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        try:
            apps = self._apps()
        except InvalidInputError as error:
            raise ExecutorUnreachableError(str(error)) from error
        return self._sender.send(apps, orders)

    def observe(self, handovers: Sequence[Handover]) -> list[Sighting]:
        apps = self._apps()
        mask = Mask(self.secrets())
        found = [_masked(each, mask) for each in results_of(apps, handovers)]
        ended = {each.key for each in found}
        # The main process of a worker says that a task is active even if the process of the task hangs.
        unheard = [each for each in handovers if not each.reports and each.key not in ended]
        if unheard:
            with as_unreachable(apps):
                found += at_work(apps, unheard)
        return found

    def cancel(self, handovers: Sequence[Handover], *, terminate: bool) -> None:
        apps = self._apps()
        ids = [str(each.key) for each in handovers]
        with as_unreachable(apps), apps.connection() as connection:
            apps.own.control.revoke(ids, terminate=terminate, signal="SIGTERM", connection=connection)

    def standing(self) -> ExecutorStanding:
        try:
            return look_around(self._settings, self._apps())
        except InvalidInputError as error:
            return ExecutorStanding(reachable=False, error=str(error))

    def secrets(self) -> Collection[str]:
        return () if self._loaded is None else secrets_of(self._loaded)

    def close(self) -> None:
        self._sender.close()
        if self._loaded is not None:
            close_apps(self._loaded)
            self._loaded = None

    def _apps(self) -> Apps:
        with _loading:
            if self._loaded is None:
                try:
                    self._loaded = load_apps(self._settings, self._resolve)
                except AppNotLoadedError as error:
                    # What was imported in part fails in another way the next time, as Django does.
                    self._fault = self._fault or error
                    raise self._fault from error
            return self._loaded


def _masked(sighting: Sighting, mask: Mask) -> Sighting:
    """What a result backend keeps was written by workers."""
    outcome = sighting.outcome
    if outcome is None or outcome.error is None:
        return sighting
    return replace(sighting, outcome=outcome._replace(error=mask.text(outcome.error)))

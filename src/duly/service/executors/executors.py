"""The use cases of executors: how each of them is, looked at afresh."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from duly.errors import AccessDeniedError, DulyError, InvalidInputError, NotFoundError
from duly.model.action import Job
from duly.model.checks import suggestion
from duly.ports.codec import decode_action
from duly.ports.executors import ExecutorStanding
from duly.ports.records import ScheduleFilter
from duly.service.executors.judging import Look, checks, executor_view
from duly.service.executors.views import CheckView, ExecutorView

if TYPE_CHECKING:
    from duly.ports.executors import Executor
    from duly.ports.process import Process, WatchedExecutors
    from duly.service.access.scopes import Caller

_FRESH = timedelta(seconds=2)
"""For so long a look is used again: a page, its parts and their refreshing ask at once."""
_PATIENCE = 15.0
"""Seconds for an answer; an executor that takes longer counts as not reachable."""
_MOST_SCHEDULES = 500


@dataclass(slots=True)
class ExecutorUseCases:
    """Shows executors to admins."""

    process: Process
    _looking: dict[str, asyncio.Task[Look]] = field(default_factory=dict)

    async def all(self, caller: Caller) -> list[ExecutorView]:
        """Look at every executor, and show how it is."""
        _check(caller)
        return await self._views(list(self._present.settings))

    async def get(self, caller: Caller, name: str) -> ExecutorView:
        """Look at one executor, and show how it is."""
        _check(caller)
        known = self._present.settings
        if name not in known:
            there = f"configured are {', '.join(known)}" if known else "none is configured in duly.toml"
            said = " ".join(filter(None, (f"there is no executor {name!r:.100}: {there}.", suggestion(name, known))))
            raise NotFoundError(said.removesuffix("."))
        return (await self._views([name]))[0]

    @property
    def configured(self) -> int:
        """How many executors there are."""
        return len(self._present.settings)

    async def look(self) -> None:
        """Look at every executor, for those who judge the health."""
        await asyncio.gather(*map(self._look, self._present.settings))

    async def faults(self) -> list[CheckView]:
        """Say what is not well, by the last looks and by what waits now; no executor is asked."""
        present = self._present
        if not present.settings:
            return []
        counts = {each.executor: each for each in await self.process.store.handovers.counts()}
        now = self.process.clock.now()
        found = [
            check
            for name, settings in present.settings.items()
            for check in checks(settings, present.looks.get(name), counts.get(name), now)
        ]
        return [each for each in found if not each.ok]

    @property
    def _present(self) -> WatchedExecutors:
        return self.process.capabilities.executors

    async def _views(self, names: list[str]) -> list[ExecutorView]:
        looks = await asyncio.gather(*map(self._look, names))
        counts = {each.executor: each for each in await self.process.store.handovers.counts()}
        now = self.process.clock.now()
        return [
            executor_view(self._present.settings[name], look, counts.get(name), now)
            for name, look in zip(names, looks, strict=True)
        ]

    async def _look(self, name: str) -> Look:
        """Look at an executor, unless that was done just now; callers who ask at the same time wait for one look."""
        present = self._present
        known = present.looks.get(name)
        if known is not None and self.process.clock.now() - known.at < _FRESH:
            return known
        if name not in self._looking:
            self._looking[name] = asyncio.create_task(self._look_anew(name))
        task = self._looking[name]
        try:
            return await asyncio.shield(task)
        finally:
            if task.done():
                self._looking.pop(name, None)

    async def _look_anew(self, name: str) -> Look:
        present = self._present
        try:
            standing = await asyncio.wait_for(asyncio.to_thread(_standing, present.get(name)), _PATIENCE)
        except TimeoutError:
            standing = ExecutorStanding(reachable=False, error=f"it gave no answer within {_PATIENCE:g} s")
        except DulyError as error:  # what it needs is not installed, or a secret is missing
            standing = ExecutorStanding(reachable=False, error=str(error))
        look = Look(self.process.clock.now(), standing, await self._wanted(name))
        present.looks[name] = look
        return look

    async def _wanted(self, name: str) -> frozenset[str]:
        """Give the tasks that schedules want from an executor."""
        rows = await self.process.store.schedules(
            ScheduleFilter(handler=f"executor:{name}", enabled=True, limit=_MOST_SCHEDULES)
        )
        found = set()
        for row in rows:
            try:
                action = decode_action(row.action)
            except InvalidInputError:
                continue  # it is in quarantine, and health says so
            if isinstance(action, Job):
                found.add(action.name)
        return frozenset(found)


def _standing(executor: Executor) -> ExecutorStanding:
    """Ask an executor, in a thread."""
    try:
        return executor.standing()
    except (DulyError, OSError) as error:
        return ExecutorStanding(reachable=False, error=str(error))


def _check(caller: Caller) -> None:
    if not caller.scope.is_admin:
        raise AccessDeniedError("cannot list executors: access denied, they are for admins")

"""A change, its entry of the audit and its way back are one: written together, or not at all, and in few calls."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from duly.ports.audit import AuditFilter
from duly.ports.records import StoredSchedule
from duly.service.access.audit import acting_as
from duly.service.actions import BulkAction
from tests.integration.test_undo import ANN, STORES, Desk, desk

MOST_CALLS = 6
"""Of the store, for one change: its name is found, it is written, and its view is made."""


async def _made(here: Desk) -> str:
    return await here.make()


async def _reminder(here: Desk) -> str:
    every = {"type": "cron", "expr": "0 9 * * *"}
    return (await here.services.reminder_service.create("local", every, "stretch")).id


async def _paused(here: Desk) -> str:
    schedule = await here.make()
    await here.services.actions.pause(ANN, schedule)
    return schedule


async def _paused_reminder(here: Desk) -> str:
    schedule = await _reminder(here)
    await here.services.actions.pause(ANN, schedule)
    return schedule


async def _reworded(here: Desk, schedule: str) -> None:
    with acting_as(ANN):
        await here.services.reminder_service.update("local", schedule, message="walk")


Verb = tuple[Callable[[Desk], Awaitable[str]], Callable[[Desk, str], Awaitable[Any]]]
VERBS: dict[str, Verb] = {
    "pause": (_made, lambda here, it: here.services.actions.pause(ANN, it)),
    "resume": (_paused, lambda here, it: here.services.actions.resume(ANN, it)),
    "edit": (_made, lambda here, it: here.services.actions.update(ANN, it, {"description": "x"})),
    "skip": (_made, lambda here, it: here.services.actions.skip_next(ANN, it)),
    "delete": (_made, lambda here, it: here.services.actions.delete(ANN, it)),
    "pause of a reminder": (_reminder, lambda here, it: here.services.actions.pause(ANN, it)),
    "resume of a reminder": (_paused_reminder, lambda here, it: here.services.actions.resume(ANN, it)),
    "skip of a reminder": (_reminder, lambda here, it: here.services.actions.skip_next(ANN, it)),
    "edit of a reminder": (_reminder, _reworded),
    "bulk": (_made, lambda here, it: here.services.actions.bulk(ANN, BulkAction.PAUSE, [it])),
}
EACH = pytest.mark.parametrize("verb", VERBS)


class KilledError(BaseException):
    """The process ends here."""


class CountedCalls:
    """Lets the calls of a store through, counts them, and ends the process with one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.names: list[str] = []
        self._last = last

    def around(self, part: Any, name: str = "") -> Any:
        calls = self

        class Counted:
            def __getattr__(self, attribute: str) -> Any:
                found = getattr(part, attribute)
                if asyncio.iscoroutinefunction(found):
                    return lambda *given, **named: calls._call(f"{name}{attribute}", found, given, named)
                return calls.around(found, f"{attribute}.") if _is_part(found) else found

        return Counted()

    async def _call(self, name: str, call: Any, given: Any, named: Any) -> Any:
        self.names.append(name)
        answer = await call(*given, **named)
        if len(self.names) == self._last:
            raise KilledError(name)
        return answer


def _is_part(found: object) -> bool:
    return type(found).__module__.startswith("duly.stores.crud")


def _count(here: Desk, calls: CountedCalls) -> None:
    """Put the counter between the services and the store."""
    counted = calls.around(here.store)
    here.runtime.__dict__["store"] = counted
    for made in ("use_cases", "read_cases", "reminders", "attention", "quotas", "journal", "audit", "tokens"):
        here.runtime.__dict__.pop(made, None)
    here.services = type(here.services)(here.runtime)


async def _kept(here: Desk, schedule: str) -> tuple[StoredSchedule, int, str | None]:
    row = await here.row(schedule)
    entries = await here.store.audit.entries(AuditFilter(schedule_id=schedule, limit=100))
    last = await here.store.remembered.last_undo(ANN.name, here.clock.now())
    return row, len(entries), None if last is None else last.token


@EACH
async def test_a_change_takes_few_calls_of_the_store(verb: str, tmp_path: Path) -> None:
    prepare, change = VERBS[verb]
    async with desk(tmp_path) as here:
        schedule = await prepare(here)
        calls = CountedCalls()
        _count(here, calls)
        await change(here, schedule)
        assert len(calls.names) <= MOST_CALLS, calls.names


@STORES
@EACH
async def test_whoever_dies_after_any_call_leaves_all_three_or_none(verb: str, kind: str, tmp_path: Path) -> None:
    prepare, change = VERBS[verb]
    async with desk(tmp_path, kind) as here:
        services = here.services
        store = here.runtime.store
        last = 0
        ended = False
        while not ended:
            last += 1
            schedule = await prepare(here)
            before = await _kept(here, schedule)
            _count(here, CountedCalls(last))
            try:
                await change(here, schedule)
                ended = True
            except KilledError:
                pass
            here.runtime.__dict__["store"] = store
            here.services = services
            row, entries, step = await _kept(here, schedule)
            changed = (row != before[0], entries > before[1], step != before[2])
            assert changed in ((True, True, True), (False, False, False)), f"after call {last}: {changed}"
            await store.edit([schedule], lambda each: replace(each, deleted_at=here.clock.now(), next_run_at=None))
        assert changed == (True, True, True)
        assert last <= MOST_CALLS + 1


FAILPOINTS = ("change.rows", "change.beside")


@STORES
@pytest.mark.parametrize("place", FAILPOINTS)
async def test_a_process_that_is_killed_within_a_change_leaves_none_of_it(
    place: str, kind: str, tmp_path: Path
) -> None:
    async with desk(tmp_path, kind) as here:
        schedule = await here.make()
        before = await _kept(here, schedule)
        command = [sys.executable, "-c", _PAUSING, here.runtime.settings.store, str(tmp_path), schedule]
        environment = {**os.environ, "DULY_FAILPOINT": f"{place}:kill"}
        done = await asyncio.to_thread(subprocess.run, command, env=environment, capture_output=True, check=False)
        assert done.returncode == -9, done.stderr.decode()
        assert await _kept(here, schedule) == before
        again = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
        row, entries, step = await _kept(here, schedule)
        assert (row.enabled, entries, step) == (False, before[1] + 1, json.loads(again.stdout))


_PAUSING = """
import asyncio, json, sys
from pathlib import Path
from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.services import Services

async def main() -> None:
    store, folder, schedule = sys.argv[1:]
    runtime = Runtime(Settings(data_dir=Path(folder), store=store, spawners={"echo": {"new": ["cat"]}}), environment={})
    await runtime.open()
    done = await runtime.services.actions.pause(Caller(ADMIN, "tok_ann", Face.GUI), schedule)
    print(json.dumps(done.undo))
    await runtime.close()

asyncio.run(main())
"""

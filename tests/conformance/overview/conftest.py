"""A daemon's runtime without its engine, on virtual time and each database; runs are recorded by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any, Self

import pytest

from duly.config.settings import Settings
from duly.entropy import random_bits
from duly.model.ids import RUN, make_id
from duly.model.run import Origin, Status
from duly.planning import lifecycle
from duly.ports.records import Advance, Cycle, NewRun, Plan, Settlement
from duly.ports.targets import TargetRun
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import Caller, Face, Scope
from duly.service.overview.overview import OverviewUseCases
from duly.service.schedules import forms
from duly.service.schedules.drafts import to_row
from duly.service.schedules.times import read_words
from duly.testing.clock import VirtualClock
from tests.conformance.stores.harness import make_harness

START = datetime(2027, 3, 26, 13, 32, tzinfo=UTC)
ADMIN = Caller(face=Face.CLI)
MIDNIGHT = datetime(2027, 3, 25, 23, tzinfo=UTC)
"""In Berlin."""
TOMORROW = MIDNIGHT + timedelta(days=1)


def scoped(text: str, *grants: str) -> Caller:
    scope = Scope.parse(text)
    return Caller(scope=Scope(scope.kind, scope.subject, scope.read_only, frozenset(grants)), token_id="tok_x")  # noqa: S106


class Desk:
    """The use cases behind the faces, and a way to record runs."""

    def __init__(self, store: str, folder: Path) -> None:
        self.clock = VirtualClock(START)
        settings = Settings(data_dir=folder, store=store, timezone="Europe/Berlin")
        self.runtime = Runtime(settings, clock=self.clock, environment={})
        self.store = self.runtime.store
        self.services = self.runtime.services

    async def __aenter__(self) -> Self:
        await self.runtime.open(create=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.runtime.close()

    @property
    def overview(self) -> OverviewUseCases:
        return self.services.overview

    async def add(self, name: str, *, namespace: str = "default", source: str = "db", **fields: Any) -> str:
        """Store a schedule; without an action it is a prompt."""
        form: dict[str, Any] = {"name": name, "cron": "0 9 * * *", "cron_timezone": "Europe/Berlin", **fields}
        if not form.keys() & {"job_name", "prompt"}:
            form["prompt"] = "look"
        draft = forms.read(form, lambda words, zones: read_words(words, self.clock.now(), zones), namespace=namespace)
        row = to_row(draft, self.clock.now(), lambda _job: None, random_bits)
        await self.store.save([replace(row, source=source)], lifecycle.create)
        return row.id

    async def remind(self, name: str, when: Mapping[str, Any], **options: Any) -> str:
        """Make a reminder for the local person."""
        view = await self.runtime.services.reminder_service.create("local", when, name, name=name, **options)
        return view.id

    async def ran(
        self,
        schedule_id: str,
        at: datetime,
        status: Status = Status.SUCCEEDED,
        *,
        seconds: float = 30,
        skipped: int = 0,
        error: str | None = None,
        cost: float | None = None,
        origin: Origin = Origin.SCHEDULE,
    ) -> str:
        """Record a run that was due at a time, and how it ended."""
        row = await self.store.get(schedule_id)
        assert row is not None
        begun = status not in (Status.MISSED, Status.SKIPPED)
        run = NewRun(
            id=make_id(RUN, at, random_bits),
            schedule_id=schedule_id,
            origin=origin,
            fire_at=at,
            due_at=at,
            handler=row.handler,
            status=Status.PENDING if begun else status,
            skipped=skipped,
            first_skipped_at=at - timedelta(minutes=skipped) if skipped else None,
        )

        def plan(_due: Any) -> Plan:
            return Plan(
                advances=[
                    Advance(
                        schedule_id=row.id,
                        enabled=row.enabled,
                        next_fire_at=row.next_fire_at,
                        next_run_at=row.next_run_at,
                        watermark=row.watermark,
                        fires=row.fires,
                    )
                ],
                runs=[run],
            )

        await self.store.plan([schedule_id], plan)
        if begun and status not in (Status.PENDING, Status.WAITING):
            await self._carry_out(run, status, at, seconds, error, cost)
        return run.id

    async def _carry_out(
        self, run: NewRun, status: Status, at: datetime, seconds: float, error: str | None, cost: float | None
    ) -> None:
        turn = Cycle(node_id="node_a", now=at, handlers=[run.handler], claim_limit=10)
        claimed = next(each for each in (await self.store.cycle(turn)).claimed if each.run_id == run.id)
        if cost is not None:
            target = TargetRun(
                run_id=run.id, project_id="", workspace_id="", status="succeeded", cost_usd=cost, started_at=at
            )
            await self.store.targets.record_target(target)
        if status is not Status.RUNNING:
            done = Settlement(
                run_id=run.id,
                schedule_id=run.schedule_id,
                fence=claimed.fence,
                status=status,
                finished_at=at + timedelta(seconds=seconds),
                error=error,
            )
            await self.store.cycle(Cycle(node_id="node_a", now=at, settlements=[done]))


@pytest.fixture(params=("sqlite", "postgres"))
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with make_harness(request.param, tmp_path) as harness:
        yield Desk(harness.address, tmp_path)


def seated(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Let a test use an open desk."""

    @wraps(test)
    async def opened(desk: Desk, **more: Any) -> None:
        async with desk:
            await test(desk=desk, **more)

    return opened

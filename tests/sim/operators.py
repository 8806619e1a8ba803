"""Edits of schedules while the engines run, through the same use cases as every face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from duly.errors import InvalidInputError, NotFoundError, StoreError
from duly.model.action import Job
from duly.model.run import Run
from duly.ports.store import Store
from duly.service.changes import Recording
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService, tell_saved
from duly.service.steps import WayBack
from tests.sim.draws import draw_policy, draw_trigger
from tests.sim.faults import seeded_random
from tests.sim.process import Process
from tests.sim.scenario import Scenario
from tests.sim.witness import View, Witness

CLIENT = "client"
"""What the process of the operators is called in the record."""
CHANGES = frozenset(f"schedule.{done}" for done in ("created", "updated", "paused", "resumed", "deleted", "restored"))
"""What the journal calls their changes."""


class Operator:
    """Makes the schedules, and changes them by chance."""

    def __init__(self, scenario: Scenario, store: Store, process: Process, witness: Witness, view: View) -> None:
        self._scenario = scenario
        self._witness = witness
        self._view = view
        self._process = process
        self._chance = seeded_random(scenario.seed, "operator")
        self._ids: dict[str, str] = {}
        self._drafts: dict[str, Draft] = {draft.name: draft for draft in scenario.drafts}
        self._service = ScheduleService(store, process.clock, _any_job, self._chance.getrandbits)

    async def make_all(self) -> None:
        """Make the schedules of the scenario; one that would never fire is left out."""
        for draft in self._scenario.drafts:
            try:
                self._ids[draft.name] = (await self._service.save([draft], recording=_saved(draft.name)))[0]
            except InvalidInputError as error:
                self._witness.say(CLIENT, f"{draft.name} was refused: {error}")

    async def do(self, kind: str) -> None:
        """One change; that it is refused, or that the store fails, is no surprise, anything else is."""
        name = self._chance.choice(sorted(self._ids))
        self._witness.say(CLIENT, f"{kind} {name}")
        try:
            await getattr(self, kind)(name)
        except (InvalidInputError, NotFoundError, StoreError) as error:
            self._witness.say(CLIENT, f"{kind} {name}: {type(error).__name__}: {error}")
        except Exception as error:
            self._witness.complain(f"{kind} {name} raised {type(error).__name__}: {error}")

    async def pause(self, name: str) -> None:
        await self._service.pause(self._ids[name], _kept(name))

    async def pause_all(self) -> None:
        """Nothing fires from now on."""
        for name, schedule_id in sorted(self._ids.items()):
            try:
                await self._service.pause(schedule_id, _kept(name))
            except NotFoundError:
                self._witness.say(CLIENT, f"{name} is not there any more")

    async def resume(self, name: str) -> None:
        await self._service.resume(self._ids[name], _kept(name))

    async def update(self, name: str) -> None:
        """Another trigger, another policy, or both; an end that moves."""
        scale, now = self._scenario.scale, self._process.clock.now()
        draft = self._drafts[name]
        if self._chance.random() < 0.6:
            draft = replace(draft, trigger=draw_trigger(self._chance, now, scale.unit))
        if self._chance.random() < 0.5:
            draft = replace(draft, policy=draw_policy(self._chance, name, scale.unit))
        if self._chance.random() < 0.3:
            later = timedelta(seconds=scale.unit * self._chance.uniform(1, 6))
            draft = replace(draft, until_at=self._chance.choice((None, now + later)))
        if self._chance.random() < 0.2:
            draft = replace(draft, max_runs=self._chance.choice((None, 1, 4)))
        self._drafts[name] = draft
        self._ids[name] = (await self._service.save([draft], recording=_saved(name)))[0]

    async def delete(self, name: str) -> None:
        await self._service.delete(self._ids[name], _kept(name))
        if self._chance.random() < 0.3:
            await self._service.restore(self._ids[name], recording=_kept(name))

    async def trigger(self, name: str) -> None:
        for _ in range(self._chance.choice((1, 1, 3))):
            await self._service.trigger(self._ids[name])

    async def cancel_run(self, _name: str) -> None:
        """Any run that is not over."""
        runs: Mapping[str, Run]
        runs, _ = await self._view()
        active = sorted(run.id for run in runs.values() if not run.status.final)
        if active:
            await self._service.cancel_run(self._chance.choice(active))

    async def skip_next(self, name: str) -> None:
        await self._service.skip_next(self._ids[name], _kept(name))

    async def backfill(self, name: str) -> None:
        now, unit = self._process.clock.now(), self._scenario.scale.unit
        end = now - timedelta(seconds=unit * self._chance.uniform(0, 2))
        start = end - timedelta(seconds=unit * self._chance.uniform(0.1, 3))
        await self._service.backfill(self._ids[name], start, end)


def _kept(name: str) -> Recording:
    """Keep a change for undo."""
    return Recording(way=WayBack(owner=CLIENT, kind="change", sentence=f"{name} changed"))


def _saved(name: str) -> Recording:
    return replace(_kept(name), tell=tell_saved)


def _any_job(_job: Job) -> None:
    """Every job is known here."""

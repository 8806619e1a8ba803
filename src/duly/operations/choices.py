"""What a schedule may name: jobs, spawners, gates and projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duly.operations.ask import Group, ListAsk, get
from duly.service.choices import GateView, JobView, ProjectView, SpawnerView

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services


@dataclass(frozen=True, slots=True)
class ListJobs(ListAsk[JobView]):
    """List the jobs that your schedules may run: those of this process for admins, and tasks of executors."""

    async def carry_out(self, services: Services, caller: Caller) -> list[JobView]:
        return services.choices.jobs(caller)


@dataclass(frozen=True, slots=True)
class ListSpawners(ListAsk[SpawnerView]):
    """List the spawners that your prompts may run with."""

    async def carry_out(self, services: Services, caller: Caller) -> list[SpawnerView]:
        return services.choices.spawners(caller)


@dataclass(frozen=True, slots=True)
class ListGates(ListAsk[GateView]):
    """List the gates that your prompts may have."""

    async def carry_out(self, services: Services, caller: Caller) -> list[GateView]:
        return services.choices.gates(caller)


@dataclass(frozen=True, slots=True)
class ListProjects(ListAsk[ProjectView]):
    """List the projects that your prompts may have as targets, with the spawners and gates of their tokens."""

    async def carry_out(self, services: Services, caller: Caller) -> list[ProjectView]:
        return services.choices.projects(caller)


CHOICES = Group(
    "choices",
    "What a schedule may name: jobs, spawners, gates and projects.",
    (
        get(ListJobs, "/jobs"),
        get(ListSpawners, "/spawners"),
        get(ListGates, "/gates"),
        get(ListProjects, "/projects"),
    ),
)

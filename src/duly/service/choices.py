"""What a schedule of a caller may name: jobs, spawners, gates and projects. A form or an agent offers nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duly.service.access.grants import DEFAULT_SPAWNER, GrantKind, grant, holds

if TYPE_CHECKING:
    from duly.ports.process import Process
    from duly.service.access.scopes import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """A job that schedules may run."""

    name: str
    """Of a task of an executor perhaps a pattern, such as `proj.tasks.*`."""
    executor: str | None = None
    """Who carries it out; left out where this process does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnerView:
    """A way to start an agent."""

    name: str
    default: bool = False
    """Whether prompts that name no spawner have it."""
    executor: str | None = None
    """Whom it hands prompts over to; left out where this machine starts the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """A command that decides before each run whether there is anything to do."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    """A folder in which agents work."""

    id: str
    path: str | None = None
    """For admins."""
    spawners: list[str] = field(default_factory=list)
    """What its tokens may use."""
    gates: list[str] = field(default_factory=list)


class AllowedNames:
    """Lists what the configuration has, as far as a caller may use it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def jobs(self, caller: Caller) -> list[JobView]:
        """List the jobs of this process, which are for admins, and the tasks of executors."""
        settings = self._process.settings
        here = sorted({*settings.jobs, *settings.programs}) if caller.scope.is_admin else []
        return [JobView(name=name) for name in here] + [
            JobView(name=task, executor=executor)
            for executor, found in sorted(settings.executors.items())
            if self._may(caller, GrantKind.EXECUTORS, executor)
            for task in sorted(found.tasks)
        ]

    def spawners(self, caller: Caller) -> list[SpawnerView]:
        """List the spawners."""
        configured = self._process.capabilities.configured
        default = configured.resolved(DEFAULT_SPAWNER)
        names = sorted({*self._process.settings.spawners, default} - {DEFAULT_SPAWNER})
        return [
            SpawnerView(name=name, default=name == default, executor=configured.handing.get(name))
            for name in names
            if self._may(caller, GrantKind.PROMPTS, name)
        ]

    def gates(self, caller: Caller) -> list[GateView]:
        """List the gates."""
        names = sorted(self._process.settings.gates)
        return [GateView(name=name) for name in names if self._may(caller, GrantKind.GATES, name)]

    def projects(self, caller: Caller) -> list[ProjectView]:
        """List the projects."""
        settings = self._process.settings
        configured = self._process.capabilities.configured
        return [
            ProjectView(
                id=project,
                path=str(path) if caller.scope.is_admin else None,
                spawners=sorted(map(configured.resolved, configured.spawners.get(project, (DEFAULT_SPAWNER,)))),
                gates=sorted(configured.gates.get(project, ())),
            )
            for project, path in sorted(settings.projects.items())
            if caller.scope.reaches(project)
        ]

    def _may(self, caller: Caller, kind: GrantKind, name: str) -> bool:
        scope = caller.scope
        configured = self._process.capabilities.configured
        listed = configured.of_project(scope.subject) if scope.kind == "project" else frozenset()
        return scope.is_admin or holds(scope.grants | listed, grant(kind, name))

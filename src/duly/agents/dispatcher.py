"""Prompts carried out: may it run, is there anything to do, and then every target by itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from duly.agents import family
from duly.agents.assignment import (
    PromptError,
    PromptFailedError,
    target_key,
    target_name,
)
from duly.agents.budget import BudgetOf, Purse, no_quota
from duly.agents.callables import CallableCarrier, load
from duly.agents.command import CommandCarrier
from duly.agents.confinement import Confinement, account_of
from duly.agents.environment import allowed
from duly.agents.execution import Carrier, Emit, Execution, Outcome, Task, failure, outcome_of
from duly.agents.folders import Folders
from duly.agents.gate import Gates, gate_command
from duly.agents.places import Places
from duly.agents.profile import Kind, SpawnerProfile
from duly.agents.projects import Projects
from duly.agents.reaper import close_all
from duly.agents.rules import PromptRules
from duly.agents.sessions import Locks
from duly.agents.webhook import WebhookCarrier
from duly.clock import Clock
from duly.errors import InvalidInputError, RunTimeoutError
from duly.jobs.waiting import entered
from duly.model.action import Prompt, Target
from duly.ports.codec import decode_action
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed
from duly.ports.targets import TargetRun, Targets

_GATE_TIMEOUT = 60.0


def _unheard(_event: object) -> None:
    pass


class PromptDispatcher:
    """Implements `duly.ports.dispatch.Dispatcher` for prompts."""

    def __init__(
        self,
        targets: Targets,
        clock: Clock,
        profiles: Sequence[SpawnerProfile],
        *,
        default: str | None = None,
        projects: Projects | None = None,
        gates: Mapping[str, Sequence[str]] | None = None,
        state_dir: Path,
        hidden: Sequence[Path] = (),
        emit: Emit = _unheard,
        processes: int = 8,
        owner_share: float = 1.0,
        gate_timeout: float = _GATE_TIMEOUT,
        environ: Mapping[str, str] | None = None,
        budget_of: BudgetOf = no_quota,
    ) -> None:
        """`default` names the profile of prompts that name none, unless one is called so itself.

        `state_dir` is where agents without a project work, and `hidden` are the files and folders that none in a
        sandbox may see. `processes` limits how many targets run at once, `owner_share` how many of these places one
        owner may hold, `budget_of` says what the owner of a run may spend in a day.
        """
        self._targets = targets
        self._clock = clock
        self._environ = os.environ if environ is None else environ
        self.rules = PromptRules(
            profiles, default=default, projects=projects, gates=gates, environ=self._environ, state_dir=state_dir
        )
        """May be exchanged at any time: a run under way goes on with what it began with."""
        self._gates = Gates(clock, gate_timeout)
        self._folders = Folders(state_dir, clock)
        self._confinement = Confinement(self._folders, hidden, self._environ)
        self._callables = CallableCarrier(processes)
        carriers: dict[Kind, Carrier] = {
            Kind.COMMAND: CommandCarrier(self._folders, self._confinement, self._environ, clock),
            Kind.WEBHOOK: WebhookCarrier(clock, self._environ),
            Kind.CALLABLE: self._callables,
        }
        self._locks = Locks()
        self._places = Places(processes, owner_share)
        self._purse = Purse(targets, clock, budget_of)
        self._execution = Execution(targets, clock, carriers, emit, self._places)

    def serves(self) -> Collection[str]:
        return self.rules.serves()

    def missing_program(self, spawner: str) -> str | None:
        """The program of a spawner that is not on this machine; None when it is there, or when there is none."""
        return self.rules.missing_program(spawner)

    def check(self, prompt: Prompt) -> None:
        """Refuse a prompt that could not be carried out now: before it is stored, and again when it is due."""
        self.rules.check(prompt)
        self.rules.find(prompt)

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        prompt = _prompt(run)
        rules = self.rules
        profile = rules.checked(prompt)
        if profile.kind is Kind.CALLABLE:
            load(profile)
        # An attempt that we have lost, and that is ours again, may still be on its way out.
        async with self._locks.hold_one(run.run_id):
            earlier = await self._earlier(run)
            tasks = [
                Task(run, context, prompt, profile, target, earlier.get(target_key(target)))
                for target in prompt.targets or (None,)
            ]
            due = [task for task in tasks if not task.done]
            if not due:
                return _result(await self._all(rules, tasks, "", None))
            async with self._purse.allowance(prompt, profile, run, list(earlier.values())) as left:
                text = await self._text(rules, prompt, run, context.timeout)
                return _result(await self._all(rules, tasks, text, None if left is None else left / len(due)))

    async def _text(self, rules: PromptRules, prompt: Prompt, run: Claimed, within: float | None) -> str:
        """What is asked of each target; raises when the gate finds nothing to do."""
        said = await self._gate(rules, prompt.gate, prompt, run, within) if prompt.gate is not None else ""
        return f"{prompt.text}\n\n{said}" if said else prompt.text

    async def _earlier(self, run: Claimed) -> dict[tuple[str, str], TargetRun]:
        """What earlier attempts of the run came to; nothing of them is going on any more."""
        known = await self._targets.target_runs(run.run_id)
        await close_all(self._targets, self._clock, known)
        return {(each.project_id, each.workspace_id): each for each in known}

    async def _gate(self, rules: PromptRules, gate: str, prompt: Prompt, run: Claimed, within: float | None) -> str:
        """Ask a gate. It runs as the prompt's agent does: where an agent has written, a command may run its code."""
        alone = prompt.targets[0] if len(prompt.targets) == 1 else None
        profile = rules.profile(prompt.spawner)
        env = {
            **allowed(self._environ, (), account_of(profile)),
            family.RUN: run.run_id,
            family.OWNER: family.owner(),
            "DULY_SCHEDULE": run.name,
            "DULY_TARGETS": "\n".join(map(target_name, prompt.targets)),
        }
        async with entered(self._directory(rules, profile, alone, None)) as cwd:
            command = self._confinement.apply(profile, gate_command(rules.gates[gate], cwd, env))
            return await self._gates.ask(gate, command, within)

    @contextmanager
    def _directory(
        self, rules: PromptRules, profile: SpawnerProfile, target: Target | None, kept_for: str | None
    ) -> Iterator[Path]:
        """The folder of the target; without one, a folder away from all that is duly's."""
        if target is not None:
            yield rules.projects.directory(target)
            return
        with self._folders.scratch(kept_for, account_of(profile)) as folder:
            yield folder

    def _place(self, rules: PromptRules, task: Task) -> AbstractContextManager[Path]:
        kept_for = task.run.schedule_id if task.resumes else None
        return self._directory(rules, task.profile, task.target, kept_for)

    def check_confinement(self, rules: PromptRules) -> None:
        """Refuse spawners whose agents could not be kept apart on this machine as the configuration wants it."""
        for profile in rules.confined():
            self._confinement.check(profile)

    async def _all(self, rules: PromptRules, tasks: Sequence[Task], text: str, share: float | None) -> list[Outcome]:
        """Every target by itself: one that fails does not stop the others."""

        async def one(task: Task) -> Outcome:
            if task.done and task.earlier is not None:
                return outcome_of(task.earlier)
            try:
                return await self._execution.carry_out(task, text, share, partial(self._place, rules))
            except Exception as error:  # of the store: the others may have more luck
                return failure(task, error)

        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(task)) for task in tasks]
        return [each.result() for each in running]

    @property
    def places(self) -> int:
        """How many targets may run at once."""
        return self._places.size

    @property
    def owner_share(self) -> float:
        """The part of the places not held by others that one owner may hold."""
        return self._places.owner_share

    def set_places(self, processes: int, owner_share: float) -> None:
        """Let other numbers hold from now on; targets under way go on."""
        self._places.change(processes, owner_share)

    def close(self) -> None:
        """Let go of the threads in which functions that block are called; nothing is dispatched afterwards."""
        self._callables.close()


def _prompt(run: Claimed) -> Prompt:
    action = decode_action(run.action)
    if not isinstance(action, Prompt):
        raise InvalidInputError(f"not a prompt: {run.action[:80]}")
    return action


def _result(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """What the run came to, or an error that says where it failed."""
    failed = [each for each in outcomes if each.error is not None]
    if failed and len(outcomes) == 1:
        if failed[0].timed_out is not None:
            raise RunTimeoutError(failed[0].timed_out, failed[0].name)
        name = f"{failed[0].name}: " if failed[0].name else ""
        raise PromptError(f"{name}{failed[0].error}", summary=f"{name}{failed[0].summary}")
    if failed:
        many = f"{len(failed)} of {len(outcomes)} targets failed"
        told = "; ".join(f"{each.name}: {each.error}" for each in failed)
        summary = "; ".join(f"{each.name}: {each.summary}" for each in failed)
        raise PromptFailedError(f"{many}: {told}", f"{many}: {summary}")
    costs = [each.record.cost_usd for each in outcomes if each.record.cost_usd is not None]
    return {"targets": [each.plain() for each in outcomes], "cost_usd": sum(costs) if costs else None}

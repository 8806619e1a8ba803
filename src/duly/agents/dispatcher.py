"""The dispatcher of prompts: checks the prompt, reserves its budget, asks its gate, and carries out each target."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from random import random
from typing import Any

from duly.agents import run_processes
from duly.agents.assignment import (
    LimitTooLongError,
    PromptError,
    PromptFailedError,
    target_key,
    target_name,
)
from duly.agents.budget import Allowances, BudgetOf, no_quota
from duly.agents.command import CommandAgent
from duly.agents.concurrency import NamedLocks, PromptPlaces
from duly.agents.confinement import Confinement, user_of
from duly.agents.elsewhere import Elsewhere, HandsOver, executor_of
from duly.agents.environment import allowed
from duly.agents.execution import WORDLESS, Agent, Emit, Execution
from duly.agents.folders import Folders
from duly.agents.function import FunctionAgent, load
from duly.agents.gates import OUTPUT_CAP as GATE_CAP
from duly.agents.gates import Gates, gate_command
from duly.agents.keeping import OutputKeeper
from duly.agents.profile import SpawnerKind, SpawnerProfile
from duly.agents.rules import PromptRules
from duly.agents.run_processes import close_all
from duly.agents.target_record import Brief, TargetAttempt, TargetOutcome, failure, outcome_of
from duly.agents.transcript import as_lines
from duly.agents.webhook import WebhookAgent
from duly.clock import Clock
from duly.errors import InvalidInputError, RunTimeoutError
from duly.jobs.waiting import entered
from duly.model.action import Prompt, Target
from duly.planning.places import lane_of
from duly.ports.codec import decode_action
from duly.ports.dispatch import Later, Remarked, RunContext
from duly.ports.records import Claimed
from duly.ports.run_history import GATE_TARGET, LineKind, RunHistory
from duly.ports.targets import Targets
from duly.zones import iso

_GATE_TIMEOUT = 60.0
Admit = Callable[[Claimed], Awaitable[None]]


async def admit_all(_run: Claimed) -> None:
    """Let every run begin: where there are no quotas."""


def _ignore(_event: object) -> None:
    pass


class PromptDispatcher:
    """The `duly.ports.dispatch.Dispatcher` of prompts."""

    def __init__(
        self,
        targets: Targets,
        clock: Clock,
        rules: PromptRules,
        *,
        hidden: Sequence[Path] = (),
        emit: Emit = _ignore,
        processes: int = 8,
        owner_share: float = 1.0,
        gate_timeout: float = _GATE_TIMEOUT,
        budget_of: BudgetOf = no_quota,
        history: RunHistory | None = None,
        chance: Callable[[], float] = random,
        data_dir: Path | None = None,
        hands_over: HandsOver | None = None,
        admit: Admit = admit_all,
    ) -> None:
        """Make a dispatcher; `hidden` are the files and folders that agents in a sandbox do not see.

        `history` keeps what agents print; without, nothing is kept.

        `processes` limits how many targets run at once, `owner_share` the part of these places that one owner may
        hold. `budget_of` returns what the owner of a run may spend in a day. `chance` spreads the times at which runs
        go on after a usage limit. `hands_over` takes the prompts of spawners with an executor. `admit` raises for an
        attempt beyond the owner's quota that is carried out here.
        """
        self._admit = admit
        self._targets = targets
        self._history = history
        self._clock = clock
        self._environ = rules.environ
        self.rules = rules
        """May be replaced at any time; running attempts keep the rules they started with."""
        self._gates = Gates(clock, gate_timeout)
        self._folders = Folders(rules.state_dir, clock)
        self._confinement = Confinement(self._folders, hidden, self._environ)
        self._functions = FunctionAgent(processes)
        agents: dict[SpawnerKind, Agent] = {
            SpawnerKind.COMMAND: CommandAgent(
                folders=self._folders,
                confinement=self._confinement,
                environ=self._environ,
                clock=clock,
                data_dir=data_dir,
            ),
            SpawnerKind.WEBHOOK: WebhookAgent(clock, self._environ),
            SpawnerKind.CALLABLE: self._functions,
        }
        self._runs = NamedLocks()
        self._places = PromptPlaces(processes, owner_share)
        self._allowances = Allowances(targets, clock, budget_of)
        self._elsewhere = Elsewhere(targets, clock, emit, self._allowances, hands_over)
        self._execution = Execution(
            targets=targets, clock=clock, agents=agents, emit=emit, places=self._places, chance=chance
        )

    def serves(self) -> Collection[str]:
        return self.rules.serves()

    def check(self, prompt: Prompt) -> None:
        """Refuse a prompt that cannot be carried out now."""
        self.rules.check(prompt)
        self.rules.find(prompt)

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        prompt = _prompt(run)
        rules = self.rules
        profile = rules.checked(prompt)
        if profile.kind is SpawnerKind.CALLABLE:
            load(profile)
        # This node may have lost the run and claimed it again, while its first attempt has not ended yet.
        async with self._runs.hold(run.run_id):
            known = await self._targets.target_runs(run.run_id)
            executor = executor_of(known, profile)
            if executor is None:
                await self._admit(run)
                await close_all(self._targets, self._clock, known)
            earlier = {(each.project_id, each.workspace_id): each for each in known}
            attempts = [
                TargetAttempt(
                    run=run,
                    context=context,
                    prompt=prompt,
                    profile=profile,
                    target=target,
                    earlier=earlier.get(target_key(target)),
                )
                for target in prompt.targets or (None,)
            ]
            if executor is not None:
                return await self._hand_over(rules, attempts[0], executor)
            due = _due(attempts, self._clock.now())
            if not due:
                return _result(
                    [outcome_of(each) for each in (attempt.earlier for attempt in attempts) if each], profile
                )
            goes_on = any(attempt.waited for attempt in attempts)
            kept = await self._history.outputs(run.run_id) if self._history is not None and goes_on else []
            async with (
                OutputKeeper(self._history, self._clock, run.run_id, run.attempt, kept=kept) as output,
                self._allowances.allowance(prompt, profile, run, list(earlier.values())) as left,
            ):
                waited = next((attempt.earlier for attempt in due if attempt.waited), None)
                if waited is not None:  # it goes on with what it was sent, without asking the gate again
                    brief = Brief.of(waited, output)
                else:
                    brief = await self._brief(rules, prompt, run, output, context.timeout)
                share = None if left is None else left / len(due)
                return _result(await self._all(rules, attempts, due, brief, share), profile)

    async def _hand_over(self, rules: PromptRules, attempt: TargetAttempt, executor: str) -> Any:
        """Let an executor carry a prompt out, whose gate is asked here."""

        async def brief() -> Brief:
            async with OutputKeeper(self._history, self._clock, attempt.run.run_id, attempt.run.attempt) as output:
                return await self._brief(rules, attempt.prompt, attempt.run, output, attempt.context.timeout)

        owner = lane_of(attempt.run.namespace)
        ended = await self._elsewhere.carry_out(attempt, executor, owner, brief)
        return ended if isinstance(ended, Later) else _result([ended], attempt.profile)

    async def _brief(
        self, rules: PromptRules, prompt: Prompt, run: Claimed, output: OutputKeeper, within: float | None
    ) -> Brief:
        """Return the prompt for each target, with the output of the gate; raise when the gate finds nothing to do."""
        if prompt.gate is None:
            return Brief(text=prompt.text, output=output)
        said = await self._gate(rules, prompt.gate, prompt, run, within)
        kept = output.stream(GATE_TARGET, GATE_CAP)
        kept.say(LineKind.NOTE, f"gate {prompt.gate}, {'added to the prompt' if said else 'which adds nothing'}:")
        kept.say_all(as_lines(said))
        return Brief(text=f"{prompt.text}\n\n{said}" if said else prompt.text, gate=said, output=output)

    async def _gate(self, rules: PromptRules, gate: str, prompt: Prompt, run: Claimed, within: float | None) -> str:
        """Ask a gate, confined like the agent: in a folder where an agent wrote, a command may run the agent's code."""
        only_target = prompt.targets[0] if len(prompt.targets) == 1 else None
        profile = rules.profile(prompt.spawner)
        env = {
            **allowed(self._environ, (), user_of(profile)),
            run_processes.RUN: run.run_id,
            run_processes.OWNER: run_processes.owner(),
            "DULY_SCHEDULE": run.name,
            "DULY_TARGETS": "\n".join(map(target_name, prompt.targets)),
        }
        async with entered(self._directory(rules, profile, only_target, None)) as cwd:
            command = self._confinement.apply(profile, gate_command(gate, rules.gates[gate], cwd, env))
            return await self._gates.ask(gate, command, within)

    @contextmanager
    def _directory(
        self,
        rules: PromptRules,
        profile: SpawnerProfile,
        target: Target | None,
        kept_for: str | None,
        again: str | None = None,
    ) -> Iterator[Path]:
        """Give the folder of a target; without one, a folder of its own."""
        if target is not None:
            yield rules.projects.directory(target)
            return
        with self._folders.scratch(kept_for, user_of(profile), again) as folder:
            yield folder

    def _directory_of(
        self, rules: PromptRules, attempt: TargetAttempt, again: str | None
    ) -> AbstractContextManager[Path]:
        kept_for = attempt.run.schedule_id if attempt.resumes else None
        return self._directory(rules, attempt.profile, attempt.target, kept_for, again)

    def check_confinement(self, rules: PromptRules) -> None:
        """Refuse spawners whose agents cannot be confined on this machine as the configuration asks."""
        for profile in rules.confined():
            self._confinement.check(profile)

    async def _all(
        self,
        rules: PromptRules,
        attempts: Sequence[TargetAttempt],
        due: Sequence[TargetAttempt],
        brief: Brief,
        share: float | None,
    ) -> list[TargetOutcome]:
        """Carry out every target; one that fails does not stop the others."""

        async def one(attempt: TargetAttempt) -> TargetOutcome:
            if attempt not in due and attempt.earlier is not None:
                return outcome_of(attempt.earlier)
            try:
                return await self._execution.carry_out(attempt, brief, share, partial(self._directory_of, rules))
            except Exception as error:  # of the store, which may be back for the other targets
                return failure(attempt, error)

        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(attempt)) for attempt in attempts]
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
        """Use other numbers from now on; running targets keep their places."""
        self._places.change(processes, owner_share)

    def close(self) -> None:
        """Give up the threads of functions; no run is dispatched afterwards."""
        self._functions.close()


def _prompt(run: Claimed) -> Prompt:
    action = decode_action(run.action)
    if not isinstance(action, Prompt):
        raise InvalidInputError(f"not a prompt: {run.action[:80]}")
    return action


def _due(attempts: Sequence[TargetAttempt], now: datetime) -> list[TargetAttempt]:
    """Return the targets to carry out now: not those that have succeeded, nor those that have to wait longer.

    When some go on after a wait, those that failed before it have had this attempt already.
    """
    waits = [attempt for attempt in attempts if attempt.waited is not None]
    if waits:
        return [attempt for attempt in waits if attempt.waited is not None and attempt.waited.until <= now]
    return [attempt for attempt in attempts if not attempt.done]


def _result(outcomes: Sequence[TargetOutcome], profile: SpawnerProfile) -> dict[str, Any] | Later | Remarked:
    """Return the result of a run, or when it goes on; raise an error that names the targets that failed."""
    if waits := [until for each in outcomes if (until := each.waits_until) is not None]:
        shown = iso(min(waits).replace(microsecond=0))
        return Later(min(waits), f"waits for {profile.limit_name} until {shown}", waits=True)
    failed = [each for each in outcomes if each.error is not None]
    if failed and any(each.given_up for each in failed):
        raise LimitTooLongError(_named(failed, outcomes, "error"), _named(failed, outcomes, "summary"))
    if failed and len(outcomes) == 1:
        if failed[0].timed_out is not None:
            raise RunTimeoutError(failed[0].timed_out, failed[0].name)
        raise PromptError(_named(failed, outcomes, "error"), summary=_named(failed, outcomes, "summary"))
    if failed:
        raise PromptFailedError(_named(failed, outcomes, "error"), _named(failed, outcomes, "summary"))
    costs = [each.record.cost_usd for each in outcomes if each.record.cost_usd is not None]
    result = {"targets": [each.plain() for each in outcomes], "cost_usd": sum(costs) if costs else None}
    silent = [f"{each.name}: {WORDLESS}" if len(outcomes) > 1 else WORDLESS for each in outcomes if each.said_nothing]
    return Remarked(result, "; ".join(silent)) if silent else result


def _named(failed: Sequence[TargetOutcome], all_of_them: Sequence[TargetOutcome], what: str) -> str:
    """Say why targets failed, with their names where they have some."""
    reasons = [(each.name, getattr(each, what) or "failed") for each in failed]
    if len(all_of_them) == 1:
        return ": ".join(filter(None, reasons[0]))
    named = "; ".join(f"{name}: {reason}" for name, reason in reasons)
    return f"{len(failed)} of {len(all_of_them)} targets failed: {named}"

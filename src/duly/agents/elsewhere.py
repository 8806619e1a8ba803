"""Prompts that an executor carries out: a worker starts the agent, by the spawner of its own configuration.

Names and the prompt are handed over, never a command: what a worker starts is decided where the worker is. The gate is
asked and the budget is promised here, before the handover; its outcome is recorded as that of an agent here.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from duly.agents.assignment import AgentAnswer, amount, target_key
from duly.agents.budget import Allowances
from duly.agents.execution import Emit, event_of
from duly.agents.keeping import OutputKeeper
from duly.agents.profile import SpawnerProfile
from duly.agents.target_record import Brief, TargetAttempt, TargetOutcome, TargetRecord, outcome_of
from duly.clock import Clock
from duly.errors import InvalidInputError, RunFailedError, RunMissedError
from duly.model.action import Job, Prompt, Target
from duly.model.events import TARGET_FAILED, TARGET_SUCCEEDED
from duly.model.handover import Handover, HandoverState
from duly.model.sessions import is_session
from duly.planning.handovers import is_refused_for_good
from duly.ports.dispatch import Later, RunContext
from duly.ports.records import Claimed
from duly.ports.targets import TargetRun, Targets

TASK = "duly.prompt"
"""The task by which workers carry out prompts."""
HANDED_OVER = "handed_over"
_LONGEST_MODEL = 200
BriefOf = Callable[[], Awaitable[Brief]]
"""Asks the gate of a prompt; raises when there is nothing to do."""


class HandsOver(Protocol):
    """Hands runs over to executors."""

    def check(self, job: Job) -> None:
        """Refuse what may not be handed over."""
        ...

    async def carry_out(
        self, run: Claimed, context: RunContext, order_of: Callable[[bool], Awaitable[Job]]
    ) -> Handover | Later:
        """Go on with a run: give its handover once that has an outcome. `order_of` is asked for what is sent."""
        ...


def check_elsewhere(prompt: Prompt, profile: SpawnerProfile) -> None:
    """Refuse what a prompt cannot have that is handed over."""
    if profile.executor is None:
        return
    who = f"spawner {profile.name!r} hands prompts over to executor {profile.executor!r}"
    if len(prompt.targets) > 1:
        raise InvalidInputError(
            f"{who}, which takes one target at a time, got {len(prompt.targets)}: make a schedule for each target"
        )
    if prompt.session is not None:
        raise InvalidInputError(
            f"{who}, where every run begins a new session, because one is kept by a single worker only: leave session "
            f"out, or use a spawner without executor"
        )


def job_of(
    prompt: Prompt,
    profile: SpawnerProfile,
    *,
    text: str,
    executor: str,
    owner: str = "",
    max_cost: float | None = None,
) -> Job:
    """Make the job that is handed over for a prompt."""
    target: Target | None = next(iter(prompt.targets), None)
    facts = {
        "prompt": text,
        "spawner": profile.name,
        "model": prompt.model,
        "project": None if target is None else target.project_id,
        "workspace": None if target is None else target.workspace_id,
        "max_cost": max_cost,
        "owner": owner or None,
    }
    return Job(TASK, {name: value for name, value in facts.items() if value is not None}, executor=executor)


def executor_of(known: Sequence[TargetRun], profile: SpawnerProfile) -> str | None:
    """Say who carries a run out: the executor that has it, also where the configuration has changed."""
    for each in known:
        if each.status == HANDED_OVER:
            return str(_sent(each)["executor"])
    return profile.executor


class Elsewhere:
    """Hands prompts over, and records what became of them."""

    def __init__(
        self, targets: Targets, clock: Clock, emit: Emit, allowances: Allowances, hands_over: HandsOver | None
    ) -> None:
        self._targets = targets
        self._clock = clock
        self._emit = emit
        self._allowances = allowances
        self._hands_over = hands_over

    async def carry_out(
        self, attempt: TargetAttempt, executor: str, owner: str, brief_of: BriefOf
    ) -> TargetOutcome | Later:
        """Go on with a run at its target, or without one."""
        if self._hands_over is None:
            raise RunFailedError(f"prompts cannot be handed over to {executor!r} here: this process has no executors")
        hands_over = self._hands_over
        known = attempt.earlier

        async def order_of(is_new: bool) -> Job:
            if is_new or known is None:
                return await self._begin(attempt, executor, owner, brief_of, hands_over)
            sent = _sent(known)
            return job_of(
                attempt.prompt,
                attempt.profile,
                text=sent["prompt"],
                executor=executor,
                owner=owner,
                max_cost=sent.get("max_cost"),
            )

        ended = await hands_over.carry_out(attempt.run, attempt.context, order_of)
        return ended if isinstance(ended, Later) else await self._take(attempt, ended)

    async def _begin(
        self, attempt: TargetAttempt, executor: str, owner: str, brief_of: BriefOf, hands_over: HandsOver
    ) -> Job:
        """Promise the budget, ask the gate, and record what is handed over, before it is."""
        earlier = [] if attempt.earlier is None else [attempt.earlier]
        left = await self._allowances.promise(attempt.prompt, attempt.profile, attempt.run, earlier)
        try:
            brief = await brief_of()
            facts = {"text": brief.text, "executor": executor, "owner": owner, "max_cost": left}
            job = job_of(attempt.prompt, attempt.profile, **facts)  # type: ignore[arg-type]
            hands_over.check(job)
        except BaseException:
            await self._allowances.give_back(attempt.run)
            raise
        record = TargetRecord(self._targets, self._clock, attempt, brief).record
        sent: dict[str, Any] = {"prompt": brief.text, "gate": brief.gate or None, "spawner": attempt.profile.name}
        sent |= {"model": attempt.prompt.model, "executor": executor, "max_cost": left}
        await self._targets.record_target(replace(record, status=HANDED_OVER, sent=_written(sent)))
        return job

    async def _take(self, attempt: TargetAttempt, handover: Handover) -> TargetOutcome:
        """Record the outcome of a handover, once; raise where another attempt is of no use."""
        found = next(
            (
                each
                for each in await self._targets.target_runs(attempt.run.run_id)
                if (each.project_id, each.workspace_id) == target_key(attempt.target)
            ),
            None,
        )
        outcome = None if found is None or found.status == HANDED_OVER else outcome_of(found)
        if outcome is None:
            outcome = await self._record(attempt, found, handover)
        await self._allowances.give_back(attempt.run)
        if handover.state is HandoverState.EXPIRED:
            raise RunMissedError(outcome.error or "no worker began it in time")
        if is_refused_for_good(handover) or (handover.state is HandoverState.SUCCEEDED and outcome.error):
            raise RunFailedError(outcome.error or f"{TASK} {handover.state}")
        return outcome

    async def _record(self, attempt: TargetAttempt, found: TargetRun | None, handover: Handover) -> TargetOutcome:
        row = TargetRecord(self._targets, self._clock, attempt, Brief(text="", output=_unkept(self._clock)))
        if found is not None:
            row.record = found
        reported = _reported(handover)
        if isinstance(model := reported.get("model"), str) and found is not None:
            sent = {**_sent(found), "model": model[:_LONGEST_MODEL]}
            row.record = replace(row.record, sent=_written(sent))
        cost = amount(reported.get("cost_usd"))
        session = reported.get("session_id")
        session = session if isinstance(session, str) and is_session(session) else None
        if handover.state is HandoverState.SUCCEEDED and "text" in reported:
            text = reported["text"]
            answer = AgentAnswer(
                text=text if isinstance(text, str) else None,
                session_id=session,
                cost_usd=cost,
                usage=reported.get("usage"),
            )
            await row.succeeded(answer)
        else:
            error = handover.error or f"the worker's answer cannot be understood ({TASK} {handover.state})"
            await row.failed(error, session, cost)
        outcome = outcome_of(row.record)
        facts = {"session": row.record.session_id, "cost_usd": row.record.cost_usd}
        if outcome.error is None:
            self._emit(event_of(TARGET_SUCCEEDED, self._clock, attempt, **facts, seconds=_seconds(handover)))
            return outcome
        summary = f"{handover.worker or handover.executor}: {handover.state}"
        self._emit(event_of(TARGET_FAILED, self._clock, attempt, **facts, error=outcome.error, summary=summary))
        return replace(outcome, summary=summary)


def _unkept(clock: Clock) -> OutputKeeper:
    return OutputKeeper(None, clock, "", 0)


def _sent(record: TargetRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record.sent or "{}")
    return found


def _written(sent: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in sent.items() if value is not None}, ensure_ascii=False)


def _reported(handover: Handover) -> dict[str, Any]:
    """Read what a worker has reported; nothing where that is no object."""
    found = None if handover.result is None else json.loads(handover.result)
    return found if isinstance(found, dict) else {}


def _seconds(handover: Handover) -> float | None:
    if handover.begun_at is None or handover.ended_at is None:
        return None
    return round((handover.ended_at - handover.begun_at).total_seconds(), 3)

"""One target of a run: its session is held, its time limited, and every step recorded and reported as an event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from duly.agents.assignment import AgentAnswer, Assignment, PromptError, target_key, target_name
from duly.agents.concurrency import NamedLocks, PromptPlaces
from duly.agents.keeping import OutputKeeper, OutputStream
from duly.agents.output import shorten
from duly.agents.profile import OnResume, SpawnerKind, SpawnerProfile
from duly.agents.transcript import as_lines
from duly.clock import Clock
from duly.errors import DulyError, RunTimeoutError, StoreError, StoreUnavailableError
from duly.jobs.waiting import Deadline, entered, uninterrupted
from duly.model.action import Prompt, SessionBehavior, Target
from duly.model.events import SESSION_LOST, TARGET_FAILED, TARGET_SUCCEEDED, Event, EventKind
from duly.planning.places import lane_of
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed
from duly.ports.run_history import LineKind
from duly.ports.targets import TargetRun, Targets
from duly.processes import pid_space, pid_started

Emit = Callable[[Event], None]
DirectoryOf = Callable[["TargetAttempt"], AbstractContextManager[Path]]
"""Gives the working directory of an attempt, for as long as it is needed."""
_LONGEST_TEXT = 16_000
_ALL_TEXTS = 150_000
"""Characters that the texts of all targets may have together in the result of a run."""
_LONGEST_ERROR = 1500
_STORE_RETRIES = (0.2, 1.0, 5.0)  # seconds between tries to record an end
_CHECK_EVERY = 1.0  # seconds, while another process holds a session


class Agent(Protocol):
    """Carries out prompts: with a command line, a webhook or a function."""

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> AgentAnswer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAttempt:
    """An attempt of a run at one target."""

    run: Claimed
    context: RunContext
    prompt: Prompt
    profile: SpawnerProfile
    target: Target | None
    earlier: TargetRun | None = None
    """The record of the attempt before."""

    @property
    def done(self) -> bool:
        """Whether the target has succeeded before: it is not asked again when the run is retried for others."""
        return self.earlier is not None and self.earlier.status == "succeeded"

    @property
    def key(self) -> tuple[str, str]:
        return target_key(self.target)

    @property
    def resumes(self) -> bool:
        """Whether it continues the session of the run before, and the next run continues its own."""
        return self.prompt.session_behavior is SessionBehavior.RESUME and self.profile.keeps_sessions

    @property
    def longest_text(self) -> int:
        return min(_LONGEST_TEXT, _ALL_TEXTS // max(len(self.prompt.targets), 1))


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """The end of a run at one target."""

    record: TargetRun
    details: Mapping[str, Any]
    timed_out: float | None = None
    """The timeout in seconds, if it failed for that."""
    summary: str | None = None
    """Why it failed, without words of the agent."""

    @property
    def name(self) -> str:
        return target_name(self.record)

    @property
    def error(self) -> str | None:
        return self.record.error

    def plain(self) -> dict[str, Any]:
        """Return the entry of the target in the result of the run."""
        record = self.record
        return {
            "project_id": record.project_id or None,
            "workspace_id": record.workspace_id or None,
            "status": record.status,
            "session_id": record.session_id,
            "cost_usd": record.cost_usd,
            **self.details,
        }


def failure(attempt: TargetAttempt, error: Exception) -> TargetOutcome:
    """Return the outcome of a target that could not be recorded."""
    project, workspace = attempt.key
    described = shorten(_describe(error), _LONGEST_ERROR)
    record = TargetRun(
        run_id=attempt.run.run_id, project_id=project, workspace_id=workspace, status="failed", error=described
    )
    return TargetOutcome(record, {}, summary=_summary(error))


def outcome_of(record: TargetRun) -> TargetOutcome:
    """Return the outcome in the record of a target."""
    return TargetOutcome(record, json.loads(record.result) if record.result else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the agents of a run are sent, and where their output is kept."""

    text: str
    gate: str = ""
    """What the gate has added to the text."""
    output: OutputKeeper


def _opening(attempt: TargetAttempt, work: Assignment) -> str:
    """Say in a line who carries it out, and with what."""
    known = dict.fromkeys(each for each in (attempt.profile.name, attempt.profile.program, work.model) if each)
    facts = [", ".join(known), "new session" if work.session_id is None else f"goes on with session {work.session_id}"]
    if work.max_cost is not None:
        facts.append(f"may cost ${work.max_cost:.2f}")
    return " · ".join(facts if attempt.profile.keeps_sessions else [facts[0], *facts[2:]])


class Execution:
    """Carries out targets, each when it has a place and its session."""

    def __init__(
        self, targets: Targets, clock: Clock, agents: Mapping[SpawnerKind, Agent], emit: Emit, places: PromptPlaces
    ) -> None:
        self._targets = targets
        self._clock = clock
        self._agents = agents
        self._emit = emit
        self._places = places
        self._sessions = NamedLocks()

    async def carry_out(
        self, attempt: TargetAttempt, brief: Brief, max_cost: float | None, directory_of: DirectoryOf
    ) -> TargetOutcome:
        """Carry out one target; an error there becomes its outcome."""
        output = brief.output.stream(target_name(attempt.target), attempt.profile.output_cap)
        row = _TargetRecord(self._targets, self._clock, attempt, brief)

        def lost(reason: str, summary: str) -> None:
            row.fallback = reason
            output.say(LineKind.WARNING, reason)
            self._emit(_event(SESSION_LOST, self._clock, attempt, reason=reason, summary=summary))

        async def pinned() -> str | None:
            return await self._targets.session(attempt.run.schedule_id, *attempt.key) if attempt.resumes else None

        while True:
            # The session first: a run that waits for its session does not hold a place that others could use.
            async with (
                self._sessions.hold_session(pinned) as session,
                self._places.hold(lane_of(attempt.run.namespace)),
            ):
                if await row.begin(session):
                    work = Assignment(
                        run=attempt.run,
                        context=attempt.context,
                        target=attempt.target,
                        directory=Path(),
                        prompt=brief.text,
                        session_id=session,
                        model=attempt.prompt.model or attempt.profile.model,
                        max_cost=max_cost,
                        started=row.started,
                        heard=row.heard,
                        lost=lost,
                        said=output.say,
                        uses=row.uses,
                    )
                    output.say(LineKind.NOTE, _opening(attempt, work))
                    return await self._work(attempt, work, row, output, directory_of)
            await self._clock.sleep(_CHECK_EVERY)

    async def _work(
        self,
        attempt: TargetAttempt,
        work: Assignment,
        row: _TargetRecord,
        output: OutputStream,
        directory_of: DirectoryOf,
    ) -> TargetOutcome:
        started = self._clock.monotonic()
        try:
            answer = await self._answer(attempt, work, row, directory_of)
        except asyncio.CancelledError:
            output.say(LineKind.WARNING, "asked to stop")
            with suppress(StoreError):
                await uninterrupted(row.failed("asked to stop"))
            self._report(TARGET_FAILED, attempt, row, error="asked to stop")
            raise
        except Exception as error:  # an error of one target must not stop the others
            output.say_all(as_lines(_describe(error), LineKind.ERROR))
            await row.failed(_describe(error), getattr(error, "session_id", None), getattr(error, "cost_usd", None))
            ended = self._report(TARGET_FAILED, attempt, row, error=row.record.error)
            late = error.seconds if isinstance(error, RunTimeoutError) else None
            return replace(ended, timed_out=late, summary=_summary(error))
        if not output.has_text:  # an agent that says nothing before its answer
            output.say_all(as_lines(answer.text or ""))
        await row.succeeded(answer)
        await self._pin(attempt, work.session_id, answer, row)
        seconds = round(self._clock.monotonic() - started, 3)
        return self._report(TARGET_SUCCEEDED, attempt, row, seconds=seconds, text=shorten(answer.text or "", 200))

    async def _answer(
        self, attempt: TargetAttempt, work: Assignment, row: _TargetRecord, directory_of: DirectoryOf
    ) -> AgentAnswer:
        limits = [limit for limit in (attempt.profile.timeout, attempt.context.timeout) if limit is not None]
        async with entered(directory_of(attempt)) as directory, Deadline(self._clock, min(limits)):
            row.works_in(directory)
            return await self._agents[attempt.profile.kind].carry_out(
                attempt.profile, replace(work, directory=directory)
            )

    async def _pin(self, attempt: TargetAttempt, session: str | None, answer: AgentAnswer, row: _TargetRecord) -> None:
        """Pin the session of this run, so that the next one continues it; a forked session is not pinned."""
        copied = session is not None and row.fallback is None and attempt.profile.on_resume is OnResume.FORK
        if answer.session_id is not None and answer.session_id != session and not copied:
            await self._targets.pin_session(attempt.run.schedule_id, *attempt.key, answer.session_id)

    def _report(self, kind: EventKind, attempt: TargetAttempt, row: _TargetRecord, **more: Any) -> TargetOutcome:
        record = row.record
        self._emit(_event(kind, self._clock, attempt, session=record.session_id, cost_usd=record.cost_usd, **more))
        return outcome_of(record)


def _event(kind: EventKind, clock: Clock, attempt: TargetAttempt, **more: Any) -> Event:
    data = {"name": attempt.run.name, "target": target_name(attempt.target), **more}
    run = attempt.run
    return Event(kind=kind, at=clock.now(), schedule_id=run.schedule_id, run_id=run.run_id, data=data)


class _TargetRecord:
    """The record of a target, kept up to date while it is carried out."""

    def __init__(self, targets: Targets, clock: Clock, attempt: TargetAttempt, brief: Brief) -> None:
        self._targets = targets
        self._clock = clock
        self._attempt = attempt
        project, workspace = attempt.key
        self._spent_before = attempt.earlier.cost_usd if attempt.earlier is not None else None
        self._spent_so_far: float | None = None
        self.fallback: str | None = None
        self.record = TargetRun(
            run_id=attempt.run.run_id,
            project_id=project,
            workspace_id=workspace,
            status="running",
            cost_usd=self._spent_before,
            started_at=clock.now(),
        )
        self._sent = {
            "prompt": brief.text,
            "gate": brief.gate or None,
            "spawner": attempt.profile.name,
            "program": attempt.profile.program,
            "model": attempt.prompt.model or attempt.profile.model,
        }
        self._note_sent()

    def uses(self, model: str) -> None:
        """Note the model that the tool has named."""
        if self._sent["model"] != model:
            self._sent["model"] = model
            self._note_sent()

    def works_in(self, directory: Path) -> None:
        """Note the folder of the agent."""
        self._sent["folder"] = str(directory)
        self._note_sent()

    def _note_sent(self) -> None:
        sent = {name: value for name, value in self._sent.items() if value is not None}
        self.record = replace(self.record, sent=json.dumps(sent, ensure_ascii=False))

    async def begin(self, session: str | None) -> bool:
        """Record the start; return False while another process holds the session."""
        self.record = replace(self.record, session_id=session, started_at=self._clock.now())
        return await self._targets.begin_target(self.record)

    async def started(self, pid: int | None, session: str | None) -> None:
        """Record the process, so that it can be found and ended after a crash of duly."""
        if pid is None:
            return
        started = await asyncio.to_thread(pid_started, pid)
        self.record = replace(self.record, session_id=session, pid=pid, pid_started=started, boot_id=pid_space())
        with suppress(StoreUnavailableError):  # the guardian ends the process even if no record names it
            await self._targets.record_target(self.record)

    def heard(self, session: str | None, cost: float | None) -> None:
        """Note a session or a cost that the tool has named, for a record of a failure."""
        self._spent_so_far = cost
        if session is not None and self.record.session_id != session:
            self.record = replace(self.record, session_id=session)

    async def succeeded(self, answer: AgentAnswer) -> None:
        text = shorten(answer.text or "", self._attempt.longest_text)
        await self._end("succeeded", answer.session_id, answer.cost_usd, text=text, usage=answer.usage)

    async def failed(self, error: str, session: str | None = None, cost: float | None = None) -> None:
        spent = self._spent_so_far if cost is None else cost
        await self._end("failed", session or self.record.session_id, spent, error=shorten(error, _LONGEST_ERROR))

    async def _end(
        self, status: str, session: str | None, cost: float | None, *, error: str | None = None, **details: Any
    ) -> None:
        costs = [each for each in (self._spent_before, cost) if each is not None]
        kept = {key: value for key, value in {**details, "fallback": self.fallback}.items() if value is not None}
        ended = replace(
            self.record,
            status=status,
            session_id=session,
            result=json.dumps(kept, ensure_ascii=False) if kept else None,
            error=error,
            cost_usd=sum(costs) if costs else None,
            pid=None,
            finished_at=self._clock.now(),
        )
        for delay in _STORE_RETRIES:  # an answer that cost money is worth waiting for a store
            try:
                await self._write(ended)
            except StoreUnavailableError:
                await self._clock.sleep(delay)
            else:
                break
        else:
            await self._write(ended)
        self.record = ended

    async def _write(self, ended: TargetRun) -> None:
        """Write the record, unless another node has taken the run over and started this target again."""
        known = await self._targets.target_runs(ended.run_id)
        same = [row for row in known if (row.project_id, row.workspace_id) == self._attempt.key]
        if all(row.started_at == self.record.started_at for row in same):
            await self._targets.record_target(ended)


def _summary(error: Exception) -> str:
    """Describe an error without words of the agent, which an error of a called function may quote."""
    if isinstance(error, DulyError):
        return error.summary or str(error)
    return type(error).__name__


def _describe(error: Exception) -> str:
    return str(error) if isinstance(error, PromptError) else f"{type(error).__name__}: {error}"

"""One target of a run: its session held, its time limited, and every step written down and told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from duly.agents.assignment import Answer, Assignment, PromptError, target_key, target_name
from duly.agents.capture import shorten
from duly.agents.places import Places
from duly.agents.profile import Kind, OnResume, SpawnerProfile
from duly.agents.sessions import Locks
from duly.clock import Clock
from duly.errors import DulyError, RunTimeoutError, StoreError, StoreUnavailableError
from duly.jobs.deadline import Deadline
from duly.jobs.waiting import entered, uninterrupted
from duly.model.action import Prompt, SessionBehavior, Target
from duly.model.events import SESSION_LOST, TARGET_FAILED, TARGET_SUCCEEDED, Event, EventKind
from duly.planning.places import lane_of
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed
from duly.ports.targets import TargetRun, Targets
from duly.processes import pid_space, pid_started

Emit = Callable[[Event], None]
Place = Callable[["Task"], AbstractContextManager[Path]]
"""Gives the working directory of a task, for as long as it is needed."""
_LONGEST_TEXT = 16_000
_ALL_TEXTS = 150_000
"""Characters that the texts of all targets may take in the run's result."""
_LONGEST_ERROR = 1500
_PATIENCE = (0.2, 1.0, 5.0)
_LOOK_AGAIN = 1.0  # seconds, for a session that another process is at


class Carrier(Protocol):
    """Carries out a prompt at a target, in its own way."""

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Task:
    """A target of a run, and what an earlier attempt came to there."""

    run: Claimed
    context: RunContext
    prompt: Prompt
    profile: SpawnerProfile
    target: Target | None
    earlier: TargetRun | None = None

    @property
    def done(self) -> bool:
        """A target that succeeded is not asked again, however often the others are retried."""
        return self.earlier is not None and self.earlier.status == "succeeded"

    @property
    def key(self) -> tuple[str, str]:
        return target_key(self.target)

    @property
    def resumes(self) -> bool:
        """Whether it goes on with a session, and the next run with its own."""
        return self.prompt.session_behavior is SessionBehavior.RESUME and self.profile.keeps_sessions

    @property
    def longest_text(self) -> int:
        return min(_LONGEST_TEXT, _ALL_TEXTS // max(len(self.prompt.targets), 1))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended at a target."""

    record: TargetRun
    told: Mapping[str, Any]
    timed_out: float | None = None
    """After how many seconds, if that is why it failed."""
    summary: str | None = None
    """Why it failed, without a word of the agent."""

    @property
    def name(self) -> str:
        return "/".join(filter(None, (self.record.project_id, self.record.workspace_id)))

    @property
    def error(self) -> str | None:
        return self.record.error

    def plain(self) -> dict[str, Any]:
        """As the run's result lists it."""
        record = self.record
        return {
            "project_id": record.project_id or None,
            "workspace_id": record.workspace_id or None,
            "status": record.status,
            "session_id": record.session_id,
            "cost_usd": record.cost_usd,
            **self.told,
        }


def failure(task: Task, error: Exception) -> Outcome:
    """A target about which nothing could be written down."""
    project, workspace = task.key
    described = shorten(_describe(error), _LONGEST_ERROR)
    record = TargetRun(
        run_id=task.run.run_id, project_id=project, workspace_id=workspace, status="failed", error=described
    )
    return Outcome(record, {}, summary=_summary(error))


def outcome_of(record: TargetRun) -> Outcome:
    """What was written down about a target."""
    return Outcome(record, json.loads(record.result) if record.result else {})


class Execution:
    """Carries out targets, so many at a time."""

    def __init__(
        self, targets: Targets, clock: Clock, carriers: Mapping[Kind, Carrier], emit: Emit, places: Places
    ) -> None:
        self._targets = targets
        self._clock = clock
        self._carriers = carriers
        self._emit = emit
        self._places = places
        self._sessions = Locks()

    async def carry_out(self, task: Task, text: str, max_cost: float | None, place: Place) -> Outcome:
        """Carry out one target; whatever goes wrong with it is its outcome."""
        row = _Row(self._targets, self._clock, task)

        def lost(reason: str, summary: str) -> None:
            row.fallback = reason
            self._emit(_event(SESSION_LOST, self._clock, task, reason=reason, summary=summary))

        async def pinned() -> str | None:
            return await self._targets.session(task.run.schedule_id, *task.key) if task.resumes else None

        while True:
            async with self._sessions.hold(pinned) as session, self._places.hold(lane_of(task.run.namespace)):
                if await row.begin(session):
                    work = Assignment(
                        run=task.run,
                        context=task.context,
                        target=task.target,
                        directory=Path(),
                        prompt=text,
                        session_id=session,
                        model=task.prompt.model or task.profile.model,
                        max_cost=max_cost,
                        started=row.runs,
                        heard=row.heard,
                        lost=lost,
                    )
                    return await self._work(task, work, row, place)
            await self._clock.sleep(_LOOK_AGAIN)

    async def _work(self, task: Task, work: Assignment, row: _Row, place: Place) -> Outcome:
        started = self._clock.monotonic()
        try:
            answer = await self._answer(task, work, place)
        except asyncio.CancelledError:
            with suppress(StoreError):
                await uninterrupted(row.failed("asked to stop"))
            self._tell(TARGET_FAILED, task, row, error="asked to stop")
            raise
        except Exception as error:  # it must not stop the other targets
            await row.failed(_describe(error), getattr(error, "session_id", None), getattr(error, "cost_usd", None))
            ended = self._tell(TARGET_FAILED, task, row, error=row.record.error)
            late = error.seconds if isinstance(error, RunTimeoutError) else None
            return replace(ended, timed_out=late, summary=_summary(error))
        await row.succeeded(answer)
        await self._pin(task, work.session_id, answer, row)
        seconds = round(self._clock.monotonic() - started, 3)
        return self._tell(TARGET_SUCCEEDED, task, row, seconds=seconds, text=shorten(answer.text or "", 200))

    async def _answer(self, task: Task, work: Assignment, place: Place) -> Answer:
        limits = [task.profile.timeout, *([task.context.timeout] if task.context.timeout is not None else [])]
        async with entered(place(task)) as directory, Deadline(self._clock, min(limits)):
            return await self._carriers[task.profile.kind].carry_out(task.profile, replace(work, directory=directory))

    async def _pin(self, task: Task, session: str | None, answer: Answer, row: _Row) -> None:
        """Let the next run go on with the session of this one; a copy leaves the pin where it is."""
        copied = session is not None and row.fallback is None and task.profile.on_resume is OnResume.FORK
        if answer.session_id is not None and answer.session_id != session and not copied:
            await self._targets.pin_session(task.run.schedule_id, *task.key, answer.session_id)

    def _tell(self, kind: EventKind, task: Task, row: _Row, **more: Any) -> Outcome:
        record = row.record
        self._emit(_event(kind, self._clock, task, session=record.session_id, cost_usd=record.cost_usd, **more))
        return outcome_of(record)


def _event(kind: EventKind, clock: Clock, task: Task, **more: Any) -> Event:
    data = {"name": task.run.name, "target": target_name(task.target), **more}
    return Event(kind, clock.now(), task.run.schedule_id, task.run.run_id, data=data)


class _Row:
    """What is written down about a target while it is carried out."""

    def __init__(self, targets: Targets, clock: Clock, task: Task) -> None:
        self._targets = targets
        self._clock = clock
        self._task = task
        project, workspace = task.key
        self._spent_before = task.earlier.cost_usd if task.earlier is not None else None
        self._spent_so_far: float | None = None
        self.fallback: str | None = None
        self.record = TargetRun(
            run_id=task.run.run_id,
            project_id=project,
            workspace_id=workspace,
            status="running",
            cost_usd=self._spent_before,
            started_at=clock.now(),
        )

    async def begin(self, session: str | None) -> bool:
        """Not while another process is at the session."""
        self.record = replace(self.record, session_id=session, started_at=self._clock.now())
        return await self._targets.begin_target(self.record)

    async def runs(self, pid: int | None, session: str | None) -> None:
        """There is a process now: whoever finds this after a crash can look for it."""
        if pid is None:
            return
        started = await asyncio.to_thread(pid_started, pid)
        self.record = replace(self.record, session_id=session, pid=pid, pid_started=started, boot_id=pid_space())
        with suppress(StoreUnavailableError):  # its guardian watches over it all the same
            await self._targets.record_target(self.record)

    def heard(self, session: str | None, cost: float | None) -> None:
        """The tool has named its session, or a cost: known from here on, even if it never comes to an end."""
        self._spent_so_far = cost
        if session is not None and self.record.session_id != session:
            self.record = replace(self.record, session_id=session)

    async def succeeded(self, answer: Answer) -> None:
        text = shorten(answer.text or "", self._task.longest_text)
        await self._end("succeeded", answer.session_id, answer.cost_usd, text=text, usage=answer.usage)

    async def failed(self, error: str, session: str | None = None, cost: float | None = None) -> None:
        spent = self._spent_so_far if cost is None else cost
        await self._end("failed", session or self.record.session_id, spent, error=shorten(error, _LONGEST_ERROR))

    async def _end(
        self, status: str, session: str | None, cost: float | None, *, error: str | None = None, **told: Any
    ) -> None:
        costs = [each for each in (self._spent_before, cost) if each is not None]
        kept = {key: value for key, value in {**told, "fallback": self.fallback}.items() if value is not None}
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
        for delay in _PATIENCE:  # what was paid for is not thrown away over a store that is away for a moment
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
        """Another node may have taken the run over since, and begun this target anew: then the row is not ours."""
        known = await self._targets.target_runs(ended.run_id)
        same = [row for row in known if (row.project_id, row.workspace_id) == self._task.key]
        if all(row.started_at == self.record.started_at for row in same):
            await self._targets.record_target(ended)


def _summary(error: Exception) -> str:
    """What went wrong, without a word of the agent: a function that was called may quote it in what it raises."""
    if isinstance(error, DulyError):
        return error.summary or str(error)
    return type(error).__name__


def _describe(error: Exception) -> str:
    return str(error) if isinstance(error, PromptError) else f"{type(error).__name__}: {error}"

"""One target of a run: its session is held, its time limited, and every step recorded and reported as an event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from duly.agents.assignment import AgentAnswer, Assignment, PromptError, target_name
from duly.agents.concurrency import NamedLocks, PromptPlaces
from duly.agents.keeping import OutputStream
from duly.agents.limits import SpentWindow, reset_value, spent_window
from duly.agents.output import shorten
from duly.agents.profile import OnResume, SpawnerKind, SpawnerProfile
from duly.agents.target_record import (
    Brief,
    TargetAttempt,
    TargetOutcome,
    TargetRecord,
    describe,
    outcome_of,
    summary_of,
)
from duly.agents.transcript import as_lines
from duly.clock import Clock, host_zone
from duly.errors import RunTimeoutError, StoreError
from duly.jobs.waiting import Deadline, entered, uninterrupted
from duly.model.events import SESSION_LOST, TARGET_FAILED, TARGET_SUCCEEDED, Event, EventKind
from duly.model.ids import RUN
from duly.planning.limits import wait_for_limit
from duly.planning.places import lane_of
from duly.ports.run_history import LineKind
from duly.ports.targets import Targets
from duly.zones import iso

Emit = Callable[[Event], None]
DirectoryOf = Callable[["TargetAttempt", "str | None"], AbstractContextManager[Path]]
"""Gives the working directory of an attempt, for as long as it is needed; the folder in which its session began."""
WORDLESS = "the agent ended without an answer"
_CHECK_EVERY = 1.0  # seconds, while another process holds a session


class Agent(Protocol):
    """Carries out prompts: with a command line, a webhook or a function."""

    async def carry_out(self, profile: SpawnerProfile, work: Assignment) -> AgentAnswer: ...


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
        self,
        targets: Targets,
        clock: Clock,
        agents: Mapping[SpawnerKind, Agent],
        emit: Emit,
        places: PromptPlaces,
        chance: Callable[[], float],
    ) -> None:
        self._targets = targets
        self._clock = clock
        self._agents = agents
        self._emit = emit
        self._places = places
        self._chance = chance
        self._sessions = NamedLocks()

    async def carry_out(
        self, attempt: TargetAttempt, brief: Brief, max_cost: float | None, directory_of: DirectoryOf
    ) -> TargetOutcome:
        """Carry out one target; an error there becomes its outcome."""
        output = brief.output.stream(target_name(attempt.target), attempt.profile.output_cap)
        row = TargetRecord(self._targets, self._clock, attempt, brief)

        def lost(reason: str, summary: str) -> None:
            row.fallback = reason
            output.say(LineKind.WARNING, reason)
            self._emit(event_of(SESSION_LOST, self._clock, attempt, reason=reason, summary=summary))

        async def pinned() -> str | None:
            if row.goes_on_with is not None:
                return row.goes_on_with
            if not attempt.resumes:
                return None
            last = await self._targets.session(attempt.run.schedule_id, *attempt.key)
            if last is not None:
                return last
            named, row.began_in = await self._begun_elsewhere(attempt)
            return named

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
                        note=attempt.profile.limit_note or None if attempt.has_begun else None,
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

    async def _begun_elsewhere(self, attempt: TargetAttempt) -> tuple[str | None, str | None]:
        """Return the session that the prompt names and the folder it began in; wait for the run that it belongs to."""
        named = attempt.prompt.session
        if named is None or not named.startswith(RUN):
            return named, None
        while True:
            found = [
                each
                for each in await self._targets.target_runs(named)
                if (each.project_id, each.workspace_id) == attempt.key
            ]
            if not found or found[0].status != "running":
                break
            await self._clock.sleep(_CHECK_EVERY)
        if not found:
            return None, None
        return found[0].session_id, json.loads(found[0].sent or "{}").get("folder")

    async def _work(
        self,
        attempt: TargetAttempt,
        work: Assignment,
        row: TargetRecord,
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
            if isinstance(error, PromptError) and (waits := await self._wait(attempt, row, output, error)) is not None:
                return waits
            output.say_all(as_lines(describe(error), LineKind.ERROR))
            await row.failed(describe(error), getattr(error, "session_id", None), getattr(error, "cost_usd", None))
            ended = self._report(TARGET_FAILED, attempt, row, error=row.record.error, summary=summary_of(error))
            late = error.seconds if isinstance(error, RunTimeoutError) else None
            return replace(ended, timed_out=late, summary=summary_of(error))
        if not output.has_text:  # an agent that says nothing before its answer
            output.say_all(as_lines(answer.text or ""))
        await row.succeeded(answer)
        if outcome_of(row.record).said_nothing:
            output.say(LineKind.WARNING, WORDLESS)
        await self._pin(attempt, work.session_id, answer, row)
        seconds = round(self._clock.monotonic() - started, 3)
        return self._report(TARGET_SUCCEEDED, attempt, row, seconds=seconds, text=shorten(answer.text or "", 200))

    def _spent_window(self, attempt: TargetAttempt, error: PromptError) -> SpentWindow | None:
        """Find out whether a tool failed because its usage window is spent."""
        profile = attempt.profile
        now = self._clock.now()
        if not profile.limit_wait:
            return None
        if error.end.limit is not None:
            return SpentWindow(reset=reset_value(error.end.limit, now))
        if spent_window(profile.limit_patterns, error.end.said, now, "UTC") is None:
            return None  # as nearly always; the zone of the host takes time to find
        return spent_window(profile.limit_patterns, error.end.said, now, host_zone(now))

    async def _wait(
        self, attempt: TargetAttempt, row: TargetRecord, output: OutputStream, error: PromptError
    ) -> TargetOutcome | None:
        """Let a target wait if the usage window of its tool is spent, or fail if that would take too long."""
        if (window := self._spent_window(attempt, error)) is None:
            return None
        profile = attempt.profile
        longest = timedelta(seconds=profile.limit_wait)
        before = None if error.end.worked else attempt.waited
        wait = wait_for_limit(self._clock.now(), window.reset, before=before, longest=longest, chance=self._chance())
        if wait is not None:
            until = iso(wait.until.replace(microsecond=0))
            output.say(LineKind.WARNING, f"waits for {profile.limit_name} until {until}: {error}")
            await row.waits(wait, error)
            return outcome_of(row.record)
        resets = "" if window.reset is None else f" resets at {iso(window.reset.replace(microsecond=0))}, and"
        most = f"a run waits for it {longest} at most (limit_wait of spawner {profile.name})"
        refused = f"{profile.limit_name}{resets or ' is reached, and'} {most}"
        output.say_all(as_lines(f"{refused}: {error}", LineKind.ERROR))
        await row.failed(f"{refused}: {error}", error.session_id, error.cost_usd)
        ended = self._report(TARGET_FAILED, attempt, row, error=row.record.error, summary=refused)
        return replace(ended, summary=refused, given_up=True)

    async def _answer(
        self, attempt: TargetAttempt, work: Assignment, row: TargetRecord, directory_of: DirectoryOf
    ) -> AgentAnswer:
        limits = [limit for limit in (attempt.profile.timeout, attempt.context.timeout) if limit is not None]
        async with entered(directory_of(attempt, row.began_in)) as directory, Deadline(self._clock, min(limits)):
            row.works_in(directory)
            return await self._agents[attempt.profile.kind].carry_out(
                attempt.profile, replace(work, directory=directory)
            )

    async def _pin(self, attempt: TargetAttempt, session: str | None, answer: AgentAnswer, row: TargetRecord) -> None:
        """Pin the session of this run, so that the next one continues it; a forked session is not pinned."""
        if attempt.waited is not None or attempt.prompt.session is not None:  # not that of the run before, perhaps
            session = await self._targets.session(attempt.run.schedule_id, *attempt.key)
        copied = session is not None and row.fallback is None and attempt.profile.on_resume is OnResume.FORK
        if answer.session_id is not None and answer.session_id != session and not copied:
            await self._targets.pin_session(attempt.run.schedule_id, *attempt.key, answer.session_id)

    def _report(self, kind: EventKind, attempt: TargetAttempt, row: TargetRecord, **more: Any) -> TargetOutcome:
        record = row.record
        self._emit(event_of(kind, self._clock, attempt, session=record.session_id, cost_usd=record.cost_usd, **more))
        return outcome_of(record)


def event_of(kind: EventKind, clock: Clock, attempt: TargetAttempt, **more: Any) -> Event:
    """Make an event about a run at a target."""
    data = {"name": attempt.run.name, "target": target_name(attempt.target), **more}
    run = attempt.run
    return Event(kind=kind, at=clock.now(), schedule_id=run.schedule_id, run_id=run.run_id, data=data)

"""What is known of one target of a run: the attempt at it, its outcome, and the record of it in the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from duly.agents.assignment import AgentAnswer, PromptError, target_key, target_name
from duly.agents.keeping import OutputKeeper
from duly.agents.output import shorten
from duly.agents.profile import SpawnerKind, SpawnerProfile
from duly.clock import Clock
from duly.errors import DulyError, StoreUnavailableError
from duly.model.action import Prompt, SessionBehavior, Target
from duly.planning.limits import LimitWait
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed
from duly.ports.targets import TargetRun, Targets
from duly.processes import pid_space, pid_started

_LONGEST_TEXT = 16_000
_ALL_TEXTS = 150_000
"""Characters that the texts of all targets may have together in the result of a run."""
_LONGEST_ERROR = 1500
_STORE_RETRIES = (0.2, 1.0, 5.0)  # seconds between tries to record an end


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
    def waited(self) -> LimitWait | None:
        """The wait for the tool's usage limit that it goes on after; None unless it was waiting."""
        return None if self.earlier is None else wait_of(self.earlier)

    @property
    def has_begun(self) -> bool:
        """Whether its session had begun to work on the prompt before it had to wait."""
        earlier = self.earlier
        waits = None if earlier is None or self.waited is None else json.loads(earlier.result or "{}")["waits"]
        return waits is not None and waits["begun"]

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
    given_up: bool = False
    """Whether it failed for a usage limit that resets too late: to try again soon is of no use."""

    @property
    def waits_until(self) -> datetime | None:
        """Return when it goes on, if it waits for a usage limit."""
        wait = wait_of(self.record)
        return None if wait is None else wait.until

    @property
    def said_nothing(self) -> bool:
        """Whether the agent ended well, and without an answer."""
        return bool(self.details.get("wordless"))

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
    described = shorten(describe(error), _LONGEST_ERROR)
    record = TargetRun(
        run_id=attempt.run.run_id, project_id=project, workspace_id=workspace, status="failed", error=described
    )
    return TargetOutcome(record, {}, summary=summary_of(error))


def wait_of(record: TargetRun) -> LimitWait | None:
    """Return the wait of a target for the usage limit of its tool; None if it does not wait."""
    return LimitWait.read(json.loads(record.result)["waits"]) if record.status == "waiting" and record.result else None


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

    @classmethod
    def of(cls, record: TargetRun, output: OutputKeeper) -> Brief:
        """Return what was sent before a target had to wait."""
        sent = json.loads(record.sent or "{}")
        return cls(text=sent["prompt"], gate=sent.get("gate", ""), output=output)


class TargetRecord:
    """The record of a target, kept up to date while it is carried out."""

    def __init__(self, targets: Targets, clock: Clock, attempt: TargetAttempt, brief: Brief) -> None:
        self._targets = targets
        self._clock = clock
        self._attempt = attempt
        project, workspace = attempt.key
        self._spent_before = attempt.earlier.cost_usd if attempt.earlier is not None else None
        self._spent_so_far: float | None = None
        self.fallback: str | None = None
        waited = attempt.earlier if attempt.waited is not None and attempt.profile.keeps_sessions else None
        self.goes_on_with = None if waited is None else waited.session_id
        """The session that had to wait for the usage limit of its tool."""
        self.began_in: str | None = None
        """The folder in which the session began, where another schedule has begun it."""
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
        # A function may have nothing to say; an agent that says nothing is worth a look.
        wordless = not text.strip() and self._attempt.profile.kind is not SpawnerKind.CALLABLE
        details = {"text": text, "usage": answer.usage, "wordless": wordless or None}
        await self._end("succeeded", answer.session_id, answer.cost_usd, **details)

    async def failed(self, error: str, session: str | None = None, cost: float | None = None) -> None:
        spent = self._spent_so_far if cost is None else cost
        await self._end("failed", session or self.record.session_id, spent, error=shorten(error, _LONGEST_ERROR))

    async def waits(self, wait: LimitWait, error: PromptError) -> None:
        """Record that it waits for the usage limit of its tool."""
        spent = self._spent_so_far if error.cost_usd is None else error.cost_usd
        begun = error.end.worked or self._attempt.has_begun
        session = error.session_id or self.record.session_id
        await self._end("waiting", session, spent, waits={**wait.plain(), "begun": begun})

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


def summary_of(error: Exception) -> str:
    """Describe an error without words of the agent, which an error of a called function may quote."""
    if isinstance(error, DulyError):
        return error.summary or str(error)
    return type(error).__name__


def describe(error: Exception) -> str:
    """Describe an error, in the agent's words where it is the agent's."""
    return str(error) if isinstance(error, PromptError) else f"{type(error).__name__}: {error}"

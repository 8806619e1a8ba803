"""The use cases of one run: all about it, and what it prints while it prints it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any, TypedDict

from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Action, Message, Prompt
from duly.model.checks import LARGEST
from duly.model.events import HANDOVER_FAILED, RUN_FAILED
from duly.model.handover import Handover
from duly.model.reminder import ReminderStatus
from duly.model.run import Run, Status
from duly.outbound.masking import Mask
from duly.planning.delivery import TAKEN_LATE
from duly.planning.quotas import DAY
from duly.ports.codec import decode_action, decode_policy
from duly.ports.records import EventFilter, StoredSchedule
from duly.ports.reminders import Reminder
from duly.ports.run_history import GATE_TARGET, KeptOutput
from duly.ports.targets import TargetRun
from duly.service.access.scopes import Caller
from duly.service.executors.views import HandoverView
from duly.service.limits import check_given
from duly.service.reminders.deliveries import Deliveries, only_of
from duly.service.runs import lines
from duly.service.runs.attempts import attempts_of, latest_attempt
from duly.service.runs.views import (
    OutputChunk,
    OutputInfo,
    RunDetail,
    RunDuration,
    TargetDetail,
    printing,
)
from duly.service.schedules import values
from duly.service.schedules.run_views import (
    HANDED_OVER,
    RunView,
    TargetRunView,
    hides_output,
    latest_handover,
    run_view,
)
from duly.service.schedules.views import zone_of

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.store import FullStore
    from duly.service.schedules.finding import Finder
    from duly.service.schedules.times import ZoneRule

_LATEST = 30
"""Runs whose durations are shown."""
_LARGEST_CHUNK = 1024 * 1024
_KINDS = {"prompt": "agent", "job": "job", "message": "person"}
_RESUME = {
    "claude": ("claude", "--resume"),
    "codex": ("codex", "resume"),
    "gemini": ("gemini", "--resume"),
    "opencode": ("opencode", "--session"),
}
"""How a person goes on with a session of a program."""


class _Sent(TypedDict, total=False):
    """What was sent to the agent of a target, as it is stored."""

    prompt: str | None
    gate: str | None
    spawner: str | None
    program: str | None
    model: str | None
    folder: str | None


class RunDetails:
    """Shows a run in detail to callers who may see it."""

    def __init__(self, store: FullStore, clock: Clock, find: Finder, zones: ZoneRule) -> None:
        self._store = store
        self._clock = clock
        self._find = find
        self._zones = zones

    async def get(self, caller: Caller, run_id: str) -> RunDetail:
        """Show a run with its attempts, targets, prompt, deliveries and answers, and how much output there is."""
        run, row = await self._find.run(caller, run_id)
        hidden = hides_output(row, caller.scope)
        history = self._store.history
        action = _action(row)
        targets = await self._targets(caller, run)
        zone = zone_of(row, await self._zones.person(caller))
        handovers = await self._handovers(run)
        newest = handovers[-1] if handovers else None
        view = run_view(run, targets, caller.scope, zone, hide_output=hidden, handover=newest)
        previous, following = await history.neighbours(run.fire)
        latest = await history.finished(run.fire, _LATEST)
        went_well = [
            (each.finished_at - each.started_at).total_seconds() for each in latest if each.status == "succeeded"
        ]
        usually = median(went_well) if went_well else None
        return RunDetail(
            run=view,
            kind=_KINDS.get(run.handler.partition(":")[0], "job"),
            key=run.key,
            owner=run.owner,
            lost=run.lost,
            cancel_requested=run.cancel_requested,
            max_attempts=_max_attempts(row),
            attempts=attempts_of(run, await history.attempts(run.id), handovers, hidden=hidden),
            targets=[_target_detail(each, view) for each in targets],
            handovers=[HandoverView.of(each, hide_output=hidden) for each in handovers],
            hidden=hidden,
            traceback=None if hidden else await self._traceback(run),
            **({} if hidden else _sent(targets)),
            **(await self._money(action, run, targets) if isinstance(action, Prompt) else {}),
            previous_id=previous,
            next_id=following,
            usually_seconds=usually,
            expected_end=_expected_end(run, usually),
            durations=[
                RunDuration(
                    run_id=each.run_id,
                    status=each.status,
                    seconds=(each.finished_at - each.started_at).total_seconds(),
                )
                for each in reversed(latest)
            ],
            **await self._messages(caller, action, run),
            outputs=[
                _info(each, await self._left_out(each))
                for each in await history.outputs(run.id)
                if _may_see(caller, each.target, hidden=hidden)
            ],
        )

    async def output(
        self,
        caller: Caller,
        run_id: str,
        *,
        attempt: int | None = None,
        target: str | None = None,
        offset: int = 0,
        limit: int = 65536,
    ) -> OutputChunk:
        """Show a part of what an attempt printed at a target, from an offset on; whole lines, at least one.

        Without `attempt` it is the latest, and without `target` the one that prints; the answer says which these are.
        While a run goes on, `next_offset` is where more will be.
        """
        check_given({} if target is None else {"target": target})
        if target:
            values.text(target, "target")
        for name, given, least in (("offset", offset, 0), ("limit", limit, 1), ("attempt", attempt, 1)):
            if given is not None and not least <= values.whole(given, name) <= LARGEST:
                raise InvalidInputError(f"{name} must be a whole number from {least} on, got {given!r}")
        run, row = await self._find.run(caller, run_id)
        hidden = hides_output(row, caller.scope)
        latest = latest_attempt(run, await latest_handover(self._store, run))
        number = attempt or latest
        kept = await self._store.history.outputs(run.id)
        known = {(each.attempt, each.target): each for each in kept if _may_see(caller, each.target, hidden=hidden)}
        if target is None:
            target = printing(known.values(), number)
        elif (target or known) and not _may_see(caller, target, hidden=hidden):
            raise NotFoundError(f"run {run_id!r} has no output of target {target!r}")
        output = known.get((number, target))
        if output is None:
            self._check_to_come(run, number, latest, target, known)
            over = run.status.final
            return OutputChunk(
                attempt=number, target=target, text="", lines=[], offset=0, next_offset=0, complete=over, total=0
            )
        found = await self._store.history.pieces(run.id, number, target, offset, min(limit, _LARGEST_CHUNK))
        over = output.complete or run.status.final or number < run.attempt
        return lines.chunk(output, found, offset, min(limit, _LARGEST_CHUNK), over=over)

    def _check_to_come(self, run: Run, attempt: int, latest: int, target: str, known: Any) -> None:
        """Refuse an attempt or target that never printed and never will."""
        if attempt > latest:
            raise NotFoundError(f"run {run.id} has no attempt {attempt}: its latest is {run.attempt}")
        if known and run.status.final:
            there = ", ".join(f"attempt {number} {of!r}" for number, of in sorted(known))
            raise NotFoundError(f"there is no output of attempt {attempt} at {target!r}: there is {there}")

    async def _handovers(self, run: Run) -> list[Handover]:
        return await self._store.handovers.of_run(run.id) if run.handler.startswith(HANDED_OVER) else []

    async def _targets(self, caller: Caller, run: Run) -> list[TargetRun]:
        if not run.handler.startswith("prompt:"):
            return []
        found = await self._store.targets.target_runs(run.id)
        return [each for each in found if not each.project_id or caller.scope.reaches(each.project_id)]

    async def _money(self, prompt: Prompt, run: Run, targets: Sequence[TargetRun]) -> dict[str, Any]:
        costs = [each.cost_usd for each in targets if each.cost_usd is not None]
        since = self._clock.now() - DAY
        return {
            "budget_usd": prompt.max_cost_per_run,
            "spent_usd": sum(costs) if costs else None,
            "spent_today_usd": await self._store.targets.spent(run.fire.schedule_id, since),
            "limit_today_usd": prompt.max_cost_per_day,
        }

    async def _messages(self, caller: Caller, action: Action | None, run: Run) -> dict[str, Any]:
        """Show what was sent about a run, and what was answered; the addresses of other people only to admins."""
        show = (lambda attempt: attempt.address) if caller.scope.is_admin else only_of(caller.scope.subject)
        deliveries = Deliveries(self._store, show)
        sent = {"deliveries": await deliveries.sent(run.id)}
        if not isinstance(action, Message):
            return sent
        question = action.ack_prompt if action.require_ack else None
        found = await self._store.reminders.get(run.id, caller.scope.subject if caller.scope.kind == "user" else None)
        return {
            **sent,
            "message": action.text,
            "question": question,
            "answers": await deliveries.answered(run.id),
            "reminder_status": None if found is None else str(found.status),
            "takes_answer": found is not None and await self._takes_answer(found, run),
        }

    async def _takes_answer(self, reminder: Reminder, run: Run) -> bool:
        if reminder.status is not ReminderStatus.UNACKED:
            return not reminder.status.final and not run.status.final and reminder.last_sent_at is not None
        lately = self._clock.now() < reminder.updated_at + TAKEN_LATE
        return lately and (await self._store.reminders.of_schedule(reminder.schedule_id, 1))[0].run_id == run.id

    async def _traceback(self, run: Run) -> str | None:
        """Give where the code of a job failed: the journal has it with the end of the run, at every store.

        Of one that was handed over, its worker has reported it before.
        """
        if run.status is not Status.FAILED:
            return None
        names = (RUN_FAILED.name, HANDOVER_FAILED.name)
        entries = await self._store.events(EventFilter(run_id=run.id, names=names, limit=len(names)))
        found = next((trace for _, event in entries if (trace := event.data.get("traceback")) is not None), None)
        return Mask().text(found) if isinstance(found, str) else None

    async def _left_out(self, output: KeptOutput) -> int:
        """Count the bytes in the middle that were not kept."""
        if output.total <= output.kept_limit:
            return 0
        return output.total - await self._store.history.kept_bytes(output.run_id, output.attempt, output.target)


def _action(row: StoredSchedule) -> Action | None:
    try:
        return decode_action(row.action)
    except ValueError:
        return None


def _max_attempts(row: StoredSchedule) -> int | None:
    try:
        return decode_policy(row.policy).retry.max_attempts
    except ValueError:
        return None


def _expected_end(run: Run, usually: float | None) -> datetime | None:
    if run.status is not Status.RUNNING or run.started_at is None or usually is None:
        return None
    return run.started_at + timedelta(seconds=usually)


def _may_see(caller: Caller, target: str, *, hidden: bool) -> bool:
    """Tell whether a caller may read the output at a target; a gate and a prompt without targets speak for all."""
    if not hidden:
        return True
    return target not in ("", GATE_TARGET) and caller.scope.reaches(target.partition("/")[0])


def _info(each: KeptOutput, left_out: int) -> OutputInfo:
    return OutputInfo(
        attempt=each.attempt,
        target=each.target,
        bytes=each.total,
        lines=each.lines,
        complete=each.complete,
        kept_limit=each.kept_limit,
        left_out=left_out,
    )


def _sent_to(target: TargetRun) -> _Sent:
    """Read what was sent to the agent of a target."""
    sent: _Sent = {} if target.sent is None else json.loads(target.sent)
    return sent


def _sent(targets: Sequence[TargetRun]) -> dict[str, Any]:
    """Say what was sent to the agents: the same prompt to each."""
    sent = next((found for each in targets if (found := _sent_to(each))), _Sent())
    return {
        "prompt": sent.get("prompt"),
        "gate_lines": (sent.get("gate") or "").splitlines(),
        "agent": _agent(sent),
        "model": sent.get("model"),
    }


def _agent(sent: _Sent) -> str | None:
    named = dict.fromkeys(each for each in (sent.get("spawner"), sent.get("program")) if each)
    return " ".join(named) or None


def _target_detail(each: TargetRun, view: RunView) -> TargetDetail:
    shown = next(
        (
            known
            for known in view.targets
            if (known.project_id or "", known.workspace_id or "") == (each.project_id, each.workspace_id)
        ),
        TargetRunView(status=each.status),
    )
    sent = _sent_to(each)
    kept = {} if each.result is None else json.loads(each.result)
    return TargetDetail(
        **{known.name: getattr(shown, known.name) for known in fields(TargetRunView)},
        target="/".join(filter(None, (each.project_id, each.workspace_id))),
        started_at=each.started_at,
        finished_at=each.finished_at,
        agent=_agent(sent),
        model=sent.get("model"),
        usage=kept.get("usage"),
        resume_command=_resume_command(each.session_id, sent),
    )


def _resume_command(session_id: str | None, sent: _Sent) -> str | None:
    """Write the command with which a person goes on with a session; None for programs that have none."""
    command = _RESUME.get(sent.get("program") or "")
    if session_id is None or command is None:
        return None
    words = shlex.join([*command, session_id])
    folder = sent.get("folder")
    return words if folder is None else f"cd {shlex.quote(folder)} && {words}"

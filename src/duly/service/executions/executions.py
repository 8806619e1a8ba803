"""What workers ask and report about a handover: leave to begin, signs of life, the outcome.

`planning.handovers` judges each report within the transaction that writes what it changes, so that of any number of
reports, at any number of nodes, one outcome is accepted. The same report twice is answered the same.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from duly.clock import Clock
from duly.errors import NotFoundError, ReportRefusedError
from duly.model.events import HANDOVER_FAILED, Event
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.model.run import Run, Status
from duly.outbound.masking import Mask
from duly.planning import handovers as planning
from duly.planning.handovers import Outcome, Refusal, Revised, RunStanding
from duly.ports.codec import encode_json
from duly.ports.executors import EventsOf, Judged, ReportedLine, no_events
from duly.ports.reading import work_for
from duly.ports.store import FullStore
from duly.service.access.tokens import digest
from duly.service.executions.judging import ReportLine
from duly.service.executions.keeping import keep_lines, kept_error, kept_result, kept_traceback, masked_json
from duly.service.executions.views import LeaveView, TakenView

_MOST_KNOWN = 20_000
"""Workers that are recognized without reading from the store."""
_UNKNOWN = (
    "there is no such handover, or this is not the token of the message that was sent last: stop, and report nothing "
    "more about it"
)
_ADVICE = {
    Refusal.OVER: "the run was cancelled or has ended: stop, and report nothing more about it",
    Refusal.REPLACED: "it was given up, or a later attempt was handed over: stop, and report nothing more about it",
    Refusal.BEATING: "another start of this message has leave to carry it out: do not begin it a second time",
    Refusal.ENDED: "its outcome is known already: do not carry it out again",
    Refusal.EXPIRED: "it came too late to begin, and its fire counts as missed: do not carry it out",
    Refusal.NOT_BEGUN: "this start has not asked for leave: send begin first",
}


@dataclass(slots=True)
class Worker:
    """The bearer of the token of a handover, and what does not change about its run."""

    key: HandoverKey
    token: str
    token_hash: str
    executor: str
    run_key: str
    schedule: str
    attempt: int
    keeping: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lines are added one report after the other."""
    has_lines: bool = False

    @property
    def name(self) -> str:
        """The name under which its requests are counted."""
        return f"handover {self.key}"


class Executions:
    """The use cases of workers."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        wake: Callable[[], None],
        secrets: Callable[[str], Collection[str]] = lambda _executor: (),
    ) -> None:
        """`wake` makes the engine of this process look at once, because a run has become due. `secrets` gives those of
        an executor, which are kept of no report.
        """
        self._store = store
        self._clock = clock
        self._wake = wake
        self._secrets = secrets
        self._made: dict[str, tuple[frozenset[str], Mask]] = {}
        self._line = ReportLine(store.handovers, clock)
        self._known: OrderedDict[tuple[HandoverKey, str], Worker] = OrderedDict()

    async def recognize(self, run_id: str, number: int, token: str) -> Worker | None:
        """Give the worker with this token; None where there is no such handover, or its token is another one."""
        key = HandoverKey(run_id, number)
        shown = digest(token)
        known = self._known.get((key, shown))
        if known is not None:
            self._known.move_to_end((key, shown))
            return known
        work_for("workers")
        handover = next((each for each in await self._store.handovers.of_run(run_id) if each.number == number), None)
        if handover is None or not hmac.compare_digest(handover.token_hash, shown):
            return None
        run = await self._store.get_run(run_id)
        if run is None:
            return None
        worker = Worker(key, token, shown, handover.executor, run.key, run.name, _attempt_of(run))
        self._known[key, shown] = worker
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return worker

    async def begin(self, worker: Worker, *, start: str, host: str, after: str | None = None) -> LeaveView:
        """Ask for leave to begin; `start` names this start of the message, and `host` the process that would do it.

        `after` names a start that gives up its place for this one.
        """
        now = self._clock.now
        handover = await self._judge(
            worker, lambda each, run: planning.begin(each, run, start=start, worker=host, after=after, now=now())
        )
        return LeaveView(
            key=worker.run_key,
            schedule=worker.schedule,
            attempt=worker.attempt,
            lease_seconds=handover.lease_seconds,
            run_seconds=handover.run_seconds,
        )

    async def beat(
        self,
        worker: Worker,
        *,
        start: str | None,
        progress: Any = None,
        lines: Sequence[ReportedLine] = (),
        before: int | None = None,
    ) -> TakenView:
        """Give a sign of life, with how far the run has got and what it has printed since the last one."""
        written = None if progress is None else masked_json(encode_json(progress, "progress"), self._mask_of(worker))
        now = self._clock.now
        await self._judge(worker, lambda each, run: planning.beat(each, run, start=start, now=now()))
        if written is not None:
            await self._store.handovers.progress(worker.key, written)
        return await self._keep(worker, lines, before, ends=False)

    async def end(
        self,
        worker: Worker,
        *,
        start: str | None,
        state: Literal["succeeded", "failed"],
        result: Any = None,
        error: str | None = None,
        traceback: str | None = None,
        lines: Sequence[ReportedLine] = (),
        before: int | None = None,
    ) -> TakenView:
        """Report how it ended. The first outcome is accepted; the run goes on with it at once."""
        trace: str | None = None
        if state == "succeeded":
            outcome = Outcome(HandoverState.SUCCEEDED, result=kept_result(result, self._mask_of(worker)))
        else:
            masks = self._masks(worker)
            reason = kept_error(error or "the worker did not say why it failed", masks)
            known = None if result is None else kept_result(result, self._mask_of(worker))
            outcome = Outcome(HandoverState.FAILED, result=known, error=reason)
            trace = None if traceback is None else kept_traceback(traceback, masks)
        now = self._clock.now
        is_new = False

        def decide(handover: Handover, standing: RunStanding) -> Revised | Refusal:
            return planning.end(handover, standing, outcome, start=start, now=now())

        def events(change: Revised) -> Sequence[Event]:
            nonlocal is_new
            is_new = change.wakes
            if not change.wakes or outcome.state is not HandoverState.FAILED:
                return ()
            return [self._failed(worker, change.handover, trace)]

        await self._judge(worker, decide, events)
        if is_new:
            self._wake()
        return await self._keep(worker, lines, before, ends=True)

    def _mask_of(self, worker: Worker) -> Mask:
        """Give the mask for the secrets of an executor, which is made once: it takes much longer than to use it."""
        secrets = frozenset(self._secrets(worker.executor))
        known = self._made.get(worker.executor)
        if known is None or known[0] != secrets:
            known = self._made[worker.executor] = (secrets, Mask(secrets))
        return known[1]

    def _masks(self, worker: Worker) -> tuple[Mask, Mask]:
        return Mask((worker.token,)), self._mask_of(worker)

    def _failed(self, worker: Worker, handover: Handover, trace: str | None) -> Event:
        return Event(
            HANDOVER_FAILED,
            self._clock.now(),
            handover.schedule_id,
            handover.run_id,
            data={
                "name": worker.schedule,
                "executor": handover.executor,
                "number": handover.number,
                "worker": handover.worker,
                "error": handover.error,
                "traceback": trace,
            },
        )

    async def _judge(
        self,
        worker: Worker,
        decide: Callable[[Handover, RunStanding], Revised | Refusal],
        events: EventsOf = no_events,
    ) -> Handover:
        """Judge a report; raises `ReportRefusedError` or `NotFoundError` where it does not count."""

        def of_bearer(handover: Handover, standing: RunStanding) -> Revised | Refusal:
            if not hmac.compare_digest(handover.token_hash, worker.token_hash):  # sent again meanwhile
                return Refusal.UNKNOWN
            return decide(handover, standing)

        judged: Judged = await self._line.judge(worker.key, of_bearer, events)
        if judged.refusal is Refusal.UNKNOWN or judged.handover is None:
            self._known.pop((worker.key, worker.token_hash), None)
            raise unknown_handover()
        if judged.refusal is not None:
            raise ReportRefusedError(str(judged.refusal), _ADVICE[judged.refusal])
        return judged.handover

    async def _keep(
        self, worker: Worker, lines: Sequence[ReportedLine], before: int | None, *, ends: bool
    ) -> TakenView:
        if not lines and not (ends and worker.has_lines):
            return TakenView()
        worker.has_lines = True
        async with worker.keeping:
            kept = await keep_lines(
                self._store.history,
                worker.key.run_id,
                worker.attempt,
                lines,
                self._clock.now(),
                masks=self._masks(worker),
                before=before,
                ends=ends,
            )
        return TakenView(lines=kept)


def unknown_handover() -> NotFoundError:
    """Make the one answer to an unknown handover and to a wrong token."""
    return NotFoundError(_UNKNOWN)


def _attempt_of(run: Run) -> int:
    """Give the number of the attempt that a handover is: a run that waits for its worker has not counted it yet."""
    return run.attempt if run.status is Status.RUNNING or run.status.final else run.attempt + 1

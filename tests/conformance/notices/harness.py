"""A deployment on virtual time whose jobs end as they are told, and which tells people so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from duly.config.notify import NotifySettings
from duly.delivery.sending import InboxChannel, Sender
from duly.engine.engine import Engine
from duly.engine.settings import VIRTUAL
from duly.language.parsing import parse
from duly.model.action import Action, Job
from duly.model.events import Event
from duly.model.notice import NotifyRule
from duly.model.policy import Policy
from duly.model.reminder import AttemptKind
from duly.planning import lifecycle
from duly.ports.dispatch import RunContext
from duly.ports.notices import Notice
from duly.ports.people import namespace_of
from duly.ports.records import Claimed, RunFilter
from duly.ports.store import FullStore
from duly.runtime.notice_loop import NoticeLoop
from duly.service.notices.finding import NoticeFinder
from duly.service.notices.recipients import Recipients
from duly.service.notices.sending import NoticeParts, NoticeSender
from duly.service.schedules.drafts import Draft, to_row
from duly.testing.channels import ScriptedChannel
from tests.conformance.reminders.harness import START, ReminderHarness
from tests.sqlite_template import prepare

FULL = OSError("disk full")
JOB = Job("work")
Outcome = Callable[[Claimed], Any]
"""What a run does: it returns the result, or an error to raise."""


class ScriptedJobs:
    """Carries out the runs of jobs and prompts: what each schedule's next run returns or raises is set by name."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Any] = {}

    def serves(self) -> list[str]:
        return ["job:work", "prompt:default", "message"]

    async def dispatch(self, run: Claimed, _context: RunContext) -> Any:
        outcome = self.outcomes.get(run.name)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome(run) if callable(outcome) else outcome


class NoticeHarness(ReminderHarness):
    """Ana has `chat` and then `mail`; Root, the admin, has `pager`; the schedules are Ana's."""

    def __init__(self, url: str, start: datetime = START) -> None:
        super().__init__(url, start)
        self.jobs = ScriptedJobs()
        self.settings = NotifySettings()
        self.webhook = ScriptedChannel("webhook")
        self.told: list[Event] = []
        self.link: Callable[[str], str | None] = lambda _run_id: None

    def renew(self, records: Any = None) -> None:  # noqa: ARG002  the reminders' harness has others
        self.engine = Engine(self.store, self.jobs, self.process.clock, VIRTUAL, random_bits=self.random_bits)
        self.loop = self.make_loop(self.store)

    def make_loop(self, store: FullStore) -> NoticeLoop:
        """Make the loop of a node: another one may share the store."""
        clock = self.process.clock
        channels = {each.name: each for each in (self.chat, self.mail, self.pager, self.webhook)}
        sender = NoticeSender(
            store,
            clock,
            Sender(
                reminders=store.reminders,
                inbox=InboxChannel(store.reminders, clock),
                channels=channels,
                clock=clock,
            ),
            NoticeParts(
                settings=lambda: self.settings,
                emit=self.told.append,
                link=lambda run_id: self.link(run_id),
                node_id=lambda: self.engine.node_id or None,
                chance=lambda: 0.0,
            ),
        )
        recipients = Recipients(store.people, ("inbox", *channels))
        return NoticeLoop(clock, NoticeFinder(store, clock, recipients, lambda: self.settings), sender, store.notices)

    async def start(self) -> None:
        self.store.on_event(self.loop.hear)
        await self.engine.start()
        await self.loop.begin()

    async def crash(self, down: float = 0) -> None:
        await super().crash(down)
        self.store.on_event(self.loop.hear)
        await self.loop.begin()

    async def close(self) -> None:
        if not self.process.gone:
            await self.loop.stop()
        await super().close()

    # short ways

    async def schedule(
        self,
        name: str = "backup",
        when: str = "every minute",
        notify: str | tuple[str, ...] = (),
        *,
        action: Action = JOB,
        namespace: str | None = None,
        **policy: Any,
    ) -> str:
        """Make a schedule; give its id."""
        clock = self.process.clock
        rules = tuple(map(NotifyRule.parse, (notify,) if isinstance(notify, str) else notify))
        draft = Draft(
            namespace=namespace_of(self.ana) if namespace is None else namespace,
            name=name,
            trigger=parse(when, now=clock.now(), tz="UTC").trigger,
            action=action,
            policy=Policy(notify=rules, **policy),
        )
        row = to_row(draft, clock.now(), lambda _job: None, self.random_bits)
        [made] = await self.store.save([row], lifecycle.create)
        self.engine.wake()
        return made

    async def minutes(self, number: float) -> None:
        await self.clock.travel(minutes=number)

    async def notices(self, schedule_id: str) -> list[Notice]:
        runs = await self.store.runs(RunFilter(schedule_id=schedule_id, limit=1000))
        return [each for run in reversed(runs) for each in await self.store.notices.of_run(run.id)]

    async def sends(self, schedule_id: str) -> list[tuple[str, str]]:
        """Channel and status of every attempt to send a notice about a schedule."""
        runs = await self.store.runs(RunFilter(schedule_id=schedule_id, limit=1000))
        found = [each for run in reversed(runs) for each in await self.store.reminders.attempts(run.id)]
        assert all(each.kind is AttemptKind.NOTICE for each in found)
        return [(each.channel, str(each.status)) for each in found]

    async def change_ana(self, **fields: Any) -> None:
        person = await self.store.people.get(self.ana)
        assert person is not None
        await self.store.people.save(replace(person, **fields))


@asynccontextmanager
async def notices_at(url: str, start: datetime = START) -> AsyncIterator[NoticeHarness]:
    if not url.startswith("postgresql"):
        prepare(Path(url))
    harness = NoticeHarness(url, start)
    await harness.open()
    try:
        await harness.people()
        await harness.start()
        yield harness
    finally:
        await harness.close()


def with_notices(
    test: Callable[[NoticeHarness], Coroutine[Any, Any, None]],
) -> Callable[..., Coroutine[Any, Any, None]]:
    """Give a test a harness over a SQLite file."""

    async def inside(tmp_path: Path) -> None:
        async with notices_at(str(tmp_path / "duly.db")) as harness:
            await test(harness)

    inside.__name__ = test.__name__
    inside.__doc__ = test.__doc__
    return inside

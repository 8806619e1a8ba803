"""Actions, undo, attention, calendars and the overview at a daemon elsewhere, under the names that commands use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from duly.client import AsyncClient
from duly.errors import DulyError
from duly.operations.views import DoneView
from duly.ports.channels import Button, ButtonKind
from duly.ports.people import LOCAL_USER
from duly.service.access.scopes import Caller
from duly.service.actions import Done
from duly.service.attention.items import NeedItem, NeedsView
from duly.service.calendar.calendar import CalendarLinkView, ImportReport, NewCalendarLink
from duly.service.channels import ChannelTest, ChannelView
from duly.service.executors.views import ExecutorView
from duly.service.overview.views import LoadView, NodeView
from duly.service.pruning import Heard, PruneView
from duly.service.reminders.replies import Handled
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.waking import WakeWish


class RemoteServices:
    """The use cases beside those of schedules and reminders."""

    def __init__(self, ask: AsyncClient, person: str | None) -> None:
        self.actions = RemoteActions(ask)
        self.chat = RemoteChat(ask, person)
        self.calendar = RemoteCalendar(ask)
        self.channels = RemoteChannels(ask)
        self.undo = RemoteUndo(ask)
        self.needs = RemoteNeeds(ask)
        self.overview = RemoteOverview(ask)
        self.executors = RemoteExecutors(ask)
        self.wake_ups = RemoteWakeUps(ask)
        self.pruning = RemotePruning(ask)

    def __getattr__(self, name: str) -> Any:
        raise DulyError(f"this command does not work with --server: run it where the daemon runs ({name} is there)")


class RemoteChat:
    """What a person says in plain words."""

    def __init__(self, ask: AsyncClient, person: str | None) -> None:
        self._ask = ask
        self._person = person

    async def handle(self, user: str, channel: str, text: str) -> Handled:
        """Send a message of a person; the owner of the token is not named."""
        own = self._person is not None and user in (LOCAL_USER, self._person)
        said = await self._ask.send_message(text, channel=channel, user=None if own else user)
        buttons = tuple(Button(ButtonKind.CHOICE, each.label, each.button) for each in said.buttons)
        return Handled(consumed=said.consumed, reply=said.reply, buttons=buttons)


class RemotePruning:
    """The end of old records."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def prune(
        self, _caller: Caller, older_than: str, *, dry_run: bool = False, heard: Heard | None = None
    ) -> PruneView:
        """Let the daemon delete; it answers after some seconds, and goes on."""
        done = await self._ask.prune(older_than, dry_run=dry_run)
        if heard is not None:
            heard(done)
        return done


class RemoteActions:
    """The actions on schedules and runs. A caller is not sent: the token says who asks."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def pause(self, _caller: Caller, schedule: str) -> Done:
        return _done(await self._ask.pause_schedule(schedule))

    async def resume(self, _caller: Caller, schedule: str) -> Done:
        return _done(await self._ask.resume_schedule(schedule))

    async def skip_next(self, _caller: Caller, schedule: str, at: datetime | str | None = None) -> Done:
        return _done(await self._ask.skip_next_run(schedule, at))

    async def delete(self, _caller: Caller, schedule: str) -> Done:
        view = await self._ask.get_schedule(schedule)
        done = await self._ask.delete_schedule(view.id)
        return Done(sentence=done.sentence, view=view, undo=done.undo)

    async def update(self, _caller: Caller, schedule: str, given: Mapping[str, Any], clear: Sequence[str] = ()) -> Done:
        view = await self._ask.update_schedule(schedule, **given, **dict.fromkeys(clear))
        return Done(sentence=f"{view.name} changed", view=view)

    async def trigger(self, _caller: Caller, schedule: str) -> Done:
        run = await self._ask.trigger_schedule(schedule)
        return Done(sentence=f"{run.name} {run.status}", view=run)

    async def run_again(self, _caller: Caller, run_id: str) -> Done:
        run = await self._ask.run_again(run_id)
        return Done(sentence=f"{run.name} {run.status} again", view=run)

    async def bulk(
        self,
        _caller: Caller,
        action: str,
        ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
    ) -> Done:
        return _done(await self._ask.change_many(action, ids=ids, **(filter or {})))


class RemoteWakeUps:
    """Wake-ups of agents; what the environment here says of a run is sent along."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def wake_me(self, _caller: Caller, wish: WakeWish, around: WakeWish | None = None) -> ScheduleView:
        given = {each.name: getattr(wish, each.name) for each in fields(wish)}
        if around is not None and wish.run_id is None and wish.session is None:
            given |= {"run_id": around.run_id, "target": wish.target or around.target}
        return await self._ask.wake_me(**given)


class RemoteCalendar:
    """Calendar links, and calendar files."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def link(self, _caller: Caller, name: str) -> NewCalendarLink:
        return await self._ask.create_calendar_link(name)

    async def links(self, _caller: Caller) -> list[CalendarLinkView]:
        return [link async for link in self._ask.list_calendar_links()]

    async def rotate(self, _caller: Caller, link_id: str) -> NewCalendarLink:
        return await self._ask.rotate_calendar_link(link_id)

    async def revoke(self, _caller: Caller, link_id: str) -> CalendarLinkView:
        return await self._ask.revoke_calendar_link(link_id)

    async def export(self, _caller: Caller, *, rhythms: bool = False) -> bytes:
        return await self._ask.export_calendar(rhythms=rhythms)

    async def import_ics(
        self, _caller: Caller, data: bytes, *, user: str | None = None, dry_run: bool = False
    ) -> ImportReport:
        return await self._ask.import_calendar(data, user=user, dry_run=dry_run)


class RemoteChannels:
    """Channels and their tests."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def list(self, _caller: Caller) -> list[ChannelView]:
        return [channel async for channel in self._ask.list_channels()]

    async def test(self, _caller: Caller, name: str) -> ChannelTest:
        return await self._ask.check_channel(name)

    async def send_test(self, _caller: Caller, name: str, user: str) -> ChannelTest:
        return await self._ask.send_test_message(name, user)


class RemoteUndo:
    """Takes steps back."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def undo(self, _caller: Caller, token: str) -> str:
        return (await self._ask.undo_step(token)).sentence

    async def undo_last(self, _caller: Caller) -> str:
        return (await self._ask.undo_step()).sentence


class RemoteNeeds:
    """What needs a person."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def items(self, _caller: Caller) -> NeedsView:
        return await self._ask.list_attention()

    async def mark_seen(self, _caller: Caller, item_id: str) -> NeedItem:
        return await self._ask.mark_seen(item_id)


class RemoteExecutors:
    """Executors, looked at by the daemon."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def all(self, _caller: Caller) -> list[ExecutorView]:
        return [each async for each in self._ask.list_executors()]

    async def get(self, _caller: Caller, name: str) -> ExecutorView:
        return await self._ask.check_executor(name)


class RemoteOverview:
    """The load of a day, and the nodes."""

    def __init__(self, ask: AsyncClient) -> None:
        self._ask = ask

    async def load(self, _caller: Caller, day: date, zone: str, *, past: bool = False) -> LoadView:
        return await self._ask.get_load(day, timezone=zone, past=past)

    async def nodes(self, _caller: Caller) -> list[NodeView]:
        return [node async for node in self._ask.list_nodes()]


def _done(view: DoneView) -> Done:
    return Done(
        sentence=view.sentence,
        view=view.schedule or view.run,
        undo=view.undo,
        failed=[(each.id, each.reason) for each in view.failed],
        total=view.total,
    )

"""What needs a person, and what a person does about it: attention, undo, many schedules at once, channels, the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from duly.errors import NotFoundError
from duly.operations.ask import Ask, Group, ListAsk, get, post
from duly.operations.parameters import Limit, Object, Param, SchedulePath
from duly.operations.runs import AGAIN, WAKING
from duly.operations.schedules import done_view
from duly.operations.views import DoneView, UndoneView
from duly.service.attention.items import NeedItem, NeedsView
from duly.service.channels import ChannelTest, ChannelView
from duly.service.configuration import ConfigDiff
from duly.service.undo import UndoView

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

ItemPath = Annotated[str, Param(words="Id of the item")]
ChannelPath = Annotated[str, Param(words="Name of the channel", example="inbox")]
StepToken = Annotated[str | None, Param(words="`undo` of the action; default: the latest step", longest=200)]
AuditNumber = Annotated[
    int, Param(words="Number of the entry; the schedule gets the definition it had before", least=1)
]
Action = Literal["pause", "resume", "skip_next", "delete", "trigger"]


@dataclass(frozen=True, slots=True)
class ListAttention(Ask[NeedsView]):
    """List what needs a person, the most urgent first; troubles with the same cause are one item."""

    _: KW_ONLY
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> NeedsView:
        return await services.needs.items(caller, limit=self.limit)


@dataclass(frozen=True, slots=True)
class MarkSeen(Ask[NeedItem]):
    """Mark an item as seen, for everyone; it comes back when the same happens again."""

    item: ItemPath

    async def carry_out(self, services: Services, caller: Caller) -> NeedItem:
        return await services.needs.mark_seen(caller, self.item)


@dataclass(frozen=True, slots=True)
class GetLastStep(Ask[UndoView]):
    """Show your latest step that can still be taken back."""

    async def carry_out(self, services: Services, caller: Caller) -> UndoView:
        found = await services.undo.last(caller)
        if found is None:
            raise NotFoundError("there is no step to undo: steps are kept for an hour, answers for five minutes")
        return found


@dataclass(frozen=True, slots=True)
class UndoStep(Ask[UndoneView]):
    """Take back a step: a change, a pause, a skipped run, a deletion, an answer, or many of these at once.

    It is refused when the same thing was changed meanwhile.
    """

    token: StepToken = None

    async def carry_out(self, services: Services, caller: Caller) -> UndoneView:
        undo = services.undo
        return UndoneView(
            sentence=await (undo.undo_last(caller) if self.token is None else undo.undo(caller, self.token))
        )


@dataclass(frozen=True, slots=True)
class ChangeMany(Ask[DoneView]):
    """Do the same to many schedules; those that fail are listed with the reason, and the others are done."""

    action: Action
    _: KW_ONLY
    ids: Annotated[Sequence[str] | None, Param(shortest=1, longest=1000)] = None
    filter: Annotated[Object | None, Param(model="FilterBody")] = None

    @classmethod
    def of(cls, action: Action, *, ids: Sequence[str] | None = None, **filters: Any) -> ChangeMany:
        """Pause, resume, skip_next, delete or trigger many schedules, by id or by the filters of the list."""
        found = {name: value for name, value in filters.items() if value is not None}
        return cls(action, ids=ids, filter=found if ids is None else None)

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        found = self.filter
        filters = None if found is None else {name: value for name, value in found.items() if value is not None}
        return done_view(await services.actions.bulk(caller, self.action, self.ids, filters))


@dataclass(frozen=True, slots=True)
class PutScheduleBack(Ask[DoneView]):
    """Give a schedule the definition that it had before an entry of the audit."""

    schedule: SchedulePath
    seq: AuditNumber

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.put_back(caller, self.schedule, self.seq))


@dataclass(frozen=True, slots=True)
class ListChannels(ListAsk[ChannelView]):
    """List the channels, and how each did in the last 24 hours. For admins."""

    async def carry_out(self, services: Services, caller: Caller) -> list[ChannelView]:
        return await services.channels.list(caller)


@dataclass(frozen=True, slots=True)
class CheckChannel(Ask[ChannelTest]):
    """Ask the vendor who we are, without writing to any person. For admins."""

    channel: ChannelPath

    async def carry_out(self, services: Services, caller: Caller) -> ChannelTest:
        return await services.channels.test(caller, self.channel)


@dataclass(frozen=True, slots=True)
class SendTestMessage(Ask[ChannelTest]):
    """Send a test message to a person. For admins."""

    channel: ChannelPath
    user: Annotated[str, Param(shortest=1, longest=200, example="local")]

    async def carry_out(self, services: Services, caller: Caller) -> ChannelTest:
        return await services.channels.send_test(caller, self.channel, self.user)


@dataclass(frozen=True, slots=True)
class CompareConfig(Ask[ConfigDiff]):
    """Show what `duly sync` would do: how the schedules of the file differ from those that are stored. For admins."""

    async def carry_out(self, services: Services, caller: Caller) -> ConfigDiff:
        return await services.config.diff(caller)


ATTENTION = Group(
    "attention",
    "What needs a person, and what was seen.",
    (get(ListAttention, "/attention"), post(MarkSeen, "/attention/{item}/seen")),
)
ACTIONS = Group(
    "actions",
    "Taking steps back, and the same step for many schedules.",
    (
        get(GetLastStep, "/undo", faults=(404,)),
        post(
            UndoStep,
            "/undo",
            faults=(404, 409),
            body="UndoBody",
            about_body="The step to take back.",
            may_lack_body=True,
        ),
        post(
            ChangeMany,
            "/bulk",
            once=True,
            body="BulkBody",
            about_body="An action for many schedules, named by id or found by a filter.",
            examples=({"action": "pause", "filter": {"project": "shop"}},),
        ),
        AGAIN,
        WAKING,
        post(
            PutScheduleBack,
            "/schedules/{schedule}/put-back",
            body="PutBackBody",
            about_body="An entry of the audit.",
        ),
    ),
)
CHANNELS = Group(
    "channels",
    "The ways to people, and whether they work.",
    (
        get(ListChannels, "/channels"),
        post(CheckChannel, "/channels/{channel}/test"),
        post(
            SendTestMessage,
            "/channels/{channel}/messages",
            body="ReceiverBody",
            about_body="The person who gets a test message.",
        ),
    ),
)
CONFIGURATION = Group("configuration", "The file that schedules come from.", (get(CompareConfig, "/config/diff"),))

"""What needs a person, and what a person does about it: attention, undo, many schedules at once, channels, the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Path
from pydantic import ConfigDict, Field

from duly.errors import NotFoundError
from duly.rest.inputs import Limit, RequestBody, RunPath, SchedulePath, given
from duly.rest.operations import AnswerWith, Asked, By, Operations, PageOf
from duly.rest.views import DoneView, LeftOut, UndoneView
from duly.service.actions import BulkAction, Done
from duly.service.attention.items import NeedItem, NeedsView
from duly.service.channels import ChannelTest, ChannelView
from duly.service.configuration import ConfigDiff
from duly.service.limits import LONGEST, LONGEST_OTHER
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.waking import WakeWish
from duly.service.undo import UndoView

attention = Operations("attention", "What needs a person, and what was seen.")
actions = Operations("actions", "Taking steps back, and the same step for many schedules.")
channels = Operations("channels", "The ways to people, and whether they work.")
configuration = Operations("configuration", "The file that schedules come from.")

ItemPath = Annotated[str, Path(description="Id of the item")]
ChannelPath = Annotated[str, Path(description="Name of the channel", examples=["inbox"])]


class UndoBody(RequestBody):
    """The step to take back."""

    token: str | None = Field(None, max_length=200, description="`undo` of the action; default: the latest step")


class PutBackBody(RequestBody):
    """An entry of the audit."""

    seq: int = Field(ge=1, description="Number of the entry; the schedule gets the definition it had before")


class FilterBody(RequestBody):
    """The filters of a list of schedules."""

    project: str | None = Field(None, max_length=200)
    enabled: bool | None = None
    owner: str | None = Field(None, max_length=200)
    text: str | None = Field(None, max_length=2000)


class BulkBody(RequestBody):
    """An action for many schedules, named by id or found by a filter."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"action": "pause", "filter": {"project": "shop"}}]},
    )
    action: Literal[tuple(str(each) for each in BulkAction)]  # type: ignore[valid-type]
    ids: list[str] | None = Field(None, min_length=1, max_length=1000)
    filter: FilterBody | None = None


class WakeBody(RequestBody):
    """When a session goes on, and with which note."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"minutes": 20, "note": "look at the build", "run_id": "run_01a1…"}]},
    )
    note: str | None = Field(None, max_length=LONGEST["prompt"], description="What to say to the session then")
    minutes: int | None = Field(None, ge=1, description="From now")
    when: str | None = Field(None, max_length=LONGEST_OTHER, description='Words instead: "tomorrow at 9"')
    run_id: str | None = Field(None, max_length=200, description="The run whose session goes on")
    session: str | None = Field(None, max_length=200, description="The session, where it belongs to no run")
    target: str | None = Field(None, max_length=500, description="Where it began: project or project/workspace")
    spawner: str | None = Field(None, max_length=200, description="Default: that of the run, or the default one")


class ReceiverBody(RequestBody):
    """The person who gets a test message."""

    user: str = Field(min_length=1, max_length=200, examples=["local"])


def done_view(done: Done) -> DoneView:
    """Show the result of an action."""
    return DoneView(
        sentence=done.sentence,
        undo=done.undo,
        schedule=done.view if isinstance(done.view, ScheduleView) else None,
        run=done.view if isinstance(done.view, RunView) else None,
        total=done.total,
        failed=[LeftOut(id=schedule, reason=reason) for schedule, reason in done.failed],
    )


def run_made(by: Asked, run: RunView) -> AnswerWith:
    """Answer with a run that was made."""
    base = str(by.request.scope["root_path"])
    return AnswerWith(view=run, headers={"Location": f"{base}/runs/{quote(run.id)}"})


@attention.get("/attention", NeedsView)
async def list_attention(by: By, limit: Limit = 50) -> object:
    """List what needs a person, the most urgent first; troubles with the same cause are one item."""
    return await by.services.needs.items(by.caller, limit=limit)


@attention.post("/attention/{item}/seen", NeedItem)
async def mark_seen(by: By, item: ItemPath) -> object:
    """Mark an item as seen, for everyone; it comes back when the same happens again."""
    return await by.services.needs.mark_seen(by.caller, item)


@actions.get("/undo", UndoView, faults=(404,))
async def get_last_step(by: By) -> object:
    """Show your latest step that can still be taken back."""
    found = await by.services.undo.last(by.caller)
    if found is None:
        raise NotFoundError("there is no step to undo: steps are kept for an hour, answers for five minutes")
    return found


@actions.post("/undo", UndoneView, faults=(404, 409))
async def undo_step(by: By, body: UndoBody | None = None) -> object:
    """Take back a step: a change, a pause, a skipped run, a deletion, an answer, or many of these at once.

    It is refused when the same thing was changed meanwhile.
    """
    token = given(body).get("token")
    undo = by.services.undo
    return UndoneView(sentence=await (undo.undo_last(by.caller) if token is None else undo.undo(by.caller, token)))


@actions.post("/bulk", DoneView, once=True)
async def change_many(by: By, body: BulkBody) -> object:
    """Do the same to many schedules; those that fail are listed with the reason, and the others are done."""
    wanted: Mapping[str, Any] = given(body)
    found = wanted.get("filter")
    filters = None if found is None else {name: value for name, value in found.items() if value is not None}
    return done_view(await by.services.actions.bulk(by.caller, wanted["action"], wanted.get("ids"), filters))


@actions.post("/runs/{run}/again", RunView, status=201, headers=("Location",), once=True)
async def run_again(by: By, run: RunPath) -> object:
    """Run the schedule of a run that has ended once more, now."""
    done = await by.services.actions.run_again(by.caller, run)
    assert isinstance(done.view, RunView)  # noqa: S101  it has made one
    return run_made(by, done.view)


@actions.post("/wake-ups", ScheduleView, status=201, faults=(404,), once=True)
async def wake_me(by: By, body: WakeBody) -> object:
    """Continue the session of an agent later, with a note: a schedule that fires once.

    Say which session with `run_id`, or with `session` and `target`.
    """
    return await by.services.wake_ups.wake_me(by.caller, WakeWish(**given(body)))


@actions.post("/schedules/{schedule}/put-back", DoneView)
async def put_schedule_back(by: By, schedule: SchedulePath, body: PutBackBody) -> object:
    """Give a schedule the definition that it had before an entry of the audit."""
    return done_view(await by.services.actions.put_back(by.caller, schedule, body.seq))


@channels.get("/channels", PageOf(ChannelView))
async def list_channels(by: By) -> object:
    """List the channels, and how each did in the last 24 hours. For admins."""
    return await by.services.channels.list(by.caller)


@channels.post("/channels/{channel}/test", ChannelTest)
async def check_channel(by: By, channel: ChannelPath) -> object:
    """Ask the vendor who we are, without writing to any person. For admins."""
    return await by.services.channels.test(by.caller, channel)


@channels.post("/channels/{channel}/messages", ChannelTest)
async def send_test_message(by: By, channel: ChannelPath, body: ReceiverBody) -> object:
    """Send a test message to a person. For admins."""
    return await by.services.channels.send_test(by.caller, channel, body.user)


@configuration.get("/config/diff", ConfigDiff)
async def compare_config(by: By) -> object:
    """Show what `duly sync` would do: how the schedules of the file differ from those that are stored. For admins."""
    return await by.services.config.diff(by.caller)

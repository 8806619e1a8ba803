"""`duly undo`, `needs`, `seen` and `run again`, and the verbs that change one schedule or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.output import as_json, how_long, table, warning_line
from duly.cli.schedule_lines import confirmation
from duly.cli.settings import services_of, with_runtime
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.views import plain

if TYPE_CHECKING:
    from argparse import Namespace
    from datetime import datetime

    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller
    from duly.service.actions import Done
    from duly.service.attention.items import NeedsView

_FILTERS = ("project", "owner", "text")
_NOTHING = "nothing needs you\n"


def undo(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly undo [TOKEN]`: take back the last change, or the one of a token."""
    add_common_arguments(parser)
    parser.add_argument("token", nargs="?", help="undo_…, as --json of the change shows it (default: your last change)")
    arguments = parser.read(words)

    async def take_back(runtime: Runtime, caller: Caller) -> str:
        steps = services_of(runtime).undo
        return await (steps.undo_last(caller) if arguments.token is None else steps.undo(caller, arguments.token))

    sentence = with_runtime(arguments, clock, take_back)
    return as_json({"text": sentence}) if arguments.json else f"✓ {sentence}\n"


def run_again(parser: Parser, words: list[str], clock: Clock) -> str:
    """run the schedule of a run that has ended once more, now"""
    from duly.service.schedules.run_views import RunView

    parser.add_argument("run", help="its id, run_…: duly schedule history shows it")
    arguments = parser.read(words)
    done = with_runtime(
        arguments, clock, lambda runtime, caller: services_of(runtime).actions.run_again(caller, arguments.run)
    )
    assert isinstance(done.view, RunView)  # noqa: S101  the run that it made
    if arguments.json:
        return as_json(plain(done.view))
    return f"✓ {done.sentence} · {done.view.id}\n{warning_line(done.view.warning)}"


def needs(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly needs`: show what waits for a person, with its cause."""
    add_common_arguments(parser)
    arguments = parser.read(words)
    view = with_runtime(arguments, clock, lambda runtime, caller: services_of(runtime).needs.items(caller))
    if arguments.json:
        return as_json(plain(view))
    return _listed(view, clock.now()) if view.items else _NOTHING


def _listed(view: NeedsView, now: datetime) -> str:
    rows = [
        [item.title, item.cause, "" if item.since is None else _age(item.since, now), item.id] for item in view.items
    ]
    return table(["WHAT", "WHY", "SINCE", "ID"], rows)


def _age(since: datetime, now: datetime) -> str:
    seconds = int((now - since).total_seconds())
    return f"in {how_long(-seconds)}" if seconds < 0 else f"{how_long(seconds)} ago"


def seen(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly seen ID`: mark an item as seen, for everyone."""
    add_common_arguments(parser)
    parser.add_argument("item", help="its id: duly needs shows it")
    arguments = parser.read(words)
    item = with_runtime(
        arguments, clock, lambda runtime, caller: services_of(runtime).needs.mark_seen(caller, arguments.item)
    )
    if arguments.json:
        return as_json({"id": item.id, "title": item.title, "seen": True})
    return f"✓ seen: {item.title}; it comes back if it happens again\n"


# one schedule, or many


def act(parser: Parser, words: list[str], clock: Clock, action: str) -> str:
    """Do an action to the schedule that is named, or to all that the options choose."""
    parser.add_argument("schedule", nargs="?", help="id or name; or choose many by the options")
    parser.add_argument("--project", metavar="ID", help="all schedules with a target in this project")
    parser.add_argument("--owner", help="all schedules of a person (id) or a namespace, such as butler:home")
    parser.add_argument("--text", help="all schedules with this text in name, description or prompt")
    if action == "skip_next":
        parser.add_argument("--at", metavar="TIME", help="the next run that is meant, in ISO 8601: no other is skipped")
    arguments = parser.read(words)
    filters = {name: getattr(arguments, name) for name in _FILTERS if getattr(arguments, name) is not None}
    if (arguments.schedule is None) == (not filters):
        verb = action.removesuffix("_next")
        raise UsageError(f"duly schedule {verb} NAME, or many by --project, --owner, --text: one of the two")

    async def do(runtime: Runtime, caller: Caller) -> Done:
        actions = services_of(runtime).actions
        if filters:
            return await actions.bulk(caller, action, filter=filters)
        if action == "skip_next":
            return await actions.skip_next(caller, arguments.schedule, arguments.at)
        done: Done = await getattr(actions, action)(caller, arguments.schedule)
        return done

    done = with_runtime(arguments, clock, do)
    return _many(done, arguments) if filters else shown_schedule(done, arguments, deleted=action == "delete")


def shown_schedule(done: Done, arguments: Namespace, *, deleted: bool = False) -> str:
    """Show the schedule that an action was about."""
    view = done.view
    assert isinstance(view, ScheduleView)  # noqa: S101  an action on one schedule shows it
    if deleted:
        if arguments.json:
            return as_json({"id": view.id, "name": view.name, "deleted": True, "undo": done.undo})
        return f"✓ {view.name} removed; undo: duly undo; after an hour: duly schedule restore {view.id}\n"
    if arguments.json:
        return as_json({**plain(view), **({} if done.undo is None else {"undo": done.undo})})
    return confirmation(view)


def _many(done: Done, arguments: Namespace) -> str:
    if arguments.json:
        failed = [{"id": each, "reason": reason} for each, reason in done.failed]
        return as_json({"text": done.sentence, "total": done.total, "failed": failed, "undo": done.undo})
    lines = [f"  {each}: {reason}\n" for each, reason in done.failed]
    back = "" if done.undo is None else "; undo: duly undo"
    return f"✓ {done.sentence}{back}\n" + "".join(lines)

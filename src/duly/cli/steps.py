"""`duly undo`, `needs`, `seen` and `run again`, and the verbs that change one schedule or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.asking import with_duly
from duly.cli.output import as_json, how_long, table, warning_line
from duly.cli.schedule_lines import confirmation
from duly.operations.schedules import DeleteSchedule, PauseSchedule, ResumeSchedule, SkipNextRun, schedule_of
from duly.service.schedules.views import plain

if TYPE_CHECKING:
    from argparse import Namespace
    from datetime import datetime

    from duly.clock import Clock
    from duly.operations.actions import Action
    from duly.operations.ask import Ask
    from duly.operations.views import DoneView
    from duly.service.attention.items import NeedsView

_FILTERS = ("project", "owner", "text")
_NOTHING = "nothing needs you\n"


def undo(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly undo [TOKEN]`: take back the last change, or the one of a token."""
    from duly.operations.actions import UndoStep  # late, as below: other commands do without

    add_common_arguments(parser)
    parser.add_argument("token", nargs="?", help="undo_…, as --json of the change shows it (default: your last change)")
    arguments = parser.read(words)
    sentence = with_duly(arguments, clock, lambda duly: duly.ask(UndoStep(arguments.token))).sentence
    return as_json({"text": sentence}) if arguments.json else f"✓ {sentence}\n"


def run_again(parser: Parser, words: list[str], clock: Clock) -> str:
    """run the schedule of a run that has ended once more, now"""
    from duly.operations.runs import RunAgain
    from duly.service.schedules.run_views import started

    parser.add_argument("run", help="its id, run_…: duly schedule history shows it")
    arguments = parser.read(words)
    made = with_duly(arguments, clock, lambda duly: duly.ask(RunAgain(arguments.run)))
    if arguments.json:
        return as_json(plain(made))
    return f"✓ {started(made, 'again')} · {made.id}\n{warning_line(made.warning)}"


def needs(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly needs`: show what waits for a person, with its cause."""
    from duly.operations.actions import ListAttention

    add_common_arguments(parser)
    arguments = parser.read(words)
    view = with_duly(arguments, clock, lambda duly: duly.ask(ListAttention()))
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
    from duly.operations.actions import MarkSeen

    add_common_arguments(parser)
    parser.add_argument("item", help="its id: duly needs shows it")
    arguments = parser.read(words)
    item = with_duly(arguments, clock, lambda duly: duly.ask(MarkSeen(arguments.item)))
    if arguments.json:
        return as_json({"id": item.id, "title": item.title, "seen": True})
    return f"✓ seen: {item.title}; it comes back if it happens again\n"


# one schedule, or many


def act(parser: Parser, words: list[str], clock: Clock, action: Action) -> str:
    """Do an action to the schedule that is named, or to all that the options choose."""
    from duly.operations.actions import ChangeMany

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
    asked = ChangeMany(action, filter=filters) if filters else _one(action, arguments)
    done = with_duly(arguments, clock, lambda duly: duly.ask(asked))
    return _many(done, arguments) if filters else shown_schedule(done, arguments, deleted=action == "delete")


def _one(action: Action, arguments: Namespace) -> Ask[DoneView]:
    if action == "skip_next":
        return SkipNextRun(arguments.schedule, arguments.at)
    asks = {"pause": PauseSchedule, "resume": ResumeSchedule, "delete": DeleteSchedule}
    return asks[action](arguments.schedule)


def shown_schedule(done: DoneView, arguments: Namespace, *, deleted: bool = False) -> str:
    """Show the schedule that an action was about."""
    view = schedule_of(done)
    if deleted:
        if arguments.json:
            return as_json({"id": view.id, "name": view.name, "deleted": True, "undo": done.undo})
        return f"✓ {view.name} removed; undo: duly undo; after an hour: duly schedule restore {view.id}\n"
    if arguments.json:
        return as_json({**plain(view), **({} if done.undo is None else {"undo": done.undo})})
    return confirmation(view)


def _many(done: DoneView, arguments: Namespace) -> str:
    if arguments.json:
        failed = [plain(each) for each in done.failed]
        return as_json({"text": done.sentence, "total": done.total, "failed": failed, "undo": done.undo})
    lines = [f"  {each.id}: {each.reason}\n" for each in done.failed]
    back = "" if done.undo is None else "; undo: duly undo"
    return f"✓ {done.sentence}{back}\n" + "".join(lines)

"""`duly reminders`: list, show, edit, pause and remove the reminders of people."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from typing import TYPE_CHECKING, Any

from duly.cli.arguments import (
    PAGE,
    Parser,
    UsageError,
    add_page_arguments,
    add_person_arguments,
    read_moment,
    refuse_surplus,
)
from duly.cli.asking import AnyDuly, person_of, whose, with_duly
from duly.cli.message_options import OF_MESSAGES, add_message_options, message_changes
from duly.cli.output import as_json, in_how_long, instant_in, next_page_line, on_clocks, one_line, table
from duly.model.reminder import ReminderStatus
from duly.operations.reminders import (
    GetReminder,
    ListReminders,
    RemoveReminder,
    ShowReminderHistory,
    SkipNextReminder,
    UpdateReminder,
)
from duly.service.schedules.times import with_local_moments
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import Ask, Page
    from duly.service.reminders.deliveries import AnswerView, DeliveryView
    from duly.service.reminders.history import ReminderPerson, ReminderRun
    from duly.service.schedules.fields import ReminderView

_FILTERS = ("status", "priority", "text", "due_before")
_VERBS = ("list", "get", "show", "edit", "remove", "pause", "resume", "skip")
_DONE = {"edit": "changed", "remove": "removed", "pause": "paused", "resume": "resumed", "skip": "skips one"}
_LONGEST_MESSAGE = 40
_EXAMPLE = 'duly remind "take medicine" in 5 minutes --ack'
_RUNS = 10


def reminders(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly reminders`: list them; `duly reminders show|edit|get|remove|pause|resume|skip ID`."""
    add_person_arguments(parser)
    parser.add_argument("verb", nargs="?", choices=_VERBS, default="list")
    parser.add_argument("reminder", nargs="?", help="id or name")
    add_message_options(parser, _FILTERS)
    parser.add_argument("--text", help="edit: the new text; list: only with this text in name or message")
    parser.add_argument("--when", metavar="WORDS", help="edit: when it comes from now on, in plain words")
    parser.add_argument("--rename", metavar="NAME", help="edit: a new name")
    parser.add_argument("--ack", action=BooleanOptionalAction, help="edit: whether it waits for an answer")
    parser.add_argument("--status", choices=[str(each) for each in ReminderStatus], help="list: only these")
    parser.add_argument("--due-before", metavar="TIME", help="list: only those that come before, such as 2026-11-20")
    add_page_arguments(parser)
    arguments = parser.read(words)
    changed = (*(each.replace("-", "_") for each in OF_MESSAGES), "text", "when", "rename", "ack")
    takes: dict[str, tuple[str, ...]] = dict.fromkeys(_VERBS, ("reminder",))
    takes |= {
        "list": (*_FILTERS, "limit", "cursor"),
        "show": ("reminder", "limit"),
        "edit": ("reminder", *changed),
    }
    refuse_surplus(arguments, takes, "duly reminders")
    if arguments.verb == "list":
        return _list(arguments, clock)
    if not arguments.reminder:
        raise UsageError(f"duly reminders {arguments.verb} needs an id or a name: `duly reminders` shows them")
    if arguments.verb == "show":
        return _show(arguments, clock)
    if arguments.verb == "edit" and not _changes(arguments):
        raise UsageError("duly reminders edit needs something to change: duly reminders --help lists what there is")
    return _one(arguments, clock)


def _one(arguments: Namespace, clock: Clock) -> str:
    view = with_duly(arguments, clock, lambda duly: duly.ask(_on_reminder(arguments)))
    if arguments.json:
        return as_json(view.to_json())
    if arguments.verb == "get":
        return _fields(view)
    has_next = arguments.verb in ("edit", "resume", "skip") and view.next_run_at
    following = f", next {_next(view, clock)}" if has_next else ""
    note = "" if view.note is None else f"{view.note}\n"
    return f"✓ {view.name} {_DONE[arguments.verb]}{following}\n{note}"


def _fields(view: ReminderView) -> str:
    zone = Zone.of(view.timezone or "UTC")
    fields = {**view.to_json(), "when": with_local_moments(view.when, zone)}
    return "".join(f"{name:18}  {one_line(instant_in(str(value), zone))}\n" for name, value in fields.items())


def _on_reminder(arguments: Namespace) -> Ask[ReminderView]:
    target = arguments.reminder
    user = whose(arguments)
    match arguments.verb:
        case "get":
            return GetReminder(target, user=user)
        case "remove":
            return RemoveReminder(target, user=user)
        case "skip":
            return SkipNextReminder(target, user=user)
        case "edit":
            return UpdateReminder(target, _changes(arguments), user)
    return UpdateReminder(target, {"enabled": arguments.verb == "resume"}, user)


def _changes(arguments: Namespace) -> dict[str, Any]:
    """Give the fields that `edit` changes."""
    given = {
        "message": arguments.text,
        "name": arguments.rename,
        "schedule": None if arguments.when is None else {"type": "smart", "text": arguments.when},
    }
    return {name: value for name, value in given.items() if value is not None} | message_changes(arguments)


# lists


def _list(arguments: Namespace, clock: Clock) -> str:
    views, cursor = with_duly(arguments, clock, lambda duly: _page(duly, arguments))
    if arguments.json:
        return as_json({"items": [view.to_json() for view in views], "next_cursor": cursor})
    if not views and arguments.cursor is None:
        is_narrowed = any(getattr(arguments, name) is not None for name in _FILTERS)
        return "no such reminders\n" if is_narrowed else f"no reminders yet; make one: {_EXAMPLE}\n"
    rows = [
        [
            view.name,
            view.words,
            _next(view, clock),
            view.last_status or "",
            one_line(view.message, _LONGEST_MESSAGE),
            view.id,
        ]
        for view in views
    ]
    return table(["NAME", "WHEN", "NEXT", "LAST", "MESSAGE", "ID"], rows) + next_page_line(cursor)


async def _page(duly: AnyDuly, arguments: Namespace) -> Page[ReminderView]:
    user = whose(arguments)
    due_before = None
    if arguments.due_before is not None:
        zone = (await person_of(duly, user)).timezone or (await duly.me()).default_timezone
        due_before = read_moment(arguments.due_before, Zone.of(zone), "--due-before")
    ask = ListReminders(
        user=user,
        status=arguments.status,
        priority=arguments.priority,
        text=arguments.text,
        due_before=due_before,
        cursor=arguments.cursor,
        limit=arguments.limit or PAGE,
    )
    return await duly.ask(ask)


def _next(view: ReminderView, clock: Clock) -> str:
    planned = view.next_run_at if view.enabled else None
    if coming := [at for at in (planned, view.snoozed_until) if at is not None]:
        return in_how_long(max(0, round((min(coming) - clock.now()).total_seconds())))
    is_over = view.enabled or (view.schedule_type == "once" and view.last_status is not None)
    return "-" if is_over else "paused"


# what happened


def _show(arguments: Namespace, clock: Clock) -> str:
    ask = ShowReminderHistory(arguments.reminder, user=whose(arguments), limit=arguments.limit or _RUNS)
    found = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.json:
        return as_json(found.to_json())
    zone = Zone.of(found.job.timezone or "UTC")
    runs = [line for run in found.runs for line in _run_lines(run, zone)]
    return _fields(found.job) + "".join(f"{line}\n" for line in runs or ["", "it has not come yet"])


def _run_lines(run: ReminderRun, zone: Zone) -> list[str]:
    """Tell one run: when it began, and then what was sent and answered, in the order of time."""
    asked = f", asked again {run.asked_again}×" if run.asked_again else ""
    escalated = ", admins got it" if run.escalated else ""
    happened = [(each.at, _sent(each)) for each in run.deliveries] + [
        (each.at, _said(each, zone)) for each in run.answers
    ]
    return [
        "",
        f"{on_clocks(run.began_at, zone)}  run {run.run_number}: {run.status}{asked}{escalated} · {run.run_id}",
        *(f"  {each.name}: {_stands(each)}" for each in run.people if len(run.people) > 1),
        *(f"  {on_clocks(at, zone)}  {text}" for at, text in sorted(happened, key=lambda each: each[0])),
    ]


def _stands(person: ReminderPerson) -> str:
    return person.status if person.answered else f"{person.status}, has not answered"


def _sent(send: DeliveryView) -> str:
    error = "" if send.error is None else f": {one_line(send.error)}"
    return f"{send.kind} to {send.to} by {send.channel}: {send.status}{error}"


def _said(answer: AnswerView, zone: Zone) -> str:
    until = "" if answer.until is None else f" until {on_clocks(answer.until, zone)}"
    through = "" if answer.channel is None else f" by {answer.channel}"
    text = "" if answer.text is None else f": {one_line(answer.text, _LONGEST_MESSAGE)}"
    return f"{answer.by} answered {answer.response}{until}{through}{text}"

"""`duly inbox`, `duly ack`, `duly snooze`, `duly dismiss`: read the messages that arrived, and answer reminders."""

from __future__ import annotations

import shlex
from argparse import Namespace
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from duly.cli.arguments import Parser, add_person_arguments, whole_number
from duly.cli.asking import AnyDuly, whose, with_duly
from duly.cli.output import as_json, on_clocks, one_line
from duly.operations.records import GetHealth
from duly.operations.reminders import (
    AnswerNewestReminder,
    AnswerReminder,
    GetInbox,
    GetMessage,
    ListMessages,
    ReadMessages,
    Response,
)
from duly.ports.people import namespace_of
from duly.service.pages import MAX_PAGE
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import Ask
    from duly.operations.views import AnsweredView
    from duly.service.reminders.inbox import InboxPage
    from duly.service.reminders.views import GatheredView, InboxView
    from duly.service.schedules.view_parts import ConcernView
    from duly.zones import Zone

_EMPTY = 'nothing new; duly remind "take medicine" in 5 minutes --ack puts something here'
_WAYS = "duly ack · duly snooze 10m · duly dismiss"
_MOST_NAMED = 5
_STILL_UNREAD = "this could not be marked as read, because another process has locked the store: it will be shown again"


class MessagesShown(NamedTuple):
    """A page of messages, and what else a person should know when they look."""

    items: list[InboxView]
    cursor: str | None
    """Of the page with older messages."""
    inbox: InboxPage
    gathered: list[GatheredView]
    """What comes with the digest."""
    late: list[ConcernView]
    warning: str | None
    """Why it is late: nothing runs."""
    still_unread: int
    """How many could not be marked as read."""


def inbox(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly inbox`: show messages and mark them as read."""
    add_person_arguments(parser)
    parser.add_argument("--all", action="store_true", help="show messages that were read before, too")
    parser.add_argument("--keep", action="store_true", help="do not mark messages as read")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=whole_number(1, MAX_PAGE),
        default=50,
        help="show at most N, the newest (default: 50)",
    )
    parser.add_argument("--cursor", help="next_cursor of the page before: show older messages")
    parser.add_argument("--id", type=whole_number(1, 2**62), help="show one message in full, by the id in --json")
    arguments = parser.read(words)
    if arguments.id is not None:
        item = with_duly(arguments, clock, lambda duly: duly.ask(GetMessage(arguments.id, user=whose(arguments))))
        return as_json(item.to_json()) if arguments.json else f"{item.text}\n"
    page = with_duly(arguments, clock, lambda duly: _open(duly, arguments))
    return as_json(_page_in_json(page)) if arguments.json else _shown(page, clock.now())


async def _open(duly: AnyDuly, arguments: Namespace) -> MessagesShown:
    user = whose(arguments)
    messages = ListMessages if arguments.keep else ReadMessages
    items, cursor = await duly.ask(
        messages(user=user, unread=not arguments.all, cursor=arguments.cursor, limit=arguments.limit)
    )
    page = await duly.ask(GetInbox(user=user))
    late: list[ConcernView] = []
    if arguments.cursor is None:
        theirs = namespace_of(page.user_id)
        late = [each for each in (await duly.ask(GetHealth())).attention if each.namespace == theirs]
    return MessagesShown(
        items=items,
        cursor=cursor,
        inbox=page,
        gathered=page.gathered if arguments.cursor is None else [],
        late=late,
        warning=await duly.nothing_runs() if late else None,
        still_unread=0 if arguments.keep else sum(item.read_at is None for item in items),
    )


def _shown(page: MessagesShown, now: datetime) -> str:
    from duly.cli.attention import concern_with_reason
    from duly.cli.schedule_lines import with_local_times
    from duly.zones import Zone

    zone = Zone.of(page.inbox.zone)
    lines = [line for item in reversed(page.items) for line in _message_lines(item, zone)]
    if page.cursor is not None:
        lines.insert(0, f"older: --cursor {page.cursor}")
    lines = lines or [_EMPTY]
    if page.still_unread:
        lines.append(_STILL_UNREAD)
    lines += _waiting_lines(page.inbox)
    lines += [
        f"comes with the digest {on_clocks(each.comes_at, zone)}: {one_line(each.text, 60)}" for each in page.gathered
    ]
    lines += [f"{concern_with_reason(each, zone, now)}: {each.name}" for each in page.late]
    if page.warning is not None:
        lines.append(with_local_times(page.warning, zone))
    return "\n".join(lines) + "\n"


def _waiting_lines(page: InboxPage) -> list[str]:
    """Name what waits for an answer, and how to give it; a name is needed only where several wait."""
    if len(page.waiting) == 1:
        return [f"one waits for your answer: {one_line(page.waiting[0].text, 60)} ({_WAYS})"]
    lines = [f"{len(page.waiting)} wait for your answer:"] if page.waiting else []
    for each in page.waiting[:_MOST_NAMED]:
        name = shlex.quote(each.name)
        ways = f"duly ack {name} · duly snooze 10m --reminder {name} · duly dismiss {name}"
        lines.append(f"  {one_line(each.text, 60)}: {ways}")
    more = len(page.waiting) - _MOST_NAMED
    return [*lines, f"  … and {more} more: duly reminders --status awaiting_ack"] if more > 0 else lines


def _message_lines(item: InboxView, zone: Zone) -> list[str]:
    """Show a message: its time before the first line, the other lines indented below it."""
    stamp = on_clocks(item.created_at, zone)
    indent = " " * len(stamp)
    first, *rest = item.text.splitlines() or [""]
    lines = [f"{stamp}  {first}", *(f"{indent}  {line}" for line in rest)]
    if item.truncated is not None:
        lines.append(f"{indent}  (of {item.truncated['text']} characters; all: duly inbox --id {item.id})")
    return lines


def _page_in_json(page: MessagesShown) -> dict[str, object]:
    from duly.service.schedules.views import plain

    shown: dict[str, object] = {
        "items": [item.to_json() for item in page.items],
        "next_cursor": page.cursor,
        "waiting": len(page.inbox.waiting),
        "attention": [plain(each) for each in page.late],
    }
    if page.gathered:
        shown["gathered"] = [plain(each) for each in page.gathered]
    if page.still_unread:
        shown["still_unread"] = page.still_unread
    if page.warning is not None:
        shown["warning"] = page.warning
    return shown


def ack(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly ack [REMINDER]`: answer that it is done."""
    _add_reminder(parser)
    return _answer(parser, words, clock, "ack")


def dismiss(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly dismiss [REMINDER]`: answer that it is not done this time."""
    _add_reminder(parser)
    return _answer(parser, words, clock, "dismiss")


def snooze(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly snooze [10m|until 6pm]`: ask to be reminded later."""
    parser.add_argument("length", nargs="*", help="such as 10m, 2h, until 18:00, tomorrow at 9 (default: 10m)")
    _add_reminder(parser, "--reminder")
    return _answer(parser, words, clock, "snooze")


def _add_reminder(parser: Parser, option: str | None = None) -> None:
    text = "id or name (default: the only one that waits for an answer)"
    if option is None:
        parser.add_argument("reminder", nargs="?", help=text)
    else:
        parser.add_argument(option, help=text)


def _answer(parser: Parser, words: list[str], clock: Clock, response: Response) -> str:
    add_person_arguments(parser)
    arguments = parser.read(words)
    length = " ".join(arguments.length) or None if response == "snooze" else None
    user = whose(arguments)
    ask: Ask[AnsweredView] = (
        AnswerNewestReminder(response, length=length, user=user)
        if arguments.reminder is None
        else AnswerReminder(arguments.reminder, response, length=length, user=user)
    )
    answered = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if not arguments.json:
        return f"{answered.text}\n"
    return as_json({**asdict(answered), "until": iso(answered.until)})

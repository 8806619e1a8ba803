"""`duly inbox`, `duly ack`, `duly snooze`, `duly dismiss`: read the messages that arrived, and answer reminders."""

from __future__ import annotations

import shlex
from argparse import Namespace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from duly.cli.arguments import Parser, add_person_arguments, whole_number
from duly.cli.output import as_json, on_clocks, one_line
from duly.cli.settings import with_runtime
from duly.service.pages import MAX_PAGE

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.reminders.views import GatheredView, InboxView
    from duly.service.schedules.fields import ReminderView
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
    waiting: int
    """How many reminders wait for an answer."""
    newest_waiting: list[ReminderView]
    """The newest of them."""
    gathered: list[GatheredView]
    """What comes with the digest."""
    zone: str
    late: list[ConcernView]
    warning: str | None
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
        item = with_runtime(
            arguments,
            clock,
            lambda runtime, _caller: runtime.reminders.lists.inbox_item(arguments.user, arguments.id),
        )
        return as_json(item.to_json()) if arguments.json else f"{item.text}\n"
    page = with_runtime(arguments, clock, lambda runtime, _caller: _open(runtime, arguments))
    return as_json(_page_in_json(page)) if arguments.json else _shown(page, clock.now())


async def _open(runtime: Runtime, arguments: Namespace) -> MessagesShown:
    service = runtime.reminders
    marks_read = not arguments.keep
    items, cursor = await service.lists.inbox(
        arguments.user, unread=not arguments.all, limit=arguments.limit, read=marks_read, cursor=arguments.cursor
    )
    user = (await service.people.get(arguments.user)).user
    waiting = [each for each in await service.pending(user.id) if getattr(each, "status", None) != "snoozed"]
    return MessagesShown(
        items=items,
        cursor=cursor,
        waiting=len(waiting),
        newest_waiting=[await service.get(user.id, each.schedule_id) for each in waiting[:_MOST_NAMED]],
        gathered=await service.lists.gathered(user.id) if arguments.cursor is None else [],
        zone=user.timezone or runtime.zone,
        late=await service.lists.concerns(user.id) if arguments.cursor is None else [],
        warning=await runtime.attention.nothing_runs(),
        still_unread=sum(item.read_at is None for item in items) if marks_read else 0,
    )


def _shown(page: MessagesShown, now: datetime) -> str:
    from duly.cli.attention import concern_with_reason
    from duly.cli.schedule_lines import with_local_times
    from duly.zones import Zone

    zone = Zone.of(page.zone)
    lines = [line for item in reversed(page.items) for line in _message_lines(item, zone)]
    if page.cursor is not None:
        lines.insert(0, f"older: --cursor {page.cursor}")
    lines = lines or [_EMPTY]
    if page.still_unread:
        lines.append(_STILL_UNREAD)
    lines += _waiting_lines(page)
    lines += [
        f"comes with the digest {on_clocks(each.comes_at, zone)}: {one_line(each.text, 60)}" for each in page.gathered
    ]
    lines += [f"{concern_with_reason(each, zone, now)}: {each.name}" for each in page.late]
    if page.late and page.warning is not None:
        lines.append(with_local_times(page.warning, zone))
    return "\n".join(lines) + "\n"


def _waiting_lines(page: MessagesShown) -> list[str]:
    """Name what waits for an answer, and how to give it; a name is needed only where several wait."""
    if page.waiting == 1 and page.newest_waiting:
        return [f"one waits for your answer: {one_line(page.newest_waiting[0].message, 60)} ({_WAYS})"]
    lines = [f"{page.waiting} wait for your answer:"] if page.waiting else []
    for each in page.newest_waiting:
        name = shlex.quote(each.name)
        ways = f"duly ack {name} · duly snooze 10m --reminder {name} · duly dismiss {name}"
        lines.append(f"  {one_line(each.message, 60)}: {ways}")
    more = page.waiting - len(page.newest_waiting)
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
        "waiting": page.waiting,
        "attention": [plain(each) for each in page.late],
    }
    if page.gathered:
        shown["gathered"] = [plain(each) for each in page.gathered]
    if page.still_unread:
        shown["still_unread"] = page.still_unread
    if page.late and page.warning is not None:
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


def _answer(parser: Parser, words: list[str], clock: Clock, response: str) -> str:
    add_person_arguments(parser)
    arguments = parser.read(words)

    length = " ".join(arguments.length) if response == "snooze" else None
    answered = with_runtime(
        arguments,
        clock,
        lambda runtime, _caller: runtime.reminders.answer(
            arguments.user, response, arguments.reminder, length=length, channel="cli"
        ),
    )
    return as_json(answered.to_json()) if arguments.json else f"{answered.text}\n"

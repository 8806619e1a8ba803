"""`duly inbox`, `duly ack`, `duly snooze`, `duly dismiss`: reading what arrived, and answering it."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from duly.cli.common import add_person_arguments, as_json, ask
from duly.cli.parser import Parser, UsageError, whole_number
from duly.errors import InvalidInputError
from duly.service.pages import MAX_PAGE

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.people import User
    from duly.runtime.runtime import Runtime
    from duly.service.reminders.views import InboxView
    from duly.service.schedules.views import ConcernView

_EMPTY = 'nothing new; duly remind "take medicine" in 5 minutes --ack puts something here'
_WAYS = "duly ack · duly snooze 10m · duly dismiss"


_STILL_UNREAD = "this could not be marked as read, because another process has locked the store: it will be shown again"


class _Opened(NamedTuple):
    items: list[InboxView]
    following: str | None
    waiting: int
    zone: str
    late: list[ConcernView]
    warning: str | None
    still_unread: int = 0
    """How many could not be marked as read."""


def inbox(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly inbox`: what arrived here; reading marks it as read."""
    add_person_arguments(parser)
    parser.add_argument("--all", action="store_true", help="what was read before, too")
    parser.add_argument("--keep", action="store_true", help="leave it unread")
    parser.add_argument("--limit", type=whole_number(1, MAX_PAGE), default=50, help="show at most so many (50)")
    parser.add_argument("--cursor", help="next_cursor of the page before: older messages")
    parser.add_argument("--id", type=whole_number(1, 2**62), help="one message in full, by the id that --json shows")
    arguments = parser.read(words)
    if arguments.id is not None:
        item = ask(arguments, clock, lambda runtime: runtime.reminders.lists.inbox_item(arguments.user, arguments.id))
        return as_json(item.to_json()) if arguments.json else f"{item.text}\n"
    opened = ask(arguments, clock, lambda runtime: _open(runtime, arguments))
    if arguments.json:
        return as_json(_in_json(opened))
    return _shown(opened, clock.now())


async def _open(runtime: Runtime, arguments: Namespace) -> _Opened:
    service = runtime.reminders
    unread, read = not arguments.all, not arguments.keep
    items, following = await service.lists.inbox(
        arguments.user, unread=unread, limit=arguments.limit, read=read, cursor=arguments.cursor
    )
    user = (await service.people.get(arguments.user)).user
    return _Opened(
        items=items,
        following=following,
        waiting=len(await service.pending(user.id)),
        zone=user.timezone or runtime.zone,
        late=await service.lists.concerns(user.id) if arguments.cursor is None else [],
        warning=await runtime.attention.nothing_runs(),
        still_unread=sum(item.read_at is None for item in items) if read else 0,
    )


def _shown(opened: _Opened, now: datetime) -> str:
    from duly.cli.attention_lines import in_words
    from duly.cli.reminder_lines import on_clocks
    from duly.zones import Zone

    zone, lines = Zone.of(opened.zone), []
    for item in reversed(opened.items):
        stamp = on_clocks(item.created_at, zone)
        first, *rest = item.text.splitlines() or [""]
        lines += [f"{stamp}  {first}", *(f"{' ' * len(stamp)}  {line}" for line in rest)]
        if item.truncated is not None:
            lines.append(
                f"{' ' * len(stamp)}  (of {item.truncated['text']} characters; all: duly inbox --id {item.id})"
            )
    if opened.following is not None:
        lines.insert(0, f"older: --cursor {opened.following}")
    lines = lines or [_EMPTY]
    if opened.still_unread:
        lines.append(_STILL_UNREAD)
    if opened.waiting:
        many = "one waits" if opened.waiting == 1 else f"{opened.waiting} wait"
        lines.append(f"{many} for your answer: {_WAYS}")
    lines += [f"{in_words(each, zone, now)}: {each.name}" for each in opened.late]
    if opened.late and opened.warning is not None:
        lines.append(opened.warning)
    return "\n".join(lines) + "\n"


def _in_json(opened: _Opened) -> dict[str, Any]:
    from duly.service.schedules.views import plain

    shown = {
        "items": [item.to_json() for item in opened.items],
        "next_cursor": opened.following,
        "waiting": opened.waiting,
        "attention": [plain(each) for each in opened.late],
        **({"still_unread": opened.still_unread} if opened.still_unread else {}),
    }
    return {**shown, "warning": opened.warning} if opened.late and opened.warning is not None else shown


def ack(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly ack [REMINDER]`: done; without a name, the newest that waits."""
    return _answer(parser, words, clock, "ack")


def dismiss(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly dismiss [REMINDER]`: not this time."""
    return _answer(parser, words, clock, "dismiss")


def snooze(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly snooze [10m|until 6pm]`: later."""
    parser.add_argument("length", nargs="*", help="such as 10m, 2h, until 18:00, tomorrow at 9 (10m)")
    return _answer(parser, words, clock, "snooze")


def _answer(parser: Parser, words: list[str], clock: Clock, response: str) -> str:
    add_person_arguments(parser)
    if response == "snooze":
        parser.add_argument("--reminder", help="id or name; the newest that waits")
    else:
        parser.add_argument("reminder", nargs="?", help="id or name; the newest that waits")
    arguments = parser.read(words)

    async def answered(runtime: Runtime) -> Any:
        user = (await runtime.reminders.people.get(arguments.user)).user
        more = _length(runtime, user, " ".join(arguments.length)) if response == "snooze" else {}
        return await runtime.reminders.answer(user.id, response, arguments.reminder, channel="cli", **more)

    said = ask(arguments, clock, answered)
    if arguments.json:
        return as_json(said.to_json())
    return f"{said.text}\n"


def _length(runtime: Runtime, user: User, text: str) -> dict[str, Any]:
    """How long to put it off, in the words people use in chats."""
    from duly.language.replies import ReplyKind
    from duly.phrases import classify_reply, parse
    from duly.recurrence import Once

    if not text:
        return {}
    read = classify_reply(text, user.language)
    if read.kind is ReplyKind.UNKNOWN:
        read = classify_reply(text)
    if read.kind is ReplyKind.SNOOZE and read.until is None:
        return {"minutes": read.minutes}
    phrase, lang = (
        (read.until, read.lang) if read.kind is ReplyKind.SNOOZE and read.until else (text.removeprefix("until "), None)
    )
    try:
        zone = user.timezone or runtime.zone
        trigger = parse(phrase, now=runtime.clock.now(), tz=zone, lang=lang, prefer=user.language).trigger
    except InvalidInputError as error:
        raise UsageError(f"duly snooze takes a length or a time, such as 10m or until 6pm: {error}") from error
    if not isinstance(trigger, Once):
        raise UsageError(f"duly snooze takes one moment, and {text!r} comes again and again")
    return {"until": trigger.at}

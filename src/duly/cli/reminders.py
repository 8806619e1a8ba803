"""`duly remind`, `duly reminders`, `duly inbox`, `duly ack`, `duly snooze`, `duly dismiss`: reminders for people."""

from __future__ import annotations

import re
from argparse import Namespace
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from duly.cli.houses import as_json, ask, table
from duly.cli.moments import in_how_long
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.settings import add_settings_arguments
from duly.errors import InvalidInputError
from duly.ports.people import LOCAL_USER, namespace_of
from duly.service.access import Face

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.daemon.house import House
    from duly.service.reminder_views import ReminderView

_EXAMPLE = 'duly remind "take medicine" in 5 minutes --ack'


def remind(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly remind TEXT WHEN…`: the time in plain words, in six languages."""
    _common(parser)
    parser.add_argument("message")
    parser.add_argument("when", nargs="+", help="such as: in 5m · tomorrow at 9 · every morning at 8 · jeden Tag um 8")
    parser.add_argument("--ack", action="store_true", help="ask again until answered")
    parser.add_argument("--ask", metavar="QUESTION", help="what to ask; implies --ack")
    parser.add_argument("--priority", choices=["low", "normal", "high", "critical"])
    parser.add_argument("--channel", help="telegram, email, …")
    parser.add_argument("--name")
    parser.add_argument("--lang", choices=["en", "de", "hr", "sr", "es", "fr", "it"], help="of the words")
    parser.add_argument("--dry-run", action="store_true", help="only say what it means")
    arguments = parser.read(words)
    phrase = " ".join(arguments.when)
    return ask(arguments, clock, lambda house: _remind(house, arguments, phrase))


async def _remind(house: House, arguments: Namespace, phrase: str) -> str:
    from duly.phrases import parse

    user = (await house.reminders.people.get(arguments.user)).user
    zone, now = user.timezone or house.zone, house.clock.now()
    read = parse(phrase, now=now, tz=zone, lang=arguments.lang, **({"prefer": user.language} if user.language else {}))
    words = read.trigger.describe()
    if arguments.dry_run:
        return f"{words} {zone}\n"
    options: dict[str, Any] = {"require_ack": arguments.ack or arguments.ask is not None, "ack_prompt": arguments.ask}
    options |= {"priority": arguments.priority, "channel": arguments.channel}
    view = await house.reminders.create(
        user.id,
        read.trigger,
        arguments.message,
        name=arguments.name or await _free_name(house, user.id, arguments.message),
        created_via=str(Face.CLI),
        original_text=f"{arguments.message} {phrase}",
        **{name: value for name, value in options.items() if value is not None},
    )
    if arguments.json:
        return as_json(_plain(view))
    return _made(view, words, zone, now)


async def _free_name(house: House, user_id: str, message: str) -> str:
    """A name people can type: the first words of the message, with a number if they are taken."""
    words = re.findall(r"\w+", message.lower())[:4] or ["reminder"]
    name, number = "-".join(words)[:60], 1
    while await house.store.find(namespace_of(user_id), name if number == 1 else f"{name}-{number}") is not None:
        number += 1
    return name if number == 1 else f"{name}-{number}"


def _made(view: ReminderView, words: str, zone: str, now: datetime) -> str:
    from duly.zones import Zone

    needs = " · needs your answer" if view.require_ack else ""
    if view.next_run_at is None:
        return f"✓ {words} {zone}{needs} · {view.id}\n"
    local = Zone.of(zone).localize(view.next_run_at)
    wait = in_how_long(max(0, round((view.next_run_at - now).total_seconds())))
    at = f"{local:%a %d %b %H:%M:%S} {zone} ({view.next_run_at:%H:%M:%S} UTC), {wait}"
    return f"✓ {words} · next: {at}{needs} · {view.id}\n"


def reminders(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly reminders`: list them; `duly reminders remove|pause|resume|skip ID`."""
    _common(parser)
    verbs = ("list", "get", "remove", "pause", "resume", "skip")
    parser.add_argument("verb", nargs="?", choices=verbs, default="list")
    parser.add_argument("reminder", nargs="?", help="id or name")
    arguments = parser.read(words)
    if arguments.verb != "list" and not arguments.reminder:
        raise UsageError(f"duly reminders {arguments.verb} needs an id or a name: `duly reminders` shows them")
    shown = ask(arguments, clock, lambda house: _on_reminders(house, arguments))
    if arguments.json:
        return as_json([_plain(view) for view in shown] if arguments.verb == "list" else _plain(shown[0]))
    if not shown:
        return f"no reminders yet; make one: {_EXAMPLE}\n"
    rows = [
        [view.name, view.when, _next(view, clock), view.last_status or "", view.message[:40], view.id] for view in shown
    ]
    return table(["NAME", "WHEN", "NEXT", "LAST", "MESSAGE", "ID"], rows)


async def _on_reminders(house: House, arguments: Namespace) -> list[ReminderView]:
    service, who = house.reminders, arguments.user
    if arguments.verb == "list":
        return await service.all(who)
    one = {"get": service.get, "remove": service.remove, "skip": service.skip_next}
    if arguments.verb in one:
        return [await one[arguments.verb](who, arguments.reminder)]
    return [await service.update(who, arguments.reminder, enabled=arguments.verb == "resume")]


def inbox(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly inbox`: what arrived here; reading marks it as read."""
    _common(parser)
    parser.add_argument("--all", action="store_true", help="what was read before, too")
    parser.add_argument("--keep", action="store_true", help="leave it unread")
    parser.add_argument("--limit", type=whole_number(1, 1000), default=50)
    arguments = parser.read(words)
    items = ask(
        arguments,
        clock,
        lambda house: house.reminders.inbox(
            arguments.user, unread=not arguments.all, limit=arguments.limit, read=not arguments.keep
        ),
    )
    if arguments.json:
        return as_json([asdict(item) for item in items])
    if not items:
        return f"nothing new; {_EXAMPLE} puts something here\n"
    return "".join(f"{item.created_at:%Y-%m-%d %H:%M} UTC  {item.text}\n" for item in reversed(items))


def ack(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly ack [REMINDER]`: done; without a name, the newest that waits."""
    return _answer(parser, words, clock, "ack")


def dismiss(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly dismiss [REMINDER]`: not this time."""
    return _answer(parser, words, clock, "dismiss")


def snooze(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly snooze [10m|"until 6pm"]`: later."""
    parser.add_argument("length", nargs="*", help="such as 10m, 2h, until 18:00 (10m)")
    return _answer(parser, words, clock, "snooze")


def _answer(parser: Parser, words: list[str], clock: Clock, response: str) -> str:
    _common(parser)
    if response == "snooze":
        parser.add_argument("--reminder", help="id or name; the newest that waits")
    else:
        parser.add_argument("reminder", nargs="?", help="id or name; the newest that waits")
    arguments = parser.read(words)

    async def answered(house: House) -> Any:
        more = await _length(house, arguments) if response == "snooze" else {}
        return await house.reminders.answer(arguments.user, response, arguments.reminder, channel="cli", **more)

    said = ask(arguments, clock, answered)
    if arguments.json:
        return as_json({"job_id": said.reminder.schedule_id, "run_id": said.reminder.run_id, "text": said.text})
    return f"{said.text}\n"


async def _length(house: House, arguments: Namespace) -> dict[str, Any]:
    from duly.service.values import duration

    text = " ".join(arguments.length).removeprefix("until ").strip()
    if not text:
        return {}
    try:
        return {"minutes": max(1, round(duration(text, "length") / timedelta(minutes=1)))}
    except InvalidInputError:
        from duly.phrases import parse_time_expression

        user = (await house.reminders.people.get(arguments.user)).user
        return {"until": parse_time_expression(text, house.clock.now(), user.timezone or house.zone)}


def _common(parser: Parser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("--user", default=LOCAL_USER, help="whose; yours")
    parser.add_argument("--json", action="store_true", help="for programs")


def _plain(view: ReminderView) -> dict[str, Any]:
    return {name: value for name, value in asdict(view).items() if value is not None}


def _next(view: ReminderView, clock: Clock) -> str:
    if view.next_run_at is None:
        return "-"
    return in_how_long(max(0, round((view.next_run_at - clock.now()).total_seconds())))

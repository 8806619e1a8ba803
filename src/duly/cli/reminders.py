"""`duly remind` and `duly reminders`: reminders for people."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from duly.cli.answering import ack, dismiss, inbox, snooze
from duly.cli.common import PAGE, add_page_arguments, add_person_arguments, as_json, ask, more, table, warned
from duly.cli.moments import in_how_long
from duly.cli.naming import under_free_name
from duly.cli.parser import Parser, UsageError, refuse_surplus
from duly.errors import PhraseError
from duly.ports.people import namespace_of
from duly.service.access.access import Face
from duly.service.reminders.views import ReminderView
from duly.service.schedules.values import zone as zone_named
from duly.zones import iso

if TYPE_CHECKING:
    from duly.cli.reminder_lines import Reading
    from duly.clock import Clock
    from duly.ports.people import User
    from duly.runtime.runtime import Runtime

__all__ = ["ack", "dismiss", "inbox", "remind", "reminders", "snooze"]

_PAST = "that is in the past"
_EXAMPLE = 'duly remind "take medicine" in 5 minutes --ack'


def remind(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly remind TEXT WHEN…`: the time in plain words, in seven languages."""
    add_person_arguments(parser)
    parser.add_argument("message")
    parser.add_argument("when", nargs="*", help="such as: in 5m · tomorrow at 9 · every morning at 8 · jeden Tag um 8")
    parser.add_argument("--ack", action="store_true", help="ask again until answered")
    parser.add_argument("--ask", metavar="QUESTION", help="what to ask; implies --ack")
    parser.add_argument("--priority", choices=["low", "normal", "high", "critical"])
    parser.add_argument("--channel", help="telegram, email, …")
    parser.add_argument("--name", help="what to call it; without one, the first words of the text")
    parser.add_argument("--lang", choices=["en", "de", "hr", "sr", "es", "fr", "it"], help="of the words")
    parser.add_argument("--tz", metavar="ZONE", help="zone in which the time is meant (default: the person's)")
    parser.add_argument("--dry-run", action="store_true", help="only say what it means")
    arguments = parser.read(words)
    if not arguments.when:
        raise UsageError(f"duly remind needs a time after the text, in plain words: {_EXAMPLE}")
    return ask(arguments, clock, lambda runtime: _remind(runtime, arguments, " ".join(arguments.when)))


async def _remind(runtime: Runtime, arguments: Namespace, phrase: str) -> str:
    from duly.cli.reminder_lines import Reading, first_run
    from duly.phrases import parse

    user = (await runtime.reminders.people.get(arguments.user)).user
    now = _next_second(runtime.clock.now())
    zone = (user.timezone or runtime.zone) if arguments.tz is None else zone_named(arguments.tz, "--tz")
    read_as_time = partial(parse, now=now, tz=zone, lang=arguments.lang, prefer=user.language)
    try:
        read = read_as_time(phrase)
    except PhraseError as error:
        raise UsageError(f"{error}{_quoted(arguments, read_as_time, error.reason)}") from error
    reading = Reading(read, user, now)
    if arguments.dry_run:
        first = first_run(read.trigger, now)
        said = {"words": reading.words, "timezone": reading.zone, "next_runs": _isos(reading, first)}
        return as_json(said) if arguments.json else f"{reading.line(first)} · nothing was stored\n"
    create = partial(runtime.reminders.create, user.id, read.trigger, arguments.message, **_options(arguments, phrase))
    view = await _named(runtime, arguments, user, lambda name: create(name=name))
    if arguments.json:
        return as_json(view.to_json() | {"words": reading.words, "next_runs": _isos(reading, view.next_run_at)})
    needs = " · needs your answer" if view.require_ack else ""
    return f"✓ {reading.line(view.next_run_at)}{needs} · {view.id}\n{warned(view.warning)}"


def _next_second(now: datetime) -> datetime:
    """Phrases mean whole seconds: counted from the one under way, "in 1 second" might be over before it is stored."""
    return now.replace(microsecond=0) + timedelta(seconds=now.microsecond > 0)


def _quoted(arguments: Namespace, read_as_time: Callable[[str], object], reason: str) -> str:
    """The command with quotes, if words of the text seem to have ended up among those of the time."""
    words = arguments.when
    if reason.startswith(_PAST):  # the time was understood
        return ""
    for count in range(1, len(words) if " " not in arguments.message else 0):
        with suppress(PhraseError):
            read_as_time(" ".join(words[count:]))
            text = " ".join([arguments.message, *words[:count]])
            return f'; a text of several words needs quotes: duly remind "{text}" {" ".join(words[count:])}'
    return ""


async def _named(
    runtime: Runtime, arguments: Namespace, user: User, make: Callable[[str], Awaitable[ReminderView]]
) -> ReminderView:
    if arguments.name is not None:
        return await make(arguments.name)
    return await under_free_name(runtime, namespace_of(user.id), arguments.message, make)


def _options(arguments: Namespace, phrase: str) -> dict[str, Any]:
    options: dict[str, Any] = {"require_ack": arguments.ack or arguments.ask is not None, "ack_prompt": arguments.ask}
    options |= {"priority": arguments.priority, "channel": arguments.channel}
    options |= {"created_via": str(Face.CLI), "original_text": f"{arguments.message} {phrase}"}
    return {name: value for name, value in options.items() if value is not None}


def _isos(reading: Reading, first: Any) -> list[str | None]:
    return [iso(moment) for moment in reading.moments(first)]


def reminders(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly reminders`: list them; `duly reminders get|remove|pause|resume|skip ID`."""
    add_person_arguments(parser)
    verbs = ("list", "get", "remove", "pause", "resume", "skip")
    parser.add_argument("verb", nargs="?", choices=verbs, default="list")
    parser.add_argument("reminder", nargs="?", help="id or name")
    add_page_arguments(parser)
    arguments = parser.read(words)
    takes = {verb: ("limit", "cursor") if verb == "list" else ("reminder",) for verb in verbs}
    refuse_surplus(arguments, takes, "duly reminders")
    if arguments.verb != "list" and not arguments.reminder:
        raise UsageError(f"duly reminders {arguments.verb} needs an id or a name: `duly reminders` shows them")
    if arguments.verb == "list":
        return _listed(arguments, clock)
    view = ask(arguments, clock, lambda runtime: _on_one(runtime, arguments))
    if arguments.json:
        return as_json(view.to_json())
    if arguments.verb == "get":
        return "".join(f"{name:18}  {_one_line(str(value))}\n" for name, value in view.to_json().items())
    following = f", next {_next(view, clock)}" if arguments.verb in ("resume", "skip") and view.next_run_at else ""
    return f"✓ {view.name} {_DONE[arguments.verb]}{following}\n"


def _listed(arguments: Namespace, clock: Clock) -> str:
    shown, following = ask(
        arguments,
        clock,
        lambda runtime: runtime.reminders.lists.page(
            arguments.user, cursor=arguments.cursor, limit=arguments.limit or PAGE
        ),
    )
    if arguments.json:
        return as_json({"items": [view.to_json() for view in shown], "next_cursor": following})
    if not shown and arguments.cursor is None:
        return f"no reminders yet; make one: {_EXAMPLE}\n"
    rows = [
        [view.name, view.words, _next(view, clock), view.last_status or "", _short(view.message), view.id]
        for view in shown
    ]
    return table(["NAME", "WHEN", "NEXT", "LAST", "MESSAGE", "ID"], rows) + more(following)


_DONE = {"remove": "removed", "pause": "paused", "resume": "resumed", "skip": "skips one"}


async def _on_one(runtime: Runtime, arguments: Namespace) -> ReminderView:
    service, who = runtime.reminders, arguments.user
    one = {"get": service.get, "remove": service.remove, "skip": service.skip_next}
    if arguments.verb in one:
        return await one[arguments.verb](who, arguments.reminder)
    return await service.update(who, arguments.reminder, enabled=arguments.verb == "resume")


def _next(view: ReminderView, clock: Clock) -> str:
    if view.next_run_at is not None and view.enabled:
        return in_how_long(max(0, round((view.next_run_at - clock.now()).total_seconds())))
    is_over = view.enabled or (view.schedule_type == "once" and view.last_status is not None)
    return "-" if is_over else "paused"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    line = _one_line(text)
    return line if len(line) <= 40 else f"{line[:39]}…"

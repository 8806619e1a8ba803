"""`duly events` and `duly audit`: the journal of what happened, and the audit of who changed what."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from duly.cli.arguments import Parser, UsageError, add_settings_arguments, read_since, whole_number
from duly.cli.asking import AnyDuly, Here, with_duly
from duly.cli.output import CommandOutput, as_json, error_line, write_now
from duly.errors import StoreError
from duly.model.codec import Json
from duly.model.events import changed_fields
from duly.processes import until_asked_to_stop
from duly.service.journal import LEVELS
from duly.service.schedules.views import plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import PagedAsk
    from duly.service.access.audit_trail import AuditView, ChainView
    from duly.service.journal import EventView

_NO_EVENTS = "nothing has happened yet: changes of schedules, skips, misses and failures are listed here\n"
_NO_SUCH_EVENTS = "no such events; duly events without filters shows the newest of all\n"
_NO_ENTRIES = "nothing has been changed yet\n"
_NO_SUCH_ENTRIES = "no such entries; duly audit without filters shows the newest of all\n"
_EVENT_FILTERS = ("schedule", "run", "kind", "level", "since")
_AUDIT_FILTERS = ("schedule", "actor", "kind", "since", "until", "cursor")
_NOT_SHOWN = ("traceback", "summary", "before", "after", "account")
"""Data that are too long for a line; --json has them."""
_LOOK_EVERY = 1.0  # seconds; the hints about changes may get lost


class NumberedView(Protocol):
    """An entry of the journal or of the audit; later entries have larger numbers."""

    @property
    def seq(self) -> int: ...


View = TypeVar("View", bound=NumberedView)


def events(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly events [--follow]`: show the journal, newest last."""
    add_settings_arguments(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new events until Ctrl-C")
    parser.add_argument("--schedule", metavar="NAME", help="only events of one schedule, by name or id")
    parser.add_argument("--run", metavar="ID", help="only events of one run")
    parser.add_argument("--kind", action="append", default=[], help="such as run.failed or 'run.*'; repeatable")
    parser.add_argument("--level", choices=LEVELS, help="only events of this level and above")
    _add_since_and_limit(parser)
    parser.add_argument(
        "--before", metavar="SEQ", type=whole_number(1, 2**62), help="only events older than the one with this seq"
    )
    _add_json(parser)
    arguments = parser.read(words)
    if arguments.follow and arguments.before is not None:
        raise UsageError("--before looks back and --follow ahead: give one of them")
    return with_duly(arguments, clock, lambda duly: _read_events(duly, arguments))


async def _read_events(duly: AnyDuly, arguments: Namespace) -> str:
    from duly.operations.records import ListJournal

    zone = Zone.of(duly.default_zone)
    since = read_since(arguments.since, duly.clock.now(), zone)

    def wanted(after: int, cursor: str | None) -> ListJournal:
        return ListJournal(
            schedule=arguments.schedule,
            run=arguments.run,
            kind=arguments.kind,
            level=arguments.level,
            since=since,
            after=after,
            cursor=cursor,
            limit=arguments.limit,
        )

    def shown(views: Iterable[EventView]) -> str:
        return _lines(views, arguments, lambda view: _event_line(view, zone))

    before = None if arguments.before is None else str(arguments.before)
    found, older = await duly.ask(wanted(0, before))
    if arguments.follow:
        return await _follow(duly, found, ListJournal(limit=1), wanted, shown)
    begin = "" if older is None or arguments.json else f"older: --before {older}\n"
    return begin + shown(found) or _empty(arguments, _EVENT_FILTERS, _NO_SUCH_EVENTS, _NO_EVENTS)


def audit(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly audit [--verify|--head|--follow]`: show the audit, newest last."""
    add_settings_arguments(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new entries until Ctrl-C")
    parser.add_argument("--schedule", metavar="NAME", help="only entries about one schedule, by name or id")
    parser.add_argument(
        "--actor", metavar="WHO", help="only entries of one actor: a token's id, local, user:ID, file …"
    )
    parser.add_argument("--kind", action="append", default=[], help="such as token.created or 'person.*'; repeatable")
    _add_since_and_limit(parser)
    parser.add_argument("--until", metavar="WHEN", help="only entries before this time")
    parser.add_argument(
        "--cursor", type=whole_number(1, 2**63 - 1), help="show the page of older entries; the last line names it"
    )
    parser.add_argument("--verify", action="store_true", help="check the chain of hashes; exit code 1 if it is broken")
    parser.add_argument("--against", metavar="HEAD", help="with --verify: a head that was noted down before")
    parser.add_argument("--head", action="store_true", help="print number and hash of the last link, to be noted down")
    _add_json(parser)
    arguments = parser.read(words)
    _check_audit(arguments)
    read = _read_head if arguments.head else _verify if arguments.verify else _read_audit
    return with_duly(arguments, clock, lambda duly: read(duly, arguments))


def _check_audit(arguments: Namespace) -> None:
    """Refuse options that would be ignored."""
    if arguments.against and not arguments.verify:
        raise UsageError("--against goes with --verify")
    whole = "--head" if arguments.head else "--verify" if arguments.verify else ""
    surplus = [f"--{name}" for name in (*_AUDIT_FILTERS, "follow") if getattr(arguments, name)]
    if whole and surplus:
        raise UsageError(f"{whole} is about all of the audit: leave out {', '.join(surplus)}")
    if arguments.head and arguments.verify:
        raise UsageError("--verify prints the head as well: leave out --head")
    if arguments.follow and (arguments.cursor or arguments.until):
        raise UsageError("--follow goes on from now: leave out --cursor and --until")


async def _read_head(duly: AnyDuly, arguments: Namespace) -> str:
    """Read the end of the chain: here by itself, elsewhere as the check of the chain names it."""
    from duly.operations.records import VerifyAudit

    if isinstance(duly, Here):
        last = await duly.services.audit.head(duly.caller)
        return _head(str(last), last.seq, arguments)
    chain = await duly.ask(VerifyAudit())
    return _head(chain.head, chain.entries, arguments)


def _head(head: str, entries: int, arguments: Namespace) -> str:
    return as_json({"head": head, "entries": entries}, indent=None) if arguments.json else f"{head}\n"


async def _verify(duly: AnyDuly, arguments: Namespace) -> str:
    from duly.operations.records import VerifyAudit

    found = await duly.ask(VerifyAudit(arguments.against))
    output = as_json(plain(found), indent=None) if arguments.json else _verdict(found)
    return output if found.whole else CommandOutput(output)


def _verdict(found: ChainView) -> str:
    if found.whole:
        cut = f", after link {found.cut_at}, where pruning cut it" if found.cut_at else ""
        return f"✓ the audit is whole: {found.entries} entries in {found.links} links{cut}\n  head {found.head}\n"
    return (
        f"✗ the audit was changed by hand: link {found.broken_link} is broken: {found.reason}\n"
        f"  entries before that link are as they were written; of that link and those after it nothing is certain\n"
        f"  head {found.head}\n"
    )


async def _read_audit(duly: AnyDuly, arguments: Namespace) -> str:
    from duly.operations.records import ListAudit

    zone = Zone.of(duly.default_zone)
    now = duly.clock.now()
    since = read_since(arguments.since, now, zone)
    until = read_since(arguments.until, now, zone, "--until")

    def wanted(after: int, cursor: str | None) -> ListAudit:
        return ListAudit(
            schedule=arguments.schedule,
            actor=arguments.actor,
            kind=arguments.kind,
            since=since,
            until=until,
            after=after,
            cursor=cursor,
            limit=arguments.limit,
        )

    def shown(views: Iterable[AuditView]) -> str:
        return _lines(views, arguments, lambda view: _audit_line(view, zone))

    found, cursor = await duly.ask(wanted(0, arguments.cursor and str(arguments.cursor)))
    if arguments.follow:
        return await _follow(duly, found, ListAudit(limit=1), wanted, shown)
    more = "" if cursor is None or arguments.json else f"  more: duly audit --cursor {cursor}\n"
    return shown(found) + more or _empty(arguments, _AUDIT_FILTERS, _NO_SUCH_ENTRIES, _NO_ENTRIES)


# what both commands share


def _add_since_and_limit(parser: Parser) -> None:
    parser.add_argument("--since", metavar="WHEN", help="not older than this: 2h, 3d, 2026-11-15 or 2026-11-15T09:30")
    parser.add_argument(
        "--limit", metavar="N", type=whole_number(1, 500), default=50, help="show at most N, the newest (default: 50)"
    )


def _add_json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs: one object a line")


def _empty(arguments: Namespace, filters: Iterable[str], none_such: str, nothing: str) -> str:
    """Say that the list is empty; with filters, that nothing matches them."""
    if arguments.json:
        return ""
    return none_such if any(getattr(arguments, name) for name in filters) else nothing


def _lines(views: Iterable[View], arguments: Namespace, line: Callable[[View], str]) -> str:
    return "".join(as_json(plain(view), indent=None) if arguments.json else line(view) for view in views)


def _event_line(view: EventView, zone: Zone) -> str:
    """Show when, how serious, which event, of which schedule, the reason, and the other data by name."""
    data = _shown_data(view.event, view.data, view.run_id)
    reason = data.pop("error", None) or data.pop("reason", None)
    first = [] if reason is None else [" ".join(str(reason).split())]
    about = view.schedule or view.schedule_id or view.node_id or ""
    return _joined(view.at, zone, f"{view.level:7}", f"{view.event:20}", f"{about:20}", *first, *_named(data))


def _audit_line(view: AuditView, zone: Zone) -> str:
    """Show when, who, what, of which schedule, and the data by name."""
    who = f"{view.actor} ({view.face})" if view.face else view.actor
    about = view.schedule or view.schedule_id or ""
    data = _shown_data(view.kind, view.data, view.run_id)
    return _joined(view.at, zone, f"{who:24}", f"{view.kind:22}", f"{about:20}", *_named(data))


def _joined(at: datetime, zone: Zone, *columns: str) -> str:
    local = zone.localize(at)
    return "  ".join([f"{local:%Y-%m-%d %H:%M:%S}", *columns]).rstrip() + "\n"


def _shown_data(kind: str, data: Json, run_id: str | None) -> dict[str, object]:
    """Choose the data that fit on a line, with the names of changed fields and the run."""
    shown = {name: value for name, value in data.items() if name not in _NOT_SHOWN and value is not None}
    if changed := changed_fields(kind, data):
        shown["changed"] = ",".join(changed)
    if run_id is not None:
        shown["run"] = run_id
    return shown


def _named(data: Json) -> list[str]:
    return [f"{name}={_value_text(value)}" for name, value in data.items()]


def _value_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())


async def _follow(
    duly: AnyDuly,
    found: Sequence[View],
    newest: PagedAsk[View],
    wanted: Callable[[int, str | None], PagedAsk[View]],
    shown: Callable[[Sequence[View]], str],
) -> str:
    """Show what was found, and then the entries after it as they come, from any process, until asked to stop.

    `newest` asks for the newest entry of all, `wanted` gives the ask for a page of the wanted ones after a number.
    """
    write_now(shown(found))
    looking = asyncio.ensure_future(_look_for_ever(duly, found[-1].seq if found else 0, newest, wanted, shown))
    asked = asyncio.ensure_future(until_asked_to_stop())
    try:
        await asyncio.wait({looking, asked}, return_when=asyncio.FIRST_COMPLETED)
        if looking.done():
            looking.result()  # it ends only with an error, such as a reader of the output that has gone
    finally:
        for task in (looking, asked):
            task.cancel()
        await asyncio.gather(looking, asked, return_exceptions=True)
    return ""


async def _look_for_ever(
    duly: AnyDuly,
    seen: int,
    newest: PagedAsk[View],
    wanted: Callable[[int, str | None], PagedAsk[View]],
    shown: Callable[[Sequence[View]], str],
) -> None:
    changed = asyncio.Event()
    duly.on_change(changed.set)
    fault = ""
    while True:
        try:
            last, _ = await duly.ask(newest)
            if any(each.seq > seen for each in last):  # most looks find nothing new
                found = await _news(duly, seen, wanted)
                write_now(shown(found))
                seen = max(each.seq for each in (*last, *found))
            fault = ""
        except StoreError as error:  # the store may be back at the next look
            if str(error) != fault:
                sys.stderr.write(error_line(error))
            fault = str(error)
        cancel = duly.clock.call_later(_LOOK_EVERY, changed.set)
        await changed.wait()
        changed.clear()
        cancel()


async def _news(duly: AnyDuly, seen: int, wanted: Callable[[int, str | None], PagedAsk[View]]) -> list[View]:
    """Give all that came after an entry, of which a page has the newest."""
    found: list[View] = []
    cursor: str | None = None
    while True:
        page, cursor = await duly.ask(wanted(seen, cursor))
        found[:0] = page
        if cursor is None:
            return found

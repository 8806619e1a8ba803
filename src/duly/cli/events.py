"""`duly events`: what happened, and with `--follow` what happens."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.cli.common import as_json, ask
from duly.cli.following import follow, say
from duly.cli.moments import read_moment
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.settings import add_settings_arguments
from duly.errors import InvalidInputError
from duly.model.events import changed_fields
from duly.service.access.access import Face
from duly.service.journal import LEVELS, EventView
from duly.service.schedules.values import duration
from duly.service.schedules.views import plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime

_NOTHING = "nothing has happened yet: changes of schedules, skips, misses and failures are listed here\n"
_NONE_SUCH = "no such events; duly events without filters shows the newest of all\n"
_LEFT_OUT = ("traceback", "summary", "before", "after", "account")


def events(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly events [--follow]`: the journal, the newest last."""
    add_settings_arguments(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new ones until Ctrl-C")
    parser.add_argument("--schedule", metavar="NAME", help="those of one schedule, by name or id")
    parser.add_argument("--run", metavar="ID", help="those of one run")
    parser.add_argument("--kind", action="append", default=[], help="such as run.failed or 'run.*'; repeatable")
    parser.add_argument("--level", choices=LEVELS, help="this level and above")
    parser.add_argument("--since", metavar="WHEN", help="such as 2h, 3d, 2026-11-15 or 2026-11-15T09:30")
    parser.add_argument("--limit", type=whole_number(1, 500), default=50, help="show at most so many, the newest (50)")
    parser.add_argument("--before", metavar="SEQ", type=whole_number(1, 2**62), help="those older than an entry's seq")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object a line")
    arguments = parser.read(words)
    if arguments.follow and arguments.before is not None:
        raise UsageError("--before looks back and --follow ahead: give one of them")
    return ask(arguments, clock, lambda runtime: _read(runtime, arguments))


async def _read(runtime: Runtime, arguments: Namespace) -> str:
    zone = Zone.of(runtime.zone)
    filters = {
        "schedule": arguments.schedule,
        "run_id": arguments.run,
        "kinds": arguments.kind,
        "level": arguments.level,
        "since": None if arguments.since is None else since(arguments.since, runtime.clock.now(), zone),
        "limit": arguments.limit,
    }
    seen = await runtime.journal.last()
    if not arguments.follow:
        cursor = None if arguments.before is None else str(arguments.before)
        page, older = await runtime.journal.page(runtime.local(Face.CLI), cursor=cursor, **filters)
        begin = "" if older is None or arguments.json else f"older: --before {older}\n"
        return begin + _shown(page, zone, arguments) or _empty(arguments)
    found = await runtime.journal.events(runtime.local(Face.CLI), **filters)
    say(_shown(found, zone, arguments))

    async def fresh(after: int) -> list[EventView]:
        return await runtime.journal.events(runtime.local(Face.CLI), **filters, after=after)

    newest = max([seen, *(each.seq for each in found)])
    await follow(runtime, newest, runtime.journal.last, fresh, lambda views: say(_shown(views, zone, arguments)))
    return ""


def since(text: str, now: datetime, zone: Zone, option: str = "--since") -> datetime:
    """A length of time before now, or a moment on the clocks of a zone."""
    try:
        return now - duration(text, option)
    except InvalidInputError:
        return read_moment(text, zone, option)


def _empty(arguments: Namespace) -> str:
    if arguments.json:
        return ""
    chosen = (arguments.schedule, arguments.run, arguments.kind, arguments.level, arguments.since)
    return _NONE_SUCH if any(chosen) else _NOTHING


def _shown(views: Sequence[EventView], zone: Zone, arguments: Namespace) -> str:
    if arguments.json:
        return "".join(as_json(plain(view), indent=None) for view in views)
    return "".join(_line(view, zone) for view in views)


def _line(view: EventView, zone: Zone) -> str:
    """When, how serious, what, of which schedule, and the facts."""
    at = zone.localize(datetime.fromisoformat(view.at))
    who = view.schedule or view.schedule_id or view.node_id or ""
    parts = [f"{at:%Y-%m-%d %H:%M:%S}", f"{view.level:7}", f"{view.event:20}", f"{who:20}", _facts(view)]
    return "  ".join(parts).rstrip() + "\n"


def _facts(view: EventView) -> str:
    """The reason first, then the rest by name."""
    data = {name: value for name, value in view.data.items() if name not in _LEFT_OUT and value is not None}
    said = data.pop("error", None) or data.pop("reason", None)
    if changed := changed_fields(view.event, view.data):
        data["changed"] = ",".join(changed)
    if view.run_id is not None:
        data["run"] = view.run_id
    told = [] if said is None else [" ".join(str(said).split())]
    return "  ".join([*told, *(f"{name}={value_text(value)}" for name, value in data.items())])


def value_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())

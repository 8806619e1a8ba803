"""`duly events`: what happened, and with `--follow` what happens."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.cli.faults import line
from duly.cli.houses import as_json, ask
from duly.cli.moments import read_moment
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.settings import add_settings_arguments
from duly.errors import InvalidInputError, StoreError
from duly.model.events import changed_fields
from duly.service.access import Face
from duly.service.journal import LEVELS, EventView
from duly.service.values import duration
from duly.service.views import plain
from duly.signals import until_asked_to_stop
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.daemon.house import House

_LOOK_EVERY = 1.0  # seconds, for stores whose hints may get lost
_NOTHING = "nothing has happened yet: changes of schedules, skips, misses and failures are listed here\n"
_NONE_SUCH = "no such events; duly events without filters shows the newest of all\n"
_LEFT_OUT = ("traceback", "summary", "before", "after")


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
    return ask(arguments, clock, lambda house: _read(house, arguments))


async def _read(house: House, arguments: Namespace) -> str:
    zone = Zone.of(house.zone)
    filters = {
        "schedule": arguments.schedule,
        "run_id": arguments.run,
        "kinds": arguments.kind,
        "level": arguments.level,
        "since": None if arguments.since is None else _since(arguments.since, house.clock.now(), zone),
        "limit": arguments.limit,
    }
    seen = await house.journal.last()
    if not arguments.follow:
        cursor = None if arguments.before is None else str(arguments.before)
        page, older = await house.journal.page(house.local(Face.CLI), cursor=cursor, **filters)
        begin = "" if older is None or arguments.json else f"older: --before {older}\n"
        return begin + _shown(page, zone, arguments) or _empty(arguments)
    found = await house.journal.events(house.local(Face.CLI), **filters)
    _say(_shown(found, zone, arguments))
    following = _Following(house, filters, lambda fresh: _say(_shown(fresh, zone, arguments)))
    await following.until_asked_to_stop(max([seen, *(each.seq for each in found)]))
    return ""


class _Following:
    """Says new entries as they come, whoever writes them."""

    def __init__(self, house: House, filters: Mapping[str, Any], say: Callable[[Sequence[EventView]], None]) -> None:
        self._house = house
        self._filters = filters
        self._say = say
        self._fault = ""

    async def until_asked_to_stop(self, seen: int) -> None:
        """`seen` is the number of the last entry that was shown or passed over."""
        changed = asyncio.Event()
        self._house.store.on_change(changed.set)
        looking = asyncio.ensure_future(self._look_for_ever(seen, changed))
        asked = asyncio.ensure_future(until_asked_to_stop())
        try:
            await asyncio.wait({looking, asked}, return_when=asyncio.FIRST_COMPLETED)
            if looking.done():
                looking.result()  # it ends only with a fault, such as a reader of the output that has gone
        finally:
            for task in (looking, asked):
                task.cancel()
            await asyncio.gather(looking, asked, return_exceptions=True)

    async def _look_for_ever(self, seen: int, changed: asyncio.Event) -> None:
        while True:
            seen = await self._look(seen)
            cancel = self._house.clock.call_later(_LOOK_EVERY, changed.set)
            await changed.wait()
            changed.clear()
            cancel()

    async def _look(self, seen: int) -> int:
        """Say what came since; gives the number of the last entry that was looked at."""
        journal = self._house.journal
        try:
            newest = await journal.last()
            if newest <= seen:
                return seen
            fresh = await journal.events(self._house.local(Face.CLI), **self._filters, after=seen)
        except StoreError as error:  # it may be back at the next look
            if str(error) != self._fault:
                sys.stderr.write(line(error))
            self._fault = str(error)
            return seen
        self._fault = ""
        self._say(fresh)
        return max([newest, *(each.seq for each in fresh)])


def _since(text: str, now: datetime, zone: Zone) -> datetime:
    """A length of time before now, or a moment on the clocks of a zone."""
    try:
        return now - duration(text, "--since")
    except InvalidInputError:
        return read_moment(text, zone, "--since")


def _empty(arguments: Namespace) -> str:
    if arguments.json:
        return ""
    chosen = (arguments.schedule, arguments.run, arguments.kind, arguments.level, arguments.since)
    return _NONE_SUCH if any(chosen) else _NOTHING


def _say(text: str) -> None:
    from duly.cli.app import harmless

    sys.stdout.write(harmless(text))
    sys.stdout.flush()


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
    return "  ".join([*told, *(f"{name}={_text(value)}" for name, value in data.items())])


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())

"""`duly load` and `nodes`: when too much comes at once, and which engines carry out what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.output import as_json

if TYPE_CHECKING:
    from datetime import date

    from duly.clock import Clock
    from duly.service.overview.views import LoadView, NodeView
    from duly.zones import Zone

_SHOWN = 10
_WIDTH = 40


def load(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly load`: the busiest minutes of a day."""
    from duly.operations.overview import GetLoad
    from duly.service.schedules.views import plain

    parser.add_argument("day", nargs="?", help="YYYY-MM-DD (default: today)")
    parser.add_argument("--past", action="store_true", help="the mean of the seven days before, instead of what comes")
    add_common_arguments(parser)
    arguments = parser.read(words)
    view = with_duly(arguments, clock, lambda duly: duly.ask(GetLoad(_day(arguments.day), past=arguments.past)))
    return as_json({**plain(view), "day": view.day.isoformat()}) if arguments.json else _shown_load(view)


def _day(text: str | None) -> date | None:
    from datetime import date

    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a day: write it as 2026-11-15") from None


def _shown_load(view: LoadView) -> str:
    from duly.zones import Zone

    if not view.total:
        return f"no fires on {view.day.isoformat()}\n"
    zone = Zone.of(view.zone)
    most = view.busiest[0].fires
    lines = [
        (
            f"{view.total} fires on {view.day.isoformat()}, times in {view.zone}; at once at most "
            f"{view.concurrency_peak} of {view.max_concurrency}"
        )
    ]
    for each in view.busiest[:_SHOWN]:
        bar = "█" * max(1, round(_WIDTH * each.fires / most))
        lines.append(f"  {zone.localize(each.at):%H:%M}  {each.fires:5}  {bar}")
    return "\n".join(lines) + "\n"


def nodes(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly nodes`: the engines that live."""
    from duly.cli.schedule_lines import with_local_times
    from duly.operations.overview import ListNodes
    from duly.service.schedules.views import plain
    from duly.zones import Zone

    add_common_arguments(parser)
    arguments = parser.read(words)

    async def look(duly: AnyDuly) -> str:
        found = await duly.ask(ListNodes())
        if arguments.json:
            return as_json({"items": [plain(each) for each in found]})
        zone = Zone.of((await duly.me()).timezone)
        nothing_runs = await duly.nothing_runs()
        return _shown_nodes(found, zone) if found else f"no node lives: {with_local_times(nothing_runs or '', zone)}\n"

    return with_duly(arguments, clock, look)


def _shown_nodes(found: list[NodeView], zone: Zone) -> str:
    from duly.cli.output import on_clocks

    lines = [
        f"{each.id}  {each.host} pid {each.pid}  since {on_clocks(each.started_at, zone)}  "
        f"last beat {on_clocks(each.last_beat_at, zone)}  {each.under_way} under way  duly {each.version or '?'}\n"
        f"    {', '.join(each.handlers)}"
        for each in found
    ]
    return "\n".join(lines) + "\n"

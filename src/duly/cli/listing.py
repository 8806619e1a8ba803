"""`duly list`, which is also `duly schedule list`. By itself: nothing is asked oftener, and it needs little."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, add_common_arguments, whole_number
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.attention import attention_of_schedules
from duly.cli.output import as_json, next_page_line
from duly.cli.progress import searched
from duly.cli.schedule_lines import LAST, listed, with_local_times
from duly.operations.ask import Page
from duly.operations.listing import ListSchedules
from duly.service.schedules.listing import STATES
from duly.service.schedules.views import plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.service.schedules.fields import ScheduleView

_NOTHING = 'no schedules yet; make one: duly schedule create NAME --cron "0 9 * * *" --prompt TEXT\n'
_MOST_FIGURES = 200
"""Of how many schedules figures are asked for at once."""


def list_all(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly list`: the same as `duly schedule list`."""
    add_common_arguments(parser)
    return show_list(parser, words, clock)


def show_list(parser: Parser, words: list[str], clock: Clock) -> str:
    """list schedules and reminders, with their next time"""
    parser.add_argument("--project", metavar="ID", help="only schedules with a target in this project")
    parser.add_argument("--owner", help="only schedules of a person (id) or a namespace, such as butler:home")
    parser.add_argument("--text", help="only schedules with this text in name, description or prompt")
    add_limit(parser, 50, "show at most N")
    parser.add_argument("--cursor", help="next_cursor of the page before")
    parser.add_argument("--deleted", action="store_true", help="only schedules that were deleted")
    parser.add_argument("--state", help=f"only schedules in this state: {', '.join(STATES)}")
    parser.add_argument("--kind", choices=("agent", "job", "person"), help="only schedules of this kind")
    parser.add_argument(
        "--sort",
        choices=("name", "attention", "next"),
        default="name",
        help="by name, by what needs a person first, or by the next run",
    )
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--enabled", action="store_true", default=None, help="only schedules that fire")
    state.add_argument(
        "--disabled", dest="enabled", action="store_false", default=None, help="only schedules that do not fire"
    )
    arguments = parser.read(words)
    wanted = ListSchedules(
        project=arguments.project,
        enabled=arguments.enabled,
        owner=arguments.owner,
        text=arguments.text,
        deleted=arguments.deleted,
        state=arguments.state,
        kind=arguments.kind,
        sort=arguments.sort,
        cursor=arguments.cursor,
        limit=arguments.limit,
    )
    return with_duly(arguments, clock, lambda duly: _page(duly, wanted, for_programs=arguments.json))


async def _page(duly: AnyDuly, wanted: ListSchedules, *, for_programs: bool) -> str:
    def ask(cursor: str | None, limit: int) -> Awaitable[Page[ScheduleView]]:
        return duly.ask(replace(wanted, cursor=cursor, limit=limit))

    items, cursor = await searched(ask, wanted.cursor, wanted.limit)
    fires = any(item.next_run_at is not None or item.attention for item in items)
    nothing_runs = await duly.nothing_runs() if fires else None
    if for_programs:
        page = {"items": [plain(item) for item in items], "next_cursor": cursor}
        return as_json(page if nothing_runs is None else {**page, "warning": nothing_runs})
    if not items:
        return _NOTHING if replace(wanted, sort="name", limit=50) == ListSchedules() else "none found\n"
    statuses = await _last_statuses(duly, [item.id for item in items])
    zone = Zone.of((await duly.me()).timezone)
    now = duly.clock.now()
    rows = listed(items, statuses, zone, now)
    warning = "" if nothing_runs is None else f"\n{with_local_times(nothing_runs, zone)}\n"
    return rows + next_page_line(cursor) + attention_of_schedules(items, zone, now) + warning


async def _last_statuses(duly: AnyDuly, ids: Sequence[str]) -> dict[str, list[str]]:
    """Give the statuses of the last runs of schedules, oldest first."""
    from duly.operations.listing import GetFigures

    found: dict[str, list[str]] = {each: [] for each in ids}
    for begin in range(0, len(ids), _MOST_FIGURES):
        view = await duly.ask(GetFigures(ids[begin : begin + _MOST_FIGURES]))
        found |= {name: [run.status for run in each.outcomes[-LAST:]] for name, each in view.figures.items()}
    return found


def add_limit(parser: Parser, default: int, text: str) -> None:
    parser.add_argument(
        "--limit", metavar="N", type=whole_number(1, 500), default=default, help=f"{text} (default: {default})"
    )

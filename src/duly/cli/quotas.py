"""`duly quotas`: what the tokens of persons and projects use, and what they may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cli.common import PAGE, add_page_arguments, as_json, ask, more, table
from duly.cli.settings import add_settings_arguments
from duly.service.access.access import Face
from duly.service.schedules.views import plain

if TYPE_CHECKING:
    from duly.cli.parser import Parser
    from duly.clock import Clock
    from duly.service.access.quotas import QuotaView

_NOTHING = "no person and no project has a schedule yet: quotas are for what their tokens make\n"


def quotas(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly quotas`: usage against limits, owner by owner."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    add_page_arguments(parser)
    arguments = parser.read(words)
    views, following = ask(
        arguments,
        clock,
        lambda runtime: runtime.quotas.page(runtime.local(Face.CLI), arguments.cursor, arguments.limit or PAGE),
    )
    if arguments.json:
        return as_json({"items": [plain(each) for each in views], "next_cursor": following})
    if not views and arguments.cursor is None:
        return _NOTHING
    headings = ["OWNER", "SCHEDULES", "RUNS IN 24 H", "COST IN 24 H", "MIN INTERVAL", "SIZE"]
    return table(headings, [_row(each) for each in views]) + more(following)


def _row(view: QuotaView) -> list[str]:
    return [
        view.owner,
        _of(view.schedules, view.max_schedules),
        _of(view.runs_in_24_hours, view.runs_per_day),
        _of(f"${view.cost_in_24_hours:.2f}", None if view.cost_per_day is None else f"${view.cost_per_day:.2f}"),
        "any" if view.min_interval_seconds is None else f"{view.min_interval_seconds:g} s",
        "any" if view.max_size is None else f"{view.max_size} bytes",
    ]


def _of(used: object, limit: object) -> str:
    return f"{used}" if limit is None else f"{used} of {limit}"

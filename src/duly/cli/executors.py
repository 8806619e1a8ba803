"""`duly executors`: who carries out jobs elsewhere, how they are, and what to do about what is not well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cli import FAILED, OK
from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.output import CommandOutput, as_json, table

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.service.executors.views import CheckView, ExecutorView

_HEADINGS = ["executor", "kind", "state", "queues", "workers", "waiting", "begun"]


def executors(parser: Parser, words: list[str], clock: Clock) -> CommandOutput:
    """`duly executors [NAME]`: look at all of them, or at one."""
    from duly.operations.overview import CheckExecutor, ListExecutors
    from duly.service.schedules.views import plain

    parser.add_argument("name", nargs="?", help="only this one, by its name in duly.toml")
    parser.add_argument("--check", action="store_true", help="show each thing that was looked at, and what to do")
    add_common_arguments(parser)
    arguments = parser.read(words)
    if arguments.check and arguments.name is None:
        raise UsageError("--check is about one executor: duly executors NAME --check")

    async def look(duly: AnyDuly) -> CommandOutput:
        if arguments.name is None:
            found = await duly.ask(ListExecutors())
            listed = as_json({"items": [plain(each) for each in found]}) if arguments.json else _listed(found)
            return CommandOutput(listed, OK)
        one = await duly.ask(CheckExecutor(arguments.name))
        shown = as_json(plain(one)) if arguments.json else _checked(one) if arguments.check else _listed([one])
        return CommandOutput(shown, FAILED if arguments.check and one.faults else OK)

    return with_duly(arguments, clock, look)


def _listed(found: list[ExecutorView]) -> str:
    if not found:
        return "no executor is configured: say in duly.toml who carries out jobs elsewhere, [executors.NAME]\n"
    rows = [
        [
            each.name,
            each.kind,
            "needs a look" if each.faults else "ok",
            ", ".join(f"{queue.name} {'?' if queue.depth is None else queue.depth}" for queue in each.queues) or "-",
            str(len(each.workers)),
            str(each.waiting),
            str(each.begun),
        ]
        for each in found
    ]
    return table(_HEADINGS, rows) + "".join(_line(check) for each in found for check in each.faults)


def _checked(one: ExecutorView) -> str:
    faults = len(one.faults)
    said = "all is well" if not faults else "1 thing needs a look" if faults == 1 else f"{faults} things need a look"
    return "".join(map(_line, one.checks)) + f"{one.name}: {said}\n"


def _line(check: CheckView) -> str:
    cure = f"\n    {check.cure}" if check.cure else ""
    return f"{'✓' if check.ok else '!'} {check.said}{cure}\n"

"""`duly add` and `duly list`: the short ways to a schedule and back."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from duly.cli.common import as_json, ask
from duly.cli.naming import under_free_name
from duly.cli.parser import Parser
from duly.cli.schedule_lines import told
from duly.cli.schedule_options import add_schedule_options, read_new
from duly.cli.schedules import add_common_options, list_schedules
from duly.cli.settings import add_settings_arguments
from duly.cron import is_valid
from duly.service.access.access import Face
from duly.service.schedules.views import ScheduleView, plain

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime


def add(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly add "weekdays at 7:30" --prompt TEXT --project ID`: words or cron, read in your own zone."""
    add_settings_arguments(parser)
    parser.add_argument("when_words", metavar="WHEN", nargs="+", help='"weekdays at 7:30", or "30 7 * * 1-5"')
    parser.add_argument("--name", help="taken from the prompt or the job without")
    parser.add_argument("--project", action="append", default=[], metavar="ID", help="short for --target")
    parser.add_argument("--json", action="store_true", help="for programs")
    add_schedule_options(parser, without=("cron", "when"))
    arguments = parser.read(words)
    return ask(arguments, clock, lambda runtime: _add(runtime, arguments))


async def _add(runtime: Runtime, arguments: Namespace) -> str:
    form = read_new(arguments)
    when = " ".join(arguments.when_words)
    form["cron" if is_valid(when) else "when"] = when
    form["targets"] = [*form.get("targets", []), *({"project_id": each} for each in arguments.project)] or None
    local = runtime.local(Face.CLI)
    said = str(form.get("job_name") or form.get("prompt") or "schedule")

    def create(name: str) -> Awaitable[ScheduleView]:
        return runtime.use_cases.schedule_create(local, {**form, "name": name})

    if arguments.name is not None:
        made = await create(arguments.name)
    else:
        made = await under_free_name(runtime, local.namespace, said, create)
    return as_json(plain(made)) if arguments.json else told(made)


def list_all(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly list`: every schedule and reminder."""
    add_common_options(parser)
    return list_schedules(parser, words, clock)

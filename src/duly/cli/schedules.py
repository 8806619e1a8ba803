"""`duly schedule …` and `duly add`: what the MCP tools do with schedules, from the command line."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from duly.cli.arguments import Parser, UsageError, add_common_arguments, read_since, whole_number
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.listing import add_limit, show_list
from duly.cli.message_options import add_message_options, message_changes
from duly.cli.output import as_json, next_page_line, table, warning_line
from duly.cli.progress import searched
from duly.cli.schedule_lines import confirmation, history, in_full, run_in_full
from duly.cli.schedule_options import add_schedule_options, add_zone_options, read_cleared, read_form, read_new
from duly.cli.settings import with_runtime
from duly.cli.steps import act, shown_schedule
from duly.cron import is_valid
from duly.errors import NotFoundError
from duly.operations.ask import Page
from duly.operations.schedules import (
    BackfillSchedule,
    CreateSchedule,
    GetSchedule,
    PreviewTimes,
    RestoreSchedule,
    TriggerSchedule,
    UpdateSchedule,
)
from duly.service.schedules.forms import changes_of
from duly.service.schedules.views import plain
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from argparse import Namespace

    from duly.clock import Clock
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.run_views import RunView


def add(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly add "weekdays at 7:30" --prompt TEXT --project ID`: words or cron, read in the local user's zone."""
    parser.add_argument("when_words", metavar="WHEN", nargs="+", help='"weekdays at 7:30", or "30 7 * * 1-5"')
    parser.add_argument("--name", help="name of the schedule (default: made from the prompt or the job)")
    parser.add_argument("--project", action="append", default=[], metavar="ID", help="short for --target")
    add_common_arguments(parser)
    add_schedule_options(parser, without=("cron", "when"))
    arguments = parser.read(words)
    return _shown(with_duly(arguments, clock, lambda duly: _add(duly, arguments)), arguments)


async def _add(duly: AnyDuly, arguments: Namespace) -> ScheduleView:
    from duly.cli.free_names import create_under_free_name

    form = read_new(arguments)
    when = " ".join(arguments.when_words)
    form["cron" if is_valid(when) else "when"] = when
    if targets := [*form.get("targets", []), *({"project_id": each} for each in arguments.project)]:
        form["targets"] = targets

    def create(name: str) -> Awaitable[ScheduleView]:
        return duly.ask(CreateSchedule({**form, "name": name}))

    if arguments.name is not None:
        return await create(arguments.name)
    text = str(form.get("job_name") or form.get("prompt") or "schedule")
    return await create_under_free_name(duly, (await duly.me()).namespace, text, create)


def schedule(_parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly schedule VERB …`. The first line of a verb's docstring is its help."""
    verb, *rest = words or ["--help"]
    if verb in ("-h", "--help"):
        lines = "\n".join(f"  {name:9} {command.__doc__}" for name, command in VERBS.items())
        return f"usage: duly schedule VERB ...\n\n{lines}\n"
    if verb not in VERBS:
        raise UsageError(f"no such verb: duly schedule {verb}; there are {', '.join(VERBS)}")
    parser = Parser(f"duly schedule {verb}", str(VERBS[verb].__doc__))
    add_common_arguments(parser)
    return VERBS[verb](parser, rest, clock)


def _create(parser: Parser, words: list[str], clock: Clock) -> str:
    """make a schedule"""
    parser.add_argument("name")
    add_schedule_options(parser)
    arguments = parser.read(words)
    asked = CreateSchedule({"name": arguments.name, **read_new(arguments)})
    return _shown(with_duly(arguments, clock, lambda duly: duly.ask(asked)), arguments)


def _update(parser: Parser, words: list[str], clock: Clock) -> str:
    """change fields of a schedule"""
    _add_schedule(parser)
    parser.add_argument("--name", help="a new name")
    parser.add_argument("--clear", action="append", default=[], metavar="FIELD", help="empty a field; repeatable")
    add_schedule_options(parser)
    parser.add_argument("--message", help="of a reminder, as all that follows: its text")
    parser.add_argument("--ack", action=BooleanOptionalAction, help="whether it waits for an answer")
    add_message_options(parser)
    arguments = parser.read(words)
    changes = read_form(arguments) | message_changes(arguments)
    if arguments.message is not None:
        changes["message"] = arguments.message
    asked = UpdateSchedule(arguments.schedule, changes_of(changes, read_cleared(arguments)))
    return shown_schedule(with_duly(arguments, clock, lambda duly: duly.ask(asked)), arguments)


def _get(parser: Parser, words: list[str], clock: Clock) -> str:
    """show one schedule"""
    _add_schedule(parser)
    arguments = parser.read(words)

    async def look(duly: AnyDuly) -> str:
        shown = await duly.ask(GetSchedule(arguments.schedule))
        zone = Zone.of((await duly.me()).timezone)
        return as_json(plain(shown)) if arguments.json else in_full(shown, zone, duly.clock.now())

    return with_duly(arguments, clock, look)


def _delete(parser: Parser, words: list[str], clock: Clock) -> str:
    """remove schedules; their history stays, and duly undo takes it back"""
    return act(parser, words, clock, "delete")


def _restore(parser: Parser, words: list[str], clock: Clock) -> str:
    """undo a removal, by id; the schedule comes back paused"""
    parser.add_argument("schedule", metavar="ID", help="sched_…")
    parser.add_argument("--name", help="a new name, if the old one is taken")
    arguments = parser.read(words)
    asked = RestoreSchedule(arguments.schedule, arguments.name)
    try:
        return _shown(with_duly(arguments, clock, lambda duly: duly.ask(asked)), arguments)
    except NotFoundError as error:
        raise NotFoundError(f"{error} among the removed: `duly schedule list --deleted` shows their ids") from error


def _pause(parser: Parser, words: list[str], clock: Clock) -> str:
    """stop firing until resumed"""
    return act(parser, words, clock, "pause")


def _resume(parser: Parser, words: list[str], clock: Clock) -> str:
    """fire again, from now on"""
    return act(parser, words, clock, "resume")


def _skip(parser: Parser, words: list[str], clock: Clock) -> str:
    """leave out the next fire, on the record"""
    return act(parser, words, clock, "skip_next")


def _trigger(parser: Parser, words: list[str], clock: Clock) -> str:
    """run a schedule now; the running engine carries it out"""
    _add_schedule(parser)
    arguments = parser.read(words)
    run = with_duly(arguments, clock, lambda duly: duly.ask(TriggerSchedule(arguments.schedule)))
    if arguments.json:
        return as_json(plain(run))
    why = f": {run.reason}" if run.reason else ""
    return f"✓ {run.name} {run.status}{why} · {run.id}\n{warning_line(run.warning)}"


def _run(parser: Parser, words: list[str], clock: Clock) -> str:
    """show one run, with the outcome of every target"""
    from duly.operations.runs import GetRun

    async def get(duly: AnyDuly, run: str) -> RunView:
        return (await duly.ask(GetRun(run))).run

    return _on_run(parser, words, clock, get)


def _cancel(parser: Parser, words: list[str], clock: Clock) -> str:
    """call off a run that has not begun, or stop one that runs"""
    from duly.operations.runs import CancelRun

    return _on_run(parser, words, clock, lambda duly, run: duly.ask(CancelRun(run)))


def _on_run(parser: Parser, words: list[str], clock: Clock, ask: Callable[[AnyDuly, str], Awaitable[RunView]]) -> str:
    """Ask something about nothing but a run."""
    parser.add_argument("run", help="its id, run_…: duly schedule history shows it")
    arguments = parser.read(words)

    async def do(duly: AnyDuly) -> str:
        run = await ask(duly, arguments.run)
        zone = Zone.of((await duly.me()).timezone)
        return as_json(plain(run)) if arguments.json else run_in_full(run, zone)

    return with_duly(arguments, clock, do)


def _backfill(parser: Parser, words: list[str], clock: Clock) -> str:
    """fire for every time of a past range"""
    from duly.service.schedules.values import moment

    _add_schedule(parser)
    parser.add_argument("--start", required=True, help="from this moment on, ISO 8601 with offset")
    parser.add_argument("--end", required=True, help="up to and including this moment")
    arguments = parser.read(words)
    start = moment(arguments.start, "--start")
    end = moment(arguments.end, "--end")
    made = with_duly(arguments, clock, lambda duly: duly.ask(BackfillSchedule(arguments.schedule, start, end)))
    if arguments.json:
        return as_json({"items": [plain(run) for run in made.items], "total": made.total})
    return f"✓ {made.total} runs recorded\n"


def _history(parser: Parser, words: list[str], clock: Clock) -> str:
    """show past runs, newest first"""
    from duly.operations.overview import ListRuns

    parser.add_argument("schedule", nargs="?", help="id or name (default: all schedules)")
    parser.add_argument("--status", action="append", default=[], help="only runs of this status; repeatable")
    parser.add_argument("--since", metavar="WHEN", help="not older than this: 2h, 3d, 2026-11-15")
    parser.add_argument("--until", metavar="WHEN", help="older than this")
    parser.add_argument("--project", metavar="ID", help="only runs of schedules with a target in this project")
    parser.add_argument("--kind", choices=("agent", "job", "person"), help="only runs of this kind")
    parser.add_argument("--text", help="only runs with this text in name, error or reason")
    add_limit(parser, 20, "show at most N, newest first")
    parser.add_argument("--cursor", help="id of the last run of the page before: show runs older than that one")
    arguments = parser.read(words)

    async def look(duly: AnyDuly) -> str:
        zone = Zone.of((await duly.me()).timezone)
        now = duly.clock.now()
        wanted = ListRuns(
            schedule=arguments.schedule,
            status=arguments.status,
            since=read_since(arguments.since, now, zone),
            until=read_since(arguments.until, now, zone, "--until"),
            project=arguments.project,
            kind=arguments.kind,
            text=arguments.text,
        )

        def ask(cursor: str | None, limit: int) -> Awaitable[Page[RunView]]:
            return duly.ask(replace(wanted, cursor=cursor, limit=limit))

        runs, cursor = await searched(ask, arguments.cursor, arguments.limit)
        if arguments.json:
            return as_json({"items": [plain(run) for run in runs], "next_cursor": cursor})
        return history(runs, zone, clock.now()) + next_page_line(cursor) if runs else "no runs yet\n"

    return with_duly(arguments, clock, look)


def _reown(parser: Parser, words: list[str], clock: Clock) -> str:
    """take over schedules that a revoked or expired token made or changed"""
    parser.add_argument("schedule", nargs="?", help="id or name")
    parser.add_argument("--token", metavar="ID", help="all schedules that this token made or last changed")
    parser.add_argument("--dry-run", action="store_true", help="only show which")
    arguments = parser.read(words)
    if (arguments.schedule is None) == (arguments.token is None):
        raise UsageError("duly schedule reown NAME, or duly schedule reown --token ID: one of the two")
    found = with_runtime(
        arguments,
        clock,
        lambda runtime, caller: runtime.services.use_cases.ownership.reown(
            caller, arguments.schedule, token=arguments.token, dry_run=arguments.dry_run
        ),
    )
    if arguments.json:
        return as_json({"schedules": [asdict(each) for each in found], "dry_run": arguments.dry_run})
    done = "would be yours" if arguments.dry_run else "is yours now"
    lines = [
        f"✓ {each.name} {done}, was of {each.changed_by or each.made_by or 'local'} · {each.id}\n" for each in found
    ]
    return "".join(lines) or "no schedules of this token\n"


def _preview(parser: Parser, words: list[str], clock: Clock) -> str:
    """show when it would fire; store nothing"""
    parser.add_argument("--cron", help='five fields, such as "0 9 * * 1-5"')
    parser.add_argument("--when", help='words instead of cron: "weekdays at 7:30"')
    add_zone_options(parser)
    parser.add_argument(
        "-n", "--count", metavar="N", type=whole_number(1, 1000), default=5, help="how many fires to show (default: 5)"
    )
    arguments = parser.read(words)
    asked = PreviewTimes(
        cron=arguments.cron,
        when=arguments.when,
        cron_timezone=arguments.cron_timezone,
        timezone=arguments.timezone,
        count=arguments.count,
    )
    shown = with_duly(arguments, clock, lambda duly: duly.ask(asked))
    if arguments.json:
        return as_json(asdict(shown))
    fires = table(["UTC", f"LOCAL ({shown.timezone})"], [[iso(fire.utc), fire.local] for fire in shown.next_runs])
    return f"{shown.when}\n{fires}" + "".join(f"note: {note}\n" for note in shown.notes)


def _shown(view: ScheduleView, arguments: Namespace) -> str:
    """Show a schedule that was made or changed."""
    return as_json(plain(view)) if arguments.json else confirmation(view)


def _add_schedule(parser: Parser) -> None:
    parser.add_argument("schedule", help="id or name")


VERBS: dict[str, Callable[[Parser, list[str], Any], str]] = {
    "create": _create,
    "list": show_list,
    "get": _get,
    "update": _update,
    "delete": _delete,
    "restore": _restore,
    "trigger": _trigger,
    "history": _history,
    "run": _run,
    "cancel": _cancel,
    "preview": _preview,
    "pause": _pause,
    "resume": _resume,
    "skip": _skip,
    "backfill": _backfill,
    "reown": _reown,
}

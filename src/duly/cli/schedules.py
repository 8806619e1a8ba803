"""`duly schedule …`: what the MCP tools can do, from the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from duly.cli.attention_lines import needs_attention
from duly.cli.common import as_json, ask, more, table, warned
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.schedule_lines import LAST, history, in_full, listed, run_in_full, told
from duly.cli.schedule_options import add_schedule_options, add_zone_options, read_cleared, read_form, read_new
from duly.cli.settings import add_settings_arguments
from duly.errors import NotFoundError
from duly.ports.records import RunFilter
from duly.service.access.access import Face
from duly.service.schedules.views import plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.model.run import Run
    from duly.runtime.runtime import Runtime

_NOTHING = 'no schedules yet; make one: duly schedule create NAME --cron "0 9 * * *" --prompt TEXT\n'
_CHOICES = ("project", "owner", "text", "cursor", "deleted")


def schedule(_parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly schedule VERB …`."""
    if not words or words[0] in ("-h", "--help") or words[0] not in VERBS:
        listed = "\n".join(f"  {name:9} {verb.__doc__}" for name, verb in VERBS.items())
        if words and words[0] not in ("-h", "--help"):
            raise UsageError(f"no such verb: duly schedule {words[0]}; there are {', '.join(VERBS)}")
        return f"usage: duly schedule VERB ...\n\n{listed}\n"
    verb, *rest = words
    inner = Parser(f"duly schedule {verb}", str(VERBS[verb].__doc__))
    add_common_options(inner)
    return VERBS[verb](inner, rest, clock)


def add_common_options(parser: Parser) -> None:
    """The options every verb has."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def _create(parser: Parser, words: list[str], clock: Clock) -> str:
    """make a schedule"""
    parser.add_argument("name")
    add_schedule_options(parser)
    arguments = parser.read(words)
    form = {"name": arguments.name, **read_new(arguments)}

    async def make(runtime: Runtime) -> str:
        made = await runtime.use_cases.schedule_create(runtime.local(Face.CLI), form)
        return as_json(plain(made)) if arguments.json else told(made)

    return ask(arguments, clock, make)


def _update(parser: Parser, words: list[str], clock: Clock) -> str:
    """change fields of a schedule"""
    parser.add_argument("schedule", help="id or name")
    parser.add_argument("--name", help="a new name")
    parser.add_argument("--clear", action="append", default=[], metavar="FIELD", help="leave a field empty; repeatable")
    add_schedule_options(parser)
    arguments = parser.read(words)
    changes, cleared = read_form(arguments), read_cleared(arguments)
    made = ask(
        arguments,
        clock,
        lambda runtime: runtime.use_cases.schedule_update(
            runtime.local(Face.CLI), arguments.schedule, changes, cleared
        ),
    )
    return as_json(plain(made)) if arguments.json else told(made)


def list_schedules(parser: Parser, words: list[str], clock: Clock) -> str:
    """list schedules and reminders, with their next time"""
    parser.add_argument("--project", metavar="ID", help="those with a target there")
    parser.add_argument("--owner", help="a person's id, or a namespace such as butler:home")
    parser.add_argument("--text", help="in name, description or prompt")
    parser.add_argument("--limit", type=whole_number(1, 500), default=50, help="how many at once (50)")
    parser.add_argument("--cursor", help="next_cursor of the page before")
    parser.add_argument("--deleted", action="store_true", help="those that were removed")
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--enabled", action="store_true", default=None, help="those that fire")
    state.add_argument("--disabled", dest="enabled", action="store_false", default=None, help="those that do not")
    arguments = parser.read(words)
    filters = {name: getattr(arguments, name) for name in (*_CHOICES, "limit", "enabled")}
    return ask(arguments, clock, lambda runtime: _page(runtime, filters, for_programs=arguments.json))


async def _page(runtime: Runtime, filters: dict[str, Any], *, for_programs: bool) -> str:
    items, cursor = await runtime.use_cases.schedule_list(runtime.local(Face.CLI), **filters)
    fires = any(item.next_run_at is not None or item.attention for item in items)
    nothing_runs = await runtime.attention.nothing_runs() if fires else None
    if for_programs:
        page = {"items": [plain(item) for item in items], "next_cursor": cursor}
        return as_json(page if nothing_runs is None else {**page, "warning": nothing_runs})
    if not items:
        chosen = filters["enabled"] is not None or any(filters[name] for name in _CHOICES)
        return "none found\n" if chosen else _NOTHING
    runs = {item.id: await _last_runs(runtime, item.id) for item in items}
    zone, now = Zone.of(await runtime.use_cases.zones.person(runtime.local(Face.CLI))), runtime.clock.now()
    warning = "" if nothing_runs is None else f"\n{nothing_runs}\n"
    return listed(items, runs, zone, now) + more(cursor) + needs_attention(items, zone, now) + warning


async def _last_runs(runtime: Runtime, schedule_id: str) -> list[Run]:
    """The last runs of a schedule without what they put out, which may be much."""
    runs = await runtime.store.runs(RunFilter(schedule_id=schedule_id, limit=LAST))
    return [replace(run, result=None, error=None, progress=None) for run in runs]


def _get(parser: Parser, words: list[str], clock: Clock) -> str:
    """show one schedule"""
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)

    async def look(runtime: Runtime) -> str:
        shown = await runtime.use_cases.schedule_get(runtime.local(Face.CLI), arguments.schedule)
        zone = Zone.of(await runtime.use_cases.zones.person(runtime.local(Face.CLI)))
        return as_json(plain(shown)) if arguments.json else in_full(shown, zone, runtime.clock.now())

    return ask(arguments, clock, look)


def _delete(parser: Parser, words: list[str], clock: Clock) -> str:
    """remove a schedule; its history stays"""
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)
    gone = ask(
        arguments, clock, lambda runtime: runtime.use_cases.schedule_delete(runtime.local(Face.CLI), arguments.schedule)
    )
    if arguments.json:
        return as_json({"id": gone.id, "name": gone.name, "deleted": True})
    return f"✓ {gone.name} removed; undo: duly schedule restore {gone.id}\n"


def _restore(parser: Parser, words: list[str], clock: Clock) -> str:
    """undo a removal, by id; it comes back paused"""
    parser.add_argument("schedule", metavar="ID", help="sched_…")
    parser.add_argument("--name", help="a new name, if the old one is taken")
    arguments = parser.read(words)
    try:
        back = ask(
            arguments,
            clock,
            lambda runtime: runtime.use_cases.schedule_restore(
                runtime.local(Face.CLI), arguments.schedule, arguments.name
            ),
        )
        return as_json(plain(back)) if arguments.json else told(back)
    except NotFoundError as error:
        raise NotFoundError(f"{error} among the removed: `duly schedule list --deleted` shows their ids") from error


def _pause(parser: Parser, words: list[str], clock: Clock) -> str:
    """stop firing until resumed"""
    return _one(parser, words, clock, "schedule_pause")


def _resume(parser: Parser, words: list[str], clock: Clock) -> str:
    """fire again, from now on"""
    return _one(parser, words, clock, "schedule_resume")


def _skip(parser: Parser, words: list[str], clock: Clock) -> str:
    """leave the next fire out, on the record"""
    return _one(parser, words, clock, "schedule_skip_next")


def _one(parser: Parser, words: list[str], clock: Clock, use_case: str) -> str:
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)
    shown = ask(
        arguments,
        clock,
        lambda runtime: getattr(runtime.use_cases, use_case)(runtime.local(Face.CLI), arguments.schedule),
    )
    return as_json(plain(shown)) if arguments.json else told(shown)


def _trigger(parser: Parser, words: list[str], clock: Clock) -> str:
    """run a schedule now; whoever runs the engine carries it out"""
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)

    async def trigger(runtime: Runtime) -> str:
        run = await runtime.use_cases.schedule_trigger(runtime.local(Face.CLI), arguments.schedule)
        if arguments.json:
            return as_json(plain(run))
        why = f": {run.reason}" if run.reason else ""
        return f"✓ {run.name} {run.status}{why} · {run.id}\n{warned(run.warning)}"

    return ask(arguments, clock, trigger)


def _run(parser: Parser, words: list[str], clock: Clock) -> str:
    """show one run, with what became of every target"""
    return _one_run(parser, words, clock, "run_get")


def _cancel(parser: Parser, words: list[str], clock: Clock) -> str:
    """call off a run that waits, or stop one under way"""
    return _one_run(parser, words, clock, "run_cancel")


def _one_run(parser: Parser, words: list[str], clock: Clock, use_case: str) -> str:
    parser.add_argument("run", help="its id, run_…: duly schedule history shows it")
    arguments = parser.read(words)
    run = ask(
        arguments, clock, lambda runtime: getattr(runtime.use_cases, use_case)(runtime.local(Face.CLI), arguments.run)
    )
    return as_json(plain(run)) if arguments.json else run_in_full(run)


def _backfill(parser: Parser, words: list[str], clock: Clock) -> str:
    """fire for every time of a past range"""
    from duly.service.schedules.values import moment

    parser.add_argument("schedule", help="id or name")
    parser.add_argument("--start", required=True, help="after this moment, ISO 8601 with offset")
    parser.add_argument("--end", required=True, help="up to and including this moment")
    arguments = parser.read(words)
    start, end = moment(arguments.start, "--start"), moment(arguments.end, "--end")
    runs, total = ask(
        arguments,
        clock,
        lambda runtime: runtime.use_cases.schedule_backfill(runtime.local(Face.CLI), arguments.schedule, start, end),
    )
    if arguments.json:
        return as_json({"items": [plain(run) for run in runs], "total": total})
    return f"✓ {total} runs recorded\n"


def _history(parser: Parser, words: list[str], clock: Clock) -> str:
    """past runs, the newest first"""
    parser.add_argument("schedule", nargs="?", help="id or name; all without")
    parser.add_argument("--status", action="append", default=[], help="only these; repeatable")
    parser.add_argument(
        "--limit", type=whole_number(1, 500), default=20, help="show at most so many, newest first (20)"
    )
    parser.add_argument("--cursor", help="id of the last run of the page before: older runs than that one")
    arguments = parser.read(words)

    async def look(runtime: Runtime) -> str:
        runs, cursor = await runtime.use_cases.schedule_history(
            runtime.local(Face.CLI),
            arguments.schedule,
            statuses=arguments.status,
            limit=arguments.limit,
            cursor=arguments.cursor,
        )
        if arguments.json:
            return as_json({"items": [plain(run) for run in runs], "next_cursor": cursor})
        zone = Zone.of(await runtime.use_cases.zones.person(runtime.local(Face.CLI)))
        return history(runs, zone) + more(cursor) if runs else "no runs yet\n"

    return ask(arguments, clock, look)


def _reown(parser: Parser, words: list[str], clock: Clock) -> str:
    """take over what a revoked or expired token made or changed"""
    parser.add_argument("schedule", nargs="?", help="id or name")
    parser.add_argument("--token", metavar="ID", help="all that this token made or last changed")
    parser.add_argument("--dry-run", action="store_true", help="only show which")
    arguments = parser.read(words)
    if (arguments.schedule is None) == (arguments.token is None):
        raise UsageError("duly schedule reown NAME, or duly schedule reown --token ID: one of the two")
    found = ask(
        arguments,
        clock,
        lambda runtime: runtime.use_cases.ownership.reown(
            runtime.local(Face.CLI), arguments.schedule, token=arguments.token, dry_run=arguments.dry_run
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
    """when would it fire? stores nothing"""
    parser.add_argument("--cron", help='five fields, such as "0 9 * * 1-5"')
    parser.add_argument("--when", help='words instead of cron: "weekdays at 7:30"')
    add_zone_options(parser)
    parser.add_argument("-n", "--count", type=whole_number(1, 1000), default=5, help="how many fires (5)")
    arguments = parser.read(words)

    shown = ask(
        arguments,
        clock,
        lambda runtime: runtime.use_cases.schedule_preview(
            runtime.local(Face.CLI),
            arguments.cron,
            arguments.when,
            cron_timezone=arguments.cron_timezone,
            timezone=arguments.timezone,
            count=arguments.count,
        ),
    )
    if arguments.json:
        return as_json(asdict(shown))
    fires = table(["UTC", f"LOCAL ({shown.timezone})"], [[fire.utc, fire.local] for fire in shown.next_runs])
    return f"{shown.when}\n{fires}" + "".join(f"note: {note}\n" for note in shown.notes)


VERBS: dict[str, Callable[[Parser, list[str], Any], str]] = {
    "create": _create,
    "list": list_schedules,
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

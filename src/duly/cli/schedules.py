"""`duly schedule …`: what the MCP tools can do, from the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duly.cli.houses import as_json, ask, table
from duly.cli.moments import in_how_long
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.schedule_options import add_schedule_options, read_form
from duly.cli.settings import add_settings_arguments
from duly.service.access import Face
from duly.service.views import RunView, ScheduleView, plain

if TYPE_CHECKING:
    from duly.clock import Clock

_NOTHING = 'no schedules yet; make one: duly schedule create NAME --cron "0 9 * * *" --prompt TEXT\n'


def schedule(_parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly schedule VERB …`."""
    if not words or words[0] in ("-h", "--help") or words[0] not in VERBS:
        listed = "\n".join(f"  {name:9} {verb.__doc__}" for name, verb in VERBS.items())
        if words and words[0] not in ("-h", "--help"):
            raise UsageError(f"no such verb: duly schedule {words[0]}; there are {', '.join(VERBS)}")
        return f"usage: duly schedule VERB ...\n\n{listed}\n"
    verb, *rest = words
    inner = Parser(f"duly schedule {verb}", str(VERBS[verb].__doc__))
    add_settings_arguments(inner)
    inner.add_argument("--json", action="store_true", help="for programs")
    return VERBS[verb](inner, rest, clock)


def _create(parser: Parser, words: list[str], clock: Clock) -> str:
    """make a schedule"""
    parser.add_argument("name")
    add_schedule_options(parser)
    arguments = parser.read(words)
    form = {"name": arguments.name, **read_form(arguments)}
    made = ask(arguments, clock, lambda house: house.use_cases.schedule_create(house.local(Face.CLI), form))
    return as_json(plain(made)) if arguments.json else told(made)


def _update(parser: Parser, words: list[str], clock: Clock) -> str:
    """change fields of a schedule"""
    parser.add_argument("schedule", help="id or name")
    parser.add_argument("--name", help="a new name")
    parser.add_argument("--clear", action="append", default=[], metavar="FIELD", help="leave a field empty; repeatable")
    add_schedule_options(parser)
    arguments = parser.read(words)
    changes = {**read_form(arguments), **dict.fromkeys(each.replace("-", "_") for each in arguments.clear)}
    made = ask(
        arguments,
        clock,
        lambda house: house.use_cases.schedule_update(house.local(Face.CLI), arguments.schedule, changes),
    )
    return as_json(plain(made)) if arguments.json else told(made)


def _list(parser: Parser, words: list[str], clock: Clock) -> str:
    """list schedules"""
    parser.add_argument("--project")
    parser.add_argument("--owner", help="a person's id, or a namespace such as butler:home")
    parser.add_argument("--text", help="in name, description or prompt")
    parser.add_argument("--limit", type=whole_number(1, 500), default=50)
    parser.add_argument("--cursor", help="next_cursor of the page before")
    parser.add_argument("--deleted", action="store_true", help="those that were removed")
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--enabled", action="store_true", default=None)
    state.add_argument("--disabled", dest="enabled", action="store_false", default=None)
    arguments = parser.read(words)
    names = ("project", "owner", "text", "limit", "cursor", "deleted", "enabled")
    filters = {name: getattr(arguments, name) for name in names}
    items, cursor = ask(arguments, clock, lambda house: house.use_cases.schedule_list(house.local(Face.CLI), **filters))
    if arguments.json:
        return as_json({"items": [plain(item) for item in items], "next_cursor": cursor})
    if not items:
        return _NOTHING if not any(filters[name] for name in ("project", "owner", "text", "cursor")) else "none found\n"
    rows = [[item.name, item.when, _next(item, clock), item.last_status or "", _state(item), item.id] for item in items]
    more = f"more: --cursor {cursor}\n" if cursor else ""
    return table(["NAME", "WHEN", "NEXT", "LAST", "STATE", "ID"], rows) + more


def _get(parser: Parser, words: list[str], clock: Clock) -> str:
    """show one schedule"""
    return _one(parser, words, clock, "schedule_get")


def _delete(parser: Parser, words: list[str], clock: Clock) -> str:
    """remove a schedule; its history stays"""
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)
    gone = ask(
        arguments, clock, lambda house: house.use_cases.schedule_delete(house.local(Face.CLI), arguments.schedule)
    )
    if arguments.json:
        return as_json({"id": gone.id, "name": gone.name, "deleted": True})
    return f"✓ {gone.name} removed; undo: duly schedule restore {gone.id}\n"


def _restore(parser: Parser, words: list[str], clock: Clock) -> str:
    """undo a removal, by id; it comes back paused"""
    return _one(parser, words, clock, "schedule_restore")


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
        arguments, clock, lambda house: getattr(house.use_cases, use_case)(house.local(Face.CLI), arguments.schedule)
    )
    return as_json(plain(shown)) if arguments.json else told(shown)


def _trigger(parser: Parser, words: list[str], clock: Clock) -> str:
    """run a schedule now; whoever runs the engine carries it out"""
    parser.add_argument("schedule", help="id or name")
    arguments = parser.read(words)
    run = ask(
        arguments, clock, lambda house: house.use_cases.schedule_trigger(house.local(Face.CLI), arguments.schedule)
    )
    if arguments.json:
        return as_json(plain(run))
    why = f": {run.reason}" if run.reason else ""
    return f"✓ {run.name} {run.status}{why} · {run.id}\n"


def _backfill(parser: Parser, words: list[str], clock: Clock) -> str:
    """fire for every time of a past range"""
    from duly.service.values import moment

    parser.add_argument("schedule", help="id or name")
    parser.add_argument("--start", required=True, help="after this moment, ISO 8601 with offset")
    parser.add_argument("--end", required=True, help="up to and including this moment")
    arguments = parser.read(words)
    start, end = moment(arguments.start, "--start"), moment(arguments.end, "--end")
    runs = ask(
        arguments,
        clock,
        lambda house: house.use_cases.schedule_backfill(house.local(Face.CLI), arguments.schedule, start, end),
    )
    return as_json([plain(run) for run in runs]) if arguments.json else f"✓ {len(runs)} runs recorded\n"


def _history(parser: Parser, words: list[str], clock: Clock) -> str:
    """past runs, the newest first"""
    parser.add_argument("schedule", nargs="?", help="id or name; all without")
    parser.add_argument("--status", action="append", default=[], help="only these; repeatable")
    parser.add_argument("--limit", type=whole_number(1, 500), default=20)
    arguments = parser.read(words)
    runs = ask(
        arguments,
        clock,
        lambda house: house.use_cases.schedule_history(
            house.local(Face.CLI), arguments.schedule, statuses=arguments.status, limit=arguments.limit
        ),
    )
    if arguments.json:
        return as_json([plain(run) for run in runs])
    if not runs:
        return "no runs yet\n"
    return table(["FIRED", "NAME", "STATUS", "ATTEMPT", "WHAT", "ID"], [_run_row(run) for run in runs])


def _preview(parser: Parser, words: list[str], clock: Clock) -> str:
    """when would it fire? stores nothing"""
    parser.add_argument("--cron")
    parser.add_argument("--when")
    parser.add_argument("--cron-timezone", default="UTC")
    parser.add_argument("--timezone")
    parser.add_argument("-n", "--count", type=whole_number(1, 1000), default=5)
    arguments = parser.read(words)

    async def look(house: Any) -> dict[str, Any]:
        shown: dict[str, Any] = house.use_cases.schedule_preview(
            arguments.cron,
            arguments.when,
            cron_timezone=arguments.cron_timezone,
            timezone=arguments.timezone,
            count=arguments.count,
        )
        return shown

    shown = ask(arguments, clock, look)
    if arguments.json:
        return as_json({**shown, "next_runs": [asdict(fire) for fire in shown["next_runs"]]})
    fires = table(["UTC", f"LOCAL ({shown['timezone']})"], [[fire.utc, fire.local] for fire in shown["next_runs"]])
    return f"{shown['when']}\n{fires}" + "".join(f"note: {note}\n" for note in shown["notes"])


VERBS: dict[str, Callable[[Parser, list[str], Any], str]] = {
    "create": _create,
    "list": _list,
    "get": _get,
    "update": _update,
    "delete": _delete,
    "restore": _restore,
    "trigger": _trigger,
    "history": _history,
    "preview": _preview,
    "pause": _pause,
    "resume": _resume,
    "skip": _skip,
    "backfill": _backfill,
}


def told(view: ScheduleView) -> str:
    lines = [f"✓ {view.name} · {view.when} · {_state(view)} · {view.id}"]
    lines += [f"  next  {fire.local}  ({fire.utc})" for fire in view.next_runs]
    lines += [f"  note: {note}" for note in view.notes]
    if view.last_status:
        lines.append(f"  last  {view.last_run_at} {view.last_status}")
    return "\n".join(lines) + "\n"


def _state(view: ScheduleView) -> str:
    if view.quarantine:
        return "unreadable"
    return "ok" if view.enabled else f"off ({view.disabled_by or 'disabled'})"


def _next(view: ScheduleView, clock: Clock) -> str:
    from datetime import datetime

    if view.next_run_at is None:
        return "-"
    seconds = int((datetime.fromisoformat(view.next_run_at) - clock.now()).total_seconds())
    local = view.next_runs[0].local[:16].replace("T", " ") if view.next_runs else view.next_run_at
    return f"{local} ({in_how_long(max(seconds, 0))})"


def _run_row(run: RunView) -> list[str]:
    said = run.error or run.reason or ("" if run.result is None else str(run.result))
    return [run.fire_at, run.name, run.status, str(run.attempt), said.replace("\n", " ")[:60], run.id]

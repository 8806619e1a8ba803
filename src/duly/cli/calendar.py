"""`duly calendar` and `duly import`: calendars that subscribe to duly, and calendar files as reminders."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli import FAILED, OK
from duly.cli.arguments import Parser, UsageError, add_common_arguments, refuse_surplus
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.output import CommandOutput, as_json, here, table
from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.service.calendar.calendar import ImportItem, NewCalendarLink

_TAKES = {
    "link": ("what",),
    "list": (),
    "rotate": ("what",),
    "revoke": ("what",),
    "export": ("what", "rhythms"),
}
SCHEDULERS = ("celery-beat", "crontab", "apscheduler")
"""The schedulers whose schedules are brought in: see `duly.cli.foreign`."""
_SIGNS = {"created": "+", "updated": "~", "unchanged": "=", "refused": "✗"}


def calendar(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly calendar link|list|rotate|revoke|export`."""
    add_common_arguments(parser)
    parser.add_argument("verb", choices=list(_TAKES))
    parser.add_argument(
        "what", nargs="?", help="link: a name for it; rotate, revoke: the id of a link; export: a file, or - for output"
    )
    parser.add_argument(
        "--rhythms", action="store_true", default=None, help="export: with schedules of more than 24 fires a day"
    )
    arguments = parser.read(words)
    refuse_surplus(arguments, _TAKES, "duly calendar")
    return {"link": _link, "rotate": _link, "list": _list, "revoke": _revoke, "export": _export}[arguments.verb](
        arguments, clock
    )


def _link(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.calendar import CreateCalendarLink, RotateCalendarLink
    from duly.service.schedules.views import plain

    rotates = arguments.verb == "rotate"
    ask = RotateCalendarLink(_id(arguments)) if rotates else CreateCalendarLink(arguments.what or "duly")

    async def make(duly: AnyDuly) -> tuple[NewCalendarLink, str]:
        made = await duly.ask(ask)
        return made, f"{duly.address}{made.path}"

    made, address = with_duly(arguments, clock, make)
    if arguments.json:
        return as_json({**plain(made.link), "url": address})
    webcal = address.replace("https://", "webcal://", 1).replace("http://", "webcal://", 1)
    return (
        f"{address}\n✓ {made.link.id} · shown this once, keep it: who has it can read\n  Apple and Outlook: {webcal}\n"
    )


def _list(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.calendar import ListCalendarLinks
    from duly.service.schedules.views import plain

    links = with_duly(arguments, clock, lambda duly: duly.ask(ListCalendarLinks()))
    if arguments.json:
        return as_json({"items": [plain(each) for each in links]})
    if not links:
        return "no calendar links yet; make one: duly calendar link\n"
    rows = [
        [each.name, each.token_id or "local", here(each.created_at) or "", here(each.last_used_at) or "never", each.id]
        for each in links
    ]
    return table(["NAME", "TOKEN", "MADE", "LAST USED", "ID"], rows)


def _revoke(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.calendar import RevokeCalendarLink
    from duly.service.schedules.views import plain

    ask = RevokeCalendarLink(_id(arguments))
    gone = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    return as_json(plain(gone)) if arguments.json else f"✓ {gone.name} ({gone.id}) shows nothing any more\n"


def _export(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.calendar import ExportCalendar

    if not arguments.what:
        raise UsageError("duly calendar export FILE (or - for standard output)")
    ask = ExportCalendar(rhythms=bool(arguments.rhythms))
    data = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.what == "-":
        return data.decode().replace("\r\n", "\n")
    file = Path(arguments.what).expanduser()
    try:
        file.write_bytes(data)
    except OSError as error:
        raise InvalidInputError(f"cannot write {file}: {error.strerror}") from error
    return as_json({"file": str(file), "bytes": len(data)}) if arguments.json else f"✓ {file}, {len(data)} bytes\n"


def _id(arguments: Namespace) -> str:
    if not arguments.what:
        raise UsageError(f"duly calendar {arguments.verb} ID: `duly calendar list` shows the ids")
    return str(arguments.what)


def import_file(parser: Parser, words: list[str], clock: Clock) -> CommandOutput:
    """`duly import FILE.ics`: make reminders of the events and tasks of a calendar file."""
    if words and words[0] in SCHEDULERS:
        from duly.cli.foreign import import_schedules  # late: few change over twice

        return import_schedules(parser, words, clock)
    from duly.operations.calendar import ImportCalendar
    from duly.service.schedules.views import plain

    add_common_arguments(parser)
    parser.add_argument(
        "file", help=f"a calendar file (.ics), or - for standard input; or {', '.join(SCHEDULERS)}: another scheduler"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--user", help="whose reminders they become (default: yours)")
    arguments = parser.read(words)
    ask = ImportCalendar(_read(arguments.file), user=arguments.user, dry_run=arguments.dry_run)
    report = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    refused = report.count("refused")
    code = FAILED if report.items and refused == len(report.items) else OK
    if arguments.json:
        return CommandOutput(as_json(plain(report)), code)
    counts = ", ".join(f"{report.count(action)} {action}" for action in ("created", "updated", "unchanged", "refused"))
    end = f"would be: {counts}" if arguments.dry_run else counts
    return CommandOutput("".join(map(_line, report.items)) + f"{end}\n", code)


def _line(item: ImportItem) -> str:
    rest = item.reason if item.action == "refused" else item.when
    return f"{_SIGNS[item.action]} {item.title}: {rest}\n"


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    file = Path(name).expanduser()
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}") from error

"""`duly import celery-beat|crontab|apscheduler`: take over the schedules of another scheduler."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duly.cli import FAILED, OK
from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.output import CommandOutput, as_json
from duly.cli.settings import REMOTE, with_runtime
from duly.errors import InvalidInputError
from duly.zones import Zone, local_iso

if TYPE_CHECKING:
    from datetime import datetime

    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller
    from duly.service.foreign.entries import ForeignEntry
    from duly.service.foreign.importing import ForeignReport, ImportedEntry

_SIGNS = {"created": "+", "updated": "~", "unchanged": "=", "refused": "✗"}
_SYSTEM_TABLES = ("/etc/crontab", "/etc/cron.d/")
_WHAT = {
    "celery-beat": "an application (proj.celery) or the database of django-celery-beat (sqlite:///db.sqlite3)",
    "crontab": "a table of cron, or - for standard input: crontab -l | duly import crontab -",
    "apscheduler": "the database of its job store (sqlite:///jobs.sqlite)",
}


def import_schedules(parser: Parser, words: list[str], clock: Clock) -> CommandOutput:
    """Show what becomes of each entry, and make the schedules unless it is a dry run."""
    from duly.service.schedules.views import plain

    add_common_arguments(parser)
    parser.add_argument("scheduler", choices=list(_WHAT))
    parser.add_argument("place", nargs="?", help="; ".join(f"{name}: {what}" for name, what in _WHAT.items()))
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--executor", help="celery-beat: the executor of duly.toml that runs the tasks")
    parser.add_argument("--system", action="store_true", help="crontab: its lines name the user, as in /etc/crontab")
    parser.add_argument("--namespace", help="where the schedules go (default: named after the scheduler)")
    arguments = parser.read(words)
    if REMOTE.get() is not None:
        raise UsageError(f"duly import {arguments.scheduler} works on the machine of the daemon: leave out --server")
    if not arguments.place:
        raise UsageError(f"duly import {arguments.scheduler} needs {_WHAT[arguments.scheduler]}")

    async def bring_in(runtime: Runtime, _caller: Caller) -> tuple[ForeignReport, str]:
        from duly.service.foreign import importing

        report = await importing.bring_in(
            runtime.capabilities.sync(runtime.store, runtime.zone),
            arguments.namespace or arguments.scheduler,
            _entries(arguments, runtime),
            clock.now(),
            dry_run=arguments.dry_run,
        )
        runtime.wake()
        return report, runtime.zone

    report, zone = with_runtime(arguments, clock, bring_in)
    refused = report.count("refused")
    code = FAILED if report.items and refused == len(report.items) else OK
    if arguments.json:
        return CommandOutput(as_json(plain(report)), code)
    if not report.items:
        return CommandOutput(f"{arguments.place} has no schedules\n", OK)
    counts = ", ".join(f"{report.count(action)} {action}" for action in _SIGNS)
    end = f"would be: {counts}" if arguments.dry_run else f"{counts}, in the namespace {report.namespace}"
    return CommandOutput("".join(_told(each, Zone.of(zone)) for each in report.items) + f"{end}\n", code)


def _entries(arguments: Namespace, runtime: Runtime) -> list[ForeignEntry]:
    capabilities = runtime.capabilities
    place: str = arguments.place
    if arguments.scheduler == "crontab":
        from duly.service.foreign.crontab import read_crontab

        is_system = arguments.system or place.startswith(_SYSTEM_TABLES)
        return read_crontab(_text(place), is_system=is_system, zone=runtime.zone, job_named=capabilities.job_named)
    if arguments.scheduler == "apscheduler":
        from duly.service.foreign.apscheduler_jobs import read_jobs

        return read_jobs(place, capabilities.job_at)
    executor = _executor(arguments, runtime.settings.executors)
    if "://" in place:
        from duly.service.foreign.django_tables import read_tables

        return read_tables(place, executor)
    from duly.service.foreign.celery_beat import find_app, read_app

    sys.path.insert(0, str(Path.cwd()))  # as `celery -A` does
    return read_app(find_app(place), executor)


def _executor(arguments: Namespace, known: Any) -> str:
    """Give the executor that is named, or the only one of Celery."""
    names = [name for name, each in known.items() if each.kind == "celery"]
    if arguments.executor is not None:
        return str(arguments.executor)
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise InvalidInputError(
            'duly.toml has no executor of Celery that could run the tasks: add [executors.celery] with kind = "celery"'
        )
    raise UsageError(f"--executor says which executor of Celery runs the tasks: {', '.join(sorted(names))}")


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    file = Path(name).expanduser()
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}") from error


def _told(entry: ImportedEntry, zone: Zone) -> str:
    """Tell one entry: what it becomes, its first times there and here, and what is lost."""
    if entry.action == "refused":
        return f"✗ {entry.name}  {entry.written}\n    {entry.reason}\n"
    lines = [f"{_SIGNS[entry.action]} {entry.name}  {entry.written}  →  {entry.when}"]
    lines += [f"    {name}: {before} → {after}" for name, (before, after) in entry.differences.items()]
    here = _times(entry.next_here, zone)
    if entry.next_there is None:
        lines.append(f"    here   {here}")
    elif entry.differs:
        lines += [f"    there  {_times(entry.next_there, zone)}", f"    here   {here}  ← other times"]
    else:
        lines.append(f"    there and here  {here}")
    lines += [f"    not taken over: {loss}" for loss in entry.losses]
    return "\n".join(lines) + "\n"


def _times(times: list[datetime], zone: Zone) -> str:
    return ", ".join(local_iso(at, zone) for at in times) or "never"

"""`duly sync`, `duly tick`: what keeps a runtime in order."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duly.cli.common import as_json, ask
from duly.cli.parser import Parser, UsageError
from duly.cli.settings import add_settings_arguments

if TYPE_CHECKING:
    from duly.clock import Clock

_SIGNS = {"created": "+", "updated": "~", "enabled": "↑", "disabled": "↓", "taken_over": "!"}


def sync(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly sync`: bring the butler's schedules in line with duly.toml."""
    _common(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    arguments = parser.read(words)
    report = ask(arguments, clock, lambda runtime: runtime.sync_schedules(dry_run=arguments.dry_run))
    if report is None:
        raise UsageError("there is no [butler] in duly.toml, or no duly.toml: --config names the file")
    if arguments.json:
        return as_json({**asdict(report), "dry_run": arguments.dry_run})
    lines = []
    for what, sign in _SIGNS.items():
        for name in getattr(report, what):
            lines.append(f"{sign} {name} ({what.replace('_', ' ')})")
            lines += [_difference(*each) for each in report.differences.get(name, {}).items()]
    end = f"{report.changes} to change" if arguments.dry_run else f"{report.changes} changed"
    return "\n".join([*lines, f"{end}, {len(report.unchanged)} unchanged"]) + "\n"


def _difference(field: str, values: tuple[Any, Any]) -> str:
    before, after = ("-" if value is None else json.dumps(value, ensure_ascii=False) for value in values)
    return f"    {field}: {before} → {after}"


def tick(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly tick`: carry out what is due, one after the other, and stop."""
    _common(parser)
    arguments = parser.read(words)

    done = ask(arguments, clock, lambda runtime: runtime.tick())
    return as_json({"succeeded": done}) if arguments.json else f"✓ {done} succeeded\n"


def _common(parser: Parser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")

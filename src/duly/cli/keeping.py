"""`duly sync`, `duly token`, `duly tick`: what keeps a house in order."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duly.cli.houses import as_json, ask, table
from duly.cli.parser import Parser, UsageError, refuse_surplus
from duly.cli.settings import add_settings_arguments
from duly.service.access import Face
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.tokens import TokenRecord

_SIGNS = {"created": "+", "updated": "~", "enabled": "↑", "disabled": "↓", "taken_over": "!"}


def sync(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly sync`: bring the butler's schedules in line with duly.toml."""
    _common(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    arguments = parser.read(words)
    report = ask(arguments, clock, lambda house: house.sync_schedules(dry_run=arguments.dry_run))
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

    done = ask(arguments, clock, lambda house: house.tick())
    return as_json({"succeeded": done}) if arguments.json else f"✓ {done} succeeded\n"


def token(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly token create|list|revoke`."""
    _common(parser)
    verbs = {"create": _create_token, "list": _list_tokens, "revoke": _revoke_token}
    parser.add_argument("verb", choices=list(verbs))
    parser.add_argument("what", nargs="?", help="create: a name; revoke: an id")
    parser.add_argument("--scope", help="admin, admin:ro, project:ID, project:ID:ro or user:ID")
    arguments = parser.read(words)
    refuse_surplus(arguments, {"create": ("what", "scope"), "list": (), "revoke": ("what",)}, "duly token")
    return verbs[arguments.verb](arguments, clock)


def _create_token(arguments: Any, clock: Clock) -> str:
    if not arguments.what or not arguments.scope:
        raise UsageError("duly token create NAME --scope SCOPE (admin, admin:ro, project:ID, project:ID:ro, user:ID)")
    made = ask(
        arguments, clock, lambda house: house.tokens.create(house.local(Face.CLI), arguments.what, arguments.scope)
    )
    if arguments.json:
        return as_json({**_plain(made.record), "token": made.secret})
    return f"{made.secret}\n✓ {made.record.id} · {made.record.scope} · shown this once, keep it\n"


def _list_tokens(arguments: Any, clock: Clock) -> str:
    tokens = ask(arguments, clock, lambda house: house.tokens.list(house.local(Face.CLI)))
    if arguments.json:
        return as_json([_plain(each) for each in tokens])
    if not tokens:
        return "no tokens yet; make one: duly token create NAME --scope project:ID\n"
    rows = [
        [each.name, each.scope, iso(each.last_used_at) or "never", "revoked" if each.revoked_at else "ok", each.id]
        for each in tokens
    ]
    return table(["NAME", "SCOPE", "LAST USED", "STATE", "ID"], rows)


def _revoke_token(arguments: Any, clock: Clock) -> str:
    if not arguments.what:
        raise UsageError("duly token revoke ID: `duly token list` shows the ids")
    gone = ask(arguments, clock, lambda house: house.tokens.revoke(house.local(Face.CLI), arguments.what))
    return as_json(_plain(gone)) if arguments.json else f"✓ {gone.name} ({gone.id}) opens nothing any more\n"


def _plain(record: TokenRecord) -> dict[str, Any]:
    times = {name: iso(getattr(record, name)) for name in ("created_at", "last_used_at", "revoked_at")}
    return {"id": record.id, "name": record.name, "scope": record.scope, **times}


def _common(parser: Parser) -> None:
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")

"""`duly token`, `duly quotas` and `duly trust`: who may do what, how much of it, and which files are used."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli.arguments import PAGE, Parser, UsageError, add_common_arguments, add_page_arguments, refuse_surplus
from duly.cli.asking import with_duly
from duly.cli.output import as_json, here, next_page_line, table, warning_line
from duly.cli.settings import REMOTE, with_runtime
from duly.errors import ConfigError, DulyError
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.tokens import TokenRecord
    from duly.runtime.runtime import Runtime
    from duly.service.access.quotas import QuotaView
    from duly.service.access.scopes import Caller
    from duly.service.access.token_views import TokenView

_TAKES = {
    "create": ("what", "scope", "grant", "expires"),
    "list": ("limit", "cursor"),
    "revoke": ("what",),
    "rotate": ("what", "grace", "expires", "end_calendar_links"),
    "grant": ("what", "more"),
    "ungrant": ("what", "more"),
    "rotate-links": ("grace",),
}
_SCOPES = "admin, admin:ro, project:ID, project:ID:ro, user:NAME, user:NAME:ro"
_EXPIRES_SOON = "expires soon"
_SHOWN = 20  # files that are trusted with another
_NO_QUOTAS = "no person and no project has a schedule yet: quotas are for what their tokens make\n"


def token(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly token create|list|revoke|rotate|grant|ungrant|rotate-links`."""
    add_common_arguments(parser)
    parser.add_argument("verb", choices=list(_TAKES))
    parser.add_argument(
        "what", nargs="?", help="create: a name for it; revoke, rotate, grant, ungrant: the id of a token"
    )
    parser.add_argument("more", nargs="*", metavar="GRANT", help="grant, ungrant: prompts:SPAWNER, gates:NAME …")
    parser.add_argument("--scope", help=f"create: what the token may see and change: {_SCOPES}")
    parser.add_argument(
        "--grant",
        action="append",
        metavar="GRANT",
        help="create: prompts:SPAWNER (or prompts:*), gates:NAME, projects:ID or executors:NAME; repeatable",
    )
    parser.add_argument(
        "--expires", metavar="TIME", help="create, rotate: how long it is valid, such as 90d (default: for ever)"
    )
    parser.add_argument(
        "--grace",
        metavar="TIME",
        help="rotate, rotate-links: how long the old secret stays valid, such as 1h (default: it ends at once)",
    )
    parser.add_argument(
        "--end-calendar-links",
        action="store_true",
        default=None,
        help="rotate: end the calendar links that the token has made, too",
    )
    add_page_arguments(parser)
    arguments = parser.read(words)
    refuse_surplus(arguments, _TAKES, "duly token")
    return _VERBS[arguments.verb](arguments, clock)


def _create(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.access import CreateToken

    if not arguments.what or not arguments.scope:
        raise UsageError(f"duly token create NAME --scope SCOPE ({_SCOPES})")
    expires_in = _seconds(arguments.expires, "--expires")
    ask = CreateToken(arguments.what, arguments.scope, grants=arguments.grant, expires_in=expires_in)
    return _shown_once(with_duly(arguments, clock, lambda duly: duly.ask(ask)), arguments)


def _rotate(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.access import RotateToken

    ask = RotateToken(
        _id(arguments),
        grace=_seconds(arguments.grace, "--grace"),
        expires_in=_seconds(arguments.expires, "--expires"),
        end_calendar_links=bool(arguments.end_calendar_links),
    )
    made = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    old = f"until {here(made.old_secret_until)}" if made.old_secret_until else "no longer"
    said = f"  the old secret opens {old}; what the token scheduled goes on\n"
    return _shown_once(made, arguments, said + _links_told(made))


def _links_told(made: TokenView) -> str:
    """Name the calendar links of a token, which have secrets of their own."""
    if not made.calendar_links:
        return ""
    named = ", ".join(f"{each.name} ({each.id})" for each in made.calendar_links)
    if all(each.ended for each in made.calendar_links):
        return f"  its calendar links were ended: {named}\n"
    return f"  its calendar links stay open: {named}; duly calendar revoke ID ends one\n"


def _shown_once(made: TokenView, arguments: Namespace, more: str = "") -> str:
    if arguments.json:
        more_facts: dict[str, object] = {} if made.warning is None else {"warning": made.warning}
        if made.calendar_links:
            more_facts["calendar_links"] = [asdict(each) for each in made.calendar_links]
        return as_json({**token_as_json(made), "token": made.secret, **more_facts})
    return f"{made.secret}\n✓ {_in_a_line(made)} · shown this once, keep it\n{more}{warning_line(made.warning)}"


def _in_a_line(token: TokenView) -> str:
    """Show a token: its id, its scope, its grants, and until when it is valid."""
    until = [f"until {here(token.expires_at)}"] if token.expires_at else []
    return " · ".join([token.id, token.scope, *token.grants, *until])


def _list(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.access import ListTokens

    ask = ListTokens(cursor=arguments.cursor, limit=arguments.limit or PAGE)
    tokens, cursor = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.json:
        items = [{**token_as_json(each), "state": each.state} for each in tokens]
        return as_json({"items": items, "next_cursor": cursor})
    if not tokens and arguments.cursor is None:
        return "no tokens yet; make one: duly token create NAME --scope project:ID\n"
    rows = [
        [
            each.name,
            each.scope,
            " ".join(each.grants),
            here(each.last_used_at) or "never",
            here(each.expires_at) or "never",
            each.state,
            each.id,
        ]
        for each in tokens
    ]
    listed = table(["NAME", "SCOPE", "GRANTS", "LAST USED", "EXPIRES", "STATE", "ID"], rows)
    warnings = "".join(_warning(each) for each in tokens if each.state == _EXPIRES_SOON)
    return listed + warnings + next_page_line(cursor)


def _warning(token: TokenView) -> str:
    return (
        f"warning: {token.name} expires at {here(token.expires_at)}, and what it scheduled stops then: "
        f"duly token rotate {token.id} --expires 90d\n"
    )


def _revoke(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.access import RevokeToken

    ask = RevokeToken(_id(arguments))
    gone = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.json:
        return as_json(token_as_json(gone))
    left = f"  what it scheduled does not run any more; to go on: duly schedule reown --token {gone.id}\n"
    return f"✓ {gone.name} ({gone.id}) opens nothing any more\n{left}"


def _grant(arguments: Namespace, clock: Clock) -> str:
    from duly.operations.access import ChangeGrants

    token_id = _id(arguments)
    if not arguments.more:
        raise UsageError(
            f"duly token {arguments.verb} ID GRANT …: prompts:SPAWNER, gates:NAME, projects:ID or executors:NAME"
        )
    gives = arguments.verb == "grant"
    ask = ChangeGrants(token_id, give=arguments.more if gives else (), take=() if gives else arguments.more)
    changed = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    return as_json(token_as_json(changed)) if arguments.json else f"✓ {_in_a_line(changed)}\n"


def _rotate_links(arguments: Namespace, clock: Clock) -> str:
    from duly.runtime.links import rotate_link_secret

    if REMOTE.get() is not None:
        raise DulyError("this command does not work with --server: the secret of links is a file where the daemon runs")
    grace = _length(arguments.grace, "--grace") or timedelta(0)

    async def rotate(runtime: Runtime, caller: Caller) -> datetime | None:
        until = rotate_link_secret(runtime, grace)
        await runtime.services.audit.note_links(caller)
        return until

    until = with_runtime(arguments, clock, rotate)
    if arguments.json:
        return as_json({"old_links_until": iso(until)})
    old = f"open until {here(until)}" if until else "open nothing any more"
    return f"✓ links in messages have a new secret; those that were sent before {old}\n"


_VERBS = {
    "create": _create,
    "list": _list,
    "revoke": _revoke,
    "rotate": _rotate,
    "grant": _grant,
    "ungrant": _grant,
    "rotate-links": _rotate_links,
}


def _id(arguments: Namespace) -> str:
    if not arguments.what:
        raise UsageError(f"duly token {arguments.verb} ID: `duly token list` shows the ids")
    return str(arguments.what)


def _length(text: str | None, option: str) -> timedelta | None:
    from duly.service.schedules.values import duration

    return None if text is None else duration(text, option)


def _seconds(text: str | None, option: str) -> float | None:
    length = _length(text, option)
    return None if length is None else length.total_seconds()


def token_as_json(token: TokenView | TokenRecord) -> dict[str, object]:
    """Give a token as `--json` shows it: without its secret and without the hash of it."""
    times = {name: iso(getattr(token, name)) for name in ("created_at", "last_used_at", "revoked_at", "expires_at")}
    return {"id": token.id, "name": token.name, "scope": token.scope, "grants": list(token.grants), **times}


def quotas(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly quotas`: show usage against limits, owner by owner."""
    from duly.operations.access import ListQuotas
    from duly.service.schedules.views import plain

    add_common_arguments(parser)
    add_page_arguments(parser)
    arguments = parser.read(words)
    ask = ListQuotas(cursor=arguments.cursor, limit=arguments.limit or PAGE)
    views, cursor = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.json:
        return as_json({"items": [plain(each) for each in views], "next_cursor": cursor})
    if not views and arguments.cursor is None:
        return _NO_QUOTAS
    headings = ["OWNER", "SCHEDULES", "RUNS IN 24 H", "COST IN 24 H", "MIN INTERVAL", "SIZE"]
    return table(headings, [_quota_row(each) for each in views]) + next_page_line(cursor)


def _quota_row(view: QuotaView) -> list[str]:
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


def trust(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly trust [FILE]`: record a file and what it runs by content; what changes has to be trusted again."""
    from duly.config.reading import FILE_NAME

    parser.add_argument("file", nargs="?", help=f"a configuration file, or its folder (default: {FILE_NAME} here)")
    parser.add_argument("--data-dir", metavar="DIR", help="a data directory inside a git work tree, instead of a file")
    parser.add_argument("--revoke", action="store_true", help="end the trust in the file")
    parser.add_argument("--list", action="store_true", help="show every trusted file, and whether it has changed since")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    arguments = parser.read(words)
    if arguments.list and (arguments.revoke or arguments.file or arguments.data_dir):
        raise UsageError("duly trust --list takes neither a file nor --data-dir nor --revoke")
    if arguments.list:
        return _list_trusted(arguments)
    if arguments.file and arguments.data_dir:
        raise UsageError("duly trust takes a file or --data-dir, not both")
    if arguments.data_dir:
        place = Path(arguments.data_dir).expanduser().absolute()
        return (_revoke_trust if arguments.revoke else _trust_directory)(place, arguments, clock)
    path = Path(arguments.file or FILE_NAME).expanduser()
    file = (path / FILE_NAME if path.is_dir() else path).absolute()
    return _revoke_trust(file, arguments, clock) if arguments.revoke else _trust(file, arguments, clock)


def _trust(file: Path, arguments: Namespace, clock: Clock) -> str:
    from duly.config.coverage import commands_of
    from duly.config.reading import trust as trust_file

    if not file.is_file():
        raise ConfigError("", "there is no such file", str(file))
    settings, digest = trust_file(file)  # a file with a fault is refused before anything is recorded
    _record_trust(file, digest, clock)
    commands = commands_of(settings)
    digests = {} if settings.sealed is None else settings.sealed.digests
    covered = [os.path.relpath(path, file.resolve().parent) for path in sorted(digests)]
    if arguments.json:
        return as_json({"file": str(file.resolve()), "trusted": True, "programs": commands, "covers": covered})
    lists = {"jobs": [*settings.jobs, *settings.programs], "spawners": settings.spawners, "gates": settings.gates}
    starts = [f"  {name}: {', '.join(names)}" for name, names in lists.items() if names]
    starts += [f"  {key} starts: {shlex.join(words)}" for key, words in commands.items()]
    starts += [f"  with it: {', '.join(covered[:_SHOWN])}{_more(covered)}"] if len(covered) > 1 else []
    starts += ["  not with it: other files that these programs open by themselves"] if commands else []
    said = "is trusted as it is now; a change of it, or of what it runs, needs trust again"
    return "\n".join([f"✓ {file.resolve()} {said}", *starts]) + "\n"


def _more(covered: list[str]) -> str:
    return f" and {len(covered) - _SHOWN} more" if len(covered) > _SHOWN else ""


def _trust_directory(directory: Path, arguments: Namespace, clock: Clock) -> str:
    from duly.config.reading import FILE_NAME, trusted_files

    if directory.exists() and not directory.is_dir():
        raise ConfigError("--data-dir", f"{directory} is not a folder")
    said = _trust(directory / FILE_NAME, arguments, clock) if (directory / FILE_NAME).is_file() else ""
    _record_trust(directory, trusted_files().add(directory, {}), clock)
    if arguments.json:
        return as_json({"file": str(directory.resolve()), "trusted": True, "programs": {}, "covers": []})
    return f"{said}✓ {directory.resolve()} is trusted as a data directory, with the store in it\n"


def _revoke_trust(file: Path, arguments: Namespace, clock: Clock) -> str:
    from duly.config.reading import trusted_files

    if not trusted_files().remove(file):
        raise ConfigError("", "was not trusted: duly trust --list shows what is", str(file))
    _record_trust(file, None, clock)
    if arguments.json:
        return as_json({"file": str(file.resolve()), "trusted": False})
    return f"✓ {file} is not trusted any more\n"


def _record_trust(file: Path, digest: str | None, clock: Clock) -> None:
    """Record the decision in the audit of the user's own store, whichever folder this is.

    The decision counts without it: when that store cannot be written, the user only gets a warning.
    """
    import asyncio

    from duly.config.reading import data_directory, load
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Face

    path = str(file.resolve())

    async def record() -> None:
        runtime = Runtime(load(os.environ, here=data_directory({}, None)), clock=clock)
        await runtime.open()
        try:
            await runtime.services.audit.note_trust(runtime.local(Face.CLI), path, digest)
        finally:
            await runtime.close()

    try:
        asyncio.run(record())
    except DulyError as error:
        sys.stderr.write(f"duly: this is not in the audit: {error}\n")


def _list_trusted(arguments: Namespace) -> str:
    from duly.config.reading import is_unchanged, trusted_files

    found = {file: is_unchanged(file) for file in trusted_files().all()}
    if arguments.json:
        return as_json([{"file": str(file), "unchanged": unchanged} for file, unchanged in found.items()])
    if not found:
        return "no file is trusted; the one in the data directory needs no trust\n"
    return table(["STATE", "FILE"], [["ok" if same else "changed or gone", str(file)] for file, same in found.items()])

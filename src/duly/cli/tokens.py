"""`duly token`: who may ask for what over HTTP and WebSocket, and until when."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from duly.cli.common import PAGE, add_page_arguments, as_json, ask, table
from duly.cli.parser import Parser, UsageError, refuse_surplus
from duly.cli.settings import add_settings_arguments
from duly.service.access.access import Face
from duly.service.access.tokens import SOON
from duly.service.schedules.values import duration
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.tokens import TokenRecord
    from duly.runtime.runtime import Runtime
    from duly.service.access.tokens import NewToken

_TAKES = {
    "create": ("what", "scope", "grant", "expires"),
    "list": ("limit", "cursor"),
    "revoke": ("what",),
    "rotate": ("what", "grace", "expires"),
    "grant": ("what", "more"),
    "ungrant": ("what", "more"),
    "rotate-links": ("grace",),
}
_SCOPES = "admin, admin:ro, project:ID, project:ID:ro, user:NAME, user:NAME:ro"


def token(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly token create|list|revoke|rotate|grant|ungrant|rotate-links`."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("verb", choices=list(_TAKES))
    parser.add_argument("what", nargs="?", help="create: a name; revoke, rotate, grant, ungrant: the id of a token")
    parser.add_argument("more", nargs="*", metavar="GRANT", help="grant, ungrant: prompts:SPAWNER, gates:NAME …")
    parser.add_argument("--scope", help=f"create: {_SCOPES}")
    parser.add_argument(
        "--grant",
        action="append",
        metavar="GRANT",
        help="create: prompts:SPAWNER (or prompts:*), gates:NAME or projects:ID; repeatable",
    )
    parser.add_argument("--expires", metavar="TIME", help="create, rotate: how long it counts, such as 90d (for ever)")
    parser.add_argument("--grace", metavar="TIME", help="rotate, rotate-links: how long the old secret counts (not)")
    add_page_arguments(parser)
    arguments = parser.read(words)
    refuse_surplus(arguments, _TAKES, "duly token")
    return _VERBS[arguments.verb](arguments, clock)


def _create(arguments: Namespace, clock: Clock) -> str:
    if not arguments.what or not arguments.scope:
        raise UsageError(f"duly token create NAME --scope SCOPE ({_SCOPES})")
    expires_in = _length(arguments.expires, "--expires")

    def make(runtime: Runtime) -> Any:
        return runtime.tokens.create(
            runtime.local(Face.CLI),
            arguments.what,
            arguments.scope,
            grants=arguments.grant or (),
            expires_in=expires_in,
        )

    return _shown_once(ask(arguments, clock, make), arguments)


def _rotate(arguments: Namespace, clock: Clock) -> str:
    token_id = _id(arguments)
    grace = _length(arguments.grace, "--grace") or timedelta(0)
    expires_in = _length(arguments.expires, "--expires")
    made = ask(
        arguments,
        clock,
        lambda runtime: runtime.tokens.rotate(runtime.local(Face.CLI), token_id, grace=grace, expires_in=expires_in),
    )
    old = f"until {iso(made.record.old_until)}" if made.record.old_until else "no longer"
    return _shown_once(made, arguments, f"  the old secret opens {old}; what the token scheduled goes on\n")


def _shown_once(made: NewToken, arguments: Namespace, more: str = "") -> str:
    if arguments.json:
        warning = {} if made.warning is None else {"warning": made.warning}
        return as_json({**token_view(made.record), "token": made.secret, **warning})
    warning_line = "" if made.warning is None else f"  warning: {made.warning}\n"
    return f"{made.secret}\n✓ {in_a_line(made.record)} · shown this once, keep it\n{more}{warning_line}"


def in_a_line(record: TokenRecord) -> str:
    """A token: its id, its scope, what it was granted, and until when."""
    until = [f"until {iso(record.expires_at)}"] if record.expires_at else []
    return " · ".join([record.id, record.scope, *record.grants, *until])


def _list(arguments: Namespace, clock: Clock) -> str:
    tokens, following = ask(
        arguments,
        clock,
        lambda runtime: runtime.tokens.page(runtime.local(Face.CLI), arguments.cursor, arguments.limit or PAGE),
    )
    now = clock.now()
    if arguments.json:
        items = [{**token_view(each), "state": _state(each, now)} for each in tokens]
        return as_json({"items": items, "next_cursor": following})
    if not tokens and arguments.cursor is None:
        return "no tokens yet; make one: duly token create NAME --scope project:ID\n"
    rows = [
        [
            each.name,
            each.scope,
            " ".join(each.grants),
            iso(each.last_used_at) or "never",
            iso(each.expires_at) or "never",
            _state(each, now),
            each.id,
        ]
        for each in tokens
    ]
    listed = table(["NAME", "SCOPE", "GRANTS", "LAST USED", "EXPIRES", "STATE", "ID"], rows)
    return listed + "".join(_warning(each) for each in tokens if _state(each, now) == _EXPIRES_SOON)


_EXPIRES_SOON = "expires soon"


def _state(record: TokenRecord, now: datetime) -> str:
    if record.revoked_at is not None:
        return "revoked"
    if record.ended_at(now) is not None:
        return "expired"
    return _EXPIRES_SOON if record.expires_at is not None and record.expires_at - now <= SOON else "ok"


def _warning(record: TokenRecord) -> str:
    return (
        f"warning: {record.name} expires at {iso(record.expires_at)}, and what it scheduled stops then: "
        f"duly token rotate {record.id} --expires 90d\n"
    )


def _revoke(arguments: Namespace, clock: Clock) -> str:
    token_id = _id(arguments)
    gone = ask(arguments, clock, lambda runtime: runtime.tokens.revoke(runtime.local(Face.CLI), token_id))
    if arguments.json:
        return as_json(token_view(gone))
    left = f"  what it scheduled does not run any more; to go on: duly schedule reown --token {gone.id}\n"
    return f"✓ {gone.name} ({gone.id}) opens nothing any more\n{left}"


def _grant(arguments: Namespace, clock: Clock) -> str:
    token_id = _id(arguments)
    if not arguments.more:
        raise UsageError(f"duly token {arguments.verb} ID GRANT …: prompts:SPAWNER, gates:NAME or projects:ID")
    way = {"given" if arguments.verb == "grant" else "taken": arguments.more}
    changed = ask(arguments, clock, lambda runtime: runtime.tokens.grant(runtime.local(Face.CLI), token_id, **way))
    return as_json(token_view(changed)) if arguments.json else f"✓ {in_a_line(changed)}\n"


def _rotate_links(arguments: Namespace, clock: Clock) -> str:
    from duly.runtime.links import rotate_link_secret

    grace = _length(arguments.grace, "--grace") or timedelta(0)

    async def rotate(runtime: Runtime) -> datetime | None:
        until = rotate_link_secret(runtime, grace)
        await runtime.audit.note_links(runtime.local(Face.CLI))
        return until

    until = ask(arguments, clock, rotate)
    if arguments.json:
        return as_json({"old_links_until": iso(until)})
    old = f"open until {iso(until)}" if until else "open nothing any more"
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
    return None if text is None else duration(text, option)


def token_view(record: TokenRecord) -> dict[str, Any]:
    """A token as programs read it: never its secret, nor the hash of it."""
    times = {name: iso(getattr(record, name)) for name in ("created_at", "last_used_at", "revoked_at", "expires_at")}
    return {"id": record.id, "name": record.name, "scope": record.scope, "grants": list(record.grants), **times}

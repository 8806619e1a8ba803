"""`duly audit`: who changed what, and whether the record of it is whole."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.cli.common import as_json, ask
from duly.cli.events import since as read_since
from duly.cli.events import value_text
from duly.cli.exit_codes import Verdict
from duly.cli.following import follow, say
from duly.cli.parser import Parser, UsageError, whole_number
from duly.cli.settings import add_settings_arguments
from duly.model.events import changed_fields
from duly.service.access.access import Face
from duly.service.access.audit_trail import AuditView, ChainView
from duly.service.schedules.views import plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime

_NOTHING = "nothing has been changed yet\n"
_NONE_SUCH = "no such entries; duly audit without filters shows the newest of all\n"
_LEFT_OUT = ("before", "after", "account")
_FILTERS = ("schedule", "actor", "kind", "since", "until", "cursor")


def audit(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly audit [--verify|--head|--follow]`: the entries, the newest last."""
    add_settings_arguments(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new entries until Ctrl-C")
    parser.add_argument("--schedule", metavar="NAME", help="entries about one schedule, by name or id")
    parser.add_argument("--actor", metavar="WHO", help="entries of one actor: a token's id, local, user:ID, file …")
    parser.add_argument("--kind", action="append", default=[], help="such as token.created or 'person.*'; repeatable")
    parser.add_argument("--since", metavar="WHEN", help="such as 2h, 3d, 2026-11-15 or 2026-11-15T09:30")
    parser.add_argument("--until", metavar="WHEN", help="the same; entries before that time")
    parser.add_argument("--limit", type=whole_number(1, 500), default=50, help="show at most N, the newest (50)")
    parser.add_argument("--cursor", type=whole_number(1, 2**63 - 1), help="the page before; the last line names it")
    parser.add_argument("--verify", action="store_true", help="check the chain of hashes; exit code 1 if it is broken")
    parser.add_argument("--against", metavar="HEAD", help="with --verify: a head that was noted down before")
    parser.add_argument("--head", action="store_true", help="print number and hash of the last link, to be noted down")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object a line")
    arguments = parser.read(words)
    _check(arguments)
    if arguments.head:
        return ask(arguments, clock, lambda runtime: _head(runtime, arguments))
    if arguments.verify:
        return ask(arguments, clock, lambda runtime: _verify(runtime, arguments))
    return ask(arguments, clock, lambda runtime: _read(runtime, arguments))


def _check(arguments: Namespace) -> None:
    """Refuse options that would be ignored."""
    if arguments.against and not arguments.verify:
        raise UsageError("--against goes with --verify")
    whole = "--head" if arguments.head else "--verify" if arguments.verify else ""
    surplus = [f"--{name}" for name in (*_FILTERS, "follow") if getattr(arguments, name)]
    if whole and surplus:
        raise UsageError(f"{whole} is about all of the audit: leave out {', '.join(surplus)}")
    if arguments.head and arguments.verify:
        raise UsageError("--verify prints the head as well: leave out --head")
    if arguments.follow and (arguments.cursor or arguments.until):
        raise UsageError("--follow goes on from now: leave out --cursor and --until")


async def _head(runtime: Runtime, arguments: Namespace) -> str:
    head = await runtime.audit.head(runtime.local(Face.CLI))
    return as_json({"head": str(head), "entries": head.seq}, indent=None) if arguments.json else f"{head}\n"


async def _verify(runtime: Runtime, arguments: Namespace) -> str:
    found = await runtime.audit.verify(runtime.local(Face.CLI), arguments.against)
    if arguments.json:
        said = as_json(plain(found), indent=None)
    elif found.whole:
        said = (
            f"✓ the audit is whole: {found.entries} entries in {found.links} links{_cut(found)}\n  head {found.head}\n"
        )
    else:
        said = (
            f"✗ the audit was changed by hand: link {found.broken_link} is broken: {found.reason}\n"
            f"  entries before that link are as they were written; of that link and those after it nothing is certain\n"
            f"  head {found.head}\n"
        )
    return said if found.whole else Verdict(said)


def _cut(found: ChainView) -> str:
    return f", after link {found.cut_at}, where pruning cut it" if found.cut_at else ""


async def _read(runtime: Runtime, arguments: Namespace) -> str:
    zone, now, caller = Zone.of(runtime.zone), runtime.clock.now(), runtime.local(Face.CLI)
    filters: dict[str, Any] = {
        "schedule": arguments.schedule,
        "actor": arguments.actor,
        "kinds": arguments.kind,
        "since": None if arguments.since is None else read_since(arguments.since, now, zone),
        "limit": arguments.limit,
    }
    until = None if arguments.until is None else read_since(arguments.until, now, zone, "--until")
    seen = await runtime.audit.last()
    found, cursor = await runtime.audit.entries(caller, **filters, until=until, cursor=arguments.cursor)
    if not arguments.follow:
        more = "" if cursor is None or arguments.json else f"  more: duly audit --cursor {cursor}\n"
        return (_shown(found, zone, arguments) + more) or _empty(arguments)
    say(_shown(found, zone, arguments))

    async def fresh(after: int) -> list[AuditView]:
        return (await runtime.audit.entries(caller, **filters, after=after))[0]

    await follow(runtime, seen, runtime.audit.last, fresh, lambda views: say(_shown(views, zone, arguments)))
    return ""


def _empty(arguments: Namespace) -> str:
    if arguments.json:
        return ""
    return _NONE_SUCH if any(getattr(arguments, name) for name in _FILTERS) else _NOTHING


def _shown(views: Sequence[AuditView], zone: Zone, arguments: Namespace) -> str:
    if arguments.json:
        return "".join(as_json(plain(view), indent=None) for view in views)
    return "".join(_line(view, zone) for view in views)


def _line(view: AuditView, zone: Zone) -> str:
    """When, who, what, of which schedule, and the facts."""
    at = zone.localize(datetime.fromisoformat(view.at))
    who = f"{view.actor} ({view.face})" if view.face else view.actor
    about = view.schedule or view.schedule_id or ""
    parts = [f"{at:%Y-%m-%d %H:%M:%S}", f"{who:24}", f"{view.kind:22}", f"{about:20}", _facts(view)]
    return "  ".join(parts).rstrip() + "\n"


def _facts(view: AuditView) -> str:
    facts = {name: value for name, value in view.data.items() if name not in _LEFT_OUT and value is not None}
    if changed := changed_fields(view.kind, view.data):
        facts["changed"] = ",".join(changed)
    if view.run_id is not None:
        facts["run"] = view.run_id
    return "  ".join(f"{name}={value_text(value)}" for name, value in facts.items())

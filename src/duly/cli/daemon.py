"""`duly up`, `dashboard`, `mcp`, `health`, `sync` and `tick`: the daemon, how it does, and its work done by hand."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duly.cli import FAILED, OK
from duly.cli.arguments import Parser, UsageError, add_common_arguments, add_settings_arguments, whole_number
from duly.cli.asking import AnyDuly, Here, with_duly
from duly.cli.output import CommandOutput, as_json
from duly.cli.settings import read_again, read_settings, read_settings_of_daemon, with_runtime
from duly.errors import ConfigError, NotFoundError, StoreError
from duly.model.codec import Json

if TYPE_CHECKING:
    from datetime import datetime

    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller
    from duly.service.schedules.views import HealthView
    from duly.zones import Zone

_PATIENCE = 5.0  # seconds for the daemon to answer
_LIGHTS = ("green", "yellow", "starting", "red")
_SYNC_SIGNS = {"created": "+", "updated": "~", "enabled": "↑", "disabled": "↓", "taken_over": "!"}


def up(parser: Parser, words: list[str], _clock: Clock) -> str:
    """`duly up`: run engine and MCP on one loopback port."""
    from duly.processes import keep_others_out

    add_settings_arguments(parser)
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=whole_number(0, 65_535), help="port to listen on (default: 8765; 0 takes a free one)"
    )
    parser.add_argument("--no-auth", action="store_true", help="ask for no token; only on loopback")
    parser.add_argument("--log-format", choices=["text", "json"], help="format of the log (default: text)")
    parser.add_argument("--no-wait", action="store_true", help="end with an error if PostgreSQL does not answer")
    parser.add_argument("--quiet", action="store_true", help="do not print what fires (default: only on a terminal)")
    arguments = parser.read(words)
    keep_others_out()  # before a secret is read, and before anything is started
    gc.disable()  # what is loaded now stays: looking through it again and again takes a sixth of the start
    settings = read_settings(arguments)
    if settings.untrusted is not None:
        from duly.config.reading import untrusted

        raise untrusted(settings.untrusted)  # the user means a daemon with the file at hand, so none starts without it
    from duly.server.daemon import serve
    from duly.telemetry.json_log import log_to_stderr

    as_json = (arguments.log_format or settings.monitoring.log_format) == "json"
    log_to_stderr(as_json=as_json, zone=settings.timezone)
    reread = partial(read_again, arguments, settings)
    serving = serve(
        settings,
        auth=not arguments.no_auth,
        say=_say,
        reread=reread,
        wait=not arguments.no_wait,
        says_fires=sys.stdout.isatty() and not arguments.quiet,
        says_link=sys.stdout.isatty(),
    )
    asyncio.run(serving)
    return ""


def dashboard(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly dashboard`: open the running daemon's dashboard in a browser, signed in; else print the link."""
    add_common_arguments(parser)
    parser.add_argument("--no-open", action="store_true", help="only print the link")
    arguments = parser.read(words)

    async def link(runtime: Runtime, _caller: Caller) -> str:
        from duly.server.dashboard import sign_in_link

        there = runtime.daemon()
        if there is None:
            raise NotFoundError("no daemon runs on this data directory: start it with duly up")
        return sign_in_link(runtime, runtime.settings.public_url or str(there.get("url")))

    address = with_runtime(arguments, clock, link)
    if arguments.json:
        return as_json({"url": address})
    opened = not arguments.no_open and sys.stdout.isatty() and _open_browser(address)
    return f"{address}\n{'opened in your browser' if opened else 'it signs you in once, within a day'}\n"


def _open_browser(address: str) -> bool:
    """Open an address in the browser of this machine; false where there is none to see."""
    import webbrowser

    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False  # a browser for terminals would take the terminal over
    with suppress(webbrowser.Error):
        return webbrowser.open(address)
    return False


def mcp(parser: Parser, words: list[str], _clock: Clock) -> str:
    """`duly mcp`: serve agents that start their MCP servers themselves."""
    from duly.processes import keep_others_out

    add_settings_arguments(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="act as the token in this file, as duly connect writes it (default: DULY_TOKEN_FILE, or the local user)",
    )
    arguments = parser.read(words)
    keep_others_out()
    settings = read_settings_of_daemon(arguments)
    token_file = _token_file(arguments.token_file)
    from duly.server.stdio import serve_stdio

    async def talk() -> None:
        if await serve_stdio(settings, partial(read_again, arguments, settings), token_file):
            sys.stdout.flush()
            os._exit(OK)  # only the thread that reads standard input is left, and Python would wait for it

    from duly.telemetry.json_log import log_to_stderr

    log_to_stderr(as_json=settings.monitoring.log_format == "json")
    asyncio.run(talk())
    return ""


def _token_file(option: str | None) -> Path | None:
    """Give the file that is named; an empty name is refused, because a script whose variable is not set gives one."""
    where = "--token-file"
    named = option
    if option is None:
        where = "DULY_TOKEN_FILE"
        named = os.environ.get(where)
    if named is None:
        return None
    if not named.strip():
        raise ConfigError(where, "is empty: name the file of a token, or leave it out to be the local admin")
    return Path(named).expanduser()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def health(parser: Parser, words: list[str], clock: Clock) -> CommandOutput:
    """`duly health`: show the light, its reasons and what needs attention; the exit code is 1 when the light is red."""
    add_common_arguments(parser)
    arguments = parser.read(words)

    async def look(duly: AnyDuly) -> CommandOutput:
        from duly.operations.records import GetHealth
        from duly.service.schedules.views import plain
        from duly.zones import Zone

        state = await duly.ask(GetHealth())
        seen = _with_daemon(duly.runtime, state) if isinstance(duly, Here) else plain(state)
        zone = Zone.of(await duly.zone())
        code = FAILED if seen["state"] == "red" else OK
        return CommandOutput(as_json(seen) if arguments.json else _shown(seen, state, zone, clock.now()), code)

    try:
        return with_duly(arguments, clock, look)
    except StoreError as error:
        seen = {"state": "red", "reasons": [str(error)], "attention": [], "attention_total": 0}
        return CommandOutput(as_json(seen) if arguments.json else f"red\n  {error}\n", FAILED)


def _with_daemon(runtime: Runtime, state: HealthView) -> Json:
    """Combine the health by the store with the daemon's own: the worse of the two lights, each reason once.

    The local user may know where the data directory is, so the reasons name it.
    """
    import shlex

    from duly.runtime.secret_files import THE_DIRECTORY
    from duly.service.schedules.views import plain

    daemon = _ask_daemon(runtime)
    folder = shlex.quote(str(runtime.settings.data_dir))
    reasons = dict.fromkeys([*state.reasons, *daemon.get("reasons", [])])
    seen = plain(state)
    seen["state"] = max(state.state, daemon.get("light", "green"), key=_LIGHTS.index)
    seen["reasons"] = [reason.replace(THE_DIRECTORY, folder) for reason in reasons]
    return seen


def _ask_daemon(runtime: Runtime) -> Json:
    """Ask the daemon of this data directory for its own health; nothing when there is none."""
    from http.client import HTTPException

    from duly.service.schedules.attention import starting

    there = runtime.daemon()
    if there is None:
        return {}
    url = str(there.get("url"))
    try:
        return _get_health(url, runtime)
    except (OSError, HTTPException, ValueError) as error:
        if (since := runtime.starting_since()) is not None:
            return {"light": "starting", "reasons": [starting(since)]}
        cause = str(error) or type(error).__name__
        reason = f"the daemon at {url} (process {there.get('pid')}) does not answer: {cause}"
        return {"light": "red", "reasons": [reason]}


def _get_health(url: str, runtime: Runtime) -> Json:
    """Ask with the token of the local user, so that the reasons are those that the store gives, in full."""
    import json
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    from duly.runtime.secret_files import LOCAL_TOKEN, read_secret

    token = read_secret(runtime.settings.data_dir / LOCAL_TOKEN)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    where = urlsplit(url)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/health", headers=headers)
        answer: Json = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer


def _shown(seen: Json, state: HealthView, zone: Zone, now: datetime) -> str:
    from duly.cli.attention import attention_block
    from duly.cli.schedule_lines import with_local_times

    lines = [seen["state"], *(f"  {with_local_times(reason, zone)}" for reason in seen["reasons"])]
    concerns = [(each.name or "", each) for each in state.attention]
    more = state.attention_total - len(concerns)
    rest = f"  and {more} more: duly list\n" if more > 0 else ""
    return "\n".join(lines) + "\n" + attention_block(concerns, zone, now) + rest


def sync(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly sync`: bring the butler's schedules in line with duly.toml."""
    from dataclasses import asdict

    add_common_arguments(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    arguments = parser.read(words)
    report = with_runtime(arguments, clock, lambda runtime, _caller: runtime.sync_schedules(dry_run=arguments.dry_run))
    if report is None:
        raise UsageError("there is no [butler] in duly.toml, or no duly.toml: --config names the file")
    if arguments.json:
        return as_json({**asdict(report), "dry_run": arguments.dry_run})
    lines = []
    for change, sign in _SYNC_SIGNS.items():
        for name in getattr(report, change):
            lines.append(f"{sign} {name} ({change.replace('_', ' ')})")
            lines += [_difference(*each) for each in report.differences.get(name, {}).items()]
    end = f"{report.changes} to change" if arguments.dry_run else f"{report.changes} changed"
    return "\n".join([*lines, f"{end}, {len(report.unchanged)} unchanged"]) + "\n"


def _difference(field: str, values: tuple[Any, Any]) -> str:
    import json

    before, after = ("-" if value is None else json.dumps(value, ensure_ascii=False) for value in values)
    return f"    {field}: {before} → {after}"


def tick(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly tick`: carry out what is due, one after the other, and stop."""
    add_common_arguments(parser)
    arguments = parser.read(words)
    succeeded = with_runtime(arguments, clock, lambda runtime, _caller: runtime.tick())
    return as_json({"succeeded": succeeded}) if arguments.json else f"✓ {succeeded} succeeded\n"

"""`duly health`: is all well, and if not, which schedules need attention."""

from __future__ import annotations

import json
import shlex
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from duly.cli.attention_lines import block
from duly.cli.common import as_json, ask
from duly.cli.exit_codes import FAILED, OK, Verdict
from duly.cli.parser import Parser
from duly.cli.settings import add_settings_arguments
from duly.errors import StoreError
from duly.runtime.daemon_lock import find_daemon
from duly.runtime.secret_files import THE_DIRECTORY
from duly.service.access.access import Face
from duly.service.schedules.views import HealthView, plain
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime

_PATIENCE = 5.0  # seconds for the daemon to answer
_ORDER = ("green", "yellow", "red")


def health(parser: Parser, words: list[str], clock: Clock) -> Verdict:
    """`duly health`: the light, its reasons and what needs attention; the exit code is 1 when the light is red."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.read(words)

    async def look(runtime: Runtime) -> Verdict:
        state = await runtime.use_cases.health(runtime.local(Face.CLI))
        seen = _with_daemon(state, _ask_daemon(runtime))
        seen["reasons"] = [_naming(runtime.settings.data_dir, reason) for reason in seen["reasons"]]
        code = FAILED if seen["state"] == "red" else OK
        zone = Zone.of(await runtime.use_cases.zones.person(runtime.local(Face.CLI)))
        return Verdict(as_json(seen) if arguments.json else _shown(seen, state, zone, clock.now()), code)

    try:
        return ask(arguments, clock, look)
    except StoreError as error:
        seen = {"state": "red", "reasons": [str(error)], "attention": [], "attention_total": 0}
        return Verdict(as_json(seen) if arguments.json else f"red\n  {error}\n", FAILED)


def _with_daemon(state: HealthView, daemon: dict[str, Any]) -> dict[str, Any]:
    """What the store says and what the daemon says of itself: the worse of the two lights, each reason once."""
    seen = plain(state)
    seen["state"] = max(state.state, daemon.get("light", "green"), key=_ORDER.index)
    seen["reasons"] = list(dict.fromkeys([*state.reasons, *daemon.get("reasons", [])]))
    return seen


def _naming(folder: Path, reason: str) -> str:
    """Say where the data directory is: who can run this command may know."""
    return reason.replace(THE_DIRECTORY, shlex.quote(str(folder)))


def _ask_daemon(runtime: Runtime) -> dict[str, Any]:
    """What the daemon of this data directory says of itself; nothing when there is none."""
    there = find_daemon(runtime.settings.data_dir)
    if there is None or there.get("store") != runtime.store.url:
        return {}
    url = str(there.get("url"))
    try:
        return _get(url)
    except (OSError, HTTPException, ValueError) as error:
        said = str(error) or type(error).__name__
        reason = f"the daemon at {url} (process {there.get('pid')}) does not answer: {said}"
        return {"light": "red", "reasons": [reason]}


def _get(url: str) -> dict[str, Any]:
    where = urlsplit(url)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/health")
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer


def _shown(seen: dict[str, Any], state: HealthView, zone: Zone, now: datetime) -> str:
    lines = [seen["state"], *(f"  {reason}" for reason in seen["reasons"])]
    concerns = [(each.name or "", each) for each in state.attention]
    more = state.attention_total - len(concerns)
    told = block(concerns, zone, now)
    rest = f"  and {more} more: duly list\n" if more > 0 else ""
    return "\n".join(lines) + "\n" + told + rest

"""`duly connect`: give an agent a token of its own, and tell its command line where duly is, or print the command."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from duly.cli.access import token_as_json
from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.output import as_json
from duly.cli.settings import read_settings, with_runtime
from duly.errors import DulyError
from duly.model.checks import suggestion
from duly.ports.people import LOCAL_USER

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.tokens import TokenRecord
    from duly.runtime.runtime import Runtime
    from duly.service.access.scopes import Caller

_ADD = {
    "claude": ["claude", "mcp", "add", "-s", "user", "duly", "--"],
    "codex": ["codex", "mcp", "add", "duly", "--"],
    "gemini": ["gemini", "mcp", "add", "-s", "user", "duly"],
}
_REMOVE = {
    "claude": ["claude", "mcp", "remove", "-s", "user", "duly"],
    "codex": ["codex", "mcp", "remove", "duly"],
    "gemini": ["gemini", "mcp", "remove", "-s", "user", "duly"],
}
_KNOWN = (*_ADD, "opencode")
_OTHERS = "any other name with --print"
_CLIENT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_ANY = "client"
"""The name of a client that was not named."""
_EXISTS = "already exists"


@dataclass(frozen=True, slots=True)
class _ClientRights:
    """What the token of an agent may do."""

    name: str
    scope: str
    grants: tuple[str, ...]

    @property
    def in_words(self) -> str:
        if self.scope == "admin":
            return "everything, and the tokens of others"
        prompts = [each.partition(":")[2] for each in self.grants if each.startswith("prompts:")]
        spawners = f"prompts with {', '.join(prompts)}" if prompts else "no prompts (--spawner NAME grants some)"
        return f"schedules and reminders of {LOCAL_USER}; {spawners}"


def connect(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly connect claude`: make a token for the agent, show the command, then run it where the agent is installed."""
    parser.example = "duly connect claude"
    parser.add_argument("agent", nargs="?", help=f"{', '.join(_KNOWN)}, or {_OTHERS}, or none with it")
    parser.add_argument(
        "--spawner", action="append", metavar="NAME", help="allow prompts with this spawner; repeatable"
    )
    parser.add_argument("--project", action="append", metavar="ID", help="allow prompts in this project; repeatable")
    parser.add_argument("--gate", action="append", metavar="NAME", help="allow prompts with this gate; repeatable")
    parser.add_argument("--admin", action="store_true", help="allow everything that the local user may do")
    parser.add_argument("--print", action="store_true", help="make the token, print what any client needs, run nothing")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be made and run")
    add_common_arguments(parser)
    arguments = parser.read(words)
    _check_agent(arguments)
    rights = _rights(arguments)
    command = _command(arguments)
    if rights.grants and not arguments.dry_run:
        with_runtime(arguments, clock, lambda runtime, _caller: _check(runtime, rights))
    connects = not (arguments.print or arguments.dry_run) and arguments.agent in _ADD and which(command[0]) is not None
    said = (
        _tell_agent(arguments.agent, command) if connects else ""
    )  # first: an agent that refuses leaves all as it was
    record = None
    if not arguments.dry_run:
        record = with_runtime(arguments, clock, lambda runtime, caller: _make_token(runtime, caller, arguments, rights))
    if arguments.json:
        identity = {"scope": rights.scope, "grants": list(rights.grants)} if record is None else token_as_json(record)
        return as_json({"identity": identity, "command": command, "dry_run": arguments.dry_run, "connected": connects})
    return _identity(rights, record) + (said or _left_to_do(arguments, command))


def _check_agent(arguments: Namespace) -> None:
    """Refuse a name that duly does not know, unless it only is to print; and one that is no file name."""
    if arguments.agent is None:
        if not arguments.print:
            raise UsageError("duly connect needs agent, such as: duly connect claude; see duly connect --help")
        arguments.agent = _ANY
    name = arguments.agent
    if name not in _KNOWN and not arguments.print:
        hint = suggestion(name, _KNOWN) or f"it knows {', '.join(_KNOWN)}"
        raise UsageError(
            f"duly does not know how to tell {name!r}: {hint}; for any other client: duly connect {name} --print"
        )
    if not _CLIENT_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a client: use up to 40 of a-z, 0-9, dot, dash and underscore, such as cursor"
        )


def _rights(arguments: Namespace) -> _ClientRights:
    given = (("prompts", arguments.spawner), ("projects", arguments.project), ("gates", arguments.gate))
    grants = tuple(f"{kind}:{name}" for kind, names in given for name in names or ())
    if arguments.admin and grants:
        raise UsageError("duly connect --admin gives everything: leave --spawner, --project and --gate out")
    scope = "admin" if arguments.admin else f"user:{LOCAL_USER}"
    return _ClientRights(name=f"connect {arguments.agent}", scope=scope, grants=grants)


def _identity(rights: _ClientRights, record: TokenRecord | None) -> str:
    """Say who the agent is from now on, what it may do, and how to end that."""
    shown = " · ".join([rights.scope, *rights.grants])
    if record is None:
        return f"would be {shown}: {rights.in_words}\n"
    return f"identity {record.id} · {shown}: {rights.in_words}\nto end it: duly token revoke {record.id}\n"


async def _check(runtime: Runtime, rights: _ClientRights) -> None:
    """Refuse grants of what the settings do not have, before the agent's command line gets anything."""
    runtime.capabilities.check_grants(rights.grants)


async def _make_token(runtime: Runtime, caller: Caller, arguments: Namespace, rights: _ClientRights) -> TokenRecord:
    """Make or renew the agent's token, and put it into the file that its `duly mcp` reads."""
    from duly.config.settings import client_file
    from duly.runtime.secret_files import replace_secret_file

    file = client_file(runtime.settings.data_dir, arguments.agent)
    known = file.read_text(encoding="utf-8").strip() if file.is_file() else None
    made = await runtime.services.tokens.renew(caller, known, rights.name, rights.scope, rights.grants)
    replace_secret_file(file, made.secret)
    return made.record


def _command(arguments: Namespace) -> list[str]:
    """Build the command that tells the agent's command line of duly; for other clients, the one that they start."""
    return [*_ADD.get(arguments.agent, ()), *_program(), "mcp", *_places(arguments)]


def _tell_agent(agent: str, command: list[str]) -> str:
    done = _run(command)
    if done.returncode and _EXISTS in done.stdout + done.stderr:  # the entry of before may name another identity
        _run(_REMOVE[agent])
        done = _run(command)
    if done.returncode:
        raise DulyError(f"{command[0]} refused: {(done.stderr or done.stdout).strip()}")
    return f"$ {shlex.join(command)}\n{done.stdout}✓ {agent} knows duly now\n"


def _left_to_do(arguments: Namespace, command: list[str]) -> str:
    """Say what the person has to run, or to add to a file of the client."""
    agent = arguments.agent
    if agent == "opencode":
        entry: dict[str, object] = {"mcp": {"duly": {"type": "local", "command": command}}}
        return f"add this to opencode.json:\n{json.dumps(entry, indent=2)}\n"
    if agent not in _ADD:
        entry = {"mcpServers": {"duly": {"command": command[0], "args": command[1:]}}}
        whose = "your client" if agent == _ANY else agent
        return f"add this to the MCP settings of {whose}:\n{json.dumps(entry, indent=2)}\n"
    shown = f"$ {shlex.join(command)}\n"
    if arguments.dry_run:
        return shown
    where = "to connect it" if arguments.print else f"{agent} is not installed here; once it is"
    return f"{where}, run this as the same user:\n{shown}"


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  a fixed list of words


def _program() -> list[str]:
    """Give the words that start this duly from anywhere."""
    script = Path(sys.argv[0])
    if script.name != "duly":  # python -m duly
        return [sys.executable, "-P", "-m", "duly"]  # -P: no module is taken from the folder the agent works in
    return [str(Path(which(str(script)) or script).resolve())]


def _places(arguments: Namespace) -> list[str]:
    """Name the settings file, the data directory and the file of the token.

    The agent will start duly in any folder, with another environment. The token itself is no argument, because other
    users of the machine can read arguments.
    """
    from duly.config.settings import client_file

    settings = read_settings(arguments)
    file = [] if settings.file is None else ["--config", str(settings.file)]
    token_file = str(client_file(settings.data_dir, arguments.agent))
    return [*file, "--data-dir", str(settings.data_dir), "--token-file", token_file]

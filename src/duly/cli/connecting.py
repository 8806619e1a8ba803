"""`duly connect`: tell an agent's command line where duly is, and give it an identity of its own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from duly.cli.common import as_json, ask
from duly.cli.parser import Parser, UsageError
from duly.cli.settings import add_settings_arguments, read_settings
from duly.cli.tokens import token_view
from duly.errors import DulyError
from duly.ports.people import LOCAL_USER
from duly.service.access.access import Face

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.ports.tokens import TokenRecord
    from duly.runtime.runtime import Runtime

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
_EXISTS = "already exists"


@dataclass(frozen=True, slots=True)
class _Rights:
    """What a client gets."""

    name: str
    scope: str
    grants: tuple[str, ...]

    @property
    def told(self) -> str:
        if self.scope == "admin":
            return "everything, and the tokens of others"
        prompts = [each.partition(":")[2] for each in self.grants if each.startswith("prompts:")]
        spawners = f"prompts with {', '.join(prompts)}" if prompts else "no prompts (--spawner NAME grants some)"
        return f"schedules and reminders of {LOCAL_USER}; {spawners}"


def connect(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly connect claude`: makes an identity for it, shows the command, then runs it."""
    parser.add_argument("agent", choices=[*_ADD, "opencode"])
    parser.add_argument("--spawner", action="append", metavar="NAME", help="prompts with this spawner; repeatable")
    parser.add_argument("--project", action="append", metavar="ID", help="prompts in this project; repeatable")
    parser.add_argument("--gate", action="append", metavar="NAME", help="prompts with this gate; repeatable")
    parser.add_argument("--admin", action="store_true", help="everything there is, as the local admin may")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be made and run")
    parser.add_argument("--json", action="store_true", help="for programs")
    add_settings_arguments(parser)
    arguments = parser.read(words)
    rights = _rights(arguments)
    command = _command(arguments)
    if not arguments.dry_run and arguments.agent in _ADD and which(command[0]) is None:
        raise DulyError(f"{command[0]} is not installed here; where it is, run: {shlex.join(command)}")
    if rights.grants and not arguments.dry_run:
        ask(arguments, clock, lambda runtime: _check(runtime, rights))
    said = _tell_agent(arguments, command)  # first: an agent that refuses leaves all as it was
    record = None if arguments.dry_run else ask(arguments, clock, lambda runtime: _identify(runtime, arguments, rights))
    if arguments.json:
        identity = {"scope": rights.scope, "grants": list(rights.grants)} if record is None else token_view(record)
        return as_json({"identity": identity, "command": command, "dry_run": arguments.dry_run})
    return _introduced(rights, record) + said


def _rights(arguments: Namespace) -> _Rights:
    given = (("prompts", arguments.spawner), ("projects", arguments.project), ("gates", arguments.gate))
    grants = tuple(f"{kind}:{name}" for kind, names in given for name in names or ())
    if arguments.admin and grants:
        raise UsageError("duly connect --admin gives everything: leave --spawner, --project and --gate out")
    scope = "admin" if arguments.admin else f"user:{LOCAL_USER}"
    return _Rights(f"connect {arguments.agent}", scope, grants)


def _introduced(rights: _Rights, record: TokenRecord | None) -> str:
    """Who the client is from now on, what it may, and how to take that away."""
    shown = " · ".join([rights.scope, *rights.grants])
    if record is None:
        return f"would be {shown}: {rights.told}\n"
    return f"identity {record.id} · {shown}: {rights.told}\nto end it: duly token revoke {record.id}\n"


async def _check(runtime: Runtime, rights: _Rights) -> None:
    """Refuse grants of what the settings do not have, before the agent's command line is told anything."""
    runtime.capabilities.check_grants(rights.grants)


async def _identify(runtime: Runtime, arguments: Namespace, rights: _Rights) -> TokenRecord:
    """Make or renew the client's token, and put it where its server finds it."""
    from duly.runtime.identity import client_file
    from duly.runtime.secret_files import replace_secret_file

    file = client_file(runtime.settings.data_dir, arguments.agent)
    known = file.read_text(encoding="utf-8").strip() if file.is_file() else None
    made = await runtime.tokens.renew(runtime.local(Face.CLI), known, rights.name, rights.scope, rights.grants)
    replace_secret_file(file, made.secret)
    return made.record


def _command(arguments: Namespace) -> list[str]:
    """What the agent's command line is to be told; for opencode, what it is to start."""
    return [*_ADD.get(arguments.agent, ()), *_program(), "mcp", *_places(arguments)]


def _tell_agent(arguments: Namespace, command: list[str]) -> str:
    if arguments.agent not in _ADD:
        entry = {"mcp": {"duly": {"type": "local", "command": command}}}
        return f"add this to opencode.json:\n{json.dumps(entry, indent=2)}\n"
    shown = f"$ {shlex.join(command)}\n"
    if arguments.dry_run:
        return shown
    done = _run(command)
    if done.returncode and _EXISTS in done.stdout + done.stderr:  # the entry of before may name another identity
        _run(_REMOVE[arguments.agent])
        done = _run(command)
    if done.returncode:
        raise DulyError(f"{command[0]} refused: {(done.stderr or done.stdout).strip()}")
    return f"{shown}{done.stdout}✓ {arguments.agent} knows duly now\n"


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  a fixed list of words


def _program() -> list[str]:
    """How to start this duly from anywhere."""
    script = Path(sys.argv[0])
    if script.name != "duly":  # python -m duly
        return [sys.executable, "-P", "-m", "duly"]  # -P: no module is taken from the folder the agent works in
    return [str(Path(which(str(script)) or script).resolve())]


def _places(arguments: Namespace) -> list[str]:
    """The file and the directory that hold here, also where the agent will start duly: in any folder, with another
    environment. The token is named by its file, because arguments can be read by others.
    """
    from duly.runtime.identity import client_file

    settings = read_settings(arguments)
    file = [] if settings.file is None else ["--config", str(settings.file)]
    token_file = str(client_file(settings.data_dir, arguments.agent))
    return [*file, "--data-dir", str(settings.data_dir), "--token-file", token_file]

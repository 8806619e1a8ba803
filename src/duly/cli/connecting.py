"""`duly connect`: tell an agent's command line where duly is."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from duly.cli.parser import Parser
from duly.errors import DulyError

if TYPE_CHECKING:
    from duly.clock import Clock

_ADD = {
    "claude": ["claude", "mcp", "add", "-s", "user", "duly", "--"],
    "codex": ["codex", "mcp", "add", "duly", "--"],
    "gemini": ["gemini", "mcp", "add", "-s", "user", "duly"],
}


def connect(parser: Parser, words: list[str], _clock: Clock) -> str:
    """`duly connect claude`: shows the command, then runs it."""
    parser.add_argument("agent", choices=[*_ADD, "opencode"])
    parser.add_argument("--dry-run", action="store_true", help="only show what would be run")
    parser.add_argument("--data-dir", metavar="DIR", help="where schedules are kept")
    arguments = parser.read(words)
    serve = [
        str(Path(which("duly") or sys.argv[0]).resolve()),
        "mcp",
        *(["--data-dir", arguments.data_dir] if arguments.data_dir else []),
    ]
    if arguments.agent == "opencode":
        entry = {"mcp": {"duly": {"type": "local", "command": serve}}}
        return f"add this to opencode.json:\n{json.dumps(entry, indent=2)}\n"
    command = [*_ADD[arguments.agent], *serve]
    shown = f"$ {shlex.join(command)}\n"
    if arguments.dry_run:
        return shown
    if which(command[0]) is None:
        raise DulyError(f"{command[0]} is not installed here; where it is, run: {shlex.join(command)}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  a fixed list of words
    if done.returncode:
        raise DulyError(f"{command[0]} refused: {(done.stderr or done.stdout).strip()}")
    return f"{shown}{done.stdout}✓ {arguments.agent} knows duly now\n"

"""`duly connect`: tell an agent's command line where duly is."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from duly.cli.parser import Parser
from duly.cli.settings import add_settings_arguments, read_settings
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
    add_settings_arguments(parser)
    arguments = parser.read(words)
    serve = [*_program(), "mcp", *_places(arguments)]
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


def _program() -> list[str]:
    """How to start this duly from anywhere."""
    script = Path(sys.argv[0])
    if script.name != "duly":  # python -m duly
        return [sys.executable, "-P", "-m", "duly"]  # -P: no module is taken from the folder the agent works in
    return [str(Path(which(str(script)) or script).resolve())]


def _places(arguments: Namespace) -> list[str]:
    """The file and the directory that hold here, also where the agent will start duly: in any folder, with another
    environment.
    """
    settings = read_settings(arguments)
    file = [] if settings.file is None else ["--config", str(settings.file)]
    return [*file, "--data-dir", str(settings.data_dir)]

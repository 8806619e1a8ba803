"""The table of commands, and how each of them ends.

A command is a function that reads its arguments and returns its output; `run` writes the output, and turns errors into
one line and an exit code. To add a command, write the function and name it in `COMMANDS`. Only the module of the
command that was given is imported, so that a quick command stays quick.
"""

from __future__ import annotations

import gc
import os
import sys
from contextvars import copy_context
from importlib import import_module
from typing import NamedTuple

from duly._version import __version__
from duly.cli import BAD_INPUT, FAILED, OK
from duly.cli.arguments import HelpAsked, Parser, UsageError
from duly.cli.output import CommandOutput, error_line, input_error, without_controls
from duly.clock import Clock, SystemClock
from duly.errors import DulyError, InvalidInputError


class CommandEntry(NamedTuple):
    """Where a command lives. The function is called with a parser, the arguments and a clock."""

    module: str
    function: str
    summary: str


COMMANDS = {
    "up": CommandEntry("daemon", "up", "run the daemon: engine, dashboard, API and MCP"),
    "dashboard": CommandEntry("daemon", "dashboard", "open the dashboard of the running daemon, or print its link"),
    "mcp": CommandEntry("daemon", "mcp", "serve MCP over standard input and output"),
    "add": CommandEntry("schedules", "add", 'make a schedule: duly add "weekdays at 7:30" --prompt TEXT'),
    "list": CommandEntry("listing", "list_all", "list schedules and reminders, with their next time"),
    "remind": CommandEntry("reminders", "remind", 'remind a person, in plain words: duly remind "stretch" in 20m'),
    "reminders": CommandEntry("managing", "reminders", "list, show, edit, remove, pause, resume and skip reminders"),
    "chat": CommandEntry("chat", "chat", 'talk to duly in plain words: duly chat "what\'s on today?"'),
    "inbox": CommandEntry("inbox", "inbox", "show the messages that arrived here"),
    "ack": CommandEntry("inbox", "ack", "answer a reminder: done"),
    "snooze": CommandEntry("inbox", "snooze", "answer a reminder: later"),
    "dismiss": CommandEntry("inbox", "dismiss", "answer a reminder: not this time"),
    "user": CommandEntry("people", "user", "add, list, change, pair and remove people"),
    "channels": CommandEntry("people", "channels", "list and test the channels that reach people"),
    "schedule": CommandEntry("schedules", "schedule", "create, list, get, update, delete, trigger, history, preview …"),
    "calendar": CommandEntry(
        "calendar", "calendar", "subscribe to schedules in a calendar: link, list, revoke, export"
    ),
    "import": CommandEntry("calendar", "import_file", "take over a calendar file, or schedules of cron or Celery"),
    "run": CommandEntry("runs", "run", "show a run: its attempts, and its output as it comes; run it again"),
    "wake-me": CommandEntry("runs", "wake_me", "continue this session later: duly wake-me 20 --note …"),
    "undo": CommandEntry("steps", "undo", "take back your last change, within an hour"),
    "needs": CommandEntry("steps", "needs", "show what waits for a person, with its cause"),
    "seen": CommandEntry("steps", "seen", "mark an item of duly needs as seen, for everyone"),
    "events": CommandEntry("journal", "events", "show the journal: failures, misses, changes; --follow goes on"),
    "audit": CommandEntry("journal", "audit", "show who changed what; --verify checks that nothing was altered"),
    "sync": CommandEntry("daemon", "sync", "bring schedules in line with duly.toml"),
    "token": CommandEntry("access", "token", "create, list, grant, rotate and revoke tokens"),
    "quotas": CommandEntry("access", "quotas", "show what tokens of people and projects use, and their limits"),
    "health": CommandEntry("daemon", "health", "show whether all is well, and which schedules need attention"),
    "load": CommandEntry("overview", "load", "show the busiest minutes of a day"),
    "nodes": CommandEntry("overview", "nodes", "list the engines that live, and what they carry out"),
    "executors": CommandEntry("executors", "executors", "show who carries out jobs elsewhere, and how they are"),
    "tick": CommandEntry("daemon", "tick", "carry out what is due, one after the other, and stop"),
    "prune": CommandEntry("pruning", "prune", "delete runs and other records that are older than an age"),
    "backup": CommandEntry("backup", "backup", "write a backup of the store while duly runs, or check one"),
    "restore": CommandEntry("backup", "restore", "put a backup in place of the store"),
    "trust": CommandEntry("access", "trust", "let a duly.toml of another folder be used; --list, --revoke"),
    "connect": CommandEntry("connect", "connect", "tell claude, codex, gemini or opencode where duly is"),
    "next": CommandEntry("cron", "next_fires", "show when a cron expression fires next"),
    "explain": CommandEntry("cron", "explain", "say what a cron expression means, and warn of clock changes"),
}


_SERVER_OPTIONS = ("--server", "--token")
_LONG_LIVED = ("up", "mcp")
_BETWEEN_SEARCHES = 20_000  # new objects
_ONLY_HERE = ("up", "mcp", "dashboard", "sync", "tick", "restore", "trust", "connect")


def run(arguments: list[str], clock: Clock | None = None) -> int:
    """Run one command; the result is its exit code."""
    try:
        output = copy_context().run(_dispatch, arguments, clock or SystemClock())
    except HelpAsked as help_asked:
        output = str(help_asked)
    except InvalidInputError as error:
        sys.stderr.write(input_error(error, arguments))
        return BAD_INPUT
    except DulyError as error:
        sys.stderr.write(error_line(error))
        return FAILED
    sys.stdout.write(without_controls(output))
    return output.code if isinstance(output, CommandOutput) else OK


def _dispatch(arguments: list[str], clock: Clock) -> str:
    arguments = _take_server(arguments)
    name, *rest = arguments or ["--help"]
    if name in {"-h", "--help"}:
        return _help()
    if name in {"-V", "--version"}:
        return f"duly {__version__}\n"
    if name not in COMMANDS:
        raise UsageError(_unknown(name))
    usual = gc.get_threshold()
    if name not in _LONG_LIVED:  # what a short command makes, it needs to its end: 65 searches for garbage find little
        gc.set_threshold(_BETWEEN_SEARCHES, *usual[1:])
    try:
        module, function, summary = COMMANDS[name]
        command = getattr(import_module(f"duly.cli.{module}"), function)
        output: str = command(Parser(f"duly {name}", summary), rest, clock)
        return output
    finally:
        gc.set_threshold(*usual)


def _take_server(arguments: list[str]) -> list[str]:
    """Take `--server URL` and `--token SECRET` from before the command, and remember the daemon that they name."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0].partition("=")[0] in _SERVER_OPTIONS:
        option, equals, value = rest.pop(0).partition("=")
        if not equals and not rest:
            raise UsageError(f"{option} needs a value: duly --server http://HOST:8765 COMMAND")
        given[option] = value if equals else rest.pop(0)
    url = given.get("--server") or os.environ.get("DULY_SERVER")
    if url is None and given:
        raise UsageError("--token goes with --server URL, before the command")
    if url is not None and rest and rest[0] in _ONLY_HERE:
        raise UsageError(f"duly {rest[0]} works on its own machine: leave out --server and DULY_SERVER")
    if url is not None:
        from duly.cli.settings import REMOTE  # late: most commands are for this machine

        REMOTE.set((url, given.get("--token") or os.environ.get("DULY_TOKEN")))
    return rest


def _help() -> str:
    lines = [f"  {name:10}{command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: duly [--server URL] COMMAND ...",
            "",
            "A durable scheduler for AI agents and for the people they work for.",
            "",
            "commands:",
            *lines,
            "",
            "options:",
            "  -h, --help     show this text; after a command, the options of that command",
            "  -V, --version  show the version of duly",
            "  --server URL   have the daemon there do it (default: DULY_SERVER)",
            "  --token TOKEN  its secret for --server (default: DULY_TOKEN)",
            "",
        ]
    )


def _unknown(name: str) -> str:
    from duly.model.checks import suggestion  # late: only mistakes need it

    hint = suggestion(name, COMMANDS) or "duly --help lists them"
    return f"no such {'option' if name.startswith('-') else 'command'}: {name}; {hint}"

"""Where commands join, and how each of them ends.

A command is a function that reads its arguments and returns what it has to say; `run` says it, and turns errors
into one line and an exit code. To add a command, write the function and name it in `COMMANDS`. Only the module of
the command that was asked for is imported, so that a quick command stays quick.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NamedTuple

from duly._version import __version__
from duly.cli import exit_codes, faults
from duly.cli.parser import HelpAsked, Parser, UsageError
from duly.clock import Clock, SystemClock
from duly.errors import DulyError, InvalidInputError


class Command(NamedTuple):
    """Where a command lives. The function is called with a parser, the arguments and a clock."""

    module: str
    function: str
    summary: str


COMMANDS = {
    "up": Command("duly.cli.running", "up", "run the daemon: engine and MCP on one loopback port"),
    "mcp": Command("duly.cli.running", "mcp", "serve MCP over standard input and output"),
    "add": Command("duly.cli.adding", "add", 'make a schedule: duly add "weekdays at 7:30" --prompt TEXT'),
    "list": Command("duly.cli.adding", "list_all", "every schedule and reminder, with its next time"),
    "remind": Command("duly.cli.reminders", "remind", 'remind somebody, in plain words: duly remind "stretch" in 20m'),
    "reminders": Command("duly.cli.reminders", "reminders", "list, remove, pause, resume and skip reminders"),
    "inbox": Command("duly.cli.reminders", "inbox", "read what arrived here"),
    "ack": Command("duly.cli.reminders", "ack", "answer a reminder: done"),
    "snooze": Command("duly.cli.reminders", "snooze", "answer a reminder: later"),
    "dismiss": Command("duly.cli.reminders", "dismiss", "answer a reminder: not this time"),
    "user": Command("duly.cli.people", "user", "people: add, list, set, pair, remove"),
    "channels": Command("duly.cli.people", "channels", "list and test the ways to reach people"),
    "schedule": Command(
        "duly.cli.schedules", "schedule", "create, list, get, update, delete, trigger, history, preview …"
    ),
    "events": Command("duly.cli.events", "events", "what happened: failures, misses, changes; --follow goes on"),
    "audit": Command("duly.cli.audit", "audit", "who changed what; --verify checks that nothing was altered"),
    "sync": Command("duly.cli.keeping", "sync", "bring schedules in line with duly.toml"),
    "token": Command("duly.cli.tokens", "token", "create, list, grant, rotate and revoke tokens"),
    "quotas": Command("duly.cli.quotas", "quotas", "what persons' and projects' tokens use, and what they may use"),
    "health": Command("duly.cli.health", "health", "say whether all is well, and which schedules need attention"),
    "tick": Command("duly.cli.keeping", "tick", "carry out what is due, one after the other, and stop"),
    "trust": Command("duly.cli.trusting", "trust", "let a duly.toml of another folder be used; --list, --revoke"),
    "connect": Command("duly.cli.connecting", "connect", "tell claude, codex, gemini or opencode where duly is"),
    "next": Command("duly.cli.cron", "next_fires", "show when a cron expression fires next"),
    "explain": Command("duly.cli.cron", "explain", "say what a cron expression means, and warn of clock changes"),
}


_COMMANDS_OF_TERMINALS = {*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}
_HARMLESS = dict.fromkeys(_COMMANDS_OF_TERMINALS, "\N{REPLACEMENT CHARACTER}")
"""What people and agents wrote is shown, not obeyed."""


def run(arguments: list[str], clock: Clock | None = None) -> int:
    """Run one command; the result is its exit code."""
    try:
        said = _dispatch(arguments, clock or SystemClock())
    except HelpAsked as help_asked:
        said = str(help_asked)
    except InvalidInputError as error:
        return _fail(faults.of_input(error, arguments), exit_codes.BAD_INPUT)
    except DulyError as error:
        return _fail(faults.line(error), exit_codes.FAILED)
    sys.stdout.write(harmless(said))
    return said.code if isinstance(said, exit_codes.Verdict) else exit_codes.OK


def harmless(text: str) -> str:
    """Text without what commands a terminal."""
    return text.translate(_HARMLESS)


def _dispatch(arguments: list[str], clock: Clock) -> str:
    name, *rest = arguments or ["--help"]
    if name in {"-h", "--help"}:
        return _help()
    if name in {"-V", "--version"}:
        return f"duly {__version__}\n"
    if name not in COMMANDS:
        raise UsageError(_unknown(name))
    module, function, summary = COMMANDS[name]
    said: str = getattr(import_module(module), function)(Parser(f"duly {name}", summary), rest, clock)
    return said


def _help() -> str:
    lines = [f"  {name:10}{command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: duly COMMAND ...",
            "",
            "A durable scheduler for AI agents and for the people they work for.",
            "",
            "commands:",
            *lines,
            "",
            "options:",
            "  -h, --help     this text; after a command, the options of that command",
            "  -V, --version  which duly this is",
            "",
        ]
    )


def _unknown(name: str) -> str:
    from difflib import get_close_matches  # late: only mistakes need it

    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {near[0]}?" if near else "duly --help lists them"
    return f"no such {'option' if name.startswith('-') else 'command'}: {name}; {hint}"


def _fail(message: str, code: int) -> int:
    sys.stderr.write(message)
    return code

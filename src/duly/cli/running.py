"""`duly up` and `duly mcp`: the daemon, and MCP over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli import exit_codes
from duly.cli.parser import Parser, whole_number
from duly.cli.settings import add_settings_arguments, read_again, read_settings, read_settings_of_daemon
from duly.config.reading import untrusted
from duly.errors import ConfigError
from duly.processes import keep_others_out

if TYPE_CHECKING:
    from duly.clock import Clock


def up(parser: Parser, words: list[str], _clock: Clock) -> str:
    """`duly up`: engine and MCP on one loopback port."""
    add_settings_arguments(parser)
    parser.add_argument("--host", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=whole_number(0, 65_535), help="port to listen on (8765; 0 takes a free one)")
    parser.add_argument("--no-auth", action="store_true", help="ask for no token; only on loopback")
    parser.add_argument("--no-wait", action="store_true", help="end with an error if PostgreSQL does not answer")
    arguments = parser.read(words)
    keep_others_out()  # before a secret is read, and before anything is started
    settings = read_settings(arguments)
    if settings.untrusted is not None:
        raise untrusted(settings.untrusted)  # a daemon without the file at hand would not be the one that was meant
    from duly.cli.logs import show_logs
    from duly.server.daemon import serve

    show_logs()
    reread = partial(read_again, arguments, settings)
    asyncio.run(serve(settings, auth=not arguments.no_auth, say=_say, reread=reread, wait=not arguments.no_wait))
    return ""


def _token_file(option: str | None) -> Path | None:
    """The file that is named; an empty name is refused, because a script whose variable is not set gives one."""
    variable = "DULY_TOKEN_FILE"
    where, named = (variable, os.environ.get(variable)) if option is None else ("--token-file", option)
    if named is None:
        return None
    if not named.strip():
        raise ConfigError(where, "is empty: name the file of a token, or leave it out to be the local admin")
    return Path(named).expanduser()


def mcp(parser: Parser, words: list[str], _clock: Clock) -> str:
    """`duly mcp`: for agents that start their servers themselves."""
    add_settings_arguments(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="act as the token in this file (or DULY_TOKEN_FILE), as duly connect writes it (the local admin)",
    )
    arguments = parser.read(words)
    keep_others_out()
    settings = read_settings_of_daemon(arguments)
    token_file = _token_file(arguments.token_file)
    from duly.cli.logs import show_logs
    from duly.server.stdio import serve_stdio

    async def talk() -> None:
        if await serve_stdio(settings, partial(read_again, arguments, settings), token_file):
            sys.stdout.flush()
            os._exit(exit_codes.OK)  # all is tidied up but the thread that reads, and Python would wait for it

    show_logs()
    asyncio.run(talk())
    return ""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()

"""A command that needs the store: opens it, asks, closes it."""

from __future__ import annotations

import asyncio
import json
import re
from argparse import Namespace
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from duly.cli.parser import whole_number
from duly.cli.settings import add_settings_arguments, read_settings_of_daemon
from duly.ports.people import LOCAL_USER
from duly.service.access.access import Face
from duly.service.access.audit import act_as
from duly.service.schedules.values import storable
from duly.zones import iso

if TYPE_CHECKING:
    from duly.cli.parser import Parser
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime

T = TypeVar("T")
PAGE = 100
"""Items of a list whose command says no limit."""
_COMMANDS = re.compile(r"[\x7f-\x9f]")
"""Those that JSON does not escape by itself."""


def ask(arguments: Namespace, clock: Clock, question: Callable[[Runtime], Awaitable[T]]) -> T:
    """What the question finds out."""
    from duly.runtime.runtime import Runtime

    _check(arguments)

    async def asked() -> T:
        runtime = Runtime(read_settings_of_daemon(arguments), clock=clock)
        await runtime.open()
        try:
            await runtime.agree_with_daemon()
            act_as(runtime.local(Face.CLI))
            return await question(runtime)
        finally:
            await runtime.close()

    return asyncio.run(asked())


def _check(arguments: Namespace) -> None:
    """Refuse what no store can look for: bytes of another encoding, for one."""
    for name, value in vars(arguments).items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                storable(each, name)


def add_person_arguments(parser: Parser) -> None:
    """The options of every command about somebody's reminders."""
    add_settings_arguments(parser)
    parser.add_argument("--user", default=LOCAL_USER, help="whose; yours")
    parser.add_argument("--json", action="store_true", help="for programs")


def add_page_arguments(parser: Parser) -> None:
    """The options of every list."""
    from duly.service.pages import MAX_PAGE

    parser.add_argument("--limit", type=whole_number(1, MAX_PAGE), help=f"show at most so many ({PAGE})")
    parser.add_argument("--cursor", help="next_cursor of the page before")


def more(cursor: str | None) -> str:
    """A line that says how to go on, where there is another page."""
    return "" if cursor is None else f"more: --cursor {cursor}\n"


def warned(warning: str | None) -> str:
    """A line for when something was stored and would not be carried out as things stand."""
    return "" if warning is None else f"  warning: {warning}\n"


def as_json(value: Any, indent: int | None = 2) -> str:
    """What `--json` prints: nothing that commands a terminal, so that all of it comes through."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=_as_text)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _as_text(value: Any) -> str:
    return iso(value) if isinstance(value, datetime) else str(value)


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as they need to be; the last one is left as it is."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )

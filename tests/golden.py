"""What every face promises to those who use it, as files: a change of a promise shows as a change of a file.

Each golden file is made from the code: the OpenAPI document, what an MCP client is told of tools, resources and
prompts, the methods of the WebSocket, the help of every command and verb, and `docs/api.md`. Tests compare
(`tests/unit/test_golden.py`). `python -m tests.golden` writes them anew: what changed then is read in the diff, and
what users notice is said in CHANGELOG.md.

What another release, another Python or another terminal would change is left out: versions, and where lines break.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, cast

from mcp.types import Tool

import tests.once  # noqa: F401  its schemas are made once
from duly.cli.app import COMMANDS, run
from duly.mcp.server import INSTRUCTIONS, DulyServer, make_server
from duly.rest.api import openapi_document
from duly.rest.reference import reference
from duly.ws.frames import METHODS

_ROOT = Path(__file__).parents[1]
_FOLDER = _ROOT / "tests" / "data" / "golden"
_VERB = re.compile(r"(?m)^  ([a-z-]+) ")
_TWICE = re.compile(r"(-[\w-]+) (\S+), (-[\w-]+) \2(?= |$)")
"""Two spellings of an option, each with its value: from Python 3.13 on the value is said once."""
_NOTHING = cast("Any", None)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _openapi() -> str:
    document = openapi_document()
    about = {name: value for name, value in document["info"].items() if name != "version"}
    return _as_json({**document, "info": about})


def _mcp() -> str:
    server = make_server(_NOTHING, _NOTHING)
    return _as_json(asyncio.run(_told(server)))


async def _told(server: DulyServer) -> dict[str, Any]:
    return {
        "instructions": INSTRUCTIONS,
        "tools": _dumped(await server.list_tools()),
        "resources": _dumped(await server.list_resources()),
        "resourceTemplates": _dumped(await server.list_resource_templates()),
        "prompts": _dumped(await server.list_prompts()),
    }


def _dumped(listed: Iterable[Any]) -> list[dict[str, Any]]:
    found = []
    for each in listed:
        told: dict[str, Any] = each.model_dump(mode="json", by_alias=True, exclude_none=True)
        if not isinstance(each, Tool):  # Python 3.13 takes the indents out of a docstring
            told["description"] = " ".join(told["description"].split())
        found.append(told)
    return found


def _websocket() -> str:
    return _as_json({name: method.takes for name, method in METHODS.items()})


def _help() -> str:
    told = [_told_by()]
    for name in COMMANDS:
        text = _told_by(name)
        told.append(text)
        if text.startswith(f"usage: duly {name} VERB"):
            told += [_told_by(name, verb) for verb in _VERB.findall(text)]
    return "\n".join(told)


def _told_by(*command: str) -> str:
    with redirect_stdout(io.StringIO()) as told:
        run([*command, "--help"])
    return _in_whole_lines(told.getvalue())


def _in_whole_lines(text: str) -> str:
    """Put what is said of each option on one line, so that it does not matter where lines are broken."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("   ") and lines and lines[-1]:
            lines[-1] += f" {' '.join(line.split())}"
        else:
            lines.append(f"{'  ' if line.startswith(' ') else ''}{' '.join(line.split())}")
    return "".join(f"{_said_once(line)}\n" for line in lines)


def _said_once(line: str) -> str:
    while (shorter := _TWICE.sub(r"\1, \3 \2", line)) != line:
        line = shorter
    return line


GOLDEN: dict[Path, Callable[[], str]] = {
    _FOLDER / "openapi.json": _openapi,
    _FOLDER / "mcp.json": _mcp,
    _FOLDER / "websocket.json": _websocket,
    _FOLDER / "help.txt": _help,
    _ROOT / "docs" / "api.md": lambda: reference(openapi_document()),
}
"""The files, and what makes the text of each."""


def main() -> None:
    for path, make in GOLDEN.items():
        path.write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()

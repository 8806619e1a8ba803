"""The MCP server: registers what it offers, and turns faults into words an agent can act on."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from duly._version import __version__
from duly.errors import AccessDeniedError, DulyError
from duly.mcp.compact import compact
from duly.mcp.desk import Desk
from duly.mcp.schemas import answer, model_of
from duly.service.limits import check_given

INSTRUCTIONS = (
    "duly is a durable scheduler. schedule_* tools run prompts and jobs on a cron; remind and scheduler send messages "
    "to people and can wait for their answer. Cron has 5 fields. Preview before you create. Every answer shows the "
    "stored truth with the next runs in UTC and in local time."
)
_LONGEST = 1000
_GREETINGS = ("initialize", "server/discover")


async def _no_warning() -> str | None:
    return None


def _admit_all(_name: str, _given: Mapping[str, Any], _context: Context[Any, Any] | None) -> None:
    """Where callers are not told apart."""


class DulyServer(MCPServer[Any]):
    """An MCP server whose complaints about arguments are short, and which takes no argument it would ignore."""

    warn: Callable[[], Awaitable[str | None]] = staticmethod(_no_warning)
    """What every answer has to warn of: that nothing carries out what is due, for one."""

    admit: Callable[[str, Mapping[str, Any], Context[Any, Any] | None], None] = staticmethod(_admit_all)
    """Refuses a caller whom a tool is not for, before anything of the request is read."""

    async def warning(self) -> str | None:
        """The same, when it can be found out: what a tool has done counts whatever the store says afterwards."""
        with suppress(DulyError):
            return await self.warn()
        return None

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        given = {argument: value for argument, value in arguments.items() if value is not None}  # null: not given
        try:
            self.admit(name, given, context)
            check_given(given)
        except DulyError as error:
            raise ToolError(_line(str(error))) from error
        self._refuse_unknown(name, given)
        try:
            return await super().call_tool(name, given, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_line(_in_words(name, error.__cause__))) from error.__cause__
            raise ToolError(_line(str(error).removeprefix(f"Error executing tool {name}: "))) from error.__cause__

    def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        schema = self._tool_input_schema(name)
        if schema is None:
            return
        known = schema.get("properties", {})
        if unknown := sorted(set(arguments) - set(known)):
            raise ToolError(_line(f"{name} does not take {', '.join(unknown)}: it takes {', '.join(known)}"))


def _in_words(name: str, fault: ValidationError) -> str:
    """One line per argument, without the library's own vocabulary."""
    lines = []
    for each in fault.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in each["loc"] if not str(part).startswith("function-"))
        if each["type"] == "missing":
            lines.append(f"{where} is required")
        else:
            lines.append(f"{where}: {each['msg']}, got {_short(each.get('input'))}")
    return f"{name}: {'; '.join(dict.fromkeys(lines))}"


def _line(text: str) -> str:
    """A complaint as one line of a length somebody reads, and of characters every client can print."""
    words = " ".join(text.split()).encode("utf-8", "replace").decode()
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def make_server(desk: Desk) -> DulyServer:
    """A server with everything duly offers to agents."""
    from duly.mcp import prompts, reminder_tools, resources, run_tools, schedule_tools

    watchers = desk.watchers
    server = DulyServer(
        "duly", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", subscriptions=watchers.bus
    )
    server.warn = lambda: desk.use_cases.attention.nothing_runs()
    server.admit = lambda name, given, context: _admit(server, desk, name, given, context)
    lowlevel = server._lowlevel_server  # noqa: SLF001  the SDK's high level asks nobody who may watch what
    watchers.serve(lowlevel, lambda request, uri: resources.may_watch(desk, request, uri))
    lowlevel.middleware.append(_telling_zones(desk))
    schedule_tools.register(server, desk)
    run_tools.register(server, desk)
    reminder_tools.register(server, desk)
    resources.register(server, desk)
    prompts.register(server)
    return server


def _admit(
    server: DulyServer, desk: Desk, name: str, given: Mapping[str, Any], context: Context[Any, Any] | None
) -> None:
    tool = server._tool_manager.get_tool(name)  # noqa: SLF001  as below
    if context is None or tool is None or (tool.annotations is not None and tool.annotations.read_only_hint):
        return
    scope = desk.caller(context).scope
    if scope.read_only and not (name == "scheduler" and given.get("action") in ("list", "get")):
        raise AccessDeniedError(f"cannot call {name}: scope {scope} may only look")


def _telling_zones(desk: Desk) -> Any:
    """Adds to the greeting of each client in which zones times without a zone are meant by the person behind it.

    The SDK has one text of instructions for all clients; the answer to the first request is where they part.
    """

    async def tell(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        answer = await call_next(ctx)
        if ctx.method in _GREETINGS and isinstance(answer, dict):
            zones = await desk.use_cases.zones.at(desk.caller_of(ctx.request))
            told = f"{INSTRUCTIONS} The person's time zone is {zones.words}: words (when, smart), remind_at without an "
            told += f"offset and cron in the scheduler tool mean it. Cron in schedule_* tools means {zones.cron}. "
            return {**answer, "instructions": f"{told}cron_timezone beats both."}
        return answer

    return tell


def add_tool(
    server: DulyServer,
    function: Callable[..., Awaitable[Any]],
    title: str,
    *,
    fields: Mapping[str, Any] = MappingProxyType({}),
    reads: bool = False,
    destroys: bool = False,
    again: bool = False,
    reaches_out: bool = False,
) -> None:
    """Offer a function as a tool; its docstring is the description, its faults become answers.

    `fields` are optional arguments by name and type, which the function takes as keywords when they are given.
    """
    signature = inspect.signature(function, eval_str=True)
    named = [
        each.replace(annotation=_when_given(each.annotation))
        for each in signature.parameters.values()
        if each.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_when_given(kind))
        for name, kind in fields.items()
    ]

    @functools.wraps(function)
    async def guarded(**arguments: Any) -> CallToolResult:
        given = {name: value for name, value in arguments.items() if value is not None or name not in fields}
        try:
            return answer(await function(**given), await server.warning())
        except DulyError as error:
            raise ToolError(str(error)) from error

    guarded.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*named, *more],
        return_annotation=Annotated[CallToolResult, model_of(signature.return_annotation)],
    )

    hints = ToolAnnotations(
        read_only_hint=reads, destructive_hint=destroys, idempotent_hint=reads or again, open_world_hint=reaches_out
    )
    server.add_tool(guarded, title=title, description=inspect.getdoc(function), annotations=hints)
    tool = server._tool_manager.get_tool(function.__name__)  # noqa: SLF001  the SDK offers no other way to the schema
    if tool is None:
        raise RuntimeError(f"{function.__name__} was not registered")
    tool.parameters = compact(tool.parameters) | {"additionalProperties": False}


def _when_given(kind: Any) -> Any:
    """The type of an argument without "or null".

    The SDK reads JSON inside text for everything that is not plainly a text: a prompt that happens to be JSON would
    arrive as an object.
    """
    if get_origin(kind) is Annotated:
        bare, *notes = get_args(kind)
        return functools.reduce(lambda made, note: Annotated[made, note], notes, _when_given(bare))
    if get_origin(kind) not in (Union, UnionType):
        return kind
    return functools.reduce(operator.or_, [each for each in get_args(kind) if each is not NoneType])

"""The MCP server: registers the tools, resources and the prompt, and words errors so that an agent can act on them."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import BeforeValidator, ValidationError

from duly._version import __version__
from duly.errors import AccessDeniedError, DulyError
from duly.expansion import REQUEST, bounded
from duly.mcp.schemas import answer, as_list, model_of
from duly.mcp.watching import Watchers
from duly.model.checks import suggestion
from duly.ports.reading import work_for
from duly.service.access.audit import act_as
from duly.service.access.audit_trail import AuditTrail
from duly.service.access.scopes import Caller
from duly.service.journal import Journal
from duly.service.limits import check_given
from duly.service.schedules.use_cases import UseCases
from duly.service.services import Services

INSTRUCTIONS = (
    "duly is a durable scheduler. schedule_* tools run prompts and jobs on a cron; remind and scheduler send messages "
    "to people and can wait for their answer. Cron has 5 fields. Preview before you create. Every answer shows the "
    "stored truth with the next runs in UTC and in local time."
)
_LONGEST = 1000
_LIKENESS = 0.6
"""How like an argument has to be to one that a tool takes, to be suggested: agents leave out halves of names."""
_NAMED = 10
"""Up to so many arguments are listed where none is like the one given."""
_GREETINGS = ("initialize", "server/discover")


@dataclass(frozen=True, slots=True)
class McpServices:
    """The services behind the tools and resources, and the caller of each request."""

    use_cases: UseCases
    caller_of: Callable[[Any], Caller]
    """Gives the caller of a request. Over standard input and output the request is None."""
    journal: Journal
    audit: AuditTrail
    watchers: Watchers = field(default_factory=Watchers)
    services: Services | None = None
    """All use cases, for the tools that change schedules: they keep what can be undone."""

    @property
    def all(self) -> Services:
        """Give all use cases; a server that changes schedules needs them."""
        if self.services is None:
            raise RuntimeError("McpServices was made without services: give it Services(runtime)")
        return self.services

    def caller(self, asked: Context[Any, Any]) -> Caller:
        """Give the caller of a tool or a resource; the audit records what the call changes under this caller."""
        caller = self.caller_of(asked.request_context.request)
        act_as(caller)
        work_for(caller.token_id or "")  # a session has a task of its own, which began with its first request
        return caller


async def _no_warning() -> str | None:
    return None


def _admit_all(_name: str, _given: Mapping[str, Any], _context: Context[Any, Any] | None) -> None:
    """Admit every caller, as in tests without tokens."""


class DulyServer(MCPServer[Any]):
    """An MCP server with short errors about arguments, which refuses arguments that it would ignore."""

    warn: Callable[[], Awaitable[str | None]] = staticmethod(_no_warning)
    """Gives the warning that every answer carries, for example that no engine runs; None for no warning."""

    admit: Callable[[str, Mapping[str, Any], Context[Any, Any] | None], None] = staticmethod(_admit_all)
    """Raises for a caller who may not use a tool, before the arguments are read."""

    async def warning(self) -> str | None:
        """Give the warning, or None when the store does not answer: the tool has done its work by then."""
        with suppress(DulyError):
            return await self.warn()
        return None

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        # Clients send null for arguments that the agent left out.
        given = {argument: value for argument, value in arguments.items() if value is not None}
        try:
            self.admit(name, given, context)
            check_given(given)
        except DulyError as error:
            raise ToolError(_line(str(error))) from error
        self._refuse_unknown(name, given)
        try:
            with bounded(REQUEST):
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
            named = [f"{each:.100}" for each in unknown[:_NAMED]]  # of thousands, the first few say enough
            required = schema.get("required", [])
            near = list(dict.fromkeys(hint for each in named if (hint := _near(each, known, required))))
            takes = (
                [] if near else [f"it takes {', '.join(known) if len(known) <= _NAMED else 'what its schema lists'}"]
            )
            raise ToolError(_line(f"{name} does not take {', '.join(named)}: {' '.join([*near, *takes])}"))


def _near(name: str, known: Iterable[str], required: Iterable[str]) -> str:
    """Give "did you mean …?": for `id` the `schedule_id` that the tool needs, for `retry_rule` its `retry`."""
    words = set(name.split("_"))
    alike = [each for each in known if words < (parts := set(each.split("_"))) or parts < words]
    wanted = [each for each in alike if each in required] or alike
    return f"did you mean {wanted[0]}?" if len(wanted) == 1 else suggestion(name, known, _LIKENESS)


def _in_words(name: str, fault: ValidationError) -> str:
    """Say what is wrong with each argument, without the names of pydantic's rules."""
    lines = []
    for each in fault.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in each["loc"] if not str(part).startswith("function-"))
        if each["type"] == "missing":
            lines.append(f"{where} is required")
        else:
            lines.append(f"{where}: {each['msg']}, got {_short(each.get('input'))}")
    return f"{name}: {'; '.join(dict.fromkeys(lines))}"


def _line(text: str) -> str:
    """Make one line of an error: at most 1000 characters, and only characters that UTF-8 can encode."""
    words = " ".join(text.split()).encode("utf-8", "replace").decode()
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def make_server(services: McpServices) -> DulyServer:
    """Make the server with all tools, resources and the prompt."""
    from duly.mcp import desk_tools, reminder_tools, resources, schedule_tools  # they import `add_tool` from here

    watchers = services.watchers
    server = DulyServer(
        "duly", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", subscriptions=watchers.bus
    )
    server.warn = lambda: services.use_cases.reads.attention.nothing_runs()
    server.admit = lambda name, given, context: _admit(server, services, name, given, context)
    lowlevel = server._lowlevel_server  # noqa: SLF001  only the low level lets us check who may watch
    watchers.serve(lowlevel, lambda request, uri: resources.may_watch(services, request, uri))
    lowlevel.middleware.append(_telling_zones(services))
    schedule_tools.register(server, services)
    reminder_tools.register(server, services)
    desk_tools.register(server, services)
    resources.register(server, services)
    return server


_LOOKING = {"scheduler": ("list", "get", "show"), "calendar": ("list",)}
"""The actions of tools with several that change nothing."""


def _admit(
    server: DulyServer, services: McpServices, name: str, given: Mapping[str, Any], context: Context[Any, Any] | None
) -> None:
    """Refuse a read-only token on tools that change something."""
    tool = server._tool_manager.get_tool(name)  # noqa: SLF001  as below
    if context is None or tool is None or (tool.annotations is not None and tool.annotations.read_only_hint):
        return
    scope = services.caller(context).scope
    # `scheduler` is one tool for all actions, so its hint cannot say that two of them only read.
    if scope.read_only and given.get("action") not in _LOOKING.get(name, ()):
        raise AccessDeniedError(f"cannot call {name}: scope {scope} may only look")


def _telling_zones(services: McpServices) -> Any:
    """Make middleware that adds the caller's time zones to the instructions in the first answer to a client.

    The SDK has one text of instructions for all clients, so the answer is changed on its way out.
    """

    async def tell(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        answer = await call_next(ctx)
        if ctx.method in _GREETINGS and isinstance(answer, dict):
            zones = await services.use_cases.reads.zones.at(services.caller_of(ctx.request))
            instructions = (
                f"{INSTRUCTIONS} The person's time zone is {zones.words}: words (when, smart), remind_at without an "
                f"offset and cron in the scheduler tool mean it. Cron in schedule_* tools means {zones.cron}. "
                "cron_timezone beats both."
            )
            return {**answer, "instructions": instructions}
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
    """Register a function as a tool: its docstring becomes the description, its `DulyError`s become tool errors.

    `fields` are optional arguments by name and type; the function gets those that were given as keywords.
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
    """Remove "or None" from the type of an argument, and let a list take a single value.

    The SDK decodes JSON inside text for every argument whose type is not exactly `str`: a prompt that happens to be
    JSON would arrive as an object.
    """
    if get_origin(kind) is Annotated:
        bare, *notes = get_args(kind)
        return functools.reduce(lambda made, note: Annotated[made, note], notes, _when_given(bare))
    if get_origin(kind) is list:
        return Annotated[kind, BeforeValidator(as_list)]
    if get_origin(kind) not in (Union, UnionType):
        return kind
    real = [each for each in get_args(kind) if each is not NoneType]
    return _when_given(real[0]) if len(real) == 1 else functools.reduce(operator.or_, real)


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove titles, null defaults and "or null" from a schema: agents pay for each character in each session.

    Properties whose name is `title` stay.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "default" and value is None:
            continue
        if key == "properties":
            result[key] = {name: compact(each) for name, each in value.items()}
        elif key == "anyOf":
            result |= _without_null([compact(each) for each in value])
        elif isinstance(value, dict):
            result[key] = compact(value)
        else:
            result[key] = value
    return result


def _without_null(choices: list[dict[str, Any]]) -> dict[str, Any]:
    real = [choice for choice in choices if choice != {"type": "null"}]
    return real[0] if len(real) == 1 else {"anyOf": real}

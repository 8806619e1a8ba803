"""The MCP server: registers the tools, resources and the prompt, and words errors so that an agent can act on them."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

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
from duly.operations.ask import Ask
from duly.ports.reading import work_for
from duly.service.access.scopes import Caller
from duly.service.limits import check_given
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


R = TypeVar("R")
CallerOf = Callable[[Any], Caller]
"""Gives the caller of a request. Over standard input and output the request is None."""


class DulyServer(MCPServer[Any]):
    """An MCP server with short errors about arguments, which refuses arguments that it would ignore."""

    def __init__(self, services: Services, caller_of: CallerOf) -> None:
        self.services = services
        self.caller_of = caller_of
        self.watchers = Watchers()
        self.asks: dict[str, Mapping[str, type[Ask[Any]]]] = {}
        """What each tool asks, by its argument `action`; under an empty name what it asks without one."""
        super().__init__(
            "duly",
            version=__version__,
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            subscriptions=self.watchers.bus,
        )

    def caller(self, asked: Context[Any, Any]) -> Caller:
        """Give the caller of a tool or a resource."""
        caller = self.caller_of(asked.request_context.request)
        work_for(caller.token_id or "")  # a session has a task of its own, which began with its first request
        return caller

    async def ask(self, asked: Context[Any, Any], ask: Ask[R]) -> R:
        """Answer what the caller of a tool or a resource asks."""
        return await self.services.ask(self.caller(asked), ask)

    def listen(self) -> None:
        """Notify the clients that watch of what happens in this process, and of what every face of it changes."""
        self.services.process.hear(self.watchers.hear)
        self.services.asking.hear(self.watchers.heard)

    async def follow(self) -> None:
        """Notify clients of changes by other processes, until cancelled."""
        await self.watchers.follow(self.services.store, self.services.clock)

    async def warning(self) -> str | None:
        """Give the warning, or None when the store does not answer: the tool has done its work by then."""
        with suppress(DulyError):
            return await self.services.attention.nothing_runs()
        return None

    def _admit(self, name: str, given: Mapping[str, Any], context: Context[Any, Any] | None) -> None:
        """Refuse a read-only token on tools that change something, before the arguments are read."""
        asks = self.asks.get(name)
        if asks is None or context is None:
            return
        action = given.get("action")
        meant = [asks[action]] if isinstance(action, str) and action in asks else asks.values()
        scope = self.caller(context).scope
        if scope.read_only and any(each.operation.changes for each in meant):
            raise AccessDeniedError(f"cannot call {name}: scope {scope} may only look")

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        # Clients send null for arguments that the agent left out.
        given = {argument: value for argument, value in arguments.items() if value is not None}
        try:
            self._admit(name, given, context)
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


def make_server(services: Services, caller_of: CallerOf) -> DulyServer:
    """Make the server with all tools, resources and the prompt."""
    from duly.mcp import action_tools, reminder_tools, resources, schedule_tools  # they import `DulyServer` from here

    server = DulyServer(services, caller_of)
    lowlevel = server._lowlevel_server  # noqa: SLF001  only the low level lets us check who may watch
    server.watchers.serve(lowlevel, lambda request, uri: resources.may_watch(server, request, uri))
    lowlevel.middleware.append(_telling_zones(server))
    for each in (schedule_tools, reminder_tools, action_tools, resources):
        each.register(server)
    return server


def _telling_zones(server: DulyServer) -> Any:
    """Make middleware that adds the caller's time zones to the instructions in the first answer to a client.

    The SDK has one text of instructions for all clients, so the answer is changed on its way out.
    """

    async def tell(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        answer = await call_next(ctx)
        if ctx.method in _GREETINGS and isinstance(answer, dict):
            zones = await server.services.schedules.zones.at(server.caller_of(ctx.request))
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
    asks: type[Ask[Any]] | Mapping[str, type[Ask[Any]]],
    hints: str = "",
    fields: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Register a function as a tool: its docstring becomes the description, its `DulyError`s become tool errors.

    `asks` says what the tool asks, by action where it has several; `hints` whether it "destroys", may be done "again"
    without harm, and "reaches out" to persons or agents. `fields` are optional arguments by name and type; the function
    gets those that were given as keywords.
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
    name = function.__name__
    server.asks[name] = asks if isinstance(asks, Mapping) else {"": asks}
    annotations = _annotations(server.asks[name].values(), hints)
    server.add_tool(guarded, title=title, description=inspect.getdoc(function), annotations=annotations)
    tool = server._tool_manager.get_tool(name)  # noqa: SLF001  the SDK offers no other way to the schema
    if tool is None:
        raise RuntimeError(f"{name} was not registered")
    tool.parameters = compact(tool.parameters) | {"additionalProperties": False}


def _annotations(asks: Iterable[type[Ask[Any]]], hints: str) -> ToolAnnotations:
    """Give the hints of a tool: it only reads if everything that it asks does."""
    reads = not any(each.operation.changes for each in asks)
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint="destroys" in hints,
        idempotent_hint=reads or "again" in hints,
        open_world_hint="reaches out" in hints,
    )


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

"""Spawner profiles: how an agent is started and continued, and how its answer is read. Checked when they are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from duly.agents.limits import LimitPattern, ResetForm
from duly.agents.selectors import Selector
from duly.agents.templates import Template, check_template, mentions, placeholders
from duly.config_section import ConfigSection, located_command, matches
from duly.errors import ConfigError, InvalidInputError
from duly.model.checks import LARGEST
from duly.outbound.addresses import UrlRefusedError, UserUrl

DEFAULT_TIMEOUT = 1800.0
DEFAULT_OUTPUT_CAP = 1024 * 1024
LONGEST_TIMEOUT = 30 * 86_400
DEFAULT_LIMIT_WAIT = 86_400.0
DEFAULT_LIMIT_NOTE = "Your usage limit had stopped you, and has reset now. Go on where you stopped."
_VARIABLE = r"[^=\0]+"
_IN_SESSION_FILES = {"session_id", "state_dir"}


class SpawnerKind(StrEnum):
    """The kinds of agents."""

    COMMAND = "command"
    WEBHOOK = "webhook"
    CALLABLE = "callable"


class Parse(StrEnum):
    """The formats of output."""

    JSON = "json"
    JSONL = "jsonl"
    TEXT = "text"


class SessionNaming(StrEnum):
    """Who names a new session: duly or the tool."""

    ASSIGNED = "assigned"
    """duly does, before the tool starts: the session is recorded even if the tool crashes."""
    PARSED = "parsed"
    """The tool does, and prints the name."""
    NONE = "none"
    """The tool has no sessions: every run starts a new conversation."""


class Stdin(StrEnum):
    """The standard input of a tool; it is closed after the prompt."""

    PROMPT = "prompt"
    NONE = "none"


class OnResume(StrEnum):
    """How a run continues the session of the run before."""

    RESUME = "resume"
    FORK = "fork"
    """In a copy of it: the pinned session stays as it was."""


class Sandbox(StrEnum):
    """The sandboxes."""

    NONE = "none"
    BWRAP = "bwrap"
    """Bubblewrap: a read-only file system without duly's data, and no view of other processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnerProfile:
    """A named way to carry out prompts. Templates are argument lists, never a shell; see `templates`."""

    name: str
    kind: SpawnerKind = SpawnerKind.COMMAND
    # commands
    new: Template = ()
    resume: Template = ()
    fork: Template = ()
    on_resume: OnResume = OnResume.RESUME
    stdin: Stdin = Stdin.PROMPT
    session: SessionNaming = SessionNaming.NONE
    session_file: str | None = None
    """The file of a session, for tools that do not complain about an unknown one: the session is gone when it is."""
    gone: str | None = None
    """A regular expression for the complaint of the tool about an unknown session."""
    env: tuple[str, ...] = ()
    """Names of further variables that the tool gets from duly's environment; a trailing * stands for any ending."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables set for the tool; `env:NAME` and `file:PATH` name secrets, read when the tool starts."""
    # confinement
    run_as: str | None = None
    """The user as whom the tool runs (default: the user who runs duly)."""
    sandbox: Sandbox = Sandbox.NONE
    network: bool = True
    """Whether the sandbox has the network of the machine."""
    writable: tuple[str, ...] = ()
    """Files and folders besides the working directory to which a sandbox may write; ~ is the home of the user."""
    # reading the answer
    parse: Parse = Parse.TEXT
    text_path: str | None = None
    """This and the following are selectors; with `parse = "text"`, regular expressions with a group for the value."""
    session_path: str | None = None
    cost_path: str | None = None
    """With `parse = "text"`, the last match counts."""
    usage_path: str | None = None
    error_path: str | None = None
    """A value there that is neither false nor empty means failure, even with exit code 0.

    With `parse = "text"`, a regular expression for the complaint: its group, if it has one."""
    # usage limits of the tool
    limit_patterns: tuple[LimitPattern, ...] = ()
    """Words of a failing tool that say that its usage window is spent. The run then waits for the reset."""
    limit_path: str | None = None
    """A selector for the reset: an epoch, or seconds from now. A value there means a spent window if the tool fails."""
    limit_wait: float = DEFAULT_LIMIT_WAIT
    """Seconds that a run waits at most; with 0 a spent window is a failure like any other."""
    limit_note: str = DEFAULT_LIMIT_NOTE
    """What a session that had begun its work gets afterwards; if empty, it gets the prompt once more."""
    # elsewhere
    executor: str | None = None
    """Who carries the prompts out: a worker starts the agent, by the profile of this name in its own configuration."""
    # limits
    timeout: float = DEFAULT_TIMEOUT
    output_cap: int = DEFAULT_OUTPUT_CAP
    model: str | None = None
    # webhooks
    url: str | None = None
    secret: str | None = None
    """`env:NAME` or `file:PATH` of the key that signs requests."""
    allow_private: bool = False
    # callables
    call: str | Callable[..., Any] | None = None
    """`module:function`, or the function."""
    folder: Path | None = None
    """The folder of the configuration file: modules of functions and relative `file:` secrets are looked up there."""

    def __post_init__(self) -> None:
        if not matches(r"[A-Za-z0-9][\w.-]*", self.name):
            raise ConfigError("spawners", f"a name is letters, digits, '-', '_' and '.', got {self.name!r}")
        section = ConfigSection(f"spawners.{self.name}", {each.name: getattr(self, each.name) for each in fields(self)})
        for name, kind in _CHOICES.items():
            object.__setattr__(self, name, section.choice(name, kind))
        _check_values(section)
        object.__setattr__(self, "limit_patterns", _limit_patterns(section))
        object.__setattr__(self, "limit_wait", section.length("limit_wait", at_most=LONGEST_TIMEOUT).total_seconds())
        _check_confinement(self)
        _check_reading(self)
        _CHECKS[self.kind](self)

    def key(self, name: str) -> str:
        """Return the name of a setting for errors."""
        return f"spawners.{self.name}.{name}"

    def fault(self, name: str, reason: str) -> ConfigError:
        """Make the error about a setting."""
        return ConfigError(self.key(name), reason)

    @property
    def reports_cost(self) -> bool:
        return self.cost_path is not None or self.kind is SpawnerKind.CALLABLE

    @property
    def program(self) -> str | None:
        """The name of the program behind it; None for a webhook or a function."""
        first = self.new[0] if self.new else None
        return Path(first).name if isinstance(first, str) else None

    @property
    def limit_name(self) -> str:
        """The usage limit of the tool, for people."""
        return f"{self.program or self.name}'s limit"

    @property
    def keeps_sessions(self) -> bool:
        """Whether a run can continue the session of another: not elsewhere, where a session is on one worker only."""
        return self.session is not SessionNaming.NONE and self.executor is None

    def selector(self, name: str) -> Selector | None:
        """Return the selector of a value of the answer; None if the profile has none."""
        text = getattr(self, f"{name}_path")
        return None if text is None else Selector.parse(text, self.key(f"{name}_path"))


_CHOICES: dict[str, type[StrEnum]] = {
    "kind": SpawnerKind,
    "on_resume": OnResume,
    "stdin": Stdin,
    "session": SessionNaming,
    "parse": Parse,
    "sandbox": Sandbox,
}
READ_PATHS = ("text", "session", "cost", "usage", "error", "limit")
"""The values that are read from an answer; each has a setting `…_path`."""
_EXAMPLE_PATTERN = """{ match = 'resets at (\\S+)', reset = "clock" }"""
_TEXTS = (*("session_file", "gone", "url", "run_as", "executor"), *(f"{name}_path" for name in READ_PATHS))
_MODEL = r"[A-Za-z0-9][\w.:/@\[\]+-]*"
_MODEL_RULE = "the name of a model, such as 'sonnet' or 'openai/gpt-5'"
_WITH_GROUP = ("text", "cost")
"""With `parse = "text"`, their regular expressions need a group."""


def profile_from(
    name: str, settings: Mapping[str, Any], presets: Mapping[str, SpawnerProfile], folder: Path | None = None
) -> SpawnerProfile:
    """Make a profile from a section of the configuration; `preset` names a profile to start from.

    `folder` is the folder of the configuration file: relative programs start from it.
    """
    section = ConfigSection(f"spawners.{name}", settings)
    preset = section.one_of("preset", sorted(presets)) if "preset" in settings else None
    section.finish(also={each.name for each in fields(SpawnerProfile)} - {"name", "folder"})
    values = {key: _frozen(value) for key, value in settings.items() if key != "preset"}
    for key in ("new", "resume", "fork"):
        match values.get(key):
            case (str(), *_) as words:
                values[key] = located_command(words, folder)
    if preset is None:
        return SpawnerProfile(name=name, folder=folder, **values)
    return replace(presets[preset], name=name, folder=folder, **values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _check_values(section: ConfigSection) -> None:
    """Check the values by themselves; what they mean together is checked after that."""
    for name in _TEXTS:
        section.optional_text(name)
    section.reference("secret")
    section.checked("limit_note", "a text", partial(matches, r"[^\0]*"))
    for name in ("allow_private", "network"):
        section.yes_or_no(name)
    section.number("timeout", at_most=LONGEST_TIMEOUT, of="a number of seconds")
    section.whole("output_cap", low=1024, high=LARGEST)
    if section.get("model") is not None:
        section.checked("model", _MODEL_RULE, partial(matches, _MODEL))
    section.texts("env", 'a list of names such as ["GH_TOKEN"]', each=_VARIABLE)
    section.texts(
        "writable",
        'a list of paths that begin with / or ~/, such as ["~/.claude"]',
        each=r"(/|~/)[^\0]*[^\0/][^\0]*",
    )
    for name, value in section.table("variables").values.items():
        if not matches(_VARIABLE, name) or not matches(r"[^\0]*", value):
            raise section.fault("variables", f"{name!r} must be the name of a variable, with a text")


def _limit_patterns(section: ConfigSection) -> tuple[LimitPattern, ...]:
    """Read the words for a spent window: tables with `match`, and `reset` and `value` where they tell the reset."""
    given = section.get("limit_patterns")
    if not isinstance(given, list | tuple):
        raise section.fault("limit_patterns", f"must be a list of tables such as {_EXAMPLE_PATTERN}, got {given!r}")
    return tuple(_limit_pattern(section, each) for each in given)


def _limit_pattern(section: ConfigSection, given: object) -> LimitPattern:
    if isinstance(given, LimitPattern):
        return given
    if not isinstance(given, Mapping):
        raise section.fault("limit_patterns", f"has tables such as {_EXAMPLE_PATTERN}, got {given!r}")
    table = ConfigSection(section.key("limit_patterns"), given)
    found = LimitPattern(
        match=table.text("match"),
        reset=table.choice("reset", ResetForm, ResetForm.NONE),
        value=table.optional_text("value"),
    )
    table.finish()
    try:
        groups = re.compile(found.match).groups
    except re.error as error:
        raise table.fault("match", f"is no regular expression ({error}): {found.match!r}") from None
    if found.reset is not ResetForm.NONE and found.value is None and groups != 1:
        raise table.fault("match", f"needs one group, around the reset: {found.match!r}")
    return found


def _check_confinement(profile: SpawnerProfile) -> None:
    if profile.kind is not SpawnerKind.COMMAND:
        for name, unset in (("run_as", None), ("sandbox", Sandbox.NONE), ("executor", None)):
            if getattr(profile, name) != unset:
                raise profile.fault(name, f"means nothing with kind = '{profile.kind}'")
    if profile.sandbox is Sandbox.NONE:
        for name in [*(["network"] if not profile.network else []), *(["writable"] if profile.writable else [])]:
            raise profile.fault(name, "has no effect without a sandbox: set sandbox = 'bwrap' too")


def check_model(model: object, key: str) -> None:
    """Refuse a name of a model that a command line could take for an option."""
    if not matches(_MODEL, model):
        raise InvalidInputError(f"{key} must be {_MODEL_RULE}, got {model!r}")


def _check_reading(profile: SpawnerProfile) -> None:
    expressions = {"gone": profile.gone}
    if profile.parse is Parse.TEXT and profile.kind is SpawnerKind.COMMAND:
        expressions |= {f"{name}_path": getattr(profile, f"{name}_path") for name in _WITH_GROUP}
        expressions["error_path"] = profile.error_path
        for name in ("session", "usage", "limit"):
            if getattr(profile, f"{name}_path") is not None:
                raise profile.fault(f"{name}_path", "needs parse = 'json' or 'jsonl'")
    else:
        for name in READ_PATHS:
            profile.selector(name)
    for name, expression in expressions.items():
        try:
            groups = 1 if expression is None else re.compile(expression).groups
        except re.error as error:
            raise profile.fault(name, f"is no regular expression ({error}): {expression!r}") from None
        if name.removesuffix("_path") in _WITH_GROUP and groups != 1:
            raise profile.fault(name, f"needs one group, around the value: {expression!r}")


def _check_command(profile: SpawnerProfile) -> None:
    _refuse(profile, "url", "secret", "call")
    if not profile.new:
        raise profile.fault("new", "must be a list of arguments, such as ['claude', '-p']")
    for name in ("new", "resume", "fork"):
        _check_one(profile, name, getattr(profile, name))
    assigned = profile.session is SessionNaming.ASSIGNED
    if assigned != mentions(profile.new, "session_id"):
        fix = "must contain {session_id}" if assigned else "cannot contain {session_id}: it is not known yet"
        raise profile.fault("new", f"{fix} with session = '{profile.session}'")
    if profile.session is SessionNaming.PARSED and profile.session_path is None:
        raise profile.fault("session_path", "is needed with session = 'parsed'")
    if not set(placeholders([profile.session_file or ""])) <= _IN_SESSION_FILES:
        raise profile.fault(
            "session_file", f"may contain {{session_id}} and {{state_dir}}, got {profile.session_file!r}"
        )
    if profile.keeps_sessions and not (profile.fork if profile.on_resume is OnResume.FORK else profile.resume):
        raise profile.fault(profile.on_resume, "is needed to continue sessions")


def _check_one(profile: SpawnerProfile, name: str, template: Template) -> None:
    check_template(template, profile.key(name))
    if not template:
        return
    by_argument = mentions(template, "prompt") or mentions(template, "prompt_file")
    if by_argument == (profile.stdin is Stdin.PROMPT):
        fault = "hands the prompt over twice" if by_argument else "never hands the prompt over"
        raise profile.fault(name, f"{fault}: use stdin = 'prompt', or {{prompt}} or {{prompt_file}} in the list")
    if name != "new" and not mentions(template, "session_id"):
        raise profile.fault(name, "must contain {session_id}")


def _check_webhook(profile: SpawnerProfile) -> None:
    _refuse(profile, "new", "resume", "fork", "call")
    try:
        UserUrl.parse(profile.url or "")
    except UrlRefusedError as error:
        got = "" if "@" in (profile.url or "") else f", got {profile.url!r}"  # it may contain a password
        raise profile.fault("url", f"{error}{got}") from None
    if profile.keeps_sessions and profile.session_path is None:
        raise profile.fault("session_path", f"is needed with session = '{profile.session}'")


def _check_callable(profile: SpawnerProfile) -> None:
    _refuse(profile, "new", "resume", "fork", "url", "secret")
    if not matches(r"[\w.]+:[\w.]+", profile.call) and not callable(profile.call):
        raise profile.fault("call", f"must be 'module:function', got {profile.call!r}")


def _refuse(profile: SpawnerProfile, *names: str) -> None:
    for name in names:
        if getattr(profile, name):
            raise profile.fault(name, f"means nothing with kind = '{profile.kind}'")


_CHECKS: dict[SpawnerKind, Callable[[SpawnerProfile], None]] = {
    SpawnerKind.COMMAND: _check_command,
    SpawnerKind.WEBHOOK: _check_webhook,
    SpawnerKind.CALLABLE: _check_callable,
}

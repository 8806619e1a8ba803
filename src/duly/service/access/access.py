"""Who may do what. Pure rules over a caller's scope and a schedule's namespace and targets.

A project's token reaches schedules that have a target in the project: it reads them with foreign targets hidden, and
changes those whose targets are all its own. A person's token reaches what lies in the person's namespace, with targets
only in projects that were granted to it. A schedule without targets belongs to the owner of its namespace, and to
admins. Prompts need more than a scope: see `grants`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt, Target
from duly.model.schedule import DEFAULT_NAMESPACE
from duly.service.access.grants import UNCONFIGURED, Configured, GrantKind, grant, holds, needs, split

_NAME = re.compile(r"[\w.@+-]{1,100}")


class Face(StrEnum):
    """The door a request came through; kept on what it made."""

    MCP = "mcp"
    CLI = "cli"
    API = "api"
    GUI = "gui"
    CHAT = "chat"

    @property
    def has_utc_cron(self) -> bool:
        """Whether cron that names no zone means UTC at this door, and not the person's zone."""
        return self is Face.MCP


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token allows: `admin`, `project:<id>` or `user:<id>`, each with `:ro` for looking only, and its grants."""

    kind: str
    subject: str = ""
    read_only: bool = False
    grants: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read a scope as it is written."""
        body, read_only = (text.removesuffix(":ro"), True) if text.endswith(":ro") else (text, False)
        kind, _, subject = body.partition(":")
        if kind == "admin" and not subject and body == "admin":
            return cls("admin", "", read_only)
        if kind in ("project", "user") and _NAME.fullmatch(subject):
            return cls(kind, subject, read_only)
        raise InvalidInputError(
            f"scope {text!r} is unknown: write admin, admin:ro, project:<id>, project:<id>:ro or user:<id>"
        )

    def __str__(self) -> str:
        body = f"{self.kind}:{self.subject}" if self.subject else self.kind
        return f"{body}:ro" if self.read_only else body

    @property
    def is_admin(self) -> bool:
        return self.kind == "admin"

    @property
    def namespace(self) -> str:
        """Names of different owners do not get in each other's way."""
        return DEFAULT_NAMESPACE if self.is_admin else f"{self.kind}:{self.subject}"

    def reaches(self, project_id: str) -> bool:
        """Whether prompts in a project are this caller's business."""
        if self.kind == "project":
            return self.subject == project_id
        return self.is_admin or holds(self.grants, grant(GrantKind.PROJECTS, project_id))


ADMIN = Scope("admin")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and through which face."""

    scope: Scope = ADMIN
    token_id: str | None = None
    face: Face = Face.CLI
    user_id: str | None = None
    """The person a request without a name is about."""

    called: str | None = None
    """The name of the person whose token it is: as good as their id where a request says whom it is about."""

    home: str = DEFAULT_NAMESPACE
    """The namespace of admins who name none: a butler's own, where there is one."""

    @property
    def name(self) -> str:
        return self.token_id or "local"

    @property
    def namespace(self) -> str:
        """Where what the caller makes is kept, and where a name is looked for first."""
        return self.home if self.scope.is_admin else self.scope.namespace


@dataclass(frozen=True, slots=True)
class Owned:
    """What the rules look at in a schedule."""

    namespace: str
    targets: Sequence[Target]

    @classmethod
    def of(cls, namespace: str, action: Action | None) -> Owned:
        return cls(namespace, action.targets if isinstance(action, Prompt) else ())


def may_read(scope: Scope, owned: Owned) -> bool:
    """One reachable target is enough; a person's has to be in a schedule of their own."""
    if scope.is_admin:
        return True
    if scope.kind == "user" and owned.namespace != scope.namespace:
        return False
    if owned.targets:
        return any(scope.reaches(target.project_id) for target in owned.targets)
    return owned.namespace == scope.namespace


def may_change(scope: Scope, owned: Owned) -> bool:
    """Every target must be reachable."""
    if scope.read_only or (scope.kind == "user" and owned.namespace != scope.namespace):
        return False
    if owned.targets:
        return all(scope.reaches(target.project_id) for target in owned.targets)
    return scope.is_admin or owned.namespace == scope.namespace


def check_writes(scope: Scope, verb: str) -> None:
    """Raise if the scope may only look: asked first, before anything of a request is read."""
    if scope.read_only:
        raise AccessDeniedError(f"cannot {verb} schedule: scope {scope} may only look")


def check_change(scope: Scope, owned: Owned, verb: str) -> None:
    """Raise unless the scope may change what it can see."""
    check_writes(scope, verb)
    if any(not scope.reaches(target.project_id) for target in owned.targets):  # which ones is not theirs to know
        raise AccessDeniedError(
            f"cannot {verb} schedule: access denied, it has targets that scope {scope} cannot reach"
        )
    if not may_change(scope, owned):
        raise AccessDeniedError(f"cannot {verb} schedule in {owned.namespace}: access denied")


def check_action(
    scope: Scope,
    action: Action,
    verb: str,
    configured: Configured = UNCONFIGURED,
    token_id: str | None = None,
) -> None:
    """Raise unless the scope may have this carried out: jobs by admins only, prompts as far as grants go.

    It is asked when a schedule is made, changed or fired by hand, and again before every run. `token_id` is for the
    advice in the refusal.
    """
    check_writes(scope, verb)
    if scope.is_admin:
        return
    if isinstance(action, Job):
        raise AccessDeniedError(f"cannot {verb} schedule for job {action.name}: access denied, jobs are for admins")
    if scope.kind == "project" and (isinstance(action, Message) or not action.targets):
        raise AccessDeniedError(
            f"cannot {verb} schedule without targets: scope {scope} reaches project {scope.subject} only, "
            f'say targets=[{{"project_id": "{scope.subject}"}}]'
        )
    if isinstance(action, Prompt):
        _check_prompt(scope, action, verb, configured, token_id)


def _check_prompt(scope: Scope, prompt: Prompt, verb: str, configured: Configured, token_id: str | None) -> None:
    """Raise unless the scope's grants, and for a project what the file lists for it, give each thing a prompt needs."""
    listed = configured.of_project(scope.subject) if scope.kind == "project" else frozenset()
    for need in needs(prompt, configured):
        kind, name = split(need)
        if scope.reaches(name) if kind is GrantKind.PROJECTS else holds(scope.grants | listed, need):
            continue
        what = {GrantKind.PROJECTS: "for project", GrantKind.PROMPTS: "with spawner", GrantKind.GATES: "with gate"}
        raise AccessDeniedError(
            f"cannot {verb} schedule {what[kind]} {name}: access denied" + _to_be_granted(scope, need, token_id)
        )


def _to_be_granted(scope: Scope, need: str, token_id: str | None) -> str:
    """Which grant is missing, and how an admin gives it. A project's token gets no other project."""
    kind, name = split(need)
    if scope.kind == "project" and kind is GrantKind.PROJECTS:
        return ""
    key = {GrantKind.PROMPTS: "spawners", GrantKind.GATES: "gates"}.get(kind)
    file = (
        f'; or list it in duly.toml: [projects.{scope.subject}] {key} = ["{name}"]' if scope.kind == "project" else ""
    )
    command = f"duly token grant {token_id or 'TOKEN_ID'} {need}"
    return f", scope {scope} has no grant {need}. An admin gives it: {command}{file}"


def visible_targets(scope: Scope, targets: Sequence[Target]) -> list[Target]:
    """The targets a caller may know of."""
    return [target for target in targets if scope.reaches(target.project_id)]

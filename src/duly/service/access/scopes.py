"""Scopes and callers, and the rules of what they may do. Pure rules over a scope and a schedule's owner and targets.

A project's token reads schedules that have a target in the project, with foreign targets hidden, and changes those
whose targets are all its own. A person's token reads and changes schedules in the person's namespace, with targets only
in projects that were granted to it. A schedule without targets belongs to the owner of its namespace, and to admins.
Prompts need more than a scope: see `grants`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt, Target
from duly.model.ids import NO_AUTH_TOKEN
from duly.model.schedule import DEFAULT_NAMESPACE
from duly.service.access.grants import UNCONFIGURED, Configured, GrantKind, grant, holds, needs, split

_NAME = re.compile(r"[\w.@+-]{1,100}")


class Face(StrEnum):
    """The way in of a request; stored with what the request made."""

    MCP = "mcp"
    CLI = "cli"
    API = "api"
    GUI = "gui"
    CHAT = "chat"

    @property
    def has_utc_cron(self) -> bool:
        """Whether cron that names no zone means UTC here, and not the person's zone."""
        return self is Face.MCP


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token may see and change: `admin`, `project:<id>` or `user:<id>`, each with `:ro` for reading only.

    It carries the token's grants.
    """

    kind: str
    subject: str = ""
    read_only: bool = False
    grants: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read a scope from its text."""
        read_only = text.endswith(":ro")
        body = text.removesuffix(":ro")
        kind, _, subject = body.partition(":")
        if kind == "admin" and not subject and body == "admin":
            return cls("admin", "", read_only)
        if kind in ("project", "user") and _NAME.fullmatch(subject):
            return cls(kind, subject, read_only)
        raise InvalidInputError(
            f"scope {text!r} is unknown: write admin, project:<id> or user:<id>, each also with :ro for reading only"
        )

    def __str__(self) -> str:
        body = f"{self.kind}:{self.subject}" if self.subject else self.kind
        return f"{body}:ro" if self.read_only else body

    @property
    def is_admin(self) -> bool:
        return self.kind == "admin"

    @property
    def namespace(self) -> str:
        """The namespace of this owner: names in different namespaces may be equal."""
        return DEFAULT_NAMESPACE if self.is_admin else f"{self.kind}:{self.subject}"

    def reaches(self, project_id: str) -> bool:
        """Whether this scope may have prompts in a project."""
        if self.kind == "project":
            return self.subject == project_id
        return self.is_admin or holds(self.grants, grant(GrantKind.PROJECTS, project_id))


_WHAT = {
    GrantKind.PROJECTS: "for project",
    GrantKind.PROMPTS: "with spawner",
    GrantKind.GATES: "with gate",
    GrantKind.EXECUTORS: "for executor",
}
_LISTED = {GrantKind.PROMPTS: "spawners", GrantKind.GATES: "gates", GrantKind.EXECUTORS: "executors"}
"""The keys of `[projects.ID]` that give grants."""
ADMIN = Scope("admin")
LOCAL = "local"
"""The actor of the local user, who owns the data directory."""
NO_AUTH = "no-auth"
"""The actor of every caller without a token while the daemon asks for none: anyone on its machine."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, with which scope, through which face."""

    scope: Scope = ADMIN
    token_id: str | None = None
    face: Face = Face.CLI
    user_id: str | None = None
    """The person whose token it is: requests that name no person are about them."""

    called: str | None = None
    """The name of that person: requests may use it instead of the id."""

    home: str = DEFAULT_NAMESPACE
    """The namespace of an admin who names none: the butler's, if there is one."""

    actor: str = LOCAL
    """The name in the audit of a caller who shows no token."""
    until: datetime | None = field(default=None, compare=False)
    """When the secret that was shown ends: what stays open for this caller is closed then."""

    @property
    def name(self) -> str:
        return self.token_id or self.actor

    @property
    def answering(self) -> str | None:
        """The token that answers for what the caller makes; None for the local user."""
        return self.token_id or (NO_AUTH_TOKEN if self.actor == NO_AUTH else None)

    @property
    def namespace(self) -> str:
        """The namespace of what the caller makes, and where a name is searched first."""
        return self.home if self.scope.is_admin else self.scope.namespace


@dataclass(frozen=True, slots=True)
class Owned:
    """The part of a schedule that the rules need."""

    namespace: str
    targets: Sequence[Target]

    @classmethod
    def of(cls, namespace: str, action: Action | None) -> Owned:
        return cls(namespace, action.targets if isinstance(action, Prompt) else ())


def may_read(scope: Scope, owned: Owned) -> bool:
    """Whether a scope may read a schedule: it must reach one target; a person's must also own the namespace."""
    if scope.is_admin:
        return True
    if scope.kind == "user" and owned.namespace != scope.namespace:
        return False
    if owned.targets:
        return any(scope.reaches(target.project_id) for target in owned.targets)
    return owned.namespace == scope.namespace


def may_change(scope: Scope, owned: Owned) -> bool:
    """Whether a scope may change a schedule: it must reach every target."""
    if scope.read_only or (scope.kind == "user" and owned.namespace != scope.namespace):
        return False
    if owned.targets:
        return all(scope.reaches(target.project_id) for target in owned.targets)
    return scope.is_admin or owned.namespace == scope.namespace


def check_writes(scope: Scope, verb: str) -> None:
    """Raise for a read-only scope; checked before anything else of a request is read."""
    if scope.read_only:
        raise AccessDeniedError(f"cannot {verb} schedule: scope {scope} may only look")


def check_change(scope: Scope, owned: Owned, verb: str) -> None:
    """Raise unless the scope may change a schedule that it may read."""
    check_writes(scope, verb)
    if any(not scope.reaches(target.project_id) for target in owned.targets):  # the error must not name them
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
    """Raise unless the scope may have an action carried out: prompts, and jobs of executors, need grants.

    Jobs in this process are for admins.

    Checked when a schedule is made, changed or fired by hand, and again before every run. `token_id` is for the advice
    in the error.
    """
    check_writes(scope, verb)
    if scope.is_admin:
        return
    if isinstance(action, Job):
        if action.executor is None:
            raise AccessDeniedError(f"cannot {verb} schedule for job {action.name}: access denied, jobs are for admins")
    elif scope.kind == "project" and (isinstance(action, Message) or not action.targets):
        raise AccessDeniedError(
            f"cannot {verb} schedule without targets: scope {scope} reaches project {scope.subject} only, "
            f'say targets=[{{"project_id": "{scope.subject}"}}]'
        )
    if not isinstance(action, Message):
        _check_grants(scope, action, verb, configured, token_id)


def _check_grants(scope: Scope, action: Prompt | Job, verb: str, configured: Configured, token_id: str | None) -> None:
    """Raise unless the scope's grants, or the file's lists for its project, cover everything that an action needs."""
    listed = configured.of_project(scope.subject) if scope.kind == "project" else frozenset()
    for need in needs(action, configured):
        kind, name = split(need)
        if scope.reaches(name) if kind is GrantKind.PROJECTS else holds(scope.grants | listed, need):
            continue
        raise AccessDeniedError(
            f"cannot {verb} schedule {_WHAT[kind]} {name}: access denied" + _to_be_granted(scope, need, token_id)
        )


def _to_be_granted(scope: Scope, need: str, token_id: str | None) -> str:
    """Say which grant is missing, and how an admin gives it. A project's token cannot be granted another project."""
    kind, name = split(need)
    if scope.kind == "project" and kind is GrantKind.PROJECTS:
        return ""
    key = _LISTED.get(kind)
    file = (
        f'; or list it in duly.toml: [projects.{scope.subject}] {key} = ["{name}"]' if scope.kind == "project" else ""
    )
    command = f"duly token grant {token_id or 'TOKEN_ID'} {need}"
    return f", scope {scope} has no grant {need}. An admin gives it: {command}{file}"


def visible_targets(scope: Scope, targets: Sequence[Target]) -> list[Target]:
    """Give the targets that a scope may know of."""
    return [target for target in targets if scope.reaches(target.project_id)]


def anyone(local: Caller) -> Caller:
    """Give the caller of requests without a token where none is asked for: as the local user, by another name."""
    return replace(local, actor=NO_AUTH, user_id=LOCAL)


def check_proven(caller: Caller, verb: str) -> None:
    """Raise for a caller who has shown nothing: what outlasts `--no-auth` must not be made by just anyone."""
    if caller.answering == NO_AUTH_TOKEN:
        raise AccessDeniedError(
            f"cannot {verb}: this daemon was started with --no-auth, and it would outlast that. Send an admin's token, "
            f"start the daemon without --no-auth, or run the command on its machine without --server"
        )

"""Who may do what. Pure rules over a caller's scope and a schedule's namespace and targets.

A project's token reaches schedules that have a target in the project: it reads them with foreign targets hidden, and
changes those whose targets are all its own. A person's token reaches what lies in the person's namespace. A schedule
without targets belongs to the owner of its namespace, and to admins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt, Target
from duly.model.schedule import DEFAULT_NAMESPACE

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
    """What a token allows: `admin`, `project:<id>` or `user:<id>`, each with `:ro` for looking only."""

    kind: str
    subject: str = ""
    read_only: bool = False

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
        return self.is_admin or (self.kind == "project" and self.subject == project_id)


ADMIN = Scope("admin")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and through which face."""

    scope: Scope = ADMIN
    token_id: str | None = None
    face: Face = Face.CLI
    user_id: str | None = None
    """The person a request without a name is about."""

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
    """One reachable target is enough."""
    if scope.is_admin:
        return True
    if owned.targets:
        return any(scope.reaches(target.project_id) for target in owned.targets)
    return owned.namespace == scope.namespace


def may_change(scope: Scope, owned: Owned) -> bool:
    """Every target must be reachable."""
    if scope.read_only:
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


def check_action(scope: Scope, action: Action, verb: str) -> None:
    """Raise unless the scope may have this carried out: targets of its own, and jobs by admins only."""
    check_writes(scope, verb)
    if isinstance(action, Prompt):
        for target in action.targets:
            if not scope.reaches(target.project_id):
                raise AccessDeniedError(f"cannot {verb} schedule for project {target.project_id}: access denied")
    if scope.is_admin:
        return
    if isinstance(action, Job):
        raise AccessDeniedError(f"cannot {verb} schedule for job {action.name}: access denied, jobs are for admins")
    if scope.kind == "project" and (isinstance(action, Message) or not action.targets):
        raise AccessDeniedError(
            f"cannot {verb} schedule without targets: scope {scope} reaches project {scope.subject} only, "
            f'say targets=[{{"project_id": "{scope.subject}"}}]'
        )


def visible_targets(scope: Scope, targets: Sequence[Target]) -> list[Target]:
    """The targets a caller may know of."""
    return [target for target in targets if scope.reaches(target.project_id)]

"""Grants: what a token may do beyond its scope. `prompts:SPAWNER`, `gates:NAME`, `projects:ID` and
`executors:NAME`. Pure rules.

An admin needs no grants. A person's token without one makes reminders and messages, never prompts and jobs. A
project's token has what `duly.toml` lists for the project, and its grants besides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from duly.errors import InvalidInputError
from duly.model.action import Job, Prompt

DEFAULT_SPAWNER = "default"
"""The spawner of a prompt that names none."""
EVERY = "*"
_LONGEST = 200


class GrantKind(StrEnum):
    """The kinds of grants."""

    PROMPTS = "prompts"
    """The spawners that prompts may run with."""
    GATES = "gates"
    PROJECTS = "projects"
    """The projects that prompts may have as targets."""
    EXECUTORS = "executors"
    """Who may carry out jobs elsewhere. Jobs in this process are for admins, and no grant gives them."""


def grant(kind: GrantKind, name: str) -> str:
    """Make a grant as it is written and stored."""
    return f"{kind}:{name}"


EVERY_SPAWNER = grant(GrantKind.PROMPTS, EVERY)


def parse_grants(texts: Iterable[str]) -> frozenset[str]:
    """Read grants; raise for a text that is none."""
    return frozenset(_parse(text) for text in texts)


def _parse(text: object) -> str:
    kind, colon, name = text.strip().partition(":") if isinstance(text, str) else ("", "", "")
    known = kind in {*GrantKind} and colon and name.strip() and name.isprintable() and len(name) <= _LONGEST
    if not known or (name == EVERY and kind != GrantKind.PROMPTS):
        raise InvalidInputError(
            f"grant {text!r} is unknown: write prompts:SPAWNER, prompts:*, gates:NAME, projects:ID or executors:NAME"
        )
    return grant(GrantKind(kind), name.strip())


def split(text: str) -> tuple[GrantKind, str]:
    """Give the kind of a grant and the name in it."""
    kind, _, name = text.partition(":")
    return GrantKind(kind), name


def holds(grants: Collection[str], need: str) -> bool:
    """Whether one of the grants covers a need. Each is judged alone: two grants never combine into a third."""
    return need in grants or (need.startswith(f"{GrantKind.PROMPTS}:") and EVERY_SPAWNER in grants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The rights that `duly.toml` gives to the tokens of projects."""

    default_spawner: str = DEFAULT_SPAWNER
    """The spawner of prompts that name none."""
    spawners: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By project; one that lists none has the default spawner."""
    gates: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By project; one that lists none has none."""
    executors: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By project; one that lists none has none."""
    handing: Mapping[str, str] = field(default_factory=dict)
    """By spawner: the executor that it hands prompts over to."""

    def resolved(self, spawner: str) -> str:
        """Give the spawner that a prompt means."""
        return self.default_spawner if spawner == DEFAULT_SPAWNER else spawner

    def of_project(self, project_id: str) -> frozenset[str]:
        """Give the rights of a project's tokens, as grants."""
        spawners = self.spawners.get(project_id, (self.default_spawner,))
        gates = self.gates.get(project_id, ())
        executors = self.executors.get(project_id, ())
        return frozenset(
            [
                *(grant(GrantKind.PROMPTS, self.resolved(name)) for name in spawners),
                *(grant(GrantKind.GATES, name) for name in gates),
                *(grant(GrantKind.EXECUTORS, name) for name in executors),
            ]
        )


UNCONFIGURED = Configured()


def needs(action: Prompt | Job, configured: Configured) -> Iterator[str]:
    """Give the grants that an action needs: a prompt for its targets first, then its spawner and the executor of
    that, then its gate.
    """
    if isinstance(action, Job):
        if action.executor is not None:
            yield grant(GrantKind.EXECUTORS, action.executor)
        return
    for target in action.targets:
        yield grant(GrantKind.PROJECTS, target.project_id)
    spawner = configured.resolved(action.spawner)
    yield grant(GrantKind.PROMPTS, spawner)
    if spawner in configured.handing:
        yield grant(GrantKind.EXECUTORS, configured.handing[spawner])
    if action.gate is not None:
        yield grant(GrantKind.GATES, action.gate)

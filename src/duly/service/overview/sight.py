"""What of the whole a caller sees: which schedules, of which kind, and in which words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError
from duly.model.action import Job, Message, Prompt
from duly.ports.codec import decode_action
from duly.ports.people import LOCAL_USER, owner_of
from duly.ports.timeline import EVERYTHING, Reach, Visible
from duly.service.access.grants import GrantKind, split
from duly.service.access.scopes import Caller, Scope, visible_targets

if TYPE_CHECKING:
    from duly.ports.records import StoredSchedule
    from duly.ports.store import FullStore

HANDLERS = {"agent": ("prompt:",), "job": ("job:", "executor:"), "person": ("message",)}
"""How the handlers of each kind of schedule begin."""


def reach_of(scope: Scope) -> Reach | None:
    """Say which schedules a scope may see; None means all. The same rule as `may_read`, as a question to the store."""
    if scope.is_admin:
        return None
    if scope.kind == "project":
        return Reach(namespace=scope.namespace, projects=(scope.subject,), beyond=True)
    granted = (split(each) for each in scope.grants)
    projects = sorted(name for kind, name in granted if kind is GrantKind.PROJECTS)
    return Reach(namespace=scope.namespace, projects=tuple(projects))


async def visible_to(store: FullStore, caller: Caller) -> Visible:
    """Find the schedules that a caller may see, deleted ones too."""
    reach = reach_of(caller.scope)
    if reach is None:
        return EVERYTHING
    found = await store.timeline.reached(reach)
    return Visible(tuple(each.schedule_id for each in found), tuple(each.schedule_id for each in found if each.hides))


def kind_of(handler: str) -> str:
    """Name the kind of a schedule: `agent`, `job` or `person`."""
    return next((kind for kind, begins in HANDLERS.items() if handler.startswith(begins)), "job")


def handlers_of(kind: str | None) -> tuple[str, ...]:
    """Say how the handlers of a kind begin."""
    if kind is not None and kind not in HANDLERS:
        raise InvalidInputError(f"kind {kind!r:.100} is unknown: use {', '.join(HANDLERS)}")
    return () if kind is None else HANDLERS[kind]


async def people_of(store: FullStore, rows: Iterable[StoredSchedule]) -> dict[str, str]:
    """Read the names of the people to whom the messages of schedules go."""
    asked = {who for row in rows if row.handler.startswith(HANDLERS["person"]) and (who := _recipient(row))}
    found = [await store.people.get(who) for who in sorted(asked)]
    return {user.id: user.name for user in found if user is not None}


def _recipient(row: StoredSchedule) -> str | None:
    try:
        action = decode_action(row.action)
    except ValueError:
        return None
    return (action.user_id or owner_of(row.namespace)) if isinstance(action, Message) else None


def detail_of(row: StoredSchedule, caller: Caller, names: Mapping[str, str]) -> str:
    """Say in a few words what a schedule does: "in shop", "job backup", "to you", "to Ana"."""
    try:
        action = decode_action(row.action)
    except ValueError:
        return "unreadable"
    if isinstance(action, Job):
        return f"job {action.name}"
    if isinstance(action, Message):
        who = action.user_id or owner_of(row.namespace)
        return "to you" if who in (caller.user_id, caller.scope.subject, LOCAL_USER) else f"to {names.get(who, who)}"
    assert isinstance(action, Prompt)  # noqa: S101  there are three kinds
    projects = dict.fromkeys(target.project_id for target in visible_targets(caller.scope, action.targets))
    return f"in {', '.join(projects)}" if projects else "prompt"

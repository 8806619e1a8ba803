"""Changes to schedules, sorted before either database writes them: which are prompts, deleted, or have new rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from duly.errors import InvalidInputError
from duly.ports.changes import Change, Edited, Merge
from duly.ports.records import StoredSchedule

Key = tuple[str, str]
"""The namespace and the name of a schedule."""
DELETED = "its schedule was deleted"
"""Why the runs of a deleted schedule are cancelled."""
_PROMPT = "prompt:"  # how the handlers of prompts begin
_NO_TARGET = {"project_id": ""}  # a prompt without targets has one without names, which can have a session as well


@dataclass(slots=True)
class Edits:
    """Schedules before they are written back, sorted by what else has to be done about them."""

    result: list[StoredSchedule] = field(default_factory=list)
    """All of them, changed or not, in order."""
    changed: list[StoredSchedule] = field(default_factory=list)
    pairs: list[Edited] = field(default_factory=list)
    """Those that changed, each with what it was."""
    prompts: list[StoredSchedule] = field(default_factory=list)
    """Those whose targets may have changed."""
    deleted: list[StoredSchedule] = field(default_factory=list)
    other_policy: list[StoredSchedule] = field(default_factory=list)
    """Those whose policy may let more runs begin."""


def edit_rows(rows: Iterable[StoredSchedule], change: Change) -> Edits:
    """Ask `change` about each schedule and sort the answers."""
    edits = Edits()
    for before in rows:
        after = change(replace(before))  # a copy: `change` may alter it in place, and `before` is compared below
        edits.result.append(after or before)
        if after is None:
            continue
        edits.changed.append(after)
        edits.pairs.append(Edited(before, after))
        if is_prompt(before) or is_prompt(after):
            edits.prompts.append(after)
        if after.deleted_at is not None and before.deleted_at is None:
            edits.deleted.append(after)
        if after.policy != before.policy:
            edits.other_policy.append(after)
    return edits


@dataclass(slots=True)
class Saves:
    """Schedules that are handed in under their names, sorted by what has to be done about each."""

    ids: list[str] = field(default_factory=list)
    """The id that each has, or will have."""
    fresh: dict[Key, StoredSchedule] = field(default_factory=dict)
    changed: dict[str, StoredSchedule] = field(default_factory=dict)
    prompts: dict[str, StoredSchedule] = field(default_factory=dict)
    other_policy: list[StoredSchedule] = field(default_factory=list)


def save_rows(
    rows: Iterable[StoredSchedule],
    stored: Callable[[Key], StoredSchedule | None],
    merge: Merge,
    edited: list[Edited] | None = None,
) -> Saves:
    """Ask `merge` about each schedule that is handed in and the one that is `stored` under its name.

    What changes is added to `edited`, where that is wanted.
    """
    saves = Saves()
    decided: dict[Key, StoredSchedule] = {}
    for row in rows:
        key = (row.namespace, row.name)
        before = decided.get(key) or stored(key)
        was_prompt = is_prompt(before)  # `merge` may alter it in place
        policy_before = None if before is None else before.policy
        after = merge(before, row)
        if after is not None:
            if was_prompt or is_prompt(after):
                saves.prompts[after.id] = after
            if policy_before not in (None, after.policy):
                saves.other_policy.append(after)
            if before is None or key in saves.fresh:  # one that is new, and handed in twice, is still new
                saves.fresh[key] = after
            else:
                saves.changed[after.id] = after
            if edited is not None:
                edited.append(Edited(before, after))
            decided[key] = after
        elif before is None:
            raise InvalidInputError(f"there is nothing to keep under {row.namespace}/{row.name}")
        saves.ids.append((after or before).id)  # type: ignore[union-attr]  # one of them is there
    return saves


def is_prompt(row: StoredSchedule | None) -> bool:
    """Tell whether a schedule may have targets."""
    return row is not None and row.handler.startswith(_PROMPT)


def targets_of(row: StoredSchedule) -> list[tuple[str, str]]:
    """Read project and workspace of each target of a prompt; a target that cannot be read is left out.

    Only the targets are read: a definition with parts that only a newer version of duly knows keeps its targets.
    """
    if not is_prompt(row):
        return []
    try:
        action = json.loads(row.action)
    except (ValueError, RecursionError):
        return []
    named = (action.get("targets") or [_NO_TARGET]) if isinstance(action, dict) else []
    readable = [each for each in named if _is_target(each)] if isinstance(named, list) else []
    return list(dict.fromkeys((each["project_id"], each.get("workspace_id") or "") for each in readable))


def _is_target(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("project_id"), str)
        and isinstance(data.get("workspace_id") or "", str)
    )

"""What the stores have in common about prompts: which schedules are some, and the targets in their definitions."""

from __future__ import annotations

import json
from typing import Any

from duly.ports.records import StoredSchedule

_PROMPT = "prompt:"  # how the handlers of prompts begin
_NOWHERE = {"project_id": ""}  # a prompt without targets has one without names, which has a session to go on with, too


def is_prompt(row: StoredSchedule | None) -> bool:
    """Whether a schedule may have targets."""
    return row is not None and row.handler.startswith(_PROMPT)


def targets_of(row: StoredSchedule) -> list[tuple[str, str]]:
    """Project and workspace of each target; what cannot be read is no target, and only prompts have any.

    Nothing but the targets is looked at: a definition with parts that only a newer duly knows keeps its own.
    """
    if not is_prompt(row):
        return []
    try:
        action = json.loads(row.action)
    except (ValueError, RecursionError):
        return []
    named = (action.get("targets") or [_NOWHERE]) if isinstance(action, dict) else []
    readable = [each for each in named if _is_target(each)] if isinstance(named, list) else []
    return list(dict.fromkeys((each["project_id"], each.get("workspace_id") or "") for each in readable))


def _is_target(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("project_id"), str)
        and isinstance(data.get("workspace_id") or "", str)
    )

"""Whose rights a run needs: those of the token that made its schedule, and of the one that last changed what it runs.

Pure rules; `Permission` asks them before every run.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.action import Action
from duly.model.ids import TOKEN
from duly.planning.attention import token_ended
from duly.ports.records import StoredSchedule
from duly.ports.tokens import TokenRecord
from duly.service.access.access import Caller, check_action
from duly.service.access.grants import UNCONFIGURED, Configured
from duly.service.access.tokens import rights_of

MADE = "made"
CHANGED = "last changed"
LookUp = Callable[[], Configured]
"""What the configuration says now: it changes while a daemon runs."""


def answerable(created_by: str | None, changed_by: str | None) -> Iterator[tuple[str, str]]:
    """The tokens that answer for what a schedule runs, and what each did to it.

    People at the machine, files and programs need nobody's leave.
    """
    for token_id, did in ((created_by, MADE), (changed_by, CHANGED)):
        if token_id is not None and token_id.startswith(TOKEN) and (did == MADE or token_id != created_by):
            yield token_id, did


def refusal(
    name: str,
    action: Action,
    who: Collection[tuple[str, str]],
    tokens: Mapping[str, TokenRecord],
    now: datetime,
    configured: Configured = UNCONFIGURED,
) -> str | None:
    """Why a run must not be carried out; None when it may. `who` is as `answerable` gives it, `tokens` by id."""
    for token_id, did in who:
        token = tokens.get(token_id)
        ended_at = now if token is None else token.ended_at(now)
        if token is None or ended_at is not None:
            expired = token is not None and token.revoked_at is None
            return (
                f"cannot run {name}: {token_ended(token_id, did, expired=expired)}; its owner takes it back by saving "
                f"it, an admin with: duly schedule reown {shlex.quote(name)}"
            )
        try:
            check_action(rights_of(token), action, "run", configured, token_id)
        except (AccessDeniedError, InvalidInputError) as error:
            return str(error)
    return None


def vouched(
    before: StoredSchedule, after: StoredSchedule, caller: Caller, ended: Collection[str] = ()
) -> StoredSchedule:
    """The row with whoever answers for it once a caller has saved it. `ended` are tokens that count no longer.

    Who changes what it runs answers for that from now on. Who saves a schedule that such a token had made or changed
    takes it back, as it is: the caller's own rights were checked against it.
    """
    if before.created_by in ended:
        return replace(after, created_by=caller.token_id, token_scope=str(caller.scope), changed_by=None)
    if after.action != before.action or before.changed_by in ended:
        return replace(after, changed_by=caller.name)
    return after

"""The rights of a run: those of the token that made its schedule, and of the token that last changed what it runs.

Pure rules, checked again before every run. A claim brings those tokens along, so the check needs no look-up.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from duly.errors import AccessDeniedError, DecodeError, InvalidInputError
from duly.model.action import Action
from duly.model.ids import TOKEN
from duly.model.notice import NotifyRule
from duly.planning.attention import token_ended
from duly.ports.codec import decode_action, decode_policy
from duly.ports.records import Claimed, StoredSchedule
from duly.ports.tokens import TokenRecord
from duly.service.access.grants import UNCONFIGURED, Configured
from duly.service.access.scopes import Caller, check_action
from duly.service.access.tokens import rights_of

MADE = "made"
CHANGED = "last changed"
LookUp = Callable[[], Configured]
"""Gives the present configuration: it changes while a daemon runs."""


def answerable(created_by: str | None, changed_by: str | None) -> Iterator[tuple[str, str]]:
    """Give the tokens that answer for what a schedule runs, and what each did to it.

    The local user, files and programs have no token: their schedules need no rights.
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
    """Give the reason why an action must not be carried out; None when it may.

    `who` is the result of `answerable`, `tokens` are by id.
    """
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


def run_refusal(run: Claimed, now: datetime, configured: Configured = UNCONFIGURED) -> str | None:
    """Give the reason why a claimed run must not be carried out; None when it may."""
    who = list(answerable(run.created_by, run.changed_by))
    if not who:
        return None
    try:
        action = decode_action(run.action)
    except InvalidInputError as error:
        return str(error)
    return refusal(run.name, action, who, run.tokens, now, configured)


def vouched(
    before: StoredSchedule, after: StoredSchedule, caller: Caller, ended: Collection[str] = ()
) -> StoredSchedule:
    """Give the saved row with the caller who answers for it from now on. `ended` are tokens that are not valid now.

    A caller who changes what the schedule runs, or its `notify` rules, answers for that. A caller who saves a schedule
    that an ended token made or changed takes it over as it is: the caller's own rights were checked against it.
    """
    if before.created_by in ended:
        return replace(after, created_by=caller.answering, token_scope=str(caller.scope), changed_by=None)
    is_same = after.action == before.action and _notices(after) == _notices(before)
    if not is_same or before.changed_by in ended:
        return replace(after, changed_by=caller.answering or caller.name)
    return after


def _notices(row: StoredSchedule) -> tuple[NotifyRule, ...]:
    """Give the `notify` rules of a schedule; none of a policy that cannot be read."""
    try:
        return decode_policy(row.policy).notify
    except DecodeError:
        return ()

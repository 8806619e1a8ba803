"""Whose session it is that a caller or a run names: it belongs to the schedule that has used it first.

A use by another never takes a session from its first owner. It is checked when a session is named, and again before
a run: what was stored before, or was put back, is not carried out either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError, NotFoundError, RunFailedError
from duly.model.action import Prompt
from duly.model.ids import RUN
from duly.model.sessions import as_stored, is_session
from duly.ports.codec import decode_action
from duly.ports.records import Claimed, StoredSchedule
from duly.service.access.rights import answerable
from duly.service.access.scopes import may_read
from duly.service.access.tokens import rights_of
from duly.service.limits import check_given
from duly.service.schedules.finding import owned

if TYPE_CHECKING:
    from duly.ports.store import FullStore

Sees = Callable[[StoredSchedule], bool]


async def check_session(store: FullStore, session: object, sees: Sees) -> None:
    """Refuse a session, or a run whose session is meant, of a schedule that is not seen.

    An id that duly has never met is taken: the tool knows whether there is such a session.
    """
    if not isinstance(session, str):
        return
    check_given({"session": session})
    named = as_stored(session)
    if not is_session(named):
        return  # it cannot be stored
    if named.startswith(RUN):
        run = await store.get_run(named)
        row = None if run is None else await store.get(run.fire.schedule_id)
        if row is None or not sees(row):
            raise NotFoundError(f"there is no run {named!r:.200}")
        return
    for schedule_id in await store.targets.schedules_of_session(named):
        row = await store.get(schedule_id)
        if row is None:
            continue
        if not sees(row):
            raise NotFoundError(f"there is no session {named!r:.200}")
        return


async def check_session_of(store: FullStore, run: Claimed) -> None:
    """Fail a run that names a session which the tokens that answer for its schedule may not use."""
    scopes = [
        rights_of(run.tokens[each]) for each, _ in answerable(run.created_by, run.changed_by) if each in run.tokens
    ]
    if not scopes or all(each.is_admin for each in scopes) or '"session"' not in run.action:
        return
    try:
        action = decode_action(run.action)
    except InvalidInputError:
        return  # refused by its rights
    if not isinstance(action, Prompt) or action.session is None:
        return

    def sees(row: StoredSchedule) -> bool:
        return row.id == run.schedule_id or all(may_read(scope, owned(row)) for scope in scopes)

    try:
        await check_session(store, action.session, sees)
    except NotFoundError as error:
        raise RunFailedError(
            f"cannot run {run.name}: {error} that its token may use: name another session, or none to begin a new one"
        ) from None

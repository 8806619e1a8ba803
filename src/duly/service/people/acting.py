"""For whom a caller acts when it is about people: tokens of a person for that person, admins for anybody."""

from __future__ import annotations

from duly.errors import AccessDeniedError, InvalidInputError
from duly.ports.people import LOCAL_USER
from duly.service.access.access import Caller
from duly.service.limits import check_given
from duly.service.schedules.values import storable


def check_reach(caller: Caller, *, changes: bool = True) -> None:
    """Refuse a caller who reaches no reminders, or may only look: asked before anything of a request is read."""
    scope = caller.scope
    if changes and scope.read_only:
        raise AccessDeniedError(f"cannot change reminders: scope {scope} may only look")
    if not scope.is_admin and scope.kind != "user":
        raise AccessDeniedError(f"cannot reach reminders: access denied, scope {scope} is about a project")


def acts_for(caller: Caller, user: object = None, *, changes: bool = True) -> str:
    """The id or name of the person a request is about."""
    check_reach(caller, changes=changes)
    scope = caller.scope
    check_given({"user": user})
    if user is not None and (not isinstance(user, str) or not storable(user, "user").strip()):
        raise InvalidInputError(f"user must be the id or name of a person, got {user!r}")
    if scope.is_admin:
        return user or caller.user_id or LOCAL_USER
    if user not in (None, scope.subject, caller.called):
        raise AccessDeniedError(f"cannot reach reminders of {user}: access denied")
    return scope.subject

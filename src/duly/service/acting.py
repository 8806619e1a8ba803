"""For whom a caller acts when it is about people: tokens of a person for that person, admins for anybody."""

from __future__ import annotations

from duly.errors import AccessDeniedError, InvalidInputError
from duly.ports.people import LOCAL_USER
from duly.service.access import Caller
from duly.service.values import storable


def acts_for(caller: Caller, user: object = None, *, changes: bool = True) -> str:
    """The id or name of the person a request is about."""
    scope = caller.scope
    if user is not None and (not isinstance(user, str) or not storable(user, "user").strip()):
        raise InvalidInputError(f"user must be the id or name of a person, got {user!r}")
    if changes and scope.read_only:
        raise AccessDeniedError(f"cannot change reminders: scope {scope} may only look")
    if scope.is_admin:
        return user or caller.user_id or LOCAL_USER
    if scope.kind != "user":
        raise AccessDeniedError(f"cannot reach reminders: access denied, scope {scope} is about a project")
    if user not in (None, scope.subject, caller.called):
        raise AccessDeniedError(f"cannot reach reminders of {user}: access denied")
    return scope.subject

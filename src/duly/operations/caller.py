"""Who is asking. By itself: nearly every command asks it, and most ask nothing else about access."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duly.operations.ask import Ask, get

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerView:
    """Who is asking, and what they may do."""

    scope: str
    token_id: str | None = None
    grants: list[str] = field(default_factory=list)
    namespace: str
    """Where schedules are made and names are looked for first."""
    timezone: str
    """The zone of times that name none."""
    default_timezone: str
    """The zone of people who have chosen none."""
    user_id: str | None = None
    user: str | None = None
    """The name of the person whose token it is."""


@dataclass(frozen=True, slots=True)
class GetCaller(Ask[CallerView]):
    """Show who the token is for, and what it may do."""

    async def carry_out(self, services: Services, caller: Caller) -> CallerView:
        zones = services.schedules.zones
        return CallerView(
            scope=str(caller.scope),
            token_id=caller.token_id,
            grants=sorted(caller.scope.grants),
            namespace=caller.namespace,
            timezone=await zones.person(caller),
            default_timezone=zones.default,
            user_id=caller.user_id,
            user=caller.called,
        )


CALLER = get(GetCaller, "/me")

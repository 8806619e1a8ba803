"""The frame of every page: navigation with its counts, and at its foot the health in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from duly.errors import StoreError
from duly.service.schedules.views import HealthView
from duly.service.services import Services
from duly.web.viewer import Viewer

_LIGHTS = {"green": "Running on time", "yellow": "Needs a look", "red": "Nothing is carried out"}
_OVERDUE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """A line of the navigation."""

    path: str
    icon: str
    label: str
    key: str = ""
    count: int | None = None
    asks: bool = False
    """Whether the count is one of answers that are waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands around every page."""

    daily: list[NavItem]
    admin: list[NavItem]
    light: str
    light_words: str
    light_detail: str
    reasons: list[str] = field(default_factory=list)

    @property
    def asks(self) -> int:
        """How many answers are waited for."""
        return sum(item.count or 0 for item in self.daily if item.asks)


async def make_frame(services: Services, viewer: Viewer) -> Frame:
    """Gather what stands around a page."""
    try:
        health = await services.schedules.health(viewer.caller)
    except StoreError as error:
        health = HealthView(state="red", reasons=[str(error)])
    scope = viewer.caller.scope
    today = [] if scope.kind == "user" else [NavItem(path="/", icon="today", label="Today", key="t")]
    daily = [
        *today,
        NavItem(path="/inbox", icon="inbox", label="Inbox", key="i", asks=True),
        NavItem(path="/schedules", icon="schedules", label="Schedules", key="s"),
    ]
    if scope.kind != "user":
        daily.append(NavItem(path="/runs", icon="runs", label="Runs", key="r"))
    daily.append(NavItem(path="/calendar", icon="calendar", label="Calendar", key="c"))
    if scope.kind != "user":
        daily.append(NavItem(path="/load", icon="load", label="Load", key="l"))
    return Frame(
        daily=daily,
        admin=_for_admins() if scope.is_admin else [],
        light=health.state,
        light_words=_LIGHTS.get(health.state, health.state),
        light_detail=_detail(health),
        reasons=health.reasons,
    )


def _for_admins() -> list[NavItem]:
    return [
        NavItem(path="/people", icon="people", label="People", key="p"),
        NavItem(path="/channels", icon="channels", label="Channels"),
        NavItem(path="/nodes", icon="nodes", label="Nodes", key="n"),
        NavItem(path="/tokens", icon="tokens", label="Tokens"),
        NavItem(path="/connect", icon="connect", label="Connect"),
        NavItem(path="/journal", icon="journal", label="Journal"),
    ]


def _detail(health: HealthView) -> str:
    if health.reasons:
        return health.reasons[0]
    return "nothing overdue" if health.lag_seconds < _OVERDUE else f"{health.lag_seconds:.0f} s behind"

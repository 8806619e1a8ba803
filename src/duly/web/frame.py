"""The frame of every page: navigation with its counts, and at its foot the health in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from duly.errors import StoreError
from duly.model.reminder import ReminderStatus
from duly.service.access.scopes import Caller, Scope
from duly.service.schedules.views import HealthView
from duly.service.services import Services
from duly.web.viewer import Viewer
from duly.web.words import many

_LIGHTS = {"green": "Running on time", "yellow": "Needs a look", "red": "Nothing is carried out"}
_OVERDUE = 5.0
_FOR_PEOPLE = ("Inbox", "Schedules", "Calendar")
_SHORT = 90
_FRESH = 2.0
_MOST_CALLERS = 1000


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
    for_admins: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NavCounts:
    """The figures beside the navigation."""

    waiting: int = 0
    schedules: int = 0
    nodes: int = 0
    executors: int = 0


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


async def make_frame(services: Services, counter: NavCounter, viewer: Viewer) -> Frame:
    """Gather what stands around a page."""
    counts = NavCounts()
    try:
        health = await services.schedules.health(viewer.caller)
        counts = await counter.of(viewer.caller)
    except StoreError as error:
        health = HealthView(state="red", reasons=[str(error)])
    items = make_navigation(viewer.caller.scope, counts)
    return Frame(
        daily=[item for item in items if not item.for_admins],
        admin=[item for item in items if item.for_admins],
        light=health.state,
        light_words=_LIGHTS.get(health.state, health.state),
        light_detail=_detail(health, counts.nodes),
        reasons=health.reasons,
    )


def make_navigation(scope: Scope, counts: NavCounts = NavCounts()) -> list[NavItem]:  # noqa: B008  frozen
    """Give the screens that a scope may see, in their order."""
    everyday = [
        NavItem(path="/", icon="today", label="Today", key="t"),
        NavItem(path="/inbox", icon="inbox", label="Inbox", key="i", asks=True, count=counts.waiting),
        NavItem(path="/schedules", icon="schedules", label="Schedules", key="s", count=counts.schedules),
        NavItem(path="/runs", icon="runs", label="Runs", key="r"),
        NavItem(path="/calendar", icon="calendar", label="Calendar", key="c"),
        NavItem(path="/load", icon="load", label="Load", key="l"),
    ]
    if scope.kind == "user":
        return [item for item in everyday if item.label in _FOR_PEOPLE]
    if not scope.is_admin:
        return [item for item in everyday if item.label != "Inbox"]
    elsewhere = NavItem(
        path="/executors", icon="arrow", label="Executors", key="x", count=counts.executors, for_admins=True
    )
    return [
        *everyday,
        NavItem(path="/people", icon="people", label="People", key="p", for_admins=True),
        NavItem(path="/channels", icon="channels", label="Channels", for_admins=True),
        NavItem(path="/nodes", icon="nodes", label="Nodes", key="n", count=counts.nodes, for_admins=True),
        *([elsewhere] if counts.executors else []),
        NavItem(path="/tokens", icon="tokens", label="Tokens", for_admins=True),
        NavItem(path="/connect", icon="connect", label="Connect", for_admins=True),
        NavItem(path="/journal", icon="journal", label="Journal", for_admins=True),
    ]


def _detail(health: HealthView, nodes: int) -> str:
    if health.reasons:
        first = health.reasons[0]
        return first if len(first) <= _SHORT else f"{first[: _SHORT - 1]}…"
    overdue = "nothing overdue" if health.lag_seconds < _OVERDUE else f"{health.lag_seconds:.0f} s behind"
    return f"{many(nodes, 'node')} · {overdue}" if nodes else overdue


class NavCounter:
    """Counts for the navigation, at most every other second for each caller: every page asks for it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[str, tuple[float, NavCounts]] = {}

    async def of(self, caller: Caller) -> NavCounts:
        """Give the counts of a caller."""
        at = self._services.clock.monotonic()
        key = f"{caller.name} {caller.scope}"
        known = self._known.get(key)
        if known is not None and at - known[0] < _FRESH:
            return known[1]
        found = await self._count(caller)
        if len(self._known) > _MOST_CALLERS:
            self._known.clear()
        self._known[key] = (at, found)
        return found

    def forget(self) -> None:
        """Count again at the next page: something was changed here."""
        self._known.clear()

    async def _count(self, caller: Caller) -> NavCounts:
        services = self._services
        waiting = 0
        if caller.scope.kind != "project":
            pending = await services.reminders.to_read(caller).pending()
            waiting = sum(each.status is ReminderStatus.AWAITING_ACK for each in pending)
        return NavCounts(
            waiting=waiting,
            schedules=(await services.overview.schedule_counts(caller)).all,
            nodes=len(await services.overview.nodes(caller)) if caller.scope.is_admin else 0,
            executors=services.executors.configured,
        )

"""The list of schedules, with how each has been doing: apart from the rest, because people ask for it all day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from duly.operations.ask import Ask, Page, PagedAsk, get
from duly.operations.parameters import Cursor, Kind, Limit, Param, Text
from duly.service.overview.figure_views import FiguresView
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.listing import STATES

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

InState = Annotated[str | None, Param(words="Only schedules in this state", choices=STATES)]
Sort = Annotated[Literal["name", "attention", "next"], Param(words="By name, by what needs a person, by time")]
Ids = Annotated[Sequence[str], Param(words="Ids of schedules", shortest=1, longest=200)]


@dataclass(frozen=True, slots=True)
class ListSchedules(PagedAsk[ScheduleView]):
    """List the schedules that you may see.

    Long texts are cut, and `truncated` has their full lengths; one schedule by itself has them in full. `owner` is the
    id of a person or a namespace such as butler:home; `text` is looked for in name, description and prompt.
    """

    _: KW_ONLY
    project: Text = None
    enabled: bool | None = None
    owner: Text = None
    text: Text = None
    deleted: bool = False
    state: InState = None
    kind: Kind = None
    sort: Sort = "name"
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[ScheduleView]:
        return await services.schedules.schedule_list(
            caller,
            cursor=self.cursor,
            limit=self.limit,
            project=self.project,
            enabled=self.enabled,
            owner=self.owner,
            text=self.text,
            deleted=self.deleted,
            state=self.state,
            kind=self.kind,
            sort=self.sort,
        )


@dataclass(frozen=True, slots=True)
class GetFigures(Ask[FiguresView]):
    """Show the last outcomes, durations and the spend of schedules, by id; ids that you may not see are left out."""

    schedule: Ids

    async def carry_out(self, services: Services, caller: Caller) -> FiguresView:
        return FiguresView(figures=await services.schedules.figures.of(caller, self.schedule))


LISTING = get(ListSchedules, "/schedules")
FIGURES = get(GetFigures, "/figures")

"""The MCP face's desk, from the house."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from duly.daemon.house import House
from duly.mcp.desk import Desk
from duly.service.access import Caller


def make_desk(house: House, caller_of: Callable[[Any], Caller]) -> Desk:
    return Desk(house.use_cases, house.reminders, caller_of)

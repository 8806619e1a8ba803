"""The cron libraries, each used the way its documentation says is fastest.

`walk` goes from fire to fire with one object, made beforehand. `ask` asks about unrelated points, as a scheduler does.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import cronexpr
from croniter import croniter
from cronsim import CronSim

from duly.cron import Cron

Run = Callable[[], datetime]
Walk = Callable[[str, datetime, bool, int, int], Run]
Ask = Callable[[str, list[datetime], bool], Run]


def duly_walk(expression: str, start: datetime, back: bool, steps: int, _runs: int) -> Run:
    cron = Cron(expression, tz=start.tzinfo or "UTC")
    step = cron.prev if back else cron.next

    def run() -> datetime:
        at = start
        for _ in range(steps):
            at = step(at)
        return at

    return run


def duly_ask(expression: str, points: list[datetime], back: bool) -> Run:
    cron = Cron(expression, tz=points[0].tzinfo or "UTC")
    step = cron.prev if back else cron.next

    def run() -> datetime:
        for at in points:
            found = step(at)
        return found

    return run


def croniter_walk(expression: str, start: datetime, back: bool, steps: int, runs: int) -> Run:
    ready = [croniter(expression, start, ret_type=datetime) for _ in range(runs)]

    def run() -> datetime:
        one = ready.pop()
        step = one.get_prev if back else one.get_next
        for _ in range(steps):
            at: datetime = step()
        return at

    return run


def croniter_ask(expression: str, points: list[datetime], back: bool) -> Run:
    one = croniter(expression, points[0], ret_type=datetime)
    step = one.get_prev if back else one.get_next

    def run() -> datetime:
        for at in points:
            found: datetime = step(start_time=at)
        return found

    return run


def cronsim_walk(expression: str, start: datetime, back: bool, steps: int, runs: int) -> Run:
    ready = [CronSim(expression, start, reverse=back) for _ in range(runs)]

    def run() -> datetime:
        one = ready.pop()
        for _ in range(steps):
            at: datetime = next(one)
        return at

    return run


def cronsim_ask(expression: str, points: list[datetime], back: bool) -> Run:
    def run() -> datetime:
        for at in points:
            found: datetime = next(CronSim(expression, at, reverse=back))
        return found

    return run


def cronexpr_walk(expression: str, start: datetime, _back: bool, steps: int, _runs: int) -> Run:
    def run() -> datetime:
        at = start
        for _ in range(steps):
            at = cronexpr.next_fire(f"0 {expression}", at)
        return at

    return run


def cronexpr_ask(expression: str, points: list[datetime], _back: bool) -> Run:
    def run() -> datetime:
        for at in points:
            found: datetime = cronexpr.next_fire(f"0 {expression}", at)
        return found

    return run


WALKS: dict[str, Walk] = {
    "duly": duly_walk,
    "croniter": croniter_walk,
    "cronsim": cronsim_walk,
    "cronexpr": cronexpr_walk,
}
ASKS: dict[str, Ask] = {
    "duly": duly_ask,
    "croniter": croniter_ask,
    "cronsim": cronsim_ask,
    "cronexpr": cronexpr_ask,
}

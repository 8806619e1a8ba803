"""Schedules drawn by chance: every kind of trigger and policy, with handlers that behave in every way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from duly.cron import Cron
from duly.model.action import Job
from duly.model.policy import Backoff, CatchUp, Overlap, Policy, Retry
from duly.model.trigger import Trigger
from duly.recurrence import Once, any_of, as_trigger, every, run_at, run_delayed, run_now
from duly.service.schedules.drafts import Draft

_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu")
_HOUR = 3600
_DAY = 24 * _HOUR


def draw_draft(
    chance: Random, name: str, start: datetime, unit: float, jobs: Sequence[str], *, poison: bool = False
) -> Draft:
    """A schedule that fires about every `unit` seconds, some much more often and some only once."""
    kills = poison and chance.random() < 0.03
    trigger = (
        Once(start + timedelta(seconds=unit * chance.uniform(0.5, 8))) if kills else draw_trigger(chance, start, unit)
    )
    policy = draw_policy(chance, name, unit)
    action = Job(chance.choice(jobs), {"kills": True, "seconds": 0} if kills else draw_behaviour(chance, unit, policy))
    limits: dict[str, Any] = {}
    if chance.random() < 0.15:
        limits["max_runs"] = chance.choice((1, 2, 5))
    if chance.random() < 0.15 and not kills:
        limits["until_at"] = start + timedelta(seconds=unit * chance.uniform(6, 12))
    return Draft(name=name, trigger=trigger, action=action, policy=policy, enabled=chance.random() < 0.95, **limits)


def draw_trigger(chance: Random, start: datetime, unit: float) -> Trigger:
    """When."""
    drawn = chance.choice(_KINDS)(chance, start, unit * chance.choice((0.25, 0.5, 1, 1, 2, 4)))
    return as_trigger(drawn)


def _cron(chance: Random, _start: datetime, cadence: float) -> Trigger:
    tz = chance.choice(_ZONES)
    dst = chance.choice((None, "once", "wallclock"))
    minute = chance.randrange(60)
    if cadence < _HOUR:
        expression = f"{chance.choice(('*', f'{minute % 5}-59'))}/{max(1, round(cadence / 60))} * * * *"
    elif cadence < _DAY:
        hours = max(1, round(cadence / _HOUR))
        expression = chance.choice((f"{minute} */{hours} * * *", f"{minute} 1-3,{chance.randrange(4, 24)} * * *"))
    else:
        day = chance.choice(("*", "1-5", "0,3", "6"))
        expression = f"{chance.choice((0, 30))} {chance.choice((1, 2, 3, 9))} * * {day}"
    return Cron(expression, tz=tz, dst=dst)


def _interval(chance: Random, start: datetime, cadence: float) -> Any:
    tz = chance.choice(_ZONES)
    if cadence < _HOUR:
        step = every(max(1, round(cadence / 60))).minutes()
        return chance.choice((step, step.on_second(chance.randrange(60))))
    if cadence < _DAY:
        hours = every(max(1, round(cadence / _HOUR))).hours()
        return chance.choice((hours, hours.on_minute(chance.randrange(60)), hours.in_timezone(tz)))
    days = every(max(1, round(cadence / _DAY))).days().at(chance.choice((1, 2, 9)), chance.choice((0, 30)))
    return days.in_timezone(tz).counting_from(start)


def _delayed(chance: Random, start: datetime, cadence: float) -> Any:
    later = timedelta(seconds=round(cadence * chance.uniform(0.1, 3)))
    first = chance.choice((run_delayed(later), run_now(), run_at(start + later)))
    number = max(1, round(cadence / 60))
    return first.then().every(number).minutes()


def _once(chance: Random, start: datetime, cadence: float) -> Trigger:
    return Once(start + timedelta(seconds=round(cadence * chance.uniform(0.1, 6))))


def _union(chance: Random, start: datetime, cadence: float) -> Any:
    return any_of(_cron(chance, start, cadence), _cron(chance, start, cadence * 1.7), _once(chance, start, cadence))


_KINDS: tuple[Callable[[Random, datetime, float], Any], ...] = (_cron, _cron, _interval, _delayed, _once, _union)


def draw_policy(chance: Random, name: str, unit: float) -> Policy:
    """How."""

    def span(*shares: float) -> timedelta:
        return timedelta(seconds=round(unit * chance.choice(shares), 3))

    limited = chance.random() < 0.5
    return Policy(
        overlap=chance.choice(list(Overlap)),
        queue_limit=chance.choice((0, 1, 3, 10)),
        max_parallel=chance.choice((1, 2, 3)) if limited else None,
        catch_up=chance.choice((CatchUp.ONCE, CatchUp.ONCE, CatchUp.SKIP)),
        catch_up_window=chance.choice((None, span(0.5, 2))),
        misfire_grace=chance.choice((timedelta(seconds=60), span(0, 0.1, 0.5))),
        retry=draw_retry(chance, span),
        timeout=chance.choice((None, None, span(0.05, 0.3))),
        stagger_key=chance.choice((None, None, name)),
        max_stagger_seconds=round(unit * 0.2),
    )


def draw_retry(chance: Random, span: Callable[..., timedelta]) -> Retry:
    """What happens after a failure."""
    return Retry(
        max_attempts=chance.choice((1, 1, 2, 3, 5, None)),
        delay=span(0, 0.02, 0.2, 1),
        backoff=chance.choice(list(Backoff)),
        cap=span(0.5, 2),
        jitter=chance.choice((0, 0.1, 1)),
        superseded=chance.random() < 0.3,
    )


def draw_behaviour(chance: Random, unit: float, policy: Policy) -> dict[str, Any]:
    """What the handler of a schedule is like."""
    return {
        "seconds": round(unit * chance.choice((0, 0.001, 0.05, 0.3, 0.3, 1.5)), 3),
        "fails": chance.choice((0, 0, 0.2, 0.6)),
        "hangs": chance.choice((0, 0.3)) if policy.timeout is not None else 0,
        "stubborn": round(unit * chance.choice((0, 0, 0.05, 0.5)), 3),
        "tells": chance.random() < 0.2,
    }

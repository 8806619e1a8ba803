"""Cron Language Specification: strictly POSIX, through `initialize`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from duly.declarative import CronExpressionInvalidError, Scheduler
from tests.conformance.declarative.harness import DELAY, SchedulerHarness, scheduled


async def nothing() -> None:
    """A callback."""


def refused(cron: str) -> CronExpressionInvalidError:
    async def check() -> CronExpressionInvalidError:
        with pytest.raises(CronExpressionInvalidError) as caught:
            Scheduler("never-opened.db", tz="UTC").initialize([("a", cron, nothing, DELAY)])
        return caught.value

    return asyncio.run(check())


@pytest.mark.parametrize(
    "cron",
    [
        "0 0 * * *",
        "15 3 * * 1-5",
        "0,30 * * * *",
        "0 12 14 2 *",
        "  0\t0  * *\t* ",
        "00 007 01-05,9 * 0-6",
        "0 0 29 2 *",
    ],
)
@scheduled
async def test_posix_expressions_must_be_accepted(harness: SchedulerHarness, cron: str) -> None:
    scheduler = await harness.start(cron)
    assert list(scheduler.tasks) == ["a"]


@pytest.mark.parametrize("cron", ["", "   ", "0", "0 0 * *", "0 0 * * * *", "0 0 * * * 2026"])
def test_other_than_exactly_5_fields_must_be_rejected(cron: str) -> None:
    assert refused(cron).field == "expression"


@pytest.mark.parametrize(
    ("cron", "field"),
    [("*/15 * * * *", "minute"), ("0 0-12/2 * * *", "hour"), ("0 0 1/5 * *", "day"), ("0 0 * * */2", "weekday")],
)
def test_step_syntax_must_be_rejected(cron: str, field: str) -> None:
    assert refused(cron).field == field


@pytest.mark.parametrize(
    ("cron", "field"), [("0 0 * * mon", "weekday"), ("0 0 * jan *", "month"), ("0 0 * * sunday", "weekday")]
)
def test_named_values_must_be_rejected(cron: str, field: str) -> None:
    assert refused(cron).field == field


@pytest.mark.parametrize("cron", ["@daily", "@hourly", "@reboot"])
def test_macro_expressions_must_be_rejected(cron: str) -> None:
    assert refused(cron).expression == cron


@pytest.mark.parametrize(
    ("cron", "field"),
    [("0 0 ? * *", "day"), ("0 0 L * *", "day"), ("0 0 15W * *", "day"), ("0 0 * * 5#3", "weekday")],
)
def test_quartz_tokens_must_be_rejected(cron: str, field: str) -> None:
    assert refused(cron).field == field


@pytest.mark.parametrize("cron", ["0 0 * * 7", "0 0 * * 5-7", "0 0 * * 0,7"])
def test_weekday_7_must_be_rejected(cron: str) -> None:
    assert refused(cron).field == "weekday"


@pytest.mark.parametrize(
    ("cron", "field"), [("50-10 * * * *", "minute"), ("0 22-2 * * *", "hour"), ("0 0 * * 5-1", "weekday")]
)
def test_wrap_around_ranges_must_be_rejected(cron: str, field: str) -> None:
    assert refused(cron).field == field


@pytest.mark.parametrize(
    ("cron", "field"),
    [
        ("60 * * * *", "minute"),
        ("0 24 * * *", "hour"),
        ("0 0 0 * *", "day"),
        ("0 0 32 * *", "day"),
        ("0 0 * 0 *", "month"),
        ("0 0 * 13 *", "month"),
    ],
)
def test_values_outside_the_range_must_be_rejected(cron: str, field: str) -> None:
    assert refused(cron).field == field


@pytest.mark.parametrize(
    "cron", ["1e1 * * * *", "0x5 * * * *", "+5 * * * *", "-5 * * * *", "1.5 * * * *", "٣ * * * *", "5, * * * *"]
)
def test_non_decimal_numbers_must_be_rejected(cron: str) -> None:
    assert refused(cron).field == "minute"


@pytest.mark.parametrize("cron", ["0 0 31 2 *", "0 0 30,31 2 *", "0 0 31 4,6,9,11 *"])
def test_an_expression_that_never_fires_is_refused_with_the_reason(cron: str) -> None:
    error = refused(cron)
    assert error.field == "day"
    assert "never fire" in error.reason


@pytest.mark.parametrize(
    ("cron", "days"),
    [
        ("0 0 * * *", list(range(1, 31))),
        ("0 0 * * 1", [1, 8, 15, 22, 29]),
        ("0 0 15 * *", [15]),
        ("0 0 1,15 * 1", [1, 8, 15, 22, 29]),
        ("0 0 2 * 1", [1, 2, 8, 15, 22, 29]),
    ],
)
@scheduled
async def test_restricted_days_must_match_either(harness: SchedulerHarness, cron: str, days: list[int]) -> None:
    harness.clock.step(datetime(2026, 5, 31, 23, 59, tzinfo=UTC) - harness.clock.now())
    await harness.start(cron)
    await harness.travel(days=30)
    assert [call.day for call in harness.work().calls] == days

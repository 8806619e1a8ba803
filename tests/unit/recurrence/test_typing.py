"""The steps that a type checker allows next in a chain."""

import re

import pytest
from mypy import api

HEAD = """\
from datetime import UTC, datetime, timedelta

from duly.model.calendar import Month, Weekday
from duly.model.trigger import Trigger
from duly.recurrence import RecurringTaskBuilder, as_trigger, cron, every, run_at, run_delayed, run_now, schedule

noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
trigger: Trigger
"""

ACCEPTED = """\
trigger = every(30).seconds().between("09:00", "17:00").on(Weekday.MONDAY)
trigger = every(15).minutes().on_second(30).run_until(noon).max_runs(100)
trigger = every(2).hours().on_minute(15).on_second(0).on_hours(9, 12).in_timezone("Europe/Berlin")
trigger = every(1).days().at(9, 30).on(Weekday.MONDAY, Weekday.FRIDAY).with_dst("wallclock")
trigger = every(1).days().at("09:00", "17:00").counting_from(noon).min_gap(timedelta(0))
trigger = every(1).months().on_first(Weekday.MONDAY).in_months(Month.JANUARY).at(noon.time())
trigger = run_delayed(timedelta(hours=1)).then().every(15).minutes().max_runs(3).run_until(noon)
trigger = run_at(noon).then().cron("0 0 * * *").in_timezone("Europe/Berlin")
trigger = run_now()
trigger = as_trigger(lambda recurring: recurring.run_now().then().every(1).hours())
trigger = RecurringTaskBuilder().schedule().every(1).weeks().on(Weekday.MONDAY).recurring_task
trigger = cron("0 0 * * *").build()
"""

REFUSED = """\
every(1).at(9, 0)
every(1).recurring_task
every("5")
every(1).seconds().on_second(5)
every(1).minutes().on_minute(5)
every(1).minutes().at(9, 0)
every(1).days().on_second(5)
every(1).days().at(9)
every(1).days().on("monday")
every(1).days().every(2)
every(1).days().cron("0 0 * * *")
every(1).weeks().on_day(15)
every(1).months().on(Weekday.MONDAY)
every(1).months().in_months("January")
every(1).days().max_runs(3).at(9, 0)
every(1).days().run_until("2027-01-01")
every(1).days().then()
run_now().every(1)
run_now().then().days()
run_now().then().recurring_task
run_delayed(60)
schedule().run_now()
schedule().build()
cron("0 0 * * *").at(9, 0)
cron("0 0 * * *").every(1)
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> set[int]:
    """The lines that mypy objects to."""
    folder = tmp_path_factory.mktemp("typing")
    snippet = folder / "chains.py"
    snippet.write_text(HEAD + ACCEPTED + REFUSED)
    report, errors, _ = api.run(["--strict", "--no-error-summary", f"--cache-dir={folder / 'cache'}", str(snippet)])
    assert not errors
    return {int(line) for line in re.findall(r"chains\.py:(\d+): error", report)}


def _numbered(text: str, first: int) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), first))


FIRST_ACCEPTED = HEAD.count("\n") + 1
FIRST_REFUSED = FIRST_ACCEPTED + ACCEPTED.count("\n")


@pytest.mark.parametrize(("line", "code"), _numbered(HEAD + ACCEPTED, 1)[FIRST_ACCEPTED - 1 :])
def test_the_type_checker_accepts_the_steps_that_may_come_next(complaints: set[int], line: int, code: str) -> None:
    assert line not in complaints, code


@pytest.mark.parametrize(("line", "code"), _numbered(REFUSED, FIRST_REFUSED))
def test_the_type_checker_refuses_other_steps(complaints: set[int], line: int, code: str) -> None:
    assert line in complaints, code

"""Tables of cron: a line fires here when cron starts it, and what needs a shell is refused with the reason."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.service.foreign.crontab import read_crontab
from duly.service.foreign.entries import ForeignEntry, first_times
from tests.unit.service.foreign.test_celery_beat import MOMENTS, fields

NOW = datetime(2026, 11, 19, 12, 0, 30, tzinfo=UTC)


def read(text: str, *, is_system: bool = False, zone: str = "UTC") -> list[ForeignEntry]:
    return read_crontab(text, is_system=is_system, zone=zone, job_named=lambda words: words[0])


@given(
    expression=st.tuples(fields(0, 59), fields(0, 23), fields(1, 28), fields(1, 12), fields(0, 7)).map(" ".join),
    after=MOMENTS,
)
def test_a_line_fires_here_when_cron_starts_it(expression: str, after: datetime) -> None:
    (entry,) = read(f"{expression} work")
    assert entry.trigger is not None
    there = list(first_times(entry.next_time, after, 2))
    assert there
    assert there == list(first_times(entry.trigger.get_next_occurrence, after, 2))


def test_a_day_field_that_begins_with_a_star_is_unrestricted_to_cron() -> None:
    (entry,) = read("0 0 */2 * 1 work")
    assert entry.trigger is not None
    assert entry.trigger.get_next_occurrence(NOW) == datetime(2026, 11, 23, tzinfo=UTC)  # an odd Monday


def test_settings_hold_for_the_lines_below() -> None:
    first, second = read("0 9 * * * a\nCRON_TZ=Europe/Rome\nMAILTO=ops@example.org\n0 9 * * * b\n")
    assert first.trigger is not None
    assert second.trigger is not None
    assert first.trigger.get_next_occurrence(NOW) == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert second.trigger.get_next_occurrence(NOW) == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert (first.losses, len(second.losses)) == ((), 1)


def test_a_table_of_the_system_names_the_user() -> None:
    (entry,) = read("17 * * * * root run-parts /etc/cron.hourly", is_system=True)
    assert entry.fields["job_name"] == "run-parts"


def test_names_that_come_twice_are_numbered() -> None:
    assert [each.name for each in read("@daily a\n@hourly /usr/bin/a\n")] == ["a", "a-2"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("@reboot work", "@reboot is no time"),
        ("@often work", "@often is unknown"),
        ("61 * * * * work", "out of range"),
        ("* * * * *", "no command"),
        ("* * * * * work | mail", "needs a shell (for |)"),
        ("* * * * * work > /dev/null 2>&1", "needs a shell"),
        ("* * * * * A=1 work", "needs a shell (for A=1)"),
        ("* * * * * cd /srv && work", "needs a shell"),
        ("* * * * * work %input", "has %"),
        ("* * * * * work 'a", "quotes do not match"),
        ("CRON_TZ=Mars/Base\n* * * * * work", "Mars/Base"),
    ],
)
def test_what_cannot_be_carried_over_says_why(line: str, reason: str) -> None:
    (entry,) = read(line)
    assert entry.trigger is None
    assert reason in str(entry.refusal)


def test_a_command_that_no_job_runs_says_what_to_add() -> None:
    (entry,) = read_crontab(
        '@daily /srv/backup --to "big disk"', is_system=False, zone="UTC", job_named=lambda _words: None
    )
    assert entry.refusal == ('no job of duly.toml runs it: add to [jobs]  backup = ["/srv/backup", "--to", "big disk"]')

"""How people hear of runs: `[notify]` of `duly.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from duly.config_section import ConfigSection

_LONGEST_GATHER = 3600
_LONGEST_AGAIN = 30 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """What holds for schedules that say nothing else, and what the machine itself shows."""

    failures: bool = True
    """Whether owners get notices of failures and recoveries."""
    quiet_word: str = "nothing to report"
    """An answer of only these words is not sent."""
    gather: timedelta = timedelta(minutes=1)
    """For how long failures are collected into one message."""
    again: timedelta = timedelta(hours=1)
    """How long after a message about a schedule the next one says that it fails again."""
    longest: int = 1500
    """How many characters of an answer a message has."""
    desktop: bool = True
    """Whether failures, recoveries and reminders of the local user are shown on the desktop, where there is one."""


def read_notify(document: ConfigSection) -> NotifySettings:
    """Read `[notify]`."""
    section = document.table("notify")
    usual = NotifySettings()
    settings = NotifySettings(
        failures=section.yes_or_no("failures", default=usual.failures),
        quiet_word=section.text("quiet_word", usual.quiet_word),
        gather=_length(section, "gather", usual.gather, _LONGEST_GATHER),
        again=_length(section, "again", usual.again, _LONGEST_AGAIN),
        longest=section.whole("longest", usual.longest, low=100, high=100_000),
        desktop=section.yes_or_no("desktop", default=usual.desktop),
    )
    section.finish()
    return settings


def _length(section: ConfigSection, name: str, usual: timedelta, most: int) -> timedelta:
    return usual if section.get(name) is None else section.length(name, at_most=most)

"""`parse`: languages, zones, refusals, ISO times and cron expressions."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from duly.errors import InvalidInputError, NaiveDatetimeError, PhraseError
from duly.phrases import parse, parse_schedule, parse_time_expression
from duly.recurrence import AnyOf, CronInterval, DayInterval, HourInterval, Once, WeekInterval
from duly.zones import Zone

BERLIN = "Europe/Berlin"
NOW = datetime(2026, 11, 15, 10, tzinfo=ZoneInfo(BERLIN))  # a Sunday


def read(text: str, lang: str | None = None, **options: Any) -> Any:
    return parse(text, now=NOW, tz=BERLIN, lang=lang, **options)


@pytest.mark.parametrize(
    ("text", "kind", "trigger"),
    [
        ("in 5 minutes", "once", Once(datetime(2026, 11, 15, 9, 5, tzinfo=UTC))),
        ("every 2 hours", "interval", HourInterval(2, tz=BERLIN)),
        ("every 3 days", "interval", None),
        ("weekdays at 7:30", "weekly", None),
        ("workdays at 8, weekends at 10", "smart", None),
        ("cron 0 8 * * 1-5", "cron", CronInterval("0 8 * * 1-5", "standard", tz=BERLIN)),
    ],
)
def test_a_result_holds_kind_language_and_trigger(text: str, kind: str, trigger: object) -> None:
    phrase = read(text, "en")
    assert (phrase.kind, phrase.lang, phrase.text) == (kind, "en", text)
    assert trigger is None or phrase.trigger == trigger


def test_times_are_on_the_clocks_of_the_zone_and_fire_once_when_they_change() -> None:
    daily = read("every day at 8", "en").trigger
    assert isinstance(daily, DayInterval)
    assert (daily.tz, str(daily.dst)) == (BERLIN, "once")


def test_several_rules_are_one_trigger() -> None:
    smart = read("workdays at 8, weekends at 10", "en").trigger
    assert isinstance(smart, AnyOf)
    assert all(isinstance(each, WeekInterval) for each in smart.triggers)


def test_every_other_week_counts_from_its_first_occurrence() -> None:
    trigger = read("every other Monday at 9", "en").trigger
    first = trigger.get_next_occurrence(NOW)
    assert first == datetime(2026, 11, 16, 8, tzinfo=UTC)
    assert trigger.get_next_occurrence(datetime(2026, 11, 20, tzinfo=UTC)) == datetime(2026, 11, 30, 8, tzinfo=UTC)


def test_every_so_many_days_keeps_the_wall_clock_over_a_change() -> None:
    now = datetime(2026, 10, 24, 10, tzinfo=ZoneInfo(BERLIN))
    trigger = parse("every 2 days", now=now, tz=BERLIN, lang="en").trigger
    assert trigger.get_next_occurrence(now) == datetime(2026, 10, 26, 9, tzinfo=UTC)


def test_parse_time_expression_returns_one_moment_in_utc() -> None:
    at = parse_time_expression("za 5 minuta", NOW, BERLIN)
    assert (at, at.tzinfo) == (datetime(2026, 11, 15, 9, 5, tzinfo=UTC), UTC)
    with pytest.raises(PhraseError, match="recurs"):
        parse_time_expression("every day at 9", NOW, BERLIN, "en")


def test_parse_schedule_returns_the_trigger() -> None:
    assert parse_schedule("every 2 hours", NOW, Zone.of(BERLIN), "en") == HourInterval(2, tz=BERLIN)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("morgen um 9", "de"),
        ("sutra u 9", "hr"),
        ("demain à 9h", "fr"),
        ("domani alle 9", "it"),
        ("mañana a las 9", "es"),
    ],
)
def test_the_language_is_found_by_its_words(text: str, lang: str) -> None:
    assert read(text).lang == lang


def test_a_phrase_that_languages_read_differently_is_refused() -> None:
    with pytest.raises(PhraseError, match=r"19:30.* in 'en' and .*07:30.* in 'de'"):
        read("7:30")
    assert read("7:30", prefer="de").canonical()["at"] == "2026-11-16T07:30:00+01:00"
    assert read("7:30", prefer="en-GB").canonical()["at"] == "2026-11-15T19:30:00+01:00"


def test_a_phrase_ambiguous_in_one_language_is_refused_in_all() -> None:
    with pytest.raises(PhraseError, match="two dates"):
        read("03/04/2027")
    assert read("03/04/2027", prefer="it").canonical()["at"].startswith("2027-04-03")


def test_other_languages_are_tried_after_the_preferred_one() -> None:
    assert read("morgen um 9", prefer="en").lang == "de"
    assert read("tomorrow at 9", prefer="pt").lang == "en"
    with pytest.raises(PhraseError, match="in the past"):
        read("heute um 8", prefer="de")


def test_language_tags_and_related_languages_are_known() -> None:
    assert read("morgen um 9", "de-AT").lang == "de"
    assert read("sutra u 9", "bs").lang == "hr"
    with pytest.raises(InvalidInputError, match="unknown language 'xx'"):
        read("sutra u 9", "xx")


def test_a_zone_in_brackets_is_read() -> None:
    assert read("tomorrow at 9 (America/New_York)", "en").canonical()["at"] == "2026-11-16T09:00:00-05:00"
    with pytest.raises(PhraseError, match="Mars/Olympus"):
        read("tomorrow at 9 (Mars/Olympus)", "en")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-12-01T14:30", "2026-12-01T14:30:00+01:00"),
        ("2026-12-01 14:30", "2026-12-01T14:30:00+01:00"),
        ("2026-12-01T14:30:00Z", "2026-12-01T15:30:00+01:00"),
        ("2026-12-01T14:30:00+05:00", "2026-12-01T10:30:00+01:00"),
    ],
)
def test_iso_stamps_are_read_in_every_language(text: str, at: str) -> None:
    assert read(text).canonical()["at"] == at


@pytest.mark.parametrize(
    "text", ["2026-11-15T09:00", "2026-13-01T09:00", "9999-12-31T23:00:00-05:00", "cron 0 8 *", "cron 61 * * * *"]
)
def test_impossible_iso_times_and_cron_expressions_are_refused(text: str) -> None:
    with pytest.raises(PhraseError):
        read(text)


def test_a_refusal_names_the_understood_and_the_unknown_words() -> None:
    with pytest.raises(PhraseError, match="'banana' was not understood, 'every' was") as unknown:
        read("every banana", "en")
    assert (unknown.value.understood, unknown.value.missed) == (("every",), ("banana",))
    with pytest.raises(PhraseError, match="after 'tomorrow at' something is missing") as short:
        read("tomorrow at", "en")
    assert short.value.understood == ("tomorrow", "at")
    with pytest.raises(PhraseError, match="in the past") as past:
        read("yesterday at 5pm", "en")
    again = pickle.loads(pickle.dumps(past.value))  # noqa: S301
    assert (str(again), again.details) == (str(past.value), past.value.details)


def test_long_phrases_and_naive_times_are_refused() -> None:
    with pytest.raises(PhraseError, match="longer than"):
        read("every day at 9 " * 50, "en")
    with pytest.raises(NaiveDatetimeError):
        parse("in 5 minutes", now=NOW.replace(tzinfo=None), tz=BERLIN, lang="en")


@pytest.mark.parametrize(
    ("now", "text", "at"),
    [
        ("2027-03-27T12:00:00+01:00", "tomorrow at 2:30", "2027-03-28T03:30:00+02:00"),
        ("2026-10-24T12:00:00+02:00", "tomorrow at 2:30", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T02:30:00+02:00", "in 1 hour", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:30:00+01:00", "in 5 minutes", "2026-10-25T02:35:00+01:00"),
        ("2026-01-31T12:00:00+01:00", "in a month", "2026-02-28T12:00:00+01:00"),
        ("2028-02-29T12:00:00+01:00", "in a year", "2029-02-28T12:00:00+01:00"),
        ("2026-11-18T10:00:00+01:00", "next Friday at 10", "2026-11-27T10:00:00+01:00"),
        ("2026-11-18T10:00:00+01:00", "this Wednesday at 9", "2026-11-25T09:00:00+01:00"),
        ("2026-11-18T10:00:00+01:00", "Wednesday at 11", "2026-11-18T11:00:00+01:00"),
        ("2026-11-18T23:00:00+01:00", "at 12", "2026-11-19T00:00:00+01:00"),
        ("2026-11-18T08:00:00+01:00", "at 9", "2026-11-18T09:00:00+01:00"),
        ("2026-11-18T21:30:00+01:00", "at 9", "2026-11-19T09:00:00+01:00"),
    ],
)
def test_moments_seen_from_other_days(now: str, text: str, at: str) -> None:
    assert parse(text, now=datetime.fromisoformat(now), tz=BERLIN, lang="en").canonical()["at"] == at

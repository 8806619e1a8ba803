"""`describe`: triggers of phrases, and triggers that only builders and cron expressions make."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from duly.cron import Cron
from duly.errors import InvalidInputError, PhraseError
from duly.language.languages import LANGUAGES
from duly.model.calendar import Month, Weekday
from duly.model.trigger import Trigger
from duly.phrases import describe, parse
from duly.recurrence import HourInterval, MonthInterval, Once, RecurringTask, every, run_now
from tests.support import tries
from tests.unit.language.strategies import languages
from tests.unit.recurrence.strategies import triggers

ZAGREB = "Europe/Zagreb"
MONDAY, WEDNESDAY = Weekday.MONDAY, Weekday.WEDNESDAY
NOW = datetime(2026, 11, 15, 10, tzinfo=ZoneInfo(ZAGREB))


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [
        ("in 5 minutes", "en", "on Sunday, 15 November 2026 at 10:05"),
        ("in 5 minutes", "de", "am Sonntag, den 15. November 2026 um 10:05 Uhr"),
        ("every 22 minutes", "hr", "svake 22 minute"),
        ("every 25 minutes", "hr", "svakih 25 minuta"),
        ("every 12 hours", "sr", "svakih 12 sati"),
        ("weekdays at 8, weekends at 10", "it", "nei giorni feriali alle 08:00; nel fine settimana alle 10:00"),
        ("every Mon and Fri at 8 and 20", "es", "los lunes y viernes a las 08:00 y 20:00"),
        ("second Wednesday of the month at 9", "hr", "svaku drugu srijedu u mjesecu u 09:00"),
        ("last Sunday of the month at 9", "it", "l'ultima domenica di ogni mese alle 09:00"),
        ("1st of every month at 9", "fr", "le 1er de chaque mois à 09:00"),
        ("every other Monday at 9", "de", "alle 2 Wochen montags um 09:00 Uhr"),
        ("every 15 minutes from 9 to 17 on weekdays", "fr", "toutes les 15 minutes de 09:00 à 17:00 en semaine"),
    ],
)
def test_describe_says_a_phrase_in_each_language(text: str, lang: str, words: str) -> None:
    assert describe(parse(text, now=NOW, tz=ZAGREB, lang="en").trigger, lang, tz=ZAGREB, now=NOW) == words


@pytest.mark.parametrize(
    ("trigger", "lang", "words"),
    [
        (MonthInterval(), "en", "every month at 00:00"),
        (MonthInterval(2), "de", "alle 2 Monate um 00:00 Uhr"),
        (MonthInterval(start=date(2026, 1, 15)), "en", "on the 15th of every month at 00:00"),
        (
            MonthInterval(2, start=date(2026, 1, 15)),
            "en",
            "every 2 months on the 15th at 00:00 starting 15 January 2026",
        ),
        (MonthInterval(start=None), "en", "on the 1st of every month at 00:00"),
        (MonthInterval(on_months=(Month.JUNE,)), "en", "every month at 00:00, only in June"),
    ],
)
def test_describe_says_a_monthly_trigger_without_a_day(trigger: Trigger, lang: str, words: str) -> None:
    assert describe(trigger, lang) == words


def test_listed_hours_are_said_as_days_with_times() -> None:
    listed = HourInterval(0, on_hours=(9, 12))
    assert describe(listed, "de") == "jeden Tag um 09:00 und 12:00 Uhr"
    assert (
        describe(RecurringTask(hour_interval=listed, max_runs=3), "en")
        == "every day at 09:00 and 12:00, in all 3 times"
    )


def test_with_now_a_month_without_a_day_begins_now() -> None:
    assert describe(MonthInterval(tz=ZAGREB), "en", tz=ZAGREB, now=NOW) == "on the 15th of every month at 00:00"


def test_another_zone_is_named_and_the_persons_own_is_not() -> None:
    daily = every(1).days().at(9, 0).in_timezone("America/New_York").recurring_task
    assert describe(daily, "en", tz="America/New_York") == "every day at 09:00"
    words = describe(daily, "de", tz=ZAGREB)
    assert words == "jeden Tag um 09:00 Uhr (America/New_York)"
    assert parse(words, now=NOW, tz=ZAGREB, lang="de").trigger == daily.day_interval
    assert describe(Once(NOW), "en") == "on Sunday, 15 November 2026 at 09:00 (UTC)"


def test_without_now_a_counted_series_says_from_when() -> None:
    trigger = parse("every other Monday at 9", now=NOW, tz=ZAGREB, lang="en").trigger
    words = describe(trigger, "en", tz=ZAGREB)
    assert words == "every 2 weeks on Mondays at 09:00 starting 16 November 2026"
    later = NOW + timedelta(days=10)
    assert parse(words, now=later, tz=ZAGREB, lang="en").trigger == trigger


def test_the_second_pass_of_a_repeated_hour_is_said_with_its_offset() -> None:
    again = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 02:30 in Zagreb, for the second time
    words = describe(Once(again), "fr", tz=ZAGREB)
    now = datetime(2026, 10, 24, tzinfo=UTC)
    assert parse(words, now=now, tz=ZAGREB, lang="fr").trigger == Once(again)


def test_describe_says_a_first_run_and_an_end() -> None:
    task = run_now().then().every(2).hours().max_runs(5).run_until(datetime(2027, 1, 1, tzinfo=UTC)).recurring_task
    assert describe(task, "hr") == "sada, zatim svaka 2 sata, ukupno 5 puta, do 1. siječnja 2027., 00:00"
    assert describe(task, "en") == "now, then every 2 hours, in all 5 times, until 1 January 2027, 00:00"


@pytest.mark.parametrize(
    ("chain", "lang", "words"),
    [
        (every(15).minutes().on_second(30), "de", "alle 15 Minuten, bei Sekunde 30"),
        (every(2).hours().on_hours(9, 15), "hr", "svaka 2 sata, samo u 09:00 i 15:00"),
        (every(1).hours().on_minute(15), "it", "ogni ora, al minuto 15"),
        (
            every(1).months().on_day(1).in_months(Month.JANUARY, Month.JULY).at(9, 0),
            "sr",
            "svakog 1. u mesecu u 09:00, samo u mesecima 1. i 7.",
        ),
        (every(1).months().on_days(MONDAY, WEDNESDAY).at(9, 0), "fr", "tous les mois le lundi et le mercredi à 09:00"),
        (every(3).days().at(9, 0).on(MONDAY), "es", "cada 3 días a las 09:00, solo los lunes"),
        (every(1).days().at(9, 0).between("08:00", "10:00"), "en", "every day at 09:00, only from 08:00 to 10:00"),
    ],
)
def test_describe_says_restrictions_that_only_builders_have(chain: Any, lang: str, words: str) -> None:
    assert describe(chain.recurring_task, lang) == words
    with pytest.raises(PhraseError):  # better not understood than understood as something wider
        parse(words, now=NOW, tz=ZAGREB, lang=lang)


def _occurrences(trigger: Trigger) -> list[datetime]:
    def walk() -> Any:
        at: datetime | None = NOW
        while at is not None and (at := trigger.get_next_occurrence(at)) is not None:
            yield at

    return list(islice(walk(), 12))


@pytest.mark.parametrize(
    "expression",
    [
        "0 8 * * 1-5",
        "30 9 * * *",
        "0 8 * * 6,0",
        "15 7 * * mon",
        "0 9 1 * *",
        "0 9 L * *",
        "0 9 * * tue#2",
        "0 22 * * fri-mon",
    ],
)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_simple_cron_is_said_in_words_that_mean_the_same(expression: str, lang: str) -> None:
    cron = Cron(expression, tz=ZAGREB)
    words = describe(cron, lang, tz=ZAGREB)
    assert "cron" not in words
    assert _occurrences(parse(words, now=NOW, tz=ZAGREB, lang=lang).trigger) == _occurrences(cron)


def test_complex_cron_is_shown_as_cron_and_read_back() -> None:
    cron = Cron("*/5 9-17 * * 1-5", tz=ZAGREB)
    assert describe(cron, "en", tz=ZAGREB) == cron.describe().removesuffix(f" ({ZAGREB})")
    words = describe(cron, "de", tz=ZAGREB)
    assert words == "cron */5 9-17 * * 1-5"
    assert _occurrences(parse(words, now=NOW, tz=ZAGREB, lang="de").trigger) == _occurrences(cron)


@settings(deadline=None, max_examples=tries(150))
@given(triggers, languages)
def test_every_trigger_has_words_in_every_language(trigger: Trigger, lang: str) -> None:
    assert describe(trigger, lang).strip()
    assert describe(trigger, lang, tz=ZAGREB, now=NOW).strip()


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="unknown language 'xx'"):
        describe(Once(NOW), "xx")

"""`parse`: languages, zones, refusals, ISO times and cron expressions."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from duly.errors import InvalidInputError, NaiveDatetimeError, PhraseError
from duly.phrases import DayParts, Phrase, parse, parse_schedule, parse_time_expression
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


@pytest.mark.parametrize("text", ["2027-01-01T09:00", "2027-01-01T09:00:00Z", "0 9 * * 1-5", "@daily"])
def test_times_of_no_language_have_the_code_of_one_that_duly_speaks(text: str) -> None:
    for tag, code in (("de-AT", "de"), ("bs", "hr"), ("sr_Latn", "sr"), ("pt-BR", "en"), ("", "en"), ("no such", "en")):
        assert read(text, prefer=tag).lang == code
    assert read(text, "de-AT").lang == "de"
    with pytest.raises(InvalidInputError, match="unknown language 'pt'"):
        read(text, "pt")


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


def _said(text: str, lang: str = "en", **more: Any) -> Phrase:
    now = datetime(2026, 11, 18, 10, 20, tzinfo=ZoneInfo("Europe/Zagreb"))
    return parse(text, now=now, tz="Europe/Zagreb", lang=lang, **more)


def _at(phrase: Phrase | None) -> str:
    assert phrase is not None
    return str(phrase.canonical()["at"])[:16]


@pytest.mark.parametrize(
    ("text", "lang", "first", "other"),
    [
        ("tomorrow at 5", "en", "2026-11-19T05:00", "2026-11-19T17:00"),
        ("morgen um 5", "de", "2026-11-19T05:00", "2026-11-19T17:00"),
        ("all'una", "it", "2026-11-18T13:00", "2026-11-19T01:00"),
        ("a la una", "es", "2026-11-18T13:00", "2026-11-19T01:00"),
        ("9h", "fr", "2026-11-19T09:00", "2026-11-18T19:20"),
        ("11h30", "hr", "2026-11-18T11:30", "2026-11-18T21:50"),
        ("8h30", "es", "2026-11-19T08:30", "2026-11-18T18:50"),
    ],
)
def test_a_doubtful_phrase_has_a_second_reading(text: str, lang: str, first: str, other: str) -> None:
    phrase = _said(text, lang)
    assert (_at(phrase), _at(phrase.other)) == (first, other)


@pytest.mark.parametrize("text", ["at 5", "tomorrow at 9", "tomorrow at 05:00", "tomorrow at 5pm", "today at 3", "2h"])
def test_a_clear_phrase_has_one_reading(text: str) -> None:
    assert _said(text).other is None


@pytest.mark.parametrize("lang", ["de", "es", "fr", "hr", "it", "sr"])
def test_a_bare_hour_before_dawn_is_asked_back(lang: str) -> None:
    with pytest.raises(PhraseError, match="an hour of the day or a length of time") as error:
        _said("2h", lang)
    assert error.value.fault == "doubtful"
    ahead = {"hr": "za", "sr": "za", "es": "en", "fr": "dans", "it": "tra", "de": "in"}[lang]
    assert _at(_said(f"{ahead} 2h", lang)) == "2026-11-18T12:20"


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("within 2 hours", "en"),
        ("by Friday", "en"),
        ("binnen einer Woche", "de"),
        ("u roku od 2 sata", "hr"),
        ("do petka", "sr"),
        ("en el plazo de una semana", "es"),
        ("d'ici deux heures", "fr"),
        ("entro venerdì", "it"),
    ],
)
def test_a_deadline_is_refused_for_what_it_is(text: str, lang: str) -> None:
    with pytest.raises(PhraseError, match="a deadline does not say when") as error:
        _said(text, lang)
    assert error.value.fault == "deadline"


def test_parts_of_the_day_have_the_hours_of_the_person() -> None:
    assert _at(_said("tomorrow evening")) == "2026-11-19T19:00"
    mine = DayParts(morning="06:30", evening="18:15", night="22:00")
    assert _at(_said("tomorrow evening", day_parts=mine)) == "2026-11-19T18:15"
    assert _at(_said("tomorrow", day_parts=mine)) == "2026-11-19T06:30"
    assert _at(_said("tonight", day_parts=mine)) == "2026-11-18T22:00"
    with pytest.raises(InvalidInputError, match="evening must be a time of day such as 09:00, got '7pm'"):
        DayParts(evening="7pm")


@pytest.mark.parametrize(
    ("text", "lang", "minutes"),
    [
        ("tomorrow at 10 and an hour before", "en", [60]),
        ("Friday at 9, a day before and 15 minutes before", "en", [1440, 15]),
        ("morgen um 10 und eine halbe Stunde vorher", "de", [30]),
        ("sutra u 10 i sat prije", "hr", [60]),
        ("mañana a las 10 y el día antes", "es", [1440]),
        ("demain à 10h et la veille", "fr", [1440]),
        ("domani alle 10 e un'ora prima", "it", [60]),
    ],
)
def test_earlier_notices_are_told_apart_from_the_time(text: str, lang: str, minutes: list[int]) -> None:
    phrase = _said(text, lang)
    assert [lead.total_seconds() / 60 for lead in phrase.leads] == minutes
    assert phrase.kind == "once"
    with pytest.raises(PhraseError, match="for reminders only"):
        phrase.without_company()


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("3 days after it is done", "en"),
        ("every 3 days after it's done", "en"),
        ("3 Tage nachdem es erledigt ist", "de"),
        ("3 dana nakon što je gotovo", "hr"),
        ("3 días después de hacerlo", "es"),
        ("3 jours après l'avoir fait", "fr"),
        ("3 giorni dopo averlo fatto", "it"),
    ],
)
def test_a_time_may_count_from_when_it_is_done(text: str, lang: str) -> None:
    phrase = _said(text, lang)
    assert (phrase.again_after, _at(phrase)) == (timedelta(days=3), "2026-11-21T10:20")


def test_the_first_time_may_be_named_beside_the_next() -> None:
    phrase = _said("tomorrow at 9 and then a week after it is done")
    assert (phrase.again_after, _at(phrase)) == (timedelta(days=7), "2026-11-19T09:00")


@pytest.mark.parametrize(
    "text", ["an hour before", "a day and an hour before", "every day at 9 and 3 days after it is done"]
)
def test_what_stands_beside_a_time_needs_one_and_is_clear(text: str) -> None:
    with pytest.raises(PhraseError):
        _said(text)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("hey tomorrow at 9 please!", "en"),
        ("tomorrow at 9, thanks 🙏", "en"),
        ("moin, morgen um 9 bitte", "de"),
        ("ajde sutra u 9 molim te", "hr"),
        ("oye mañana a las 9 porfa", "es"),
        ("coucou demain 9h stp", "fr"),
        ("ciao domani alle 9 per favore", "it"),
    ],
)
def test_courtesies_change_nothing(text: str, lang: str) -> None:
    assert _at(_said(text, lang)) == "2026-11-19T09:00"


@pytest.mark.parametrize("text", ["please", "thanks", "hi", "ok please"])
def test_courtesies_alone_are_no_time(text: str) -> None:
    with pytest.raises(PhraseError):
        _said(text)


def test_an_hour_that_passed_this_morning_may_be_one_of_the_evening() -> None:
    at_three = NOW.replace(hour=15)
    for text, lang in [("um 8", "de"), ("u 8", "hr"), ("a las 8", "es"), ("alle 8", "it")]:
        phrase = parse(text, now=at_three, tz=BERLIN, lang=lang)
        assert phrase.canonical()["at"] == "2026-11-16T08:00:00+01:00"
        assert phrase.other is not None
        assert phrase.other.canonical()["at"] == "2026-11-15T20:00:00+01:00"
    for text in ("um 16", "um 8:00", "morgen um 8", "um 8 abends", "in 3 Tagen um 8", "jeden Tag um 8"):
        assert parse(text, now=at_three, tz=BERLIN, lang="de").other is None, text


@pytest.mark.parametrize(
    ("typed", "meant", "lang"),
    [
        ("morgen nachmitag um 16 Uhr", "morgen Nachmittag um 16 Uhr", "de"),
        ("on wendesday at 9am", "on Wednesday at 9am", "en"),
        ("in 5 miuntes", "in 5 minutes", "en"),
        ("venredi a 9h", "vendredi à 9h", "fr"),
    ],
)
def test_one_slip_of_the_finger_is_forgiven(typed: str, meant: str, lang: str) -> None:
    assert read(typed, lang).canonical() == read(meant, lang).canonical()


@pytest.mark.parametrize(
    "typed", ["in seventyy minutes", "in fourtenn minutes", "in seventyy", "marrch 31st at 8 tomorrw x"]
)
def test_a_mistyped_number_or_too_many_slips_are_refused(typed: str) -> None:
    with pytest.raises(PhraseError):
        read(typed, "en")


@pytest.mark.parametrize(
    ("typed", "meant", "lang"),
    [
        ("at 4pm ok?", "at 4pm", "en"),
        ("sutra u 9 važi?", "sutra u 9", "hr"),
        ("demain à 9h d'accord ?", "demain à 9h", "fr"),
        ("morgen um 9 😅", "morgen um 9", "de"),
        ("domani alle 9 va bene? 🙏🏽", "domani alle 9", "it"),
    ],
)
def test_courtesies_and_emojis_say_nothing_about_the_time(typed: str, meant: str, lang: str) -> None:
    assert read(typed, lang).canonical() == read(meant, lang).canonical()


def test_a_question_about_the_time_is_no_courtesy() -> None:
    with pytest.raises(PhraseError):
        read("tomorrow at 9?", "en")

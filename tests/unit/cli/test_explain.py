"""`duly explain`: the words, the settings, and the warnings."""

import json

from tests.unit.cli.conftest import Duly


def test_it_shows_words_settings_fires_and_warnings(duly: Duly) -> None:
    outcome = duly("explain", "30 2 * * *", "--tz", "Europe/Berlin")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        "every day at 02:30 (Europe/Berlin)\n"
        "\n"
        "dialect  standard: five fields or a macro, with steps, names, L, W and #\n"
        "zone     Europe/Berlin\n"
        "dst      once: a fixed time runs once, even if the clock skips or repeats it\n"
        "\n"
        "UTC                   local: Europe/Berlin\n"
        "Mon 2026-11-16 01:30  Mon 2026-11-16 02:30 +01:00  in 13 h 30 min\n"
        "Tue 2026-11-17 01:30  Tue 2026-11-17 02:30 +01:00  in 1 d 14 h\n"
        "Wed 2026-11-18 01:30  Wed 2026-11-18 02:30 +01:00  in 2 d 14 h\n"
        "\n"
        "warning: 02:30 does not exist on 2027-03-28 in Europe/Berlin: it runs at 03:00\n"
        "         instead\n"
        "warning: 02:30 happens twice on 2027-10-31 in Europe/Berlin: it runs once, at\n"
        "         the first\n"
    )


def test_without_clock_changes_there_is_no_warning(duly: Duly) -> None:
    assert "warning" not in duly("explain", "0 9 * * *", "--tz", "Europe/Berlin").out
    assert "warning" not in duly("explain", "30 2 * * *").out


def test_the_policy_is_the_one_asked_for(duly: Duly) -> None:
    out = duly("explain", "30 2 * * *", "--tz", "Europe/Berlin", "--dst", "wallclock").out
    assert "dst      wallclock: runs whenever the clock shows the time\n" in out
    assert "it does not run\n" in out


def test_a_rhythm_follows_the_clock_under_every_policy(duly: Duly) -> None:
    out = duly("explain", "*/10 2 * * *", "--tz", "Europe/Berlin").out
    assert "dst      once: but a rhythm, with * first in minute or hour, follows the clock\n" in out
    assert "do not exist on 2027-03-28 in Europe/Berlin: they do not run" in " ".join(out.split())


def test_the_oldest_trap_of_cron_is_pointed_out(duly: Duly) -> None:
    either = duly("explain", "0 0 13 * 5").out
    assert "days     or: one of day and weekday is enough (--day-match and: both)\n" in either
    assert "days     and: day and weekday must both fit\n" in duly("explain", "0 0 13 * 5", "--day-match", "and").out
    assert "\ndays" not in duly("explain", "0 0 13 * *").out


def test_the_coming_year_begins_at_from(duly: Duly) -> None:
    out = duly("explain", "0 9 * * *", "--tz", "Pacific/Apia", "--from", "2011-06-01").out
    assert "warning: 09:00 does not exist on 2011-12-30 in Pacific/Apia" in out


def test_json_tells_the_same(duly: Duly) -> None:
    answer = json.loads(duly("explain", "30 2 * * *", "--tz", "Europe/Berlin", "--json").out)
    plain = json.loads(duly("next", "30 2 * * *", "--tz", "Europe/Berlin", "--json", "-n", "3").out)
    assert {key: value for key, value in answer.items() if key != "surprises"} == plain
    assert answer["surprises"] == [
        {
            "at": "2027-03-28T01:00:00Z",
            "kind": "moved",
            "local": "2027-03-28T02:30:00",
            "count": 1,
            "text": "02:30 does not exist on 2027-03-28 in Europe/Berlin: it runs at 03:00 instead",
        },
        {
            "at": "2027-10-31T01:00:00Z",
            "kind": "once",
            "local": "2027-10-31T02:30:00",
            "count": 1,
            "text": "02:30 happens twice on 2027-10-31 in Europe/Berlin: it runs once, at the first",
        },
    ]


def test_mistakes_end_as_they_do_for_next(duly: Duly) -> None:
    assert duly("explain", "0 25 * * *") == duly("next", "0 25 * * *")
    assert duly("explain", "0 9 * * *", "-n", "3").err.startswith("duly: no such option: -n; ")


def test_the_year_before_the_end_of_the_calendar_is_a_short_one(duly: Duly) -> None:
    outcome = duly("explain", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "9999-06-01")
    assert outcome.code == 0

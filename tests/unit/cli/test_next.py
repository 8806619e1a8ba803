"""`duly next`: the table, the JSON, and every way to get it wrong."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.cli import app
from duly.cli.output import in_how_long
from duly.testing import VirtualClock
from tests.unit.cli.conftest import Duly


def test_a_table_of_the_next_fires(duly: Duly) -> None:
    assert duly("next", "30 9 * * 1-5", "--tz", "Europe/Berlin", "-n", "2").out == (
        "every weekday at 09:30 (Europe/Berlin)\n"
        "\n"
        "UTC                   local: Europe/Berlin\n"
        "Mon 2026-11-16 08:30  Mon 2026-11-16 09:30 +01:00  in 20 h 30 min\n"
        "Tue 2026-11-17 08:30  Tue 2026-11-17 09:30 +01:00  in 1 d 21 h\n"
    )


def test_without_a_zone_it_is_read_and_shown_on_the_hosts_clocks(duly: Duly) -> None:
    assert duly("next", "0 0 * * *", "-n", "1").out == (
        "every day at 00:00 (Asia/Tokyo)\n"
        "\n"
        "UTC                   local: Asia/Tokyo\n"
        "Sun 2026-11-15 15:00  Mon 2026-11-16 00:00 +09:00  in 3 h\n"
    )


def test_the_zone_of_the_settings_comes_before_that_of_the_host(duly: Duly, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "duly.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf-8")
    assert json.loads(duly("next", "0 9 * * *", "--json").out)["tz"] == "Europe/Berlin"
    assert json.loads(duly("explain", "0 9 * * *", "--json").out)["tz"] == "Europe/Berlin"


def test_count_is_five_by_default(duly: Duly) -> None:
    assert len(duly("next", "@daily").out.splitlines()) == 3 + 5
    assert len(duly("next", "@daily", "--count", "10000").out.splitlines()) == 3 + 10_000


def test_seconds_are_shown_where_there_are_any(duly: Duly) -> None:
    assert duly("next", "--dialect", "seconds", "*/7 * * * * *", "--tz", "UTC", "-n", "1").out.splitlines()[-1] == (
        "Sun 2026-11-15 12:00:07  Sun 2026-11-15 12:00:07 UTC  in 7 s"
    )


def test_both_passes_of_a_repeated_hour_can_be_told_apart(duly: Duly) -> None:
    out = duly("next", "30 2 * * *", "--tz", "Europe/Berlin", "--dst", "wallclock", "--from", "2027-10-31", "-n2").out
    assert [line[22:49] for line in out.splitlines()[-2:]] == [
        "Sun 2027-10-31 02:30 +02:00",
        "Sun 2027-10-31 02:30 +01:00",
    ]


def test_both_restrictions_can_be_asked_for(duly: Duly) -> None:
    out = duly("next", "0 0 13 * 5", "--day-match", "and", "--tz", "UTC", "-n", "1").out
    assert out.startswith("on the 13th of every month if it is a Friday, at 00:00\n")
    assert "Fri 2027-08-13 00:00" in out


@pytest.mark.parametrize("words", [["0", "9", "*", "*", "1-5"], ["0 9", "* *", "1-5"]])
def test_an_expression_may_come_in_pieces(duly: Duly, words: list[str]) -> None:
    assert duly("next", *words) == duly("next", "0 9 * * 1-5")


def test_options_may_stand_anywhere(duly: Duly) -> None:
    tidy = duly("next", "--tz", "Asia/Tokyo", "-n", "3", "0 9 * * 1-5")
    assert duly("next", "0", "9", "--tz", "Asia/Tokyo", "*", "*", "-n", "3", "1-5") == tidy


def test_six_pieces_are_six_fields(duly: Duly) -> None:
    assert duly("next", "30", "0", "9", "*", "*", "*", "--dialect", "seconds").out.startswith("every day at 09:00:30")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2027-01-01", "2026-12-31T23:00:00Z"),
        ("2027-01-01T09:30", "2027-01-01T08:30:00Z"),
        ("2027-01-01T09:30Z", "2027-01-01T09:30:00Z"),
        ("2027-01-01T09:30:15.75-05:00", "2027-01-01T14:30:15Z"),
        ("2027-03-28 02:30", "2027-03-28T01:30:00Z"),  # does not exist: it moves on with the clocks
    ],
)
def test_from_says_where_it_starts(duly: Duly, text: str, instant: str) -> None:
    assert json.loads(duly("next", "@hourly", "--tz", "Europe/Berlin", "--json", "--from", text).out)["from"] == instant


def test_json_has_settled_keys(duly: Duly) -> None:
    assert json.loads(duly("next", "0 9 * * *", "--json", "-n", "2").out) == {
        "expression": "0 9 * * *",
        "dialect": "standard",
        "tz": "Asia/Tokyo",
        "dst": "once",
        "description": "every day at 09:00 (Asia/Tokyo)",
        "from": "2026-11-15T12:00:00Z",
        "next": [
            {"utc": "2026-11-16T00:00:00Z", "local": "2026-11-16T09:00:00+09:00", "in_seconds": 43_200},
            {"utc": "2026-11-17T00:00:00Z", "local": "2026-11-17T09:00:00+09:00", "in_seconds": 129_600},
        ],
    }


def test_posix_has_its_own_policy(duly: Duly) -> None:
    answer = json.loads(duly("next", "0 9 * * *", "--dialect", "posix", "--json").out)
    assert (answer["dialect"], answer["dst"]) == ("posix", "wallclock")


def test_output_is_plain_and_fits_a_terminal(duly: Duly) -> None:
    long = "5,7,23 1,4,9 1,15,L,LW,L-3,15W 1,2,7 1,5#2,3L"
    text = duly("next", long, "--tz", "America/Argentina/ComodRivadavia").out
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert text.endswith("\n")


# Mistakes: one line, a caret where there is an expression, exit code 2, and nothing on standard output.


@pytest.mark.parametrize(
    ("expression", "caret"),
    [
        ("0 25 * * *", "    ^"),
        ("0 9 * 13 *", "        ^"),
        ("0 9 * * mon,fry", "              ^"),
        ("0 0 31 2 *", "      ^"),
        ("@dayly", "  ^"),
        ("-1 * * * *", "  ^"),
        ("0\t25 * * *", "    ^"),
        ("本 9 * * *", "  ^"),
    ],
)
def test_a_caret_marks_the_fault(duly: Duly, expression: str, caret: str) -> None:
    outcome = duly("next", expression)
    said, shown, mark = outcome.err.splitlines()[:3]
    assert (outcome.code, outcome.out) == (2, "")
    assert said.startswith('duly: Invalid cron expression "')
    assert shown == "  " + expression.replace("\t", " ")
    assert mark == caret


def test_a_caret_finds_its_place_in_a_long_expression(duly: Duly) -> None:
    expression = f"0 9 {','.join(map(str, range(1, 32)))},32 * *"
    _said, shown, mark = duly("next", expression).err.splitlines()
    assert len(shown) <= 80
    assert shown[mark.index("^") :].startswith("32 * *")


def test_an_empty_expression_has_no_place_for_a_caret(duly: Duly) -> None:
    outcome = duly("next", "")
    assert outcome.code == 2
    assert outcome.err.startswith('duly: Invalid cron expression "": expression field is empty; write five fields')
    assert outcome.err.count("\n") == 1


def test_six_fields_need_their_dialect(duly: Duly) -> None:
    outcome = duly("next", "0 0 9 * * *")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == "  --dialect seconds reads six fields, seconds first"


def test_forgotten_quotes_are_pointed_out(duly: Duly) -> None:
    outcome = duly("next", "0", "9", "LICENSE", "README.md", "docs", "src", "1")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == "  quote the expression, or the shell puts file names in the place of *"
    assert "quote" not in duly("next", "0 9 a b c d e").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["0 9 * * *", "--tz", "Europe/Berln"],
            "unknown time zone 'Europe/Berln': expected an IANA name such as Europe/Berlin; did you mean Europe/Berlin",
        ),
        (["0 9 * * *", "--tz", ""], "unknown time zone ''"),
        (["0 9 * * *", "--from", "tomorrow"], '--from "tomorrow" is not a time: write it as 2026-11-15, '),
        (["0 9 * * *", "--from", "0001-01-01", "--tz", "Asia/Tokyo"], '--from "0001-01-01" is not a time'),
        (["0 9 * * *", "--dialect", "quartz"], "argument --dialect: invalid choice: 'quartz' (choose from "),
        (["0 9 * * *", "--dst", "never"], "argument --dst: invalid choice: 'never' (choose from "),
        (["0 9 * * *", "--day-match", "xor"], "argument --day-match: invalid choice: 'xor' (choose from "),
        (["0 9 * * *", "-n", "0"], "argument -n/--count: expected a whole number from 1 to 10000, got '0'"),
        (["0 9 * * *", "-n", "10001"], "argument -n/--count: expected a whole number from 1 to 10000, got '10001'"),
        (["0 9 * * *", "--count", "many"], "argument -n/--count: expected a whole number from 1 to 10000, got 'many'"),
        (["0 9 * * *", "--cuont", "3"], "no such option: --cuont; did you mean --count?"),
        ([], "duly next needs EXPR; see duly next --help"),
    ],
)
def test_other_mistakes_take_one_line(duly: Duly, arguments: list[str], message: str) -> None:
    outcome = duly("next", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"duly: {message}")
    assert outcome.err.count("\n") == 1


def test_characters_that_move_the_cursor_are_not_echoed(duly: Duly) -> None:
    assert "\x1b" not in duly("next", "\x1b[31m 9 * * *").err


def test_the_end_of_the_calendar_is_no_usage_error(duly: Duly) -> None:
    outcome = duly("next", "0 0 29 2 *", "--from", "9999-01-01", "--tz", "UTC")
    assert (outcome.code, outcome.out) == (1, "")
    assert "no occurrence between 9999-01-01T00:00:00Z and the end of the calendar" in outcome.err
    few = duly("next", "0 0 * * *", "--from", "9999-12-29T12:00", "--tz", "UTC")
    assert (few.code, len(few.out.splitlines())) == (0, 3 + 2)
    assert duly("next", "0 9 * * *", "--from", "9999-12-31T12:00Z").code == 1  # in Tokyo it is the year 10000 then


# The commands themselves.


def test_help_is_help_and_not_an_error(duly: Duly) -> None:
    general = duly("--help")
    assert (general.code, general.err) == (0, "")
    assert general == duly("-h") == duly()
    assert "explain" in general.out
    own = duly("next", "--help")
    assert (own.code, own.err) == (0, "")
    assert own.out.startswith("usage: duly next ")
    assert max(map(len, (general.out + own.out).splitlines())) <= 80


def test_version_is_also_known_here(duly: Duly) -> None:
    assert duly("--version", "next").out.startswith("duly 0.")


def test_an_unknown_command_gets_a_suggestion(duly: Duly) -> None:
    assert duly("nxt") == (2, "", "duly: no such command: nxt; did you mean next?\n")
    assert duly("fly") == (2, "", "duly: no such command: fly; duly --help lists them\n")
    assert duly("--verbose") == (2, "", "duly: no such option: --verbose; duly --help lists them\n")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "now"),
        (1, "in 1 s"),
        (60, "in 1 min"),
        (61, "in 1 min 1 s"),
        (12_000, "in 3 h 20 min"),
        (3_601, "in 1 h"),
        (3_599, "in 1 h"),
        (10_798, "in 3 h"),
        (86_400 * 3 - 60, "in 3 d"),
        (86_400 * 472 + 3_600 * 5 + 59, "in 472 d 5 h"),
    ],
)
def test_how_long_takes_two_units_to_the_nearest(seconds: int, words: str) -> None:
    assert in_how_long(seconds) == words


def test_a_host_whose_zone_has_no_name_shows_its_own_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        clock = VirtualClock(datetime(2026, 7, 1, 12, tzinfo=UTC))
        assert app.run(["next", "0 * * * *", "-n", "1", "--json"], clock) == 0
    time.tzset()
    [fire] = json.loads(capsys.readouterr().out)["next"]
    assert fire["local"] == "2026-07-01T15:00:00+02:00"

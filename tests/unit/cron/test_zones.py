"""Zones as segments agree with zoneinfo, on every change up to the last year tested."""

from __future__ import annotations

import pickle
import struct
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import UnknownTimezoneError
from duly.zones import Segments, Zone, _read_rule, _read_tzif, to_instant, to_seconds, to_utc
from tests.unit.cron import sweep
from tests.unit.cron.oracle import transitions
from tests.unit.cron.strategies import examples

ALL = sweep.zones()
SOME = ALL[::30]
SECOND = timedelta(seconds=1)
EARLY = to_seconds(datetime(2, 1, 1, tzinfo=UTC))
FOOTERS = [
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "IST-1GMT0,M10.5.0,M3.5.0/1",  # winter is the exception
    "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",  # the evening before
    "EET-2EEST,M3.4.4/50,M10.4.4/50",  # two days later
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",  # half an hour, upside down
    "AAA3BBB,J60/2,J300/2",  # days counted without 29 February
    "AAA3BBB1:15:30,M1.1.1/0:00:30,M12.4.6/23:59:59",
]


def segment_offset(segments: Segments, second: int) -> timedelta:
    return timedelta(seconds=segments.offsets[segments.at(second)])


def check_until(name: str, year: int) -> int:
    """Compare a zone with zoneinfo a second before, at and after every change up to a year."""
    tz = ZoneInfo(name)
    segments = Zone.of(name).segments(date(year, 1, 1).toordinal())
    for start in segments.starts:
        for second in (start - 1, start, start + 1):
            if second > EARLY:
                assert to_utc(second).astimezone(tz).utcoffset() == segment_offset(segments, second), (name, second)
    return len(segments.starts) - 1


def test_every_change_of_every_zone_is_where_zoneinfo_has_it() -> None:
    assert sum(check_until(name, 2100) for name in ALL) > 50_000


@pytest.mark.parametrize("name", SOME)
def test_no_change_is_missing(name: str) -> None:
    segments = Zone.of(name).segments(date(2101, 1, 1).toordinal())
    for first, last in ((1960, 2040), (2090, 2100)):
        known = {at for at in map(to_utc, segments.starts[1:]) if first <= at.year <= last}
        assert known == set(transitions(name, first, last))


@pytest.mark.parametrize(
    "name", ["Europe/Berlin", "America/New_York", "Asia/Gaza", "America/Nuuk", "Africa/Casablanca"]
)
def test_four_centuries_ahead(name: str) -> None:
    check_until(name, 2400)
    tz = ZoneInfo(name)
    segments = Zone.of(name).segments(date(2401, 1, 1).toordinal())
    for month in range(12 * 400):
        at = datetime(2000 + month // 12, month % 12 + 1, 15, tzinfo=UTC)
        assert at.astimezone(tz).utcoffset() == segment_offset(segments, to_seconds(at))


def test_the_end_of_the_calendar_is_in_reach() -> None:
    at = datetime(9999, 7, 1, tzinfo=UTC)
    segments = Zone.of("Europe/Berlin").segments(at.toordinal())
    assert segment_offset(segments, to_seconds(at)) == timedelta(hours=2)


@pytest.mark.parametrize("footer", FOOTERS)
def test_a_yearly_rule_means_the_same_as_in_zoneinfo(footer: str) -> None:
    tz = ZoneInfo.from_file(BytesIO(tzif(footer)))
    rule = _read_rule(footer)
    assert rule is not None
    for year in (2026, 2028, 2100, 2400):
        for instant, offset in rule.changes(year):
            at = to_utc(instant)
            assert at.astimezone(tz).utcoffset() == timedelta(seconds=offset)
            assert (at - SECOND).astimezone(tz).utcoffset() != timedelta(seconds=offset)


@pytest.mark.parametrize(("year", "begin"), [(2026, "03-01T03:00"), (2028, "02-29T03:00")])
def test_a_rule_may_count_days_from_zero(year: int, begin: str) -> None:
    """By POSIX; zoneinfo of Python 3.11 is a day off here, and no real zone has such a rule."""
    rule = _read_rule("AAA3BBB,59/0,299/24")
    assert rule is not None
    assert f"{to_utc(rule.changes(year)[0][0]):%m-%dT%H:%M}" == begin


@pytest.mark.parametrize("footer", ["", "UTC0", "<+0330>-3:30", "CET-1"])
def test_a_zone_without_summer_time_has_no_rule(footer: str) -> None:
    assert _read_rule(footer) is None


def tzif(footer: str) -> bytes:
    """A time zone file that lists one change, long ago, and leaves the rest to its footer."""
    header = struct.pack(">4s1s15x6l", b"TZif", b"2", 0, 0, 0, 1, 1, 4)
    kind = struct.pack(">lbB", -10_800, 0, 0) + b"AAA\0"
    return (
        header
        + struct.pack(">l", 0)
        + b"\0"
        + kind
        + header
        + struct.pack(">q", 0)
        + b"\0"
        + kind
        + f"\n{footer}\n".encode()
    )


def test_days_away_from_a_change_are_plain() -> None:
    zone = Zone.of("Europe/Berlin")
    spring = datetime(2026, 3, 29)  # noqa: DTZ001
    assert not zone.plain(spring)
    assert not zone.plain(spring - timedelta(days=1), spring)
    assert zone.plain(spring - timedelta(days=1), spring + timedelta(days=1))
    assert not zone.plain(datetime(2126, 3, 31))  # noqa: DTZ001


def test_a_local_time_becomes_instants() -> None:
    zone = Zone.of("Europe/Berlin")
    missing, repeated, plain = (datetime(2026, *rest) for rest in ((3, 29, 2, 30), (10, 25, 2, 30), (6, 1, 2, 30)))  # noqa: DTZ001
    assert zone.instants(missing) == ()
    assert [f"{at:%H:%M}" for at in zone.instants(repeated)] == ["00:30", "01:30"]
    assert [f"{at:%H:%M}" for at in zone.instants(plain)] == ["00:30"]
    assert [f"{zone.first_instant(at):%H:%M}" for at in (missing, repeated, plain)] == ["01:00", "00:30", "00:30"]
    assert [f"{zone.shifted(at):%H:%M}" for at in (missing, repeated, plain)] == ["01:30", "00:30", "00:30"]


def test_changes_of_a_year_can_be_listed() -> None:
    bounds = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    found = list(Zone.of("Australia/Lord_Howe").transitions(*bounds))
    assert [f"{at:%m-%d %H:%M} {after - before!s}" for at, before, after in found] == [
        "04-04 15:00 -1 day, 23:30:00",
        "10-03 15:30 0:30:00",
    ]
    assert list(Zone.of("UTC").transitions(*bounds)) == []


def test_a_zone_is_shared_and_known_by_its_name() -> None:
    assert Zone.of("Europe/Berlin") is Zone.of(ZoneInfo("Europe/Berlin"))
    assert Zone.of(UTC) is Zone.of("UTC") is Zone.of(ZoneInfo("UTC"))
    assert Zone.of(Zone.of("Europe/Berlin")) is Zone.of("Europe/Berlin")
    assert repr(Zone.of("Europe/Berlin")) == "Zone('Europe/Berlin')"
    assert pickle.loads(pickle.dumps(Zone.of("Europe/Berlin"))) is Zone.of("Europe/Berlin")  # noqa: S301


def test_a_zone_without_changes_has_plain_days_only() -> None:
    utc = Zone.of("UTC")
    assert utc.fixed
    assert not Zone.of("Asia/Kolkata").fixed  # it had other offsets once
    assert utc.first_instant(datetime(2026, 3, 29, 2, 30)) == datetime(2026, 3, 29, 2, 30, tzinfo=UTC)  # noqa: DTZ001
    assert to_utc(to_instant(datetime(2026, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo")))).hour == 15


def test_without_the_system_s_files_the_package_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.zones.TZPATH", ())
    changes, offsets, rule = _read_tzif("Europe/Berlin")
    assert len(offsets) == len(changes) + 1
    assert rule == _read_rule("CET-1CEST,M3.5.0,M10.5.0/3")


def test_a_file_of_the_first_version_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no second block and no rule."""
    header = struct.pack(">4s1s15x6l", b"TZif", b"\0", 0, 0, 0, 1, 2, 4)
    body = struct.pack(">l", 86_400) + b"\1" + struct.pack(">lbBlbB", 3600, 0, 0, 7200, 1, 0) + b"AAA\0"
    monkeypatch.setattr("duly.zones._tzif_bytes", lambda _name: header + body)
    changes, offsets, rule = _read_tzif("Old/Zone")
    assert [f"{to_utc(change):%Y-%m-%d}" for change in changes] == ["1970-01-02"]
    assert (offsets, rule) == ([3600, 7200], None)


def test_a_file_that_is_no_zone_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duly.zones._tzif_bytes", lambda _name: b"#!/bin/sh" + bytes(100))
    with pytest.raises(ValueError, match="Old/Zone is not a time zone file"):
        _read_tzif("Old/Zone")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Europe/Berlni", "Europe/Berlin"), ("new york", "America/New_York"), ("berlin", "Europe/Berlin")],
)
def test_a_misspelt_zone_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownTimezoneError, match=f"did you mean .*{hint}") as caught:
        Cron("* * * * *", tz=name)
    assert hint in caught.value.suggestions


@pytest.mark.parametrize("name", ["", "/", ".", "..", "Europe", "zone.tab", "\0", "\ud800", "../UTC", "/etc/passwd"])
def test_a_name_without_a_zone_is_refused(name: str) -> None:
    with pytest.raises(UnknownTimezoneError):
        Zone.of(name)


@pytest.mark.parametrize("tz", [None, 2, timedelta(hours=2), b"UTC", ["UTC"]])
def test_a_value_that_is_no_name_is_refused(tz: object) -> None:
    with pytest.raises(UnknownTimezoneError):
        Zone.of(tz)  # type: ignore[arg-type]


def test_a_name_as_long_as_a_book_is_refused_at_once() -> None:
    with pytest.raises(UnknownTimezoneError) as caught:
        Zone.of("Europe/" * 2_000_000)
    assert len(str(caught.value)) < 200


@examples(20)
@given(st.text(max_size=80))
def test_any_text_is_a_zone_or_refused(name: str) -> None:
    with suppress(UnknownTimezoneError):
        assert Zone.of(name).name == name


class Contended(Zone):
    """A zone where other threads always write after us, and know less."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if name == "_segments" and hasattr(self, "_segments"):
            value = self._segments
        super().__setattr__(name, value)


def test_other_threads_do_not_shorten_the_segments_of_an_answer() -> None:
    berlin = Zone.of("Europe/Berlin")
    short = berlin._segments._replace(horizon=date(2037, 1, 1).toordinal())
    zone = Contended("Europe/Berlin", berlin.tzinfo, short, berlin._rule)
    for year in (2040, 2100, 2300):
        day = date(year, 7, 1).toordinal()
        assert zone.segments(day).horizon >= day
        assert not zone.plain(datetime(year, 3, 31) - timedelta(days=date(year, 3, 31).isoweekday() % 7))  # noqa: DTZ001

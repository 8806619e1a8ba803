"""The time of day in words: a few times by name, a rhythm where the steps are equal, else the fields one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duly.cron.words import circle_run, counted, equal_step, joined, listed, span, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duly.cron.parser import Columns

_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400
_UNITS = ((_HOUR, "hour"), (_MINUTE, "minute"), (1, "second"))
_FEW = 6  # as many times of day are named one by one
_NO_RHYTHM = 3  # as many equal steps are easier to name than to describe


class TimeWords(NamedTuple):
    """The words, and whether they are a list of times that goes with "at"."""

    text: str
    listed: bool


class _Rhythm(NamedTuple):
    """Equal steps: all in seconds, within an hour or within a day."""

    start: int
    step: int
    times: int

    def within(self, outer: _Rhythm, size: int) -> _Rhythm | None:
        """These steps repeated at each of `outer`, which counts units of `size` seconds, if they stay equal."""
        start = outer.start * size + self.start
        if outer.times == 1:
            return _Rhythm(start, self.step, self.times)
        if self.times == 1:
            return _Rhythm(start, outer.step * size, outer.times)
        if outer.step == 1 and self.step * self.times == size:  # goes on where the unit before it ended
            return _Rhythm(start, self.step, self.times * outer.times)
        return None


def describe_times(columns: Columns, *, over_midnight: bool) -> TimeWords:
    """The second, minute and hour fields in words.

    `over_midnight` allows "from 22:00 to 02:00". Where only some days are meant this would be read as leading into
    the next day, while the field means both ends of the same one.
    """
    seconds, minutes, hours = (values(column.bits) for column in columns[:3])
    rhythm = _rhythm(seconds, minutes, hours, over_midnight=over_midnight)
    words = _rhythm_words(rhythm) if rhythm and rhythm.times > _NO_RHYTHM else None
    if words is not None:
        return TimeWords(words, listed=False)
    if len(seconds) * len(minutes) * len(hours) <= _FEW:
        times = [_HOUR * hour + _MINUTE * minute + second for hour in hours for minute in minutes for second in seconds]
        return TimeWords(joined(_clocks(times)), listed=True)
    if seconds == [0]:
        return TimeWords(_field_by_field(minutes, hours), listed=False)
    return TimeWords(_with_seconds(seconds, minutes, hours), listed=False)


def _rhythm(
    seconds: Sequence[int], minutes: Sequence[int], hours: Sequence[int], *, over_midnight: bool
) -> _Rhythm | None:
    """All times of the day as one rhythm, if they are one."""
    levels = [_steps(seconds), _steps(minutes), _steps(hours)]
    run = circle_run(hours, 24) if over_midnight else None
    if run is not None:
        levels[2] = _Rhythm(run[0], 1, len(hours))
    second, minute, hour = levels
    if second is None or minute is None or hour is None:
        return None
    inner = second.within(minute, _MINUTE)
    return inner and inner.within(hour, _HOUR)


def _steps(numbers: Sequence[int]) -> _Rhythm | None:
    step = equal_step(numbers)
    return _Rhythm(numbers[0], step, len(numbers)) if step else None


def _rhythm_words(rhythm: _Rhythm) -> str | None:
    """None when naming the minutes says it better."""
    unit, name = next((unit, name) for unit, name in _UNITS if rhythm.step % unit == 0)
    every = counted(rhythm.step // unit, name)
    if rhythm.step * rhythm.times == _DAY:
        if rhythm.start < unit:
            return every + _phase(rhythm.start, unit)
        if unit < _HOUR:
            return None
    end = (rhythm.start + rhythm.step * (rhythm.times - 1)) % _DAY
    return f"{every} from {span(*_clocks([rhythm.start, end], seconds=unit == 1))}"


def _phase(start: int, unit: int) -> str:
    """Where in its hour or minute a rhythm that goes on all day begins."""
    if start == 0:
        return ""
    minute, second = divmod(start, _MINUTE)
    parts = [f"minute {minute}"] if unit == _HOUR else []
    return f" at {joined(parts + ([f'second {second}'] if second else []))}"


def _clocks(times: Sequence[int], *, seconds: bool = False) -> list[str]:
    """Times of day as a clock shows them; if one needs seconds, all have them."""
    seconds = seconds or any(time % _MINUTE for time in times)
    return [
        f"{time // _HOUR:02}:{time // _MINUTE % 60:02}" + (f":{time % _MINUTE:02}" if seconds else "") for time in times
    ]


def _field_by_field(minutes: Sequence[int], hours: Sequence[int]) -> str:
    every = _all_round(minutes, "minute")
    if every and len(hours) < 24:
        return f"{every} during {listed('hour', hours)}"
    return f"at {listed('minute', minutes)} {_of_hours(hours)}"


def _with_seconds(seconds: Sequence[int], minutes: Sequence[int], hours: Sequence[int]) -> str:
    every = _all_round(seconds, "second")
    begin = f"{every} during" if every else f"at {listed('second', seconds)} of"
    if len(minutes) < 60:
        return f"{begin} {listed('minute', minutes)} {_of_hours(hours)}"
    if every:  # during some hours only: all of them would have been a rhythm
        return f"{begin} {listed('hour', hours)}"
    return f"{begin} every minute" + ("" if len(hours) == 24 else f" during {listed('hour', hours)}")


def _of_hours(hours: Sequence[int]) -> str:
    return "of every hour" if len(hours) == 24 else f"past {listed('hour', hours)}"


def _all_round(numbers: Sequence[int], unit: str) -> str | None:
    """`every 5 minutes`, if that is the whole truth: from 0 on, and evenly into the next hour."""
    step = equal_step(numbers)
    return counted(step, unit) if numbers[0] == 0 and step * len(numbers) == 60 else None

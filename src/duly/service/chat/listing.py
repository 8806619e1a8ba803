"""Answer "what's on today?": the reminders of a span of time, as lines of a chat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from duly.language.requests import ListRequest
from duly.recurrence import Once
from duly.service.chat.finding import Meant
from duly.service.chat.talk import Talk

_MOST_LINES = 20
_WEEK = 7
_SATURDAY = 5
_MOST_TIMES = 3
"""A reminder that comes more often in the span is one line with its rule."""


def list_answer(talk: Talk, request: ListRequest, reminders: Sequence[Meant]) -> str:
    """Say what comes in the span that was asked for."""
    if request.span == "all":
        lines = [line_of(talk, each) for each in reminders]
        if not lines:
            return f"{talk.texts.none_yet} {talk.texts.example}"
        return _listed(talk, talk.texts.all, lines)
    begin, end = _range(talk, request)
    found = [item for each in reminders for item in _items(talk, request, each, begin, end)]
    return _listed(talk, _heading(talk, request), [line for _, line in sorted(found)])


def listed(talk: Talk, request: ListRequest, reminders: Sequence[Meant]) -> list[Meant]:
    """Choose the reminders that the answer to a request names."""
    if request.span == "all":
        return list(reminders)
    begin, end = _range(talk, request)
    return [each for each in reminders if _items(talk, request, each, begin, end)]


def _heading(talk: Talk, request: ListRequest) -> str:
    texts = talk.texts
    if request.day is not None:
        return talk.day(request.day)
    spans = {
        "today": texts.today,
        "tomorrow": texts.tomorrow,
        "next_week": texts.next_week,
        "weekend": texts.weekend,
    }
    return spans.get(request.span, texts.week)


def _listed(talk: Talk, heading: str, lines: Sequence[str]) -> str:
    texts = talk.texts
    if not lines:
        return texts.list_none.format(span=heading)
    shown = list(lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        shown.append(texts.more.format(count=len(lines) - _MOST_LINES))
    return "\n".join([texts.list_head.format(span=heading, zone=talk.zone.name), *shown])


def _range(talk: Talk, request: ListRequest) -> tuple[datetime, datetime]:
    """Give the beginning and the end of a span on the person's clocks; what has passed today is left out."""
    today = talk.zone.localize(talk.now).date()
    weekday = today.weekday()
    ahead, days = {
        "tomorrow": (1, 1),
        "week": (0, _WEEK),
        "next_week": (_WEEK - weekday, _WEEK),
        "weekend": (_SATURDAY - weekday, 2),  # from now on, on a Sunday
    }.get(request.span, (0, 1))
    first = request.day or today + timedelta(days=ahead)
    begin = talk.zone.first_instant(datetime.combine(first, time(0)))
    end = talk.zone.first_instant(datetime.combine(first + timedelta(days=days), time(0)))
    return max(begin, talk.now), end


def _items(
    talk: Talk, request: ListRequest, meant: Meant, begin: datetime, end: datetime
) -> list[tuple[datetime, str]]:
    """Give the times of a reminder in a span, each with its line."""
    by_day = request.span in ("week", "next_week", "weekend")
    waits = _waiting_item(talk, meant, begin, end, by_day=by_day)
    times: list[datetime] = []
    at = meant.next_run_at if meant.enabled else None
    while at is not None and at < end and len(times) <= _MOST_TIMES:
        if at >= begin:
            times.append(at)
            at = meant.trigger.get_next_occurrence(at)
        else:
            # Straight to the span: an interval of minutes has thousands of fires before next Friday.
            at = meant.trigger.get_next_occurrence(begin - timedelta(microseconds=1))
    if len(times) > _MOST_TIMES:
        return [*waits, (times[0], _line(talk, talk.rule(meant.trigger), meant))]
    return [*waits, *((at, _line(talk, talk.moment(at) if by_day else _clock(talk, at), meant)) for at in times)]


def _waiting_item(
    talk: Talk, meant: Meant, begin: datetime, end: datetime, *, by_day: bool
) -> list[tuple[datetime, str]]:
    """Give the run of a reminder that waits for an answer now, or comes back in a span."""
    at = meant.back_at
    if meant.waiting is None or not begin <= max(at or talk.now, talk.now) < end:
        return []
    if at is None:
        return [(talk.now, _line(talk, talk.texts.waits, meant))]
    moment = talk.moment(at) if by_day else _clock(talk, at)
    return [(at, _line(talk, talk.texts.put_off.format(moment=moment), meant))]


def _clock(talk: Talk, at: datetime) -> str:
    return f"{talk.zone.localize(at):%H:%M}"


def line_of(talk: Talk, meant: Meant) -> str:
    """Say a reminder as a line of a list."""
    return talk.texts.list_line.format(first=meant.shown, second=when(talk, meant))


def _line(talk: Talk, said: str, meant: Meant) -> str:
    """Say when a reminder comes, and its text, as a line of a list."""
    return talk.texts.list_line.format(first=said, second=meant.shown)


def when(talk: Talk, meant: Meant) -> str:
    """Say when a reminder comes, whether it is paused, and whether it waits for an answer."""
    if meant.waiting is None:
        return _when(talk, meant)
    at = meant.back_at
    waits = talk.texts.waits if at is None else talk.texts.put_off.format(moment=talk.moment(at))
    return waits if meant.only_waits else f"{_when(talk, meant)} ({waits})"


def _when(talk: Talk, meant: Meant) -> str:
    if not meant.enabled or meant.next_run_at is None:
        return talk.texts.paused_word
    moment = talk.moment(meant.next_run_at)
    if meant.is_put_off:
        paused = talk.texts.paused_next.format(moment=moment)
        return paused if isinstance(meant.trigger, Once) else f"{talk.rule(meant.trigger)}, {paused}"
    return moment if isinstance(meant.trigger, Once) else talk.rule(meant.trigger)

"""The timeline of Today as one SVG: x is the instant and not the wall clock, so a day of 23 hours is no gap.

Places along the time are per cent of the width, so that the page needs no script to fit its window; heights are fixed.
Layers: past, spans in which nothing was running, hours, marks, the line of now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from math import log2

from markupsafe import Markup, escape

from duly.service.overview.figure_views import RunMark
from duly.service.overview.views import Band, DayRow, DayView, FireMark, OthersColumn
from duly.web import words
from duly.web.marks import draw
from duly.web.viewer import Say

AXIS = 26
ROW = 29
HEAD = 22
_MARK = 5
_TALL = 20
_WIDTH = 780.0
"""The usual width in pixels: decides which marks would touch each other."""
_TIGHT = 6.0
_BESIDE_NOW = 6.0
"""Per cent of the width: an hour so near to now would be written over by it."""
_GROUPS = (("agent", "Agents"), ("job", "Jobs"), ("person", "People"))
_HIT = f'<rect class="hit" x="-2" y="-4" width="{_MARK + 4}" height="{ROW}"/>'
"""What a pointer hits: larger than the mark."""
_LATE = timedelta(minutes=2)
_FEW = 2
_BAND_OF = 4
"""So many runs side by side become a band."""
_CALM = frozenset({"ok", "skip"})
"""Shapes that a band may stand for: what went wrong keeps its mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the timeline: the head of a group, a schedule, or the others."""

    top: int
    height: int
    kind: str
    head: str = ""
    row: DayRow | None = None


@dataclass(slots=True)
class _Canvas:
    """The span of a timeline, and the pieces drawn so far."""

    day: DayView
    say: Say
    pieces: list[str] = field(default_factory=list)

    def x(self, at: datetime) -> float:
        """Give the place of a moment, in per cent of the width."""
        whole = (self.day.end - self.day.start).total_seconds()
        return min(100.0, max(0.0, (at - self.day.start).total_seconds() / whole * 100))

    def is_shown(self, at: datetime) -> bool:
        return self.day.start <= at <= self.day.end


def lines_of(rows: Sequence[DayRow]) -> list[Line]:
    """Put rows into groups by kind, each with its place."""
    found: list[Line] = []
    top = AXIS
    for kind, head in _GROUPS:
        mine = [row for row in rows if row.kind == kind]
        if not mine:
            continue
        found.append(Line(top=top, height=HEAD, kind=kind, head=head))
        top += HEAD
        for row in mine:
            found.append(Line(top=top, height=ROW, kind=kind, row=row))
            top += ROW
    return found


def height_of(lines: Sequence[Line], *, others: bool) -> int:
    """Give the height of the whole."""
    bottom = lines[-1].top + lines[-1].height if lines else AXIS
    return bottom + (ROW if others else 0)


def draw_day(day: DayView, say: Say, lines: Sequence[Line]) -> Markup:
    """Draw the plot of a day."""
    tall = height_of(lines, others=day.others is not None)
    canvas = _Canvas(day, say)
    _ground(canvas, lines, tall)
    for line in lines:
        if line.row is not None:
            _row(canvas, line.row, line.top)
    if day.others is not None:
        _others(canvas, day.others.columns, tall - ROW)
    _now(canvas, tall)
    label = f"Timeline from {words.moment(day.start, say.now, say.zone)} to {words.moment(day.end, say.now, say.zone)}"
    return Markup(  # noqa: S704  every value is escaped where it is drawn
        f'<svg id="plot" class="timeline" width="100%" height="{tall}" role="group" aria-label="{escape(label)}" '
        f'data-start="{words.iso_utc(day.start)}" data-end="{words.iso_utc(day.end)}">{"".join(canvas.pieces)}</svg>'
    )


def _ground(canvas: _Canvas, lines: Sequence[Line], tall: int) -> None:
    """Draw past, hours, the rules under the rows, and the spans in which nothing was running."""
    day = canvas.day
    put = canvas.pieces.append
    put(f'<rect class="past" y="{AXIS}" width="{canvas.x(day.now):.3f}%" height="{tall - AXIS}"/>')
    silent = [(canvas.x(each.start), canvas.x(each.end), each) for each in day.silent]
    for x0, x1, span in silent:
        wide = x1 - x0
        tip = f"nothing was running, {_span_words(canvas, span.start, span.end)}"
        put(
            f'<rect class="silent" x="{x0:.3f}%" y="{AXIS}" width="{wide:.3f}%" height="{tall - AXIS}" '
            f'data-tip="{tip}"><title>{tip}</title></rect>'
        )
    for at, label in _hours(day, canvas.say):
        x = canvas.x(at)
        put(f'<line class="grid" x1="{x:.3f}%" x2="{x:.3f}%" y1="{AXIS}" y2="{tall}"/>')
        anchor = "start" if x < 1 else "end" if x > 99 else "middle"
        near = " near" if abs(x - canvas.x(day.now)) < _BESIDE_NOW and canvas.is_shown(day.now) else ""
        put(f'<text class="ax{near}" x="{x:.3f}%" y="16" text-anchor="{anchor}">{label}</text>')
    for line in lines:
        y = line.top + line.height - 0.5
        put(f'<line class="rule" x2="100%" y1="{y}" y2="{y}"/>')
    for x0, x1, _span in silent:
        if x1 - x0 > 13:
            middle = (x0 + x1) / 2
            put(
                f'<svg x="{middle:.3f}%" y="{AXIS + 3}" overflow="visible"><rect class="silent-bg" x="-56" width="112" '
                f'height="17" rx="3"/><text class="silent-word" y="12.5">nothing was running</text></svg>'
            )


def _span_words(canvas: _Canvas, start: datetime, end: datetime) -> str:
    return f"{words.clock(start, canvas.say.zone)} – {words.clock(end, canvas.say.zone)}"


def _hours(day: DayView, say: Say) -> Iterator[tuple[datetime, str]]:
    """Give the marked hours with their labels, in the viewer's zone; midnight at the end is 24:00."""
    hours = (day.end - day.start).total_seconds() / 3600
    step = 1 if hours <= 8 else 2 if hours <= 26 else 6
    at = day.start
    while at <= day.end:
        local = say.zone.localize(at)
        if local.minute == 0 and local.hour % step == 0:
            is_end = at == day.end and local.hour == 0
            name = f"{local:%a} {local.day}" if hours > 26 and local.hour == 0 else f"{local:%H:%M}"
            yield at, "24:00" if is_end and hours <= 26 else name
        at += timedelta(minutes=30) if local.minute % 30 == 0 else timedelta(minutes=1)


def _row(canvas: _Canvas, row: DayRow, top: int) -> None:
    canvas.pieces.append(f'<g data-marks role="group" aria-label="{escape(_row_sentence(row, canvas.say))}">')
    if row.often:
        for band in _joined(row.bands):
            _band(canvas, row, band, top)
    else:
        _past(canvas, row, top)
        _coming(canvas, row, top)
    canvas.pieces.append("</g>")


def _row_sentence(row: DayRow, say: Say) -> str:
    """Say a row to whom does not see it."""
    counts: dict[str, int] = {}
    for run in row.runs:
        word = "went well" if run.status == "succeeded" else words.status_words(run.reminder_status or run.status)
        counts[word] = counts.get(word, 0) + max(1, run.skipped)
    for band in row.bands:
        word = "to come" if band.status is None else "went well" if band.status == "succeeded" else band.status
        counts[word] = counts.get(word, 0) + band.count
    parts = [f"{count} {word}" for word, count in counts.items()]
    if row.coming:
        parts.append(f"{len(row.coming)} to come, next {words.clock(row.coming[0].run_at, say.zone)}")
    return f"{row.name}: {', '.join(parts) or 'nothing in this span'}"


def _past(canvas: _Canvas, row: DayRow, top: int) -> None:
    """Draw the runs that were: each as a mark, and those that would touch each other as a band."""
    shown = [run for run in sorted(row.runs, key=_stands_at) if canvas.is_shown(_stands_at(run))]
    for dense in _dense(canvas, shown):
        if len(dense) >= _BAND_OF:
            _dense_band(canvas, row, dense, top)
        for run in dense:
            x = canvas.x(_stands_at(run))
            if run.started_at is not None and run.started_at - run.fire_at > _LATE and run.skipped < _FEW:
                _late(canvas, run, x, top)
            kind = words.shape(run.status, run.reminder_status)
            if kind == "run":
                _running(canvas, run, x, top)
            elif len(dense) < _BAND_OF or kind not in _CALM:
                _mark(canvas, run, kind, x, top)


def _dense(canvas: _Canvas, runs: Sequence[RunMark]) -> list[list[RunMark]]:
    """Put runs together that stand so close that their marks would touch."""
    found: list[list[RunMark]] = []
    last = -100.0
    for run in runs:
        x = canvas.x(_stands_at(run)) / 100 * _WIDTH
        if x - last < _TIGHT:
            found[-1].append(run)
        else:
            found.append([run])
        last = x
    return found


def _dense_band(canvas: _Canvas, row: DayRow, runs: Sequence[RunMark], top: int) -> None:
    """Draw calm runs that would touch each other as one band; its tip counts them."""
    counts = Counter(run.status for run in runs if words.shape(run.status, run.reminder_status) in _CALM)
    if not counts:
        return
    status = "succeeded" if counts["succeeded"] else counts.most_common(1)[0][0]
    said = ", ".join(f"{count} {words.status_words(name)}" for name, count in counts.most_common())
    band = Band(start=_stands_at(runs[0]), end=_stands_at(runs[-1]), status=status, count=counts.total())
    _band(canvas, row, band, top, said)


def _stands_at(run: RunMark) -> datetime:
    """Give where a run stands: where it ran, or where it would have."""
    return run.started_at or run.fire_at


def _late(canvas: _Canvas, run: RunMark, x: float, top: int) -> None:
    y = top + ROW / 2
    begin = canvas.x(run.fire_at)
    canvas.pieces.append(
        f'<circle class="late-dot" cx="{begin:.3f}%" cy="{y}" r="2"/>'
        f'<line class="late" x1="{begin:.3f}%" x2="{x:.3f}%" y1="{y}" y2="{y}"/>'
    )


def _mark(canvas: _Canvas, run: RunMark, kind: str, x: float, top: int) -> None:
    tip = escape(run_tip(run, canvas.say))
    canvas.pieces.append(
        f'<a href="/runs/{escape(run.run_id)}" tabindex="-1" aria-label="{tip}" data-tip="{tip}">'
        f'<svg x="{x:.3f}%" y="{top + 4}" overflow="visible">{_HIT}{draw(kind, 0, 0, _MARK, _TALL)}</svg></a>'
    )


def _running(canvas: _Canvas, run: RunMark, x: float, top: int) -> None:
    """Draw a run that is under way: stripes from its start until now, at least as wide as a mark."""
    tip = escape(run_tip(run, canvas.say))
    wide = canvas.x(canvas.day.now) - x
    if wide / 100 * _WIDTH < _MARK:
        end = canvas.x(canvas.day.now)  # beside the line of now, not under it
        shape = f'<svg x="{end:.3f}%" y="{top + 4}" overflow="visible">{draw("run", -7, 0, _MARK, _TALL)}</svg>'
    else:
        shape = f'<g class="m run"><rect x="{x:.3f}%" y="{top + 4}" width="{wide:.3f}%" height="{_TALL}" rx="1"/></g>'
    canvas.pieces.append(
        f'<a href="/runs/{escape(run.run_id)}" tabindex="-1" aria-label="{tip}" data-tip="{tip}">{shape}</a>'
    )


def run_tip(run: RunMark, say: Say) -> str:
    """Say a run in a tip: its fire, its outcome, how long it took, why."""
    parts = [f"{words.moment(run.fire_at, say.now, say.zone)}, {words.status_words(run.reminder_status or run.status)}"]
    if run.started_at is not None and run.finished_at is not None:
        parts.append(f"took {words.took((run.finished_at - run.started_at).total_seconds())}")
    if run.skipped > 1:
        parts.append(f"{run.skipped} fires")
    if run.started_at is not None and run.started_at - run.fire_at > _LATE:
        parts.append(f"ran {words.clock(run.started_at, say.zone)}")
    if run.reason:
        parts.append(run.reason if len(run.reason) < 160 else run.reason[:157] + "…")
    return " · ".join(parts)


def _coming(canvas: _Canvas, row: DayRow, top: int) -> None:
    fires = [fire for fire in row.coming if canvas.is_shown(fire.run_at)]
    places = [canvas.x(fire.run_at) / 100 * _WIDTH for fire in fires]
    gaps = sorted(b - a for a, b in pairwise(places))
    if gaps and gaps[len(gaps) // 2] < _TIGHT:
        band = Band(start=fires[0].run_at, end=fires[-1].run_at, status=None, count=len(fires))
        _band(canvas, row, band, top)
        return
    for fire in fires:
        _frame(canvas, row, fire, top)


def _frame(canvas: _Canvas, row: DayRow, fire: FireMark, top: int) -> None:
    when = words.moment(fire.run_at, canvas.say.now, canvas.say.zone)
    tip = escape(f"{row.name}, {when}" + (f" · {fire.note}" if fire.note else ""))
    at = words.iso_utc(fire.run_at)
    canvas.pieces.append(
        f'<a href="/schedules/{escape(row.schedule_id)}" tabindex="-1" aria-label="{tip}" data-tip="{tip}" '
        f'data-pop="/ui/fire?schedule={escape(row.schedule_id)}&amp;at={at}">'
        f'<svg x="{canvas.x(fire.run_at):.3f}%" y="{top + 4}" overflow="visible">'
        f"{_HIT}{draw('coming', 0, 0, _MARK, _TALL)}</svg></a>"
    )


def _joined(bands: Sequence[Band]) -> list[Band]:
    """Join bands of one outcome that lie side by side."""
    found: list[Band] = []
    for band in bands:
        last = found[-1] if found else None
        if last is not None and last.status == band.status and band.start - last.end <= timedelta(minutes=1):
            found[-1] = replace(last, end=max(last.end, band.end), count=last.count + band.count)
        else:
            found.append(band)
    return found


def _band(canvas: _Canvas, row: DayRow, band: Band, top: int, said: str = "") -> None:
    x0 = canvas.x(band.start)
    wide = max(canvas.x(band.end) - x0, 0.35)
    kind = "coming" if band.status is None else words.shape(band.status)
    many = "to come" if band.status is None else words.status_words(band.status)
    tip = escape(f"{row.name}, {_span_words(canvas, band.start, band.end)}: {said or f'{band.count} {many}'}")
    href = f"/runs?schedule={escape(row.schedule_id)}"
    if band.status is not None and not said:
        href += f"&amp;status={band.status}"
    canvas.pieces.append(
        f'<a href="{href}" tabindex="-1" aria-label="{tip}" data-tip="{tip}"><rect class="band {kind}" '
        f'x="{x0:.3f}%" y="{top + 11}" width="{wide:.3f}%" height="7" rx="2"/></a>'
    )


def _others(canvas: _Canvas, columns: Sequence[OthersColumn], top: int) -> None:
    """Draw the others as small columns; the more runs the higher, on a scale that keeps the small ones visible."""
    most = max((column.count for column in columns), default=1)
    stacked: dict[datetime, float] = {}
    for column in columns:
        tall = 5 + 15 * (log2(1 + column.count) / log2(1 + max(most, 3)))
        kind = "coming" if column.status is None else words.shape(column.status)
        many = "to come" if column.status is None else words.status_words(column.status)
        tip = f"{_span_words(canvas, column.start, column.end)}: {column.count} {many}"
        shift = stacked.get(column.start, 0.0)
        stacked[column.start] = shift + 6
        body = draw(kind, shift, 24 - tall, _MARK, tall)
        canvas.pieces.append(
            f'<svg x="{canvas.x(column.start):.3f}%" y="{top + 2}" overflow="visible" data-tip="{tip}">{body}</svg>'
        )


def _now(canvas: _Canvas, tall: int) -> None:
    day = canvas.day
    if not canvas.is_shown(day.now):
        return
    canvas.pieces.append(
        f'<svg x="{canvas.x(day.now):.3f}%" overflow="visible" data-now-line data-start="{words.iso_utc(day.start)}" '
        f'data-end="{words.iso_utc(day.end)}"><line class="now" y1="20" y2="{tall}"/>'
        f'<rect class="now-box" x="-21" y="2" width="42" height="19" rx="4"/>'
        f'<text class="now-text" y="15.500">{words.clock(day.now, canvas.say.zone)}</text></svg>'
    )

"""Marks: the shape of each outcome as SVG, for strips, timelines and legends. Never colour alone.

Geometry is in attributes and colour in classes, because the policy of the pages allows no inline style.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from markupsafe import Markup, escape

from duly.web.words import shape, status_words

STRIP = 30
_STEP = 7
_WIDE = 5
_TALL = 20


class Drawn(Protocol):
    """A run as a strip draws it."""

    @property
    def run_id(self) -> str: ...

    @property
    def status(self) -> str: ...

    @property
    def reminder_status(self) -> str | None: ...


def mark(kind: str, x: float, y: float, wide: float = _WIDE, tall: float = _TALL) -> Markup:
    """Draw the mark of a shape into a box. Safe as it stands: `kind` comes from `shape`."""
    return Markup(draw(kind, x, y, wide, tall))  # noqa: S704  numbers, and names of shapes


def draw(kind: str, x: float, y: float, wide: float, tall: float) -> str:
    """Draw the mark of a shape, as text for a larger drawing."""
    g = f'<g class="m {kind}">'
    if kind == "fail":
        upper = tall * 0.68
        low = max(tall * 0.18, 2)
        return f"{g}{_rect(x, y, wide, upper)}{_rect(x, y + tall - low, wide, low)}</g>"
    if kind == "dead":
        middle = y + tall / 2
        arm = wide / 2 - 0.6
        cx = x + wide / 2
        cross = (
            f'<path class="x" d="M{_n(cx - arm)} {_n(middle - arm)}l{_n(2 * arm)} {_n(2 * arm)}'
            f'm0 {_n(-2 * arm)}l{_n(-2 * arm)} {_n(2 * arm)}"/>'
        )
        return f"{g}{_rect(x, y, wide, tall)}{cross}</g>"
    if kind in {"miss", "coming", "wait"}:
        return f"{g}{_rect(x + 0.6, y + 0.6, wide - 1.2, tall - 1.2, 1.4)}</g>"
    if kind == "ask":
        half = tall * 0.52
        frame = _rect(x + 0.6, y + 0.6, wide - 1.2, tall - 1.2, 1.4).replace("<rect", '<rect class="o"')
        return f"{g}{frame}{_rect(x, y + half, wide, tall - half)}</g>"
    if kind in {"skip", "pause"}:
        low = min(4.0, tall / 3)
        return f"{g}{_rect(x, y + tall - low, wide, low)}</g>"
    if kind == "cancel":
        return f"{g}{_rect(x, y + tall / 2 - 1.5, wide, 3)}</g>"
    return f"{g}{_rect(x, y, wide, tall)}</g>"


def _rect(x: float, y: float, wide: float, tall: float, rx: float = 1) -> str:
    return f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" height="{_n(tall)}" rx="{_n(rx)}"/>'


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def strip_sentence(runs: Sequence[Drawn]) -> str:
    """Say a strip: "last 30: 28 went well, 1 failed, 1 skipped"."""
    if not runs:
        return "It has not run yet"
    counts = Counter("succeeded" if shape(run.status) == "ok" else status_words(run.status) for run in runs)
    parts = [f"{counts.pop('succeeded')} went well"] if "succeeded" in counts else []
    parts += [f"{count} {word}" for word, count in counts.items()]
    return f"last {len(runs)}: {', '.join(parts)}"


def strip(runs: Sequence[Drawn], tips: Sequence[str] = (), places: int = STRIP) -> Markup:
    """Draw the last runs as bars, the newest at the right; empty places are a base line. Each bar links to its run."""
    shown = list(runs)[-places:]
    named = list(tips)[-places:]
    empty = places - len(shown)
    wide = places * _STEP - (_STEP - _WIDE)
    size = f'width="{wide}" height="{_TALL}" viewBox="0 0 {wide} {_TALL}"'
    parts = [f'<svg class="strip" {size} role="group" aria-label="{escape(strip_sentence(shown))}">']
    if empty:
        parts.append(f'<path class="base" d="M0 {_TALL - 0.5}H{empty * _STEP - 2}"/>')
    for place, run in enumerate(shown):
        x = (empty + place) * _STEP
        word = named[place] if place < len(named) else status_words(run.reminder_status or run.status)
        focus = "0" if place == len(shown) - 1 else "-1"
        parts.append(
            f'<a href="/runs/{escape(run.run_id)}" tabindex="{focus}" aria-label="{escape(word)}" '
            f'data-tip="{escape(word)}">'
            f'<rect class="hit" x="{x - 1}" width="{_STEP}" height="{_TALL}"/>'
            f"{draw(shape(run.status, run.reminder_status), x, 0, _WIDE, _TALL)}</a>"
        )
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704  every value is escaped above


def legend_mark(kind: str) -> Markup:
    """Draw a mark by itself, as legends and pills show it."""
    return Markup(  # noqa: S704  names of shapes
        f'<svg class="lm" width="6" height="14" viewBox="0 0 6 14" aria-hidden="true">{draw(kind, 0, 0, 6, 14)}</svg>'
    )

"""The life of a run as a drawing: what is under a bar is about that bar, and nothing runs into anything."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from duly.web.charts import LifePart, life_line
from duly.zones import Zone

_START = datetime(2027, 3, 26, 20, 58, 13, tzinfo=UTC)
_BERLIN = Zone.of("Europe/Berlin")
_LABEL = re.compile(
    r'<svg x="([\d.]+)" y="46" width="([\d.]+)" height="38"><text [^>]*>([^<]*)</text><text [^>]*>(.*?)</text></svg>'
)
_SHORT = re.compile(r'<text class="title t-\w+" x="([\d.]+)" y="62">(\d+)\.</text>')
_WAITED = re.compile(r'<text class="waited" x="([\d.]+)" y="62">([^<]*)</text>')
_BAR = re.compile(r'<g class="m \w+"><rect x="([\d.]+)"')
_TICK = re.compile(r'<text class="ax[^"]*" x="([\d.]+)" y="15">([^<]*)</text>')
_WIDE = 1088
_LETTER = 5.9
"""What a letter of the labels takes in Inter at 12 px, on average."""


def _drawn(lengths: list[tuple[float, float]], error: str, *, runs: bool) -> str:
    parts = []
    at = _START
    for number, (took, waited) in enumerate(lengths, 1):
        end = at + timedelta(seconds=took)
        last = number == len(lengths)
        kind = "run" if runs and last else "fail"
        title = f"Attempt {number} {'is running' if kind == 'run' else 'failed'}"
        parts.append(LifePart(kind=kind, start=at, end=end, title=title, short=f"{number}.", took="41 s", detail=error))
        if not last:
            at = end + timedelta(seconds=waited)
            parts.append(LifePart(kind="wait", start=end, end=at, title="waited 32 s"))
    return str(life_line(parts, parts[-1].end if runs else None, _BERLIN))


_LENGTHS = st.lists(st.tuples(st.floats(0, 4000), st.floats(0.1, 4000)), min_size=1, max_size=8)


@given(_LENGTHS, st.text(alphabet="abc def:", max_size=120), st.booleans())
def test_labels_stand_under_their_own_bars_and_apart(
    lengths: list[tuple[float, float]], error: str, runs: bool
) -> None:
    drawn = _drawn(lengths, error, runs=runs)
    bars = [float(x) for x in _BAR.findall(drawn)]
    assert len(bars) == len(lengths)
    taken: list[tuple[float, float]] = []
    for x, width, title, detail in _LABEL.findall(drawn):
        longest = max(len(title), len(re.sub("<.*?>", "", detail)))
        taken.append((float(x), float(x) + min(float(width), 2 + longest * _LETTER)))
        if title.startswith("Attempt "):
            own = int(title.split()[1].rstrip("…")) - 1
            later = [*bars[own + 1 :], _WIDE][0]
            assert taken[-1][1] <= later or own == len(bars) - 1
            assert float(x) <= bars[own] + 0.1
    taken += [(float(x), float(x) + 12) for x, _ in _SHORT.findall(drawn)]
    taken += [
        (float(x) - len(text) * _LETTER / 2, float(x) + len(text) * _LETTER / 2) for x, text in _WAITED.findall(drawn)
    ]
    taken.sort()
    for (_, end), (begin, _) in itertools.pairwise(taken):
        assert end <= begin + 0.1
    assert all(begin >= 0 and end <= _WIDE for begin, end in taken)
    assert all(27 <= float(x) <= _WIDE - 27 for x, _ in _TICK.findall(drawn)), "no clock is cut at an edge"

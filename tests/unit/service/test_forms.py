"""Any entry of a file is read, or refused with a message: entries reach the form without a schema."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from duly.entropy import random_bits
from duly.errors import DulyError
from duly.ports.codec import decode_schedule
from duly.ports.records import StoredSchedule
from duly.service.access.scopes import ADMIN
from duly.service.schedules import forms
from duly.service.schedules.drafts import to_row
from duly.service.schedules.times import read_words
from duly.service.schedules.views import plain, schedule_view
from tests.support import tries

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = ["0 9 * * *", "Europe/Rome", "prompt", "job", "queue", "once", "new", "2026-05-01T00:00:00Z", "weekdays at 9"]
_TEXTS = st.text(max_size=8) | st.sampled_from([*_WORDS, "5m", "1e999", "[]", "{}"])
_KEYS = _TEXTS | st.sampled_from(["project_id", "workspace_id", "max_attempts", "delay", "cap", "jitter", "backoff"])
_MOMENTS = st.datetimes() | st.datetimes(timezones=st.just(UTC)) | st.dates() | st.times()
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | _MOMENTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=5,
)


def _row(form: dict[str, Any]) -> StoredSchedule:
    draft = forms.read(form, lambda phrase, zones: read_words(phrase, NOW, zones))
    return to_row(draft, NOW, lambda _job: None, random_bits)


@settings(max_examples=tries(200), deadline=None, database=None)
@given(st.dictionaries(st.sampled_from(forms.FIELDS), _VALUES, max_size=3))
@example({"when": [], "cron": None})
def test_any_entry_is_refused_with_a_message_or_can_be_shown_and_read_again(fields: dict[str, Any]) -> None:
    try:
        row = _row({"name": "a", "cron": "0 9 * * *", "prompt": "look", **fields})
    except DulyError:
        return
    json.dumps(plain(schedule_view(row, ADMIN, NOW)), allow_nan=False)
    again = _row(forms.of_schedule(decode_schedule(row), enabled=row.enabled))
    assert (again.trigger, again.action, again.policy) == (row.trigger, row.action, row.policy)

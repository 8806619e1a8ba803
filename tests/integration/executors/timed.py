"""The app of a user with what beat would send."""

from __future__ import annotations

from tests.integration.executors.proj import app

app.conf.beat_schedule = {
    "sum": {
        "task": "tests.integration.executors.proj.add",
        "schedule": 1.0,
        "kwargs": {"x": 40},
        "options": {"queue": "prefork"},
    },
    "too fast": {"task": "tests.integration.executors.proj.fail", "schedule": 0.01},
}

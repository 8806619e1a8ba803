"""The lines of `duly up`: one for each run that begins, and not more than a person can read."""

from __future__ import annotations

from typing import Any

from duly.model.events import DELIVERY_ENDED, RUN_STARTED, RUN_SUCCEEDED, Event, EventKind
from duly.telemetry.terminal import FireLines
from duly.testing import VirtualClock


def event(clock: VirtualClock, what: EventKind = RUN_STARTED, /, **data: Any) -> Event:
    return Event(what, clock.now(), "sched_1", "run_1", data={"name": "morning", "attempt": 1, **data})


def test_each_run_that_begins_is_a_line_in_local_time() -> None:
    clock = VirtualClock()
    said = list[str]()
    show = FireLines(said.append, clock, "Europe/Zagreb")
    show(event(clock))
    show(event(clock, RUN_SUCCEEDED))
    show(event(clock, name="a\x1b[2J\n", attempt=2, late_seconds=190.0))
    at = clock.now().astimezone().strftime("%M:%S")
    assert [line[3:] for line in said] == [f"{at} ▶ morning", f"{at} ▶ a�[2J� (attempt 2, 3 min late)"]


def test_a_later_step_of_a_reminder_is_said_as_what_it_sends() -> None:
    clock = VirtualClock()
    said = list[str]()
    show = FireLines(said.append, clock, "UTC")
    show(event(clock, name="pill", handler="message"))
    show(event(clock, DELIVERY_ENDED, kind="reminder", again=False, person="local", state="sent"))
    show(event(clock, name="pill", handler="message", attempt=2))
    show(event(clock, DELIVERY_ENDED, kind="reminder", again=True, person="local", state="sent"))
    show(event(clock, DELIVERY_ENDED, kind="escalation", again=True, person="ana", state="delivered"))
    show(event(clock, DELIVERY_ENDED, kind="reminder", again=False, channel="telegram", state="failed"))
    show(event(clock, name="pill", handler="message", attempt=3))  # it was answered: nothing is sent
    assert [line.partition("▶ ")[2] for line in said] == [
        "pill",
        "pill (asked again)",
        "pill (escalated to ana)",
        "pill (sent: telegram did not take it)",
    ]


def test_beyond_the_rate_runs_are_counted() -> None:
    clock = VirtualClock()
    said = list[str]()
    show = FireLines(said.append, clock, "UTC")
    for _ in range(50):
        show(event(clock))
    assert len(said) == 20
    clock.advance(11)
    show(event(clock))
    assert said[20:][0].strip() == "… and 30 more"
    assert len(said) == 22

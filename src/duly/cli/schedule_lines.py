"""Schedules and runs as text for the command line, with times in the zone of the caller."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from duly.cli.attention import concern_with_reason, concerns_in_short
from duly.cli.output import in_how_long, instant_in, table, warning_line
from duly.model.run import Status
from duly.service.executors.views import doing, state_word
from duly.service.schedules.views import plain, state_in_words, target_name, when_on_clocks
from duly.zones import Zone, local_iso, with_instants_said

if TYPE_CHECKING:
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.run_views import RunView

LAST = 10
_UNDER_WAY = (Status.WAITING, Status.PENDING, Status.RUNNING)
_BAD = "▁"
_MARKS: Mapping[str, str] = {
    **dict.fromkeys(Status, "·"),
    **dict.fromkeys(_UNDER_WAY, "…"),
    Status.SUCCEEDED: "▇",
    Status.FAILED: _BAD,
    Status.DEAD: _BAD,
}
_WHAT = 60


def confirmation(view: ScheduleView) -> str:
    """Show a schedule after it was made or changed."""
    lines = [f"✓ {view.name} · {when_on_clocks(view)} · {state_in_words(view)} · {view.id}"]
    if not view.when.once:  # the line above says when
        lines += [f"  next  {fire.local} {view.zone}" for fire in view.next_runs]
    lines += [f"  note: {note}" for note in view.notes]
    lines += [f"  resting: {view.resting}"] if view.resting else []
    if view.last_status:
        lines.append(f"  last  {_last(view)} {view.last_status}")
    return "\n".join(lines) + "\n" + warning_line(view.warning)


def in_full(view: ScheduleView, zone: Zone, now: datetime) -> str:
    """Show every field of a schedule, one per line."""
    fields = {**plain(view), "when": when_on_clocks(view)}
    fields["attention"] = "; ".join(concern_with_reason(each, zone, now) for each in view.attention)
    fields["remedy"] = "; ".join(each.remedy for each in view.attention)
    fields["next_runs"] = ", ".join(fire.local for fire in view.next_runs)
    fields["notes"] = "; ".join(view.notes)
    fields["targets"] = ", ".join(map(target_name, view.targets))
    return _line_by_line(fields, zone)


def with_local_times(text: str, zone: Zone) -> str:
    """Say the instants of a text on the clocks of a zone."""
    return with_instants_said(text, lambda at: f"{zone.localize(at):%Y-%m-%d %H:%M}")


def run_in_full(run: RunView, zone: Zone) -> str:
    """Show every field of a run, one per line."""
    return _line_by_line(plain(run), zone)


def _line_by_line(fields: Mapping[str, object], zone: Zone) -> str:
    shown = {name: " ".join(instant_in(_text(value), zone).split()) for name, value in fields.items()}
    width = max(map(len, shown))
    return "".join(f"{name:{width}}  {value}\n" for name, value in shown.items() if value)


def listed(views: Sequence[ScheduleView], statuses: Mapping[str, Sequence[str]], zone: Zone, now: datetime) -> str:
    """Make a table of schedules; `statuses` has those of the last runs of each, oldest first."""
    rows = [
        [
            view.name,
            "once" if view.when.once else when_on_clocks(view),
            _next(view, zone, now),
            "".join(_MARKS.get(status, _BAD) for status in statuses[view.id]),
            state_in_words(view, concerns_in_short(view, zone, now)),
            view.id,
        ]
        for view in views
    ]
    return table(["NAME", "WHEN", f"NEXT ({zone.name})", f"LAST {LAST}", "STATE", "ID"], rows)


def history(runs: Sequence[RunView], zone: Zone, now: datetime) -> str:
    """Make a table of runs."""
    rows = [
        [_moment(run.fire_at, zone), run.name, _status(run), str(run.attempt), _said(run, zone, now), run.id]
        for run in runs
    ]
    return table([f"FIRED ({zone.name})", "NAME", "STATUS", "ATTEMPT", "WHAT", "ID"], rows)


def _last(view: ScheduleView) -> str:
    if view.last_run_at is None:
        return "-"
    local = local_iso(view.last_run_at, Zone.of(view.zone))
    return f"{local} {view.zone}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _next(view: ScheduleView, zone: Zone, now: datetime) -> str:
    if not (coming := [at for at in (view.next_run_at, view.snoozed_until) if at is not None]):
        return "-"
    moment = min(coming)
    local = zone.localize(moment)
    today = zone.localize(now).date()
    near = {today: "today", today + timedelta(days=1): "tomorrow"}.get(local.date())
    year = "" if local.year == today.year else f" {local.year}"
    day = near or f"{local:%a} {local.day} {local:%b}{year}"
    soon = in_how_long(max(round((moment - now).total_seconds()), 0))
    return f"{day} {local:%H:%M} ({soon})"


def _moment(at: datetime, zone: Zone) -> str:
    return f"{zone.localize(at):%Y-%m-%d %H:%M:%S}"


def _status(run: RunView) -> str:
    """Name the status of a run; of one that an executor has, how far it is there."""
    return (None if Status(run.status).final else state_word(run.handover)) or run.status


def _said(run: RunView, zone: Zone, now: datetime) -> str:
    reason = with_local_times(run.reason or "", zone)
    elsewhere = None if Status(run.status).final else doing(run.handover, now, lambda at: f"{zone.localize(at):%H:%M}")
    said = " ".join((elsewhere or run.error or reason or _answer(run.result)).split())
    return said if len(said) <= _WHAT else f"{said[: _WHAT - 1]}…"


def _answer(result: Any) -> str:
    """Give the result of a run as text; of a prompt the answers of the agents."""
    targets = result.get("targets") if isinstance(result, dict) else None
    if isinstance(targets, list) and all(isinstance(each, dict) and "text" in each for each in targets):
        return "; ".join(str(each["text"] or "") for each in targets)
    return "" if result is None else _text(result)

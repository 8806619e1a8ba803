"""Who looks at a page, in which zone and at what time: all that a template needs to say times and to offer actions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup, escape

from duly.service.access.scopes import Caller
from duly.web import words
from duly.web.session import WebSession
from duly.zones import Zone

THEMES = ("system", "light", "dark")
_NEAR = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A person at a browser."""

    caller: Caller
    session: WebSession
    zone: Zone
    theme: str
    keys: bool
    """Whether keys of one letter do something."""
    now: datetime

    @property
    def may_write(self) -> bool:
        return not self.caller.scope.read_only

    @property
    def is_admin(self) -> bool:
        return self.caller.scope.is_admin

    @property
    def may_only(self) -> str | None:
        """The line that says what a token may; None for an admin, who may do everything."""
        scope = self.caller.scope
        whose = {
            "project": f"project {scope.subject}",
            "user": f"{self.caller.called or 'your'} reminders and schedules",
        }
        if scope.kind in whose:
            look = "You may look at" if scope.read_only else "You see and change"
            return f"{look} {whose[scope.kind]} only."
        return "You may look at everything and change nothing." if scope.read_only else None


class Say:
    """Says times to one viewer. Templates have it as `say`."""

    def __init__(self, now: datetime, zone: Zone) -> None:
        self.now = now
        self.zone = zone

    def relative(self, at: datetime) -> Markup:
        """Say how far away a moment is; the script keeps it current."""
        return _time(at, words.full(at, self.zone), words.relative(at, self.now), " data-rel")

    def clock(self, at: datetime, *, seconds: bool = False) -> Markup:
        """Say the time of day."""
        return _time(at, words.full(at, self.zone), words.clock(at, self.zone, seconds=seconds))

    def moment(self, at: datetime) -> Markup:
        """Say day and time: "today 14:45"."""
        return _time(at, words.full(at, self.zone), words.moment(at, self.now, self.zone))

    def day(self, at: datetime) -> str:
        """Name the day: today, tomorrow, "Mon 29 Mar"."""
        return words.day(at, self.now, self.zone)

    def full(self, at: datetime) -> str:
        """Say a moment with its offset and in UTC."""
        return words.full(at, self.zone)

    def is_near(self, at: datetime) -> bool:
        """Whether a moment is within 24 hours, so that the relative time leads."""
        return abs((at - self.now).total_seconds()) < _NEAR

    def is_today(self, at: datetime) -> bool:
        """Whether a moment is on the viewer's present day."""
        return self.zone.localize(at).date() == self.zone.localize(self.now).date()

    def soon(self, at: datetime) -> str:
        """Say a coming moment shortly: "15:30", "tomorrow 02:30", "Mon 08:00", "Mon 29 Mar" when far away."""
        days = (self.zone.localize(at).date() - self.zone.localize(self.now).date()).days
        if days == 0:
            return words.clock(at, self.zone)
        if days == 1:
            return f"tomorrow {words.clock(at, self.zone)}"
        if 1 < days < 7:
            return f"{self.zone.localize(at):%a %H:%M}"
        return words.day(at, self.now, self.zone)

    def two(self, at: datetime) -> Markup:
        """Say a moment in two lines: within 24 hours the relative leads, beyond the date does."""
        lead = self.relative(at)
        second = self.moment(at)
        if not self.is_near(at):
            second = self.relative(at)
            lead = self.moment(at)
        return Markup('<span class="when"><span class="lead">{}</span><span class="sec">{}</span></span>').format(
            lead, second
        )


def _time(at: datetime, tip: str, text: str, more: str = "") -> Markup:
    return Markup(  # noqa: S704  values are escaped
        f'<time datetime="{words.iso_utc(at)}" data-tip="{escape(tip)}"{more}>{escape(text)}</time>'
    )

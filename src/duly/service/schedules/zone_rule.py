"""In which zone a time is meant that names none. One rule for every door; a door only says which one it is.

Words mean the zone of the person who asks. Cron means UTC, or the zone configured for it, in the `schedule_*` tools and
in `duly.toml`; at every other door it means the person's zone as well.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from duly.cron import is_valid
from duly.ports.people import LOCAL_USER, People
from duly.service.access.access import Caller

UTC = "UTC"
_CRON_WORD = re.compile(r"cron[: ]\s*", re.IGNORECASE)
_NAMED_ZONE = re.compile(r"\s*\([^()]*\)$")


class Zones(NamedTuple):
    """The zones in which times without a zone are meant at one door."""

    words: str = UTC
    cron: str = UTC

    def of(self, phrase: str) -> str:
        """The zone of a phrase, which may be a cron expression; a zone that the phrase itself names beats both."""
        return self.cron if is_cron(phrase) else self.words


def is_cron(phrase: str) -> bool:
    """Whether a phrase is a cron expression: "0 9 * * 1-5", "cron 0 9 * * *", "@daily (Europe/Rome)"."""
    return is_valid(_CRON_WORD.sub("", _NAMED_ZONE.sub("", phrase.strip()), count=1))


class ZoneRule:
    """Answers the question for callers, whose own zone is stored with the people."""

    def __init__(self, people: People, default_zone: str = UTC, cron_zone: str | None = None) -> None:
        """`default_zone` is for people who have set none, `cron_zone` the configured zone of cron in tools and file."""
        self._people = people
        self._default_zone = default_zone
        self._cron_zone = cron_zone or UTC

    async def person(self, caller: Caller) -> str:
        """The zone of the person a caller speaks for; a project's token speaks for no person."""
        if caller.scope.kind == "project":
            return self._default_zone
        who = caller.scope.subject or caller.user_id or LOCAL_USER
        user = await self._people.get(who) or await self._people.find(who)
        return (None if user is None else user.timezone) or self._default_zone

    async def at(self, caller: Caller) -> Zones:
        """The zones at the door a caller came through."""
        person = await self.person(caller)
        return Zones(words=person, cron=self._cron_zone if caller.face.has_utc_cron else person)

    async def in_file(self, owner: Caller) -> Zones:
        """The zones of the entries of `duly.toml`."""
        return Zones(words=await self.person(owner), cron=self._cron_zone)

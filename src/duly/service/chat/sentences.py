"""A reminder from one sentence that says what and when, for every face: "call mom tomorrow at 5pm"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duly.errors import InvalidInputError
from duly.language.requests import Doubt, Sentence, read_sentence, why_unread
from duly.phrases import DayParts
from duly.planning.presets import read_day_parts
from duly.ports.people import User, namespace_of
from duly.service.access.audit import acting_as
from duly.service.limits import check_given
from duly.service.people.people import acts_for
from duly.service.reminders.doubts import doubt_error
from duly.service.reminders.requests import RequestContext
from duly.service.reminders.timing import doubt_note, joined_notes, phrase_options
from duly.service.schedules.values import storable
from duly.service.steps import way_back
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.schedules.fields import ReminderView
    from duly.service.services import Services

_EXAMPLE = "'call mom tomorrow at 17:00'"


class SentenceReminders:
    """Makes reminders from sentences."""

    def __init__(self, services: Services) -> None:
        self._clock = services.clock
        self._zone = services.process.zone
        self._find = services.schedules.find
        self._service = services.reminder_service

    async def read(self, caller: Caller, user: str | None, text: str) -> tuple[User, Sentence]:
        """Take a sentence of a person apart; refuse one without a time, or with nothing but a time."""
        who = acts_for(caller, user)
        check_given({"text": text})
        person = (await self._service.people.get(who)).user
        zone = Zone.of(person.timezone or self._zone)
        how: dict[str, Any] = {
            "now": self._clock.now(),
            "zone": zone,
            "prefer": person.language,
            "day_parts": DayParts(**read_day_parts(person.day_parts)),
        }
        said = read_sentence(storable(text, "text"), **how)
        if isinstance(said, Doubt):
            raise doubt_error(text, said, zone, how["now"])
        if said is None:
            raise InvalidInputError(
                f"text {text!r:.200} does not say what and when in one sentence, because {why_unread(text, **how)}: "
                f"write it as in {_EXAMPLE}"
            )
        return person, said

    async def remind(
        self, caller: Caller, user: str | None, text: str, *, name: str | None = None, **options: Any
    ) -> ReminderView:
        """Make a reminder from a sentence; of a time with two readings the first counts, and a note says the other."""
        person, said = await self.read(caller, user, text)
        phrase = said.phrase
        options = phrase_options(phrase) | options

        async def create(name: str) -> ReminderView:
            with acting_as(caller):
                return await self._service.create(
                    person.id,
                    phrase.trigger,
                    said.text,
                    name=name,
                    created_via=str(caller.face),
                    original_text=text,
                    scope=caller.scope,
                    way=way_back(caller, "create", lambda edited: f"{edited[0].after.name} made"),
                    **options,
                )

        if name is not None:
            view = await create(name)
        else:
            names = self._find
            view = await names.create_under_free_name(namespace_of(person.id), said.text, create)
        zone = Zone.of(person.timezone or self._zone).name
        context = RequestContext(now=self._clock.now(), zone=zone, language=person.language)
        return replace(view, note=joined_notes(doubt_note(phrase, context), view.note))

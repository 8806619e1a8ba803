"""The use cases of people for callers with a scope: admins manage all, a token of a person its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.codec import Json
from duly.ports.people import User
from duly.service.access.scopes import Caller, check_proven
from duly.service.people.people import CODE_LIFE, PeopleService, Person

_CHOSEN = ("snoozes", "day_parts", "digest_at", "wants_answer")
_OWN = frozenset({"timezone", "language", "quiet", *_CHOSEN})
"""What the token of a person may change of that person."""
FIELDS = ("name", "timezone", "language", "quiet", *_CHOSEN, "is_admin", "channels")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressView:
    """One way to reach a person."""

    channel: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonView:
    """A person with the ways to reach them, the preferred first."""

    id: str
    name: str
    timezone: str | None = None
    language: str | None = None
    quiet: str | None = None
    """When only critical messages go out, on their clocks: "22:00-07:00"."""
    snoozes: str | None = None
    """The lengths of a snooze that are offered: "10m, 1h, evening, tomorrow"."""
    day_parts: str | None = None
    """Where parts of their day lie that are not as usual: "morning=08:00, evening=18:30"."""
    digest_at: str | None = None
    """When what has a low priority comes as one message: "18:00"; "off" is each at once, none as configured."""
    wants_answer: str | None = None
    """For which reminders made in a chat duly asks until they answer: "medicine" (usual), "always" or "never"."""
    is_admin: bool = False
    channels: list[AddressView] = field(default_factory=list)
    created_at: datetime
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingView:
    """A code that binds the chat it is sent from to a person: it works once."""

    code: str
    channel: str
    expires_at: datetime


class PeopleUseCases:
    """People for callers with a scope."""

    def __init__(self, people: PeopleService) -> None:
        self._people = people

    async def page(
        self, caller: Caller, *, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[PersonView], str | None]:
        """Show a page of people in order of name: all of them to admins, to a person only that person."""
        if caller.scope.is_admin:
            found, following = await self._people.page(cursor, limit)
            return [person_view(each) for each in found], following
        return [person_view(await self._people.get(self._own(caller)))], None

    async def get(self, caller: Caller, who: str) -> PersonView:
        """Show a person, by id or name; others than admins see only themselves."""
        return person_view(await self._reached(caller, who))

    async def add(self, caller: Caller, fields: Json) -> PersonView:
        """Add a person, for admins: name, timezone, language, quiet, is_admin, and channels as pairs with addresses."""
        self._check_admin(caller, "add people")
        more = dict(fields)
        channels = _pairs(more.pop("channels", None) or ())
        await self._people.check_addresses(channels)
        person = await self._people.add(more.pop("name", ""), **_known(more))
        return person_view(await self._people.set_channels(person.user.id, channels) if channels else person)

    async def update(self, caller: Caller, who: str, fields: Json) -> PersonView:
        """Change the fields that are given, None empties one; a person changes their zone, language and quiet hours."""
        self._check_writes(caller, "change people")
        person = await self._reached(caller, who)
        if not caller.scope.is_admin and (denied := sorted(fields.keys() - _OWN)):
            raise AccessDeniedError(
                f"cannot change {denied[0]} of {person.user.name}: access denied, that is for admins"
            )
        if fields.keys() - _OWN:
            check_proven(caller, "change who a person is, or their addresses")
        more = dict(fields)
        if not more:
            raise InvalidInputError(f"nothing to change in {who!r}: give at least one of {', '.join(FIELDS)}")
        channels = _pairs(more.pop("channels") or ()) if "channels" in more else None
        if channels is not None:
            await self._people.check_addresses(channels, person.user.id)
        if more:
            person = await self._people.update(person.user.id, **_known(more))
        if channels is not None:
            person = await self._people.set_channels(person.user.id, channels)
        return person_view(person)

    async def remove(self, caller: Caller, who: str) -> PersonView:
        """Remove a person with their reminders, for admins; their tokens are revoked."""
        self._check_admin(caller, "remove people")
        gone = await self._people.get(who)
        await self._people.remove(gone.user.id)
        return person_view(gone)

    async def pair(self, caller: Caller, who: str, channel: str, now: datetime) -> PairingView:
        """Make a code that the person sends from their chat, within half an hour."""
        self._check_writes(caller, "pair a chat")
        check_proven(caller, "pair a chat")
        person = await self._reached(caller, who)
        code = await self._people.make_code(person.user.id, channel)
        return PairingView(code=code, channel=channel, expires_at=now + CODE_LIFE)

    # inside

    async def _reached(self, caller: Caller, who: str) -> Person:
        own = None if caller.scope.is_admin else self._own(caller)
        if own is not None and who not in (own, caller.called):
            raise NotFoundError(f"there is no user {who!r}")
        return await self._people.get(who if own is None else own)

    def _own(self, caller: Caller) -> str:
        if caller.scope.kind != "user":
            raise AccessDeniedError(f"cannot see people: access denied, scope {caller.scope} is about a project")
        return caller.scope.subject

    def _check_admin(self, caller: Caller, verb: str) -> None:
        self._check_writes(caller, verb)
        if not caller.scope.is_admin:
            raise AccessDeniedError(f"cannot {verb}: access denied, that is for admins")
        check_proven(caller, verb)

    def _check_writes(self, caller: Caller, verb: str) -> None:
        if caller.scope.read_only:
            raise AccessDeniedError(f"cannot {verb}: scope {caller.scope} may only look")


def person_view(person: Person) -> PersonView:
    """Show a person."""
    who = person.user
    return PersonView(
        id=who.id,
        name=who.name,
        timezone=who.timezone,
        language=who.language,
        quiet=f"{who.quiet_from}-{who.quiet_to}" if who.quiet_from else None,
        snoozes=who.snoozes,
        day_parts=who.day_parts,
        digest_at=who.digest_at,
        wants_answer=who.wants_answer,
        is_admin=who.is_admin,
        channels=[AddressView(channel=each.channel, address=each.address) for each in person.channels],
        created_at=who.created_at,
        truncated=person.truncated,
    )


def user_of(view: PersonView) -> User:
    """Give the person that a view shows."""
    begin, _, end = (view.quiet or "").partition("-")
    return User(
        id=view.id,
        name=view.name,
        timezone=view.timezone,
        language=view.language,
        is_admin=view.is_admin,
        quiet_from=begin or None,
        quiet_to=end or None,
        snoozes=view.snoozes,
        day_parts=view.day_parts,
        digest_at=view.digest_at,
        wants_answer=view.wants_answer,
        created_at=view.created_at,
    )


def _known(fields: Json) -> dict[str, Any]:
    if unknown := sorted(fields.keys() - set(FIELDS)):
        raise InvalidInputError(f"a person has no {unknown[0]!r}; there are {', '.join(FIELDS)}")
    return dict(fields)


def _pairs(channels: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    from duly.channels.kinds import KINDS

    pairs = [(each["channel"], each["address"]) for each in channels]
    for name, _ in pairs:
        if name not in ("inbox", *KINDS):
            raise InvalidInputError(f"no channel is called {name!r}: there are inbox, {', '.join(sorted(KINDS))}")
    return pairs

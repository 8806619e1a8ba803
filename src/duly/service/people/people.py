"""Use cases on people: who they are, their quiet hours and channels, pairing, and for whom a caller acts."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any

from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError, StoreUnavailableError
from duly.language.spoken import words
from duly.model.action import WantsAnswer
from duly.model.addresses import check_address
from duly.model.checks import choice, suggestion
from duly.model.codec import Json
from duly.model.events import (
    PERSON_ADDED,
    PERSON_CHANGED,
    PERSON_CHANNEL_ADDED,
    PERSON_CHANNEL_REMOVED,
    PERSON_CODE_MADE,
    PERSON_REMOVED,
    TOKEN_REVOKED,
    Event,
    EventKind,
)
from duly.model.ids import make_id
from duly.planning.presets import read_day_parts, read_presets, written_day_parts, written_presets
from duly.planning.reach import read_digest_time
from duly.ports.people import LOCAL_USER, User, UserChannel
from duly.service.access.audit import ITSELF, acting, acting_as, in_chat
from duly.service.access.scopes import Caller
from duly.service.access.tokens import token_event
from duly.service.limits import check_given
from duly.service.pages import cursor_of, fill, read_cursor
from duly.service.schedules import values
from duly.service.schedules.values import storable
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.model.ids import RandomBits
    from duly.ports.store import FullStore

USER = "user_"
Moved = Callable[[User, User], Awaitable[None]]
"""Called when the time zone of a person has changed, with the person before and after."""
Gone = Callable[[User], Awaitable[None]]
"""Called before a person is removed."""
CODE_LIFE = timedelta(minutes=30)
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # no characters that look alike
_CODE_LENGTH = 8
_CODE = re.compile(rf"(?:/start\s+)?([{_ALPHABET}]{{4}}-?[{_ALPHABET}]{{4}})", re.IGNORECASE)
_LONGEST_NAME = 100
_LIKE_AN_ID = re.compile(r"user_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Person:
    """A person with their channels, the preferred first."""

    user: User
    channels: tuple[UserChannel, ...]
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The person to whom a chat now belongs, and the reply to send there."""

    user: User
    reply: str


class PeopleService:
    """Adds, changes, finds, pairs and removes people."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        random_bits: RandomBits,
        moved: Moved | None = None,
        gone: Gone | None = None,
    ) -> None:
        self._people = store.people
        self._record = store.record
        self._clock = clock
        self._random_bits = random_bits
        self._moved = moved
        self._gone = gone

    async def add(self, name: str, **fields: Any) -> Person:
        """Add a person: `timezone`, `language`, `is_admin`, `quiet` ("22:00-07:00")."""
        now = self._clock.now()
        user = User(id=make_id(USER, now, self._random_bits), name=_name(name), created_at=now)
        return await self._save(user, fields, PERSON_ADDED)

    async def update(self, who: str, **fields: Any) -> Person:
        """Change a person, named by id or name; None clears a field."""
        person = await self.get(who)
        if "name" in fields:
            fields["name"] = _name(fields["name"])
        return await self._save(person.user, fields, PERSON_CHANGED)

    async def get(self, who: str) -> Person:
        """Find a person by id or name; the local user always exists."""
        who = storable(who, "user").strip()
        user = await self._people.look_up(who)
        if user is None and who == LOCAL_USER:
            user = User(id=LOCAL_USER, name=LOCAL_USER, is_admin=True, created_at=self._clock.now())
            with suppress(StoreUnavailableError):  # a store that another process has locked can still be read
                event = Event(PERSON_ADDED, user.created_at, data={**ITSELF, "user": user.id, "name": user.name})
                await self._people.save(user, [event])
        if user is None:
            raise NotFoundError(f"there is no user {who!r}")
        return Person(user, tuple(await self._people.channels(user.id)))

    async def page(self, cursor: str | None = None, limit: int = 100) -> tuple[list[Person], str | None]:
        """Give a page of people in order of name, and the cursor of the next page."""

        async def show(users: Sequence[User]) -> list[Person]:
            return [Person(user, tuple(await self._people.channels(user.id))) for user in users]

        after = None if cursor is None else read_cursor(values.text(cursor, "cursor"), 1)[0]
        shown, last = await fill(self._people.page, show, lambda user: user.name, limit, after=after)
        return shown, None if last is None else cursor_of(last)

    async def remove(self, who: str) -> None:
        """Remove a person with their reminders. Their tokens are revoked in the same transaction, because the next
        person of that name is another one.

        The local user exists again afterwards, and keeps their reminders and tokens.
        """
        user = (await self.get(who)).user
        if self._gone is not None and user.id != LOCAL_USER:
            await self._gone(user)
        now = self._clock.now()
        event = self._event(PERSON_REMOVED, user.id, name=user.name)
        revoked = await self._people.remove(user.id, now, [event]) or []
        if revoked:
            events = [token_event(TOKEN_REVOKED, now, Caller(), token) for token in revoked]
            await self._record([replace(event, data={**event.data, **_who(acting())}) for event in events])

    async def set_channels(self, who: str, channels: Sequence[tuple[str, str]]) -> Person:
        """Set a person's channels to exactly these pairs of channel and address, in this order of preference."""
        person = await self.get(who)
        for preference, (channel, address) in enumerate(channels):
            await self._bind(person.user.id, channel, address, preference)
        for old in person.channels:
            if (old.channel, old.address) not in channels:
                await self._unbind(old.user_id, old.channel, old.address)
        return await self.get(who)

    async def add_channel(
        self, who: str, channel: str, address: str, *, first: bool = False, sender: str | None = None
    ) -> Person:
        """Add a channel to a person, as the last choice or the first. With a `sender`, only they answer there."""
        person = await self.get(who)
        taken = [each.preference for each in person.channels if (each.channel, each.address) != (channel, address)]
        place = (min(taken, default=1) - 1) if first else (max(taken, default=-1) + 1)
        await self._bind(person.user.id, channel, address, place, sender)
        return await self.get(who)

    async def _bind(self, user_id: str, channel: str, address: str, preference: int, sender: str | None = None) -> None:
        check_given({"channel": channel, "address": address, "sender": sender})
        for name, text in (("channel", channel), ("address", address)):
            values.text(text, f"{name} of an address")
        check_address(channel, address)
        bound = UserChannel(user_id=user_id, channel=channel, address=address, preference=preference, sender=sender)
        event = self._event(PERSON_CHANNEL_ADDED, user_id, channel=channel, address=_masked(address))
        await self._people.add_channel(bound, [event])

    async def _unbind(self, user_id: str, channel: str, address: str) -> bool:
        event = self._event(PERSON_CHANNEL_REMOVED, user_id, channel=channel, address=_masked(address))
        return await self._people.remove_channel(user_id, channel, address, [event])

    async def remove_channel(self, who: str, channel: str, address: str) -> Person:
        """Remove a channel from a person."""
        person = await self.get(who)
        if not await self._unbind(person.user.id, channel, storable(address, "address")):
            raise NotFoundError(f"{person.user.name!r} has no {channel} {address!r}")
        return await self.get(who)

    async def by_address(self, channel: str, address: str) -> UserChannel | None:
        """Find the person to whom a chat belongs."""
        return await self._people.by_address(channel, storable(address, "address"))

    async def check_addresses(self, channels: Sequence[tuple[str, str]], who: str | None = None) -> None:
        """Refuse channels and addresses of other people than `who`, before anything is stored."""
        owner = None if who is None else (await self.get(who)).user.id
        for channel, address in channels:
            check_address(channel, storable(address, "address"))
            bound = await self.by_address(channel, address)
            if bound is not None and bound.user_id != owner:
                raise InvalidInputError(
                    f"{channel} {address!r} belongs to another person: remove it there before it is bound here"
                )

    # pairing

    async def make_code(self, who: str, channel: str) -> str:
        """Make a code that binds the chat it is sent from to a person: it works once, for half an hour."""
        person = await self.get(who)
        storable(channel, "channel")
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        expires_at = self._clock.now() + CODE_LIFE
        event = self._event(PERSON_CODE_MADE, person.user.id, channel=channel)
        await self._people.add_code(_digest(code), person.user.id, channel, expires_at, [event])
        return f"{code[:4]}-{code[4:]}"

    async def pair(self, channel: str, address: str, text: str, sender: str | None = None) -> Paired | None:
        """Bind a chat to a person if the text is a valid code; None for any other text.

        With the `sender`, only messages of that sender in the chat count as the person's.
        """
        found = _CODE.fullmatch(text.strip())
        if found is None:
            return None
        code = found[1].replace("-", "").upper()
        user = await self._people.take_code(_digest(code), channel, self._clock.now())
        if user is None:
            return None
        with acting_as(in_chat(user.id, channel)):
            await self.add_channel(user.id, channel, address, sender=sender)
        return Paired(user, words(user.language).paired.format(name=user.name))

    def _event(self, kind: EventKind, user_id: str, **about: Any) -> Event:
        return Event(kind, self._clock.now(), data={**acting(), "user": user_id, **about})

    async def _save(self, user: User, fields: dict[str, Any], kind: EventKind) -> Person:
        check_given(fields)
        if "quiet" in fields:
            fields["quiet_from"], fields["quiet_to"] = _quiet(fields.pop("quiet"))
        if fields.get("timezone") is not None:
            fields["timezone"] = Zone.of(fields["timezone"]).name
        fields.update(_chosen(fields))
        if fields.get("language") is not None:
            values.text(fields["language"], "language")
        if "is_admin" in fields:
            values.flag(fields["is_admin"], "is_admin")
        if fields.keys() & {"id", "created_at"}:
            raise InvalidInputError("the id of a user and their first day stay as they are")
        try:
            changed = replace(user, **fields)
        except TypeError as error:
            raise InvalidInputError(f"cannot change {user.name!r}: {error}") from error
        about = {name: getattr(changed, name) for name in ("name", *fields) if name != "created_at"}
        before = {} if kind is PERSON_ADDED else {"before": {name: getattr(user, name) for name in fields}}
        await self._people.save(changed, [self._event(kind, user.id, **about, **before)])
        if changed.timezone != user.timezone and self._moved is not None:
            await self._moved(user, changed)
        return await self.get(user.id)


def _name(text: object) -> str:
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > _LONGEST_NAME:
        raise InvalidInputError(f"name must be 1 to {_LONGEST_NAME} printable characters, got {text!r}")
    if _LIKE_AN_ID.fullmatch(text.strip()):
        raise InvalidInputError(f"name must not look like the id of a person, got {text!r}: choose another")
    return text.strip()


def _quiet(text: object) -> tuple[str | None, str | None]:
    if text is None:
        return None, None
    found = re.fullmatch(r"\s*(\d{1,2}:\d{2})\s*[-–]\s*(\d{1,2}:\d{2})\s*", str(text))
    try:
        begin, end = (time.fromisoformat(each.zfill(5)) for each in found.groups()) if found else (None, None)
    except ValueError:
        begin = end = None
    if begin is None or end is None or begin == end:
        raise InvalidInputError(f'quiet must be two different times such as "22:00-07:00", got {text!r}')
    return f"{begin:%H:%M}", f"{end:%H:%M}"


_CHOSEN = ("snoozes", "day_parts", "digest_at", "wants_answer")


def _chosen(fields: Json) -> dict[str, str | None]:
    """Read what a person has chosen, in the form that is kept."""
    given = {name: values.text(fields[name], name) for name in _CHOSEN if fields.get(name)}
    found: dict[str, str | None] = {}
    if "snoozes" in given:
        found["snoozes"] = written_presets(read_presets(given["snoozes"]))
    if "day_parts" in given:
        found["day_parts"] = written_day_parts(read_day_parts(given["day_parts"]))
    if "digest_at" in given:
        found["digest_at"] = read_digest_time(given["digest_at"])
    if "wants_answer" in given:
        found["wants_answer"] = str(choice(WantsAnswer, given["wants_answer"], "wants_answer"))
    return found


def _who(asked: dict[str, str]) -> dict[str, str]:
    """Give the caller and the face, without the scope: in an event about a token that is the token's."""
    return {name: asked[name] for name in ("by", "face")}


def _masked(address: str) -> str:
    """Shorten an address for the audit, which outlives the person, so that it can still be recognised."""
    return f"…{address[-4:]}" if len(address) > 8 else "…"


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


# for whom a caller acts


def check_reach(caller: Caller, *, changes: bool = True) -> None:
    """Refuse a caller who may not reach reminders, or only read them, before anything of the request is read."""
    scope = caller.scope
    if changes and scope.read_only:
        raise AccessDeniedError(f"cannot change reminders: scope {scope} may only look")
    if not scope.is_admin and scope.kind != "user":
        raise AccessDeniedError(f"cannot reach reminders: access denied, scope {scope} is about a project")


def acts_for(caller: Caller, user: object = None, *, changes: bool = True) -> str:
    """Give the id or name of the person whom a request is about: tokens of a person act for that person only."""
    check_reach(caller, changes=changes)
    scope = caller.scope
    check_given({"user": user})
    if user is not None and (not isinstance(user, str) or not storable(user, "user").strip()):
        raise InvalidInputError(f"user must be the id or name of a person, got {user!r}")
    if scope.is_admin:
        return user or caller.user_id or LOCAL_USER
    if user not in (None, scope.subject, caller.called):
        raise AccessDeniedError(f"cannot reach reminders of {user}: access denied")
    return scope.subject


def check_channel(channel: str | None, known: Collection[str] | None) -> None:
    """Refuse a channel that is not configured: messages for it would go to another channel without a word."""
    if channel is None or known is None or values.text(channel, "channel") in known:
        return
    hint = suggestion(channel, known) or f"add [channels.{channel}] to duly.toml; there is {', '.join(known)}"
    raise InvalidInputError(f"channel {channel!r} is not configured: {hint}")

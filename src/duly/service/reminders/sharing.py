"""Reminders for several people: whom a request names, what each of them may see, and what is left when one goes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from typing import Any

from duly.errors import AccessDeniedError, DecodeError, InvalidInputError, NotFoundError
from duly.model.action import Message
from duly.model.codec import Json
from duly.model.ids import SCHEDULE
from duly.ports.changes import Change
from duly.ports.codec import decode_action, encode_action
from duly.ports.people import User, namespace_of, recipients
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.store import FullStore
from duly.service.access.audit import acting
from duly.service.access.scopes import Scope
from duly.service.changes import Changes
from duly.service.people.people import PeopleService
from duly.service.schedules import values
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.nearness import not_found

_PAGE = 100
_LATELY = 20
"""How many of the reminders that wait for a person are searched for a name."""


async def with_people(people: PeopleService, owner: User, options: Json, scope: Scope | None) -> dict[str, Any]:
    """Give the options of a reminder with the ids of the people it is shared with, who may be named by id or name.

    A person's token reaches that person only; each of the others is refused by name.
    """
    named = options.get("shared_with")
    if named is None:
        return dict(options)
    if isinstance(named, str) or not isinstance(named, Iterable):
        raise InvalidInputError(f'shared_with must be a list of people such as ["bob"], got {named!r:.100}')
    found: list[str] = []
    for who in named:
        who = values.text(who, "shared_with").strip()
        if who in (owner.id, owner.name):
            continue
        if scope is not None and not scope.is_admin:
            raise AccessDeniedError(
                f"cannot share a reminder with {who}: access denied, scope {scope} is for one person"
            )
        try:
            found.append((await people.get(who)).user.id)
        except NotFoundError as error:
            raise InvalidInputError(f"shared_with {who!r}: {error}; `duly user list` shows all") from error
    return {**options, "shared_with": tuple(dict.fromkeys(found))}


def shared_among(people: Sequence[str]) -> dict[str, list[str]]:
    """Give the options of a reminder for several people, of whom the first has it."""
    return {"shared_with": list(people[1:])} if people[1:] else {}


async def company_of(people: PeopleService, view: ReminderView) -> list[str]:
    """Give the names of the other people who get a reminder; the id of one who is gone."""
    names: list[str] = []
    for user_id in view.shared_with:
        try:
            names.append((await people.get(user_id)).user.name)
        except NotFoundError:
            names.append(user_id)
    return names


def message_in(row: StoredSchedule) -> Message | None:
    """Read the message of a schedule; None when it has none, or is damaged."""
    try:
        action = decode_action(row.action)
    except DecodeError:
        return None
    return action if isinstance(action, Message) else None


def is_for(row: StoredSchedule, user_id: str) -> bool:
    """Tell whether a reminder is for a person, alone or among others."""
    message = message_in(row)
    return message is not None and user_id in recipients(message, row.namespace)


async def own_row(store: FullStore, user: User, target: str) -> StoredSchedule:
    """Find a reminder of a person's namespace, by id or name."""
    row = await _row(store, user, target)
    if row is None or row.namespace != namespace_of(user.id):
        raise await no_reminder(store, user, target)
    return row


def own(user: User, change: Change) -> Change:
    """Check within the transaction that a reminder is still the person's."""

    def checked(row: StoredSchedule) -> StoredSchedule | None:
        if row.namespace != namespace_of(user.id):
            raise NotFoundError(f"there is no reminder {row.name!r}")
        return change(row)

    return checked


async def visible_row(store: FullStore, user: User, target: str) -> StoredSchedule:
    """Find a reminder of a person, or one that another person shares with them; by name, one that waits for them."""
    row = await _row(store, user, target)
    if row is None:
        waiting = await store.reminders.open_for(user.id)
        latest = await store.reminders.latest_for(user.id)
        ids = [each.schedule_id for each in (*waiting[:_LATELY], *([latest] if latest else []))]
        for schedule_id in dict.fromkeys(ids):
            found = await store.get(schedule_id)
            if found is not None and found.name == target.strip() and found.deleted_at is None:
                row = found
                break
    if row is None or not (row.namespace == namespace_of(user.id) or is_for(row, user.id)):
        raise await no_reminder(store, user, target)
    return row


async def no_reminder(store: FullStore, user: User, target: str, that: str = "") -> NotFoundError:
    """Make the error for a name that is none of the person's reminders, with one that is near it."""
    within = namespace_of(user.id)
    return await not_found(store, target, within, lambda row: row.handler == "message", noun="reminder", that=that)


async def _row(store: FullStore, user: User, target: str) -> StoredSchedule | None:
    target = values.storable(target, "target").strip()
    row = await store.get(target) if target.startswith(SCHEDULE) else None
    row = row or await store.find(namespace_of(user.id), target)  # a name may look like an id
    return None if row is None or row.deleted_at is not None or row.handler != "message" else row


# people who go


async def leave_shared(store: FullStore, changes: Changes, user: User) -> list[str]:
    """Take a person who goes out of the reminders that they share; the others still get them. Give what is left to
    delete: the ids of reminders of the person alone."""
    alone: list[str] = []
    async for rows in _messages(store):
        for row in rows:
            message = message_in(row)
            named = () if message is None else recipients(message, row.namespace)
            left = [each for each in named if each != user.id]
            if row.namespace == namespace_of(user.id) and not left:
                alone.append(row.id)
            elif message is not None and user.id in named:
                await _hand_over(store, changes, row, message, left)
    return alone


async def _messages(store: FullStore) -> AsyncIterator[Sequence[StoredSchedule]]:
    wanted = ScheduleFilter(handler="message", limit=_PAGE)
    while rows := await store.schedules(wanted):
        wanted = replace(wanted, after=(rows[-1].namespace, rows[-1].name))
        yield rows


async def _hand_over(
    store: FullStore, changes: Changes, row: StoredSchedule, message: Message, left: Sequence[str]
) -> None:
    """Leave a reminder to the people who are left; the first of them owns it from now on, if its owner goes."""
    first, *others = left
    goes = namespace_of(first) != row.namespace and first != message.user_id
    namespace = namespace_of(first) if goes else row.namespace
    name = await _free_name(store, namespace, row.name) if goes else row.name
    action = encode_action(replace(message, user_id=first, shared_with=tuple(others)))

    def change(before: StoredSchedule) -> StoredSchedule:
        return replace(before, namespace=namespace, name=name, action=action)

    await changes.edit([row.id], change, acting())


async def _free_name(store: FullStore, namespace: str, name: str) -> str:
    number = 1
    free = name
    while await store.find(namespace, free) is not None:
        number += 1
        free = f"{name}-{number}"
    return free

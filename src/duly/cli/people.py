"""`duly user`: people, when they want quiet, and where they are reached."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from duly.cli.channels import channels
from duly.cli.common import PAGE, add_page_arguments, as_json, ask, more, table
from duly.cli.parser import Parser, UsageError, refuse_surplus
from duly.cli.settings import add_settings_arguments
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime
    from duly.service.people.people import PeopleService, Person

__all__ = ["channels", "user"]

_CHATS = ("telegram", "discord", "slack", "whatsapp")
_OFF = "off"
_SAVED = ("name", "timezone", "language", "quiet", "is_admin", "channel")
_TAKES = {
    "add": _SAVED,
    "list": ("limit", "cursor"),
    "set": (*_SAVED, "rename"),
    "pair": ("name", "channel"),
    "remove": ("name",),
}


def user(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly user add|list|set|pair|remove`."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("verb", choices=["add", "list", "set", "pair", "remove"])
    parser.add_argument("name", nargs="?", help="of the person; for set, pair and remove the id will do, too")
    parser.add_argument("--rename", metavar="NAME", help="set: a new name")
    parser.add_argument("--timezone", metavar="ZONE", help="such as Europe/Zagreb")
    parser.add_argument("--language", choices=["en", "de", "hr", "sr", "es", "fr", "it"])
    parser.add_argument("--quiet", metavar="HOURS", help="22:00-07:00: then only critical messages pass; off for none")
    parser.add_argument("--admin", dest="is_admin", action=BooleanOptionalAction, help="is told when things go wrong")
    parser.add_argument(
        "--channel",
        action="append",
        metavar="NAME:ADDRESS",
        help="in order of preference, repeatable; pair: just the name of the chat",
    )
    add_page_arguments(parser)
    arguments = parser.read(words)
    refuse_surplus(arguments, _TAKES, "duly user")
    if arguments.verb != "list" and not arguments.name:
        raise UsageError(f"duly user {arguments.verb} needs a name")
    return _VERBS[arguments.verb](arguments, clock)


def _list(arguments: Namespace, clock: Clock) -> str:
    people, following = ask(
        arguments, clock, lambda runtime: runtime.reminders.people.page(arguments.cursor, arguments.limit or PAGE)
    )
    if arguments.json:
        return as_json({"items": [_plain(person) for person in people], "next_cursor": following})
    if not people and arguments.cursor is None:
        return "nobody yet; add somebody: duly user add ana --timezone Europe/Zagreb --language hr\n"
    return _table(people) + more(following)


def _set(arguments: Namespace, clock: Clock) -> str:
    if not _fields(arguments) and not arguments.channel:
        raise UsageError("duly user set needs something to change: duly user --help lists what there is")
    return _saved(arguments, clock)


def _saved(arguments: Namespace, clock: Clock) -> str:
    pairs = [_channel(text) for text in arguments.channel or ()]

    async def save(runtime: Runtime) -> Person:
        service = runtime.reminders.people
        await _refuse_taken(service, None if arguments.verb == "add" else arguments.name, pairs)
        known = await (service.add if arguments.verb == "add" else service.update)(arguments.name, **_fields(arguments))
        return await service.set_channels(known.user.id, pairs) if pairs else known

    person = ask(arguments, clock, save)
    return as_json(_plain(person)) if arguments.json else _table([person])


async def _refuse_taken(service: PeopleService, who: str | None, pairs: list[tuple[str, str]]) -> None:
    """Before anything is stored: a person without the address they were added with helps nobody."""
    owner = None if who is None else (await service.get(who)).user.id
    for channel, address in pairs:
        bound = await service.by_address(channel, address)
        if bound is not None and bound.user_id != owner:
            raise UsageError(
                f"{channel} {address!r} belongs to another person: remove it there before it is bound here"
            )


def _fields(arguments: Namespace) -> dict[str, Any]:
    fields = {name: getattr(arguments, name) for name in ("timezone", "language", "quiet", "is_admin")}
    fields = {name: value for name, value in fields.items() if value is not None}
    if fields.get("quiet") == _OFF:
        fields["quiet"] = None
    return fields if arguments.rename is None else {**fields, "name": arguments.rename}


def _channel(text: str) -> tuple[str, str]:
    name, colon, address = text.partition(":")
    if not colon or not address or not name:
        raise UsageError(f"--channel takes NAME:ADDRESS such as email:ana@example.org, got {text!r}; chats are paired")
    from duly.channels import KINDS

    if name not in (known := ("inbox", *KINDS)):
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        raise UsageError(f"no channel is called {name!r}: {hint}")
    return name, address


def _remove(arguments: Namespace, clock: Clock) -> str:
    async def remove(runtime: Runtime) -> Person:
        person = await runtime.reminders.people.get(arguments.name)
        await runtime.reminders.people.remove(person.user.id)
        return person

    gone = ask(arguments, clock, remove)
    return as_json(_plain(gone)) if arguments.json else f"✓ {gone.user.name} removed\n"


def _pair(arguments: Namespace, clock: Clock) -> str:
    if len(arguments.channel or ()) > 1:
        raise UsageError(
            f"duly user pair takes one --channel, got {', '.join(arguments.channel)}: a code is for one chat"
        )

    async def make(runtime: Runtime) -> tuple[str, str]:
        channel = _chat(runtime, (arguments.channel or [None])[0])
        return channel, await runtime.reminders.people.make_code(arguments.name, channel)

    channel, code = ask(arguments, clock, make)
    if arguments.json:
        return as_json({"code": code, "channel": channel})
    return f"{code}\n✓ {arguments.name} sends this to the bot on {channel} within 30 minutes; it works once\n"


def _chat(runtime: Runtime, wished: str | None) -> str:
    """The chat to pair with: as wished, else the first that is configured."""
    there = [name for name in _CHATS if name in runtime.settings.channels]
    if wished is None and there:
        return there[0]
    if wished is not None and wished in there:
        return wished
    missing = wished or _CHATS[0]
    found = f"; there is {', '.join(there)}" if there else ""
    raise UsageError(f"no chat {missing!r} is configured: add [channels.{missing}] to duly.toml{found}")


_VERBS = {"add": _saved, "list": _list, "set": _set, "pair": _pair, "remove": _remove}


def _plain(person: Person) -> dict[str, Any]:
    who = {**asdict(person.user), "created_at": iso(person.user.created_at)}
    ways = [{"channel": each.channel, "address": each.address} for each in person.channels]
    return {**who, "channels": ways}


def _table(people: list[Person]) -> str:
    return table(["NAME", "ZONE", "LANGUAGE", "QUIET", "CHANNELS", "ID"], [_row(person) for person in people])


def _row(person: Person) -> list[str]:
    who = person.user
    quiet = f"{who.quiet_from}-{who.quiet_to}" if who.quiet_from else ""
    ways = ", ".join(each.channel for each in person.channels) or "inbox"
    name = who.name + (" (admin)" if who.is_admin else "")
    return [name, who.timezone or "", who.language or "", quiet, ways, who.id]

"""`duly user` and `duly channels`: people, and whether they can be reached."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duly.cli.houses import as_json, ask, table
from duly.cli.parser import Parser, UsageError
from duly.cli.settings import add_settings_arguments
from duly.errors import ChannelError, DulyError, NotFoundError

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.daemon.house import House
    from duly.service.people import Person


def user(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly user add|list|set|pair|remove`."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("verb", choices=["add", "list", "set", "pair", "remove"])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--timezone")
    parser.add_argument("--language", choices=["en", "de", "hr", "sr", "es", "fr", "it"])
    parser.add_argument("--quiet", metavar="22:00-07:00", help="hours in which only critical messages pass")
    parser.add_argument(
        "--admin", dest="is_admin", action="store_true", default=None, help="is told when things go wrong"
    )
    parser.add_argument(
        "--channel", action="append", metavar="NAME[:ADDRESS]", help="in order of preference; repeatable"
    )
    arguments = parser.read(words)
    if arguments.verb != "list" and not arguments.name:
        raise UsageError(f"duly user {arguments.verb} needs a name")
    if arguments.verb == "pair":
        return _pair(arguments, clock)
    people = ask(arguments, clock, lambda house: _on_people(house, arguments))
    if arguments.json:
        return as_json([_plain(person) for person in people])
    if not people:
        return "nobody yet; add somebody: duly user add ana --timezone Europe/Zagreb --language hr\n"
    return table(["NAME", "ZONE", "LANGUAGE", "QUIET", "CHANNELS", "ID"], [_row(person) for person in people])


async def _on_people(house: House, arguments: Namespace) -> list[Person]:
    service = house.reminders.people
    fields = {
        name: getattr(arguments, name)
        for name in ("timezone", "language", "quiet", "is_admin")
        if getattr(arguments, name) is not None
    }
    if arguments.verb == "list":
        return await service.all()
    if arguments.verb == "remove":
        await service.remove(arguments.name)
        return await service.all()
    person = await (service.add if arguments.verb == "add" else service.update)(arguments.name, **fields)
    if arguments.channel:
        pairs = [_channel(text) for text in arguments.channel]
        person = await service.set_channels(person.user.id, pairs)
    return [person]


def _channel(text: str) -> tuple[str, str]:
    name, colon, address = text.partition(":")
    if not colon or not address:
        raise UsageError(f"--channel takes NAME:ADDRESS such as email:ana@example.org, got {text!r}; chats are paired")
    return name, address


def _pair(arguments: Namespace, clock: Clock) -> str:
    channel = (arguments.channel or ["telegram"])[0]
    code = ask(arguments, clock, lambda house: house.reminders.people.make_code(arguments.name, channel))
    if arguments.json:
        return as_json({"code": code, "channel": channel})
    return f"{code}\n✓ send this to the bot on {channel} within 30 minutes; it works once\n"


def _plain(person: Person) -> dict[str, Any]:
    return {**asdict(person.user), "channels": [asdict(each) for each in person.channels]}


def _row(person: Person) -> list[str]:
    who = person.user
    quiet = f"{who.quiet_from}-{who.quiet_to}" if who.quiet_from else ""
    ways = ", ".join(each.channel for each in person.channels) or "inbox"
    return [
        who.name + (" (admin)" if who.is_admin else ""),
        who.timezone or "",
        who.language or "",
        quiet,
        ways,
        who.id,
    ]


def channels(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly channels list|test NAME [--to ADDRESS]`."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("verb", choices=["list", "test"])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--to", metavar="ADDRESS", help="send a test message there")
    arguments = parser.read(words)
    if arguments.verb == "test" and not arguments.name:
        raise UsageError("duly channels test needs a channel: `duly channels list` shows them")
    return ask(arguments, clock, lambda house: _channels(house, arguments))


async def _channels(house: House, arguments: Namespace) -> str:
    if arguments.verb == "list":
        names = ["inbox", *house.channels]
        return as_json(names) if arguments.json else "".join(f"{name}\n" for name in names)
    channel = house.channels.get(arguments.name)
    if channel is None:
        raise NotFoundError(
            f"channel {arguments.name!r} is not configured: add [channels.{arguments.name}] to duly.toml; "
            f"there are {', '.join(['inbox', *house.channels])}"
        )
    try:
        said = await channel.check()
        if arguments.to:
            from duly.ports.channels import Outgoing

            text = "duly can reach you here."
            receipt = await channel.send(arguments.to, Outgoing(text=text, key=f"test/{house.clock.now().isoformat()}"))
            said = f"{said}; {receipt.status} {receipt.message_id or ''}".rstrip()
    except ChannelError as error:
        raise DulyError(f"{arguments.name}: {error}") from error
    return as_json({"channel": arguments.name, "said": said}) if arguments.json else f"✓ {arguments.name}: {said}\n"

"""`duly user` and `duly channels`: people with their quiet hours and addresses, and the channels that reach them."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from duly.cli.arguments import PAGE, Parser, UsageError, add_common_arguments, add_page_arguments, refuse_surplus
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.output import as_json, next_page_line, table
from duly.cli.settings import with_runtime
from duly.errors import ChannelError, DulyError
from duly.model.checks import suggestion
from duly.operations.access import AddPerson, ListPeople, PairPerson, RemovePerson, UpdatePerson
from duly.operations.actions import CheckChannel, ListChannels, SendTestMessage
from duly.ports.channels import Outgoing
from duly.service.people.use_cases import user_of
from duly.zones import iso

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.operations.ask import Ask
    from duly.runtime.runtime import Runtime
    from duly.service.people.use_cases import PairingView, PersonView

_OFF = "off"
_USUAL = "usual"
_CHOSEN = ("quiet", "snoozes", "day_parts", "wants_answer")
_SAVED = ("name", "timezone", "language", *_CHOSEN, "digest_at", "is_admin", "channel")
_TAKES = {
    "add": _SAVED,
    "list": ("limit", "cursor"),
    "set": (*_SAVED, "rename"),
    "pair": ("name", "channel"),
    "remove": ("name",),
}


def user(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly user add|list|set|pair|remove`."""
    add_common_arguments(parser)
    parser.add_argument("verb", choices=list(_TAKES))
    parser.add_argument("name", nargs="?", help="name of the person; for set, pair and remove also the id")
    parser.add_argument("--rename", metavar="NAME", help="set: a new name")
    parser.add_argument("--timezone", metavar="ZONE", help="the person's zone, such as Europe/Zagreb")
    parser.add_argument("--language", choices=["en", "de", "hr", "sr", "es", "fr", "it"], help="the person's language")
    parser.add_argument(
        "--quiet", metavar="HOURS", help="quiet hours, such as 22:00-07:00: only critical messages pass; off: none"
    )
    parser.add_argument(
        "--snoozes", metavar="LENGTHS", help="snoozes that are offered, such as 10m,1h,evening,tomorrow; off: as usual"
    )
    parser.add_argument(
        "--day-parts",
        metavar="TIMES",
        help="where parts of the day lie, such as morning=08:00,evening=18:30; off: as usual",
    )
    parser.add_argument(
        "--digest-at",
        metavar="TIME",
        help="when low priority comes as one message, such as 18:00; off: each at once; usual: as configured",
    )
    parser.add_argument(
        "--wants-answer",
        metavar="WHEN",
        help="which reminders made in a chat ask until they are answered: medicine, always or never; off: as usual",
    )
    parser.add_argument(
        "--admin", dest="is_admin", action=BooleanOptionalAction, help="whether the person gets escalations"
    )
    parser.add_argument(
        "--channel",
        action="append",
        metavar="NAME:ADDRESS",
        help="a channel and the address there, in order of preference, repeatable; pair: only the name of the chat",
    )
    add_page_arguments(parser)
    arguments = parser.read(words)
    refuse_surplus(arguments, _TAKES, "duly user")
    if arguments.verb != "list" and not arguments.name:
        raise UsageError(f"duly user {arguments.verb} needs a name")
    return _VERBS[arguments.verb](arguments, clock)


def _list(arguments: Namespace, clock: Clock) -> str:
    ask = ListPeople(cursor=arguments.cursor, limit=arguments.limit or PAGE)
    people, cursor = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    if arguments.json:
        return as_json({"items": [_plain(person) for person in people], "next_cursor": cursor})
    if not people and arguments.cursor is None:
        return "no people yet; add a person: duly user add ana --timezone Europe/Zagreb --language hr\n"
    return _table(people) + next_page_line(cursor)


def _set(arguments: Namespace, clock: Clock) -> str:
    if not _fields(arguments):
        raise UsageError("duly user set needs something to change: duly user --help lists what there is")
    return _save(arguments, clock)


def _save(arguments: Namespace, clock: Clock) -> str:
    fields = _fields(arguments)
    ask: Ask[PersonView] = (
        AddPerson.of(arguments.name, **fields) if arguments.verb == "add" else UpdatePerson(arguments.name, fields)
    )
    person = with_duly(arguments, clock, lambda duly: duly.ask(ask))
    return as_json(_plain(person)) if arguments.json else _table([person])


def _fields(arguments: Namespace) -> dict[str, Any]:
    fields = {name: getattr(arguments, name) for name in ("timezone", "language", *_CHOSEN, "digest_at", "is_admin")}
    fields = {name: value for name, value in fields.items() if value is not None}
    fields.update({name: None for name in _CHOSEN if fields.get(name) == _OFF})
    if fields.get("digest_at") == _USUAL:  # off is a choice of its own
        fields["digest_at"] = None
    if arguments.rename is not None:
        fields["name"] = arguments.rename
    if arguments.channel:
        fields["channels"] = [_channel(text) for text in arguments.channel]
    return fields


def _channel(text: str) -> dict[str, str]:
    name, colon, address = text.partition(":")
    if not colon or not address or not name:
        raise UsageError(f"--channel takes NAME:ADDRESS such as email:ana@example.org, got {text!r}; chats are paired")
    from duly.channels.kinds import KINDS

    if name not in (known := ("inbox", *KINDS)):
        hint = suggestion(name, known) or f"there are {', '.join(sorted(known))}"
        raise UsageError(f"no channel is called {name!r}: {hint}")
    return {"channel": name, "address": address}


def _remove(arguments: Namespace, clock: Clock) -> str:
    gone = with_duly(arguments, clock, lambda duly: duly.ask(RemovePerson(arguments.name)))
    return as_json(_plain(gone)) if arguments.json else f"✓ {gone.name} removed\n"


def _pair(arguments: Namespace, clock: Clock) -> str:
    if len(arguments.channel or ()) > 1:
        raise UsageError(
            f"duly user pair takes one --channel, got {', '.join(arguments.channel)}: a code is for one chat"
        )

    async def make(duly: AnyDuly) -> PairingView:
        names = [each.name for each in await duly.ask(ListChannels())]
        return await duly.ask(PairPerson(arguments.name, _chat(names, (arguments.channel or [None])[0])))

    made = with_duly(arguments, clock, make)
    if arguments.json:
        return as_json({"code": made.code, "channel": made.channel})
    return f"{made.code}\n✓ {arguments.name} sends this to the bot on {made.channel} within 30 minutes; it works once\n"


def _chat(names: Sequence[str], wished: str | None) -> str:
    """Choose the chat to pair with: the wished one, else the first that is configured."""
    from duly.channels.kinds import CHATS

    there = [name for name in CHATS if name in names]
    if wished is None and there:
        return there[0]
    if wished is not None and wished in there:
        return wished
    missing = wished or "telegram"
    found = f"; there is {', '.join(there)}" if there else ""
    raise UsageError(f"no chat {missing!r} is configured: add [channels.{missing}] to duly.toml{found}")


_VERBS = {"add": _save, "list": _list, "set": _set, "pair": _pair, "remove": _remove}


def _plain(person: PersonView) -> dict[str, object]:
    who = {**asdict(user_of(person)), "created_at": iso(person.created_at)}
    return {**who, "channels": [asdict(each) for each in person.channels]}


def _table(people: list[PersonView]) -> str:
    return table(["NAME", "ZONE", "LANGUAGE", "QUIET", "CHANNELS", "ID"], [_row(person) for person in people])


def _row(who: PersonView) -> list[str]:
    ways = ", ".join(each.channel for each in who.channels) or "inbox"
    name = who.name + (" (admin)" if who.is_admin else "")
    return [name, who.timezone or "", who.language or "", who.quiet or "", ways, who.id]


def channels(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly channels list|test NAME [--to ADDRESS|--user PERSON]`."""
    add_common_arguments(parser)
    parser.add_argument("verb", choices=["list", "test"])
    parser.add_argument("name", nargs="?", help="test: name of the channel")
    parser.add_argument("--to", metavar="ADDRESS", help="test: send a message to this address")
    parser.add_argument("--user", metavar="PERSON", help="test: send a message to this person, at their address there")
    arguments = parser.read(words)
    refuse_surplus(arguments, {"list": (), "test": ("name", "to", "user")}, "duly channels")
    if arguments.verb == "list":
        return with_duly(arguments, clock, lambda duly: _list_channels(duly, arguments))
    if not arguments.name:
        raise UsageError("duly channels test needs a channel: `duly channels list` shows them")
    if arguments.to and arguments.user:
        raise UsageError("duly channels test takes --to or --user, not both")
    if arguments.to:
        said = with_runtime(arguments, clock, lambda runtime, _caller: _send_to(runtime, arguments.name, arguments.to))
    else:
        said = with_duly(arguments, clock, lambda duly: _test_channel(duly, arguments.name, arguments.user))
    return as_json({"channel": arguments.name, "said": said}) if arguments.json else f"✓ {arguments.name}: {said}\n"


async def _list_channels(duly: AnyDuly, arguments: Namespace) -> str:
    views = await duly.ask(ListChannels())
    if arguments.json:
        return as_json([{"name": each.name, "answers": each.how} for each in views])
    listed = table(["NAME", "ANSWERS COME", "LATELY"], [[each.name, each.how, each.health_words] for each in views])
    return listed if len(views) > 1 else f"{listed}more are a section each in duly.toml: [channels.telegram], …\n"


async def _test_channel(duly: AnyDuly, name: str, user: str | None) -> str:
    """Ask the vendor who we are; with a person, send them a message."""
    result = await duly.ask(SendTestMessage(name, user) if user else CheckChannel(name))
    if not result.works:
        raise DulyError(f"{name} does not work: {result.said}")
    return result.said


async def _send_to(runtime: Runtime, name: str, address: str) -> str:
    """Send a message to an address that need not belong to a person yet; that works where the daemon runs."""
    channel = runtime.make_channel(name)
    try:
        said = await channel.check()
        outgoing = Outgoing(text="duly can reach you here.", key=f"test/{runtime.clock.now().isoformat()}")
        receipt = await channel.send(address, outgoing)
    except ChannelError as error:
        raise DulyError(f"{name} does not work: {error}") from error
    finally:
        await channel.close()
    return f"{said}; {receipt.status} {receipt.message_id or ''}".rstrip()

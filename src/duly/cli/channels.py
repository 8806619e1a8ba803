"""`duly channels`: the ways to reach people, and whether they work."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from duly.cli.common import as_json, ask, table
from duly.cli.parser import Parser, UsageError, refuse_surplus
from duly.cli.settings import add_settings_arguments
from duly.errors import ChannelError, DulyError, NotFoundError
from duly.ports.channels import Outgoing, ProactiveDelivery

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.runtime.runtime import Runtime

_INBOX = "inbox"
_KEYS = {"telegram": "webhook_secret", "discord": "public_key", "slack": "signing_secret", "whatsapp": "app_secret"}


def channels(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly channels list|test NAME [--to ADDRESS]`."""
    add_settings_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("verb", choices=["list", "test"])
    parser.add_argument("name", nargs="?", help="of the channel")
    parser.add_argument("--to", metavar="ADDRESS", help="test: send a message there")
    arguments = parser.read(words)
    refuse_surplus(arguments, {"list": (), "test": ("name", "to")}, "duly channels")
    if arguments.verb == "list":
        return ask(arguments, clock, lambda runtime: _list(runtime, arguments))
    if not arguments.name:
        raise UsageError("duly channels test needs a channel: `duly channels list` shows them")
    said = ask(arguments, clock, lambda runtime: _test(runtime, arguments.name, arguments.to))
    return as_json({"channel": arguments.name, "said": said}) if arguments.json else f"✓ {arguments.name}: {said}\n"


async def _list(runtime: Runtime, arguments: Namespace) -> str:
    tables = runtime.settings.channels
    links = "by signed links" if runtime.settings.public_url else "not at all: links need public_url"
    ways = {_INBOX: "by duly ack, snooze, dismiss"} | {name: _answers(name, tables[name], links) for name in tables}
    if arguments.json:
        return as_json([{"name": name, "answers": how} for name, how in ways.items()])
    listed = table(["NAME", "ANSWERS COME"], [[name, how] for name, how in ways.items()])
    return listed if tables else f"{listed}more are a section each in duly.toml: [channels.telegram], …\n"


def _answers(name: str, settings: Mapping[str, Any], links: str) -> str:
    """How answers come back from a channel."""
    key = _KEYS.get(name)
    if key is not None and key in settings:
        return f"to /inbound/{name}"
    if name == "telegram":
        return "by polling"
    return links if key is None else f"not at all: set {key}"


async def _test(runtime: Runtime, name: str, address: str | None) -> str:
    channel = _channel(runtime, name)
    try:
        said = await channel.check()
        if address is None:
            return said
        outgoing = Outgoing(text="duly can reach you here.", key=f"test/{runtime.clock.now().isoformat()}")
        receipt = await channel.send(address, outgoing)
    except ChannelError as error:
        raise DulyError(f"{name} does not work: {error}") from error
    finally:
        await channel.close()
    return f"{said}; {receipt.status} {receipt.message_id or ''}".rstrip()


def _channel(runtime: Runtime, name: str) -> ProactiveDelivery:
    """This one and no other: what another lacks is not the question."""
    if name == _INBOX:
        from duly.delivery.sending import InboxChannel

        return InboxChannel(runtime.store.reminders, runtime.clock)
    settings = runtime.settings.channels.get(name)
    if settings is None:
        there = ", ".join([_INBOX, *runtime.settings.channels])
        raise NotFoundError(f"channel {name!r} is not configured: add [channels.{name}] to duly.toml; there is {there}")
    from duly.channels import make_channel

    return make_channel(name, settings, resolve=runtime.resolver(f"channels.{name}"), clock=runtime.clock)

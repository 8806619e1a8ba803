"""The channels of a process, made from the sections of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from duly.config.reading import telling_lines
from duly.config.settings import Settings
from duly.errors import NotFoundError

if TYPE_CHECKING:
    from duly.ports.channels import ProactiveDelivery
    from duly.runtime.runtime import Runtime


def make_channels(runtime: Runtime, settings: Settings) -> dict[str, ProactiveDelivery]:
    """Make the channels of some settings; channels whose section is the same in the present settings are kept."""
    there: dict[str, ProactiveDelivery] = runtime.channels if runtime.has_made("channels") else {}
    present = runtime.settings.channels
    same = {name for name, table in settings.channels.items() if present.get(name) == table}
    with telling_lines(settings):
        return {
            name: there[name] if name in there and name in same else _make(runtime, name, table)
            for name, table in settings.channels.items()
        }


def make_channel(runtime: Runtime, name: str) -> ProactiveDelivery:
    """Make one channel by its name; the caller closes it."""
    if name == "inbox":
        from duly.delivery.sending import InboxChannel

        return InboxChannel(runtime.store.reminders, runtime.clock)
    if name not in runtime.settings.channels:
        add = f"add [channels.{name}] to duly.toml; there is {', '.join(runtime.channel_names)}"
        raise NotFoundError(f"channel {name!r} is not configured: {add}")
    return _make(runtime, name, runtime.settings.channels[name])


def _make(runtime: Runtime, name: str, table: Mapping[str, Any]) -> ProactiveDelivery:
    from duly.channels import configuration  # late: it loads every vendor, and most commands and daemons need none

    return configuration.make_channel(name, table, resolve=runtime.resolver(f"channels.{name}"), clock=runtime.clock)

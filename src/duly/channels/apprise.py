"""Apprise: about a hundred further services, for sending only. It says whether a send worked, not why it did not."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from duly.channels.formats import linked
from duly.channels.transport import SendingChannel
from duly.errors import ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Address, Outgoing, Receipt


class AppriseChannel(SendingChannel):
    """Messages to services known by an Apprise URL. An address is the name that the configuration gives to a URL.

    The URLs hold tokens, so they stay in the configuration: the store has only the name.
    """

    name = "apprise"
    has_buttons = False

    def __init__(self, urls: Mapping[str, str]) -> None:
        self._services = {name: _service(name, url) for name, url in urls.items()}

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        service = self._services.get(address)
        if service is None:
            known = ", ".join(sorted(self._services)) or "none"
            raise ChannelPermanentError(
                f"apprise: there is no URL named {address!r} in the configuration, only {known}"
            )
        text = linked(outgoing) if outgoing.title is None else linked(outgoing).removeprefix(f"{outgoing.title}\n\n")
        if not await asyncio.to_thread(_notify, service, text, outgoing.title):
            # Apprise does not say why, so a permanent failure is retried, too, until the retries end.
            raise ChannelTemporaryError(f"apprise: {address} did not take the message")
        return Receipt()

    async def check(self) -> str:
        return f"{len(self._services)} URLs understood: {', '.join(sorted(self._services)) or 'none'}"


def _service(name: str, url: str) -> Any:
    """Make the service of a URL, without Apprise's own retries: they repeat permanent failures, too."""
    try:
        apprise = importlib.import_module("apprise")
    except ImportError:
        raise ChannelNotConfiguredError("apprise is not installed: pip install apprise") from None
    service = apprise.Apprise()
    joint = "&" if "?" in url else "?"
    if not service.add(f"{url}{joint}retry=0"):
        raise ChannelNotConfiguredError(f"channels.apprise.urls.{name} is no URL that Apprise understands")
    return service


def _notify(service: Any, text: str, title: str | None) -> bool:
    return bool(service.notify(body=text, title=title or "", body_format="text"))

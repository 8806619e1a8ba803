"""One way in per vendor: verify a request, then read it. No web framework; a route needs five lines around this."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from duly.channels.discord_inbound import discord_response, parse_discord
from duly.channels.settings import Resolve, Settings
from duly.channels.signatures import (
    Memory,
    RecentMemory,
    verify_discord,
    verify_slack,
    verify_telegram,
    verify_whatsapp,
    whatsapp_challenge,
)
from duly.channels.slack_inbound import parse_slack
from duly.channels.telegram_inbound import parse_telegram
from duly.channels.whatsapp_inbound import parse_whatsapp
from duly.errors import ChannelNotConfiguredError, InboundRefusedError
from duly.ports.channels import Inbound, Incoming

INBOUND_KEYS = {
    "telegram": ("webhook_secret",),
    "discord": ("public_key",),
    "slack": ("signing_secret",),
    "whatsapp": ("app_secret", "verify_token", "phone_number_id"),
}
"""The settings that are read here, and not by the channel of the same name."""


class Receiver(Protocol):
    """Takes a vendor's requests."""

    @property
    def name(self) -> str: ...

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:
        """What a POST holds. Raises `InboundRefusedError`: answer that with 401, and believe nothing in it."""
        ...

    def challenge(self, query: Mapping[str, str]) -> str:
        """The plain text to answer a GET with, for vendors that ask so whether a URL is ours."""
        ...

    def respond(self, incoming: Incoming, text: str, *, closes: bool = True) -> Mapping[str, Any] | None:
        """The JSON to answer the POST with once `incoming` was handled; None for an empty 200.

        Unless it `closes` the matter, buttons stay where they are.
        """
        ...


class _Receiver:
    """What most vendors have in common."""

    name = ""

    def challenge(self, query: Mapping[str, str]) -> str:  # noqa: ARG002  the protocol's
        raise InboundRefusedError(f"{self.name} does not ask by GET")

    def respond(
        self,
        incoming: Incoming,  # noqa: ARG002  the protocol's, as are the others
        text: str,  # noqa: ARG002
        *,
        closes: bool = True,  # noqa: ARG002
    ) -> Mapping[str, Any] | None:
        return None


class TelegramReceiver(_Receiver):
    """Updates by webhook."""

    name = "telegram"

    def __init__(self, webhook_secret: str) -> None:
        self._secret = webhook_secret

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:  # noqa: ARG002
        verify_telegram(self._secret, headers)
        return parse_telegram(body)


class DiscordReceiver(_Receiver):
    """Interactions."""

    name = "discord"

    def __init__(self, public_key: str, memory: Memory | None = None) -> None:
        self._public_key = public_key
        self._memory = memory or RecentMemory()

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:
        verify_discord(self._public_key, headers, body, now=now, memory=self._memory)
        return parse_discord(body)

    def respond(self, incoming: Incoming, text: str, *, closes: bool = True) -> Mapping[str, Any] | None:
        return discord_response(incoming, text, closes=closes)


class SlackReceiver(_Receiver):
    """Events and interactions."""

    name = "slack"

    def __init__(self, signing_secret: str, memory: Memory | None = None) -> None:
        self._secret = signing_secret
        self._memory = memory or RecentMemory()

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:
        verify_slack(self._secret, headers, body, now=now, memory=self._memory)
        return parse_slack(body)


class WhatsAppReceiver(_Receiver):
    """Messages and statuses of one number."""

    name = "whatsapp"

    def __init__(self, app_secret: str, verify_token: str, phone_number_id: str | None = None) -> None:
        self._app_secret = app_secret
        self._verify_token = verify_token
        self._phone_number_id = phone_number_id

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:  # noqa: ARG002
        verify_whatsapp(self._app_secret, headers, body)
        return parse_whatsapp(body, phone_number_id=self._phone_number_id)

    def challenge(self, query: Mapping[str, str]) -> str:
        return whatsapp_challenge(self._verify_token, query)


def make_receiver(
    kind: str, settings: Mapping[str, Any], *, resolve: Resolve, memory: Memory | None = None
) -> Receiver:
    """The way in for the section `[channels.<kind>]`; `ChannelNotConfiguredError` when its keys are not there."""
    read = Settings(kind, settings, resolve)
    if kind == "telegram":
        return TelegramReceiver(read.secret("webhook_secret"))
    if kind == "discord":
        return DiscordReceiver(read.text("public_key"), memory)
    if kind == "slack":
        return SlackReceiver(read.secret("signing_secret"), memory)
    if kind == "whatsapp":
        return WhatsAppReceiver(read.secret("app_secret"), read.secret("verify_token"), read.text("phone_number_id"))
    raise ChannelNotConfiguredError(f"channel {kind!r} takes no requests; {', '.join(INBOUND_KEYS)} do")

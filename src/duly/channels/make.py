"""From a section of the configuration to a channel."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from duly.channels import discord, ntfy, slack, telegram, whatsapp
from duly.channels.apprise_tail import AppriseChannel
from duly.channels.mail import EmailChannel, Security, Server
from duly.channels.matrix import MatrixChannel
from duly.channels.receivers import INBOUND_KEYS
from duly.channels.settings import Resolve, Settings
from duly.channels.transport import DEFAULT_TIMEOUT
from duly.channels.webhook import WebhookChannel
from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.outbound.addresses import networks
from duly.ports.channels import ProactiveDelivery

_PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}


@dataclass(frozen=True, slots=True)
class _Parts:
    """What channels are made of."""

    read: Settings
    http: httpx.AsyncClient | None
    clock: Clock

    @property
    def timeout(self) -> float:
        return self.read.number("timeout", DEFAULT_TIMEOUT)


def make_channel(
    kind: str,
    settings: Mapping[str, Any],
    *,
    resolve: Resolve,
    clock: Clock,
    http: httpx.AsyncClient | None = None,
) -> ProactiveDelivery:
    """The channel that a section `[channels.<kind>]` describes.

    Secrets are references such as `env:TELEGRAM_TOKEN`, which `resolve` looks up. Without `http`, each channel opens
    a client of its own when it needs one.
    """
    maker = _MAKERS.get(kind)
    if maker is None:
        near = difflib.get_close_matches(kind, _MAKERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(_MAKERS))}"
        raise InvalidInputError(f"channels.{kind} is no channel: {hint}")
    read = Settings(kind, settings, resolve)
    channel = maker(_Parts(read, http, clock))
    read.finish(also=INBOUND_KEYS.get(kind, ()))
    return channel


def _telegram(parts: _Parts) -> ProactiveDelivery:
    base_url = parts.read.url("base_url", telegram.BASE_URL)
    return telegram.TelegramChannel(
        parts.read.secret("token"), base_url=base_url, http=parts.http, timeout=parts.timeout
    )


def _discord(parts: _Parts) -> ProactiveDelivery:
    return discord.DiscordChannel(
        parts.read.secret("token"),
        application_id=parts.read.optional("application_id"),
        base_url=parts.read.url("base_url", discord.BASE_URL),
        http=parts.http,
        timeout=parts.timeout,
    )


def _slack(parts: _Parts) -> ProactiveDelivery:
    return slack.SlackChannel(
        parts.read.secret("token"),
        base_url=parts.read.url("base_url", slack.BASE_URL),
        response_url=parts.read.url("response_url", slack.RESPONSES),
        http=parts.http,
        timeout=parts.timeout,
    )


def _whatsapp(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    name = read.optional("template")
    language = read.text("template_language", "en")
    buttons = read.count("template_buttons", 0, at_most=whatsapp.MAX_BUTTONS)
    always = read.flag("template_always")
    return whatsapp.WhatsAppChannel(
        read.secret("token"),
        read.text("phone_number_id"),
        template=whatsapp.Template(name, language, buttons, always) if name else None,
        base_url=read.url("base_url", whatsapp.BASE_URL),
        http=parts.http,
        timeout=parts.timeout,
    )


def _email(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    chosen = read.text("security", Security.STARTTLS)
    if chosen not in list(Security):
        raise InvalidInputError(f"channels.email.security must be one of {', '.join(Security)}, got {chosen!r}")
    security = Security(chosen)
    server = Server(
        read.text("host"),
        read.count("port", _PORTS[security], at_most=65535),
        security,
        read.optional("user"),
        read.optional_secret("password"),
    )
    return EmailChannel(server, read.text("from"), parts.clock, timeout=parts.timeout)


def _matrix(parts: _Parts) -> ProactiveDelivery:
    homeserver, token = parts.read.url("homeserver"), parts.read.secret("token")
    return MatrixChannel(homeserver, token, http=parts.http, timeout=parts.timeout)


def _ntfy(parts: _Parts) -> ProactiveDelivery:
    base_url = parts.read.url("base_url", ntfy.BASE_URL)
    return ntfy.NtfyChannel(
        parts.read.optional_secret("token"), base_url=base_url, http=parts.http, timeout=parts.timeout
    )


def _webhook(parts: _Parts) -> ProactiveDelivery:
    allowed = networks(parts.read.texts("allow"), "channels.webhook.allow")
    return WebhookChannel(parts.read.secret("secret"), parts.clock, allowed=allowed, timeout=parts.timeout)


def _apprise(parts: _Parts) -> ProactiveDelivery:
    return AppriseChannel(parts.read.secrets("urls"))


_MAKERS: dict[str, Callable[[_Parts], ProactiveDelivery]] = {
    "telegram": _telegram,
    "discord": _discord,
    "slack": _slack,
    "whatsapp": _whatsapp,
    "email": _email,
    "matrix": _matrix,
    "ntfy": _ntfy,
    "webhook": _webhook,
    "apprise": _apprise,
}

KINDS = tuple(_MAKERS)
"""The channels that can be configured. The inbox needs no configuration: it is in the store."""

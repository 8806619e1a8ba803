"""Make channels and receivers from the sections `[channels.<kind>]` of the configuration; every fault names its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from duly.channels import discord, ntfy, slack, telegram, whatsapp
from duly.channels.apprise import AppriseChannel
from duly.channels.inbound import (
    Memory,
    Receiver,
    discord_receiver,
    slack_receiver,
    telegram_receiver,
    whatsapp_receiver,
)
from duly.channels.kinds import INBOUND_KEYS
from duly.channels.mail import EmailChannel, MailServer, Security
from duly.channels.matrix import MatrixChannel
from duly.channels.transport import DEFAULT_TIMEOUT, ClientOptions, HttpOptions
from duly.channels.webhook import WebhookChannel
from duly.clock import Clock
from duly.config_section import ConfigSection, matches
from duly.errors import ChannelNotConfiguredError, ConfigError, DulyError
from duly.model.checks import suggestion
from duly.outbound.addresses import networks
from duly.ports.channels import ProactiveDelivery

Resolve = Callable[[str], str]
"""From `env:NAME` or `file:PATH` to the secret there."""

_PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}


class ChannelSection(ConfigSection):
    """Reads the section `[channels.<kind>]`. A channel whose keys are missing is not configured: that is no fault."""

    def __init__(self, path: str, values: Mapping[str, Any], resolve: Resolve) -> None:
        super().__init__(path, values)
        self._resolve = resolve

    def lacking(self, name: str, reason: str) -> DulyError:
        return ChannelNotConfiguredError(str(self.fault(name, reason)))

    def url(self, name: str, default: str | None = None) -> str:
        must_be = "a URL that begins with https:// or http://"
        return str(self.checked(name, must_be, partial(matches, r"https?://[^\0]*"), default))

    def optional_secret(self, name: str) -> str | None:
        return None if self.get(name) is None else self.secret(name)

    def secret(self, name: str) -> str:
        reference = self.get(name)
        if reference is None:
            raise self.lacking(name, f'is missing: write {name} = "env:NAME" or "file:PATH"')
        if not isinstance(reference, str):
            raise self.fault(name, 'must be "env:NAME" or "file:PATH"')
        try:
            found = self._resolve(reference).strip()
        except ConfigError as error:  # it names the section, and here the key is known
            raise self.lacking(name, error.reason) from None
        except (DulyError, LookupError, OSError, ValueError) as error:
            raise self.lacking(name, f"cannot be read: {error}") from None
        if not found:
            raise self.lacking(name, "is empty")
        return found

    def secrets(self, name: str) -> dict[str, str]:
        """Read a table of secrets."""
        table = self.table(name)
        if not table.values:
            raise self.lacking(name, "is missing: it must be a table of names and secrets")
        named = ChannelSection(table.path, table.values, self._resolve)
        return {each: named.secret(each) for each in named.values}


# receivers


def make_receiver(
    kind: str, settings: Mapping[str, Any], *, resolve: Resolve, memory: Memory | None = None
) -> Receiver:
    """Make the receiver of the section `[channels.<kind>]`; `ChannelNotConfiguredError` when its keys are missing."""
    read = ChannelSection(f"channels.{kind}", settings, resolve)
    if kind == "telegram":
        return telegram_receiver(read.secret("webhook_secret"))
    if kind == "discord":
        return discord_receiver(read.text("public_key"), memory)
    if kind == "slack":
        return slack_receiver(read.secret("signing_secret"), memory)
    if kind == "whatsapp":
        return whatsapp_receiver(read.secret("app_secret"), read.secret("verify_token"), read.text("phone_number_id"))
    raise ChannelNotConfiguredError(f"channel {kind!r} takes no requests; {', '.join(INBOUND_KEYS)} do")


# channels


@dataclass(frozen=True, slots=True)
class _Parts:
    """The arguments of every maker."""

    read: ChannelSection
    http: httpx.AsyncClient | None
    clock: Clock

    @property
    def timeout(self) -> float:
        return self.read.number("timeout", DEFAULT_TIMEOUT, at_most=1_000_000)

    @property
    def client(self) -> ClientOptions:
        return {"http": self.http, "timeout": self.timeout}

    def options(self, vendor: str) -> HttpOptions:
        """Give the options of a channel whose vendor has a server for all."""
        return {**self.client, "base_url": self.read.url("base_url", vendor)}


def make_channel(
    kind: str,
    settings: Mapping[str, Any],
    *,
    resolve: Resolve,
    clock: Clock,
    http: httpx.AsyncClient | None = None,
) -> ProactiveDelivery:
    """Make the channel that a section `[channels.<kind>]` describes.

    Secrets are references such as `env:TELEGRAM_TOKEN`, which `resolve` looks up. Without `http`, each channel opens
    a client of its own when it needs one.
    """
    maker = _MAKERS.get(kind)
    if maker is None:
        known = f"{suggestion(kind, _MAKERS)} there are {', '.join(sorted(_MAKERS))}".lstrip()
        raise ConfigError(f"channels.{kind}", f"is no channel: {known}")
    read = ChannelSection(f"channels.{kind}", settings, resolve)
    channel = maker(_Parts(read, http, clock))
    read.finish(also=INBOUND_KEYS.get(kind, ()))
    return channel


def _telegram(parts: _Parts) -> ProactiveDelivery:
    return telegram.TelegramChannel(parts.read.secret("token"), **parts.options(telegram.BASE_URL))


def _discord(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    return discord.DiscordChannel(
        read.secret("token"),
        application_id=read.optional_text("application_id"),
        listens=read.yes_or_no("listen", default=True),
        **parts.options(discord.BASE_URL),
    )


def _slack(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    return slack.SlackChannel(
        read.secret("token"),
        app_token=read.optional_secret("app_token"),
        response_url=read.url("response_url", slack.RESPONSES),
        **parts.options(slack.BASE_URL),
    )


def _whatsapp(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    name = read.optional_text("template")
    # The template's other keys are read without a name too, so that their faults show, and `finish` knows them.
    language = read.text("template_language", "en")
    buttons = read.whole("template_buttons", 0, low=0, high=whatsapp.MAX_BUTTONS)
    always = read.yes_or_no("template_always", default=False)
    return whatsapp.WhatsAppChannel(
        read.secret("token"),
        read.text("phone_number_id"),
        template=whatsapp.Template(name=name, language=language, buttons=buttons, always=always) if name else None,
        **parts.options(whatsapp.BASE_URL),
    )


def _email(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    security = read.choice("security", Security, Security.STARTTLS)
    server = MailServer(
        host=read.text("host"),
        port=read.whole("port", _PORTS[security], low=0, high=65_535),
        security=security,
        user=read.optional_text("user"),
        password=read.optional_secret("password"),
    )
    return EmailChannel(server, read.text("from"), parts.clock, timeout=parts.timeout)


def _matrix(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    return MatrixChannel(
        read.url("homeserver"),
        read.secret("token"),
        listens=read.yes_or_no("listen", default=True),
        joins_invites=read.yes_or_no("join_invites", default=False),
        **parts.client,
    )


def _ntfy(parts: _Parts) -> ProactiveDelivery:
    return ntfy.NtfyChannel(parts.read.optional_secret("token"), **parts.options(ntfy.BASE_URL))


def _webhook(parts: _Parts) -> ProactiveDelivery:
    read = parts.read
    allowed = networks(read.texts("allow", 'a list of networks such as ["10.0.0.0/8"]', ()), read.key("allow"))
    return WebhookChannel(read.secret("secret"), parts.clock, allowed=allowed, timeout=parts.timeout)


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

"""Make channels and receivers from the sections `[channels.<kind>]` of the configuration; every fault names its key."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
from duly.channels.mail import EmailChannel, MailServer, Security
from duly.channels.matrix import MatrixChannel
from duly.channels.transport import DEFAULT_TIMEOUT
from duly.channels.webhook import WebhookChannel
from duly.clock import Clock
from duly.errors import ChannelNotConfiguredError, DulyError, InvalidInputError
from duly.outbound.addresses import networks
from duly.ports.channels import ProactiveDelivery

Resolve = Callable[[str], str]
"""From `env:NAME` or `file:PATH` to the secret there."""

INBOUND_KEYS = {
    "telegram": ("webhook_secret",),
    "discord": ("public_key",),
    "slack": ("signing_secret",),
    "whatsapp": ("app_secret", "verify_token", "phone_number_id"),
}
"""The keys of a section that `make_receiver` reads, and `make_channel` does not."""

_PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}


class ChannelSection:
    """Reads the section `[channels.<kind>]` key by key. Ask for every key you know, then call `finish`."""

    def __init__(self, kind: str, values: Mapping[str, Any], resolve: Resolve) -> None:
        self._kind = kind
        self._values = values
        self._resolve = resolve
        self._asked: set[str] = set()

    def optional(self, key: str) -> str | None:
        value = self._get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise InvalidInputError(f"{self._path(key)} must be a text, got {value!r}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self.optional(key)
        if value is None:
            value = default
        if value is None:
            raise ChannelNotConfiguredError(f"{self._path(key)} is missing")
        return value

    def url(self, key: str, default: str | None = None) -> str:
        value = self.text(key, default)
        if not value.startswith(("https://", "http://")):
            raise InvalidInputError(f"{self._path(key)} must begin with https:// or http://, got {value!r}")
        return value

    def optional_secret(self, key: str) -> str | None:
        reference = self._get(key)
        return None if reference is None else self._secret(self._path(key), reference)

    def secret(self, key: str) -> str:
        found = self.optional_secret(key)
        if found is None:
            raise ChannelNotConfiguredError(f'{self._path(key)} is missing: write {key} = "env:NAME" or "file:PATH"')
        return found

    def secrets(self, key: str) -> dict[str, str]:
        """Read a table of secrets."""
        table = self._get(key)
        if not isinstance(table, Mapping) or not table:
            raise ChannelNotConfiguredError(f"{self._path(key)} must be a table of names and secrets")
        return {str(name): self._secret(f"{self._path(key)}.{name}", value) for name, value in table.items()}

    def number(self, key: str, default: float) -> float:
        return float(
            self._checked(key, default, "a number above 0", lambda value: _is_number(value) and 0 < value < 1e6)
        )

    def count(self, key: str, default: int, *, at_most: int) -> int:
        def is_count(value: Any) -> bool:
            return _is_number(value) and isinstance(value, int) and 0 <= value <= at_most

        return int(self._checked(key, default, f"a whole number from 0 to {at_most}", is_count))

    def flag(self, key: str) -> bool:
        return bool(self._checked(key, False, "true or false", lambda value: isinstance(value, bool)))

    def texts(self, key: str) -> list[str]:
        def is_texts(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)

        return list(self._checked(key, [], "a list of texts", is_texts))

    def _checked(self, key: str, default: Any, must_be: str, is_right: Callable[[Any], bool]) -> Any:
        value = self._get(key)
        if value is None:
            return default
        if not is_right(value):
            raise InvalidInputError(f"{self._path(key)} must be {must_be}, got {value!r}")
        return value

    def finish(self, also: Iterable[str] = ()) -> None:
        """Refuse keys that were not asked for; `also` are those that another reader asks for."""
        known = self._asked.union(also)
        for key in self._values:
            if key not in known:
                raise InvalidInputError(f"{self._path(key)} is unknown: {_hint(key, known)}")

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        return self._values.get(key)

    def _path(self, key: str) -> str:
        return f"channels.{self._kind}.{key}"

    def _secret(self, path: str, reference: object) -> str:
        if not isinstance(reference, str):
            raise InvalidInputError(f'{path} must be "env:NAME" or "file:PATH"')
        try:
            found = self._resolve(reference).strip()
        except (DulyError, LookupError, OSError, ValueError) as error:
            raise ChannelNotConfiguredError(f"{path} cannot be read: {error}") from None
        if not found:
            raise ChannelNotConfiguredError(f"{path} is empty")
        return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)  # True would count as 1


def _hint(wrong: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(wrong, known, 1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"


# receivers


def make_receiver(
    kind: str, settings: Mapping[str, Any], *, resolve: Resolve, memory: Memory | None = None
) -> Receiver:
    """Make the receiver of the section `[channels.<kind>]`; `ChannelNotConfiguredError` when its keys are missing."""
    read = ChannelSection(kind, settings, resolve)
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
        return self.read.number("timeout", DEFAULT_TIMEOUT)


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
        raise InvalidInputError(f"channels.{kind} is no channel: {_hint(kind, _MAKERS)}")
    read = ChannelSection(kind, settings, resolve)
    channel = maker(_Parts(read, http, clock))
    read.finish(also=INBOUND_KEYS.get(kind, ()))
    return channel


def _telegram(parts: _Parts) -> ProactiveDelivery:
    return telegram.TelegramChannel(
        parts.read.secret("token"),
        base_url=parts.read.url("base_url", telegram.BASE_URL),
        http=parts.http,
        timeout=parts.timeout,
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
    # The template's other keys are read without a name too, so that their faults show, and `finish` knows them.
    language = read.text("template_language", "en")
    buttons = read.count("template_buttons", 0, at_most=whatsapp.MAX_BUTTONS)
    always = read.flag("template_always")
    return whatsapp.WhatsAppChannel(
        read.secret("token"),
        read.text("phone_number_id"),
        template=whatsapp.Template(name=name, language=language, buttons=buttons, always=always) if name else None,
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
    server = MailServer(
        host=read.text("host"),
        port=read.count("port", _PORTS[security], at_most=65535),
        security=security,
        user=read.optional("user"),
        password=read.optional_secret("password"),
    )
    return EmailChannel(server, read.text("from"), parts.clock, timeout=parts.timeout)


def _matrix(parts: _Parts) -> ProactiveDelivery:
    homeserver = parts.read.url("homeserver")
    return MatrixChannel(homeserver, parts.read.secret("token"), http=parts.http, timeout=parts.timeout)


def _ntfy(parts: _Parts) -> ProactiveDelivery:
    return ntfy.NtfyChannel(
        parts.read.optional_secret("token"),
        base_url=parts.read.url("base_url", ntfy.BASE_URL),
        http=parts.http,
        timeout=parts.timeout,
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

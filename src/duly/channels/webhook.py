"""A message as a signed POST to a program of the user. `docs/channels.md` has the ten lines that a receiver needs."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Any

from duly.channels.transport import DEFAULT_TIMEOUT, SendingChannel, Transport
from duly.clock import Clock
from duly.errors import ChannelPermanentError, ChannelTemporaryError
from duly.outbound.addresses import (
    HostRefusedError,
    HostUnknownError,
    IPNetwork,
    Resolver,
    UrlRefusedError,
    UserUrl,
    resolve,
)
from duly.outbound.webhooks import WebhookClient
from duly.ports.channels import Address, Outgoing, Receipt, ReceiptStatus

_MAX_ID = 200


class WebhookChannel(SendingChannel):
    """Posts messages to URLs: an address is a URL."""

    name = "webhook"
    has_buttons = False

    def __init__(
        self,
        secret: str,
        clock: Clock,
        *,
        allowed: Sequence[IPNetwork] = (),
        timeout: float = DEFAULT_TIMEOUT,
        resolver: Resolver = resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._secret = secret
        self._client = WebhookClient(clock=clock, timeout=timeout, allowed=tuple(allowed), resolver=resolver, tls=tls)

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        try:
            url = UserUrl.parse(address)
            # Errors name the server only: path and query of an address may be secret.
            wire = Transport(self.name, f"{url.scheme}://{url.authority}", secrets=[self._secret])
            answer = await wire.receive(
                self._client.post(url, payload(outgoing), key=outgoing.key, secret=self._secret)
            )
        except UrlRefusedError as error:
            raise ChannelPermanentError(f"webhook: the address {error}") from None
        except HostUnknownError as error:
            raise ChannelTemporaryError(f"webhook: {error}") from None
        except HostRefusedError as error:
            hint = ": add its network to allow in [channels.webhook] if that is meant" if error.allowable else ""
            raise ChannelPermanentError(f"webhook: {error.reason}{hint}") from None
        if not answer.ok:
            wire.refuse(answer, f"{url.host} did not take the message")
        known_as = answer.data.get("id")
        return Receipt(ReceiptStatus.DELIVERED, known_as[:_MAX_ID] if isinstance(known_as, str) else None)

    async def check(self) -> str:
        return "signs with the secret it has; every address is checked when it is used"


def payload(outgoing: Outgoing) -> dict[str, Any]:
    """Return the JSON object that the receiver reads."""
    return {
        "type": "message",
        "key": outgoing.key,
        "title": outgoing.title,
        "text": outgoing.text,
        "language": outgoing.language,
        "reply_to": outgoing.reply_to,
        "buttons": [
            {"kind": str(button.kind), "label": button.label, "token": button.token, "url": button.url}
            for button in outgoing.buttons
        ],
    }

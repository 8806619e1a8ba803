"""Email by SMTP, written out step by step: a server that has the last line may send the mail even without an answer."""

from __future__ import annotations

import asyncio
import html
import re
import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from enum import StrEnum

from duly.channels.formats import digest, linked, refuse_broken, shorten
from duly.channels.transport import DEFAULT_TIMEOUT, SendingChannel
from duly.clock import Clock
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
    InvalidInputError,
)
from duly.model.addresses import fault_of_address
from duly.ports.channels import Address, Outgoing, Receipt

MAX_SUBJECT = 150
_WIRE = SMTP.clone(cte_type="7bit")  # not every server takes eight bits
_AUTHENTICATION = (530, 534, 535, 538)


class Security(StrEnum):
    """How the connection is encrypted."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server, and duly's account there."""

    host: str
    port: int
    security: Security = Security.STARTTLS
    user: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return f"MailServer({self.host!r}, {self.port}, {self.security.value!r})"


class EmailChannel(SendingChannel):
    """Mails of one sender. An address is a mailbox. Buttons are links; an answer by mail is not read."""

    name = "email"
    has_buttons = True

    def __init__(
        self,
        server: MailServer,
        sender: str,
        clock: Clock,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if not sender.isprintable() or fault_of_address(self.name, parseaddr(sender)[1]) is not None:
            raise InvalidInputError(f"channels.email.from: {sender!r} is no sender such as Duly <duly@example.org>")
        self._server = server
        self._tls = tls
        self._sender = sender
        self._clock = clock
        self._timeout = timeout

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        refuse_broken(self.name, address)
        message = self._compose(address, outgoing)
        await asyncio.to_thread(self._transmit, address, message.as_bytes())
        return Receipt(message_id=str(message["Message-ID"]))

    async def check(self) -> str:
        await asyncio.to_thread(self._sign_in)
        return f"{self._server.host}:{self._server.port} lets {self._sender} in"

    def _compose(self, address: Address, outgoing: Outgoing) -> EmailMessage:
        message = EmailMessage(_WIRE)
        message["From"] = self._sender
        message["To"] = address
        subject = outgoing.title or outgoing.text.strip().splitlines()[0]
        message["Subject"] = shorten(" ".join(subject.split()), MAX_SUBJECT)
        message["Date"] = format_datetime(self._clock.now())
        message["Message-ID"] = f"<{digest(outgoing.key)[:32]}@{_domain(self._sender)}>"
        message["Auto-Submitted"] = "auto-generated"
        if outgoing.reply_to:
            message["In-Reply-To"] = outgoing.reply_to
            message["References"] = outgoing.reply_to
        message.set_content(linked(outgoing))
        message.add_alternative(as_html(outgoing), subtype="html")
        return message

    def _sign_in(self) -> None:
        connection = self._connect()
        with suppress(smtplib.SMTPException, OSError):
            connection.quit()

    def _transmit(self, address: Address, content: bytes) -> None:
        connection = self._connect()
        try:
            self._send_content(connection, address, content)
            self._send_last_line(connection)
        finally:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()

    def _connect(self) -> smtplib.SMTP:
        server = self._server
        tls = self._tls or ssl.create_default_context()
        try:
            connection = (
                smtplib.SMTP_SSL(server.host, server.port, timeout=self._timeout, context=tls)
                if server.security is Security.TLS
                else smtplib.SMTP(server.host, server.port, timeout=self._timeout)
            )
        except (smtplib.SMTPException, OSError) as error:
            raise self._failure(error) from None
        try:
            if server.security is Security.STARTTLS:
                connection.starttls(context=tls)
            if server.user is not None and server.password is not None:
                connection.login(server.user, server.password)
        except (smtplib.SMTPException, OSError) as error:
            connection.close()
            raise self._failure(error) from None
        return connection

    def _send_content(self, connection: smtplib.SMTP, address: Address, content: bytes) -> None:
        """Send all but the lone dot that ends a mail: before it, the server has accepted nothing and sends nothing."""
        try:
            connection.ehlo_or_helo_if_needed()
            _expect(connection.mail(parseaddr(self._sender)[1]), 250)
            _expect(connection.rcpt(address), 250, 251)
            _expect(connection.docmd("DATA"), 354)
            connection.send(re.sub(rb"(?m)^\.", b"..", content))
            if not content.endswith(b"\r\n"):
                connection.send(b"\r\n")
        except (smtplib.SMTPException, OSError) as error:
            raise self._failure(error) from None

    def _send_last_line(self, connection: smtplib.SMTP) -> None:
        try:
            connection.send(b".\r\n")
            _expect(connection.getreply(), 250)
        except smtplib.SMTPResponseException as error:
            raise self._failure(error) from None
        except (smtplib.SMTPException, OSError) as error:
            raise ChannelUnknownError(
                f"email: {self._server.host} did not confirm a mail it has ({type(error).__name__})"
            ) from None

    def _failure(self, error: Exception) -> ChannelError:
        where = f"email: {self._server.host}:{self._server.port}"
        if isinstance(error, smtplib.SMTPResponseException):
            raw = error.smtp_error
            said = " ".join((raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)).split())
            reason = shorten(f"{where} said {error.smtp_code} {said}", 300)
            if error.smtp_code in _AUTHENTICATION:
                return ChannelNotConfiguredError(f"{reason}: check user and password")
            if error.smtp_code >= 500:
                return ChannelPermanentError(reason)
            return ChannelTemporaryError(reason)
        if isinstance(error, smtplib.SMTPNotSupportedError | ssl.SSLCertVerificationError):
            return ChannelNotConfiguredError(f"{where}: {error}: check security in [channels.email]")
        return ChannelTemporaryError(f"{where} cannot be reached ({type(error).__name__}: {error})")


def _expect(reply: tuple[int, bytes], *codes: int) -> None:
    if reply[0] == -1:
        raise smtplib.SMTPServerDisconnected("the server hung up")
    if reply[0] not in codes:
        raise smtplib.SMTPResponseException(*reply)


def _domain(sender: str) -> str:
    return parseaddr(sender)[1].rpartition("@")[2] or "localhost"


def as_html(outgoing: Outgoing) -> str:
    """Lay a message out with links as buttons. They lead to a page that asks, because mail scanners open links, too."""
    paragraphs = [f"<p>{html.escape(part).replace(chr(10), '<br>')}</p>" for part in outgoing.text.split("\n\n")]
    if outgoing.title:
        paragraphs.insert(0, f"<h2>{html.escape(outgoing.title)}</h2>")
    style = "display:inline-block;padding:8px 16px;margin-right:8px;border:1px solid #888;border-radius:4px"
    links = [
        f'<a href="{html.escape(button.url)}" style="{style}">{html.escape(button.label)}</a>'
        for button in outgoing.buttons
        if button.url
    ]
    if links:
        paragraphs.append(f"<p>{''.join(links)}</p>")
    return f"<!doctype html><html><body>{''.join(paragraphs)}</body></html>"

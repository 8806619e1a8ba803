"""A real SMTP server (aiosmtpd) whose answers a test chooses, or which stops answering."""
# ruff: noqa: ARG002, ARG004, N802 (hooks have aiosmtpd's names and arguments)

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from aiosmtpd.smtp import LoginPassword as Login

OK = "250 Message accepted for delivery"


class Mailbox:
    """Takes mails, or says what it was told to say instead."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.at_rcpt: deque[str] = deque()
        self.at_end: deque[str] = deque()
        self.hang_at_end = False
        self.hang_up_at_end = False
        self.ids: list[str] = []

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.at_rcpt:
            return self.at_rcpt.popleft()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        assert envelope.content.isascii(), "eight bits were not agreed upon"
        mail = message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        self.ids.append(str(mail["Message-ID"]))
        if self.hang_at_end:
            self.mails.append(mail)
            await asyncio.Event().wait()
        if self.hang_up_at_end and isinstance(server.transport, asyncio.Transport):
            server.transport.abort()
        if self.at_end:
            return self.at_end.popleft()
        self.mails.append(mail)
        return OK

    @staticmethod
    def authenticate(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        right = isinstance(data, Login) and (data.login, data.password) == (b"ann", b"right")
        return AuthResult(success=right, handled=False)


@asynccontextmanager
async def smtp_server(
    mailbox: Mailbox, *, auth: bool = False, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """Serves in the test's loop; gives the port."""
    made: list[SMTP] = []

    def session() -> SMTP:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that passwords without encryption are unwise
            made.append(
                SMTP(
                    mailbox,
                    hostname="mail.example",
                    authenticator=mailbox.authenticate if auth else None,
                    auth_required=auth,
                    auth_require_tls=starttls is not None,
                    tls_context=starttls,
                    require_starttls=starttls is not None,
                    loop=asyncio.get_running_loop(),
                )
            )
        return made[-1]

    server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for protocol in made:
            if protocol.transport is not None:
                protocol.transport.close()
            if protocol._handler_coroutine is not None:
                protocol._handler_coroutine.cancel()
        await server.wait_closed()

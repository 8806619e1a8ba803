"""Email against a real SMTP server: 4xx is temporary, 5xx permanent, and no reply after the last line unknown."""

from __future__ import annotations

import asyncio
import re
import socket
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from duly.channels.mail import EmailChannel, MailServer, Security
from duly.errors import ChannelError, ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.errors import ChannelUnknownError as Unknown
from duly.testing import VirtualClock
from tests.channels.fakes.certificates import certificate
from tests.channels.fakes.smtp import Mailbox, smtp_server
from tests.channels.samples import ASKING, NOW, PLAIN, QUICK


def channel_at(port: int, *, user: str | None = None, password: str | None = None, wait: float = 5.0) -> EmailChannel:
    server = MailServer("127.0.0.1", port, Security.NONE, user, password)
    return EmailChannel(server, "Duly <duly@example.org>", VirtualClock(NOW), timeout=wait)


def part(mail: EmailMessage, kind: str) -> str:
    found = mail.get_body((kind,))
    assert isinstance(found, EmailMessage)
    return str(found.get_content()).replace("\r\n", "\n")


async def test_a_mail_has_text_html_links_and_an_id_of_ours() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        channel = channel_at(port)
        receipt = await channel.send("ann@example.org", replace(ASKING, text="Did you <take> it?\n.\n..end"))
        (mail,) = mailbox.mails
        assert mail["Message-ID"] == receipt.message_id
        assert (mail["Subject"], mail["To"]) == ("Medicine", "ann@example.org")
        assert mail["Date"].datetime == NOW
        assert mail["Auto-Submitted"] == "auto-generated"
        assert part(mail, "plain") == (
            "Medicine\n\nDid you <take> it?\n.\n..end\n\n"
            "Done: https://duly.example/a/done\nLater: https://duly.example/a/snooze\n"
            "Skip: https://duly.example/a/dismiss\n"
        )
        assert '<a href="https://duly.example/a/done"' in part(mail, "html")
        assert "Did you &lt;take&gt; it?" in part(mail, "html")
        await channel.send("ann@example.org", replace(PLAIN, reply_to=receipt.message_id))
        assert mailbox.mails[1]["In-Reply-To"] == receipt.message_id
        assert not await channel.edit("ann@example.org", receipt.message_id or "", "no")
        await channel.close()


async def test_every_language_arrives() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        text = "Zeit für Medizin 💊\nПопио сам " + "č" * 2000
        await channel_at(port).send("ann@example.org", replace(PLAIN, title="Не заборави 💊", text=text))
        (mail,) = mailbox.mails
        assert mail["Subject"] == "Не заборави 💊"
        assert part(mail, "plain") == f"Не заборави 💊\n\n{text}\n"


async def test_a_retry_after_4xx_has_the_same_message_id() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        channel = channel_at(port)
        mailbox.at_end.append("451 4.3.0 try again later")
        mailbox.at_rcpt.append("450 4.2.1 greylisted")
        for reason in ("450 4.2.1 greylisted", "451 4.3.0 try again later"):
            with pytest.raises(ChannelTemporaryError, match=re.escape(reason)):
                await channel.send("ann@example.org", PLAIN)
        receipt = await channel.send("ann@example.org", PLAIN)
        assert mailbox.ids == [receipt.message_id] * 2, "the same over every attempt"
        assert len(mailbox.mails) == 1


@pytest.mark.parametrize("where", ["at_rcpt", "at_end"])
async def test_5xx_is_a_permanent_error(where: str) -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        getattr(mailbox, where).append("550 5.1.1 no such user")
        with pytest.raises(ChannelPermanentError, match=r"550 5\.1\.1 no such user"):
            await channel_at(port).send("ann@example.org", PLAIN)


async def test_no_reply_after_the_last_line_is_an_unknown_result() -> None:
    for silence in ("hang_at_end", "hang_up_at_end"):
        mailbox = Mailbox()
        setattr(mailbox, silence, True)
        async with smtp_server(mailbox) as port:
            with pytest.raises(Unknown, match="did not confirm"):
                await channel_at(port, wait=3.0 if silence == "hang_at_end" else 60.0).send("ann@example.org", PLAIN)
            assert len(mailbox.mails) == 1


async def test_no_reply_before_the_last_line_is_a_temporary_error() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    async with server:
        with pytest.raises(ChannelTemporaryError, match="cannot be reached"):
            await channel_at(server.sockets[0].getsockname()[1], wait=QUICK).send("ann@example.org", PLAIN)
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        with pytest.raises(ChannelTemporaryError, match="cannot be reached"):
            await channel_at(placeholder.getsockname()[1]).send("ann@example.org", PLAIN)


async def test_login_and_check() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox, auth=True) as port:
        right = channel_at(port, user="ann", password="right")  # noqa: S106
        assert await right.check() == f"127.0.0.1:{port} lets Duly <duly@example.org> in"
        await right.send("ann@example.org", PLAIN)
        assert len(mailbox.mails) == 1
        wrong = channel_at(port, user="ann", password="wrong-password")  # noqa: S106
        with pytest.raises(ChannelNotConfiguredError, match="check user and password") as refused:
            await wrong.send("ann@example.org", PLAIN)
        assert "wrong-password" not in f"{refused.value!r} {vars(wrong)!r}"
        with pytest.raises(ChannelNotConfiguredError):
            await channel_at(port).send("ann@example.org", PLAIN)


@pytest.mark.parametrize("security", [Security.STARTTLS, Security.TLS])
async def test_encrypted_with_a_password(security: Security, tmp_path: Path) -> None:
    serving, trusting = certificate(tmp_path, "127.0.0.1")
    mailbox = Mailbox()
    by_starttls = security is Security.STARTTLS

    async with smtp_server(
        mailbox, auth=True, starttls=serving if by_starttls else None, tls=None if by_starttls else serving
    ) as port:
        server = MailServer("127.0.0.1", port, security, "ann", "right")
        channel = EmailChannel(server, "duly@example.org", VirtualClock(NOW), timeout=60, tls=trusting)
        await channel.send("ann@example.org", PLAIN)
        assert len(mailbox.mails) == 1
        doubting = EmailChannel(server, "duly@example.org", VirtualClock(NOW), timeout=60)
        with pytest.raises(ChannelNotConfiguredError, match="certificate"):
            await doubting.send("ann@example.org", PLAIN)
        assert len(mailbox.mails) == 1


async def test_a_server_without_encryption_is_not_trusted_with_a_password() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        channel = EmailChannel(MailServer("127.0.0.1", port), "duly@example.org", VirtualClock(NOW), timeout=60)
        with pytest.raises(ChannelNotConfiguredError, match="check security"):
            await channel.check()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ann",
        "ann@",
        "ann@example.org\r\nBcc: eve@example.org",
        "a@example.org,b@example.org",
        "änn@example.org",
        "A <a@b.c>",
    ],
)
async def test_an_address_that_is_no_mailbox_is_refused_before_sending(address: str) -> None:
    with pytest.raises(ChannelError, match="email:"):
        await channel_at(1).send(address, PLAIN)


async def test_a_title_cannot_begin_a_header() -> None:
    mailbox = Mailbox()
    async with smtp_server(mailbox) as port:
        await channel_at(port).send("ann@example.org", replace(PLAIN, title="Hello\r\nBcc: eve@example.org"))
        (mail,) = mailbox.mails
        assert mail["Bcc"] is None
        assert mail["Subject"] == "Hello Bcc: eve@example.org"

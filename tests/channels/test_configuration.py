"""From `[channels.telegram]` to a channel: every fault names its key, and secrets are only ever referred to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duly.channels.configuration import make_channel
from duly.channels.kinds import INBOUND_KEYS, KINDS
from duly.errors import ChannelNotConfiguredError, DulyError, InvalidInputError
from duly.outbound.secrets import resolve
from duly.ports.channels import ProactiveDelivery
from duly.testing import VirtualClock
from tests.channels.fakes.secrets import SLACK_TOKEN, TELEGRAM_TOKEN
from tests.channels.fakes.slack import FakeSlack
from tests.channels.fakes.telegram import FakeTelegram
from tests.channels.samples import NOW, PLAIN, secrets_from

RESOLVE = secrets_from({"T": "geheim", "URL": "json://localhost", "EMPTY": " \n"})
WHOLE: dict[str, dict[str, Any]] = {
    "telegram": {"token": "env:T", "webhook_secret": "env:W", "timeout": 5},
    "discord": {"token": "env:T", "application_id": "42", "public_key": "00"},
    "slack": {"token": "env:T", "signing_secret": "env:S"},
    "whatsapp": {
        "token": "env:T",
        "phone_number_id": "1",
        "app_secret": "env:A",
        "verify_token": "env:V",
        "template": "duly_reminder",
        "template_language": "de",
        "template_buttons": 3,
        "template_always": True,
    },
    "email": {
        "host": "mail.example.org",
        "from": "duly@example.org",
        "user": "duly",
        "password": "env:T",
        "port": 2525,
    },
    "matrix": {"homeserver": "https://matrix.example.org", "token": "env:T"},
    "ntfy": {"token": "env:T", "base_url": "https://ntfy.example.org"},
    "webhook": {"secret": "env:T", "allow": ["10.0.0.0/8"]},
    "apprise": {"urls": {"phone": "env:URL"}},
}


def make(kind: str, settings: dict[str, Any]) -> ProactiveDelivery:
    return make_channel(kind, settings, resolve=RESOLVE, clock=VirtualClock(NOW))


def test_every_kind_can_be_made() -> None:
    assert set(WHOLE) == set(KINDS)
    for kind, settings in WHOLE.items():
        channel = make(kind, settings)
        assert channel.name == kind
        assert "geheim" not in repr(channel)
    assert set(INBOUND_KEYS) <= set(KINDS)


async def test_a_channel_made_from_a_section_sends() -> None:
    async with FakeTelegram() as telegram, FakeSlack() as slack:
        tokens = secrets_from({"TG": f"{TELEGRAM_TOKEN}\n", "SL": SLACK_TOKEN})
        clock = VirtualClock(NOW)
        first = make_channel("telegram", {"token": "env:TG", "base_url": telegram.url}, resolve=tokens, clock=clock)
        second = make_channel("slack", {"token": "env:SL", "base_url": slack.url}, resolve=tokens, clock=clock)
        assert (await first.send("7", PLAIN)).message_id == "7:100"
        assert (await second.send("C1", PLAIN)).message_id == "C1:1770000000.000000"
        await first.close()
        await second.close()


@pytest.mark.parametrize(
    ("kind", "settings", "error", "told"),
    [
        ("telegram", {}, ChannelNotConfiguredError, r'channels\.telegram\.token: is missing: write token = "env:NAME"'),
        ("telegram", {"token": "env:GONE"}, ChannelNotConfiguredError, r"channels\.telegram\.token: cannot be read"),
        ("telegram", {"token": "env:EMPTY"}, ChannelNotConfiguredError, r"channels\.telegram\.token: is empty"),
        ("telegram", {"token": 5}, InvalidInputError, r"channels\.telegram\.token: must be \"env:NAME\""),
        (
            "telegram",
            {"token": "env:T", "tiemout": 5},
            InvalidInputError,
            r"tiemout: is unknown: did you mean timeout\? channels.telegram takes base_url, ",
        ),
        (
            "telegram",
            {"token": "env:T", "timeout": 0},
            InvalidInputError,
            r"timeout: must be a number above 0, at most 1000000, got 0",
        ),
        ("telegram", {"token": "env:T", "timeout": True}, InvalidInputError, "timeout: must be a number"),
        (
            "telegram",
            {"token": "env:T", "base_url": "x"},
            InvalidInputError,
            "base_url: must be a URL that begins with https:// or http://, got 'x'",
        ),
        ("telegrm", {}, InvalidInputError, r"channels\.telegrm: is no channel: did you mean telegram\?"),
        ("pigeon", {}, InvalidInputError, "is no channel: there are apprise, discord"),
        ("whatsapp", {"token": "env:T"}, ChannelNotConfiguredError, r"channels\.whatsapp\.phone_number_id: is missing"),
        (
            "whatsapp",
            {"template_buttons": 4},
            InvalidInputError,
            "template_buttons: must be a whole number from 0 to 3",
        ),
        ("whatsapp", {"template_always": 1}, InvalidInputError, "template_always: must be true or false"),
        (
            "email",
            {"security": "rot13"},
            InvalidInputError,
            r"channels\.email\.security: must be one of 'starttls', 'tls'",
        ),
        ("email", {"host": ""}, InvalidInputError, r"channels\.email\.host: must be a text"),
        ("email", {"host": "x", "from": "Duly"}, InvalidInputError, r"channels\.email\.from: 'Duly' is no sender"),
        ("email", {}, ChannelNotConfiguredError, r"channels\.email\.host: is missing"),
        ("matrix", {}, ChannelNotConfiguredError, r"channels\.matrix\.homeserver: is missing"),
        (
            "webhook",
            {"secret": "env:T", "allow": "10.0.0.0/8"},
            InvalidInputError,
            "allow: must be a list of networks such as",
        ),
        ("webhook", {"secret": "env:T", "allow": ["ten"]}, InvalidInputError, r"channels\.webhook\.allow: 'ten'"),
        ("apprise", {}, ChannelNotConfiguredError, r"channels\.apprise\.urls: is missing: it must be a table"),
        ("apprise", {"urls": "x"}, InvalidInputError, r"channels\.apprise\.urls: must be a table, \[channels"),
        (
            "apprise",
            {"urls": {"a": "env:NO"}},
            ChannelNotConfiguredError,
            r"channels\.apprise\.urls\.a: cannot be read",
        ),
    ],
)
def test_every_fault_names_its_key(kind: str, settings: dict[str, Any], error: type[DulyError], told: str) -> None:
    with pytest.raises(error, match=told) as refused:
        make(kind, settings)
    assert "geheim" not in str(refused.value)


def test_the_error_about_a_secret_names_the_setting_once(tmp_path: Path) -> None:
    def read(reference: str) -> str:
        return resolve(reference, {}, "channels.telegram", tmp_path)

    for reference, reason in (
        ("env:GONE", "the environment variable GONE is not set"),
        ("file:gone", f"cannot read the file {tmp_path / 'gone'}: No such file or directory"),
    ):
        with pytest.raises(ChannelNotConfiguredError) as refused:
            make_channel("telegram", {"token": reference}, resolve=read, clock=VirtualClock(NOW))
        assert str(refused.value) == f"channels.telegram.token: {reason}"

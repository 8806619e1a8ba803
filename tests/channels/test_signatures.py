"""Verifying requests: forged, changed, old and repeated ones are refused, as the vendors' own verifiers do."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pywa.utils import webhook_updates_validator
from slack_sdk.signature import Clock as SlackClock
from slack_sdk.signature import SignatureVerifier

from duly.channels.inbound import (
    RecentMemory,
    verify_discord,
    verify_slack,
    verify_telegram,
    verify_whatsapp,
    whatsapp_challenge,
)
from duly.errors import ChannelNotConfiguredError, InboundRefusedError
from tests.channels.fakes.discord import FakeDiscord
from tests.channels.fakes.secrets import SLACK_SIGNING_SECRET, WHATSAPP_APP_SECRET
from tests.channels.fakes.whatsapp import FakeWhatsApp
from tests.channels.samples import NOW

STAMP = int(NOW.timestamp())
BODY = b'{"type":"x"}'
DISCORD = FakeDiscord()


def slack_headers(body: bytes, stamp: int = STAMP, secret: str = SLACK_SIGNING_SECRET) -> dict[str, str]:
    """Signed by Slack's own library."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=str(stamp), body=body)
    return {"x-slack-request-timestamp": str(stamp), "X-Slack-Signature": signature or ""}


def slack(headers: dict[str, str], body: bytes, memory: RecentMemory | None = None) -> None:
    verify_slack(SLACK_SIGNING_SECRET, headers, body, now=NOW, memory=memory)


def discord(headers: dict[str, str], body: bytes, memory: RecentMemory | None = None) -> None:
    verify_discord(DISCORD.public_key, headers, body, now=NOW, memory=memory)


Verify = Callable[[dict[str, str], bytes, RecentMemory | None], None]
Sign = Callable[[bytes, int], dict[str, str]]
DATED = pytest.mark.parametrize(
    ("verify", "sign"), [(slack, slack_headers), (discord, DISCORD.sign)], ids=["slack", "discord"]
)


@DATED
def test_a_genuine_request_passes_once(verify: Verify, sign: Sign) -> None:
    memory = RecentMemory()
    verify(sign(BODY, STAMP), BODY, memory)
    with pytest.raises(InboundRefusedError, match="came before"):
        verify(sign(BODY, STAMP), BODY, memory)
    verify(sign(BODY, STAMP + 1), BODY, memory)
    verify(sign(b"{}", STAMP), b"{}", memory)


@DATED
def test_another_spelling_of_a_signature_is_still_a_repetition(verify: Verify, sign: Sign) -> None:
    memory = RecentMemory()
    verify(sign(BODY, STAMP), BODY, memory)
    shouted = {name: value.upper() for name, value in sign(BODY, STAMP).items()}
    with pytest.raises(InboundRefusedError):
        verify(shouted, BODY, memory)


@DATED
@pytest.mark.parametrize("skew", [-301, 301, -86400])
def test_requests_with_an_old_or_future_time_are_refused(verify: Verify, sign: Sign, skew: int) -> None:
    with pytest.raises(InboundRefusedError, match="from our clock"):
        verify(sign(BODY, STAMP + skew), BODY, None)


@DATED
@pytest.mark.parametrize("skew", [-300, 0, 300])
def test_a_clock_may_be_a_little_wrong(verify: Verify, sign: Sign, skew: int) -> None:
    verify(sign(BODY, STAMP + skew), BODY, None)


@DATED
def test_forged_and_changed_requests_are_refused(verify: Verify, sign: Sign) -> None:
    memory = RecentMemory()
    genuine = sign(BODY, STAMP)
    forged: list[tuple[dict[str, str], bytes]] = [
        (genuine, b'{"type":"y"}'),
        ({}, BODY),
        (dict.fromkeys(genuine, ""), BODY),
        (
            {
                name: "v0=zz" if "ignature" in name and "imestamp" not in name else value
                for name, value in genuine.items()
            },
            BODY,
        ),
        (dict.fromkeys(genuine, "ü"), BODY),
        ({name: str(STAMP + 1) if "imestamp" in name else value for name, value in genuine.items()}, BODY),
    ]
    for headers, body in forged:
        with pytest.raises(InboundRefusedError, match="signature is wrong"):
            verify(headers, body, memory)
    verify(genuine, BODY, memory)


def test_another_key_is_refused() -> None:
    with pytest.raises(InboundRefusedError):
        discord(FakeDiscord().sign(BODY, STAMP), BODY)
    with pytest.raises(InboundRefusedError):
        slack(slack_headers(BODY, secret="another"), BODY)  # noqa: S106
    with pytest.raises(ChannelNotConfiguredError, match="public_key"):
        verify_discord("not hex", DISCORD.sign(BODY, STAMP), BODY, now=NOW)


def test_an_empty_secret_verifies_no_request() -> None:
    empty = hmac.new(b"", BODY, hashlib.sha256).hexdigest()
    with pytest.raises(InboundRefusedError):
        verify_whatsapp("", {"X-Hub-Signature-256": f"sha256={empty}"}, BODY)
    with pytest.raises(InboundRefusedError):
        verify_telegram("", {"X-Telegram-Bot-Api-Secret-Token": ""})
    with pytest.raises(InboundRefusedError):
        verify_telegram("", {})
    with pytest.raises(InboundRefusedError):
        whatsapp_challenge("", {"hub.mode": "subscribe", "hub.verify_token": "", "hub.challenge": "1"})
    mac = hmac.new(b"", f"v0:{STAMP}:".encode() + BODY, hashlib.sha256).hexdigest()
    with pytest.raises(InboundRefusedError):
        verify_slack("", {"X-Slack-Request-Timestamp": str(STAMP), "X-Slack-Signature": f"v0={mac}"}, BODY, now=NOW)


@settings(deadline=None)
@given(body=st.binary(max_size=50), flip=st.integers(0, 10_000), whose=st.sampled_from(["slack", "meta"]))
def test_we_agree_with_the_vendors_verifiers(body: bytes, flip: int, whose: str) -> None:
    """Over bodies of any kind, right and with one character of the signature changed."""
    body = body.decode("utf-8", "replace").encode()
    if whose == "meta":
        headers = FakeWhatsApp.sign(body)
        name = "X-Hub-Signature-256"
    else:
        headers = slack_headers(body)
        name = "X-Slack-Signature"
    if flip % 2:
        at = 7 + flip % 60
        wrong = "0" if headers[name][at] != "0" else "1"
        headers[name] = headers[name][:at] + wrong + headers[name][at + 1 :]
    try:
        if whose == "meta":
            verify_whatsapp(WHATSAPP_APP_SECRET, headers, body)
        else:
            slack(headers, body)
        ours = True
    except InboundRefusedError:
        ours = False

    class Frozen(SlackClock):
        def now(self) -> float:
            return STAMP

    theirs = (
        webhook_updates_validator(WHATSAPP_APP_SECRET, body, headers[name])
        if whose == "meta"
        else SignatureVerifier(SLACK_SIGNING_SECRET, Frozen()).is_valid_request(body, headers)
    )
    assert ours == theirs == (flip % 2 == 0)


def test_whatsapp_asks_whether_a_url_is_ours() -> None:
    query = {"hub.mode": "subscribe", "hub.verify_token": "mine", "hub.challenge": "1158201444"}
    assert whatsapp_challenge("mine", query) == "1158201444"
    for wrong in ({**query, "hub.verify_token": "theirs"}, {**query, "hub.mode": "other"}, {}):
        with pytest.raises(InboundRefusedError):
            whatsapp_challenge("mine", wrong)


def test_telegrams_secret_comes_in_a_header() -> None:
    verify_telegram("secret", {"x-telegram-bot-api-secret-token": "secret"})
    with pytest.raises(InboundRefusedError):
        verify_telegram("secret", {"x-telegram-bot-api-secret-token": "Secret"})


def test_memory_forgets_requests_that_are_refused_for_their_age() -> None:
    memory = RecentMemory(keep=600)
    assert memory.first_time("a", NOW)
    assert not memory.first_time("a", NOW + timedelta(seconds=600))
    assert memory.first_time("a", NOW + timedelta(seconds=601))

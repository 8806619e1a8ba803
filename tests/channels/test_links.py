"""Signed links: each gives back the answer it was signed for until it expires; any other text is refused."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.channels.inbound import _sign, sign_link, verify_link
from duly.errors import InboundRefusedError, InvalidInputError
from duly.ports.channels import ButtonKind
from tests.channels.samples import NOW

KEY = "link-key"
LATER = NOW + timedelta(days=7)
KINDS = st.sampled_from(list(ButtonKind))


@settings(deadline=None)
@given(token=st.text(min_size=1, max_size=30), kind=KINDS)
def test_a_signed_link_gives_back_its_token_and_answer(token: str, kind: ButtonKind) -> None:
    signed = sign_link(KEY, token, kind, LATER)
    assert re.fullmatch(r"[\w.~-]+", signed, re.ASCII), "needs no escaping anywhere in a URL"
    assert verify_link(KEY, signed, NOW) == (token, kind)


@settings(deadline=None)
@given(at=st.integers(0, 200), with_=st.sampled_from("aZ0.-_=é "))
def test_one_changed_character_is_refused(at: int, with_: str) -> None:
    signed = sign_link(KEY, "run_1:done", ButtonKind.DONE, LATER)
    at %= len(signed)
    changed = signed[:at] + with_ + signed[at + 1 :]
    if changed != signed:
        with pytest.raises(InboundRefusedError):
            verify_link(KEY, changed, NOW)


def test_expired_foreign_and_unsigned_links_are_refused() -> None:
    signed = sign_link(KEY, "run_1", ButtonKind.SNOOZE, LATER)
    assert verify_link(KEY, signed, LATER - timedelta(seconds=1))
    with pytest.raises(InboundRefusedError, match="expired at 2026-02-09 08:00 UTC"):
        verify_link(KEY, signed, LATER)
    with pytest.raises(InboundRefusedError, match="not one of ours"):
        verify_link("another", signed, NOW)
    for nonsense in ("", ".", "1.2.done.x", signed.rpartition(".")[0]):
        with pytest.raises(InboundRefusedError):
            verify_link(KEY, nonsense, NOW)
    with pytest.raises(InboundRefusedError, match="signed for something else"):
        verify_link(KEY, f"2.x.{_sign(KEY, '2.x')}", NOW)
    with pytest.raises(InvalidInputError, match="secret"):
        sign_link("", "run_1", ButtonKind.DONE, LATER)
    with pytest.raises(InboundRefusedError):
        verify_link("", signed, NOW)

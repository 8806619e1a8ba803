"""Buttons and messages that no channel could send are refused; texts are cut to the vendors' limits."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.channels.formats import linked, shorten, shorten_bytes, shorten_utf16, titled
from duly.errors import (
    ChannelError,
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
    InvalidInputError,
)
from duly.ports.channels import Button, ButtonKind, Outgoing
from tests.channels.samples import ASKING, PLAIN


def test_a_token_fits_every_vendor() -> None:
    Button(ButtonKind.DONE, "Done", "x" * 64)
    for token in ("", "x" * 65, "ü" * 33):
        with pytest.raises(InvalidInputError, match="1 to 64 bytes"):
            Button(ButtonKind.DONE, "Done", token)
    with pytest.raises(InvalidInputError, match="label"):
        Button(ButtonKind.DONE, " ", "x")


def test_a_message_has_a_text_and_a_key() -> None:
    with pytest.raises(InvalidInputError, match="text"):
        Outgoing(text=" \n", key="k")
    with pytest.raises(InvalidInputError, match="key"):
        Outgoing(text="x", key="")


@settings(deadline=None)
@given(text=st.text(), limit=st.integers(3, 40))
def test_a_text_is_cut_only_if_it_is_too_long(text: str, limit: int) -> None:
    sizes: dict[Callable[[str, int], str], Callable[[str], int]] = {
        shorten: len,
        shorten_utf16: lambda value: len(value.encode("utf-16-le")) // 2,
        shorten_bytes: lambda value: len(value.encode()),
    }
    for cut, size in sizes.items():
        short = cut(text, limit)
        assert size(short) <= limit
        assert short == text if size(text) <= limit else short.endswith("…")
        assert text.startswith(short.removesuffix("…").rstrip())


def test_titles_and_links_in_plain_text() -> None:
    assert titled(PLAIN) == linked(PLAIN) == "Take your medicine"
    assert linked(ASKING).splitlines()[-3:] == [
        "Done: https://duly.example/a/done",
        "Later: https://duly.example/a/snooze",
        "Skip: https://duly.example/a/dismiss",
    ]


def test_the_tree_of_channel_errors() -> None:
    assert issubclass(ChannelNotConfiguredError, ChannelPermanentError)
    for kind in (ChannelTemporaryError, ChannelPermanentError, ChannelUnknownError):
        assert issubclass(kind, ChannelError)
    again = pickle.loads(pickle.dumps(ChannelTemporaryError("wait", 7.5)))  # noqa: S301
    assert (str(again), again.retry_after) == ("wait", 7.5)

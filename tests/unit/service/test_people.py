"""A request may only name a channel that is configured."""

from __future__ import annotations

from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.service.people.people import check_channel

KNOWN = {"inbox": 1, "telegram": 2}


@pytest.mark.parametrize(
    ("channel", "complaint"),
    [
        ("telegrm", "channel 'telegrm' is not configured: did you mean telegram\\?"),
        ("pigeon", "channel 'pigeon' is not configured: add \\[channels.pigeon\\] .*; there is inbox, telegram"),
        ("", "channel must be a text that is not empty, got ''"),
        (["inbox"], "channel must be a text that is not empty, got \\['inbox'\\]"),
    ],
)
def test_an_unknown_channel_is_refused_with_a_hint(channel: Any, complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        check_channel(channel, KNOWN)


def test_a_configured_channel_passes_and_so_does_no_channel() -> None:
    check_channel("inbox", KNOWN)
    check_channel(None, KNOWN)
    check_channel("anything", None)

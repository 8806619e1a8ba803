"""The environment of spawned processes: which variables they get, and which of these are secret."""

from __future__ import annotations

import pytest

from duly.agents.environment import allowed, secrets_among

ENVIRON = {"PATH": "/bin", "LC_ALL": "C", "KEY": "k", "KEYRING": "r", "DULY_TOKEN": "t", "DULY_STORE": "s", "EMPTY": ""}


@pytest.mark.parametrize(
    ("names", "handed_on"),
    [
        ((), {"PATH", "LC_ALL"}),
        (("KEY",), {"PATH", "LC_ALL", "KEY"}),
        (("KEY*",), {"PATH", "LC_ALL", "KEY", "KEYRING"}),
        (("*",), {"PATH", "LC_ALL", "KEY", "KEYRING", "EMPTY"}),
        (("D*", "DULY_*"), {"PATH", "LC_ALL"}),
        (("DULY_STORE",), {"PATH", "LC_ALL", "DULY_STORE"}),  # in so many words
    ],
)
def test_a_process_gets_the_variables_that_were_named_and_no_pattern_names_those_of_duly(
    names: tuple[str, ...], handed_on: set[str]
) -> None:
    assert set(allowed(ENVIRON, names)) == handed_on


def test_a_value_is_secret_by_its_name_or_by_its_source_unless_it_is_short() -> None:
    handed_on = {"API_KEY": "12345678", "SHORT_KEY": "1234567", "PLAIN": "abcdefgh", "MINE": "12345678-and-more"}
    assert secrets_among(handed_on, {"MINE": "env:X", "PLAIN": "abcdefgh"}) == {"12345678-and-more", "12345678"}


def test_the_password_of_a_proxy_is_secret_encoded_and_decoded() -> None:
    found = secrets_among({"HTTPS_PROXY": "http://me:pass%2Fword@proxy:3128"}, {})
    assert found == {"pass%2Fword", "pass/word"}

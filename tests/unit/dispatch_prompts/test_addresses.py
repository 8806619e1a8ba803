"""Which addresses a webhook may call."""

from __future__ import annotations

import pytest

from duly.dispatch.prompts.addresses import refusal, resolve
from duly.errors import InvalidInputError
from tests.support import run

PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.100.100.200",  # a metadata service
    "::1",
    "fd00:ec2::254",  # another one
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::",  # 6to4 around 127.0.0.1
    "64:ff9b::a00:1",  # NAT64 around 10.0.0.1
]
NEVER = [
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "0.0.0.0",  # noqa: S104  to be refused, not bound
    "::",
    "224.0.0.1",
    "ff02::1",
    "::ffff:169.254.169.254",
]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_the_house_is_called_only_if_that_is_meant(address: str) -> None:
    assert "a private address" in (refusal(address, allow_private=False) or "")
    assert refusal(address, allow_private=True) is None


@pytest.mark.parametrize("address", NEVER)
@pytest.mark.parametrize("allow_private", [True, False])
def test_some_are_never_called(address: str, allow_private: bool) -> None:
    assert "never called" in (refusal(address, allow_private=allow_private) or "")


@pytest.mark.parametrize("address", PUBLIC)
def test_the_world_is_open(address: str) -> None:
    assert refusal(address, allow_private=False) is None


@run
async def test_a_host_nobody_knows() -> None:
    with pytest.raises(InvalidInputError, match=r"url: nobody\.invalid cannot be resolved"):
        await resolve("nobody.invalid", 80, allow_private=True, key="url")

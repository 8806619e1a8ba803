"""The addresses that duly calls for a user: public ones, and others only if the configuration allows them."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import InvalidInputError
from duly.outbound.addresses import (
    HostRefusedError,
    HostUnknownError,
    Resolver,
    UrlRefusedError,
    UserUrl,
    addresses_of,
    is_never_called,
    is_public,
    may_be_called,
    networks,
    reached_through,
)

PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.9.9",
    "192.168.1.1",
    "100.64.0.1",
    "192.0.0.8",
    "255.255.255.255",
    "::1",
    "::127.0.0.1",
    "fd12::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::",  # 6to4 around 127.0.0.1
    "64:ff9b::a00:1",  # NAT64 around 10.0.0.1
    "64:ff9b:1::a00:1",
]
NEVER = [
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "fe80::1",
    "0.0.0.0",  # noqa: S104  to be refused, not bound
    "::",
    "224.0.0.1",
    "ff02::1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "2001:0:4136:e378:8000:63bf:5601:5601",  # Teredo around 169.254.169.254
]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]


def _found(*addresses: str) -> Resolver:
    async def resolver(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolver


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_private_address_is_called_only_if_the_configuration_allows_it(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    with pytest.raises(HostRefusedError, match=r"host leads to .*, which is not public") as refused:
        await addresses_of("host", 80, resolver=_found(address))
    assert refused.value.allowable
    there = [ipaddress.ip_address(address)]
    assert await addresses_of("host", 80, allow_private=True, resolver=_found(address)) == there
    its_own = networks([str(each) for each in reached_through(ipaddress.ip_address(address))], "allow")
    assert await addresses_of("host", 80, allowed=its_own, resolver=_found(address)) == there


@pytest.mark.parametrize("address", NEVER)
async def test_services_of_the_cloud_and_of_the_network_are_never_called(address: str) -> None:
    assert is_never_called(ipaddress.ip_address(address))
    everything = networks(["0.0.0.0/0", "::/0"], "allow")
    with pytest.raises(HostRefusedError, match="which is never called") as refused:
        await addresses_of("host", 80, allow_private=True, allowed=everything, resolver=_found(address))
    assert not refused.value.allowable


async def test_an_address_with_an_interface_is_checked_without_it() -> None:
    with pytest.raises(HostRefusedError, match="never called"):
        await addresses_of("host", 80, allow_private=True, resolver=_found("fe80::1%eth0"))


@pytest.mark.parametrize("address", PUBLIC)
async def test_a_public_address_may_be_called(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
    assert await addresses_of("host", 80, resolver=_found(address)) == [ipaddress.ip_address(address)]


async def test_one_bad_address_refuses_the_host() -> None:
    with pytest.raises(HostRefusedError, match=r"host leads to 10\.0\.0\.1"):
        await addresses_of("host", 80, resolver=_found("93.184.216.34", "10.0.0.1"))


async def test_a_host_without_an_address_is_told_from_one_that_is_refused() -> None:
    with pytest.raises(HostUnknownError, match=r"unknown\.invalid has no address at the moment"):
        await addresses_of("unknown.invalid", 80)
    with pytest.raises(HostUnknownError, match="host has no address at the moment"):
        await addresses_of("host", 80, resolver=_found())
    with pytest.raises(HostRefusedError, match="is no name of a host"):
        await addresses_of("a" * 64 + ".example", 80)


@pytest.mark.parametrize(
    ("text", "authority", "port", "target"),
    [
        ("https://host", "host", 443, "/"),
        ("HTTP://Host/a%2Fb?x=1#part", "host", 80, "/a%2Fb?x=1"),
        ("http://host:8080/", "host:8080", 8080, "/"),
        ("http://[2606:2800:220:1::1]:81/x", "[2606:2800:220:1::1]:81", 81, "/x"),
        ("https://bücher.example/ü", "xn--bcher-kva.example", 443, "/ü"),
    ],
)
def test_a_url_is_taken_apart(text: str, authority: str, port: int, target: str) -> None:
    url = UserUrl.parse(text)
    assert (url.authority, url.port, url.target) == (authority, port, target)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must begin with http:// or https://"),
        ("file:///etc/passwd", "must begin with http:// or https://"),
        ("http://", "must begin with http:// or https://"),
        ("http://host:0/", "has a host or a port that cannot be"),
        ("http://host:99999/", "has a host or a port that cannot be"),
        ("http://[::1/", "has a host or a port that cannot be"),
        ("http://a b/", "has a host or a port that cannot be"),
        (f"http://{'ü' * 70}.example/", "is no name of a host"),
        ("https://me:pw@host/", "must not contain a password"),
    ],
)
def test_a_text_that_cannot_or_may_not_be_called_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UrlRefusedError, match=reason) as refused:
        UserUrl.parse(text)
    assert "pw" not in str(refused.value)


def test_a_network_of_the_configuration_is_checked() -> None:
    with pytest.raises(InvalidInputError, match=r"allow: '10/33' is no network such as 10\.0\.0\.0/8"):
        networks(["10/33"], "allow")


# every way to write an IPv4 address into one of IPv6

_TEREDO_SERVER = ipaddress.IPv4Address("65.54.227.120")


def _embeddings(inner: ipaddress.IPv4Address, more: int) -> dict[str, ipaddress.IPv6Address]:
    """Wrap an address in all known ways; `more` fills the bits that mean nothing."""
    number = int(inner)
    base = int(ipaddress.IPv6Address("64:ff9b:1::"))
    fill = more & 0xFFFFFFFF
    return {
        name: ipaddress.IPv6Address(value)
        for name, value in {
            "mapped": 0xFFFF << 32 | number,
            "translated": 0xFFFF << 48 | number,
            "compatible": number,
            "NAT64": int(ipaddress.IPv6Address("64:ff9b::")) | number,
            "local NAT64 at 48": base | number >> 16 << 64 | (number & 0xFFFF) << 40 | fill & 0xFFFFFF,
            "local NAT64 at 56": base | more % 256 << 72 | number >> 24 << 64 | (number & 0xFFFFFF) << 32 | fill,
            "local NAT64 at 64": base | more % 65536 << 64 | number << 24 | fill & 0xFFFFFF,
            "local NAT64 at 96": base | more % 65536 << 64 | number,
            "6to4": 0x2002 << 112 | number << 80 | more % (1 << 80),
            "Teredo": 0x20010000 << 96 | int(_TEREDO_SERVER) << 64 | more % (1 << 32) << 32 | number ^ 0xFFFFFFFF,
            "Teredo's server": 0x20010000 << 96 | number << 64 | more % (1 << 64),
            "ISATAP": 0x20010DB7 << 96 | more % 65536 << 64 | 0x5EFE << 32 | number,
            "ISATAP of a global address": 0x26064700 << 96 | 0x02005EFE << 32 | number,
        }.items()
    }


_FORBIDDEN = [ipaddress.IPv4Network(each) for each in ("169.254.0.0/16", "224.0.0.0/4", "100.100.100.200/32")]
_FORBIDDEN += [ipaddress.IPv4Network(each) for each in ("192.0.0.192/32", "168.63.129.16/32")]
_INSIDE = [ipaddress.IPv4Network(each) for each in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


def _in(network: ipaddress.IPv4Network, place: int) -> ipaddress.IPv4Address:
    return network[place % network.num_addresses]


@given(st.sampled_from(_FORBIDDEN), st.integers(min_value=0), st.integers(min_value=0, max_value=2**80))
def test_whatever_wraps_a_forbidden_address_is_never_called(
    network: ipaddress.IPv4Network, place: int, more: int
) -> None:
    for name, wrapped in _embeddings(_in(network, place), more).items():
        assert is_never_called(wrapped), (name, wrapped)
        assert not is_public(wrapped), (name, wrapped)


@given(st.sampled_from(_INSIDE), st.integers(min_value=0), st.integers(min_value=0, max_value=2**80))
def test_whatever_wraps_a_private_address_is_not_public(network: ipaddress.IPv4Network, place: int, more: int) -> None:
    for name, wrapped in _embeddings(_in(network, place), more).items():
        assert not is_public(wrapped), (name, wrapped)


@pytest.mark.parametrize(
    "address",
    [
        "fd20:ce::254",
        "fd00:ec2::23",
        "fd00:ec2::250",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
        "fd00:a9fe:a9fe::1",
        "fd00:100::100:200",
        "::169.254.169.254",
        "::ffff:0:169.254.169.254",
        "64:ff9b:1::a9fe:a9fe",
        "64:ff9b:1:a9fe:a9:fe00::",
    ],
)
async def test_metadata_services_by_ipv6_are_never_called(address: str) -> None:
    its_own = networks([str(each) for each in reached_through(ipaddress.ip_address(address))], "allow")
    with pytest.raises(HostRefusedError, match="never called") as refused:
        await addresses_of("host", 80, allow_private=True, allowed=its_own, resolver=_found(address))
    assert not refused.value.allowable


@pytest.mark.parametrize(
    "address",
    [
        "3fff::1",
        "3fff:fff:ffff::1",
        "2001:db8::1",
        "2606:4700::5efe:808:808",  # ISATAP, even around a public address
        "2606:4700::200:5efe:808:808",
        "64:ff9b:1::808:808",
        "::8.8.8.8",
        "::ffff:0:8.8.8.8",
    ],
)
async def test_documentation_and_tunnels_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    with pytest.raises(HostRefusedError, match="not public"):
        await addresses_of("host", 80, resolver=_found(address))


@given(st.integers(min_value=1 << 24, max_value=(1 << 32) - 1))
def test_what_wraps_a_public_address_is_public_where_the_internet_routes_it(number: int) -> None:
    inner = ipaddress.IPv4Address(number)
    wrapped = _embeddings(inner, 0)
    for name in ("mapped", "NAT64"):
        assert is_public(wrapped[name]) == is_public(inner), name


@pytest.mark.parametrize("outer", ["2001:db8::5efe:7f00:1", "fc00::5efe:7f00:1", "::127.0.0.1", "::ffff:0:7f00:1"])
async def test_what_is_wrapped_and_what_wraps_it_must_both_be_allowed(outer: str) -> None:
    for allow in (["127.0.0.0/8"], [outer]):
        with pytest.raises(HostRefusedError, match="which is not public"):
            await addresses_of("host", 80, allowed=networks(allow, "allow"), resolver=_found(outer))
    both = networks(["127.0.0.0/8", outer], "allow")
    assert await addresses_of("host", 80, allowed=both, resolver=_found(outer)) == [ipaddress.ip_address(outer)]


@given(st.ip_addresses(v=4), st.integers(0, (1 << 80) - 1), st.booleans())
def test_the_law_of_allowed_wrappers(inner: ipaddress.IPv4Address, more: int, allows_inner: bool) -> None:
    """Whatever is allowed, an address is called only if it and all that it wraps are public or allowed."""
    for name, outer in _embeddings(inner, more).items():
        allowed = [ipaddress.ip_network(inner if allows_inner else outer)]
        if may_be_called(outer, allowed) and not is_public(outer):
            assert all(is_public(each) or each in allowed[0] for each in reached_through(outer)[1:]), name
            if allows_inner:  # only what is nothing but the address that it wraps, or is public by itself
                assert name in ("mapped", "NAT64", "6to4") or name.startswith("Teredo"), name

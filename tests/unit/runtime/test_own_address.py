"""The address that workers get where the settings name none."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from duly.config.settings import Settings
from duly.runtime import own_address as module
from duly.runtime.own_address import own_address


def settings_of(**given: Any) -> Settings:
    return Settings(data_dir=Path("unused"), store="unused.db", **given)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", "http://127.0.0.1:7000"),
        ("::1", "http://[::1]:7000"),
        ("build.example", "http://build.example:7000"),
        ("10.1.2.3", "http://10.1.2.3:7000"),
    ],
)
def test_a_host_is_named_with_the_port_on_which_the_process_listens(host: str, expected: str) -> None:
    assert own_address(settings_of(host=host, port=0), 7000) == expected


def test_a_public_url_wins() -> None:
    settings = settings_of(host="0.0.0.0", port=0, public_url="https://duly.example")  # noqa: S104  only named
    assert own_address(settings, 7000) == "https://duly.example"


@pytest.mark.parametrize(("host", "family"), [("0.0.0.0", socket.AF_INET), ("::", socket.AF_INET6)])  # noqa: S104
def test_one_that_listens_everywhere_is_reached_where_it_says(host: str, family: socket.AddressFamily) -> None:
    with socket.create_server((host, 0), family=family) as listening:
        found = urlsplit(own_address(settings_of(host=host, port=0), listening.getsockname()[1]))
        assert found.hostname is not None
        assert not ipaddress.ip_address(found.hostname).is_unspecified
        socket.create_connection((found.hostname, found.port or 0), timeout=10).close()


@pytest.mark.parametrize(("host", "expected"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]")])  # noqa: S104
def test_a_machine_with_no_way_to_others_names_itself(
    host: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_towards_others", lambda _family: None)
    assert own_address(settings_of(host=host), 7000) == f"http://{expected}:7000"

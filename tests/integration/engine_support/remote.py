"""A PostgreSQL that may be hurt, and a line to it that may be cut."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.integration.engine_support.lab import Lab
from tests.integration.engine_support.proxy import Proxy
from tests.postgres_server import OwnServer, server

LEASE = 8.0
"""Of a node that has to let go a quarter of it before others take over: long enough on a machine that is busy."""


@cache
def own_server() -> OwnServer:
    """A server that may be hurt."""
    running = server()
    if not isinstance(running, OwnServer):
        running = OwnServer()
        atexit.register(running.close)
    return running


@contextmanager
def remote_laboratory(folder: Path) -> Iterator[Lab]:
    """A lab whose store is reached over TCP."""
    with own_server().database() as url:
        made = Lab(own_server().tcp_url(url), folder)
        try:
            yield made
        finally:
            made.close()


@contextmanager
def line() -> Iterator[Proxy]:
    """A line to the server that can be hurt."""
    made = Proxy(own_server().port)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab whose store is reached over TCP, for one test."""
    with remote_laboratory(tmp_path) as made:
        yield made


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A line to the server that can be hurt, for one test."""
    with line() as made:
        yield made


def through(proxy: Proxy, lab: Lab) -> str:
    """The store of a lab, reached over the line of a proxy."""
    return own_server().tcp_url(lab.url, proxy.port)

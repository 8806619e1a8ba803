"""A PostgreSQL server that tests may stop, and a proxy that cuts connections to it."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.integration.engine_support.process_cluster import ProcessCluster
from tests.integration.engine_support.proxy import Proxy
from tests.postgres_server import OwnServer, server

LEASE = 8.0
"""Of a node that has to let go a quarter of it before others take over: long enough on a machine that is busy."""


@cache
def own_server() -> OwnServer:
    """Return a server that tests may stop."""
    running = server()
    if not isinstance(running, OwnServer):
        running = OwnServer()
        atexit.register(running.close)
    return running


@contextmanager
def remote_cluster(folder: Path) -> Iterator[ProcessCluster]:
    """Make a cluster whose store is reached over TCP."""
    with own_server().database() as url:
        made = ProcessCluster(own_server().tcp_url(url), folder)
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
def cluster(tmp_path: Path) -> Iterator[ProcessCluster]:
    """A cluster whose store is reached over TCP, for one test."""
    with remote_cluster(tmp_path) as made:
        yield made


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A line to the server that can be hurt, for one test."""
    with line() as made:
        yield made


def through(proxy: Proxy, cluster: ProcessCluster) -> str:
    """The store of a cluster, reached over the line of a proxy."""
    return own_server().tcp_url(cluster.url, proxy.port)

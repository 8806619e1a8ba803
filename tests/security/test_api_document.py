"""Schemathesis reads the OpenAPI document and asks a real daemon, with all its checks.

It sends what the document allows and what it forbids, to every operation, and compares the answers with the document.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from duly.config.settings import ServerLimits
from duly.rest.api import openapi_document
from duly.rest.openapi import BASE
from tests.world import served

EXAMPLES = 8
ENDLESS = "followEvents"
"""Not asked: its answer is a stream that does not end. tests/integration/faces/test_rest.py follows it."""
TAKEN = ["2xx", "403", "404", "409", "412", "422"]
"""Answers to requests that the document allows. JSON Schema cannot say which words are a time, which names are free,
or which fields go together: such a request is refused with 422."""

CONFIG = SchemathesisConfig.from_dict({"checks": {"positive_data_acceptance": {"expected-statuses": TAKEN}}})
document = schemathesis.openapi.from_dict(openapi_document(), config=CONFIG).exclude(operation_id=ENDLESS)


@dataclass(frozen=True)
class Place:
    """Where a daemon serves, and a token for it."""

    url: str
    token: str


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A daemon in a thread of its own: Schemathesis waits for its answers."""
    found: list[Place] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def keep() -> None:
        limits = ServerLimits(requests_per_minute=10_000_000, connections_per_token=1000)
        async with served(tmp_path, limits=limits) as (here, address):
            found.append(Place(f"http://{address}{BASE}", await here.token("admin")))
            ready.set()
            await over.wait()

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(keep())
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(60)
    yield found[0]
    loop.call_soon_threadsafe(over.set)
    thread.join(60)


@document.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_the_document_says(case: Any, place: Place) -> None:
    case.call_and_validate(base_url=place.url, headers={"Authorization": f"Bearer {place.token}"})

"""Schemathesis reads the OpenAPI document and asks a real daemon, with all its checks.

It sends what the document allows and what it forbids, to every operation, and compares the answers with the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from duly.config.settings import ServerLimits
from duly.rest.api import openapi_document
from duly.rest.openapi import BASE
from tests.world import ServedPlace, served_in_thread

EXAMPLES = 8
ENDLESS = "followEvents"
"""Not asked: its answer is a stream that does not end. tests/integration/faces/test_rest.py follows it."""
TAKEN = ["2xx", "403", "404", "409", "412", "422"]
"""Answers to requests that the document allows. JSON Schema cannot say which words are a time, which names are free,
or which fields go together: such a request is refused with 422."""

CONFIG = SchemathesisConfig.from_dict({"checks": {"positive_data_acceptance": {"expected-statuses": TAKEN}}})
document = schemathesis.openapi.from_dict(openapi_document(), config=CONFIG).exclude(operation_id=ENDLESS)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[ServedPlace]:
    limits = ServerLimits(requests_per_minute=10_000_000, connections_per_token=1000)
    with served_in_thread(tmp_path, limits=limits) as found:
        yield found


@document.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_the_document_says(case: Any, place: ServedPlace) -> None:
    case.call_and_validate(base_url=place.url + BASE, headers={"Authorization": f"Bearer {place.token}"})

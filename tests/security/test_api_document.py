"""Schemathesis reads the OpenAPI document and asks a real daemon, with all its checks.

It sends what the document allows and what it forbids, to every operation, and compares the answers with the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.schemas import BaseSchema

from duly.config.settings import ServerLimits
from duly.operations.catalogue import operations
from duly.rest.answers import BASE
from duly.rest.api import openapi_document
from tests.integration.engine_support.waiting import PATIENCE
from tests.support import EXPLORING, tries
from tests.world import ServedPlace, served_in_thread

EXAMPLES = tries(12)
EVERY = 1 if EXPLORING else 8
"""Schemathesis works out about fifty cases for each operation, at the edges of what the document allows; `make test`
tries every eighth of them, `make chaos` all."""
ENDLESS = "followEvents"
"""Not asked: its answer is a stream that does not end. tests/integration/faces/test_rest.py follows it."""
TAKEN = ["2xx", "403", "404", "409", "412", "422"]
"""Answers to requests that the document allows. JSON Schema cannot say which words are a time, which names are free,
or which fields go together: such a request is refused with 422."""

CONFIG = SchemathesisConfig.from_dict(
    {"request-timeout": PATIENCE, "checks": {"positive_data_acceptance": {"expected-statuses": TAKEN}}}
)


@cache
def document() -> BaseSchema:
    load_all_checks()
    return schemathesis.openapi.from_dict(openapi_document(), config=CONFIG)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[ServedPlace]:
    limits = ServerLimits(requests_per_minute=10_000_000, connections_per_token=1000)
    with served_in_thread(tmp_path, limits=limits) as found:
        yield found


@pytest.mark.explored
@pytest.mark.parametrize("operation", [each.id for each in operations() if each.id != ENDLESS])
def test_answers_are_as_the_document_says(operation: str, place: ServedPlace) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=place.url + BASE, headers={"Authorization": f"Bearer {place.token}"})

    # As `document.parametrize()` does it, but now: it works out the cases of all operations while tests are collected.
    [found] = document().include(operation_id=operation).get_all_operations()
    assert isinstance(found, Ok)
    asking: Any = build_operation_test(
        config=document().config, operation=found.ok(), test_func=ask, given_kwargs={}, feedback=FeedbackSources()
    )
    asking.hypothesis_explicit_examples = asking.hypothesis_explicit_examples[::EVERY]
    asking()

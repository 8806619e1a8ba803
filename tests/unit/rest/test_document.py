"""The OpenAPI document is complete and true to its own schemas."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from duly.operations.ask import Operation
from duly.operations.catalogue import operations
from duly.rest.api import openapi_document
from duly.rest.problems import Problem
from duly.service.schedules.fields import OPTIONS, SETTINGS

DOCUMENT = openapi_document()


def _described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][operation.path][operation.method.lower()]
    return found


def _check(value: Any, schema: dict[str, Any]) -> None:
    whole = {**schema, "components": DOCUMENT["components"]}
    jsonschema.validate(value, whole, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("operation", operations(), ids=lambda each: each.id)
def test_an_operation_is_described_in_full(operation: Operation) -> None:
    described = _described(operation)
    assert described["operationId"] == operation.id
    assert described["summary"]
    assert described["description"]
    [answer] = described["responses"][str(operation.status)]["content"].values()
    if operation.media == "application/json":
        _check(answer["example"], answer["schema"])
    assert {"401", "403", "422", "429", "503"} <= set(described["responses"])
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = str(body.get("$ref", "")).rpartition("/")[2]
    for example in DOCUMENT["components"]["schemas"].get(name, {}).get("examples", ()):
        _check(example, body)


def test_operation_ids_are_unique() -> None:
    ids = [each.id for each in operations()]
    assert len(ids) == len(set(ids))


def test_every_problem_example_is_a_problem() -> None:
    for answer in DOCUMENT["components"]["responses"].values():
        [content] = answer["content"].values()
        _check(content["example"], content["schema"])
        Problem(**content["example"])


def test_every_setting_of_a_schedule_is_a_field_of_its_bodies() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert set(schemas["NewSchedule"]["properties"]) == set(SETTINGS)
    assert set(schemas["ScheduleChanges"]["properties"]) - {"message", *OPTIONS} == set(SETTINGS)
    for name in ("NewSchedule", "ScheduleChanges"):
        properties = schemas[name]["properties"]
        assert all(each.get("description") or each.get("anyOf") for each in properties.values())


def test_a_command_does_not_load_the_web_framework() -> None:
    code = "import sys, duly.cli.app, duly.cli.schedules, duly.client; print('fastapi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

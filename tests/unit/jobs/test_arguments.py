"""Arguments of jobs: one that contradicts its annotation is refused, every other one is accepted."""

from __future__ import annotations

import datetime as dt
import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest

from duly.jobs.functions import misfit

if TYPE_CHECKING:
    from collections.abc import Iterable


def typed(  # type: ignore[no-untyped-def]  # one parameter says nothing about itself
    count: int = 0,
    ratio: float = 0,
    text: str = "",
    flag: bool = False,
    many: list[int] | None = None,
    table: dict[str, list[str]] | None = None,
    choice: Literal["red", "blue", 3] = "red",
    noted: Annotated[int, "how many"] = 0,
    sloppy: int = None,  # type: ignore[assignment]  # noqa: RUF013  people write this
    day: dt.date | None = None,
    anything: Any = None,
    unknown=None,
    odd: [1, 2] = (),  # type: ignore[valid-type]
) -> None:
    """A job with every kind of parameter."""


def each(name: str, *values: object) -> list[tuple[str, object]]:
    return [(name, value) for value in values]


def fault(**args: Any) -> str | None:
    return misfit(typed, inspect.signature(typed), args)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *each("count", "3", 3.5, True, None, [3]),
        *each("ratio", "3", False),
        *each("text", 3, None, ["x"]),
        *each("flag", 1, "true"),
        *each("many", [1, "2"], {"1": 1}, "12"),
        *each("table", {"a": [1]}, {"a": "b"}, []),
        *each("choice", "green", 4),
        ("noted", "x"),
        ("sloppy", "x"),
    ],
)
def test_an_argument_that_contradicts_its_annotation_is_refused_by_name(name: str, value: object) -> None:
    told = fault(**{name: value})
    assert told is not None
    assert told.startswith(f"{name} must be ")
    assert told.endswith(f", got {value!r}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 3),
        *each("ratio", 3, 3.5),
        ("flag", True),
        *each("many", [], [1, 2], (1, 2), None),
        *each("table", {}, {"a": []}, {"a": ["b"]}, None),
        *each("choice", "blue", 3),
        *each("sloppy", None, 3),
        *each("day", "2026-01-01", None, 7),  # JSON has no dates: the function decides
        *((name, [object()]) for name in ("anything", "unknown", "odd", "not a parameter")),
    ],
)
def test_an_argument_that_fits_its_annotation_is_accepted(name: str, value: object) -> None:
    assert fault(**{name: value}) is None


def test_annotations_that_cannot_be_resolved_are_ignored() -> None:
    def hidden(items: Iterable[int], count: int) -> None: ...

    assert misfit(hidden, inspect.signature(hidden), {"items": 1, "count": "x"}) is None
    assert misfit(print, inspect.signature(print), {"sep": 3}) is None

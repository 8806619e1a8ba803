"""Actions name their handler, and refuse values that make no sense."""

from __future__ import annotations

import re
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.action import Job, Message, Priority, Prompt, SessionBehavior, Target


def test_each_action_names_its_handler() -> None:
    assert Job("report").handler == "job:report"
    assert Prompt(text="go").handler == "prompt:default"
    assert Prompt(text="go", spawner="claude").handler == "prompt:claude"
    assert Message(text="hi").handler == "message"


@pytest.mark.parametrize("empty", ["", " ", "\t\n", None, 5])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda value: Job(value), "job"),
        (lambda value: Prompt(text=value), "prompt"),
        (lambda value: Message(text=value), "message"),
        (lambda value: Target(value), "project_id"),
        (lambda value: Prompt(text="go", spawner=value), "spawner"),
    ],
    ids=["job", "prompt", "message", "target", "spawner"],
)
def test_an_empty_text_is_refused(make: Any, name: str, empty: object) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(f"{name} must not be empty, got {empty!r}")):
        make(empty)


def test_names_of_options_become_members_of_their_enum() -> None:
    assert Message(text="hi", priority="high").priority is Priority.HIGH
    assert Prompt(text="go", session_behavior="new").session_behavior is SessionBehavior.NEW
    with pytest.raises(InvalidInputError, match="priority must be one of 'low', 'normal', 'high', 'critical'"):
        Message(text="hi", priority="urgent")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="session_behavior must be one of 'resume', 'new'"):
        Prompt(text="go", session_behavior="fork")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "targets",
    [
        (Target("p"), Target("p")),
        (Target("p", "w"), Target("q"), Target("p", "w")),
        (Target("p"), Target("p", None)),
        (Target("p"), Target("p", "")),  # no workspace is the default one, however it is said
    ],
)
def test_a_repeated_target_is_refused(targets: tuple[Target, ...]) -> None:
    with pytest.raises(InvalidInputError, match="targets must not repeat"):
        Prompt(text="go", targets=targets)


def test_two_workspaces_of_one_project_are_different_targets() -> None:
    prompt = Prompt(text="go", targets=(Target("p"), Target("p", "w"), Target("q", "w")))
    assert len(prompt.targets) == 3


@pytest.mark.parametrize("count", [-1, 1.5, True, "3", None])
def test_the_retries_of_a_message_must_be_a_whole_number(count: Any) -> None:
    with pytest.raises(InvalidInputError, match="max_retries"):
        Message(text="hi", max_retries=count)

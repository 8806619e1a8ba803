"""Actions: which handler serves them, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.action import Job, Message, Priority, Prompt, SessionBehavior, Target


def test_each_names_the_handler_that_serves_it() -> None:
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
def test_nothing_may_be_empty(make: Any, name: str, empty: object) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(f"{name} must not be empty, got {empty!r}")):
        make(empty)


def test_words_become_members() -> None:
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
def test_a_target_is_named_once(targets: tuple[Target, ...]) -> None:
    with pytest.raises(InvalidInputError, match="targets must not repeat"):
        Prompt(text="go", targets=targets)


def test_workspaces_of_one_project_are_targets_of_their_own() -> None:
    prompt = Prompt(text="go", targets=(Target("p"), Target("p", "w"), Target("q", "w")))
    assert len(prompt.targets) == 3


@pytest.mark.parametrize("count", [-1, 1.5, True, "3", None])
def test_a_message_is_retried_a_whole_number_of_times(count: Any) -> None:
    with pytest.raises(InvalidInputError, match="max_retries"):
        Message(text="hi", max_retries=count)

"""Events of the known tools as lines for people, however the bytes arrive."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.agents.profile import Parse
from duly.agents.transcript import Said, Transcript, as_complaints, as_lines
from duly.ports.run_history import LineKind

TEXT = LineKind.TEXT
COMMAND = LineKind.COMMAND
WARNING = LineKind.WARNING
ERROR = LineKind.ERROR
NOTE = LineKind.NOTE


def told(*events: Any, parse: Parse = Parse.JSONL) -> list[Said]:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in events]
    transcript = Transcript(parse)
    return [*transcript.feed("".join(f"{line}\n" for line in lines).encode()), *transcript.end()]


def claude(kind: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "session_id": "0f8f", "message": {"role": kind, "content": list(blocks)}}


def test_claude() -> None:
    assert told(
        {"type": "system", "subtype": "init", "model": "claude-x", "session_id": "0f8f"},
        claude("assistant", {"type": "text", "text": "Reading the issues.\n\nThere are four."}),
        claude("assistant", {"type": "tool_use", "name": "Bash", "input": {"command": "gh issue view 482"}}),
        claude("user", {"type": "tool_result", "content": "a long answer", "is_error": False}),
        claude("assistant", {"type": "tool_use", "name": "Read", "input": {"file_path": "a.py", "limit": 3}}),
        claude(
            "user", {"type": "tool_result", "content": [{"type": "text", "text": "no such file"}], "is_error": True}
        ),
        {"type": "result", "is_error": False, "result": "There are four.", "total_cost_usd": 0.1},
    ) == [
        (NOTE, "claude-x · session 0f8f"),
        (TEXT, "Reading the issues."),
        (TEXT, "There are four."),
        (COMMAND, "gh issue view 482"),
        (COMMAND, "Read a.py"),
        (WARNING, "no such file"),
    ]


def test_codex() -> None:
    assert told(
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "turn.started"},
        {"type": "item.started", "item": {"type": "command_execution", "command": "ls", "status": "in_progress"}},
        {"type": "item.completed", "item": {"type": "command_execution", "command": "ls", "exit_code": 2}},
        {"type": "item.completed", "item": {"type": "file_change", "changes": [{"path": "a.py", "kind": "update"}]}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}},
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "turn.failed", "error": {"message": "401 Unauthorized"}},
    ) == [
        (NOTE, "session t1"),
        (COMMAND, "ls"),
        (WARNING, "exit code 2"),
        (COMMAND, "update a.py"),
        (TEXT, "Done."),
        (WARNING, "Reconnecting... 1/5"),
        (ERROR, "401 Unauthorized"),
    ]


def test_gemini_joins_the_parts_of_a_message() -> None:
    said = {"type": "message", "role": "assistant", "delta": True}
    assert told(
        {"type": "init", "model": "gemini-x", "session_id": "s"},
        {"type": "message", "role": "user", "content": "the prompt"},
        {**said, "content": "One li"},
        {**said, "content": "ne.\nAnother"},
        {"type": "tool_use", "tool_name": "run_shell_command", "parameters": {"command": "ls"}},
        {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"message": "not there"}},
        {**said, "content": "End."},
        {"type": "result", "status": "success", "stats": {}},
    ) == [
        (NOTE, "gemini-x · session s"),
        (TEXT, "One line."),
        (TEXT, "Another"),
        (COMMAND, "ls"),
        (WARNING, "not there"),
        (TEXT, "End."),
    ]


def test_opencode() -> None:
    tool = {"type": "tool", "tool": "bash", "state": {"status": "completed", "input": {"command": "ls"}}}
    assert told(
        {"type": "step_start", "part": {"type": "step-start"}},
        {"type": "text", "part": {"type": "text", "text": "Let me see."}},
        {"type": "tool_use", "part": tool},
        {"type": "step_finish", "part": {"cost": 1}},
        {"type": "error", "error": {"name": "E", "data": {"message": "API key is missing"}}},
    ) == [(TEXT, "Let me see."), (COMMAND, "ls"), (WARNING, "API key is missing")]


def test_the_model_is_noted() -> None:
    transcript = Transcript(Parse.JSONL)
    transcript.feed(b'{"type":"system","subtype":"init","model":"claude-x"}\n')
    assert transcript.model == "claude-x"


def test_plain_lines_and_events_of_unknown_kinds_are_shown_as_they_are() -> None:
    assert told("Loaded cached credentials.", "{no json", {"type": "new.kind", "x": 1}) == [
        (TEXT, "Loaded cached credentials."),
        (TEXT, "{no json"),
        (NOTE, '{"type": "new.kind", "x": 1}'),
    ]
    assert told("plain", '{"type":"text"}', parse=Parse.TEXT) == [(TEXT, "plain"), (TEXT, '{"type":"text"}')]


def test_one_object_at_the_end_is_no_line() -> None:
    assert told('{"result": "x"}', parse=Parse.JSON) == []


def test_colours_and_control_characters_are_left_out() -> None:
    assert told("\x1b[31mred\x1b[0m\x00 and \x07bell\r", parse=Parse.TEXT) == [(TEXT, "red and bell")]


def test_warnings_are_told_apart() -> None:
    assert as_lines("warning: 12 of 60 left") == [(WARNING, "warning: 12 of 60 left")]
    assert as_complaints([(TEXT, "Error: no"), (TEXT, "loading")]) == [(WARNING, "Error: no"), (NOTE, "loading")]


def test_a_long_line_is_cut() -> None:
    [(kind, line)] = as_lines("x" * 10_000)
    assert kind is TEXT
    assert line == "x" * 4000 + "… (6000 characters more)"
    [(_, flood)] = told("y" * 3_000_000, parse=Parse.TEXT)
    assert len(flood) < 5000


@pytest.mark.parametrize("content", [None, 3, [], {}, [None], "text", [{"type": "tool_use"}]])
@pytest.mark.parametrize(
    "kind",
    [
        "system",
        "init",
        "assistant",
        "user",
        "result",
        "thread.started",
        "item.started",
        "item.completed",
        "turn.failed",
        "error",
        "message",
        "tool_use",
        "tool_result",
        "text",
        "reasoning",
    ],
)
def test_events_of_an_unexpected_shape_do_no_harm(kind: str, content: Any) -> None:
    fields = ("message", "item", "part", "error", "content", "errors", "result", "status", "role", "parameters")
    for event in ({"type": kind}, {"type": kind, **dict.fromkeys(fields, content)}):
        assert all(isinstance(line, str) for _, line in told(event))


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=30), max_size=8), st.data())
def test_the_lines_do_not_depend_on_how_the_bytes_arrive(lines: list[str], data: st.DataObject) -> None:
    whole = "".join(f"{line}\n" for line in lines).encode()
    for parse in (Parse.TEXT, Parse.JSONL):
        at_once = Transcript(parse)
        expected = [*at_once.feed(whole), *at_once.end()]
        in_parts = Transcript(parse)
        found: list[Said] = []
        rest = whole
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            found += in_parts.feed(rest[:size])
            rest = rest[size:]
        assert [*found, *in_parts.end()] == expected
        assert all("\n" not in line for _, line in found)

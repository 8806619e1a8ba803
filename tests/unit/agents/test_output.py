"""The output of tools: how it is read, and how much of it is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.agents import PRESETS
from duly.agents.output import Capture, ParsedOutput, Reader, last_object, session_name, shorten
from duly.agents.selectors import Selector, add_up
from tests.support import tries


def read(preset: str, stdout: bytes, stderr: bytes = b"", chunk: int = 7) -> ParsedOutput:
    profile = PRESETS[preset]
    reader, out, err = Reader(profile), Capture(profile.output_cap), Capture(profile.output_cap)
    for start in range(0, len(stdout), chunk):
        out.feed(stdout[start : start + chunk])
        reader.feed(stdout[start : start + chunk])
    err.feed(stderr)
    return reader.parsed(out, err)


@given(parts=st.lists(st.binary(max_size=50), max_size=30), cap=st.integers(2, 64).map(lambda half: 2 * half))
def test_a_capture_keeps_both_ends_and_no_more(parts: list[bytes], cap: int) -> None:
    capture, everything = Capture(cap), b"".join(parts)
    for part in parts:
        capture.feed(part)
    assert capture.total == len(everything)
    assert capture.left_out == max(len(everything) - cap, 0)
    if not capture.left_out:
        assert capture.text == capture.tail == everything.decode("utf-8", "replace")
    else:
        assert capture.tail == everything[-(cap // 2) :].decode("utf-8", "replace")
        assert capture.text.startswith(everything[: cap // 2].decode("utf-8", "replace"))
        assert f"[… {capture.left_out} bytes left out …]" in capture.text


@given(text=st.text(max_size=400), limit=st.integers(120, 300))
def test_a_shortened_text_fits(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert (short == text) is (len(text) <= limit)


@settings(max_examples=tries(50))
@given(noise=st.binary(max_size=300), chunk=st.integers(1, 100), preset=st.sampled_from(sorted(PRESETS)))
def test_a_reader_survives_any_output(noise: bytes, chunk: int, preset: str) -> None:
    reply = read(preset, noise, noise, chunk)
    assert reply.session_id is None
    assert reply.cost_usd is None


@given(
    before=st.binary(max_size=100).filter(lambda noise: b"{" not in noise),
    text=st.text(),
    cost=st.floats(0, 1000),
    chunk=st.integers(1, 100),
)
def test_an_answer_is_found_behind_noise(before: bytes, text: str, cost: float, chunk: int) -> None:
    session = "0f8fad5b-d9cb-469f-a165-70867728950e"
    answer = {"result": text, "session_id": session, "total_cost_usd": cost, "is_error": False}
    reply = read("claude", before + b"\n" + json.dumps(answer, indent=2).encode() + b"\n", chunk=chunk)
    assert reply == ParsedOutput(text=text, session_id=session, cost_usd=cost)


def test_an_error_of_a_tool_is_found_even_if_the_tool_reports_success() -> None:
    assert read("claude", b'{"subtype": "success", "is_error": true, "result": "log in"}').error == "log in"
    assert read("claude", b'{"is_error": true}').error == "the tool reports an error"
    assert read("gemini", b"", b'warning\n{"error": {"message": "no auth", "code": 41}}').error == "no auth"
    assert read("codex", b'{"type": "turn.failed", "error": {"message": "401"}}').error == "401"


def test_a_connection_that_codex_restored_is_no_error() -> None:
    events = [
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
        {"type": "item.completed", "item": {"type": "command_execution", "text": "ls"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "last"}},
        {"type": "turn.completed", "usage": {"input_tokens": 2}},
    ]
    reply = read("codex", "\n".join(map(json.dumps, events)).encode())
    assert reply == ParsedOutput(text="last", session_id="t-1", usage={"input_tokens": 2})


def test_an_error_of_aider_counts_unless_an_answer_follows() -> None:
    failed = b"Aider v1\nlitellm.RateLimitError: slow down\nmore words\n"
    assert read("aider", failed).error == "litellm.RateLimitError: slow down\nmore words"
    overcome = read(
        "aider",
        failed + b"Repo-map: disabled\n\nHello\n\nTokens: 1k sent, 2 received. Cost: $0.01 message, $0.03 session.\n",
    )
    assert overcome == ParsedOutput(text="Hello", cost_usd=0.03)


def test_a_line_that_is_too_long_is_dropped_and_the_next_one_is_read() -> None:
    endless = b'{"type": "text", "part": {"text": "' + b"x" * 5_000_000
    reply = read(
        "opencode", endless + b'"}}\n{"type": "text", "sessionID": "ses_1", "part": {"text": "hi"}}', chunk=65536
    )
    assert reply == ParsedOutput(text="hi", session_id="ses_1")


@pytest.mark.parametrize(
    "value", ["--dangerous", "-x", "", " ", "a b", "../../etc", "a/b", "x" * 201, 5, None, "a\n", "ü"[:0]]
)
def test_a_session_that_is_not_fit_for_a_command_line_is_none(value: object) -> None:
    assert session_name(value) is None


@pytest.mark.parametrize("value", ["0f8fad5b-d9cb-469f-a165-70867728950e", "ses_0c07", "thread:1.2"])
def test_the_sessions_of_known_tools_are_accepted(value: str) -> None:
    assert session_name(value) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('warning\n{"a": 1}\n', {"a": 1}),
        ('{"a": 1}\n{"b": 2}', {"b": 2}),
        ('{"a": {\n"b": 1}\n}', {"a": {"b": 1}}),
        ('{"a": 1} and more', None),
        ("[1]", None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_the_json_object_at_the_end_of_an_output_is_found(text: str, found: Any) -> None:
    assert last_object(text) == found


@pytest.mark.parametrize(
    ("path", "document", "found"),
    [
        ("a.b", {"a": {"b": 1}}, [1]),
        ("a.b", {"a": 5}, []),
        ("a", {"a": None}, []),
        ("m.*.t", {"m": {"x": {"t": 1}, "y": {"t": 2}, "z": 3}}, [1, 2]),
        ("turn.completed:usage", {"type": "turn.completed", "usage": 1}, [1]),
        ("turn.completed:usage", {"type": "turn.started", "usage": 1}, []),
        ("t?i.k=m:i.x", {"type": "t", "i": {"k": "m", "x": 1}}, [1]),
        ("t?i.k=m:i.x", {"type": "t", "i": {"k": "n", "x": 1}}, []),
        ("errors.*|is_error", {"errors": ["a", "b"], "is_error": True}, ["a", "b"]),
        ("errors.*|is_error", {"errors": [], "is_error": True}, [True]),
        ("x:a|y:b", {"type": "y", "b": 2}, [2]),
    ],
)
def test_a_selector_finds_the_values_at_its_path(path: str, document: Any, found: list[Any]) -> None:
    assert Selector.parse(path, "key").find(document) == found


def test_numbers_are_added_up_and_objects_key_by_key() -> None:
    assert add_up([{"a": 1, "b": {"c": 2}}, {"a": 2, "b": {"c": 3}, "d": "x"}]) == {"a": 3, "b": {"c": 5}, "d": "x"}
    assert add_up([]) is None
    assert add_up([0.5, 1]) == 1.5
    assert add_up([True, 1]) == 1


@pytest.mark.parametrize("line", ["{},\n", '{"k": 1, "k":\n', '{"a": [\n'])
def test_an_output_with_a_hundred_thousand_beginnings_of_objects_is_read_at_once(line: str) -> None:
    assert last_object(line * 100_000) is None
    assert last_object(line * 100_000 + '\n{"answer": 42}\n \n') == {"answer": 42}

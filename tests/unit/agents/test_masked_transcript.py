"""Of a secret that a tool prints in its own format, nothing is left in what is kept, wherever reads are cut."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.agents.output import Capture, Reader
from duly.agents.presets import PRESETS
from duly.agents.profile import Parse
from duly.agents.transcript import Transcript
from duly.outbound.masking import Mask
from tests.support import some
from tests.unit.outbound.test_masking import LONGEST_LEFT, random_secret

Events = Callable[[str], list[dict[str, Any]]]


def _claude(secret: str) -> list[dict[str, Any]]:
    def said(kind: str, **block: Any) -> dict[str, Any]:
        return {"type": kind, "message": {"role": kind, "content": [block]}}

    return [
        {"type": "system", "subtype": "init", "model": "m", "session_id": "0f8f"},
        said("assistant", type="text", text=f"The key:\n{secret}\nand its JSON: {json.dumps({'key': secret})}"),
        said("assistant", type="tool_use", name="Bash", input={"command": f"curl -d {json.dumps(secret)}"}),
        said("user", type="tool_result", is_error=True, content=[{"type": "text", "text": f"KeyError: {secret!r}"}]),
        {"type": "stream_event", "event": {"delta": secret}},
        {"type": "unknown", "deep": json.dumps({"inner": json.dumps(secret)})},
        {"type": "result", "is_error": False, "result": f"I have {secret}", "session_id": "0f8f", "usage": {secret: 1}},
    ]


def _codex(secret: str) -> list[dict[str, Any]]:
    return [
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "item.started", "item": {"type": "command_execution", "command": f"echo '{secret}'"}},
        {"type": "item.completed", "item": {"type": "reasoning", "text": f"it is {secret}"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": f"I have {secret}"}},
        {"type": "error", "message": f"401: {json.dumps({'error': secret})}"},
    ]


def _gemini(secret: str) -> list[dict[str, Any]]:
    """The answer comes in parts, which may be cut in the middle of the secret."""
    parts = [f"I have {secret}"[start : start + 7] for start in range(0, len(secret) + 7, 7)]
    return [
        {"type": "init", "session_id": "s1", "model": "m"},
        {"type": "tool_use", "tool_name": "run", "parameters": {"command": f"echo {secret}"}},
        {"type": "tool_result", "status": "error", "output": secret},
        *({"type": "message", "role": "assistant", "content": part, "delta": True} for part in parts),
        {"type": "result", "status": "success", "stats": {"text": secret}},
    ]


def _opencode(secret: str) -> list[dict[str, Any]]:
    return [
        {"type": "tool_use", "part": {"tool": "bash", "state": {"input": {"command": secret}, "error": secret}}},
        {"type": "reasoning", "part": {"text": secret}},
        {"type": "text", "sessionID": "ses_1", "part": {"type": "text", "text": f"I have {secret}"}},
        {"type": "error", "error": {"data": {"message": json.dumps({"said": secret})}}},
    ]


FORMATS: dict[str, Events] = {"claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode}


def shown_of(tool: str, data: bytes, mask: Mask, cuts: list[int]) -> str:
    """Read an output as a run does; return all that is kept of it."""
    profile = PRESETS[tool]
    reader, transcript, capture = Reader(profile), Transcript(profile.parse, mask), Capture(profile.output_cap)
    masked = mask.stream()
    told: list[Any] = []

    def take(part: bytes) -> None:
        capture.feed(part)
        reader.feed(part)
        told.extend(transcript.feed(part))

    places = [0, *cuts, len(data)]
    for begin, end in pairwise(places):
        take(masked.feed(data[begin:end]))
    take(masked.end())
    told.extend(transcript.end())
    parsed = reader.parsed(capture, Capture(100))
    texts = [text for _, text in told]
    return "\n".join(
        [*texts, capture.text, mask.text(parsed.text or ""), mask.text(str(parsed.error)), str(mask.all(parsed.usage))]
    )


def pieces_left(secret: str, shown: str) -> list[str]:
    """Return the pieces of a secret that were left, and were not JSON or Python itself."""
    size = LONGEST_LEFT + 1
    pieces = {secret[start : start + size] for start in range(max(1, len(secret) - size + 1))}
    return [
        piece for piece in pieces if piece in shown or json.dumps(piece)[1:-1] in shown or repr(piece)[1:-1] in shown
    ]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("tool", FORMATS)
@given(st.integers(min_value=0, max_value=10**6), st.lists(st.integers(min_value=0, max_value=10**6), max_size=6))
def test_nothing_of_a_secret_is_left(tool: str, ascii_only: bool, seed: int, cuts: list[int]) -> None:
    secret = random_secret(Random(seed))
    lines = [json.dumps(event, ensure_ascii=ascii_only) for event in FORMATS[tool](secret)]
    data = ("\n".join(lines) + "\n").encode()
    shown = shown_of(tool, data, Mask([secret]), sorted(cut % (len(data) + 1) for cut in cuts))
    assert "I have [secret]" in shown
    assert pieces_left(secret, shown) == []


@pytest.mark.explored
@pytest.mark.parametrize("tool", FORMATS)
def test_cut_at_every_byte_it_is_the_same(tool: str) -> None:
    secret = random_secret(Random(2), kind=1)[:110]
    mask = Mask([secret])
    data = "".join(f"{json.dumps(event)}\n" for event in FORMATS[tool](secret)).encode()
    whole = shown_of(tool, data, mask, [])
    assert pieces_left(secret, whole) == []
    for cut in some(range(len(data)), 4):
        assert shown_of(tool, data, mask, [cut]) == whole, cut


@given(st.integers(min_value=0, max_value=10**6), st.integers(min_value=0, max_value=10**6))
def test_plain_text_is_masked_before_it_is_split_into_lines(seed: int, cut: int) -> None:
    secret = random_secret(Random(seed))
    mask = Mask([secret])
    data = f"first\n{secret}\nlast\n".encode()
    transcript, masked = Transcript(Parse.TEXT, mask), mask.stream()
    parts = [masked.feed(data[: cut % len(data)]), masked.feed(data[cut % len(data) :]), masked.end()]
    told = [line for part in parts for line in transcript.feed(part)] + transcript.end()
    assert [text for _, text in told] == ["first", "[secret]", "last"]

"""Secrets of several lines, and in JSON, are in nothing that a run leaves behind: a key file, an account."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from duly.agents import PromptError, SpawnerProfile
from duly.agents.profile import Parse
from duly.errors import RunSkippedError
from duly.model.action import Prompt
from tests.integration.prompts.support import Bench
from tests.integration.prompts.test_kept_output import KeptLines

_LINES = [base64.b64encode(Random(seed).randbytes(48)).decode() for seed in range(20)]
KEY = "\n".join(["-----BEGIN PRIVATE KEY-----", *_LINES, "-----END PRIVATE KEY-----"])
ACCOUNT = json.dumps({"type": "service_account", "private_key": KEY + "\n", "client": 'a"b\\c/d'}, indent=2)
_PRINT = """
import json, os, sys, time
key, account = os.environ["DEPLOY_KEY"], os.environ["ACCOUNT"]
wish = sys.argv[1]
out = sys.stdout.buffer
if wish == "plain":
    text = "the key:\\n" + key + "\\nthe account: " + account + "\\n" + repr(account) + "\\n" + json.dumps(key) + "\\n"
else:
    events = [
        {"session": "s-1", "text": "working"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "see " + key}]}},
        {"type": "tool", "said": json.dumps({"file": json.dumps({"content": account})})},
        {"text": "I have " + key + " and " + json.dumps(account), "usage": {"account": account}},
    ]
    text = "".join(json.dumps(event) + "\\n" for event in events)
data = text.encode()
step = int(sys.argv[2])
for start in range(0, len(data), step):
    out.write(data[start : start + step])
    out.flush()
sys.stderr.write("Traceback (most recent call last):\\nKeyError: " + repr(key) + "\\n" + account + "\\n")
sys.exit(int(sys.argv[3]))
"""


def _profile(wish: str, step: int, code: int) -> SpawnerProfile:
    events: dict[str, Any] = {
        "parse": Parse.JSONL,
        "text_path": "text",
        "usage_path": "usage",
    }
    return SpawnerProfile(
        name="printer",
        new=("python3", "-c", _PRINT, wish, str(step), str(code)),
        variables={"DEPLOY_KEY": "env:KEY", "ACCOUNT": "env:ACCOUNT"},
        **({} if wish == "plain" else events),
    )


def left_of(secrets: list[str], told: str) -> list[str]:
    """Return the pieces of secrets in a text, in it as it is and in JSON."""
    size = 24
    pieces = {each[start : start + size] for each in secrets for start in range(len(each) - size)}
    return [piece for piece in pieces if piece in told or json.dumps(piece)[1:-1] in told]


def everything(bench: Bench, kept: KeptLines, said: object) -> str:
    told = [event.data for event in bench.events]
    return f"{bench.memory.written} {bench.memory.rows} {json.dumps(told)} {kept.lines} {said}"


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("step", [1_000_000, 7])
@pytest.mark.parametrize("wish", ["plain", "events"])
async def test_nothing_that_a_run_leaves_has_the_secret(bench: Bench, wish: str, step: int, code: int) -> None:
    bench.environ |= {"KEY": KEY, "ACCOUNT": ACCOUNT}
    kept, said = KeptLines(), ""
    with suppress(PromptError):
        try:
            dispatcher = bench.dispatcher(_profile(wish, step, code), history=kept)
            said = json.dumps(await bench.run(Prompt(text="go"), dispatcher=dispatcher))
        except PromptError as error:
            said = str(error)
            raise
    told = everything(bench, kept, said)
    assert "[secret]" in told
    assert left_of([KEY, ACCOUNT], told) == []
    if code == 0:
        assert "I have [secret] and" in said or "the key:\\n[secret]" in said


@pytest.mark.parametrize("code", [0, 1, 130])
async def test_a_gate_may_print_a_secret_of_several_lines(bench: Bench, code: int) -> None:
    kept, said = KeptLines(), ""
    bench.environ["LC_TOKEN"] = KEY  # a gate gets few variables; this is one of them, and secret by its name
    gate = ["sh", "-c", f'echo "news: $LC_TOKEN"; printf "%s" "$LC_TOKEN" >&2; exit {code}']
    dispatcher = bench.dispatcher(gates={"news": gate}, history=kept)
    try:
        said = json.dumps(await bench.run(Prompt(text="go", gate="news"), dispatcher=dispatcher))
    except (PromptError, RunSkippedError) as error:
        said = str(error)
    told = everything(bench, kept, said)
    assert "[secret]" in told
    assert left_of([KEY], told) == []

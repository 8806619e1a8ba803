"""What agents print is kept for people: words, commands and warnings of every preset, without secrets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from duly.agents import PromptError
from duly.errors import RunSkippedError
from duly.model.action import Prompt
from duly.ports.run_history import KeptOutput, LineKind, OutputPiece, read_line
from tests.integration.prompts.support import TOOLS, Bench, at, own, preset
from tests.integration.prompts.test_gates import GATES


class KeptLines:
    """A history that remembers the lines of each target."""

    def __init__(self) -> None:
        self.lines: dict[str, list[tuple[LineKind, str]]] = {}
        self.kept: dict[str, KeptOutput] = {}

    async def append(self, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
        for output, piece in outputs:
            self.kept[output.target] = output
            for line in [] if piece is None else piece.text.splitlines():
                _, kind, text = read_line(line)
                self.lines.setdefault(output.target, []).append((kind, text))


@pytest.fixture
def kept() -> KeptLines:
    return KeptLines()


@pytest.mark.parametrize("tool", TOOLS)
async def test_the_words_of_every_tool_are_kept(bench: Bench, kept: KeptLines, tool: str) -> None:
    dispatcher = bench.dispatcher(history=kept)
    result = await bench.run(Prompt(text="go", spawner=tool, targets=at("api")), dispatcher=dispatcher)
    answer = result["targets"][0]["text"]
    assert (LineKind.TEXT, answer) in kept.lines["api"]
    assert kept.lines["api"][0][0] is LineKind.NOTE
    assert not [line for _, line in kept.lines["api"] if line.startswith("{")]
    assert kept.kept["api"].complete


async def test_commands_and_the_model_are_kept(bench: Bench, kept: KeptLines) -> None:
    await bench.run(Prompt(text="go", spawner="claude"), dispatcher=bench.dispatcher(history=kept))
    assert (LineKind.COMMAND, "git status --short") in kept.lines[""]
    [record] = await bench.memory.target_runs(own("run_1"))
    sent = json.loads(record.sent or "")
    folder = sent.pop("folder")
    assert folder
    assert sent == {"prompt": "go", "spawner": "claude", "program": "claude", "model": "claude-fake-1"}


@pytest.mark.parametrize("tool", ["claude", "gemini"])
async def test_a_configured_command_that_prints_one_object_goes_on_working(
    bench: Bench, kept: KeptLines, tool: str
) -> None:
    before = preset(tool)
    words = tuple("json" if word == "stream-json" else word for word in before.new if word != "--verbose")
    dispatcher = bench.dispatcher(replace(before, new=words), history=kept)
    result = await bench.run(Prompt(text="go", spawner=tool), dispatcher=dispatcher)
    assert f"{tool} heard 'go'" in result["targets"][0]["text"]


async def test_the_lines_of_a_gate_are_kept_apart_and_with_the_prompt(bench: Bench, kept: KeptLines) -> None:
    dispatcher = bench.dispatcher(gates=GATES, history=kept)
    await bench.run(Prompt(text="triage", gate="news"), dispatcher=dispatcher)
    assert kept.lines["gate"] == [
        (LineKind.NOTE, "gate news, added to the prompt:"),
        (LineKind.TEXT, "three new issues"),
    ]
    [record] = await bench.memory.target_runs(own("run_1"))
    sent = json.loads(record.sent or "")
    assert (sent["prompt"], sent["gate"]) == ("triage\n\nthree new issues", "three new issues")


async def test_a_run_that_a_gate_skips_keeps_nothing(bench: Bench, kept: KeptLines) -> None:
    with pytest.raises(RunSkippedError):
        await bench.run(Prompt(text="go", gate="nothing"), dispatcher=bench.dispatcher(gates=GATES, history=kept))
    assert kept.kept == {}


async def test_a_failure_is_the_last_line(bench: Bench, kept: KeptLines) -> None:
    with pytest.raises(PromptError):
        await bench.run(Prompt(text="[[exit=7]]"), dispatcher=bench.dispatcher(history=kept))
    assert kept.lines[""][-1] == (LineKind.ERROR, "something went wrong inside (exit code 7)")
    assert (LineKind.NOTE, "something went wrong inside") in kept.lines[""]


async def test_secrets_are_replaced_in_what_is_kept(bench: Bench, kept: KeptLines) -> None:
    bench.environ["ANTHROPIC_API_KEY"] = "sk-very-secret"
    await bench.run(Prompt(text="[[env]]", spawner="claude"), dispatcher=bench.dispatcher(history=kept))
    said = "".join(line for _, line in kept.lines[""])
    assert "ANTHROPIC_API_KEY" in said
    assert "sk-very-secret" not in said


async def test_a_flood_is_kept_within_its_bounds(bench: Bench, kept: KeptLines) -> None:
    dispatcher = bench.dispatcher(preset("claude", output_cap=20_000), history=kept)
    await bench.run(Prompt(text="[[flood=5]]", spawner="claude"), dispatcher=dispatcher)
    assert sum(len(line) for _, line in kept.lines[""]) <= 40_000
    assert "claude heard" in kept.lines[""][-1][1]

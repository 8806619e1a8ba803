"""The arguments of each preset, as the documentation of the tool has them."""

from __future__ import annotations

import pytest

from duly.agents import PRESETS
from duly.agents.templates import fill

VALUES = {
    "prompt": "PROMPT",
    "prompt_file": "/state/x.prompt",
    "session_id": "ID",
    "cwd": "/work",
    "name": "nightly",
    "state_dir": "/state",
    "model": None,
    "max_cost": None,
}
CHOSEN = {**VALUES, "model": "m1", "max_cost": "0.5"}

CLAUDE = "claude -p --output-format stream-json --verbose --permission-mode acceptEdits"
CODEX = "codex exec --json --skip-git-repo-check -C /work -s workspace-write"
GEMINI = "gemini -o stream-json --skip-trust --approval-mode auto_edit"
OPENCODE = "opencode run --format json --dir /work --auto"
AIDER = (
    "aider --message-file /state/x.prompt --yes-always --no-stream --no-pretty --chat-history-file /state/aider-ID.md"
)
ARGUMENTS = {
    ("claude", "new"): f"{CLAUDE} --session-id ID",
    ("claude", "resume"): f"{CLAUDE} --resume ID",
    ("claude", "fork"): f"{CLAUDE} --resume ID --fork-session",
    ("codex", "new"): f"{CODEX} -",
    ("codex", "resume"): f"{CODEX} resume ID -",
    ("codex", "fork"): f"{CODEX} fork ID -",
    ("gemini", "new"): f"{GEMINI} --session-id ID",
    ("gemini", "resume"): f"{GEMINI} -r ID",
    ("opencode", "new"): f"{OPENCODE} --title=nightly",
    ("opencode", "resume"): f"{OPENCODE} -s ID",
    ("opencode", "fork"): f"{OPENCODE} -s ID --fork",
    ("aider", "new"): AIDER,
    ("aider", "resume"): f"{AIDER} --restore-chat-history",
}
MODEL = {"claude": "--model m1", "codex": "-m m1", "gemini": "-m m1", "opencode": "-m m1", "aider": "--model m1"}


@pytest.mark.parametrize(("tool", "way"), ARGUMENTS)
def test_the_arguments_of_a_preset(tool: str, way: str) -> None:
    template = getattr(PRESETS[tool], way)
    assert fill(template, VALUES) == ARGUMENTS[tool, way].split()
    chosen = " ".join(fill(template, CHOSEN))
    assert MODEL[tool] in chosen
    assert ("--max-budget-usd 0.5" in chosen) is (tool == "claude")


def test_every_preset_is_tested() -> None:
    ways = {
        (name, way) for name, preset in PRESETS.items() for way in ("new", "resume", "fork") if getattr(preset, way)
    }
    assert ways == set(ARGUMENTS)

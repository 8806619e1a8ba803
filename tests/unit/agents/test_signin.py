"""Whether the tool of an agent is signed in, as far as it shows without running it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from duly.agents.presets import AIDER, CLAUDE, CODEX, GEMINI, OPENCODE
from duly.agents.profile import SpawnerProfile
from duly.agents.signin import SignIn, announced, read_announced, sign_in_of

FILES = {
    "claude": ".claude/.credentials.json",
    "codex": ".codex/auth.json",
    "gemini": ".gemini/oauth_creds.json",
    "opencode": ".local/share/opencode/auth.json",
}
KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.mark.parametrize("profile", [CLAUDE, CODEX, GEMINI, OPENCODE, AIDER], ids=lambda each: each.name)
def test_a_key_or_a_file_of_credentials_is_a_sign_in(profile: SpawnerProfile, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert sign_in_of(profile, home, "linux") is SignIn.NONE
    key = KEYS.get(profile.name, "OPENROUTER_API_KEY")
    assert sign_in_of(profile, {**home, key: "sk-x"}, "linux") is SignIn.KEY
    assert sign_in_of(profile, {**home, key: ""}, "linux") is SignIn.NONE
    assert sign_in_of(replace(profile, variables={key: "env:MINE"}), home, "linux") is SignIn.KEY
    if profile.name in FILES:
        file = tmp_path / FILES[profile.name]
        file.parent.mkdir(parents=True)
        file.write_text("{}", encoding="utf-8")
        assert sign_in_of(profile, home, "linux") is SignIn.FILE


def test_nothing_is_said_where_it_does_not_show(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert sign_in_of(CLAUDE, home, "darwin") is None  # in the keychain
    assert sign_in_of(CLAUDE, {}, "linux") is None
    assert sign_in_of(replace(CLAUDE, run_as="robot"), home, "linux") is None
    assert sign_in_of(replace(CLAUDE, new=("my-own-tool", *CLAUDE.new[1:])), home, "linux") is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".credentials.json").write_text("{}", encoding="utf-8")
    assert sign_in_of(CLAUDE, {**home, "CLAUDE_CONFIG_DIR": str(elsewhere)}, "linux") is SignIn.FILE
    # a key that the tool does not get counts for nothing
    assert sign_in_of(CLAUDE, {**home, "MY_ANTHROPIC_API_KEY": "sk-x"}, "linux") is SignIn.NONE


def test_a_node_announces_what_it_found() -> None:
    said = [announced("claude", SignIn.KEY), "spawner:claude", announced("my:own", SignIn.NONE)]
    assert read_announced(said) == {"claude": "key", "my:own": "none"}

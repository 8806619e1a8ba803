"""Profiles: one that cannot work is refused with the name of the wrong setting."""

from __future__ import annotations

import re
from typing import Any

import pytest

from duly.agents import PRESETS, SpawnerKind, SpawnerProfile, profile_from
from duly.agents.templates import fill
from duly.errors import InvalidInputError

PLAIN = {"new": ["tool"]}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "spawners.mine.new: must be a list of arguments"),
        ({"new": "tool -p"}, "spawners.mine.new: must be a list of arguments, not one text"),
        ({"new": []}, "spawners.mine.new: must be a list of arguments"),
        ({"new": ["tool", 5]}, "spawners.mine.new[1]: must be text"),
        ({"new": ["tool", ""]}, "spawners.mine.new[1]: must be text"),
        ({"new": ["tool", []]}, "spawners.mine.new[1]: must be text"),
        ({"new": ["tool", "a\0b"]}, "spawners.mine.new[1]: must be text"),
        ({"new": ["{prompt}"]}, "spawners.mine.new[0]: must be the program itself"),
        ({"new": [["tool"]]}, "spawners.mine.new[0]: must be the program itself"),
        ({"new": ["tool", "{secret}"]}, "spawners.mine.new[1]: cannot contain {secret}: there are cwd"),
        ({"new": ["tool", "{model}"]}, "spawners.mine.new[1]: cannot contain {model}: put it into an inner list"),
        ({"new": ["tool", "{prompt}"]}, "spawners.mine.new: hands the prompt over twice"),
        ({"new": ["tool"], "stdin": "none"}, "spawners.mine.new: never hands the prompt over"),
        ({"new": ["tool", "{session_id}"]}, "spawners.mine.new: cannot contain {session_id}"),
        ({**PLAIN, "session": "assigned"}, "spawners.mine.new: must contain {session_id}"),
        ({**PLAIN, "session": "parsed"}, "spawners.mine.session_path: is needed"),
        (
            {**PLAIN, "session": "parsed", "parse": "json", "session_path": "id"},
            "spawners.mine.resume: is needed to continue sessions",
        ),
        (
            {**PLAIN, "session": "parsed", "parse": "json", "session_path": "id", "on_resume": "fork"},
            "spawners.mine.fork: is needed to continue sessions",
        ),
        ({**PLAIN, "resume": ["tool"]}, "spawners.mine.resume: must contain {session_id}"),
        ({**PLAIN, "session": "maybe"}, "spawners.mine.session: must be one of 'assigned', 'parsed', 'none'"),
        ({**PLAIN, "stdin": "file"}, "spawners.mine.stdin: must be one of"),
        ({**PLAIN, "parse": "xml"}, "spawners.mine.parse: must be one of"),
        ({**PLAIN, "kind": "ssh"}, "spawners.mine.kind: must be one of"),
        ({**PLAIN, "parse": "json", "text_path": "a..b"}, "spawners.mine.text_path: must be a path"),
        (
            {**PLAIN, "parse": "json", "text_path": 5},
            "spawners.mine.text_path: must be a text that is not empty, got 5",
        ),
        ({**PLAIN, "usage_path": "a"}, "spawners.mine.usage_path: needs parse = 'json' or 'jsonl'"),
        ({**PLAIN, "text_path": "answer"}, "spawners.mine.text_path: needs one group"),
        ({**PLAIN, "cost_path": "("}, "spawners.mine.cost_path: is no regular expression"),
        ({**PLAIN, "cost_path": "cost"}, "spawners.mine.cost_path: needs one group"),
        ({**PLAIN, "gone": "("}, "spawners.mine.gone: is no regular expression"),
        ({**PLAIN, "timeout": 0}, "spawners.mine.timeout: must be a number of seconds above 0"),
        ({**PLAIN, "timeout": "1m"}, "spawners.mine.timeout: must be a number of seconds above 0"),
        ({**PLAIN, "timeout": float("nan")}, "spawners.mine.timeout: must be a number of seconds above 0"),
        ({**PLAIN, "output_cap": 5}, "spawners.mine.output_cap: must be a whole number from 1024 to 2147483647, got 5"),
        ({**PLAIN, "model": "--yolo"}, "spawners.mine.model: must be the name of a model"),
        ({**PLAIN, "env": "PATH"}, "spawners.mine.env: must be a list of names"),
        ({**PLAIN, "env": [5]}, "spawners.mine.env: must be a list of names"),
        ({**PLAIN, "variables": {"A": 5}}, "spawners.mine.variables: 'A' must be the name of a variable, with a text"),
        ({**PLAIN, "variables": {"A=B": "x"}}, "spawners.mine.variables: 'A=B' must be the name of a variable"),
        ({**PLAIN, "variables": {"A": "x\0"}}, "spawners.mine.variables: 'A' must be the name of a variable"),
        (
            {**PLAIN, "variables": ["A"]},
            "spawners.mine.variables: must be a table, [spawners.mine.variables], got ('A',)",
        ),
        ({**PLAIN, "env": ["A\0"]}, "spawners.mine.env: must be a list of names"),
        ({**PLAIN, "gone": 5}, "spawners.mine.gone: must be a text that is not empty, got 5"),
        ({**PLAIN, "gone": {}}, "spawners.mine.gone: must be a text that is not empty, got {}"),
        ({**PLAIN, "timeout": 10**400}, "spawners.mine.timeout: must be a number of seconds above 0, at most 2592000"),
        ({**PLAIN, "session_file": "{cwd}/x"}, "spawners.mine.session_file: may contain {session_id} and {state_dir}"),
        ({**PLAIN, "run_as": 5}, "spawners.mine.run_as: must be a text that is not empty, got 5"),
        ({**PLAIN, "run_as": ""}, "spawners.mine.run_as: must be a text that is not empty, got ''"),
        ({**PLAIN, "sandbox": "docker"}, "spawners.mine.sandbox: must be one of 'none', 'bwrap', got 'docker'"),
        ({**PLAIN, "sandbox": "bwrap", "network": "no"}, "spawners.mine.network: must be true or false, got 'no'"),
        ({**PLAIN, "network": False}, "spawners.mine.network: has no effect without a sandbox: set sandbox = 'bwrap'"),
        ({**PLAIN, "writable": ["~/.x"]}, "spawners.mine.writable: has no effect without a sandbox: set sandbox ="),
        (
            {**PLAIN, "sandbox": "bwrap", "writable": ["/"]},
            "spawners.mine.writable: must be a list of paths that begin",
        ),
        (
            {**PLAIN, "sandbox": "bwrap", "writable": ["x"]},
            "spawners.mine.writable: must be a list of paths that begin",
        ),
        (
            {**PLAIN, "sandbox": "bwrap", "writable": "~/x"},
            "spawners.mine.writable: must be a list of paths that begin",
        ),
        ({"kind": "callable", "call": "a:b", "run_as": "x"}, "spawners.mine.run_as: means nothing with kind ="),
        (
            {"kind": "webhook", "url": "https://x", "sandbox": "bwrap"},
            "spawners.mine.sandbox: means nothing with kind =",
        ),
        ({"preset": ["claude"]}, "spawners.mine.preset: must be one of 'aider', 'claude'"),
        ({"kind": "webhook", "url": "https://x", "allow_private": "false"}, "allow_private: must be true or false"),
        ({"kind": "webhook", "url": "https://x:99999/"}, "spawners.mine.url: has a host or a port that cannot be"),
        ({"kind": "webhook", "url": "http://[::1/"}, "spawners.mine.url: has a host or a port that cannot be"),
        ({"kind": "webhook", "url": "https://a b/"}, "spawners.mine.url: has a host or a port that cannot be"),
        ({"kind": "webhook", "url": "https://x", "secret": 5}, 'spawners.mine.secret: must be "env:NAME"'),
        ({**PLAIN, "url": "https://x"}, "spawners.mine.url: means nothing with kind = 'command'"),
        ({**PLAIN, "shell": True}, "spawners.mine.shell: is unknown: spawners.mine takes allow_private"),
        ({**PLAIN, "tiemout": 5}, "spawners.mine.tiemout: is unknown: did you mean timeout? spawners.mine takes"),
        ({"kind": "webhook"}, "spawners.mine.url: must begin with http:// or https://"),
        ({"kind": "webhook", "url": "file:///etc/passwd"}, "spawners.mine.url: must begin with http:// or https://"),
        ({"kind": "webhook", "url": "https://me:pw@x/"}, "spawners.mine.url: must not contain a password"),
        ({"kind": "webhook", "url": "https://x", "secret": "hush"}, 'spawners.mine.secret: must be "env:NAME"'),
        ({"kind": "webhook", "url": "https://x", "session": "parsed"}, "spawners.mine.session_path: is needed"),
        ({"kind": "webhook", "url": "https://x", "new": ["a"]}, "spawners.mine.new: means nothing"),
        ({"kind": "callable"}, "spawners.mine.call: must be 'module:function'"),
        ({"kind": "callable", "call": "os.system"}, "spawners.mine.call: must be 'module:function'"),
        ({"preset": "gpt"}, "spawners.mine.preset: must be one of 'aider', 'claude', 'codex', 'gemini', 'opencode'"),
    ],
)
def test_a_profile_that_cannot_work_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        profile_from("mine", settings, PRESETS)


@pytest.mark.parametrize("name", ["", "a b", "-x", "a/b", None])
def test_a_name_of_a_profile_has_only_plain_characters(name: Any) -> None:
    with pytest.raises(InvalidInputError, match="spawners: a name is letters"):
        SpawnerProfile(name=name, new=("tool",))


def test_a_secret_is_not_repeated_in_the_error() -> None:
    with pytest.raises(InvalidInputError) as refused:
        profile_from("mine", {"kind": "webhook", "url": "https://x", "secret": "hunter2"}, PRESETS)
    assert "hunter2" not in str(refused.value)


def test_settings_of_the_user_replace_those_of_a_preset() -> None:
    mine = profile_from("mine", {"preset": "claude", "model": "opus", "timeout": 60, "env": ["FOO_*"]}, PRESETS)
    assert (mine.name, mine.model, mine.timeout, mine.env) == ("mine", "opus", 60, ("FOO_*",))
    assert mine.resume == PRESETS["claude"].resume


def test_a_profile_needs_no_preset() -> None:
    settings = {"new": ["tool", "--ask", "{prompt}", ["-m", "{model}"]], "stdin": "none"}
    mine = profile_from("mine", settings, PRESETS)
    assert mine.kind is SpawnerKind.COMMAND
    values = {"prompt": "what is {cwd}?", "cwd": "/x", "model": None}
    assert fill(mine.new, values) == ["tool", "--ask", "what is {cwd}?"]
    assert fill(mine.new, {**values, "model": "m"}) == ["tool", "--ask", "what is {cwd}?", "-m", "m"]


def test_a_prompt_never_passes_for_an_option() -> None:
    assert fill(("tool", "{prompt}"), {"prompt": "--help"}) == ["tool", " --help"]
    assert fill(("tool", "--ask={prompt}"), {"prompt": "--help"}) == ["tool", "--ask=--help"]

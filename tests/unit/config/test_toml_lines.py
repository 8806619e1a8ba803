"""The lines of settings in their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.config.reading import load, located
from duly.config.toml_lines import find_line, first_key
from duly.errors import ConfigError, InvalidInputError

TEXT = """timezone = "UTC"   # [server]
[server]
port = 1

[projects."a/b"]
path = "x"
[projects]
c.path = 5
'd e' = { path = "y" }
words = [
  "[gates]",
  "port = 3", # ] is no end
]
text = \"\"\"
[butler]
name = "not this one" \\\"\"\"
\"\"\"
literal = \'\'\'
port = 7\'\'\'
[[butler.schedule]]
name = "a"
[[butler.schedule]]
name = "b"
[butler.schedule.retry]
max_attempts = 3
[[ butler . schedule ]]
cron = "\\"#[x]"
when = "y"
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("timezone", 1),
        ("server", 2),
        ("server.port", 3),
        ("server.colour", 2),
        ("projects.a/b", 5),
        ("projects.a/b.path", 6),
        ("projects", 7),
        ("projects.c.path", 8),
        ("projects.d e.path", 9),
        ("projects.words", 10),
        ("projects.text", 14),
        ("projects.literal", 18),
        ("butler.schedule[0].name", 21),
        ("butler.schedule[1]", 22),
        ("butler.schedule[1].name", 23),
        ("butler.schedule[1].retry.max_attempts", 25),
        ("butler.schedule[2].cron", 27),
        ("butler.schedule[2].when", 28),
        ("butler.schedule[2].timeout", 26),
        ("butler.name", 20),
        ("gates", None),
        ("gates.x", None),
    ],
)
def test_the_line_of_a_key_is_found(key: str, line: int | None) -> None:
    assert find_line(TEXT, key) == line


def test_a_sentence_may_begin_with_a_key() -> None:
    assert first_key(TEXT, "server.port must be a number") == "server.port"
    assert first_key(TEXT, "server.ports are unknown") == "server"
    assert first_key(TEXT, "unknown spawner 'x'") is None


FAULTS = [
    ("colour = 1", "1: colour: is unknown"),
    ('timezone = "UTC"\n[server]\nport = 70000', "3: server.port: must be a whole number"),
    ('timezone = "UTC"\nnot toml', "2: cannot be read: "),
    ('[butler]\nname = "h', "2: cannot be read: "),
    ('text = """\nwithout an end', "2: cannot be read: "),
    (
        '[butler]\nname = "h"\n[[butler.schedule]]\ncron = "* * * * *"',
        "3: butler.schedule[0].name: is missing: it must be a text",
    ),
    ('timezone = "UTC"\n[projects.blog]\n', "2: projects.blog.path: is missing: it must be a text"),
]


@pytest.mark.parametrize(("text", "told"), FAULTS)
def test_a_fault_has_its_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duly.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load({}, config="duly.toml")
    assert str(refused.value).startswith(f"duly.toml:{told}")
    assert (refused.value.file, refused.value.line) == ("duly.toml", int(told.partition(":")[0]))
    monkeypatch.chdir("/")
    with pytest.raises(ConfigError) as refused:
        load({}, config=str(tmp_path / "duly.toml"))
    assert str(refused.value).startswith(f"{tmp_path / 'duly.toml'}:{told}")


def test_other_faults_have_the_line_of_the_key_they_begin_with(tmp_path: Path) -> None:
    file = tmp_path / "duly.toml"
    known = located(InvalidInputError("server.port is not free"), file, TEXT)
    assert str(known) == f"{file}:3: server.port is not free"
    assert str(located(InvalidInputError("unknown spawner 'x'"), file, TEXT)) == f"{file}: unknown spawner 'x'"
    once = located(ConfigError("server.port", "is not free"), file, TEXT)
    assert located(once, file, TEXT) is once
    assert str(located(ConfigError("store", "no"), None, "")) == "store: no"

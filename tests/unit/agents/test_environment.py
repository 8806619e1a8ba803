"""What is handed on to spawned processes, and where secrets come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.agents.environment import allowed, fetch, secrets_among, without
from duly.errors import InvalidInputError

ENVIRON = {"PATH": "/bin", "LC_ALL": "C", "KEY": "k", "KEYRING": "r", "DULY_TOKEN": "t", "DULY_STORE": "s", "EMPTY": ""}


@pytest.mark.parametrize(
    ("names", "handed_on"),
    [
        ((), {"PATH", "LC_ALL"}),
        (("KEY",), {"PATH", "LC_ALL", "KEY"}),
        (("KEY*",), {"PATH", "LC_ALL", "KEY", "KEYRING"}),
        (("*",), {"PATH", "LC_ALL", "KEY", "KEYRING", "EMPTY"}),
        (("D*", "DULY_*"), {"PATH", "LC_ALL"}),
        (("DULY_STORE",), {"PATH", "LC_ALL", "DULY_STORE"}),  # in so many words
    ],
)
def test_only_what_was_named_and_never_ours_by_accident(names: tuple[str, ...], handed_on: set[str]) -> None:
    assert set(allowed(ENVIRON, names)) == handed_on


def test_a_secret_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(" hush\n", encoding="utf-8")
    assert fetch("env:KEY", ENVIRON, "key") == "k"
    assert fetch(f"file:{tmp_path / 'secret'}", ENVIRON, "key") == "hush"
    assert fetch("as it is", ENVIRON, "key") == "as it is"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("env:NONE", "spawners.x.secret names the variable NONE, which is not set"),
        ("env:EMPTY", "spawners.x.secret names the variable EMPTY, which is not set"),  # it would sign with nothing
        ("file:none", "spawners.x.secret names the file none, which cannot be read: No such file or directory"),
        ("file:empty", "spawners.x.secret names the file empty, which is empty"),
        ("file:binary", "spawners.x.secret names the file binary, which is no text in UTF-8"),
    ],
)
def test_a_secret_that_is_none_is_refused(
    reference: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match=words):
        fetch(reference, ENVIRON, "spawners.x.secret")


def test_secrets_are_told_by_their_names_and_by_where_they_come_from() -> None:
    handed_on = {"API_KEY": "12345678", "SHORT_KEY": "1234567", "PLAIN": "abcdefgh", "MINE": "12345678-and-more"}
    secrets = secrets_among(handed_on, {"MINE": "env:X", "PLAIN": "abcdefgh"})
    assert secrets == ["12345678-and-more", "12345678"]  # the longer one first, or its end would stay
    assert without(secrets, "12345678-and-more, 12345678, 1234567, abcdefgh") == "[secret], [secret], 1234567, abcdefgh"

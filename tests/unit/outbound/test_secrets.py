"""Secrets: read from the environment or from a file beside the configuration, and replaced in texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from duly.errors import ConfigError
from duly.outbound.masking import Mask
from duly.outbound.secrets import is_reference, resolve

ENVIRON = {"TOKEN": "from outside", "EMPTY": ""}


def test_a_secret_is_read_from_the_environment_or_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(" hush\n", encoding="utf-8")
    assert resolve("env:TOKEN", ENVIRON, "store") == "from outside"
    assert resolve(f"file:{tmp_path / 'secret'}", ENVIRON, "store") == "hush"


def test_a_text_that_names_no_secret_stands_for_itself() -> None:
    assert resolve("postgresql://host/db", ENVIRON, "store") == "postgresql://host/db"
    assert not is_reference("postgresql://host/db")
    assert is_reference("env:TOKEN")
    assert is_reference("file:token")


def test_a_relative_file_starts_from_the_folder_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("etc", "here", "home"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "secret").write_text(folder, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert resolve("file:secret", {}, "store", tmp_path / "etc") == "etc"
    assert resolve("file:~/secret", {}, "store", tmp_path / "etc") == "home"
    assert resolve("file:secret", {}, "store") == "here"  # without a configuration file


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("env:NONE", "the environment variable NONE is not set"),
        ("env:EMPTY", "the environment variable EMPTY is not set"),  # it would sign with nothing
        ("file:none", "cannot read the file {folder}/none: No such file or directory"),
        ("file:empty", "the file {folder}/empty is empty"),
        ("file:binary", "cannot read the file {folder}/binary: it is no text in UTF-8"),
    ],
)
def test_a_secret_that_cannot_be_read_is_refused_with_its_setting(reference: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    message = f"spawners.x.secret: {reason.format(folder=tmp_path)}"
    with pytest.raises(ConfigError, match=re.escape(message)):
        resolve(reference, ENVIRON, "spawners.x.secret", tmp_path)


def test_the_longer_of_two_secrets_is_replaced_first() -> None:
    secrets = {"12345678", "12345678-and-more", ""}
    assert Mask(secrets).text("12345678-and-more, 12345678, 1234567") == "[secret], [secret], 1234567"


def test_a_token_of_duly_is_always_replaced() -> None:
    assert Mask().text(f"found duly_{'a' * 43} in a file") == "found [secret] in a file"


def test_secrets_are_replaced_in_keys_values_and_numbers() -> None:
    usage = {"12345678": [1, "12345678"], "cost": 123456789, "ok": 12, "nothing": None}
    assert Mask(["12345678"]).all(usage) == {
        "[secret]": [1, "[secret]"],
        "cost": "[secret]",
        "ok": 12,
        "nothing": None,
    }

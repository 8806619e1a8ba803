"""`duly --server URL`: commands that a daemon elsewhere carries out, with the words they have on its own machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from duly.cli import BAD_INPUT, FAILED, OK
from duly.cli.app import run
from tests.world import ServedPlace, served_in_thread

Duly = Callable[..., str]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[ServedPlace]:
    with served_in_thread(tmp_path) as found:
        yield found


@pytest.fixture
def duly(place: ServedPlace, capsys: pytest.CaptureFixture[str]) -> Duly:
    """Runs a command at the daemon, and gives what it prints."""

    def command(*words: str, code: int = OK) -> str:
        assert run(["--server", place.url, f"--token={place.token}", *words]) == code, capsys.readouterr()
        printed = capsys.readouterr()
        return printed.out or printed.err

    return command


def test_schedules(duly: Duly) -> None:
    assert "news" in duly("schedule", "create", "news", "--cron", "0 7 * * *", "--prompt", "Read the news")
    assert "read-the-news" in duly("add", "weekdays at 8", "--prompt", "Read the news")
    assert "read-the-news-2" in duly("add", "weekdays at 9", "--prompt", "Read the news")
    shown = json.loads(duly("list", "--json"))
    assert [each["name"] for each in shown["items"]] == ["news", "read-the-news", "read-the-news-2"]
    assert "NAME" in duly("list")
    assert "daily" in duly("schedule", "update", "news", "--description", "daily", "--json")
    assert "description" not in json.loads(duly("schedule", "update", "news", "--clear", "description", "--json"))
    both = ("--description", "x", "--clear", "description")
    assert "one of the two" in duly("schedule", "update", "news", *both, code=BAD_INPUT)
    for verb in ("pause", "resume", "skip", "trigger"):
        assert "news" in duly("schedule", verb, "news")
    assert any(mark in duly("list") for mark in "…▁▇")
    assert "manual" in duly("schedule", "history", "news", "--json")
    [run_id] = [each["id"] for each in json.loads(duly("schedule", "history", "news", "--json"))["items"]][:1]
    assert run_id in duly("schedule", "run", run_id, "--json")
    assert run_id in duly("run", "show", run_id, "--json")
    made = json.loads(duly("schedule", "trigger", "news", "--json"))["id"]
    duly("schedule", "cancel", made)
    duly("run", "show", made, "--follow")
    assert "no executor" in duly("executors")
    assert "2026" in duly("schedule", "preview", "--cron", "0 9 * * *")
    token = json.loads(duly("schedule", "pause", "news", "--json"))["undo"]
    assert "undone: news paused" in duly("undo", token)
    for command in ("load", "nodes", "needs"):
        assert duly(command)
    assert "paused 3 schedules" in duly("schedule", "pause", "--text", "Read the news")
    duly("schedule", "delete", "news")
    assert "there is no schedule 'news'" in duly("schedule", "get", "news", code=FAILED)


def test_reminders_and_health(duly: Duly) -> None:
    assert "needs your answer" in duly("remind", "stretch", "tomorrow", "at", "9", "--ack")
    assert "every day" in duly("remind", "drink water", "every", "day", "at", "10")
    assert "stretch" in duly("reminders", "list")
    assert "stretch" in duly("reminders", "pause", "stretch")
    assert duly("inbox")
    assert "no reminder waits" in duly("ack", code=FAILED)
    assert json.loads(duly("health", "--json"))["state"] == "green"


def test_a_chat(duly: Duly) -> None:
    assert "I will remind you" in duly("chat", "remind me to call mom tomorrow at 9am")
    assert "call mom" in duly("chat", "what's on tomorrow?")
    duly("chat", "tomorrow 10am call the vet")
    asked = json.loads(duly("chat", "--json", "cancel call"))
    assert [each["label"].split(" (")[0] for each in asked["buttons"]] == ["call mom", "call the vet"]
    assert "Removed: call the vet" in duly("chat", "2")
    assert "Taken back" in duly("chat", "undo")


def test_people_and_channels(duly: Duly) -> None:
    assert "Ana" in duly("user", "add", "Ana", "--timezone", "Europe/Zagreb", "--channel", "inbox:ana")
    assert "Europe/Berlin" in duly("user", "set", "Ana", "--timezone", "Europe/Berlin", "--quiet", "22:00-07:00")
    shown = json.loads(duly("user", "list", "--json"))["items"]
    [ana] = [each for each in shown if each["name"] == "Ana"]
    assert (ana["quiet_from"], ana["quiet_to"]) == ("22:00", "07:00")
    assert "no chat 'telegram' is configured" in duly("user", "pair", "Ana", code=BAD_INPUT)
    assert "by duly ack" in duly("channels", "list")
    assert "delivered" in duly("channels", "test", "inbox", "--user", "Ana")
    assert "Ana removed" in duly("user", "remove", "Ana")


def test_a_calendar_opens_at_the_daemon(duly: Duly, place: ServedPlace) -> None:
    made = json.loads(duly("calendar", "link", "phone", "--json"))
    assert made["url"].startswith(f"{place.url}/calendar/")
    assert httpx.get(made["url"], trust_env=False).status_code == 200


def test_an_expression_is_read_in_the_zone_that_one_has_at_the_daemon(duly: Duly) -> None:
    duly("user", "set", "local", "--timezone", "Asia/Tokyo")
    assert "local: Asia/Tokyo" in duly("next", "0 9 * * *")


def test_faults_are_told_as_here(duly: Duly, place: ServedPlace, capsys: pytest.CaptureFixture[str]) -> None:
    told = duly("schedule", "create", "x", "--cron", "61 * * * *", "--prompt", "p", code=BAD_INPUT)
    assert "minute field" in told
    assert "^" in told
    assert "does not work with --server" in duly("token", "rotate-links", code=FAILED)
    assert "works on its own machine" in duly("up", code=BAD_INPUT)
    assert "is for this machine" in duly("list", "--data-dir", "x", code=BAD_INPUT)
    assert run(["--server", place.url, "--token", "wrong", "list"]) == FAILED
    assert "the token sent is not valid" in capsys.readouterr().err
    assert run(["--server"]) == BAD_INPUT
    assert run(["--token", "x", "list"]) == BAD_INPUT


def test_variables_name_the_server_and_the_token(
    place: ServedPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DULY_SERVER", place.url)
    monkeypatch.setenv("DULY_TOKEN", place.token)
    assert run(["list"]) == OK
    assert "no schedules yet" in capsys.readouterr().out

"""`duly --server URL remind`: the daemon stores what the command understood and printed, in any zone and language."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import copy_context
from datetime import datetime
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from duly.cli.app import run
from duly.client import Client
from duly.ports.codec import decode_trigger
from duly.testing import VirtualClock
from tests.world import START, served_in_thread

ZONES = (None, "Asia/Tokyo", "America/New_York", "UTC")
PEOPLE = (None, "ana", "bob", "bob,ana")
LANGUAGES = (None, "en", "de", "hr", "sr", "es", "fr", "it")
WORDS = {
    None: ("tomorrow at 9", "every day at 8", "in 90 minutes", "3/4/2027 9:00", "heute um 23:30"),
    "en": ("tomorrow at 9", "3/4/2027 9:00", "every 2 days at 7", "every monday at 8 and an hour before"),
    "de": ("morgen um 9", "3.4.2027 um 9 Uhr", "jeden Tag um 8", "alle 2 Stunden"),
    "hr": ("sutra u 9", "svaki dan u 8"),
    "sr": ("sutra u 9", "svaki dan u 8"),
    "es": ("mañana a las 9", "3/4/2027 9:00", "cada día a las 8"),
    "fr": ("demain à 9h", "3/4/2027 9:00", "chaque jour à 8h"),
    "it": ("domani alle 9", "3/4/2027 9:00", "ogni giorno alle 8"),
}
Place = Callable[..., tuple[int, str]]
"""Runs a command at one place; gives its exit code and what it prints."""


@pytest.fixture
def places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[Place, Place]]:
    """The same commands, at a daemon elsewhere and on the machine at hand, with the same people."""
    clock = VirtualClock(START)
    here = tmp_path / "here"
    for each in (here, tmp_path / "there"):
        each.mkdir()
    (here / "duly.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf-8")
    with served_in_thread(tmp_path / "there") as daemon:
        before, after = ["--server", daemon.url, f"--token={daemon.token}"], ["--data-dir", str(here)]

        def command(*words: str, begin: list[str], end: list[str]) -> tuple[int, str]:
            code = copy_context().run(run, [*begin, *words, *end], clock)  # the command remembers the server
            printed = capsys.readouterr()
            return code, printed.out or printed.err

        def there(*words: str) -> tuple[int, str]:
            return command(*words, begin=before, end=[])

        def at_hand(*words: str) -> tuple[int, str]:
            return command(*words, begin=[], end=after)

        for place in (there, at_hand):
            assert place("user", "set", "local", "--timezone", "Europe/Lisbon", "--language", "en")[0] == 0
            assert place("user", "add", "ana", "--timezone", "Europe/Zagreb", "--language", "hr")[0] == 0
            assert place("user", "add", "bob")[0] == 0
        yield there, at_hand


def _stored(store: Path, schedule_id: str) -> dict[str, Any]:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute("SELECT * FROM schedules WHERE id = ?", (schedule_id,)).fetchone()
    return {name: row[name] for name in ("name", "trigger", "timezone", "original_text", "next_fire_at")}


def _options(**given: str | None) -> list[str]:
    return [part for name, value in given.items() if value is not None for part in (f"--{name}", value)]


def test_what_is_stored_is_what_was_printed(places: tuple[Place, Place], tmp_path: Path) -> None:
    there, at_hand = places
    draw = random.Random(27)
    kept = 0
    for number, (zone, people, language) in enumerate(product(ZONES, PEOPLE, LANGUAGES)):
        words = draw.choice(WORDS[language])
        command = ["remind", f"pills{number}", words, "--json", *_options(tz=zone, to=people, lang=language)]
        code, printed = there(*command)
        assert code == at_hand(*command, "--dry-run")[0], (command, printed)
        if code != 0:
            continue  # the words mean two things to this person
        kept += 1
        view = json.loads(printed)
        stored = _stored(tmp_path / "there" / "duly.db", view["id"])
        trigger = decode_trigger(stored["trigger"])
        ahead = [datetime.fromisoformat(each) for each in view["next_runs"] if each is not None]
        assert trigger.get_next_occurrence(START) == datetime.fromisoformat(view["next_run_at"]), command
        for before, after in pairwise(ahead):
            found = getattr(trigger, "trigger", trigger).get_next_occurrence(before)
            assert found == after, command
        local = json.loads(at_hand(*command)[1])
        assert stored == _stored(tmp_path / "here" / "schedules.db", local["id"]), command
        assert (view["words"], view["next_runs"]) == (local["words"], local["next_runs"])
    assert kept > len(ZONES) * len(PEOPLE) * len(LANGUAGES) // 2


def test_a_zone_that_is_named_is_the_one_that_counts(places: tuple[Place, Place]) -> None:
    there, _ = places
    printed = json.loads(there("remind", "pills", "every day at 9", "--tz", "Asia/Tokyo", "--json")[1])
    assert printed["next_run_at"] == "2026-11-17T00:00:00Z"
    assert "2026-11-17T00:00:00Z" in there("reminders", "list", "--json")[1]


def test_names_are_free_among_those_of_the_person(places: tuple[Place, Place]) -> None:
    there, _ = places
    made = [
        there("remind", "pills", "every day at 9", *whom, "--json")
        for whom in ((), ("--to", "ana"), (), ("--to", "ana"))
    ]
    assert [json.loads(printed)["name"] for _, printed in made] == ["pills", "pills", "pills-2", "pills-2"]


def test_the_token_of_a_person_is_about_what_is_theirs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served_in_thread(tmp_path) as daemon, Client(daemon.url, daemon.token) as ask:
        ana = ask.add_person("ana", timezone="Asia/Tokyo")
        secret = ask.create_token("phone", "user:ana").secret

        def command(*words: str, code: int = 0) -> str:
            found = copy_context().run(run, ["--server", daemon.url, f"--token={secret}", *words], VirtualClock(START))
            printed = capsys.readouterr()
            assert found == code, printed
            return printed.out or printed.err

        made = json.loads(command("remind", "pills", "tomorrow at 9", "--ack", "--json"))
        assert made["timezone"] == "Asia/Tokyo"
        for named in ((), ("--user", "local"), ("--user", "ana"), ("--user", ana.id)):
            [found] = json.loads(command("reminders", *named, "--json"))["items"]
            assert found["id"] == made["id"]
            assert command("inbox", *named).startswith("nothing new")
            assert "pills" in command("chat", "what's on tomorrow?", *named)
        assert "access denied" in command("reminders", "--user", "bob", code=1)
        assert [each.name for each in ask.list_reminders()] == []

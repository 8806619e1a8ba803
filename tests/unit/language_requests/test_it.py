"""Requests that name no reminder: "it" is the one that was spoken of last, which the chat knows."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from duly.language.requests import IT, Cancel, LeaveOut, Move, UndoRequest, read_request
from duly.recurrence import Once
from duly.zones import Zone

NOW = datetime(2026, 11, 16, 10, 43, tzinfo=ZoneInfo("Europe/Zagreb"))
ZONE = Zone.of("Europe/Zagreb")


@pytest.mark.parametrize(
    "text",
    [
        "cancel it",
        "cancel that",
        "please delete it",
        "can you delete it?",
        "remove that one",
        "delete this reminder",
        "lösch das",
        "lösch ihn bitte",
        "lösche sie",
        "sag es ab",
        "otkaži to",
        "obriši ga",
        "izbriši to",
        "откажи то",
        "cancélalo",
        "cancelalo",
        "bórralo",
        "elimínala",
        "borra eso",
        "annule-le",
        "supprime-le",
        "efface ça",
        "annullalo",
        "cancellalo",
        "eliminala",
    ],
)
def test_what_was_spoken_of_last_is_cancelled(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Cancel)
    assert found.target == IT


@pytest.mark.parametrize(
    "text",
    [
        "move it to 5pm",
        "reschedule that to 5pm",
        "verschieb es auf 17 Uhr",
        "pomakni to na 17:00",
        "muévelo a las 17:00",
        "déplace-le à 17:00",
        "spostalo alle 17:00",
    ],
)
def test_it_is_moved_to_a_time_of_its_day(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Move)
    assert (found.target, found.clock_only) == (IT, True)
    assert found.phrase is not None
    assert isinstance(found.phrase.trigger, Once)
    assert found.phrase.trigger.at == NOW.replace(hour=17, minute=0)


def test_a_length_is_whole_whatever_the_clock_shows() -> None:
    found = read_request("push the bank back an hour", now=NOW.replace(second=7, microsecond=654321), zone=ZONE)
    assert isinstance(found, Move)
    assert found.shift == timedelta(hours=1)


@pytest.mark.parametrize(
    "text",
    [
        "push it back an hour",
        "push it by an hour",
        "verschieb es um eine Stunde",
        "décale-le d'une heure",
        "odgodi to za sat vremena",
    ],
)
def test_it_is_moved_by_a_length(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Move)
    assert (found.target, found.shift) == (IT, timedelta(hours=1))


@pytest.mark.parametrize(
    "text", ["skip it tomorrow", "überspring es morgen", "preskoči to sutra", "sáltalo mañana", "saltalo domani"]
)
def test_its_next_time_is_left_out(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, LeaveOut)
    assert (found.target, found.day) == (IT, date(2026, 11, 17))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("cancel that parcel thing", "parcel thing"),
        ("lösch das Paket", "Paket"),
        ("annule le dentiste", "dentiste"),
        ("supprime la réunion", "réunion"),
        ("cancella quello del dentista", "dentista"),
    ],
)
def test_a_name_behind_the_pronoun_is_the_name(text: str, target: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Cancel)
    assert found.target == target


@pytest.mark.parametrize("text", ["annule ça", "annulla", "poništi to", "undo that"])
def test_taking_back_stays_taking_back(text: str) -> None:
    assert isinstance(read_request(text, now=NOW, zone=ZONE), UndoRequest)


@pytest.mark.parametrize(
    "text", ["did you cancel it?", "don't cancel it", "move it", "move it forward", "cancel them", "forget it"]
)
def test_what_is_no_order_is_none(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert not isinstance(found, Cancel | Move) or found.target != IT

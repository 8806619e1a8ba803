"""Buttons and their tokens, and the words of duly's own messages."""

from __future__ import annotations

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.delivery.messages import Press, make_buttons, read_button
from duly.language.languages import LANGUAGES, clock_time, words
from duly.language.languages.form import MessageTexts
from duly.model.reminder import Response
from duly.ports.channels import MAX_TOKEN, ButtonKind
from duly.zones import Zone

TOKEN = "abcDEF-_012345XY"  # noqa: S105  of a button


def test_each_button_says_which_reminder_and_which_answer() -> None:
    done, snooze, dismiss = make_buttons(TOKEN, "en", may_snooze=True)
    assert read_button(done.token) == Press(TOKEN, Response.ACK)
    assert read_button(snooze.token) == Press(TOKEN, Response.SNOOZE, 10)
    assert read_button(dismiss.token) == Press(TOKEN, Response.DISMISS)
    assert [each.kind for each in (done, snooze, dismiss)] == list(ButtonKind)
    assert all(len(each.token) <= MAX_TOKEN for each in (done, snooze, dismiss))
    assert all(each.url is None for each in (done, snooze, dismiss))


def test_buttons_may_be_links() -> None:
    [done, dismiss] = make_buttons(TOKEN, None, may_snooze=False, link=lambda token, kind: f"https://d/{kind}/{token}")
    assert done.url == f"https://d/done/done:{TOKEN}"
    assert dismiss.url == f"https://d/dismiss/dismiss:{TOKEN}"


@pytest.mark.parametrize(
    "text",
    ["", "done", "done:", "done:short", f"DONE:{TOKEN}", f"done:{TOKEN} ", f"vote:{TOKEN}", f"snooze:{TOKEN}:99999"],
)
def test_tokens_of_other_programs_are_not_read(text: str) -> None:
    assert read_button(text) is None


@given(st.text(max_size=80))
def test_read_button_takes_any_text(text: str) -> None:
    press = read_button(text)
    assert press is None or set(press.token) <= set(string.ascii_letters + string.digits + "-_")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything(language: str) -> None:
    english = words("en")
    for name in MessageTexts._fields:
        wanted = {field for _, field, _, _ in string.Formatter().parse(getattr(english, name)) if field}
        spoken = {field for _, field, _, _ in string.Formatter().parse(getattr(words(language), name)) if field}
        assert spoken == wanted, name
    labels = [words(language).done, words(language).snooze.format(minutes=10), words(language).dismiss]
    assert all(len(label) <= 20 for label in labels)  # what the narrowest vendor shows
    assert len(set(labels)) == 3


def test_languages_are_found_with_and_without_their_country() -> None:
    assert words("de-AT") is words("de") is words("DE_at")
    assert words(None) is words("tlh") is words("en")


def test_a_time_shows_its_date_unless_it_is_today() -> None:
    zone, now = Zone.of("Europe/Zagreb"), datetime(2026, 11, 16, 22, 30, tzinfo=UTC)
    assert clock_time(datetime(2026, 11, 16, 22, 59, tzinfo=UTC), zone, now) == "23:59"
    assert clock_time(datetime(2026, 11, 16, 23, 0, tzinfo=UTC), zone, now) == "2026-11-17 00:00"

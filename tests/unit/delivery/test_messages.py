"""Buttons and their tokens, and the words of duly's own messages."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.delivery.messages import Press, make_buttons, read_button
from duly.language.languages import LANGUAGES
from duly.language.spoken import words
from duly.model.reminder import Response
from duly.planning.presets import Preset
from duly.ports.channels import MAX_TOKEN, ButtonKind

TOKEN = "abcDEF-_012345XY"  # noqa: S105  of a button


def test_each_button_says_which_reminder_and_which_answer() -> None:
    done, snooze, dismiss = make_buttons(TOKEN, "en", [Preset(minutes=10)])
    assert read_button(done.token) == Press(TOKEN, Response.ACK)
    assert read_button(snooze.token) == Press(TOKEN, Response.SNOOZE, 10)
    assert read_button(dismiss.token) == Press(TOKEN, Response.DISMISS)
    assert [each.kind for each in (done, snooze, dismiss)] == [ButtonKind.DONE, ButtonKind.SNOOZE, ButtonKind.DISMISS]
    assert all(len(each.token) <= MAX_TOKEN for each in (done, snooze, dismiss))
    assert all(each.url is None for each in (done, snooze, dismiss))


def test_buttons_may_be_links() -> None:
    [done, dismiss] = make_buttons(TOKEN, None, [], link=lambda token, kind: f"https://d/{kind}/{token}")
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
def test_every_language_has_short_and_different_buttons(language: str) -> None:
    labels = [words(language).done, words(language).snooze.format(minutes=10), words(language).dismiss]
    assert all(len(label) <= 20 for label in labels)  # what the narrowest vendor shows
    assert len(set(labels)) == 3


def test_languages_are_found_with_and_without_their_country() -> None:
    assert words("de-AT") is words("de") is words("DE_at")
    assert words(None) is words("tlh") is words("en")

"""What duly says by itself to the people it reminds, in their language."""

from __future__ import annotations

from datetime import datetime

from duly.language.languages import LANGUAGES, code_of, language
from duly.language.languages.form import MessageTexts
from duly.model.action import Message
from duly.zones import Zone


def words(tag: str | None) -> MessageTexts:
    """Return the texts of a language (`de`, `de-AT`), the English ones if duly does not speak it."""
    return language(code_of(tag) or LANGUAGES[0]).messages


def question(message: Message, tag: str | None) -> str | None:
    """Return the question of a reminder: its own, else whether it is done; None if it wants no answer.

    Words of consent ("ok", "vale") count as done, so the question has to be one to which they say that.
    """
    if not message.require_ack:
        return None
    return message.ack_prompt or words(tag).is_it_done


def clock_time(moment: datetime, zone: Zone, now: datetime) -> str:
    """Say a moment on a person's clocks; with its date unless that is today."""
    local = zone.localize(moment)
    is_today = local.date() == zone.localize(now).date()
    return f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}"

"""What a person's reply to a reminder means: done, later, drop it, or unknown.

A reply is understood as a whole or not at all. An acknowledgement silences a reminder, so a reply is one only if every
word of it is known and none speaks against it. After an unknown reply the reminder stays open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from duly.language.languages import LANGUAGES
from duly.language.replies.form import ReplyRole
from duly.language.replies.judgement import ReplyMeaning, judge
from duly.language.replies.tokens import TokenizedReply, tokenize
from duly.language.replies.vocabulary import reply_vocabulary

_READ_AS = {"sr": "hr", "bs": "hr", "cnr": "hr", "sh": "hr"}
"""Languages that are read with the words of another one."""
_READERS = tuple(code for code in LANGUAGES if code not in _READ_AS)


class ReplyKind(StrEnum):
    """What follows from a reply for the open reminder."""

    ACK = "ack"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
    UNKNOWN = "unknown"


_KINDS = {ReplyRole.YES: ReplyKind.ACK, ReplyRole.LATER: ReplyKind.SNOOZE, ReplyRole.NO: ReplyKind.DISMISS}


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it was understood. A snooze without `minutes` and `until` means the configured default."""

    kind: ReplyKind
    minutes: int | None = None
    """1 to 1440, when a snooze named a duration."""
    until: str | None = None
    """The words of a snooze that named a point in time, or a duration beyond a day, for `duly.phrases.parse`."""
    lang: str | None = None
    """The language in which it was understood and `until` is to be read; None if unknown, or if several agree."""
    denied: bool = False
    """Whether the snooze comes from a bare no to the question whether it is done: duly asks again."""


_SHORTEST_FOREIGN_YES = 2
_UNKNOWN = Reply(ReplyKind.UNKNOWN)


def classify_reply(text: str, lang: str | None = None) -> Reply:
    """Read an answer to a reminder: in the given language first, and if it does not know the words, in all of them.

    What the other languages read differently is unknown. So is what the given language understands without deciding it,
    and a yes of one or two letters in a foreign language: the German "da" is no Croatian "da".

    >>> classify_reply("no, I took it 10 minutes ago").kind
    <ReplyKind.ACK: 'ack'>
    >>> classify_reply("podsjeti me za pola sata", "hr").minutes
    30
    """
    tokens = tokenize(text)
    if tokens is None:
        return _UNKNOWN
    wanted = lang.partition("-")[0].partition("_")[0].casefold() if lang else ""
    code = _READ_AS.get(wanted, wanted)
    known = code in _READERS
    own = code if known and (code == "hr" or not tokens.cyrillic) else None
    if own and (meaning := judge(reply_vocabulary(own), tokens)) is not None:
        return _reply(meaning, wanted)
    readings = _read(["hr"] if tokens.cyrillic else _READERS, tokens)
    if own and not readings:
        return _reply(judge(reply_vocabulary(own), tokens, lenient=True), wanted)
    # Languages may disagree about the words of a point in time, but not about whether there is one.
    if len({meaning._replace(until=meaning.until and "") for meaning in readings.values()}) != 1:
        return _UNKNOWN
    code, meaning = next(iter(readings.items()))
    if known and meaning.role is ReplyRole.YES and len(text.strip(" .!")) <= _SHORTEST_FOREIGN_YES:
        return _UNKNOWN
    spoken = "sr" if tokens.cyrillic else code
    return _reply(meaning, spoken if len(readings) == 1 or meaning.until else None)


def _read(codes: Iterable[str], tokens: TokenizedReply) -> dict[str, ReplyMeaning]:
    """Return the meaning in each language that understands the reply."""
    meanings = ((code, judge(reply_vocabulary(code), tokens)) for code in codes)
    return {code: meaning for code, meaning in meanings if meaning is not None}


def _reply(meaning: ReplyMeaning | None, lang: str | None) -> Reply:
    if meaning is None or meaning.role not in _KINDS:
        return _UNKNOWN
    return Reply(
        kind=_KINDS[meaning.role],
        minutes=meaning.minutes,
        until=meaning.until,
        lang=lang,
        denied=meaning.denied,
    )
